"""Bounded logs: of one message a few a minute, then how many more there were."""

import asyncio
import logging

from roundtap_hub.app.main import A_MINUTE, LETTERS_MAX, MINUTE_S, RateLimitedLog


class Shown(logging.Handler):
    """A log that keeps its lines, and a clock that a test turns."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.s = 0.0
        self.addFilter(RateLimitedLog(lambda: self.s))
        self.log = logging.Logger("hub")
        self.log.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


def test_a_flood_of_one_message_is_a_few_lines_and_a_number() -> None:
    shown = Shown()
    for n in range(10_000):
        shown.log.warning("a batch of %d was not saved", n)
    assert shown.lines == [f"a batch of {n} was not saved" for n in range(A_MINUTE)]
    shown.s += MINUTE_S
    shown.log.warning("a batch of %d was not saved", 7)
    assert shown.lines[-1] == (
        f"a batch of 7 was not saved (and {10_000 - A_MINUTE} more like this in the minutes before)"
    )


def test_another_message_is_not_held_back() -> None:
    shown = Shown()
    for _ in range(100):
        shown.log.warning("one")
    shown.log.warning("another")
    assert shown.lines[-1] == "another"


def test_of_many_tracebacks_the_first_is_shown_whole() -> None:
    shown = Shown()
    for _ in range(100):
        try:
            raise ValueError("a bug")
        except ValueError:
            shown.log.exception("a page failed")
    assert sum("Traceback" in line for line in shown.lines) == 1
    assert len(shown.lines) == A_MINUTE


def test_a_long_message_is_cut() -> None:
    shown = Shown()
    shown.log.error("what came: %s", "x" * 1_000_000)
    assert len(shown.lines[0]) == LETTERS_MAX + 1


def test_what_a_stopping_hub_cancels_is_no_error() -> None:
    shown = Shown()
    try:
        raise asyncio.CancelledError("Task cancelled, timeout graceful shutdown exceeded")
    except asyncio.CancelledError as error:
        shown.log.error("Exception in ASGI application\n", exc_info=error)
    assert shown.lines == []
