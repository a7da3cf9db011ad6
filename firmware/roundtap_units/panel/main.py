"""`roundtap panel`: the front panel of the hub's own machine, on its pins or on virtual ones."""

from __future__ import annotations

import argparse
import contextlib
import logging
import queue
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from roundtap_core.words import LANGUAGES
from roundtap_devices.boards import Board, BoardError, board
from roundtap_systemd.notify import StopSignal
from roundtap_units.board_process import front_of, give_back, missing_said, receiver, run_loop, telling
from roundtap_units.unit_config import ConfigError, read_file

KEYS = ("board", "language", "folder")
FOLDER = Path("/var/lib/roundtap-panel")

log = logging.getLogger(__name__)


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
    from roundtap_devices.input.hands import Hands
    from roundtap_systemd.notify import Heartbeat, Notify
    from roundtap_units.link.local_key import LocalKey
    from roundtap_units.panel.panel_dialogue import OFF, PanelDialogue
    from roundtap_units.panel.panel_link import PanelLink
    from roundtap_units.panel.panel_unit import PanelUnit
    from roundtap_units.unit_words import unit_words

    def mono_ms() -> int:
        return time.monotonic_ns() // 1_000_000

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
