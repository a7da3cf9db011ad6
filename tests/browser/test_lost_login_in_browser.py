"""A login that ends while somebody types: the page stays, and after the login the form is filled as it was."""

import pytest
from hall_kit import Hall
from pages_kit import PIN
from screen_kit import Screen
from selenium.webdriver.common.keys import Keys

from roundtap_hub.http.requester import LOCAL_SESSION

PEOPLE = [f"Player {n:02}" for n in range(1, 9)]


def logs_in_again(screen: Screen) -> None:
    screen.until(lambda: screen.all("#pin"), "the login")
    screen.one("#pin").send_keys(PIN, Keys.ENTER)


@pytest.mark.parametrize("scripts", ["with scripts", "without scripts"])
def test_a_list_of_names_outlives_the_login(own_hall: Hall, screen: Screen, scripts: str) -> None:
    screen.language("en")
    event = own_hall.create("Winter Open", people=PEOPLE)
    screen.log_in(own_hall.url, PIN)
    screen.cdp("Emulation.setScriptExecutionDisabled", {"value": scripts == "without scripts"})
    screen.open(f"{own_hall.url}/console/{event}/players")
    screen.one("textarea[name=names]").send_keys("Zoe O\u2019Brien\nYan \u0141uk")
    screen.cdp("Network.deleteCookies", {"name": LOCAL_SESSION, "url": own_hall.url})
    if scripts == "with scripts":
        # The page asks for what is new, and is sent to the login.
        own_hall.house.organizer().post(f"/console/{event}/competitors", names="Xaver X.")
        screen.run("return window.roundtapLive.look()")
    assert screen.one("textarea[name=names]").get_attribute("value") == "Zoe O\u2019Brien\nYan \u0141uk"
    screen.one("textarea[name=names]").submit()
    logs_in_again(screen)
    screen.until(lambda: "Nothing was saved" in screen.text(), "the page again")
    if scripts == "with scripts":
        screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
        own_hall.house.organizer().post(f"/console/{event}/competitors", names="Wanda W.")
        screen.until(lambda: "Wanda W." in screen.text(), "what happens beside it")
    assert screen.one("textarea[name=names]").get_attribute("value") == "Zoe O\u2019Brien\nYan \u0141uk"
    assert len(own_hall.event(event).entrants) == len(PEOPLE) + 2 * (scripts == "with scripts"), "not pressed again"
