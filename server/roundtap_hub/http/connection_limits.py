"""Limits on connections, by address and in total, counted at accept; and on time and length of a request's head."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import resource
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from math import inf
from typing import TYPE_CHECKING, Any

from roundtap_hub.http.page_queues import LoopTurns
from roundtap_hub.http.rate_limits import Rate, TokenBucket

CONNECTIONS_MAX = 4096  # plain connections in all: a thousand phones with three each, and room for the hall's units
ENCRYPTED_MAX = 1200
"""Connections to the encrypted port in all, which have places of their own: each costs ten times as much."""
FILES_RESERVED = 128  # descriptors that the hub needs for itself: journal, backups, units' files, its own requests
FILES_WANTED = 16384
PER_ADDRESS = 64
"""Connections of one address: ten phones' worth. One phone opens at most six, and a few more while it changes pages."""
REQUEST_RATE = Rate(400, 100)  # requests of one address; beyond that, its own requests are delayed
OPEN_BURST, OPEN_REFILL_S = 2, 4.0
"""An address may open `OPEN_BURST` times its places at once, then all of its places anew every `OPEN_REFILL_S`: a
handshake costs the hub more than the phone that starts and drops it."""
UNLIMITED_ADDRESSES = ("127.0.0.1", "::1", "")  # this machine's own, as addresses and as `client_key_in` names them
KNOWN_MAX = 8192
FROM_UNIT = "roundtap.from_unit"  # in the scope of a request that a unit has signed
TRANSPORT = "roundtap.transport"  # in a request's scope: its connection, for an answer that takes it over
OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

HEAD_WITHIN_S = 10.0
"""From the first byte of a request to the end of its head; also for the rest of a body after its answer."""
FIRST_BYTE_WITHIN_S = 35.0  # a browser opens connections ahead of need, a unit when a player starts to enter a result
HEAD_BYTES_MAX = 32 * 1024  # a browser's head, with all cookies of a host, is a few kilobytes
REQUEST_BYTES = 2048
"""A phone's request is shorter; a longer one counts as several, by its length: its head has to be read."""
PIPELINED_MAX = 8  # requests sent ahead of their answers on one connection: browsers and units send none
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


def raise_file_limit() -> int:
    """Raise this process's limit of open files, up to what a hall needs; returns the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_WANTED if hard == resource.RLIM_INFINITY else min(hard, FILES_WANTED)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted)


def connection_places(files: int) -> tuple[int, int]:
    """How many connections, plain and encrypted, `files` descriptors allow beside those that the hub itself needs."""
    places = max(8, min(CONNECTIONS_MAX + ENCRYPTED_MAX, files - FILES_RESERVED, files * 3 // 4))
    encrypted = min(ENCRYPTED_MAX, places // 4)
    return min(CONNECTIONS_MAX, places - encrypted), encrypted


@lru_cache(KNOWN_MAX)
def throttle_key(address: str, own: str = "") -> str:
    """The key under which an address is counted: an IPv6 phone has any number of addresses, all in one /64. For turns a
    hall's own phones are told apart, which are all in the /64 of `own`, the hub's address."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        network = f"{IPv6Address(int(found) >> 64 << 64)}/64"
        return str(found) if found.is_loopback or network == (own and throttle_key(own)) else network
    return str(found)


def client_key_in(scope: Mapping[str, Any]) -> str:
    """The client's key for its turns and its share of a line; "" for the hub's own machine."""
    return client_key(scope.get("client"), scope.get("server"))


def client_key(client: Sequence[Any] | None, own: Sequence[Any] | None) -> str:
    """The same, from the connection's two ends, (address, port) each."""
    who = throttle_key(str(client[0]), str(own[0]) if own else "") if client else ""
    return "" if who in UNLIMITED_ADDRESSES else who


class Counted:
    """Something that takes a place of its address until it ends."""

    caller = ""
    limits: ConnectionLimits | None = None

    def disconnect(self) -> None:
        """End it from this side."""
        raise NotImplementedError


@dataclass(slots=True)
class AddressQuota:
    """One address: its connections, oldest first, and its rates of requests and of new connections."""

    requests: TokenBucket
    opens: TokenBucket
    connections: dict[Counted, None] = field(default_factory=dict)


