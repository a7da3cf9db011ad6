"""What the processes with buttons and a screen share, table unit and front panel: the queue that everything goes into,
the loop and what it drives, the board with its screen or their virtual twins, who hears the screen's text, when the
screen rests, and what is missing, said."""

from __future__ import annotations

import argparse
import contextlib
import logging
import queue
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from roundtap_devices.boards import Board
from roundtap_devices.controls import Controls
from roundtap_devices.display.screen import DIMMED, FULL, OFF, Screen, VirtualScreen
from roundtap_devices.input.edges import Edge
from roundtap_devices.input.gestures import CALL, Gesture
from roundtap_devices.input.late_edges import EdgeReorder
from roundtap_machine.notify import Heartbeat, Notify, StopSignal
from roundtap_units.fault_log import FaultLog
from roundtap_units.link.hub_time import mono_ms

if TYPE_CHECKING:
    from roundtap_devices.virtual.table_panel import TablePanel

log = logging.getLogger(__name__)

WAITING_MAX, WAIT_S = 500, 0.01
LONGEST_SLEEP_MS = 1000
UNHEALTHY_AFTER_MS = 10_000
"""A unit that has not come through a whole step for so long does not say that it lives."""
DIM_AFTER_MS = 5 * 60_000
OFF_AFTER_MS = 30 * 60_000
WOKEN_MS = 800
"""So long after a press has lit the screen a gesture still is that press, or one that nobody has read anything for."""


class BoardProcess:
    """Buttons and screen of a process, by its command line real or virtual, and the one loop that it runs.

    incoming: everything goes into it, edges of the buttons and what the link tells. tell: hears what is missing of the
    board at each change, "" where nothing is.
    """

    def __init__(self, board: Board, folder: Path, args: argparse.Namespace,
                 tell: Callable[[str], None] = lambda _: None) -> None:
        self.incoming: queue.SimpleQueue[object] = queue.SimpleQueue()
        self.stopping = StopSignal(lambda: self.incoming.put(("stop", None)))
        with contextlib.suppress(OSError):
            # A card that refuses is told on the screen, whose pins want a folder for their files.
            folder.mkdir(parents=True, exist_ok=True)
        self.front, self.screen, self.panel = open_controls(board, folder, args.panel, self.incoming)
        self.heard = screen_text_output(self.panel.words if self.panel else None, args.say)
        self._heartbeat = Heartbeat(Notify())
        self._say_missing = missing_reporter(tell)

    def receive(self, kind: str, value: Any) -> None:
        """What a link's threads tell goes into the queue; they wait where the loop has enough to do already."""
        while self.incoming.qsize() > WAITING_MAX and not self.stopping.is_set():
            self.stopping.wait(WAIT_S)
        self.incoming.put((kind, value))

    def run(self, unit: BoardUnit, done: Callable[[], bool] = lambda: False) -> None:
        """Step the unit whenever something comes in or is due, until it is done, or the process is told to stop."""
        unit.step(mono_ms())
        while self._goes_on(unit) and not done():
            items: list[object] = []
            wait_s = max(0, unit.due_ms(mono_ms()) - mono_ms()) / 1000
            with contextlib.suppress(queue.Empty):
                items.append(self.incoming.get(timeout=wait_s))
                while True:
                    items.append(self.incoming.get_nowait())
            unit.step(mono_ms(), items)

    def _goes_on(self, unit: BoardUnit) -> bool:
        # Asked once a step: who steps no more is not alive, whatever his other threads do; nor who stumbles each time.
        if unit.sound(mono_ms()):
            self._heartbeat.alive(mono_ms())
        self.front.tick(mono_ms())
        self._say_missing(self.front.reason, self.screen.said)
        return not self.stopping.is_set()

    def close(self, dark: bool = True) -> None:
        """`dark`: else the screen goes on showing what it shows."""
        if self.panel:
            self.panel.close()
        if dark:
            self.screen.close()
        release_controls(self.front)


class BoardUnit:
    """What the loop drives: call `step(now_ms, items)` with what came in, `Edge`s of the buttons and (kind, value)
    pairs of the link. Nothing of it ends the unit. heard: told the text of each new screen. Times are monotonic
    milliseconds."""

    def __init__(self, screen: Screen, hands: EdgeReorder, heard: Callable[[str], None]) -> None:
        self._screen, self._hands, self._heard = screen, hands, heard
        self._rest = ScreenDimming()
        self.scene: Any = None
        """What stands on the screen."""
        self._image: Any = None
        self._now_ms = 0
        self._sound_ms: int | None = None
        self._faults = FaultLog(logging.getLogger(type(self).__module__), lambda: self._now_ms)

    def step(self, now_ms: int, items: Iterable[object] = ()) -> None:
        """Take what came in, act, and draw."""
        raise NotImplementedError

    def sound(self, now_ms: int) -> bool:
        """Whether it came through a whole step lately: what its watchdog is told."""
        return self._sound_ms is not None and now_ms - self._sound_ms < UNHEALTHY_AFTER_MS

    def due_ms(self, now_ms: int) -> int:
        """When `step` must be called next even if nothing comes in."""
        due = [now_ms + LONGEST_SLEEP_MS, *self._wakes(now_ms)]
        if (hands_ms := self._hands.due_ms()) is not None:
            due.append(hands_ms)
        return max(now_ms, min(due))

    def _wakes(self, now_ms: int) -> list[int]:
        """When there is something to do besides."""
        return []

    def _edges(self, items: Iterable[object]) -> list[Edge]:
        """What the link told is taken; the edges of the buttons are left."""
        edges = []
        for item in items:
            if isinstance(item, Edge):
                edges.append(item)
            elif isinstance(item, tuple):
                self._guarded(self._from_link, *item)
        return edges

    def _from_link(self, kind: str, value: Any) -> None:
        """A unit without a link hears nothing."""

    def _gestures(self, now_ms: int, edges: list[Edge]) -> Iterator[tuple[Gesture, int]]:
        """Each with when it was done, not when it was read: what is shown by now may be something else. What only woke
        the screen is left out."""
        if any(edge.down for edge in edges):
            self._rest.touched(now_ms)
        for gesture in self._hands.step(now_ms, edges):
            at_ms = min(gesture.at_ms, now_ms)
            if not self._rest.only_wakes(gesture, at_ms):
                yield gesture, at_ms

    def _show(self, scene: Any, draw: Callable[[Any], Any], to_be_read: bool, now_ms: int) -> None:
        if scene != self.scene:
            self._image, self.scene = draw(scene), scene
            self._heard(scene.says())
        if to_be_read:
            self._rest.busy(now_ms)
        self._screen.light(self._rest.level(now_ms))
        # Shown every time: after a failure the screen tries again with a new display.
        self._screen.show(self._image, now_ms)

    def _guarded(self, action: Callable[..., None], *told: Any) -> bool:
        """Act, or stand where the unit stood before: whatever a strange word leads to. Whether it went well."""
        undo = self._remembered()
        try:
            action(*told)
        except Exception:
            undo()
            self._faults.told("a step is taken back")
            return False
        return True

    def _remembered(self) -> Callable[[], None]:
        """Calling the result takes back what was done since, as far as that has to be."""
        return lambda: None


