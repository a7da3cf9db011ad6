"""`roundtap table`: run one table unit, on the Pi's pins or on virtual ones."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from roundtap_devices.boards import FACINGS, Board, BoardError, board
from roundtap_devices.display.screen import Screen
from roundtap_devices.front import Front
from roundtap_systemd.notify import Heartbeat, Notify, StopSignal
from roundtap_units.board_process import front_of, give_back, missing_said, mono_ms, receiver, run_loop, telling
from roundtap_units.link.hub_choice import UnitMemory, machine_mark
from roundtap_units.link.identity import (
    HubAddress,
    LocalKey,
    is_on_hubs_machine,
    keep_enrolled,
    known_identity,
    of_enrolled,
)
from roundtap_units.unit_config import ConfigError, UnitConfig, keep_language, read_unit_config
from roundtap_units.unit_words import unit_words

log = logging.getLogger(__name__)

KEYS = ("board", "facing")
ENROL_ANEW = "ROUNDTAP_ENROL_ANEW"
"""Set for a process that begins again because somebody wants another key."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=Path, nargs="?", default=Path("/etc/roundtap/table.toml"),
                        help="TOML file, which may be missing: board, facing, language; hub; unit, key; folder "
                        "(default: %(default)s)")
    parser.add_argument("--panel", type=Path, default=None, metavar="SOCKET",
                        help="run on mock pins and a drawn screen, and serve both on this Unix socket")
    parser.add_argument("--say", action="store_true", help="print the text of each new screen")
    parser.add_argument("--crash-at", default=None, help=argparse.SUPPRESS)


@dataclass(frozen=True, slots=True)
class Config(UnitConfig):
    """One table unit's configuration file."""

    board: Board


def read_config(path: Path | None) -> Config:
    """The configuration; ConfigError names the file, the key, and what would be right."""
    common, own = read_unit_config(path, KEYS, "table")
    try:
        made = board(own.get("board", "recommended"))
    except (BoardError, OSError) as error:
        raise ConfigError(f"{path}: board: {error}") from error
    facing = own.get("facing", made.facing)
    if facing not in FACINGS:
        raise ConfigError(f"{path}: facing: one of {', '.join(FACINGS)} is wanted, not {facing!r}")
    return Config(**common, board=replace(made, facing=facing))


