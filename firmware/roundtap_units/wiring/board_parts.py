"""What a board consists of: its parts, their terminals, and which pin of the header each terminal's wire goes to.

Figures and their sources:
- Pi Zero 2 W: 350 mA "typical bare-board active current", supply 2 A; all GPIO pins together 50 mA, one pin 16 mA
  (raspberrypi/documentation, computers/raspberry-pi/power-supplies.adoc).
- a 128x64 OLED: about 20 mA (https://learn.adafruit.com/monochrome-oled-breakouts/power-requirements); the 2.42" one
  has more glass: 50 mA are reckoned with.
- an LED at 3.3 V through 470 ohms: (3.3 V - 2 V) / 470 = about 3 mA.
- an active buzzer module: 30 mA while it sounds (data sheets of three-pin modules say 25 to 30 mA).
- power banks that take less than some 50 mA for nothing and switch off:
  https://hackaday.com/2024/03/05/a-simple-hack-for-running-low-power-gear-from-a-usb-battery-pack/
"""

from __future__ import annotations

from dataclasses import dataclass

from roundtap_devices.boards import Board

# Header pin -> what it carries: 3.3 V, 5 V, ground, or a BCM number. The same on every Pi with 40 pins.
GROUND, V33, V5 = "GND", "3V3", "5V"
_ROWS: tuple[tuple[int | str, int | str], ...] = (
    (V33, V5), (2, V5), (3, GROUND), (4, 14), (GROUND, 15), (17, 18), (27, GROUND), (22, 23), (V33, 24), (10, GROUND),
    (9, 25), (11, 8), (GROUND, 7), (0, 1), (5, GROUND), (6, 12), (13, GROUND), (19, 16), (26, 20), (GROUND, 21),
)
HEADER: dict[int, int | str] = {
    2 * row + column + 1: what for row, pair in enumerate(_ROWS) for column, what in enumerate(pair)
}
HEADER_PIN = {what: pin for pin, what in HEADER.items() if isinstance(what, int)}

PI_MA, OLED_MA, LARGE_OLED_MA, LAMP_MA, BUZZER_MA = 350, 20, 50, 3, 30
ONE_PIN_MA, ALL_PINS_MA = 16, 50
BANK_SLEEPS_MA = 50

ORANGE, BLUE, RED, BLACK = "#B36B00", "#0072B2", "#C8102E", "#111111"
COLOURS = {
    "a": ORANGE, "b": BLUE, "up": "#007A4D", "down": "#8B3FA0", "call": "#A0522D", "lamp": "#AA3377", "lamp_a": ORANGE,
    "lamp_b": BLUE, "buzzer": "#4B5D67", "SDA": "#007A8A", "SCL": "#8A7A00", "MOSI": "#007A8A", "SCLK": "#8A7A00",
    "CE0": "#5B6E00", "CE1": "#5B6E00", "DC": "#8B3FA0", "RST": "#A0522D",
}
# What SPI displays print beside these holes (https://www.waveshare.com/wiki/1.3inch_OLED_HAT).
ALSO = {"MOSI": "DIN", "SCLK": "CLK", "CE0": "CS", "CE1": "CS", "RST": "RES"}


@dataclass(frozen=True, slots=True)
class Terminal:
    """One connection of a part. `to`: a BCM number, GROUND or V33; `colour` of its wire."""

    name: str
    to: int | str
    colour: str


@dataclass(frozen=True, slots=True)
class Part:
    """`kind`: "button", "lamp", "buzzer" or "screen"; `name` as in a board's file ("a", "lamp_b", "screen")."""

    kind: str
    name: str
    terminals: tuple[Terminal, ...]

    def pins(self) -> list[int]:
        """The header pins of its own wires, ground and supply left out."""
        return [HEADER_PIN[each.to] for each in self.terminals if isinstance(each.to, int)]


def parts(board: Board) -> list[Part]:
    """Everything that is on a board, as it is wired: screen, buttons, lamps, buzzer."""
    listed = [_screen(board)]
    listed += [_button(board, key, pin) for key, pin in board.pins.keys().items()]
    for name, pin in board.pins.signals().items():
        listed.append(_buzzer(pin) if name == "buzzer" else _lamp(board, name, pin))
    return listed


def draws_ma(board: Board) -> int:
    """What a table with this board draws at 5 V while it is in use, screen lit and lamps on, without the beep."""
    large = board.screen.driver == "ssd1309"
    lamps = sum(name != "buzzer" for name in board.pins.signals())
    return PI_MA + (LARGE_OLED_MA if large else OLED_MA) + lamps * LAMP_MA


def _screen(board: Board) -> Part:
    wires = [Terminal(ALSO.get(name, name) if name == ALSO.get(name, name) else f"{name} / {ALSO[name]}", pin,
                      COLOURS[name]) for pin, name in board.screen.lines().items()]
    return Part("screen", "screen", (Terminal("VCC", V33, RED), *wires, Terminal("GND", GROUND, BLACK)))


def _button(board: Board, key: str, pin: int) -> Part:
    other = Terminal("GND", GROUND, BLACK) if board.active_low else Terminal("3V3", V33, RED)
    return Part("button", key, (Terminal(f"GPIO{pin}", pin, COLOURS[key]), other))


def _lamp(board: Board, name: str, pin: int) -> Part:
    if board.lamps_active_low:
        return Part("lamp", name, (Terminal("470 Ω, +", V33, RED), Terminal("−", pin, COLOURS[name])))
    return Part("lamp", name, (Terminal("470 Ω, +", pin, COLOURS[name]), Terminal("−", GROUND, BLACK)))


def _buzzer(pin: int) -> Part:
    return Part("buzzer", "buzzer", (Terminal("VCC", V33, RED), Terminal("I/O", pin, COLOURS["buzzer"]),
                                     Terminal("GND", GROUND, BLACK)))
