"""The tables of a round: who sits where, who is missing, what is chosen before play, and the state of each match."""

from collections.abc import Collection, Iterable, Mapping, MutableMapping
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.clock import IDLE, RUNNING
from roundtap_core.event import states
from roundtap_core.event.entries import Person
from roundtap_core.event.event_flow import situation_of, squads_to_field
from roundtap_core.lists.list_form import names_at
from roundtap_core.records import CONCESSION, SIDES, Result, Side, other_side
from roundtap_core.rulebooks.base import BY_LOT, FIRST_PLAYER, INITIATIVE, MatchSituation
from roundtap_core.rulebooks.result_words import ShownResult as ShownResult
from roundtap_core.rulebooks.result_words import result_shown, worth_texts
from roundtap_core.typed import DisplayText
from roundtap_core.view_types import SideView
from roundtap_hub.access.personal_links import PHONE_ACTOR
from roundtap_hub.access.slip_codes import slip_codes
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.saved_event import SavedEvent, full_names
from roundtap_hub.views.unit_presence import UnitStatus, taker_name

NO_CONTACT_MS = 10_000

WAITING, SEATED, PLAYING, CALL, NO_CONTACT, DRAFT = "waiting", "seated", "playing", "call", "contact", "draft"
"""States beyond the core's; each has a sign, a text ("state.…") and a colour."""

ONE_SIDED_MS = 120_000  # how long the other side has to confirm before the console offers to accept the report

Found = tuple[states.EventState, states.RoundState | None, states.MatchState | None]

Here = Collection[tuple[str, str, str]]  # (event, match, competitor) of players: `Presence.seen_at_table`


class ShownReport(Struct, frozen=True):
    """One side's report. `number` is its entry, so that an official accepts only the version that they read."""

    side: Side
    name: str
    result: ShownResult
    number: int


class GridCell(Struct, frozen=True):
    """One match on the grid. Times by the hub's monotonic clock; `flags` are signs beside the state; `absent`: sides of
    whom there is no sign at the table, None where nothing is known of it."""

    match_id: str
    table: int | None
    a: str
    b: str | None
    a_id: str
    b_id: str | None
    bye: str | None
    state: str
    revision: int
    flags: tuple[str, ...] = ()
    result: ShownResult | None = None
    reports: tuple[ShownReport, ...] = ()
    second: ShownResult | None = None  # another result that both agreed to while `result` stood: a judge decides
    number: int = 0  # the entry of the result that stands; 0 for none
    strangers: tuple[tuple[str, int], ...] = ()
    """Units that reported this match from elsewhere, each with the entry that last refused it."""
    reported_ms: int | None = None
    unit: str | None = None
    call_taken_by: str | None = None
    call_since_ms: int | None = None  # when the first source called, by the hub's clock: identifies the call
    contact_ms: int | None = None  # of a unit that is silent
    extension_minutes: int | None = None
    done: bool = False
    came_after_all: str | None = None  # the absent player, who may yet appear
    corrected: bool = False
    by_hand: bool = False
    absent: tuple[Side, ...] | None = ()


def shown_result(result: Result, state: states.EventState, match: states.MatchState | None = None) -> ShownResult:
    """`match`: whose the result is, where it is known."""
    found = state.find_match(match.id) if match is not None and result.ended == CONCESSION else None
    return result_shown(state.rulebook, state.options, result, situation_of(state, *found).stage if found else "")


def side_names(match: states.MatchState, names: Mapping[str, str]) -> dict[str, str]:
    """The names of a match by side."""
    return {side: names.get(who, who) for side in SIDES if (who := match.match.competitor(side)) is not None}


def result_worth(
    state: states.EventState, played: states.RoundState, match: states.MatchState
) -> dict[str, tuple[str, str]]:
    """What the result is worth to each side; empty without a result, and where the rulebook cannot tell."""
    book = state.rulebook
    worth = book.worth(match.match, state.options, situation_of(state, played, match))
    return {key: worth_texts(book, key, pair) for key, pair in worth.items()}


