"""Whole numbers: how typed ones are read everywhere, how many are told, and the next number of an id."""

import re
from collections.abc import Iterable

from roundtap_core.errors import Invalid

DIGITS_MAX = 15  # beyond any figure of any game, and exact in every JSON reader; leading zeros do not count
_TYPED = re.compile(rf"([-\u2212]?)0*([0-9]{{1,{DIGITS_MAX}}})")


def typed_number(text: str) -> int:
    """The whole number: "0000000050" is 50. Raises Problem("not_a_number") for anything else ("1_0", "5.", "٣")."""
    parsed = _TYPED.fullmatch(text.strip())
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
