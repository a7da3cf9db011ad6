"""How the kit's services are, as systemd says, and what they said last: asked with its own programs, within a time."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SERVICES = ("hub", "standby", "table", "station", "wall", "panel")
"""roundtap-NAME.service each."""
ASKED_WITHIN_S = 10.0
LINES = 400

Run = Callable[[Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class SystemdService:
    """One service. `wanted`: it is to be started at power-on; `active`: "active", "failed", "inactive", "activating"…;
    `restarts`: how often systemd has started it anew since power-on."""

    name: str
    wanted: bool
    active: str
    result: str
    restarts: int


def program_output(words: Sequence[str]) -> str:
    """What a program prints; "" where it is not there, fails or does not answer."""
    try:
        done = subprocess.run(list(words), capture_output=True, timeout=ASKED_WITHIN_S, check=False,
                              stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def services(run: Run = program_output) -> list[SystemdService]:
    """Those that this machine has; none where it has no systemd."""
    found = []
    for name in SERVICES:
        said = run(["systemctl", "show", f"roundtap-{name}.service",
                    "--property=LoadState,UnitFileState,ActiveState,Result,NRestarts"])
        known = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
        if known.get("LoadState") != "loaded":
            continue
        restarts = known.get("NRestarts", "")
        found.append(SystemdService(name,
                                    known.get("UnitFileState") in ("enabled", "enabled-runtime", "static", "generated"),
                             known.get("ActiveState", ""), known.get("Result", ""),
                             int(restarts) if restarts.isdigit() else 0))
    return found


def log_lines(run: Run = program_output, lines: int = LINES) -> list[str]:
    """The last lines of all services' log; none where this user may not read it."""
    units = [word for name in SERVICES for word in ("-u", f"roundtap-{name}.service")]
    return run(["journalctl", "--no-pager", "-o", "short-iso", "-n", str(lines), *units]).splitlines()[-lines:]
