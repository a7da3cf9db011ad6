"""What a wall shows: welcome, pairings, clock, standings, bracket or announcements, paged so that nothing scrolls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from roundtap_core.clock import IDLE
from roundtap_core.elimination.bracket import THIRD, THIRD_PLACE, CutRow
from roundtap_core.event.event_flow import elimination_rounds, second_stage_is_swiss
from roundtap_core.event.states import EventState
from roundtap_core.records import ELIMINATION
from roundtap_core.standings.standings import LeagueRow
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views import saved_event
from roundtap_hub.views.knockout import (
    FinalLine,
    StandingsLine,
    StandingsView,
    TiebreakCell,
    bracket,
    cut_rows_before_play,
    final_lines,
    record_of,
    standings_view,
    winner_of,
)
from roundtap_hub.views.league_tables import LeagueView
from roundtap_hub.views.tables import GridCell, grid_cells, seated_count
from roundtap_hub.views.unit_presence import UnitStatus

WELCOME, PAIRINGS, CLOCK, STANDINGS, BRACKET, LEAGUE, WORDS = (
    *("welcome", "pairings", "clock", "standings", "bracket", "league", "words"),
)
NAMES_A_PAGE, LONG_NAMES_A_PAGE, TEAMS_A_PAGE, NAME_COLUMNS = 24, 16, 12, 2
"""Names per page in a browser without scripts; `static/wall_fit.js` measures instead."""
LONG_NAME = 18  # longer names may take two lines on the wall, so that fewer rows fit; a team's players take one

LINES_A_PAGE, LONG_LINES_A_PAGE, LINE_COLUMNS = 20, 16, 2
PODIUM, PODIUM_LINES = 3, 4  # the places on the champion's page, and how many may share them

T = TypeVar("T")
Pages = Sequence[Sequence[Sequence[T]]]  # of each page its columns


@dataclass(frozen=True, slots=True)
class PairingLine:
    """One name of the pairings: table, opponent (`across`, "" for none), and the record, by which players find errors;
    `members` of a team. After the cut a line is a match, and has no side; `game`: the key of its own name, if any."""

    name: str
    across: str
    table: int | None
    side: str
    bye: str | None
    record: str
    values: tuple[TiebreakCell, ...]
    members: tuple[str, ...] = ()
    game: str | None = None


@dataclass(frozen=True, slots=True)
class NamePage:
    """One page's columns, and the letters, or tables, it covers ("A–F")."""

    letters: str
    columns: list[Sequence[PairingLine]]


def wall_mode(state: EventState) -> str:
    """The picture for the moment: the clock from its first start until all results are in, before it the pairings."""
    if not state.public_rounds:
        return WELCOME
    if state.live is None or not state.live.open_matches:
        return BRACKET if elimination_rounds(state) or (state.cut and not second_stage_is_swiss(state)) else STANDINGS
    return PAIRINGS if state.clock.state == IDLE else CLOCK


def has_content(mode: str, event: saved_event.SavedEvent) -> bool:
    """Whether there is anything to show in a picture."""
    return {
        WORDS: True,
        PAIRINGS: bool(event.state.public_rounds),
        CLOCK: event.state.live is not None,
        STANDINGS: bool(saved_event.settled_standings(event)),
        BRACKET: bracket(event) is not None,
    }.get(mode, False)


@dataclass(frozen=True, slots=True)
class WallView:
    """What a wall shows; all but the tables only in the pictures that show it. `seated`: (tables with both players
    seated, tables with a unit); `playing`, `calls`: tables without a result, and with a judge called. `cut_pages`:
    shown after the standings where the cut has another order, each row with a name; `here`: (here, entered) before
    round 1, where players are still awaited or the check-in is used; `moves`: places by which each competitor rose in
    the last round, until the event is finished; `champion`: the winner's line and those of second and third place,
    empty until they are known."""

    mode: str
    number: int
    seated: tuple[int, int]
    here: tuple[int, int] | None = None
    pages: Sequence[NamePage] = ()
    playing: Sequence[GridCell] = ()
    calls: Sequence[GridCell] = ()
    standings: StandingsView | None = None
    standings_pages: Pages[StandingsLine] = ()
    moves: Mapping[str, int] | None = None
    cut_pages: Pages[tuple[CutRow, str]] = ()
    final_pages: Pages[FinalLine] = ()
    champion: Sequence[FinalLine] = ()
    league: str = ""
    league_pages: Pages[LeagueRow] = ()


def league_on_wall(table: LeagueView) -> WallView:
    """A league's table, instead of the event's moment."""
    pages = _paged(table.rows, [row.name for row in table.rows])
    return WallView(LEAGUE, 0, (0, 0), league=table.league.name, league_pages=pages)