def open_controls(board: Board, folder: Path, virtual: Path | None,
             incoming: queue.SimpleQueue[object]) -> tuple[Controls, Screen, TablePanel | None]:
    """The board's front and screen. `virtual`: a socket; then both are virtual, and served there."""
    from roundtap_devices.display.oled import oled_screen
    from roundtap_devices.input.pin_factory import mock_factory
    from roundtap_devices.virtual.table_panel import TablePanel

    if virtual is not None:
        mock, drawn = mock_factory(), VirtualScreen()
        panel = TablePanel(virtual, board, mock, drawn.glass)
        return Controls(board, lambda: mock, incoming, mono_ms, panel.signals), cast("Screen", drawn), panel
    front = Controls(board, lambda: local_pin_factory(folder), incoming, mono_ms)
    return front, oled_screen(board.screen, front.pins), None


def release_controls(front: Controls) -> None:
    """At the end of the process, whatever becomes of it."""
    try:
        front.close()
    except Exception as error:
        # lgpio says "GPIO busy" if somebody presses just now; the kernel takes the lines back at the exit anyway.
        log.warning("the pins were not given back: %s", error)


def screen_text_output(panel_words: Callable[[str], None] | None, say: bool) -> Callable[[str], None]:
    """Who is told the text of each new screen: the virtual panel, a person at a terminal, both or nobody."""
    last = ""

    def heard(text: str) -> None:
        nonlocal last
        if panel_words is not None:
            panel_words(text)
        # What only blinks says the same again.
        if say and text != last:
            print(text, flush=True)
        last = text

    return heard


def local_pin_factory(folder: Path) -> Any:
    """The Pi's pins; `folder` takes the files of their library, or the next place where it cannot be written. Raises
    ImportError and OSError where something is missing: the process goes on without, and looks again."""
    from roundtap_devices.input.pin_factory import real_factory

    return real_factory(str(_writable(folder, Path(tempfile.gettempdir()), Path("/dev/shm"))))


def _writable(*folders: Path) -> Path:
    """The first of these folders that takes a file; the last one, where none does."""
    for folder in folders[:-1]:
        with contextlib.suppress(OSError), tempfile.TemporaryFile(dir=folder):
            return folder
    return folders[-1]


def missing_reporter(tell: Callable[[str], None] = lambda _: None) -> Callable[[str, str], None]:
    """Says in the log what is missing of buttons and screen, once each, and when it is there again; `tell` hears all of
    it in one text at each change, "" where nothing is missing."""
    known = ["", ""]

    def say(*missing: str) -> None:
        if list(missing) == known:
            return
        for place, (was, now) in enumerate(zip(known, missing, strict=True)):
            if was != now:
                known[place] = now
                log.warning("%s: %s", ("buttons and lamps", "screen")[place], now or "there again")
        tell("; ".join(each for each in missing if each))

    return say


class ScreenDimming:
    """When a screen may rest: dimmed and then dark while no round is on, and bright again at the first press.

    A press on a dark screen only wakes it: nobody can have meant what nobody could read. A judge is called all the
    same, since that takes two buttons for a second and a half and no reading. A press on a dimmed screen counts like
    any other. Times are the unit's monotonic milliseconds."""

    def __init__(self) -> None:
        self._awake_ms = 0
        self._woken_ms: int | None = None
        self._level = FULL

    def busy(self, now_ms: int) -> None:
        """Something is to be read: a round, a question, a trouble."""
        self._awake_ms = max(self._awake_ms, now_ms)

    def touched(self, now_ms: int) -> None:
        """Somebody presses a button."""
        if self._level == OFF:
            self._woken_ms = now_ms
        self.busy(now_ms)
        self._level = FULL

    def only_wakes(self, gesture: Gesture, at_ms: int) -> bool:
        """Whether the gesture belongs to the press that woke the screen, and does nothing else."""
        return gesture.kind != CALL and self._woken_ms is not None and at_ms < self._woken_ms + WOKEN_MS

    def level(self, now_ms: int) -> int:
        """How bright the screen should be now."""
        idle_ms = now_ms - self._awake_ms
        self._level = FULL if idle_ms < DIM_AFTER_MS else DIMMED if idle_ms < OFF_AFTER_MS else OFF
        return self._level
