"""What a test itself logged, without the threads of halls that tests share."""

import threading

import pytest


def logged_here(caplog: pytest.LogCaptureFixture, level: int = 0) -> list[str]:
    """The messages of this thread, of this level or above."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.thread == threading.get_ident() and record.levelno >= level
    ]
