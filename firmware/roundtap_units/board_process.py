"""What the processes with buttons and a screen share, table unit and front panel: the queue that everything goes into,
the loop, the board with its screen or their virtual twins, who hears the screen's text, when the screen rests, and what
is missing, said."""

from __future__ import annotations

import contextlib
import logging
import queue
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from roundtap_devices.boards import Board
from roundtap_devices.display.screen import DIMMED, FULL, OFF, Screen, VirtualScreen
from roundtap_devices.front import Front
from roundtap_devices.input.gestures import CALL, Gesture
from roundtap_systemd.notify import StopSignal

if TYPE_CHECKING:
    from roundtap_devices.virtual.table_panel import Panel

log = logging.getLogger(__name__)

WAITING_MAX, WAIT_S = 500, 0.01
DIM_AFTER_MS = 5 * 60_000
OFF_AFTER_MS = 30 * 60_000
WOKEN_MS = 800
"""So long after a press has lit the screen a gesture still is that press, or one that nobody has read anything for."""


def mono_ms() -> int:
    """This machine's monotonic clock, which a process hands to everything in it."""
    return time.monotonic_ns() // 1_000_000


def receiver(incoming: queue.SimpleQueue[object], stopping: StopSignal) -> Callable[[str, Any], None]:
    """What a link's threads tell goes into the queue; they wait where the loop has enough to do already."""

    def receive(kind: str, value: Any) -> None:
        while incoming.qsize() > WAITING_MAX and not stopping.is_set():
            stopping.wait(WAIT_S)
        incoming.put((kind, value))

    return receive


def front_of(board: Board, folder: Path, virtual: Path | None, incoming: queue.SimpleQueue[object],
             mono_ms: Callable[[], int]) -> tuple[Front, Screen, Panel | None]:
    """The board's front and screen. `virtual`: a socket; then both are virtual, and served there."""
    from roundtap_devices.display.oled import oled_screen
    from roundtap_devices.input.pin_factory import mock_factory
    from roundtap_devices.virtual.table_panel import Panel

    if virtual is not None:
        mock, drawn = mock_factory(), VirtualScreen()
        panel = Panel(virtual, board, mock, drawn.glass)
        return Front(board, lambda: mock, incoming, mono_ms, panel.signals), cast("Screen", drawn), panel
    front = Front(board, lambda: pins_of_this_machine(folder), incoming, mono_ms)
    return front, oled_screen(board.screen, front.pins), None


def give_back(front: Front) -> None:
    """At the end of the process, whatever becomes of it."""
    try:
        front.close()
    except Exception as error:
        # lgpio says "GPIO busy" if somebody presses just now; the kernel takes the lines back at the exit anyway.
        log.warning("the pins were not given back: %s", error)


def telling(panel_words: Callable[[str], None] | None, say: bool) -> Callable[[str], None]:
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


def pins_of_this_machine(folder: Path) -> Any:
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


def missing_said(tell: Callable[[str], None] = lambda _: None) -> Callable[[str, str], None]:
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


class Stepped(Protocol):
    """What a loop drives: a table unit, a front panel."""

    def step(self, now_ms: int, items: Iterable[object] = ()) -> None: ...

    def due_ms(self, now_ms: int) -> int: ...


def run_loop(unit: Stepped, incoming: queue.SimpleQueue[object], mono_ms: Callable[[], int],
             stopped: Callable[[], bool]) -> None:
    """Step the unit whenever something comes in or is due, until `stopped`."""
    unit.step(mono_ms())
    while not stopped():
        items: list[object] = []
        wait_s = max(0, unit.due_ms(mono_ms()) - mono_ms()) / 1000
        with contextlib.suppress(queue.Empty):
            items.append(incoming.get(timeout=wait_s))
            while True:
                items.append(incoming.get_nowait())
        unit.step(mono_ms(), items)


class ScreenRest:
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
