"""The hub is away for two minutes under a phone in use: the page stays, says what to do, and comes back by itself."""

import pytest
from hall_kit import Hall, open_hall
from screen_kit import PHONE, PICTURES, Screen

PEOPLE = [f"Player {n:02}" for n in range(1, 25)]
WORDS = {
    "en": "Report at the table",
    "es": "Envía el resultado en la mesa",
    "de": "Melde das Ergebnis",
    "pl": "przy stole",
}
AWAY_S = 120


def phone(hall: Hall, screen: Screen, language: str = "en") -> str:
    """A player's own page in play; its address."""
    house = hall.house
    screen.size(PHONE)
    screen.language(language)
    house.with_event(PEOPLE)
    house.publish()
    address = hall.url + house.hub.access.links.path("e1", house.event.live.matches[0].match.a)
    screen.open(address)
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    screen.run("window.same_page = true")
    return address


@pytest.mark.parametrize("language", WORDS)
def test_a_press_without_contact_keeps_the_page_and_says_what_to_do(
    own_hall: Hall, screen: Screen, language: str
) -> None:
    phone(own_hall, screen, language)
    screen.offline()
    for press in ("#my-match a.button", "#my-call form button", "#my-leave a", "#my-match a.button"):
        screen.run("document.body.classList.remove('unreachable')")
        screen.click(press)
        screen.until(lambda: WORDS[language] in screen.one("#keep-open").text, "what to do")
        assert screen.run("return window.same_page")
    assert screen.unfit() == []
    assert screen.axe() == []
    if language == "de" and PICTURES:
        screen.driver.save_screenshot(f"{PICTURES}/contact-lost.png")


def test_a_hub_that_was_away_for_two_minutes_is_taken_up_where_it_was_left(own_hall: Hall, screen: Screen) -> None:
    phone(own_hall, screen)
    look = "return getComputedStyle(document.querySelector('#my-match a.button')).borderTopStyle"
    assert screen.run(look) == "solid"
    screen.offline()
    screen.click("#my-match a.button")
    screen.until(lambda: screen.one("#keep-open").is_displayed(), "what to do")
    screen.go_stale(AWAY_S)
    screen.until(lambda: screen.all("body.stale"), "the page to know")
    assert screen.run(look) == "dashed", "what waits does not look ready"
    screen.click("#my-call form button")
    screen.offline(False)
    screen.until(lambda: not screen.all("body.unreachable"), "the hub")
    assert screen.run("return window.same_page")
    screen.click("#my-match a.button")
    screen.until(lambda: screen.all(".walk"), "the first question")


def test_who_knows_better_than_the_script_gets_through(own_hall: Hall, screen: Screen) -> None:
    phone(own_hall, screen)
    screen.cdp("Network.setBlockedURLs", {"urls": ["*/time"]})
    screen.click("#my-match a.button")
    screen.click("#keep-open a")
    screen.until(lambda: screen.all(".walk"), "the first question")
    screen.cdp("Network.setBlockedURLs", {"urls": []})


def test_a_mistake_of_the_script_is_not_taken_for_a_lost_hub(own_hall: Hall, screen: Screen) -> None:
    screen.before_pages("addEventListener('DOMContentLoaded', () => { window.roundtap.within = undefined; })")
    phone(own_hall, screen)
    screen.click("#my-match a.button")
    screen.until(lambda: screen.all(".walk"), "the first question")
    screen.click("button[name=way]")
    screen.until(lambda: "way=" in screen.driver.current_url, "the next question")


def test_an_empty_hub_in_its_place_ends_no_page(
    own_hall: Hall, screen: Screen, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A new card's hub, before *Continue*: it knows no link yet, and the phones wait for it."""
    address = phone(own_hall, screen)
    with open_hall(tmp_path_factory.mktemp("empty")) as empty:
        doors, event = own_hall.doors, own_hall.doors.application
        doors.application = empty.doors.application
        before = len(doors.asked)
        screen.run("window.roundtapLive.look().then(() => { window.answered = true; })")
        screen.until(lambda: [path for path, _ in doors.asked[before:] if path in address], "the phone to have asked")
        screen.until(lambda: screen.run("return window.answered"), "the answer")
        assert screen.run("return window.same_page")
        assert screen.all("#my-match")
        screen.open(address)
        assert "No event yet" in screen.text()
        doors.application = event
    screen.until(lambda: screen.look_again() and screen.all("#my-match"), "the match")


def test_whoever_begins_to_type_the_code_while_the_page_looks_keeps_it(own_hall: Hall, screen: Screen) -> None:
    """And a hall full of phones does not look at the same moment."""
    phone(own_hall, screen)
    screen.before_pages(
        "Math.random = () => 0.25; const every = setInterval; window.waits = {};"
        "window.setInterval = (look, ms, ...more) => { window.waits[ms] = look; return every(look, ms, ...more); }"
    )
    screen.open(f"{own_hall.url}/me/made.up")
    screen.run(
        "window.same_page = true;"
        "window.fetch = () => { const code = document.querySelector('[name=code]'); code.focus(); code.value = 'AB';"
        "code.dispatchEvent(new Event('input', { bubbles: true })); window.looked = true;"
        "return Promise.resolve({ ok: true }); };"
        "window.waits[15000 * 0.75]();"
    )
    screen.until(lambda: screen.run("return window.looked"), "the page to look")
    assert screen.run("return window.same_page && document.querySelector('[name=code]').value") == "AB"


def test_a_wall_whose_turn_it_is_stays_while_the_hub_is_away(own_hall: Hall, screen: Screen) -> None:
    """Loaded then, it would show the browser's own page, and nobody stands beside a wall to load it again."""
    own_hall.create("Winter Open", people=PEOPLE)
    screen.open(f"{own_hall.url}/wall")
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    screen.run("window.same_page = true")
    turn = "document.dispatchEvent(new CustomEvent('roundtap:display', {detail: {elsewhere: true}}))"
    screen.offline()
    screen.driver.execute_async_script(f"{turn}; setTimeout(arguments[0], 300)")
    assert screen.run("return window.same_page")
    screen.offline(False)
    screen.run(turn)
    screen.until(lambda: screen.run("return !window.same_page && !!window.roundtap"), "the turn")
