"""`roundtap board`: pins and parts of any board, and a walk through everything on it with a person there."""

import argparse
import queue
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roundtap_core.command_arguments import add_arguments
from roundtap_core.words import LANGUAGES
from roundtap_devices.boards import BOARDS, RECOMMENDED, WAVESHARE_HAT, Board, parse_board
from roundtap_devices.controls import Controls
from roundtap_devices.display.screen import VirtualScreen
from roundtap_devices.hardware_errors import HardwareMissing
from roundtap_devices.input.pin_factory import mock_factory
from roundtap_units import unit_arguments
from roundtap_units.unit_config import unit_words
from roundtap_units.wiring import main
from roundtap_units.wiring.main import (
    LAMP_MA,
    PRICES_EUR,
    BoardTest,
    battery_hours,
    current_draw_ma,
    display_test_picture,
    hall_cost,
    parts_text,
    parts_to_buy,
    price_range_eur,
)


def board(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser, unit_arguments.ARGUMENTS["board"])
    return main.run(parser.parse_args(list(words)))


def test_without_an_option_the_pins_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert board("recommended") == 0
    said = capsys.readouterr().out.splitlines()
    assert "Button ● (orange)       GPIO17  11" in said
    assert len(said) == 1 + 2 + 4 + 4 + 3
    assert said[-3] == (
        "Ground: 9 wires for 8 header pins (6, 9, 14, 20, 25, 30, 34, 39). Join them on two rails of "
        "lever connectors. Run one wire from each rail to the header."
    )


def test_without_lights_every_ground_has_a_pin_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('like = "adafruit-oled-bonnet"\nready_made = false\njoystick = false\n')
    assert board(str(file)) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-2].startswith("Ground: 6 wires, one to each of")
    assert main.load_board(str(file)).pins.keys()["call"] == 4
    assert (3, "levers") not in parts_to_buy(main.load_board(str(file)))


def test_a_joystick_is_listed_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert board("waveshare-oled-hat") == 0
    said = capsys.readouterr().out
    assert "Joystick up" in said
    assert "Ground" not in said, "everything is wired on the board"


def test_a_board_of_ones_own_is_listed_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('name = "our-box"\n[pins]\ncall = 6\n')
    assert board(str(file), "--language", "pl") == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines() if "sędziego" in line] == [
        ["Przycisk", "sędziego", "GPIO6", "31"]
    ]
    assert board(str(file), "--parts") == 0
    assert "Parts for one table with the board our-box:" in capsys.readouterr().out


@pytest.mark.parametrize("also", [(), ("--parts",)])
def test_a_buzzer_that_would_whistle_from_power_on_is_told_with_what_helps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], also: tuple[str, ...]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("buzzer_active_low = true\n")
    assert board(str(file), *also) == 0
    told = capsys.readouterr().out.splitlines()[0]
    # Not the pin is on, but what sounds at it; the firmware ends that once it reads the card's line.
    assert "mine.toml: pins.buzzer: the buzzer or light on GPIO 12 is on after power-off" in told
    assert "for seconds after power-on." in told
    assert all(words in told for words in ("10 kΩ", "3.3 V", "held_off = true"))
    file.write_text("buzzer_active_low = true\nheld_off = true\n")
    assert board(str(file), *also) == 0
    assert "10 kΩ" not in capsys.readouterr().out


