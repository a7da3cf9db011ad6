"""Who makes the cut ("Der Schnitt"): the first in the order of the rulebook who are still there; and the bracket as a
list of games: where each side comes from, who it is as far as that is known, and who won. The next elimination round:
by game numbers, the first one without a cut by lot; byes ("K. o.-Runden").
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.errors import Problem
from roundtap_core.pairing.pairing_pool import refuse_open_matches
from roundtap_core.pairing.swiss_round import DrawnRound
from roundtap_core.pairing.table_numbers import assign_in_order
from roundtap_core.randomness import generator, lot_number, shuffle
from roundtap_core.records import (
    BYE,
    ELIMINATION,
    SWISS,
    UNPAIRED_LOSS,
    WON_BYE,
    Draw,
    Match,
    Side,
    StandingsRow,
    Tournament,
    other_side,
)
from roundtap_core.rulebooks.base import Options, Rulebook
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
BY_LOT, BY_BRACKET = "lot", "bracket"
"""How a round came about: drawn, or fixed by seeds and game numbers (for any seed and attempt)."""


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


class BracketSeat(Struct, frozen=True):
    """One side of a game. `winner_of` and `loser_of` are running numbers of games; seeds exist after a cut only.
    `competitor` is None while unknown, and where the seat is empty (`empty`). `gone`: got here, but left before."""

    competitor: str | None = None
    seed: int | None = None
    winner_of: int | None = None
    loser_of: int | None = None
    empty: bool = False
    gone: bool = False


class BracketGame(Struct, frozen=True):
    """`number` runs through the whole bracket (1, 2, … the final, the third place); `game` is the number within its
    round, as the event file has it. `decided` without a `winner`: no one advances from here."""

    number: int
    round: int
    game: int | str
    a: BracketSeat
    b: BracketSeat
    match: Match | None = None
    winner: str | None = None
    decided: bool = False

    @property
    def played(self) -> bool:
        """Two sat down, and it is known who advances."""
        return self.decided and self.match is not None and self.match.b is not None

    @property
    def losers(self) -> tuple[str, ...]:
        """Who lost this game at a table: one, or both after a ruling."""
        if not self.played or self.match is None or self.match.b is None:
            return ()
        return tuple(who for who in (self.match.a, self.match.b) if who != self.winner)

    def figure(self, who: str | None) -> str:
        """What stands beside a player's name: their score, ticked where it does not say that they advance."""
        if self.match is None or self.match.result is None or who is None:
            return ""
        score = self.match.result.score
        own, others = (score.a, score.b) if who == self.match.a else (score.b, score.a)
        return f"{own} ✓" if who == self.winner and own <= others else str(own)


class Bracket(Struct, frozen=True):
    """`size`: a power of two. `seeds` by seed (empty without a cut). `round_numbers`: the event's numbers of the
    bracket's rounds that are drawn. `standing`: all by Swiss rank as it was when the cut was made; empty where no
    Swiss round was played. `out`: who is disqualified by now; their seeds and games stay as they were."""

    size: int
    seeds: tuple[str, ...]
    games: tuple[BracketGame, ...]
    round_numbers: tuple[int, ...]
    standing: tuple[str, ...]
    out: frozenset[str] = frozenset()

    @property
    def rounds(self) -> int:
        return round_count(self.size)

    def of_round(self, bracket_round: int) -> tuple[BracketGame, ...]:
        """The games of a round in the order of their numbers, without the match for third place."""
        return tuple(g for g in self.games if g.round == bracket_round and g.game != THIRD)

    @property
    def final(self) -> BracketGame:
        return self.of_round(self.rounds)[0]

    @property
    def third(self) -> BracketGame | None:
        return next((game for game in self.games if game.game == THIRD), None)

    @property
    def champion(self) -> str | None:
        """Who won the final; once the winner is disqualified, who lost it."""
        final = self.final
        ranked = (who for who in (final.winner, *final.losers) if who not in self.out)
        return next(ranked, None) if final.winner else None

    @property
    def over(self) -> bool:
        third = self.third
        return self.final.decided and (third is None or third.decided)

    @property
    def goes_on(self) -> bool:
        """Whether a match is still to be played: not over, and not all of those gone who would come to it."""
        following = [game for game in self.games if game.round == len(self.round_numbers) + 1]
        seats = [seat for game in following for seat in (game.a, game.b)]
        # A seat whose feeder is still open counts: a player will come.
        return not self.over and (not following or any(not seat.empty and not seat.gone for seat in seats))


def present_in_round(tournament: Tournament, number: int) -> set[str]:
    """Who had not left when the round of that number was drawn."""
    return {c.id for c in tournament.competitors if (last := c.left_after) is None or last >= number}


