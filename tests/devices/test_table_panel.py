"""The virtual front: presses in, pictures out, over a Unix socket."""

import base64
import json
import queue
import socket

import pytest
from PIL import Image

from patience import GUARD_S
from roundtap_devices import boards
from roundtap_devices.display.screen import VirtualScreen
from roundtap_devices.display.signals import Signals
from roundtap_devices.input import pin_factory
from roundtap_devices.input.gestures import Buttons
from roundtap_devices.virtual.panels import TablePanel


class Kit:
    def __init__(self, path):
        self.board = boards.RECOMMENDED
        self.factory = pin_factory.mock_factory()
        self.edges = queue.SimpleQueue()
        self.buttons = Buttons(self.board, self.factory, self.edges, lambda: 7)
        self.screen = VirtualScreen()
        self.panel = TablePanel(path, self.board, self.factory, self.screen.glass)
        self.signals = Signals(self.board, self.factory, self.panel.signals)


@pytest.fixture
def kit(tmp_path):
    made = Kit(tmp_path / "unit.sock")
    yield made
    made.panel.close()


@pytest.fixture
def visitor(kit, tmp_path):
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(GUARD_S)
    connection.connect(str(tmp_path / "unit.sock"))
    with connection, connection.makefile("rw", encoding="utf-8") as lines:
        yield lines


def say(lines, **asked):
    lines.write(json.dumps(asked) + "\n")
    lines.flush()


def hear(lines):
    return json.loads(lines.readline())


def test_the_picture_comes_at_once_and_at_each_change(kit, visitor):
    first = hear(visitor)
    assert (first["width"], first["height"], first["virtual"], first["lamp"]) == (128, 64, True, False)
    assert base64.b64decode(first["frame"]) == bytes(1024)
    kit.screen.show(Image.new("1", (128, 64), 1), 0)
    assert base64.b64decode(hear(visitor)["frame"]) == b"\xff" * 1024


def test_a_press_goes_through_the_pin(kit, visitor):
    say(visitor, pin="b", down=True)
    assert kit.edges.get(timeout=GUARD_S) == ("b", True, 7)
    say(visitor, pin="b", down=False)
    assert kit.edges.get(timeout=GUARD_S) == ("b", False, 7)


def test_the_screen_can_be_unplugged(kit, visitor):
    hear(visitor)
    kit.screen.show(Image.new("1", (128, 64), 1), 0)
    hear(visitor)
    say(visitor, fault="screen", on=True)
    assert base64.b64decode(hear(visitor)["frame"]) == bytes(1024)
    assert kit.screen.glass.unplugged


def test_the_lamp_is_seen(kit, visitor):
    hear(visitor)
    kit.signals.lamp(True)
    assert hear(visitor)["lamp"] is True
    assert kit.factory.pin(kit.board.pins.lamp).state == 1
    kit.signals.player_lamps("b")
    seen = hear(visitor)
    assert (seen["lamp_a"], seen["lamp_b"]) == (False, True)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("press a", "JSON object"),
        ("[1]", "JSON object"),
        ('{"pin": "left", "down": true}', "a, b, up, down"),
        ('{"pin": "a", "down": 1}', "true or false"),
        ('{"fault": "battery", "on": true}', "known are"),
    ],
)
def test_a_line_it_cannot_use_is_answered(visitor, line, says):
    hear(visitor)
    visitor.write(line + "\n")
    visitor.flush()
    assert says in hear(visitor)["error"]


def test_closing_takes_the_socket_away(kit, visitor, tmp_path):
    hear(visitor)
    kit.panel.close()
    assert not (tmp_path / "unit.sock").exists()
    assert visitor.readline() == ""