class ConnectionLimits:
    """Counts connections. All methods run on one event loop; `now_s` is a monotonic clock. An address gets no more than
    its places. When all are taken, an address with few gets the youngest of the address with most, the one that has
    been of least use. `opens`: how many an address opens in OPEN_REFILL_S; None: as many as it may hold."""

    def __init__(
        self, places: int, now_s: Callable[[], float], per_address: int = PER_ADDRESS, opens: int | None = None
    ) -> None:
        self._places = places
        self.per_address = per_address
        self._opens = Rate((opens or per_address) * OPEN_BURST, (opens or per_address) / OPEN_REFILL_S)
        self.now_s = now_s
        self._quotas: dict[str, AddressQuota] = {}
        self.turns = LoopTurns()
        self.open_count = 0
        self.refused = 0  # connections closed at accept since the start

    def admit(self, connection: Counted) -> bool:
        """Whether it may stay; `release` returns its place."""
        caller = self._quota(connection.caller)
        if connection.caller not in UNLIMITED_ADDRESSES and (
            len(caller.connections) >= self.per_address or not self._may_open(caller)
        ):
            self.refused += 1
            return False
        if self.open_count >= self._places and not self._make_room(caller):
            self.refused += 1
            return False
        caller.connections[connection] = None
        self.open_count += 1
        connection.limits = self
        return True

    def release(self, connection: Counted) -> None:
        caller = self._quotas.get(connection.caller)
        if caller is not None and connection in caller.connections:
            del caller.connections[connection]
            self.open_count -= 1

    def wait_s(self, address: str, requests: float = 1) -> float:
        """Count a request, or one as long as several; how long it has to wait, in seconds."""
        who = throttle_key(address)
        if who in UNLIMITED_ADDRESSES:
            return 0.0
        asks, now_ms = self._quota(who).requests, self.now_s() * 1000
        asks.take(now_ms, requests, owed_max=inf)
        return asks.wait_ms(now_ms, 0) / 1000

    def _may_open(self, caller: AddressQuota) -> bool:
        """Whether this address may open one more connection now; if so, that is counted."""
        now_ms = self.now_s() * 1000
        if caller.opens.wait_ms(now_ms):
            return False
        caller.opens.take(now_ms)
        return True

    def _quota(self, who: str) -> AddressQuota:
        caller = self._quotas.get(who)
        if caller is None:
            if len(self._quotas) >= KNOWN_MAX:
                for gone in [known for known, found in self._quotas.items() if not found.connections]:
                    del self._quotas[gone]
            now_ms = self.now_s() * 1000
            caller = self._quotas[who] = AddressQuota(
                TokenBucket(REQUEST_RATE, now_ms), TokenBucket(self._opens, now_ms)
            )
        return caller

    def _make_room(self, newcomer: AddressQuota) -> bool:
        most = max(self._quotas.values(), key=lambda caller: len(caller.connections))
        if len(most.connections) <= len(newcomer.connections) + 1:
            return False
        youngest = next(reversed(most.connections))
        self.release(youngest)
        youngest.disconnect()
        return True


class CountedSocket(Counted, socket.socket):
    """A client's connection that returns its place when it is closed, however it ends."""

    def disconnect(self) -> None:
        """End it from this side: its reader gets end of file."""
        with contextlib.suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        limits, self.limits = self.limits, None
        if limits is not None:
            limits.release(self)
        super().close()

    # By identity: two connections are never equal.
    __hash__ = object.__hash__
    __eq__ = object.__eq__


