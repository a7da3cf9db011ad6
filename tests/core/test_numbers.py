"""Whole numbers as people type them: no nought, letter or digit is ever cut or passed over."""

import pytest

import event_kit
from roundtap_core.typed import number_ranges, typed_number


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("50", 50),
        (" 50 ", 50),
        ("0000000050", 50),
        ("-5", -5),
        ("\u22125", -5),
        ("-0", 0),
        ("0" * 60, 0),
        ("9" * 15, 999_999_999_999_999),
    ],
)
def test_a_number_is_what_was_typed(typed: str, number: int) -> None:
    assert typed_number(typed) == number


@pytest.mark.parametrize("typed", ["", "-", "1_0", "1 0", "5.", "1e3", "+5", "--5", "٣", "²", "0x10", "9" * 16, "12a"])
def test_anything_else_is_refused_and_nothing_is_cut(typed: str) -> None:
    with event_kit.refused("not_a_number"):
        typed_number(typed)


def test_many_numbers_are_read_at_a_glance() -> None:
    assert number_ranges([*range(1, 47), 48, 50, 51]) == "1–46, 48, 50–51"
    assert number_ranges([]) == ""
