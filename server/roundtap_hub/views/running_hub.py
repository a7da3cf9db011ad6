"""The parts of a running hub that all subjects share: journal, presence, clocks, units, access, displays, paper."""

import base64
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from roundtap_core.randomness import SEED_BITS
from roundtap_hub.access.policy import AccessControl
from roundtap_hub.access.unit_keys import Challenges, RequestRefused, UnitAuth, UnitKeys, UnitTroubles
from roundtap_hub.http.host import Host
from roundtap_hub.http.requester import SignUpThrottle
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.event_times import EventTimesCache
from roundtap_hub.store.print_book import PrintBook
from roundtap_hub.store.service import Service
from roundtap_hub.views.known_displays import Displays
from roundtap_hub.views.league_tables import Evenings
from roundtap_hub.views.unit_presence import MissingEntries, Presence

EVENT_ID_LETTERS = 10
"""Fifty bits: two hubs that make a thousand events a year for a century share one with a chance of 1 in 200,000."""


def random_event_id(chance: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """ "e" and ten random lower-case base32 letters, so that last week's reports never reach this week's event."""
    return "e" + base64.b32encode(chance(EVENT_ID_LETTERS * 5 // 8 + 1)).decode().lower()[:EVENT_ID_LETTERS]


def random_seed() -> int:
    """Of an event, a draw or a prize."""
    return secrets.randbits(SEED_BITS)


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
        self.keys.listeners.append(lambda units: self.troubles.acknowledge(*units))
        self.auth = UnitAuth(self.keys, self.troubles, now_ms, generous)
        self.challenges = Challenges(now_ms)
        self.proofs = MissingEntries()  # entries that units have seen and the journal lacks

    def admit(self, kind: str, unit: str, challenge: str | None) -> None:
        """Admit a request whose signature holds, if it is no repetition. Raises RequestRefused."""
        if not self.challenges.take(challenge):
            raise RequestRefused(403, "ask for a challenge first")
        self.auth.charge(kind, unit)


class Hall:
    """What people in the hall request and see."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self.sign_ups = SignUpThrottle(now_ms)  # how often people may sign up by phone
        self.displays = Displays(now_ms)
        self.evenings: Evenings = {}  # finished events as leagues add them up, by id


@dataclass(slots=True)
class RunningHub:
    """What pages, feeds and units' requests work with."""

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
    new_seed: Callable[[], int] = random_seed

    def restored(self) -> bool:
        """Whether this journal began from a backup and its gaps are not settled yet."""
        return self.service.snapshot.venue.restore_state is not None
