"""`roundtap table`: run one table unit, on the Pi's pins or on virtual ones.

The screen says that the unit is starting before most of its code is loaded, which takes a small Pi seconds."""

import argparse
import json
import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from roundtap_devices.boards import FACINGS, Board
from roundtap_units import unit_config
from roundtap_units.board_process import BoardProcess
from roundtap_units.link.hub_address import LocalKeyWatch
from roundtap_units.link.hub_time import mono_ms
from roundtap_units.table.screens.scenes import TextScene
from roundtap_units.table.screens.screens import draw_scene
from roundtap_units.unit_config import unit_words

KEYS = ("board", "facing", "practice")


@dataclass(frozen=True, slots=True)
class TableConfig(unit_config.UnitConfig):
    """practice: whether its hub is a practice hub."""

    board: Board
    practice: bool = False


def read_table_config(path: Path | None) -> TableConfig:
    """The configuration; ConfigError names the file, the key, and what would be right."""
    common, own = unit_config.read_unit_config(path, KEYS, "table")
    made = unit_config.configured_board(path, own)
    facing = own.get("facing", made.facing)
    if facing not in FACINGS:
        raise unit_config.ConfigError(f"{path}: facing: must be one of {', '.join(FACINGS)}, not {facing!r}")
    return TableConfig(**common, board=replace(made, facing=facing), practice=own.get("practice") is True)


def starting_scene(config: TableConfig, badge: str) -> TextScene:
    words = unit_words(config.language)
    return TextScene(
        kind="starting",
        facing=config.board.facing,
        badge=words(badge) if badge else "",
        title=words("starting.title"),
        big=words("starting.big"),
    )


def run(args: argparse.Namespace) -> int:
    return unit_config.run_unit("table", lambda: _run(read_table_config(args.config), args))


def _run(config: TableConfig, args: argparse.Namespace) -> bool:
    """Whether the unit has to restart: it gave up its key, goes to practise, or comes back."""
    config, is_guest = _as_guest(config)
    process = BoardProcess(config.board, config.folder, args)
    # What is virtual, or counts for nothing, is marked so on every screen.
    badge = "badge.practice" if config.practice else "badge.virtual" if args.panel else ""
    process.show_first(starting_scene(config, badge), draw_scene)
    # Imported late: on the smallest Pi this takes seconds, in which the screen would be dark.
    from roundtap_machine.disk import crash_point
    from roundtap_machine.health import MachineProbe
    from roundtap_units.link.hub_choice import UnitMemory, machine_fingerprint
    from roundtap_units.link.link import HubLink
    from roundtap_units.link.outbox import Outbox, StoredView, key_fingerprint, read_boot_id
    from roundtap_units.link.own_health import OwnHealth
    from roundtap_units.table.dialogue.dialogue import Dialogue
    from roundtap_units.table.enrol_table import enrol
    from roundtap_units.table.unit import TableDisk, TableHardware, TableUnit

    front, screen, stopping = process.front, process.screen, process.stopping
    memory = UnitMemory(config.folder / "unit.json", machine=machine_fingerprint())
    identity = config.identity()
    is_new = identity is None
    if identity is None:
        identity, config = enrol(config, config.board.facing, memory, process, badge)
    if identity is None:
        process.close()
        return config.local and not stopping.is_set()
    words = unit_words(config.language, config.board.joystick)
    outbox = Outbox(config.folder / "outbox.jsonl", crash_point(args.crash_at), key_fingerprint(identity.key))
    stored = StoredView(config.folder / "view.json", read_boot_id())
    health = OwnHealth(
        MachineProbe(config.folder, True),
        config.board.pins.keys(),
        lambda: not screen.blind,
        lacks=lambda: (front.input_fault, screen.reason),
    )
    link = HubLink(
        identity,
        outbox,
        process.receive,
        mono_ms,
        memory,
        stored.held_match,
        LocalKeyWatch("table").poll if config.local else lambda: None,
        health,
    )
    dialogue = Dialogue(words, config.board.facing, words(badge) if badge else "")
    unit = TableUnit(
        identity.unit,
        identity.key,
        dialogue,
        link,
        TableHardware(screen, front.signals, front, process.heard, health.press),
        TableDisk(outbox, stored, memory),
        now_ms=mono_ms(),
        heard_ms=mono_ms() if is_new else None,
    )
    # A key in the configuration file is changed there, and a key of this machine's hub renews itself.
    unit.troubles.can_enrol = identity.enrolled
    link.start()
    try:
        process.run(unit, lambda: unit.troubles.enrols or (unit.feed_ended if is_guest else unit.practice is not None))
    finally:
        link.stop()
        outbox.close()
        process.close()
    if unit.troubles.enrols:
        # The key stays on the disk until there is another one: the refusing machine may be no hub, and after a power
        # cut the key is tried again.
        os.environ[unit_config.REENROL_VARIABLE] = "1"
    elif not is_guest:
        os.environ[unit_config.PRACTICE_VARIABLE] = json.dumps(unit.practice)
    return not stopping.is_set()


def _as_guest(config: TableConfig) -> tuple[TableConfig, bool]:
    """The configuration of a process that has restarted in order to practise, and whether it has. It plays in an empty
    folder of its own, and its next start is its own again."""
    folder, order = config.folder / "practice", json.loads(os.environ.pop(unit_config.PRACTICE_VARIABLE, "null"))
    shutil.rmtree(folder, ignore_errors=True)
    if order is None:
        return config, False
    host, port, unit, key = order
    return replace(
        config, unit=unit, key=bytes.fromhex(key), hubs=((host, port),), folder=folder, local=False, practice=True
    ), True
