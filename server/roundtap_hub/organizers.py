"""Organizers as a whole: their PIN, how often it may be guessed, and who is logged in."""

from __future__ import annotations

from roundtap_hub.auth import PinGate
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.pin import PinFile, pin_is
from roundtap_hub.sessions import Session, Sessions


class Organizers:
    """One hub's; any thread may ask."""

    def __init__(self, pin: PinFile, sessions: Sessions, gate: PinGate) -> None:
        self._pin = pin
        self.sessions = sessions
        self.gate = gate
        sessions.read(pin.hashed)

    def session(self, token: str) -> Session | None:
        """The living session of a cookie's token; None for everybody else."""
        return self.sessions.find(token, self._pin.hashed) if token else None

    def log_in(self, typed: str, address: str, agent: str) -> str | None:
        """The token of a new session where `typed` is the PIN and the gate lets it be looked at; else None."""
        hashed = self._pin.hashed
        if not self.gate.admit(address, lambda: pin_is(typed, hashed)):
            return None
        token = self.sessions.begin(address, agent)
        if self._pin.hashed != hashed:
            # Replaced while it was looked at.
            self.sessions.end_all(self._pin.hashed)
            return None
        return token


def organizers_of(pin_hash: str, clocks: Clocks) -> Organizers:
    """Those of a hub without files."""
    return Organizers(PinFile(pin_hash), Sessions(clocks), PinGate(clocks.mono_ms))
