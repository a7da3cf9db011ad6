"""Faults in the log, limited in number: a peer that causes a thousand faults must not fill the unit's card."""

import logging
from collections.abc import Callable

BURST_MAX = 10  # tracebacks in a row; then one in each pause
PAUSE_MS = 60_000


class FaultLog:
    """One log for a loop; any thread may use it."""

    def __init__(self, log: logging.Logger, mono_ms: Callable[[], int]) -> None:
        self._log, self._mono_ms = log, mono_ms
        self._left = BURST_MAX
        self._next_ms = 0
        self._suppressed = 0

    def log_exception(self, what: str) -> None:
        now_ms = self._mono_ms()
        if now_ms >= self._next_ms:
            self._left, self._next_ms = max(1, self._left), now_ms + PAUSE_MS
        if not self._left:
            self._suppressed += 1
            return
        self._left -= 1
        more = f" ({self._suppressed} more since the last line)" if self._suppressed else ""
        self._suppressed = 0
        self._log.exception("%s%s", what, more)
