"""In which language somebody reads: one rule for Flask's pages, the stored ones, and those that stand in for them."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import parse_qs

from roundtap_core.words import LANGUAGES, choose_language
from roundtap_hub.serving.cookies import LANGUAGE, cookies_in
from roundtap_hub.serving.http_answers import Scope, header

ACCEPTED_LETTERS_MAX = 200
"""What browsers say of their languages is shorter."""
_best_of = lru_cache(maxsize=256)(choose_language)


def reader_language(asked: str, remembered: str, accepted: str, own: str) -> str:
    """What the address asks for ("lang"), else what was chosen in this browser before (its cookie), else the best of
    what the browser accepts, else the hub's own."""
    for chosen in (asked, remembered):
        if chosen in LANGUAGES:
            return chosen
    return _best_of(accepted[:ACCEPTED_LETTERS_MAX]) if accepted else own


def language_of(scope: Scope, own: str) -> str:
    """The same of a request that Flask does not see."""
    query, cookies = scope["query_string"], header(scope, b"cookie")
    asked = parse_qs(query.decode("latin-1")).get("lang", [""])[0] if query else ""
    remembered = cookies_in(cookies.decode("latin-1")).get(LANGUAGE, "") if cookies else ""
    return reader_language(asked, remembered, header(scope, b"accept-language").decode("latin-1"), own)
