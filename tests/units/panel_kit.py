"""What the tests of the front panel share: a hub's word, presses, and a panel that plays them."""

from roundtap_core.messages import PanelView, StandbyState, UsbStick
from roundtap_devices.input.gestures import HOLD, TAP, Gesture
from roundtap_units.panel.panel_dialogue import ActionOutcome, PanelAction, PanelDialogue, make_scene
from roundtap_units.unit_config import unit_words

FINGERPRINT = " ".join(f"{number:04X}" for number in range(0xA1B0, 0xA1C0))
HUB = PanelView(
    "14:32",
    "http://10.42.0.1:8080",
    "https://10.42.0.1:8443",
    "roundtap.local",
    FINGERPRINT,
    (UsbStick("/media/stick", "current"),),
    running=True,
    trouble=False,
)
STANDBY = StandbyState("following", "http://10.42.0.1:8080", True)
HOTSPOT = ("Roundtap", "drei-Wege-2026")
READ_MS = 1500
"""So long somebody looks before they press."""


class Played:
    """A panel and the time; `hub` None: nobody has told it anything yet."""

    def __init__(self, hub: PanelView | None = HUB, language: str = "en") -> None:
        self.now_ms = 10_000
        self.panel = PanelDialogue(unit_words(language))
        self._last = PanelAction(0, "")
        if hub is not None:
            self.tell(hub)

    def tell(self, hub: PanelView) -> None:
        self.panel.on_contact(self.now_ms, hub=hub)

    def stand_by(self, said: StandbyState = STANDBY) -> None:
        self.panel.on_contact(self.now_ms, standby=said)

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
        """To a page of those that go around."""
        for _ in range(12):
            if self.panel.page == page:
                return
            self.press("▼")
        raise AssertionError(f"there is no {page}")

    @property
    def said(self) -> str:
        return make_scene(self.panel).all_text()

    def presses(self) -> list[PanelAction]:
        """What it wants done, since the last look."""
        made = self.panel.take_presses()
        self._last = made[-1] if made else self._last
        return made

    def steps(self) -> list[tuple[str, str]]:
        """The same, as (step, stick)."""
        return [(press.step, press.stick) for press in self.presses()]

    def answered(self, refused: str = "", pin: str = "") -> None:
        """What it wanted last is answered."""
        self.presses()
        self.panel.on_done(ActionOutcome(self._last.number, refused, pin=pin), self.now_ms)
