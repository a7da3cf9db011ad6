"""Text tables whose columns stay aligned with any characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

GAP = "  "


def width(text: str) -> int:
    """The number of terminal cells of `text`: none for combining marks ("Z" + dot above), two for wide characters."""
    return sum(_cells(sign) for sign in text)


def _cells(sign: str) -> int:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def table(rows: Sequence[Sequence[str]], align: str) -> str:
    """One line per row, without trailing blanks; `align` has one "<" or ">" per column."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return "".join(GAP.join(map(_pad, row, widths, align)).rstrip() + "\n" for row in rows)


def _pad(text: str, cells: int, align: str) -> str:
    fill = " " * (cells - width(text))
    return fill + text if align == ">" else text + fill
