"""The hall's clock with phases and hidden minutes: what officials see, what nobody else may, and who is told when."""

import asyncio
import json
from collections.abc import Callable, MutableMapping
from typing import Any

import pytest
from feed_listener import FeedLink, joined
from hub_kit import person_of
from pages_kit import PEOPLE, Browser, House, problem_of, text_of
from wire_json import table_json

from roundtap_core.event import commands as c
from roundtap_core.event.commands import GrantExtension, SetExtraMinutes
from roundtap_core.event.states import Entrant
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.app.asgi import HubApplication, PhaseTimer
from roundtap_hub.http.connection_limits import TRANSPORT
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step

MINUTE = 60_000


def begin(house: House, rulebook: str = "shatterpoint-premier", **options: Any) -> Browser:
    """Round 1 of six players is being played; unit-1 stands at table 1. The organizer's browser."""
    people = [
        PersonRecord("e1", f"p{i}", f"salt {i}", person_of(name, rulebook)) for i, name in enumerate(PEOPLE, start=1)
    ]
    create = c.CreateEvent("Showdown", rulebook, None, {"structure": "own", "swiss_rounds": 3, **options}, "#882255", 7)
    entered = [c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people]
    house.service.execute([Step("e1", command) for command in (create, *entered)], "test", people)
    house.publish()
    house.place("unit-1", 1)
    browser = house.organizer()
    browser.console()
    house.service.execute_one("e1", c.SetClock("start"), "test")
    return browser


def roll(house: House, minutes: int) -> None:
    house.service.execute_one("e1", SetExtraMinutes(1, minutes), "test")


def table(house: House, unit: str = "unit-1") -> dict[str, Any]:
    clock: dict[str, Any] = table_json(house.service.snapshot, unit, None, house.hub.clocks.now())["clock"]
    return clock


def feed(house: House, page: str) -> list[str]:
    """What a browser's feed says on being opened."""

    async def listen() -> list[str]:
        found: list[str] = []
        link = FeedLink(lambda chunks: found.extend(joined(chunks).decode().split("\n\n")))

        async def send(message: MutableMapping[str, Any]) -> None:
            assert message["status"] == 200

        scope = {"query_string": f"page={page}".encode(), "headers": [], TRANSPORT: link}
        await HubApplication(house.hub).browsers.answer(scope, None, send)
        return found

    return asyncio.run(listen())


def test_a_table_learns_phases_and_that_the_end_is_open_but_not_how_long(house: House) -> None:
    begin(house)
    before = table(house)
    roll(house, 4)
    assert table(house) == before
    assert before["phases"] == [{"key": "phase.key", "from_ms": 90 * MINUTE}]
    assert (before["open_end"], before["over"]) == (True, False)


def test_until_it_is_over_nothing_that_leaves_the_hub_tells_the_extra_minutes(house: House) -> None:
    """Packets and pages are the same with one minute and with five, at every moment before the first of them ends."""
    browser = begin(house)
    said: dict[int, list[str]] = {}
    start = house.time.ms
    for minutes in (1, 5):
        house.time.ms = start
        roll(house, minutes)
        for elapsed in (0, 89, 91, 119, 120, 120.9):
            house.time.ms = start + int(elapsed * MINUTE)
            snapshot = house.service.snapshot
            pages = [house.browser().get(path).text for path in ("/wall/e1", "/e/e1/p/p1")]
            # The number of the last entry is public; a correction of the roll is one more of them.
            pages = [page.replace(snapshot.events["e1"].head[:16], "") for page in pages]
            clocks = [line for page in pages for line in page.splitlines() if "data-clock" in line]
            clocks += [line for line in feed(house, "console/e1") if "clock" in line]
            said.setdefault(minutes, []).extend([json.dumps(table(house)), *clocks])
    assert said[1] == said[5]
    assert browser is not None


def test_over_is_said_when_the_minutes_have_run_and_the_clock_counts_on_from_there(house: House) -> None:
    begin(house)
    roll(house, 3)
    deadline_ms = table(house)["deadline_ms"]
    house.time.ms += 123 * MINUTE - 1
    assert table(house)["over"] is False
    house.time.ms += 1
    assert (table(house)["over"], table(house)["deadline_ms"]) == (True, deadline_ms + 3 * MINUTE)


def test_nothing_entered_counts_as_no_minutes(house: House) -> None:
    begin(house)
    house.time.ms += 120 * MINUTE
    assert table(house)["over"] is True


def test_a_table_with_an_extension_is_over_so_many_minutes_later(house: House) -> None:
    begin(house)
    roll(house, 2)
    house.service.execute_one("e1", GrantExtension("1.1", 4), "test")
    house.time.ms += 124 * MINUTE
    assert table(house)["over"] is False
    house.time.ms += 2 * MINUTE
    assert table(house)["over"] is True


@pytest.mark.parametrize("rulebook", [book.id for book in RULEBOOKS.values() if book.extra_minutes is None])
def test_elsewhere_the_end_is_no_secret(house: House, rulebook: str) -> None:
    begin(house, rulebook)
    assert (table(house)["open_end"], table(house)["over"], table(house)["phases"]) == (False, False, [])


