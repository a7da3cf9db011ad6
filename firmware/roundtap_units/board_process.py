"""The process of a table unit or front panel: the event queue and its loop, and the real or virtual board."""

from __future__ import annotations

import argparse
import contextlib
import logging
import queue
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtap_devices.boards import Board
from roundtap_devices.display.screen import Screen, VirtualScreen, oled_screen
from roundtap_machine.notify import Heartbeat, StopSignal, SystemdNotifier
from roundtap_units.link.hub_time import mono_ms

if TYPE_CHECKING:
    from roundtap_devices.controls import Controls
    from roundtap_devices.virtual.panels import TablePanel
    from roundtap_units.board_unit import BoardUnit

log = logging.getLogger(__name__)

WAITING_MAX, WAIT_S = 500, 0.01


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
