"""The systemd units: systemd finds nothing to say about them, they fit the programs, and the programs really answer."""

import argparse
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kit import WAIT_S, Kit
from roundtap.main import add_arguments

FOLDER = Path(__file__).parents[2] / "systemd"
ONCE_A_START = FOLDER / "roundtap-first-boot.service"
"""Runs, ends, and is root: it makes the machine what roundtap.txt says."""
EVERY = sorted(FOLDER.glob("*.service"))
STEPS = FOLDER / "roundtap-steps@.service"
"""One for each connection to its socket: a step that needs root, and it is over."""
HOTSPOT = FOLDER / "roundtap-hotspot.service"
"""Runs at each start after that, and ends: the Wi-Fi is NetworkManager's."""
NEW_PIN = FOLDER / "roundtap-new-pin.service"
"""Root's too, and the hub wants it: it shows what the first one has made."""
SERVICES = [unit for unit in EVERY if unit not in (ONCE_A_START, STEPS, HOTSPOT, NEW_PIN)]
OURS = [unit for unit in EVERY if unit.name != "roundtap-wall.service" and unit not in (STEPS, NEW_PIN)]
ROUNDTAP = "/opt/roundtap/bin/roundtap"

needs_analyze = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze (apt: systemd)")
needs_sysusers = pytest.mark.skipif(shutil.which("systemd-sysusers") is None, reason="no systemd-sysusers")


def keys(unit: Path, name: str) -> list[str]:
    """Every value of one key in a unit file."""
    return [line.partition("=")[2] for line in unit.read_text().splitlines() if line.startswith(f"{name}=")]


def complaints(unit: Path, text: str, folder: Path) -> str:
    """What systemd-analyze says about a unit. Its exit code is 0 for an unknown key: only its stderr tells.

    A program that is not installed on this machine is no fault of the unit: /bin/true takes its place.
    """
    here = folder / unit.name
    for program in (ROUNDTAP, "/opt/roundtap/bin/python", "/usr/bin/cage"):
        text = text.replace(f"={program} ", "=/bin/true ")
    here.write_text(text)
    return subprocess.run(["systemd-analyze", "verify", str(here)], capture_output=True, text=True, check=False).stderr


@needs_analyze
@pytest.mark.parametrize("unit", EVERY, ids=lambda unit: unit.name)
def test_systemd_has_nothing_to_say_about_a_unit(unit: Path, tmp_path: Path) -> None:
    assert complaints(unit, unit.read_text(), tmp_path) == ""


@needs_analyze
@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("LimitNOFILE=", "LimitNOFILES=", "Unknown key"),
        ("Type=notify", "Type=notified", "Failed to parse"),
        ("WatchdogSec=30", "WatchdogSec=half a minute", "Failed to parse"),
    ],
)
def test_a_slip_in_a_unit_would_be_said(right: str, wrong: str, says: str, tmp_path: Path) -> None:
    hub = FOLDER / "roundtap-hub.service"
    text = hub.read_text()
    assert right in text
    assert says in complaints(hub, text.replace(right, wrong), tmp_path)


@pytest.mark.parametrize("unit", OURS, ids=lambda unit: unit.name)
def test_the_program_takes_the_arguments_it_is_started_with(unit: Path) -> None:
    [start] = keys(unit, "ExecStart")
    program, command, *arguments = [word for word in shlex.split(start) if not word.startswith("$")]
    assert program == ROUNDTAP
    parser = argparse.ArgumentParser()
    add_arguments(command, parser)
    parser.parse_args(arguments)


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_a_service_comes_up_after_a_reboot_and_after_every_fall_and_needs_no_internet(unit: Path) -> None:
    assert keys(unit, "WantedBy") == ["multi-user.target"]
    assert keys(unit, "Restart") == ["always"]
    assert keys(unit, "StartLimitIntervalSec") == ["0"]
    waits_for = " ".join(keys(unit, "After") + keys(unit, "Wants") + keys(unit, "Requires"))
    assert "network-online.target" not in waits_for
    assert "time-sync.target" not in waits_for


def test_the_role_is_taken_before_any_service_of_the_kit_and_before_the_network() -> None:
    before = " ".join(keys(ONCE_A_START, "Before")).split()
    assert {unit.name for unit in SERVICES} <= set(before)
    assert {"NetworkManager.service", "avahi-daemon.service"} <= set(before)


def test_a_thousand_phones_find_room() -> None:
    [limit] = keys(FOLDER / "roundtap-hub.service", "LimitNOFILE")
    assert int(limit) >= 16384


@needs_sysusers
def test_every_service_has_its_own_user_which_sysusers_makes(tmp_path: Path) -> None:
    said = subprocess.run(
        ["systemd-sysusers", "--dry-run", f"--root={tmp_path}", str(FOLDER / "roundtap.sysusers")],
        capture_output=True,
        text=True,
        check=True,
    )
    users = [user for unit in SERVICES for user in keys(unit, "User")]
    assert len(set(users)) == len(SERVICES)
    for user in users:
        assert f"Creating user '{user}'" in said.stdout + said.stderr


class Listener:
    """systemd's end of the notification socket."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(WAIT_S)

    def hears(self) -> str:
        return self._socket.recv(256).decode()

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    """What is started from now on was started by systemd, as far as it can see."""
    with closing(Listener(tmp_path / "notify")) as listener:
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "100000")
        monkeypatch.delenv("WATCHDOG_PID", raising=False)
        yield listener


def test_a_hub_says_that_it_is_ready_and_goes_on_saying_that_it_lives(kit: Kit, systemd: Listener) -> None:
    """Until its pages are made it has longer than the watchdog's 100 ms."""
    kit.start_hub()
    assert [systemd.hears() for _ in range(2)] == ["READY=1", "WATCHDOG_USEC=600000000"]
    assert {systemd.hears() for _ in range(3)} == {"WATCHDOG_USEC=100000", "WATCHDOG=1"}


def test_a_table_does_so_too_even_without_a_hub(kit: Kit, systemd: Listener) -> None:
    kit.start_table()
    assert [systemd.hears() for _ in range(4)] == ["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"]
