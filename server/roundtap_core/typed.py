"""Typed messages: the bounded texts and numbers of their fields, and how parsed JSON is read as one; whole numbers as
people type and read them.

The limits hold for everything that comes in, and say which characters no text may contain: for forms, files, devices
and commands. No real event reaches them; they keep every computation bounded and every line in its place. msgspec
accepts or rejects; reasons.py explains a rejection.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Annotated, Any, Self, TypeVar, overload

import msgspec

from roundtap_core.errors import Invalid, Problem, json_pointer

Range = tuple[int, int]  # lowest and highest accepted whole number

MOST_COMPETITORS = 4096
MOST_ROUNDS = 30  # in each of the four stages
MOST_ITEMS = 9999  # in any one list
LINE_LETTERS, ID_LETTERS, PROSE_LETTERS = 80, 64, 2000
NESTING_MAX = 40

EXACT: Range = (-(2**53 - 1), 2**53 - 1)  # the whole numbers that every JSON program keeps exactly
FIGURE: Range = (-99_999, 99_999)
COUNT: Range = (0, 99_999)
NUMBER: Range = (1, 99_999)
ROUND: Range = (0, 4 * MOST_ROUNDS)
MINUTES: Range = (0, 1440)

OPTIONS: Mapping[str, Range] = MappingProxyType(
    {
        "swiss_rounds": (0, MOST_ROUNDS),
        "cut": (0, 32),
        "prize_places": (0, MOST_COMPETITORS),
        "squad_points": (1, 9999),
        "bye_mov": COUNT,
        "bye_score": FIGURE,
        "legendary_limit": (0, 3),
        "late_minutes": MINUTES,
    }
)
"""The numeric options; those of a stage are `STAGE_OPTIONS`."""
STAGE_OPTIONS: Mapping[str, Range] = MappingProxyType({"best_of": (1, 5), "minutes": (1, 1440)})

# Controls, line separators, direction marks and lone surrogates, as the inside of [^…]. The escapes are valid in every
# regular expression dialect, since schemas contain them too.
_IN_NEITHER = r"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
IN_NO_LINE = r"\u0000-\u001f\u007f-\u009f" + _IN_NEITHER
IN_NO_TEXT = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f" + _IN_NEITHER
_IN_NO_TEXT = re.compile(f"[{IN_NO_TEXT}]")

UNSEEN = (
    r"\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e0fff"
)
"""Characters that print nothing; some are needed between others (joiners of emoji and Indic scripts)."""

PROSE = rf"^[^{IN_NO_TEXT}]*(?![\s\S])"  # text of any number of lines, possibly none, that is safe to show anywhere
LINE = rf"^(?=[\s\S]*[^{UNSEEN}])[^{IN_NO_LINE}]+(?![\s\S])"  # as `PROSE`, but one line with something visible
_LINE = re.compile(LINE)

DIGITS_MAX = 15  # beyond any figure of any game, and exact in every JSON reader; leading zeros do not count
_WHOLE_NUMBER = re.compile(rf"([-\u2212]?)0*([0-9]{{1,{DIGITS_MAX}}})")


def fits_prose(text: str) -> bool:
    return _IN_NO_TEXT.search(text) is None


def fits_line(text: str) -> bool:
    return _LINE.search(text) is not None


def sanitize_text(text: str) -> str:
    """A text from before these limits in a safe form: forbidden characters become U+FFFD."""
    return text if fits_prose(text) else _IN_NO_TEXT.sub("\ufffd", text)


def refuse_unfit_text(text: str, where: str = "", most: int = PROSE_LETTERS) -> None:
    """Raise Problem("unfit_text", "text_too_long")."""
    if len(text) > most:
        raise Invalid("text_too_long", where=where, count=len(text), maximum=most)
    if not fits_prose(text):
        raise Invalid("unfit_text", where=where)


def refuse_out_of_range(value: int, limits: Range, where: str = "") -> None:
    """Raise Problem("figure_out_of_range")."""
    if not limits[0] <= value <= limits[1]:
        raise Invalid("figure_out_of_range", where=where, value=str(value)[:24], minimum=limits[0], maximum=limits[1])


def limit_violations(value: Any, where: str, most: int = MOST_ITEMS, letters: int = PROSE_LETTERS) -> Iterator[Problem]:
    """Problems of plain JSON: numbers, texts or lists beyond the limits, fractions, too deep nesting. Does not descend
    into a list or key that is too long. `most`: items of a list or object, `letters`: length of a key."""
    if where.count("/") > NESTING_MAX:
        yield Problem("too_deep", where=where, maximum=NESTING_MAX)
        return
    parts: Iterable[tuple[Any, Any]] = ()
    try:
        if isinstance(value, str):
            refuse_unfit_text(value, where)
        elif isinstance(value, int):
            refuse_out_of_range(value, EXACT, where)
        elif isinstance(value, Mapping | list | tuple | set | frozenset):
            if len(value) > most:
                # Not descended into: a file of millions of rows would report every one.
                raise Problem("wrong_length", where=where, count=len(value), right=f"0–{most}")
            parts = value.items() if isinstance(value, Mapping) else enumerate(value)
            for key in value if isinstance(value, Mapping) else ():
                refuse_unfit_text(str(key), where, letters)
        elif value is not None:
            yield Problem("wrong_type", where=where, expected="object, array, string, integer, boolean, null")
    except Problem as problem:
        yield problem
    for key, inner in parts:
        # Below a key that is too long, every path would be as long.
        if len(str(key)) <= letters:
            yield from limit_violations(inner, json_pointer(where, key), most, letters)


def refuse_over_limits(value: Any, where: str = "") -> None:
    """Raise the first of `limit_violations`."""
    for problem in limit_violations(value, where):
        raise problem


def refuse_options_out_of_range(given: Mapping[str, Any]) -> None:
    """Raise Problem for an option whose number is out of range."""
    refuse_over_limits(given, "/options")
    stages = given.get("stages")
    parts = [("/options", given, OPTIONS)]
    if isinstance(stages, Mapping):
        parts += [
            (f"/options/stages/{stage}", values, STAGE_OPTIONS)
            for stage, values in stages.items()
            if isinstance(values, Mapping)
        ]
    for where, values, limits in parts:
        for name, within in limits.items():
            value = values.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                refuse_out_of_range(value, within, f"{where}/{name}")


def typed_number(text: str) -> int:
    """The whole number: "0000000050" is 50. Raises Problem("not_a_number") for anything else ("1_0", "5.", "٣")."""
    parsed = _WHOLE_NUMBER.fullmatch(text.strip())
    if parsed is None:
        raise Invalid("not_a_number", value=text.strip()[:20])
    return -int(parsed[2]) if parsed[1] else int(parsed[2])


def next_number(taken: Iterable[str], letter: str) -> int:
    """One more than the highest number after the letter."""
    numbers = [int(name[1:]) for name in taken if name[:1] == letter and name[1:].isdecimal()]
    return max(numbers, default=0) + 1


def number_ranges(numbers: Iterable[int]) -> str:
    """Numbers in ascending order as one reads them: "1–46, 48"."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in ranges)


