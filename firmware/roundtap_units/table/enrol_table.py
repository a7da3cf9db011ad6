"""A table unit without a key: its screen shows what to type at the hub, its buttons choose language and hub."""

import contextlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, partial
from typing import TypeVar

from roundtap_core.words import LANGUAGES, Words
from roundtap_devices.display.screen import Screen
from roundtap_devices.display.signals import Signals
from roundtap_devices.input.gestures import ARROWS, HOLD, TAP, Gesture
from roundtap_devices.input.late_edges import EdgeReorder
from roundtap_machine.addresses import own_address
from roundtap_units.board_process import BoardProcess, BoardUnit
from roundtap_units.link.enrolling import (
    BUSY,
    CHECKING,
    CODE,
    DONE,
    STOPPED,
    WRONG,
    EnrolClient,
    EnrolProgress,
    enrolled_address,
    save_enrolled,
)
from roundtap_units.link.hub_address import HubAddress, has_local_key
from roundtap_units.link.hub_choice import UnitMemory
from roundtap_units.link.hub_time import mono_ms
from roundtap_units.table.screens.scenes import TextScene
from roundtap_units.table.screens.screens import draw_scene
from roundtap_units.unit_config import UnitConfig, save_language, unit_words

Config = TypeVar("Config", bound=UnitConfig)

STEP_MS = 200
BLINK_MS = 250
BEEP_MS = 80
HUB_LETTERS = 14
DONE_MS = 2500  # how long the screen shows the unit's name before it goes to work


class EnrolTable(BoardUnit):
    """languages: returns the words of each; keep_language: called with the chosen one; address: this machine's, ""
    where it is on no network."""

    def __init__(
        self,
        asking: EnrolClient,
        language: str,
        languages: Callable[[str], Words],
        facing: str,
        badge: Callable[[Words], str],
        screen: Screen,
        signals: Signals,
        heard: Callable[[str], None],
        keep_language: Callable[[str], None],
        address: Callable[[], str] = own_address,
    ) -> None:
        super().__init__(screen, EdgeReorder(), heard)
        self._client = asking
        self.language = language
        self._languages = languages
        self._facing = facing
        self._badge = badge
        self._signals = signals
        self._keep_language = keep_language
        self._address = address
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
        hub, code = showing.hub[:HUB_LETTERS], f"{showing.number}  {showing.code[:3]} {showing.code[3:]}"
        title, big, line = {
            CODE: (
                words("enrol.here" if showing.identify else "enrol.title"),
                code,
                words("enrol.left", hub=hub, s=left_s),
            ),
            CHECKING: (words("enrol.checking"), "", hub),
            WRONG: (words("enrol.wrong"), "", words("enrol.wrong.line")),
            STOPPED: (words("enrol.stopped"), "", words("enrol.stopped.line")),
            BUSY: (words("enrol.busy"), "", words("enrol.busy.line")),
            DONE: (words("enrol.done"), showing.unit, hub),
        }.get(
            showing.state,
            (words("enrol.looking"), "", words("enrol.looking.line" if self._address() else "enrol.no_network")),
        )
        hint = {STOPPED: words("any_key"), DONE: ""}.get(showing.state, f"▲▼ {words('enrol.language')}")
        return TextScene(
            kind="enrol", facing=self._facing, badge=self._badge(words), title=title, big=big, lines=(line,), hint=hint
        )

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


def enrol(
    config: Config, facing: str, memory: UnitMemory, process: BoardProcess, badge: str
) -> tuple[HubAddress | None, Config]:
    """(the unit's identity once enrolled, the configuration with the language chosen meanwhile). None where it was
    stopped, or where a hub on this machine now has a key for it (`config.local`)."""
    asking = EnrolClient(
        "table", memory.unit_id, partial(save_enrolled, config.folder), mono_ms, config.hubs, config.unit
    )
    table = EnrolTable(
        asking,
        config.language,
        cache(unit_words),
        facing,
        lambda words: words(badge) if badge else "",
        process.screen,
        process.front.signals,
        process.heard,
        partial(save_language, config.folder),
    )
    threading.Thread(target=asking.run, name="enrolling", daemon=True).start()
    here = has_local_key("table")
    process.run(table, lambda: table.is_finished(mono_ms()) or (not here and has_local_key("table")))
    asking.stop()
    config = replace(config, language=table.language)
    if asking.enrolled is None:
        return None, replace(config, local=not here and has_local_key("table"))
    return enrolled_address(asking.enrolled, config.hubs), config
