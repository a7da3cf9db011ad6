"""The standings, the bracket, the cut and the final ranking as pages show them, computed once for all readers."""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import Struct

from roundtap_core.elimination.bracket import (
    THIRD,
    THIRD_PLACE,
    Bracket,
    BracketGame,
    CutRow,
    cut_table,
    game_count,
    round_key,
)
from roundtap_core.elimination.ranking import FinalPlace, final_ranking, game_name
from roundtap_core.errors import Problem
from roundtap_core.event import event_flow
from roundtap_core.event.states import EventState, MatchState, RoundState, active_ids, tournament_of
from roundtap_core.records import SWISS, TIEBREAK, Result, StandingsRow
from roundtap_core.rulebooks.base import SWISS_ROUND
from roundtap_core.rulebooks.result_gate import may_be_drawn
from roundtap_core.rulebooks.result_words import ResultLine
from roundtap_core.standings.standings import standings, telling_tiebreakers
from roundtap_core.words import Words
from roundtap_hub.store.read_model import Snapshot
from roundtap_hub.views.saved_event import (
    SavedEvent,
    listed_events,
    memoized,
    memoized_by,
    newest_round,
    ranking_key,
    settled_rows,
    settled_standings,
    settled_swiss_round,
    tournament,
)


class TiebreakCell(Struct, frozen=True):
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
    """`columns`: the tiebreakers by weight, but for those that are the same for all; `draws`: records have draws too;
    `hidden`: tiebreakers that decided somewhere but have no column, since they compare only tied players."""

    after: int
    columns: tuple[str, ...]
    lines: tuple[StandingsLine, ...]
    chance: bool
    draws: bool = False
    hidden: tuple[str, ...] = ()


def standings_view(event: SavedEvent, names: Mapping[str, str], *, every: bool = False) -> StandingsView:
    """All competitors, best first, after the last settled round. `every`: with all tiebreakers, for programs."""
    rows = settled_standings(event)
    columns = tuple(rows[0].tiebreakers) if rows and every else telling_tiebreakers(rows)
    lines = tuple(_line(event, row, names, columns) for row in rows)
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
        has_draws(event),
        hidden,
    )


def _line(event: SavedEvent, row: StandingsRow, names: Mapping[str, str], columns: tuple[str, ...]) -> StandingsLine:
    book = event.state.rulebook
    values = tuple(
        TiebreakCell(key, book.value_text(key, value), str(value), row.decided_by == key)
        for key, value in ((key, row.tiebreakers[key]) for key in columns)
    )
    record = record_text(row, has_draws(event))
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
    return "–".join(str(n) for n in (row.wins, *([row.draws] if draws else []), row.losses))


@memoized_by(ranking_key)
def has_draws(event: SavedEvent) -> bool:
    """Whether a match of this event's Swiss rounds may end in a draw, if only by ruling, or one that counts has: then
    each record has three figures, and so have their heads."""
    state = event.state
    return may_be_drawn(state.rulebook, state.options, SWISS_ROUND) or any(
        row.draws for row in settled_rows(event).values()
    )


def record_of(event: SavedEvent, competitor: str) -> tuple[str, tuple[TiebreakCell, ...]]:
    """A competitor's record and first tiebreaker, shown with pairings so that players spot errors."""
    row, draws = settled_rows(event).get(competitor), has_draws(event)
    if row is None:
        return record_text(None, draws), ()
    first = next(iter(row.tiebreakers.items()), None)
    return record_text(row, draws), (
        TiebreakCell(first[0], event.state.rulebook.value_text(*first), str(first[1]), False),
    ) if first else ()


@memoized
def bracket(event: SavedEvent) -> Bracket | None:
    """The public bracket; None before the cut, and where a result cannot be read."""
    if event.state.cut is None and not event_flow.elimination_rounds(event.state):
        return None
    try:
        return event_flow.current_bracket(event.state)
    except Problem:
        return None


@memoized
def _ranking(event: SavedEvent) -> dict[str, FinalPlace]:
    """The final ranking as far as it is known; empty before the bracket, and where a result cannot be read."""
    drawn_bracket = bracket(event)
    try:
        has_ranking = event.state.finished or drawn_bracket is not None
        return (
            {placed.competitor: placed for placed in final_ranking(tournament(event), drawn_bracket)}
            if has_ranking
            else {}
        )
    except Problem:
        return {}


