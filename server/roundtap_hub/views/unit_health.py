"""The state of a unit's machine, as the hub stores it."""

from functools import lru_cache

import msgspec

from roundtap_core.messages import Health
from roundtap_core.typed import salvage_message


def encode_health(said: object) -> str:
    """A unit's `Health` as the hub stores it; "" for an invalid one. Odd fields are left out, so that a call for a
    judge in the same status is not lost."""
    return msgspec.json.encode(salvage_message(Health, said)).decode() if isinstance(said, dict) else ""


@lru_cache(maxsize=512)
def decode_health(text: str) -> Health | None:
    """A stored health; None: the unit has sent none."""
    return msgspec.json.decode(text, type=Health) if text else None
