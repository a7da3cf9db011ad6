"""For all tests: hypothesis draws the same examples every time, and a busy machine is never a failure."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("roundtap", derandomize=True, deadline=None)
settings.load_profile("roundtap")


@pytest.fixture(autouse=True)
def _logs_are_heard() -> Iterator[None]:
    """Whatever a test before this one switched off for its own quiet, in this process, counts for itself only."""
    logging.disable(logging.NOTSET)
    yield
    logging.disable(logging.NOTSET)
