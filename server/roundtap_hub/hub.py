"""One hub: its service, its hall, its keys, the folder it lives in, and by which address it is reached."""

from __future__ import annotations

import base64
import secrets
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from roundtap_core.errors import Problem
from roundtap_hub.access.auth import SignUpThrottle, is_loopback
from roundtap_hub.access.personal_links import PersonalLinks
from roundtap_hub.access.pins import hash_pin as hash_pin
from roundtap_hub.access.staff import StaffLogin, make_staff_login
from roundtap_hub.access.tls import HttpsInfo
from roundtap_hub.hall.hall_addresses import HTTP, HallAddresses, http_url
from roundtap_hub.hall.known_displays import Displays
from roundtap_hub.hall.own_machine import HallTime, OwnMachine
from roundtap_hub.paper.job_book import PrintBook
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.event_times import EventTimesCache
from roundtap_hub.store.secure_files import write_private
from roundtap_hub.store.service import Service
from roundtap_hub.units.device_auth import Challenges, Refusal, UnitAuth, UnitTroubles
from roundtap_hub.units.enrolment import EnrolDesk
from roundtap_hub.units.unit_keys import UnitKeys
from roundtap_hub.units.unit_presence import Calls, LeaveRequests, MissingEntries, Presence

if TYPE_CHECKING:
    from roundtap_hub.hall.hub_sound import HubSound
    from roundtap_hub.standby.peers import Peers

SECRET_BYTES = 32
NAME_LETTERS = 40
EVENT_ID_LETTERS = 10
"""Fifty bits: two hubs that made a thousand events a year for a century would share one with a chance of one in
two hundred thousand."""


