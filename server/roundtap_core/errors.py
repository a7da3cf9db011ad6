"""Errors that a person can correct: each names what is wrong, where, and what would be right, in four languages."""

from collections.abc import Mapping
from typing import Self

from roundtap_core.words import Words, core_words

SIDE_PARAMS = ("side", "winner", "right")  # parameters that may name a side of a match


def json_pointer(where: str, key: str | int) -> str:
    """The JSON path one step below `where` (RFC 6901: "~" and "/" inside a key are escaped)."""
    step = key.replace("~", "~0").replace("/", "~1") if isinstance(key, str) else key
    return f"{where}/{step}"


class Problem(Exception):
    """An error that a person can correct; a bug is never a Problem. `key` names a text in the core's catalogues
    (``words/*.json``, keys beginning with ``problem.``); `params` fill its placeholders. `where` is a JSON path in an
    event file ("/rounds/0/matches/3"), or "" where the page or screen makes the place clear. `Invalid`: the input
    itself is wrong; any other Problem: not possible at the moment."""

    def __init__(self, key: str, /, where: str = "", **params: object) -> None:
        super().__init__(key, where, params)
        self.key = key
        self.where = where
        self.params = params

    def replace(self, where: str, **params: object) -> Self:
        """The same problem at another place, with changed parameters."""
        return type(self)(self.key, where=where, **{**self.params, **params})

    def at(self, where: str) -> Self:
        """The same problem, below `where`."""
        return self.replace(where + self.where)

    def named(self, names: Mapping[str, str]) -> Self:
        """The same problem with the sides' names in place of "a" and "b"."""
        return self.replace(
            self.where,
            **{key: names.get(str(value), value) for key, value in self.params.items() if key in SIDE_PARAMS},
        )

    def say(self, words: Words | None = None) -> str:
        """The text for a person; English without `words`."""
        words = words or core_words("en")
        types = str(self.params.get("expected", "")).split(", ")
        # The readers of a file know no "null": what may be null may also be left out.
        named = [words(f"type.{each}") for each in types if each != "null" and f"type.{each}" in words]
        return words(f"problem.{self.key}", **self.params | ({"expected": " / ".join(named)} if named else {}))

    def __str__(self) -> str:
        return f"{self.where}: {self.say()}" if self.where else self.say()


class Invalid(Problem):
    """The input is wrong in itself, regardless of what has happened meanwhile."""