class LimitedListener(socket.socket):
    """A listening socket that returns only the connections that `limits` admit."""

    limits: ConnectionLimits
    _spare: int | None = None

    def limited_by(self, limits: ConnectionLimits) -> LimitedListener:
        self.limits = limits
        self._spare = os.open(os.devnull, os.O_RDONLY)
        return self

    def accept(self) -> tuple[socket.socket, object]:
        """The next connection that may stay; the others are closed at once. A spare descriptor serves to close
        connections when the system has none left: otherwise clients would hang, and the loop would be called again and
        again."""
        while True:
            try:
                fd, address = self._accept()  # type: ignore[attr-defined]
            except OSError as error:
                if error.errno not in OUT_OF_RESOURCES:
                    raise
                self._reject_one()
                continue
            connection = CountedSocket(self.family, self.type, self.proto, fileno=fd)
            connection.caller = throttle_key(str(address[0]) if isinstance(address, tuple) else str(address))
            connection.setblocking(False)
            if self.limits.admit(connection):
                return connection, address
            connection.close()

    def close(self) -> None:
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None
        super().close()

    def _reject_one(self) -> None:
        """Accept and close one connection; BlockingIOError where that fails."""
        if self._spare is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        os.close(self._spare)
        self._spare = None
        try:
            fd, _ = self._accept()  # type: ignore[attr-defined]
            os.close(fd)
            self.limits.refused += 1
        except OSError as error:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
        finally:
            # If another thread took the descriptor, the next closed connection frees one.
            with contextlib.suppress(OSError):
                self._spare = os.open(os.devnull, os.O_RDONLY)


if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Base
else:
    Base = object


def with_timeouts(limits: ConnectionLimits, base: type[Any] | None = None) -> type[Any]:
    """A server's protocol class with clients counted by `limits`; `base`: None for uvicorn's own choice."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    found = base or AutoHTTPProtocol
    return type(f"Guarded{found.__name__}", (_TimeoutProtocol, found), {"limits": limits})


class _TimeoutProtocol(Base):
    """Deadlines, mixed into one of uvicorn's protocols. A request has begun once the protocol has made its cycle."""

    limits: ConnectionLimits

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None
        self._asker = ""
        self._held: list[bytes] | None = None  # data of a request that waits for the turn of its address
        self._head_bytes = 0
        self._known_cycle: object = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._asker = client_key(self.client, self.server)
        self._set_deadline(FIRST_BYTE_WITHIN_S)

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._held is not None:
            self._held.append(data)
            self.transport.pause_reading()
            return
        between = self._between_requests()
        # A body is bounded by its reader.
        wait_s = self._wait_s(len(data)) if between or not self.cycle.more_body else 0.0
        if not between:
            self.transport.abort() if wait_s else self._feed(data)
            return
        self._held = [data]
        if wait_s:
            self.loop.call_later(wait_s, self.limits.turns.run_soon, self._asker, self._resume)
        else:
            self.limits.turns.run_soon(self._asker, self._resume)

    def on_response_complete(self) -> None:
        if self._is_pipelined() and self._wait_s(0):
            # A client that does not wait for answers cannot be slowed down by delaying them.
            self.transport.abort()
            return
        if self.scope.get(FROM_UNIT):
            self.limits.turns.prefer(self._asker)
        super().on_response_complete()
        if self.cycle is self._known_cycle:
            self._head_bytes = 0

    def _resume(self) -> None:
        held, self._held = self._held, None
        if held is None or self.transport.is_closing():
            return
        self.transport.resume_reading()
        self._feed(b"".join(held))

    def _feed(self, data: bytes) -> None:
        between = self._between_requests()
        super().data_received(data)
        if self.cycle is not self._known_cycle:
            self._known_cycle = self.cycle
            scope: dict[str, Any] = self.cycle.scope  # type: ignore[assignment]
            scope[TRANSPORT] = self.transport
            self._head_bytes = 0
            self._clear_deadline()
            if len(getattr(self, "pipeline", ())) > PIPELINED_MAX:
                self.transport.abort()
        elif between and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES_MAX:
                self.transport.write(TOO_LARGE)
                self.transport.close()
            elif self._head_bytes == len(data) or self._deadline is None:
                self._set_deadline(HEAD_WITHIN_S)

    def _wait_s(self, n_bytes: int) -> float:
        return self.limits.wait_s(self.client[0], max(1, n_bytes / REQUEST_BYTES)) if self.client else 0.0

    def _is_pipelined(self) -> bool:
        """Whether the next request came before this one was answered."""
        conn = getattr(self, "conn", None)
        return bool(getattr(self, "pipeline", ())) or (conn is not None and bool(conn.trailing_data[0]))

    def _between_requests(self) -> bool:
        """Whether no request is being answered now."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _set_deadline(self, seconds: float) -> None:
        self._clear_deadline()
        self._deadline = self.loop.call_later(seconds, self._end)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.abort()
