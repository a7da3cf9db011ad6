"""The console in a real browser: forms that open on demand, changes that come as rows, and nothing typed is lost."""

from hall_kit import Hall
from pages_kit import PIN
from screen_kit import Screen
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from roundtap_core.event.commands import DropCompetitor, GiveWarning

PEOPLE = [f"Player {n:02}" for n in range(1, 25)]

LOADED = """return performance.getEntriesByType('resource').map((one) => one.name)
    .filter((name) => name.endsWith(arguments[0]))"""


def at_the_desk(hall: Hall, screen: Screen) -> str:
    """Logged in at the players of an event with everybody in it; its id."""
    event = hall.create("Winter Open", people=PEOPLE, cut=4)
    screen.language("pl")
    screen.log_in(hall.url, PIN)
    screen.open(f"{hall.url}/console/{event}/players")
    screen.until(lambda: screen.all("#roster li"), "the players")
    return event


def the(driver: webdriver.Chrome, selector: str) -> list:
    return driver.find_elements(By.CSS_SELECTOR, selector)


def typed(driver: webdriver.Chrome, selector: str) -> str:
    return str(driver.execute_script("return document.querySelector(arguments[0]).value", selector))


def test_a_name_is_found_and_its_forms_come_when_it_is_opened(hall: Hall, screen: Screen) -> None:
    browser, event = screen.driver, at_the_desk(hall, screen)
    screen.settle()
    assert not the(browser, "form[action$='/details']")
    browser.find_element(By.TAG_NAME, "body").send_keys("/")
    browser.switch_to.active_element.send_keys("player 17", Keys.ENTER)
    screen.until(lambda: the(browser, "#person-p17[open] form[action$='/p17/details']"), "the forms")
    assert len(the(browser, "form[action$='/details']")) == 1
    name = browser.find_element(By.CSS_SELECTOR, "#person-p17 input[name=name]")
    name.clear()
    name.send_keys("Zoë Łącka", Keys.ENTER)
    screen.until(lambda: "Zoë Łącka" in browser.find_element(By.ID, "roster").text, "the new name")
    assert hall.house.service.snapshot.people[event]["p17"].name == "Zoë Łącka"


def test_changes_come_as_rows_and_leave_alone_what_is_being_typed(hall: Hall, screen: Screen) -> None:
    browser, event = screen.driver, at_the_desk(hall, screen)
    hall.publish(event)
    browser.execute_script("document.getElementById('person-p3').open = true")
    reason = "#person-p3 form[action$='/warn'] input[name=reason]"
    screen.until(lambda: the(browser, reason), "the forms")
    browser.execute_script("document.getElementById('warn-p3').open = true")
    browser.find_element(By.CSS_SELECTOR, reason).send_keys("came late, for the sec")
    # Somebody else's row comes in around the form.
    other = next(m.match.a for m in hall.event(event).live.open_matches if "p3" not in (m.match.a, m.match.b))
    hall.tell(event, GiveWarning(other, "a loud phone"))
    screen.until(lambda: the(browser, f"li[data-key='{other}'] .mark"), "the warning")
    assert typed(browser, reason) == "came late, for the sec"
    assert not browser.find_element(By.ID, "changed-hint").is_displayed()
    # The very row: it waits, and says so; everything else goes on.
    hall.tell(event, GiveWarning("p3", "a loud phone"))
    screen.until(lambda: browser.find_element(By.ID, "changed-hint").is_displayed(), "the hint")
    hall.tell(event, DropCompetitor(other))
    screen.until(lambda: the(browser, f".person-left[data-key='{other}']"), "who left")
    assert len(the(browser, f"#roster li[data-key='{other}']")) == 1
    assert typed(browser, reason) == "came late, for the sec"
    assert browser.find_element(By.CSS_SELECTOR, reason).is_displayed()
    browser.find_element(By.CSS_SELECTOR, reason).send_keys("ond time", Keys.ENTER)
    # It was said without knowing of the other warning: that is told, what was typed stands, and is said again.
    screen.until(
        lambda: the(browser, "p.problem") and typed(browser, reason) == "came late, for the second time",
        "the question whether it holds",
    )
    screen.settle()
    browser.find_element(By.CSS_SELECTOR, reason).send_keys(Keys.ENTER)
    screen.until(lambda: len(hall.event(event).entrants["p3"].warnings) == 2, "both warnings")
    assert hall.event(event).entrants["p3"].warnings[1]["reason"] == "came late, for the second time"


