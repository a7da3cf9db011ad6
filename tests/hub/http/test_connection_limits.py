"""Doors: connections counted per address and in all, heads that must come soon; real sockets, no hub behind them."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from patience import GUARD_S
from roundtap_hub.http import connection_limits as limits_module
from roundtap_hub.http import uvicorn_private
from roundtap_hub.http.connection_limits import REQUEST_RATE, ConnectionLimits, CountedSocket, LimitedListener
from roundtap_hub.http.http_answers import read_body, send_answer
from roundtap_hub.http.requester import throttle_key
from roundtap_hub.http.uvicorn_private import with_timeouts

ASK = b"GET /hello HTTP/1.1\r\nHost: hub\r\n\r\n"
BOTH = pytest.mark.parametrize("base", [HttpToolsProtocol, H11Protocol])


class Hand:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


def connection(address: str) -> CountedSocket:
    made = CountedSocket()
    made.caller = throttle_key(address)
    return made


# --- who stays ------------------------------------------------------------------------------------------------------


def test_one_address_has_its_places_and_gets_one_back_with_each_that_ends() -> None:
    limits = ConnectionLimits(100, Hand(), per_address=3)
    phone = [connection("10.42.0.7") for _ in range(4)]
    assert [limits.admit(each) for each in phone] == [True, True, True, False]
    assert limits.admit(connection("10.42.0.8"))
    phone[1].close()
    phone[1].close()
    assert limits.open_count == 3
    assert limits.admit(phone[3])


def test_whoever_sits_at_the_machine_is_not_counted_like_a_phone() -> None:
    limits = ConnectionLimits(100, Hand(), per_address=2)
    assert all(limits.admit(connection("127.0.0.1")) for _ in range(50))


def test_when_all_places_are_taken_who_has_most_loses_the_youngest() -> None:
    limits = ConnectionLimits(10, Hand(), per_address=8)
    greedy = [connection("10.42.0.7") for _ in range(8)]
    modest = [connection(f"10.42.0.{n}") for n in (8, 9)]
    assert all(limits.admit(each) for each in [*greedy, *modest])
    assert limits.admit(connection("10.42.0.10"))
    assert limits.open_count == 10
    assert greedy[7].limits is limits
    # The oldest, which may be a page that somebody looks at, stay.
    assert [each in limits._quotas["10.42.0.7"].connections for each in greedy] == [True] * 7 + [False]


def test_a_newcomer_with_as_many_as_anybody_gets_nobody_s_place() -> None:
    limits = ConnectionLimits(4, Hand(), per_address=8)
    assert all(limits.admit(connection(f"10.42.0.{n}")) for n in (1, 1, 2, 2))
    assert not limits.admit(connection("10.42.0.1"))
    assert not limits.admit(connection("10.42.0.2"))


def test_an_ipv6_phone_is_its_network_however_many_addresses_it_takes() -> None:
    assert throttle_key("fe80::1%wlan0") == throttle_key("fe80::2") == "fe80::/64"
    assert throttle_key("2001:db8:0:1::5") != throttle_key("2001:db8:0:2::5")
    assert throttle_key("::ffff:10.42.0.9") == "10.42.0.9"
    assert throttle_key("::1") == "::1"


def test_in_the_hall_s_own_network_ipv6_phones_are_told_apart() -> None:
    """All phones of a hall are in one /64, with the hub."""
    assert throttle_key("fe80::1%wlan0", "fe80::9%wlan0") == "fe80::1"
    assert throttle_key("2001:db8:0:1::5", "2001:db8:0:1::1") == "2001:db8:0:1::5"
    assert throttle_key("2001:db8:0:2::5", "2001:db8:0:1::1") == "2001:db8:0:2::/64"
    assert throttle_key("::ffff:10.42.0.9", "::ffff:10.42.0.1") == "10.42.0.9"


def test_questions_beyond_the_rate_wait_for_their_turn_and_only_those_of_one_address() -> None:
    clock = Hand()
    limits = ConnectionLimits(10, clock)
    assert [limits.wait_s("10.42.0.7") for _ in range(400)] == [0.0] * 400
    assert limits.wait_s("10.42.0.7") == pytest.approx(1 / REQUEST_RATE.per_second)
    assert limits.wait_s("10.42.0.8") == 0.0
    assert all(limits.wait_s("127.0.0.1") == 0.0 for _ in range(800))
    clock.s += 1.0
    assert limits.wait_s("10.42.0.7") == 0.0


def test_many_addresses_are_forgotten_when_they_have_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits_module, "KNOWN_MAX", 10)
    limits = ConnectionLimits(1000, Hand())
    stays = connection("10.9.0.1")
    limits.admit(stays)
    for n in range(200):
        with closing(connection(f"10.42.0.{n}")) as passing:
            limits.admit(passing)
    assert len(limits._quotas) <= 11
    assert limits.open_count == 1


# --- what comes through ----------------------------------------------------------------------------------------------


async def hello(scope: Any, receive: Any, send: Any) -> None:
    await send_answer(send, 200, b"text/plain", scope["path"].encode())


Work = Callable[[int, ConnectionLimits], Awaitable[None]]


def served(work: Work, base: type[Any], per_address: int = 64, places: int = 100) -> None:
    """`work(port, limits)` beside a server of the given protocol."""

    async def main() -> None:
        limits = ConnectionLimits(places, asyncio.get_running_loop().time, per_address)
        listener = LimitedListener()
        listener.limits = limits
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        listener.setblocking(False)
        config = uvicorn.Config(hello, http=with_timeouts(limits, base), lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve([listener]))
        try:
            async with asyncio.timeout(GUARD_S):
                await work(listener.getsockname()[1], limits)
        finally:
            server.should_exit = True
            await running

    asyncio.run(main())


async def knock(port: int, said: bytes, source: str = "127.0.0.2") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    writer.write(said)
    return reader, writer


async def rest_of(reader: asyncio.StreamReader) -> bytes:
    """What still comes until the hub ends the connection."""
    said = b""
    with suppress(ConnectionError):
        while part := await reader.read(65536):
            said += part
    return said


@BOTH
def test_requests_pass_one_after_the_other_on_one_connection(base: type[Any]) -> None:
    async def work(port: int, limits: ConnectionLimits) -> None:
        reader, writer = await knock(port, b"")
        for _ in range(5):
            writer.write(ASK)
            assert (await reader.readuntil(b"/hello")).startswith(b"HTTP/1.1 200")
        assert limits.open_count == 1
        writer.close()
        while limits.open_count:
            await asyncio.sleep(0)

    served(work, base)


@BOTH
@pytest.mark.parametrize("said", [b"", b"GET /hello HT", b"GET /hello HTTP/1.1\r\nHost: hub\r\nX-More: 1"])
def test_a_head_that_does_not_come_ends_the_connection(
    base: type[Any], said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uvicorn_private, "HEAD_WITHIN_S", 0.01)
    monkeypatch.setattr(uvicorn_private, "FIRST_BYTE_WITHIN_S", 0.01)

    async def work(port: int, limits: ConnectionLimits) -> None:
        reader, _ = await knock(port, said)
        assert await rest_of(reader) == b""
        while limits.open_count:
            await asyncio.sleep(0)

    served(work, base)


def test_a_head_without_end_is_refused() -> None:
    async def work(port: int, limits: ConnectionLimits) -> None:
        reader, writer = await knock(port, b"GET /hello HTTP/1.1\r\n")
        written = 0
        with suppress(OSError):
            while written < 100_000_000:
                writer.write(b"X-%d: %s\r\n" % (written, b"a" * 1000))
                await writer.drain()
                written += 1000
        assert written < 100_000_000
        await rest_of(reader)
        while limits.open_count:
            await asyncio.sleep(0)

    served(work, HttpToolsProtocol)


def test_a_body_that_goes_on_after_its_answer_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uvicorn_private, "HEAD_WITHIN_S", 0.01)

    async def work(port: int, limits: ConnectionLimits) -> None:
        reader, writer = await knock(port, b"POST /hello HTTP/1.1\r\nHost: hub\r\nContent-Length: 100000\r\n\r\nab")
        assert (await reader.readuntil(b"/hello")).startswith(b"HTTP/1.1 200")
        writer.write(b"c")
        while limits.open_count:
            await asyncio.sleep(0)

    served(work, HttpToolsProtocol)


def test_a_flood_of_connections_from_one_address_is_closed_and_others_are_served() -> None:
    async def work(port: int, limits: ConnectionLimits) -> None:
        flood = [await knock(port, b"") for _ in range(40)]
        reader, writer = await knock(port, ASK, "127.0.0.3")
        assert (await reader.readuntil(b"/hello")).startswith(b"HTTP/1.1 200")
        assert limits.open_count == 9
        for _, phone in flood:
            phone.close()
        writer.close()
        while limits.open_count:
            await asyncio.sleep(0)

    served(work, HttpToolsProtocol, per_address=8)


class Line(asyncio.Transport):
    """What a protocol is told of its connection."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 50000), "sockname": ("10.42.0.1", 8080)})
        self.said = b""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.said += data

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


