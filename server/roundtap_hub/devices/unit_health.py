"""What a unit says of its own machine, as far as the hub believes it: a few bounded words, and nothing that hurts."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from roundtap_core.messages import Health
from roundtap_core.typed import salvaged


def kept(said: object) -> str:
    """A status's `health` as the hub keeps it; "" for what is no health. What is odd in it is left out: a call for a
    judge that comes with it must not be lost for that."""
    return msgspec.json.encode(salvaged(Health, said)).decode() if isinstance(said, dict) else ""


@lru_cache(maxsize=512)
def health_of(text: str) -> Health | None:
    """What was kept; None: the unit has not said."""
    return msgspec.json.decode(text, type=Health) if text else None
