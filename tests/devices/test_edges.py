"""Presses on mock pins arrive as edges; two units in one process do not hear each other."""

import queue

import pytest

from roundtap_devices import boards
from roundtap_devices.input import pin_factory
from roundtap_devices.input.edges import Buttons


class Unit:
    def __init__(self, board=boards.RECOMMENDED):
        self.now_ms = 0
        self.board = board
        self.factory = pin_factory.mock_factory()
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
    unit = Unit(boards.load("active_low = false"))
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
