"""A browser that is told that nothing is written into a page finds nothing to complain of."""

from hall_kit import Hall
from pages_kit import PIN
from screen_kit import Screen


def test_a_browser_finds_nothing_that_the_policy_forbids(full_hall: Hall, screen: Screen) -> None:
    event = full_hall.events["bracket"]
    screen.log_in(full_hall.url, PIN)
    for path in (
        "/console",
        f"/console/{event}",
        "/console/hub",
        f"/console/{event}/prizes",
        f"/e/{event}/bracket",
        f"/wall/{event}",
        f"/wall/{event}?theme=dark",
        f"/e/{event}",
        f"/e/{event}/p/p1",
        f"/e/{event}/standings",
        f"/rules/{event}",
        "/login",
    ):
        screen.open(full_hall.url + path)
        assert screen.run("return document.styleSheets.length"), path
    said = screen.complaints()
    assert [line for line in said if "Content Security" in line or "Refused" in line] == []
    # And it would have said so.
    screen.run("document.body.innerHTML = '<p style=\"color: red\">x</p>'")
    screen.until(lambda: any("Content Security" in line for line in screen.complaints()), "a complaint")
