"""What a request says of its sender: address, whether it is this machine, cookies, language."""

import hashlib
import re
import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Any
from urllib.parse import parse_qs

from roundtap_core.words import LANGUAGES, Words, catalogue, choose_language, core_words
from roundtap_hub.http.http_answers import Scope, get_header

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
