"""The hub's cookies by their names: the organizer's session, a form's mark, and the language somebody chose."""

from __future__ import annotations

LANGUAGE = "roundtap_lang"
"""Everybody's, and nothing that anybody could misuse: no signature, no session."""
LANGUAGE_S = 365 * 86_400

ENCRYPTED, HERE = "__Host-roundtap", "roundtap_here"
"""The session's token: over HTTPS, where browsers hold the name to Secure, to this host and to the whole of it; and at
the hub's own machine."""
FORM = "-form"
"""Added to the name: the mark by which a form of somebody who is not logged in is known again."""
VALUE_LETTERS_MAX = 128


def session_cookie(encrypted: bool, here: bool) -> str:
    """The name of the cookie that is believed on such a connection; "" where none is."""
    return ENCRYPTED if encrypted else HERE if here else ""


def cookies_in(sent: str) -> dict[str, str]:
    """The cookies of a request; of two with one name the first, as browsers send the narrower path first."""
    found: dict[str, str] = {}
    for part in sent.split(";"):
        name, is_one, value = part.strip().partition("=")
        if is_one and len(value) <= VALUE_LETTERS_MAX:
            found.setdefault(name, value.strip('"'))
    return found
