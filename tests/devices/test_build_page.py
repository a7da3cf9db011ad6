"""BOARDS.md and PINS.md say what the code does: pins against the boards, header pins against the pinout gpiozero knows,
what each output does before its unit runs, and the serial port of each model."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from roundtap.provisioning.roles import write_boot_files
from roundtap.provisioning.settings_file import Settings
from roundtap_devices.boards import BOARDS, LAST_PULLED_UP, Board, Pins, parse_board
from roundtap_devices.input.pin_factory import mock_factory
from roundtap_devices.printing.header_port import header_port

PAGE, PINS = (
    (Path(__file__).parents[2] / "firmware" / name).read_text(encoding="utf-8") for name in ("BOARDS.md", "PINS.md")
)
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
    seven, example, unit = re.findall(r"```toml\n(.*?)```", PAGE + PINS, re.DOTALL)
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


def outputs(board: Board) -> list[tuple[str, int, bool]]:
    """(name, pin, whether it is on while the pin is low) of all that the unit drives, but for its buses."""
    screen = board.screen
    lines = [("screen.dc", screen.dc, False), ("screen.reset", screen.reset, False)] if screen.bus == "spi" else []
    return [*((name, pin, board.low_is_on(name)) for name, pin in board.pins.signals().items()), *lines]


def output_rows() -> list[list[str]]:
    """The table in BOARDS.md: [board, output, BCM, reset, early boot, unit runs, halt] a line."""
    section = PAGE.split("\n## Before the unit runs\n")[1].split("\n## ")[0]
    lines = re.findall(r"^\| (`.+) \|$", section, re.MULTILINE)
    return [line.replace("`", "").split(" | ") for line in lines]


@pytest.mark.parametrize("board", BOARDS.values(), ids=lambda board: board.name)
def test_every_output_of_a_board_is_told_with_its_state_before_the_unit_runs(board: Board) -> None:
    told = {(name, int(bcm)): states for of, name, bcm, *states in output_rows() if of == board.name}
    assert set(told) == {(name, pin) for name, pin, _ in outputs(board)}
    for name, pin, low_is_on in outputs(board):
        low = pin > LAST_PULLED_UP
        state = "on" if low == low_is_on else "off"
        assert told[name, pin] == [f"{'low' if low else 'high'}: {state}", state, "as told", state]
    assert board.name in PAGE.split("\n## Before the unit runs\n")[1].split("\n## ")[0]


def test_the_buzzer_that_sounds_on_low_is_told_as_the_code_has_it(tmp_path: Path) -> None:
    [bare] = [row for row in output_rows() if row[0] == "buzzer_active_low"]
    (tmp_path / "loud.toml").write_text("buzzer_active_low = true")
    (tmp_path / "config.txt").touch()
    write_boot_files(tmp_path, Settings(board="loud.toml"), tmp_path)
    [line] = [line for line in (tmp_path / "config.txt").read_text().splitlines() if line.startswith("gpio=")]
    [(_, pin, to)] = parse_board("buzzer_active_low = true").on_at_reset()
    assert bare == ["buzzer_active_low", "buzzer", str(pin), "low: on", f"off by {line}", "as told", "on"]
    assert f"`{line}`" in PAGE
    assert f"Solder 10 kΩ from its pin to {to}" in " ".join(PAGE.split())


def test_each_model_s_port_and_line_are_told_as_the_code_has_them() -> None:
    rows = re.findall(r"^\| (.+?) \| `(/dev/\w+)`.*? \| `(.+?)`.*? \| `(/dev/\w+)`", PINS, re.MULTILINE)
    full = {"CM": "Compute Module ", "3": "3 Model B", "4": "4 Model B", "2": "2 Model B", "5": "5 Model B"}
    told = 0
    for models, port, line, wrong in rows:
        for model in models.split(", "):
            name = full.get(model, model.replace("CM", full["CM"]))
            found = header_port(f"Raspberry Pi {name} Rev 1.0")
            assert (found.path, found.config) == (port, (line,)), name
            assert wrong not in found.names
            told += 1
    assert told == 12
