"""One hub: its service, hall, keys and folder, and the address it is reached by."""

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
from roundtap_hub.access.device_auth import Challenges, RequestRefused, UnitAuth, UnitTroubles
from roundtap_hub.access.personal_links import PersonalLinks
from roundtap_hub.access.staff import StaffLogin, make_staff_login
from roundtap_hub.access.unit_keys import UnitKeys
from roundtap_hub.http.auth import SignUpThrottle, is_loopback
from roundtap_hub.http.hall_addresses import HTTP, HallAddresses, http_url
from roundtap_hub.http.tls import HttpsInfo
from roundtap_hub.paper.job_book import PrintBook
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.event_times import EventTimesCache
from roundtap_hub.store.login_pins import hash_pin as hash_pin
from roundtap_hub.store.own_machine import HallTime, OwnMachine
from roundtap_hub.store.secure_files import write_private
from roundtap_hub.store.service import Service
from roundtap_hub.units.enrolment import EnrolDesk
from roundtap_hub.views.known_displays import Displays
from roundtap_hub.views.unit_presence import MissingEntries, Presence

if TYPE_CHECKING:
    from roundtap_hub.app.practice_hub import PracticeHub
    from roundtap_hub.app.standby.peers import Peers
    from roundtap_hub.hall.hub_sound import HubSound

SECRET_BYTES = 32
NAME_LETTERS = 40
EVENT_ID_LETTERS = 10
"""Fifty bits: two hubs that make a thousand events a year for a century share one with a chance of 1 in 200,000."""


def random_event_id(chance: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """ "e" and ten random lower-case base32 letters, so that last week's reports never reach this week's event."""
    return "e" + base64.b32encode(chance(EVENT_ID_LETTERS * 5 // 8 + 1)).decode().lower()[:EVENT_ID_LETTERS]


class Units:
    """The units of a hub: which it admits, and what it knows of them."""

    def __init__(
        self,
        service: Service,
        presence: Presence,
        now_ms: Callable[[], int],
        keys: UnitKeys | Mapping[str, bytes],
        generous: int = 1,
    ) -> None:
        """`keys`: the journal's, or key by unit. `generous`: factor on units' request limits, for benchmarks."""
        self.keys = keys if isinstance(keys, UnitKeys) else UnitKeys(service, keys)
        self.troubles = UnitTroubles(lambda unit, kinds: presence.merge(unit, troubles=kinds))
        self.keys.listen(lambda units: self.troubles.acknowledge(*units))
        self.auth = UnitAuth(self.keys, self.troubles, now_ms, generous)
        self.challenges = Challenges(now_ms)
        self.enrolment = EnrolDesk(service, presence, self.keys, now_ms)  # units that ask for a key
        self.proofs = MissingEntries()  # entries that units have seen and the journal lacks

    def admit(self, kind: str, unit: str, challenge: str | None) -> None:
        """Admit a request whose signature holds, if it is no repetition. Raises RequestRefused."""
        if not self.challenges.take(challenge):
            raise RequestRefused(403, "ask for a challenge first")
        self.auth.charge(kind, unit)


class Hall:
    """What people in the hall request, see and hear."""

    def __init__(self, now_ms: Callable[[], int], sound: HubSound | None = None) -> None:
        self.sign_ups = SignUpThrottle(now_ms)  # how often people may sign up by phone
        self.displays = Displays(now_ms)
        self.sound = sound  # the hub's own audio output, if any


@dataclass(slots=True)
class AccessControl:
    """Who may do what: by PIN and session, by link, by port."""

    secret: bytes  # signs the tokens in forms
    organizers: StaffLogin
    links: PersonalLinks
    encrypted: HttpsInfo | None = None
    """The organizers' port and the authority browsers must trust for it; None: organizers only at the hub itself."""


@dataclass(slots=True)
class Host:
    """Where a hub runs, and how it is reached."""

    hall_addresses: HallAddresses = field(default_factory=lambda: HallAddresses(addresses=tuple))
    """The addresses shown on walls and paper."""
    plain_port: int = 0  # the port of the public pages; 0: the one of the request
    other_addresses: Callable[[], Sequence[str]] = tuple
    """Hubs with copies of the journal, "http://host:port" each: units try them when this hub is silent."""
    kin: Peers | None = None  # this hub's standbys and the other hubs of its journal, if any
    on_database: bool = False  # whether other hubs may share the journal
    hall_time: HallTime | None = None
    """The time of day, which an organizer may set; None: not this hub's to set (a database's, a test's)."""
    machine: OwnMachine = field(default_factory=OwnMachine)
    name: str = field(default_factory=lambda: printable_name(socket.gethostname()))
    """This hub's name on the screens of units that look for a hub."""
    bench_url: str | None = None  # set by demo and practice: the address of the virtual tables
    framed_by: str = ""  # the origin whose page may frame this hub's pages (`auth.framing_origin`); "": none
    is_practice: bool = False  # whether this is a practice hub
    practice: PracticeHub | None = None  # what this hub's organizers practise on; None: it has none


@dataclass(slots=True)
class Hub:
    """What pages, device API and feeds work with."""

    service: Service
    presence: Presence
    clocks: Clocks
    units: Units
    access: AccessControl
    hall: Hall
    times: EventTimesCache
    host: Host
    paper: PrintBook | None = None  # none: a hub without paper
    language: str = "en"
    new_event_id: Callable[[], str] = random_event_id

    def restored(self) -> bool:
        """Whether this journal began from a backup and its gaps are not settled yet."""
        return self.service.snapshot.venue.restore_state is not None


def hub_in_memory(
    service: Service,
    presence: Presence,
    clocks: Clocks,
    keys: UnitKeys | Mapping[str, bytes],
    secret: bytes = b"",
    pin_hash: str = "",
    *,
    encrypted: HttpsInfo | None = None,
    host: Host | None = None,
    **more: Any,
) -> Hub:
    """A hub without a folder, for simulations and tests: sessions and links last as long as it does. `more`: further
    fields of Hub."""
    now_ms = clocks.mono_ms
    return Hub(
        service,
        presence,
        clocks,
        Units(service, presence, now_ms, keys),
        AccessControl(
            secret,
            make_staff_login(pin_hash, secret, clocks, service),
            PersonalLinks(service, secret, now_ms),
            encrypted,
        ),
        Hall(now_ms),
        EventTimesCache(service),
        host or Host(),
        **more,
    )


def printable_name(name: str) -> str:
    """A machine's name as a screen can show it."""
    return "".join(letter for letter in name if letter.isprintable())[:NAME_LETTERS]


def read_or_make_secret(path: Path) -> bytes:
    """The secret in a hex file that only the hub's user may read; made on the first start. Raises
    Problem("secret_unreadable") for a shorter one: its signatures could be forged."""
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
    """The hub's address for the hall ("http://10.42.0.1:8080"); "" without `host_url` on a machine without a network.
    `host_url`: the address of the request ("https://hub:8443/"). A name that many phones cannot look up
    (`roundtap.local`) becomes an address if there is one."""
    reached = hub.host.hall_addresses
    if not host_url:
        return reached.url
    asked = urlsplit(host_url)
    host, port = asked.hostname or "localhost", asked.port or HTTP
    port = hub.host.plain_port or port if asked.scheme == "https" else reached.port_for(port)
    if host == "localhost" or is_loopback(host) or host.endswith(".local"):
        if not reached.addresses:
            reached.refresh()
        # The desk may be the hub itself; a phone is not.
        host = next((str(each) for each in reached.addresses), host)
    return http_url(host, port)
