"""Reading a list that anybody may have written: lines, numbers and names, and nothing where something else stands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

ListData = Mapping[str, Any]
Rows = list[tuple[int, ListData]]
"""The lines of a table that say something, each with its place in it, from 0."""

_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
_MARK = "•*"


def rows(part: ListData, key: str) -> Rows:
    """A table's lines; blank ones are passed over, and keep their number."""
    typed = part.get(key)
    if not isinstance(typed, list):
        return []
    return [(index, row) for index, row in enumerate(typed) if isinstance(row, Mapping) and any(row.values())]


def text(part: ListData, key: str) -> str:
    """What is written there, "" where nothing is."""
    value = part.get(key)
    return plain(value) if isinstance(value, str) else ""


def whole(part: ListData, key: str) -> int | None:
    """The whole number there, None where there is none."""
    value = part.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def copies(row: ListData) -> int:
    """How many of it a line has: one, where it does not say."""
    value = whole(row, "count")
    return 1 if value is None else value


def names(part: ListData, key: str) -> list[str]:
    """The names there, in their order."""
    value = part.get(key)
    return [plain(name) for name in value if isinstance(name, str) and name.strip()] if isinstance(value, list) else []


def plain(written: str) -> str:
    """With single spaces and composed letters: what two spellings of the same text have in common."""
    return " ".join(unicodedata.normalize("NFC", written).split())


_WITHOUT_STROKE = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"})
"""Letters that are no letter with an accent on it, and are typed as these."""
_TYPED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


def sought(name: str) -> str:
    """What a name is found by: `fold`, and as somebody types it out who lacks its letters ("Jörg": "jorg joerg")."""
    plain_name = fold(name)
    typed_out = fold(unicodedata.normalize("NFC", name).casefold().translate(_TYPED_OUT))
    return plain_name if typed_out == plain_name else f"{plain_name} {typed_out}"


def fold(name: str) -> str:
    """What a name is compared by: letters and digits, without accents and case."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    words = "".join(c if c.isalnum() else " " for c in bare.translate(_WITHOUT_STROKE)).split()
    return " ".join(words) or name.casefold().strip()


def without_product(name: str) -> str:
    """A card's name without the product in brackets behind it: "Han Solo (Millennium Falke)" → "Han Solo"."""
    return _BRACKETS.sub("", name)


def has_product(name: str) -> bool:
    """Whether a product stands in brackets behind the name."""
    return _BRACKETS.search(name) is not None


def is_marked(name: str) -> bool:
    """Whether the name is marked as unique, by a dot before it, as cards print it, or an asterisk."""
    return name.lstrip()[:1] in tuple(_MARK)


def unmarked(name: str) -> str:
    """The name without that mark."""
    return name.strip().lstrip(_MARK + " ") or name


def counted_points(ships: Iterable[ListData]) -> int | None:
    """What lines with points come to, count times points; None while there is none, or one does not say."""
    costs = [None if (points := whole(ship, "points")) is None else points * copies(ship) for ship in ships]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None
