"""A button is what it was when the finger left for it: forms carry the state they were shown for."""

import html
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from pages_kit import PEOPLE, Browser, House, problem_of, text_of

from roundtap_core.event.commands import DropCompetitor, EnterResult, MakeCut
from roundtap_core.records import Result, SidePair
from roundtap_hub.live.forms import CLICK_DEBOUNCE_MS

FORM = re.compile(r'<form[^>]*action="([^"]+)"[^>]*>(.*?)</form>', re.DOTALL)
FIELD = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
STEPS = re.compile(
    r"/console/e1/(draw|discard|tables|publish|clock|extra|finish|cut|cut/\w+|"
    r"competitors/\w+/(drop|return|disqualify))$"
)

Form = tuple[str, dict[str, str]]

MOVED_ON = "The event has changed"


def forms(browser: Browser) -> list[Form]:
    """Every form of the console that makes a step, as a person's browser would send it."""
    page = browser.opened().text
    found = [
        (action, {name: html.unescape(value) for name, value in FIELD.findall(body)})
        for action, body in FORM.findall(page)
    ]
    return [(action, fields) for action, fields in found if STEPS.match(action)]


def form(browser: Browser, ending: str, **having: str) -> Form:
    return next(
        (action, fields)
        for action, fields in forms(browser)
        if action.endswith(ending) and having.items() <= fields.items()
    )


def slowly(house: House, browser: Browser, ending: str, **having: str) -> str:
    """Press it after a look."""
    pressed = form(browser, ending, **having)
    wait(house)
    return press(browser, pressed)


def press(browser: Browser, pressed: Form, **typed: str) -> str:
    """What the page says against it; "" where it was done."""
    action, fields = pressed
    answer = browser.post(action, **{**{k: v for k, v in fields.items() if k != "csrf"}, **typed})
    assert answer.status_code in (303, 400, 409)
    return problem_of(answer)


def wait(house: House) -> None:
    house.time.ms += CLICK_DEBOUNCE_MS


def to_the_cut(house: House, browser: Browser) -> None:
    house.publish()
    house.play()
    house.publish()
    house.play()


def test_every_step_s_form_says_what_it_was_shown_for(house: House):
    """From the first draw to the last click of an event with a cut: no form without it."""
    browser = house.with_event(cut=4)
    met: set[str] = set()

    def look() -> None:
        for action, fields in forms(browser):
            assert fields.get("step"), action
            met.add(re.sub(r"/p\d+/", "/", action.removeprefix("/console/e1/")))

    def go(ending: str, **having: str) -> None:
        look()
        assert slowly(house, browser, ending, **having) == ""
        look()

    for _ in range(2):
        go("/draw")
        go("/publish")
        go("/clock", action="start")
        house.play()
    house.service.execute_one("e1", DropCompetitor("p6"), "test")
    go("/cut")
    first = next(who for who in house.event.cut.order if house.event.entrants[who].active)
    house.service.execute_one("e1", DropCompetitor(first), "test")
    go("/cut/accepted")
    go("/draw")
    go("/publish")
    house.play()
    go("/draw")
    go("/publish")
    house.play()
    go("/finish")
    assert met == {
        "draw",
        "discard",
        "publish",
        "clock",
        "finish",
        "cut",
        "cut/back",
        "cut/accepted",
        "cut/declined",
        "cut/present",
        "competitors/drop",
        "competitors/return",
        "competitors/disqualify",
    }


def test_a_button_of_another_state_does_nothing_and_says_so_on_the_same_page(house: House):
    browser = house.with_event(cut=4)
    wait(house)
    stale = form(browser, "/draw")
    house.service.execute_one("e1", DropCompetitor("p6"), "test")
    said = press(browser, stale)
    assert MOVED_ON in said
    assert house.event.draft is None
    house.publish()
    start = form(browser, "/clock", action="start")
    wait(house)
    assert press(browser, start) == ""
    assert MOVED_ON in press(browser, start)


@pytest.mark.parametrize("ending", ["/draw", "/discard", "/publish"])
def test_buttons_of_a_draft_are_of_that_draft(house: House, ending: str):
    browser = house.with_event()
    browser.post("/console/e1/draw", attempt=0)
    pressed = form(browser, ending)
    wait(house)
    browser.post("/console/e1/draw", attempt=1)
    assert MOVED_ON in press(browser, pressed)
    assert house.event.draft.draw.attempt == 2


@pytest.mark.parametrize("ending", ["/cut", "/finish"])
def test_the_cut_and_the_end_are_of_the_results_that_were_on_the_page(house: House, ending: str):
    browser = house.with_event(cut=4)
    to_the_cut(house, browser)
    pressed = form(browser, ending)
    wait(house)
    house.service.execute_one("e1", EnterResult("2.1", 1, Result(score=SidePair(24, 100))), "test")
    assert MOVED_ON in press(browser, pressed)
    assert house.event.cut is None
    assert not house.event.finished


@pytest.mark.parametrize("ending", ["/cut/back", "/cut/accepted", "/cut/declined", "/competitors/p2/drop"])
def test_buttons_of_a_cut_are_of_that_cut(house: House, ending: str):
    browser = house.with_event(cut=4)
    to_the_cut(house, browser)
    house.service.execute_one("e1", MakeCut(), "test")
    first, second, *_ = house.event.cut.seeds
    house.service.execute_one("e1", DropCompetitor(first), "test")
    ending = ending.replace("p2", second)
    pressed = form(browser, ending)
    wait(house)
    others = [what for what in ("/cut/accepted", "/cut/back") if what != ending]
    before = house.event
    assert press(browser, form(browser, others[0])) == ""
    if ending.endswith("drop"):
        # Whether the cut stands or not: leaving would do the same.
        assert press(browser, pressed) == ""
        return
    assert MOVED_ON in press(browser, pressed)
    assert house.event.cut != before.cut


