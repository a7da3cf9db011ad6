"""The hub's side of one exchange: begun when an organizer types a code, answered by the unit, confirmed by both.

Each step of arithmetic takes some ten milliseconds on a Pi and is never done on the event loop.
"""

from __future__ import annotations

import hmac
import threading
from dataclasses import dataclass
from typing import Any

from roundtap_core.enrol_keys import HUB_IDENTITY, About, Agreed, agreed, commitment, message_of, password

LIVES_MS = 10_000
"""From the typed code to the unit's confirmation."""

OFFERED, CHECKED, STORING, STORED, UNSAVED, WRONG, LATE, MALFORMED = (
    "offered", "checked", "storing", "stored", "unsaved", "wrong", "late", "malformed")
ENDED = (STORED, UNSAVED, WRONG, LATE, MALFORMED)


@dataclass(frozen=True, slots=True)
class Wish:
    """What the unit is to be, once both have confirmed. `table`: where it stands; None: nowhere, or where it stood.
    `actor`: who typed the code. `replaces`: whether the name has a key already, which counts no more then."""

    unit: str
    role: str
    table: int | None
    actor: str
    replaces: bool = False


class Exchange:
    """`state` goes from OFFERED over CHECKED and STORING to one of ENDED, and never back. Any thread may ask; `done` is
    set with the end, which is STORED only once both sides have confirmed and the key is on the disk."""

    def __init__(self, about: About, code: str, commit: str, wish: Wish, begun_ms: int) -> None:
        # Only now: half a tenth of a second of imports, and nobody needs them on most evenings.
        from spake2 import SPAKE2_A

        self.about = about
        self.wish = wish
        self._commit = commit
        self.begun_ms = begun_ms
        self.state = OFFERED
        self.error: Exception | None = None
        """Why what was agreed on could not be stored."""
        self.done = threading.Event()
        self._lock = threading.Lock()
        self._answered = ""
        self._agreed: Agreed | None = None
        self._side: Any = SPAKE2_A(password(code), idA=HUB_IDENTITY, idB=about.unit_identity)
        self.message: str = self._side.start().hex()
        """What the unit is offered, in hex."""

    def answer(self, unit_message: object) -> str | None:
        """The hub's confirmation to the unit's message; None where there is nothing to say. Only the message that the
        unit announced before its code was to be seen is looked at, and answered the same whenever it comes."""
        with self._lock:
            if self._agreed is not None:
                return self._agreed.hub_confirms if unit_message == self._answered else None
            try:
                theirs = message_of(unit_message)
            except ValueError:
                return None
            if self.state != OFFERED or not hmac.compare_digest(commitment(theirs), self._commit):
                return None
            try:
                self._agreed = agreed(self._side.finish(theirs), self.about, bytes.fromhex(self.message), theirs)
            except Exception:
                # Whatever the group refuses: no element of it, the one that gives everything away, our own message.
                self._end(MALFORMED)
                return None
            self._answered = str(unit_message)
            self._side = None
            self.state = CHECKED
            return self._agreed.hub_confirms

    def confirmed(self, said: object) -> bytes | None:
        """The unit's key, if its confirmation is right, and (once) it is to be stored now: `state` says. A wrong one
        ends the exchange."""
        with self._lock:
            if self._agreed is None or self.state not in (CHECKED, STORING, STORED):
                return None
            if not isinstance(said, str) or not said.isascii() \
                    or not hmac.compare_digest(said, self._agreed.unit_confirms):
                if self.state == CHECKED:
                    self._end(WRONG)
                return None
            if self.state == CHECKED:
                self.state = STORING
            return self._agreed.key

    def end(self, state: str, error: Exception | None = None) -> None:
        """It is over, unless it was before. What is being stored ends with STORED or UNSAVED only."""
        with self._lock:
            if self.state in ENDED or (self.state == STORING and state not in (STORED, UNSAVED)):
                return
            self.error = error
            self._end(state)

    def _end(self, state: str) -> None:
        self.state = state
        if state != STORED:
            self._agreed = self._side = None
        self.done.set()
