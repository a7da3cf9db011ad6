"""What boards, tables and halls cost and draw, by hand."""

from __future__ import annotations

from board_costs import LAMP_MA, PRICES_EUR, battery_hours, current_draw_ma, hall_cost, parts_to_buy, price_range_eur

from roundtap_devices.boards import BOARDS, RECOMMENDED, WAVESHARE_HAT, parse_board


def test_every_part_of_every_board_has_its_price() -> None:
    for made in BOARDS.values():
        low, high = price_range_eur(made)
        assert 0 < low < high


def test_a_board_of_ones_own_without_lamps_needs_none() -> None:
    plain = parse_board('name = "plain"\nlike = "adafruit-oled-bonnet"\nready_made = false')
    assert {key for _, key in parts_to_buy(plain)} == {
        "pi",
        "card",
        "supply",
        "screen.ssd1306",
        "buttons",
        "wires",
        "case",
    }


def test_what_a_table_costs_is_the_sum_of_its_lines() -> None:
    assert price_range_eur(WAVESHARE_HAT) == (16 + 5 + 8 + 14 + 5, 25 + 10 + 15 + 22 + 20)
    assert all(low <= high for low, high in PRICES_EUR.values())


def test_what_halls_of_8_and_16_tables_cost_by_hand() -> None:
    low, high = price_range_eur(WAVESHARE_HAT)
    said = hall_cost(WAVESHARE_HAT).splitlines()
    assert said[2] == f"| table units, waveshare-oled-hat | {low}–{high} | 8 | 16 |"
    # Nine units with the spare, hub, wall's Pi, router, printer and stick; then eighteen.
    # A Pi's lower figure is the sum of what stands beside it: Pi, supply, case, card.
    hub, wall = 45 + 8 + 5 + 5, 35 + 8 + 5 + 5
    others = (hub + wall + 25 + 40 + 5, 95 + 80 + 60 + 250 + 10)
    assert (
        said[-1]
        == "| in all, € |  | "
        + " | ".join(f"{units * low + others[0]}–{units * high + others[1]}" for units in (9, 18))
        + " |"
    )
    assert (9 * low + others[0], 18 * high + others[1]) == (618, 2151)


def test_the_lamps_of_a_board_are_within_what_a_pi_s_pins_can_give() -> None:
    # raspberrypi/documentation, power-supplies.adoc: 16 mA a pin, 50 mA all pins together.
    assert LAMP_MA <= 16
    assert 3 * LAMP_MA <= 50


def test_a_power_bank_by_hand() -> None:
    # 350 + 20 mA of the Waveshare board; 10,000 mAh × 3.7 V / 5 V × 0.9 = 6,660 mAh at 5 V; 6,660 / 370 = 18.
    assert (current_draw_ma(WAVESHARE_HAT), battery_hours(WAVESHARE_HAT, 10_000)) == (370, 18)
    # 350 + 50 mA for the larger screen, and three lamps of 3 mA; 6,660 / 409 = 16.
    assert (current_draw_ma(RECOMMENDED), battery_hours(RECOMMENDED, 10_000)) == (409, 16)
