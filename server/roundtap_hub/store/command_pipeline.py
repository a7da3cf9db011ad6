"""Decides requests to the writer: the entries of a request, or the Problem that refuses all of it."""

import logging
import secrets
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import structs
from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event import commands
from roundtap_core.event.entries import VENUE, Entry, NewEntry, Person, Timestamp, chain_entry, refuse_unfit_person
from roundtap_core.event.imposed_rounds import ADOPTED
from roundtap_core.event.rounds import tables_drafted, tables_in_play
from roundtap_core.event.setup import open_list_points
from roundtap_core.event.stale_check import refuse_stale
from roundtap_core.event.states import Entrant, EventState
from roundtap_core.lists.list_form import fold, members_of, team_problems
from roundtap_core.messages import Report
from roundtap_core.names import stands_in
from roundtap_core.records import Competitor
from roundtap_core.typed import next_number, parse_message, refuse_over_limits
from roundtap_hub.store.book import PEOPLE_KNOWN, PERSON_FORGOTTEN, seats_forgotten
from roundtap_hub.store.journal import PersonRecord, people_removed
from roundtap_hub.store.models import forgotten_person, refuse_damaged
from roundtap_hub.store.read_model import Snapshot
from roundtap_hub.store.restore_gap import NO_PLACE, can_decide_report, refuse_settling
from roundtap_hub.store.venue import (
    EVENT_ARCHIVED,
    EVENT_DELETED,
    EVENT_UNARCHIVED,
    Venue,
    apply_venue,
    decide_venue,
    is_dormant,
    refuse_stale_key,
)

log = logging.getLogger(__name__)

Events = Mapping[str, EventState]

LOOK_FOR_FREE_TABLES = (
    commands.AdoptRound,
    commands.CheckIn,
    commands.ConfirmEntry,
    commands.DrawRound,
    commands.EnterCompetitor,
    commands.ImposeRound,
    commands.ImportRound,
    commands.MoveTables,
    commands.MoveToTable,
    commands.UndoNoShow,
    commands.PairAgain,
    commands.PairWaiting,
)
HALL_COMMANDS = (commands.PublishRound, *LOOK_FOR_FREE_TABLES)  # commands that depend on the tables of all events
STRAY_REASONS = frozenset({"unknown_event", NO_PLACE})
"""Reports left to the venue's stream: of an unknown event, or of a round that a restored journal lacks."""
UNIT_ACTOR = "unit:"  # prefix of the actor of an entry that a device made
IMPORT_TIMEOUT_S = 180
"""Long enough for 4,096 players: a caller who gives up sooner sees a failure, and later finds the event there."""


def with_hall_context(
    events: Events, venue: Venue, state: EventState, command: commands.Command, actor: str
) -> commands.Command:
    """`command` with the other events' tables, and with what `actor` may report if it is a unit. Only the writer, which
    decides one command after another, sees both as they really are."""
    if isinstance(command, commands.PublishRound):
        return structs.replace(command, taken_tables=taken_tables(events, state.id), venue_number=venue.number)
    if isinstance(command, LOOK_FOR_FREE_TABLES):
        command = structs.replace(command, busy_tables=command.busy_tables | busy_tables(events, state.id))
        return (
            structs.replace(command, venue_number=venue.number)
            if isinstance(command, commands.ImportRound)
            else command
        )
    if isinstance(command, commands.RecordReport | commands.NoteLot) and actor.startswith(UNIT_ACTOR):
        return structs.replace(
            command, stood_there=was_at_table(venue, state, command.match, actor.removeprefix(UNIT_ACTOR))
        )
    return command


def was_at_table(venue: Venue, state: EventState, match_id: str, unit: str) -> bool:
    """Whether the unit stood at the match's table at any time since its round was published. A unit that was moved
    during the match may still report. A player without an opponent has no table: True."""
    round_and_match = state.find_match(match_id)
    if round_and_match is None or round_and_match[1].match.b is None:
        return True
    return venue.stood_at(unit, round_and_match[1].match.table, round_and_match[0].venue_number)


def taken_tables(events: Events, event_id: str) -> dict[int, str]:
    """Tables at which other events play, with the events' names."""
    return {table: state.name for state in _others(events, event_id) for table in tables_in_play(state)}


def busy_tables(events: Events, event_id: str) -> frozenset[int]:
    """Tables at which other events play or have drawn a round."""
    return frozenset().union(*(tables_in_play(state) | tables_drafted(state) for state in _others(events, event_id)))


