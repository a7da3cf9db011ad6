"""Regulars: people of the venue's book on the check-in page, the likely ones first; one tap enters them.

A team event has the teams of the book, any other event the players: members of teams are not in the book.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from msgspec import structs

from roundtap_core.errors import Problem
from roundtap_core.event import commands
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.person import Person
from roundtap_core.event.states import EventState, not_yet_present, seated_ids
from roundtap_core.name_search import fold, is_found, search_text
from roundtap_core.numbers import next_number
from roundtap_core.records import Competitor
from roundtap_hub.http import routes
from roundtap_hub.live import current, forms
from roundtap_hub.store.book import PEOPLE_KNOWN, BookPerson, recognize
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.new_entrants import person_and_entrant
from roundtap_hub.store.service import Step
from roundtap_hub.views.round_clock import DATE_ALONE, time_of_day
from roundtap_hub.views.saved_event import EventLine, SavedEvent, known_events, name_sort_key

RECENT_MS = 8 * 7 * 86_400_000
SHOWN = 36

NUMBERED = re.compile(r" \(\d+\)$")  # the number that tells namesakes apart, which no one types


class Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)


@dataclass(frozen=True, slots=True)
class Regular:
    """A person of the book, for one event. `competitor`: as whom they are entered there, "" for who is not; `here`:
    entered and present; `evenings`: the places in the order of events of the recent ones they played, oldest first."""

    known: BookPerson
    competitor: str
    here: bool
    evenings: tuple[tuple[int, int, str], ...]

    @property
    def name(self) -> str:
        return self.known.person.name


def find_by_name(typed: str, rows: Sequence[N]) -> list[N]:
    """Rows that a few letters mean: with exactly this name, else those where every word begins a part of the name."""
    wanted = fold(typed)
    same = [each for each in rows if fold(NUMBERED.sub("", each.name)) == wanted]
    if same or not wanted:
        return same
    return [each for each in rows if is_found(wanted, search_text(each.name), begins=True)]


def regulars(event: SavedEvent) -> list[Regular]:
    """Everybody in the book whom this event can have: who came most often in the last eight weeks first, then who came
    last. Being entered changes nobody's place."""
    snapshot, waiting = current.snapshot(), not_yet_present(event.state)
    team = event.state.rulebook.team_size > 1
    known = sorted(
        (each for each in snapshot.known_people() if bool(each.person.members) == team),
        key=lambda each: name_sort_key(each.person.name),
    )
    entered, recent = _entered(event, known), _recent(event)
    rows = [
        Regular(
            each,
            entered.get(each.id, ""),
            each.id in entered and entered[each.id] not in waiting,
            tuple(snapshot.venue.age(evening) for evening, _ in each.seats if evening in recent),
        )
        for each in known
    ]
    return sorted(rows, key=lambda row: (len(row.evenings), row.evenings[-1:]), reverse=True)


def _entered(event: SavedEvent, known: Sequence[BookPerson]) -> dict[str, str]:
    """The competitors of this event by their persons: those the book knows, and those it will recognize."""
    book, entrants = current.snapshot().venue.book, event.state.entrants
    seated = {book.persons[event.event_id, who]: who for who in entrants if (event.event_id, who) in book.persons}
    others = {who: event.people[who] for who in entrants if who not in seated.values() and who in event.people}
    found = recognize(event.event_id, others, known, seated)
    return {person: who for who, person in found.items()} | seated


def _recent(event: SavedEvent) -> set[str]:
    """The finished events of the eight weeks before this one's day, or before today. One without a date of its own has
    that of its making; where no date is known, it counts."""
    day = event.state.about.get("date") or current.hub().clocks.wall()
    since = time_of_day(day, -RECENT_MS, DATE_ALONE)
    return {
        line.id
        for line in known_events(current.snapshot())
        if line.finished and (not (on := _day_of(line)) or on >= since) and line.id != event.event_id
    }


def _day_of(line: EventLine) -> str:
    own = line.about.get("date", "") if isinstance(line, EventState) else line.date
    return time_of_day(own or current.snapshot().venue.begun_at.get(line.id), form=DATE_ALONE)


