"""Ids of events: made by chance, so that last week's reports never meet this week's event."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable

LETTERS = 10
"""Fifty bits: two hubs that made a thousand events a year for a century would share one with a chance of one in
two hundred thousand."""


def random_event_id(chance: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """"e" and ten letters of base32, lower case. `chance(n)` gives n random bytes."""
    return "e" + base64.b32encode(chance(LETTERS * 5 // 8 + 1)).decode().lower()[:LETTERS]
