"""The ways of breaking ties, and the tie-break rounds that one of them asks."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

from msgspec import Struct

from roundtap_core.randomness import lot_number
from roundtap_core.records import ELIMINATION, SWISS, SWISS_STAGES, TIEBREAK, Tournament
from roundtap_core.rulebooks.registry import book_of, planned_structure_or_none
from roundtap_core.rulebooks.scoring import ALL_GAMES, DRAWN_GAMES, LOSS, WIN, WON_GAMES, Tiebreaker, helper_key
from roundtap_core.standings.round_robin import circle
from roundtap_core.standings.totals import SwissTotals

EACH, KNOCKOUT = "each", "knockout"
"""How three or more play out a tie: round robin or single elimination. Chosen by the organizer, kept in the round's
`tiebreak_form`."""

Worth = tuple[int, ...]

Judged = tuple[dict[str, Worth], set[str], bool]
"""What games say: each one's worth, higher is better; who has no game left to play; whether the next place is taken."""

TIEBREAK_ROUND, RANDOM = "tiebreak_round", "random"

AMONG_TIED: frozenset[str] = frozenset(("head_to_head", TIEBREAK_ROUND, RANDOM))
"""Tiebreakers evaluated within a tie only: they depend on the tied, or are rarely needed."""


class TiebreakMatch(Struct, frozen=True):
    """A tie-break match between two of the tied. `winner` None: not played yet, or both lost."""

    round: int
    pair: frozenset[str]
    winner: str | None
    open: bool


def event_tiebreak_form(tournament: Tournament, otherwise: str = EACH) -> str:
    """How this event plays out ties, set by its first tie-break round."""
    first = next(iter(tournament.stage_rounds(TIEBREAK)), None)
    return otherwise if first is None else first.tiebreak_form or EACH


def meetings_among(tournament: Tournament, tied: Sequence[str], after: int | None = None) -> list[TiebreakMatch]:
    """The tie-break matches between two of `tied`, in order."""
    among = set(tied)
    book = book_of(tournament)
    options = book.options(tournament.options)
    games = []
    for played in tournament.rounds:
        if played.stage != TIEBREAK or (after is not None and played.number > after):
            continue
        for match in played.matches:
            if match.b is None or match.a not in among or match.b not in among:
                continue
            side = book.winner(match.result, options) if match.result else ""
            winner = match.a if side == "a" else match.b if side == "b" else None
            games.append(TiebreakMatch(played.number, frozenset((match.a, match.b)), winner, match.result is None))
    return games


def _knocked_out(field: set[str], games: Sequence[TiebreakMatch]) -> Judged:
    """Single elimination: who has lost to nobody, or the later. What somebody wins who is out already puts no one out,
    and after a double loss by ruling the two meet again."""
    lost: dict[str, int] = {}
    for game in games:
        if game.winner and game.pair <= field and lost.get(game.winner, game.round) >= game.round:
            lost.update(dict.fromkeys(game.pair - {game.winner}, game.round))
    return {who: (1, lost[who]) if who in lost else (2,) for who in field}, set(lost), len(field) - len(lost) == 1


def _round_robin(field: set[str], games: Sequence[TiebreakMatch]) -> Judged:
    """Each against each: the wins in all first meetings, all second ones, and so on, as far as these are complete."""
    winners: dict[frozenset[str], list[str | None]] = {frozenset(pair): [] for pair in combinations(field, 2)}
    for game in games:
        if game.pair in winners and not game.open:
            winners[game.pair].append(game.winner)
    complete = min(map(len, winners.values()), default=0)
    worth = {who: (1, *(sum(won[k] == who for won in winners.values()) for k in range(complete))) for who in field}
    decided = len(field) == 1 or len(set(worth.values())) > 1
    done = {who for who in field if decided or all(len(won) > complete for pair, won in winners.items() if who in pair)}
    return worth, done, decided


def _played_out(
    form: Callable[[set[str], Sequence[TiebreakMatch]], Judged],
    field: set[str],
    games: Sequence[TiebreakMatch],
    left: Mapping[str, int],
    rounds: Sequence[int],
) -> tuple[Mapping[str, Worth], bool]:
    """What the rounds say of those still in it, round by round; what was decided stays so, whoever leaves later. Who
    leaves with games to play takes those played along: whom they beat plays on (house decision)."""
    worth: Mapping[str, Worth] = {}
    decided = False
    for number in (*rounds, None):
        played = [game for game in games if number is None or game.round < number]
        gone = {who for who in field if who in left and (number is None or left[who] < number)}
        field = field - gone.difference(*(game.pair for game in played if game.pair <= field))
        worth, done, decided = form(field, played)
        if decided:
            break
        while leaving := (gone & field) - done:
            field = field - leaving
            worth, done, decided = form(field, played)
        if decided:
            break
    return worth, decided


