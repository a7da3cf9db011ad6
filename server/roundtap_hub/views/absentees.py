"""Players who are not at their table, as its unit, officials or phones report it."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from roundtap_core.clock import IDLE
from roundtap_core.event.states import EventState
from roundtap_core.records import Side, other_side
from roundtap_hub.views.tables import GridCell
from roundtap_hub.views.unit_status import UnitStatus

Here = Collection[tuple[str, str, str]]  # (event, match, competitor) of players: `Presence.seen_at_table`


@dataclass(frozen=True, slots=True)
class Absentee:
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


def absentees_view(
    units: Mapping[str, UnitStatus],
    state: EventState,
    grid: Iterable[GridCell],
    played_ms: int | None,
    here: Here,
) -> AbsenteesView:
    cells = [cell for cell in grid if awaits_players(cell)] if state.live else []
    limit = state.options.get("late_minutes")
    return AbsenteesView(
        [each for cell in cells for each in absentees(units, state.id, cell, here)],
        [cell for cell in cells if _status(units, cell) is None and not _seen_sides(state.id, cell, here)],
        limit,
        late=limit is not None and played_ms is not None and played_ms >= limit * 60_000,
        begun=state.clock.state != IDLE,
    )


def absentees(units: Mapping[str, UnitStatus], event_id: str, cell: GridCell, here: Here) -> tuple[Absentee, ...]:
    """The players who have not sat down here. A unit knows them; without one, if one of the two was seen there, the
    other is missing."""
    if not awaits_players(cell):
        return ()
    status, seen = _status(units, cell), _seen_sides(event_id, cell, here)
    if status is None and not seen:
        return ()
    if status is not None and (status.draft or status.called_for == cell.match_id):
        # A player sits there and presses buttons; which one is unknown.
        return ()
    sat = (status.seated if status is not None else frozenset()) | seen
    people: dict[Side, tuple[str | None, str | None]] = {"a": (cell.a_id, cell.a), "b": (cell.b_id, cell.b)}
    return tuple(
        Absentee(cell, side, who, name, people[other_side(side)][1] or "")
        for side, (who, name) in people.items()
        if side not in sat and who and name
    )


def absentee_names(
    units: Mapping[str, UnitStatus],
    state: EventState,
    grid: Iterable[GridCell],
    here: Here,
) -> dict[str, tuple[str, ...]]:
    """The missing players by match, for the grid's rows. Before the start a table without either is only waiting."""
    if state.live is None:
        return {}
    named = {cell.match_id: tuple(each.name for each in absentees(units, state.id, cell, here)) for cell in grid}
    begun = state.clock.state != IDLE
    return {match: names for match, names in named.items() if names and (begun or len(names) == 1)}


def awaits_players(cell: GridCell) -> bool:
    """Whether two are to play here and no result is reported."""
    return cell.b_id is not None and not cell.reports and not cell.done


def _status(units: Mapping[str, UnitStatus], cell: GridCell) -> UnitStatus | None:
    """The status of the table's unit, where it is about this very match."""
    status = units.get(cell.unit) if cell.unit else None
    return status if status is not None and status.match == cell.match_id else None


def _seen_sides(event_id: str, cell: GridCell, here: Here) -> frozenset[str]:
    return frozenset(
        side for side, who in (("a", cell.a_id), ("b", cell.b_id)) if (event_id, cell.match_id, who) in here
    )
