"""JSON that a stranger may have written, looked at before anybody works with it: how much, how deep, how large."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DEPTH_MAX = 12
TEXT_MAX = 200
NAMES = ("name", "taken_by", "members", "official", "card")
"""Texts of people: what nobody can draw is left out of them. In all others it is a reason to refuse."""


class TooMuch(ValueError):
    """It says where, and what."""


class Plain:
    """Looks at values of one message, `values_max` of them all together."""

    def __init__(self, values_max: int) -> None:
        self._left = values_max

    def looked_at(self, value: Any, name: str, number_max: int, depth: int = 1) -> Any:
        """The value, with texts cleaned; TooMuch where it is larger, deeper or stranger than any honest one."""
        self._left -= 1
        if self._left < 0 or depth > DEPTH_MAX:
            raise TooMuch(f"{name[:40]}: more than anybody could show")
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            if abs(value) > number_max:
                raise TooMuch(f"{name[:40]}: a number out of all ranges")
            return value
        if isinstance(value, str):
            return cleaned(value, name)
        if isinstance(value, Mapping):
            return {cleaned(str(key), "a key"): self.looked_at(each, str(key), number_max, depth + 1)
                    for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.looked_at(each, name, number_max, depth + 1) for each in value]
        raise TooMuch(f"{name[:40]}: {type(value).__name__}")


def cleaned(text: str, name: str) -> str:
    """A text as it may be drawn."""
    if name in NAMES:
        # Printable is what has a place on a screen: no line feed, nothing that turns the direction of what follows.
        text = "".join(letter if letter.isprintable() else " " for letter in text[: 2 * TEXT_MAX])
        return " ".join(text.split())[:TEXT_MAX]
    if len(text) > TEXT_MAX or not text.isprintable():
        raise TooMuch(f"{name[:40]}: a text of {len(text)} letters")
    return text
