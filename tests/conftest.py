"""For all tests: a seed for their order, the same chance in each run, nothing left behind, and no deadline on a busy
machine."""

import gc
import locale
import logging
import os
import random
import resource
import signal
import tempfile
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, is_hypothesis_test, settings
from jinja2 import StrictUndefined

from made_once import made_once
from patience import GUARD_S

IN_MEMORY = Path("/dev/shm")
ENOUGH_BYTES = 2**31
"""All tests together leave a tenth of that."""

WAITING = ("browser", "kit")
"""Folders of tests that wait for others."""

SIGNALS = {each.name: each for each in signal.Signals if each not in (signal.SIGKILL, signal.SIGSTOP)}


def _files_in_memory() -> None:
    """Tests commit and sync thousands of times, and a disk would be most of what they wait for: their files are kept in
    memory where it has room and lets programs run. TMPDIR decides otherwise."""
    try:
        found = os.statvfs(IN_MEMORY)
    except OSError:
        return
    roomy = found.f_bavail * found.f_frsize >= ENOUGH_BYTES and not found.f_flag & (os.ST_NOEXEC | os.ST_RDONLY)
    if roomy and os.access(IN_MEMORY, os.W_OK):
        os.environ.setdefault("TMPDIR", str(IN_MEMORY))
        tempfile.tempdir = None  # Somebody may have asked before.


_files_in_memory()


# A template that asks for a name or a key that is not there fails; in a hall the page is shown without it.
Flask.jinja_options = {"undefined": StrictUndefined}

# How long examples take to make is no statement of a test either.
settings.register_profile(
    "few", max_examples=10, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("many", settings.get_profile("few"), max_examples=600)
settings.load_profile("few")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """What Hypothesis makes examples for is run by `make test` with few, and by `make test-long` with many. What waits
    for processes and browsers comes first, so that at the end no worker waits for another's."""
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("examples")
    yield
    items.sort(key=lambda item: item.path.parent.name not in WAITING)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a quarter of the time a worker waits for a browser, or for a hub of its own."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    seed = config.getoption("randomly_seed", 0)
    terminalreporter.write_line(f"The same order again: --randomly-seed={seed}")


def _children() -> set[int]:
    """Processes that this one has started and not yet reaped; one may be missing, if its thread ends meanwhile."""
    found: set[int] = set()
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return found  # nearly always: no look at each thread is needed
    for thread in Path("/proc/self/task").iterdir():
        try:
            found.update(map(int, (thread / "children").read_text().split()))
        except FileNotFoundError:
            continue  # a thread that has just ended
    return found


def _umask() -> str:
    """Asked without setting it: other threads make files meanwhile."""
    return next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("Umask:"))


def _speaking(log: logging.Logger) -> list[logging.Handler]:
    """A library's null handler says nothing, and pytest's own come and go with each test."""
    return [
        handler
        for handler in log.handlers
        if not isinstance(handler, logging.NullHandler) and not type(handler).__module__.startswith("_pytest")
    ]


def _process_state() -> dict[str, Any]:
    """What a test can change for those after it in the same process, thing by thing."""
    state: dict[str, Any] = {
        "logging.disable": logging.root.manager.disable,
        "the root logger": (logging.root.level, _speaking(logging.root)),
        "filters of the log": [list(handler.filters) for handler in logging.root.handlers if handler.filters],
        "the locale": locale.setlocale(locale.LC_ALL),
        "the working folder": Path.cwd(),
        "the umask": _umask(),
        "how many files may be open": resource.getrlimit(resource.RLIMIT_NOFILE),
    }
    state |= {
        f"logger {name}": (log.level, log.disabled, log.propagate, _speaking(log))
        for name, log in logging.root.manager.loggerDict.items()
        if isinstance(log, logging.Logger) and (log.level or log.disabled or not log.propagate or _speaking(log))
    }
    state["the environment"] = {name: value for name, value in os.environb.items() if name != b"PYTEST_CURRENT_TEST"}
    state |= {name: signal.getsignal(number) for name, number in SIGNALS.items()}
    return state | {f"process {pid}": "runs, or waits to be reaped" for pid in _children()}


