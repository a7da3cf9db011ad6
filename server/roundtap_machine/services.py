"""The state of the kit's services and their latest log lines, from systemd's programs, each with a timeout."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SERVICES = ("hub", "standby", "table", "station", "wall", "panel")
"""Each as roundtap-NAME.service."""
ASKED_WITHIN_S = 10.0
LINES = 400

Run = Callable[[Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class SystemdService:
    """One service. `wanted`: starts at power-on; `active`: "active", "failed", "inactive", "activating"…; `restarts`:
    the number of restarts by systemd since power-on."""

    name: str
    wanted: bool
    active: str
    result: str
    restarts: int


def program_output(words: Sequence[str]) -> str:
    """A program's output; "" where it is missing, fails or does not answer."""
    try:
        done = subprocess.run(list(words), capture_output=True, timeout=ASKED_WITHIN_S, check=False,
                              stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def services(run: Run = program_output) -> list[SystemdService]:
    """The services that this machine has; none without systemd."""
    found = []
    for name in SERVICES:
        output = run(["systemctl", "show", f"roundtap-{name}.service",
                      "--property=LoadState,UnitFileState,ActiveState,Result,NRestarts"])
        known = dict(line.split("=", 1) for line in output.splitlines() if "=" in line)
        if known.get("LoadState") != "loaded":
            continue
        restarts = known.get("NRestarts", "")
        found.append(SystemdService(name,
                                    known.get("UnitFileState") in ("enabled", "enabled-runtime", "static", "generated"),
                                    known.get("ActiveState", ""), known.get("Result", ""),
                                    int(restarts) if restarts.isdigit() else 0))
    return found


def log_lines(run: Run = program_output, lines: int = LINES) -> list[str]:
    """The last log lines of all services; none where this user may not read them."""
    units = [word for name in SERVICES for word in ("-u", f"roundtap-{name}.service")]
    return run(["journalctl", "--no-pager", "-o", "short-iso", "-n", str(lines), *units]).splitlines()[-lines:]