def _others(events: Events, event_id: str) -> list[EventState]:
    return [state for state in events.values() if state.id != event_id and not state.finished]


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a request: for an event stream by `commands.decide`, or an entry of the venue stream. `seen`: the
    mark of the state that the button was shown for (event/stale_check.py), compared on deciding. `actor`: who sends the
    command, if not the sender of the whole request."""

    stream: str
    command: commands.Command | NewEntry
    seen: str = ""
    actor: str = ""


@dataclass(slots=True)
class WriteRequest:
    """Steps that are decided and committed together or not at all."""

    steps: Sequence[Step]
    actor: str
    people: Sequence[PersonRecord]
    answer: Future[list[Entry]]
    beside: Sequence[SQLModel] = ()  # rows of other tables, saved in the same commit

    @property
    def has_writes(self) -> bool:
        """Whether there is anything to be saved."""
        return bool(self.steps or self.people or self.beside)

    @property
    def streams(self) -> set[str]:
        """The streams it would write to, and the events whose people it brings. The book takes who played in a finished
        event."""
        return {
            *(step.stream for step in self.steps),
            *(record.event for record in self.people),
            *(VENUE for step in self.steps if isinstance(step.command, commands.FinishEvent)),
        }


@dataclass(slots=True)
class DecidedBatch:
    """Requests that are decided, each on top of those before, but neither saved nor answered yet. `after`: the snapshot
    once they are saved; `made`: each request's entries; `refused`: why the others were refused."""

    requests: Sequence[WriteRequest]
    after: Snapshot
    made: list[tuple[WriteRequest, list[Entry]]] = field(default_factory=list)
    refused: list[tuple[WriteRequest, Exception]] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    people: list[PersonRecord] = field(default_factory=list)
    beside: list[SQLModel] = field(default_factory=list)

    @property
    def has_writes(self) -> bool:
        """Whether there is anything to be saved."""
        return bool(self.entries or self.people or self.beside)

    @property
    def streams(self) -> set[str]:
        """The streams it writes to, and the events whose people it brings."""
        return {entry.stream for entry in self.entries} | {record.event for record in self.people}

    def answer_refused(self) -> None:
        for request, why in self.refused:
            request.answer.set_exception(why)

    def answer(self) -> None:
        """Answer the requests that were not refused, once they are saved."""
        for request, entries in self.made:
            request.answer.set_result(entries)


def decide_all(saved: Snapshot, requests: Sequence[WriteRequest], at: Timestamp) -> DecidedBatch:
    """Decide every request on top of the ones before it. No two of one actor have the same time, which tells in the
    journal what was asked for together (event_times.py)."""
    decided, actors = DecidedBatch(requests, saved), set[str]()
    for request in requests:
        if request.actor in actors:
            at, actors = structs.replace(at, mono_ms=at.mono_ms + 1), set()
        actors.add(request.actor)
        try:
            decided.after, entries = decide_request(decided.after, request, at)
        except Exception as refused:
            if not isinstance(refused, Problem):
                log.exception("a command failed")
            decided.refused.append((request, refused))
        else:
            decided.made.append((request, entries))
            decided.entries += entries
            decided.people += request.people
            decided.beside += request.beside
    return decided


def decide_request(pending: Snapshot, request: WriteRequest, at: Timestamp) -> tuple[Snapshot, list[Entry]]:
    """The snapshot after the request, and its entries; `pending`: what is saved plus all decided since. Raises Problem
    if one of the steps is refused."""
    made: list[Entry] = []
    _assign_free_ids(pending, request)
    for step in request.steps:
        if isinstance(step.command, NewEntry):
            pending, entries = _decide_venue_step(pending, step.command, at, step.actor or request.actor)
        else:
            pending, entries = _decide_event_step(pending, step, step.command, at, request)
        made += entries
    for event_id, competitor in people_removed(made):
        pending = pending.without_person(event_id, competitor)
    _refuse_broken_teams(pending, request)
    for record in request.people:
        refuse_damaged(record.competitor, record.person)
        if (record.event, record.competitor) in pending.venue.book.forgotten:
            raise Problem("person_forgotten", name=forgotten_person(record.competitor).name)
        refuse_unfit_person(record.person, pending.people_of(record.event).get(record.competitor))
        pending = pending.with_person(record.event, record.competitor, record.person)
    known: list[dict[str, Any]] = [
        {"event": event_id, "persons": {}, "removed": [who]} for event_id, who in people_removed(made)
    ]
    over = {entry.stream for entry in made if entry.kind == "event-finished"}
    over |= {entry.data["event"] for entry in made if entry.kind == EVENT_ARCHIVED}
    for data in (*known, *({"event": event_id} for event_id in sorted(over))):
        # What cannot be read can still be put away.
        with suppress(Problem):
            pending, entries = _decide_venue_step(pending, NewEntry(PEOPLE_KNOWN, data), at, request.actor)
            made += entries
    for event_id, competitor in seats_forgotten(made):
        # Of a dormant event they are read again.
        if competitor in pending.people.get(event_id, ()):
            pending = pending.with_person(event_id, competitor, forgotten_person(competitor))
    return pending.with_rows(request.beside) if request.beside else pending, made


