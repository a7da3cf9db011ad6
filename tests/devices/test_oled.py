"""The real display class, on a bus that is made up: luma's errors become OSError, and the bus is given back."""

import sys
import types
from contextlib import closing

import pytest
from luma.core.error import DeviceNotFoundError
from PIL import Image

from faults import fails
from roundtap_devices import boards
from roundtap_devices.display import screen
from roundtap_devices.hardware_errors import HardwareMissing
from roundtap_devices.input import pin_factory


class Bus:
    def __init__(self):
        self.there, self.sent, self.closed, self.said = True, [], False, []

    def command(self, *values):
        if not self.there:
            raise DeviceNotFoundError("I2C device not found on address: 0x3C")
        self.said.append(values)

    def data(self, values):
        self.command()
        self.sent.append(len(values))

    def cleanup(self):
        self.closed = True


@pytest.fixture
def bus(monkeypatch):
    made = Bus()
    monkeypatch.setattr(screen, "_serial", lambda wiring, pin_factory: made)
    return made


@pytest.mark.parametrize("driver", boards.DRIVERS)
def test_every_driver_takes_a_full_frame(bus, driver):
    made = screen.Oled(boards.ScreenWiring(driver=driver))
    bus.sent.clear()
    made.display(Image.new("1", (128, 64), 1))
    assert sum(bus.sent) == 1024


def test_a_missing_display_is_an_oserror_and_its_bus_is_closed(bus):
    bus.there = False
    with pytest.raises(OSError, match="0x3C"):
        screen.Oled(boards.ScreenWiring())
    assert bus.closed


@pytest.mark.parametrize(("board_s", "display_s"), [(0x3C, 0x3D), (0x3D, 0x3C)])
def test_a_display_at_the_other_address_is_found_there(monkeypatch, board_s, display_s):
    """Its resistor says which of the two it has, and its label says 0x78 or 0x7A."""
    buses = []

    def opened(wiring, pin_factory):
        buses.append(Bus())
        buses[-1].there = wiring.i2c_address == display_s
        return buses[-1]

    monkeypatch.setattr(screen, "_serial", opened)
    made = screen.Oled(boards.ScreenWiring(i2c_address=board_s))
    made.display(Image.new("1", (128, 64), 1))
    assert (len(buses), buses[0].closed, sum(buses[1].sent) > 0) == (2, True, True)


def test_where_neither_address_answers_the_boards_own_is_told_and_both_buses_are_closed(monkeypatch):
    buses = []

    def opened(wiring, pin_factory):
        buses.append(Bus())
        buses[-1].there = False
        return buses[-1]

    monkeypatch.setattr(screen, "_serial", opened)
    with pytest.raises(HardwareMissing, match=r"seven pins .* 0x3C") as missing:
        screen.Oled(boards.ScreenWiring())
    assert (missing.value.kind, [each.closed for each in buses]) == ("display", [True, True])


def test_a_display_lost_later_is_an_oserror_too(bus):
    made = screen.Oled(boards.ScreenWiring())
    bus.there = False
    with pytest.raises(OSError, match="not found"):
        made.display(Image.new("1", (128, 64)))


def test_no_such_i2c_bus_is_an_oserror():
    with pytest.raises(OSError, match="not found"):
        screen.Oled(boards.ScreenWiring(i2c_port=99))


class Chip:
    """A display controller as its datasheet has it: after power-on it is off, its multiplex ratio unset, its memory
    noise; commands set that, data fills it."""

    def __init__(self, bus):
        bus.data = self.data
        bus.command = self.command
        self.dark_moments = 0
        self.lose_power()

    def lose_power(self):
        self.on, self.ratio, self.filled = False, None, 0

    def command(self, *values):
        if 0xA8 in values:
            self.ratio = values[values.index(0xA8) + 1]
        if values[0] == 0xAE:
            self.dark_moments += self.on
            self.on = False
        if values[0] == 0xAF:
            self.on = True

    def data(self, values):
        self.filled += len(values)


@pytest.mark.parametrize("driver", boards.DRIVERS)
def test_a_display_that_forgot_everything_shows_again_and_a_sound_one_does_not_flicker(bus, driver):
    chip = Chip(bus)
    made = screen.Oled(boards.ScreenWiring(driver=driver))
    chip.dark_moments = 0
    made.renew(Image.new("1", (128, 64), 1))
    assert (chip.on, chip.ratio, chip.dark_moments) == (True, 0x3F, 0)
    chip.lose_power()
    made.renew(Image.new("1", (128, 64), 1))
    assert (chip.on, chip.ratio, chip.filled) == (True, 0x3F, 1024)


def test_a_screen_at_rest_stays_dark_when_it_is_set_up_anew(bus):
    chip = Chip(bus)
    made = screen.Oled(boards.ScreenWiring())
    made.set_brightness(0)
    made.renew(Image.new("1", (128, 64), 1))
    assert not chip.on
    made.set_brightness(0xCF)
    assert chip.on


def test_without_spidev_an_spi_display_says_which_package_it_wants(monkeypatch):
    monkeypatch.setitem(sys.modules, "spidev", None)
    with pytest.raises(HardwareMissing, match="apt install python3-spidev"):
        screen.Oled(boards.WAVESHARE_HAT.screen, pin_factory.mock_factory())


def test_a_bus_that_is_switched_off_says_where_it_is_switched_on():
    with pytest.raises(HardwareMissing, match="dtparam=i2c_arm=on"):
        screen.Oled(boards.ScreenWiring(i2c_port=99))


class SpiDev:
    """spidev's own, as far as luma calls it; python3-spidev is a Debian package."""

    def __init__(self):
        self.bytes = 0

    def open(self, port, device):
        self.at = port, device

    def writebytes(self, data):
        self.bytes += len(data)

    def close(self):
        self.bytes = 0


def test_an_spi_display_is_driven_and_reset_through_its_pins(monkeypatch):
    module = types.ModuleType("spidev")
    module.SpiDev = SpiDev
    monkeypatch.setitem(sys.modules, "spidev", module)
    pins = pin_factory.mock_factory()
    with closing(screen.Oled(boards.WAVESHARE_HAT.screen, pins)) as made:
        pins.pin(25).clear_states()
        for _ in range(screen.RESET_EVERY):
            made.renew(Image.new("1", (128, 64), 1))
        assert [state.state for state in pins.pin(25).states] == [True, False, True]
    screen.Oled(boards.WAVESHARE_HAT.screen, pins)


def test_pins_that_are_not_there_make_an_spi_display_blind():
    dark = screen.oled_screen(boards.WAVESHARE_HAT.screen, fails(HardwareMissing("lgpio")))
    dark.show(Image.new("1", (128, 64), 1), 0)
    assert (dark.blind, dark.reason) == (True, "lgpio")


def test_the_lines_of_an_spi_display_are_gpiozero_pins():
    pins = pin_factory.mock_factory()
    with closing(screen._GpioAdapter(pins)) as lines:
        lines.setup(24, lines.OUT)
        lines.output(24, lines.HIGH)
        assert pins.pin(24).state == 1
