"""Hands that only click and type, as hasty as people are, and read what each press says it did; a ledger of what they
did: what must stand afterwards."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby

from hall_kit import Hall
from screen_kit import DESK, Screen, Size
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.remote.webelement import WebElement

from roundtap_core.event.entries import Entry
from roundtap_core.event.states import DRAFT, EXTENSION, MatchState
from roundtap_hub.live.forms import CLICK_DEBOUNCE_MS
from roundtap_hub.store.event_times import STAFF

LATE_MS = (100, 350, 900)
"""Clicks that meant what was there before: so long after the page changed, by its own clock."""

SPOT = """
// The middle of what a finger would press, once it is scrolled to and nothing lies over it.
const one = arguments[0];
if (!one.checkVisibility()) return null;
one.scrollIntoView({block: "center", behavior: "instant"});
const box = one.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
const at = document.elementFromPoint(x, y);
if (!at || !(one.contains(at) || at.closest("label, summary, button, a") === one || at.contains(one))) return null;
window.pressed = false;
addEventListener("click", ({target}) => { window.pressed ||= one.contains(target) || target === at; },
                 {capture: true, once: true});
return [x, y];
"""

PRESSED = "return window.pressed !== false"
"""What `SPOT` found heard the click; a page that is there since then knows nothing of it."""

IN_SIGHT = """
// The middle of what a finger would press, if it is on the screen and nothing lies over it.
for (const button of document.querySelectorAll(arguments[0])) {
    if (!button.checkVisibility()) continue;
    const box = button.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
    const inside = box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
    return inside && button.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
}
return null;
"""


MESSAGE = """
// The message about that act, where whoever pressed sees it without scrolling.
const said = document.getElementById("did"), did = new URL(location.href).searchParams.get("did");
if (document.readyState !== "complete" || did !== arguments[0] || !said.innerText.trim()) return "";
const box = said.getBoundingClientRect();
return box.bottom > 0 && box.top < innerHeight ? said.innerText.trim().replace(/\\s+/g, " ") : "";
"""

Act = tuple[Entry, ...]


def acts_of(hall: Hall, event_id: str) -> list[Act]:
    """What the staff did in an event, as the journal has it: what was asked for together has one time."""
    entries = [one for one in hall.house.service.entries(event_id) if one.actor.partition(":")[0] in STAFF]
    return [tuple(one) for _, one in groupby(entries, lambda entry: (entry.actor, entry.at))]


def kind_of(hall: Hall, event_id: str, act: Act) -> str:
    """What was done, as far as its undoing differs from that of others."""
    entry = act[-1]
    off = any(not entry.data.get(key, True) for key in ("on", "used", "sign_up", "result", "by"))
    found = hall.event(event_id).find_match(str(entry.data.get("match", "")))
    corrected = entry.kind == "result-entered" and not off and found and found[1].replaced
    also = entry.data.get("state") or ("off" if off else "corrected" if corrected else "")
    return f"{entry.kind}.{also}".rstrip(".")


def extension_minutes(match: MatchState) -> int:
    return sum(line.minutes or 0 for line in match.log if line.kind == EXTENSION)


def shape(hall: Hall, event_id: str) -> dict[str, object]:
    """What counts in an event now, without how it came about."""
    event = hall.event(event_id)
    return {
        "rounds": [
            # A cut that is undone leaves the round before it closed, and its clock stopped.
            (
                one.number,
                one.status == DRAFT,
                [(each.match, each.drawn, extension_minutes(each)) for each in one.matches],
            )
            for one in event.rounds
        ],
        "people": {who: (one.active, one.checked_in, one.ticks) for who, one in event.entrants.items()},
        "officials": {who: one.on_duty for who, one in event.officials.items()},
        "calls": {match: call.taken_by for match, call in event.calls.items()},
        "wishes": {who: wish.refused for who, wish in event.wishes.items()},
        "set": (event.given_options, event.about, event.prizes, event.check_in, event.sign_up),
        "clock": event.clock.state
        if any(one.match.result is None for each in event.rounds for one in each.matches)
        else "",
        "course": (event.cut is not None, event.finished),
    }


@dataclass
class Ledger:
    """What was clicked, in the names that were shown: the only source of what must stand."""

    won: dict[tuple[int, frozenset[str]], str] = field(default_factory=dict)
    """(round, the two) → who won."""
    figures: dict[tuple[int, frozenset[str]], dict[str, int]] = field(default_factory=dict)

    def note(self, number: int, winner: str, loser: str, points: tuple[int, int]) -> None:
        pair = frozenset((winner, loser))
        self.won[number, pair] = winner
        self.figures[number, pair] = {winner: points[0], loser: points[1]}


class Hand:
    """Somebody at a window of their own: where they look, and their double and late clicks.

    The clocks of their pages stand still (`Screen.stand_still`): what is meant to be early is early on any machine.
    """

    def __init__(self, screen: Screen, hall: Hall, host: str = "127.0.0.1", size: Size = DESK) -> None:
        self.screen, self.hall, self.size = screen, hall, size
        self.url = hall.url.replace("127.0.0.1", host)
        """Each organizer comes by another name of the hub: a session of their own."""
        screen.driver.switch_to.new_window("tab")
        self.handle = screen.driver.current_window_handle
        self.late_clicks = self.presses = 0
        self.other: Hand | None = None
        """Who leads beside them, in a window of their own, and undoes every second act."""
        screen.prepare_tab()
        screen.stand_still()

    def look(self) -> Screen:
        """To this window."""
        if self.screen.driver.current_window_handle != self.handle:
            self.screen.driver.switch_to.window(self.handle)
        self.screen.cdp("Page.bringToFront", {})
        self.screen.size(self.size)
        return self.screen

    def spot(self, one: WebElement | str) -> tuple[float, float]:
        def found() -> tuple[float, float] | None:
            element = self.screen.one(one) if isinstance(one, str) else one
            at = self.screen.run(SPOT, element)
            return (at[0], at[1]) if at else None

        spot: tuple[float, float] = self.screen.until(found, f"{one} to be where a finger can press it")
        return spot

    def tap(self, spot: tuple[float, float], count: int = 1) -> None:
        self.presses += 1
        for kind in ("mousePressed", "mouseReleased"):
            self.screen.cdp(
                "Input.dispatchMouseEvent",
                {"type": kind, "x": spot[0], "y": spot[1], "button": "left", "clickCount": count},
            )

    def click(self, one: WebElement | str) -> tuple[float, float]:
        """Once, as somebody who takes their time, and sees when a live change took away what was under the finger."""

        def pressed() -> tuple[float, float] | None:
            spot = self.spot(one)
            self.tap(spot)
            try:
                return spot if self.screen.run(PRESSED) else None
            except WebDriverException:  # The page is being left.
                return spot

        spot: tuple[float, float] = self.screen.until(pressed, f"{one} to be pressed")
        return spot

    def leads(self, one: WebElement | str, what: str, true: Callable[[], object], twice: bool = False) -> None:
        """A click that leads to another page or changes this one; with `twice` it is a double click."""
        with self.reads():
            spot = self.click(one)
            if twice:
                self.tap(spot, 2)
                self.late_clicks += 1
            self.screen.until(true, what)

    def type(self, selector: str, text: str) -> None:
        one = self.screen.one(selector)
        self.click(one)
        one.clear()
        one.send_keys(text)

    # --- what it says that it did

    @contextmanager
    def reads(self) -> Iterator[None]:
        """Whatever the staff does meanwhile says so on the page that follows, by the journal and by what forms are
        answered with."""
        doors, ids = self.hall.doors, self.hall.house.service.snapshot.ids
        answers, before = len(doors.answers), {one: len(acts_of(self.hall, one)) for one in ids}
        yield
        made = [f"{one}.{act[-1].number}" for one, act in self.new_acts(before)]
        made += [did for path, did in doors.answers[answers:] if did and did not in made]
        for did in made:
            self.hall.heard[did] = self.screen.until(
                lambda did=did: self.screen.run(MESSAGE, did), f"the message about {did}, after {doors.answers[-3:]}"
            )

    def new_acts(self, before: dict[str, int]) -> list[tuple[str, Act]]:
        ids = self.hall.house.service.snapshot.ids
        return [(one, act) for one in ids for act in acts_of(self.hall, one)[before.get(one, 0) :]]

    def tries(self, event_id: str, act: Callable[[], None], again: bool = True) -> None:
        """What they do; the first of each kind that offers *Undo* is undone and done again. What undid it is undone as
        well, where that is offered."""
        before = shape(self.hall, event_id)
        act()
        after = shape(self.hall, event_id)
        if not self.undoes(event_id):
            return
        self.stands(event_id, before)
        if self.undoes(event_id):
            self.stands(event_id, after)
            self.undo(event_id)
            self.stands(event_id, before)
        if again:
            act()

    def stands(self, event_id: str, before: dict[str, object]) -> None:
        now = shape(self.hall, event_id)
        assert now == before, (
            [[(entry.kind, entry.data) for entry in act] for act in acts_of(self.hall, event_id)[-4:]],
            {part: (before[part], now[part]) for part in now if now[part] != before[part]},
        )

    def undoes(self, event_id: str) -> bool:
        """The last act is undone, if nobody has tried that of its kind, and its message offers it: every second one by
        the other organizer, in their list."""
        kind = kind_of(self.hall, event_id, acts_of(self.hall, event_id)[-1])
        if self.hall.undone[kind] or not self.screen.all("#did button"):
            return False
        self.hall.undone[kind] += 1
        if self.other and len(self.hall.undone) % 2:
            self.other.look().open(f"{self.other.url}/console/{event_id}/acts")
            self.other.undo(event_id, ".acts li:first-child button")
            self.look().driver.refresh()
            self.screen.whole()
        else:
            self.undo(event_id)
        return True

    def undo(self, event_id: str, button: str = "#did button") -> None:
        number = self.hall.event(event_id).number
        self.screen.settle()
        self.hall.time.ahead_ms += CLICK_DEBOUNCE_MS
        self.leads(button, "it to be undone", lambda: self.hall.event(event_id).number > number, twice=True)

    def looks_along(self, other: "Hand") -> None:
        """They see the message that the other one sees."""
        address = other.look().driver.current_url.partition("://")[2].partition("/")[2]
        self.look().open(f"{self.url}/{address}")
        assert self.screen.all("#did button"), self.screen.text()

    def too_late(self, event_id: str) -> None:
        """Something has followed since: the *Undo* that still stands here is refused in a sentence, and changes nothing."""
        self.look().settle()
        self.hall.time.ahead_ms += CLICK_DEBOUNCE_MS
        number = self.hall.event(event_id).number
        self.click("#did button")
        said = self.screen.until(lambda: self.screen.one(".problem").text.strip(), "why it is not undone")
        assert said.endswith("."), said
        assert self.hall.event(event_id).number == number, said
        self.hall.refused.append(said)

    # --- the next step

    def ready(self) -> None:
        """The next step is there and takes a press."""
        self.screen.until(lambda: self.screen.all("#next"), "a next step")
        self.screen.settle()
        # The hub does not believe a page that it has just sent, either.
        self.hall.time.ahead_ms += CLICK_DEBOUNCE_MS

    def in_sight(self, selector: str) -> tuple[float, float]:
        """Where it can be pressed: it must be on the screen without anybody scrolling."""
        spot = self.screen.run(IN_SIGHT, selector)
        assert spot, f"{selector} is not on the screen: {self.screen.one('#next').text}"
        return (spot[0], spot[1])

    def step(self) -> str:
        """The next step that is shown, once its page is there."""
        return str(
            self.screen.run("""const next = document.querySelector("#next");
            return document.readyState === "complete" && next ? next.dataset.step : "";""")
        )

    def where(self, event_id: str) -> tuple[object, ...]:
        """How far an event is: each step moves it by exactly one."""
        event = self.hall.event(event_id)
        return (
            len(event.public_rounds),
            event.draft and event.draft.draw.attempt,
            event.clock.state,  # type: ignore[union-attr]
            event.cut is not None,
            event.finished,
        )

    def next(self, event_id: str, to: tuple[object, ...]) -> None:
        """The next step by a double click and late ones; it leads to `to`, and no further."""
        self.look()
        self.ready()
        before, shown = self.where(event_id), self.step()
        if self.screen.all("#next .confirm"):
            spot = self.in_sight("#next .confirm > summary")
            self.tap(spot)
            self.screen.until(lambda: self.screen.all("#next.settling .confirm[open]"), "the question")
            self.tap(spot, 2)
            self.late(spot)
            assert self.where(event_id) == before
            self.ready()
            spot = self.in_sight("#next .confirm[open] form button.danger")
        else:
            spot = self.in_sight("#next .main")
        with self.reads():
            self.tap(spot)
            self.tap(spot, 2)
            self.screen.until(lambda: self.where(event_id) != before, f"{before} to become {to}")
            self.screen.until(lambda: self.step() not in ("", shown), f"the step after {shown}")
            self.late(spot)
        assert self.where(event_id) == to
        self.ready()
        assert self.where(event_id) == to

    def late(self, spot: tuple[float, float]) -> None:
        """Clicks at a spot of the page that is there now, all of them before its next step takes one."""
        gone_ms = 0
        for late_ms in LATE_MS:
            self.screen.go_on(late_ms - gone_ms)
            self.tap(spot)
            gone_ms = late_ms
            self.late_clicks += 1
