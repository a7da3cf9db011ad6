"""The unit's word to systemd: ready at the first step, alive as often as the watchdog wants, silent otherwise."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from roundtap_units.notify import Notify


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
    notify = Notify({"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "30000000"})
    notify.alive(1_000)
    assert all_of(listener) == ["READY=1", "WATCHDOG=1"]
    for now_ms in range(2_000, 16_000, 1_000):
        notify.alive(now_ms)
    assert all_of(listener) == []
    notify.alive(16_000)
    assert all_of(listener) == ["WATCHDOG=1"]


def test_a_loop_that_steps_no_more_is_not_heard_of(heard: tuple[socket.socket, str]) -> None:
    listener, name = heard
    Notify({"NOTIFY_SOCKET": name, "WATCHDOG_USEC": "30000000"})
    assert all_of(listener) == []


def test_without_a_watchdog_it_says_ready_only(heard: tuple[socket.socket, str]) -> None:
    listener, name = heard
    for environment in ({}, {"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}):
        notify = Notify({"NOTIFY_SOCKET": name, **environment})
        notify.alive(0)
        notify.alive(100_000)
        assert all_of(listener) == ["READY=1"]


def test_nobody_to_tell_and_nobody_listening_are_no_trouble(tmp_path: Path) -> None:
    Notify({}).alive(0)
    Notify({"NOTIFY_SOCKET": str(tmp_path / "gone"), "WATCHDOG_USEC": "1000"}).alive(0)
