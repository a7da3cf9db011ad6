"""What a request says of its sender: address, whether it is this machine, cookies, language; and the checks of access:
rates as token buckets, bounded in memory, limits on guesses and sign-ups, CSRF tokens, and the redirect after login.
"""

import hashlib
import hmac
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from math import ceil
from typing import Any, TypeVar
from urllib.parse import parse_qs, unquote

from roundtap_core.errors import Invalid
from roundtap_core.words import LANGUAGES, Words, catalogue, choose_language, core_words
from roundtap_hub.http.http_answers import Scope, get_header

BUCKETS_MAX = 4096
"""Limit for each kind of bucket. The least recently used one is forgotten, which makes it full again."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Tokens available at once, and refilled each second."""

    burst: float
    per_second: float


Buckets = tuple[tuple[Hashable, Rate], ...]  # buckets that a request takes a token from, all of them or none


@dataclass(frozen=True, slots=True)
class FairRates:
    """Rates by which no crowd shuts others out: each caller has tokens of its `own`, which others use up only where
    there are more of them than `own_of_all` is for; and then the `more` that all compete for."""

    own: Rate
    own_of_all: Rate
    more: Rate
    more_of_all: Rate

    def choices(self, who: Hashable) -> tuple[Buckets, Buckets]:
        """For `RateLimiter.admit_first`."""
        return (
            ((("own", who), self.own), ("own", self.own_of_all)),
            ((("more", who), self.more), ("more", self.more_of_all)),
        )


class TokenBucket:
    """A bucket of one rate; full at first. `now_ms`: milliseconds of one monotonic clock. Not locked."""

    __slots__ = ("_at_ms", "_left", "_rate")

    def __init__(self, rate: Rate, now_ms: float) -> None:
        self._rate, self._left, self._at_ms = rate, float(rate.burst), now_ms

    def wait_ms(self, now_ms: float, tokens: float = 1) -> float:
        """How long until there are `tokens`; 0: there are."""
        missing = tokens - self._refill(now_ms)
        # Rounding errors of fractions count as nothing.
        return missing * 1000 / self._rate.per_second if missing > 1e-9 else 0

    def take(self, now_ms: float, tokens: float = 1, owed_max: float = 0) -> None:
        """Remove tokens, down to 0 or -`owed_max`; a negative number adds some."""
        self._left = max(-owed_max, self._refill(now_ms) - tokens)

    def _refill(self, now_ms: float) -> float:
        passed_ms, self._at_ms = max(0.0, now_ms - self._at_ms), now_ms
        self._left = min(self._rate.burst, self._left + passed_ms * self._rate.per_second / 1000)
        return self._left


class RateLimiter:
    """One bucket for each caller, with the rate named at its first use. Thread-safe."""

    def __init__(self, now_ms: Callable[[], int], buckets_max: int = BUCKETS_MAX) -> None:
        self._now_ms = now_ms
        self._max = buckets_max
        self._lock = threading.RLock()
        self._buckets: OrderedDict[Hashable, TokenBucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def has(self, who: Hashable) -> bool:
        """Whether `who` has a token; none is taken."""
        with self._lock:
            bucket = self._buckets.get(who)
            return bucket is None or not bucket.wait_ms(self._now_ms())

    def wait_ms(self, callers: Iterable[Hashable]) -> float:
        """How long until each of `callers` has a token."""
        with self._lock:
            buckets = [self._buckets[who] for who in callers if who in self._buckets]
            return max((bucket.wait_ms(self._now_ms()) for bucket in buckets), default=0)

    def take(self, who: Hashable, rate: Rate, tokens: float = 1) -> None:
        """Take a token of `who`, where there is one; with -1 give it back."""
        with self._lock:
            bucket = self._buckets.get(who)
            if bucket is None:
                bucket = self._buckets[who] = TokenBucket(rate, self._now_ms())
                while len(self._buckets) > self._max:
                    self._buckets.popitem(last=False)
            self._buckets.move_to_end(who)
            bucket.take(self._now_ms(), tokens)

    def admit(self, *buckets: tuple[Hashable, Rate]) -> bool:
        """Take a token from each of these buckets; False, and none taken, where one of them is empty."""
        return bool(self.admit_first(buckets))

    def admit_first(self, *choices: Buckets) -> Buckets:
        """The first of `choices` whose buckets all have a token, which is taken; empty: none has."""
        with self._lock:
            for choice in choices:
                if not self.wait_ms(who for who, _ in choice):
                    for who, rate in choice:
                        self.take(who, rate)
                    return choice
        return ()

    def give_back(self, taken: Buckets) -> None:
        for who, rate in taken:
            self.take(who, rate, -1)


KNOWN_MAX = 8192  # addresses that are told apart

LANGUAGE = "roundtap_lang"  # the chosen language; unsigned, as it cannot be misused
LANGUAGE_S = 365 * 86_400

SECURE_SESSION, LOCAL_SESSION = "__Host-roundtap", "roundtap_here"
"""The session's token: over HTTPS (the name enforces Secure, this host and Path=/), and at the hub's own machine."""
DEVICE, DEVICE_S = "-device", 365 * 86_400  # suffix of the cookie of a browser that was logged in before (`StaffLogin`)
FORM = "-form"  # suffix of the cookie that ties forms to a browser without a session
VALUE_LETTERS_MAX = 128

PHONE, PHONE_S = "roundtap_phone", 2 * 86_400
"""Recognizes a phone: whose slip it claimed, for whom it reports, whom it signed up. It grants nothing."""
PHONE_BYTES = 18

# The token of the personal link that this browser opened last, so that next week it signs up with one tap.
OWN_LINK, OWN_LINK_S = "roundtap_me", 63 * 86_400

ACCEPTED_LETTERS_MAX = 200  # longer than the Accept-Language of any browser
_best_of = lru_cache(maxsize=256)(choose_language)

_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]")
FIRST_STRONG, END = "\u2068", "\u2069"

