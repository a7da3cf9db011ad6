"""A standby's key, turned at the front panel of its own machine: only once it has held everything, by nobody else."""

import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from roundtap_core.messages import StandbyState
from roundtap_hub.app.standby.main import SOCKET, PanelDoor
from roundtap_units.panel.main import FrontPanelLink
from roundtap_units.panel.panel_dialogue import TURN, ActionOutcome, PanelAction

STATE = {"state": "following", "hub": "http://10.42.0.1:8080", "level": True}


class Standby:
    """A standby's main loop: it looks for a question, again and again, and beats the watchdog between two looks."""

    def __init__(self, folder: Path) -> None:
        self.level, self.turned, self.looks = True, 0, 0
        self.door = PanelDoor(folder)

    def look(self) -> None:
        self.turned += self.door.is_key_turned({**STATE, "level": self.level})
        self.looks += 1


@pytest.fixture
def standby(tmp_path: Path) -> Iterator[Standby]:
    made = Standby(tmp_path)
    yield made
    made.door.close()
    assert not (tmp_path / SOCKET).exists()


def say(folder: Path, *letters: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as asking:
        for each in letters:
            asking.sendto(each, str(folder / SOCKET))


def test_a_panel_sees_how_it_is_and_turns_its_key(standby: Standby, tmp_path: Path) -> None:
    received: list[tuple[str, object]] = []
    link = FrontPanelLink(lambda: None, lambda *told: received.append(told), "en", lambda *_: {}, tmp_path / SOCKET)
    for ask, turned in ((link.poll, 0), (lambda: link.press(PanelAction(7, TURN)), 1)):
        asking = threading.Thread(target=ask)
        asking.start()
        while asking.is_alive():
            standby.look()
        assert standby.turned == turned
    assert ("standby", StandbyState("following", "http://10.42.0.1:8080", True)) in received
    assert received[-1] == ("done", ActionOutcome(7))


def test_one_that_never_held_everything_is_not_turned(standby: Standby, tmp_path: Path) -> None:
    standby.level = False
    say(tmp_path, b"turn")
    standby.look()
    assert standby.turned == 0


@pytest.mark.parametrize(
    "letters",
    [[b""], [b"t", b"u", b"r", b"n"], [b"tur"], [b"turn" * 9], [b'{"ask": "turn"}'], [b"\xff" * 20_000]],
    ids=["nothing", "drops", "half", "more", "an older panel", "long"],
)
def test_what_drips_or_says_something_else_turns_nothing_and_costs_one_look_each(
    standby: Standby, tmp_path: Path, letters: list[bytes]
) -> None:
    say(tmp_path, *letters)
    for _ in letters:
        standby.look()
    assert (standby.turned, standby.looks) == (0, len(letters))
    say(tmp_path, b"turn")
    standby.look()
    assert standby.turned == 1, "nobody who came before stands in the way"


def test_who_asks_and_never_reads_keeps_nobody_waiting(standby: Standby, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as asking:
        asking.bind("")
        asking.setblocking(False)
        for _ in range(500):
            asking.sendto(b"state", str(tmp_path / SOCKET))
            standby.look()
    assert standby.looks == 500


def test_it_is_nobody_elses(standby: Standby, tmp_path: Path) -> None:
    assert stat.S_IMODE((tmp_path / SOCKET).stat().st_mode) & 0o007 == 0


def test_a_folder_that_is_not_there_is_no_trouble(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for folder in (tmp_path / "none", None):
        with closing(PanelDoor(folder)) as door:
            assert not door.is_key_turned(STATE)
    assert caplog.text.count("cannot be heard") == 1
