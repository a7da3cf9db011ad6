"""The console's keys: "?" lists what the code goes by, and the search does what is typed after one Enter on a row."""

from hall_kit import Hall
from pages_kit import PIN
from screen_kit import DESK, NARROW, PHONE, Screen, Size
from selenium.webdriver.common.keys import Keys

from roundtap_core.event.commands import SetClock
from roundtap_hub.views import places

NAME = "Mistrzostwa Województwa Świętokrzyskiego w X-Wing, edycja zimowa 2026"
PEOPLE = ["Aleksandra Wiśniewska-Szczepańska", "Aleksandra Nowak", "Jörg Müller", "Ana Ruiz"]
LINES = """return [...document.querySelectorAll("#keys-lines > div")].map((row) =>
    [[...row.querySelectorAll("kbd")].map((key) => key.textContent).join(" "), row.querySelector("dd").textContent])"""
IS_OPEN = "return document.getElementById('keys').open"
OPTIONS = "return [...document.querySelectorAll('#find-list > li')].map((one) => one.ariaSelected === 'true')"


def opened(hall: Hall, screen: Screen, name: str = "Winter Open") -> str:
    event = hall.create(name, people=PEOPLE)
    hall.publish(event)
    hall.tell(event, SetClock("start"))
    screen.log_in(hall.url, PIN)
    screen.language("en")
    screen.open(f"{hall.url}/console/{event}")
    screen.settle()
    return event


def test_a_question_mark_lists_every_key_and_escape_closes_the_list(hall: Hall, screen: Screen) -> None:
    event = opened(hall, screen)
    screen.one(".cell a").send_keys("")
    screen.run("document.querySelector('.cell a').focus()")
    screen.press("?")
    screen.until(lambda: screen.run(IS_OPEN), "the list of keys")
    lines = dict(screen.run(LINES))
    assert all(lines.values())
    assert {f"g {place.letter}" for place in (*places.OF_EVENT, places.HOME)} < set(lines)
    assert {"/", "?", "Esc", "0–9"} < set(lines)
    assert screen.run(
        "return window.roundtapKeys.every(({ text }) => text === 'go' || document.getElementById('keys').dataset[text])"
    )
    assert screen.axe() == screen.unfit() == screen.small() == []
    screen.press(Keys.ESCAPE)
    screen.until(lambda: not screen.run(IS_OPEN), "the list to be gone")
    assert screen.run("return document.activeElement.matches('.cell a')")
    screen.press("/")
    screen.press("?")
    assert not screen.run(IS_OPEN)
    assert screen.run("return document.activeElement.value") == "?"
    screen.open(f"{hall.url}/console/{event}/standings")
    screen.press("?")
    screen.until(lambda: screen.run(IS_OPEN), "the list of keys")
    assert "0–9" not in dict(screen.run(LINES))


def test_the_menu_leads_to_the_list_too(hall: Hall, screen: Screen) -> None:
    opened(hall, screen)
    for size in (DESK, PHONE, NARROW):
        screen.size(size)
        screen.click("#account > summary")
        screen.click("#account [data-keys]")
        screen.until(lambda: screen.run(IS_OPEN), "the list of keys")
        assert screen.unfit() == []
        screen.click("#keys [data-cancel]")
        screen.until(lambda: not screen.run(IS_OPEN), "the list to be gone")
        assert screen.run("return document.activeElement.matches('#account > summary')")


def test_one_enter_on_a_row_does_it_and_a_name_that_may_be_two_is_chosen_first(hall: Hall, screen: Screen) -> None:
    event = opened(hall, screen)
    hall.create("Sunday", people=["Player 05", "Dropka Aleks", *PEOPLE])

    def active() -> int:
        return sum(each.active for each in hall.event(event).entrants.values())

    def typed(query: str, found: int) -> None:
        screen.press("/")
        screen.press(query)
        screen.until(lambda: len(screen.run(OPTIONS)) == found, f"what {query} may mean")

    typed("no-show aleks", 2)
    assert screen.run(OPTIONS) == [False, False]
    screen.press(Keys.ENTER)
    assert (active(), screen.driver.current_url) == (4, f"{hall.url}/console/{event}")
    screen.press(Keys.ARROW_DOWN)
    # What was typed last is answered late, and says the same.
    screen.run("window.was = document.querySelector('#find-list > li')")
    screen.run("document.forms['find-all'].q.dispatchEvent(new Event('input'))")
    screen.until(lambda: screen.run("return window.was !== document.querySelector('#find-list > li')"), "the answer")
    assert screen.run(OPTIONS) == [True, False]
    assert screen.axe() == screen.unfit() == []
    screen.press(Keys.ENTER)
    screen.until(lambda: active() == 3, "the first of them to be gone")
    screen.whole()
    screen.settle()
    match = hall.event(event).live.open_matches[0]  # type: ignore[union-attr]
    typed(f"+5 {match.match.table}", 1)
    assert screen.run(OPTIONS) == [True]
    screen.press(Keys.ENTER)
    screen.until(lambda: hall.event(event).live.open_matches[0].match.extension_minutes, "five minutes more")  # type: ignore[union-attr]


def test_a_long_name_has_one_line_beside_a_running_clock_which_stands_still(hall: Hall, screen: Screen) -> None:
    opened(hall, screen, NAME)
    line = "return document.querySelector('.event-name').getBoundingClientRect().height"
    clock = "return document.querySelector('#clock .clock').getBoundingClientRect().left"
    for width in (360, 390, 700, 1000, 1024, 1280, 1366, 1920):
        screen.size(Size(width, 800))
        assert screen.unfit() == [], width
        assert screen.run(line) < 30, width
        was = screen.run(clock)
        screen.run("document.querySelector('#clock .phase').textContent = 'The last minutes of the round'")
        assert screen.run(clock) == was, width
        assert screen.unfit() == [], width
        screen.run("document.querySelector('#clock .phase').textContent = '▶'")
    assert screen.one(".event-name").get_attribute("title") == NAME
    screen.open(f"{screen.driver.current_url}/event")
    assert NAME in screen.one("h1").text
