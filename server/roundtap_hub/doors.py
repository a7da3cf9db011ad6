"""Who comes in: connections counted where they are accepted, per address and in all; no phone takes all places."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from math import inf

from roundtap_hub.rate_limits import Bucket, Rate

PLACES_MAX = 4096
"""Connections in all: a thousand phones with three each, and room for the hall's units."""
FILES_BESIDE = 128
"""Descriptors that the hub needs for itself: journal, backups, units' files, its own questions."""
FILES_WANTED = 16384
PER_ADDRESS = 64
"""Connections of one address: ten phones' worth. One phone opens six at the most, and a few while it changes pages."""
REQUESTS = Rate(400, 100)
"""What one address may ask; beyond, its questions are looked at later, and nobody else's."""
OPENED_AT_ONCE, OPENED_AGAIN_S = 2, 4.0
"""So many times its places an address may open connections at once, and so long until it may have opened all of its
places anew: a handshake costs the hub more than the phone that begins and leaves it."""
FREE_ADDRESSES = ("127.0.0.1", "::1")
"""Whoever sits at the machine itself."""
KNOWN_MAX = 8192
RETIRED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


def enough_files() -> int:
    """Let this process open as many files as it may, up to what a hall needs; how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_WANTED if hard == resource.RLIM_INFINITY else min(hard, FILES_WANTED)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted)


def places_of(files: int) -> int:
    """How many connections there may be with so many descriptors: what the hub needs for itself is left free."""
    return max(8, min(PLACES_MAX, files - FILES_BESIDE, files * 3 // 4))


def caller_of(address: str) -> str:
    """Who an address is, for counting: one IPv6 phone has as many addresses as it likes, all in one /64."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(found) if found.is_loopback else f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return str(found)


@dataclass(slots=True)
class Caller:
    """One address: its connections, oldest first, what it may still ask just now, and how many it may still open."""

    asks: Bucket
    opens: Bucket
    inside: dict[CountedSocket, None] = field(default_factory=dict)


class Doors:
    """Counts connections. All of its methods run on one event loop; `now_s` is a monotonic clock.

    An address that has its places gets no more. When all places are taken, an address that has few gets one of the
    address that has most: the youngest of them, which has been of the least use to anybody.
    """

    def __init__(self, places: int, now_s: Callable[[], float], per_address: int = PER_ADDRESS) -> None:
        self._places = places
        self.per_address = per_address
        self._now_s = now_s
        self._callers: dict[str, Caller] = {}
        self.inside = 0
        self.refused = 0
        """Connections that were closed unheard since the start."""

    def admit(self, connection: CountedSocket) -> bool:
        """Whether it may stay; its `close` gives the place back."""
        caller = self._caller(connection.caller)
        if connection.caller not in FREE_ADDRESSES and (
                len(caller.inside) >= self.per_address or not self._may_open(caller)):
            self.refused += 1
            return False
        if self.inside >= self._places and not self._make_room(caller):
            self.refused += 1
            return False
        caller.inside[connection] = None
        self.inside += 1
        connection.doors = self
        return True

    def left(self, connection: CountedSocket) -> None:
        caller = self._callers.get(connection.caller)
        if caller is not None and connection in caller.inside:
            del caller.inside[connection]
            self.inside -= 1

    def wait_s(self, address: str, questions: float = 1) -> float:
        """One question of an address comes, or one as long as many: how long it is to wait until it is looked at; 0:
        not at all."""
        who = caller_of(address)
        if who in FREE_ADDRESSES:
            return 0.0
        asks, now_ms = self._caller(who).asks, self._now_s() * 1000
        asks.take(now_ms, questions, owed_max=inf)
        return asks.wait_ms(now_ms, 0) / 1000

    def _may_open(self, caller: Caller) -> bool:
        """Whether this address may open one more now; it has opened it then."""
        now_ms = self._now_s() * 1000
        if caller.opens.wait_ms(now_ms):
            return False
        caller.opens.take(now_ms)
        return True

    def _caller(self, who: str) -> Caller:
        caller = self._callers.get(who)
        if caller is None:
            if len(self._callers) >= KNOWN_MAX:
                for gone in [known for known, found in self._callers.items() if not found.inside]:
                    del self._callers[gone]
            opens = Rate(self.per_address * OPENED_AT_ONCE, self.per_address / OPENED_AGAIN_S)
            now_ms = self._now_s() * 1000
            caller = self._callers[who] = Caller(Bucket(REQUESTS, now_ms), Bucket(opens, now_ms))
        return caller

    def _make_room(self, newcomer: Caller) -> bool:
        most = max(self._callers.values(), key=lambda caller: len(caller.inside))
        if len(most.inside) <= len(newcomer.inside) + 1:
            return False
        youngest = next(reversed(most.inside))
        self.left(youngest)
        youngest.show_out()
        return True


class CountedSocket(socket.socket):
    """A client's connection that gives its place back when it is closed, however it ends."""

    caller: str = ""
    doors: Doors | None = None

    def show_out(self) -> None:
        """End it from here: whoever reads from it finds its end."""
        with contextlib.suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        doors, self.doors = self.doors, None
        if doors is not None:
            doors.left(self)
        super().close()

    # Two connections are never the same one.
    __hash__ = object.__hash__
    __eq__ = object.__eq__


class DoorListener(socket.socket):
    """A listening socket that lets in whom `doors` admit; asked by the event loop like any other."""

    doors: Doors
    _spare: int | None = None

    def guarded_by(self, doors: Doors) -> DoorListener:
        self.doors = doors
        self._spare = os.open(os.devnull, os.O_RDONLY)
        return self

    def accept(self) -> tuple[socket.socket, object]:
        """The next connection that may stay. The others are closed at once, and wait for nobody.

        Where the system has no descriptor left, one is kept for closing what nobody can hear: those who knock would
        else be told nothing, and the loop be called again and again.
        """
        while True:
            try:
                fd, address = self._accept()  # type: ignore[attr-defined]
            except OSError as error:
                if error.errno not in RETIRED:
                    raise
                self._turn_away()
                continue
            connection = CountedSocket(self.family, self.type, self.proto, fileno=fd)
            connection.caller = caller_of(str(address[0]) if isinstance(address, tuple) else str(address))
            connection.setblocking(False)
            if self.doors.admit(connection):
                return connection, address
            connection.close()

    def close(self) -> None:
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None
        super().close()

    def _turn_away(self) -> None:
        """Close one connection unheard; BlockingIOError where there is none that can be."""
        if self._spare is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        os.close(self._spare)
        self._spare = None
        try:
            fd, _ = self._accept()  # type: ignore[attr-defined]
            os.close(fd)
            self.doors.refused += 1
        except OSError as error:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
        finally:
            # Where somebody else was faster, the next one who leaves makes room.
            with contextlib.suppress(OSError):
                self._spare = os.open(os.devnull, os.O_RDONLY)
