"""`roundtap doctor` on each role in a container with its own systemd, the role's service broken in five ways: each has
to be named with the service's own error, ends with 1, and is gone once it is mended. Prints a line a fault; exit code 1
if one was not named.

    python tests/systemd/doctor_container.py ROOT [ROLE …]

ROOT: a Debian root with systemd, dbus and Roundtap installed, as for `run_container.py`; it is changed: give it a copy.
As root, with systemd-container.
"""

import json
import re
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from container import Container, until

SERVICES = {"hub": "hub", "table": "table", "printer": "station", "wall": "wall", "standby": "standby"}
KEY = "7f3a" * 16
UNIT = f'hub = "http://192.0.2.1:8080"\nunit = "table-1"\nkey = "{KEY}"\n'
ETC = "/etc/roundtap"
PROGRAM = "/opt/roundtap/bin/roundtap"
NAMED_WITHIN_S = 60
KILLS = 7

MOVE = "cd /usr/bin; for each in cage chromium; do [ ! -e $each{0} ] || mv $each{0} $each{1}; done"


@dataclass(frozen=True)
class Fault:
    """`files`: what is written before the service starts, by path; `spoil`, `mend`: shell lines; `named`: what doctor
    has to say of it; `killed`: the service is killed again and again."""

    what: str
    named: str
    files: Mapping[str, str] = field(default_factory=dict)
    spoil: str = ""
    mend: str = ""
    killed: bool = False


def config_faults(name: str, wrong: Fault, missing: Fault, gone: Fault) -> tuple[Fault, ...]:
    """The five faults of a service with a TOML file in /etc/roundtap."""
    file = f"{ETC}/{name}.toml"
    return (
        wrong,
        missing,
        gone,
        Fault(
            "permission denied", f"{file}.*Permission denied", {file: UNIT}, f"chmod 600 {file}", f"chmod 644 {file}"
        ),
        KILLED,
    )


KILLED = Fault("killed again and again", "killed, status=9/KILL", killed=True)
FAULTS: dict[str, tuple[Fault, ...]] = {
    "hub": (
        Fault("wrong value", "language.*'xx'", {f"{ETC}/hub.env": 'ROUNDTAP_HUB="--language xx"\n'}),
        Fault(
            "missing file",
            "roundtap.db",
            spoil="rm /var/lib/roundtap/roundtap.db*",
            mend="rm -r /var/lib/roundtap/roundtap.head",
        ),
        Fault(
            "port taken",
            "cannot listen on 0.0.0.0:8080: Address already in use",
            spoil="systemd-run --quiet --unit=taker python3 -m http.server 8080",
            mend="systemctl stop taker",
        ),
        Fault(
            "permission denied",
            "/var/lib/roundtap.*Permission denied",
            spoil="chown root: /var/lib/roundtap/pin",
            mend="chown roundtap-hub: /var/lib/roundtap/pin",
        ),
        Fault(
            "full disk",
            "/var/lib/roundtap.*(full|room|space)",
            spoil="mount -t tmpfs -o size=64k,mode=700,uid=$(id -u roundtap-hub),gid=$(id -g roundtap-hub) tmpfs "
            "/var/lib/roundtap; head -c 60k /dev/zero > /var/lib/roundtap/filler",
            mend="umount -l /var/lib/roundtap",
        ),
        KILLED,
    ),
    "table": config_faults(
        "table",
        Fault("wrong value", "bonnet", {f"{ETC}/table.toml": f'{UNIT}board = "bonnet"\n'}),
        Fault("missing file", "mine.toml", {f"{ETC}/table.toml": f'{UNIT}board = "{ETC}/mine.toml"\n'}),
        Fault("device gone", "gpio|pins|lgpio", {f"{ETC}/table.toml": UNIT}),
    ),
    "printer": config_faults(
        "station",
        Fault("wrong value", "baud.*1234", {f"{ETC}/station.toml": f"{UNIT}baud = 1234\n"}),
        Fault("missing file", "mine.toml", {f"{ETC}/station.toml": f'{UNIT}printer = "{ETC}/mine.toml"\n'}),
        Fault("device gone", "printer connected", {f"{ETC}/station.toml": f'{UNIT}device = "/dev/ttyUSB9"\n'}),
    ),
    "wall": (
        Fault("wrong value", "ftp://x", {f"{ETC}/wall.env": 'ROUNDTAP_WALL="ftp://x"\n'}),
        Fault("missing file", "no cage and no chromium", spoil=MOVE.format("", ".away"), mend=MOVE.format(".away", "")),
        Fault(
            "device gone",
            "no screen is connected",
            {"/usr/local/bin/cage": "#!/bin/sh\n", "/usr/local/bin/chromium": "#!/bin/sh\n"},
            "chmod 755 /usr/local/bin/cage /usr/local/bin/chromium",
        ),
        Fault(
            "permission denied",
            f"{PROGRAM}.*Permission denied",
            spoil=f"chmod 700 {PROGRAM}",
            mend=f"chmod 755 {PROGRAM}",
        ),
        KILLED,
    ),
    "standby": config_faults(
        "standby",
        Fault("wrong value", "standby.*hexadecimal", {f"{ETC}/standby.toml": UNIT.replace("7f3a", "zzzz")}),
        Fault("missing file", "standby.toml.*No such file"),
        Fault("hub gone", "no contact with the hub", {f"{ETC}/standby.toml": UNIT.replace("192.0.2.1", "127.0.0.9")}),
    ),
}


