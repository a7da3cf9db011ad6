"""The hub's watchdog: heard from as long as its writer and its pages answer, and only so long."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from asgi_client import AsgiClient
from hub_kit import HandClock, hub_of, running

from patience import GUARD_S
from roundtap_core.errors import Problem
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.server import watchdog_loop
from roundtap_hub.http import page_queues, page_threads
from roundtap_hub.store.service import HubStopped, Service, WriteRequest
from roundtap_machine.notify import SystemdNotifier


class Said(SystemdNotifier):
    """A notifier that keeps what it was told to say."""

    def __init__(self, limit_us: str = "2000") -> None:
        super().__init__({"WATCHDOG_USEC": limit_us})
        self.said: list[str] = []

    def send(self, state: str) -> None:
        self.said.append(state)


class Way:
    """Something that is asked whether it still goes: None never answers, an exception is how it refuses."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)

    async def __call__(self) -> None:
        given = self.answers.pop(0)
        if isinstance(given, BaseException):
            raise given
        if given is None:
            await asyncio.Event().wait()


def watched(says: Said, *ways: Way) -> list[str]:
    """What is said until nothing more can be: the loop has nothing left to do but wait for an answer."""

    async def watch() -> None:
        task = asyncio.create_task(watchdog_loop(says, ways))
        while not task.done() and all(way.answers for way in ways):
            await asyncio.sleep(0.001)
        for _ in range(20):
            await asyncio.sleep(0.001)
        task.cancel()

    asyncio.run(watch())
    return says.said


def test_who_answers_is_alive_even_when_it_refuses() -> None:
    assert watched(Said(), Way("ok", Problem("not_saved"), "ok", None)) == ["WATCHDOG=1"] * 3


def test_who_does_not_answer_is_not() -> None:
    assert watched(Said(), Way("ok", None)) == ["WATCHDOG=1"]


def test_until_its_pages_are_made_a_hub_has_longer() -> None:
    """A slow machine took longer for them than the watchdog waits: its hub was killed at each start, for ever."""
    notify = Said("30000000")
    notify.watch_within(600)
    notify.watch_within()
    assert notify.said == ["WATCHDOG_USEC=600000000", "WATCHDOG_USEC=30000000"]
    unwatched = Said("")
    unwatched.watch_within(600)
    assert unwatched.said == []


def test_all_that_people_ask_must_be_answered() -> None:
    assert watched(Said(), Way("ok", "ok", "ok"), Way("ok", None)) == ["WATCHDOG=1"]
    assert watched(Said(), Way("ok", None), Way("ok", "ok", "ok")) == ["WATCHDOG=1"]


def test_a_hub_that_stops_says_no_more() -> None:
    assert watched(Said(), Way("ok", HubStopped(), "ok"), Way("ok", "ok", "ok")) == ["WATCHDOG=1"]


def test_nobody_asked_for_a_watchdog() -> None:
    silent = SystemdNotifier({})
    assert silent.every_ms is None
    silent.send("READY=1")


def test_asking_the_real_writer_whether_it_lives_writes_nothing(tmp_path: Path) -> None:
    with running(tmp_path / "roundtap.db") as service:
        before = service.snapshot
        assert service.submit([], "watchdog").result(GUARD_S) == []
        assert service.snapshot is before


# --- the hub's own ways -------------------------------------------------------------------------------------------


