"""Boards: which pin is which button, what screen is fitted, which way it faces. Three known ones, others from TOML.

A board serves a table and the hub's front panel alike: four buttons, a 128x64 screen, lights and a buzzer. On the panel
"up" and "down" choose, "a" (●) is yes, "b" (■) is back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from roundtap_devices.toml_tables import TomlTable, TomlTableError, load_by_name_or_path

OPPOSITE, EDGE = "opposite", "edge"
FACINGS = (OPPOSITE, EDGE)
DRIVERS = ("ssd1309", "ssd1306", "sh1106")
# Of all three drivers, by a resistor: they differ in the last bit. Modules print them shifted by the bit for reading
# and writing, 0x78 and 0x7A. Where the board's own does not answer, the other one is asked.
I2C_ADDRESSES = (0x3C, 0x3D)
BUSES = ("i2c", "spi")
ROTATIONS = (0, 180)
KEYS = ("a", "b", "up", "down", "call")
SIGNALS = ("lamp", "lamp_a", "lamp_b", "buzzer")
LAST_BCM_PIN = 27
LAST_PULLED_UP = 8  # 0 to 8 are pulled up at reset, 9 to 27 down: BCM2835 ARM Peripherals, table 6-31; a Pi 5's too

# Other uses of these pins: https://pinout.xyz, and "GPIO and the 40-pin header" in github.com/raspberrypi/documentation
# (documentation/asciidoc/computers/raspberry-pi/gpio-on-raspberry-pi.adoc). 0 and 1 are read at power-on (a HAT's
# memory); 14 and 15 carry the system console.
NEVER = {0: "ID_SD", 1: "ID_SC", 14: "UART TXD", 15: "UART RXD"}
# dtparam=spi=on takes all five, both chip selects included, whether a display needs them or not (cs-gpios in
# arch/arm/boot/dts/overlays/README and bcm2708-rpi.dtsi of the Raspberry Pi kernel).
SPI0 = {7: "SPI CE1", 8: "SPI CE0", 9: "SPI MISO", 10: "SPI MOSI", 11: "SPI SCLK"}
I2C1 = {2: "I2C SDA", 3: "I2C SCL"}


class BoardError(TomlTableError):
    """A fault in a board file that the user can fix; `key` names the text "board.KEY" in the units' catalogues."""

    TEXTS = {
        **TomlTableError.TEXTS,
        "missing": "{file}: unknown board: name one of {known}, or a TOML file",
        "no_pin": "{file}: {where}: {value} is not a BCM pin (0 to 27)",
        "same_pin": "{file}: {where}: pin {value} is already used by {other}",
        "reserved": "{file}: {where}: pin {value} is reserved as {other}; use another pin",
        "no_address": "{file}: {where}: {value} is not a screen's address. Use 0x3C or 0x3D, which modules call 0x78 "
        "and 0x7A",
    }


@dataclass(frozen=True, slots=True)
class Pins:
    """BCM numbers. ● is `a`, ■ is `b`; `call` is a separate key on boards that have one. `lamp` signals trouble;
    `lamp_a` and `lamp_b` each stand before a player, and shine while that player is awaited."""

    a: int = 17
    b: int = 27
    up: int = 22
    down: int = 23
    call: int | None = None
    lamp: int | None = None
    lamp_a: int | None = None
    lamp_b: int | None = None
    buzzer: int | None = None

    def keys(self) -> dict[str, int]:
        return {key: pin for key in KEYS if (pin := getattr(self, key)) is not None}

    def signals(self) -> dict[str, int]:
        """The fitted lights and buzzer: {"lamp": 26, …}."""
        return {name: pin for name in SIGNALS if (pin := getattr(self, name)) is not None}


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

    def lines(self) -> dict[int, str]:
        """The pins the display's wires go to, and what each carries: {2: "SDA", 3: "SCL"}."""
        if self.bus == "i2c":
            return {2: "SDA", 3: "SCL"}
        return {10: "MOSI", 11: "SCLK", 8 - self.spi_device: f"CE{self.spi_device}", self.dc: "DC", self.reset: "RST"}

    def taken(self) -> dict[int, str]:
        """Every pin this display occupies, and its use: a bus takes more pins than its wires."""
        bus = I2C1 if self.bus == "i2c" else {**SPI0, self.dc: "screen.dc", self.reset: "screen.reset"}
        return {pin: f"screen ({name})" if not name.startswith("screen") else name for pin, name in bus.items()}


