"""Reproducible randomness: one generator per purpose, the same on every machine and Python version."""

import hashlib
from collections.abc import Callable, MutableSequence
from typing import TypeVar

T = TypeVar("T")
Rand = Callable[[], float]

SEED_BITS = 53
"""Bits of an event's seed: as many as a number of JSON holds in every program."""


def generator(seed: int, stage: str, round_number: int, attempt: int, purpose: str) -> Rand:
    """Floats in [0, 1): ``random.Random.random`` with a text seed, stable across Python versions."""
    # Imported late: commands that only rank need no random numbers.
    from random import Random

    return Random(f"roundtap/1|{seed}|{stage}|{round_number}|{attempt}|{purpose}").random


def shuffle(items: MutableSequence[T], rand: Rand) -> None:
    """Fisher-Yates from the end, in place. (random.shuffle differs between Python versions.)"""
    for i in range(len(items) - 1, 0, -1):
        j = int(rand() * (i + 1))
        items[i], items[j] = items[j], items[i]


def lot_number(seed: int, competitor: str) -> bytes:
    """The last tiebreaker's lot, smaller first; late entries do not change it."""
    return hashlib.sha256(f"{seed}|tiebreak|{competitor}".encode()).digest()
