"""The staff at the door: the hub's one PIN and everybody's own, how often one may be guessed, and who is logged in."""

from __future__ import annotations

from roundtap_hub.auth import PinGate
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.journal.service import Service
from roundtap_hub.pin import PinFile, new_pin, pin_is
from roundtap_hub.policy import ORGANIZER
from roundtap_hub.sessions import Session, Sessions
from roundtap_hub.staff import THE_ORGANIZER, Staff, StaffPerson, Who


class Organizers:
    """One hub's; any thread may ask."""

    def __init__(self, pin: PinFile, sessions: Sessions, gate: PinGate, staff: Staff) -> None:
        self._pin = pin
        self.sessions = sessions
        self.gate = gate
        self.staff = staff
        sessions.read(pin.hashed)

    def session(self, token: str) -> Session | None:
        """The living session of a cookie's token; None for everybody else, and for who was revoked."""
        found = self.sessions.find(token, self._pin.hashed) if token else None
        return found if found is not None and self.who(found) is not None else None

    def who(self, session: Session | None) -> Who | None:
        """Whose session it is, in the role of now."""
        if session is None:
            return None
        return self.staff.who(session.person) if session.person else THE_ORGANIZER

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
        token = self.sessions.begin(address, agent, person.id if person is not None else "")
        if self._pin.hashed != hashed:
            # Replaced while it was looked at.
            self.sessions.end_all(self._pin.hashed)
            return None
        if person is not None:
            session = self.sessions.find(token, hashed)
            self.staff.logged_in(person.id, (session.wall if session is not None else None) or "")
        return token

    def add_person(self, name: str, role: str, actor: str = ORGANIZER) -> tuple[StaffPerson, str]:
        """See `Staff.add`."""
        return self.staff.add(name, role, self._is_the_hub_s, actor)

    def replace_pin(self, person_id: str, actor: str = ORGANIZER) -> tuple[StaffPerson, str]:
        """Another PIN; the sessions of the one before end."""
        person, pin = self.staff.replace_pin(person_id, self._is_the_hub_s, actor)
        self.sessions.end_of(person_id)
        return person, pin

    def revoke(self, person_id: str, actor: str = ORGANIZER) -> None:
        """The PIN opens nothing any more, and every session that it opened is over."""
        self.staff.revoke(person_id, actor)
        self.sessions.end_of(person_id)

    def replace_hub_pin(self) -> str:
        """Another PIN for the hub, returned this once; every session that the one before opened is over, and so are
        those of PINs of their own. OSError: the one before goes on."""
        pin = new_pin()
        while self.staff.person_of(pin) is not None:
            pin = new_pin()
        self._pin.replace(pin)
        self.sessions.end_all(self._pin.hashed)
        return pin

    def _is_the_hub_s(self, pin: str) -> bool:
        return pin_is(pin, self._pin.hashed)


def organizers_of(pin_hash: str, clocks: Clocks, service: Service) -> Organizers:
    """Those of a hub without files."""
    return Organizers(PinFile(pin_hash), Sessions(clocks), PinGate(clocks.mono_ms), Staff(service))
