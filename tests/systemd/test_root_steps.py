"""Root's few steps: who may ask for what, by the kernel's word, and nothing beyond."""

import json
import os
import pwd
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from patience import GUARD_S
from roundtap_machine.root_steps import (
    EARLIEST_S,
    HUB,
    LATEST_S,
    PANEL,
    RootSteps,
    StepRefused,
    ask_root,
    serve_connection,
)

MOUNTS = """22 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw
41 22 8:1 / /media/my\\040stick rw,relatime shared:30 - vfat /dev/sda1 rw
42 22 8:17 / /media/other rw,relatime shared:31 - vfat /dev/sdb1 rw
43 22 8:33 / /media/.hidden-1 rw,relatime shared:32 - vfat /dev/sdc1 rw
"""


class Machine:
    """What would have been done."""

    def __init__(self, tmp_path: Path, code: int = 0) -> None:
        self.ran: list[list[str]] = []
        self.time_s: list[float] = []
        self.code = code
        (tmp_path / "mountinfo").write_text(MOUNTS)
        self.connections = tmp_path / "connections"
        self.connections.mkdir()
        self.steps = RootSteps(self.run, self.time_s.append, tmp_path / "mountinfo", self.connections)

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        self.ran.append(command)
        return subprocess.CompletedProcess(command, self.code, "", "")

    def ask(self, user: str, step: str, **said: Any) -> dict[str, Any]:
        return self.steps.answer(user, {"step": step, **said})


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_panel_powers_off(machine: Machine) -> None:
    assert machine.ask(PANEL, "power-off") == {"done": True}
    assert machine.ran == [["systemctl", "--no-ask-password", "poweroff", "--no-block"]]


@pytest.mark.parametrize(
    ("user", "step"),
    [
        (HUB, "power-off"),
        ("roundtap-table", "power-off"),
        ("", "power-off"),
        (PANEL, "eject"),
        (PANEL, "set-time"),
        ("roundtap-station", "hotspot"),
        ("root", "set-time"),
    ],
)
def test_others_do_not(machine: Machine, user: str, step: str) -> None:
    assert machine.ask(user, step, folder="/media/other", seconds=EARLIEST_S) == {"refused": "not-yours"}
    assert (machine.ran, machine.time_s) == ([], [])


@pytest.mark.parametrize("asked", [None, [], 5, {}, {"step": "rm"}, {"step": ["eject"]}, {"step": {}}])
def test_what_is_no_step_is_none(machine: Machine, asked: Any) -> None:
    assert machine.steps.answer(PANEL, asked) == {"refused": "unknown"}
    assert machine.ran == []


@pytest.mark.parametrize(
    ("folder", "unit"),
    [
        ("/media/my stick", "media-my\\x20stick.mount"),
        ("/media/my stick/roundtap", "media-my\\x20stick.mount"),
        ("/media/other", "media-other.mount"),
        ("/media/.hidden-1", "media-.hidden\\x2d1.mount"),
    ],
)
def test_a_stick_is_unmounted_by_systemd(machine: Machine, folder: str, unit: str) -> None:
    assert machine.ask(HUB, "eject", folder=folder) == {"done": True}
    assert machine.ran == [["systemctl", "--no-ask-password", "stop", "--", unit]]


@pytest.mark.parametrize(
    "folder",
    [
        "/",
        "/media",
        "/media/",
        "/media/none",
        "/media/../",
        "/media/other/../../etc",
        "/home",
        "",
        None,
        5,
        "/media/my",
        "--all",
        "/mnt/none",
    ],
)
def test_what_is_no_stick_stays(machine: Machine, folder: Any) -> None:
    assert machine.ask(HUB, "eject", folder=folder) == {"refused": "no-stick"}
    assert machine.ran == []


def test_a_stick_that_somebody_has_open_is_told(tmp_path: Path) -> None:
    machine = Machine(tmp_path, code=1)
    assert machine.ask(HUB, "eject", folder="/media/other") == {"refused": "failed"}


def test_the_clock_is_set_within_reason(machine: Machine) -> None:
    assert machine.ask(HUB, "set-time", seconds=EARLIEST_S + 5) == {"done": True}
    assert machine.time_s == [EARLIEST_S + 5]
    for seconds in (0, EARLIEST_S - 1, LATEST_S, 2**70, True, "now", None, 1.5):
        assert machine.ask(HUB, "set-time", seconds=seconds) == {"refused": "implausible"}
    assert machine.time_s == [EARLIEST_S + 5]


def test_the_hotspot_s_name_and_password(machine: Machine) -> None:
    assert machine.ask(PANEL, "hotspot") == {"refused": "no-hotspot"}
    (machine.connections / "home.nmconnection").write_text("[wifi]\nmode=infrastructure\nssid=Home\n")
    (machine.connections / "bad.nmconnection").write_text("no file of NetworkManager's")
    (machine.connections / "roundtap.nmconnection").write_text(
        "[connection]\nid=roundtap\n\n[wifi]\nmode=ap\nssid=Roundtap\n\n[wifi-security]\npsk=50% drei-Wege\n"
    )
    assert machine.ask(PANEL, "hotspot") == {"done": True, "ssid": "Roundtap", "password": "50% drei-Wege"}


def test_over_a_socket_the_kernel_says_who_asks(
    tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import roundtap_machine.root_steps as module

    me = pwd.getpwuid(os.getuid()).pw_name
    monkeypatch.setattr(module, "ALLOWED_USERS", {**module.ALLOWED_USERS, "hotspot": frozenset({me})})
    (machine.connections / "a.nmconnection").write_text("[wifi]\nmode=ap\nssid=R\n[wifi-security]\npsk=geheim123\n")
    path = tmp_path / "steps.sock"

    def serve() -> None:
        for _ in range(3):
            connection, _ = listener.accept()
            with connection:
                serve_connection(connection, machine.steps)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        assert ask_root("hotspot", path)["password"] == "geheim123"
        with pytest.raises(StepRefused, match="not-yours"):
            ask_root("power-off", path)
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(str(path))
            asking.sendall(b"nonsense\n")
            assert json.loads(asking.recv(4096)) == {"refused": "unknown"}
        thread.join(GUARD_S)
    assert "geheim" not in capfd.readouterr().err


def test_nobody_there_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        ask_root("hotspot", tmp_path / "none")


@pytest.mark.parametrize(
    ("ssid", "psk", "name", "password"),
    [
        ("87;195;188;114;102;101;108;", "plain words", "Würfel", "plain words"),
        ("Ana\\;s", "a\\\\b\\sc", "Ana;s", "a\\b c"),
        ("1234", "\\s12345678", "1234", " 12345678"),
        ("300;1;", "12345678", "300;1;", "12345678"),
    ],
)
def test_the_hotspot_is_told_as_it_was_meant_and_not_as_its_file_writes_it(
    machine: Machine, ssid: str, psk: str, name: str, password: str
) -> None:
    """NetworkManager writes names with other letters than ASCII by their bytes, and signs with a backslash before."""
    (machine.connections / "roundtap-hotspot.nmconnection").write_text(
        f"[wifi]\nmode=ap\nssid={ssid}\n[wifi-security]\npsk={psk}\n"
    )
    assert machine.ask(PANEL, "hotspot") == {"done": True, "ssid": name, "password": password}