def doctor(box: Container) -> tuple[int, dict[str, Any], str]:
    """Its exit code, its JSON, and what it says of everything that is to do."""
    done = box.done("roundtap", "doctor", "--format", "json")
    text = box.run("env", "LANG=C.UTF-8", "roundtap", "doctor")
    return (
        done.returncode,
        json.loads(done.stdout),
        "\n".join(line for line in text.splitlines() if line.startswith("  ✗")),
    )


def named(box: Container, fault: Fault, service: str) -> str:
    """The line in which doctor names it; "" where it does not."""
    code, _, text = doctor(box)
    return next(
        (
            line
            for line in text.splitlines()
            if code == 1 and (service in line or "Printer" in line) and re.search(fault.named, line)
        ),
        "",
    )


def kill(box: Container, unit: str) -> None:
    for _ in range(KILLS):
        until(lambda: box.state(unit, "MainPID") != "0", 60, f"{unit} has a process")
        box.run("systemctl", "kill", "-s", "KILL", "--kill-whom=main", unit)
        time.sleep(1)


def run_role(box: Container, role: str) -> Iterator[tuple[bool, str]]:
    service = f"roundtap-{SERVICES[role]}"
    unit = f"{service}.service"
    box.run("roundtap", "role", role)
    if role in ("hub",):
        until(lambda: box.state(unit) == "active", 120, f"{unit} is up")
    heading = doctor(box)[1]["role"]
    yield heading == role, f"{role}: doctor's heading is {heading!r}"
    for fault in FAULTS[role]:
        box.run("systemctl", "stop", unit)
        box.run("systemctl", "reset-failed", unit)
        for path, text in fault.files.items():
            box.write(path, text)
        if fault.spoil:
            box.run("sh", "-c", fault.spoil)
        box.run("systemctl", "start", "--no-block", unit)
        if fault.killed:
            kill(box, unit)
        try:
            line = until(lambda fault=fault: named(box, fault, service), NAMED_WITHIN_S, fault.what)
        except AssertionError:
            line = ""
        yield bool(line), f"{role}, {fault.what}: {line.strip() or doctor(box)[2]}"
        box.run("systemctl", "stop", unit)
        if fault.mend:
            box.run("sh", "-c", fault.mend)
        if fault.files:
            box.run("rm", "-f", *fault.files)
    box.run("systemctl", "start", unit)


def main() -> int:
    root, roles = Path(sys.argv[1]), sys.argv[2:] or list(FAULTS)
    failed = 0
    with Container(root) as box:
        for role in roles:
            for well, line in run_role(box, role):
                failed += not well
                print(("ok      " if well else "NOT OK  ") + line, flush=True)
    print(f"{failed} were not named" if failed else "all were named")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
