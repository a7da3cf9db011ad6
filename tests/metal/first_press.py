"""One evening's presses on real GPIO lines: a real hub, a real table unit, gpiozero and lgpio on the kernel's gpio-sim.

Run as root on a Linux with a gpio-sim chip labelled like a Pi's; README.md beside this file says how to get one.
Prints what the unit's screen says, and how long each press took; exit code 0 if the result was SAVED and stands once in
the journal.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from roundtap.demo_event import make_event
from roundtap_devices.boards import RECOMMENDED
from roundtap_hub.journal import Journal

PORT = 8080
ROUNDTAP = (sys.executable, "-m", "roundtap.main")
ZERO_2_W = "902120"
BOUNCES = 10
BOUNCE_S = 0.0005
FINGER_S = 0.06
WAIT_S = 120.0


class Lines:
    """The header's pins as gpio-sim shows them: what a finger does to a button, and what the unit does to a lamp."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def high(self, pin: int) -> bool:
        return (self._folder / f"sim_gpio{pin}/value").read_text().strip() == "1"

    def press(self, pin: int) -> float:
        """Pull a pin to ground as a cheap button does, bouncing; seconds when it first touched."""
        touched = time.monotonic()
        for bounce in range(BOUNCES):
            self._pull(pin, up=bool(bounce % 2))
            time.sleep(BOUNCE_S)
        self._pull(pin, up=False)
        return touched

    def release(self, pin: int) -> float:
        """Let go; seconds when it was let go."""
        let_go = time.monotonic()
        self._pull(pin, up=True)
        return let_go

    def _pull(self, pin: int, up: bool) -> None:
        (self._folder / f"sim_gpio{pin}/pull").write_text("pull-up" if up else "pull-down")


class Screen:
    """What a unit started with --say says, each text with the second it came."""

    def __init__(self, unit: subprocess.Popen[str]) -> None:
        self.said: list[tuple[float, str]] = []
        self._new = threading.Condition()
        threading.Thread(target=self._read, args=(unit,), daemon=True).start()

    def _read(self, unit: subprocess.Popen[str]) -> None:
        assert unit.stdout is not None
        for line in unit.stdout:
            now = time.monotonic()
            print(f"  {now:8.3f}  {line.rstrip()}", flush=True)
            with self._new:
                self.said.append((now, line))
                self._new.notify_all()

    def wait_for(self, word: str, since: float) -> float:
        """The second when the screen first said `word` after `since`, or was saying it then."""
        give_up = time.monotonic() + WAIT_S
        with self._new:
            while True:
                for at, text in reversed(self.said):
                    if at < since:
                        if word in text:
                            return at
                        break
                for at, text in self.said:
                    if at >= since and word in text:
                        return at
                left = give_up - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"waited for {word!r}; the screen said {[t for _, t in self.said[-3:]]}")
                self._new.wait(left)


def wait_until(true: Callable[[], bool], what: str) -> None:
    give_up = time.monotonic() + WAIT_S
    while not true():
        if time.monotonic() > give_up:
            raise AssertionError(f"waited for {what}")
        time.sleep(0.05)


def pretend_a_pi(folder: Path) -> None:
    """gpiozero wants a Pi's revision, and this kernel has none: a /proc/cpuinfo that names a Zero 2 W."""
    if "Revision" in Path("/proc/cpuinfo").read_text():
        return
    (folder / "cpuinfo").write_text(f"Hardware\t: BCM2835\nRevision\t: {ZERO_2_W}\n")
    subprocess.run(["mount", "--bind", str(folder / "cpuinfo"), "/proc/cpuinfo"], check=True)


