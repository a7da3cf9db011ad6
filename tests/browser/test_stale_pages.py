"""Pages whose hub is gone say so, legibly; pages that were left behind hold no connection; what no address is for."""

import pytest
from hall_kit import Hall
from pages_kit import PIN
from screen_kit import DESK, NARROW, PHONE, WALL, Screen, Size

LIVE: dict[str, Size] = {
    "/wall/{}": WALL,
    "/wall/{}?theme=dark": WALL,
    "/e/{}": PHONE,
    "/e/{}/p/p1": PHONE,
    "/e/{}/pairings": PHONE,
    "/e/{}/standings": PHONE,
    "/e/{}/bracket": PHONE,
    "/console/{}": DESK,
}


IN_SHORT = ("/wall/{}?theme=dark", "/e/{}/p/p1", "/console/{}")
"""One of each layout."""


@pytest.mark.parametrize(
    "path", [*IN_SHORT, *(pytest.param(path, marks=pytest.mark.long) for path in LIVE if path not in IN_SHORT)]
)
def test_a_page_without_its_hub_says_so_and_can_be_read(full_hall: Hall, screen: Screen, path: str) -> None:
    address = path.format(full_hall.events["bracket" if "bracket" in path else "troubles"])
    if path.startswith("/console"):
        screen.log_in(full_hall.url, PIN)
    screen.open(full_hall.url + address)
    screen.size(LIVE[path])
    screen.settle()
    # So long that the round's clock has seven figures, too.
    screen.go_stale(9000)
    screen.until(lambda: screen.all("body.stale"), "the page to know that it is old")
    sign = screen.one("#contact")
    assert sign.is_displayed()
    assert "150:" in sign.text
    found = screen.axe()
    screen.dark()
    found += [f"dark: {said}" for said in screen.axe("color-contrast")]
    screen.size(NARROW)
    found += [f"320 px: {said}" for said in screen.unfit()]
    assert not found, "\n".join(found)


def test_somebody_who_walks_through_many_pages_holds_one_connection(full_hall: Hall, screen: Screen) -> None:
    """A browser keeps pages that were left, and has six connections for one hub: kept feeds would stop it."""
    running = full_hall.events["running"]
    places = [
        f"/e/{running}",
        f"/e/{running}/pairings",
        f"/e/{running}/p/p1",
        f"/e/{running}/p/p2",
        f"/e/{running}/p/p3",
        f"/e/{running}/p/p4",
        f"/e/{running}/p/p5",
        f"/e/{running}/p/p6",
    ]
    for place in places:
        screen.open(full_hall.url + place)
        screen.until(lambda: full_hall.doors.listeners == 1, f"one feed at {place}")
    screen.driver.back()
    screen.until(lambda: screen.driver.current_url.endswith("/p/p5"), "the page before")
    screen.until(lambda: full_hall.doors.listeners == 1, "the feed of the page that is seen again")
    screen.until(lambda: not screen.all("body.stale"), "contact")


@pytest.mark.parametrize("path", ["/nowhere", "/e/nothing", "/login?wrong"])
def test_what_has_no_page_can_be_read(full_hall: Hall, screen: Screen, path: str) -> None:
    if "wrong" in path:
        screen.open(f"{full_hall.url}/login")
        screen.one("[name=pin]").send_keys("nonsense\n")
        screen.until(lambda: screen.all("[role=alert]"), "the answer")
    else:
        screen.open(full_hall.url + path)
    found = screen.axe()
    screen.size(NARROW)
    assert [*found, *screen.unfit(), *screen.small()] == []
