"""For the tests in a real browser: one browser and one hub a process for all of them, or a reason to skip."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
for beside in (HERE, HERE.parent / "hub"):
    sys.path.insert(0, str(beside))

from hall_kit import Hall, in_every_state, open_hall  # noqa: E402
from screen_kit import NOWHERE, Screen, chromedriver, open_screen  # noqa: E402


@pytest.fixture(scope="session")
def one_screen() -> Iterator[Screen]:
    if chromedriver() is None:
        pytest.skip(NOWHERE)
    with open_screen() as screen:
        screen.forget()
        yield screen


@pytest.fixture
def screen(one_screen: Screen) -> Iterator[Screen]:
    """A browser that remembers nothing of the test before, on a desk's screen. It leaves no page open: that would go on
    asking its hall, whose threads would meet what later tests patch and count."""
    yield one_screen
    one_screen.forget()


@pytest.fixture(scope="session")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """One hub for all tests that make events of their own and change nothing else."""
    with open_hall(tmp_path_factory.mktemp("hall")) as opened:
        yield opened


@pytest.fixture
def own_hall(tmp_path: Path) -> Iterator[Hall]:
    """A hub for one test alone, whose first event is "e1"."""
    with open_hall(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="session")
def full_hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """One hub with an event in every state, for those who look and leave all as it is."""
    with open_hall(tmp_path_factory.mktemp("hall")) as opened:
        in_every_state(opened)
        yield opened
