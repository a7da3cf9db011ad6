"""The real display class, on a bus that is made up: luma's errors become OSError, and the bus is given back."""

import pytest
from luma.core.error import DeviceNotFoundError
from PIL import Image

from roundtap_devices import boards
from roundtap_devices.display import oled
from roundtap_devices.input import pin_factory


class Bus:
    def __init__(self):
        self.there, self.sent, self.closed = True, [], False

    def command(self, *values):
        if not self.there:
            raise DeviceNotFoundError("I2C device not found on address: 0x3C")

    def data(self, values):
        self.command()
        self.sent.append(len(values))

    def cleanup(self):
        self.closed = True


@pytest.fixture
def bus(monkeypatch):
    made = Bus()
    monkeypatch.setattr(oled, "_serial", lambda wiring, pin_factory: made)
    return made


@pytest.mark.parametrize("driver", boards.DRIVERS)
def test_every_driver_takes_a_full_frame(bus, driver):
    made = oled.Oled(boards.ScreenWiring(driver=driver))
    bus.sent.clear()
    made.display(Image.new("1", (128, 64), 1))
    assert sum(bus.sent) == 1024


def test_a_missing_display_is_an_oserror_and_its_bus_is_closed(bus):
    bus.there = False
    with pytest.raises(OSError, match="0x3C"):
        oled.Oled(boards.ScreenWiring())
    assert bus.closed


def test_a_display_lost_later_is_an_oserror_too(bus):
    made = oled.Oled(boards.ScreenWiring())
    bus.there = False
    with pytest.raises(OSError, match="not found"):
        made.display(Image.new("1", (128, 64)))


def test_no_such_i2c_bus_is_an_oserror():
    with pytest.raises(OSError, match="not found"):
        oled.Oled(boards.ScreenWiring(i2c_port=99))


def test_the_lines_of_an_spi_display_are_gpiozero_pins():
    pins = pin_factory.mock_factory()
    lines = oled._Lines(pins)
    lines.setup(24, lines.OUT)
    lines.output(24, lines.HIGH)
    assert pins.pin(24).state == 1
    lines.close()