def _left_behind(before: dict[str, Any], began_s: float) -> list[str]:
    after = _process_state()
    return [
        f"{what}: {before.get(what, 'not there')} → {after.get(what, 'not there')}"
        for what in {**before, **after}
        if before.get(what) != after.get(what) and not _is_no_leftover(what, began_s)
    ]


def _is_no_leftover(what: str, began_s: float) -> bool:
    """Whether `what` is a process that is gone, or is older than the test: one of the two looks missed it."""
    word, _, pid = what.partition(" ")
    if word != "process":
        return False
    try:
        started_ticks = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return True
    return started_ticks / os.sysconf("SC_CLK_TCK") < began_s - 0.01


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Iterator[set[threading.Thread]]:
    """Whatever order tests run in, none meets what another one changed in its process. Gives the threads that run
    already: those of halls that tests share."""
    before, began_s = _process_state(), time.clock_gettime(time.CLOCK_BOOTTIME)
    yield set(threading.enumerate()) - {threading.current_thread()}
    left, until_s = _left_behind(before, began_s), time.monotonic() + GUARD_S
    # The hub of all browser tests, whose page is still open, may ask the machine something: a command that ends.
    while left and all(each.startswith("process ") for each in left) and time.monotonic() < until_s:
        time.sleep(0.05)
        left = _left_behind(before, began_s)
    assert not left, "left behind changed:\n" + "\n".join(left)


def pytest_collection_finish() -> None:
    """Ten thousand tests that stay need no look at each collection: a fourteenth of the processor time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _made_once() -> Iterator[None]:
    with made_once():
        yield


@pytest.fixture
def hub_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`roundtap hub` runs in the test's own process, and leaves that its log, its umask and its limits."""
    monkeypatch.setattr("roundtap_hub.app.main.rate_limit_logs", lambda: None)
    mask, limits = os.umask(0o077), resource.getrlimit(resource.RLIMIT_NOFILE)
    yield
    os.umask(mask)
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.fixture
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that cannot open its journal is told to stop at once, instead of waiting until somebody mends it."""
    monkeypatch.setattr("roundtap_hub.app.server.wait_until_mended", lambda *_: False)


def _chance_of(config: pytest.Config, name: str) -> random.Random:
    """Other chance for each name, the same again in every `make test`: what chance finds is found before it is merged,
    not by another's change. `make test-long` goes other ways each time, and the same again for the same seed."""
    many = config.getoption("--hypothesis-profile") == "many"
    return random.Random(f"{config.getoption('randomly_seed', 0) if many else 0} {name}")


@contextmanager
def _drawn_from(chance: random.Random) -> Iterator[None]:
    """What the product draws by `secrets` in this process comes from `chance`."""
    with pytest.MonkeyPatch.context() as patch:  # not the test's own, whose patches end before its other fixtures
        patch.setattr(random, "_urandom", chance.randbytes)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    """What tests share is made by the same chance as well, whichever of them comes first."""
    if fixturedef.scope == "function":
        return (yield)
    with _drawn_from(_chance_of(request.config, f"{request.node.nodeid} {fixturedef.argname}")):
        return (yield)


@pytest.fixture
def caplog(
    caplog: pytest.LogCaptureFixture, _nothing_left_behind: set[threading.Thread]
) -> Iterator[pytest.LogCaptureFixture]:
    """What a test makes the product log: halls that tests share log as well, each in threads of its own."""

    def of_this_test(_: logging.LogRecord) -> bool:
        return threading.current_thread() not in _nothing_left_behind

    caplog.handler.addFilter(of_this_test)
    yield caplog
    caplog.handler.removeFilter(of_this_test)


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Chance for one test."""
    return _chance_of(request.config, request.node.nodeid)


@pytest.fixture(autouse=True)
def _seeded(_nothing_left_behind: set[threading.Thread], chance: random.Random) -> Iterator[None]:
    with _drawn_from(chance):
        yield
