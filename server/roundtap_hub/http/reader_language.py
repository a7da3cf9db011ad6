"""A reader's language and the texts in it; names written from right to left do not reorder what stands beside them."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import parse_qs

from roundtap_core.words import LANGUAGES, Words, catalogue, choose_language, core_words
from roundtap_hub.http.cookies import LANGUAGE, cookies_in
from roundtap_hub.http.http_answers import Scope, get_header

ACCEPTED_LETTERS_MAX = 200  # longer than the Accept-Language of any browser
_best_of = lru_cache(maxsize=256)(choose_language)

_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]")
FIRST_STRONG, END = "\u2068", "\u2069"


def reader_language(asked: str, remembered: str, accepted: str, own: str) -> str:
    """The address's language ("lang"), else the cookie's, else the best of Accept-Language, else the hub's own."""
    for chosen in (asked, remembered):
        if chosen in LANGUAGES:
            return chosen
    return _best_of(accepted[:ACCEPTED_LETTERS_MAX]) if accepted else own


def language_of(scope: Scope, own: str) -> str:
    """The reader's language of an ASGI request, by the same rule."""
    query, cookies = scope["query_string"], get_header(scope, b"cookie")
    asked = parse_qs(query.decode("latin-1")).get("lang", [""])[0] if query else ""
    remembered = cookies_in(cookies.decode("latin-1")).get(LANGUAGE, "") if cookies else ""
    return reader_language(asked, remembered, get_header(scope, b"accept-language").decode("latin-1"), own)


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
    def of(cls, words: Words) -> IsolatingWords:
        return cls(words.language, words._texts)


@lru_cache(maxsize=len(LANGUAGES))
def words_in(language: str) -> Words:
    """The hub's texts and the core's."""
    return IsolatingWords.of(catalogue("roundtap_hub", language).also(core_words(language)))
