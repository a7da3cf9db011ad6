"""Logs that a hall cannot fill: of one message a few a minute, then how many more there were."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

A_MINUTE = 5
"""Of one message; with its traceback, where it has one, the first time only."""
MINUTE_S = 60.0
MESSAGES_KEPT = 512
LETTERS_MAX = 4000


@dataclass(slots=True)
class _Said:
    since_s: float
    times: int = 0


class BoundedLog(logging.Filter):
    """Lets a message of one logger and one wording through a few times a minute. `now_s` is a monotonic clock."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now_s = now_s
        self._lock = threading.Lock()
        self._said: dict[tuple[str, str], _Said] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        key, now_s = (record.name, str(record.msg)[:200]), self._now_s()
        with self._lock:
            said = self._said.get(key)
            more = 0
            if said is None or now_s - said.since_s >= MINUTE_S:
                more = max(0, said.times - A_MINUTE) if said else 0
                if len(self._said) >= MESSAGES_KEPT:
                    self._said.clear()
                said = self._said[key] = _Said(now_s)
            said.times += 1
            times = said.times
        if times > A_MINUTE:
            return False
        if times > 1:
            record.exc_info, record.exc_text, record.stack_info = None, None, None
        text = record.getMessage()
        if len(text) > LETTERS_MAX:
            text = f"{text[:LETTERS_MAX]}…"
        if more:
            text = f"{text} (and {more} more like this in the minutes before)"
        record.msg, record.args = text, None
        return True


def bound_logs() -> None:
    """Everything that this process says in its log is bounded from now on."""
    bounded = BoundedLog()
    for handler in logging.getLogger().handlers:
        handler.addFilter(bounded)
