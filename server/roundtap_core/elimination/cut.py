"""Who makes the cut ("Der Schnitt"): the first in the order of the rulebook who are still there."""

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from roundtap_core.records import ELIMINATION, SWISS, UNPAIRED_LOSS, Match, StandingsRow, Tournament
from roundtap_core.rulebooks.registry import book_of, planned_structure
from roundtap_core.standings.standings import standings, tournament_before
from roundtap_core.standings.tiebreakers import RANDOM
from roundtap_core.typed import Count, Text

THIRD = "third"  # the game number of the match for third place

FINAL_STAGE, THIRD_STAGE = "final", "third_place"  # stages of `options.stages` beside "swiss" and "elimination"

FINAL, SEMI_FINAL, QUARTER_FINAL, THIRD_PLACE, CHAMPION = (
    "final",
    "semi-final",
    "quarter-final",
    "third-place",
    "champion",
)


def bracket_size(entrants: int) -> int:
    """The smallest power of two that holds them, at least 2."""
    return max(2, 1 << (entrants - 1).bit_length())


def round_count(size: int) -> int:
    return size.bit_length() - 1


def game_count(size: int, bracket_round: int) -> int:
    """Games of the bracket's round 1, 2, …; 0 after the final."""
    return size >> bracket_round


def feeder_games(game: int, games: int) -> tuple[int, int]:
    """The two games of the round before whose winners meet in `game`, one of `games`. "K. o.-Runden": the winner of
    game 1 meets that of the highest-numbered game, which is the new game 1; and so on. In the first round the same
    numbers are the seeds."""
    return game, 2 * games + 1 - game


def round_key(games: int) -> str:
    """What a round of so many games is called: "final", "semi-final", "quarter-final", "round-of-16", …"""
    return {1: FINAL, 2: SEMI_FINAL, 4: QUARTER_FINAL}.get(games, f"round-of-{2 * games}")


def drawing_order(size: int, bracket_round: int) -> list[int]:
    """The games of a round from top to bottom of a drawing in which no lines cross."""
    order = [1]
    games = 1
    while games < game_count(size, bracket_round):
        order = [feeder for game in order for feeder in feeder_games(game, games)]
        games *= 2
    return order


def by_game_number(matches: Iterable[Match], games: int) -> dict[int | str, Match]:
    """The matches of an elimination round of so many games by game number, "third" among them. A file may lack numbers,
    or have wrong ones: such matches take the free ones in their order. Who did not appear has no game."""
    placed: dict[int | str, Match] = {}
    rest = []
    for match in matches:
        if match.bye == UNPAIRED_LOSS:
            continue
        if match.game is None or match.game in placed or (match.game != THIRD and int(match.game) > games):
            rest.append(match)
        else:
            placed[match.game] = match
    free = 1
    for match in rest:
        while free in placed:
            free += 1
        placed[free] = match
    return placed


def size_from_round(first_round: Iterable[Match]) -> int:
    """The bracket's size as its recorded first round tells, in which no game is empty."""
    return bracket_size(2 * sum(1 for match in first_round if match.bye != UNPAIRED_LOSS and match.game != THIRD))


def game_stage(games: int, game: int | str | None) -> str:
    """The stage in `options.stages` that a game belongs to, in an elimination round of so many games."""
    if game == THIRD:
        return THIRD_STAGE
    return FINAL_STAGE if games == 1 else ELIMINATION


def round_stage(stage: str, stages_before: Sequence[str], first_round: Iterable[Match]) -> str:
    """The stage in `options.stages` that gives a round its length; `stages_before` are those of the rounds before.
    `first_round`: the matches of the first elimination round, this one if there was none before."""
    if stage != ELIMINATION:
        return stage
    return game_stage(game_count(size_from_round(first_round), 1 + sum(s == ELIMINATION for s in stages_before)), None)


def stages_of(tournament: Tournament) -> dict[int, str]:
    """Each round's stage as options and situations name it: the last of the elimination is the final."""
    first = next((r for r in tournament.rounds if r.stage == ELIMINATION), None)
    before: list[str] = []
    stages: dict[int, str] = {}
    for played in tournament.rounds:
        stages[played.number] = round_stage(played.stage, before, (first or played).matches)
        before.append(played.stage)
    return stages