def final_places(event: SavedEvent) -> dict[str, FinalPlace]:
    """Each competitor's final place, best first, as all pages, papers and exports show it. Empty until the bracket is
    decided; without one, until the event is finished."""
    drawn_bracket = bracket(event)
    return _ranking(event) if event.state.finished or (drawn_bracket is not None and drawn_bracket.over) else {}


def ranked_rows(event: SavedEvent) -> list[tuple[FinalPlace, StandingsRow | None]]:
    """The final ranking, or before it the standings, each place with its standings row: for paper and spreadsheets."""
    rows = settled_rows(event)
    status = event.state.status_now
    now = [FinalPlace(row.rank, who, None, row.rank, status(who)) for who, row in rows.items()]
    return [(placed, rows.get(placed.competitor)) for placed in final_places(event).values() or now]


def newest_round_key(state: EventState) -> str | None:
    """The name of the newest published round where it has one: "semi-final", "tiebreak"."""
    newest = newest_round(state)
    return title_key(state, newest) if newest else None


def stage_key(state: EventState) -> str | None:
    """The same for the console's head; between the cut and its first round that round's name."""
    named = newest_round_key(state)
    if named or state.cut is None or state.finished or event_flow.second_stage_is_swiss(state):
        return named
    return round_key(game_count(state.cut.size, 1))


def title_key(state: EventState, played: RoundState, match: MatchState | None = None) -> str | None:
    """The name of a round that is not Swiss, or of one match of it, as a key; None for Swiss rounds."""
    if match is not None and match.match.game == THIRD:
        return THIRD_PLACE
    return TIEBREAK if played.stage == TIEBREAK else event_flow.round_name(state, played)


def next_round_key(state: EventState) -> str | None:
    """The name of the round that follows; None for a Swiss round. Whether a tie is to be broken, all results say."""
    following = next_stage(state)
    if following == TIEBREAK and (state.live is None or not state.live.open_matches):
        return TIEBREAK
    if following in (TIEBREAK, event_flow.CUT) and state.cut_size and not event_flow.second_stage_is_swiss(state):
        return round_key(game_count(state.cut_size, 1))
    drawn_bracket = event_flow.current_bracket(state)
    return (
        None
        if drawn_bracket is None
        else round_key(max(1, game_count(drawn_bracket.size, len(drawn_bracket.round_numbers) + 1)))
    )


def next_stage(state: EventState) -> str | None:
    """The stage that follows; None while there are too few players for the chosen structure."""
    try:
        return event_flow.upcoming_stage(state)
    except Problem:
        return None


@dataclass(frozen=True, slots=True)
class RoundLines:
    """One round of the bracket; `name` is a key of the core's texts."""

    name: str
    games: tuple[BracketGame, ...]


def bracket_lines(drawn_bracket: Bracket) -> list[RoundLines]:
    """The bracket as lists, for a phone: the current round, those to come, then past ones, newest first."""
    rounds = [
        RoundLines(
            game_name(drawn_bracket, drawn_bracket.of_round(r)[0]),
            tuple(game for game in drawn_bracket.games if game.round == r),
        )
        for r in range(1, drawn_bracket.rounds + 1)
    ]
    behind = max(0, len(drawn_bracket.round_numbers) - 1)
    return rounds[behind:] + rounds[:behind][::-1]


def cut_changes(
    state: EventState, played: RoundState, match: MatchState, result: Result, names: Mapping[str, str], words: Words
) -> list[ResultLine]:
    """What this result would change after the cut's stage has begun: the Swiss standings, never who advanced."""
    if played.stage not in (SWISS, TIEBREAK) or not event_flow.cut_unaffected(state):
        return []
    was, now = (
        {row.competitor: row.rank for row in standings(tournament_of(each)) if row.rank is not None}
        for each in (state, event_flow.with_result(state, match, result))
    )
    moves = (
        f"{names.get(who, who)} {was[who]}\u00a0→\u00a0{rank}"
        for who, rank in now.items()
        if was.get(who, rank) != rank
    )
    return [
        ResultLine(words("correction.table"), ", ".join(moves) or words("correction.table.same")),
        ResultLine(words("correction.cut"), words("correction.cut.stays")),
    ]