@BOTH
def test_whoever_asks_once_is_heard_before_the_sixty_connections_of_another(base: type[Any]) -> None:
    """A report was read after all that they had sent: it waited for 1.4 to 4.2 s."""
    heard: list[str] = []

    async def noted(scope: Any, receive: Any, send: Any) -> None:
        heard.append(scope["client"][0])
        await hello(scope, receive, send)

    async def work() -> None:
        config = uvicorn.Config(
            noted, http=with_timeouts(ConnectionLimits(100, Hand()), base), lifespan="off", log_config=None
        )
        config.load()
        lines = [Line("10.42.0.7") for _ in range(60)] + [Line("10.42.0.8")]
        for line in lines:
            protocol = config.http_protocol_class(config, uvicorn.server.ServerState(), {})  # type: ignore[operator]
            protocol.connection_made(line)
            protocol.data_received(ASK)
        while not all(line.said for line in lines):
            await asyncio.sleep(0)

    asyncio.run(work())
    assert len(heard) == 61
    assert heard.index("10.42.0.8") == 1


@BOTH
def test_a_body_in_pieces_is_no_question_sent_ahead(base: type[Any]) -> None:
    async def whole(scope: Any, receive: Any, send: Any) -> None:
        await send_answer(send, 200, b"text/plain", await read_body(scope, receive, 100, 30))

    async def work() -> None:
        limits = ConnectionLimits(100, Hand())
        config = uvicorn.Config(whole, http=with_timeouts(limits, base), lifespan="off", log_config=None)
        config.load()
        line = Line("10.42.0.7")
        protocol = config.http_protocol_class(config, uvicorn.server.ServerState(), {})  # type: ignore[operator]
        protocol.connection_made(line)
        head = b"POST / HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\n"
        for piece in (head[:9], head[9:] + b"1", b"\r\na\r\n", b"1\r\nb\r\n0", b"\r\n\r\n"):
            protocol.data_received(piece)
            for _ in range(3):
                await asyncio.sleep(0)
        while not line.said.endswith(b"ab"):
            await asyncio.sleep(0)

    asyncio.run(work())


@contextmanager
def no_descriptors_left() -> Iterator[None]:
    """As if other files had taken all there are."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(int(fd) for fd in os.listdir("/proc/self/fd")) + 1, hard))
    taken = []
    with suppress(OSError):
        while True:
            taken.append(os.dup(0))
    try:
        yield
    finally:
        for fd in taken:
            os.close(fd)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_without_descriptors_who_knocks_waits_until_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The places are fewer than the descriptors: only another file can take the last one."""
    monkeypatch.setattr("asyncio.selector_events.constants.ACCEPT_RETRY_DELAY", 0.01)

    async def work(port: int, limits: ConnectionLimits) -> None:
        reader, writer = await knock(port, ASK)
        await reader.readuntil(b"/hello")
        writer.close()
        while limits.open_count:
            await asyncio.sleep(0)
        complaints: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, said: complaints.append(said["message"]))
        phone = socket.create_connection(("127.0.0.1", port))
        with no_descriptors_left():
            # That it had none to accept with; another thread may give one back at any time.
            while not complaints:
                await asyncio.sleep(0)
        phone.sendall(ASK)
        assert (await asyncio.to_thread(phone.recv, 4096)).startswith(b"HTTP/1.1 200")
        phone.close()

    served(work, HttpToolsProtocol)
