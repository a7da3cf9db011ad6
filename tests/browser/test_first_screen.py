"""On a player's phone, everything there is to press next lies on the first screen, in every state and language."""

from collections.abc import Iterator

import pytest
from hall_kit import Hall, open_hall
from phone_states import PhoneState, every_state
from screen_kit import Screen, Size

from roundtap_core.words import LANGUAGES

WITH_BARS = Size(390, 664)
"""What a browser's bars leave of a common phone's 844 px."""

BELOW = """
// Everything to be pressed here that the first screen does not show whole.
return arguments[0].flatMap((selector) => [...document.querySelectorAll(selector)]).filter((one) => {
    const {top, bottom} = one.getBoundingClientRect();
    return one.checkVisibility() && (top < 0 || bottom > innerHeight);
}).map((one) => `${Math.round(one.getBoundingClientRect().bottom)} px: ${one.textContent.trim() || one.name}`);
"""
SHOWN = "return arguments[0].filter((one) => document.querySelector(one)).length"
LARGEST = """
// The largest letters on the page, and whether the table's number is written in them.
const sizes = [...document.querySelectorAll("main *")].filter((one) => one.checkVisibility() && one.textContent.trim())
    .map((one) => [parseFloat(getComputedStyle(one).fontSize), one.matches(".seat-table b")]);
return sizes.reduce((most, one) => one[0] > most[0] ? one : most);
"""


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hall, list[PhoneState]]]:
    with open_hall(tmp_path_factory.mktemp("hall")) as hall:
        yield hall, every_state(hall)


@pytest.mark.parametrize(
    "language", [pytest.param(one, marks=() if one == "de" else pytest.mark.long) for one in LANGUAGES]
)
def test_what_to_press_next_is_on_the_first_screen(
    states: tuple[Hall, list[PhoneState]], screen: Screen, language: str
) -> None:
    hall, of_phones = states
    screen.language(language)
    screen.size(WITH_BARS)
    below: list[str] = []
    for name, path, presses in of_phones:
        screen.open(hall.url + path)
        assert not presses or screen.run(SHOWN, presses), f"{name}: there is nothing to press"
        below += [f"{name}: {said}" for said in screen.run(BELOW, presses)]
    assert not below, "\n".join(below)


def test_nothing_is_larger_than_the_own_table(states: tuple[Hall, list[PhoneState]], screen: Screen) -> None:
    hall, of_phones = states
    screen.size(WITH_BARS)
    [path] = [path for name, path, _ in of_phones if name == "playing"]
    screen.open(hall.url + path)
    size, is_table = screen.run(LARGEST)
    assert is_table
    assert size >= 80
