"""The process of a table unit or front panel: the event queue and its loop, what the loop drives, when its screen dims,
and the real or virtual board."""

from __future__ import annotations

import argparse
import contextlib
import logging
import queue
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtap_devices.boards import Board
from roundtap_devices.display.screen import DIMMED, FULL, OFF, Screen, VirtualScreen, oled_screen
from roundtap_devices.input.gestures import CALL, Edge, Gesture
from roundtap_devices.input.late_edges import EdgeReorder
from roundtap_machine.notify import Heartbeat, StopSignal, SystemdNotifier
from roundtap_units.fault_log import FaultLog
from roundtap_units.link.hub_time import mono_ms

if TYPE_CHECKING:
    from roundtap_devices.controls import Controls
    from roundtap_devices.virtual.panels import TablePanel

log = logging.getLogger(__name__)

LONGEST_SLEEP_MS = 1000
UNHEALTHY_AFTER_MS = 10_000  # a unit that has not completed a step for this long stops its watchdog heartbeat
DIM_AFTER_MS = 5 * 60_000
OFF_AFTER_MS = 30 * 60_000
WOKEN_MS = 800
"""For this long after a press has lit the screen, a gesture is still that press, or was made before anything could be
read."""
WAITING_MAX, WAIT_S = 500, 0.01


class BoardUnit:
    """What the loop drives: call `step(now_ms, items)` with the buttons' `Edge`s and the link's (kind, value) pairs. No
    fault in it ends the unit. heard: called with the text of each new screen. Times are monotonic milliseconds."""

    def __init__(self, screen: Screen, hands: EdgeReorder, heard: Callable[[str], None]) -> None:
        self._screen, self._hands, self._heard = screen, hands, heard
        self._dimming = ScreenDimming()
        self.scene: Any = None
        self._image: Any = None
        self._now_ms = 0
        self._healthy_ms: int | None = None
        self._faults = FaultLog(logging.getLogger(type(self).__module__), lambda: self._now_ms)

    def step(self, now_ms: int, items: Iterable[object] = ()) -> None:
        raise NotImplementedError

    def is_healthy(self, now_ms: int) -> bool:
        """Whether it completed a step lately: for its watchdog."""
        return self._healthy_ms is not None and now_ms - self._healthy_ms < UNHEALTHY_AFTER_MS

    def due_ms(self, now_ms: int) -> int:
        """When `step` must be called next even if nothing comes in."""
        due = [now_ms + LONGEST_SLEEP_MS, *self._wake_times(now_ms)]
        if (hands_ms := self._hands.due_ms()) is not None:
            due.append(hands_ms)
        return max(now_ms, min(due))

    def _wake_times(self, now_ms: int) -> list[int]:
        return []

    def _edges(self, items: Iterable[object]) -> list[Edge]:
        """Handle the link's messages; return the buttons' edges."""
        edges = []
        for item in items:
            if isinstance(item, Edge):
                edges.append(item)
            elif isinstance(item, tuple):
                self._guarded(self._on_link_message, *item)
        return edges

    def _on_link_message(self, kind: str, value: Any) -> None:
        """A unit without a link ignores it."""

    def _gestures(self, now_ms: int, edges: list[Edge]) -> Iterator[tuple[Gesture, int]]:
        """Each with the time it was made, not read: the screen may have changed since. Presses that only woke the
        screen are left out."""
        if any(edge.down for edge in edges):
            self._dimming.on_press(now_ms)
        for gesture in self._hands.step(now_ms, edges):
            at_ms = min(gesture.at_ms, now_ms)
            if not self._dimming.is_wake_press(gesture, at_ms):
                yield gesture, at_ms

    def _show(self, scene: Any, draw: Callable[[Any], Any], to_be_read: bool, now_ms: int) -> None:
        if scene != self.scene:
            self._image, self.scene = draw(scene), scene
            self._heard(scene.all_text())
        if to_be_read:
            self._dimming.keep_awake(now_ms)
        self._screen.set_brightness(self._dimming.level(now_ms))
        # Every time: after a failure the screen tries a new display.
        self._screen.show(self._image, now_ms)

    def _guarded(self, action: Callable[..., None], *args: Any) -> bool:
        """Do it, or restore the state before it, whatever a strange message causes. Whether it succeeded."""
        undo = self._checkpoint()
        try:
            action(*args)
        except Exception:
            undo()
            self._faults.log_exception("a step is taken back")
            return False
        return True

    def _checkpoint(self) -> Callable[[], None]:
        """Returns a function that restores the present state, as far as necessary."""
        return lambda: None


