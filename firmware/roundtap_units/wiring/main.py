"""`roundtap board`: a board's wiring as a table, its shopping list, and a test of everything on it."""

import argparse
import contextlib
import queue
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from roundtap_core.words import Words
from roundtap_devices.boards import Board, BoardError, load_board
from roundtap_devices.controls import Controls
from roundtap_devices.display.screen import HEIGHT, WIDTH, Screen, oled_screen
from roundtap_units.link.hub_time import mono_ms
from roundtap_units.unit_config import unit_words

DONE, SILENT, BAD_INPUT = 0, 1, 2
BUTTON_WAIT_MS = 20_000
STEP_MS = 50
# BCM number → pin of the header, the same on every Pi with 40 pins.
HEADER_PIN = {
    2: 3,
    3: 5,
    4: 7,
    14: 8,
    15: 10,
    17: 11,
    18: 12,
    27: 13,
    22: 15,
    23: 16,
    24: 18,
    10: 19,
    9: 21,
    25: 22,
    11: 23,
    8: 24,
    7: 26,
    0: 27,
    1: 28,
    5: 29,
    6: 31,
    12: 32,
    13: 33,
    19: 35,
    16: 36,
    26: 37,
    20: 38,
    21: 40,
}
GROUND_PINS = (6, 9, 14, 20, 25, 30, 34, 39)

# Figures and their sources:
# - Pi Zero 2 W: 350 mA "typical bare-board active current", supply 2 A
#   (raspberrypi/documentation, computers/raspberry-pi/power-supplies.adoc).
# - a 128x64 OLED: about 20 mA (https://learn.adafruit.com/monochrome-oled-breakouts/power-requirements); the 2.42" one
#   has more glass: 50 mA are reckoned with.
# - an LED at 3.3 V through 470 ohms: (3.3 V - 2 V) / 470 = about 3 mA.
# - power banks that take less than some 50 mA for nothing and switch off:
#   https://hackaday.com/2024/03/05/a-simple-hack-for-running-low-power-gear-from-a-usb-battery-pack/
PI_MA, OLED_MA, LARGE_OLED_MA, LAMP_MA = 350, 20, 50, 3
BANK_SLEEPS_MA = 50

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

# What SPI displays print beside these holes (https://www.waveshare.com/wiki/1.3inch_OLED_HAT).
PIN_ALIASES = {"MOSI": "DIN", "SCLK": "CLK", "CE0": "CS", "CE1": "CS", "RST": "RES"}


@dataclass(frozen=True, slots=True)
class BoardPart:
    """`kind`: "button", "lamp", "buzzer" or "screen"; `name` as in a board's file ("a", "lamp_b", "screen"); `wires`:
    the name of each on the part ("" where there is only one) and its BCM number, without ground and supply."""

    kind: str
    name: str
    wires: tuple[tuple[str, int], ...]


def board_parts(board: Board) -> list[BoardPart]:
    """The board's parts as they are wired: screen, buttons, lamps, buzzer."""
    screen = tuple(
        (f"{name} / {PIN_ALIASES[name]}" if name in PIN_ALIASES else name, pin)
        for pin, name in board.screen.lines().items()
    )
    return [
        BoardPart("screen", "screen", screen),
        *(BoardPart("button", key, (("", pin),)) for key, pin in board.pins.keys().items()),
        *(
            BoardPart("buzzer" if name == "buzzer" else "lamp", name, (("", pin),))
            for name, pin in board.pins.signals().items()
        ),
    ]


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


