"""Who may press the organizer's buttons: the PIN, how often it may be guessed, and the token in every form."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from roundtap_hub.hub import Hub, pin_is

FREE_TRIES = 5
FIRST_WAIT_MS = 30_000
LONGEST_WAIT_MS = 15 * 60_000
ADDRESSES_KEPT = 4096


@dataclass(slots=True)
class Tries:
    """Wrong PINs from one address, and until when the next one is not even looked at."""

    wrong: int = 0
    until_ms: int = 0


class PinGate:
    """Slows guessing down: five free tries an address, then a wait that doubles with each further wrong one.

    `now_ms` is a monotonic clock.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._lock = threading.Lock()
        self._tries: dict[str, Tries] = {}

    def wait_ms(self, address: str) -> int:
        """How long this address must still wait; 0: it may try."""
        with self._lock:
            tries = self._tries.get(address)
            return max(0, tries.until_ms - self._now_ms()) if tries else 0

    def admit(self, address: str, is_right: Callable[[], bool]) -> bool:
        """Whether this try was right. A try during the wait is wrong without a look, and does not prolong it.

        The try counts as wrong before it is checked, so that many at once gain nothing.
        """
        with self._lock:
            tries = self._tries.pop(address, None) or Tries()
            self._tries[address] = tries
            if tries.until_ms > self._now_ms():
                return False
            tries.wrong += 1
            if tries.wrong >= FREE_TRIES:
                doublings = min(tries.wrong - FREE_TRIES, 16)
                tries.until_ms = self._now_ms() + min(LONGEST_WAIT_MS, FIRST_WAIT_MS << doublings)
            while len(self._tries) > ADDRESSES_KEPT:
                del self._tries[next(iter(self._tries))]
        if not is_right():
            return False
        with self._lock:
            self._tries.pop(address, None)
        return True


Session = MutableMapping[str, Any]


def log_in(session: Session, hub: Hub) -> None:
    """Make this browser the organizer's. What the session held before is dropped, but for the language."""
    language = session.get("lang")
    session.clear()
    if language:
        session["lang"] = language
    session["organizer"] = _stamp(hub)


def log_out(session: Session) -> None:
    session.pop("organizer", None)
    session.pop("csrf", None)


def is_organizer(session: Session, hub: Hub) -> bool:
    """Logged in, and with the PIN that is valid now: a new PIN logs everybody out."""
    return hmac.compare_digest(str(session.get("organizer", "")), _stamp(hub))


def right_pin(hub: Hub, pin: str) -> bool:
    """Whether `pin`, spaces aside, opens this hub."""
    return pin_is("".join(pin.split())[:64], hub.pin_hash)


def _stamp(hub: Hub) -> str:
    return hashlib.sha256(hub.secret + hub.pin_hash.encode()).hexdigest()[:24]


def csrf_token(session: Session) -> str:
    """The token that every form of this browser carries."""
    if "csrf" not in session:
        session["csrf"] = secrets.token_urlsafe(18)
    return str(session["csrf"])


def form_is_ours(session: Session, token: str, origin: str | None, host: str) -> bool:
    """Whether a POST comes from a form of this hub: the session's token, and, where the browser says it, the origin."""
    if origin is not None and urlsplit(origin).netloc != host:
        return False
    expected = session.get("csrf")
    return isinstance(expected, str) and hmac.compare_digest(expected.encode(), token.encode())


def safe_next(target: str | None, default: str) -> str:
    """A path of this hub to go on to after login; anything else is the default."""
    if not target or not target.startswith("/") or target.startswith("//") or "\\" in target or "\n" in target:
        return default
    return target
