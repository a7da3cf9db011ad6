"""Fixtures of the hub's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from made_once import made_once


@pytest.fixture(autouse=True, scope="session")
def _made_once() -> Iterator[None]:
    with made_once():
        yield
