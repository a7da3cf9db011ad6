"""The front panel without its process: buttons, dialogue, link and screen, joined by steps that own the time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from roundtap_devices.display.screen import Screen
from roundtap_devices.input.edges import Edge
from roundtap_devices.input.hands import Hands
from roundtap_units.fault_log import FaultLog
from roundtap_units.panel.pages import PanelScene, scene_of
from roundtap_units.panel.panel_dialogue import ADDRESS, STANDBY, PanelDialogue, Press
from roundtap_units.panel.panel_drawing import draw_panel
from roundtap_units.table.screen_rest import ScreenRest

log = logging.getLogger(__name__)

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
