"""What is wrong with this unit itself: a card that fails, a damaged result, a hub that does not take its words."""

from __future__ import annotations

from roundtap_devices.input.gestures import HOLD, TAP, Gesture
from roundtap_units.table.dialogue.dialogue import Dialogue
from roundtap_units.table.screens.scenes import SIGNS, Scene

UNREAD_MS = 800
"""Nobody has read a page that stands there for less: a press then was meant for the one before."""
BLINK_MS = 500
IDENTIFY_MS = 6_000


class UnitFaults:
    """A page above everything but a called judge.

    `card` (nothing can be kept) and `twin` (another unit has this name) stay as long as they are true. `damaged`
    (lines of the outbox that nobody has read about), `refusal` ("key", "form", "often") and `pending` (a restored hub
    looks into a report) stay until somebody presses. Besides, the hub may ask it to show itself for some seconds.
    """

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self.card = False
        self.twin = False
        self.damaged = 0
        self.refusal: str | None = None
        self.pending = False
        self.can_enrol = False
        """Whether its key came by enrolling: then somebody who stands there may begin that again."""
        self.enrols = False
        """Somebody did."""
        self._identified = ("", 0)
        """The unit's name, and until when it shows itself."""
        self._read: set[str] = set()
        self._shown: tuple[str | None, int] = (None, 0)

    def refused(self, kind: str | None) -> None:
        """Why the hub does not take this unit's words; None: it does."""
        if kind != self.refusal:
            self._read.discard("refusal")
        self.refusal = kind

    def identify(self, unit: str, now_ms: int) -> None:
        """Somebody at the console wants to see which one it is."""
        self._identified = unit, now_ms + IDENTIFY_MS

    def identifies(self, now_ms: int) -> bool:
        return now_ms < self._identified[1]

    def asked(self, pending: bool) -> None:
        """Whether a restored hub looks into a report of this unit."""
        if pending and not self.pending:
            self._read.discard("pending")
        self.pending = pending

    @property
    def sending(self) -> str:
        """The text that takes the place of "sending…"; "" where that is true."""
        return "sending.refused" if self.refusal else ""

    def press(self, gesture: Gesture, now_ms: int) -> bool:
        """Whether the press was meant for a page of these, and goes no further."""
        kind = self._kind(now_ms)
        if kind is None or gesture.kind not in (TAP, HOLD):
            return kind is not None
        if kind == "identify":
            self._identified = ("", 0)
        elif now_ms - self._shown[1] >= UNREAD_MS:
            if kind == "damaged":
                self.damaged = 0
            if gesture.kind == HOLD and self._key_is_gone(kind):
                self.enrols = True
            self._read.add(kind)
        return True

    def scene(self, now_ms: int) -> Scene | None:
        """The page to show, if one is."""
        kind = self._kind(now_ms)
        if kind != self._shown[0]:
            self._shown = kind, now_ms
        if kind is None:
            return None
        table = self._dialogue.table
        words = table.words
        if kind == "identify":
            return table.page(kind, None, words("enrol.here"), self._identified[0], hint=words("any_key"))
        about = f"refusal.{self.refusal}" if kind == "refusal" else f"{kind}.line"
        if self._key_is_gone(kind):
            return table.page(kind, None, words(f"{kind}.title"), words(about),
                              hint=words("refusal.key.again", sign=SIGNS["a"]))
        hint = "seat.wrong_hint" if kind == "card" else "" if kind == "twin" else "any_key"
        return table.page(kind, None, words(f"{kind}.title"), words(about), hint=words(hint) if hint else "")

    def _key_is_gone(self, kind: str | None) -> bool:
        return kind == "refusal" and self.refusal == "key" and self.can_enrol

    def lamp(self, now_ms: int, blind: bool = False) -> bool:
        """The light blinks while nothing can be kept or shown: it is seen where the screen is not."""
        return (self.card or blind or self.identifies(now_ms)) and now_ms // BLINK_MS % 2 == 0

    def _kind(self, now_ms: int) -> str | None:
        if self._dialogue.call.shown(now_ms):
            return None
        if self.identifies(now_ms):
            return "identify"
        if self.twin or self.card:
            return "twin" if self.twin else "card"
        if self.damaged:
            return "damaged"
        for kind, there in (("refusal", self.refusal is not None), ("pending", self.pending)):
            if there and kind not in self._read:
                return kind
        return None