@dataclass
class Live:
    """A hub's application with pages that are made as the test wants it."""

    app: HubApplication
    client: AsgiClient
    service: Service
    says: Said
    stuck: threading.Event
    made: list[str]

    def watch(self) -> None:
        self.task = asyncio.run_coroutine_threadsafe(watchdog_loop(self.says, self.app.probes), self.client.loop)

    def hears(self, n: int) -> None:
        """Wait until systemd has heard so many more words."""
        more = len(self.says.said) + n
        self.client.until(lambda: len(self.says.said) >= more)

    def is_silent(self, writer_answers: bool = True) -> bool:
        """Nothing is said however often the loop and the writer come round; one word may have been on its way."""
        said = len(self.says.said)
        for _ in range(20):
            if writer_answers:
                self.service.submit([], "test").result(GUARD_S)
            self.client.run(asyncio.sleep(0.001))
        return len(self.says.said) <= said + 1


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    clock = HandClock()
    with running(tmp_path / "roundtap.db", clock) as service:
        stuck, paths = threading.Event(), []
        stuck.set()

        def pages(environ: Any, start_response: Any) -> list[bytes]:
            paths.append(environ["PATH_INFO"])
            if environ["PATH_INFO"] in ("/stuck", "/console/stuck"):
                assert stuck.wait(GUARD_S)
            start_response("200 OK", [])
            return [b""]

        app = HubApplication(hub_of(service, clock))
        monkeypatch.setattr(app.pages, "_build", lambda: pages)
        # Whoever asks for the console here is logged in.
        monkeypatch.setattr(app.pages, "_organizes", lambda scope: True)
        with closing(AsgiClient(app)) as client:
            made = Live(app, client, service, Said(), stuck, paths)
            yield made
            stuck.set()
            made.task.cancel()


def test_pages_and_writer_that_move_are_heard(live: Live) -> None:
    live.watch()
    live.hears(3)


@pytest.mark.parametrize(
    ("path", "threads"),
    [
        ("/stuck", page_threads.PLAYERS_AT_ONCE + page_threads.SPARE),
        ("/console/stuck", page_threads.ORGANIZERS_AT_ONCE + page_threads.SPARE),
    ],
)
def test_a_lane_whose_threads_all_hang_is_silence_and_one_of_them_is_not(
    live: Live, path: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_queues, "LONG_S", 0.001)
    live.stuck.clear()
    cookie = {"cookie": f"roundtap_here={live.app.hub.access.organizers.begin('127.0.0.1', '')}"}
    hanging = [live.client.begin("GET", path, headers=cookie) for _ in range(threads - 1)]
    live.watch()
    live.hears(3)

    hanging.append(live.client.begin("GET", path, headers=cookie))
    live.client.run(asyncio.sleep(0))
    assert live.is_silent()

    live.stuck.set()
    live.hears(3)
    assert [answer.result(GUARD_S).status_code for answer in hanging] == [200] * threads


def test_a_long_queue_before_the_pages_is_no_silence(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred phones at once: the watchdog's page is the next, not the last."""
    # However busy the machine is that tests this: no spare thread takes a phone on, and no phone leaves.
    monkeypatch.setattr(page_queues, "LONG_S", 3600)
    monkeypatch.setattr(page_threads.page_queues, "PAGE_S", page_queues.PROBE_S)
    live.stuck.clear()
    # While the pages are still being built, a later request may come before an earlier one.
    phones = [live.client.begin("GET", "/stuck")]
    live.client.until(lambda: live.made == ["/stuck"])
    phones += [live.client.begin("GET", "/e/e1") for _ in range(200)]
    live.client.until(lambda: len(live.app.pages._players._waiting) == 200)
    live.watch()
    live.client.until(lambda: len(live.app.pages._players._waiting) == 201 and live.made.count("/login") == 4)
    live.stuck.set()
    live.hears(1)
    assert all(phone.result(GUARD_S).status_code == 200 for phone in phones)
    assert live.made[:6] == ["/stuck", *["/login"] * 5], "one from each lane, before the phones"


def test_a_writer_that_hangs_is_silence(live: Live) -> None:
    live.watch()
    live.hears(1)
    hold = threading.Event()
    held: Future[Any] = Future()
    held.add_done_callback(lambda _: hold.wait(GUARD_S))
    live.service._queue.put(WriteRequest([], "test", (), held))
    assert live.is_silent(writer_answers=False)
    hold.set()
    live.hears(2)


def test_public_pages_that_are_drawn_no_more_are_silence(live: Live) -> None:
    hold = threading.Event()
    lane: Any = live.app.cached_pages._cache._lane
    asyncio.run_coroutine_threadsafe(lane.run(partial(hold.wait, GUARD_S), page_queues.PROBE_S), live.client.loop)
    live.watch()
    assert live.is_silent()
    hold.set()
    live.hears(2)
