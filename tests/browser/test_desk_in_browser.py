"""The organizer's desk in a real browser: results by hand at 64 tables, finding a table or a person from anywhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hall_kit import Hall, open_hall
from pages_kit import PIN, Browser, House
from screen_kit import Screen
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from roundtap.kit.player_names import player_names
from roundtap_core.event.commands import (
    CheckIn,
    DrawRound,
    EnterResult,
    PublishRound,
    SetCheckIn,
    SetClock,
    SetOfficials,
)
from roundtap_core.event.states import MatchState, Official
from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.registry import RULEBOOKS

PEOPLE = list(player_names(128))
KEYS = 8
"""A result by hand takes no more."""

LINES = {
    "xwing-standard": "a24",
    "xwing-epic-duel": "a95",
    "xwing-epic-team": "b95",
    "keyforge-archon": "a",
    "keyforge-sealed": "b",
    "warlords-of-terra": "a14",
    "shatterpoint-premier": "123420 12 7",
}
MORE_KEYS = {"shatterpoint-premier": 15}
"""Squads and wounds of both sides: what has to be said takes its keys."""

SHOWN = "return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility()).length"


class Keyboard:
    """Keys pressed one by one, and counted."""

    def __init__(self, screen: Screen) -> None:
        self.screen, self.pressed = screen, 0

    def press(self, keys: str) -> None:
        self.screen.press(keys)
        self.pressed += len(keys)

    def reads(self, line: str) -> None:
        """Wait as a person does, until the screen says what was typed."""
        self.screen.until(
            lambda: self.screen.driver.find_elements(
                By.CSS_SELECTOR, f"#entry-line[data-line='{line}'] form[data-confirm]"
            ),
            f"what “{line}” means",
        )

    def open(self, table: int) -> None:
        """The line of that table has the focus, and not one of the table before."""
        self.press(f"{table}{Keys.ENTER}")
        self.screen.until(
            lambda: self.screen.all(f"form:has(#entry-text:focus) [name=table][value='{table}']"), f"table {table}"
        )

    def enter(self, table: int, line: str) -> int:
        """One result by hand; how many keys it took."""
        before = self.pressed
        self.open(table)
        self.press(line)
        self.reads(line)
        self.press(Keys.ENTER)
        self.screen.until(
            lambda: self.screen.driver.find_elements(By.CSS_SELECTOR, "[data-entry-body] .entry-done"),
            f"the result of table {table}",
        )
        return self.pressed - before


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """128 people at 64 tables, in the first round."""
    with open_hall(tmp_path_factory.mktemp("desk")) as hall:
        hall.house.with_event(PEOPLE, swiss_rounds=2, cut=4)
        hall.house.publish()
        hall.house.time_is_up()
        yield hall


@pytest.fixture
def desk(hall: Hall, screen: Screen) -> Screen:
    the_desk(hall, screen, "e1")
    return screen


def the_desk(hall: Hall, screen: Screen, event: str) -> None:
    screen.language("pl")
    screen.log_in(hall.url, PIN)
    screen.open(f"{hall.url}/console/{event}")
    screen.until(lambda: screen.all("#missing .cell"), "the tables")


def at_table(house: House, table: int) -> MatchState:
    return next(match for match in house.event.live.matches if match.match.table == table)


def result_at(house: House, table: int) -> Result | None:
    return at_table(house, table).match.result


def test_results_by_hand_one_table_after_the_other(hall: Hall, desk: Screen) -> None:
    house, driver = hall.house, desk.driver
    driver.execute_script("scrollTo(0, 700)")
    at = driver.execute_script("return scrollY")
    keys = Keyboard(desk)
    assert keys.enter(12, "a24") <= KEYS
    assert result_at(house, 12) == Result(score=SidePair(100, 24))
    # The number that stands there now is the next open table's: Enter alone opens it.
    keys.press(Keys.ENTER)
    desk.until(lambda: "13" in driver.find_element(By.CSS_SELECTOR, "#entry-now h2").text, "table 13")
    # A result comes in from the tables meanwhile: nothing typed is lost, no focus, no scroll.
    keys.press("b2")
    house.service.execute_one("e1", EnterResult(at_table(house, 20).id, 0, Result(score=SidePair(100, 1))), "another")
    desk.until(lambda: driver.find_elements(By.CSS_SELECTOR, f"#done [data-key='{at_table(house, 20).id}']"), "20")
    keys.press("4")
    keys.reads("b24")
    keys.press(Keys.ENTER)
    # Whoever is fast does not wait for the answer.
    assert keys.enter(64, "6024") <= KEYS
    assert result_at(house, 13) == Result(score=SidePair(24, 100))
    # What is above the eye may get shorter: what the eye is on stays where it is.
    assert abs(driver.execute_script("return scrollY") - at) < 400
    keys.press(Keys.ESCAPE)
    assert not driver.find_element(By.ID, "entry-drawer").is_displayed()


def test_a_table_s_card_opens_the_line_and_enter_saves(hall: Hall, desk: Screen) -> None:
    card = desk.one(f"#missing [data-key='{at_table(hall.house, 21).id}'] a")
    assert card.get_property("textContent").strip().endswith("Wpisz wynik")
    desk.run("arguments[0].click()", card)
    desk.until(lambda: desk.run("return document.activeElement.id") == "entry-text", "the line")
    # The winner by a press on the name, the loser's figure by its keys.
    desk.run("arguments[0].click()", desk.one("#entry-drawer [data-entry-name=b]"))
    keys = Keyboard(desk)
    keys.press("40")
    keys.reads("b40")
    keys.press(Keys.ENTER)
    desk.until(lambda: result_at(hall.house, 21) == Result(score=SidePair(40, 100)), "the result")


def test_what_is_typed_faster_than_it_can_be_shown_waits_for_another_enter(hall: Hall, desk: Screen) -> None:
    house, driver = hall.house, desk.driver
    keys = Keyboard(desk)
    keys.open(14)
    number = house.event.number
    driver.execute_script("""
        const field = document.getElementById('entry-text');
        field.value = 'a31';
        field.dispatchEvent(new Event('input', {bubbles: true}));
        field.form.requestSubmit();""")
    keys.reads("a31")
    assert house.event.number == number
    keys.press(Keys.ENTER)
    desk.until(lambda: result_at(house, 14) is not None, "the result")


def test_a_result_that_comes_meanwhile_is_shown_and_not_overwritten(hall: Hall, desk: Screen) -> None:
    house, driver = hall.house, desk.driver
    keys, match = Keyboard(desk), at_table(house, 15)
    keys.open(15)
    keys.press("b40")
    keys.reads("b40")
    house.report(match.id, "a", 100, 40)
    house.report(match.id, "b", 100, 40)
    desk.until(lambda: "100:40" in driver.find_element(By.ID, "entry-now").text, "what both said")
    assert driver.switch_to.active_element.get_attribute("id") == "entry-text"
    keys.press(Keys.ENTER)
    desk.until(lambda: driver.find_elements(By.CSS_SELECTOR, "[data-entry-body] .problem"), "that it changed")
    assert result_at(house, 15) == Result(score=SidePair(100, 40))
    assert driver.find_element(By.ID, "entry-text").get_attribute("value") == "b40"


def test_a_wrong_number_is_told_and_escape_leaves(hall: Hall, desk: Screen) -> None:
    driver = desk.driver
    keys = Keyboard(desk)
    keys.press(f"77{Keys.ENTER}")
    desk.until(lambda: driver.find_elements(By.CSS_SELECTOR, "[data-entry-body] [role=alert]"), "the message")
    assert "77" in driver.find_element(By.CSS_SELECTOR, "[data-entry-body] [role=alert]").text
    assert driver.switch_to.active_element.get_attribute("value") == "77"
    keys.press(Keys.ESCAPE)
    assert not driver.find_element(By.ID, "entry-drawer").is_displayed()
    assert driver.switch_to.active_element.tag_name == "body"


@pytest.mark.long
def test_keys_for_a_result_in_each_rulebook(own_hall: Hall, screen: Screen) -> None:
    house, url = own_hall.house, own_hall.url
    taken: dict[str, int] = {}
    screen.language("pl")
    organizer = house.organizer()
    for number, rulebook in enumerate(LINES, start=1):
        an_event(house, organizer, f"e{number}", rulebook)
    screen.log_in(url, PIN)
    for number, (rulebook, line) in enumerate(LINES.items(), start=1):
        screen.open(f"{url}/console/e{number}")
        screen.until(lambda: screen.all("#missing .cell"), "the tables")
        table = house.service.snapshot.events[f"e{number}"].live.matches[0].match.table
        # A table of two digits, as most of 64 are.
        taken[rulebook] = Keyboard(screen).enter(table, line) + (table < 10)
    assert {rulebook: keys for rulebook, keys in taken.items() if keys > KEYS} == MORE_KEYS


def an_event(house: House, organizer: Browser, event: str, rulebook: str) -> None:
    """Eight people in round 1."""
    organizer.post("/console", name=rulebook, color="#00785A", rulebook=rulebook, prize_places=0)
    if RULEBOOKS[rulebook].team_size > 1:
        for one, two in zip(PEOPLE[:8], PEOPLE[8:16], strict=True):
            organizer.post(f"/console/{event}/competitors", names=f"{one} & co.", member_1=one, member_2=two)
    else:
        organizer.post(f"/console/{event}/competitors", names="\n".join(PEOPLE[:8]))
    if house.service.snapshot.events[event].rulebook.judge_required:
        house.service.execute_one(event, SetOfficials((Official("o0", "organizer"),)), "test")
    house.service.execute_one(event, DrawRound(11), "test")
    house.service.execute_one(event, PublishRound(1, 1, noted="a test"), "test")


def test_the_next_table_s_number_never_lands_in_a_reason(own_hall: Hall, screen: Screen) -> None:
    """60:24 is a result at time, and time is not up: an official says why."""
    house, keys = own_hall.house, Keyboard(screen)
    house.with_event(PEOPLE[:8], swiss_rounds=2)
    house.publish()
    house.service.execute_one("e1", SetClock("start"), "test")
    the_desk(own_hall, screen, "e1")
    keys.open(1)
    keys.press("6024")
    keys.reads("6024")
    keys.press(Keys.ENTER)
    screen.until(lambda: screen.run("return document.activeElement.name") == "reason", "the reason")
    keys.press(f"2{Keys.ENTER}")
    assert screen.run("return [document.activeElement.name, document.activeElement.value]") == ["reason", ""]
    assert result_at(house, 1) is None
    keys.press(f"both had to go, table 2 too{Keys.ENTER}")
    screen.until(lambda: result_at(house, 1) == Result(score=SidePair(60, 24), ended="time"), "the result")
    screen.until(lambda: screen.run("return document.activeElement.name") == "table", "the next number")


def test_a_slash_finds_tables_and_people_from_any_page(hall: Hall, desk: Screen) -> None:
    house, url = hall.house, hall.url
    driver, keys = desk.driver, Keyboard(desk)
    who = next(n for n, name in enumerate(PEOPLE, start=1) if name == "Aleksandra Wiśniewska-Szczepańska")
    # On the console the person's own forms open where they stand.
    keys.press("/")
    assert driver.switch_to.active_element.get_attribute("role") == "combobox"
    keys.press("wisniewska-sz aleks")
    desk.until(lambda: driver.find_elements(By.CSS_SELECTOR, "#find-list [role=option][aria-selected=true]"), "her")
    keys.press(Keys.ENTER)
    desk.until(lambda: driver.find_elements(By.CSS_SELECTOR, f"#person-p{who}[open] form[action$='/details']"), "forms")
    # Anywhere else: a table by its number, typed faster than it is found.
    driver.get(f"{url}/console/units")
    match = at_table(house, 33)
    keys.press(f"/33{Keys.ENTER}")
    desk.until(lambda: driver.current_url.endswith(f"/console/e1/match/{match.id}"), "the table's page")
    keys.press("/3")
    desk.until(lambda: driver.find_elements(By.CSS_SELECTOR, "#find-list [role=option]"), "some")
    keys.press(Keys.ARROW_DOWN)
    chosen = driver.switch_to.active_element.get_attribute("aria-activedescendant")
    assert chosen == "find-1"
    keys.press(Keys.ESCAPE)
    assert not driver.find_element(By.ID, "find-list").is_displayed()


@pytest.mark.long
def test_axe_finds_nothing_on_the_desk(hall: Hall, screen: Screen) -> None:
    """While a result is entered and while somebody is looked for; at few tables, since axe reads each of them."""
    event = hall.create("Summer Open", people=PEOPLE[:8])
    hall.publish(event)
    table = hall.event(event).live.matches[0].match.table  # type: ignore[union-attr]
    the_desk(hall, screen, event)
    screen.settle()
    keys = Keyboard(screen)
    keys.open(table)
    keys.press("a2")
    keys.reads("a2")
    assert screen.axe() == []
    keys.press(Keys.ESCAPE)
    keys.press("/an")
    screen.until(lambda: screen.all("#find-list [role=option]"), "some")
    assert screen.axe() == []
    for page in (f"entry?table={table}&text=b3", "find?q=an"):
        screen.open(f"{hall.url}/console/{event}/{page}")
        assert screen.axe() == []


@pytest.mark.parametrize("page", ["pairings", pytest.param("standings", marks=pytest.mark.long)])
def test_lists_for_everybody_get_shorter_as_a_name_is_typed(hall: Hall, screen: Screen, page: str) -> None:
    event = hall.create("Autumn Open", people=PEOPLE[:48])
    hall.publish(event)
    if page == "standings":
        hall.play(event)
    screen.open(f"{hall.url}/e/{event}/{page}")
    rows = "#pairs > li" if page == "pairings" else ".ranked > tr"

    def shown() -> int:
        return int(screen.run(SHOWN, rows))

    assert shown() >= 24
    screen.press("/aleks")
    screen.until(lambda: 0 < shown() < 20, "few")


def test_a_row_of_the_check_in_stays_under_the_hand_for_a_second(screen: Screen, tmp_path: Path) -> None:
    """Another desk checks somebody in who stands above: the row that this hand is on is still there when it presses."""
    with open_hall(tmp_path) as hall:
        house, driver = hall.house, screen.driver
        house.with_event(["Ana Ruiz", "Bruno Maier", "Kai Eich", "Eva Luz"], swiss_rounds=2)
        house.service.execute_one("e1", SetCheckIn(True), "test")
        screen.stand_still()
        screen.log_in(hall.url, PIN)
        screen.open(f"{hall.url}/console/e1/check-in")
        row = driver.find_element(By.CSS_SELECTOR, "#check-people [data-key=p2]")
        screen.until(
            lambda: driver.execute_script("return window.feeds.some((feed) => feed.readyState === 1)"), "a feed"
        )
        driver.execute_script(
            """
            for (const feed of window.feeds) for (const kind of ["view", "patch"])
                feed.addEventListener(kind, () => { window.told = true; });
            arguments[0].dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));""",
            row,
        )
        at = row.rect["y"]
        house.service.execute_one("e1", CheckIn("p1"), "another desk")
        screen.until(lambda: driver.execute_script("return window.told"), "the news")
        # What needs no second of a hand's time has had its turn.
        driver.execute_async_script("setTimeout(arguments[0], 300)")
        assert row.rect["y"] == at
        screen.go_on(1000)
        screen.until(lambda: screen.all("#check-people .is-here[data-key=p1]"), "the other's row to change")
        assert driver.find_element(By.CSS_SELECTOR, "#check-people [data-key=p2]").rect["y"] == at, "and none moves"