@memoized
def cut_rows(event: SavedEvent) -> tuple[CutRow, ...]:
    """Who makes the cut, in rulebooks that do not go by the standings: from the end of Swiss until the last game is
    decided; else empty."""
    state = event.state
    begun = event_flow.elimination_rounds(state)
    if not state.rulebook.own_cut_order or (not begun and any(r.open_matches for r in state.public_rounds)):
        return ()
    try:
        if begun:
            drawn_bracket = bracket(event)
            return () if drawn_bracket is None or drawn_bracket.over else cut_table(tournament(event))
        return cut_table(tournament(event)) if state.cut is not None or next_stage(state) == event_flow.CUT else ()
    except Problem:
        return ()


def cut_rows_before_play(event: SavedEvent) -> tuple[CutRow, ...]:
    """`cut_rows` until elimination begins; then walls and paper show the bracket."""
    return () if event_flow.elimination_rounds(event.state) else cut_rows(event)


@dataclass(frozen=True, slots=True)
class CutEntrant:
    """One line of the cut on the console; `seed` None: not in it (yet)."""

    id: str
    name: str
    seed: int | None
    rank: int
    record: str


@dataclass(frozen=True, slots=True)
class CutView:
    """The cut while the organizer settles it. `qualified`: who advances; `offered`: whose answer is awaited; `short`:
    places that no one can take; `everybody`: all who have not left the event, in the order of the cut."""

    size: int
    qualified: list[CutEntrant]
    offered: CutEntrant | None
    short: int
    left: list[CutEntrant]
    declined: list[CutEntrant]
    absent: list[CutEntrant]
    everybody: list[CutEntrant]


def cut_view(event: SavedEvent, names: Mapping[str, str]) -> CutView | None:
    """None before the cut and once its stage has begun."""
    state = event.state
    cut = state.cut
    if cut is None or event_flow.second_stage_begun(state):
        return None
    seeds, offered, active = event_flow.current_seeds(state), event_flow.offered_places(state), active_ids(state)

    def line(who: str, seed: int | None = None) -> CutEntrant:
        return CutEntrant(
            who,
            names.get(who, who),
            seed,
            cut.order.index(who) + 1,
            record_text(settled_rows(event).get(who), has_draws(event)),
        )

    return CutView(
        size=cut.size,
        qualified=[line(who, seed) for seed, who in enumerate(seeds, start=1)],
        offered=line(offered) if offered else None,
        short=0 if offered else cut.size - len(seeds),
        left=[line(who) for who in cut.seeds if who not in active],
        declined=[line(who) for who in cut.declined if who in active],
        absent=[line(who) for who in cut.absent if who in active],
        everybody=[line(who) for who in cut.order if who in active],
    )


def standing_of(event: SavedEvent, competitor: str) -> event_flow.CourseStanding | None:
    """Where the competitor stands in the course of the event; None while Swiss rounds alone count."""
    return event_flow.course_standing(event.state, competitor, bracket(event), _ranking(event))


def winner_of(event: SavedEvent) -> str | None:
    """The tournament's winner; None until that is certain, and where several share first place."""
    first = [placed.competitor for placed in final_places(event).values() if placed.rank == 1]
    return first[0] if len(first) == 1 else None


@dataclass(frozen=True, slots=True)
class FinalLine:
    """One line of the final ranking; `reached` is a key of the core's texts, None for those outside the cut. `points`
    and `record`: of the Swiss rounds, "" without any. `rank` and `status` as in `StandingsLine`."""

    rank: int | None
    competitor: str
    name: str
    reached: str | None
    points: str
    record: str
    status: str | None = None


def final_lines(event: SavedEvent, names: Mapping[str, str]) -> tuple[FinalLine, ...]:
    """All by final place; empty until everything is played."""
    if not final_places(event):
        return ()
    rows, book = settled_rows(event), event.state.rulebook
    swiss = any(row.rounds for row in rows.values())
    return tuple(
        FinalLine(
            p.rank,
            p.competitor,
            names.get(p.competitor, p.competitor),
            p.reached,
            book.points_text(rows[p.competitor].points) if swiss and p.competitor in rows else "",
            record_text(rows.get(p.competitor), has_draws(event)) if swiss else "",
            p.status,
        )
        for p in final_places(event).values()
    )


def events_progress(snapshot: Snapshot) -> list[tuple[object, ...]]:
    # As the front door and a waiting wall list them; without the progress of those at rest.
    return [
        (
            line.id,
            line.name,
            line.rulebook_id,
            line.finished,
            state and (state.live is not None, len(state.public_rounds), newest_round_key(state)),
        )
        for line in listed_events(snapshot)
        for state in (snapshot.events.get(line.id),)
    ]