class ScreenDimming:
    """When a screen dims and turns dark: while no round is on; a press makes it bright again. A press on a dark screen
    only wakes it, as no one could read what it answers. A judge is called all the same: two buttons held for a second
    and a half need no reading. A press on a dimmed screen counts. Times are monotonic milliseconds."""

    def __init__(self) -> None:
        self._awake_ms = 0
        self._woken_ms: int | None = None
        self._level = FULL

    def keep_awake(self, now_ms: int) -> None:
        """There is something to read: a round, a question, trouble."""
        self._awake_ms = max(self._awake_ms, now_ms)

    def on_press(self, now_ms: int) -> None:
        if self._level == OFF:
            self._woken_ms = now_ms
        self.keep_awake(now_ms)
        self._level = FULL

    def is_wake_press(self, gesture: Gesture, at_ms: int) -> bool:
        """Whether the gesture belongs to the press that woke the screen, and does nothing else."""
        return gesture.kind != CALL and self._woken_ms is not None and at_ms < self._woken_ms + WOKEN_MS

    def level(self, now_ms: int) -> int:
        idle_ms = now_ms - self._awake_ms
        self._level = FULL if idle_ms < DIM_AFTER_MS else DIMMED if idle_ms < OFF_AFTER_MS else OFF
        return self._level


