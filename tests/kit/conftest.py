"""For the tests with real processes: a kit for one test or for a module, one browser, and Ctrl-C that reaches them."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from engines import chromium
from kit import Kit


@pytest.fixture(scope="module", autouse=True)
def _ctrl_c_is_heard() -> Iterator[None]:
    """A suite that a script started in the background is deaf to Ctrl-C, and whoever it starts inherits that; a handler
    is not inherited."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def kit(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Kit]:
    """Nothing of it runs yet. A module that wants another one than a table's says so as `KIT`."""
    made: Kit = getattr(request.module, "KIT", Kit)(tmp_path)
    yield made
    made.stop()


@pytest.fixture(scope="module")
def shared_kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kit]:
    """Its hub runs, for all tests of a module that leave both as they are."""
    made = Kit(tmp_path_factory.mktemp("kit"))
    made.start_hub()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[WebDriver]:
    with chromium() as driver:
        yield driver
