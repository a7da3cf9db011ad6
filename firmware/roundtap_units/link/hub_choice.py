"""Which hub a unit uses: the last one that answered, and after its silence the first right one; the search for it in
the hall, and the unit's memory."""

import hashlib
import http.client
import json
import logging
import secrets
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtap_core.messages import HubAnswer
from roundtap_core.typed import parse_message
from roundtap_machine.deadline_http import request_json
from roundtap_machine.disk import write_atomically
from roundtap_units.link.hub_address import HUBS_MAX, Endpoint, endpoint_url, parse_endpoints
from roundtap_units.link.outbox import UNREADABLE, checksum_line, read_checksum_line

log = logging.getLogger(__name__)


EPOCHS_MAX = 32
TEXT_MAX = 200
SERIAL_FILE = Path("/proc/device-tree/serial-number")
SILENT_MS = 8000  # after this long a silence the others are tried in turn
RECHECK_MS = 60_000  # how often a unit that had to return to an abandoned epoch looks for the newer one


def machine_fingerprint(serial: Path = SERIAL_FILE) -> str:
    """Distinguishes this Pi from others; "" where its serial number cannot be read."""
    try:
        return hashlib.sha256(serial.read_bytes()).hexdigest()[:12]
    except OSError:
        return ""


class UnitMemory:
    """A unit's memory in one small file. `instance`: the random name of this data folder, with the fingerprint of its
    machine (a card copied into two is two units). `epochs`: of the hubs' journals, in the order this unit first met
    them; the last is the newest. `hubs`: addresses from a welcome beyond the configured ones. `hub`: the last one that
    answered. `damaged_read`: how many damaged lines have been acknowledged.

    For any thread. A disk that refuses is no error here: the unit works with what it knows. path None: nothing is
    stored. machine: its fingerprint; "" where unknown.
    """

    def __init__(
        self, path: Path | None, new_id: Callable[[], str] = lambda: secrets.token_hex(12), machine: str = ""
    ) -> None:
        self._path = path
        self._machine = machine
        self._lock = threading.Lock()
        self._folder_id = new_id()
        self.epochs: tuple[str, ...] = ()
        self.hubs: tuple[str, ...] = ()
        self.hub: str | None = None
        self.damaged_read = 0
        if path is not None and not self._read(path):
            self._write()

    @property
    def instance(self) -> str:
        return f"{self._folder_id}-{self._machine}" if self._machine else self._folder_id

    @property
    def unit_id(self) -> str:
        """The unit's lasting id: its machine, whatever card is in it; else its folder."""
        return f"m-{self._machine}" if self._machine else f"f-{self._folder_id}"

    @property
    def epoch(self) -> str | None:
        """Of the last believed welcome; None: there was none."""
        return self.epochs[-1] if self.epochs else None

    def note_welcome(self, hub: str, epoch: str, hubs: Sequence[str]) -> None:
        """Note a believed hub: its address, its journal's epoch, and the other places of that journal."""
        hubs = tuple(each for each in hubs if len(each) <= TEXT_MAX)[:HUBS_MAX]
        with self._lock:
            epochs = (*[each for each in self.epochs if each != epoch][1 - EPOCHS_MAX :], epoch)
            if (hub, epochs, hubs) != (self.hub, self.epochs, self.hubs):
                self.hub, self.epochs, self.hubs = hub, epochs, hubs
                self._write()

    def note_damaged_read(self, lines: int) -> None:
        with self._lock:
            if lines != self.damaged_read:
                self.damaged_read = lines
                self._write()

    def _read(self, path: Path) -> bool:
        try:
            line, _ = read_checksum_line(path.read_bytes())
            self._take(line)
        except (OSError, *UNREADABLE) as error:
            if not isinstance(error, FileNotFoundError):
                log.error("%s cannot be read, and is begun anew: %s", path, error)
            return False
        return True

    def _take(self, line: dict[str, Any]) -> None:
        instance, hub, read = line["instance"], line["hub"], line["damaged_read"]
        epochs, hubs = tuple(line["epochs"]), tuple(line["hubs"])
        texts = all(isinstance(text, str) for text in (instance, *epochs, *hubs, hub or ""))
        if not texts or not 0 < len(instance) <= 32 or type(read) is not int:
            raise ValueError("a memory of somebody else")
        self._folder_id, self.hub, self.damaged_read, self.epochs, self.hubs = instance, hub, read, epochs, hubs

    def _write(self) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(
                self._path,
                checksum_line(
                    {
                        "instance": self._folder_id,
                        "epochs": list(self.epochs),
                        "hubs": list(self.hubs),
                        "hub": self.hub,
                        "damaged_read": self.damaged_read,
                    }
                ),
            )
        except OSError as error:
            log.error("%s cannot be written: %s", self._path, error)