def test_who_leaves_or_is_disqualified_does_so_in_the_match_that_was_on_the_page(house: House):
    browser = house.with_event()
    house.publish()
    match = next(m.match for m in house.event.live.matches if m.id == "1.1")
    leaves, out = form(browser, f"/{match.a}/drop"), form(browser, f"/{match.b}/disqualify")
    house.play()
    assert MOVED_ON in press(browser, leaves)
    assert MOVED_ON in press(browser, out, reason="marked cards")
    assert all(entrant.active for entrant in house.event.entrants.values())
    assert press(browser, form(browser, f"/{match.a}/drop")) == ""
    back = form(browser, f"/{match.a}/return")
    assert press(browser, back) == ""
    assert MOVED_ON in press(browser, back)


def test_a_next_step_takes_no_press_before_it_could_be_read(house: House):
    """The second click of a double click on *Publish* lands on *Start the clock*, which has come to the same place."""
    browser = house.with_event()
    browser.post("/console/e1/draw", attempt=0)
    publish = form(browser, "/publish")
    wait(house)
    assert press(browser, publish) == ""
    start = next(f for f in forms(browser) if f[0].endswith("/clock") and "shown_at" in f[1])
    house.time.ms += CLICK_DEBOUNCE_MS - 1
    assert "less than a second" in press(browser, start)
    assert house.event.clock.state == "idle"
    house.time.ms += 1
    assert press(browser, start) == ""


def test_the_same_press_twice_at_the_same_moment_is_done_once(house: House):
    browser = house.with_event()
    pressed = form(browser, "/draw")
    wait(house)
    twins = [browser, house.browser()]
    twins[1].client._cookies.update(browser.client._cookies)  # type: ignore[attr-defined]
    twins[1].token = browser.token
    with ThreadPoolExecutor(2) as both:
        said = sorted(both.map(lambda each: press(each, pressed), twins))
    assert said[0] == ""
    assert said[1] != ""
    assert house.event.draft.draw.attempt == 1


# --- what a step will do ---------------------------------------------------------------------------------------------


def test_the_cut_names_who_goes_on_before_it_is_made(house: House):
    browser = house.with_event(cut=4)
    to_the_cut(house, browser)
    said = text_of(browser.console())
    names = re.search(r"These 4 advance: ([^.]+)\. The others are out\. You can undo this", said)
    assert names
    assert slowly(house, browser, "/cut") == ""
    people = {f"p{number}": name for number, name in enumerate(PEOPLE, start=1)}
    assert names[1].split(", ") == [people[who] for who in house.event.cut.seeds]


def test_what_cannot_be_seen_through_asks_once_more(house: House):
    """Finish, cut, leaving the cut, drawing anew: the first press opens, and says what the second one does."""
    browser = house.with_event(cut=4)

    def asked() -> set[str]:
        page = browser.console().text
        inside = "".join(re.findall(r'<details class="confirm".*?</details>', page, re.DOTALL))
        return {action.removeprefix("/console/e1/") for action, _ in FORM.findall(inside)}

    browser.post("/console/e1/draw", attempt=0)
    assert asked() == {"draw", "discard"}
    browser.post("/console/e1/discard")
    to_the_cut(house, browser)
    assert asked() == {"cut"}
    house.service.execute_one("e1", MakeCut(), "test")
    assert asked() == {"cut/back", *(f"competitors/{who}/drop" for who in house.event.cut.seeds)}
    for _ in range(2):
        house.publish()
        house.play()
    assert asked() == {"finish"}


def test_the_step_says_whose_result_was_the_last(house: House):
    browser = house.with_event()
    house.publish()
    house.play(leave_open=1)
    open_match = house.event.live.open_matches[0]
    for side in ("a", "b"):
        house.report(open_match.id, side, 100, 24)
    table = open_match.match.table
    assert f"Table {table} reported. All results are in." in text_of(browser.console())


def test_a_clock_started_too_early_is_taken_back_and_the_wall_shows_the_pairings(house: House):
    browser = house.with_event()
    house.publish()
    assert "Undo start" not in text_of(browser.console())
    assert slowly(house, browser, "/clock", action="start") == ""
    house.time.ms += 5000
    seats = f"{PEOPLE[0].split()[0]}"
    assert "Undo start" in text_of(browser.console())
    wall = browser.get("/wall/e1").text
    assert press(browser, form(browser, "/clock", action="reset")) == ""
    assert (house.event.clock.state, house.event.clock.remaining_ms) == ("idle", 75 * 60_000)
    assert browser.get("/wall/e1").text != wall
    assert seats in text_of(browser.get("/wall/e1"))
    assert slowly(house, browser, "/clock", action="start") == ""
    house.report("1.1", "a", 100, 24)
    assert "Undo start" not in text_of(browser.console())


def test_the_page_after_a_step_begins_with_the_next_one(house: House):
    """No step leads past its own next button to a place further down."""
    browser = house.with_event(cut=4)
    assert browser.post("/console/e1/draw", attempt=0).location == "/console/e1"
    assert browser.post("/console/e1/publish", number=1, attempt=1).location == "/console/e1"
    house.play()
    house.publish()
    house.play()
    assert browser.post("/console/e1/cut").location == "/console/e1"
