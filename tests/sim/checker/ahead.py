"""Small fields: whether the remaining rounds can still do without a repeat, if all stay."""

from collections.abc import Iterator, Mapping, Sequence

from checker.repeats import Met
from checker.shape import Grade, grade

LARGEST = 9
QUESTIONS_MAX = 5_000
"""Nine players who all meet one another by the end can be asked about for days; what takes more is left open."""
Meetings = dict[str, frozenset[str]]
Round = list[tuple[str, str]]
Known = dict[object, bool]
"""What `feasible` has found out: rounds that differ only in their order lead to the same question."""


class TooMany(Exception):
    """Whether it can be done is not found out."""


def matchings(members: Sequence[str], met: Met | None = None) -> Iterator[Round]:
    """Every way to pair them; with `met`, without a repeat."""
    if not members:
        yield []
        return
    first, *rest = members
    for other in rest:
        if met is None or other not in met[first]:
            for more in matchings([who for who in rest if who != other], met):
                yield [(first, other), *more]


def feasible(members: Sequence[str], met: Meetings, byes: Mapping[str, int], rounds: int, known: Known) -> bool:
    """Whether so many more rounds can be paired without a repeat, each bye among those with the fewest."""
    if not rounds:
        return True
    question = frozenset(met.items()), frozenset(byes.items()), rounds
    if question not in known:
        if len(known) >= QUESTIONS_MAX:
            raise TooMany
        known[question] = _found(members, met, byes, rounds, known)
    return known[question]


def _found(members: Sequence[str], met: Meetings, byes: Mapping[str, int], rounds: int, known: Known) -> bool:
    most = max(byes[who] for who in members)
    for who in members:
        rests_at_most = (most - byes[who] + 1 + rounds // len(members)) * (len(members) % 2)
        if len({*members} - met[who]) - 1 < rounds - rests_at_most:
            return False  # too few are left to meet
    rests: Sequence[str | None] = [None]
    if len(members) % 2:
        fewest = min(byes[who] for who in members)
        rests = [who for who in members if byes[who] == fewest]
    for rest in rests:
        later = {**byes, rest: byes[rest] + 1} if rest else byes
        for pairs in matchings([who for who in members if who != rest], met):
            if feasible(members, after(met, pairs), later, rounds - 1, known):
                return True
    return False


def after(met: Met, pairs: Round) -> Meetings:
    grown = {who: frozenset(others) for who, others in met.items()}
    for a, b in pairs:
        grown[a] |= {b}
        grown[b] |= {a}
    return grown


def needless_dead_end(
    pairs: Round, rest: str | None, points: Mapping[str, int], met: Met, byes: Mapping[str, int], rounds_left: int
) -> bool:
    """The round leads into a repeat that another round, as good in itself, would have left avoidable."""
    paired = [who for pair in pairs for who in pair]
    members = [*paired, rest] if rest else paired
    later = {who: byes.get(who, 0) + (who == rest) for who in members}
    known: Known = {}
    wanted: Grade = grade(pairs, points, met, paired)
    try:
        return not feasible(members, after(met, pairs), later, rounds_left, known) and any(
            grade(way, points, met, paired) == wanted and feasible(members, after(met, way), later, rounds_left, known)
            for way in matchings(paired)
        )
    except TooMany:
        return False


def best_that_leads_on(
    paired: Sequence[str], rest: str | None, points: Mapping[str, int], met: Met, byes: Mapping[str, int], left: int
) -> Grade | None:
    """The best grade of the rounds without a repeat after which `left` more need none; None where there is no such."""
    members = [*paired, rest] if rest else [*paired]
    later = {who: byes.get(who, 0) + (who == rest) for who in members}
    known: Known = {}
    ways = (way for way in matchings(paired, met) if feasible(members, after(met, way), later, left, known))
    return min((grade(way, points, met, paired) for way in ways), default=None)