def next_tiebreak_pairs(tournament: Tournament, tied: Sequence[str], form: str) -> list[tuple[str, str]]:
    """The next pairs among `tied`, who still have to play, in the lot's order; those left over wait for the next round.
    In single elimination whoever has waited most plays first."""
    if form == KNOCKOUT:
        games = Counter(who for match in meetings_among(tournament, [*tournament.seated()]) for who in match.pair)
        waiting = sorted(tied, key=lambda who: games[who])
        return list(zip(waiting[::2], waiting[1::2], strict=False))
    count = Counter(meeting.pair for meeting in meetings_among(tournament, tied))
    fewest = min(count[frozenset(pair)] for pair in combinations(tied, 2))
    due = [[pair for pair in one if count[frozenset(pair)] == fewest] for one in circle(tied)]
    return max(due, key=len)


class TiebreakInput(Struct, frozen=True):
    """What a tiebreaker may use: the tournament after round `after` (None: all of it), the totals, and those ranked
    above the tie, to whom each is added that has a place; `open` gathers the ties that have to be played on."""

    tournament: Tournament
    after: int | None
    records: Mapping[str, SwissTotals]
    above: list[str] = []
    open: list[tuple[str, ...]] = []


class TiebreakValues(Struct, frozen=True):
    """A tiebreaker's values: `order` is compared (higher is better), `shown` is displayed (empty: nothing). `playing`:
    who still has to play for the place, in the lot's order."""

    order: Mapping[str, Any]
    shown: Mapping[str, int | Fraction]
    playing: tuple[str, ...] = ()


def present_after(basis: TiebreakInput) -> set[str]:
    """Competitors present for what follows the Swiss and tie-break rounds. Leaving during the elimination does not cost
    the place won before."""
    tournament = basis.tournament
    begun = next((r.number for r in tournament.rounds if r.stage == ELIMINATION), None)
    numbers = [number for number in (basis.after, begun - 1 if begun else None) if number is not None]
    last = min(numbers, default=None)
    return {c.id for c in tournament.competitors if c.left_after is None or (last is not None and c.left_after > last)}


def decides_place(basis: TiebreakInput, *taken: str) -> bool:
    """Whether the Swiss rounds are over and the place after those above, and those who have `taken` one, carries a
    prize or a place in the cut. Prizes go by place, the cut to the best of those still present."""
    tournament, above = basis.tournament, [*basis.above, *taken]
    planned = planned_structure_or_none(tournament)
    played = sum(1 for r in tournament.stage_rounds(SWISS) if basis.after is None or r.number <= basis.after)
    if planned is None or not played or played < planned[0]:
        return False
    prizes = book_of(tournament).options(tournament.options).get("prize_places", 0)
    return len(above) < prizes or len(present_after(basis).intersection(above)) < planned[1]


Step = Callable[[TiebreakInput, Sequence[str], Tiebreaker], TiebreakValues]
"""A way of breaking ties: the values of the named competitors, tied so far, with this tiebreaker's parameters. Called
once for all, and again for a tie only if listed in AMONG_TIED."""

Rates = tuple[dict[str, int], int]
"""A rate of each competitor as a whole number, and the common denominator of all."""


def _sum(basis: TiebreakInput, tied: Sequence[str], tiebreaker: Tiebreaker) -> TiebreakValues:
    """The sum of a figure over all rounds, as its tallies give it."""
    return _most({who: basis.records[who].figures.get(tiebreaker.key, 0) for who in tied})


def _most(sums: dict[str, int]) -> TiebreakValues:
    return TiebreakValues(sums, sums)


def _fewest(sums: dict[str, int]) -> TiebreakValues:
    return TiebreakValues({who: -value for who, value in sums.items()}, sums)


def _cumulative(basis: TiebreakInput, tied: Sequence[str], tiebreaker: Tiebreaker) -> TiebreakValues:
    """The running totals after each round, added up: early points weigh more. The last round's points count once, each
    earlier round's `decay` times more than the next."""
    return _most(_running_totals(basis, tied, tiebreaker.decay))