def test_live_changes_load_no_page(hall: Hall, screen: Screen) -> None:
    browser, event = screen.driver, at_the_desk(hall, screen)
    hall.publish(event)
    screen.until(lambda: "1" in browser.find_element(By.ID, "round").text, "the round")
    screen.settle()
    browser.execute_script("document.getElementById('person-p3').open = true")
    screen.until(lambda: the(browser, "#person-p3 form"), "the forms")
    browser.execute_script("performance.clearResourceTimings()")
    for number in range(10, 16):
        hall.tell(event, GiveWarning(f"p{number}", "a loud phone"))
        screen.until(lambda at=number: the(browser, f"li[data-key='p{at}'] .mark"), "the warning")
    assert browser.execute_script(LOADED, f"/console/{event}/players") == []
    # Open stays open, with the forms in it, which are those of now.
    assert the(browser, "#person-p3[open] form[action$='/p3/details']")
    hall.tell(event, GiveWarning("p3", "a loud phone"))
    screen.until(lambda: "a loud phone" in browser.find_element(By.ID, "person-p3").text, "the forms of now")


def test_what_could_not_be_saved_is_there_and_stays_while_others_go_on(hall: Hall, screen: Screen) -> None:
    browser, event = screen.driver, at_the_desk(hall, screen)
    screen.settle()
    browser.execute_script("document.getElementById('person-p5').open = true")
    field = "#person-p5 form[action$='/details'] input[name=name]"
    screen.until(lambda: the(browser, field), "the forms")
    name = browser.find_element(By.CSS_SELECTOR, field)
    browser.execute_script("arguments[0].removeAttribute('maxlength'); arguments[0].value = 'x'.repeat(90)", name)
    name.send_keys(Keys.ENTER)
    screen.until(lambda: the(browser, "[role=alert]"), "the message")
    assert typed(browser, field) == "x" * 90
    hall.tell(event, GiveWarning("p5", "a loud phone"))
    screen.until(lambda: the(browser, "li[data-key=p5] .mark"), "the warning")
    assert typed(browser, field) == "x" * 90


def test_without_scripts_the_forms_are_a_page_away(hall: Hall, screen: Screen) -> None:
    browser, event = screen.driver, at_the_desk(hall, screen)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(f"{hall.url}/console/{event}/players")
    screen.click("#person-p3 > summary")
    screen.click("#person-p3 a")
    assert browser.current_url.endswith(f"/console/{event}/person/p3")
    assert PEOPLE[2] in browser.find_element(By.TAG_NAME, "h1").text
    screen.click("#warn-p3 > summary")
    browser.find_element(By.CSS_SELECTOR, "form[action$='/warn'] input[name=reason]").send_keys("late", Keys.ENTER)
    screen.until(lambda: hall.event(event).entrants["p3"].warnings, "the warning")
    assert [warning["reason"] for warning in hall.event(event).entrants["p3"].warnings] == ["late"]
    for part in ("officials", "units"):
        browser.get(f"{hall.url}/console/{event}/event")
        screen.click(f"#{part} > summary")
        screen.click(f"#{part} a")
        assert browser.current_url.endswith(f"/console/{event}/{part}")


def test_a_name_typed_before_the_game_is_chosen_stays(hall: Hall, screen: Screen) -> None:
    screen.log_in(hall.url, PIN)
    screen.open(f"{hall.url}/console/new")
    screen.one("#new [name=name]").send_keys("Zima & Lato")
    for game in ("warlords-of-terra", "keyforge-archon"):
        screen.click(f".games a[href*='rulebook={game}']")
        screen.until(lambda game=game: screen.all(f"#new [name=rulebook][value={game}]"), game)  # type: ignore[misc]
        assert typed(screen.driver, "#new [name=name]") == "Zima & Lato"


def test_after_a_check_in_by_name_and_a_refused_one_the_field_takes_the_next_name(
    own_hall: Hall, screen: Screen
) -> None:
    event = own_hall.create("Winter Open", people=PEOPLE[:4])
    own_hall.house.organizer().post(f"/console/{event}/check-in", used="1")
    screen.log_in(own_hall.url, PIN)
    screen.open(f"{own_hall.url}/console/{event}/check-in")
    here = "#check-people .is-here[data-key={}]"
    for name, shown in (
        ("Player 02", here.format("p2")),
        ("Player 02", "[role=alert]"),
        ("Player 03", here.format("p3")),
    ):
        screen.settle()
        screen.press(name, Keys.ENTER)
        screen.until(
            lambda name=name, shown=shown: name in screen.one(shown).text and not typed(screen.driver, "#name"),  # type: ignore[misc]
            f"{name} in {shown}",
        )
        screen.whole()
        assert screen.run("return document.activeElement.id") == "name", shown
