"""The hub's machine was started again: a table's clock goes on as it counted, whatever comes first, and never jumps."""

from typing import Any

import pytest

from roundtap_core.view_types import ClockView, MatchView, SideView, TableView
from roundtap_units.link.hub_time import HubTime
from roundtap_units.table.unit import UnitRoundClock

LEFT_MS = 24 * 60_000


def view(draw: str = "d1", **clock: Any) -> TableView:
    match = MatchView(id="1.1", revision=0, a=SideView("Ana"), b=SideView("Eva"), draw=draw)
    return TableView(None, 1, match=match, clock=ClockView(total_ms=75 * 60_000, **clock))


def running(deadline_ms: int) -> TableView:
    return view(state="running", deadline_ms=deadline_ms, remaining_ms=LEFT_MS)


@pytest.fixture
def hub() -> HubTime:
    """Its clock is 5,000,000 ms ahead of the unit's."""
    made = HubTime()
    made.add_round_trip(5_000_500, 495, 505)
    return made


@pytest.fixture
def time(hub: HubTime) -> UnitRoundClock:
    made = UnitRoundClock(hub)
    made.on_view(running(5_000_500 + LEFT_MS), stored=False)
    assert made.left_ms(500) == LEFT_MS
    return made


def restart(hub: HubTime, now_ms: int) -> None:
    """A welcome of another boot, and round trips to a clock that began at zero."""
    hub.reset()
    hub.add_round_trip(90_000, now_ms - 5, now_ms + 5)


def test_between_the_new_hub_s_welcome_and_its_view_nothing_jumps(hub: HubTime, time: UnitRoundClock) -> None:
    hub.reset()
    assert time.left_ms(10_500) == LEFT_MS - 10_000
    restart(hub, 20_500)
    assert time.left_ms(20_500) == LEFT_MS - 20_000
    time.on_view(view(state="counting", remaining_ms=LEFT_MS + 3_000), stored=False)
    assert time.left_ms(30_500) == LEFT_MS - 30_000


def test_it_jumps_once_the_organizer_has_answered(hub: HubTime, time: UnitRoundClock) -> None:
    restart(hub, 20_500)
    time.on_view(view(state="counting", remaining_ms=LEFT_MS + 3_000), stored=False)
    time.on_view(running(90_000 + LEFT_MS - 15_000), stored=False)
    assert time.left_ms(20_500) == LEFT_MS - 15_000


def test_another_match_has_counted_nothing_and_shows_what_the_hub_holds(hub: HubTime, time: UnitRoundClock) -> None:
    restart(hub, 20_500)
    time.on_view(view("d2", state="counting", remaining_ms=LEFT_MS + 3_000), stored=False)
    assert time.left_ms(30_500) == LEFT_MS + 3_000


def test_of_a_kept_view_only_a_round_with_time_left_has_a_clock(time: UnitRoundClock) -> None:
    time.on_view(view(state="paused", remaining_ms=LEFT_MS), stored=True)
    assert (time.left_ms(500), time.is_timed) == (None, True)
    time.on_view(view(state="idle"), stored=True)
    assert (time.left_ms(500), time.is_timed) == (None, False)
