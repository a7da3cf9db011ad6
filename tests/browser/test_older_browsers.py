"""Reports, calls, leaving, sign-up, wall and console in browsers that lack something, or run no script."""

from pathlib import Path

import pytest
from browser_troubles import BY_BROWSERS, Trouble
from hall_kit import Hall
from older_browsers import ALL_BUT_FEEDS, REMOVED, STOPPED
from pages_kit import PIN
from phone_hands import another_phone
from screen_kit import DESK, PHONE, WALL, Screen
from selenium.webdriver.common.keys import Keys

from roundtap_core.event.states import MatchState
from roundtap_core.records import SidePair

PEOPLE = [f"Player {n:02}" for n in range(1, 25)]
IN_SHORT = ("AbortSignal.timeout", "the pressed button in FormData", "EventSource", "showModal")
"""What browsers that people have lack: these each time, all others with `-m long`."""


class Tries:
    """What people do at one hub, and what must have come of it."""

    def __init__(self, hall: Hall, screen: Screen) -> None:
        self.hall, self.screen, self.house = hall, screen, hall.house
        screen.language("en")
        self.house.with_event(PEOPLE)
        self.house.publish()
        self.house.time_is_up()
        self.joined = hall.create("Open to all", people=PEOPLE[:4])
        self.house.organizer().post(f"/console/{self.joined}/sign-up", sign_up="open")
        self.shown = hall.create("Seated", people=PEOPLE)
        hall.publish(self.shown)
        self.drawn = hall.create("Drawn", people=PEOPLE[:4])
        hall.draw(self.drawn)

    def match(self, n: int = 0) -> MatchState:
        return self.house.event.live.matches[n]

    def page(self, competitor: str | None, more: str = "") -> None:
        another_phone(self.screen, self.hall.url)
        self.screen.size(PHONE)
        self.screen.open(self.hall.url + self.house.hub.access.links.path("e1", str(competitor)) + more)

    def everything(self) -> None:
        self.report()
        self.confirm()
        self.call()
        self.leave()
        self.sign_up()
        self.wall()
        self.console()

    def report(self) -> None:
        screen = self.screen
        self.page(self.match().match.a, "/report")
        screen.click("button[value=time]")
        screen.until(lambda: screen.all("[name='q.score.winner']"), "the figures")
        screen.one("[name='q.score.winner']").send_keys("90")
        screen.one("[name='q.score.loser']").send_keys("60")
        screen.click(".walk .card button.main")
        screen.until(lambda: screen.all("form[data-report]"), "the result")
        screen.click("form[data-report] button")
        screen.until(lambda: self.match().reports, "the report at the hub")
        assert self.match().reports["a"].result.score == SidePair(90, 60)
        screen.until(lambda: f"#{self.match().reports['a'].number}" in screen.one("body").text, "the hub's word")

    def confirm(self) -> None:
        self.page(self.match().match.b)
        self.screen.until(lambda: "reported this" in self.screen.one("#my-match").text, "the question")
        self.screen.click("#my-match form[data-report] button.main")
        self.screen.until(lambda: self.match().state == "agreed", "both to agree")
        self.screen.until(lambda: "Saved #" in self.screen.one("body").text, "the hub's word")

    def call(self) -> None:
        self.page(self.match(1).match.a)
        self.screen.click("#my-call form button")
        self.screen.until(lambda: "Judge called" in self.screen.one("#my-call").text, "the call")

    def leave(self) -> None:
        self.page(self.match(2).match.a)
        self.screen.click("#my-leave a")
        self.screen.until(lambda: self.screen.all("button.danger"), "the question")
        self.screen.click("button.danger")
        self.screen.until(lambda: "You asked to drop" in self.screen.one("body").text, "the answer")

    def sign_up(self) -> None:
        self.screen.open(f"{self.hall.url}/join/{self.joined}")
        self.screen.one("[name=name]").send_keys("Nina Wolf")
        self.screen.click("form.join button.main")
        self.screen.until(lambda: len(self.hall.event(self.joined).entrants) == 5, "who signed up")
        self.screen.until(lambda: "Nina W." in self.screen.one("h1").text, "their own page")

    def wall(self) -> None:
        self.screen.size(WALL)
        self.screen.open(f"{self.hall.url}/wall/{self.shown}")
        self.screen.until(lambda: any(each.is_displayed() for each in self.screen.all(".wall-name")), "names")
        assert "75:00" in self.screen.one("#time").text

    def console(self) -> None:
        screen, event = self.screen, lambda: self.hall.event(self.drawn)
        screen.size(DESK)
        screen.log_in(self.hall.url, PIN)
        screen.open(f"{self.hall.url}/console/{self.drawn}")
        self.press("#draft-discard > summary")
        screen.until(lambda: screen.one("#draft-discard button.danger").is_displayed(), "the question")
        self.press("#draft-discard button.danger")
        screen.until(lambda: event().draft is None, "no draft")
        self.press("#next .main")
        screen.until(lambda: event().draft, "the next draft")
        screen.open(f"{self.hall.url}/console/e1")
        [row] = [n for n, match in enumerate(self.house.event.live.matches) if match.match.table == 7]  # type: ignore[union-attr]
        self.press("[data-entry-table='7']")
        screen.until(
            lambda: screen.all("#entry-text") or "/match/" in screen.driver.current_url, "the line, or the match"
        )
        if not screen.all("#entry-text"):
            screen.open(f"{self.hall.url}/console/e1/entry?table=7")
        screen.one("#entry-text").send_keys("a24")
        if not screen.all("#entry-drawer"):
            screen.one("#entry-text").send_keys(Keys.ENTER)
        screen.until(lambda: screen.all("#entry-line[data-line='a24'] form[data-confirm]"), "what it means")
        self.press("#entry-line form[data-confirm] button")
        screen.until(lambda: self.match(row).match.result, "the result")
        screen.until(lambda: screen.all(".entry-done"), "the hub's word")

    def settle(self) -> None:
        """A page whose scripts run takes no press for a moment."""
        self.screen.until(lambda: not self.screen.all(".settling"), "the page to take presses")

    def press(self, selector: str) -> None:
        self.screen.until(lambda: self.screen.all(selector), selector)
        self.settle()
        # The hub takes none within a page's first second.
        self.hall.time.ahead_ms += 2000
        self.screen.click(selector)


