"""The standings as a table: records, tiebreakers in columns, and which of them decided."""

from collections.abc import Mapping
from dataclasses import dataclass

from roundtap_core.event.states import EventState
from roundtap_core.records import StandingsRow
from roundtap_core.rulebooks.base import SWISS_ROUND
from roundtap_core.rulebooks.result_gate import may_be_drawn
from roundtap_hub.views.saved_event import SavedEvent, settled_rows, settled_standings, settled_swiss_round


@dataclass(frozen=True, slots=True)
class TiebreakCell:
    """One tiebreaker's figure; `decided`: it put this row above the next one."""

    key: str
    text: str
    exact: str
    decided: bool


@dataclass(frozen=True, slots=True)
class StandingsLine:
    """`status`: "disqualified" (listed last, `rank` None), "dropped" or None."""

    rank: int | None
    competitor: str
    name: str
    points: str
    record: str
    values: tuple[TiebreakCell, ...]
    decided_by: str
    by_chance: bool
    status: str | None


@dataclass(frozen=True, slots=True)
class StandingsView:
    """`columns`: the tiebreakers by weight; `draws`: records have draws too; `hidden`: tiebreakers that decided
    somewhere but have no column, since they compare only tied players."""

    after: int
    columns: tuple[str, ...]
    lines: tuple[StandingsLine, ...]
    chance: bool
    draws: bool = False
    hidden: tuple[str, ...] = ()


def standings_view(event: SavedEvent, names: Mapping[str, str]) -> StandingsView:
    """All competitors, best first, after the last settled round."""
    rows = settled_standings(event)
    columns = tuple(rows[0].tiebreakers) if rows else ()
    lines = tuple(_line(event, row, names) for row in rows)
    shown = {"points", "last", "random", *columns}
    hidden = tuple(
        key
        for key in event.state.rulebook.tiebreaker_keys
        if key not in shown and any(row.decided_by == key for row in rows)
    )
    return StandingsView(
        settled_swiss_round(event.state),
        columns,
        lines,
        any(row.by_chance for row in rows),
        has_draws(event.state),
        hidden,
    )


def _line(event: SavedEvent, row: StandingsRow, names: Mapping[str, str]) -> StandingsLine:
    book = event.state.rulebook
    values = tuple(
        TiebreakCell(key, book.value_text(key, value), str(value), row.decided_by == key)
        for key, value in row.tiebreakers.items()
    )
    record = record_text(row, has_draws(event.state))
    return StandingsLine(
        row.rank,
        row.competitor,
        names.get(row.competitor, row.competitor),
        book.points_text(row.points),
        record,
        values,
        row.decided_by,
        row.by_chance,
        event.state.status_now(row.competitor),
    )


def record_text(row: StandingsRow | None, draws: bool = False) -> str:
    """Wins and losses: "3–1"; with `draws` wins, draws and losses: "3–0–1"."""
    if row is None:
        return "0–0–0" if draws else "0–0"
    return "–".join(str(n) for n in (row.wins, *([row.draws] if draws or row.draws else []), row.losses))


def has_draws(state: EventState) -> bool:
    """Whether a match of this event's Swiss rounds may end in a draw, if only by ruling."""
    return may_be_drawn(state.rulebook, state.options, SWISS_ROUND)


def record_of(event: SavedEvent, competitor: str) -> tuple[str, tuple[TiebreakCell, ...]]:
    """A competitor's record and first tiebreaker, shown with pairings so that players spot errors."""
    row, draws = settled_rows(event).get(competitor), has_draws(event.state)
    if row is None:
        return record_text(None, draws), ()
    first = next(iter(row.tiebreakers.items()), None)
    return record_text(row, draws), (
        TiebreakCell(first[0], event.state.rulebook.value_text(*first), str(first[1]), False),
    ) if first else ()