def bracket_of(tournament: Tournament, seeds: Sequence[str] = ()) -> Bracket | None:
    """The bracket of the elimination rounds recorded; before the first one, that of `seeds`. None without either.
    Without `seeds`, those of a recorded bracket are who began it, in the order of the cut: whoever came in for somebody
    else is the last of them."""
    played = tournament.stage_rounds(ELIMINATION)
    if not played and len(seeds) < 2:
        return None
    ranked = bool(tournament.stage_rounds(SWISS))
    standing = swiss_order(tournament) if ranked else ()
    size = size_from_round(played[0].matches) if played else bracket_size(len(seeds))
    if played and not seeds and standing:
        began = {who for match in played[0].matches for who in (match.a, match.b)}
        seeds = tuple(who for who in cut_order(tournament) if who in began)
    building = _BracketBuilder(tournament, size, tuple(seeds), standing)
    for bracket_round in range(1, round_count(size) + 1):
        drawn = played[bracket_round - 1] if bracket_round <= len(played) else None
        matches = by_game_number(drawn.matches, game_count(size, bracket_round)) if drawn else None
        building.add_round(bracket_round, matches, drawn.number if drawn else None)
    numbers = tuple(r.number for r in played)
    out = frozenset(c.id for c in tournament.competitors if c.disqualified_after is not None)
    return Bracket(size, tuple(seeds), tuple(building.games), numbers, standing, out)


class _BracketBuilder:
    def __init__(self, tournament: Tournament, size: int, seeds: tuple[str, ...], standing: Sequence[str]) -> None:
        self.games: list[BracketGame] = []
        self._tournament, self._size, self._seeds = tournament, size, seeds
        self._book = book_of(tournament)
        self._options = self._book.options(tournament.options)
        self._place = {competitor: i for i, competitor in enumerate(standing or lot_order(tournament))}
        self._seed = {competitor: i for i, competitor in enumerate(seeds, start=1)}

    def add_round(self, bracket_round: int, drawn: Mapping[int | str, Match] | None, number: int | None) -> None:
        games = game_count(self._size, bracket_round)
        before = {game.game: game for game in self.games if game.round == bracket_round - 1}
        there = present_in_round(self._tournament, number or len(self._tournament.rounds) + 1)
        for game in range(1, games + 1):
            one, two = feeder_games(game, games)
            seats = (
                (self._first_seat(one), self._first_seat(two))
                if bracket_round == 1
                else (self._seat(before[one], there), self._seat(before[two], there))
            )
            match = drawn.get(game) if drawn is not None else None
            self.games.append(self._game(bracket_round, game, seats, match, drawn is not None))
        if games == 1:
            self._add_third(bracket_round, before, drawn, there)

    def _add_third(
        self,
        bracket_round: int,
        before: Mapping[int | str, BracketGame],
        drawn: Mapping[int | str, Match] | None,
        there: set[str],
    ) -> None:
        if drawn is not None and THIRD not in drawn:
            return
        if bracket_round == 1 or (drawn is None and not self._options.get("third_place_match")):
            return
        seats = [self._seat(before[game], there, loser=True) for game in (1, 2)]
        match = drawn[THIRD] if drawn is not None else None
        self.games.append(self._game(bracket_round, THIRD, (seats[0], seats[1]), match, drawn is not None))

    def _first_seat(self, seed: int) -> BracketSeat:
        if not self._seeds:
            return BracketSeat()
        if seed > len(self._seeds):
            return BracketSeat(seed=seed, empty=True)
        return BracketSeat(self._seeds[seed - 1], seed)

    def _seat(self, feeder: BracketGame, there: set[str], loser: bool = False) -> BracketSeat:
        seat = BracketSeat(loser_of=feeder.number) if loser else BracketSeat(winner_of=feeder.number)
        if not feeder.decided:
            return seat
        who = feeder.winner
        if loser:
            who = feeder.losers[0] if len(feeder.losers) == 1 else None
        return replace(
            seat,
            competitor=who,
            seed=self._seed.get(who or ""),
            empty=who is None,
            gone=who is not None and who not in there,
        )

    def _game(
        self,
        bracket_round: int,
        game: int | str,
        seats: tuple[BracketSeat, BracketSeat],
        match: Match | None,
        drawn: bool,
    ) -> BracketGame:
        a, b = seats
        winner, decided = None, False
        if match is not None:
            a, b = self._as_recorded(a, b, match)
            winner, decided = self._outcome(match)
        elif drawn or all(seat.empty or seat.gone for seat in seats):
            decided = True
        return BracketGame(len(self.games) + 1, bracket_round, game, a, b, match, winner, decided)

    def _as_recorded(self, a: BracketSeat, b: BracketSeat, match: Match) -> tuple[BracketSeat, BracketSeat]:
        if match.b is None:
            if b.competitor == match.a:
                return a, self._with(b, match.a)
            return self._with(a, match.a), BracketSeat(seed=b.seed, empty=True) if b.competitor is None else b
        if b.competitor == match.a or a.competitor == match.b:
            return self._with(a, match.b), self._with(b, match.a)
        return self._with(a, match.a), self._with(b, match.b)

    def _with(self, seat: BracketSeat, who: str) -> BracketSeat:
        return BracketSeat(who, self._seed.get(who), seat.winner_of, seat.loser_of)

    def _outcome(self, match: Match) -> tuple[str | None, bool]:
        if match.b is None:
            return match.a, True
        if match.result is None:
            return None, False
        side = elimination_winner(self._book, match, self._options, self._place)
        return (match.a if side == "a" else match.b if side == "b" else None), True


