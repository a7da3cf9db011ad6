"""No command leaves a process behind, however it ends: asked to, interrupted, or killed without a word."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kit import WAIT_S, Kit, free_port, wait_until

ROOT = Path(__file__).parents[2]
ROUNDTAP = (sys.executable, "-m", "roundtap.main")
BENCH = (sys.executable, str(ROOT / "tests/benchmarks/run_all.py"))
MARK = "ROUNDTAP_STARTED_BY"
LOOK_S = 0.1
"""Between two looks at all processes of this machine."""

PAGES_ONLY = """
import sys
from gallery import __main__ as command

command._screens = command._paper = lambda *_: 0
sys.exit(command.main())
"""
"""The gallery without its two thousand screens, which nobody waits for here."""

TOLD_WHILE_CLEARING = """
class Cleared:
    def __del__(self):
        os.kill(os.getpid(), signal.{ending})
        time.sleep(0.01)

try:
    Cleared()
    time.sleep(30)
finally:
    print("cleaned up")
"""
TOLD_WHILE_IMPORTING = """
try:
    exec("os.kill(os.getpid(), signal.{ending}); time.sleep(30)")
finally:
    print("cleaned up")
"""


def endings(*long: signal.Signals) -> pytest.MarkDecorator:
    """However it ends; `long`: what others of the same kind hold in short."""
    return pytest.mark.parametrize(
        "ending",
        [
            pytest.param(each, marks=[pytest.mark.long] if each in long else [], id=each.name)
            for each in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
        ],
    )


class Started:
    """One command and all that it starts, known by a mark that every process inherits."""

    def __init__(self, folder: Path, *command: str, **environment: str) -> None:
        self.mark = os.urandom(8).hex()  # not by a test's chance, which another suite on this machine has, too
        self.folder = folder
        self.process = subprocess.Popen(
            command,
            env={**os.environ, MARK: self.mark, "TMPDIR": str(folder), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def others(self) -> list[int]:
        """The processes that it started, and those that they started."""
        wanted = f"{MARK}={self.mark}".encode()
        found = []
        for folder in Path("/proc").iterdir():
            with suppress(OSError):
                # A process that has ended, and is only not yet asked for its exit code, has no environment.
                if folder.name.isdigit() and wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
        return [pid for pid in found if pid != self.process.pid]

    def wait_for(self, many: int) -> None:
        wait_until(
            lambda: self.process.poll() is None and len(self.others()) >= many, f"{many} processes", every_s=LOOK_S
        )

    def wait_for_program(self, *command: str) -> None:
        """One of the others runs it, whatever it was a moment before."""
        words = b"".join(word.encode() + b"\0" for word in command)

        def runs(pid: int) -> bool:
            with suppress(OSError):
                return Path(f"/proc/{pid}/cmdline").read_bytes() == words
            return False

        wait_until(lambda: any(runs(pid) for pid in self.others()), " ".join(command), every_s=LOOK_S)

    def ends(self, ending: signal.Signals) -> int:
        """End the command itself, and nobody else; its exit code. An AssertionError where anybody stays."""
        self.process.send_signal(ending)
        code = self.process.wait(WAIT_S)
        wait_until(lambda: not self.others(), "the others to end", every_s=LOOK_S)
        return code

    def sweep(self) -> None:
        for pid in [self.process.pid, *self.others()]:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Started]]:
    """Whatever a test puts here is swept away after it."""
    kept: list[Started] = []
    yield kept
    for each in kept:
        each.sweep()


def demo(folder: Path) -> Started:
    return Started(folder, *ROUNDTAP, "demo", "--port", str(free_port()), "--tables", "1", "--players", "4")


@pytest.mark.parametrize(
    ("many", "ending"),
    [
        pytest.param(
            many,
            ending,
            id=f"{what}-{ending.name}",
            marks=() if (many, ending) in ((1, signal.SIGTERM), (3, signal.SIGINT)) else pytest.mark.long,
        )
        for many, what in ((1, "while the hub starts"), (3, "hub, table and station"))
        for ending in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
    ],
)
def test_a_demo(tmp_path: Path, started: list[Started], ending: signal.Signals, many: int) -> None:
    started.append(demo(tmp_path))
    started[0].wait_for(many)
    code = started[0].ends(ending)
    assert code == (-9 if ending == signal.SIGKILL else 0)
    if ending != signal.SIGKILL:
        assert list(tmp_path.iterdir()) == [], "its folder, with keys in it, is left"


@pytest.mark.long
@endings()
def test_a_benchmark(tmp_path: Path, started: list[Started], ending: signal.Signals) -> None:
    started.append(Started(tmp_path, *BENCH, "--tables", "1"))
    started[0].wait_for(2)
    started[0].ends(ending)


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv (util-linux)")
@endings(signal.SIGTERM, signal.SIGINT)
def test_a_gallery_whose_browser_hangs(tmp_path: Path, started: list[Started], ending: signal.Signals) -> None:
    browser, out = tmp_path / "bin" / "chromium", tmp_path / "out"
    browser.parent.mkdir()
    browser.write_text("#!/bin/sh\nexec sleep 600\n")
    browser.chmod(0o755)
    started.append(
        Started(
            tmp_path,
            sys.executable,
            "-c",
            PAGES_ONLY,
            str(out),
            "--language",
            "en",
            PYTHONPATH=f"{ROOT}/tests:{ROOT}/tests/core:{ROOT}/tests/hub:{ROOT}/tests/kit",
            PATH=f"{browser.parent}:{os.environ['PATH']}",
        )
    )
    started[0].wait_for_program("sleep", "600")
    started[0].ends(ending)


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace")
def test_a_hub_on_a_slow_disk_ends_with_its_kit(kit: Kit) -> None:
    """strace does not pass on what it is told: asked to end, it ended neither itself nor the hub."""
    sys.path.insert(0, str(ROOT / "tests/benchmarks"))
    from rig.slow_disk import STRACE

    kit.start_hub(wrapper=STRACE)
    hub = kit.hub.pid
    assert b"roundtap.main" in Path(f"/proc/{hub}/cmdline").read_bytes(), "the kit knows strace, not the hub"
    kit.stop()
    assert not Path(f"/proc/{hub}").exists()
    assert kit.hub.returncode == 0


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT], ids=lambda each: each.name)
@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(TOLD_WHILE_CLEARING, id="while Python clears something away, where it is raised to nobody"),
        pytest.param(TOLD_WHILE_IMPORTING, id="in an exec, as of dataclasses while they are imported"),
    ],
)
def test_a_command_told_to_end_at_a_bad_moment_cleans_up_and_says_its_code(moment: str, ending: signal.Signals) -> None:
    script = (
        "import os, signal, time\nfrom roundtap.kit.virtual_kit import exit_on_signals\n"
        f"exit_on_signals(code=7)\n{moment.format(ending=ending.name)}"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=WAIT_S)
    assert (told.stdout, told.returncode) == ("cleaned up\n", 7)
