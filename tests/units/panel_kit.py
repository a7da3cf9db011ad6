"""What the tests of the front panel share: a hub's word, presses, and a panel that plays them."""

from __future__ import annotations

from dataclasses import replace

from roundtap_devices.input.gestures import HOLD, TAP, Gesture
from roundtap_units.panel.hub_says import CallSaid, ClockSaid, EventSaid, HubSaid, StandbySaid, Stick
from roundtap_units.panel.pages import scene_of
from roundtap_units.panel.panel_dialogue import AskHub, Effect, PanelDialogue
from roundtap_units.unit_words import unit_words

HUB_MS = 1_000_000
TOTAL_MS = 75 * 60_000
FINGERPRINT = " ".join(f"{number:04X}" for number in range(0xA1B0, 0xA1C0))
RUNNING = EventSaid("e1", "Winter Open", "Round 3", 7, ClockSaid("running", HUB_MS + 42 * 60_000, None, TOTAL_MS),
                    ("pause", "minute"), "clock.1")
PAUSED = replace(RUNNING, clock=ClockSaid("paused", None, 42 * 60_000, TOTAL_MS), offers=("resume", "minute"),
                 step="clock.2")
IDLE = replace(RUNNING, clock=ClockSaid("idle", None, TOTAL_MS, TOTAL_MS), offers=("start", "minute"), step="clock.0")
COUNTING = replace(RUNNING, clock=ClockSaid("counting", None, 30 * 60_000, TOTAL_MS), offers=("continue", "hold"),
                   step="clock.3")
OTHER = EventSaid("e2", "Side event", "", 0, None, (), "clock.9")
OLD_CALL = CallSaid("e1", "3.4", "", 12, HUB_MS - 130_000, False)
NEW_CALL = CallSaid("e1", "3.1", "", 1, HUB_MS - 30_000, False)
HUB = HubSaid("14:32", "http://10.42.0.1:8080", "https://10.42.0.1:8443", "roundtap.local", FINGERPRINT,
              (RUNNING, OTHER), (OLD_CALL, NEW_CALL), (Stick("/media/stick", "current"),), False)
STANDBY = StandbySaid("following", "http://10.42.0.1:8080", True)
HOTSPOT = ("Roundtap", "drei-Wege-2026")
READ_MS = 1500
"""So long somebody looks before they press."""


class Played:
    """A panel and the time; `hub` None: nobody has told it anything yet."""

    def __init__(self, hub: HubSaid | None = HUB, language: str = "en") -> None:
        self.now_ms = 10_000
        self.panel = PanelDialogue(unit_words(language))
        self._made: list[Effect] = []
        self._number = 0
        if hub is not None:
            self.tell(hub)

    def tell(self, hub: HubSaid) -> None:
        self.panel.on_hub(hub, HUB_MS + self.now_ms - 10_000, self.now_ms)

    def stand_by(self, said: StandbySaid = STANDBY) -> None:
        self.panel.on_standby(said, self.now_ms)

    def wait(self, ms: int, hub: bool = True) -> None:
        """Time passes, and the hub (or standby) is heard each second."""
        for _ in range(ms // 1000):
            self.now_ms += 1000
            if hub and self.panel.hub is not None:
                self.tell(self.panel.hub)
            elif hub and self.panel.standby is not None:
                self.stand_by(self.panel.standby)
            self.panel.tick(self.now_ms)
        self.now_ms += ms % 1000
        self.panel.tick(self.now_ms)

    def press(self, keys: str, read_ms: int = READ_MS) -> None:
        """▲ ▼ ● ■ as letters; ◉ is ● held. Somebody reads before each."""
        for key in keys:
            self.wait(read_ms)
            named = {"▲": "up", "▼": "down", "●": "a", "◉": "a", "■": "b"}[key]
            self.panel.on_gesture(Gesture(HOLD if key == "◉" else TAP, named, self.now_ms), self.now_ms)

    def go(self, page: str) -> None:
        """To a page of the top."""
        for _ in range(8):
            if self.panel.page == page:
                return
            self.press("▼")
        raise AssertionError(f"there is no {page}")

    @property
    def said(self) -> str:
        return scene_of(self.panel, self.now_ms).says()

    def effects(self) -> list[Effect]:
        """What it wants done, since the last look."""
        made, self._made = [*self._made, *self.panel.take_effects()], []
        self._number = made[-1].number if made else self._number
        return made

    def steps(self) -> list[dict]:
        """What was asked of the hub since."""
        return [dict(effect.step) for effect in self.effects() if isinstance(effect, AskHub)]

    def answered(self, refused: str = "", **shown: str) -> None:
        """What it wanted last is answered."""
        self._made = self.effects()
        self.panel.on_done(self._number, refused, shown, self.now_ms)
