"""Regulars: people of the venue's book on the check-in page, the likely ones first; one tap enters them.

A team event has the teams of the book, any other event the players: members of teams are not in the book.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
from roundtap_hub.store.book import PEOPLE_KNOWN, BookPerson
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.new_entrants import person_and_entrant
from roundtap_hub.store.service import Step
from roundtap_hub.views.round_clock import DATE_ALONE, time_of_day
from roundtap_hub.views.saved_event import SavedEvent, known_events, name_sort_key

RECENT_MS = 8 * 7 * 86_400_000
SHOWN = 36

NUMBERED = re.compile(r" \(\d+\)$")  # the number that tells namesakes apart, which no one types


@dataclass(frozen=True, slots=True)
class Regular:
    """A person of the book, for one event. `competitor`: as whom they are entered there, "" for who is not; `here`:
    entered and present; `evenings`: the places in the order of events of the recent ones they played, oldest first."""

    known: BookPerson
    name: str
    competitor: str
    here: bool
    evenings: tuple[tuple[int, int, str], ...]


def find_by_name(typed: str, rows: Sequence[Any]) -> list[Any]:
    """Rows that a few letters mean: with exactly this name, else those where every word begins a part of the name."""
    wanted = fold(typed)
    same = [each for each in rows if fold(NUMBERED.sub("", each.name)) == wanted]
    if same or not wanted:
        return same
    return [each for each in rows if is_found(wanted, search_text(each.name), begins=True)]


def regulars(event: SavedEvent) -> list[Regular]:
    """Everybody in the book whom this event can have: who came most often in the eight weeks before its day first, then
    who came last. Being entered changes nobody's place. An event without a date has the day of its making; where no
    day is known, it counts."""
    state, snapshot = event.state, current.snapshot()
    known = [each for each in snapshot.known_people() if bool(each.person.members) == (state.rulebook.team_size > 1)]
    persons, waiting = snapshot.venue.book.persons, not_yet_present(state)
    seated = {persons[state.id, who]: who for who in state.entrants if (state.id, who) in persons}
    others = {who: event.people[who] for who in state.entrants if who not in seated.values() and who in event.people}
    entered = {person: who for who, person in snapshot.recognized(state, others, known, seated).items()} | seated
    since = time_of_day(state.about.get("date") or current.hub().clocks.wall(), -RECENT_MS, DATE_ALONE)
    days = {
        line.id: (line.about.get("date") if isinstance(line, EventState) else line.date)
        or snapshot.venue.begun_at.get(line.id)
        for line in known_events(snapshot)
        if line.finished and line.id != state.id
    }
    recent = {each for each, day in days.items() if not (on := time_of_day(day, form=DATE_ALONE)) or on >= since}
    rows = (
        Regular(
            each,
            each.person.name,
            entered.get(each.id, ""),
            each.id in entered and entered[each.id] not in waiting,
            tuple(snapshot.venue.age(evening) for evening, _ in each.seats if evening in recent),
        )
        for each in sorted(known, key=lambda each: name_sort_key(each.person.name))
    )
    return sorted(rows, key=lambda row: (len(row.evenings), row.evenings[-1:]), reverse=True)


def last_evening(event: SavedEvent, rows: Iterable[Regular]) -> tuple[str, list[Regular]]:
    """The name of the last finished event of the same game, and who of `rows` played there."""
    snapshot, game = current.snapshot(), (event.state.rulebook_id, event.state.rules)
    same = [line.id for line in known_events(snapshot) if line.finished and (line.rulebook_id, line.rules) == game]
    before = (snapshot.event(same[-1]) if same else None) or event.state
    played = {(before.id, who) for who in seated_ids(before)}
    return before.name, [row for row in rows if not played.isdisjoint(row.known.seats)]


def check_in_steps(state: EventState, competitor: str, meets: str | None = None) -> list[Step]:
    """Checking in at the desk also confirms the entry."""
    arrival = (commands.CheckIn, commands.ConfirmEntry) if state.check_in else (commands.ConfirmEntry,)
    return [Step(state.id, each(competitor, meets=meets)) for each in arrival]


def entering(
    state: EventState, chosen: Mapping[str, Person], signed_up: bool = False
) -> tuple[list[Step], list[PersonRecord]]:
    """The steps that enter these persons and check them in, or sign them up, and their rows. Names, club and external
    id come along; what was noted on an evening stays there."""
    first = next_number((*state.entrants, *state.removed), "p")
    made = [
        person_and_entrant(
            state.id,
            Competitor(f"p{n}", p.name, p.public_name, p.club, p.external_id, members=p.members, captain=p.captain),
        )
        for n, p in enumerate(chosen.values(), start=first)
    ]
    told = {entrant.id: person for person, (_, entrant) in zip(chosen, made, strict=True)}
    steps = [
        Step(state.id, commands.EnterCompetitor(structs.replace(entrant, checked_in=True), signed_up=signed_up))
        for _, entrant in made
    ]
    if told:
        steps.append(Step(VENUE, NewEntry(PEOPLE_KNOWN, {"event": state.id, "persons": told})))
    return steps, [record for record, _ in made]


@routes.route("POST /console/<event_id>/regulars", routes.HEADS_AND_DESK, frozenset({routes.BEFORE}))
@forms.shows_problem_on("console.check_in_page")
def check_in_regulars(event_id: str) -> None:
    """Enter and check in `who`: a person of the book, all of the "last" evening, or all who are "awaited". With `on` 0
    take that back: without check-in the entry is removed."""
    event, who = current.event(event_id), forms.field("who")
    state, known, waiting = event.state, regulars(event), not_yet_present(event.state)
    rows = last_evening(event, known)[1] if who == "last" else [row for row in known if row.known.id == who]
    away = waiting if who == "awaited" else [row.competitor for row in rows if row.competitor in waiting]
    if state.public_rounds or not (rows or away):
        # Late entries ask for more; and a person may have been forgotten meanwhile.
        raise Problem("step_changed_meanwhile")
    back = forms.field("on") == "0"
    steps, people = entering(state, {row.known.id: row.known.person for row in rows if not (back or row.competitor)})
    steps += [step for each in away if not back for step in check_in_steps(state, each)]
    steps += [
        Step(state.id, commands.CheckIn(who, on=False) if state.check_in else commands.RemoveCompetitor(who))
        for who in (row.competitor for row in rows if back and row.here)
    ]
    current.hub().service.execute(steps, current.actor(), people)
