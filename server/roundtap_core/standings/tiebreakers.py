"""The tiebreakers by their keys in the event file: what each compares, and what of it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

from msgspec import Struct

from roundtap_core.randomness import lot
from roundtap_core.records import Tournament
from roundtap_core.standings.tiebreak_round import at_stake, here_after, tiebreak_values
from roundtap_core.standings.totals import SwissTotals

RANDOM = "random"


class Basis(Struct, frozen=True):
    """What a tiebreaker may look at: the tournament after round `after` (None: all of it), what was gathered, and who
    is placed above the tied already."""

    tournament: Tournament
    after: int | None
    records: Mapping[str, SwissTotals]
    above: Sequence[str] = ()


class Values(Struct, frozen=True):
    """A tiebreaker's values: `order` compares (more is better), `shown` is what a reader sees (empty: nothing)."""

    order: Mapping[str, Any]
    shown: Mapping[str, int | Fraction]


Step = Callable[[Basis, Sequence[str]], Values]
"""A tiebreaker: the values of the competitors named, who are tied so far. Asked about all of them first, and again
about each tie only if it is listed in AMONG_TIED."""


def _figure(key: str) -> Step:
    """A figure that the rulebook sums over the rounds."""

    def values(basis: Basis, tied: Sequence[str]) -> Values:
        sums = {competitor: basis.records[competitor].figures.get(key, 0) for competitor in tied}
        return Values(sums, sums)

    return values


def strength_of_schedule(basis: Basis, tied: Sequence[str]) -> Values:
    """The mean over the opponents of their points per round played ("Stärke des Spielplans").

    An opponent met twice counts twice; byes have no opponent and add nothing; without opponents it is 0.
    Compared as whole numbers over common denominators: exact, and without a fraction per addition.
    """
    order, denominator = _schedule(basis.records)
    return Values({competitor: order[competitor] for competitor in tied},
                  {competitor: Fraction(order[competitor], denominator) for competitor in tied})


def extended_strength(basis: Basis, tied: Sequence[str]) -> Values:
    """The mean of the opponents' strength of schedule (KeyForge, "Calidad de los oponentes ampliada")."""
    schedule, denominator = _schedule(basis.records)
    per_opponent = _per_opponent(basis.records)
    order: dict[str, int] = {}
    for competitor in tied:
        opponents = basis.records[competitor].opponents
        order[competitor] = sum([schedule[who] for who in opponents]) * (per_opponent // (len(opponents) or 1))
    return Values(order, {who: Fraction(value, denominator * per_opponent) for who, value in order.items()})


def _schedule(records: Mapping[str, SwissTotals]) -> tuple[dict[str, int], int]:
    """Everybody's strength of schedule as whole numbers, and the denominator of them all."""
    per_round = lcm(*{record.rounds for record in records.values() if record.rounds})
    ratio = {c: record.points * (per_round // record.rounds) for c, record in records.items() if record.rounds}
    per_opponent = _per_opponent(records)
    order: dict[str, int] = {}
    for competitor, record in records.items():
        total = sum([ratio[opponent] for opponent in record.opponents])
        order[competitor] = total * (per_opponent // (len(record.opponents) or 1))
    return order, per_round * per_opponent


def _per_opponent(records: Mapping[str, SwissTotals]) -> int:
    return lcm(*{len(record.opponents) for record in records.values() if record.opponents})


def opponents_points(basis: Basis, tied: Sequence[str]) -> Values:
    """The sum of the opponents' tournament points; byes and unpaired losses add nothing."""
    records = basis.records
    sums = {who: sum([records[opponent].points for opponent in records[who].opponents]) for who in tied}
    return Values(sums, sums)


def _opponents_figure(key: str) -> Step:
    """The sum of a figure that the opponents have gathered."""

    def values(basis: Basis, tied: Sequence[str]) -> Values:
        records = basis.records
        sums = {who: sum([records[opponent].figures.get(key, 0) for opponent in records[who].opponents])
                for who in tied}
        return Values(sums, sums)

    return values


def head_to_head(basis: Basis, tied: Sequence[str]) -> Values:
    """The matches between the tied alone: points, then SCORE (Warlords 2.2).

    House decision: where not all of them have met, it decides nothing.
    """
    among = set(tied)
    met = {who: set(basis.records[who].opponents) for who in tied}
    if any(two not in met[one] for one, two in combinations(tied, 2)):
        return Values(dict.fromkeys(tied, (0, 0)), {})
    order: dict[str, tuple[int, int]] = {}
    for who in tied:
        record = basis.records[who]
        tallies = [tally for opponent, tally in zip(record.opponents, record.tallies, strict=True)
                   if opponent in among]
        order[who] = (sum(t.points for t in tallies), sum(t.figures.get("score", 0) for t in tallies))
    return Values(order, {})


def tiebreak_round(basis: Basis, tied: Sequence[str]) -> Values:
    """What the tie-break rounds between the tied have decided (Warlords 2.4.2).

    Before any was played: who has left cannot play one, and stands below where a place is at stake (house decision).
    """
    values = tiebreak_values(basis.tournament, tied, basis.after)
    if len(set(values.values())) == 1:
        here = here_after(basis.tournament, basis.after)
        if any(who in here for who in tied) and at_stake(basis.tournament, basis.above, here, basis.after):
            values = {who: (int(who in here),) for who in tied}
    return Values(values, {})


def _lot(basis: Basis, tied: Sequence[str]) -> Values:
    """The ticket drawn once from the event's seed; the smaller one is better, so it is turned round."""
    tickets = {competitor: lot(basis.tournament.seed, competitor) for competitor in tied}
    return Values({competitor: -int.from_bytes(ticket, "big") for competitor, ticket in tickets.items()}, {})


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
"""Every tiebreaker by its key in the event file."""

AMONG_TIED: frozenset[str] = frozenset(("head_to_head", "tiebreak_round", RANDOM))
"""Tiebreakers that are asked about a tie only, since they depend on who is tied or are not worth a look before."""
