"""The hub's clock as a unit reckons it: what all round trips allow together, and how many it takes."""

import random

import pytest

from roundtap_units.link.hub_time import (
    BURST,
    ENOUGH_MS,
    FEED_LATE_MS,
    GAP_MS,
    TRIP_MAX_MS,
    FeedAge,
    HubTime,
    SamplePlan,
)

OFFSET_MS = 7_654_321


def test_before_the_first_contact_nobody_knows() -> None:
    assert HubTime().hub_ms(1000) is None


def test_half_the_round_trip_is_added() -> None:
    """The hub read 5000 when 40 of the 80 ms were gone: at the answer's arrival it shows 5040."""
    time = HubTime()
    time.add_round_trip(5000, sent_ms=100, received_ms=180)
    assert time.hub_ms(180) == 5040
    assert time.hub_ms(1180) == 6040


def exchange(time: HubTime, chance: random.Random, sent_ms: int, out_ms: int, back_ms: int) -> None:
    time.add_round_trip(sent_ms + out_ms + OFFSET_MS, sent_ms, sent_ms + out_ms + back_ms)


@pytest.mark.parametrize("seed", range(20))
def test_the_error_stays_within_half_of_the_best_round_trip(seed: int) -> None:
    """Delays drawn anew for each packet, each way on its own."""
    chance, time = random.Random(seed), HubTime()
    best_ms, now_ms = 10**9, 0
    for _ in range(30):
        out_ms, back_ms = chance.randint(1, 100), chance.randint(1, 100)
        exchange(time, chance, now_ms, out_ms, back_ms)
        now_ms += out_ms + back_ms + 5000
        best_ms = min(best_ms, out_ms + back_ms)
        error_ms = time.hub_ms(now_ms) - now_ms - OFFSET_MS  # type: ignore[operator]
        assert abs(error_ms) <= best_ms / 2 + 1


def test_a_fixed_asymmetry_stays_within_half_the_trip() -> None:
    """Nobody can tell a slow way there from a slow way back: the middle is 40 ms off, and says so."""
    time = HubTime()
    for n in range(10):
        exchange(time, random.Random(0), n * 1000, 90, 10)
    assert time.hub_ms(0) == OFFSET_MS + 90 - 50
    assert 50 <= time.error_ms(9100) <= 52  # type: ignore[operator]


def test_a_fast_way_there_and_a_fast_way_back_need_not_be_of_one_round_trip() -> None:
    time = HubTime()
    exchange(time, random.Random(0), 0, 2, 90)
    exchange(time, random.Random(0), 1000, 90, 2)
    assert time.hub_ms(0) == OFFSET_MS
    assert time.error_ms(1092) <= 4  # type: ignore[operator]


def test_after_a_while_the_quartz_counts_more_than_the_old_best() -> None:
    time = HubTime()
    time.add_round_trip(5000, sent_ms=0, received_ms=10)
    later = 1_000_000
    time.add_round_trip(later + 5080, sent_ms=later, received_ms=later + 60)
    assert time.hub_ms(later + 60) == later + 60 + 5050
    assert time.error_ms(0) < time.error_ms(later * 2)  # type: ignore[operator]


def test_a_clock_that_jumped_is_believed_anew_by_its_first_round_trip() -> None:
    """A machine that slept, or a quartz worse than any: what contradicts the newest answer is forgotten."""
    time = HubTime()
    for n in range(5):
        exchange(time, random.Random(0), n * 1000, 3, 3)
    time.add_round_trip(1000, sent_ms=60_700, received_ms=60_800)
    assert time.hub_ms(60_800) == 1050


def test_a_hub_that_was_started_anew_is_listened_to_anew() -> None:
    time = HubTime()
    time.add_round_trip(9_000_000, sent_ms=1000, received_ms=1002)
    time.reset()
    assert time.hub_ms(60_000) is None
    assert time.error_ms(60_000) is None


def test_a_round_trip_that_was_held_up_moves_no_clock() -> None:
    time = HubTime()
    time.add_round_trip(9_000_000, sent_ms=1000, received_ms=1001 + TRIP_MAX_MS)
    assert time.hub_ms(60_000) is None
    time.add_round_trip(9_000_000, sent_ms=1000, received_ms=999)
    assert time.hub_ms(60_000) is None


# --- how old a feed is -------------------------------------------------------------------------------------------


def test_a_feed_that_is_passed_on_later_and_later_is_found_out_by_its_own_welcome() -> None:
    """No round trip has told the hub's clock yet: the welcome says where it stood at least."""
    age = FeedAge(HubTime())
    assert not age.late(500_000, here_ms=1020)
    assert not age.late(502_000, here_ms=3020 + FEED_LATE_MS - 1)
    assert age.late(502_000, here_ms=3022 + FEED_LATE_MS)


def test_a_feed_held_up_from_its_welcome_on_is_found_out_by_a_round_trip() -> None:
    time = HubTime()
    age = FeedAge(time)
    assert not age.late(500_000, here_ms=5900)
    time.add_round_trip(504_950, sent_ms=5940, received_ms=5960)
    assert not age.late(502_000, here_ms=7900)
    time.add_round_trip(508_950, sent_ms=9940, received_ms=9960)
    assert age.late(502_000, here_ms=9960)


def test_a_feed_in_time_is_never_called_late_by_a_wide_round_trip() -> None:
    """Of a round trip of four seconds nobody knows which way took them: in doubt for the feed."""
    time = HubTime()
    age = FeedAge(time)
    assert not age.late(500_000, here_ms=1010)
    time.add_round_trip(504_000, sent_ms=1100, received_ms=5100)
    assert not age.late(504_100, here_ms=5110)


