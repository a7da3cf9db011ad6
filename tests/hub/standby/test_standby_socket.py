"""A standby's key, turned at the front panel of its own machine: only once it has held everything, by nobody else."""

import json
import socket
import stat
import threading

import pytest

from roundtap_core.messages import StandbyState
from roundtap_core.typed import parse_message
from roundtap_hub.app.standby.main import SOCKET, PanelHandler, StandbySocket
from roundtap_units.panel.main import FrontPanelLink
from roundtap_units.panel.panel_dialogue import TURN, ActionOutcome, PanelAction


class Standby:
    def __init__(self, folder):
        self.level, self.turned = True, 0
        self.socket = StandbySocket(folder, self.state, self.turn)

    def state(self):
        return {"state": "following", "hub": "http://10.42.0.1:8080", "level": self.level}

    def turn(self):
        self.turned += 1


@pytest.fixture
def standby(tmp_path):
    made, ended = Standby(tmp_path), threading.Event()

    def look():
        while not ended.is_set():
            made.socket.handle_request()

    looking = threading.Thread(target=look)
    looking.start()
    yield made
    ended.set()
    looking.join()
    made.socket.server_close()
    assert not (tmp_path / SOCKET).exists()


def ask(folder, line):
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(10)
        asking.connect(str(folder / SOCKET))
        asking.sendall(line + b"\n")
        with asking.makefile("rb") as answers:
            return json.loads(answers.readline())


def test_a_panel_sees_how_it_is_and_turns_its_key(standby, tmp_path):
    received = []
    link = FrontPanelLink(lambda: None, lambda *told: received.append(told), "en", lambda *_: {}, tmp_path / SOCKET)
    link.poll()
    assert ("standby", parse_message(StandbyState, standby.state())) in received
    assert standby.turned == 0
    link.press(PanelAction(7, TURN))
    assert standby.turned == 1
    assert received[-1] == ("done", ActionOutcome(7))


def test_one_that_never_held_everything_is_not_turned(standby, tmp_path):
    standby.level = False
    assert ask(tmp_path, b'{"ask": "turn"}') == {"refused": "never level"}
    assert standby.turned == 0


@pytest.mark.parametrize("line", [b"", b"[]", b"5", b'{"ask": 5}', b'{"ask": ["turn"]}', b"{" * 900])
def test_what_nobody_says_turns_nothing(standby, tmp_path, line):
    assert "refused" in ask(tmp_path, line)
    assert standby.turned == 0


def test_it_is_nobody_elses(standby, tmp_path):
    assert stat.S_IMODE((tmp_path / SOCKET).stat().st_mode) & 0o007 == 0


def test_one_who_hangs_up_stops_nobody(standby, tmp_path):
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(str(tmp_path / SOCKET))
    assert ask(tmp_path, b'{"ask": "state"}')["state"] == "following"


def test_one_who_says_nothing_keeps_nobody_waiting_for_long(standby, tmp_path, monkeypatch):
    monkeypatch.setattr(PanelHandler, "timeout", 0.1)
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(str(tmp_path / SOCKET))
        assert ask(tmp_path, b'{"ask": "state"}')["state"] == "following"


def test_a_folder_that_is_not_there_is_no_trouble(tmp_path, caplog):
    made = Standby(tmp_path / "none")
    made.socket.server_close()
    assert not made.socket.is_open
    assert "cannot be heard" in caplog.text
