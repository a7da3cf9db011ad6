"""`roundtap table`: run one table unit, on the Pi's pins or on virtual ones."""

import argparse
import contextlib
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from roundtap_core.words import LANGUAGES, Words
from roundtap_devices.boards import FACINGS, Board
from roundtap_devices.display.screen import Screen
from roundtap_devices.display.signals import Signals
from roundtap_devices.input.gestures import ARROWS, HOLD, TAP, Gesture
from roundtap_devices.input.late_edges import EdgeReorder
from roundtap_units import unit_config
from roundtap_units.board_process import BoardProcess, BoardUnit
from roundtap_units.link.enrolling import BUSY, CHECKING, CODE, DONE, STOPPED, WRONG, EnrolClient, EnrolProgress
from roundtap_units.link.hub_choice import UnitMemory, machine_fingerprint
from roundtap_units.link.hub_time import mono_ms
from roundtap_units.link.identity import HubAddress, LocalKeyWatch, enrolled_address, has_local_key, save_enrolled
from roundtap_units.table.screens.scenes import TextScene
from roundtap_units.table.screens.screens import draw_scene
from roundtap_units.unit_words import unit_words

STEP_MS = 200
BLINK_MS = 250
BEEP_MS = 80
HUB_LETTERS = 14
DONE_MS = 2500  # how long the screen shows the unit's name before it goes to work


class EnrolTable(BoardUnit):
    """languages: returns the words of each; keep_language: called with the chosen one."""

    def __init__(self, asking: EnrolClient, language: str, languages: Callable[[str], Words], facing: str,
                 badge: Callable[[Words], str], screen: Screen, signals: Signals, heard: Callable[[str], None],
                 keep_language: Callable[[str], None]) -> None:
        super().__init__(screen, EdgeReorder(), heard)
        self._client = asking
        self.language = language
        self._languages = languages
        self._facing = facing
        self._badge = badge
        self._signals = signals
        self._keep_language = keep_language
        self._beeped = False
        self._done_ms: int | None = None

    def step(self, now_ms: int, items: Iterable[object] = ()) -> None:
        self._now_ms = self._healthy_ms = now_ms
        for gesture, _ in self._gestures(now_ms, self._edges(items)):
            self._press(gesture)
        showing = self._client.showing
        self._blink(showing, now_ms)
        self._show(self.page(showing, now_ms), draw_scene, True, now_ms)
        self._signals.tick(now_ms)
        if showing.state == DONE and self._done_ms is None:
            self._done_ms = now_ms

    def _wake_times(self, now_ms: int) -> list[int]:
        return [now_ms + STEP_MS]

    def is_finished(self, now_ms: int) -> bool:
        """Whether the unit has its key, and its name has been shown long enough to read."""
        return self._done_ms is not None and now_ms - self._done_ms >= DONE_MS

    def page(self, showing: EnrolProgress, now_ms: int) -> TextScene:
        words, left_s = self._languages(self.language), max(0, showing.until_ms - now_ms + 999) // 1000
        title, big, lines = words("enrol.looking"), "", (words("enrol.looking.line"),)
        hint = f"▲▼ {words('enrol.language')}"
        if showing.state == CODE:
            title = words("enrol.here" if showing.identify else "enrol.title")
            big = f"{showing.number}  {showing.code[:3]} {showing.code[3:]}"
            lines = (words("enrol.left", hub=showing.hub[:HUB_LETTERS], s=left_s),)
        elif showing.state == CHECKING:
            title, lines = words("enrol.checking"), (showing.hub[:HUB_LETTERS],)
        elif showing.state == WRONG:
            title, lines = words("enrol.wrong"), (words("enrol.wrong.line"),)
        elif showing.state == STOPPED:
            title, lines, hint = words("enrol.stopped"), (words("enrol.stopped.line"),), words("any_key")
        elif showing.state == BUSY:
            title, lines = words("enrol.busy"), (words("enrol.busy.line"),)
        elif showing.state == DONE:
            title, big, lines, hint = words("enrol.done"), showing.unit, (showing.hub[:HUB_LETTERS],), ""
        return TextScene(kind="enrol", facing=self._facing, badge=self._badge(words), title=title, big=big, lines=lines,
                    hint=hint)

    def _press(self, gesture: Gesture) -> None:
        if self._client.showing.state == STOPPED:
            self._client.resume()
        elif gesture.kind == HOLD:
            self._client.skip_hub()
        elif gesture.kind == TAP and gesture.key in ARROWS:
            at = LANGUAGES.index(self.language) + (1 if gesture.key == "down" else -1)
            self.language = LANGUAGES[at % len(LANGUAGES)]
            with contextlib.suppress(OSError):
                self._keep_language(self.language)

    def _blink(self, showing: EnrolProgress, now_ms: int) -> None:
        on = showing.identify and now_ms // BLINK_MS % 2 == 0
        self._signals.lamp(on)
        if on and not self._beeped:
            self._signals.beep(now_ms, BEEP_MS)
        self._beeped = on


