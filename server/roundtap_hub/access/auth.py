"""Access checks: limits on PIN guesses and sign-ups, local requests, CSRF tokens, and the redirect after login."""

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
"""Wrong PINs of all addresses together that are checked: a night of guessing tries 7,200 of 100,000,000."""

SIGN_UP_RATE, GLOBAL_SIGN_UP_RATE = Rate(64, 64 / 600), Rate(300, 300 / 600)
"""Of one address a full hall at once, since a router may hide all of it; refilled within ten minutes."""
SIGN_UPS_KEPT = 1024
"""How many addresses, and answered forms, are remembered."""


@dataclass(slots=True)
class PinAttempts:
    """Wrong PINs from one address, and until when the next one is refused unchecked."""

    wrong: int = 0
    until_ms: int = 0


class PinThrottle:
    """Slows guessing down: five free tries an address, then a wait that doubles with each wrong one; and over all
    addresses GLOBAL_PIN_RATE, which does not delay the hub itself and addresses that sent the right PIN before.
    `now_ms` is a monotonic clock."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._lock = threading.Lock()
        self._tries: dict[str, PinAttempts] = {}
        self._trusted: dict[str, None] = {}
        self._of_all = TokenBucket(GLOBAL_PIN_RATE, now_ms())

    def wait_ms(self, address: str) -> int:
        """How long this address must still wait, in milliseconds."""
        address = throttle_key(address)
        with self._lock:
            tries, now = self._tries.get(address), self._now_ms()
            own = max(0, tries.until_ms - now) if tries else 0
            return max(own, 0 if self._is_trusted(address) else ceil(self._of_all.wait_ms(now)))

    def admit(self, address: str, is_right: Callable[[], bool], forgives: Callable[[], bool] = lambda: True) -> bool:
        """Whether this try was right. A try during the wait is refused unchecked, and does not prolong it.

        A try counts as wrong before it is checked, so that parallel ones gain nothing. `forgives`: whether a right one
        clears the wrong ones before it; a personal PIN must not, or it would buy guesses at another's.
        """
        address = throttle_key(address)
        with self._lock:
            now = self._now_ms()
            tries = self._tries.pop(address, None) or PinAttempts()
            self._tries[address] = tries
            alone = self._is_trusted(address)
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
            self._trusted[address] = None
            _keep_newest(self._trusted)
            if not alone:
                self._of_all.take(self._now_ms(), -1)
        return True

    def _is_trusted(self, address: str) -> bool:
        return address in self._trusted or is_loopback(address)


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
    """Whether the request was made at the hub itself: by the connection's address and the requested host, which differs
    for a proxy on the hub's machine, and for a foreign page whose name resolves to the hub."""
    return is_loopback(address) and LOCAL_HOST.fullmatch(host) is not None


def is_csrf_valid(expected: str, token: str, origin: str | None, own: str) -> bool:
    """Whether a POST comes from a form of this hub, by the browser's token and, where it is sent, the origin. `own`:
    the requested scheme and host ("https://10.42.0.1:8443")."""
    return origin in (None, own) and bool(expected) and hmac.compare_digest(expected.encode(), token.encode())


PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*")


def safe_next(target: str | None, default: str) -> str:
    """The path of this hub to continue to after login; anything else becomes the default.

    Only characters without tricks: browsers drop tabs and line breaks, take "\\" for "/", and some decode "%2f" twice.
    """
    if not target or not PATH.fullmatch(target):
        return default
    plain = unquote(target, errors="replace")
    if "//" in plain.partition("?")[0] or "\\" in plain or any(letter < " " or letter == "\x7f" for letter in plain):
        return default
    return target


class SignUpThrottle:
    """Limits sign-ups by phone, for each address and in total; remembers answered forms, and who came by the same
    phone. Thread-safe. `now_ms` is a monotonic clock."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._lock = threading.Lock()
        self._rates = RateLimiter(now_ms, SIGN_UPS_KEPT)
        self._answered: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._from: OrderedDict[tuple[str, str], tuple[str, str]] = OrderedDict()

    def admits(self, address: str) -> bool:
        """Whether the address may sign up one more now; if so, that is counted."""
        return self._rates.admit((throttle_key(address), SIGN_UP_RATE), ((), GLOBAL_SIGN_UP_RATE))

    def answered(self, event_id: str, form: str) -> str | None:
        """The competitor that this form entered before: a phone that got no answer sends it again."""
        with self._lock:
            return self._answered.get((event_id, form)) if form else None

    def entered(self, event_id: str, form: str, competitor: str, phone: str, address: str) -> None:
        """Remember a sign-up. `phone`: the browser's cookie; without one, all of an address are one phone."""
        network = throttle_key(address)
        with self._lock:
            self._from[event_id, competitor] = phone_digest(phone) or network, network
            if form:
                self._answered[event_id, form] = competitor
            for kept in (self._answered, self._from):
                while len(kept) > SIGN_UPS_KEPT:
                    kept.popitem(last=False)

    def phones(self, event_id: str) -> dict[str, tuple[int, int]]:
        """Competitor → (phone, address), both numbered in their order since the hub started. Addresses are neither
        stored nor shown."""
        with self._lock:
            came = {who: marks for (event, who), marks in self._from.items() if event == event_id}
        phones, addresses = ({mark: number for number, mark in enumerate(dict.fromkeys(each), start=1)}
                             for each in ([marks[at] for marks in came.values()] for at in (0, 1)))
        return {who: (phones[phone], addresses[address]) for who, (phone, address) in came.items()}