def prepare(folder: Path, i2c_port: int) -> None:
    """A hub with an event whose first round is published, and the unit of its table 1."""
    key = secrets.token_hex(32)
    (folder / "hub").mkdir()
    (folder / "hub/keys.json").write_text(json.dumps({"table-1": key}))
    make_event(folder / "hub/roundtap.db", players=4, tables=1)
    (folder / "board.toml").write_text(f'like = "{RECOMMENDED.name}"\n[screen]\ni2c_port = {i2c_port}\n')
    (folder / "table.toml").write_text("\n".join([
        'unit = "table-1"', f'key = "{key}"', f'hub = "http://127.0.0.1:{PORT}"', f'folder = "{folder / "unit"}"',
        f'board = "{folder / "board.toml"}"',
    ]))


def hub_answers() -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/time", timeout=5):
            return True
    except OSError:
        return False


def play(lines: Lines, screen: Screen, times: int) -> list[tuple[float, float]]:
    """Seats, a result, and then the same table corrects itself; per result (from touched, from let go) to SAVED."""
    pins = RECOMMENDED.pins

    def tap(pin: int) -> tuple[float, float]:
        touched = lines.press(pin)
        time.sleep(FINGER_S)
        let_go = lines.release(pin)
        time.sleep(FINGER_S)
        return touched, let_go

    screen.wait_for("press", 0)
    tap(pins.a)
    _, seated = tap(pins.b)
    took = []
    for number in range(times):
        since = seated if number == 0 else time.monotonic()
        time.sleep(1)
        tap(pins.a)
        if number:
            screen.wait_for("?", since)
        tap(pins.a)
        screen.wait_for("yes", since)
        touched, let_go = tap(pins.b)
        saved = screen.wait_for("SAVED", touched)
        took.append((saved - touched, saved - let_go))
    return took


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=Path, default=os.environ.get("GPIO_SIM_DIR"),
                        help="the chip's folder under /sys/devices/platform (default: $GPIO_SIM_DIR)")
    parser.add_argument("--i2c-port", type=int, default=0, help="the bus the screen is asked for on")
    args = parser.parse_args()
    if args.lines is None:
        parser.error("--lines is missing")
    lines = Lines(Path(args.lines))
    subprocess.run(["ip", "link", "set", "lo", "up"], check=False)
    folder = Path(tempfile.mkdtemp(prefix="first-press-", dir=Path.cwd()))
    pretend_a_pi(folder)
    prepare(folder, args.i2c_port)

    started = time.monotonic()
    hub = subprocess.Popen([*ROUNDTAP, "hub", "--data", str(folder / "hub"), "--port", str(PORT)])
    wait_until(hub_answers, "the hub")
    print(f"hub up in {time.monotonic() - started:.1f} s", flush=True)
    started = time.monotonic()
    unit = subprocess.Popen([*ROUNDTAP, "table", str(folder / "table.toml"), "--say"],
                            stdout=subprocess.PIPE, text=True)
    screen = Screen(unit)
    try:
        at = screen.wait_for("press", 0)
        print(f"unit asks for a press after {at - started:.1f} s", flush=True)
        idle = [lines.high(pin) for pin in RECOMMENDED.pins.keys().values()]
        print(f"buttons pulled up by the unit itself: {idle}", flush=True)
        took = play(lines, screen, times=1)
    finally:
        for process in (unit, hub):
            process.terminate()
            process.wait(timeout=30)
    print("from the first touch of the confirming press to SAVED:", *(f"{a * 1000:.0f} ms" for a, _ in took))
    print("from letting it go to SAVED:", *(f"{b * 1000:.0f} ms" for _, b in took))
    reports = [e for e in Journal(f"sqlite:///{folder / 'hub/roundtap.db'}").streams()["e1"] if e.kind == "report"]
    fates = [(entry.data["side"], entry.data["fate"]) for entry in reports]
    print(f"journal: {fates}; exit codes: unit {unit.returncode}, hub {hub.returncode}")
    print(f"median {statistics.median(b for _, b in took) * 1000:.0f} ms")
    return 0 if all(idle) and fates == [("a", "accepted"), ("b", "accepted")] else 1


if __name__ == "__main__":
    sys.exit(main())
