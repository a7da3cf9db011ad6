"""A phone that wants to stop the hub: bodies that never come, connections without end; a real hub, other addresses."""

import http.client
import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from kit import Kit, wait_until
from patience import GUARD_S

CONNECTING, FEEDING, HONEST = "127.0.0.2", "127.0.0.4", "127.0.0.3"


@pytest.fixture
def open_to_all() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def asks(port: int, source: str, path: str, timeout_s: float = GUARD_S) -> int:
    """The status of one page, as a phone at this address gets it; 0: it got none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s, source_address=(source, 0))
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except OSError:
        return 0
    finally:
        connection.close()


def knocks(port: int, source: str, said: bytes) -> socket.socket:
    phone = socket.create_connection(("127.0.0.1", port), timeout=GUARD_S, source_address=(source, 0))
    # The hub may have closed it already.
    with suppress(OSError):
        phone.sendall(said)
    return phone


def still_open(phones: list[socket.socket]) -> int:
    """How many of them the hub has not ended."""
    ended = 0
    for phone in phones:
        if select.select([phone], [], [], 0)[0]:
            with suppress(OSError):
                ended += phone.recv(1, socket.MSG_PEEK) == b""
                continue
            ended += 1
    return len(phones) - ended


def test_bodies_that_never_come_keep_nobody_waiting(shared_kit: Kit, open_to_all: ExitStack) -> None:
    """32 of them once stopped everything, and the watchdog was content."""
    for n, path in enumerate(("/login", "/console/e1/result", "/device/report", "/device/feed", "/station/jobs")):
        ask = f"POST {path} HTTP/1.1\r\nHost: hub\r\nContent-Length: 60000\r\n\r\n".encode()
        for _ in range(48):
            open_to_all.callback(knocks(shared_kit.port, f"127.0.0.{20 + n}", ask).close)
    event = shared_kit.event
    for page in (f"/e/{event}", "/login", f"/wall/{event}", "/time", f"/e/{event}?lang=pl"):
        assert asks(shared_kit.port, HONEST, page) == 200
    shared_kit.start_table().wait_for("press")
    shared_kit.stop_table()


def test_one_phone_has_no_more_than_its_places(shared_kit: Kit, open_to_all: ExitStack) -> None:
    phones = [knocks(shared_kit.port, CONNECTING, b"") for _ in range(300)]
    for phone in phones:
        open_to_all.callback(phone.close)
    wait_until(lambda: still_open(phones) == 64, "the others to be closed")
    assert asks(shared_kit.port, HONEST, f"/e/{shared_kit.event}") == 200
    assert asks(shared_kit.port, CONNECTING, f"/e/{shared_kit.event}") == 0


def test_feeds_of_one_address_are_bounded_and_those_of_others_open(shared_kit: Kit, open_to_all: ExitStack) -> None:
    ask = b"GET /feed?page=wall HTTP/1.1\r\nHost: hub\r\n\r\n"
    phones = [knocks(shared_kit.port, FEEDING, ask) for _ in range(60)]
    for phone in phones:
        open_to_all.callback(phone.close)
    said = [phone.recv(12) for phone in phones]
    assert [said.count(b"HTTP/1.1 %d" % status) for status in (200, 503)] == [48, 12]
    other = knocks(shared_kit.port, HONEST, ask)
    open_to_all.callback(other.close)
    assert other.recv(12) == b"HTTP/1.1 200"


def test_where_descriptors_are_few_those_who_have_most_make_room(kit: Kit, open_to_all: ExitStack) -> None:
    kit.start_hub(wrapper=("prlimit", "--nofile=220:220"))
    phones = [knocks(kit.port, f"127.0.0.{10 + n % 8}", b"") for n in range(400)]
    for phone in phones:
        open_to_all.callback(phone.close)
    for _ in range(3):
        assert asks(kit.port, HONEST, f"/e/{kit.event}") == 200
        assert asks(kit.port, "127.0.0.1", "/login") == 200
    # Before the table starts: a slow machine takes so long for it that the hub has closed all that are silent.
    assert 0 < still_open(phones) < 100
    kit.start_table().wait_for("press")
