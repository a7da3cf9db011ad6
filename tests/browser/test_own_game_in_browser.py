"""The form of a store's own game in a browser: what it means follows each change, and works without scripts."""

from types import MappingProxyType

from hall_kit import Hall
from pages_kit import PIN
from screen_kit import Screen
from selenium.webdriver.common.keys import Keys

from roundtap_core.rulebooks.own_rules import rules_from_json
from roundtap_hub.app.practice_hub import READY


def start(screen: Screen, hall: Hall, preset: str) -> None:
    screen.language("en")
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
    screen.until(lambda: screen.all("#means .field-problem"), "what is wrong now: ties by games")
    assert screen.one("[name='/points/win']").get_attribute("value") == "7", "a hand may be in the fields"


def test_a_filled_last_row_gets_another_one_below(screen: Screen, own_hall: Hall) -> None:
    start(screen, own_hall, "nothing")
    screen.run("document.querySelector('[name=\"/tiebreakers/0/by\"]').scrollIntoView()")
    screen.one("[name='/tiebreakers/0/by'] option[value=wins]").click()
    screen.until(lambda: screen.all("[name='/tiebreakers/1/by']"), "the next row")


def ties(screen: Screen) -> list[str]:
    return [str(field.get_attribute("value")) for field in screen.all("[name$='/by']")]


def test_ties_change_places_by_keyboard_and_whoever_moves_one_goes_on_with_it(screen: Screen, own_hall: Hall) -> None:
    start(screen, own_hall, "best_of_three")
    matches, games, others, _ = ties(screen)
    screen.run("document.querySelector('[name=up][value=\"1\"]').focus()")
    for expected in ([games, matches, others, ""], [games, others, matches, ""]):
        screen.press(Keys.ENTER)
        assert ties(screen) == expected
    assert screen.run("return document.activeElement.name") == "/tiebreakers/2/by", "it cannot go on"
    screen.until(lambda: means(screen).find("game-win") < means(screen).find("match-win"), "the new order in words")


def test_nobody_is_asked_what_has_no_effect(screen: Screen, own_hall: Hall) -> None:
    start(screen, own_hall, "best_of_three")
    by, floor = (screen.one(f"[name='/tiebreakers/0/{key}']") for key in ("by", "floor"))
    assert floor.is_displayed()
    assert not screen.one("[name='/tiebreakers/0/of']").is_displayed()
    by.find_element("css selector", "[value=wins]").click()
    assert not floor.is_displayed()
    screen.until(lambda: "Tiebreaker 1: wins." in means(screen), "the rules in words, without a floor")
    screen.click("[name='/pairing/rounds'][value=everybody]")
    screen.until(lambda: "All players meet" in means(screen), "a round robin, whose lines of players say nothing")
    screen.click("[name='/pairing/rounds'][value=swiss]")
    screen.until(lambda: "9–16 players" in means(screen), "them again")


def test_a_field_of_a_list_is_called_by_its_label(screen: Screen, own_hall: Hall) -> None:
    start(screen, own_hall, "nothing")
    screen.run("document.getElementById('fields').open = true")
    screen.one("[name='/list/fields/0/label/en'], [name='/list/fields/0/label/de']").send_keys("Größe, Armee")
    assert screen.one("[name='/list/fields/0/key']").get_attribute("value") == "gro_e_armee"


def test_a_try_leaves_the_form_as_it_is(screen: Screen, own_hall: Hall) -> None:
    """In a tab of its own, once there is nothing wrong; and it may be saved afterwards."""
    practice = own_hall.house.hub.practice = Tried()  # type: ignore[assignment]
    start(screen, own_hall, "one_game")
    screen.one("[name='/name']").send_keys("Friday")
    win = screen.one("[name='/points/win']")
    win.clear()
    screen.until(lambda: screen.all("#means .field-problem"), "to be told what is wrong")
    screen.click("#try")
    assert practice.rules == []
    for text in ("4", "5"):
        win.clear()
        win.send_keys(text)
        screen.until(lambda text=text: f"A win gives {text}" in means(screen), "no fault")
        screen.click("#try")
        screen.until(lambda text=text: practice.rules and f"win = {text}" in practice.rules[-1], "the try")
    screen.click("#game .main")
    screen.until(lambda: "Friday" in own_hall.house.service.snapshot.venue.games, "it to be saved")
    assert rules_from_json(kept(own_hall, "Friday")).points.win == 5


class Tried:
    """Stands for practice: the rules that were tried."""

    state, lent = READY, MappingProxyType({})
    port, secure_port = 1, 0

    def __init__(self) -> None:
        self.rules: list[str] = []

    def start(self, language: str, by: str, rules: str, anew: bool) -> None:
        self.rules.append(rules)

    def admit(self, session: object) -> None: ...

    def recall(self, units: object) -> None: ...


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