class HubChoice:
    """Which address to try next, and whether to stay there. Any thread may read it; the feed's thread updates it.

    Known are the configured addresses and those from a believed welcome. While the present hub is heard, and for 8 s of
    silence, only it is tried; then all of them in turn, the present one included, until a signed welcome comes.

    The newest epoch is the one this unit met last. A welcome of an abandoned epoch (a dead hub back beside its standby)
    is not believed as long as some address has not failed since. Only when every known address has failed does the unit
    accept the older one; it then looks for the newer one every minute, and whenever that hub falls silent.
    """

    def __init__(self, configured: Sequence[Endpoint], memory: UnitMemory) -> None:
        self._configured = tuple(configured)
        self._memory = memory
        self._lock = threading.Lock()
        self._heard_ms: int | None = None
        self._failures: set[Endpoint] = set()
        """Addresses without an answer, or with an older epoch only, since the present hub fell silent."""
        self._older_since_ms: int | None = None  # since when this unit has been with an abandoned epoch
        endpoints = self.known()
        remembered = parse_endpoints((memory.hub,))
        self.current = remembered[0] if remembered and remembered[0] in endpoints else endpoints[0]
        self._turn = self.current
        self._newest = memory.epoch

    def known(self) -> tuple[Endpoint, ...]:
        return tuple(dict.fromkeys((*self._configured, *parse_endpoints(self._memory.hubs))))

    def is_superseded(self, epoch: object) -> bool:
        """Whether the unit has left this epoch for a newer one."""
        return epoch in self._memory.epochs[:-1]

    def mark_alive(self, now_ms: int) -> None:
        with self._lock:
            self._heard_ms = now_ms

    def next(self, now_ms: int) -> Endpoint:
        with self._lock:
            if self._heard_ms is None:
                self._heard_ms = now_ms
            endpoints = self.known()
            looks_back = self._older_since_ms is not None and now_ms - self._older_since_ms >= RECHECK_MS
            if now_ms - self._heard_ms < SILENT_MS and not looks_back:
                return self.current
            at = endpoints.index(self._turn) if self._turn in endpoints else -1
            self._turn = endpoints[(at + 1) % len(endpoints)]
            return self._turn

    def recheck_due(self, now_ms: int) -> bool:
        """Whether to leave an older epoch's feed for a moment, to look for the newer one."""
        with self._lock:
            return (
                self._older_since_ms is not None
                and now_ms - self._older_since_ms >= RECHECK_MS
                and len(self.known()) > 1
            )

    def failed(self, place: Endpoint) -> None:
        with self._lock:
            self._failures.add(place)

    def accept_welcome(self, place: Endpoint, epoch: str, others: Sequence[object], now_ms: int) -> bool:
        """A signed welcome came: whether to stay. If so, the other addresses are noted."""
        with self._lock:
            older = self.is_superseded(epoch)
            if older and any(each not in self._failures for each in self.known() if each != place):
                self._failures.add(place)
                return False
            self._failures = set()
            self._older_since_ms = now_ms if older else None
            self.current = self._turn = place
            self._heard_ms = now_ms
            addresses = [endpoint_url(each) for each in parse_endpoints(others)]
            # Back with an older epoch, the unit still knows which one is newer.
            self._memory.note_welcome(endpoint_url(place), (self._newest or epoch) if older else epoch, addresses)
            if not older:
                self._newest = epoch
            return True

    def add_standbys(self, others: Sequence[object]) -> None:
        """The believed hub has a new standby since its welcome."""
        with self._lock:
            if self._memory.epoch is not None:
                self._memory.note_welcome(
                    endpoint_url(self.current),
                    self._memory.epoch,
                    [endpoint_url(each) for each in parse_endpoints(others)],
                )


PORTS = (8080, 80)  # the ports of a hub's plain pages: started manually, and on a prepared card
LOCAL_NAME = "roundtap.local"
RESOLVE_WITHIN_S = 3.0
BEACON_GROUP, BEACON_PORT = "239.255.82.84", 48284
BEACON_WITHIN_S = 2.5
BEACON_BYTES_MAX = 1400
BEACONS_MAX = 4
ROUTES = Path("/proc/net/route")
GATEWAY_FLAGS = 3  # of a route: up, and by a gateway


@dataclass(frozen=True, slots=True)
class FoundHub:
    """A machine that claims to be a Roundtap hub, without proof. hub: its journal's lineage, or another lasting name;
    epoch: of its journal; name: for people; secure: its encrypted port, 0 for none. authority: the certificate that it
    is known by there, where it has proved to be a wall's hub (`wall/proxy.py`)."""

    place: Endpoint
    hub: str
    epoch: str
    name: str
    secure: int = 0
    authority: str = ""


