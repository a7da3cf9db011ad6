"""Standings: what every competitor has gathered in the Swiss rounds, and the order that points and tiebreakers give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.randomness import lot
from roundtap_core.records import BYE, SWISS, WON_BYE, Match, Tournament
from roundtap_core.rulebooks import rulebook
from roundtap_core.rulebooks.base import LOSS, WIN, Options, Rulebook, Tally

POINTS, RANDOM, LAST = "points", "random", "last"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the standings, best first. `decided_by` names what put it above the next row.

    `by_chance` marks both neighbours of a tie that only the lot decided.
    """

    rank: int
    competitor: str
    points: int
    rounds: int
    wins: int
    losses: int
    draws: int
    byes: int
    tiebreakers: dict[str, int | Fraction]
    decided_by: str
    by_chance: bool


@dataclass(slots=True)
class Gathered:
    """What one competitor has gathered: outcomes, byes ("bye" and "won"), summed figures, opponents met in order."""

    points: int = 0
    rounds: int = 0
    wins: int = 0
    losses: int = 0
    draws: int = 0
    byes: int = 0
    figures: dict[str, int] = field(default_factory=dict)
    opponents: list[str] = field(default_factory=list)


def gather(tournament: Tournament, after: int | None = None) -> dict[str, Gathered]:
    """Every competitor's record over the Swiss rounds (up to round `after`), in the file's order.

    Open matches do not count. Raises Problem, with its place, for a result its rulebook cannot read.
    """
    book = rulebook(tournament.rulebook)
    options = book.options(tournament.options)
    records = {competitor.id: Gathered() for competitor in tournament.competitors}
    for r, played in enumerate(tournament.rounds):
        if played.stage != SWISS or (after is not None and played.number > after):
            continue
        for m, match in enumerate(played.matches):
            if match.result is None and match.bye is None:
                continue
            try:
                _count(records, match, book, options)
            except Problem as problem:
                raise problem.at(f"/rounds/{r}/matches/{m}/result") from None
    return records


def _count(records: Mapping[str, Gathered], match: Match, book: Rulebook, options: Options) -> None:
    if match.bye is not None:
        _add(records[match.a], book.tally(match, "a", options))
        if match.bye in (BYE, WON_BYE):
            records[match.a].byes += 1
        return
    assert match.b is not None
    a, b = records[match.a], records[match.b]
    _add(a, book.tally(match, "a", options))
    a.opponents.append(match.b)
    _add(b, book.tally(match, "b", options))
    b.opponents.append(match.a)


def _add(record: Gathered, tally: Tally) -> None:
    record.points += tally.points
    record.rounds += 1
    if tally.outcome == WIN:
        record.wins += 1
    elif tally.outcome == LOSS:
        record.losses += 1
    else:
        record.draws += 1
    figures = record.figures
    for key, value in tally.figures.items():
        figures[key] = figures.get(key, 0) + value


@dataclass(frozen=True, slots=True)
class Basis:
    """What a tiebreaker may look at."""

    tournament: Tournament
    records: Mapping[str, Gathered]


