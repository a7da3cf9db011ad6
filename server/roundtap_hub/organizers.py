"""The staff at the door: the hub's one PIN and everybody's own, how often one may be guessed, and who is logged in."""

from __future__ import annotations

import hashlib

from roundtap_hub.auth import PinGate
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.journal.service import Service
from roundtap_hub.pin import PinFile, new_pin, pin_is
from roundtap_hub.sessions import Session, Sessions
from roundtap_hub.staff import THE_ORGANIZER, Staff, StaffPerson, Who


class Organizers:
    """One hub's; any thread may ask."""

    def __init__(self, pin: PinFile, sessions: Sessions, gate: PinGate, staff: Staff) -> None:
        self._pin = pin
        self.sessions = sessions
        self.gate = gate
        self.staff = staff

    def session(self, token: str) -> Session | None:
        """The living session of a cookie's token; None for everybody else, and for who was revoked."""
        found = self.sessions.find(token)
        return found if self.who(found) is not None else None

    def who(self, session: Session | None) -> Who | None:
        """Whose session it is, in the role of now; None where one of the PINs that it hangs on is another by now,
        wherever it was replaced."""
        if session is None or session.pin != pin_mark(self._pin.hashed, self.staff.find(session.person)):
            return None
        return self.staff.who(session.person) if session.person else THE_ORGANIZER

    def listed(self) -> list[tuple[Session, int, int]]:
        """As `Sessions.listed`, those that open something."""
        return [each for each in self.sessions.listed() if self.who(each[0]) is not None]

    def log_in(self, typed: str, address: str, agent: str) -> str | None:
        """The token of a new session where `typed` is a PIN and the gate lets it be looked at; else None.

        The hub's own is tried first; which of them it was nobody learns by the time that it takes.
        """
        hashed = self._pin.hashed
        found: list[StaffPerson | None] = []

        def is_right() -> bool:
            person, is_hubs = self.staff.person_of(typed), pin_is(typed, hashed)
            if is_hubs or person is not None:
                found.append(None if is_hubs else person)
            return bool(found)

        if not self.gate.admit(address, is_right, forgives=lambda: found[0] is None):
            return None
        person = found[0]
        token = self.begin(address, agent, person, hashed)
        session = self.session(token)
        if session is not None and person is not None and session.wall is not None:
            self.staff.logged_in(person.id, session.wall)
        return token if session is not None else None

    def begin(self, address: str, agent: str, person: StaffPerson | None = None, hub_pin: str = "") -> str:
        """The token of a new session, of whoever typed the PIN of `person`, or the hub's (None). `hub_pin`: the hash of
        the hub's PIN at that time; now, where it is not given."""
        mark = pin_mark(hub_pin or self._pin.hashed, person)
        return self.sessions.begin(address, agent, person.id if person is not None else "", mark)

    def replace_hub_pin(self) -> str:
        """Another PIN for the hub, returned this once; every session that the one before opened is over, and so are
        those of PINs of their own. OSError: the one before goes on."""
        pin = new_pin()
        while self.staff.person_of(pin) is not None:
            pin = new_pin()
        self._pin.replace(pin)
        return pin


def pin_mark(hub_pin: str, person: StaffPerson | None) -> str:
    """Of the hashes of the hub's PIN and of somebody's own: another one where either is replaced."""
    return hashlib.sha256((hub_pin + (person.hashed if person is not None else "")).encode()).hexdigest()[:24]


def organizers_of(pin_hash: str, clocks: Clocks, service: Service) -> Organizers:
    """Those of a hub without files."""
    pin = PinFile(pin_hash)
    return Organizers(pin, Sessions(clocks), PinGate(clocks.mono_ms), Staff(service, pin.is_it))
