"""Typed messages: the bounded texts and numbers of their fields, and how parsed JSON is read as one.

msgspec accepts or rejects; reasons.py explains a rejection.
"""

import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, Self, TypeVar, overload

import msgspec

from roundtap_core import limits
from roundtap_core.errors import Problem

T = TypeVar("T")

_LINE_OR_EMPTY = rf"^(?![\s\S])|{limits.LINE}"

LINE_OR_NONE = rf"^[^{limits.IN_NO_LINE}]*\Z"
SHOWN_LETTERS, JOINERS = 200, "\u200c\u200d"


class Message(msgspec.Struct, frozen=True):
    """An object of known keys. Unknown keys are ignored: the sender may be newer."""

    def replace(self, **changes: Any) -> Self:
        """The same with some fields changed."""
        return msgspec.structs.replace(self, **changes)


Text = Annotated[str, msgspec.Meta(max_length=limits.ID_LETTERS)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.ID_LETTERS)]
Natural = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Exact = Annotated[int, msgspec.Meta(ge=limits.EXACT[0], le=limits.EXACT[1])]
Count = Annotated[int, msgspec.Meta(ge=limits.COUNT[0], le=limits.COUNT[1])]
Figure = Annotated[int, msgspec.Meta(ge=limits.FIGURE[0], le=limits.FIGURE[1])]
Number = Annotated[int, msgspec.Meta(ge=limits.NUMBER[0], le=limits.NUMBER[1])]
Minutes = Annotated[int, msgspec.Meta(ge=limits.MINUTES[0], le=limits.MINUTES[1])]
LastRound = Annotated[int, msgspec.Meta(ge=limits.ROUND[0], le=limits.ROUND[1])]

Line = Annotated[str, msgspec.Meta(max_length=limits.LINE_LETTERS, pattern=limits.LINE)]
Id = Annotated[str, msgspec.Meta(max_length=limits.ID_LETTERS, pattern=limits.LINE)]
LineOrEmpty = Annotated[str, msgspec.Meta(max_length=limits.LINE_LETTERS, pattern=_LINE_OR_EMPTY)]
IdOrEmpty = Annotated[str, msgspec.Meta(max_length=limits.ID_LETTERS, pattern=_LINE_OR_EMPTY)]
Prose = Annotated[str, msgspec.Meta(max_length=limits.PROSE_LETTERS, pattern=limits.PROSE)]

Word = Annotated[str, msgspec.Meta(max_length=SHOWN_LETTERS, pattern=LINE_OR_NONE)]


class DisplayText(str):
    """Text for display: characters that a screen cannot show are removed, not refused."""

    __slots__ = ()
    JSON_TYPE = "string"

    @classmethod
    def of(cls, value: object) -> "DisplayText":
        if not isinstance(value, str):
            raise ValueError("a text of people is a text")
        # Printable characters fit on a screen: no line feed, no direction mark. Persian names and emoji need joiners.
        # Composed: some systems give "é" as two letters.
        text = "".join(
            letter if letter.isprintable() or letter in JOINERS else " "
            for letter in unicodedata.normalize("NFC", value[: 2 * SHOWN_LETTERS])
        )
        return cls(" ".join(text.split())[:SHOWN_LETTERS])


class MalformedMessage(ValueError):
    """Not a message of its type. `reasons`: why, each with its place, for a person who can correct it."""

    def __init__(self, reasons: tuple[Problem, ...], text: str = "") -> None:
        super().__init__("; ".join(map(str, reasons)) or text)
        self.reasons = reasons


@overload
def parse_message(kind: type[T], data: object) -> T: ...


@overload
def parse_message(kind: Any, data: object) -> Any: ...


def parse_message(kind: Any, data: object) -> Any:
    """Parsed JSON as a message of this type. Raises MalformedMessage."""
    try:
        return msgspec.convert(data, kind, dec_hook=_decode_hook)
    except UnicodeError:
        # A lone surrogate.
        raise MalformedMessage((Problem("unfit_text"),)) from None
    except (msgspec.ValidationError, Problem) as error:
        # Imported only now: nearly all input is valid.
        from roundtap_core.reasons import type_errors

        # Parts that are valid but do not fit together: the check that found it explains it.
        problems = type_errors(data, kind) or ((error,) if isinstance(error, Problem) else ())
        raise MalformedMessage(problems, str(error)) from None


def decode_message(kind: type[T], text: str) -> T | None:
    """The message in a JSON text; None where it is none or repeats a key. For the reasons, use `parse_message` on the
    parsed text."""
    try:
        message = msgspec.json.decode(text, type=kind, dec_hook=_decode_hook)
    except (msgspec.DecodeError, UnicodeError, RecursionError, Problem):
        return None
    # Of a repeated key one is lost: encoded again, the text has fewer quotation marks.
    whole = "\\u0022" not in text and text.count('"') == msgspec.json.encode(message, enc_hook=_encode_hook).count(b'"')
    return message if whole else None


def _encode_hook(value: Any) -> Any:
    """A text of a type of its own as it was written: one may stand for an object."""
    return msgspec.json.decode(str(value)) if value.JSON_TYPE == "object" else str(value)


def salvage_message(kind: type[T], data: Mapping[str, object]) -> T:
    """As `parse_message`, for a type whose fields all have defaults: invalid fields are dropped."""
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):  # type: ignore[arg-type]
        if field.name in data:
            with suppress(msgspec.ValidationError, UnicodeError):
                fields[field.name] = msgspec.convert(data[field.name], field.type, dec_hook=_decode_hook)
    return kind(**fields)


def _decode_hook(kind: type[Any], value: object) -> object:
    """Decode a class that msgspec does not know by its `of`; JSON_TYPE is the JSON type it expects."""
    return kind.of(value)