@pytest.fixture
def tries(own_hall: Hall, screen: Screen) -> Tries:
    return Tries(own_hall, screen)


@pytest.mark.parametrize(
    "what", [*IN_SHORT, *(pytest.param(one, marks=pytest.mark.long) for one in REMOVED if one not in IN_SHORT)]
)
def test_everything_is_done_without(tries: Tries, what: str) -> None:
    tries.screen.before_pages(REMOVED[what])
    tries.everything()


def test_everything_is_done_by_a_browser_that_lacks_all_of_it(tries: Tries) -> None:
    tries.screen.before_pages(ALL_BUT_FEEDS)
    tries.everything()


def test_everything_is_done_where_no_script_runs(tries: Tries) -> None:
    tries.screen.cdp("Emulation.setScriptExecutionDisabled", {"value": True})
    tries.everything()


@pytest.mark.parametrize("files", ["*/static/phone.*", "*/static/live.*", "*/static/clock.*", "*/static/wall_fit.*"])
def test_everything_is_done_where_a_script_does_not_come(tries: Tries, files: str) -> None:
    """As where a browser refuses a whole file for its syntax."""
    tries.screen.cdp("Network.setBlockedURLs", {"urls": [files]})
    try:
        tries.everything()
    finally:
        tries.screen.cdp("Network.setBlockedURLs", {"urls": []})


@pytest.mark.parametrize(
    "n", [2, 8, 14, pytest.param(5, marks=pytest.mark.long), pytest.param(11, marks=pytest.mark.long)]
)
def test_everything_is_done_where_a_script_fails_half_way(tries: Tries, n: int) -> None:
    tries.screen.before_pages(STOPPED.replace("{n}", str(n)))
    tries.everything()


@pytest.mark.parametrize("trouble", BY_BROWSERS, ids=lambda trouble: trouble.kind)
def test_the_test_of_each_trouble_exists(trouble: Trouble) -> None:
    file, _, name = trouble.test.partition("::")
    assert f"def {name}(" in (Path(__file__).parent / file).read_text(encoding="utf-8")
    assert trouble.had_by
    assert trouble.right
