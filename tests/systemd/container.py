"""A Debian root booted with its own systemd, and what is done in it from outside. Needs root and systemd-nspawn."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

PROPAGATE = Path("/run/systemd/nspawn")
NAMESPACES = ("-m", "-u", "-i", "-n", "-p", "-C")


class Container:
    """Boots on entering, is ended on leaving. Its network is its own and empty."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._nspawn: subprocess.Popen[bytes] | None = None
        self._init = 0

    def __enter__(self) -> Container:
        PROPAGATE.mkdir(parents=True, exist_ok=True)
        if not os.path.ismount(PROPAGATE):
            # nspawn refuses to clean its folder where /run is on the disk's file system.
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(PROPAGATE)], check=True)
        self._nspawn = subprocess.Popen(
            [
                "systemd-nspawn",
                "-q",
                "--register=no",
                "--keep-unit",
                "--private-network",
                "--console=pipe",
                "-D",
                str(self._root),
                "-b",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
        )
        until(self._answers, 90, "its systemd answers")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._nspawn is not None
        # Its init takes this for an order to power off.
        os.kill(self._init, signal.SIGRTMIN + 4)
        try:
            self._nspawn.wait(30)
        except subprocess.TimeoutExpired:
            self._nspawn.kill()
            self._nspawn.wait()

    def run(self, *words: str, given: str | None = None, within_s: float = 60) -> str:
        """What a program in the container says on stdout, whatever its exit code."""
        return self.done(*words, given=given, within_s=within_s).stdout

    def done(self, *words: str, given: str | None = None, within_s: float = 60) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["nsenter", "-t", str(self._init), *NAMESPACES, "--", *words],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            input=given if given is not None else "",
            timeout=within_s,
        )

    def python(self, program: str, *words: str, within_s: float = 60) -> str:
        """What a program of Python's in the container says."""
        done = self.done("python3", "-", *words, given=program, within_s=within_s)
        return done.stdout.strip() or f"nothing: {done.stderr.strip()[-300:]}"

    def begin(self, program: str, *words: str) -> subprocess.Popen[str]:
        """A program of Python's that stays beside; ends with its stdin."""
        return subprocess.Popen(
            ["nsenter", "-t", str(self._init), *NAMESPACES, "--", "python3", "-c", program, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def write(self, path: str, text: str, mode: str = "644") -> None:
        self.run("mkdir", "-p", str(Path(path).parent))
        self.run("tee", path, given=text)
        self.run("chmod", mode, path)

    def journal(self, unit: str) -> str:
        """What a service has said since its machine started."""
        return self.run("journalctl", "-b", "-u", unit, "-o", "cat", "--no-pager")

    def state(self, unit: str, name: str = "ActiveState") -> str:
        return self.run("systemctl", "show", "-p", name, "--value", unit).strip()

    def units(self) -> Sequence[str]:
        """The kit's own services that are to run."""
        listed = self.run("systemctl", "list-unit-files", "--state=enabled", "--no-legend", "roundtap-*.service")
        return [line.split()[0] for line in listed.splitlines()]

    def _answers(self) -> bool:
        children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children").read_text().split()
        # Each time: the first child is not yet the init.
        self._init = int(children[0]) if children else 0
        return bool(children) and self.run("systemctl", "is-system-running").strip() in (
            "running",
            "degraded",
            "starting",
        )


def until(true: Callable[[], object], within_s: float, what: str) -> str:
    """The first true answer, asked ten times a second; says what did not come otherwise."""
    ends_s = time.monotonic() + within_s
    while not (answer := true()):
        if time.monotonic() > ends_s:
            raise AssertionError(f"not within {within_s:g} s: {what}")
        time.sleep(0.1)
    return str(answer)
