"""Names that are written from right to left, kept from turning digits and punctuation that stand beside them."""

from __future__ import annotations

import re
from functools import lru_cache

from roundtap_core.words import LANGUAGES, Words, catalogue, core_words

_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]")
FIRST_STRONG, END = "\u2068", "\u2069"


def bidi_isolated(text: str) -> str:
    """The text as it may stand within another one; one that is written from the left stays as it is."""
    return f"{FIRST_STRONG}{text}{END}" if _RTL.search(text) else text


class IsolatingWords(Words):
    """Words for pages: what is put into a sentence moves nothing of it. By signs, not by <bdi>: sentences stand in
    attributes and titles as well. Names that stand by themselves are isolated by their elements, and roundtap.css."""

    def __call__(self, key: str, /, **params: object) -> str:
        return super().__call__(key, **{
            name: bidi_isolated(value) if isinstance(value, str) else value for name, value in params.items()})

    @classmethod
    def of(cls, words: Words) -> IsolatingWords:
        return cls(words.language, words._texts)


@lru_cache(maxsize=len(LANGUAGES))
def words_in(language: str) -> Words:
    """The hub's texts and the core's."""
    return IsolatingWords.of(catalogue("roundtap_hub", language).also(core_words(language)))