@dataclass(frozen=True, slots=True)
class Values:
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
    """The mean over the opponents of their points per round played (RULEBOOKS, "Strength of schedule").

    An opponent met twice counts twice; byes have no opponent and add nothing; without opponents it is 0.
    Compared as whole numbers over common denominators: exact, and without a fraction per addition.
    """
    records = basis.records
    per_round = lcm(*{record.rounds for record in records.values() if record.rounds})
    ratio = {c: record.points * (per_round // record.rounds) for c, record in records.items() if record.rounds}
    per_opponent = lcm(*{len(record.opponents) for record in records.values() if record.opponents})
    order: dict[str, int] = {}
    shown: dict[str, int | Fraction] = {}
    for competitor in tied:
        opponents = records[competitor].opponents
        count = len(opponents) or 1
        total = sum([ratio[opponent] for opponent in opponents])
        order[competitor] = total * (per_opponent // count) if total else 0
        shown[competitor] = Fraction(total, per_round * count)
    return Values(order, shown)


def _lot(basis: Basis, tied: Sequence[str]) -> Values:
    """The ticket drawn once from the event's seed; the smaller one is better, so it is turned round."""
    tickets = {competitor: lot(basis.tournament.seed, competitor) for competitor in tied}
    return Values({competitor: -int.from_bytes(ticket, "big") for competitor, ticket in tickets.items()}, {})


STEPS: dict[str, Step] = {
    "mov": _figure("mov"),
    "sos": strength_of_schedule,
    RANDOM: _lot,
}
"""Every tiebreaker by its key in the event file."""

AMONG_TIED: frozenset[str] = frozenset((RANDOM,))
"""Tiebreakers that are asked about a tie only, since they depend on who is tied or are not worth a look before."""


def standings(tournament: Tournament, after: int | None = None) -> tuple[Row, ...]:
    """The standings after round `after` (default: after all Swiss rounds recorded), best first, everybody in them.

    Order: points, then the rulebook's tiebreakers; whoever left keeps a place. Raises Problem, with its place in
    the event file, for a result that cannot be read.
    """
    basis = Basis(tournament, gather(tournament, after))
    everybody = list(basis.records)
    keys = rulebook(tournament.rulebook).tiebreakers
    general = {key: STEPS[key](basis, everybody) for key in keys if key not in AMONG_TIED}
    points = {competitor: record.points for competitor, record in basis.records.items()}

    order: list[tuple[str, str]] = []

    def settle(tied: list[str], level: int) -> None:
        """Append `tied` in order; every one with what separates it from the one before it (None yet: the group's)."""
        if len(tied) == 1:
            order.append((tied[0], ""))
            return
        if level > len(keys):
            raise AssertionError("the last tiebreaker left a tie")
        if level == 0:
            values: Mapping[str, Any] = points
        else:
            key = keys[level - 1]
            values = general[key].order if key in general else STEPS[key](basis, tied).order
        for group in _split(tied, values):
            settle(group, level + 1)
            order[-1] = (order[-1][0], keys[level - 1] if level else POINTS)

    if everybody:
        settle(everybody, 0)
    return tuple(_rows(order, basis.records, {key: values.shown for key, values in general.items()}))


def _split(tied: Sequence[str], values: Mapping[str, Any]) -> list[list[str]]:
    """The competitors in groups of equal value, the most first; within a group their order stays."""
    groups: dict[Any, list[str]] = {}
    for competitor in tied:
        groups.setdefault(values[competitor], []).append(competitor)
    return [groups[value] for value in sorted(groups, reverse=True)]


def _rows(
    order: Sequence[tuple[str, str]], records: Mapping[str, Gathered], shown: Mapping[str, Mapping[str, int | Fraction]]
) -> Iterable[Row]:
    deciders = [decided_by for _, decided_by in order[:-1]] + [LAST]
    for i, (competitor, _) in enumerate(order):
        record = records[competitor]
        yield Row(
            rank=i + 1,
            competitor=competitor,
            points=record.points,
            rounds=record.rounds,
            wins=record.wins,
            losses=record.losses,
            draws=record.draws,
            byes=record.byes,
            tiebreakers={key: values[competitor] for key, values in shown.items() if competitor in values},
            decided_by=deciders[i],
            by_chance=RANDOM in (deciders[i], deciders[i - 1] if i else LAST),
        )


def standings_to_json(rows: Iterable[Row], after_round: int) -> dict[str, Any]:
    """What `roundtap standings` prints (event-file.md). Fractions are exact strings, always "num/den"."""
    return {
        "after_round": after_round,
        "standings": [
            {
                "rank": row.rank,
                "competitor": row.competitor,
                "points": row.points,
                "rounds": row.rounds,
                "wins": row.wins,
                "losses": row.losses,
                "draws": row.draws,
                "byes": row.byes,
                "tiebreakers": {key: _exact(value) for key, value in row.tiebreakers.items()},
                "decided_by": row.decided_by,
                "by_chance": row.by_chance,
            }
            for row in rows
        ],
    }


def _exact(value: int | Fraction) -> int | str:
    return f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else value
