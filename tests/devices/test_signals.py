"""Lights and buzzer: on by their own level, off at the end, lit again when their pins come late."""

import sys
from contextlib import closing
from unittest.mock import MagicMock

import pytest
from gpiozero.pins.local import LocalPiFactory

from roundtap_devices.boards import RECOMMENDED, parse_board
from roundtap_devices.display.signals import Signals
from roundtap_devices.input import pin_factory
from roundtap_devices.input.pin_factory import mock_factory


def test_an_active_low_buzzer_is_silent_while_its_pin_is_high():
    pins, board = mock_factory(), parse_board("buzzer_active_low = true\nlamps_active_low = true")
    signals = Signals(board, pins)
    assert [pins.pin(pin).state for pin in board.pins.signals().values()] == [True] * 4
    signals.beep(1000, 100)
    assert pins.pin(board.pins.buzzer).state == 0
    signals.tick(1100)
    assert pins.pin(board.pins.buzzer).state == 1


class KernelLines(MagicMock):
    """A stand-in for lgpio: what each line was told, in order."""

    error = type("error", (Exception,), {})

    def gpio_get_chip_info(self, handle):
        return 0, 54, "gpiochip0", "pinctrl-bcm2711"

    def told(self, pin):
        """("input",) or ("output", level) for a claim, ("write", level)."""
        kinds = {"gpio_claim_input": "input", "gpio_claim_output": "output", "gpio_write": "write"}
        return [
            (kinds[name], *args[2:]) if name != "gpio_claim_input" else ("input",)
            for name, args, _ in self.mock_calls
            if name in kinds and args[1] == pin
        ]


@pytest.mark.parametrize(("told", "silent"), [("", 0), ("buzzer_active_low = true", 1)])
def test_a_buzzer_s_line_is_claimed_at_its_silent_level_and_no_other(told, silent, tmp_path, monkeypatch):
    """`tests/metal/buzzer_at_start.py` watches the same on the kernel's lines."""
    lines = KernelLines()
    monkeypatch.setitem(sys.modules, "lgpio", lines)
    monkeypatch.setenv("LG_WD", "")
    # Imported with the stand-in, and forgotten afterwards.
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", lines)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio")
    monkeypatch.setattr(LocalPiFactory, "_get_revision", lambda self: 0x902120)
    monkeypatch.setattr(LocalPiFactory, "pins", {})
    monkeypatch.setattr(pin_factory, "chip_numbers", lambda: [0])
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    board = parse_board(told)
    with closing(Signals(board, pin_factory.real_factory(str(tmp_path)))):
        assert lines.told(board.pins.buzzer) == [("input",), ("output", silent)]
    assert lines.told(board.pins.buzzer)[2:] == [("write", silent), ("input",)]


def test_each_player_has_a_lamp():
    pins, board = mock_factory(), RECOMMENDED
    signals = Signals(board, pins)
    lit = lambda: [pins.pin(pin).state for pin in (board.pins.lamp_a, board.pins.lamp_b)]  # noqa: E731
    signals.player_lamps("a")
    assert lit() == [1, 0]
    signals.player_lamps("ab")
    assert lit() == [1, 1]
    signals.player_lamps("")
    assert lit() == [0, 0]


def test_what_should_shine_shines_once_the_pins_are_there():
    pins, signals = mock_factory(), Signals(RECOMMENDED)
    signals.lamp(True)
    signals.attach_pins(pins)
    assert pins.pin(RECOMMENDED.pins.lamp).state == 1


def test_at_the_end_everything_is_off():
    pins = mock_factory()
    with closing(Signals(RECOMMENDED, pins)) as signals:
        signals.player_lamps("ab")
        lamp = pins.pin(RECOMMENDED.pins.lamp_a)
        levels = []
        lamp.close = lambda: levels.append(lamp.state)
    assert levels == [0]
