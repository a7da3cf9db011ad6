"""Boards: which pin is which button, what screen is fitted, which way it faces. Three known ones, others from TOML."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from roundtap_devices.toml_tables import Table, TableError, known_or_file

OPPOSITE, EDGE = "opposite", "edge"
FACINGS = (OPPOSITE, EDGE)
DRIVERS = ("ssd1309", "ssd1306", "sh1106")
BUSES = ("i2c", "spi")
ROTATIONS = (0, 180)
KEYS = ("a", "b", "up", "down", "call")
LAST_BCM_PIN = 27


class BoardError(TableError):
    """A board file that a person can mend; `key` names the text "board.KEY" in the units' catalogues, too."""

    TEXTS = {
        **TableError.TEXTS,
        "missing": "{file}: no such board: name one of {known}, or a TOML file",
        "no_pin": "{file}: {where}: {value} is no BCM pin (0 to 27)",
        "same_pin": "{file}: {where}: pin {value} is taken by {other}",
        "no_address": "{file}: {where}: {value} is no I2C address (3 to 119)",
    }


@dataclass(frozen=True, slots=True)
class Pins:
    """BCM numbers. ● is `a`, ■ is `b`; `call` is a key of its own on boards that have one."""

    a: int = 17
    b: int = 27
    up: int = 22
    down: int = 23
    call: int | None = None
    lamp: int | None = None
    buzzer: int | None = None

    def keys(self) -> dict[str, int]:
        """The buttons that are fitted: {"a": 17, …}."""
        return {key: pin for key in KEYS if (pin := getattr(self, key)) is not None}


@dataclass(frozen=True, slots=True)
class ScreenWiring:
    """The display and its bus. On SPI the display's `dc` and `reset` lines are pins too."""

    driver: str = "ssd1309"
    bus: str = "i2c"
    i2c_port: int = 1
    i2c_address: int = 0x3C
    spi_port: int = 0
    spi_device: int = 0
    dc: int = 24
    reset: int = 25
    rotation: int = 0


@dataclass(frozen=True, slots=True)
class Board:
    """What is soldered. `active_low`: a pressed button pulls its pin to ground, the Pi's own resistor pulls it up.

    `facing`: "opposite" (two people across the board, half-screens) or "edge" (read from one side).
    """

    name: str
    pins: Pins = Pins()
    screen: ScreenWiring = ScreenWiring()
    active_low: bool = True
    facing: str = OPPOSITE


RECOMMENDED = Board("recommended", Pins(lamp=24, buzzer=25))
ADAFRUIT_BONNET = Board(
    "adafruit-oled-bonnet", Pins(a=5, b=6, up=17, down=22, call=4), ScreenWiring(driver="ssd1306"), facing=EDGE,
)
WAVESHARE_HAT = Board(
    "waveshare-oled-hat", Pins(a=21, b=16, up=6, down=19, call=13),
    ScreenWiring(driver="sh1106", bus="spi", rotation=180), facing=EDGE,
)
BOARDS = {board.name: board for board in (RECOMMENDED, ADAFRUIT_BONNET, WAVESHARE_HAT)}


def board(name_or_file: str) -> Board:
    """A known board by name, else the TOML file at that path. Raises BoardError."""
    return known_or_file(name_or_file, BOARDS, load, BoardError)


def load(text: str, file: str = "board.toml") -> Board:
    """A board from TOML; what is left out is as on the board named by ``like`` (default: the recommended one).

    >>> load('like = "recommended"\\nfacing = "edge"\\n[pins]\\ncall = 26').pins.call
    26
    """
    table = Table(text, file, BoardError)
    base = table.like(BOARDS)
    pins = _section(table, Pins, base.pins, table.data.pop("pins", {}), "pins")
    screen = _section(table, ScreenWiring, base.screen, table.data.pop("screen", {}), "screen")
    made: Board = _section(table, Board, replace(base, pins=pins, screen=screen), table.data, "")
    _check(table, made)
    return made


def _section(table: Table, kind: type, base: Any, given: Any, where: str) -> Any:
    known = [field.name for field in fields(kind)]
    table.of_kind(where, given, dict)
    for key, value in given.items():
        place = f"{where}.{key}" if where else key
        table.known_key(place, key, known)
        table.of_kind(place, value, _kind_of(kind, key))
    return replace(base, **given)


def _kind_of(kind: type, key: str) -> type:
    if kind is Pins:
        return int
    if kind is Board:
        return bool if key == "active_low" else str
    return str if key in ("driver", "bus") else int


def _check(table: Table, made: Board) -> None:
    screen = made.screen
    for where, value, known in (
        ("facing", made.facing, FACINGS), ("screen.driver", screen.driver, DRIVERS),
        ("screen.bus", screen.bus, BUSES), ("screen.rotation", screen.rotation, ROTATIONS),
    ):
        table.one_of(where, value, known)
    if not 3 <= screen.i2c_address <= 119:
        raise table.wrong("no_address", "screen.i2c_address", value=screen.i2c_address)
    taken = {2: "screen (SDA)", 3: "screen (SCL)"} if screen.bus == "i2c" else {
        10: "screen (MOSI)", 11: "screen (SCLK)", 8 - screen.spi_device: "screen (CE)",
        screen.dc: "screen.dc", screen.reset: "screen.reset",
    }
    for field in fields(Pins):
        pin = getattr(made.pins, field.name)
        where = f"pins.{field.name}"
        if pin is None:
            continue
        if not 0 <= pin <= LAST_BCM_PIN:
            raise table.wrong("no_pin", where, value=pin)
        if pin in taken:
            raise table.wrong("same_pin", where, value=pin, other=taken[pin])
        taken[pin] = where
