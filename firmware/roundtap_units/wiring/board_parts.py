"""What a board consists of: its parts and the pins that their wires go to; what they cost, and what they draw.

Figures and their sources:
- Pi Zero 2 W: 350 mA "typical bare-board active current", supply 2 A
  (raspberrypi/documentation, computers/raspberry-pi/power-supplies.adoc).
- a 128x64 OLED: about 20 mA (https://learn.adafruit.com/monochrome-oled-breakouts/power-requirements); the 2.42" one
  has more glass: 50 mA are reckoned with.
- an LED at 3.3 V through 470 ohms: (3.3 V - 2 V) / 470 = about 3 mA.
- power banks that take less than some 50 mA for nothing and switch off:
  https://hackaday.com/2024/03/05/a-simple-hack-for-running-low-power-gear-from-a-usb-battery-pack/
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from roundtap_devices.boards import Board

# BCM number → pin of the header, the same on every Pi with 40 pins.
HEADER_PIN = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19, 9: 21, 25: 22,
    11: 23, 8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35, 16: 36, 26: 37, 20: 38, 21: 40,
}

PI_MA, OLED_MA, LARGE_OLED_MA, LAMP_MA = 350, 20, 50, 3
BANK_SLEEPS_MA = 50

PRICES_OF = "2026-11"
PRICES_EUR = {
    "pi": (18, 25), "card": (5, 10), "supply": (8, 15), "screen.ssd1309": (12, 25), "screen.ssd1306": (4, 8),
    "screen.sh1106": (5, 10), "buttons": (6, 16), "lamps": (1, 2), "buzzer": (1, 3), "wires": (4, 8), "case": (5, 20),
    "adafruit-oled-bonnet": (22, 30), "waveshare-oled-hat": (14, 22),
}
"""Approximate, in euros for one, as European shops asked in the month above; taxes in, shipping out."""

# What SPI displays print beside these holes (https://www.waveshare.com/wiki/1.3inch_OLED_HAT).
ALSO = {"MOSI": "DIN", "SCLK": "CLK", "CE0": "CS", "CE1": "CS", "RST": "RES"}


@dataclass(frozen=True, slots=True)
class Part:
    """`kind`: "button", "lamp", "buzzer" or "screen"; `name` as in a board's file ("a", "lamp_b", "screen");
    `wires`: of each its name on the part ("" where there is only one) and its BCM number, ground and supply left out.
    """

    kind: str
    name: str
    wires: tuple[tuple[str, int], ...]


def parts(board: Board) -> list[Part]:
    """Everything that is on a board, as it is wired: screen, buttons, lamps, buzzer."""
    screen = tuple((f"{name} / {ALSO[name]}" if name in ALSO else name, pin)
                   for pin, name in board.screen.lines().items())
    return [Part("screen", "screen", screen),
            *(Part("button", key, (("", pin),)) for key, pin in board.pins.keys().items()),
            *(Part("buzzer" if name == "buzzer" else "lamp", name, (("", pin),))
              for name, pin in board.pins.signals().items())]


def needed(board: Board) -> list[tuple[int, str]]:
    """(how many, which part: a key of PRICES_EUR), for one table."""
    listed = [(1, "pi"), (1, "card"), (1, "supply")]
    if board.ready_made:
        return [*listed, (1, board.name if board.name in PRICES_EUR else f"screen.{board.screen.driver}"), (1, "case")]
    kinds = Counter(part.kind for part in parts(board))
    listed += [(1, f"screen.{board.screen.driver}"), (kinds["button"], "buttons")]
    listed += [(kinds[kind], name) for kind, name in (("lamp", "lamps"), ("buzzer", "buzzer")) if kinds[kind]]
    return [*listed, (1, "wires"), (1, "case")]


def cost_eur(board: Board) -> tuple[int, int]:
    """What one table costs, from and to; "buttons" and "lamps" are prices of a set."""
    prices = [PRICES_EUR[key] for _, key in needed(board)]
    return sum(low for low, _ in prices), sum(high for _, high in prices)


def draws_ma(board: Board) -> int:
    """What a table with this board draws at 5 V while it is in use, screen lit and lamps on, without the beep."""
    large = board.screen.driver == "ssd1309"
    lamps = sum(name != "buzzer" for name in board.pins.signals())
    return PI_MA + (LARGE_OLED_MA if large else OLED_MA) + lamps * LAMP_MA


def hours_on(board: Board, bank_mah: int) -> int:
    """How long a power bank lasts: its mAh are counted at 3.7 V, and a tenth is lost on the way to 5 V."""
    return int(bank_mah * 3.7 / 5 * 0.9 / draws_ma(board))


def packages(board: Board) -> tuple[str, ...]:
    """The Debian packages that the board's libraries come from."""
    return ("python3-lgpio", *(["python3-spidev"] if board.screen.bus == "spi" else []))