def random_event_id(chance: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """By chance, so that last week's reports never meet this week's event: "e" and ten letters of base32, lower case.
    `chance(n)` gives n random bytes."""
    return "e" + base64.b32encode(chance(EVENT_ID_LETTERS * 5 // 8 + 1)).decode().lower()[:EVENT_ID_LETTERS]


class Units:
    """The units of a hub: whom it lets in, and what it knows of them."""

    def __init__(self, service: Service, presence: Presence, now_ms: Callable[[], int],
                 keys: UnitKeys | Mapping[str, bytes], generous: int = 1) -> None:
        """`keys`: those of the journal, or key by unit. `generous`: so many times the usual is what units may ask, for
        measuring."""
        self.keys = keys if isinstance(keys, UnitKeys) else UnitKeys(service, keys)
        self.troubles = UnitTroubles(lambda unit, kinds: presence.told(unit, troubles=kinds))
        self.keys.listen(lambda units: self.troubles.seen(*units))
        self.door = UnitAuth(self.keys, self.troubles, now_ms, generous)
        self.challenges = Challenges(now_ms)
        self.enrolment = EnrolDesk(service, presence, self.keys, now_ms)
        """Units that ask for a key."""
        self.proofs = MissingEntries()
        """Entries that units were told of and that the journal lacks."""

    def admit(self, kind: str, unit: str, challenge: str | None) -> None:
        """Take what a unit asks whose signature holds: nobody has asked it before. Raises Refusal."""
        if not self.challenges.take(challenge):
            raise Refusal(403, "ask for a challenge first")
        self.door.charge(kind, unit)


class Hall:
    """What people in the hall ask for, and what they see and hear there."""

    def __init__(self, service: Service, presence: Presence, now_ms: Callable[[], int],
                 sound: HubSound | None = None) -> None:
        self.calls = Calls(presence, lambda: service.snapshot, now_ms)
        """Who wants a judge, at which match."""
        self.wishes = LeaveRequests(presence, lambda: service.snapshot, now_ms)
        """Who wants to leave an event."""
        self.sign_ups = SignUpThrottle(now_ms)
        """How often people may enter themselves by phone."""
        self.displays = Displays(now_ms)
        self.sound = sound
        """The hub's own audio out; None: it has none."""


@dataclass(slots=True)
class Access:
    """Who may do what: by PIN and session, by link, and by which port."""

    secret: bytes
    """Makes the tokens that forms carry."""
    organizers: StaffLogin
    """Who is logged in."""
    links: PersonalLinks
    """Players' personal links."""
    encrypted: HttpsInfo | None = None
    """The port for organizers, and whom browsers have to trust for it; None: organizers only at the hub itself."""


@dataclass(slots=True)
class Host:
    """Where a hub runs, and how it is reached."""

    reached_at: HallAddresses = field(default_factory=lambda: HallAddresses(addresses=tuple))
    """The addresses that stand on walls and paper. Not given: none."""
    plain_port: int = 0
    """The port of everybody's pages; 0: whichever somebody asks."""
    other_addresses: Callable[[], Sequence[str]] = tuple
    """Where the journal is kept as well, "http://host:port" each: units try them when this hub is silent."""
    kin: Peers | None = None
    """This hub among its standbys and the other hubs of its journal; None: there are none."""
    on_database: bool = False
    """Whether other hubs may have the same journal."""
    hall_time: HallTime | None = None
    """The time of day, which an organizer may set; None: it is somebody else's (a database's, a test's)."""
    machine: OwnMachine = field(default_factory=OwnMachine)
    """What the machine says of itself."""
    name: str = field(default_factory=lambda: printable(socket.gethostname()))
    """What units that look for a hub call this one on their screens."""
    bench_url: str | None = None
    """Set by the demo: where the virtual tables are."""


@dataclass(slots=True)
class Hub:
    """What pages, device API and feeds are handed."""

    service: Service
    presence: Presence
    clocks: Clocks
    units: Units
    access: Access
    hall: Hall
    times: EventTimesCache
    """When things happened in the events."""
    host: Host
    paper: PrintBook | None = None
    """What was printed; None: a hub without paper."""
    language: str = "en"
    new_event_id: Callable[[], str] = random_event_id

    def restored(self) -> bool:
        """Whether this journal began from a backup, and what that lacked is not settled."""
        return self.service.snapshot.venue.afresh is not None


def hub_in_memory(service: Service, presence: Presence, clocks: Clocks, keys: UnitKeys | Mapping[str, bytes],
                  secret: bytes = b"", pin_hash: str = "", *, encrypted: HttpsInfo | None = None,
                  host: Host | None = None, **more: Any) -> Hub:
    """A hub without a folder, for simulations and tests: it remembers sessions and links while it lives. `more`: by the
    names of Hub."""
    now_ms = clocks.mono_ms
    return Hub(service, presence, clocks, Units(service, presence, now_ms, keys),
               Access(secret, make_staff_login(pin_hash, clocks, service), PersonalLinks(service, secret, now_ms),
                      encrypted),
               Hall(service, presence, now_ms), EventTimesCache(service), host or Host(), **more)


def printable(name: str) -> str:
    """The name of a machine as it may stand on a screen."""
    return "".join(letter for letter in name if letter.isprintable())[:NAME_LETTERS]


def read_or_make_secret(path: Path) -> bytes:
    """A file of random bytes in hex that only the hub's user may read; made on the first start.

    Raises Problem("secret_unreadable") for one that holds less: everybody could have written what it signs.
    """
    if path.exists():
        try:
            secret = bytes.fromhex(path.read_text(encoding="ascii"))
        except ValueError:
            secret = b""
        if len(secret) < SECRET_BYTES:
            raise Problem("secret_unreadable", where=str(path))
        return secret
    secret = secrets.token_bytes(SECRET_BYTES)
    write_private(path, secret.hex())
    return secret


def hall_address(hub: Hub, host_url: str = "") -> str:
    """"http://10.42.0.1:8080", without a slash. `host_url`: the address that somebody asked ("https://hub:8443/"); "":
    nobody did, then "" as long as this machine is on no network.

    A name that many phones cannot look up (`roundtap.local`) becomes an address, as far as there is one.
    """
    reached = hub.host.reached_at
    if not host_url:
        return reached.url
    asked = urlsplit(host_url)
    host, port = asked.hostname or "localhost", asked.port or HTTP
    port = hub.host.plain_port or port if asked.scheme == "https" else reached.port_for(port)
    if host == "localhost" or is_loopback(host) or host.endswith(".local"):
        if not reached.addresses:
            reached.look()
        # The desk may be the hub itself; a phone is not.
        host = next((str(each) for each in reached.addresses), host)
    return http_url(host, port)
