"""Limits on connections, by address and in total, counted at accept."""

import contextlib
import resource
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

from roundtap_hub.http.page_queues import LoopTurns
from roundtap_hub.http.requester import KNOWN_MAX, UNLIMITED_ADDRESSES, Rate, TokenBucket, throttle_key

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
FROM_UNIT = "roundtap.from_unit"  # in the scope of a request that a unit has signed
SEND_BUFFER_BYTES, STALLED_CLIENT_MS = 32 * 1024, 30_000
TRANSPORT = "roundtap.transport"  # in a request's scope: its connection, for an answer that takes it over


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


class Counted:
    """Something that takes a place of its address until it ends."""

    caller = ""
    limits: "ConnectionLimits | None" = None

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

    def admit(self, connection: Counted) -> bool:
        """Whether it may stay; `release` returns its place."""
        caller = self._quota(connection.caller)
        too_many = connection.caller not in UNLIMITED_ADDRESSES and (
            len(caller.connections) >= self.per_address or not self._may_open(caller)
        )
        if too_many or (self.open_count >= self._places and not self._make_room(caller)):
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
                for gone in [address for address, quota in self._quotas.items() if not quota.connections]:
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


class LimitedListener(socket.socket):
    """A listening socket that returns only the connections that `limits` admit."""

    limits: ConnectionLimits

    def accept(self) -> tuple[socket.socket, object]:
        """The next connection that may stay; the others are closed at once."""
        while True:
            fd, address = self._accept()  # type: ignore[attr-defined]
            connection = CountedSocket(self.family, self.type, self.proto, fileno=fd)
            connection.caller = throttle_key(str(address[0]) if isinstance(address, tuple) else str(address))
            connection.setblocking(False)
            if self.limits.admit(connection):
                return connection, address
            connection.close()


def open_listener(host: str, port: int, limits: ConnectionLimits) -> LimitedListener:
    """A listening socket with small buffers, whose stalled clients the kernel drops."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = LimitedListener(family, socket.SOCK_STREAM)
    listener.limits = limits
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_CLIENT_MS)
    listener.bind((host, port))
    listener.listen(1024)
    return listener


@dataclass(slots=True)
class Listeners:
    """Where a hub answers: `limits` are those of its plain connections, the first of which units and walls are told."""

    limits: ConnectionLimits
    plain: list[socket.socket]
    encrypted: list[socket.socket] = field(default_factory=list)

    @property
    def port(self) -> int:
        """The plain port, also where the system has chosen it."""
        return int(self.plain[0].getsockname()[1])
