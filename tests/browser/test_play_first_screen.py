"""Play's first screen: in every state of an event what to do next is on it, and few things beside."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hall_kit import UNITS, Hall
from pages_kit import PIN
from screen_kit import DESK, Screen

from roundtap_core.event import commands as c

FOUR = ["Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Aleksandra Wiśniewska-Szczepańska"]
MOST_CONTROLS = 20

CONTROLS = """
return [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
    .filter((one) => one.checkVisibility({visibilityProperty: true}))
    .filter((one) => { const {right, width} = one.getBoundingClientRect(); return right > 0 && width > 1; })
    .map((one) => `${one.tagName} ${(one.textContent.trim() || one.name).split("\\n")[0]}`);
"""
BELOW = """
return [...document.querySelectorAll("#next .main, #needs, #points, #offered, #missing .cell")]
    .filter((one) => { const {top, bottom} = one.getBoundingClientRect(); return top < 0 || bottom > innerHeight; })
    .map((one) => `#${one.id} .${one.className}`);
"""

State = Callable[[Hall], str]


def nobody(hall: Hall) -> str:
    return hall.create("Winter Open")


def before_round_1(hall: Hall, **options: object) -> str:
    return hall.create("Winter Open", people=FOUR, **options)


def check_in(hall: Hall) -> str:
    event = before_round_1(hall)
    hall.house.organizer().post(f"/console/{event}/check-in", used="1")
    return event


def draft(hall: Hall) -> str:
    event = before_round_1(hall)
    hall.draw(event)
    return event


def open_points(hall: Hall) -> str:
    event = before_round_1(hall, lists_required="1")
    hall.draw(event)
    return event


def published(hall: Hall, **options: object) -> str:
    event = before_round_1(hall, **options)
    hall.publish(event)
    return event


def seated(hall: Hall) -> str:
    event = published(hall)
    for unit, match in zip(UNITS, hall.event(event).public_rounds[-1].matches, strict=False):
        hall.place(unit, match.match.table or 0)
        hall.house.hub.presence.update(unit, hall.house.hub.clocks.mono_ms(), connected=True, match=match.id,
                                       seated=frozenset("ab"))
    return event


def running(hall: Hall, **options: object) -> str:
    event = published(hall, **options)
    hall.tell(event, c.SetClock("start"))
    return event


def paused(hall: Hall) -> str:
    event = running(hall)
    hall.tell(event, c.SetClock("pause"))
    return event


def time_up(hall: Hall) -> str:
    event = running(hall)
    hall.house.time_is_up(event)
    return event


def one_missing(hall: Hall) -> str:
    event = time_up(hall)
    hall.play(event, leave_open=1)
    return event


def dispute(hall: Hall) -> str:
    event = running(hall)
    match = hall.event(event).public_rounds[-1].matches[0].id
    hall.report(event, match, "a", 100, 24)
    hall.report(event, match, "b", 24, 100)
    return event


def call(hall: Hall) -> str:
    event = seated(hall)
    hall.tell(event, c.SetClock("start"))
    hall.house.hub.presence.update(UNITS[0], hall.house.hub.clocks.mono_ms(), call=True)
    return event


def all_in(hall: Hall) -> str:
    event = running(hall)
    hall.play(event)
    return event


def before_the_cut(hall: Hall) -> str:
    event = running(hall, swiss_rounds=1, cut=4)
    hall.play(event)
    return event


def cut(hall: Hall) -> str:
    event = before_the_cut(hall)
    hall.tell(event, c.MakeCut())
    return event


def place_offered(hall: Hall) -> str:
    event = running(hall, swiss_rounds=1, cut=2)
    hall.play(event)
    hall.tell(event, c.MakeCut())
    seeds = hall.event(event).cut
    assert seeds
    hall.tell(event, c.DropCompetitor(seeds.seeds[0]))
    return event


def bracket_draft(hall: Hall) -> str:
    event = cut(hall)
    hall.draw(event)
    return event


def bracket(hall: Hall) -> str:
    event = cut(hall)
    hall.publish(event)
    hall.tell(event, c.SetClock("start"))
    return event


def champion(hall: Hall) -> str:
    event = cut(hall)
    for _ in ("semi-final", "final"):
        hall.publish(event)
        hall.play(event)
    return event


def finished(hall: Hall) -> str:
    event = champion(hall)
    hall.tell(event, c.FinishEvent(""))
    return event


def finished_early(hall: Hall) -> str:
    event = all_in(hall)
    hall.tell(event, c.FinishEvent("the hall closes"))
    return event


def reopened(hall: Hall) -> str:
    event = finished(hall)
    hall.tell(event, c.ReopenEvent())
    return event


STATES: tuple[tuple[State, str], ...] = (
    (nobody, "enter"), (before_round_1, "draw_first"), (check_in, "check_in"), (draft, "publish"),
    (open_points, "points"), (published, "start_unseen"), (seated, "start_units"), (running, "missing"),
    (paused, "resume"), (time_up, "missing"), (one_missing, "missing"), (dispute, "missing"), (call, "missing"),
    (all_in, "draw"), (before_the_cut, "cut"), (cut, "draw_knockout"), (place_offered, "offer"),
    (bracket_draft, "publish_knockout"),
    (bracket, "missing"), (champion, "champion"), (finished, "finished"), (finished_early, "finished"),
    (reopened, "champion"))
"""Each state with its next step."""


@pytest.mark.parametrize(("state", "step"), STATES, ids=[state.__name__ for state, _ in STATES])
def test_what_to_do_next_is_on_the_first_screen_among_few_controls(
    hall: Hall, screen: Screen, state: State, step: str,
) -> None:
    event = state(hall)
    screen.log_in(hall.url, PIN)
    screen.size(DESK)
    screen.open(f"{hall.url}/console/{event}")
    screen.settle()
    assert screen.run("return document.getElementById('next').dataset.step.split(' ')[0]") == step
    main = [one.text for one in screen.all("main .main") if one.is_displayed()]
    # What is to be done on this very screen has no button that leads there.
    assert len(main) == (step not in ("points", "missing", "offer"))
    assert main == [one.text for one in screen.all("#next .main")]
    assert screen.run(BELOW) == []
    controls = screen.run(CONTROLS)
    assert len(controls) <= MOST_CONTROLS, controls


PLACES = {"p": "", "l": "/players", "s": "/standings", "r": "/paper", "e": "/event"}


def test_two_keys_lead_from_place_to_place(hall: Hall, screen: Screen) -> None:
    event = running(hall)
    screen.log_in(hall.url, PIN)
    screen.open(f"{hall.url}/console/{event}/event")
    for letter, path in PLACES.items():
        screen.press("g", letter)
        screen.until(lambda path=path: screen.driver.current_url == f"{hall.url}/console/{event}{path}", path)
        screen.whole()
        current = screen.run("return document.querySelector('.places [aria-current]').getAttribute('href')")
        assert current == f"/console/{event}{path}"
    # While somebody types, letters are letters.
    screen.press("/", "g", "p")
    assert screen.driver.current_url.endswith("/event")
    assert screen.run("return document.activeElement.value") == "gp"


def test_a_question_comes_in_front_and_cancel_leaves_all_as_it_was(hall: Hall, screen: Screen) -> None:
    event = draft(hall)
    screen.log_in(hall.url, PIN)
    screen.open(f"{hall.url}/console/{event}")
    screen.settle()
    before = hall.event(event).number
    screen.click("#draft-discard > summary")
    screen.until(lambda: screen.all("#draft-discard dialog:modal"), "the question")
    assert screen.run("return document.querySelector('#draft-discard dialog button:last-child').className") == "danger"
    screen.click("#draft-discard [data-cancel]")
    screen.until(lambda: not screen.all("#draft-discard[open]"), "the page as before")
    assert hall.event(event).number == before
