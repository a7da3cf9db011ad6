"""Squads of a list: fielded ones, those still to field, and when rounds run short."""

from collections.abc import Iterable

from msgspec import Struct

from roundtap_core.records import SIDES, Match, Round


class SquadsToField(Struct, frozen=True):
    """`squads` not fielded yet in `rounds` guaranteed Swiss rounds. `must`: picks have to come from these; `late`: even
    that is no longer enough."""

    squads: tuple[int, ...]
    rounds: int
    must: bool
    late: bool


def squad_letter(squad: int) -> str:
    """The letter of a squad, as people call it: the first is A. Files number them."""
    return chr(ord("A") + squad - 1)


def squads_unfieldable(owed: Iterable[int], picks: Iterable[int], rounds_after: int) -> tuple[int, ...]:
    """Squads that can no longer all be fielded after these picks in the guaranteed rounds left."""
    marked = set(picks)
    left = tuple(squad for squad in owed if squad not in marked)
    return left if len(left) > len(marked) * rounds_after else ()


def fielded_squads(rounds: Iterable[Round]) -> dict[str, set[int]]:
    """Competitor → squads fielded so far; a bye's picks count, a missed round has none."""
    fielded: dict[str, set[int]] = {}
    for played in rounds:
        for match in played.matches:
            for who, picks in picks_in(match):
                fielded.setdefault(who, set()).update(picks)
    return fielded


def picks_in(match: Match) -> Iterable[tuple[str, list[int]]]:
    """The recorded picks of a match by competitor."""
    if match.b is None:
        if match.picks is not None:
            yield match.a, list(match.picks)
        return
    recorded = match.result.picks if match.result else None
    for side in SIDES:
        who = match.competitor(side)
        if recorded and side in recorded and who is not None:
            yield who, recorded[side]


def to_field(listed: int, taken: int, used: Iterable[int], rounds_left: int) -> SquadsToField:
    """What one competitor still has to field. `rounds_left`: Swiss rounds to come, including the current one. The
    warning comes when the unused squads are as many as the picks left (house decision: twice the guaranteed rounds)."""
    seen = set(used)
    unused = tuple(squad for squad in range(1, listed + 1) if squad not in seen)
    picks = taken * rounds_left
    return SquadsToField(unused, rounds_left, bool(unused) and len(unused) >= picks, len(unused) > picks)
