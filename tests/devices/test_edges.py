"""Presses on mock pins arrive as edges; two units in one process do not hear each other."""

import queue

import pytest

from roundtap_devices import boards
from roundtap_devices.input import pin_factory
from roundtap_devices.input.gestures import Buttons, EdgeClock


class Unit:
    def __init__(self, board=boards.RECOMMENDED):
        self.now_ms = 0
        self.board = board
        self.factory = pin_factory.mock_factory(lambda: self.now_ms / 1000)
        self.edges = queue.SimpleQueue()
        self.buttons = Buttons(board, self.factory, self.edges, lambda: self.now_ms)

    def press(self, key, down, at_ms):
        self.now_ms = at_ms
        pin = self.factory.pin(self.board.pins.keys()[key])
        (pin.drive_low if down == self.board.active_low else pin.drive_high)()

    def heard(self):
        edges = []
        while not self.edges.empty():
            edges.append(tuple(self.edges.get_nowait()))
        return edges


def test_a_press_is_two_edges_with_their_times():
    unit = Unit()
    unit.press("a", True, 100)
    unit.press("a", False, 190)
    assert unit.heard() == [("a", True, 100), ("a", False, 190)]


def test_five_bounces_pass_through_raw():
    unit = Unit()
    for n in range(10):
        unit.press("up", n % 2 == 0, 2 * n)
    assert len(unit.heard()) == 10


def test_a_board_that_pulls_down_reads_high_as_pressed():
    unit = Unit(boards.parse_board("active_low = false"))
    unit.press("b", True, 5)
    assert unit.heard() == [("b", True, 5)]


def test_units_in_one_process_have_pins_of_their_own():
    one, two = Unit(), Unit()
    one.press("down", True, 1)
    assert one.heard() == [("down", True, 1)]
    assert two.heard() == []


def test_closed_buttons_give_their_pins_back():
    unit = Unit()
    unit.buttons.close()
    Buttons(unit.board, unit.factory, unit.edges, lambda: 0)


def test_pins_tell_what_is_held_whatever_was_heard():
    unit = Unit()
    unit.press("a", True, 100)
    assert unit.buttons.held() == {"a": True, "b": False, "up": False, "down": False}


class Ticks:
    """A pin factory's clock: seconds since another moment than the unit's, and read late."""

    def __init__(self, wrap_s=None):
        self.now_s, self.wrap_s = 0.0, wrap_s

    def ticks(self):
        return self.now_s if self.wrap_s is None else self.now_s % self.wrap_s

    def ticks_diff(self, later, earlier):
        return later - earlier if self.wrap_s is None else (later - earlier) % self.wrap_s


def test_an_edge_read_late_bears_the_time_it_was_made():
    ticks, mono_ms = Ticks(), 70_000
    ticks.now_s = 12.5
    assert EdgeClock(ticks, lambda: mono_ms).at_ms(12.41) == 69_910


def test_a_counter_of_32_bits_of_microseconds_that_wraps_spoils_nothing():
    ticks = Ticks(wrap_s=2**32 / 1e6)
    ticks.now_s = ticks.wrap_s + 0.05
    stamps = EdgeClock(ticks, lambda: 9_000)
    before_wrap_s = ticks.wrap_s - 0.04
    assert [stamps.at_ms(before_wrap_s), stamps.at_ms(0.02)] == [8_910, 8_970]


def test_stamps_of_the_wall_s_clock_are_not_believed_so_no_jump_of_it_spoils_a_gesture():
    ticks, mono_ms = Ticks(), 5_000
    ticks.now_s = 300.0  # CLOCK_MONOTONIC; the edge comes with seconds since 1970, as before Linux 5.7
    stamps = EdgeClock(ticks, lambda: mono_ms)
    assert stamps.at_ms(1_800_000_000.0) == 5_000
    mono_ms = 5_090
    assert stamps.at_ms(1_700_000_000.0) == 5_090


def test_a_reader_held_up_between_two_clocks_asks_again():
    ticks, asked = Ticks(), []

    def mono_ms():
        # The second time it is asked 80 ms have passed since the first: preempted in between.
        asked.append(len(asked))
        return 1_000 if len(asked) == 1 else 1_080

    ticks.now_s = 7.08
    assert EdgeClock(ticks, mono_ms).at_ms(7.0) == 1_000


def test_of_two_edges_the_earlier_never_comes_out_later():
    ticks, clock = Ticks(), [1000]
    stamps = EdgeClock(ticks, lambda: clock[0])
    made = []
    for n in range(2000):
        made_s = n * 0.0004
        ticks.now_s = made_s + (n % 7) * 0.0003
        clock[0] = 1000 + int(ticks.now_s * 1000)
        made.append(stamps.at_ms(made_s))
    assert made == sorted(made)
    assert all(abs(at_ms - 1000 - n * 0.4) <= 2 for n, at_ms in enumerate(made))


class Chips:
    """A stand-in for lgpio with three chips, the second of them locked."""

    class error(Exception):
        pass

    labels = ("raspberrypi-exp-gpio", None, "pinctrl-rp1")

    def __init__(self):
        self.open = set()

    def gpiochip_open(self, number):
        if self.labels[number] is None:
            raise self.error("no permission")
        self.open.add(number)
        return number

    def gpiochip_close(self, handle):
        self.open.remove(handle)

    def gpio_get_chip_info(self, handle):
        return 0, 54, f"gpiochip{handle}", self.labels[handle]


def test_the_header_is_found_by_the_label_of_its_chip():
    lgpio = Chips()
    assert pin_factory.find_chip(lgpio, [0, 1, 2]) == 2
    assert not lgpio.open


def test_without_a_header_the_error_lists_what_there_is():
    with pytest.raises(OSError, match=r"gpiochip0: raspberrypi-exp-gpio; gpiochip1: no permission"):
        pin_factory.find_chip(Chips(), [0, 1])
