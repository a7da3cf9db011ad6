"""Play's first screen: in every state of an event what to do next is on it, and few things beside."""

from collections.abc import Callable

import pytest
from hall_kit import UNITS, Hall
from pages_kit import PIN
from screen_kit import DESK, Screen

from roundtap_core.event import commands as c

FOUR = ["Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Aleksandra Wiśniewska-Szczepańska"]
MOST_CONTROLS = 20
"""The last of them, closed, are the acts of the staff."""
MORE_CONTROLS = {"bracket draft": 21}
"""Each of four who are not here has a drop of their own."""

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
"""Brings a new event into it; the event's id."""

PLACES = {"p": "", "l": "/players", "s": "/standings", "r": "/paper", "e": "/event"}


def created(**options: object) -> State:
    return lambda hall: hall.create("Winter Open", people=FOUR, **options)


def after(before: State, *happens: Callable[[Hall, str], object]) -> State:
    def state(hall: Hall) -> str:
        event = before(hall)
        for one in happens:
            one(hall, event)
        return event

    return state


def told(*commands: c.Command) -> Callable[[Hall, str], None]:
    return lambda hall, event: hall.tell(event, *commands)


def begins_check_in(hall: Hall, event: str) -> None:
    hall.house.organizer().post(f"/console/{event}/check-in", used="1")


def are_seated(hall: Hall, event: str) -> None:
    for unit, match in zip(UNITS, hall.event(event).public_rounds[-1].matches, strict=False):
        hall.place(unit, match.match.table or 0)
        hall.house.hub.presence.update(
            unit, hall.house.hub.clocks.mono_ms(), connected=True, match=match.id, seated=frozenset("ab")
        )


def calls(hall: Hall, _: str) -> None:
    hall.house.says(UNITS[0], call=True)


def time_ends(hall: Hall, event: str) -> None:
    hall.house.time_is_up(event)


def one_is_missing(hall: Hall, event: str) -> None:
    hall.play(event, leave_open=1)


def differ(hall: Hall, event: str) -> None:
    match = hall.event(event).public_rounds[-1].matches[0].id
    hall.report(event, match, "a", 100, 24)
    hall.report(event, match, "b", 24, 100)


def first_seed_leaves(hall: Hall, event: str) -> None:
    seeds = hall.event(event).cut
    assert seeds
    hall.tell(event, c.DropCompetitor(seeds.seeds[0]))


def nobody(hall: Hall) -> str:
    return hall.create("Winter Open")


START = told(c.SetClock("start"))
DRAFT = after(created(), Hall.draw)
PUBLISHED = after(created(), Hall.publish)
SEATED = after(PUBLISHED, are_seated)
RUNNING = after(PUBLISHED, START)
TIME_UP = after(RUNNING, time_ends)
ALL_IN = after(RUNNING, Hall.play)
BEFORE_THE_CUT = after(created(swiss_rounds=1, cut=4), Hall.publish, START, Hall.play)
CUT = after(BEFORE_THE_CUT, told(c.MakeCut()))
CHAMPION = after(CUT, Hall.publish, Hall.play, Hall.publish, Hall.play)
FINISHED = after(CHAMPION, told(c.FinishEvent("")))

STATES: dict[str, tuple[State, str]] = {
    "nobody": (nobody, "enter"),
    "before round 1": (created(), "draw_first"),
    "check-in": (after(created(), begins_check_in), "check_in"),
    "draft": (DRAFT, "publish"),
    "open points": (after(created(lists_required="1"), Hall.draw), "points"),
    "published": (PUBLISHED, "start_unseen"),
    "seated": (SEATED, "start_units"),
    "running": (RUNNING, "missing"),
    "paused": (after(RUNNING, told(c.SetClock("pause"))), "resume"),
    "time up": (TIME_UP, "missing"),
    "one missing": (after(TIME_UP, one_is_missing), "missing"),
    "dispute": (after(RUNNING, differ), "missing"),
    "call": (after(SEATED, START, calls), "missing"),
    "all in": (ALL_IN, "draw"),
    "before the cut": (BEFORE_THE_CUT, "cut"),
    "cut": (CUT, "draw_knockout"),
    "place offered": (
        after(created(swiss_rounds=1, cut=2), Hall.publish, START, Hall.play, told(c.MakeCut()), first_seed_leaves),
        "offer",
    ),
    "bracket draft": (after(CUT, Hall.draw), "publish_knockout"),
    "bracket": (after(CUT, Hall.publish, START), "missing"),
    "champion": (CHAMPION, "champion"),
    "finished": (FINISHED, "finished"),
    "finished early": (after(ALL_IN, told(c.FinishEvent("the hall closes"))), "finished"),
    "reopened": (after(FINISHED, told(c.ReopenEvent())), "champion"),
}
"""Each state with its next step."""


@pytest.mark.parametrize("name", STATES)
def test_what_to_do_next_is_on_the_first_screen_among_few_controls(hall: Hall, screen: Screen, name: str) -> None:
    state, step = STATES[name]
    event = state(hall)
    screen.log_in(hall.url, PIN)
    screen.size(DESK)
    screen.open(f"{hall.url}/console/{event}")
    assert screen.run("return document.getElementById('next').dataset.step.split(' ')[0]") == step
    main = [one.text for one in screen.all("main .main") if one.is_displayed()]
    # What is to be done on this very screen has no button that leads there.
    assert len(main) == (step not in ("points", "missing", "offer"))
    assert main == [one.text for one in screen.all("#next .main")]
    assert screen.run(BELOW) == []
    controls = screen.run(CONTROLS)
    assert controls[-1] == "SUMMARY Latest changes"
    assert len(controls) <= MORE_CONTROLS.get(name, MOST_CONTROLS), " | ".join(controls)


def test_two_keys_lead_from_place_to_place(hall: Hall, screen: Screen) -> None:
    event = RUNNING(hall)
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
    event = DRAFT(hall)
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
