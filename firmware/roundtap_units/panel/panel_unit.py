"""The front panel without its process: buttons, dialogue, link and screen, joined by steps that own the time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from roundtap_devices.display.screen import Screen
from roundtap_devices.input.edges import Edge
from roundtap_devices.input.gestures import Gesture
from roundtap_units.fault_log import FaultLog
from roundtap_units.panel.pages import scene_of
from roundtap_units.panel.panel_dialogue import AROUND, OFF_SURE, TURN_SURE, Effect, PanelDialogue
from roundtap_units.panel.panel_drawing import draw_panel
from roundtap_units.panel.panel_link import AWAY, UNKNOWN, Done
from roundtap_units.panel.panel_scenes import PanelScene
from roundtap_units.table.screen_rest import ScreenRest

log = logging.getLogger(__name__)

LONGEST_SLEEP_MS = 1000
UNSOUND_MS = 10_000


class Hands(Protocol):
    """Edges to gestures: `devices/roundtap_devices/input`."""

    def step(self, now_ms: int, edges: Iterable[Edge] = ()) -> list[Gesture]: ...

    def due_ms(self) -> int | None: ...


class PanelUnit:
    """Call `step(now_ms, items)` with what came in. do: told each effect, and must only enqueue. heard: the text of
    each new screen. blind: told whether there is a screen, whenever that changes.

    While nobody can read the screen no press counts. Nothing that comes in ends it.
    """

    def __init__(self, dialogue: PanelDialogue, screen: Screen, hands: Hands, do: Callable[[Effect], None],
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
        for effect in self.dialogue.take_effects():
            self._do(effect)
        if self._guarded(self._draw, now_ms):
            self._sound_ms = now_ms

    def sound(self, now_ms: int) -> bool:
        """Whether it came through a whole step lately: what its watchdog is told."""
        return self._sound_ms is not None and now_ms - self._sound_ms < UNSOUND_MS

    def due_ms(self, now_ms: int) -> int:
        """When `step` must be called next even if nothing comes in: the shown seconds turn."""
        due = [now_ms + LONGEST_SLEEP_MS - self.dialogue.hub_ms(now_ms) % 1000]
        if (hands_due := self._hands.due_ms()) is not None:
            due.append(hands_due)
        return max(now_ms, min(due))

    def _from_link(self, kind: str, value: Any) -> None:
        panel = self.dialogue
        if kind == "hub":
            said, hub_ms = value
            panel.on_hub(said, hub_ms, self._now_ms)
        elif kind == "standby":
            panel.on_standby(value, self._now_ms)
        elif kind == "hotspot":
            panel.hotspot = value
        elif kind == "done":
            panel.on_done(value.number, self._why(value), value.shown, self._now_ms)

    def _why(self, done: Done) -> str:
        words = self.dialogue.words
        if done.trouble == AWAY:
            return words("panel.away.what")
        if done.trouble == UNKNOWN:
            return words("panel.no_answer")
        if done.trouble:
            return words("panel.turn.failed" if self.dialogue.waits_for == TURN_SURE else
                         "panel.off.failed" if self.dialogue.waits_for == OFF_SURE else "panel.no_answer")
        return done.refused

    def _draw(self, now_ms: int) -> None:
        scene = scene_of(self.dialogue, now_ms)
        if scene != self._scene:
            self._image, self._scene = draw_panel(scene), scene
            self._heard(scene.says())
        if self._is_to_be_read(now_ms):
            self._rest.busy(now_ms)
        self._screen.light(self._rest.level(now_ms))
        # Shown every time: after a failure the screen tries again with a new display.
        self._screen.show(self._image, now_ms)

    def _is_to_be_read(self, now_ms: int) -> bool:
        """Whether there is more to read than that all is well: a round, a call, no contact, a question."""
        panel, hub = self.dialogue, self.dialogue.hub
        return panel.page not in AROUND or panel.away(now_ms) or (hub is not None and (
            hub.trouble or bool(hub.calls) or any(each.clock is not None for each in hub.events)))

    def _guarded(self, action: Callable[..., None], *told: Any) -> bool:
        """Whatever a strange word leads to: the panel goes on. Whether it went well."""
        try:
            action(*told)
        except Exception:
            self._faults.told("a step came to nothing")
            return False
        return True
