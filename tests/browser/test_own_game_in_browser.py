"""The form of a store's own game in a browser: what it means follows each change, and works without scripts."""

from hall_kit import Hall
from pages_kit import PIN
from screen_kit import Screen

from roundtap_core.rulebooks.own_rules import rules_from_json


def start(screen: Screen, hall: Hall, preset: str) -> None:
    screen.log_in(hall.url, PIN)
    screen.open(f"{hall.url}/console/games?start={preset}")


def means(screen: Screen) -> str:
    return str(screen.run("return document.getElementById('means').textContent"))


def kept(hall: Hall, name: str) -> str:
    return hall.house.service.snapshot.venue.games[name]


def test_a_preset_and_a_name_are_two_presses(screen: Screen, own_hall: Hall) -> None:
    screen.log_in(own_hall.url, PIN)
    screen.open(f"{own_hall.url}/console/games")
    screen.click("a[href$='start=one_game']")
    screen.until(lambda: screen.all("#game"), "the form")
    screen.one("[name='/name']").send_keys("Friday")
    screen.click("#game .main")
    screen.until(lambda: screen.all("[role=status]"), "to be told that it is saved")
    assert rules_from_json(kept(own_hall, "Friday")).points.win == 3


def test_what_it_means_follows_each_change_and_hides_what_does_not_belong(screen: Screen, own_hall: Hall) -> None:
    start(screen, own_hall, "best_of_three")
    before = means(screen)
    assert not screen.one("[name='/match/figure/0/maximum']").is_displayed()
    win = screen.one("[name='/points/win']")
    win.clear()
    win.send_keys("7")
    screen.until(lambda: means(screen) != before, "the rules in words")
    assert "7" in means(screen)
    screen.click("[name='/match/report'][value='points']")
    assert screen.one("[name='/match/figure/0/maximum']").is_displayed()
    assert not screen.one("[name='/match/best_of']").is_displayed()
    screen.until(lambda: "figure" in means(screen) or "number" in means(screen), "what is wrong now")
    assert screen.one("[name='/points/win']").get_attribute("value") == "7", "a hand may be in the fields"


def test_a_filled_last_row_gets_another_one_below(screen: Screen, own_hall: Hall) -> None:
    start(screen, own_hall, "nothing")
    screen.run("document.querySelector('[name=\"/tiebreakers/0/by\"]').scrollIntoView()")
    screen.one("[name='/tiebreakers/0/by'] option[value=wins]").click()
    screen.until(lambda: screen.all("[name='/tiebreakers/1/by']"), "the next row")


def test_without_scripts_a_button_says_what_it_means(screen: Screen, own_hall: Hall) -> None:
    screen.log_in(own_hall.url, PIN)
    screen.cdp("Emulation.setScriptExecutionDisabled", {"value": True})
    screen.driver.get(f"{own_hall.url}/console/games?start=one_game")
    screen.one("[name='/name']").send_keys("Plain")
    win = screen.one("[name='/points/win']")
    win.clear()
    win.send_keys("6")
    screen.one(".means button:not(.main)").click()
    assert "6" in screen.one("#means").text
    assert screen.one("[name='/name']").get_attribute("value") == "Plain"
    screen.one("#game .main").click()
    assert rules_from_json(kept(own_hall, "Plain")).points.win == 6
