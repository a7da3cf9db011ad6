"""The hub's clock as a unit reckons it: half of the shortest round trip, and another boot begins anew."""

from __future__ import annotations

import random

import pytest

from roundtap_units.link.hub_time import SAMPLE_LIFE_MS, HubTime

OFFSET_MS = 7_654_321


def test_before_the_first_contact_nobody_knows() -> None:
    assert HubTime().hub_ms(1000) is None


def test_half_the_round_trip_is_added() -> None:
    """The hub read 5000 when 40 of the 80 ms were gone: at the answer's arrival it shows 5040."""
    time = HubTime()
    time.heard_round_trip(5000, sent_ms=100, received_ms=180)
    assert time.hub_ms(180) == 5040
    assert time.hub_ms(1180) == 6040


def test_a_message_serves_until_the_first_round_trip() -> None:
    time = HubTime()
    time.heard_one_way(5000, here_ms=100)
    assert time.hub_ms(100) == 5000
    time.heard_round_trip(5100, sent_ms=100, received_ms=180)
    assert time.hub_ms(180) == 5140
    time.heard_one_way(5200, here_ms=500)
    assert time.hub_ms(180) == 5140


def exchange(time: HubTime, chance: random.Random, sent_ms: int, out_ms: int, back_ms: int) -> None:
    time.heard_round_trip(sent_ms + out_ms + OFFSET_MS, sent_ms, sent_ms + out_ms + back_ms)


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


def test_the_median_error_of_a_busy_hall_is_small_and_to_neither_side() -> None:
    errors = []
    for seed in range(200):
        chance, time = random.Random(seed), HubTime()
        for n in range(32):
            exchange(time, chance, n * 10_000, chance.randint(1, 100), chance.randint(1, 100))
        errors.append(time.hub_ms(0) - OFFSET_MS)  # type: ignore[operator]
    assert sorted(map(abs, errors))[100] <= 15
    assert abs(sum(errors) / len(errors)) <= 3


def test_a_fixed_asymmetry_stays_within_half_the_trip() -> None:
    time = HubTime()
    for n in range(10):
        exchange(time, random.Random(0), n * 1000, 90, 10)
    assert time.hub_ms(0) == OFFSET_MS + 90 - 50


def test_after_a_while_the_quartz_counts_more_than_the_old_best() -> None:
    time = HubTime()
    time.heard_round_trip(5000, sent_ms=0, received_ms=10)
    later = SAMPLE_LIFE_MS + 500
    time.heard_round_trip(later + 5020, sent_ms=later, received_ms=later + 60)
    assert time.hub_ms(later + 60) == later + 5050


def test_another_boot_of_the_hub_begins_anew() -> None:
    time = HubTime()
    time.heard_round_trip(9_000_000, sent_ms=1000, received_ms=1002)
    time.heard_one_way(300, here_ms=60_000)
    assert time.hub_ms(60_000) == 300
    time.heard_round_trip(1000, sent_ms=60_700, received_ms=60_800)
    assert time.hub_ms(60_800) == 1050


def test_a_late_message_is_no_other_boot() -> None:
    time = HubTime()
    time.heard_round_trip(5000, sent_ms=0, received_ms=10)
    time.heard_one_way(5000, here_ms=7000)
    assert time.hub_ms(10) == 5005
