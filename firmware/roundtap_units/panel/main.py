"""`roundtap panel`: the front panel of the hub's own machine, on its pins or on virtual ones."""

from __future__ import annotations

import argparse
import contextlib
import logging
import queue
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtap_core.words import LANGUAGES
from roundtap_devices.boards import Board, BoardError, board
from roundtap_devices.display.screen import Screen
from roundtap_devices.input.edges import Edge
from roundtap_devices.input.hands import Hands
from roundtap_systemd.notify import Heartbeat, Notify, StopSignal
from roundtap_units.board_process import (
    ScreenRest,
    front_of,
    give_back,
    missing_said,
    mono_ms,
    receiver,
    run_loop,
    telling,
)
from roundtap_units.fault_log import FaultLog
from roundtap_units.link.identity import LocalKey
from roundtap_units.panel.panel_dialogue import (
    ADDRESS,
    OFF,
    STANDBY,
    PanelDialogue,
    PanelScene,
    Press,
    draw_panel,
    scene_of,
)
from roundtap_units.unit_config import ConfigError, read_file
from roundtap_units.unit_words import unit_words

log = logging.getLogger(__name__)

KEYS = ("board", "language", "folder")
FOLDER = Path("/var/lib/roundtap-panel")
LONGEST_SLEEP_MS = 1000
UNSOUND_MS = 10_000


class PanelUnit:
    """Call `step(now_ms, items)` with what came in. do: told each press, and must only enqueue. heard: the text of each
    new screen.

    While nobody can read the screen no press counts. Nothing that comes in ends it.
    """

    def __init__(self, dialogue: PanelDialogue, screen: Screen, hands: Hands, do: Callable[[Press], None],
                 heard: Callable[[str], None] = lambda _: None) -> None:
        self.dialogue = dialogue
        self._screen, self._hands, self._do, self._heard = screen, hands, do, heard
        self._rest = ScreenRest()
        self._scene: PanelScene | None = None
        self._image: Any = None
        self._now_ms = 0
        self._sound_ms: int | None = None
        self._faults = FaultLog(log, lambda: self._now_ms)

    def step(self, now_ms: int, items: Iterable[object] = ()) -> None:
        """Take what came in (`Edge`s of the buttons, (kind, value) pairs of the link), act, and draw."""
        self._now_ms = now_ms
        edges = []
        for item in items:
            if isinstance(item, Edge):
                edges.append(item)
            elif isinstance(item, tuple):
                self._guarded(self._from_link, *item)
        if any(edge.down for edge in edges):
            self._rest.touched(now_ms)
        for gesture in self._hands.step(now_ms, edges):
            # When it was done, not when it was read: what is shown by now may be something else.
            at_ms = min(gesture.at_ms, now_ms)
            if not self._screen.blind and not self._rest.only_wakes(gesture, at_ms):
                self._guarded(self.dialogue.on_gesture, gesture, at_ms)
        self._guarded(self.dialogue.tick, now_ms)
        for press in self.dialogue.take_presses():
            self._do(press)
        if self._guarded(self._draw, now_ms):
            self._sound_ms = now_ms

    def sound(self, now_ms: int) -> bool:
        """Whether it came through a whole step lately: what its watchdog is told."""
        return self._sound_ms is not None and now_ms - self._sound_ms < UNSOUND_MS

    def due_ms(self, now_ms: int) -> int:
        """When `step` must be called next even if nothing comes in."""
        hands_due = self._hands.due_ms()
        due = now_ms + LONGEST_SLEEP_MS
        return due if hands_due is None else max(now_ms, min(due, hands_due))

    def _from_link(self, kind: str, value: Any) -> None:
        panel = self.dialogue
        if kind == "hub":
            panel.on_hub(value, self._now_ms)
        elif kind == "standby":
            panel.on_standby(value, self._now_ms)
        elif kind == "hotspot":
            panel.hotspot = value
        elif kind == "done":
            panel.on_done(value, self._now_ms)

    def _draw(self, now_ms: int) -> None:
        scene = scene_of(self.dialogue)
        if scene != self._scene:
            self._image, self._scene = draw_panel(scene), scene
            self._heard(scene.says())
        if self._is_to_be_read():
            self._rest.busy(now_ms)
        self._screen.light(self._rest.level(now_ms))
        # Shown every time: after a failure the screen tries again with a new display.
        self._screen.show(self._image, now_ms)

    def _is_to_be_read(self) -> bool:
        """Whether there is more to read than that all is well: a running round, trouble, no contact, a question."""
        hub = self.dialogue.hub
        return self.dialogue.page not in (ADDRESS, STANDBY) or (hub is not None and (hub.running or hub.trouble))

    def _guarded(self, action: Callable[..., None], *told: Any) -> bool:
        """Whatever a strange word leads to: the panel goes on. Whether it went well."""
        try:
            action(*told)
        except Exception:
            self._faults.told("a step came to nothing")
            return False
        return True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, default=Path("/etc/roundtap/panel.toml"),
                        help="TOML file: board, language, folder; may be missing (default: %(default)s)")
    parser.add_argument("--folder", type=Path, default=None,
                        help=f"where the pins' library keeps its files (default: {FOLDER})")
    parser.add_argument("--panel", type=Path, default=None, metavar="SOCKET",
                        help="run on mock pins and a drawn screen, and serve both on this Unix socket")
    parser.add_argument("--say", action="store_true", help="print the text of each new screen")


