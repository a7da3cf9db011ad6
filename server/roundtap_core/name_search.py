"""One search for names and tables everywhere: what is typed finds a name in all spellings that people use for it. Pages
carry the `search_text` of what they list; static/search.js folds what is typed in the same way."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

# Apostrophes of all kinds, the dot of "Gal·la", marks of letters, signs that nobody sees.
_DROPPED = re.compile(
    "['`\u00ad\u00b4\u00b7\u02b9-\u02cb\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u200b-\u200f\u2018-\u201b\u202a-\u202e\u2032\u2035\u2060-\u2069\u20d0-\u20f0\u3099\u309a\ufe00-\ufe0f\ufeff]"
)
# Blanks, hyphens and all other signs between words.
_APART = re.compile(r"[\u0000-/:-@\[-`{-\u00bf\u00d7\u00f7\u060c\u2000-\u206f\u3000-\u303f\u30fb]+")
# Letters that are not a plain one with a mark.
_LETTERS = str.maketrans(
    dict(zip("øłđðıħŧŋəςґیىکة", "olddihtneσгييكه", strict=True)) | {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
)

JOINED_MAX = 4  # words of one last name
NAMES_MAX = 4096  # names whose forms are remembered: a list of all players has them again after each change


def fold(text: str) -> str:
    """Small plain letters and figures, one blank between words: "O’Brien-Łuź" → "obrien luz"."""
    small = _DROPPED.sub("", unicodedata.normalize("NFKD", _DROPPED.sub("", text)).lower())
    return _APART.sub(" ", small.translate(_LETTERS)).strip()


def rough(folded: str) -> str:
    """One spelling for all that may stand for the same letter: "mueller" and "muller" → "muller"; "aa" may be "å", "ss"
    "ß", "dj" "đ", and "dh" "ð"."""
    return re.sub("a+e*|[ou]e*|s+|d[hj]|th", lambda letters: letters[0][0], folded)


@lru_cache(NAMES_MAX)
def search_text(*names: object, shortened: bool = False) -> str:
    """All that these names are found by: words, words written as one, and both roughly spelled. `shortened`: what ends
    with a dot stands for any word that begins so, since who looks for "Franz K." types "Keller"."""
    forms = [form for name in names if name is not None for form in (fold(str(name)), fold(str(name)).replace(" ", ""))]
    forms += [
        f"{fold(word)}."
        for name in names
        if shortened
        for word in str(name).split()
        if word.endswith(".") and fold(word)
    ]
    return " ".join(dict.fromkeys(filter(None, [*forms, *map(rough, forms)])))


def is_found(query: str, text: str, begins: bool = False, joined: bool = False) -> bool:
    """Whether all words of `query`, in any order, stand in this `search_text`; with `begins` at the beginnings of its
    words, with `joined` also as the end of several written as one. An empty query finds all."""
    words, before = fold(query).split(), " " if begins else ""
    short = tuple(part[:-1] for part in text.split() if part.endswith("."))
    return all(
        any(
            before + spelled in f" {text}" or spelled.startswith(short)
            for first in range(max(0, last - JOINED_MAX) if joined else last - 1, last)
            for word in ("".join(words[first:last]),)
            for spelled in (word, rough(word))
        )
        for last in range(1, len(words) + 1)
    )


def find(query: str, things: Sequence[Any], text: Callable[[Any], str]) -> list[Any]:
    """Those that `query` finds by their `text`. Where there are none, a last name in several words may be a short one:
    "Müller Lüdenscheidt" finds "Anna M.". False hits do little harm: nobody is missed."""
    if not fold(query):
        return list(things)
    return [each for each in things if is_found(query, text(each))] or [
        each for each in things if is_found(query, text(each), joined=True)
    ]
