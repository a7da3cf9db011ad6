"""Faults of the unit itself: a failing card, a damaged result, a hub that refuses its messages."""

from roundtap_devices.input.gestures import HOLD, TAP, Gesture
from roundtap_units.table.dialogue.dialogue import Dialogue
from roundtap_units.table.screens.scenes import SIGNS, Scene

UNREAD_MS = 800  # a page shown for less than this cannot have been read: a press then was meant for the one before
BLINK_MS = 500
IDENTIFY_MS = 6_000


class UnitFaults:
    """A page above everything but a called judge. `card` (why nothing can be stored: `Outbox.fault`) and `duplicate`
    (another unit has this name) stay as long as they are true. `damaged` (unacknowledged spoilt lines of the outbox),
    `refusal` ("key", "form", "often") and `pending` (a restored hub examines a report) stay until a button is pressed.
    Besides, the hub may ask the unit to show itself for some seconds."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self.card = ""
        self.duplicate = False
        self.damaged = 0
        self.refusal: str | None = None
        self.pending = False
        self.can_enrol = False  # whether its key came by enrolling: then a press may start that again
        self.enrols = False  # a press has started it
        self._identified = ("", 0)  # the unit's name, and until when it shows itself
        self._read: set[str] = set()
        self._shown: tuple[str | None, int] = (None, 0)

    def set_refusal(self, kind: str | None) -> None:
        """Why the hub refuses this unit's messages; None: it does not."""
        if kind != self.refusal:
            self._read.discard("refusal")
        self.refusal = kind

    def identify(self, unit: str, now_ms: int) -> None:
        """An organizer at the console wants to see which unit this is."""
        self._identified = unit, now_ms + IDENTIFY_MS

    def is_identifying(self, now_ms: int) -> bool:
        return now_ms < self._identified[1]

    def set_pending(self, pending: bool) -> None:
        """Whether a restored hub examines a report of this unit."""
        if pending and not self.pending:
            self._read.discard("pending")
        self.pending = pending

    @property
    def sending(self) -> str:
        """The text instead of "sending…"; "" where "sending…" is right."""
        return "sending.refused" if self.refusal else ""

    def press(self, gesture: Gesture, now_ms: int) -> bool:
        """Whether the press was meant for one of these pages, and does nothing else."""
        kind = self._kind(now_ms)
        if kind is None or gesture.kind not in (TAP, HOLD):
            return kind is not None
        if kind == "identify":
            self._identified = ("", 0)
        elif now_ms - self._shown[1] >= UNREAD_MS:
            if kind == "damaged":
                self.damaged = 0
            if gesture.kind == HOLD and self._is_key_rejected(kind):
                self.enrols = True
            self._read.add(kind)
        return True

    def scene(self, now_ms: int) -> Scene | None:
        kind = self._kind(now_ms)
        if kind != self._shown[0]:
            self._shown = kind, now_ms
        if kind is None:
            return None
        table = self._dialogue.table
        words = table.words
        if kind == "identify":
            return table.page(kind, None, words("enrol.here"), self._identified[0], hint=words("any_key"))
        text = f"card.{self.card}" if kind == "card" else kind
        about = f"refusal.{self.refusal}" if kind == "refusal" else f"{text}.line"
        if self._is_key_rejected(kind):
            return table.page(
                kind, None, words(f"{kind}.title"), words(about), hint=words("refusal.key.again", sign=SIGNS["a"])
            )
        hint = "seat.wrong_hint" if kind == "card" else "" if kind == "twin" else "any_key"
        return table.page(kind, None, words(f"{text}.title"), words(about), hint=words(hint) if hint else "")

    def _is_key_rejected(self, kind: str | None) -> bool:
        return kind == "refusal" and self.refusal == "key" and self.can_enrol

    def lamp(self, now_ms: int, blind: bool = False) -> bool:
        """The light blinks while nothing can be stored or shown: it is seen where the screen is not."""
        return (bool(self.card) or blind or self.is_identifying(now_ms)) and now_ms // BLINK_MS % 2 == 0

    def _kind(self, now_ms: int) -> str | None:
        if self._dialogue.call.shown(now_ms):
            return None
        if self.is_identifying(now_ms):
            return "identify"
        if self.duplicate or self.card:
            return "twin" if self.duplicate else "card"
        if self.damaged:
            return "damaged"
        for kind, there in (("refusal", self.refusal is not None), ("pending", self.pending)):
            if there and kind not in self._read:
                return kind
        return None
