"""Whose journal this is: hubs of one lineage hold copies of one journal, and its epochs say which one is the newest.

The first epoch names the lineage. A later one is begun by a hub that took over; it carries its number and a mark that
only who holds the folder's secret can make, so that an older hub believes it from whoever brings it.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from pathlib import Path

from roundtap_hub.journal.venue import Venue

RANDOM_DIGITS, MARK_DIGITS = 8, 16


def lineage_key(secret: bytes) -> bytes:
    """What hubs of one lineage sign with among each other; `secret`: of the folder (hub.read_or_make_secret)."""
    return hmac.digest(secret, b"roundtap/lineage/1", "sha256")


def next_epoch(epochs: Sequence[str], key: bytes, token_hex: Callable[[int], str]) -> str:
    """A new epoch after `epochs` (the first one names the lineage). `token_hex`: so many random bytes, in hex."""
    number, chance = len(epochs) + 1, token_hex(RANDOM_DIGITS // 2)
    return f"{number}-{chance}-{_mark(key, epochs[0], number, chance)}"


def following_epoch(folder: Path, venue: Venue, token_hex: Callable[[int], str]) -> str:
    """The epoch that a hub's folder begins next: by its secret, so that other hubs of the lineage know it for newer; by
    chance alone where it has none, or no epoch yet."""
    try:
        key = lineage_key(bytes.fromhex((folder / "secret").read_text().strip()))
    except (OSError, ValueError):
        return token_hex(8)
    return next_epoch(venue.epochs, key, token_hex) if venue.epochs else token_hex(8)


def epoch_number(lineage: str, epoch: str, key: bytes) -> int | None:
    """Which epoch of this lineage it is, by its mark: 2, 3, … None for any other text."""
    number, _, rest = epoch.partition("-")
    chance, _, mark = rest.partition("-")
    if not (number.isdigit() and number.isascii() and len(number) < 6):
        return None
    right = _mark(key, lineage, int(number), chance)
    return int(number) if mark.isascii() and hmac.compare_digest(mark, right) else None


def is_newer(epochs: Sequence[str], epoch: str, key: bytes) -> bool:
    """Whether `epoch` was begun in this lineage after all that this journal knows."""
    if not epochs or epoch in epochs:
        return False
    number = epoch_number(epochs[0], epoch, key)
    return number is not None and number > len(epochs)


def _mark(key: bytes, lineage: str, number: int, chance: str) -> str:
    return hmac.digest(key, f"epoch\n{lineage}\n{number}\n{chance}".encode(), "sha256").hex()[:MARK_DIGITS]