def _running_totals(basis: TiebreakInput, whom: Iterable[str], decay: int) -> dict[str, int]:
    counted = [
        played
        for played in basis.tournament.rounds
        if played.stage in SWISS_STAGES and (basis.after is None or played.number <= basis.after)
    ]
    last = max((n for n, each in enumerate(counted) if any(m.result or m.bye for m in each.matches)), default=0)
    records = basis.records
    return {who: records[who].points * (1 + decay * last) - decay * records[who].early for who in whom}


def _of_opponents(basis: TiebreakInput, whom: Iterable[str], values: Mapping[str, int]) -> dict[str, int]:
    records = basis.records
    return {who: sum([values[opponent] for opponent in records[who].opponents]) for who in whom}


def _opponents_sum(basis: TiebreakInput, tied: Sequence[str], tiebreaker: Tiebreaker) -> TiebreakValues:
    """The sum of the opponents' sums of a figure."""
    key = helper_key(tiebreaker)
    return _most(_of_opponents(basis, tied, {who: record.figures.get(key, 0) for who, record in basis.records.items()}))


def opponents_points(basis: TiebreakInput, tied: Sequence[str], tiebreaker: Tiebreaker) -> TiebreakValues:
    """The sum of the opponents' tournament points (Buchholz), without the lowest and highest that are cut; byes and
    unpaired losses add nothing."""
    records, low, high = basis.records, tiebreaker.cut_lowest, tiebreaker.cut_highest
    if not low and not high:
        sums = _of_opponents(basis, tied, {who: record.points for who, record in records.items()})
    else:
        points = {who: sorted([records[other].points for other in records[who].opponents]) for who in tied}
        sums = {who: sum(points[who][low : len(points[who]) - high]) for who in tied}
    return _most(sums)


def sonneborn_berger(basis: TiebreakInput, tied: Sequence[str], tiebreaker: Tiebreaker) -> TiebreakValues:
    """The points of the opponents beaten, and half of those drawn with."""
    doubled: dict[str, int] = {}
    for who in tied:
        record = basis.records[who]
        doubled[who] = sum(
            [
                basis.records[opponent].points * (2 if tally.outcome == WIN else 1)
                for opponent, tally in zip(record.opponents, record.tallies, strict=True)
                if tally.outcome != LOSS
            ]
        )
    return _fractions((doubled, 2))


def _fractions(rates: Rates) -> TiebreakValues:
    values, denominator = rates
    return TiebreakValues(values, {who: Fraction(value, denominator) for who, value in values.items()})


def _match_rates(basis: TiebreakInput, tiebreaker: Tiebreaker) -> Rates:
    """Of the points, or of the wins, that everyone's matches could have brought; byes are left out, missed rounds are
    matches lost."""
    book = book_of(basis.tournament)
    most = book.scoring(book.options(basis.tournament.options)).points.win
    half, records = int(tiebreaker.counts == "half_draws"), basis.records
    parts = (
        {who: (r.points - r.free_points, (r.rounds - r.free) * most) for who, r in records.items()}
        if tiebreaker.counts == "points"
        else {who: (2 * (r.wins - r.free) + half * r.draws, 2 * (r.rounds - r.free)) for who, r in records.items()}
    )
    return _bounded(basis, parts, tiebreaker)


def _game_rates(basis: TiebreakInput, tiebreaker: Tiebreaker) -> Rates:
    """Of the points that everyone's games could have brought, at a match's price; a bye's games count."""
    book = book_of(basis.tournament)
    points = book.scoring(book.options(basis.tournament.options)).points
    won, drawn = {"points": (points.win, points.draw), "wins": (1, 0), "half_draws": (2, 1)}[tiebreaker.counts]
    figures = {who: record.figures for who, record in basis.records.items()}
    parts = {
        who: (won * of.get(WON_GAMES, 0) + drawn * of.get(DRAWN_GAMES, 0), won * of.get(ALL_GAMES, 0))
        for who, of in figures.items()
    }
    return _bounded(basis, parts, tiebreaker)