LOCAL_HOST = re.compile(r"(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?", re.IGNORECASE)

UNLIMITED_ADDRESSES = ("127.0.0.1", "::1", "")  # this machine's own, as addresses and as `client_key_in` names them


def new_phone() -> str:
    """A new value for a browser that sent none."""
    return secrets.token_urlsafe(PHONE_BYTES)


def phone_digest(sent: str) -> str:
    """What the hub stores of a phone cookie, "" for none: its readers cannot pose as that browser."""
    return hashlib.sha256(sent.encode()).hexdigest()[:16] if sent else ""


def session_cookie(encrypted: bool, here: bool) -> str:
    """The name of the session cookie that is accepted on such a connection; "" where none is."""
    return SECURE_SESSION if encrypted else LOCAL_SESSION if here else ""


def set_cookie(name: str, value: str, age_s: int) -> tuple[bytes, bytes]:
    """The header that sets a cookie on an answer that is not Flask's."""
    return b"set-cookie", f"{name}={value}; Path=/; Max-Age={age_s}; HttpOnly; SameSite=Lax".encode()


def cookies_in(header: str) -> dict[str, str]:
    """The cookies of a Cookie header; of two with one name the first, as browsers send the narrower path first."""
    cookies: dict[str, str] = {}
    for part in header.split(";"):
        name, is_one, value = part.strip().partition("=")
        if name and is_one and len(value) <= VALUE_LETTERS_MAX:
            cookies.setdefault(name, value.strip('"'))
    return cookies


def reader_language(chosen_now: str, remembered: str, accepted: str, own: str) -> str:
    """The address's language ("lang"), else the cookie's, else the best of Accept-Language, else the hub's own."""
    for chosen in (chosen_now, remembered):
        if chosen in LANGUAGES:
            return chosen
    return _best_of(accepted[:ACCEPTED_LETTERS_MAX]) if accepted else own


def language_of(scope: Scope, own: str) -> str:
    """The reader's language of an ASGI request, by the same rule."""
    query, cookies = scope["query_string"], get_header(scope, b"cookie")
    chosen_now = parse_qs(query.decode("latin-1")).get("lang", [""])[0] if query else ""
    remembered = cookies_in(cookies.decode("latin-1")).get(LANGUAGE, "") if cookies else ""
    return reader_language(chosen_now, remembered, get_header(scope, b"accept-language").decode("latin-1"), own)


def bidi_isolated(text: str) -> str:
    """The text, isolated for use inside another one where it is written from right to left."""
    return f"{FIRST_STRONG}{text}{END}" if _RTL.search(text) else text


class IsolatingWords(Words):
    """Texts for pages, whose parameters are isolated. By control characters, not <bdi>: sentences also stand in
    attributes and titles. Names that stand alone are isolated by their elements and roundtap.css."""

    def __call__(self, key: str, /, **params: object) -> str:
        return super().__call__(
            key, **{name: bidi_isolated(value) if isinstance(value, str) else value for name, value in params.items()}
        )

    @classmethod
    def of(cls, words: Words) -> "IsolatingWords":
        return cls(words.language, words._texts)


@lru_cache(maxsize=len(LANGUAGES))
def words_in(language: str) -> Words:
    """The hub's texts and the core's."""
    return IsolatingWords.of(catalogue("roundtap_hub", language).also(core_words(language)))


def is_loopback(address: str) -> bool:
    """Whether an address is the machine's own."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return (ip.ipv4_mapped or ip if isinstance(ip, IPv6Address) else ip).is_loopback


def is_local_request(address: str, host: str) -> bool:
    """Whether the request was made at the hub itself: by the connection's address and the requested host, which differs
    for a proxy on the hub's machine, and for a foreign page whose name resolves to the hub."""
    return is_loopback(address) and LOCAL_HOST.fullmatch(host) is not None


@lru_cache(KNOWN_MAX)
def throttle_key(address: str, own: str = "") -> str:
    """The key under which an address is counted: an IPv6 phone has any number of addresses, all in one /64. For turns a
    hall's own phones are told apart, which are all in the /64 of `own`, the hub's address."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped is not None:
            return str(ip.ipv4_mapped)
        network = f"{IPv6Address(int(ip) >> 64 << 64)}/64"
        return str(ip) if ip.is_loopback or network == (own and throttle_key(own)) else network
    return str(ip)


def client_key_in(scope: Mapping[str, Any]) -> str:
    """The client's key for its turns and its share of a line; "" for the hub's own machine."""
    return client_key(scope.get("client"), scope.get("server"))


def client_key(client: Sequence[Any] | None, own: Sequence[Any] | None) -> str:
    """The same, from the connection's two ends, (address, port) each."""
    who = throttle_key(str(client[0]), str(own[0]) if own else "") if client else ""
    return "" if who in UNLIMITED_ADDRESSES else who


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