def wall_view(
    snapshot: Snapshot,
    units: Mapping[str, UnitStatus],
    event: saved_event.SavedEvent,
    now_ms: int,
    part: tuple[int, int] = (1, 1),
    show: str = "",
) -> WallView:
    """`part` (i, n): the i-th of n shares of the alphabet; `show`: a fixed picture, used where it has content."""
    state, names = event.state, saved_event.shown_names(event)
    newest = saved_event.newest_round(state)
    mode = show if show and has_content(show, event) else wall_mode(state)
    if mode == STANDINGS and state.finished and bracket(event) is not None:
        # At the end the final ranking counts: it is on the pages after the bracket.
        mode = BRACKET
    view = WallView(mode, newest.number if newest else 0, seated_count(snapshot, units, newest))
    if state.live is not None:
        # Also where another picture is shown: when time is up, it stands before each of them.
        grid = grid_cells(snapshot, units, state, newest, names, now_ms)
        calls = [cell for cell in grid if cell.call_since_ms is not None]
        view = replace(view, playing=[cell for cell in grid if not cell.done], calls=calls)
    winner = winner_of(event)
    final = final_lines(event, names) if winner or mode in (BRACKET, STANDINGS) else []
    if winner:
        # Also beside a fixed picture: each of them has it in its head.
        ranked = [line for line in final if line.rank is not None and line.rank <= PODIUM]
        view = replace(view, champion=ranked[:PODIUM_LINES])
    if mode == WELCOME:
        return replace(view, here=saved_event.check_in_count(state))
    if mode == PAIRINGS:
        return replace(view, pages=name_pages(event, part))
    if mode not in (BRACKET, STANDINGS):
        return view
    if mode == BRACKET:
        return replace(view, final_pages=_paged(final, [line.name for line in final]))
    ranks = standings_view(event, names)
    cut = [(row, names.get(row.competitor, row.competitor)) for row in cut_rows_before_play(event)]
    return replace(
        view,
        standings=ranks,
        standings_pages=_paged(ranks.lines, [line.name for line in ranks.lines]),
        moves=None if state.finished else saved_event.rank_changes(event),
        cut_pages=_paged(cut, [name for _, name in cut]),
    )


def seats_by_name(event: saved_event.SavedEvent) -> list[PairingLine]:
    """The newest round's competitors by public name; after the cut its games, by table."""
    newest, names, members = (
        saved_event.newest_round(event.state),
        saved_event.shown_names(event),
        saved_event.shown_members(event),
    )
    if newest is not None and newest.stage == ELIMINATION:
        return [
            PairingLine(names.get(m.a, m.a), names.get(m.b or "", ""), m.table, "", m.bye, "", (), game=game)
            for m in sorted((each.match for each in newest.matches), key=lambda m: m.table or 0)
            for game in [THIRD_PLACE if m.game == THIRD else None]
        ]
    lines = []
    for match in newest.matches if newest else ():
        for side, competitor in (("a", match.match.a), ("b", match.match.b)):
            if competitor is None or match.match.bye == "unpaired-loss":
                continue
            record, values = record_of(event, competitor) if saved_event.settled_round(event.state) else ("", ())
            name = names.get(competitor, competitor)
            across = match.match.b if side == "a" else match.match.a
            lines.append(
                PairingLine(
                    name,
                    names.get(across, across) if across else "",
                    match.match.table,
                    side,
                    match.match.bye,
                    record,
                    values,
                    members.get(competitor, ()),
                )
            )
    return sorted(lines, key=lambda seat: saved_event.name_sort_key(seat.name))


def name_pages(event: saved_event.SavedEvent, part: tuple[int, int] = (1, 1)) -> list[NamePage]:
    """The names in evenly filled pages, for a browser without scripts."""
    people = seats_by_name(event)
    share, shares = part
    people = people[len(people) * (share - 1) // shares : len(people) * share // shares]
    long = any(len(seat.name) > LONG_NAME for seat in people)
    most = TEAMS_A_PAGE if any(seat.members for seat in people) else LONG_NAMES_A_PAGE if long else NAMES_A_PAGE
    return [
        NamePage(
            f"{page[0].table}–{page[-1].table}" if not page[0].side else letter_range(page[0].name, page[-1].name),
            split_columns(page, NAME_COLUMNS),
        )
        for page in even_pages(people, most)
    ]


def _paged(lines: Sequence[T], names: Sequence[str]) -> list[list[Sequence[T]]]:
    """Lines in pages of two columns, with fewer rows where a name needs two lines."""
    most = LONG_LINES_A_PAGE if any(len(name) > LONG_NAME for name in names) else LINES_A_PAGE
    return [split_columns(page, LINE_COLUMNS) for page in even_pages(lines, most)]


def even_pages(items: Sequence[T], most: int) -> list[Sequence[T]]:
    """The items in order in as few pages of at most `most` as possible, all about equally full."""
    pages = -(-len(items) // most)
    return [items[len(items) * i // pages : len(items) * (i + 1) // pages] for i in range(pages)]


def split_columns(items: Sequence[T], columns: int) -> list[Sequence[T]]:
    """Columns to be read downwards, the first ones longest."""
    rows = -(-len(items) // columns)
    return [items[i * rows : (i + 1) * rows] for i in range(columns)]


def letter_range(first: str, last: str) -> str:
    """ "A–F", or one letter where both are the same."""
    one, two = (saved_event.name_sort_key(name)[0][:1].upper() for name in (first, last))
    return one if one == two else f"{one}–{two}"
