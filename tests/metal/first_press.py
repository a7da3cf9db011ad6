"""One evening's presses on real GPIO lines: a real hub, a real table unit, gpiozero and lgpio on the kernel's gpio-sim.

Run as root on a Linux with a gpio-sim chip labelled like a Pi's; README.md beside this file says how to get one.
With --load N so many busy processes run beside it, from when the unit asks for a press until the result is SAVED.
Prints what the unit's screen says and how long the confirming press took; stops with an error if the result was not
SAVED, or if the journal does not hold exactly the two reports.
"""

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from gpio_lines import Lines, TooSlow, pretend_a_pi

from roundtap.demo.demo import make_event
from roundtap.kit.virtual_kit import start_roundtap
from roundtap_devices.boards import RECOMMENDED
from roundtap_hub.store.journal import Journal

PORT = 8080
FINGER_S = 0.06
READ_S = 1.0
WAIT_S = 300.0
NICE = -10
"""As systemd/roundtap-table.service runs a unit."""


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
            print(f"{now:10.3f} s  {line.rstrip()}", flush=True)
            with self._new:
                self.said.append((now, line))
                self._new.notify_all()

    def wait_for(self, word: str) -> float:
        """Wait until the screen says `word`; the second since when it does."""
        with self._new:
            if not self._new.wait_for(lambda: self.said and word in self.said[-1][1], WAIT_S):
                raise AssertionError(f"waited for {word!r}; the screen said {[text for _, text in self.said[-3:]]}")
            return self.said[-1][0]


def wait_until(true: Callable[[], bool], what: str) -> None:
    give_up = time.monotonic() + WAIT_S
    while not true():
        if time.monotonic() > give_up:
            raise AssertionError(f"waited for {what}")
        time.sleep(0.05)


def prepare(folder: Path, i2c_port: int) -> None:
    """A hub with an event whose first round is published, and the unit of its table 1."""
    key = secrets.token_hex(32)
    (folder / "hub").mkdir()
    (folder / "hub/keys.json").write_text(json.dumps({"table-1": key}))
    make_event(folder / "hub/roundtap.db", players=4, tables=1, rulebook="xwing-standard", event_id="e1")
    (folder / "board.toml").write_text(f'like = "{RECOMMENDED.name}"\n[screen]\ni2c_port = {i2c_port}\n')
    (folder / "table.toml").write_text(
        "\n".join(
            [
                'unit = "table-1"',
                f'key = "{key}"',
                f'hub = "http://127.0.0.1:{PORT}"',
                f'folder = "{folder / "unit"}"',
                f'board = "{folder / "board.toml"}"',
            ]
        )
    )


def hub_answers() -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/time", timeout=5):
            return True
    except OSError:
        return False


def play(lines: Lines, screen: Screen) -> tuple[float, float]:
    """Two seats, 100:0, agreed: seconds to SAVED from the first touch of the confirming press, and from its end."""
    pins = RECOMMENDED.pins

    def tap(pin: int) -> tuple[float, float]:
        touched = lines.press(pin)
        time.sleep(FINGER_S)
        let_go = lines.release(pin)
        # Read afterwards: this process may have had to wait before the pin moved.
        if (took_s := time.monotonic() - touched) > FINGER_S + 0.2:
            raise TooSlow(f"a press of {FINGER_S} s took {took_s:.2f} s")
        time.sleep(FINGER_S)
        return touched, let_go

    screen.wait_for("press")
    tap(pins.a)
    tap(pins.b)
    tap(pins.a)
    tap(pins.a)
    screen.wait_for("yes")
    # A press this soon after the other player's is no answer to a question (TOGETHER_MS, UNREAD_MS).
    time.sleep(READ_S)
    touched, let_go = tap(pins.b)
    saved = screen.wait_for("SAVED")
    return saved - touched, saved - let_go


def evening(folder: Path, lines: Lines, i2c_port: int, load: int) -> tuple[float, float]:
    """Start both processes, play, stop them, and look into the journal."""
    prepare(folder, i2c_port)
    started = time.monotonic()
    hub = start_roundtap("hub", "--data", str(folder / "hub"), "--port", str(PORT))
    unit: subprocess.Popen[str] | None = None
    busy: list[subprocess.Popen[bytes]] = []
    try:
        wait_until(hub_answers, "the hub")
        print(f"the hub answered after {time.monotonic() - started:.1f} s", flush=True)
        started = time.monotonic()
        unit = start_roundtap("table", str(folder / "table.toml"), "--say", stdout=subprocess.PIPE, text=True)
        os.setpriority(os.PRIO_PROCESS, unit.pid, NICE)
        screen = Screen(unit)
        print(f"the unit asked for a press after {screen.wait_for('press') - started:.1f} s", flush=True)
        for key, pin in RECOMMENDED.pins.keys().items():
            assert lines.high(pin), f"pin {pin} ({key}) is not pulled up"
        busy += [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(load)]
        took = play(lines, screen)
    finally:
        for process in busy:
            process.kill()
        for process in (unit, hub):
            if process is not None:
                process.terminate()
        codes = [process.wait(timeout=60) for process in (unit, hub) if process is not None]
    assert codes == [0, 0], f"exit codes of unit and hub: {codes}"
    entries = Journal(f"sqlite:///{folder / 'hub/roundtap.db'}").streams()["e1"]
    fates = [(entry.data["side"], entry.data["fate"]) for entry in entries if entry.kind == "report"]
    assert fates == [("a", "accepted"), ("b", "accepted")], f"the journal holds {fates}"
    return took


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--lines",
        type=Path,
        default=os.environ.get("GPIO_SIM_DIR"),
        metavar="FOLDER",
        help="the chip's folder under /sys/devices/platform (default: $GPIO_SIM_DIR)",
    )
    parser.add_argument("--i2c-port", type=int, default=0, help="the bus the screen is asked for on")
    parser.add_argument("--times", type=int, default=1, help="how many evenings, each with fresh processes")
    parser.add_argument("--load", type=int, default=0, metavar="N", help="so many busy processes beside it")
    args = parser.parse_args()
    if args.lines is None:
        parser.error("--lines is missing")
    # The finger is not to wait for the unit that it presses; the processes started below go back to the usual way.
    os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(10))
    # A kernel just booted has not even its own address.
    subprocess.run(["ip", "link", "set", "lo", "up"], check=False)
    folder = Path(tempfile.mkdtemp(prefix="first-press-", dir=Path.cwd()))
    pretend_a_pi(folder)
    lines, played = Lines(args.lines), 0
    for number in range(1, 4 * args.times + 1):
        one = folder / f"evening-{number}"
        one.mkdir()
        try:
            touched_s, let_go_s = evening(one, lines, args.i2c_port, args.load)
        except TooSlow as slow:
            print(f"once more: {slow}", flush=True)
            continue
        print(
            f"SAVED {touched_s * 1000:.0f} ms after the confirming button was touched, "
            f"{let_go_s * 1000:.0f} ms after it was let go",
            flush=True,
        )
        played += 1
        if played == args.times:
            return 0
    print("this machine is too slow to play a button", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
