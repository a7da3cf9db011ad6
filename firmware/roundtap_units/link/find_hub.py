"""Finds the hub for a unit that was not given its address: candidates in order, each asked whether it is a hub."""

import http.client
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from roundtap_core.messages import HubAnswer
from roundtap_core.typed import parse_message
from roundtap_machine.deadline_http import request_json
from roundtap_units.link.hub_choice import Endpoint

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
    is known by there, where it has proved to be a wall's hub (`wall/own_hub.py`)."""

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
    named = resolve_ipv4(LOCAL_NAME)
    if named is not None:
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