def lot_order(tournament: Tournament) -> list[str]:
    """All in the lot's order: where no Swiss round was played it stands for the rank."""
    return sorted((c.id for c in tournament.competitors), key=lambda who: lot_number(tournament.seed, who))


def elimination_winner(book: Rulebook, match: Match, options: Options, place: Mapping[str, int]) -> str:
    """Which side of a match with a result advances: "a", "b", or "none". `place`: Swiss rank by competitor."""
    assert match.result is not None
    better: Side = "a"
    if place.get(match.b or "", len(place)) < place.get(match.a, len(place)):
        better = other_side(better)
    return book.elimination_winner(match.result, options, better)


def next_elimination_round(
    tournament: Tournament,
    seed: int | None = None,
    attempt: int = 1,
    seeds: Sequence[str] | None = None,
    busy: Collection[int] = frozenset(),
) -> DrawnRound:
    """The next round of the bracket. `seeds`: who made the cut (default: the first of the standings). Raises Problem:
    "open_matches" while a result is missing, "bracket_decided" after the final, "nobody_left" where all who would meet
    have left, "too_few_players" below two, "no_cut_planned" where no one advances."""
    refuse_open_matches(tournament)
    seed = tournament.seed if seed is None else seed
    number = len(tournament.rounds) + 1
    played = tournament.stage_rounds(ELIMINATION)
    method = BY_BRACKET
    if not played and not tournament.stage_rounds(SWISS):
        entered = sum(competitor.active for competitor in tournament.competitors)
        if entered < 2:
            raise Problem("too_few_players", n=entered)
        method, games = BY_LOT, bracket_size(entered) // 2
        matches = first_round_by_lot(tournament, seed, number, attempt)
    else:
        bracket = _bracket(tournament, seeds)
        bracket_round = len(played) + 1
        if bracket_round > bracket.rounds:
            raise Problem("bracket_decided")
        games = bracket.size >> bracket_round
        drawn = [game_to_match(game) for game in bracket.games if game.round == bracket_round]
        matches = [match for match in drawn if match is not None]
    if not matches:
        raise Problem("nobody_left")
    return DrawnRound(
        number,
        ELIMINATION,
        Draw(seed, attempt, method),
        assign_in_order(matches, tournament, busy),
        {"repeats": 0, "bye": None, "floats": [], "round": round_key(games)},
    )


def _bracket(tournament: Tournament, seeds: Sequence[str] | None) -> Bracket:
    begun = bool(tournament.stage_rounds(ELIMINATION))
    if seeds is None and not begun:
        seeds = qualifiers(tournament)
        if not seeds:
            raise Problem("nobody_left" if planned_structure(tournament)[1] else "no_cut_planned")
    if not begun and len(seeds or ()) < 2:
        raise Problem("too_few_players", n=len(seeds or ()))
    bracket = bracket_of(tournament, seeds or ())
    assert bracket is not None
    return bracket


def game_to_match(game: BracketGame) -> Match | None:
    """The game as it is to be played; a bye for one whose opponent is not there; None where both seats are empty."""
    a, b = _who(game.a), _who(game.b)
    if a and b:
        return Match(a, b, game=game.game)
    there = a or b
    return Match(there, bye=BYE, game=game.game) if there else None


def _who(seat: BracketSeat) -> str | None:
    return None if seat.gone else seat.competitor


def first_round_by_lot(tournament: Tournament, seed: int, number: int, attempt: int) -> list[Match]:
    """Byes fill the field up to a power of two, all others are paired, and each gets a game number: all at random. Who
    brought a won bye is among those with byes (house decision), while there are enough."""
    ids = [competitor.id for competitor in tournament.competitors if competitor.active]
    won = {competitor.id for competitor in tournament.competitors if competitor.won_bye}
    order = list(ids)
    shuffle(order, generator(seed, ELIMINATION, number, attempt, "byes"))
    order.sort(key=lambda who: who not in won)
    byes = bracket_size(len(ids)) - len(ids)
    resting = set(order[:byes])
    playing = [who for who in ids if who not in resting]
    shuffle(playing, generator(seed, ELIMINATION, number, attempt, "pairs"))
    games = [Match(a, b) for a, b in zip(playing[::2], playing[1::2], strict=True)]
    games += [Match(who, bye=WON_BYE if who in won else BYE) for who in order[:byes]]
    shuffle(games, generator(seed, ELIMINATION, number, attempt, "games"))
    return [Match(m.a, m.b, bye=m.bye, game=game) for game, m in enumerate(games, start=1)]