def grid_cells(
    snapshot: Snapshot,
    units: Mapping[str, UnitStatus],
    state: states.EventState,
    played: states.RoundState | None,
    names: Mapping[str, str],
    now_ms: int,
    here: Here = (),
    kept: MutableMapping[str, tuple[object, GridCell]] | None = None,
) -> tuple[GridCell, ...]:
    """Every match of a round in the order of tables, byes last. `here`: players whom officials saw; `kept`: by
    match, what a cell was made from, with the same names, options, `here` and state of the clock, and the cell: where
    nothing has changed it is the same one."""
    cells, kept = [], {} if kept is None else kept
    for match in played.matches if played is not None else ():
        unit = snapshot.venue.unit_at(match.match.table)
        status = units.get(unit) if unit else None
        made_from = match, unit, status, out_of_contact(status, now_ms), state.calls.get(match.id)
        before = kept.get(match.id)
        if before is None or before[0] != made_from:
            cell = grid_cell(snapshot, units, state, match, names, now_ms, here)
            # A unit's mere contact changes no cell.
            before = kept[match.id] = made_from, before[1] if before is not None and before[1] == cell else cell
        cells.append(before[1])
    return tuple(sorted(cells, key=lambda c: (c.table is None, c.table or 0)))


def grid_cell(
    snapshot: Snapshot,
    units: Mapping[str, UnitStatus],
    state: states.EventState,
    match: states.MatchState,
    names: Mapping[str, str],
    now_ms: int,
    here: Here = (),
) -> GridCell:
    """One match; a unit's status counts only where it is about this very match."""
    seat = match.match
    unit = snapshot.venue.unit_at(seat.table)
    status = units.get(unit) if unit else None
    call = state.calls.get(match.id)
    silent = unit is not None and not match.done and out_of_contact(status, now_ms)
    return GridCell(
        match_id=match.id,
        table=seat.table,
        a=names.get(seat.a, seat.a),
        b=names.get(seat.b, seat.b) if seat.b else None,
        a_id=seat.a,
        b_id=seat.b,
        bye=seat.bye,
        state=state_word(match, status, state),
        revision=match.revision,
        flags=(*((CALL,) if call is not None else ()), *((NO_CONTACT,) if silent else ())),
        result=shown_result(seat.result, state, match) if seat.result else None,
        second=shown_result(match.second, state, match) if match.second else None,
        number=match.number or 0,
        strangers=tuple(sorted(match.strangers.items())),
        reports=tuple(
            ShownReport(
                side,
                names.get(seat.competitor(side) or "", ""),
                shown_result(report.result, state, match),
                report.number,
            )
            for side, report in sorted(match.reports.items())
        ),
        unit=unit,
        reported_ms=match.reported_mono_ms,
        call_taken_by=(taker_name(snapshot, call.taken_by) or None) if call is not None else None,
        call_since_ms=call.since.mono_ms if call is not None else None,
        contact_ms=status.contact_ms if status is not None and silent else None,
        extension_minutes=seat.extension_minutes,
        done=match.done,
        came_after_all=_no_show(match),
        corrected=match.corrected,
        by_hand=match.by_hand is not None,
        absent=_absent_sides(state.id, match, status, here),
    )


def _no_show(match: states.MatchState) -> str | None:
    if match.drawn is None or match.match.b is not None:
        return None
    return match.drawn.b if match.drawn.a == match.match.a else match.drawn.a


def state_word(match: states.MatchState, status: UnitStatus | None, state: states.EventState) -> str:
    """The state of a match, as one key."""
    if match.match.bye is not None:
        return "bye"
    if match.state in (
        states.DISPUTE,
        states.ONE_PHONE,
        states.SECOND,
        states.ONE_SIDED,
        states.AGREED,
        states.DECIDED,
    ):
        return match.state
    if status is not None and status.match == match.id and status.draft:
        return DRAFT
    if state.clock.state == RUNNING:
        return PLAYING
    return SEATED if all_seated(match, status) else WAITING


