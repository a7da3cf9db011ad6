"""Who gets the bye of an odd field (line 2 of the criterion)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from roundtap_core.pairing.cardinality import LargestMatching
from roundtap_core.pairing.field import Field, Met
from roundtap_core.randomness import Rand, shuffle
from roundtap_core.records import Tournament
from roundtap_core.rulebooks.base import BYE_LAST, BYE_RANDOM_LOWEST
from roundtap_core.standings.standings import standings

RANDOM = "random"


class Bye(Struct, frozen=True):
    """The choice and its reason: `why` is "random" (first round), "last" or "random-lowest" (the rulebook's ways).

    `passed_over` would have come first, but without them a repeat could not have been avoided.
    """

    member: int
    why: str
    passed_over: tuple[int, ...] = ()


def first_bye(members: Sequence[int], rand: Rand) -> Bye:
    """The first round's bye, uniformly random (every rulebook)."""
    return Bye(members[int(rand() * len(members))], RANDOM)


def later_bye(field: Field, way: str, tournament: Tournament, rand: Rand) -> Bye:
    """The first in the rulebook's order whose absence costs no repeat; only those with the fewest byes are asked.

    A house decision: nobody gets a second bye while somebody without one is left, at the price of a repeat.
    """
    order = _order(field, way, tournament, rand)
    harmless = _harmless(range(len(field.ids)), field.met)
    chosen = next((i for i, member in enumerate(order) if harmless is None or member in harmless), 0)
    return Bye(order[chosen], way, tuple(order[:chosen]))


def _order(field: Field, way: str, tournament: Tournament, rand: Rand) -> list[int]:
    fewest = min(field.byes)
    members = [i for i, byes in enumerate(field.byes) if byes == fewest]
    if way == BYE_LAST:
        place = {row.competitor: place for place, row in enumerate(standings(tournament))}
        # Who came too late for every round so far stands below everybody who has played.
        return sorted(members, key=lambda i: -place.get(field.ids[i], len(place)))
    assert way == BYE_RANDOM_LOWEST
    order: list[int] = []
    for group in reversed(field.groups(members)):
        shuffle(group, rand)
        order += group
    return order


def _harmless(members: Sequence[int], met: Met) -> set[int] | None:
    """Those whose absence leaves as few repeats as any absence can; None: everybody's (a large enough field)."""
    if len(members) - 1 >= 2 * max(map(len, met)) + 2:
        return None  # Dirac: whoever stays out, the others can all be paired without a repeat.
    return LargestMatching(members, met).spare
