"""A service and systemd: ready at the first step, alive as often as the watchdog wants, silent otherwise, and told to
stop."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from roundtap_machine.notify import Heartbeat, StopSignal, SystemdNotifier


@pytest.fixture(params=["path", "abstract"])
def heard(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    """A fake systemd: its socket, and the socket's name as NOTIFY_SOCKET gives it."""
    name = str(tmp_path / "notify")
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as listener:
        listener.bind(name if request.param == "path" else "\0" + name)
        listener.setblocking(False)
        yield listener, name if request.param == "path" else "@" + name


def all_of(listener: socket.socket) -> list[str]:
    said = []
    while True:
        try:
            said.append(listener.recv(256).decode())
        except BlockingIOError:
            return said


def test_ready_once_and_alive_at_half_of_the_limit(heard: tuple[socket.socket, str]) -> None:
    listener, name = heard
    heartbeat = Heartbeat(SystemdNotifier({"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "30000000"}))
    heartbeat.beat(1_000)
    assert all_of(listener) == ["READY=1", "WATCHDOG=1"]
    for now_ms in range(2_000, 16_000, 1_000):
        heartbeat.beat(now_ms)
    assert all_of(listener) == []
    heartbeat.beat(16_000)
    assert all_of(listener) == ["WATCHDOG=1"]


def test_a_loop_that_steps_no_more_is_not_heard_of(heard: tuple[socket.socket, str]) -> None:
    listener, name = heard
    Heartbeat(SystemdNotifier({"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "30000000"}))
    assert all_of(listener) == []


def test_without_a_watchdog_it_says_ready_only(heard: tuple[socket.socket, str]) -> None:
    listener, name = heard
    for environment in ({}, {"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}):
        heartbeat = Heartbeat(SystemdNotifier({"NOTIFY_SOCKET": name, **environment}))
        heartbeat.beat(0)
        heartbeat.beat(100_000)
        assert all_of(listener) == ["READY=1"]


def test_nobody_to_tell_and_nobody_listening_are_no_trouble(tmp_path: Path) -> None:
    Heartbeat(SystemdNotifier({})).beat(0)
    Heartbeat(SystemdNotifier({"NOTIFY_SOCKET": str(tmp_path / "gone"), "WATCHDOG_USEC": "1000"})).beat(0)


def test_a_watchdog_meant_for_another_process_is_not_ours() -> None:
    assert SystemdNotifier({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}).every_ms is None
    assert SystemdNotifier({"WATCHDOG_USEC": "30000000"}).every_ms == 15_000


@pytest.fixture
def signals_as_before() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals_as_before")
def test_a_signal_stops_it_wherever_it_comes_and_however_often() -> None:
    """A unit that was told twice, a moment apart, hung for ever (an Event's lock is not to be had twice)."""
    told: list[int] = []
    stop = StopSignal(lambda: told.append(1))
    stop.wait(0)
    assert not stop.is_set()
    storm = threading.Thread(target=lambda: [os.kill(os.getpid(), signal.SIGTERM) for _ in range(3000)])
    storm.start()
    while storm.is_alive():
        stop.wait(0.001)
    assert stop.is_set()
    assert told
    stop.wait(90)
