"""BUILD.md's figures are the product's own: summed here, they are as written there."""

import math
import re
from pathlib import Path

import pytest

from roundtap_devices.boards import BOARDS, RECOMMENDED
from roundtap_devices.letters import ink_box
from roundtap_units.board_process import DIM_AFTER_MS, OFF_AFTER_MS
from roundtap_units.table.screens.screens import CLOCKS, FIGURES, HEIGHT, LEAST, WIDTH
from roundtap_units.unit_config import unit_words
from roundtap_units.wiring.main import (
    LARGE_OLED_MA,
    OLED_MA,
    PI_MA,
    PRICES_SOURCE,
    battery_hours,
    current_draw_ma,
    hall_cost,
    price_range_eur,
)

FIRMWARE = Path(__file__).parents[2] / "firmware"
BUILD, PAGE = ((FIRMWARE / name).read_text(encoding="utf-8") for name in ("BUILD.md", "BOARDS.md"))
PLAIN = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(BUILD.split()))  # without links and line breaks


def test_what_a_table_costs_and_draws_is_as_the_lists_have_it() -> None:
    told = re.findall(r"a ready-made board costs (\d+)–(\d+) €", PLAIN)
    ready = [price_range_eur(board) for board in BOARDS.values() if board.ready_made]
    assert told == [(str(min(low for low, _ in ready)), str(max(high for _, high in ready)))]
    assert f"the Pi {PI_MA}, the screen {OLED_MA} to {LARGE_OLED_MA}" in PLAIN
    assert abs(current_draw_ma(RECOMMENDED) - 400) <= 20
    assert f"10,000 mAh for about {battery_hours(RECOMMENDED, 10_000)} hours" in PLAIN


def test_what_a_hall_costs_is_the_command_s_own_table_and_names_where_prices_are_from() -> None:
    assert hall_cost(RECOMMENDED, unit_words("en")) in BUILD
    shop, date = PRICES_SOURCE.split(", ")
    assert f"{shop}'s of {date}" in PLAIN


def capital_mm(diagonal_inch: float, size: int) -> float:
    """How high a capital of this font size stands on a screen of this diagonal, whose dots are square."""
    dot_mm = diagonal_inch * 25.4 / math.hypot(WIDTH, HEIGHT)
    return -ink_box("H", size)[1] * dot_mm


def read_from_cm(capital: float, minutes: float = 16) -> float:
    """ISO 9241-3: "The minimum character height shall be 16 minutes of arc" (capitals without accents)."""
    return capital / math.tan(math.radians(minutes / 60)) / 10


@pytest.mark.parametrize(("column", "inch", "clock"), [(2, 1.3, CLOCKS[0]), (3, 2.42, FIGURES[0])])
def test_how_far_off_a_screen_is_read_follows_from_its_letters(column: int, inch: float, clock: int) -> None:
    """At the edge the clock has the whole screen; between two people each has half of it."""
    row = next(line for line in BUILD.splitlines() if line.startswith("| read from"))
    smallest, clocks = re.findall(r"(\d+) cm", row.split("|")[column])
    assert abs(int(smallest) - read_from_cm(capital_mm(inch, LEAST))) < 3
    assert abs(int(clocks) - read_from_cm(capital_mm(inch, clock))) < 5


def test_when_the_screen_rests_is_as_the_unit_does_it() -> None:
    words = {5: "five", 30: "thirty"}
    assert f"dimmed after {words[DIM_AFTER_MS // 60_000]} minutes" in PAGE
    assert f"dark after {words[OFF_AFTER_MS // 60_000]}" in PAGE