def _bounded(basis: TiebreakInput, parts: Mapping[str, tuple[int, int]], tiebreaker: Tiebreaker) -> Rates:
    """The rates over one denominator: who has left has at most the ceiling, and nobody less than the floor."""
    percent = 1 if not tiebreaker.floor and tiebreaker.dropped_ceiling is None else 100
    # A hall of hundreds has a few dozen different records.
    different = set(parts.values())
    common = lcm(percent, *(of for _, of in different if of))
    least = tiebreaker.floor * common // 100
    worth = {(value, of): max(value * (common // of) if of else 0, least) for value, of in different}
    rates = {who: worth[part] for who, part in parts.items()}
    if tiebreaker.dropped_ceiling is not None:
        most = max(least, tiebreaker.dropped_ceiling * common // 100)
        left = [
            c for c in basis.tournament.competitors if c.dropped_after is not None or c.disqualified_after is not None
        ]
        rates |= {c.id: min(rates[c.id], most) for c in left if c.status(basis.after) is not None}
    return rates, common


def _schedule(basis: TiebreakInput, tiebreaker: Tiebreaker) -> Rates:
    """Everyone's points per round played."""
    records = basis.records
    per_round = lcm(*{record.rounds for record in records.values() if record.rounds})
    return {c: r.points * (per_round // r.rounds) if r.rounds else 0 for c, r in records.items()}, per_round


def _mean(basis: TiebreakInput, whom: Iterable[str], rates: Rates, times: int = 1) -> Rates:
    """The mean of their opponents' rates; 0 without opponents. An opponent met twice counts twice; byes add nothing.
    Computed exactly, as whole numbers over common denominators. `times` 2: the mean of these means."""
    records, (values, denominator) = basis.records, rates
    counts = {len(record.opponents) for record in records.values()}
    per_opponent = lcm(*filter(None, counts))
    share = {count: per_opponent // (count or 1) for count in counts}
    for left in reversed(range(times)):
        values = {
            who: sum(map(values.__getitem__, met := record.opponents)) * share[len(met)]
            for who, record in (records.items() if left else [(who, records[who]) for who in whom])
        }
    return values, denominator * per_opponent**times


def _rate(rates: Callable[[TiebreakInput, Tiebreaker], Rates]) -> Step:
    """Each one's own."""

    def values(basis: TiebreakInput, tied: Sequence[str], tiebreaker: Tiebreaker) -> TiebreakValues:
        all_rates, denominator = rates(basis, tiebreaker)
        return _fractions(({who: all_rates[who] for who in tied}, denominator))

    return values


def _mean_of_opponents(rates: Callable[[TiebreakInput, Tiebreaker], Rates]) -> Step:
    """The mean of the opponents' rates: of points per round it is their strength ("Stärke des Spielplans")."""

    def values(basis: TiebreakInput, tied: Sequence[str], tiebreaker: Tiebreaker) -> TiebreakValues:
        return _fractions(_mean(basis, tied, rates(basis, tiebreaker)))

    return values


def _mean_of_means(rates: Callable[[TiebreakInput, Tiebreaker], Rates]) -> Step:
    """The mean of the opponents' means ("Calidad de los oponentes ampliada")."""

    def values(basis: TiebreakInput, tied: Sequence[str], tiebreaker: Tiebreaker) -> TiebreakValues:
        return _fractions(_mean(basis, tied, rates(basis, tiebreaker), 2))

    return values


def head_to_head(basis: TiebreakInput, tied: Sequence[str], tiebreaker: Tiebreaker) -> TiebreakValues:
    """The matches between the tied alone: points, then the sum that `of` names. House decision: only if all of them
    have met; and never once they play for the place in a tie-break round, also where one of them is disqualified
    since."""
    among, key = set(tied), tiebreaker.of or ""
    opponents = {who: set(basis.records[who].opponents) for who in tied}
    if any(two not in opponents[one] for one, two in combinations(tied, 2)) or (
        decides_place(basis) and _games_of(basis, tied)[0]
    ):
        return TiebreakValues(dict.fromkeys(tied, (0, 0)), {})
    order: dict[str, tuple[int, int]] = {}
    for who in tied:
        record = basis.records[who]
        tallies = [tally for opponent, tally in zip(record.opponents, record.tallies, strict=True) if opponent in among]
        order[who] = (sum(t.points for t in tallies), sum(t.figures.get(key, 0) for t in tallies))
    return TiebreakValues(order, {})


def _games_of(basis: TiebreakInput, tied: Sequence[str]) -> tuple[list[TiebreakMatch], set[str]]:
    """The tie-break matches of the tied, and who plays in them: earlier results stand where somebody was disqualified,
    who has no place."""
    out = {c.id for c in basis.tournament.competitors if c.disqualified_after is not None}.difference(tied)
    games = meetings_among(basis.tournament, [*tied, *out], basis.after)
    field = set(tied).union(*(game.pair for game in games if not game.pair.isdisjoint(tied)))
    return [game for game in games if game.pair <= field], field


def tiebreak_round(basis: TiebreakInput, tied: Sequence[str], tiebreaker: Tiebreaker) -> TiebreakValues:
    """2.4.2: what the tie-break rounds have decided among the tied, and who still plays for the place. Single
    elimination gives one place: that of who has beaten all that were left. For the next that counts, whoever lost to
    nobody but those above plays on; below the last that counts, the later they went out the better. Where a place is at
    stake, who left stands below who stayed (house decision)."""
    tournament = basis.tournament
    here = present_after(basis)
    at_stake = decides_place(basis)
    gone = (c for c in tournament.competitors if at_stake and c.id not in here)
    left = {c.id: c.left_after for c in gone if c.left_after is not None}
    form = _knocked_out if event_tiebreak_form(tournament) == KNOCKOUT else _round_robin
    rounds = [each.number for each in tournament.stage_rounds(TIEBREAK)]
    games, field = _games_of(basis, tied)
    while True:
        worth, decided = _played_out(form, field, games, left, rounds)
        best = max(worth.values(), default=(0,))
        first = [who for who in tied if worth.get(who) == best]
        out = field.difference(tied)
        if not out or 0 < len(first) < len(tied):
            break
        # Nobody gets the place of the first among the disqualified: the others play on.
        field = field - {max(sorted(out), key=lambda who: worth.get(who, (0,)))}
    playing = [who for who in first if who in here] if at_stake and not decided else []
    if decided and best == (2,) and decides_place(basis, *first):
        worth = {who: value[:1] for who, value in worth.items()}
    playing.sort(key=lambda who: lot_number(tournament.seed, who))
    return TiebreakValues({who: worth.get(who, (0,)) for who in tied}, {}, tuple(playing))


def _lot(basis: TiebreakInput, tied: Sequence[str], tiebreaker: Tiebreaker) -> TiebreakValues:
    """The lot from the event's seed; the smaller one is better, hence the minus sign."""
    tickets = {competitor: lot_number(basis.tournament.seed, competitor) for competitor in tied}
    return TiebreakValues({competitor: -int.from_bytes(ticket, "big") for competitor, ticket in tickets.items()}, {})


STEPS: dict[str, Step] = {
    "own": _sum,
    "difference": _sum,
    # The sum of the others' figures: fewer are better.
    "against": lambda basis, tied, tiebreaker: _fewest(
        {who: basis.records[who].figures.get(tiebreaker.key, 0) for who in tied}
    ),
    "opponents_own": _opponents_sum,
    "opponents_difference": _opponents_sum,
    # Rounds won; a bye is one.
    "wins": lambda basis, tied, _: _most({who: basis.records[who].wins for who in tied}),
    "fewest_losses": lambda basis, tied, _: _fewest({who: basis.records[who].losses for who in tied}),
    "cumulative": _cumulative,
    "match_win": _rate(_match_rates),
    "game_win": _rate(_game_rates),
    "opponents_match_win": _mean_of_opponents(_match_rates),
    "opponents_opponents_match_win": _mean_of_means(_match_rates),
    "opponents_game_win": _mean_of_opponents(_game_rates),
    "opponents_points": opponents_points,
    "sonneborn_berger": sonneborn_berger,
    "sos": _mean_of_opponents(_schedule),
    "extended_sos": _mean_of_means(_schedule),
    "opponents_fewest_losses": lambda basis, tied, _: _fewest(
        _of_opponents(basis, tied, {who: record.losses for who, record in basis.records.items()})
    ),
    "opponents_cumulative": lambda basis, tied, tiebreaker: _most(
        _of_opponents(basis, tied, _running_totals(basis, basis.records, tiebreaker.decay))
    ),
    "head_to_head": head_to_head,
    TIEBREAK_ROUND: tiebreak_round,
    RANDOM: _lot,
}
"""By the `by` of a tiebreaker."""


def tiebreak_values(tiebreaker: Tiebreaker, basis: TiebreakInput, whom: Sequence[str]) -> TiebreakValues:
    """What this tiebreaker says of them."""
    return STEPS[tiebreaker.by](basis, whom, tiebreaker)
