"""What the processes with buttons and a screen share, table unit and front panel: the queue that everything
goes into, the loop, where the pins' library keeps its files, and what is missing of the board, said."""

from __future__ import annotations

import contextlib
import logging
import queue
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from roundtap_systemd.notify import StopSignal

WAITING_MAX, WAIT_S = 500, 0.01

log = logging.getLogger(__name__)


def receiver(incoming: queue.SimpleQueue[object], stopping: StopSignal) -> Callable[[str, Any], None]:
    """What a link's threads tell goes into the queue; they wait where the loop has enough to do already."""

    def receive(kind: str, value: Any) -> None:
        while incoming.qsize() > WAITING_MAX and not stopping.is_set():
            stopping.wait(WAIT_S)
        incoming.put((kind, value))

    return receive


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
