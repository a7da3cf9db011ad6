"""Lights and buzzer: on by their own level, off at the end, lit again when their pins come late."""

from roundtap_devices.boards import RECOMMENDED, parse_board
from roundtap_devices.display.signals import Signals
from roundtap_devices.input.pin_factory import mock_factory


def test_an_active_low_buzzer_is_silent_while_its_pin_is_high():
    pins, board = mock_factory(), parse_board("buzzer_active_low = true\nlamps_active_low = true")
    signals = Signals(board, pins)
    assert [pins.pin(pin).state for pin in board.pins.signals().values()] == [True] * 4
    signals.beep(1000, 100)
    assert pins.pin(board.pins.buzzer).state == 0
    signals.tick(1100)
    assert pins.pin(board.pins.buzzer).state == 1


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
    signals = Signals(RECOMMENDED, pins)
    signals.player_lamps("ab")
    lamp = pins.pin(RECOMMENDED.pins.lamp_a)
    levels = []
    lamp.close = lambda: levels.append(lamp.state)
    signals.close()
    assert levels == [0]