@dataclass(frozen=True, slots=True)
class Config:
    """The panel's few settings; its key comes from the hub on this machine."""

    board: Board
    language: str
    folder: Path


def read_config(path: Path, folder: Path | None = None) -> Config:
    """The configuration; without a file all is as usual. ConfigError names the file, the key, and what would be right.
    """
    data = read_file(path)
    for name, value in data.items():
        if name not in KEYS:
            raise ConfigError(f"{path}: {name}: unknown; known are {', '.join(KEYS)}")
        if not isinstance(value, str):
            raise ConfigError(f"{path}: {name}: a text is wanted, not {value!r}")
    language = data.get("language", "en")
    if language not in LANGUAGES:
        raise ConfigError(f"{path}: language: one of {', '.join(LANGUAGES)} is wanted, not {language!r}")
    try:
        made = board(data.get("board", "recommended"))
    except (BoardError, OSError) as error:
        raise ConfigError(f"{path}: board: {error}") from error
    return Config(made, language, folder or Path(data.get("folder", FOLDER)))


def run(args: argparse.Namespace) -> int:
    """Run until SIGTERM or Ctrl-C; without pins or screen, too."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        config = read_config(args.config, args.folder)
    except ConfigError as error:
        print(f"roundtap panel: {error}", file=sys.stderr)
        return 2
    incoming: queue.SimpleQueue[object] = queue.SimpleQueue()
    stopping = StopSignal(lambda: incoming.put(("stop", None)))
    _run(config, args, incoming, stopping)
    return 0


def _run(config: Config, args: argparse.Namespace, incoming: queue.SimpleQueue[object],
         stopping: StopSignal) -> None:
    from roundtap_units.panel.panel_link import PanelLink

    with contextlib.suppress(OSError):
        config.folder.mkdir(parents=True, exist_ok=True)
    front, screen, virtual = front_of(config.board, config.folder, args.panel, incoming, mono_ms)
    link = PanelLink(LocalKey("panel").renewed, receiver(incoming, stopping), config.language)
    dialogue = PanelDialogue(unit_words(config.language))
    heard = telling(virtual.words if virtual else None, args.say)
    unit = PanelUnit(dialogue, screen, Hands(front.held), link.do, heard)
    notify = Notify()
    heartbeat, say_missing = Heartbeat(notify), missing_said(lambda what: notify.tell(f"STATUS={what or 'shown'}"))

    def stopped() -> bool:
        if unit.sound(mono_ms()):
            heartbeat.alive(mono_ms())
        front.tick(mono_ms())
        say_missing(front.reason, screen.said)
        return stopping.is_set()

    link.start()
    try:
        run_loop(unit, incoming, mono_ms, stopped)
    finally:
        link.stop()
        if virtual:
            virtual.close()
        if dialogue.page != OFF:
            # Else it goes on saying when to unplug.
            screen.close()
        give_back(front)
