"""The units of systemd: hardened, in order, and coming back whatever dies."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from patience import GUARD_S

FOLDER = Path(__file__).parents[2] / "systemd"
SERVICES = sorted(FOLDER.glob("*.service"))
LASTING = [path for path in SERVICES if "Type=oneshot" not in path.read_text() and "@" not in path.name]
ANALYZE = shutil.which("systemd-analyze")
OK = 5.0
"""Below it systemd calls a service "OK"; its scale ends at 10."""
EXPOSED = {
    "hub": 1.9,
    "standby": 1.9,
    "table": 1.9,
    "station": 1.9,
    "wall": 2.7,
    "hotspot": 2.1,
    "new-pin": 1.7,
    "first-boot": 3.9,
    "panel": 2.0,
    "steps@": 1.9,
}
"""As systemd 252 counts it (257 counts the same ones lower): what is beyond is worse than it was."""
COUNTED_BY = 252


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    if ANALYZE is None:
        pytest.skip("systemd-analyze is not on this machine (Debian: systemd)")
    return subprocess.run([ANALYZE, "--no-pager", *words], capture_output=True, text=True, check=False, timeout=GUARD_S)


def named(path: Path) -> str:
    return path.stem.removeprefix("roundtap-")


@pytest.mark.parametrize("path", SERVICES, ids=named)
def test_each_is_hardened_to_ok_and_no_worse_than_it_was(path: Path) -> None:
    said = analyze("security", "--offline=yes", str(path))
    found = re.search(r"exposure level for \S+: (\d+\.\d+)", said.stdout)
    if found is None:
        pytest.skip(f"this systemd-analyze weighs no files: {said.stderr.strip()}")
    assert float(found[1]) < OK
    version = re.search(r"systemd (\d+)", analyze("--version").stdout)
    # Each version asks for more.
    if version is not None and int(version[1]) == COUNTED_BY:
        assert float(found[1]) <= EXPOSED[named(path)], "add no right without a reason, and then write its figure here"


@pytest.mark.parametrize("path", SERVICES, ids=named)
def test_systemd_understands_every_line(path: Path, tmp_path: Path) -> None:
    # The programs are not installed here; all else is as it is. What is wrong stands on stderr, not in the exit code.
    text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    unit = tmp_path / path.name.replace("@", "@x" if "@" in path.name else "@")
    unit.write_text(text, encoding="utf-8")
    for other in (*SERVICES, *FOLDER.glob("*.socket")):
        if other != path:
            (tmp_path / other.name).write_text(
                re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", other.read_text(encoding="utf-8"), flags=re.MULTILINE)
            )
    assert analyze("verify", "--man=no", str(unit)).stderr == ""


@pytest.mark.parametrize("path", LASTING, ids=named)
def test_what_dies_is_back_within_five_seconds_however_often(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    # The PIN's ends by itself once it was used: "always" would start it again each second, as a start after an end asks
    # for no condition.
    assert f"Restart={'on-failure' if named(path) == 'new-pin' else 'always'}" in lines
    assert {"RestartSec=500ms", "RestartSec=2"} & set(lines)
    assert "StartLimitIntervalSec=0" in lines


@pytest.mark.parametrize("path", SERVICES, ids=named)
def test_no_hardware_and_no_network_keeps_a_service_from_starting(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"^(Requires|Requisite|BindsTo)=", text, re.MULTILINE)
    assert not re.search(r"^(Wants|After)=.*(network-online\.target|\.device)", text, re.MULTILINE)
    # A device that comes later would not be in the list.
    if named(path) in ("table", "station", "panel"):
        assert not re.search(r"^(DeviceAllow|PrivateDevices)=", text, re.MULTILINE)


def test_a_hub_and_a_standby_are_never_on_one_machine_at_a_time() -> None:
    # The one that stops takes the port and the folder of keys with it: the other starts only after that.
    text = (FOLDER / "roundtap-hub.service").read_text(encoding="utf-8").splitlines()
    assert "Conflicts=roundtap-standby.service" in text
    assert "After=roundtap-standby.service" in text


def test_port_80_is_the_only_right_of_the_hub_s() -> None:
    for name in ("hub", "standby"):
        text = (FOLDER / f"roundtap-{name}.service").read_text(encoding="utf-8")
        for line in (
            "CapabilityBoundingSet=CAP_NET_BIND_SERVICE",
            "AmbientCapabilities=CAP_NET_BIND_SERVICE",
            "SocketBindAllow=tcp:80",
            "SocketBindDeny=any",
        ):
            assert line in text.splitlines()
        assert "--short-port 80" in text


def test_a_machine_that_hangs_is_started_anew_by_its_hardware() -> None:
    text = (FOLDER / "roundtap-watchdog.conf").read_text(encoding="utf-8")
    found = re.search(r"^RuntimeWatchdogSec=(\d+)$", text, re.MULTILINE)
    # A Pi's hardware takes no more than 15.
    assert int(found[1]) < 15
