"""Fingers on real GPIO lines while the process that reads them is stopped, or the machine is loaded: nothing is lost.

Run as root on a Linux with a gpio-sim chip labelled like a Pi's, as README.md beside this file says. A reader process
has the buttons as a table unit has them (gpiozero and lgpio on the kernel's lines); this one presses, stops the reader
by SIGSTOP meanwhile, and compares the gestures that the reader tells with those that were made. Every figure is the
kernel's or this script's own; nothing is asked of the code under test but its gestures and how many edges it heard.

The kernel keeps 16 edges of a line for a reader that stands still. Three taps on a button that bounces once are 12, and
must be three taps; on one that bounces three times they are 24, and then fewer may be told, never more.
"""

import argparse
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from gpio_lines import BOUNCES, Lines, TooSlow, pretend_a_pi

from roundtap_devices.boards import RECOMMENDED
from roundtap_devices.controls import Controls
from roundtap_devices.input.gestures import Edge
from roundtap_devices.input.late_edges import EdgeReorder
from roundtap_devices.input.pin_factory import real_factory

WAIT_S = 15.0
QUIET_S, FORGET_S = 0.4, 4.0
TAP_S = 0.09
TRIES = 20
NICE = "-10"
"""As systemd/roundtap-table.service runs a unit."""


def read() -> int:
    """The reader: one line of JSON for each gesture, until its input ends."""
    edges: queue.SimpleQueue[Edge] = queue.SimpleQueue()

    def mono_ms() -> int:
        return time.monotonic_ns() // 1_000_000

    front = Controls(RECOMMENDED, lambda: real_factory("/run"), edges, mono_ms)
    if front.input_fault:
        print(front.reason, file=sys.stderr)
        return 1
    hands = EdgeReorder(front.held)
    stopping = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), stopping.set()), daemon=True).start()
    count = 0
    print(json.dumps("ready"), flush=True)
    while not stopping.is_set():
        due_ms = hands.due_ms()
        came = []
        try:
            came.append(edges.get(timeout=1.0 if due_ms is None else max(0, min(1000, due_ms - mono_ms())) / 1000))
            while True:
                came.append(edges.get_nowait())
        except queue.Empty:
            pass
        count += len(came)
        if came and os.environ.get("TELL_EDGES"):
            print(mono_ms(), [(edge.key, edge.down, edge.at_ms) for edge in came], file=sys.stderr, flush=True)
        for gesture in hands.step(mono_ms(), came):
            print(json.dumps([*gesture, mono_ms(), count]), flush=True)
            count = 0
    return 0


class Reader:
    """The reader process, and what it has told."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            ["nice", "-n", NICE, sys.executable, __file__, "--read"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._told: queue.SimpleQueue[object] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()
        assert self._told.get(timeout=240) == "ready"

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._told.put(json.loads(line))

    def gestures(self, wanted: int) -> tuple[list[tuple[str, str]], int]:
        """Wait for so many, and a moment more for one too many; and of how many edges they were made."""
        got: list[tuple[str, str]] = []
        heard = 0
        try:
            while len(got) <= wanted:
                kind, key, at_ms, told_ms, edges = self._told.get(timeout=WAIT_S if len(got) < wanted else QUIET_S)
                print(f"    {kind} {key}, told {told_ms - at_ms} ms after it was made ({edges} edges)", flush=True)
                got.append((kind, key))
                heard += edges
        except queue.Empty:
            pass
        return got, heard

    def forget(self) -> None:
        """Whatever a press that failed is still good for."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._told.get(timeout=FORGET_S)

    def stop(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=30)


class Fingers:
    """Presses by the names of the keys, bouncing as cheap buttons do; raises TooSlow where this machine was held up."""

    def __init__(self, lines: Lines, bounces: int = BOUNCES) -> None:
        self._lines, self._bounces = lines, bounces

    def tap(self, key: str) -> None:
        self.hold(key, TAP_S)
        time.sleep(TAP_S)

    def hold(self, key: str, seconds: float) -> None:
        pin = RECOMMENDED.pins.keys()[key]
        touched = self._lines.press(pin, self._bounces)
        time.sleep(seconds)
        self._lines.release(pin)
        # Read afterwards: this process may have had to wait before the pin moved.
        took = time.monotonic() - touched
        if took > seconds + 0.2:
            raise TooSlow(f"a press of {seconds} s took {took:.2f} s")

    def chord(self, keys: tuple[str, str], seconds: float) -> None:
        pins = [RECOMMENDED.pins.keys()[key] for key in keys]
        try:
            for pin in pins:
                self._lines.press(pin, self._bounces)
            time.sleep(seconds)
        finally:
            for pin in pins:
                self._lines.release(pin)


def three_taps(fingers: Fingers) -> None:
    for _ in range(3):
        fingers.tap("a")


def hold(fingers: Fingers) -> None:
    fingers.hold("b", 0.8)


