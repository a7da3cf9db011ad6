"""The message after an act, its Undo by keys, and that live news neither take it away nor the focus."""

from hall_kit import Hall
from hand_kit import IN_SIGHT, Hand
from pages_kit import PIN
from screen_kit import PHONE, Screen
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


def test_where_the_page_opens_further_down_the_message_is_seen(own_hall: Hall, screen: Screen) -> None:
    event = own_hall.create("Winter Open", people=[f"{name} {n}" for n in range(4) for name in NAMES])
    screen.log_in(own_hall.url, PIN)
    screen.size(PHONE)
    screen.open(f"{own_hall.url}/console/{event}/players?did={event}.{own_hall.event(event).number}#competitors")
    assert "24 players registered." in message(screen)
    screen.until(lambda: screen.run("return scrollY > 0"), "the players")
    assert screen.run(IN_SIGHT, "#did button"), "its Undo is where a finger can press it"
    assert screen.axe() == []


def test_the_second_click_of_an_undo_meets_nothing(own_hall: Hall, screen: Screen) -> None:
    """On a page without a next step, too, what lies under the finger after an Undo waits."""
    event = own_hall.create("Winter Open", people=NAMES)
    hand = Hand(screen, own_hall)
    screen.log_in(own_hall.url, PIN)
    screen.open(f"{own_hall.url}/console/{event}/person/p1")
    hand.leads(".person-drop button", "the message", lambda: "dropped." in message(screen))
    for said in ("reinstated.", "dropped."):
        screen.settle()
        before = own_hall.event(event).number
        spot = hand.click("#did button")
        screen.until(lambda said=said: said in message(screen), said)
        hand.late(spot)
        assert said in message(screen)
        assert own_hall.event(event).number == before + 1


def test_the_second_click_of_a_pause_does_not_let_the_clock_run_again(own_hall: Hall, screen: Screen) -> None:
    """The button that lets it run lies where the pause lay."""
    event = own_hall.create("Winter Open", people=NAMES)
    own_hall.publish(event)
    own_hall.tell(event, c.SetClock("start"))
    hand = Hand(screen, own_hall)
    screen.log_in(own_hall.url, PIN)
    screen.open(f"{own_hall.url}/console/{event}")
    spot = hand.click("#clock form:has([value=pause]) button")
    screen.until(lambda: screen.all("#clock form [value=start]") and message(screen), "the pause")
    before = own_hall.event(event).number
    hand.late(spot)
    assert own_hall.event(event).clock.state == "paused"
    assert own_hall.event(event).number == before
    hand.ready()
    hand.leads("#clock form:has([value=start]) button", "it to run", lambda: "The clock runs" in message(screen))


def test_news_of_an_act_does_not_lead_away_before_its_answer(own_hall: Hall, screen: Screen) -> None:
    """A no-show ends the page of its match: the feed says so before the slow answer of the form is there."""
    event = own_hall.create("Winter Open", people=NAMES)
    own_hall.publish(event)
    own_hall.tell(event, c.SetClock("start"))
    screen.log_in(own_hall.url, PIN)
    screen.open(f"{own_hall.url}/console/{event}/match/1.1")
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    own_hall.doors.slow.clear()
    asked, play = len(own_hall.doors.asked), f"/console/{event}"
    # The driver waits for whatever is under way when it asks something.
    screen.run("setTimeout(() => document.querySelector('#no-show .row form').requestSubmit(), 100)")
    screen.until(lambda: own_hall.doors.answers[-1][0].endswith("/no-show"), "the form at the hub")
    try:
        screen.until(lambda: play in [path for path, _ in own_hall.doors.asked[asked:]], "the page to look")
    finally:
        own_hall.doors.slow.set()
    screen.until(lambda: "is a no-show and dropped." in message(screen), "the message")