def test_a_board_that_is_wrong_is_refused_in_the_language_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[pins]\na = 14\n")
    assert board(str(file), "--language", "de") == 2
    assert capsys.readouterr().err == (
        "roundtap board: mine.toml: pins.a: Pin 14 ist auf jedem Pi UART TXD. Nimm einen anderen\n"
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("made", BOARDS.values(), ids=lambda made: made.name)
def test_every_board_has_its_list_in_every_language(made: Board, language: str) -> None:
    text = parts_text(made, unit_words(language))
    assert text.count("€)") == len(parts_to_buy(made))
    assert f"{current_draw_ma(made)}" in text


def test_a_board_of_ones_own_without_lamps_needs_none() -> None:
    plain = parse_board('name = "plain"\nlike = "adafruit-oled-bonnet"\nready_made = false')
    assert {key for _, key in parts_to_buy(plain)} == {
        "pi",
        "card",
        "supply",
        "screen.ssd1306",
        "buttons",
        "wires",
        "case",
    }


def test_the_parts_say_how_many_pins_the_screen_has() -> None:
    """The seven-pin module is soldered to SPI: the one with four pins cannot be wired that way."""
    made = parse_board('name = "mine"\nlike = "recommended"\n[screen]\nbus = "spi"')
    assert "SPI (seven pins, soldered)" in parts_text(made, unit_words("en"))
    assert "I²C (four pins, soldered)" in parts_text(BOARDS["recommended"], unit_words("en"))


def test_what_a_table_costs_is_the_sum_of_its_lines() -> None:
    assert price_range_eur(WAVESHARE_HAT) == (16 + 5 + 8 + 14 + 5, 25 + 10 + 15 + 22 + 20)
    assert all(low <= high for low, high in PRICES_EUR.values())


def test_what_halls_of_8_and_16_tables_cost_by_hand() -> None:
    low, high = price_range_eur(WAVESHARE_HAT)
    said = hall_cost(WAVESHARE_HAT, unit_words("en")).splitlines()
    assert said[2] == f"| table units, waveshare-oled-hat | {low}–{high} | 8 | 16 |"
    # Nine units with the spare, hub, wall's Pi, router, printer and stick; then eighteen.
    # A Pi's lower figure is the sum of what stands beside it: Pi, supply, case, card.
    hub, wall = 45 + 8 + 5 + 5, 35 + 8 + 5 + 5
    others = (hub + wall + 25 + 40 + 5, 95 + 80 + 60 + 250 + 10)
    assert (
        said[-1]
        == "| in all, € |  | "
        + " | ".join(f"{units * low + others[0]}–{units * high + others[1]}" for units in (9, 18))
        + " |"
    )
    assert (9 * low + others[0], 18 * high + others[1]) == (618, 2151)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_list_ends_with_what_halls_cost(language: str) -> None:
    for made in BOARDS.values():
        assert parts_text(made, unit_words(language)).endswith(hall_cost(made, unit_words(language)))


def test_the_lamps_of_a_board_are_within_what_a_pi_s_pins_can_give() -> None:
    # raspberrypi/documentation, power-supplies.adoc: 16 mA a pin, 50 mA all pins together.
    assert LAMP_MA <= 16
    assert 3 * LAMP_MA <= 50


def test_a_power_bank_by_hand() -> None:
    # 350 + 20 mA of the Waveshare board; 10,000 mAh × 3.7 V / 5 V × 0.9 = 6,660 mAh at 5 V; 6,660 / 370 = 18.
    assert (current_draw_ma(WAVESHARE_HAT), battery_hours(WAVESHARE_HAT, 10_000)) == (370, 18)
    # 350 + 50 mA for the larger screen, and three lamps of 3 mA; 6,660 / 409 = 16.
    assert (current_draw_ma(RECOMMENDED), battery_hours(RECOMMENDED, 10_000)) == (409, 16)


class Person:
    """Someone at the board who does what is asked; `cannot` names what is broken."""

    def __init__(self, made: Board, cannot: tuple[str, ...] = (), screen_lost: bool = False) -> None:
        self.now_ms, self.cannot, self.said = 0, cannot, [""]
        self.board, self.pins = made, mock_factory(lambda: self.now_ms / 1000)
        self.edges: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.front = Controls(made, self._open, self.edges, lambda: self.now_ms)
        self.screen = VirtualScreen()
        self.screen.glass.unplugged = screen_lost
        self.words = unit_words("en")
        self._todo: list[Callable[[], None]] = []

    def _open(self) -> Any:
        if "gpio" in self.cannot:
            raise HardwareMissing("lgpio")
        return self.pins

    def walk(self) -> list[str]:
        return BoardTest(
            self.board, self.front, self.screen, self.edges, self, self.words, lambda: self.now_ms, self.wait
        ).run()

    def wait(self, ms: int) -> None:
        self.now_ms += ms
        if self._todo:
            self._todo.pop(0)()

    def say(self, text: str) -> None:
        self.said.append(text)
        for key, pin in self.board.pins.keys().items():
            if text == self.words("walk.press", part=self.words(f"wiring.part.{key}")) and key not in self.cannot:
                made = self.pins.pin(self.board.pins.keys()["up" if f"{key} is up" in self.cannot else key])
                self._todo = [made.drive_low, made.drive_high]
                assert pin

    def confirms(self, question: str) -> bool:
        lit = {name for name, pin in self.board.pins.signals().items() if self.pins.pin(pin).state}
        lit -= set(self.cannot)
        if question == self.words("walk.screen"):
            return any(self.screen.glass.frame)
        if question == self.words("walk.buzzer"):
            return "buzzer" not in self.cannot
        return any(self.words(f"wiring.part.{name}") in question for name in lit)


@pytest.mark.parametrize("made", BOARDS.values(), ids=lambda made: made.name)
def test_a_sound_board_answers_with_everything(made: Board) -> None:
    person = Person(made)
    assert person.walk() == []
    assert person.said[-1] == "All parts work."


def test_what_does_not_answer_is_named_with_its_pin() -> None:
    person = Person(RECOMMENDED, ("b", "lamp_a", "buzzer"))
    assert person.walk() == ["b", "lamp_a", "buzzer"]
    assert "No response: Button ■ (blue), header pin 13 (GPIO27)." in person.said
    assert "Button ■ (blue): no press detected." in person.said


@pytest.mark.parametrize(("low", "other"), [(False, "true"), (True, "false")])
def test_a_buzzer_that_is_not_heard_once_and_then_still_may_be_the_other_kind(low: bool, other: str) -> None:
    """Most three-pin modules sound while their pin is low: with the wrong setting one whistles between the beeps."""
    person = Person(replace(RECOMMENDED, buzzer_active_low=low), ("buzzer",))
    assert person.walk() == ["buzzer"]
    assert unit_words("en")("walk.buzzer") == "Did the buzzer sound once, then stop?"
    assert person.said[-1] == (
        "No response: Buzzer module, header pin 32 (GPIO12). "
        f"If it sounds all the time: buzzer_active_low = {other} in the board's file."
    )


def test_two_wires_changed_about_are_told_while_they_are_pressed() -> None:
    person = Person(RECOMMENDED, ("down is up",))
    assert person.walk() == ["down"]
    assert "That was Button ▲. Press Button ▼." in person.said


def test_without_pins_the_screen_is_tried_all_the_same() -> None:
    person = Person(RECOMMENDED, ("gpio",))
    silent = person.walk()
    assert "screen" not in silent
    assert len(silent) == 8
    assert any("python3-lgpio" in text for text in person.said)


def test_a_dark_screen_says_why() -> None:
    person = Person(RECOMMENDED, screen_lost=True)
    assert person.walk() == ["screen"]
    assert any("no display answers" in text for text in person.said)


def test_the_test_picture_reaches_every_edge() -> None:
    assert display_test_picture("recommended").getbbox() == (0, 0, 128, 64)


def test_at_a_terminal_an_empty_answer_is_a_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    for language, no in (("en", "no"), ("es", "No"), ("de", "nein"), ("pl", "nie")):
        person = main.TerminalUser(unit_words(language))
        for answer, wanted in (("", True), (no, False)):
            monkeypatch.setattr("builtins.input", lambda _, answer=answer: answer)
            assert person.confirms("?") is wanted
