"""Buttons, lights and buzzer of a machine that lacks something: deaf, with a reason, and back once it is there."""

import queue
import sys
from contextlib import closing

import pytest

from faults import fails
from roundtap_devices.boards import RECOMMENDED
from roundtap_devices.controls import RETRY_MS, Controls
from roundtap_devices.hardware_errors import HardwareMissing, as_hardware_missing
from roundtap_devices.input.gestures import Buttons
from roundtap_devices.input.pin_factory import mock_factory, real_factory


class Machine:
    def __init__(self, lacks=None):
        self.now_ms, self.lacks, self.asked = 0, lacks, 0
        self.pins = mock_factory(lambda: self.now_ms / 1000)
        self.edges = queue.SimpleQueue()
        self.front = Controls(RECOMMENDED, self.open, self.edges, lambda: self.now_ms)

    def open(self):
        self.asked += 1
        if self.lacks is not None:
            raise self.lacks
        return self.pins

    def tick(self, at_ms):
        self.now_ms = at_ms
        self.front.tick(at_ms)


def test_a_front_that_is_there_hears_and_shines():
    machine = Machine()
    machine.pins.pin(RECOMMENDED.pins.a).drive_low()
    machine.front.signals.lamp(True)
    assert machine.front.input_fault == ""
    assert machine.edges.get_nowait()[:2] == ("a", True)
    assert machine.front.held()["a"]
    assert machine.pins.pin(RECOMMENDED.pins.lamp).state


@pytest.mark.parametrize(
    ("lacks", "kind", "says"),
    [
        (ModuleNotFoundError("No module named 'lgpio'", name="lgpio"), "lgpio", "apt install python3-lgpio"),
        (OSError("no gpiochip labelled pinctrl-rp1; found none"), "chip", "pinctrl-rp1"),
        (PermissionError(13, "Permission denied"), "permission", "groups gpio"),
    ],
)
def test_without_its_pins_it_is_deaf_and_says_why(lacks, kind, says):
    front = Machine(lacks).front
    assert front.input_fault == kind
    assert says in front.reason
    assert front.held() == {}
    front.signals.lamp(True)
    with pytest.raises(HardwareMissing):
        front.pins()


def test_it_hears_and_shines_what_it_should_once_the_pins_are_there():
    machine = Machine(OSError("no gpiochip"))
    machine.front.signals.player_lamps("b")
    machine.lacks = None
    machine.tick(RETRY_MS - 1)
    assert machine.front.input_fault
    machine.tick(RETRY_MS)
    assert not machine.front.input_fault
    assert machine.pins.pin(RECOMMENDED.pins.lamp_b).state
    machine.pins.pin(RECOMMENDED.pins.b).drive_low()
    assert machine.edges.get_nowait()[:2] == ("b", True)


def test_a_pin_that_another_program_holds_is_told_and_tried_again():
    from gpiozero import OutputDevice

    busy, free = mock_factory(), mock_factory()
    with closing(OutputDevice(RECOMMENDED.pins.a, pin_factory=busy)):
        chips = [busy, free]
        front = Controls(RECOMMENDED, lambda: chips.pop(0), queue.SimpleQueue(), lambda: 0)
        assert front.input_fault == "pins"
        front.tick(RETRY_MS)
        assert front.input_fault == ""


def test_a_chip_that_goes_away_is_looked_for_again(monkeypatch):
    machine = Machine()

    machine.lacks = OSError("no gpiochip")
    with monkeypatch.context() as patch:
        patch.setattr(Buttons, "held", fails(RuntimeError("unknown handle")))
        assert machine.front.held() == {}
    assert machine.front.input_fault == "chip"
    machine.lacks = None
    machine.tick(RETRY_MS)
    assert machine.front.input_fault == ""


def test_the_real_factory_says_what_it_wants(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.setenv("LG_WD", "")  # the factory sets it for its process
    with pytest.raises(ImportError) as caught:
        real_factory(str(tmp_path))
    assert as_hardware_missing(caught.value, "chip").kind == "lgpio"


def test_every_kind_has_its_sentence():
    assert all(str(HardwareMissing(kind)) == text for kind, text in HardwareMissing.TEXTS.items())
    assert str(HardwareMissing("chip", "found none")).endswith("(found none)")


def test_the_pin_factory_that_the_environment_names_is_used(monkeypatch):
    from gpiozero import Device
    from gpiozero.pins.mock import MockFactory

    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.setenv("LG_WD", "")
    for named in ("mock", "MOCK"):
        monkeypatch.setenv("GPIOZERO_PIN_FACTORY", named)
        monkeypatch.setattr(Device, "pin_factory", None)
        assert isinstance(real_factory("/nowhere"), MockFactory)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "lgpio")
    with pytest.raises(ImportError, match="lgpio"):
        real_factory("/nowhere")


def test_a_pin_factory_that_nobody_knows_is_named(monkeypatch):
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "pigpoi")
    front = Controls(RECOMMENDED, lambda: real_factory("/nowhere"), queue.SimpleQueue(), lambda: 0)
    assert front.input_fault == "chip"
    assert "pigpoi" in front.reason
