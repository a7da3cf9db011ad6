"""Every page in every state, by the policy table: axe holds nothing against it in light and dark, it fits into 320 px
and at 200 % zoom, and what is to be pressed is large enough."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hall_kit import Hall, in_every_state, open_hall
from page_table import pages_of_everybody, pages_of_organizers, worth_a_look
from pages_kit import PIN
from screen_kit import DESK, NARROW, PHONE, WALL, ZOOMED, Screen


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with open_hall(tmp_path_factory.mktemp("hall")) as opened:
        in_every_state(opened)
        yield opened


def faults(screen: Screen, path: str) -> list[str]:
    """Everything that is wrong with the page that is open."""
    of = DESK if path.startswith(("/console", "/login")) else WALL if path.startswith("/wall") else PHONE
    found: list[str] = []
    screen.size(of)
    # The next step takes no press for a second, and looks like it.
    screen.until(lambda: not screen.all(".settling"), "the next step")
    found += screen.axe()
    screen.dark()
    found += [f"dark: {said}" for said in screen.axe("color-contrast")]
    screen.dark(False)
    screen.size(ZOOMED)
    found += [f"200 %: {said}" for said in screen.unfit()]
    screen.size(NARROW)
    found += [f"320 px: {said}" for said in screen.unfit()]
    found += [f"320 px: {said}" for said in screen.axe("color-contrast", "scrollable-region-focusable")]
    found += [f"too small: {said}" for said in screen.small()]
    return [f"{path}: {said}" for said in found]


@pytest.mark.parametrize("address", pages_of_everybody())
def test_a_page_of_everybody(hall: Hall, screen: Screen, address: str) -> None:
    found: list[str] = []
    for path in worth_a_look(hall.house.app.test_client(), hall, address):
        screen.open(hall.url + path)
        found += faults(screen, path)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("address", pages_of_organizers())
def test_a_page_of_those_who_run_the_event(hall: Hall, screen: Screen, address: str) -> None:
    found: list[str] = []
    screen.log_in(hall.url, PIN)
    for path in worth_a_look(hall.house.organizer().client, hall, address):
        screen.open(hall.url + path)
        # What is fetched on demand is a page of its own as well.
        screen.run("for (const one of document.querySelectorAll('details:not([data-open])')) one.open = true")
        found += faults(screen, path)
    assert not found, "\n".join(found)
