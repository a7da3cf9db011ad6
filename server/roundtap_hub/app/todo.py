"""What needs the organizer: tasks with their age (calls, disputes, silent tables, …), open points before round 1."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec import Struct

from roundtap_core.event import abandoned_match
from roundtap_core.event.cut import diverged_places, unfinished_parts
from roundtap_core.event.event_flow import upcoming_stage
from roundtap_core.event.judging import open_appeal, open_appeals, proposed_disqualifications
from roundtap_core.event.setup import DECK_TWICE, LIST_MISSING, LIST_WRONG, open_list_points, open_points
from roundtap_core.event.states import DISPUTE, ONE_PHONE, ONE_SIDED, SECOND, EventState, OpenPoint
from roundtap_core.records import FINISHED_EARLY, SWISS_STAGES, UNPAIRED_LOSS
from roundtap_hub.live.render import RowSource
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.saved_event import SavedEvent, full_names, memoized
from roundtap_hub.views.tables import CALL, DRAFT, NO_CONTACT, ONE_SIDED_MS, Absentee, GridCell, absentees
from roundtap_hub.views.unit_presence import OLD_SLIP, TAKEN, UnitStatus, phone_requests, player_seat, taker_name

MOVED_MAX = 12  # the most places listed that an older version gave to others

ELSEWHERE = "elsewhere"  # a unit reported a match at whose table it did not stand

RANK = {
    CALL: 0,
    "appeal": 0,
    "proposal": 1,
    DISPUTE: 1,
    ONE_PHONE: 1,
    SECOND: 1,
    TAKEN: 1,
    OLD_SLIP: 1,
    ELSEWHERE: 1,
    "extra": 1,
    "ended": 1,
    ONE_SIDED: 2,
    "life": 2,
    "absent": 2,
    DRAFT: 3,
    "unit-forged": 3,
    "unit-flood": 3,
    "unit-twin": 3,
    "unit-damaged": 3,
    "leave": 4,
    "squads": 4,
    "bye-squads": 4,
    "late": 5,
    NO_CONTACT: 6,
}

NEVER_CACHED = frozenset({"absent", "extra", "leave", "proposal", "late", "squads", "bye-squads"})
"""Tasks whose rows show more than the task: the clock, a player's mark, the officials, a round's name."""

CELL_TASKS = frozenset({DISPUTE, ONE_PHONE, SECOND, ONE_SIDED, DRAFT})

ABOUT_LISTS = (LIST_MISSING, LIST_WRONG, DECK_TWICE)


class OpenTask(Struct, frozen=True):
    """One line of the list; `kind` selects sign, texts and buttons. `leaving`: what a request to leave would do; `to`:
    the opponent. `absent`: all of whom there is no sign."""

    kind: str
    table: int | None
    since_ms: int | None = None
    cell: GridCell | None = None
    unit: str | None = None
    who: str = ""
    who_id: str = ""
    taken_by: str | None = None
    number: int | None = None
    text: str = ""
    side: str = ""
    leaving: abandoned_match.LeaveEffect | None = None
    to: str = ""
    absent: tuple[Absentee, ...] = ()

    @property
    def key(self) -> str:
        """The key of its row."""
        return f"{self.kind}-{self.table}-{self.unit or self.who_id}{self.side}"


def open_tasks(
    snapshot: Snapshot,
    units: Mapping[str, UnitStatus],
    state: EventState,
    grid: Sequence[GridCell],
    names: Mapping[str, str],
    now_ms: int,
    played_ms: int | None = None,
) -> list[OpenTask]:
    """The list, most urgent kind first, oldest first within a kind. `played_ms`: how long the round has been played,
    None without a clock."""
    tasks = [
        *(need for cell in grid if cell.flags or cell.state in CELL_TASKS for need in _cell_tasks(state, cell, now_ms)),
        *_calls_elsewhere(snapshot, units, state, grid),
        *_leave_requests(state, names),
        *_taken_pages(units, state, names),
        *_absentees(state, grid, now_ms, played_ms),
        *_odd_units(snapshot, units),
        *(
            # Reports for a closed round, until an official has dealt with that match.
            OpenTask("late", match.match.table, None, None, who_id=match.id, number=played.number)
            for played, match in state.late_matches
        ),
        *_reports_elsewhere(snapshot, state, grid),
        *_extra_minutes(state),
        *_open_rulings(state, names),
        *_owed_picks(state, names),
        *_ended(state, names),
    ]
    # A time from another boot may be still to come: how old that is, nobody knows.
    return sorted(
        tasks,
        key=lambda n: (
            RANK[n.kind],
            n.taken_by is not None,
            now_ms if n.since_ms is None else min(n.since_ms, now_ms),
            n.table or 0,
        ),
    )


def task_rows(tasks: Iterable[OpenTask]) -> Iterator[RowSource]:
    """The rows of the list."""
    return ((task.key, None if task.kind in NEVER_CACHED else task, task) for task in tasks)


def _cell_tasks(state: EventState, cell: GridCell, now_ms: int) -> Iterator[OpenTask]:
    if cell.call_since_ms is not None:
        yield OpenTask(
            CALL, cell.table, cell.call_since_ms, cell, cell.unit, who_id=cell.match_id, taken_by=cell.call_taken_by
        )
    if cell.state in (DISPUTE, ONE_PHONE, SECOND):
        yield OpenTask(cell.state, cell.table, cell.reported_ms, cell)
    elif cell.state == ONE_SIDED and (
        (cell.reported_ms is not None and now_ms - cell.reported_ms >= ONE_SIDED_MS)
        or abandoned_match.confirmer_has_left(state, cell.match_id)
    ):
        yield OpenTask(ONE_SIDED, cell.table, cell.reported_ms, cell)
    elif cell.state == DRAFT:
        yield OpenTask(DRAFT, cell.table, None, cell)
    if NO_CONTACT in cell.flags:
        yield OpenTask(NO_CONTACT, cell.table, cell.contact_ms, cell, cell.unit)


def _calls_elsewhere(
    snapshot: Snapshot,
    units: Mapping[str, UnitStatus],
    state: EventState,
    grid: Sequence[GridCell],
) -> Iterator[OpenTask]:
    """Calls about matches that are not on the grid, and from units without a match of this round."""
    shown = {cell.match_id for cell in grid}
    known_units = {cell.unit for cell in grid}
    for match_id, call in state.calls.items():
        round_and_match = state.find_match(match_id)
        if match_id not in shown and round_and_match is not None:
            taken_by = taker_name(snapshot, call.taken_by) or None
            yield OpenTask(CALL, round_and_match[1].match.table, call.since.mono_ms, who_id=match_id, taken_by=taken_by)
    calling = {unit: status for unit, status in units.items() if status.call_since_ms is not None}
    others = {
        snapshot.venue.unit_at(match.match.table)
        for state in snapshot.events.values()
        if calling and state.live
        for match in state.live.matches
        if match.match.table is not None
    }
    for unit, status in sorted(calling.items()):
        if unit not in known_units and unit not in others:
            yield OpenTask(
                CALL,
                snapshot.venue.tables.get(unit),
                status.call_since_ms,
                None,
                unit,
                who=unit,
                taken_by=status.call_taken_by,
            )


def _leave_requests(state: EventState, names: Mapping[str, str]) -> Iterator[OpenTask]:
    for who, wish in state.wishes.items():
        if not wish.refused:
            match, side = player_seat(state, who)
            leaving = abandoned_match.leave_effect(state, who)
            yield OpenTask(
                "leave",
                match.match.table if match is not None else None,
                wish.since.mono_ms,
                None,
                None,
                names.get(who, who),
                who,
                side=side,
                leaving=leaving,
                to=names.get(leaving.opponent, leaving.opponent),
            )


def _taken_pages(units: Mapping[str, UnitStatus], state: EventState, names: Mapping[str, str]) -> Iterator[OpenTask]:
    """Players whose slip was scanned and gave no page, until the desk has looked: another phone has it, or the round is
    over."""
    for (kind, event, who), request in phone_requests(units).items():
        if kind in (TAKEN, OLD_SLIP) and event == state.id and who in state.entrants and not state.finished:
            yield OpenTask(kind, None, request.since_ms, who=names.get(who, who), who_id=who)


def _absentees(state: EventState, grid: Sequence[GridCell], now_ms: int, played_ms: int | None) -> Iterator[OpenTask]:
    """Once the announced limit is over, in one task: players of whom there is no sign (views/tables.py)."""
    limit = state.options.get("late_minutes")
    if limit is None or played_ms is None or played_ms < limit * 60_000:
        return
    absent = tuple(each for cell in grid for each in absentees(cell))
    if absent:
        yield OpenTask("absent", None, now_ms - played_ms + limit * 60_000, number=len(absent), absent=absent)


def _odd_units(snapshot: Snapshot, units: Mapping[str, UnitStatus]) -> Iterator[OpenTask]:
    """Units with forged reports, floods, a twin or a failing disk, until an official has looked."""
    troubled = {unit: status.troubles for unit, status in units.items() if status.troubles}
    for unit, troubles in sorted(troubled.items()):
        # Reports from elsewhere are listed with their match, from the journal.
        for kind in sorted(troubles - {ELSEWHERE}):
            yield OpenTask(f"unit-{kind}", snapshot.venue.tables.get(unit), unit=unit, who=unit)


def _reports_elsewhere(snapshot: Snapshot, state: EventState, grid: Sequence[GridCell]) -> Iterator[OpenTask]:
    """Reports from units that did not stand at the match's table, until an official has settled them: the unit was
    moved without a note in the hub, or its key is known to others."""
    live = state.live
    if live is None:
        return
    strange = [cell for cell in grid if cell.strangers]
    live_ids = {match.id for match in live.matches if strange}
    for cell in strange:
        for unit, number in cell.strangers if cell.match_id in live_ids else ():
            at = snapshot.venue.tables.get(unit)
            yield OpenTask(
                ELSEWHERE,
                cell.table,
                None,
                cell,
                unit,
                unit,
                cell.match_id,
                number=number,
                text="" if at is None else str(at),
            )


def _extra_minutes(state: EventState) -> Iterator[OpenTask]:
    """The random extra minutes, from the start of the round until they are set: at time it is easily forgotten."""
    live = state.live
    if (
        live is not None
        and live.extra_minutes is None
        and live.open_matches
        and state.clock.total_ms is not None
        and state.rulebook.extra_minutes is not None
    ):
        yield OpenTask("extra", None)


def _owed_picks(state: EventState, names: Mapping[str, str]) -> Iterator[OpenTask]:
    """Abandoned matches without their figures, and matches and byes without their squads."""
    if state.finished:
        return
    for match in abandoned_match.abandoned_matches(state):
        yield OpenTask("life", match.match.table, who_id=match.id)
    for played, match, sides in abandoned_match.squads_owed(state):
        who = " · ".join(names.get(match.match.competitor(side) or "", "") for side in sides)
        yield OpenTask("squads", match.match.table, who=who, who_id=match.id, number=played.number)
    if state.rulebook.squads is None:
        return
    for played in state.public_rounds:
        for match in played.matches if played.stage in SWISS_STAGES else ():
            if match.match.bye not in (None, UNPAIRED_LOSS) and not match.match.picks:
                yield OpenTask(
                    "bye-squads",
                    None,
                    who=names.get(match.match.a, match.match.a),
                    who_id=match.id,
                    number=played.number,
                )


def _ended(state: EventState, names: Mapping[str, str]) -> Iterator[OpenTask]:
    """Places that an older version of the kit decided otherwise."""
    if not state.finished:
        return
    moved = [f"{place}. {names.get(was, was)} → {names.get(now, now)}" for place, was, now in diverged_places(state)]
    if moved:
        yield OpenTask(
            "ended", None, who=state.name, text="\n".join(moved[:MOVED_MAX] + ["…"] * (len(moved) > MOVED_MAX))
        )


def _open_rulings(state: EventState, names: Mapping[str, str]) -> Iterator[OpenTask]:
    if state.finished:
        return
    for _, match in open_appeals(state):
        appeal = open_appeal(match)
        if appeal is not None:
            yield OpenTask("appeal", match.match.table, who=names.get(appeal.by, appeal.by), who_id=match.id)
    for proposal in proposed_disqualifications(state):
        who = proposal.competitor
        yield OpenTask(
            "proposal", None, who=names.get(who, who), who_id=who, number=proposal.warnings, text=proposal.reason or ""
        )


@dataclass(frozen=True, slots=True)
class OpenPointLine:
    """One open point, which the form sends back. `list_of`: the competitor whose list it is about, "" for officials."""

    point: OpenPoint
    name: str
    list_of: str


@memoized
def points_before_round_1(event: SavedEvent) -> tuple[OpenPointLine, ...]:
    """What is missing before round 1 is published; empty afterwards."""
    state = event.state
    if state.public_rounds or state.finished:
        return ()
    names = full_names(event)
    return tuple(
        OpenPointLine(point, names.get(point.who, point.who), point.who if point.kind in ABOUT_LISTS else "")
        for point in open_points(state, open_list_points(state, event.people))
    )


@memoized
def cut_short_lines(event: SavedEvent) -> tuple[tuple[str, str], ...]:
    """What finishing now would cut short, as (key of the sentence, name)."""
    state, names = event.state, full_names(event)
    if state.finished:
        return ()
    return tuple(
        (
            f"finish.left.{upcoming_stage(state)}" if point.kind == FINISHED_EARLY else f"points.{point.kind}",
            names.get(point.who, point.who),
        )
        for point in unfinished_parts(state)
    )