# --- how often it asks -------------------------------------------------------------------------------------------


def test_one_good_answer_is_enough_and_a_bad_one_is_followed_by_others() -> None:
    quick, slow = HubTime(), HubTime()
    for time, trip_ms, due_ms in ((quick, 4, None), (slow, 100, 1000 + 100 + 200)):
        plan = SamplePlan(time)
        assert plan.due_ms() is None
        plan.on_connected(1000)
        assert plan.due_ms() == 1000
        time.add_round_trip(5000, 1000, 1000 + trip_ms)
        plan.on_sampled(1000, 1000 + trip_ms)
        assert plan.due_ms() == due_ms


def test_a_hub_that_never_answers_is_not_asked_for_ever() -> None:
    plan, now_ms = SamplePlan(HubTime()), 0
    plan.on_connected(now_ms)
    for _ in range(BURST):
        now_ms = plan.due_ms()  # type: ignore[assignment]
        plan.on_sampled(now_ms, now_ms + 1)
        assert plan.due_ms() is None or plan.due_ms() == now_ms + 1 + GAP_MS
    assert plan.due_ms() is None


def test_a_status_in_between_makes_no_question_come_sooner() -> None:
    plan = SamplePlan(HubTime())
    plan.on_connected(0)
    plan.on_sampled(0, 1)
    plan.on_status_sent(5)
    assert plan.due_ms() == 1 + GAP_MS


def test_a_unit_that_knows_the_time_asks_nothing_when_it_connects_again() -> None:
    """All units of a hall come back at once after a restart of the hub, whose clock has gone on."""
    time = HubTime()
    time.add_round_trip(5000, 1000, 1004)
    plan = SamplePlan(time)
    plan.on_connected(11_000)
    assert plan.due_ms() is None


# --- a hall of units, each packet delayed anew --------------------------------------------------------------------


class Simulated:
    """A unit with a quartz of its own, and a way to the hub that takes another time for each packet."""

    def __init__(self, chance: random.Random, out_ms: tuple[float, float], back_ms: tuple[float, float]) -> None:
        self.chance, self.out_ms, self.back_ms = chance, out_ms, back_ms
        self.time = HubTime()
        self.plan = SamplePlan(self.time)
        self.now_ms = self.began_ms = float(chance.randint(0, 10**8))
        self.offset_ms = chance.randint(-(10**9), 10**9) + chance.random()
        self.drift = chance.uniform(-50, 50) / 1e6
        self.asked = 0

    def hub_ms(self) -> float:
        return self.now_ms + (self.now_ms - self.began_ms) * self.drift + self.offset_ms

    def round_trip(self) -> None:
        sent_ms = int(self.now_ms)
        self.now_ms += self.chance.uniform(*self.out_ms)
        hub_ms = int(self.hub_ms() // 1)
        self.now_ms += self.chance.uniform(*self.back_ms)
        self.time.add_round_trip(hub_ms, sent_ms, int(self.now_ms))
        self.plan.on_sampled(sent_ms, int(self.now_ms))
        self.asked += 1

    def follow_plan(self) -> None:
        while (due_ms := self.plan.due_ms()) is not None:
            self.now_ms = max(self.now_ms, due_ms)
            self.round_trip()

    def error_ms(self) -> float:
        error_ms = abs(self.time.hub_ms(int(self.now_ms)) - self.hub_ms())  # type: ignore[operator]
        assert error_ms <= self.time.error_ms(int(self.now_ms)) + 1.5  # type: ignore[operator]
        return error_ms


def p99(values: list[float]) -> float:
    return sorted(values)[len(values) * 99 // 100]


@pytest.mark.parametrize(
    ("out_ms", "back_ms", "within_ms"),
    [
        ((0, 100), (0, 100), 15),
        ((0, 100), (0, 20), 15),
        ((0, 20), (0, 100), 15),
        ((10, 100), (0, 10), 20),
        ((1, 4), (1, 4), 4),
    ],
)
def test_the_clocks_of_a_hall_are_right_after_connecting_and_all_evening(
    out_ms: tuple[int, int], back_ms: tuple[int, int], within_ms: int
) -> None:
    """The gate is 25 ms for 99 of 100: after the first questions, and minutes of statuses later, though each
    quartz goes its own way."""
    first, later = [], []
    for seed in range(150):
        unit = Simulated(random.Random(seed), out_ms, back_ms)
        unit.plan.on_connected(int(unit.now_ms))
        unit.follow_plan()
        assert unit.asked <= BURST
        first.append(unit.error_ms())
        for _ in range(40):
            unit.now_ms += 10_000
            unit.round_trip()
            unit.plan.on_status_sent(int(unit.now_ms))
            unit.follow_plan()
            later.append(unit.error_ms())
    assert p99(first) <= within_ms
    assert p99(later) <= within_ms


def test_a_good_network_costs_the_hub_no_question_beside_the_statuses() -> None:
    unit = Simulated(random.Random(1), (1, 2 * ENOUGH_MS / 4), (1, 2 * ENOUGH_MS / 4))
    unit.plan.on_connected(int(unit.now_ms))
    unit.follow_plan()
    before = unit.asked
    for _ in range(60):
        unit.now_ms += 10_000
        unit.round_trip()
        unit.plan.on_status_sent(int(unit.now_ms))
        unit.follow_plan()
    assert unit.asked == before + 60
