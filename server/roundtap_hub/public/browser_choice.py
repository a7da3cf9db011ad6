"""What a browser's request says of its reader, without Flask: which language, and whether it is the organizer's."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from itsdangerous import BadSignature, URLSafeTimedSerializer

from roundtap_core.words import LANGUAGES, choose_language
from roundtap_hub.auth import is_organizer
from roundtap_hub.http_answers import Scope, header
from roundtap_hub.hub import Hub

COOKIE, COOKIE_S = b"roundtap", 16 * 3600
"""Flask's session cookie and its longest age, as app.py sets them."""
KEPT, KEPT_MS = 2048, 10 * 60_000

_header_language = lru_cache(maxsize=256)(choose_language)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a session cookie says."""

    language: str = ""
    organizer: bool = False


NOTHING = Remembered()


class BrowserChoices:
    """Reads requests. Its methods run in the event loop."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._serializer = URLSafeTimedSerializer(
            hub.secret, salt="cookie-session", signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha1})
        self._known: dict[bytes, Remembered] = {}
        self._known_since_ms = 0

    def remembered(self, scope: Scope) -> Remembered:
        """What the session that came with the request says; a cookie that is not ours says nothing."""
        cookie = _cookie(header(scope, b"cookie"))
        if not cookie:
            return NOTHING
        now_ms = self._hub.clocks.mono_ms()
        if len(self._known) >= KEPT or now_ms - self._known_since_ms > KEPT_MS:
            self._known.clear()
            self._known_since_ms = now_ms
        found = self._known.get(cookie)
        if found is None:
            found = self._known[cookie] = self._read(cookie)
        return found

    def language(self, scope: Scope, remembered: Remembered) -> str:
        """Chosen by hand and remembered, else what the browser asks for, else the hub's own."""
        if remembered.language:
            return remembered.language
        asked = header(scope, b"accept-language")
        return _header_language(asked.decode("latin-1")) if asked else self._hub.language

    def _read(self, cookie: bytes) -> Remembered:
        try:
            session: Any = self._serializer.loads(cookie, max_age=COOKIE_S)
        except BadSignature:
            return NOTHING
        language = session.get("lang")
        return Remembered(language if language in LANGUAGES else "", is_organizer(session, self._hub))


def _cookie(sent: bytes) -> bytes:
    for part in sent.split(b";"):
        name, _, value = part.strip().partition(b"=")
        if name == COOKIE:
            return value.strip(b'"')
    return b""