def _refuse_broken_teams(pending: Snapshot, request: WriteRequest) -> None:
    """Raise the first of `team_problems` of the teams that this request enters, or gives other members; a file may have
    others."""
    entering = {
        step.command.entrant.id
        for step in request.steps
        if isinstance(step.command, commands.EnterCompetitor) and not step.command.imported
    }
    for event_id in {record.event for record in request.people}:
        state, people = pending.events.get(event_id), pending.people_of(event_id)
        if state is None or state.rulebook.team_size == 1:
            continue
        coming = {
            record.competitor: record.person
            for record in request.people
            if record.event == event_id
            and (record.competitor in entering or _other_team(people.get(record.competitor), record.person))
        }
        others = [other for who, other in people.items() if who not in coming]
        taken = {member: team for other in others for member, team in members_of(other).items()}
        for person in coming.values():
            for problem in team_problems(person, state.rulebook.team_size, taken):
                raise problem
            taken.update(members_of(person))


def _other_team(before: Person | None, after: Person) -> bool:
    return before is not None and (before.members, before.captain) != (after.members, after.captain)


def _assign_free_ids(pending: Snapshot, request: WriteRequest) -> None:
    """Give new people free ids where other people have taken the ids that the page proposed. Raises
    Problem("entered_meanwhile", "sign_up_twice") if one of those others has the same name: the organizer has not seen
    that yet."""
    entering = {
        step.command.entrant.id: step.command.signed_up
        for step in request.steps
        if isinstance(step.command, commands.EnterCompetitor) and not step.command.imported
    }
    coming = [record for record in request.people if record.competitor in entering]
    state = pending.events.get(coming[0].event) if coming else None
    if state is None or entering.keys().isdisjoint((*state.entrants, *state.removed)):
        return
    seen = min(next_number([who], "p") for who in entering)
    others = [person for who, person in pending.people_of(state.id).items() if next_number([who], "p") >= seen]
    theirs = {fold(name) for person in others for name in (person.name, *person.members)}
    for record in coming:
        for name in (record.person.name, *record.person.members):
            if fold(name) in theirs:
                raise (
                    Problem("sign_up_twice", name=name)
                    if entering[record.competitor]
                    else Problem("entered_meanwhile", name=name)
                )
    first = next_number((*state.entrants, *state.removed), "p")
    ids = {record.competitor: f"p{number}" for number, record in enumerate(coming, start=first)}
    request.people = [replace(each, competitor=ids.get(each.competitor, each.competitor)) for each in request.people]
    request.steps = [
        replace(
            step,
            command=structs.replace(
                step.command,
                entrant=structs.replace(
                    step.command.entrant, id=ids.get(step.command.entrant.id, step.command.entrant.id)
                ),
            ),
        )
        if isinstance(step.command, commands.EnterCompetitor)
        else replace(
            step,
            command=structs.replace(
                step.command,
                data={
                    **step.command.data,
                    "persons": {ids.get(who, who): person for who, person in step.command.data["persons"].items()},
                },
            ),
        )
        if isinstance(step.command, NewEntry) and step.command.kind == PEOPLE_KNOWN
        else step
        for step in request.steps
    ]