class Cut(Struct, frozen=True):
    """A cut as it was made: the `order` of all then, by which seeds go, and who got a place. A player who leaves or
    gives up a place stays in `seeds`; `seeds_now` leaves them out, so that all below move up. The `absent` have not
    left the event: they are passed over for the stage that follows."""

    size: Count
    order: tuple[Text, ...]
    seeds: tuple[Text, ...]
    declined: tuple[Text, ...] = ()
    absent: tuple[Text, ...] = ()

    def seeds_now(self, active: Collection[str]) -> tuple[str, ...]:
        """Those who play, by seed."""
        return self.by_seed(who for who in self.seeds if who in active and who not in self.absent)

    def by_seed(self, playing: Iterable[str]) -> tuple[str, ...]:
        """In the order that the cut was made from, as the bracket of a file reads it: who was absent and is back may
        have been asked after somebody below."""
        return tuple(sorted(playing, key=[*self.order, *self.seeds].index))

    def offered(self, active: Collection[str]) -> str | None:
        """Whose answer is awaited: while a place is free, the next in the order who is there and was not asked yet."""
        if len(self.seeds_now(active)) >= self.size:
            return None
        answered = {*self.seeds, *self.declined, *self.absent}
        return next((who for who in self.order if who in active and who not in answered), None)


def make_cut(order: Collection[str], size: int, active: Collection[str]) -> Cut:
    """The first `size` of the order who are still in the event."""
    there = [who for who in order if who in active]
    return Cut(min(size, len(there)), tuple(order), tuple(there[:size]))


def ranked_for_cut(tournament: Tournament, corrected: bool = True) -> tuple[StandingsRow, ...]:
    """The ranked lines of the standings as they stood when the elimination began: seeds do not change afterwards, even
    by a disqualification. With the results as they are `corrected` now, or as they were then."""
    begun = next((played.number for played in tournament.rounds if played.stage == ELIMINATION), None)
    stood = None if corrected or begun is None else tournament_before(tournament, begun)
    rows = standings(stood or tournament, None if begun is None else begun - 1)
    return tuple(row for row in rows if row.rank is not None)


def cut_order(tournament: Tournament) -> tuple[str, ...]:
    """All in the order that decides who advances, with which seed, and who is the better placed: as it was when
    the cut was made, regardless of later corrections (house decision)."""
    return tournament.cut_order or current_cut_order(tournament)


def current_cut_order(tournament: Tournament) -> tuple[str, ...]:
    """That order as the Swiss rounds say it now."""
    return tuple(book_of(tournament).cut_order(ranked_for_cut(tournament), tournament.seed))


def swiss_order(tournament: Tournament) -> tuple[str, ...]:
    """Everybody by Swiss rank as it was when the cut was made, regardless of later corrections (house decision)."""
    if tournament.cut_order and not book_of(tournament).own_cut_order:
        return tournament.cut_order
    return tuple(row.competitor for row in ranked_for_cut(tournament, corrected=False))


class CutRow(Struct, frozen=True):
    """One line of a cut table. `opponents_points` comes right after the points here, independently of the standings.
    `decided_by`: "points", "opponents_points", "random", or "last"; `by_chance` marks both neighbours of a lot."""

    seed: int
    competitor: str
    points: int
    opponents_points: int
    decided_by: str
    by_chance: bool


def cut_table(tournament: Tournament) -> tuple[CutRow, ...]:
    """Who makes the cut, where that goes by another order than the standings; empty where it does not, and where no
    Swiss round tells anything."""
    if not book_of(tournament).own_cut_order or not tournament.stage_rounds(SWISS):
        return ()
    rows = {row.competitor: row for row in ranked_for_cut(tournament)}
    order = [rows[who] for who in cut_order(tournament) if who in rows]
    values = [(row.points, int(row.tiebreakers["opponents_points"])) for row in order]
    decided = [
        "points" if one[0] != two[0] else "opponents_points" if one[1] != two[1] else RANDOM
        for one, two in pairwise(values)
    ] + ["last"]
    return tuple(
        CutRow(i + 1, row.competitor, *values[i], decided[i], RANDOM in (decided[i], decided[i - 1] if i else ""))
        for i, row in enumerate(order)
    )


def qualifiers(tournament: Tournament) -> tuple[str, ...]:
    """Who advances, by seed, if all who are offered a place take it; empty where there is no cut."""
    _, size = planned_structure(tournament)
    active = {c.id for c in tournament.competitors if c.active}
    return make_cut(cut_order(tournament), size, active).seeds if size else ()
