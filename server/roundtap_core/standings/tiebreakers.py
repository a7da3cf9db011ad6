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
from roundtap_core.standings.totals import SwissTotals

EACH, KNOCKOUT = "each", "knockout"
"""How three or more play out a tie: round robin or single elimination. Chosen by the organizer, kept in the round's
`tiebreak_form`."""

Worth = tuple[int, ...]

RANDOM = "random"

AMONG_TIED: frozenset[str] = frozenset(("head_to_head", "tiebreak_round", RANDOM))
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
    found = []
    for played in tournament.rounds:
        if played.stage != TIEBREAK or (after is not None and played.number > after):
            continue
        for match in played.matches:
            if match.b is None or match.a not in among or match.b not in among:
                continue
            side = book.winner(match.result, options) if match.result else ""
            winner = match.a if side == "a" else match.b if side == "b" else None
            found.append(TiebreakMatch(played.number, frozenset((match.a, match.b)), winner, match.result is None))
    return found


def tiebreak_values(tournament: Tournament, tied: Sequence[str], after: int | None = None) -> Mapping[str, Worth]:
    """Each tied competitor's value from the tie-break rounds, higher is better; all equal while undecided. Round robin:
    wins once all have met, then once all have met again, and so on. Single elimination: a later loss is better. Those
    who left before meeting everyone rank below."""
    meetings = meetings_among(tournament, tied, after)
    if not meetings:
        return dict.fromkeys(tied, ())
    # Looks at the whole event: those who met all of their tie left it when they left the others of that tie.
    last = max(played.number for played in tournament.stage_rounds(TIEBREAK) if after is None or played.number <= after)
    playing = _not_left(tournament, tied, meetings, last)
    meetings = [meeting for meeting in meetings if meeting.pair <= playing]
    if meetings and event_tiebreak_form(tournament) == KNOCKOUT:
        gone = {who for who in playing if not _is_present(tournament, who, last)}
        # Leaving unbeaten means missing the next round: below the unbeaten, above the beaten.
        worth: dict[str, Worth] = {
            who: (1, _lost_in(who, meetings) or (last + 1 if who in gone else last + 2)) for who in playing
        }
    else:
        worth = {who: (1, *_wins(who, playing, meetings)) for who in playing}
    return {who: worth.get(who, (0,)) for who in tied}


def _not_left(tournament: Tournament, tied: Sequence[str], meetings: Sequence[TiebreakMatch], last: int) -> set[str]:
    """The tied without those who left by round `last` with meetings to play; those who never played have none."""
    met = {meeting.pair for meeting in meetings if not meeting.open}
    knockout = event_tiebreak_form(tournament) == KNOCKOUT
    here = {who for who in tied if _is_present(tournament, who, last)}
    began = {who for who in tied if who in here or any(who in pair for pair in met)}
    if knockout:
        return began
    done = {who for who in began if all(frozenset((who, other)) in met for other in began if other != who)}
    if not here and done != began:
        # No one is left to play the missing meetings: those completed by chance decide nothing.
        return set()
    return here | done


def _is_present(tournament: Tournament, who: str, last: int) -> bool:
    left = next(c for c in tournament.competitors if c.id == who).left_after
    return left is None or left > last


def _lost_in(who: str, meetings: Sequence[TiebreakMatch]) -> int | None:
    """The round in which `who` lost; after a double loss by ruling the two meet again."""
    return next((m.round for m in meetings if who in m.pair and m.winner not in (None, who)), None)


def _wins(who: str, playing: set[str], meetings: Sequence[TiebreakMatch]) -> list[int]:
    """Wins in all first meetings, all second ones, …, as far as these are complete."""
    by_pair: dict[frozenset[str], list[TiebreakMatch]] = {
        frozenset(pair): [] for pair in combinations(sorted(playing), 2)
    }
    for meeting in meetings:
        if not meeting.open:
            by_pair[meeting.pair].append(meeting)
    complete = min((len(played) for played in by_pair.values()), default=0)
    return [sum(played[k].winner == who for played in by_pair.values()) for k in range(complete)]