T = TypeVar("T")

_LINE_OR_EMPTY = rf"^(?![\s\S])|{LINE}"

LINE_OR_NONE = rf"^[^{IN_NO_LINE}]*\Z"
SHOWN_LETTERS, JOINERS = 200, "\u200c\u200d"


class Message(msgspec.Struct, frozen=True):
    """An object of known keys. Unknown keys are ignored: the sender may be newer."""

    def replace(self, **changes: Any) -> Self:
        """The same with some fields changed."""
        return msgspec.structs.replace(self, **changes)


Text = Annotated[str, msgspec.Meta(max_length=ID_LETTERS)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=ID_LETTERS)]
Natural = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Exact = Annotated[int, msgspec.Meta(ge=EXACT[0], le=EXACT[1])]
Count = Annotated[int, msgspec.Meta(ge=COUNT[0], le=COUNT[1])]
Figure = Annotated[int, msgspec.Meta(ge=FIGURE[0], le=FIGURE[1])]
Number = Annotated[int, msgspec.Meta(ge=NUMBER[0], le=NUMBER[1])]
Minutes = Annotated[int, msgspec.Meta(ge=MINUTES[0], le=MINUTES[1])]
LastRound = Annotated[int, msgspec.Meta(ge=ROUND[0], le=ROUND[1])]

Line = Annotated[str, msgspec.Meta(max_length=LINE_LETTERS, pattern=LINE)]
Id = Annotated[str, msgspec.Meta(max_length=ID_LETTERS, pattern=LINE)]
LineOrEmpty = Annotated[str, msgspec.Meta(max_length=LINE_LETTERS, pattern=_LINE_OR_EMPTY)]
IdOrEmpty = Annotated[str, msgspec.Meta(max_length=ID_LETTERS, pattern=_LINE_OR_EMPTY)]
Prose = Annotated[str, msgspec.Meta(max_length=PROSE_LETTERS, pattern=PROSE)]

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