def all_seated(match: states.MatchState, status: UnitStatus | None) -> bool:
    """Whether both players pressed their buttons for this match."""
    return status is not None and status.match == match.id and len(status.seated) == 2


def out_of_contact(status: UnitStatus | None, now_ms: int) -> bool:
    return status is None or ms_since(status.contact_ms, now_ms) > NO_CONTACT_MS


def seated_count(
    snapshot: Snapshot, units: Mapping[str, UnitStatus], played: states.RoundState | None
) -> tuple[int, int]:
    """(tables with both players seated, tables with a unit to report it)."""
    able = [
        (match, unit)
        for match in (played.matches if played else ())
        if match.match.b is not None and (unit := snapshot.venue.unit_at(match.match.table)) is not None
    ]
    return sum(all_seated(match, units.get(unit)) for match, unit in able), len(able)


def ms_since(since_ms: int, now_ms: int) -> int:
    """Milliseconds since; a time from another boot is of unknown age and counts as 0."""
    return max(0, now_ms - since_ms)


def find_table(snapshot: Snapshot, table: int) -> Found | None:
    """The event and match that a table belongs to now: a round in play first, then the last one that closed."""
    best: Found | None = None
    for state in snapshot.events.values():
        if state.finished:
            continue
        rounds = state.public_rounds
        latest = rounds[-1] if rounds else None
        match = next((m for m in latest.matches if m.match.table == table), None) if latest else None
        if match and latest and latest.status == states.PUBLISHED:
            return state, latest, match
        if best is None or (match and best[2] is None):
            best = (state, latest, match)
    return best


def side_view(state: states.EventState, round_state: states.RoundState, who: str, names: Mapping[str, str]) -> SideView:
    """The name and, where squads are picked, those still to be fielded; `must`: all remaining picks are these."""
    owed = squads_to_field(state, round_state.number, round_state.stage, who)
    if owed is None:
        return SideView(DisplayText(names[who]))
    return SideView(DisplayText(names[who]), to_field=owed.squads, must=owed.must)


@dataclass(frozen=True, slots=True)
class SlipSeat:
    """Where two sit who have a slip, by their entered names."""

    match_id: str
    table: int | None
    a: str
    b: str
    code: str = ""


def missing_slips(event: SavedEvent) -> list[SlipSeat]:
    """The live round's matches without a result, by table."""
    state, names = event.state, full_names(event)
    live = state.live
    if live is None:
        return []
    codes = slip_codes(state, live)
    return [
        SlipSeat(m.id, m.match.table, names[m.match.a], names[m.match.b], codes[m.id])
        for m in sorted(live.open_matches, key=lambda m: m.match.table or 0)
        if m.match.b is not None
    ]


class PreGameChoice(Struct, frozen=True):
    """`about`: "first_player" or "initiative"; `side`: who begins or chooses, None while unknown; `lot`: whether a lot
    decides it; `drawn`: whether it was drawn."""

    about: str
    side: Side | None
    lot: bool
    drawn: bool = False


def pre_game_choice(
    state: states.EventState, played: states.RoundState, match: states.MatchState
) -> PreGameChoice | None:
    """The choice at this table; None where its rulebook has none, or the lists' totals are unknown."""
    lots = state.rulebook.lots
    if FIRST_PLAYER in lots:
        return PreGameChoice(FIRST_PLAYER, match.lots.get(FIRST_PLAYER), True, FIRST_PLAYER in match.lots)
    if INITIATIVE not in lots or match.match.b is None:
        return None
    chooses = state.rulebook.chooses_initiative(situation_of(state, played, match))
    if chooses == BY_LOT:
        return PreGameChoice(INITIATIVE, match.lots.get(INITIATIVE), True, INITIATIVE in match.lots)
    side = next((side for side in SIDES if side == chooses), None)
    return PreGameChoice(INITIATIVE, side, False) if side is not None else None


