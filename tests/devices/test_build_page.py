"""BOARDS.md says what the code does: its pins against the boards, its header pins against the pinout gpiozero knows."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from roundtap_devices.boards import BOARDS, Board, Pins, parse_board
from roundtap_devices.input.pin_factory import mock_factory

PAGE = (Path(__file__).parents[2] / "firmware" / "BOARDS.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (?P<part>.+?) \| (?:`(?P<name>\w+)` )?\| (?P<bcm>\d+) \| (?P<header>\d+) \|$", re.MULTILINE)


def rows(board: str) -> list[re.Match[str]]:
    """The lines of a board's table in the document."""
    section = PAGE.split(f"\n## {board}\n")[1].split("\n## ")[0]
    return list(ROW.finditer(section))


def screen_pins(board: Board) -> set[int]:
    screen = board.screen
    return {2, 3} if screen.bus == "i2c" else {10, 11, 8 - screen.spi_device, screen.dc, screen.reset}


@pytest.mark.parametrize("board", BOARDS.values(), ids=lambda board: board.name)
def test_every_pin_of_a_board_is_told_as_the_code_has_it(board: Board) -> None:
    told = {row["name"]: int(row["bcm"]) for row in rows(board.name) if row["name"]}
    fitted = {field.name: getattr(board.pins, field.name) for field in fields(Pins)}
    assert told == {name: pin for name, pin in fitted.items() if pin is not None}
    assert {int(row["bcm"]) for row in rows(board.name) if not row["name"]} == screen_pins(board)


@pytest.mark.parametrize("board", BOARDS)
def test_every_header_pin_is_the_one_that_carries_the_line(board: str) -> None:
    header = mock_factory().board_info.headers["J8"].pins
    for row in rows(board):
        assert header[int(row["header"])].name == f"GPIO{row['bcm']}", row["part"]


def test_the_grounds_are_ground() -> None:
    told = re.search(r"header pins ([\d, ]+) are all ground", PAGE)
    assert told
    header = mock_factory().board_info.headers["J8"].pins
    assert {int(pin) for pin in told[1].split(",")} == {
        number for number, pin in header.items() if isinstance(number, int) and pin.name == "GND"
    }


def test_the_example_board_is_read() -> None:
    seven, example, unit = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert parse_board(example).name == "our-box"
    assert parse_board(seven).screen.bus == "spi"
    assert tomllib.loads(unit)["board"] in BOARDS


def test_a_screen_with_seven_pins_goes_where_the_page_says() -> None:
    seven = parse_board(re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0])
    header = mock_factory().board_info.headers["J8"].pins
    said = re.search(r"SCL goes to header pin (\d+), SDA to (\d+), CS to (\d+), DC to (\d+), RES to (\d+)", PAGE)
    assert said
    carried = {name: f"GPIO{pin}" for pin, name in seven.screen.lines().items()}
    assert [header[int(pin)].name for pin in said.groups()] == [
        carried[name] for name in ("SCLK", "MOSI", "CE0", "DC", "RST")
    ]
