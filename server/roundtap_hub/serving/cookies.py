"""The hub's cookies by their names: the organizer's session, a form's mark, and the language somebody chose."""

from __future__ import annotations

import hashlib
import secrets

LANGUAGE = "roundtap_lang"
"""Everybody's, and nothing that anybody could misuse: no signature, no session."""
LANGUAGE_S = 365 * 86_400

SECURE_SESSION, LOCAL_SESSION = "__Host-roundtap", "roundtap_here"
"""The session's token: over HTTPS, where browsers hold the name to Secure, to this host and to the whole of it; and at
the hub's own machine."""
FORM = "-form"
"""Added to the name: the mark by which a form of somebody who is not logged in is known again."""
VALUE_LETTERS_MAX = 128

PHONE, PHONE_S = "roundtap_phone", 2 * 86_400
"""By this a phone is known again: which slip's page it took, for whom it reports, whom it signed up. It opens
nothing."""
PHONE_BYTES = 18


def new_phone() -> str:
    """The value for a browser that sent none."""
    return secrets.token_urlsafe(PHONE_BYTES)


def phone_digest(sent: str) -> str:
    """What is kept of a browser's own cookie, "" for none: nobody who reads it can be taken for that browser."""
    return hashlib.sha256(sent.encode()).hexdigest()[:16] if sent else ""


def session_cookie(encrypted: bool, here: bool) -> str:
    """The name of the cookie that is believed on such a connection; "" where none is."""
    return SECURE_SESSION if encrypted else LOCAL_SESSION if here else ""


def set_cookie(name: str, value: str, age_s: int) -> tuple[bytes, bytes]:
    """The header that gives a browser a cookie on an answer that is not Flask's."""
    return b"set-cookie", f"{name}={value}; Path=/; Max-Age={age_s}; HttpOnly; SameSite=Lax".encode()


def cookies_in(sent: str) -> dict[str, str]:
    """The cookies of a request; of two with one name the first, as browsers send the narrower path first."""
    found: dict[str, str] = {}
    for part in sent.split(";"):
        name, is_one, value = part.strip().partition("=")
        if name and is_one and len(value) <= VALUE_LETTERS_MAX:
            found.setdefault(name, value.strip('"'))
    return found