def _refuse_command(saved: Snapshot, state: EventState, command: commands.Command) -> None:
    """Raise the hub's first objection to a command, before the core decides."""
    # Units must still learn their reports' fate.
    if state.id in saved.venue.deleted and not isinstance(command, commands.RecordReport):
        raise Problem("event_deleted")
    if not state.number and not isinstance(command, commands.CreateEvent):
        raise Problem("unknown_event", event=state.id)
    # Play resumes after a restore only when all tables were heard; an adopted round may be published.
    resumes = isinstance(
        command,
        commands.DrawRound | commands.ImposeRound | commands.PublishRound | commands.FinishEvent | commands.MakeCut,
    )
    adopted = isinstance(command, commands.PublishRound) and state.draft is not None and state.draft.notes.get(ADOPTED)
    unsettled = saved.venue.restore_state is not None
    if unsettled and resumes and not adopted:
        raise Problem("restored_unsettled")
    if unsettled and isinstance(command, commands.RecordReport) and not can_decide_report(saved, state, command):
        raise Problem("report_has_no_place")


def _with_players(saved: Snapshot, known: NewEntry) -> NewEntry:
    """A PEOPLE_KNOWN without persons, with those of all players of its event: "all" tells that nobody is left."""
    event_id, book = known.data["event"], saved.venue.book
    state, people = saved.event(event_id), saved.people_of(event_id)
    if state is None or event_id in saved.venue.deleted:
        raise Problem("unknown_event", event=event_id)
    new = {
        who: people[who]
        for who in state.entrants
        if (event_id, who) not in book.persons and who in people and not stands_in(who, people[who].name)
    }
    taken = {person for seat, person in book.persons.items() if seat[0] == event_id}
    return structs.replace(
        known,
        data={"event": event_id, "all": True, "persons": saved.recognized(state, new, saved.known_people(), taken)},
    )


def refuse_forgetting(saved: Snapshot, person: str) -> None:
    """Raise Problem("book_still_plays") for a person who has a seat, by the book or by name, in an event that is not
    over, and Problem("book_unread") while the players of an earlier event are not in the book."""
    if saved.unread_events():
        raise Problem("book_unread", n=len(saved.unread_events()))
    for state in saved.events.values():
        if not is_dormant(saved.venue, state.finished, state.id):
            there = _with_players(saved, NewEntry(PEOPLE_KNOWN, {"event": state.id})).data["persons"].values()
            if any(seat[0] == state.id for seat in saved.venue.book.seats.get(person, ())) or person in there:
                raise Problem("book_still_plays", name=state.name)


def _officials_of(saved: Snapshot, person: str) -> list[list[str]]:
    """(event, official) of those who are this person: they play at that seat, or have the same name. Raises Problem for
    an event that cannot be read."""
    seats = saved.venue.book.seats.get(person, ())
    names = {fold(row.name) for row in saved.people_at(seats).values()}
    return [
        [event_id, official.id]
        for event_id, seat in seats
        if (state := saved.event(event_id)) is not None
        for official in state.officials.values()
        if official.plays == seat
        or ((row := saved.people_of(event_id).get(official.id)) is not None and fold(row.name) in names)
    ]


def refuse_event_change(saved: Snapshot, new: NewEntry) -> None:
    """Raise Problem("unknown_event", "event_in_play", "event_not_over") if an event cannot be archived, restored or
    deleted."""
    if new.kind not in (EVENT_ARCHIVED, EVENT_UNARCHIVED, EVENT_DELETED):
        return
    event_id = new.data["event"]
    event = saved.dormant.get(event_id) or saved.events.get(event_id)
    if event is None or event_id in saved.venue.deleted:
        raise Problem("unknown_event", event=event_id)
    if new.kind == EVENT_ARCHIVED and not may_archive(saved, event_id):
        raise Problem("event_in_play", name=event.name)
    if new.kind == EVENT_DELETED and not is_dormant(saved.venue, event.finished, event_id):
        raise Problem("event_not_over", name=event.name)


def may_archive(saved: Snapshot, event_id: str) -> bool:
    """Whether the event has no round in play or drawn: its tables would wait for an event no longer listed."""
    state = saved.events.get(event_id)
    return state is None or state.finished or (state.live is None and state.draft is None)


