"""The message after an act, its Undo by keys, and that live news neither take it away nor the focus."""

from hall_kit import Hall
from pages_kit import PIN
from screen_kit import Screen
from selenium.webdriver.common.keys import Keys

from roundtap_core.event import commands as c

NAMES = ["Aleksandra Wiśniewska-Szczepańska", "Bruno Maier", "Łukasz Żak", "Eva Luz", "Kai Eich", "Ana Ruiz"]


def message(screen: Screen) -> str:
    return " ".join(screen.one("#did").text.split())


def test_a_typed_line_says_what_it_did_and_keys_undo_it(own_hall: Hall, screen: Screen) -> None:
    event = own_hall.create("Winter Open", people=NAMES)
    own_hall.publish(event)
    own_hall.tell(event, c.SetClock("start"))
    screen.log_in(own_hall.url, PIN)
    screen.open(f"{own_hall.url}/console/{event}")
    screen.whole()
    screen.press("1", Keys.ENTER)
    screen.until(lambda: screen.all("#entry-text"), "the line")
    screen.press("a24")
    screen.until(lambda: screen.all("#entry-line [data-confirm]"), "what it means")
    screen.press(Keys.ENTER)
    screen.until(lambda: "Result of table 1 saved." in message(screen), "the message")
    assert screen.run("return document.activeElement.name") == "table", "the next number is typed at once"
    # Another table reports: that is news for the page, and the message stands all the same.
    own_hall.report(event, "1.2", "a", 100, 20)
    screen.until(lambda: screen.all("[data-key='1.2'].cell-one-sided"), "the news")
    assert "Result of table 1 saved." in message(screen)
    screen.run("document.querySelector('#did button').focus()")
    screen.press(Keys.ENTER)
    screen.until(lambda: "Result of table 1 cleared." in message(screen), "what was undone")
    assert own_hall.event(event).find_match("1.1")[1].match.result is None


def test_a_drop_is_undone_from_its_message_and_stands_in_the_list(own_hall: Hall, screen: Screen) -> None:
    event = own_hall.create("Winter Open", people=NAMES)
    screen.log_in(own_hall.url, PIN)
    screen.open(f"{own_hall.url}/console/{event}/person/p1")
    screen.run("document.querySelector('form[action$=\"/drop\"]').submit()")
    screen.until(lambda: f"{NAMES[0]} dropped." in message(screen), "the message")
    assert screen.one("#did").get_attribute("role") == "status"
    assert screen.axe() == []
    screen.until(
        lambda: screen.run("return !document.querySelector('main').matches('.settling')"), "the page to settle"
    )
    screen.run("document.querySelector('#did button').focus()")
    screen.press(Keys.ENTER)
    screen.until(lambda: f"{NAMES[0]} reinstated." in message(screen), "what was undone")
    screen.open(f"{own_hall.url}/console/{event}")
    assert screen.all("#did:empty"), "a page that nothing was pressed for says nothing"
    screen.click("#acts > summary")
    screen.until(lambda: len(screen.all("#acts .acts li")) >= 3, "the last acts")
    assert "reinstated" in screen.one("#acts .acts li").text
    assert screen.axe() == []
