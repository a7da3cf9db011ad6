"""What tests share does not show in any of them: the log of its threads, and chance that hangs on who came first."""

import logging
import secrets
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

log = logging.getLogger(__name__)


@pytest.fixture(scope="module")
def drawn() -> str:
    """A token of the product's, as a hall that tests share draws them."""
    return secrets.token_hex(8)


@pytest.fixture(scope="module")
def shared() -> Iterator[ThreadPoolExecutor]:
    """A hall's thread, which was there before the test."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(log.warning, "before").result()
        yield threads


def test_a_log_is_of_the_test_and_its_own_threads(shared: ThreadPoolExecutor, caplog: pytest.LogCaptureFixture) -> None:
    own = threading.Thread(target=log.warning, args=["a thread of the test"])
    own.start()
    own.join()
    shared.submit(log.warning, "the hall").result()
    log.warning("the test")
    assert caplog.messages == ["a thread of the test", "the test"]


def test_a_test_draws_the_same_in_each_run_whatever_was_drawn_for_others(drawn: str) -> None:
    assert (drawn, secrets.token_hex(8)) == ("c030ec9f5dd33219", "7add165126ab48e0")
