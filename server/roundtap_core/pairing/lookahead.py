"""Lookahead for small fields: is there still a legal way through the remaining rounds? (Line 3b.)"""

from __future__ import annotations

from collections.abc import Sequence

from roundtap_core.pairing.pairing_pool import Met, Pairs

STEPS = 20_000


class Budget:
    """The steps a search may still take; without any left it is undecided."""

    def __init__(self, steps: int = STEPS) -> None:
        self.left = steps

    def spend(self) -> bool:
        self.left -= 1
        return self.left >= 0


def first_feasible(draws: Sequence[Pairs], met: Met, byes: Sequence[int], rounds_left: int) -> Pairs:
    """The first of `draws` after which `rounds_left` more rounds are possible without a repeat; else simply the first.

    `draws` come in random order, so the choice is uniform. `byes` include this round's. One draw gets at most a tenth
    of the steps, so a dead end that is hard to prove does not use them all.
    """
    left = STEPS
    for pairs in draws:
        budget = Budget(min(left, STEPS // 10))
        if _can_follow(pairs, met, byes, rounds_left, budget):
            return pairs
        left -= STEPS // 10 - max(budget.left, 0)
        if left <= 0:
            break
    return draws[0]


def repeat_is_ahead(pairs: Pairs, met: Met, byes: Sequence[int], rounds_left: int) -> bool:
    """Whether it is proved that one of the `rounds_left` rounds after `pairs` must repeat a pairing, if all stay.

    False if the search ran out of steps. `byes` as in `first_feasible`.
    """
    budget = Budget()
    return not _can_follow(pairs, met, byes, rounds_left, budget) and budget.left >= 0


def _can_follow(pairs: Pairs, met: Met, byes: Sequence[int], rounds_left: int, budget: Budget) -> bool:
    """Whether so many legal rounds can follow `pairs`.

    In an odd field where no one needs a second bye, the bye is one more member whom each meets once: rounds can then be
    reordered, too.
    """
    later = [set(opponents) for opponents in met]
    for a, b in pairs:
        later[a].add(b)
        later[b].add(a)
    next_out = [member for member in range(len(met)) if byes[member] == min(byes)]
    if len(met) % 2 and rounds_left <= len(next_out):
        sat_out = set(range(len(met))) - set(next_out)
        for member in sat_out:
            later[member].add(len(met))
        later.append(sat_out)
    return _possible(later, list(byes), rounds_left, budget, 0)


def _possible(met: list[set[int]], byes: list[int], rounds_left: int, budget: Budget, at_least: int) -> bool:
    """Whether that many legal rounds can follow; in an odd field one of those with the fewest byes sits out each.

    Rounds of an even field may change places, so the first member's opponents are taken in ascending order, from
    `at_least` on.
    """
    if rounds_left == 0:
        return True
    size = len(met)
    odd = size % 2
    for member, opponents in enumerate(met):
        missing = rounds_left - (size - 1 - len(opponents))
        if missing > 0 and not (odd and missing <= _most_byes(byes, member, rounds_left)):
            return False
    # A member without a choice has to meet everyone left; more of those than rounds cannot all meet one member.
    pressed = {member for member in range(size) if not odd and size - 1 - len(met[member]) == rounds_left}
    if any(len(pressed - opponents - {member}) > rounds_left for member, opponents in enumerate(met)):
        return False
    sitting = [i for i in range(size) if byes[i] == min(byes)] if odd else [None]
    for out in sitting:
        members = [i for i in range(size) if i != out]
        if out is not None:
            byes[out] += 1
        found = _round_then(members, met, byes, rounds_left, budget, at_least if not odd else 0, not odd)
        if out is not None:
            byes[out] -= 1
        if found or budget.left < 0:
            return found
    return False


def _most_byes(byes: Sequence[int], member: int, rounds: int) -> int:
    """How many byes a member may get in so many rounds: one whenever no one has fewer."""
    counts = list(byes)
    for _ in range(rounds):
        fewest = min(counts)
        counts[member if counts[member] == fewest else counts.index(fewest)] += 1
    return counts[member] - byes[member]


def _round_then(
    members: list[int], met: list[set[int]], byes: list[int], rounds_left: int, budget: Budget, at_least: int,
    ascending: bool,
) -> bool:
    """Pair `members` without a repeat in some way that the later rounds can follow."""
    following = 0

    def pair(rest: list[int]) -> bool:
        nonlocal following
        if not budget.spend():
            return False
        if not rest:
            return _possible(met, byes, rounds_left - 1, budget, following)
        a = rest[0]
        for i in range(1, len(rest)):
            b = rest[i]
            if b in met[a] or (ascending and a == 0 and b < at_least):
                continue
            if ascending and a == 0:
                following = b + 1
            met[a].add(b)
            met[b].add(a)
            found = pair(rest[1:i] + rest[i + 1:])
            met[a].discard(b)
            met[b].discard(a)
            if found:
                return True
        return False

    return pair(members)
