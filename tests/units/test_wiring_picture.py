"""Boards drawn: each wire ends on the pin that gpiozero's pinout names, nothing overlaps, nothing leaves the page."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest
from PIL import ImageFont

from roundtap_core.words import LANGUAGES
from roundtap_devices.boards import BOARDS, Board, load
from roundtap_devices.input.pin_factory import mock_factory
from roundtap_units.unit_words import unit_words
from roundtap_units.wiring.board_parts import HEADER
from roundtap_units.wiring.wiring_picture import wiring_svg

SVG = "{http://www.w3.org/2000/svg}"
OWN = load("""
name = "our-box"
lamps_active_low = true
[pins]
call = 6
[screen]
bus = "spi"
driver = "sh1106"
""")
PULLED_DOWN = load('name = "pulled-down"\nactive_low = false\nbuzzer_active_low = true')
ALL = [*BOARDS.values(), OWN, PULLED_DOWN]
boards = pytest.mark.parametrize("board", ALL, ids=lambda board: board.name)


def drawn(board: Board, language: str = "en") -> ET.Element:
    return ET.fromstring(wiring_svg(board, unit_words(language)))


def points(path: str) -> list[tuple[float, float]]:
    """The corners of a path of M, H and V."""
    x = y = 0.0
    found = []
    for letter, numbers in re.findall(r"([MHV])([-\d. ]+)", path):
        values = [float(number) for number in numbers.split()]
        x, y = (values[0], values[1]) if letter == "M" else (values[0], y) if letter == "H" else (x, values[0])
        found.append((x, y))
    return found


def pins_at(picture: ET.Element) -> dict[int, tuple[float, float]]:
    """Where each of the 40 pins stands: by the number written in it."""
    found = {int(text.text): (float(text.get("x", 0)), float(text.get("y", 0)) - 1.1)
             for text in picture.iter(f"{SVG}text") if text.text and re.fullmatch(r"\d+", text.text)}
    assert sorted(found) == list(range(1, 41))
    return found


def ends(picture: ET.Element) -> Iterator[tuple[str, int]]:
    """(colour, header pin) of every wire that comes to the header."""
    pins = pins_at(picture)
    for path in picture.iter(f"{SVG}path"):
        if path.get("stroke") == "#FFFFFF":
            continue
        x, y = points(path.get("d", ""))[-1]
        for pin, (pin_x, pin_y) in pins.items():
            if abs(x - pin_x) < 2 and abs(y - pin_y) < 2:
                yield path.get("stroke", ""), pin


def test_the_header_is_the_one_of_a_zero_2_w() -> None:
    pinout = mock_factory().board_info.headers["J8"].pins
    names = {number: f"GPIO{what}" if isinstance(what, int) else what for number, what in HEADER.items()}
    assert names == {number: pin.name for number, pin in pinout.items() if isinstance(number, int)}


@boards
def test_each_wire_ends_on_the_pin_of_its_line(board: Board) -> None:
    pinout = mock_factory().board_info.headers["J8"].pins
    wanted = {*board.pins.keys().values(), *board.pins.signals().values(), *board.screen.lines()}
    came = {pinout[pin].name for _, pin in ends(drawn(board))}
    assert {name for name in came if name.startswith("GPIO")} == {f"GPIO{pin}" for pin in wanted}
    assert came - {f"GPIO{pin}" for pin in wanted} <= {"GND", "3V3"}
    assert ("GND" in came) != board.ready_made


@boards
def test_supply_and_ground_are_never_the_wrong_way_round(board: Board) -> None:
    pinout = mock_factory().board_info.headers["J8"].pins
    for colour, pin in ends(drawn(board)):
        assert (colour == "#C8102E") == (pinout[pin].name == "3V3")
        assert (colour == "#111111") == (pinout[pin].name == "GND")


@boards
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_leaves_the_page_and_no_part_lies_on_another(board: Board, language: str) -> None:
    picture = drawn(board, language)
    for text in picture.iter(f"{SVG}text"):
        low, high = extent(text)
        assert low >= 3, text.text
        assert high <= 207, text.text
    boxes = [tuple(float(box.get(key, 0)) for key in ("x", "y", "width", "height"))
             for box in picture.iter(f"{SVG}rect") if box.get("rx") == "2"]
    assert len(boxes) >= 5
    for number, (x, y, width, height) in enumerate(boxes):
        assert y > 30
        assert y + height < 266
        for other_x, other_y, other_width, other_height in boxes[:number]:
            apart = (x + width <= other_x or other_x + other_width <= x or y + height <= other_y
                     or other_y + other_height <= y)
            assert apart


def extent(text: ET.Element) -> tuple[float, float]:
    """From where to where a text goes, in the letters that the picture asks for."""
    from importlib.resources import files

    name = "DejaVuSans-Bold.ttf" if text.get("font-weight") else "DejaVuSans.ttf"
    font = ImageFont.truetype(str(files("roundtap_devices").joinpath(f"fonts/{name}")), 100)
    width = font.getlength(text.text or "") * float(text.get("font-size", 0)) / 100
    x = float(text.get("x", 0))
    return {"start": (x, x + width), "end": (x - width, x), "middle": (x - width / 2, x + width / 2)}[
        text.get("text-anchor", "start")]


@boards
def test_a_part_s_name_fits_its_box(board: Board) -> None:
    for language in LANGUAGES:
        picture = drawn(board, language)
        names = {unit_words(language)(f"wiring.part.{name}") for name in (*board.pins.keys(), "screen")}
        for text in picture.iter(f"{SVG}text"):
            if text.text in names:
                low, high = extent(text)
                assert high - low < 41, text.text
