"""The tiebreakers by their keys in the event file, and the tie-break rounds that one of them asks."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

from msgspec import Struct

from roundtap_core.randomness import lot_number
from roundtap_core.records import ELIMINATION, SWISS, TIEBREAK, Tournament
from roundtap_core.rulebooks.registry import planned_structure_or_none, rulebook
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
    book = rulebook(tournament.rulebook)
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
    prizes = rulebook(tournament.rulebook).options(tournament.options).get("prize_places", 0)
    return len(above) < prizes or len(present_after(basis).intersection(above)) < planned[1]


Step = Callable[[TiebreakInput, Sequence[str]], TiebreakValues]
"""A tiebreaker: the values of the named competitors, tied so far. Called once for all, and again for a tie only if
listed in AMONG_TIED."""


def _figure(key: str) -> Step:
    def values(basis: TiebreakInput, tied: Sequence[str]) -> TiebreakValues:
        sums = {competitor: basis.records[competitor].figures.get(key, 0) for competitor in tied}
        return TiebreakValues(sums, sums)

    return values


def strength_of_schedule(basis: TiebreakInput, tied: Sequence[str]) -> TiebreakValues:
    """The mean of the opponents' points per round played ("Stärke des Spielplans"); 0 without opponents. An opponent
    met twice counts twice; byes add nothing. Computed exactly, as whole numbers over common denominators."""
    order, denominator = _schedule(basis.records, tied)
    return TiebreakValues(order, {competitor: Fraction(value, denominator) for competitor, value in order.items()})


def extended_strength(basis: TiebreakInput, tied: Sequence[str]) -> TiebreakValues:
    """The mean of the opponents' strength of schedule ("Calidad de los oponentes ampliada")."""
    schedule, denominator = _schedule(basis.records, basis.records)
    per_opponent = _per_opponent(basis.records)
    order: dict[str, int] = {}
    for competitor in tied:
        opponents = basis.records[competitor].opponents
        order[competitor] = sum([schedule[who] for who in opponents]) * (per_opponent // (len(opponents) or 1))
    return TiebreakValues(order, {who: Fraction(value, denominator * per_opponent) for who, value in order.items()})


def _schedule(records: Mapping[str, SwissTotals], whom: Iterable[str]) -> tuple[dict[str, int], int]:
    """Their strengths of schedule as whole numbers, and the common denominator of everyone's."""
    per_round = lcm(*{record.rounds for record in records.values() if record.rounds})
    ratio = {c: record.points * (per_round // record.rounds) for c, record in records.items() if record.rounds}
    per_opponent = _per_opponent(records)
    order: dict[str, int] = {}
    for competitor in whom:
        opponents = records[competitor].opponents
        order[competitor] = sum([ratio[opponent] for opponent in opponents]) * (per_opponent // (len(opponents) or 1))
    return order, per_round * per_opponent


def _per_opponent(records: Mapping[str, SwissTotals]) -> int:
    return lcm(*{len(record.opponents) for record in records.values() if record.opponents})


def opponents_points(basis: TiebreakInput, tied: Sequence[str]) -> TiebreakValues:
    """The sum of the opponents' tournament points; byes and unpaired losses add nothing."""
    records = basis.records
    sums = {who: sum([records[opponent].points for opponent in records[who].opponents]) for who in tied}
    return TiebreakValues(sums, sums)


def _opponents_figure(key: str) -> Step:
    def values(basis: TiebreakInput, tied: Sequence[str]) -> TiebreakValues:
        records = basis.records
        sums = {
            who: sum([records[opponent].figures.get(key, 0) for opponent in records[who].opponents]) for who in tied
        }
        return TiebreakValues(sums, sums)

    return values


def head_to_head(basis: TiebreakInput, tied: Sequence[str]) -> TiebreakValues:
    """The matches between the tied alone: points, then SCORE. House decision: only if all of them have met; and never
    once they play for the place in a tie-break round, also where one of them is disqualified since."""
    among = set(tied)
    opponents = {who: set(basis.records[who].opponents) for who in tied}
    if any(two not in opponents[one] for one, two in combinations(tied, 2)) or (
        decides_place(basis) and _games_of(basis, tied)[0]
    ):
        return TiebreakValues(dict.fromkeys(tied, (0, 0)), {})
    order: dict[str, tuple[int, int]] = {}
    for who in tied:
        record = basis.records[who]
        tallies = [tally for opponent, tally in zip(record.opponents, record.tallies, strict=True) if opponent in among]
        order[who] = (sum(t.points for t in tallies), sum(t.figures.get("score", 0) for t in tallies))
    return TiebreakValues(order, {})


def _games_of(basis: TiebreakInput, tied: Sequence[str]) -> tuple[list[TiebreakMatch], set[str]]:
    """The tie-break matches of the tied, and who plays in them: earlier results stand where somebody was disqualified,
    who has no place."""
    out = {c.id for c in basis.tournament.competitors if c.disqualified_after is not None}.difference(tied)
    games = meetings_among(basis.tournament, [*tied, *out], basis.after)
    field = set(tied).union(*(game.pair for game in games if not game.pair.isdisjoint(tied)))
    return [game for game in games if game.pair <= field], field


def tiebreak_round(basis: TiebreakInput, tied: Sequence[str]) -> TiebreakValues:
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


def _lot(basis: TiebreakInput, tied: Sequence[str]) -> TiebreakValues:
    """The lot from the event's seed; the smaller one is better, hence the minus sign."""
    tickets = {competitor: lot_number(basis.tournament.seed, competitor) for competitor in tied}
    return TiebreakValues({competitor: -int.from_bytes(ticket, "big") for competitor, ticket in tickets.items()}, {})


STEPS: dict[str, Step] = {
    "mov": _figure("mov"),
    "sos": strength_of_schedule,
    "extended_sos": extended_strength,
    "opponents_points": opponents_points,
    "score": _figure("score"),
    "head_to_head": head_to_head,
    "opponents_score": _opponents_figure("score"),
    "struggles": _figure("struggles"),
    "wounds": _figure("wounds"),
    TIEBREAK_ROUND: tiebreak_round,
    RANDOM: _lot,
}
