"""What a browser's request says of its reader, without Flask: which language, and whether it is the organizer's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from roundtap_core.words import LANGUAGES, choose_language
from roundtap_hub.cookies import LANGUAGE, cookies_in
from roundtap_hub.http_answers import Scope, header
from roundtap_hub.hub import Hub
from roundtap_hub.page_guard import asker_of

LANGUAGES_LETTERS_MAX = 200
"""What browsers say of their languages is shorter."""
_header_language = lru_cache(maxsize=256)(choose_language)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a browser's cookies say."""

    language: str = ""
    organizer: bool = False


NOTHING = Remembered()


class BrowserChoices:
    """Reads requests. Its methods run in the event loop."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def remembered(self, scope: Scope) -> Remembered:
        """What came with the request; a cookie that is not ours says nothing."""
        sent = header(scope, b"cookie")
        if not sent:
            return NOTHING
        language = cookies_in(sent.decode("latin-1")).get(LANGUAGE, "")
        return Remembered(language if language in LANGUAGES else "", bool(asker_of(self._hub, scope).role))

    def language(self, scope: Scope, remembered: Remembered) -> str:
        """Chosen by hand and remembered, else what the browser asks for, else the hub's own."""
        if remembered.language:
            return remembered.language
        asked = header(scope, b"accept-language")
        return _header_language(asked[:LANGUAGES_LETTERS_MAX].decode("latin-1")) if asked else self._hub.language
