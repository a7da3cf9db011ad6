"""The draw of an even field by lines 1, 3 and 4 of the criterion, in the way that suits its size."""

from __future__ import annotations

from collections.abc import Sequence

from roundtap_core.pairing.bounded import fewest_repeats
from roundtap_core.pairing.cardinality import LargestMatching
from roundtap_core.pairing.field import Chance, Field, Met, Pairs
from roundtap_core.pairing.lookahead import first_feasible
from roundtap_core.pairing.small import LARGEST, best_rounds
from roundtap_core.pairing.topdown import WIDEST, TopDown
from roundtap_core.pairing.window import solve
from roundtap_core.randomness import shuffle


def draw_round(field: Field, members: Sequence[int], chance: Chance, byes: Sequence[int], rounds_left: int) -> tuple[
    Pairs, str
]:
    """The pairs of an even number of `members`, and the way they were drawn.

    `byes` are everybody's byes with this round's, `rounds_left` the Swiss rounds to come after it (0: unknown or
    none): small fields look ahead at them.
    """
    if len(members) <= LARGEST:
        draws = best_rounds(field.groups(members), field.met)
        shuffle(draws, chance.of("enumerated"))
        if rounds_left > 0 and len(field.ids) <= LARGEST and not field.repeats(draws[0]):
            return first_feasible(draws, field.met, byes, rounds_left), "enumerated"
        return draws[0], "enumerated"
    pairs, method = draw_large(field, members, field.met, chance)
    if method != "ideal":
        _mix(pairs, chance)
    return pairs, method


def draw_large(field: Field, members: Sequence[int], met: Met, chance: Chance) -> tuple[Pairs, str]:
    """The same without a look at the number of members: only the structure of the field decides the way."""
    groups = field.groups(members)
    most_met = max(map(len, met))
    if len(members) < 2 * most_met + 2:
        largest = LargestMatching(members, met)
        if not largest.partner:
            # Everybody has met everybody: every round has the same repeats, so they need not be looked at.
            met, most_met = [set() for _ in met], 0
        elif largest.unmatched:
            rand = chance.of("search")
            if len(members) > WIDEST:
                return fewest_repeats(groups, met, largest, rand), "windowed"
            return solve(groups, met, rand, to_the_end=True, repeats=True).pairs, "exact"
    return TopDown(groups, met, chance, most_met).run()


def _mix(pairs: Pairs, chance: Chance) -> None:
    """A search leaves its pairs in a telling order; tables and sides should tell nothing."""
    rand = chance.of("order")
    shuffle(pairs, rand)
    for i, (a, b) in enumerate(pairs):
        if rand() < 0.5:
            pairs[i] = (b, a)