@dataclass(frozen=True, slots=True)
class Board:
    """A board as it is soldered.

    >>> made = load_board("recommended")  # or the path of a TOML file
    >>> made.pins.keys()
    {'a': 17, 'b': 27, 'up': 22, 'down': 23}
    >>> made.screen.lines()
    {2: 'SDA', 3: 'SCL'}

    active_low: a pressed button pulls its pin to ground; the Pi's own resistor pulls it up.
    lamps_active_low, buzzer_active_low: on while the pin is low (a lamp from 3.3 V to the pin; most three-pin buzzer
    modules with a PNP transistor). held_off: each output that is on at reset has a resistor of 10 kΩ that keeps it off.
    ready_made: the parts are on it, and no wire is needed.
    facing: "opposite" (two people across the board, half-screens) or "edge" (read from one side).
    joystick: `up`, `down` and `call` are one stick, which cannot be moved both ways at once.
    """

    name: str
    pins: Pins = Pins()
    screen: ScreenWiring = ScreenWiring()
    active_low: bool = True
    lamps_active_low: bool = False
    buzzer_active_low: bool = False
    held_off: bool = False
    facing: str = OPPOSITE
    ready_made: bool = False
    joystick: bool = False

    def low_is_on(self, signal: str) -> bool:
        """Whether the lamp or buzzer of this name is on while its pin is low."""
        return self.buzzer_active_low if signal == "buzzer" else self.lamps_active_low

    def on_at_reset(self) -> list[tuple[str, int, str]]:
        """The lights and buzzer that their pin's own pull turns on from power-on until somebody sets it, and again
        after power-off: (name, pin, where 10 kΩ would have to go: "3.3 V" or "GND")."""
        return [
            (name, pin, "3.3 V" if self.low_is_on(name) else "GND")
            for name, pin in self.pins.signals().items()
            if not self.held_off and (pin > LAST_PULLED_UP) == self.low_is_on(name)
        ]


# Lamps and buzzer use pins that no bus of a Pi wants (I2C1 2-3, 1-Wire 4, SPI0 7-11, UART 14-15, PCM 18-21), all near
# the grounds 30, 34 and 39, and above 8: on a pin that is pulled up a buzzer would sound from power-on to the unit's
# start.
RECOMMENDED = Board("recommended", Pins(lamp=26, lamp_a=13, lamp_b=16, buzzer=12))
# Their pins: https://learn.adafruit.com/adafruit-128x64-oled-bonnet-for-raspberry-pi/usage and
# https://www.waveshare.com/wiki/1.3inch_OLED_HAT.
ADAFRUIT_BONNET = Board(
    "adafruit-oled-bonnet",
    Pins(a=5, b=6, up=17, down=22, call=4),
    ScreenWiring(driver="ssd1306"),
    facing=EDGE,
    ready_made=True,
    joystick=True,
)
WAVESHARE_HAT = Board(
    "waveshare-oled-hat",
    Pins(a=21, b=16, up=6, down=19, call=13),
    ScreenWiring(driver="sh1106", bus="spi", rotation=180),
    facing=EDGE,
    ready_made=True,
    joystick=True,
)
BOARDS = {board.name: board for board in (RECOMMENDED, ADAFRUIT_BONNET, WAVESHARE_HAT)}


def load_board(name_or_file: str) -> Board:
    """A known board by name, else the TOML file at that path. Raises BoardError."""
    return load_by_name_or_path(name_or_file, BOARDS, parse_board, BoardError)


def parse_board(text: str, file: str = "board.toml") -> Board:
    """A board from TOML; the board named by ``like`` (default: the recommended one) supplies the rest.

    >>> parse_board('like = "recommended"\\nfacing = "edge"\\n[pins]\\ncall = 6').pins.call
    6
    """
    table = TomlTable(text, file, BoardError)
    base = table.like(BOARDS)
    pins = _section(table, Pins, base.pins, table.data.pop("pins", {}), "pins")
    screen = _section(table, ScreenWiring, base.screen, table.data.pop("screen", {}), "screen")
    made: Board = _section(table, Board, replace(base, pins=pins, screen=screen), table.data, "")
    _check(table, made)
    return made


def _section(table: TomlTable, kind: type, base: Any, given: Any, where: str) -> Any:
    types = {field.name: field.type if field.type in (str, bool) else int for field in fields(kind)}
    table.check_kind(where, given, dict)
    for key, value in given.items():
        place = f"{where}.{key}" if where else key
        table.check_key(place, key, types)
        table.check_kind(place, value, types[key])
    return replace(base, **given)


def _check(table: TomlTable, made: Board) -> None:
    screen = made.screen
    for where, value, allowed in (
        ("facing", made.facing, FACINGS),
        ("screen.driver", screen.driver, DRIVERS),
        ("screen.bus", screen.bus, BUSES),
        ("screen.rotation", screen.rotation, ROTATIONS),
    ):
        table.check_one_of(where, value, allowed)
    if screen.i2c_address not in I2C_ADDRESSES:
        raise table.error_at("no_address", "screen.i2c_address", value=f"0x{screen.i2c_address:02X}")
    taken = screen.taken()
    for where, pin in (("screen.dc", screen.dc), ("screen.reset", screen.reset)) if screen.bus == "spi" else ():
        _check_pin(table, where, pin, {**SPI0, **({screen.dc: "screen.dc"} if where == "screen.reset" else {})})
    for field in fields(Pins):
        if (pin := getattr(made.pins, field.name)) is not None:
            _check_pin(table, f"pins.{field.name}", pin, taken)
            taken[pin] = f"pins.{field.name}"


def _check_pin(table: TomlTable, where: str, pin: int, taken: Mapping[int, str]) -> None:
    if not 0 <= pin <= LAST_BCM_PIN:
        raise table.error_at("no_pin", where, value=pin)
    if pin in NEVER:
        raise table.error_at("reserved", where, value=pin, other=NEVER[pin])
    if pin in taken:
        raise table.error_at("same_pin", where, value=pin, other=taken[pin])
