"""Typed messages: the limited texts and numbers that their fields are made of, and how what was said is read as one.

msgspec says yes or no; where it says no, `type_errors.py` says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, Self, TypeVar, overload

import msgspec
from msgspec import Meta

from roundtap_core.errors import Problem
from roundtap_core.limits import (
    COUNT,
    EXACT,
    FIGURE,
    ID_LETTERS,
    IN_NO_LINE,
    LINE,
    LINE_LETTERS,
    MINUTES,
    NUMBER,
    PROSE,
    PROSE_LETTERS,
    ROUND,
)


class Message(msgspec.Struct, frozen=True):
    """An object of which some keys are known. Others are left alone: who says more may be newer."""

    def but(self, **changes: Any) -> Self:
        """The same with some fields changed."""
        return msgspec.structs.replace(self, **changes)


T = TypeVar("T")

Text = Annotated[str, Meta(max_length=ID_LETTERS)]
Name = Annotated[str, Meta(min_length=1, max_length=ID_LETTERS)]
Natural = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Exact = Annotated[int, Meta(ge=EXACT[0], le=EXACT[1])]
"""The whole numbers that every JSON program keeps exactly."""
Count = Annotated[int, Meta(ge=COUNT[0], le=COUNT[1])]
Figure = Annotated[int, Meta(ge=FIGURE[0], le=FIGURE[1])]
Number = Annotated[int, Meta(ge=NUMBER[0], le=NUMBER[1])]
Minutes = Annotated[int, Meta(ge=MINUTES[0], le=MINUTES[1])]
LastRound = Annotated[int, Meta(ge=ROUND[0], le=ROUND[1])]

Line = Annotated[str, Meta(max_length=LINE_LETTERS, pattern=LINE)]
Id = Annotated[str, Meta(max_length=ID_LETTERS, pattern=LINE)]
_LINE_OR_EMPTY = rf"^(?![\s\S])|{LINE}"
LineOrEmpty = Annotated[str, Meta(max_length=LINE_LETTERS, pattern=_LINE_OR_EMPTY)]
IdOrEmpty = Annotated[str, Meta(max_length=ID_LETTERS, pattern=_LINE_OR_EMPTY)]
Prose = Annotated[str, Meta(max_length=PROSE_LETTERS, pattern=PROSE)]

LINE_OR_NONE = rf"^[^{IN_NO_LINE}]*\Z"
SHOWN_LETTERS = 200
Word = Annotated[str, Meta(max_length=SHOWN_LETTERS, pattern=LINE_OR_NONE)]


class DisplayText(str):
    """A text of people as it may be drawn: what has no place on a screen is left out of it, and no reason to refuse."""

    __slots__ = ()
    JSON_TYPE = "string"

    @classmethod
    def of(cls, said: object) -> DisplayText:
        if not isinstance(said, str):
            raise ValueError("a text of people is a text")
        # Printable is what has a place on a screen: no line feed, nothing that turns the direction of what follows.
        text = "".join(letter if letter.isprintable() else " " for letter in said[: 2 * SHOWN_LETTERS])
        return cls(" ".join(text.split())[:SHOWN_LETTERS])


class MalformedMessage(ValueError):
    """What was said is no message of its type. `type_errors`: why, each with its place, for a person who can mend
    it."""

    def __init__(self, reasons: tuple[Problem, ...], text: str = "") -> None:
        super().__init__("; ".join(map(str, reasons)) or text)
        self.reasons = reasons


@overload
def parse_message(kind: type[T], said: object) -> T: ...


@overload
def parse_message(kind: Any, said: object) -> Any: ...


def parse_message(kind: Any, said: object) -> Any:
    """What was said, as parsed JSON, as a message of this type. Malformed."""
    try:
        return msgspec.convert(said, kind, dec_hook=_decode_hook)
    except UnicodeError:
        # Half a surrogate pair.
        raise MalformedMessage((Problem("unfit_text"),)) from None
    except (msgspec.ValidationError, Problem) as error:
        # Only now: nearly everything that is said is right.
        from roundtap_core.reasons import type_errors

        # What does not fit together though each part is right by itself is said by who found it.
        found = type_errors(said, kind) or ((error,) if isinstance(error, Problem) else ())
        raise MalformedMessage(found, str(error)) from None


def decode_message(kind: type[T], text: str) -> T | None:
    """The message that a JSON text is. None where it is none, or an object in it has a key twice: `parse_message` what
    the text holds, and hear why."""
    try:
        found = msgspec.json.decode(text, type=kind, dec_hook=_decode_hook)
    except (msgspec.DecodeError, UnicodeError, RecursionError, Problem):
        return None
    # Of a key that stands twice one is lost: written again, the text has fewer quotation marks.
    whole = "\\u0022" not in text and text.count('"') == msgspec.json.encode(found).count(b'"')
    return found if whole else None


def salvage_message(kind: type[T], said: Mapping[str, object]) -> T:
    """As `parse_message`, of a type whose fields all have defaults: whatever is odd is left out, and the rest
    counts."""
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):  # type: ignore[arg-type]
        if field.name in said:
            with suppress(msgspec.ValidationError, UnicodeError):
                found[field.name] = msgspec.convert(said[field.name], field.type, dec_hook=_decode_hook)
    return kind(**found)


def _decode_hook(kind: type[Any], said: object) -> object:
    """Reads what msgspec does not know: a class that makes one `of` what was said; JSON_TYPE is what that has to be."""
    return kind.of(said)
