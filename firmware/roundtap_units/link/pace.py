"""How fast a feed may be: a hub gone wild makes the unit wait before it reads on, instead of filling its memory."""

from __future__ import annotations

from collections.abc import Callable

AT_ONCE = 200
PER_S = 40
"""A hall's busiest table hears a few messages a second."""


class Pace:
    """For one thread that reads."""

    def __init__(self, mono_ms: Callable[[], int]) -> None:
        self._mono_ms = mono_ms
        self._left = float(AT_ONCE)
        self._at_ms = mono_ms()

    def wait_s(self) -> float:
        """One more message was read: so many seconds until the next should be."""
        now_ms = self._mono_ms()
        self._left = min(AT_ONCE, self._left + max(0, now_ms - self._at_ms) * PER_S / 1000) - 1
        self._at_ms = now_ms
        return max(0.0, -self._left / PER_S)
