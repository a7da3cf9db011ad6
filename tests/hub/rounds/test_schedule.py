"""The schedule: rounds as they really went, by the entries' own moments, and when the event will be over."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from asgi_client import AsgiClient
from feed_listener import Listener
from pages_kit import House, open_house, text_of

from roundtap_core.event.commands import EnterResult, GrantExtension, SetClock
from roundtap_core.records import Result, SidePair
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.views.schedule import Schedule, schedule

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
MINUTE = 60_000


class Hall:
    """A hub whose clocks both go on by hand, in minutes since noon."""

    def __init__(self, house: House, knows_time: bool = True) -> None:
        self.house, self.knows_time = house, knows_time
        self.boot, self.booted_at = "boot", -100.0
        self.at(0)
        house.hub.times._known.clear()
        clocks = Clocks("boot", house.time, lambda: house.time.wall)
        house.hub.clocks = clocks

    def at(self, minutes: float) -> None:
        self.minutes = minutes
        self.house.time.ms = int((minutes - self.booted_at) * MINUTE)
        moment = NOON + timedelta(minutes=minutes)
        self.house.time.wall = moment.isoformat(timespec="seconds") if self.knows_time else None

    def start(self, minutes: float) -> None:
        self.at(minutes)
        self.house.service.execute_one("e1", SetClock("start"), "test")

    def round(self, publish: float, start: float, end: float) -> None:
        """A round from its publishing to its last result, at these minutes."""
        self.at(publish)
        self.house.publish()
        self.start(start)
        self.at(end)
        self.house.play()

    @property
    def schedule(self) -> Schedule:
        hub = self.house.hub
        return schedule(self.house.event, hub.times.of(self.house.event), hub.clocks.now(), hub.clocks.wall())


def day(minutes: float) -> str:
    """The time of day here, so many minutes after noon in Greenwich."""
    return (NOON + timedelta(minutes=minutes)).astimezone().strftime("%H:%M")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_house(tmp_path) as house:
        house.with_event(swiss_rounds=3)
        yield Hall(house)


def test_a_round_took_from_its_start_to_its_last_result(hall: Hall):
    hall.round(publish=0, start=6, end=72)
    [first] = hall.schedule.rounds
    assert (first.start, first.end, first.taken, first.planned) == (day(6), day(72), 66, 75)
    assert first.done


def test_a_round_that_is_played_has_a_start_and_no_end(hall: Hall):
    hall.house.publish()
    hall.start(5)
    [first] = hall.schedule.rounds
    assert (first.start, first.end, first.taken, first.done) == (day(5), "", None, False)


def test_a_correction_of_a_closed_round_makes_it_no_longer(hall: Hall):
    hall.round(0, 0, 70)
    hall.round(80, 85, 150)
    match = hall.house.event.rounds[0].matches[0]
    hall.at(170)
    hall.house.service.execute_one(
        "e1", EnterResult(match.id, match.revision, Result(score=SidePair(24, 100)), reason="misread"), "test"
    )
    assert hall.schedule.rounds[0].taken == 70


def test_a_clock_that_was_started_too_early_and_taken_back_counts_from_its_real_start(hall: Hall):
    hall.house.publish()
    hall.start(1)
    hall.at(2)
    hall.house.service.execute_one("e1", SetClock("reset"), "test")
    hall.start(9)
    assert hall.schedule.rounds[0].start == day(9)


def test_the_running_round_ends_by_the_clock_and_the_last_extension(hall: Hall):
    hall.house.publish()
    hall.start(0)
    hall.at(30)
    assert hall.schedule.round_end == day(75)
    match = hall.house.event.live.matches[0]  # type: ignore[union-attr]
    hall.house.service.execute_one("e1", GrantExtension(match.id, 4), "test")
    assert hall.schedule.round_end == day(79)
    assert hall.schedule.rounds[0].extended == 4
    hall.at(90)
    assert hall.schedule.round_end == "", "after the end there is no end to come"


def test_the_event_s_end_is_reckoned_from_minutes_and_changeovers(hall: Hall):
    hall.house.publish()
    hall.start(0)
    # 75 for this round, and twice 10 and 75.
    assert hall.schedule.end == day(245)
    assert hall.schedule.left == 2
    assert (hall.schedule.changeover, hall.schedule.measured) == (10, False)


def test_the_forecast_follows_what_the_event_really_took(hall: Hall):
    hall.round(0, 0, 65)
    hall.round(70, 85, 150)
    plan = hall.schedule
    assert (plan.changeover, plan.measured, plan.left) == (20, True, 1)
    # One round more: 20 minutes, and 10 less than its 75.
    assert plan.end == day(150 + 20 + 65)
    hall.at(200)
    assert hall.schedule.end == day(265), "what is late already stays late, and is told in fives"


def test_the_event_is_never_over_before_the_round_in_play_is_however_quick_the_others_were(hall: Hall):
    hall.round(0, 0, 40)
    hall.round(50, 50, 95)
    hall.house.publish()
    hall.start(105)
    assert hall.schedule.round_end == day(180)
    assert hall.schedule.end == day(180)


def test_a_finished_event_ends_at_no_time_to_come(hall: Hall):
    for n in range(3):
        hall.round(n * 100, n * 100 + 5, n * 100 + 70)
    assert (hall.schedule.end, hall.schedule.left) == ("", 0)


def test_a_cut_adds_its_rounds_and_a_final_counts_with_its_own_length(tmp_path: Path):
    with open_house(tmp_path) as house:
        house.with_event(swiss_rounds=2, cut=4)
        hall = Hall(house)
        house.publish()
        hall.start(0)
        assert hall.schedule.left == 1 + 2
        # Two Swiss rounds and the semi-final of 75 minutes each, a final of 120, and three changeovers of 10.
        assert hall.schedule.end == day(75 + 75 + 75 + 120 + 3 * 10)


def test_without_a_time_of_day_minutes_are_known_and_no_times(tmp_path: Path):
    with open_house(tmp_path) as house:
        house.with_event(swiss_rounds=3)
        hall = Hall(house, knows_time=False)
        hall.round(0, 5, 70)
        assert [(r.start, r.end, r.taken) for r in hall.schedule.rounds] == [("", "", 65)]
        assert hall.schedule.end == ""


def test_a_clock_that_was_set_in_the_midst_of_it_sets_right_what_was_noted_before(hall: Hall):
    hall.knows_time = True
    hall.at(0)
    hall.house.time.wall = (NOON - timedelta(hours=5)).isoformat(timespec="seconds")
    hall.house.publish()
    hall.house.service.execute_one("e1", SetClock("start"), "test")
    hall.at(20)
    assert hall.schedule.rounds[0].start == day(0)


@pytest.mark.parametrize(("knows_time", "taken"), [(True, 70), (False, None)])
def test_across_boots_minutes_are_known_by_the_time_of_day_or_not_at_all(
    tmp_path: Path, knows_time: bool, taken: int | None
):
    with open_house(tmp_path) as house:
        house.with_event(swiss_rounds=3)
        hall = Hall(house, knows_time)
        house.publish()
        hall.start(0)
        hall.booted_at = 40
        clocks = Clocks("another boot", house.time, lambda: house.time.wall)
        house.service._clocks = clocks
        house.hub.clocks = clocks
        hall.at(70)
        house.play()
        assert hall.schedule.rounds[0].taken == taken


def test_console_and_wall_say_when_the_event_ends(hall: Hall):
    hall.house.publish()
    hall.start(0)
    organizer = hall.house.organizer()
    assert f"event ends about {day(245)}" in text_of(organizer.console())
    wall = text_of(hall.house.browser().get("/wall/e1"))
    assert f"round ends {day(75)}" in wall
    assert f"event ends about {day(245)}" in wall


def test_a_wall_that_is_open_hears_of_each_new_end_and_of_none_after_the_last_round(hall: Hall):
    hall.house.publish()
    hall.start(0)
    with (
        closing(AsgiClient(HubApplication(hall.house.hub), lifespan=True)) as client,
        closing(Listener(client, "/wall/e1")) as wall,
    ):

        def told(html: str) -> bool:
            regions = [region for patch in wall.named("patch") for region in patch["regions"]]
            return [each["html"] for each in regions if each["id"] == "event-ends"][-1:] == [html]

        assert f"event ends about {day(245)}" in text_of(client.get("/wall/e1", accept_language="en"))
        hall.at(105)
        hall.house.play()
        ends = '<span class="ends" id="event-ends" data-live>{}</span>'
        wall.until(lambda: told(ends.format(f"event ends about {day(335)}")), "30 min more a round")
        hall.round(115, 115, 190)
        hall.round(200, 200, 275)
        assert not hall.house.event.finished
        wall.until(lambda: told(ends.format("")), "no end")


def test_what_was_read_once_is_read_on_from_its_last_entry(hall: Hall, monkeypatch: pytest.MonkeyPatch):
    hall.house.publish()
    assert hall.schedule.rounds[0].start
    read, service, last = [], type(hall.house.service), hall.house.event.number
    entries = service.entries
    monkeypatch.setattr(service, "entries", lambda self, *of: read.append(of[1].number) or entries(self, *of))
    hall.start(7)
    assert hall.schedule.rounds[0].start == day(7)
    assert hall.schedule.rounds[0].start == day(7)
    assert read == [last], "once, and nothing that was known"