KEYS = ("board", "facing", "practice")


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


def run(args: argparse.Namespace) -> int:
    return unit_config.run_unit("table", lambda: _run(read_table_config(args.config), args))


def _run(config: TableConfig, args: argparse.Namespace) -> bool:
    """Whether the unit has to restart: it gave up its key, goes to practise, or comes back."""
    from roundtap_machine.atomic_write import crash_point
    from roundtap_machine.health import MachineProbe
    from roundtap_units.link.checksum_lines import key_fingerprint
    from roundtap_units.link.link import HubLink
    from roundtap_units.link.outbox import Outbox
    from roundtap_units.link.own_health import OwnHealth
    from roundtap_units.link.stored_view import StoredView, read_boot_id
    from roundtap_units.table.dialogue.dialogue import Dialogue
    from roundtap_units.table.unit import TableUnit

    config, is_guest = _as_guest(config)
    process = BoardProcess(config.board, config.folder, args)
    front, screen, stopping = process.front, process.screen, process.stopping
    # What is virtual, or counts for nothing, is marked so on every screen.
    badge = "badge.practice" if config.practice else "badge.virtual" if process.panel else ""
    memory = UnitMemory(config.folder / "unit.json", machine=machine_fingerprint())
    identity = config.identity()
    if identity is None:
        identity, config = _enrolled(config, memory, process, badge)
    if identity is None:
        process.close()
        return config.local and not stopping.is_set()
    words = unit_words(config.language, config.board.joystick)
    outbox = Outbox(config.folder / "outbox.jsonl", crash_point(args.crash_at), key_fingerprint(identity.key))
    stored = StoredView(config.folder / "view.json", read_boot_id())
    health = OwnHealth(MachineProbe(config.folder, True), config.board.pins.keys(), lambda: not screen.blind,
                       lacks=lambda: (front.input_fault, screen.reason))
    link = HubLink(identity, outbox, process.receive, mono_ms, memory, stored.held_match,
                   LocalKeyWatch("table").poll if config.local else lambda: None, health)
    dialogue = Dialogue(words, config.board.facing, words(badge) if badge else "")
    unit = TableUnit(identity.unit, identity.key, dialogue, outbox, link, screen, front.signals, process.heard,
                     stored=stored, memory=memory, pressed=health.press, front=front, now_ms=mono_ms())
    # A key in the configuration file is changed there, and a key of this machine's hub renews itself.
    unit.troubles.can_enrol = identity.enrolled
    link.start()
    try:
        process.run(unit, lambda: unit.troubles.enrols or (
            unit.feed_ended if is_guest else unit.practice is not None))
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
    return replace(config, unit=unit, key=bytes.fromhex(key), hubs=((host, port),), folder=folder, local=False,
                   practice=True), True


def _enrolled(config: TableConfig, memory: UnitMemory, process: BoardProcess,
              badge: str) -> tuple[HubAddress | None, TableConfig]:
    """(the unit's identity once enrolled, the configuration with the language chosen meanwhile). None where it was
    stopped, or where a hub on this machine now has a key for it (`config.local`)."""
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


