"""The hub's cookies: session, known device, form mark, language and phone."""

import hashlib
import secrets

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
    found: dict[str, str] = {}
    for part in header.split(";"):
        name, is_one, value = part.strip().partition("=")
        if name and is_one and len(value) <= VALUE_LETTERS_MAX:
            found.setdefault(name, value.strip('"'))
    return found
