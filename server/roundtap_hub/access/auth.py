"""The doorkeeper's rules: how often a PIN may be guessed and people enter themselves, which forms are the hub's own,
and where login leads to."""

from __future__ import annotations

import hmac
import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from math import ceil
from urllib.parse import unquote

from roundtap_hub.serving.connection_limits import throttle_key
from roundtap_hub.serving.cookies import phone_digest
from roundtap_hub.serving.rate_limits import Rate, RateLimiter, TokenBucket

FREE_TRIES = 5
FIRST_WAIT_MS = 30_000
LONGEST_WAIT_MS = 15 * 60_000
ADDRESSES_KEPT = 4096

GLOBAL_PIN_RATE = Rate(20, 1 / 6)
"""Wrong PINs of all addresses together that are looked at: a night of guessing from everywhere tries 7,200 of
100,000,000."""

SIGN_UP_RATE, GLOBAL_SIGN_UP_RATE = Rate(64, 64 / 600), Rate(300, 300 / 600)
"""Of one address as many at once as a full hall has, since a router may hide all of them behind it; each again within
ten minutes."""
SIGN_UPS_KEPT = 1024
"""Addresses, and forms that were answered."""


@dataclass(slots=True)
class PinAttempts:
    """Wrong PINs from one address, and until when the next one is not even looked at."""

    wrong: int = 0
    until_ms: int = 0


class PinThrottle:
    """Slows guessing down: five free tries an address, then a wait that doubles with each further wrong one; and over
    all addresses no more than TRIES_OF_ALL.

    Who sits at the hub itself, and an address from which the right PIN came before, wait for nobody else's guesses.
    `now_ms` is a monotonic clock.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._lock = threading.Lock()
        self._tries: dict[str, PinAttempts] = {}
        self._was_right: dict[str, None] = {}
        self._of_all = TokenBucket(GLOBAL_PIN_RATE, now_ms())

    def wait_ms(self, address: str) -> int:
        """How long this address must still wait; 0: it may try."""
        address = throttle_key(address)
        with self._lock:
            tries, now = self._tries.get(address), self._now_ms()
            own = max(0, tries.until_ms - now) if tries else 0
            return max(own, 0 if self._alone(address) else ceil(self._of_all.wait_ms(now)))

    def admit(self, address: str, is_right: Callable[[], bool],
              forgives: Callable[[], bool] = lambda: True) -> bool:
        """Whether this try was right. A try during the wait is wrong without a look, and does not prolong it.

        The try counts as wrong before it is checked, so that many at once gain nothing. `forgives`: asked of a right
        one, whether those before it are forgotten; else a PIN of one's own would buy guesses at another's.
        """
        address = throttle_key(address)
        with self._lock:
            now = self._now_ms()
            tries = self._tries.pop(address, None) or PinAttempts()
            self._tries[address] = tries
            alone = self._alone(address)
            if tries.until_ms > now or (not alone and self._of_all.wait_ms(now)):
                return False
            tries.wrong += 1
            if not alone:
                self._of_all.take(now)
            if tries.wrong >= FREE_TRIES:
                doublings = min(tries.wrong - FREE_TRIES, 16)
                tries.until_ms = now + min(LONGEST_WAIT_MS, FIRST_WAIT_MS << doublings)
            _keep_newest(self._tries)
        if not is_right():
            return False
        with self._lock:
            if forgives():
                self._tries.pop(address, None)
            elif address in self._tries:
                tries = self._tries[address]
                tries.wrong, tries.until_ms = max(0, tries.wrong - 1), 0
            self._was_right[address] = None
            _keep_newest(self._was_right)
            if not alone:
                self._of_all.take(self._now_ms(), -1)
        return True

    def _alone(self, address: str) -> bool:
        return address in self._was_right or is_loopback(address)


def _keep_newest(kept: dict[str, PinAttempts] | dict[str, None]) -> None:
    while len(kept) > ADDRESSES_KEPT:
        del kept[next(iter(kept))]


def is_loopback(address: str) -> bool:
    """Whether an address is the machine's own."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return (found.ipv4_mapped or found if isinstance(found, IPv6Address) else found).is_loopback


LOCAL_HOST = re.compile(r"(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?", re.IGNORECASE)


def is_local_request(address: str, host: str) -> bool:
    """Whether somebody at the hub itself asks: by the connection's address, and by the name that was asked for.

    A proxy on the hub's machine asks by another name, for whoever stands behind it; so does a page elsewhere whose name
    leads here.
    """
    return is_loopback(address) and LOCAL_HOST.fullmatch(host) is not None


def is_csrf_valid(expected: str, token: str, origin: str | None, own: str) -> bool:
    """Whether a POST comes from a form of this hub: by the browser's own token and, where the browser says it, the
    origin.

    `own`: scheme and host that were asked ("https://10.42.0.1:8443").
    """
    return origin in (None, own) and bool(expected) and hmac.compare_digest(expected.encode(), token.encode())


PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*")


def safe_next(target: str | None, default: str) -> str:
    """A path of this hub to go on to after login; anything else is the default.

    Only letters that stand for themselves in an address: browsers drop tabs and line breaks, take "\\" for "/", and
    some read twice what is written as "%2f".
    """
    if not target or not PATH.fullmatch(target):
        return default
    plain = unquote(target, errors="replace")
    if "//" in plain.partition("?")[0] or "\\" in plain or any(letter < " " or letter == "\x7f" for letter in plain):
        return default
    return target


class SignUpThrottle:
    """How often people may enter themselves by phone: bounded for one address and for all; the same form sent twice is
    one, and who came by the same phone is known. Any thread may ask. `now_ms` is a monotonic clock."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._lock = threading.Lock()
        self._rates = RateLimiter(now_ms, SIGN_UPS_KEPT)
        self._answered: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._from: OrderedDict[tuple[str, str], tuple[str, str]] = OrderedDict()

    def admits(self, address: str) -> bool:
        """Whether one more may come from there now; it counts as come."""
        return self._rates.admit((throttle_key(address), SIGN_UP_RATE), ((), GLOBAL_SIGN_UP_RATE))

    def answered(self, event_id: str, form: str) -> str | None:
        """Whom this very form entered before: a phone that got no answer sends it again."""
        with self._lock:
            return self._answered.get((event_id, form)) if form else None

    def entered(self, event_id: str, form: str, competitor: str, phone: str, address: str) -> None:
        """`phone`: the browser's own cookie; without one, all of an address are one phone."""
        network = throttle_key(address)
        with self._lock:
            self._from[event_id, competitor] = phone_digest(phone) or network, network
            if form:
                self._answered[event_id, form] = competitor
            for kept in (self._answered, self._from):
                while len(kept) > SIGN_UPS_KEPT:
                    kept.popitem(last=False)

    def phones(self, event_id: str) -> dict[str, tuple[int, int]]:
        """Who came by which phone from which address, as this hub has seen it since it started: both numbered in their
        order. No address is kept on a disk, nor shown."""
        with self._lock:
            came = {who: marks for (event, who), marks in self._from.items() if event == event_id}
        phones, addresses = ({mark: number for number, mark in enumerate(dict.fromkeys(each), start=1)}
                             for each in ([marks[at] for marks in came.values()] for at in (0, 1)))
        return {who: (phones[phone], addresses[address]) for who, (phone, address) in came.items()}
