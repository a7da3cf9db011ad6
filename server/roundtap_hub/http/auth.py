"""Access checks: limits on guesses and sign-ups, CSRF tokens, and the redirect after login."""

import hmac
import re
import threading
from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from typing import TypeVar
from urllib.parse import unquote

from roundtap_core.errors import Invalid
from roundtap_hub.http.rate_limits import FairRates, Rate, RateLimiter
from roundtap_hub.http.requester import is_loopback, phone_digest, throttle_key

T = TypeVar("T")

GUESS_RATES = FairRates(
    own=Rate(2, 1 / 1800), own_of_all=Rate(512, 1 / 6), more=Rate(3, 1 / 30), more_of_all=Rate(20, 1 / 6)
)
"""Two tries of its own for each address of a /24, however many of them guess. A night of guessing from anywhere tries
15,000 of 100,000,000."""
KNOWN_RATE = Rate(5, 1 / 30)  # tries of a device that was logged in before, and of the hub's own machine

NEW_PIN_RATES = FairRates(own=Rate(3, 1 / 20), own_of_all=Rate(2048, 4), more=Rate(3, 1 / 30), more_of_all=Rate(20, 1))
"""Tries at PINs that nobody has used yet, beside the others: in five minutes 3,600 from anywhere."""
OLD_SALT_RATES = FairRates(
    own=Rate(1, 1 / 1800), own_of_all=Rate(8, 1 / 30), more=Rate(1, 1 / 1800), more_of_all=Rate(8, 1 / 30)
)
"""Tries at PINs with a salt of their own, of which each costs one more slow hash."""

SIGN_UP_RATES = FairRates(
    own=Rate(1, 1 / 600), own_of_all=Rate(256, 256 / 600), more=Rate(63, 63 / 600), more_of_all=Rate(150, 150 / 600)
)
"""Of one address a full hall at once, since a router may hide all of it; refilled within ten minutes."""
SIGN_UPS_KEPT = 1024  # how many addresses, and answered forms, are remembered

OWN_PAGES = "'self'"  # in a policy, instead of an origin: the pages of this very hub
VIRTUAL_HALL = re.compile(r"(http://127\.0\.0\.1:[1-9]\d{1,4})/")

PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*")


class GuessLimiter:
    """Slows down guessing at what people type: PINs and codes. `now_ms` is a monotonic clock; `refusal`: the key of the
    Problem for somebody who has to wait; `strangers`: the rates of those who are not known."""

    def __init__(self, now_ms: Callable[[], int], refusal: str, strangers: FairRates = GUESS_RATES) -> None:
        self._rates = RateLimiter(now_ms)
        self._strangers = strangers
        self._refusal = refusal

    def check(self, find: Callable[[], T | None], address: str, device: str = "") -> T | None:
        """What `find` finds, which is charged to the address, or to a known `device`; None: the guess was wrong. Raises
        Problem(`refusal`), with `find` not asked, where there were too many. A guess is charged before it is looked at,
        so that parallel ones gain nothing; a right one costs nothing, and buys no others."""
        who = throttle_key(address)
        known_caller = bool(device) or is_loopback(address)
        choices = (((device or who, KNOWN_RATE),),) if known_caller else self._strangers.choices(who)
        charged = self._rates.admit_first(*choices)
        if not charged:
            wait_ms = min(self._rates.wait_ms(bucket for bucket, _ in choice) for choice in choices)
            raise Invalid(self._refusal, n=ceil(wait_ms / 1000))
        answer = find()
        if answer is not None:
            self._rates.give_back(charged)
        return answer


def framing_origin(bench_url: str | None, host: str) -> str:
    """The origin of the virtual tables' page, which may frame this hub's pages: only a page of this machine, and only
    where the hub listens on `host` for this machine alone. "" for any other."""
    origin = VIRTUAL_HALL.fullmatch(bench_url or "")
    return origin[1] if origin and is_loopback(host) else ""


def is_csrf_valid(expected: str, token: str, origin: str | None, own: str) -> bool:
    """Whether a POST comes from a form of this hub, by the browser's token and, where it is sent, the origin. `own`:
    the requested scheme and host ("https://10.42.0.1:8443")."""
    return origin in (None, own) and bool(expected) and hmac.compare_digest(expected.encode(), token.encode())


def safe_redirect_path(target: str | None, default: str) -> str:
    """The path of this hub to continue to after login; anything else becomes the default. Only characters without
    tricks: browsers drop tabs and line breaks, take "\\" for "/", and some decode "%2f" twice."""
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
        return bool(self._rates.admit_first(*SIGN_UP_RATES.choices(throttle_key(address))))

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
            for table in (self._answered, self._from):
                while len(table) > SIGN_UPS_KEPT:
                    table.popitem(last=False)

    def phones(self, event_id: str) -> dict[str, tuple[int, int]]:
        """Competitor → (phone, address), both numbered in their order since the hub started. Addresses are neither
        stored nor shown."""
        with self._lock:
            came = {who: marks for (event, who), marks in self._from.items() if event == event_id}
        phones, addresses = (
            {mark: number for number, mark in enumerate(dict.fromkeys(each), start=1)}
            for each in ([marks[at] for marks in came.values()] for at in (0, 1))
        )
        return {who: (phones[phone], addresses[address]) for who, (phone, address) in came.items()}
