"""`roundtap panel`: the front panel of the hub's own machine, on its pins or on virtual ones."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtap_core.words import LANGUAGES
from roundtap_devices.boards import Board
from roundtap_devices.display.screen import Screen
from roundtap_devices.input.hands import Hands
from roundtap_systemd.notify import Notify
from roundtap_units.board_process import BoardProcess, BoardUnit
from roundtap_units.link.identity import LocalKey
from roundtap_units.panel.panel_dialogue import ADDRESS, OFF, STANDBY, PanelDialogue, Press, draw_panel, scene_of
from roundtap_units.unit_config import ConfigError, known_board, read_file, run_unit
from roundtap_units.unit_words import unit_words

KEYS = ("board", "language", "folder")
FOLDER = Path("/var/lib/roundtap-panel")


class PanelUnit(BoardUnit):
    """do: told each press, and must only enqueue. While nobody can read the screen no press counts."""

    def __init__(self, dialogue: PanelDialogue, screen: Screen, hands: Hands, do: Callable[[Press], None],
                 heard: Callable[[str], None] = lambda _: None) -> None:
        super().__init__(screen, hands, heard)
        self.dialogue, self._do = dialogue, do

    def step(self, now_ms: int, items: Iterable[object] = ()) -> None:
        self._now_ms = now_ms
        for gesture, at_ms in self._gestures(now_ms, self._edges(items)):
            if not self._screen.blind:
                self._guarded(self.dialogue.on_gesture, gesture, at_ms)
        self._guarded(self.dialogue.tick, now_ms)
        for press in self.dialogue.take_presses():
            self._do(press)
        if self._guarded(self._draw, now_ms):
            self._sound_ms = now_ms

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
        self._show(scene_of(self.dialogue), draw_panel, self._is_to_be_read(), now_ms)

    def _is_to_be_read(self) -> bool:
        """Whether there is more to read than that all is well: a running round, trouble, no contact, a question."""
        hub = self.dialogue.hub
        return self.dialogue.page not in (ADDRESS, STANDBY) or (hub is not None and (hub.running or hub.trouble))


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
    return Config(known_board(path, data), language, folder or Path(data.get("folder", FOLDER)))


def run(args: argparse.Namespace) -> int:
    """Run until SIGTERM or Ctrl-C; without pins or screen, too."""
    return run_unit("panel", lambda: _run(read_config(args.config, args.folder), args))


def _run(config: Config, args: argparse.Namespace) -> bool:
    from roundtap_units.panel.panel_link import PanelLink

    notify = Notify()
    process = BoardProcess(config.board, config.folder, args, lambda what: notify.tell(f"STATUS={what or 'shown'}"))
    link = PanelLink(LocalKey("panel").renewed, process.receive, config.language)
    dialogue = PanelDialogue(unit_words(config.language))
    link.start()
    try:
        process.run(PanelUnit(dialogue, process.screen, Hands(process.front.held), link.do, process.heard))
    finally:
        link.stop()
        # Else it goes on saying when to unplug.
        process.close(dark=dialogue.page != OFF)
    return False
