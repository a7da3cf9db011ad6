"""The front panel's dialogue: a pure state machine of pages, on the caller's clock.

▲ ▼ go around, ● leads further, ■ leads back. What changes something stands on a page of its own and wants ● held, by
somebody who has had the time to read it; what ends the hub, or makes one, is asked twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from roundtap_core.messages import PanelView, StandbyState
from roundtap_core.words import Words
from roundtap_devices.input.gestures import HOLD, REPEAT, TAP, Gesture

NOBODY, ADDRESS, STANDBY = "nobody", "address", "standby"
"""The first page, by who is heard: nobody, the hub, or a standby."""
HOTSPOT, TRUST, EJECT_ASK, PIN_ASK, TURN_ASK, OFF_ASK = (
    "hotspot", "trust", "eject-ask", "pin-ask", "turn-ask", "off-ask")
PLAYERS_QR, CONSOLE_QR, HOTSPOT_QR, TURN_SURE, OFF_SURE = (
    "players-qr", "console-qr", "hotspot-qr", "turn-sure", "off-sure")
WAITING, PIN_SHOWN, SAID, OFF = "waiting", "pin-shown", "said", "off"

FURTHER: Mapping[str, str] = {
    ADDRESS: PLAYERS_QR, PLAYERS_QR: CONSOLE_QR, CONSOLE_QR: ADDRESS, HOTSPOT: HOTSPOT_QR, HOTSPOT_QR: HOTSPOT,
    TURN_ASK: TURN_SURE, OFF_ASK: OFF_SURE,
}
"""Where ● leads."""
ABOVE: Mapping[str, str] = {
    PLAYERS_QR: ADDRESS, CONSOLE_QR: ADDRESS, HOTSPOT_QR: HOTSPOT, TURN_SURE: TURN_ASK, OFF_SURE: OFF_ASK,
}
"""Where ■ leads; from everywhere else to the first page."""
EJECT, NEW_PIN, TURN, POWER_OFF = "eject", "pin", "turn", "power-off"
DOES: Mapping[str, str] = {EJECT_ASK: EJECT, PIN_ASK: NEW_PIN, TURN_SURE: TURN, OFF_SURE: POWER_OFF}
"""What ● does where it is held."""
DONE: Mapping[str, str] = {EJECT: "panel.pull_out", TURN: "panel.turned"}

UNREAD_MS = 900
"""Nobody has read a question that stands there for less."""
IDLE_MS, PIN_MS, SAID_MS = 90_000, 180_000, 20_000
"""So long a page stands there by itself."""
AWAY_MS = 6000
"""So long without the hub's word: it is away."""
ANSWER_MS = 32_000
OK, BACK, UP, DOWN = "a", "b", "up", "down"