class BoardProcess:
    """Buttons and screen of a process, real or virtual by its command line, and the process's one loop. incoming: the
    queue of everything, the buttons' edges and the link's messages. optional: the machine need not have the board until
    its screen was seen once, which a file in `folder` keeps."""

    def __init__(self, board: Board, folder: Path, args: argparse.Namespace, optional: bool = False) -> None:
        self.incoming: queue.SimpleQueue[object] = queue.SimpleQueue()
        self.stopping = StopSignal(lambda: self.incoming.put(("stop", None)))
        with contextlib.suppress(OSError):
            # A card that refuses is reported on the screen, whose pins need a folder for their files.
            folder.mkdir(parents=True, exist_ok=True)
        self._board, self._folder, self._socket = board, folder, args.panel
        self._virtual = VirtualScreen() if args.panel else None
        self.screen: Screen = self._virtual or oled_screen(board.screen, lambda: self.front.pins())
        self.heard = screen_text_output((lambda text: self._panel.set_text(text)) if args.panel else None, args.say)
        self._notify = SystemdNotifier()
        self._heartbeat = Heartbeat(self._notify)
        self._seen = folder / "seen" if optional else None
        self._report_missing = hardware_fault_logger(self._say_missing)

    @cached_property
    def front(self) -> Controls:
        """The buttons, lights and buzzer, opened at first need."""
        # Imported late, as it loads slowly: a display on I2C, which needs no pins, has shown its first screen before.
        from roundtap_devices.controls import Controls

        if self._virtual is None:
            return Controls(self._board, lambda: local_pin_factory(self._folder), self.incoming, mono_ms)
        return Controls(self._board, lambda: self._panel.pin_factory, self.incoming, mono_ms, self._panel.signals)

    @cached_property
    def _panel(self) -> TablePanel:
        # Imported late: only what is virtual has it.
        from roundtap_devices.input.pin_factory import mock_factory
        from roundtap_devices.virtual.panels import TablePanel

        assert self._virtual is not None
        return TablePanel(self._socket, self._board, mock_factory(), self._virtual.glass)

    def show_first(self, scene: Any, draw: Callable[[Any], Any]) -> None:
        """Show a scene before there is a unit to run. No failure of a display or of drawing ends the start."""
        try:
            self.screen.show(draw(scene), mono_ms())
            self.heard(scene.all_text())
        except Exception:
            log.exception("the first screen cannot be shown")

    def receive(self, kind: str, value: Any) -> None:
        """Queues a message from the link's threads; they wait while the loop is busy."""
        while self.incoming.qsize() > WAITING_MAX and not self.stopping.is_set():
            self.stopping.wait(WAIT_S)
        self.incoming.put((kind, value))

    def run(self, unit: BoardUnit, done: Callable[[], bool] = lambda: False) -> None:
        """Step the unit whenever something comes in or is due, until it is done or the process is stopped."""
        unit.step(mono_ms())
        while self._continues(unit) and not done():
            items: list[object] = []
            wait_s = max(0, unit.due_ms(mono_ms()) - mono_ms()) / 1000
            with contextlib.suppress(queue.Empty):
                items.append(self.incoming.get(timeout=wait_s))
                while True:
                    items.append(self.incoming.get_nowait())
            unit.step(mono_ms(), items)

    def _continues(self, unit: BoardUnit) -> bool:
        # Checked once a step: a loop that stalls or fails at every step is not alive, whatever its other threads do.
        if unit.is_healthy(mono_ms()):
            self._heartbeat.beat(mono_ms())
        self.front.tick(mono_ms())
        if self._seen is not None and not self.screen.said:
            with contextlib.suppress(OSError):
                self._seen.touch()
            self._seen = None
        self._report_missing(self.front.reason, self.screen.said)
        return not self.stopping.is_set()

    def _say_missing(self, missing: str) -> None:
        waits = missing and self._seen is not None and not self._seen.exists()
        self._notify.say(f"waiting: {missing}" if waits else missing)

    def close(self, dark: bool = True) -> None:
        """`dark` False: the screen keeps its picture."""
        if self._virtual is not None:
            self._panel.close()
        if dark:
            self.screen.close()
        release_controls(self.front)


def release_controls(front: Controls) -> None:
    """At the end of the process, whatever its reason."""
    try:
        front.close()
    except Exception as error:
        # lgpio reports "GPIO busy" during a press; the kernel frees the lines at exit anyway.
        log.warning("the pins were not given back: %s", error)


def screen_text_output(panel_words: Callable[[str], None] | None, say: bool) -> Callable[[str], None]:
    """Sends the text of each new screen to the virtual panel, the terminal, both or neither."""
    last = ""

    def heard(text: str) -> None:
        nonlocal last
        # A blinking screen repeats its text.
        if say and text != last:
            print(text, flush=True)
        last = text
        if panel_words is not None:
            panel_words(text)

    return heard


def local_pin_factory(folder: Path) -> Any:
    """The Pi's pins; their library's files go to `folder`, or to the next place where it is not writable. Raises
    ImportError and OSError where something is missing: the process continues without, and retries."""
    # Imported late, as the pins are opened.
    import tempfile

    from roundtap_devices.input.pin_factory import real_factory

    writable = "/dev/shm"
    for place in (tempfile.gettempdir(), str(folder)):
        with contextlib.suppress(OSError), tempfile.TemporaryFile(dir=place):
            writable = place
    return real_factory(writable)


def hardware_fault_logger(tell: Callable[[str], None] = lambda _: None) -> Callable[[str, str], None]:
    """Logs once what is missing of buttons and screen, and its return; `tell` gets all of it as one text at each
    change."""
    logged = ["", ""]

    def say(*missing: str) -> None:
        if list(missing) == logged:
            return
        for place, (was, now) in enumerate(zip(logged, missing, strict=True)):
            if was != now:
                logged[place] = now
                log.warning("%s: %s", ("buttons and lamps", "screen")[place], now or "there again")
        tell("; ".join(each for each in missing if each))

    return say