def next_tiebreak_pairs(tournament: Tournament, tied: Sequence[str], form: str) -> list[tuple[str, str]]:
    """The next pairs among `tied`, which is in the lot's order; those left over wait for the next round."""
    meetings = meetings_among(tournament, tied)
    if form == KNOCKOUT:
        unbeaten = [who for who in tied if _lost_in(who, meetings) is None]
        return list(zip(unbeaten[::2], unbeaten[1::2], strict=False))
    count = Counter(meeting.pair for meeting in meetings)
    fewest = min(count[frozenset(pair)] for pair in combinations(tied, 2))
    due = [[pair for pair in one if count[frozenset(pair)] == fewest] for one in _circle(tied)]
    return max(due, key=len)


def _circle(players: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Round robin by the circle method: one stays, the others rotate; an empty seat for an odd number."""
    ring: list[str | None] = [*players, *([None] if len(players) % 2 else [])]
    rounds = []
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        facing = zip(ring[:half], reversed(ring[half:]), strict=True)
        rounds.append([(a, b) for a, b in facing if a is not None and b is not None])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return rounds


def present_after(tournament: Tournament, after: int | None = None) -> set[str]:
    """Competitors present for what follows the Swiss and tie-break rounds up to `after`. Leaving during the elimination
    does not cost the place won before."""
    begun = next((r.number for r in tournament.rounds if r.stage == ELIMINATION), None)
    known = [number for number in (after, begun - 1 if begun else None) if number is not None]
    last = min(known, default=None)
    return {c.id for c in tournament.competitors if c.left_after is None or (last is not None and c.left_after > last)}


def decides_place(tournament: Tournament, above: Sequence[str], here: set[str], after: int | None = None) -> bool:
    """Whether the Swiss rounds are over and the place after those `above` carries a prize or a place in the cut. Prizes
    go by place, the cut to the best of those still present."""
    planned = planned_structure_or_none(tournament)
    played = sum(1 for r in tournament.stage_rounds(SWISS) if after is None or r.number <= after)
    if planned is None or not played or played < planned[0]:
        return False
    prizes = rulebook(tournament.rulebook).options(tournament.options).get("prize_places", 0)
    return len(above) < prizes or sum(who in here for who in above) < planned[1]


class TiebreakInput(Struct, frozen=True):
    """What a tiebreaker may use: the tournament after round `after` (None: all of it), the totals, and those ranked
    above the tie, to whom each is added that has a place."""

    tournament: Tournament
    after: int | None
    records: Mapping[str, SwissTotals]
    above: list[str] = []


class TiebreakValues(Struct, frozen=True):
    """A tiebreaker's values: `order` is compared (higher is better), `shown` is displayed (empty: nothing)."""

    order: Mapping[str, Any]
    shown: Mapping[str, int | Fraction]


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
    """The matches between the tied alone: points, then SCORE. House decision: only if all of them have met."""
    among = set(tied)
    met = {who: set(basis.records[who].opponents) for who in tied}
    if any(two not in met[one] for one, two in combinations(tied, 2)):
        return TiebreakValues(dict.fromkeys(tied, (0, 0)), {})
    order: dict[str, tuple[int, int]] = {}
    for who in tied:
        record = basis.records[who]
        tallies = [tally for opponent, tally in zip(record.opponents, record.tallies, strict=True) if opponent in among]
        order[who] = (sum(t.points for t in tallies), sum(t.figures.get("score", 0) for t in tallies))
    return TiebreakValues(order, {})


def tiebreak_round(basis: TiebreakInput, tied: Sequence[str]) -> TiebreakValues:
    """What the tie-break rounds between the tied have decided. Before any was played, departed competitors rank below
    where a place is at stake (house decision)."""
    values = tiebreak_values(basis.tournament, tied, basis.after)
    if len(set(values.values())) == 1:
        here = present_after(basis.tournament, basis.after)
        if any(who in here for who in tied) and decides_place(basis.tournament, basis.above, here, basis.after):
            values = {who: (int(who in here),) for who in tied}
    return TiebreakValues(values, {})


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
    "tiebreak_round": tiebreak_round,
    RANDOM: _lot,
}