def _decide_venue_step(pending: Snapshot, request: NewEntry, at: Timestamp, actor: str) -> tuple[Snapshot, list[Entry]]:
    made: list[Entry] = []
    refuse_event_change(pending, request)
    if request.kind == PEOPLE_KNOWN and "persons" not in request.data:
        request = _with_players(pending, request)
    if request.kind == PERSON_FORGOTTEN:
        refuse_forgetting(pending, request.data["person"])
        seats = _officials_of(pending, request.data["person"])
        request = structs.replace(request, data={**request.data, "seats": seats})
    refuse_over_limits(request.data)
    refuse_settling(pending, request)
    refuse_stale_key(pending.venue.units, pending.venue.staff, request)
    for accepted in decide_venue(pending.venue, request):
        entry = chain_entry(accepted, VENUE, pending.venue.number + 1, pending.venue.head, at, actor)
        pending = replace(pending, venue=apply_venue(pending.venue, entry))
        if entry.kind == EVENT_DELETED:
            pending = pending.without_people(entry.data["event"])
        made.append(entry)
    return pending, made


def _decide_event_step(
    pending: Snapshot, step: Step, command: commands.Command, at: Timestamp, request: WriteRequest
) -> tuple[Snapshot, list[Entry]]:
    state, people = pending.event(step.stream) or EventState(step.stream), pending.people_of(step.stream)
    made: list[Entry] = []
    actor = step.actor or request.actor
    command = with_hall_context(pending.events, pending.venue, state, command, actor)
    _refuse_command(pending, state, command)
    if step.seen:
        refuse_stale(state, step.seen)
    if isinstance(command, commands.PublishRound):
        # What the lists lack at this moment: entries hold digests only, the people are stored here.
        coming = {record.competitor: record.person for record in request.people if record.event == state.id}
        command = structs.replace(command, list_points=open_list_points(state, {**people, **coming}))
    for new in commands.decide(state, command, at.instant):
        entry = chain_entry(new, step.stream, state.number + 1, state.head, at, actor)
        state = commands.apply(state, entry)
        made.append(entry)
    return (pending.with_event(state) if made else pending), made


def validate_report(report: object) -> dict[str, Any]:
    """The report, if it is well-formed. Raises MalformedMessage."""
    parse_message(Report, report)
    assert isinstance(report, dict)
    return report


def report_step(report: Mapping[str, Any], body: str, earlier: bool = False) -> Step:
    """A well-formed report as its unit's command; `earlier`: as in commands.RecordReport."""
    command = commands.RecordReport(
        report["report_id"],
        report["match"],
        report["side"],
        report["revision"],
        report["result"],
        body,
        report.get("draw"),
        report.get("serial", 0),
        report.get("agrees_to"),
        report.get("a"),
        report.get("b"),
        time_up=report.get("time_up"),
        earlier=earlier,
    )
    return Step(report["event"], command, actor=f"unit:{report['unit']}")


def stray_step(report: Mapping[str, Any], body: str) -> Step:
    """Note in the venue that a report of an unknown event is refused; a restored journal that is not settled yet keeps
    it instead."""
    return Step(
        VENUE,
        NewEntry(
            "report-refused",
            {"report_id": report["report_id"], "event": report["event"], "body": body, "report": dict(report)},
        ),
        actor=f"unit:{report['unit']}",
    )


def person_and_entrant(
    event_id: str,
    competitor: Competitor,
    total: int | None = None,
    person: Person | None = None,
) -> tuple[PersonRecord, Entrant]:
    """The person for the table of people, and the entrant for the entries: they share only a salted digest. `total`:
    what the list costs, where known; `person`: where there is more to keep than a competitor has (a note, …)."""
    person, salt, record = person or Person.of(competitor), secrets.token_hex(16), competitor.record or {}
    # A player who declined a place in the cut counts as dropped in the file, but is still here.
    dropped_after = None if record.get("declined_place") else competitor.dropped_after
    entrant = Entrant(
        competitor.id,
        person.digest(salt),
        competitor.won_bye,
        competitor.came_with,
        competitor.fixed_table,
        dropped_after,
        competitor.disqualified_after,
        competitor.warnings,
        total,
        tuple(record.get("list_corrections", ())),
        tuple(record.get("ticks", ())),
        competitor.officials_role,
        record.get("proposed"),
        record.get("proposal_declined_at", 0),
        record.get("disqualification"),
    )
    return PersonRecord(event_id, competitor.id, salt, person), entrant


def known_steps(event_id: str, competitors: Iterable[Competitor]) -> list[Step]:
    """The venue's entry about those of these competitors who are told to be persons of the book, if any are."""
    persons = {each.id: each.person for each in competitors if each.person}
    return [Step(VENUE, NewEntry(PEOPLE_KNOWN, {"event": event_id, "persons": persons}))] if persons else []