# --- the timer ---------------------------------------------------------------------------------------------------


class Loop:
    """Stands for an event loop: timers ring when the test says that their time has come."""

    def __init__(self) -> None:
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, delay_s: float, ring: Callable[[], None]) -> Any:
        timer = (delay_s, ring)
        self.timers.append(timer)
        loop = self

        class Handle:
            def cancel(self) -> None:
                if timer in loop.timers:
                    loop.timers.remove(timer)

        return Handle()

    def call_soon_threadsafe(self, step: Callable[[], None]) -> None:
        step()

    def is_closed(self) -> bool:
        return False


def test_one_timer_wakes_the_feeds_at_each_boundary_and_at_no_other_time(house: House) -> None:
    begin(house)
    roll(house, 3)
    loop, woken, start = Loop(), list[float](), house.time.ms
    boundaries = PhaseTimer(house.hub, lambda: woken.append((house.time.ms - start) / MINUTE))
    boundaries.bind(loop)  # type: ignore[arg-type]
    while loop.timers:
        [(delay_s, ring)] = loop.timers
        loop.timers.clear()
        house.time.ms += round(delay_s * 1000)
        ring()
    assert woken == [90, 120, 123]


def test_a_clock_set_anew_moves_the_timer_and_a_pause_stops_it(house: House) -> None:
    begin(house)
    loop = Loop()
    PhaseTimer(house.hub, lambda: None).bind(loop)  # type: ignore[arg-type]
    assert [delay_s for delay_s, _ in loop.timers] == [90 * 60]
    house.service.execute_one("e1", c.SetClock("adjust", -10 * MINUTE), "test")
    assert [delay_s for delay_s, _ in loop.timers] == [80 * 60]
    house.service.execute_one("e1", c.SetClock("pause"), "test")
    assert loop.timers == []


def test_a_timer_that_rings_too_early_waits_a_little_and_never_spins(house: House) -> None:
    begin(house)
    house.time.ms += 90 * MINUTE - 1
    loop = Loop()
    PhaseTimer(house.hub, lambda: None).bind(loop)  # type: ignore[arg-type]
    [(delay_s, ring)] = loop.timers
    ring()
    assert delay_s >= 0.05
    assert loop.timers[-1][0] >= 0.05


# --- pages -------------------------------------------------------------------------------------------------------


def test_the_wall_says_key_phase_from_minute_90_with_its_reminder(house: House) -> None:
    begin(house)
    house.time.ms += 90 * MINUTE
    page = house.browser().get("/wall/e1").text
    assert 'data-phase="key"' in page
    assert '<span class="phase-key now" data-when="key">' in page
    assert "At the start of each end-of-turn step, the active player receives a progress marker" in text_of(
        house.browser().get("/wall/e1")
    )


def test_in_the_last_minutes_words_stand_where_the_time_stood(house: House) -> None:
    begin(house)
    roll(house, 2)
    house.time.ms += 121 * MINUTE
    page = house.browser().get("/wall/e1").text
    assert 'class="clock worded"' in page
    assert '>Last minutes<small class="as-of">' in page
    house.time.ms += 2 * MINUTE
    page = house.browser().get("/wall/e1").text
    assert 'class="clock"' in page
    assert '+1:00<small class="as-of">' in page


def test_the_console_asks_for_the_roll_from_the_start_of_the_round_and_shows_the_real_end(house: House) -> None:
    browser = begin(house)
    assert "extra minutes missing" in text_of(browser.console())
    assert "Roll five attack dice" in text_of(browser.console())
    assert browser.post("/console/e1/extra", number=1, minutes=3).status_code == 302 + 1
    page = text_of(browser.console())
    assert "extra minutes missing" not in page
    assert "Actual time: 123:00 with 3 extra minutes" in page


def test_a_roll_that_five_dice_cannot_show_is_refused(house: House) -> None:
    browser = begin(house)
    assert "0 to 5" in problem_of(browser.post("/console/e1/extra", number=1, minutes=6))
    assert house.event.live.extra_minutes is None


def test_rulebooks_without_a_roll_are_not_asked_for_one(house: House) -> None:
    browser = begin(house, "warlords-of-terra")
    assert "xtra minutes" not in text_of(browser.console())


@pytest.mark.parametrize(
    ("rulebook", "words"),
    [
        ("xwing-standard", "Finish the current game round"),
        ("xwing-epic-duel", "Finish the current game round"),
        ("keyforge-archon", "the opponent takes one last turn"),
        ("keyforge-sealed", "the opponent takes one last turn"),
        ("warlords-of-terra", "then play three more"),
        ("shatterpoint-premier", "Finish the current turn"),
    ],
)
def test_at_time_the_wall_says_what_happens_now(house: House, rulebook: str, words: str) -> None:
    begin(house, rulebook)
    house.time.ms += 200 * MINUTE
    page = house.browser().get("/wall/e1").text
    assert 'data-phase="over"' in page
    assert words in page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_every_rulebook_says_it_in_every_language(rulebook: str, language: str) -> None:
    """Or in none, where what all games say will do."""
    assert f"at_time.{rulebook}" in core_words(language) or f"at_time.{rulebook}" not in core_words("en")
