"""The drawings of the boards: each wire ends on the pin that gpiozero's pinout names, and the board's table has."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from roundtap_devices.boards import BOARDS, Board
from roundtap_devices.input.pin_factory import mock_factory
from roundtap_units.unit_config import unit_words
from roundtap_units.wiring.main import HEADER_PIN, board_parts

SVG = "{http://www.w3.org/2000/svg}"
boards = pytest.mark.parametrize("board", BOARDS.values(), ids=lambda board: board.name)
FIRMWARE = Path(__file__).parents[2] / "firmware"


def drawn(board: Board) -> ET.Element:
    return ET.parse(FIRMWARE / f"pictures/wiring-{board.name}.svg").getroot()


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
    found = {
        int(text.text): (float(text.get("x", 0)), float(text.get("y", 0)) - 1.1)
        for text in picture.iter(f"{SVG}text")
        if text.text and re.fullmatch(r"\d+", text.text)
    }
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
    assert {pin: f"GPIO{number}" for number, pin in HEADER_PIN.items()} == {
        number: pin.name for number, pin in pinout.items() if pin.name.startswith("GPIO")
    }


@boards
def test_each_board_is_drawn_beside_its_page(board: Board) -> None:
    assert f"(pictures/wiring-{board.name}.svg)" in (FIRMWARE / "BOARDS.md").read_text(encoding="utf-8")


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
def test_each_part_says_which_pins_it_goes_to(board: Board) -> None:
    texts = [text.text or "" for text in drawn(board).iter(f"{SVG}text")]
    for part in board_parts(board):
        assert unit_words("en", board.joystick)(f"wiring.part.{part.name}") in texts
        for name, pin in part.wires:
            assert any(text.endswith(f"→ {HEADER_PIN[pin]}") and name in text for text in texts), (part, pin)
            assert f"GPIO{pin}" in texts


def test_no_pin_takes_two_wires_and_every_resistor_is_drawn() -> None:
    board, picture = BOARDS["recommended"], drawn(BOARDS["recommended"])
    pins = [pin for _, pin in ends(picture)]
    assert len(pins) == len(set(pins))
    grounds = sum(colour == "#111111" for colour, _ in ends(picture))
    assert grounds == 2 < len(board_parts(board)), "rails"
    lamps = sum(part.kind == "lamp" for part in board_parts(board))
    assert sum(text.text == "470 Ω" for text in picture.iter(f"{SVG}text")) == lamps
