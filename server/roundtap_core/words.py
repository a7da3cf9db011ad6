"""Texts that people read: one JSON catalogue per package and language. A language is there when its catalogue is."""

import json
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module

LANGUAGES = tuple(
    sorted(
        (name.removesuffix(".json") for name in os.listdir(f"{os.path.dirname(__file__)}/words")),
        key=lambda language: ("en es de pl".find(language) % 99, language),
    )
)
"""English first; what came later stands behind the four of the beginning."""

Text = str | dict[str, str]


def plural_form(language: str, n: int) -> str:
    """The CLDR plural category of the whole number `n`: "one", "few", "many" or "other"."""
    n = abs(n)
    if n == 1:
        return "one"
    if language == "pl":
        return "few" if n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14) else "many"
    return "other"


class Words:
    """One language's texts: ``words("table.saved", number=1042)``. A text is a string with ``{placeholders}``, or an
    object of plural forms chosen by the parameter ``n``. An unknown key is a bug and raises KeyError."""

    def __init__(self, language: str, texts: Mapping[str, Text]) -> None:
        self.language = language
        self._texts = texts

    def __call__(self, key: str, /, **params: object) -> str:
        text = self._texts[key]
        if isinstance(text, dict):
            n = params["n"]
            assert isinstance(n, int)
            text = text.get(plural_form(self.language, n)) or text["other"]
        return text.format(**params) if params else text

    def number(self, text: object) -> str:
        """A number as this language writes it, with its decimal comma."""
        return str(text).replace(".", self("number.point"))

    def date(self, text: str) -> str:
        """A text with its dates (2026-11-21) as this language writes them."""
        return re.sub(r"(\d{4})-(\d\d)-(\d\d)", self("date.form"), text)

    def __contains__(self, key: str) -> bool:
        return key in self._texts

    def first(self, *keys: str) -> str:
        """The first of these texts that exists; put the more specific key first."""
        return next((self(key) for key in keys if key in self), keys[-1].rpartition(".")[2])

    def texts(self, begin: str) -> list[str]:
        """All texts whose key begins like this, with every plural form and their placeholders."""
        return [
            form
            for key, text in self._texts.items()
            if key.startswith(begin)
            for form in (text.values() if isinstance(text, dict) else [text])
        ]

    def also(self, other: "Words") -> "Words":
        """These texts combined with another catalogue's."""
        return Words(self.language, {**other._texts, **self._texts})

    def with_texts(self, texts: Mapping[str, Text]) -> "Words":
        """The same, with these texts instead of its own."""
        return type(self)(self.language, {**self._texts, **texts})

    def variant(self, name: str) -> "Words":
        """These texts, those with a variant of this name ("KEY.NAME") in that variant."""
        end = f".{name}"
        return self.with_texts({key.removesuffix(end): text for key, text in self._texts.items() if key.endswith(end)})


@lru_cache(maxsize=32)
def catalogue(package: str, language: str) -> Words:
    """The catalogue ``words/LANGUAGE.json`` of an import package; an unknown language reads English."""
    language = language if language in LANGUAGES else "en"
    # Plain files, not importlib.resources, which costs 20 ms of every command's start.
    folder = os.path.dirname(str(import_module(package).__file__))
    with open(os.path.join(folder, "words", f"{language}.json"), encoding="utf-8") as file:
        return Words(language, json.load(file))


@lru_cache(maxsize=32)
def core_words(language: str) -> Words:
    """The core's own texts: problems, labels of forms, names of figures. And those that a rulebook brings along, as
    "words" by language in the file of its clauses; in English where it lacks the language."""
    words = catalogue("roundtap_core", language)
    for clauses in filter(os.DirEntry.is_file, os.scandir(f"{os.path.dirname(__file__)}/rulebooks/clauses")):
        with open(clauses, "rb") as file:
            text = file.read()
        # Most have none, and clauses are long.
        own = json.loads(text)["words"] if b'"words":' in text else {}
        words = words.also(Words(words.language, own.get("en", {}) | own.get(words.language, {})))
    return words


def choose_language(wanted: str) -> str:
    """The best of those there are for an ``Accept-Language`` header or a ``LANG`` value; English where none fits.

    >>> choose_language("pl-PL,pl;q=0.9,en;q=0.5")
    'pl'
    """
    ranked: list[tuple[float, int, str]] = []
    for place, part in enumerate(wanted.split(",")):
        tag, _, quality = part.partition(";q=")
        language = tag.strip().lower().replace("_", "-").split("-")[0].split(".")[0]
        if language in LANGUAGES:
            try:
                ranked.append((-float(quality or 1), place, language))
            except ValueError:
                continue
    return min(ranked)[2] if ranked else "en"