def last_evening(event: SavedEvent, rows: Iterable[Regular]) -> tuple[str, list[Regular]]:
    """The name of the last finished event of the same game, and who of `rows` played there; "" without one."""
    snapshot, game = current.snapshot(), (event.state.rulebook_id, event.state.rules)
    same = (line for line in known_events(snapshot) if line.finished and (line.rulebook_id, line.rules) == game)
    line = max(same, key=lambda each: snapshot.venue.age(each.id), default=None)
    before = snapshot.event(line.id) if line is not None else None
    if before is None:
        return "", []
    played = {(before.id, who) for who in seated_ids(before)}
    return before.name, [row for row in rows if not played.isdisjoint(row.known.seats)]


def check_in_steps(state: EventState, competitor: str, meets: str | None = None) -> list[Step]:
    """Checking in at the desk also confirms the entry."""
    steps = [Step(state.id, commands.ConfirmEntry(competitor, meets=meets))]
    return [Step(state.id, commands.CheckIn(competitor, meets=meets)), *steps] if state.check_in else steps


def entering(
    state: EventState, chosen: Sequence[tuple[str, Person]], signed_up: bool = False
) -> tuple[list[Step], list[PersonRecord]]:
    """The steps that enter these persons (id and row) and check them in, or sign them up, and their rows. Names, club
    and external id come along; what was noted on an evening stays there."""
    steps, people, seats = list[Step](), list[PersonRecord](), dict[str, str]()
    first = next_number((*state.entrants, *state.removed), "p")
    for number, (known, person) in enumerate(chosen, start=first):
        competitor = Competitor(
            f"p{number}",
            person.name,
            public_name=person.public_name,
            club=person.club,
            external_id=person.external_id,
            members=person.members,
            captain=person.captain,
        )
        record, entrant = person_and_entrant(state.id, competitor)
        people.append(record)
        steps.append(
            Step(
                state.id,
                commands.EnterCompetitor(structs.replace(entrant, checked_in=True), signed_up=signed_up),
            )
        )
        seats[competitor.id] = known
    return [*steps, Step(VENUE, NewEntry(PEOPLE_KNOWN, {"event": state.id, "persons": seats}))], people


def removing(event_id: str, competitor: str) -> list[Step]:
    """The steps that remove an entry: its person has not come, and may yet come as another entry."""
    told = {"event": event_id, "persons": {}, "removed": [competitor]}
    return [Step(event_id, commands.RemoveCompetitor(competitor)), Step(VENUE, NewEntry(PEOPLE_KNOWN, told))]


@routes.route("POST /console/<event_id>/regulars", routes.HEADS_AND_DESK, frozenset({routes.BEFORE}))
@forms.shows_problem_on("console.check_in_page")
def set_regular(event_id: str) -> None:
    """Enter and check in a person of the book (`on` 1), or take that back: undone twice or done twice, it is done
    once."""
    event, on = _before_round_1(event_id), forms.field("on") == "1"
    row = next((each for each in regulars(event) if each.known.id == forms.field("person")), None)
    if row is None:
        raise Problem("book_unknown_person")
    if on != row.here:
        bring([row], event.state) if on else _take_back(event.state, row.competitor)


def _before_round_1(event_id: str) -> SavedEvent:
    """The event; who comes later is entered as a late entry, which asks for more."""
    event = current.event(event_id)
    if event.state.public_rounds:
        raise Problem("step_changed_meanwhile")
    return event


def _take_back(state: EventState, competitor: str) -> None:
    """Without check-in an entry is all there is to take back."""
    undone = [Step(state.id, commands.CheckIn(competitor, on=False))]
    current.hub().service.execute(undone if state.check_in else removing(state.id, competitor), current.actor())


@routes.route("POST /console/<event_id>/regulars/all", routes.HEADS_AND_DESK, frozenset({routes.BEFORE}))
@forms.shows_problem_on("console.check_in_page")
def bring_all(event_id: str) -> None:
    """Check in all who are awaited, or all who played the evening before (`who` "last"), who are entered as well."""
    event = _before_round_1(event_id)
    if forms.field("who") == "last":
        bring(last_evening(event, regulars(event))[1], event.state)
    else:
        steps = [step for who in not_yet_present(event.state) for step in check_in_steps(event.state, who)]
        current.hub().service.execute(steps, current.actor())


def bring(rows: Iterable[Regular], state: EventState) -> None:
    """Enter who is not entered, and check in who is not here, in one request."""
    away = [row for row in rows if not row.here]
    steps, people = entering(state, [(row.known.id, row.known.person) for row in away if not row.competitor])
    arrived = [step for row in away if row.competitor for step in check_in_steps(state, row.competitor)]
    current.hub().service.execute([*steps, *arrived], current.actor(), people)