def hall_cost(board: Board, words: Words) -> str:
    """What halls of two sizes cost, as the table that BUILD.md shows."""
    prices = {"table": price_range_eur(board), "spare": price_range_eur(board), **HALL_EUR}
    counts = [{**dict.fromkeys(prices, 1), "table": tables, "spare": spares} for tables, spares in HALLS.items()]
    rows = [
        ["", "€", *(words("parts.tables", n=tables) for tables in HALLS)],
        ["---"] * (2 + len(HALLS)),
        *(
            [words(f"parts.{key}", board=board.name), f"{low}–{high}", *(str(count[key]) for count in counts)]
            for key, (low, high) in prices.items()
        ),
        [
            words("parts.in_all"),
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


def display_test_picture(name: str) -> Any:
    """Shows whether a display is upright, complete, and has the right driver: a frame on the outermost pixels, its
    corners, the signs at their sides, and the board's name."""
    from PIL import Image, ImageDraw

    from roundtap_devices.letters import load_font

    image = Image.new("1", (WIDTH, HEIGHT))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, WIDTH - 1, HEIGHT - 1), outline=1)
    draw.rectangle((2, 2, 9, 9), fill=1)
    signs, small = load_font(14), load_font(10)
    draw.text((8, 24), "●", font=signs, fill=1)
    draw.text((WIDTH - 20, 24), "■", font=signs, fill=1)
    draw.text((WIDTH // 2, 14), "▲", font=signs, fill=1, anchor="mm")
    draw.text((WIDTH // 2, 32), name[:16], font=small, fill=1, anchor="mm")
    draw.text((WIDTH // 2, 50), "▼", font=signs, fill=1, anchor="mm")
    return image


@dataclass(slots=True)
class BoardTest:
    """A test of everything on a board with its builder: each button, light, buzzer and the screen, one by one. What
    does not respond is listed at the end, with its pins. Runs on real and mock pins. `wait(ms)` lets time pass; `edges`
    is the queue that the board's buttons fill."""

    board: Board
    front: Controls
    screen: Screen
    edges: queue.SimpleQueue[Any]
    person: "TerminalUser"
    words: Words
    mono_ms: Callable[[], int]
    wait: Callable[[int], None]
    silent: list[str] = field(default_factory=list)

    def run(self) -> list[str]:
        """Run it; returns the names of the parts that did not respond, as in a board's file."""
        words = self.words
        self.person.say(words("walk.begin", board=self.board.name))
        if self.front.input_fault:
            self.person.say(self.front.reason)
        for part in board_parts(self.board):
            self.person.say("")
            answered = {"screen": self._screen, "button": self._button}.get(part.kind, self._signal)(part)
            if not answered:
                self.silent.append(part.name)
        self.person.say("")
        if not self.silent:
            self.person.say(words("walk.all_well"))
        for part in board_parts(self.board):
            if part.name in self.silent:
                self.person.say(
                    words(
                        "walk.silent.buzzer" if part.kind == "buzzer" else "walk.silent",
                        part=words(f"wiring.part.{part.name}"),
                        pins=", ".join(f"{HEADER_PIN[pin]} (GPIO{pin})" for _, pin in part.wires),
                        other=str(not self.board.buzzer_active_low).lower(),
                    )
                )
        return self.silent

    def _screen(self, part: BoardPart) -> bool:
        self.screen.show(display_test_picture(self.board.name), self.mono_ms())
        if self.screen.blind:
            self.person.say(self.screen.said)
            return False
        return self.person.confirms(self.words("walk.screen"))

    def _button(self, part: BoardPart) -> bool:
        """Pressed and released, with no other button moving."""
        words, name = self.words, self.words(f"wiring.part.{part.name}")
        if self.front.input_fault:
            return False
        with contextlib.suppress(queue.Empty):
            while True:
                self.edges.get_nowait()
        self.person.say(words("walk.press", part=name))
        until_ms = self.mono_ms() + BUTTON_WAIT_MS
        pressed = False
        while self.mono_ms() < until_ms:
            try:
                edge = self.edges.get_nowait()
            except queue.Empty:
                self.wait(STEP_MS)
                continue
            if edge.key != part.name:
                self.person.say(words("walk.other", part=words(f"wiring.part.{edge.key}"), wanted=name))
                continue
            pressed = pressed or edge.down
            if pressed and not edge.down:
                self.person.say(words("walk.heard", part=name))
                return True
        self.person.say(words("walk.stuck" if pressed else "walk.nothing", part=name))
        return False

    def _signal(self, part: BoardPart) -> bool:
        if self.front.input_fault:
            return False
        signals, now_ms = self.front.signals, self.mono_ms()
        if part.kind == "buzzer":
            signals.beep(now_ms, 600)
            self.wait(700)
            self.front.tick(self.mono_ms())
            return self.person.confirms(self.words("walk.buzzer"))
        if part.name == "lamp":
            signals.lamp(True)
        else:
            signals.player_lamps(part.name.removeprefix("lamp_"))
        seen = self.person.confirms(self.words("walk.lamp", part=self.words(f"wiring.part.{part.name}")))
        signals.lamp(False)
        signals.player_lamps("")
        return seen


def run(args: argparse.Namespace) -> int:
    words = unit_words(args.language)
    try:
        made = load_board(args.name)
    except (BoardError, OSError) as error:
        text = words(f"board.{error.key}", **error.params) if isinstance(error, BoardError) else str(error)
        print(f"roundtap board: {text}", file=sys.stderr)
        return BAD_INPUT
    words = unit_words(args.language, made.joystick)
    for name, pin, to in made.on_at_reset():
        print(words("board.on_at_reset", file=args.name, name=name, pin=pin, to=to))
    if args.test:
        return _test(made, words)
    print(parts_text(made, words) if args.parts else pins_text(made, words))
    return DONE


def pins_text(made: Board, words: Words) -> str:
    """The wires as a table for a terminal (part, BCM number, header pin), then ground, supply and resistors."""
    rows = [
        (words(f"wiring.part.{part.name}"), name, f"GPIO{pin}", f"{HEADER_PIN[pin]:>2}")
        for part in board_parts(made)
        for name, pin in part.wires
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        [
            words("wiring.title", board=made.name),
            *("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows),
            *(() if made.ready_made else _common_wires(made, words)),
        ]
    )


def _common_wires(made: Board, words: Words) -> list[str]:
    listed = board_parts(made)
    key = "wiring.rails" if len(listed) > len(GROUND_PINS) else "wiring.ground"
    return [
        words(key, n=len(listed), pins=", ".join(map(str, GROUND_PINS))),
        words("wiring.supply"),
        *([words("wiring.resistor")] if any(part.kind == "lamp" for part in listed) else []),
    ]


def parts_text(made: Board, words: Words) -> str:
    """What to buy, a line a part, then what it costs and draws."""
    lines = [words("parts.title", board=made.name), ""]
    for count, key in parts_to_buy(made):
        low, high = PRICES_EUR[key]
        bus = f", {words(f'parts.bus.{made.screen.bus}')}" if key.startswith("screen.") else ""
        lines.append(f"{count:>2} × {words(f'parts.{key}')}{bus}  ({low}–{high} €)")
    low, high = price_range_eur(made)
    lines += [
        "",
        words("parts.cost", low=low, high=high, source=PRICES_SOURCE),
        words("parts.packages", packages=f"python3-lgpio{' python3-spidev' if made.screen.bus == 'spi' else ''}"),
        words("parts.draws", ma=current_draw_ma(made), pi=PI_MA, lamp=LAMP_MA),
        words("parts.bank", ma=BANK_SLEEPS_MA, hours=battery_hours(made, 10_000)),
        "",
        hall_cost(made, words),
    ]
    return "\n".join(lines)


def _test(made: Board, words: Words) -> int:
    from roundtap_devices.input.gestures import Edge
    from roundtap_devices.input.pin_factory import real_factory

    edges: queue.SimpleQueue[Edge] = queue.SimpleQueue()

    front = Controls(made, lambda: real_factory(tempfile.gettempdir()), edges, mono_ms)
    screen = oled_screen(made.screen, front.pins)
    try:
        silent = BoardTest(
            made, front, screen, edges, TerminalUser(words), words, mono_ms, lambda ms: time.sleep(ms / 1000)
        ).run()
    finally:
        screen.close()
        front.close()
    return SILENT if silent else DONE


@dataclass
class TerminalUser:
    words: Words

    def say(self, text: str) -> None:
        print(text, flush=True)

    def confirms(self, question: str) -> bool:
        """Ask whether they see or hear it; an empty answer is a yes."""
        try:
            answer = input(f"{question} {self.words('walk.yes_no')} ")
        except EOFError:
            return False
        return not answer.strip().lower().startswith(self.words("walk.no"))
