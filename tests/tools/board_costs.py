"""What a table and a hall cost and draw, reckoned from the boards, and the table of it in BUILD.md.

    python tests/tools/board_costs.py

writes that table anew.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from roundtap_devices.boards import RECOMMENDED, Board
from roundtap_units.wiring.main import GROUND_PINS, board_parts

DOCUMENT = Path(__file__).parents[2] / "firmware/BUILD.md"
HEADING = "## What a hall costs\n\n"

# Figures and their sources:
# - Pi Zero 2 W: 350 mA "typical bare-board active current", supply 2 A
#   (raspberrypi/documentation, computers/raspberry-pi/power-supplies.adoc).
# - a 128x64 OLED: about 20 mA (https://learn.adafruit.com/monochrome-oled-breakouts/power-requirements); the 2.42" one
#   has more glass: 50 mA are reckoned with.
# - an LED at 3.3 V through 470 ohms: (3.3 V - 2 V) / 470 = about 3 mA.
PI_MA, OLED_MA, LARGE_OLED_MA, LAMP_MA = 350, 20, 50, 3

# From and to, in euros for one. Of what Raspberry Pi makes (Pi, supply, case) the lower figure is PRICES_SOURCE's, in
# dollars without tax: Zero 2 W with header 15.99, Pi 4 with 2 GB 44.99 (hub) and 1 GB 34.99 (wall), supply 7.99,
# case 4.99. It is archived in github.com/omgsideburns/scrapegoat, site/markdown/raspberry_pi.md. The upper figure is
# about half more, for tax and other shops. That list has nothing else: all other figures are estimates. Hub and wall:
# with card, supply and case.
PRICES_SOURCE = "Micro Center, 2026-08-22"
PRICES_EUR = {
    "pi": (16, 25),
    "card": (5, 10),
    "supply": (8, 15),
    "screen.ssd1309": (12, 25),
    "screen.ssd1306": (4, 8),
    "screen.sh1106": (5, 10),
    "buttons": (6, 16),
    "lamps": (1, 2),
    "buzzer": (1, 3),
    "wires": (4, 8),
    "levers": (2, 4),
    "case": (5, 20),
    "adafruit-oled-bonnet": (22, 30),
    "waveshare-oled-hat": (14, 22),
}
HALL_EUR = {
    "hub": (63, 95),
    "wall": (53, 80),
    "router": (25, 60),
    "printer": (40, 250),
    "stick": (5, 10),
}
HALLS = {8: 1, 16: 2}  # tables: spare units
ROWS = {
    "table": "table units, {board}",
    "spare": "spare table units",
    "hub": "hub: Pi 4 with 2 GB, card, supply, case",
    "wall": "wall: Pi 4 with 1 GB, the same (without a screen)",
    "router": "WPA2 router with 2.4 GHz",
    "printer": "receipt printer, 58 mm, or 80 mm with a cutter",
    "stick": "USB stick for the second copy",
}


def parts_to_buy(board: Board) -> list[tuple[int, str]]:
    """(how many, which part: a key of PRICES_EUR), for one table."""
    listed = [(1, "pi"), (1, "card"), (1, "supply")]
    if board.ready_made:
        return [*listed, (1, board.name if board.name in PRICES_EUR else f"screen.{board.screen.driver}"), (1, "case")]
    kinds = Counter(part.kind for part in board_parts(board))
    listed += [(1, f"screen.{board.screen.driver}"), (kinds["button"], "buttons")]
    listed += [(kinds[kind], name) for kind, name in (("lamp", "lamps"), ("buzzer", "buzzer")) if kinds[kind]]
    if sum(kinds.values()) > len(GROUND_PINS):
        listed.append((3, "levers"))
    return [*listed, (1, "wires"), (1, "case")]


def price_range_eur(board: Board) -> tuple[int, int]:
    """The price of one table, from and to; "buttons", "lamps" and "levers" are prices of a set."""
    prices = [PRICES_EUR[key] for _, key in parts_to_buy(board)]
    return sum(low for low, _ in prices), sum(high for _, high in prices)


def hall_cost(board: Board) -> str:
    """What halls of two sizes cost, as the table that BUILD.md shows."""
    prices = {"table": price_range_eur(board), "spare": price_range_eur(board), **HALL_EUR}
    counts = [{**dict.fromkeys(prices, 1), "table": tables, "spare": spares} for tables, spares in HALLS.items()]
    rows = [
        ["", "€", *(f"{tables} tables" for tables in HALLS)],
        ["---"] * (2 + len(HALLS)),
        *(
            [ROWS[key].format(board=board.name), f"{low}–{high}", *(str(count[key]) for count in counts)]
            for key, (low, high) in prices.items()
        ),
        [
            "in all, €",
            "",
            *(
                "–".join(str(sum(count[key] * prices[key][end] for key in prices)) for end in (0, 1))
                for count in counts
            ),
        ],
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def current_draw_ma(board: Board) -> int:
    """The current at 5 V of a table in use, screen and lamps on, without the beep."""
    large = board.screen.driver == "ssd1309"
    lamps = sum(name != "buzzer" for name in board.pins.signals())
    return PI_MA + (LARGE_OLED_MA if large else OLED_MA) + lamps * LAMP_MA


def battery_hours(board: Board, bank_mah: int) -> int:
    """How long a power bank lasts: its mAh are rated at 3.7 V, and a tenth is lost in the conversion to 5 V."""
    return int(bank_mah * 3.7 / 5 * 0.9 / current_draw_ma(board))


def written(text: str) -> str:
    """The table of costs as the document has it."""
    return text.partition(HEADING)[2].partition("\n\n")[0]


if __name__ == "__main__":
    page = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(page.replace(written(page), hall_cost(RECOMMENDED)), encoding="utf-8")
