"""A table unit without a key: what its screen says in every language, what its buttons do, and how it is found."""

from functools import cache

import pytest

from roundtap_core.words import LANGUAGES
from roundtap_devices.input.gestures import Edge
from roundtap_units.link.enrolling import BUSY, CHECKING, CODE, DONE, LOOKING, STOPPED, WRONG, EnrolProgress
from roundtap_units.table.enrol_table import DONE_MS, EnrolTable
from roundtap_units.table.screens import lettering, screens
from roundtap_units.unit_config import unit_words

HUB = "roundtap-of-a-very-long-name"
SHOWN = [
    EnrolProgress(LOOKING),
    EnrolProgress(CODE, HUB, 17, "345678", 60_000),
    EnrolProgress(CHECKING, HUB),
    EnrolProgress(WRONG, HUB, wrong=1),
    EnrolProgress(CODE, HUB, 88, "888888", 60_000, identify=True),
    EnrolProgress(STOPPED, HUB, wrong=10),
    EnrolProgress(BUSY, HUB),
    EnrolProgress(DONE, HUB, unit="table-100"),
]


class Hands:
    """Buttons, lamp and what is shown, all by hand."""

    def __init__(
        self, showing: EnrolProgress, language: str = "en", badge: str = "", address: str = "10.0.0.9"
    ) -> None:
        self.showing = showing
        self.done: list[str] = []
        self.lamps: list[bool] = []
        self.says = ""
        self.table = EnrolTable(
            self,
            language,
            cache(unit_words),
            "opposite",
            lambda words: words(badge) if badge else "",
            self,
            self,
            self.heard,
            self.done.append,
            lambda: address,
        )  # type: ignore[arg-type]
        self.now_ms = 0

    def resume(self) -> None:
        self.done.append("go on")

    def skip_hub(self) -> None:
        self.done.append("other hub")

    def lamp(self, on: bool) -> None:
        self.lamps.append(on)

    def beep(self, now_ms: int, length_ms: int = 0) -> None:
        self.done.append("beep")

    def tick(self, now_ms: int) -> None: ...

    def show(self, image: object, now_ms: int) -> None: ...

    def set_brightness(self, level: int) -> None: ...

    def heard(self, text: str) -> None:
        self.says = text

    def press(self, key: str, held_ms: int = 60) -> None:
        self.table.step(self.now_ms, [Edge(key, True, self.now_ms)])
        for _ in range(held_ms // 20):
            self.now_ms += 20
            self.table.step(self.now_ms)
        self.table.step(self.now_ms, [Edge(key, False, self.now_ms)])
        self.now_ms += 50
        self.table.step(self.now_ms)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("badge", ["", "badge.virtual"])
def test_every_text_fits(language: str, badge: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_lines, unfit = screens._lines, []

    def noted(pen: object, text: object, *where: object, **how: object) -> None:
        if not text.fits:  # type: ignore[attr-defined]
            unfit.append(text)
        set_lines(pen, text, *where, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(screens, "_lines", noted)
    for showing, address in ((SHOWN[0], ""), *((each, "10.0.0.9") for each in SHOWN)):
        hands = Hands(showing, language, badge, address)
        hands.table.step(0)
        assert hands.says
    assert unfit == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_way_to_another_key_fits_beneath_a_page(language: str) -> None:
    assert lettering.fit_text(unit_words(language)("refusal.key.again", sign="●"), 128, 15, screens.PRESSED).fits


def test_the_code_stands_there_with_its_number_the_hub_and_the_seconds_left() -> None:
    hands = Hands(EnrolProgress(CODE, "roundtap", 17, "345678", 60_000))
    hands.table.step(18_500)
    assert hands.says == "Type on the console | 17  345 678 | roundtap: 42 s | ▲▼ English"


def test_without_a_network_it_says_so_instead_of_asking_for_a_hub() -> None:
    """As in a shop whose Wi-Fi is 5 GHz only, which a Zero 2 W does not see."""
    hands = Hands(EnrolProgress(LOOKING), address="")
    hands.table.step(0)
    assert hands.says == "Looking for a hub | No network. Check wifi in roundtap.txt: 2.4 GHz? | ▲▼ English"
    hands = Hands(EnrolProgress(LOOKING))
    hands.table.step(0)
    assert "Is it on, and on this network?" in hands.says


def test_who_stands_there_chooses_the_language() -> None:
    hands = Hands(EnrolProgress(CODE, "roundtap", 17, "345678", 60_000))
    hands.press("down")
    assert (hands.done, hands.table.language) == (["es"], "es")
    assert hands.says.startswith("Escribe en la consola")
    hands.press("up")
    hands.press("up")
    assert hands.done == ["es", "en", "pl"]


def test_a_held_button_looks_for_another_hub() -> None:
    hands = Hands(EnrolProgress(CODE, "roundtap", 17, "345678", 60_000))
    hands.press("a", 800)
    assert hands.done == ["other hub"]


def test_after_too_many_wrong_codes_any_press_goes_on() -> None:
    hands = Hands(EnrolProgress(STOPPED, "roundtap", wrong=10))
    hands.press("b")
    assert hands.done == ["go on"]


def test_identified_it_blinks_and_beeps() -> None:
    hands = Hands(EnrolProgress(CODE, "roundtap", 17, "345678", 60_000, identify=True))
    for now_ms in range(0, 1000, 50):
        hands.table.step(now_ms)
    assert (hands.lamps.count(True), hands.done) == (10, ["beep", "beep"])
    hands.showing = EnrolProgress(CODE, "roundtap", 17, "345678", 60_000)
    hands.table.step(1050)
    assert hands.lamps[-1] is False


def test_with_its_key_it_says_its_name_for_a_moment_and_goes_to_work() -> None:
    hands = Hands(EnrolProgress(DONE, "roundtap", unit="table-7"))
    hands.table.step(1000)
    assert hands.says == "This unit is now | table-7 | roundtap"
    assert not hands.table.is_finished(1000 + DONE_MS - 1)
    assert hands.table.is_finished(1000 + DONE_MS)
