"""A share of one core: control groups of either version, or systemd-run; or why there is none to be had."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PERIOD_US = 100_000
"""As long as systemd's CPUQuota has it: within each tenth of a second the hub runs for its share, then stands still."""
V1, V2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")


class NoQuota(Exception):
    """Nobody lets this process hold another one to a share; says why."""


@contextmanager
def quota(share: float | None) -> Iterator[tuple[str, ...]]:
    """The words that start a command held to `share` of one core; () for None. Raises NoQuota."""
    if share is None:
        yield ()
        return
    try:
        group = _group(share)
    except OSError as error:
        if not _systemd_may():
            raise NoQuota(f"no control group may be made here ({error.strerror}), and systemd-run is refused") from None
        yield ("systemd-run", "--quiet", "--scope", "--collect", "-p", f"CPUQuota={share:.0%}", "-p", "CPUWeight=10000")
        return
    try:
        yield ("sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs"))
    finally:
        with suppress(OSError):
            group.rmdir()


def throttled(pid: int) -> str:
    """How often a process's group was made to stand still, in words; empty where it is in none of ours."""
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, kinds, path = line.split(":", 2)
        root = V1 if "cpu" in kinds.split(",") else V2 if not kinds else None
        if root is None or "roundtap-bench" not in path:
            continue
        said = dict(each.split() for each in (root / path.lstrip("/") / "cpu.stat").read_text().splitlines())
        return f"stood still in {said['nr_throttled']} of {said['nr_periods']} tenths of a second"
    return ""


def _group(share: float) -> Path:
    """A new control group with the quota set; OSError where that is not allowed. Its weight is the greatest: the hub
    has its share whatever else runs on this machine, and no more."""
    name, held_us = f"roundtap-bench-{os.getpid()}", int(share * PERIOD_US)
    if (V1 / "cpu.cfs_quota_us").exists():
        files = {"cpu.cfs_period_us": str(PERIOD_US), "cpu.cfs_quota_us": str(held_us), "cpu.shares": "262144"}
        group = V1 / name
    else:
        files = {"cpu.max": f"{held_us} {PERIOD_US}", "cpu.weight": "10000"}
        group = V2 / name
    group.mkdir(exist_ok=True)
    try:
        # A folder that no control groups are mounted on takes every file, and holds nobody to anything.
        os.stat(group / "cgroup.procs")
        for file, value in files.items():
            (group / file).write_text(value)
    except OSError:
        with suppress(OSError):
            group.rmdir()
        raise
    return group


def _systemd_may() -> bool:
    if shutil.which("systemd-run") is None:
        return False
    tried = subprocess.run(
        ["systemd-run", "--quiet", "--scope", "--collect", "-p", "CPUQuota=50%", "true"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=10,
        check=False,
    )
    return tried.returncode == 0
