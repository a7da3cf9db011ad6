"""One hub: its service, its hall, its keys, and the folder it lives in."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from roundtap_core.errors import Problem
from roundtap_hub.calls import Calls
from roundtap_hub.devices.challenges import Challenges
from roundtap_hub.devices.unit_door import UnitDoor
from roundtap_hub.devices.unit_keys import UnitKeys
from roundtap_hub.devices.unit_troubles import UnitTroubles
from roundtap_hub.enrolment.desk import EnrolDesk
from roundtap_hub.event_ids import random_event_id
from roundtap_hub.hall_time import HallTime
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.journal.event_times import Times
from roundtap_hub.journal.proofs import Proofs
from roundtap_hub.journal.service import Service
from roundtap_hub.known_displays import Displays
from roundtap_hub.organizers import Organizers, organizers_of
from roundtap_hub.own_machine import OwnMachine
from roundtap_hub.personal_links import PersonalLinks
from roundtap_hub.pin import hash_pin as hash_pin
from roundtap_hub.presence import Presence
from roundtap_hub.printing.job_book import PrintBook
from roundtap_hub.private_files import write_private
from roundtap_hub.reached_at import ReachedAt
from roundtap_hub.sign_up_gate import SignUpGate
from roundtap_hub.tls import Encrypted
from roundtap_hub.wishes import Wishes

if TYPE_CHECKING:
    from roundtap_hub.hub_sound import HubSound
    from roundtap_hub.standby.kin import Kin

SECRET_BYTES = 32
NAME_LETTERS = 40


@dataclass(frozen=True, slots=True)
class Hub:
    """What pages, device API and feeds are handed. `keys`: those of the journal, or key by unit."""

    service: Service
    presence: Presence
    clocks: Clocks
    keys: InitVar[UnitKeys | Mapping[str, bytes]]
    secret: bytes
    """Makes the tokens that forms carry."""
    pin_hash: str
    language: str = "en"
    bench_url: str | None = None
    """Set by the demo: where the virtual tables are."""
    paper: PrintBook | None = None
    """What was printed; None: a hub without paper."""
    other_addresses: Callable[[], Sequence[str]] = tuple
    """Where the journal is kept as well, "http://host:port" each: units try them when this hub is silent."""
    on_database: bool = False
    """Whether other hubs may have the same journal."""
    generous: InitVar[int] = 1
    """So many times the usual is what units may ask: for measuring."""
    kin: Kin | None = None
    """This hub among its standbys and the other hubs of its journal; None: there are none."""
    organizers: Organizers = field(default=None)  # type: ignore[assignment]
    """Who is logged in. Not given: in memory, by `pin_hash`."""
    sound: HubSound | None = None
    """The hub's own audio out; None: it has none."""
    hall_time: HallTime | None = None
    """The time of day, which an organizer may set; None: it is somebody else's (a database's, a test's)."""
    encrypted: Encrypted | None = None
    """The port for organizers, and whom browsers have to trust for it; None: organizers only at the hub itself."""
    plain_port: int = 0
    """The port of everybody's pages; 0: whichever somebody asks."""
    reached_at: ReachedAt = field(default_factory=lambda: ReachedAt(addresses=tuple))
    """The addresses that stand on walls and paper. Not given: none."""
    machine: OwnMachine = field(default_factory=OwnMachine)
    """What the machine that the hub runs on says of itself."""
    new_event_id: Callable[[], str] = random_event_id
    machine_name: str = field(default_factory=lambda: printable(socket.gethostname()))
    """What units that look for a hub call this one on their screens."""
    proofs: Proofs = field(default_factory=Proofs)
    """Entries that units were told of and that the journal lacks."""
    unit_keys: UnitKeys = field(init=False)
    unit_troubles: UnitTroubles = field(init=False)
    challenges: Challenges = field(init=False)
    links: PersonalLinks = field(init=False)
    """Players' personal links."""
    sign_ups: SignUpGate = field(init=False)
    """How often people may enter themselves by phone."""
    calls: Calls = field(init=False)
    """Who wants a judge, at which match."""
    wishes: Wishes = field(init=False)
    """Who wants to leave an event."""
    unit_door: UnitDoor = field(init=False)
    """Who of the units is let in."""
    enrolment: EnrolDesk = field(init=False)
    """Units that ask for a key."""
    displays: Displays = field(init=False)
    times: Times = field(init=False)
    """When things happened in the events."""

    def __post_init__(self, keys: UnitKeys | Mapping[str, bytes], generous: int) -> None:
        now_ms, presence = self.clocks.mono_ms, self.presence
        unit_keys = keys if isinstance(keys, UnitKeys) else UnitKeys(self.service, keys)
        troubles = UnitTroubles(lambda unit, kinds: presence.told(unit, troubles=kinds))
        unit_keys.listen(troubles.of_others)
        for name, value in (("unit_keys", unit_keys), ("unit_troubles", troubles), ("challenges", Challenges(now_ms)),
                            ("sign_ups", SignUpGate(now_ms)),
                            ("calls", Calls(presence, lambda: self.service.snapshot, now_ms)),
                            ("wishes", Wishes(presence, lambda: self.service.snapshot, now_ms)),
                            ("unit_door", UnitDoor(unit_keys, troubles, now_ms, generous)),
                            ("organizers", self.organizers or organizers_of(self.pin_hash, self.clocks, self.service)),
                            ("links", PersonalLinks(self.service, self.secret, now_ms)),
                            ("enrolment", EnrolDesk(lambda: self.service, presence, unit_keys, now_ms)),
                            ("displays", Displays(lambda: self.clocks.mono_ms())),
                            ("times", Times(self.service))):
            # Frozen for everybody else.
            object.__setattr__(self, name, value)

    def restored(self) -> bool:
        """Whether this journal began from a backup, and what that lacked is not settled."""
        return self.service.snapshot.venue.afresh is not None


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