def lot_to_draw(state: states.EventState, played: states.RoundState, match: states.MatchState) -> str:
    """What a lot is still to be drawn for at this table; "" for nothing, and once a result stands."""
    first = pre_game_choice(state, played, match)
    waits = played.status == states.PUBLISHED and match.match.result is None and not state.finished
    return first.about if waits and first is not None and first.lot and not first.drawn else ""


def situation_at(
    state: states.EventState, people: Mapping[str, Person], played: states.RoundState, match: states.MatchState
) -> MatchSituation:
    """The match's situation, with the houses of both decks where the rulebook needs them and they are known."""
    situation = situation_of(state, played, match)
    if FIRST_PLAYER not in state.rulebook.lots:
        return situation
    decks = [_houses(state, people.get(match.match.competitor(side) or "")) for side in SIDES]
    return replace(situation, houses=(decks[0], decks[1])) if any(decks) else situation


def _houses(state: states.EventState, person: Person | None) -> tuple[str, ...]:
    if person is None:
        return ()
    return tuple(names_at(state.rulebook.lists.of_competitor(person.to_competitor("")), "houses"))


class Absentee(Struct, frozen=True):
    """One player who is not at the table; the opponent may be missing too."""

    cell: GridCell
    side: Side
    id: str
    name: str
    opponent: str


@dataclass(frozen=True, slots=True)
class AbsenteesView:
    """The absentees of the round in play. `limit`: minutes after the start, `late` once they are over; `unknown`:
    tables that nothing is known of."""

    missing: list[Absentee]
    unknown: list[GridCell]
    limit: int | None
    late: bool
    begun: bool


def absentees_view(state: states.EventState, grid: Iterable[GridCell], played_ms: int | None) -> AbsenteesView:
    cells = list(grid) if state.live else []
    limit = state.options.get("late_minutes")
    return AbsenteesView(
        [each for cell in cells for each in absentees(cell)],
        [cell for cell in cells if cell.absent is None],
        limit,
        late=limit is not None and played_ms is not None and played_ms >= limit * 60_000,
        begun=state.clock.state != IDLE,
    )


def absentees(cell: GridCell) -> tuple[Absentee, ...]:
    """The players of whom there is no sign here."""
    people: dict[Side, tuple[str | None, str | None]] = {"a": (cell.a_id, cell.a), "b": (cell.b_id, cell.b)}
    return tuple(
        Absentee(cell, side, who, name, people[other_side(side)][1] or "")
        for side, (who, name) in people.items()
        if side in (cell.absent or ()) and who and name
    )


def _absent_sides(
    event_id: str, match: states.MatchState, status: UnitStatus | None, here: Here
) -> tuple[Side, ...] | None:
    """Of whom there is no sign, where two are to play and no result is reported. A unit knows them; without one, if an
    official saw one of the two there, the other is missing. Who has used their phone in this round is not."""
    if match.match.b is None or match.reports or match.done:
        return ()
    seen, phones = (
        {side for side in SIDES if (event_id, match.id, f"{by}{match.match.competitor(side)}") in here}
        for by in ("", PHONE_ACTOR)
    )
    if status is None or status.match != match.id:
        return tuple(side for side in SIDES if side not in seen | phones) if seen else None
    # Where a player sits and presses buttons, nobody knows which one.
    busy = status.draft or status.called_for == match.id
    return () if busy else tuple(side for side in SIDES if side not in status.seated | seen | phones)


def absentee_names(state: states.EventState, grid: Iterable[GridCell]) -> dict[str, tuple[str, ...]]:
    """The missing players by match, for the grid's rows. Before the start a table without either is only waiting."""
    if state.live is None:
        return {}
    begun = state.clock.state != IDLE
    return {
        cell.match_id: tuple(each.name for each in absentees(cell))
        for cell in grid
        if cell.absent and (begun or len(cell.absent) == 1)
    }