def chord(fingers: Fingers) -> None:
    fingers.chord(("up", "down"), 1.8)


def one_after_the_other(fingers: Fingers) -> None:
    fingers.tap("a")
    time.sleep(2.4)  # lgpio compares stamps in 32 bits: further apart than 2.1 s it hands them on in a wrong order
    fingers.tap("b")


PLAYED: dict[str, tuple[Callable[[Fingers], None], list[tuple[str, str]]]] = {
    "three taps of 90 ms": (three_taps, [("tap", "a")] * 3),
    "a hold": (hold, [("hold", "b")]),
    "a chord": (chord, [("call", "call")]),
    "one button, then the other": (one_after_the_other, [("tap", "a"), ("tap", "b")]),
}


def begun_before(reader: Reader, lines: Lines) -> None:
    """A press that begins while all is well and ends while the reader is stopped is a tap, and no hold."""
    pin = RECOMMENDED.pins.keys()["a"]
    touched = lines.press(pin)
    time.sleep(0.04)
    reader.stop()
    try:
        time.sleep(TAP_S)
        lines.release(pin)
        took = time.monotonic() - touched
        time.sleep(1.0)
    finally:
        reader.go_on()
    if took > 0.5:
        raise TooSlow(f"the press took {took:.2f} s")


def told(what: str, got: list[tuple[str, str]], wanted: list[tuple[str, str]], fewer: bool) -> None:
    """fewer: what was told may lack some of what was wanted."""
    print(f"  {what}: {len(got)} of {len(wanted)}", flush=True)
    rest = iter(wanted)
    if got != wanted and not (fewer and got and all(each in rest for each in got)):
        raise AssertionError(f"{what}: wanted {wanted}, got {got}")


def stopped(reader: Reader, made: Callable[[], None]) -> None:
    reader.stop()
    try:
        made()
        time.sleep(0.3)
    finally:
        reader.go_on()


def play(reader: Reader, lines: Lines) -> None:
    """Everything once, with the reader stopped; then twenty taps while it runs."""
    fingers, bouncing = Fingers(lines, 1), Fingers(lines)
    for what, (made, wanted) in PLAYED.items():
        attempt(reader, lines, f"{what}, stopped", lambda made=made: stopped(reader, lambda: made(fingers)), wanted)
    attempt(
        reader,
        lines,
        "three taps of more edges than the kernel keeps, stopped",
        lambda: stopped(reader, lambda: three_taps(bouncing)),
        [("tap", "a")] * 3,
        fewer=True,
    )
    attempt(reader, lines, "a press that ends while stopped", lambda: begun_before(reader, lines), [("tap", "a")])
    for number in range(4):
        attempt(
            reader,
            lines,
            f"five taps, running ({number + 1})",
            lambda: [bouncing.tap("up") for _ in range(5)],
            [("tap", "up")] * 5,
        )


def attempt(
    reader: Reader,
    lines: Lines,
    what: str,
    made: Callable[[], object],
    wanted: list[tuple[str, str]],
    fewer: bool = False,
) -> None:
    """Once in a way that a finger could have done it; where this machine was held up, once more.

    fewer: the kernel has no room for all of its edges.
    """
    for _ in range(TRIES):
        edges_before = lines.edges
        try:
            made()
        except TooSlow as slow:
            print(f"  once more: {slow}", flush=True)
            reader.forget()
            continue
        got, heard = reader.gestures(len(wanted))
        lost = lines.edges - edges_before - heard
        if got != wanted and lost > 0 and not fewer:
            # Whoever was kept from reading for longer than the kernel keeps edges proves nothing but this.
            told(what, got, wanted, fewer=True)
            print(f"  once more: of {lines.edges - edges_before} edges {lost} never arrived", flush=True)
            reader.forget()
            continue
        told(what, got, wanted, fewer)
        return
    raise TooSlow("this machine is too slow to play a button")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--lines",
        type=Path,
        default=os.environ.get("GPIO_SIM_DIR"),
        metavar="FOLDER",
        help="the chip's folder under /sys/devices/platform (default: $GPIO_SIM_DIR)",
    )
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--load", type=int, default=0, metavar="N", help="so many busy processes beside it")
    parser.add_argument("--read", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.read:
        return read()
    if args.lines is None:
        parser.error("--lines is missing")
    # The finger is not to wait for the process that it presses; who is started below goes back to the usual way.
    os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(10))
    pretend_a_pi(Path(tempfile.mkdtemp(prefix="stalled-taps-", dir="/run")))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(args.load)]
    reader, lines, played = Reader(), Lines(args.lines), 0
    try:
        while played < args.times:
            play(reader, lines)
            played += 1
            print(f"{played} of {args.times}", flush=True)
        return 0
    finally:
        reader.end()
        for process in busy:
            process.kill()


if __name__ == "__main__":
    sys.exit(main())
