"""The encrypted port: what a connection costs before any login, who gets a place there, and what is dropped."""

import asyncio
import json
import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from patience import GUARD_S
from roundtap_hub.app.server import HANDSHAKES_MAX, SilentConnection
from roundtap_hub.http.connection_limits import ENCRYPTED_MAX, PER_ADDRESS, raise_file_limit

MB = 1_000_000
LARGER = ssl.OPENSSL_VERSION_INFO >= (3, 5)  # whose connections take 8 kB more each (Debian 13)
EACH = 30
"""Connections of one address."""


class EncryptedHub:
    """encrypted_hub.py, and the connections that a test has opened to it.

    Its bytes are those that it has asked the C library for (mallinfo2): Python's own too, as PYTHONMALLOC=malloc, and
    OpenSSL's, which tracemalloc does not see. It is a count, not a size of pages in memory, taken after a garbage
    collection and once the hub holds the connections that the test expects: nothing else of the machine is in it.
    """

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("encrypted_hub.py")), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONMALLOC": "malloc", "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self.port = int(self._line())
        self._open = ExitStack()
        self._network = 0
        self._context = ssl._create_unverified_context()

    def _line(self) -> str:
        return self._process.stdout.readline()

    def count(self) -> dict[str, int]:
        assert self._process.stdin is not None
        print("count", file=self._process.stdin, flush=True)
        found: dict[str, int] = json.loads(self._line())
        return found

    def until(self, true: Callable[[dict[str, int]], bool]) -> int:
        """The bytes in use once its counts are as expected."""
        give_up_s = time.monotonic() + GUARD_S
        while not true(found := self.count()):
            assert time.monotonic() < give_up_s, found
        return found["bytes"]

    def connect(self, number: int) -> socket.socket:
        phone = socket.create_connection(
            ("127.0.0.1", self.port), timeout=GUARD_S, source_address=(f"127.1.{self._network}.{1 + number // EACH}", 0)
        )
        return self._open.enter_context(phone)

    def encrypt(self, phone: socket.socket) -> ssl.SSLSocket:
        return self._open.enter_context(self._context.wrap_socket(phone))

    def hang_up(self) -> None:
        self._open.close()
        self.until(lambda found: not found["connections"])
        # No address has opened connections in another test.
        self._network += 1

    def stop(self) -> None:
        self._open.close()
        self._process.stdin.close()
        self._process.wait(GUARD_S)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EncryptedHub]:
    raise_file_limit()
    hub = EncryptedHub(tmp_path_factory.mktemp("encrypted"))
    # What is made once, with the first connection and the first page, is no connection's.
    _ask(hub.encrypt(hub.connect(0)), "/e/e1/pairings")
    hub.hang_up()
    yield hub
    hub.stop()


@pytest.fixture
def hub(started: EncryptedHub) -> Iterator[EncryptedHub]:
    yield started
    started.hang_up()


def _ask(phone: ssl.SSLSocket, path: str) -> bytes:
    """A request, and the head of its answer."""
    phone.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    said = b""
    while b"\r\n\r\n" not in said:
        said += phone.recv(65536)
    return said


def test_silent_connections_cost_no_tls(hub: EncryptedHub) -> None:
    """Each took 0.3 MB before its first byte."""
    before = hub.count()["bytes"]
    for number in range(ENCRYPTED_MAX):
        hub.connect(number)
    assert hub.until(lambda found: found["connections"] == ENCRYPTED_MAX) - before < 10 * MB


def test_as_many_encrypted_connections_as_there_are_places_cost_thirty_megabytes(hub: EncryptedHub) -> None:
    before = hub.count()["bytes"]
    for number in range(ENCRYPTED_MAX):
        hub.encrypt(hub.connect(number))
    used = hub.until(lambda found: found["connections"] == ENCRYPTED_MAX and not found["handshakes"]) - before
    assert used < (45 if LARGER else 30) * MB


def test_handshakes_that_are_never_finished_are_few(hub: EncryptedHub) -> None:
    """One under way takes more memory than one that is done."""
    before = hub.count()["bytes"]
    for number in range(ENCRYPTED_MAX):
        # A record that promises more.
        hub.connect(number).sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    assert hub.until(lambda found: found["connections"] == found["handshakes"] == HANDSHAKES_MAX) - before < 30 * MB
    phone = hub.encrypt(hub.connect(ENCRYPTED_MAX))
    assert b"200 OK" in _ask(phone, "/time"), "another address has its handshake all the same"


def test_a_thousand_feeds_over_tls_cost_sixty_megabytes(hub: EncryptedHub) -> None:
    before = hub.count()["bytes"]
    for number in range(1000):
        assert b"200 OK" in _ask(hub.encrypt(hub.connect(number)), "/feed?page=e/e1&lang=en")
    assert hub.until(lambda found: found["connections"] == 1000) - before < 60 * MB


def test_what_was_sent_once_is_not_kept_with_the_connection(hub: EncryptedHub) -> None:
    """After a long page OpenSSL kept a buffer of that length for as long as the connection was open: 145 kB."""
    before = hub.count()["bytes"]
    for number in range(100):
        _ask(hub.encrypt(hub.connect(number)), "/static/roundtap.css")
    assert (hub.until(lambda found: found["connections"] == 100) - before) / 100 < (50_000 if LARGER else 45_000)


# --- who has a place there, and for how long -------------------------------------------------------------------------


def test_when_all_places_are_taken_an_organizer_gets_one(hub: EncryptedHub) -> None:
    for number in range(ENCRYPTED_MAX):
        hub.connect(number)
    hub.until(lambda found: found["connections"] == ENCRYPTED_MAX)
    assert b"200 OK" in _ask(hub.encrypt(hub.connect(ENCRYPTED_MAX)), "/time")


def test_one_address_has_half_as_many_places_as_on_the_plain_port(hub: EncryptedHub) -> None:
    for _ in range(PER_ADDRESS):
        hub.connect(0)
    hub.until(lambda found: found["connections"] == PER_ADDRESS // 2)


class Clockless(asyncio.Transport):
    """A connection that is watched for its end."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = asyncio.Event()

    def abort(self) -> None:
        self.ended.set()


def test_what_sends_nothing_is_dropped_and_what_sends_something_is_not() -> None:
    async def scene() -> None:
        connections, heard = set(), []
        silent, speaks = (SilentConnection(connections, 0.01, lambda _, data: heard.append(data)) for _ in range(2))
        lines = [Clockless(), Clockless()]
        silent.connection_made(lines[0])
        speaks.connection_made(lines[1])
        speaks.data_received(b"hello")
        await lines[0].ended.wait()
        assert heard == [b"hello"]
        assert not lines[1].ended.is_set()
        assert connections == {silent}, "until its transport says that it is lost"

    asyncio.run(scene())
