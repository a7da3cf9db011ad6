"""The bracket as a list of games: where each side comes from, who it is as far as that is known, and who won."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.elimination import cut
from roundtap_core.randomness import lot_number
from roundtap_core.records import ELIMINATION, SWISS, Match, Side, Tournament, other_side
from roundtap_core.rulebooks.base import Options, Rulebook
from roundtap_core.rulebooks.registry import book_of


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
        return cut.round_count(self.size)

    def of_round(self, bracket_round: int) -> tuple[BracketGame, ...]:
        """The games of a round in the order of their numbers, without the match for third place."""
        return tuple(g for g in self.games if g.round == bracket_round and g.game != cut.THIRD)

    @property
    def final(self) -> BracketGame:
        return self.of_round(self.rounds)[0]

    @property
    def third(self) -> BracketGame | None:
        return next((game for game in self.games if game.game == cut.THIRD), None)

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
    standing = cut.swiss_order(tournament) if ranked else ()
    size = cut.size_from_round(played[0].matches) if played else cut.bracket_size(len(seeds))
    if played and not seeds and standing:
        began = {who for match in played[0].matches for who in (match.a, match.b)}
        seeds = tuple(who for who in cut.cut_order(tournament) if who in began)
    building = _BracketBuilder(tournament, size, tuple(seeds), standing)
    for bracket_round in range(1, cut.round_count(size) + 1):
        drawn = played[bracket_round - 1] if bracket_round <= len(played) else None
        matches = cut.by_game_number(drawn.matches, cut.game_count(size, bracket_round)) if drawn else None
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
        games = cut.game_count(self._size, bracket_round)
        before = {game.game: game for game in self.games if game.round == bracket_round - 1}
        there = present_in_round(self._tournament, number or len(self._tournament.rounds) + 1)
        for game in range(1, games + 1):
            one, two = cut.feeder_games(game, games)
            if bracket_round == 1:
                seats = self._first_seat(one), self._first_seat(two)
            else:
                seats = self._seat(before[one], there), self._seat(before[two], there)
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
        if drawn is not None and cut.THIRD not in drawn:
            return
        if bracket_round == 1 or (drawn is None and not self._options.get("third_place_match")):
            return
        seats = [self._seat(before[game], there, loser=True) for game in (1, 2)]
        match = drawn[cut.THIRD] if drawn is not None else None
        self.games.append(self._game(bracket_round, cut.THIRD, (seats[0], seats[1]), match, drawn is not None))

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
