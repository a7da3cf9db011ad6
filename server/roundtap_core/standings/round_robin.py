"""Everybody against everybody, round by round: the circle method."""

from collections.abc import Sequence


def circle(players: Sequence[str | None]) -> list[list[tuple[str, str]]]:
    """One stays, the others rotate; an empty seat (None) for an odd number. Whoever meets that one waits."""
    ring: list[str | None] = [*players, *([None] if len(players) % 2 else [])]
    rounds = []
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        facing = zip(ring[:half], reversed(ring[half:]), strict=True)
        rounds.append([(a, b) for a, b in facing if a is not None and b is not None])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return rounds
