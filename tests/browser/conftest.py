"""For the tests in a real browser: one browser a process for all of them, or a reason to skip."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
for beside in (HERE, HERE.parent / "hub"):
    sys.path.insert(0, str(beside))

from screen_kit import NOWHERE, Screen, chromedriver, open_screen  # noqa: E402


@pytest.fixture(scope="session")
def one_screen() -> Iterator[Screen]:
    if chromedriver() is None:
        pytest.skip(NOWHERE)
    with open_screen() as screen:
        yield screen


@pytest.fixture
def screen(one_screen: Screen) -> Screen:
    """A browser that remembers nothing of the test before, on a desk's screen."""
    one_screen.forget()
    return one_screen
