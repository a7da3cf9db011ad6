"""Pages in a real browser, by the policy table: they fit into 320 px and a screen at 200 % zoom, what is to be pressed
is large enough, and axe holds nothing against them. One page of each layout, in the state with most on it; with
`-m long` every page in each state, and in the dark, too. Of the layouts each run looks at another third."""

from random import Random

import pytest
from flask.testing import FlaskClient
from hall_kit import Hall
from page_table import pages_of_everybody, pages_of_organizers, richest, seen_as
from pages_kit import PIN
from screen_kit import DESK, NARROW, PHONE, WALL, ZOOMED, Screen


def faults(screen: Screen, path: str, whole: bool) -> list[str]:
    """Everything that is wrong with the page that is open; `whole`: colours in the dark, and colours and what
    scrolls at 320 px, too."""
    of = DESK if path.startswith(("/console", "/login")) else WALL if path.startswith("/wall") else PHONE
    found: list[str] = []
    screen.size(of)
    # The next step takes no press for a second, and looks like it.
    screen.settle()
    found += screen.axe()
    if whole:
        screen.dark()
        found += [f"dark: {said}" for said in screen.axe("color-contrast")]
        screen.dark(False)
    screen.size(ZOOMED)
    found += [f"200 %: {said}" for said in screen.unfit()]
    screen.size(NARROW)
    found += [f"320 px: {said}" for said in screen.unfit()]
    if whole:
        found += [f"320 px: {said}" for said in screen.axe("color-contrast", "scrollable-region-focusable")]
    found += [f"too small: {said}" for said in screen.small()]
    return [f"{path}: {said}" for said in found]


def looked_at(screen: Screen, hall: Hall, path: str, whole: bool = False) -> list[str]:
    screen.open(hall.url + path)
    if not path.startswith("/console"):
        # A page may have chosen a language for all that follow.
        screen.cdp("Network.clearBrowserCookies", {})
    else:
        # What is fetched on demand is a page of its own as well.
        screen.run("for (const one of document.querySelectorAll('details:not([data-open])')) one.open = true")
    return faults(screen, path, whole)


def of_everybody(hall: Hall, screen: Screen) -> FlaskClient:
    screen.stand_still()
    return hall.house.app.test_client()


def of_organizers(hall: Hall, screen: Screen) -> FlaskClient:
    screen.log_in(hall.url, PIN)
    screen.stand_still()
    return hall.house.organizer().client


def some(paths: list[str], chance: Random) -> list[str]:
    return chance.sample(paths, -(-len(paths) // 3))


def test_pages_of_everybody(full_hall: Hall, screen: Screen, chance: Random) -> None:
    client = of_everybody(full_hall, screen)
    found = [
        said
        for path in some(richest(client, full_hall, pages_of_everybody()), chance)
        for said in looked_at(screen, full_hall, path)
    ]
    assert not found, "\n".join(found)


def test_pages_of_those_who_run_the_event(full_hall: Hall, screen: Screen, chance: Random) -> None:
    client = of_organizers(full_hall, screen)
    found = [
        said
        for path in some(richest(client, full_hall, pages_of_organizers()), chance)
        for said in looked_at(screen, full_hall, path)
    ]
    assert not found, "\n".join(found)


@pytest.mark.long
@pytest.mark.parametrize("address", pages_of_everybody())
def test_a_page_of_everybody_in_every_state(full_hall: Hall, screen: Screen, address: str) -> None:
    client = of_everybody(full_hall, screen)
    found = [
        said for path in seen_as(client, full_hall, address) for said in looked_at(screen, full_hall, path, whole=True)
    ]
    assert not found, "\n".join(found)


@pytest.mark.long
@pytest.mark.parametrize("address", pages_of_organizers())
def test_a_page_of_those_who_run_the_event_in_every_state(full_hall: Hall, screen: Screen, address: str) -> None:
    client = of_organizers(full_hall, screen)
    found = [
        said for path in seen_as(client, full_hall, address) for said in looked_at(screen, full_hall, path, whole=True)
    ]
    assert not found, "\n".join(found)