def find_hub(
    configured: Sequence[Endpoint] = (),
    passed_over: Iterable[str] = (),
    ask: Callable[[Endpoint], FoundHub | None] | None = None,
    candidates: Callable[[Sequence[Endpoint]], Iterable[Endpoint]] | None = None,
) -> FoundHub | None:
    """The first hub that answers, in the order of `all_candidates`; None where none does. Takes up to some seconds;
    call it repeatedly. passed_over: hubs (`FoundHub.hub`) wanted only where there is no other."""
    avoided, second_best = frozenset(passed_over), None
    tried: set[Endpoint] = set()
    for place in (candidates or all_candidates)(configured):
        if place in tried:
            continue
        tried.add(place)
        hub = (ask or probe_hub)(place)
        if hub is not None and hub.hub not in avoided:
            return hub
        second_best = second_best or hub
    return second_best


def all_candidates(configured: Sequence[Endpoint]) -> Iterator[Endpoint]:
    """Where a hub may be: as configured; the default gateway (the hub's own hotspot); `roundtap.local`; senders of
    beacons. Each is determined only after those before it failed."""
    yield from configured
    for gateway in default_gateways():
        yield from ((gateway, port) for port in PORTS)
    if (named := resolve_ipv4(LOCAL_NAME)) is not None:
        yield from ((named, port) for port in PORTS)
    yield from listen_for_beacons()


def static_candidates() -> tuple[Endpoint, ...]:
    """Those that need no listening, for a unit whose hub fell silent: it may have come back at another address."""
    return tuple((host, port) for host in (*default_gateways(), LOCAL_NAME) for port in PORTS)


def probe_hub(place: Endpoint) -> FoundHub | None:
    """The Roundtap hub at this place; None for anything else, however slowly it answers."""
    try:
        status, content = request_json(place, "/device/hub")
        hub = parse_message(HubAnswer, content)
    except (OSError, http.client.HTTPException, ValueError):
        return None
    return FoundHub(place, hub.hub, hub.epoch, hub.name, hub.secure) if status == 200 else None


def default_gateways(routes: Path = ROUTES) -> tuple[str, ...]:
    """The IPv4 address of each default gateway, the preferred one first; none where unknown."""
    gateways = []
    try:
        lines = routes.read_text(encoding="ascii").splitlines()[1:]
    except (OSError, ValueError):
        return ()
    for line in lines:
        with suppress(ValueError, IndexError, struct.error):
            fields = line.split()
            if fields[1] == "00000000" and int(fields[3], 16) & GATEWAY_FLAGS == GATEWAY_FLAGS:
                # The kernel writes it in the machine's byte order.
                gateways.append((int(fields[6]), socket.inet_ntoa(struct.pack("=I", int(fields[2], 16)))))
    return tuple(dict.fromkeys(address for _, address in sorted(gateways)))


def resolve_ipv4(name: str, within_s: float = RESOLVE_WITHIN_S) -> str | None:
    """The IPv4 address of a name; None where unknown in time. The system's own resolver may take much longer."""
    addresses: list[str] = []

    def look() -> None:
        with suppress(OSError, UnicodeError):
            addresses.extend(
                str(each[4][0]) for each in socket.getaddrinfo(name, None, socket.AF_INET, socket.SOCK_STREAM)
            )

    looking = threading.Thread(target=look, name="hub-name", daemon=True)
    looking.start()
    looking.join(within_s)
    return addresses[0] if addresses else None


def listen_for_beacons(
    group: str = BEACON_GROUP, port: int = BEACON_PORT, within_s: float = BEACON_WITHIN_S
) -> Iterator[Endpoint]:
    """The senders of beacons, as they are heard. Only hubs check a beacon's signature: any sender of the right shape is
    asked."""
    seen: set[Endpoint] = set()
    until_s = time.monotonic() + within_s
    try:
        listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    except OSError:
        return
    with listening:
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(("", port))
        except OSError:
            return
        # On each interface: a network without a router has no default route.
        for index, _ in socket.if_nameindex():
            with suppress(OSError):
                listening.setsockopt(
                    socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group) + struct.pack("=4xi", index)
                )
        while len(seen) < BEACONS_MAX and (left_s := until_s - time.monotonic()) > 0:
            listening.settimeout(left_s)
            try:
                datagram, (host, _) = listening.recvfrom(BEACON_BYTES_MAX)
            except OSError:
                return
            place = _parse_beacon(datagram, host)
            if place is not None and place not in seen:
                seen.add(place)
                yield place


def _parse_beacon(datagram: bytes, host: str) -> Endpoint | None:
    try:
        port = json.loads(datagram)["payload"]["port"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return (host, port) if type(port) is int and 0 < port < 65536 else None
