"""The errors that a person can mend: each names what is wrong, where, and what would be right, in four languages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from roundtap_core.words import Words, core_words

SIDE_PARAMS = ("side", "winner", "right")
"""Parameters that may name a side of a match."""


def pointer(where: str, key: str | int) -> str:
    """The JSON path one step below `where` (RFC 6901: "~" and "/" inside a key are escaped)."""
    step = key.replace("~", "~0").replace("/", "~1") if isinstance(key, str) else key
    return f"{where}/{step}"


class Problem(Exception):
    """Something a person can mend.

    `key` is the name of a text in the core's catalogues (``words/*.json``, keys that begin with ``problem.``);
    `params` fill its placeholders. `where` is a JSON path in an event file ("/rounds/0/matches/3"), or "" where the
    place is clear from the page or screen that shows the text. A bug is never a Problem. `Invalid` where what was sent
    is wrong by itself; any other Problem is about what is not possible just now.
    """

    def __init__(self, key: str, /, where: str = "", **params: object) -> None:
        super().__init__(key, where, params)
        self.key = key
        self.where = where
        self.params = params

    def but(self, where: str, **params: object) -> Self:
        """The same problem at another place, and with other parameters."""
        return type(self)(self.key, where=where, **{**self.params, **params})

    def at(self, where: str) -> Self:
        """The same problem, found below `where`."""
        return self.but(where + self.where)

    def named(self, names: Mapping[str, str]) -> Self:
        """The same problem of a match, with the sides' names in place of "a" and "b"."""
        return self.but(self.where, **{
            key: names.get(str(value), value) for key, value in self.params.items() if key in SIDE_PARAMS})

    def say(self, words: Words | None = None) -> str:
        """The text for a person; without `words`, in English."""
        return (words or core_words("en"))(f"problem.{self.key}", **self.params)

    def __str__(self) -> str:
        return f"{self.where}: {self.say()}" if self.where else self.say()


class Invalid(Problem):
    """What was sent is wrong by itself, whatever has happened meanwhile."""