@dataclass(frozen=True, slots=True)
class Press:
    """To be done once: EJECT of a stick and NEW_PIN by the hub, TURN by the standby, POWER_OFF by root."""

    number: int
    step: str
    stick: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a press: `refused` in the hub's words; `trouble`, the key of a text where nobody said; a new
    `pin`."""

    number: int
    refused: str = ""
    trouble: str = ""
    pin: str = ""


@dataclass
class PanelDialogue:
    """`words`: the panel's texts. Times are the panel's monotonic milliseconds."""

    words: Words
    page: str = NOBODY
    stick: str = ""
    """Of which EJECT_ASK speaks."""
    hub: PanelView | None = None
    standby: StandbyState | None = None
    hotspot: tuple[str, str] | None = None
    """Name and password of the hub's own access point."""
    pin: str = ""
    said: str = ""
    _heard_ms: int = 0
    _page_ms: int = 0
    _press: Press = Press(0, "")
    _pin_asked: int = 0
    _presses: list[Press] = field(default_factory=list)

    def on_hub(self, said: PanelView, now_ms: int) -> None:
        self.hub, self.standby, self._heard_ms = said, None, now_ms
        self._look(now_ms)

    def on_standby(self, said: StandbyState, now_ms: int) -> None:
        self.hub, self.standby, self._heard_ms = None, said, now_ms
        self._look(now_ms)

    def on_done(self, done: Done, now_ms: int) -> None:
        if done.pin and done.number == self._pin_asked:
            # However late: it counts already, and stands nowhere else.
            self._pin_asked, self.pin = 0, done.pin
            self._go(now_ms, PIN_SHOWN)
        elif self.page != WAITING or done.number != self._press.number:
            return
        elif done.refused or done.trouble:
            self._say(done.refused or self.words(done.trouble), now_ms)
        elif self._press.step == POWER_OFF:
            self._go(now_ms, OFF)
        else:
            self._say(self.words(DONE.get(self._press.step, "panel.no_answer"), stick=self._press.stick), now_ms)

    def on_gesture(self, gesture: Gesture, now_ms: int) -> None:
        """A press, at the moment it was made."""
        self._look(now_ms)
        if gesture.kind not in (TAP, HOLD, REPEAT) or self.page in (WAITING, OFF):
            return
        ring, here = self.ring(), (self.page, self.stick)
        if gesture.key in (UP, DOWN) and here in ring:
            by = -1 if gesture.key == UP else 1
            self._go(now_ms, *ring[(ring.index(here) + by) % len(ring)])
        elif gesture.key == BACK:
            self._go(now_ms, ABOVE.get(self.page, ring[0][0]))
        elif gesture.key == OK:
            self._yes(gesture.kind == HOLD, now_ms)
        self._look(now_ms)

    def tick(self, now_ms: int) -> None:
        """Pages that nobody reads any more go back; an answer that does not come is told."""
        self._look(now_ms)
        stood_ms = now_ms - self._page_ms
        if self.page == WAITING:
            if stood_ms >= ANSWER_MS:
                self._say(self.words("panel.no_answer"), now_ms)
        elif self.page != OFF and stood_ms >= {PIN_SHOWN: PIN_MS, SAID: SAID_MS}.get(self.page, IDLE_MS):
            self._go(now_ms, self.ring()[0][0])

    def take_presses(self) -> list[Press]:
        taken, self._presses = self._presses, []
        return taken

    def ring(self) -> list[tuple[str, str]]:
        """What ▲ ▼ go through now: pages, and the stick of which one speaks."""
        hub, standby = self.hub, self.standby
        ring = [(ADDRESS if hub is not None else STANDBY if standby is not None else NOBODY, "")]
        if self.hotspot is not None:
            ring.append((HOTSPOT, ""))
        if hub is not None:
            if hub.fingerprint:
                ring.append((TRUST, ""))
            ring += [(EJECT_ASK, stick) for stick in hub.to_let_go]
            ring.append((PIN_ASK, ""))
        if standby is not None:
            ring.append((TURN_ASK, ""))
        return [*ring, (OFF_ASK, "")]

    def _yes(self, held: bool, now_ms: int) -> None:
        page = self.page
        further = FURTHER.get(page, page)
        if further in DOES and now_ms - self._page_ms < UNREAD_MS:
            return
        if further != page:
            self._go(now_ms, further)
        elif page in DOES and held:
            self._press = Press(self._press.number + 1, DOES[page], self.stick)
            self._presses.append(self._press)
            if page == PIN_ASK:
                self._pin_asked = self._press.number
            self._go(now_ms, WAITING)

    def _say(self, text: str, now_ms: int) -> None:
        self.said = text
        self._go(now_ms, SAID)

    def _look(self, now_ms: int) -> None:
        """A page of what is not there any more is left."""
        if now_ms - self._heard_ms >= AWAY_MS:
            self.hub = self.standby = None
        ring = self.ring()
        if self.page == CONSOLE_QR:
            there = self.hub is not None and self.hub.console != ""
        elif self.page == TURN_SURE:
            there = self.standby is not None and self.standby.level
        else:
            there = self.page in (WAITING, PIN_SHOWN, SAID, OFF) or (
                ABOVE.get(self.page, self.page), self.stick) in ring
        if not there:
            self._go(now_ms, ring[0][0])

    def _go(self, now_ms: int, page: str, stick: str = "") -> None:
        if page != PIN_SHOWN:
            self.pin = ""
        self.page, self.stick, self._page_ms = page, stick, now_ms
