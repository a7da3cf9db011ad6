"""`roundtap table`: run one table unit, on the Pi's pins or on virtual ones."""

from __future__ import annotations

import argparse
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from roundtap_devices.boards import FACINGS, Board
from roundtap_units import unit_config
from roundtap_units.board_process import BoardProcess
from roundtap_units.link.hub_choice import UnitMemory, machine_fingerprint
from roundtap_units.link.hub_time import mono_ms
from roundtap_units.link.identity import HubAddress, LocalKeyWatch, enrolled_address, has_local_key, save_enrolled
from roundtap_units.unit_words import unit_words

KEYS = ("board", "facing")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=Path, nargs="?", default=Path("/etc/roundtap/table.toml"),
                        help="TOML file, which may be missing: board, facing, language; hub; unit, key; folder "
                        "(default: %(default)s)")
    parser.add_argument("--panel", type=Path, default=None, metavar="SOCKET",
                        help="run on mock pins and a drawn screen, and serve both on this Unix socket")
    parser.add_argument("--say", action="store_true", help="print the text of each new screen")
    parser.add_argument("--crash-at", default=None, help=argparse.SUPPRESS)


@dataclass(frozen=True, slots=True)
class TableConfig(unit_config.UnitConfig):
    board: Board


def read_table_config(path: Path | None) -> TableConfig:
    """The configuration; ConfigError names the file, the key, and what would be right."""
    common, own = unit_config.read_unit_config(path, KEYS, "table")
    made = unit_config.configured_board(path, own)
    facing = own.get("facing", made.facing)
    if facing not in FACINGS:
        raise unit_config.ConfigError(f"{path}: facing: one of {', '.join(FACINGS)} is wanted, not {facing!r}")
    return TableConfig(**common, board=replace(made, facing=facing))


def run(args: argparse.Namespace) -> int:
    return unit_config.run_unit("table", lambda: _run(read_table_config(args.config), args))


def _run(config: TableConfig, args: argparse.Namespace) -> bool:
    """Whether the unit gave up its key, and has to restart."""
    from roundtap_machine.health import MachineProbe
    from roundtap_units.link.link import HubLink
    from roundtap_units.link.outbox import Outbox
    from roundtap_units.link.own_health import OwnHealth
    from roundtap_units.link.safe_file import key_fingerprint
    from roundtap_units.link.stored_view import StoredView, read_boot_id
    from roundtap_units.table.dialogue.dialogue import Dialogue
    from roundtap_units.table.unit import TableUnit

    process = BoardProcess(config.board, config.folder, args)
    front, screen, stopping = process.front, process.screen, process.stopping
    # What is virtual is marked so on every screen.
    badge = "badge.virtual" if process.panel else ""
    memory = UnitMemory(config.folder / "unit.json", machine=machine_fingerprint())
    identity = config.identity()
    if identity is None:
        identity, config = _enrolled(config, memory, process, badge)
    if identity is None:
        process.close()
        return config.local and not stopping.is_set()
    words = unit_words(config.language)
    outbox = Outbox(config.folder / "outbox.jsonl", _crash_point(args.crash_at), key_fingerprint(identity.key))
    stored = StoredView(config.folder / "view.json", read_boot_id())
    health = OwnHealth(MachineProbe(config.folder, True), config.board.pins.keys(), lambda: not screen.blind,
                       lacks=lambda: (front.input_fault, screen.reason))
    link = HubLink(identity, outbox, process.receive, mono_ms, memory, stored.held_match,
                   LocalKeyWatch("table").poll if config.local else lambda: None, health)
    dialogue = Dialogue(words, config.board.facing, words(badge) if badge else "")
    unit = TableUnit(identity.unit, identity.key, dialogue, outbox, link, screen, front.signals, process.heard,
                     stored=stored, memory=memory, pressed=health.press, front=front)
    # A key in the configuration file is changed there, and a key of this machine's hub renews itself.
    unit.troubles.can_enrol = identity.enrolled
    link.start()
    try:
        process.run(unit, lambda: unit.troubles.enrols)
    finally:
        link.stop()
        outbox.close()
        process.close()
    if unit.troubles.enrols and not stopping.is_set():
        # The key stays on the disk until there is another one: the refusing machine may be no hub, and after a power
        # cut the key is tried again.
        os.environ[unit_config.REENROL_VARIABLE] = "1"
        return True
    return False


def _enrolled(config: TableConfig, memory: UnitMemory, process: BoardProcess,
              badge: str) -> tuple[HubAddress | None, TableConfig]:
    """(the unit's identity once enrolled, the configuration with the language chosen meanwhile). None where it was
    stopped, or where a hub on this machine now has a key for it (`config.local`)."""
    from roundtap_units.link.enrolling import EnrolClient
    from roundtap_units.table.enrol_table import EnrolTable

    asking = EnrolClient("table", memory.unit_id, partial(save_enrolled, config.folder), mono_ms, config.hubs,
                       config.unit)
    table = EnrolTable(asking, config.language, cache(unit_words), config.board.facing,
                       lambda words: words(badge) if badge else "", process.screen, process.front.signals,
                       process.heard, partial(unit_config.save_language, config.folder))
    threading.Thread(target=asking.run, name="enrolling", daemon=True).start()
    here = has_local_key("table")
    process.run(table, lambda: table.is_finished(mono_ms()) or (not here and has_local_key("table")))
    asking.stop()
    config = replace(config, language=table.language)
    if asking.enrolled is None:
        return None, replace(config, local=not here and has_local_key("table"))
    return enrolled_address(asking.enrolled, config.hubs), config


def _crash_point(name: str | None) -> Callable[[str], None]:
    """A power cut for tests: the process dies at the point `name`, without flushing or warning."""

    def at_point(point: str) -> None:
        if point == name:
            os.kill(os.getpid(), signal.SIGKILL)

    return at_point