def run(args: argparse.Namespace) -> int:
    """Run until SIGTERM or Ctrl-C."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        config = read_config(args.config)
    except ConfigError as error:
        print(f"roundtap table: {error}", file=sys.stderr)
        return 2
    incoming: queue.SimpleQueue[object] = queue.SimpleQueue()
    stopping = StopSignal(lambda: incoming.put(("stop", None)))
    if _run(config, args, incoming, stopping):
        # Without its key it begins again, as it would after a power cut.
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
    return 0



def _run(config: Config, args: argparse.Namespace, incoming: queue.SimpleQueue[object],
         stopping: StopSignal) -> bool:
    """Whether the unit gave up its key, and is to begin again."""
    from roundtap_systemd.health import Machine
    from roundtap_units.link.link import HubLink
    from roundtap_units.link.outbox import Outbox
    from roundtap_units.link.own_health import OwnHealth
    from roundtap_units.link.safe_file import key_mark
    from roundtap_units.link.stored_view import StoredView, this_boot
    from roundtap_units.table.dialogue.dialogue import Dialogue
    from roundtap_units.table.unit import TableUnit

    words = unit_words(config.language)
    with contextlib.suppress(OSError):
        # A card that refuses is told on the screen, whose pins want a folder for their files.
        config.folder.mkdir(parents=True, exist_ok=True)
    front, screen, panel = front_of(config.board, config.folder, args.panel, incoming, mono_ms)
    memory = UnitMemory(config.folder / "unit.json", machine=machine_mark())
    heard, badge = telling(panel.words if panel else None, args.say), "badge.virtual" if panel else ""
    say_missing = missing_said()
    heartbeat = Heartbeat(Notify())

    def enrolling_goes_on() -> bool:
        heartbeat.alive(mono_ms())
        front.tick(mono_ms())
        say_missing(front.reason, screen.said)
        return not stopping.is_set()

    anew = os.environ.pop(ENROL_ANEW, "")
    identity = None if anew else known_identity(config.unit, config.key, config.hubs, config.folder)
    if identity is None:
        identity, config = _enrolled(config, memory, screen, front, heard, badge, incoming, mono_ms,
                                     enrolling_goes_on)
        words = unit_words(config.language)
    if identity is None:
        if panel:
            panel.close()
        screen.close()
        give_back(front)
        return config.local and not stopping.is_set()
    outbox = Outbox(config.folder / "outbox.jsonl", _crash_point(args.crash_at), key_mark(identity.key))
    stored = StoredView(config.folder / "view.json", this_boot())
    health = OwnHealth(Machine(config.folder, True), config.board.pins.keys(), lambda: not screen.blind,
                       lacks=lambda: (front.deaf, screen.reason))
    link = HubLink(identity, outbox,
                   receiver(incoming, stopping), mono_ms, memory, stored.holds,
                   LocalKey("table").renewed if config.local else lambda: None, health)
    # What is virtual says so, on every screen.
    dialogue = Dialogue(words, config.board.facing, words(badge) if badge else "")
    unit = TableUnit(
        identity.unit, identity.key, dialogue, outbox, link, screen, front.signals, heard, stored=stored, memory=memory,
        pressed=health.press, front=front,
    )
    # A key that was typed into a file is changed there, and one of this machine's hub comes by itself.
    unit.troubles.can_enrol = identity.enrolled

    def stopped() -> bool:
        # Asked once a step: who steps no more is not alive, whatever his other threads do; nor who stumbles each time.
        if unit.sound(mono_ms()):
            heartbeat.alive(mono_ms())
        front.tick(mono_ms())
        say_missing(front.reason, screen.said)
        return stopping.is_set() or unit.troubles.enrols

    link.start()
    try:
        run_loop(unit, incoming, mono_ms, stopped)
    finally:
        link.stop()
        if panel:
            panel.close()
        outbox.close()
        screen.close()
        give_back(front)
    if unit.troubles.enrols and not stopping.is_set():
        # The key stays on the disk until there is another one: who refused it may be no hub, and after a power cut it
        # is tried again.
        os.environ[ENROL_ANEW] = "1"
        return True
    return False


def _enrolled(config: Config, memory: UnitMemory, screen: Screen, front: Front, heard: Callable[[str], None],
              badge: str, incoming: queue.SimpleQueue[object], mono_ms: Callable[[], int],
              goes_on: Callable[[], bool]) -> tuple[HubAddress | None, Config]:
    """(who the unit is once it was enrolled, the configuration in the language that was chosen meanwhile). None where
    it was stopped, or where a hub on this very machine has a key for it by now (`config.local`)."""
    from roundtap_units.link.enrolling import Enrolling
    from roundtap_units.table.enrol_table import EnrolTable, run_table

    asking = Enrolling("table", memory.unit_id, partial(keep_enrolled, config.folder), mono_ms, config.hubs,
                       config.unit)
    table = EnrolTable(asking, config.language, cache(unit_words), config.board.facing,
                       lambda words: words(badge) if badge else "", screen, front.signals, heard,
                       partial(keep_language, config.folder))
    threading.Thread(target=asking.run, name="enrolling", daemon=True).start()
    here = is_on_hubs_machine("table")
    run_table(table, incoming, mono_ms, lambda: not goes_on() or (not here and is_on_hubs_machine("table")))
    asking.stop()
    config = replace(config, language=table.language)
    if asking.enrolled is None:
        return None, replace(config, local=not here and is_on_hubs_machine("table"))
    return of_enrolled(asking.enrolled, config.hubs), config


def _crash_point(name: str | None) -> Callable[[str], None]:
    """A power cut for tests: the process dies, unflushed and unwarned, when it comes to the point `name`."""

    def at_point(point: str) -> None:
        if point == name:
            os.kill(os.getpid(), signal.SIGKILL)

    return at_point
