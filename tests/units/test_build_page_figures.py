"""BUILD.md's figures are the product's own: summed here, they are as written there."""

from __future__ import annotations

import re
from pathlib import Path

from roundtap_devices.boards import BOARDS, RECOMMENDED
from roundtap_units.board_unit import DIM_AFTER_MS, OFF_AFTER_MS
from roundtap_units.wiring.main import PI_MA, PRICES_DATE, battery_hours, current_draw_ma, price_range_eur

BUILD = (Path(__file__).parents[2] / "firmware/BUILD.md").read_text(encoding="utf-8")


def test_what_a_table_costs_and_draws_is_as_the_lists_have_it() -> None:
    assert f"Prices of {PRICES_DATE}" in BUILD
    told = [tuple(map(int, pair)) for pair in re.findall(r"(\d+)–(\d+) €", BUILD.split("| one table |")[1][:60])]
    ready = [price_range_eur(board) for board in BOARDS.values() if board.ready_made]
    assert abs(told[0][0] - min(low for low, _ in ready)) <= 5
    assert abs(told[0][1] - max(high for _, high in ready)) <= 10
    low, high = price_range_eur(RECOMMENDED)
    assert told[1][0] - 5 <= low <= told[2][0] + 5
    assert told[2][1] - 10 <= high <= told[1][1] + 10
    assert f"the Pi {PI_MA}" in BUILD
    assert abs(current_draw_ma(RECOMMENDED) - 400) <= 20
    assert f"10,000 mAh for about {battery_hours(RECOMMENDED, 10_000)} hours" in BUILD


def test_when_the_screen_rests_is_as_the_unit_does_it() -> None:
    words = {5: "five", 30: "thirty"}
    assert f"dimmed after {words[DIM_AFTER_MS // 60_000]} minutes" in BUILD
    assert f"dark after {words[OFF_AFTER_MS // 60_000]}" in BUILD
