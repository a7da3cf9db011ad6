"""Token buckets: so much at once, so much a second after that, and no more memory than they are given."""

from math import inf

import pytest

from roundtap_hub.http.requester import FairRates, Rate, RateLimiter, TokenBucket

TWO = Rate(2, 0.5)


class Clock:
    def __init__(self) -> None:
        self.ms = 0

    def __call__(self) -> int:
        return self.ms


def test_a_bucket_fills_up_again_and_saves_up_no_more_than_itself() -> None:
    clock = Clock()
    buckets = RateLimiter(clock)
    for _ in range(3):
        buckets.take("a", TWO)
    assert not buckets.has("a")
    assert buckets.has("b")
    clock.ms = 1999
    assert not buckets.has("a")
    clock.ms = 2000
    assert buckets.has("a")
    clock.ms = 10**9
    buckets.take("a", TWO)
    buckets.take("a", TWO)
    assert not buckets.has("a")


def test_the_one_that_was_used_longest_ago_is_forgotten() -> None:
    buckets = RateLimiter(Clock(), buckets_max=100)
    for n in range(10_000):
        buckets.take(n, Rate(1, 0.1))
    assert len(buckets) == 100
    assert [buckets.has(9899), buckets.has(9900)] == [True, False]


def test_one_empty_bucket_of_two_takes_nothing_from_the_other() -> None:
    buckets = RateLimiter(Clock())
    of_all = ("all", Rate(3, 1))
    assert [buckets.admit(("a", TWO), of_all) for _ in range(3)] == [True, True, False]
    assert [buckets.admit(("b", TWO), of_all) for _ in range(2)] == [True, False]


def test_it_says_how_long_to_wait() -> None:
    bucket = TokenBucket(TWO, 0)
    bucket.take(0, 2)
    assert bucket.wait_ms(0) == pytest.approx(2000)
    assert bucket.wait_ms(500) == pytest.approx(1500)
    assert bucket.wait_ms(2000) == 0


def test_a_thousand_small_steps_of_time_are_one_large_one() -> None:
    bucket = TokenBucket(Rate(1, 1 / 6), 0)
    bucket.take(0)
    for ms in range(50, 6000, 50):
        assert bucket.wait_ms(ms)
    assert not bucket.wait_ms(6000)


def test_what_is_owed_is_waited_for_and_what_is_given_back_is_there() -> None:
    bucket = TokenBucket(TWO, 0)
    bucket.take(0, 5, owed_max=inf)
    assert bucket.wait_ms(0, 0) == pytest.approx(6000)
    bucket.take(0, -4)
    assert bucket.wait_ms(0) == 0
    bucket.take(0, -100)
    bucket.take(0, 2)
    assert bucket.wait_ms(0)


def test_the_first_choice_that_has_a_token_is_taken_and_given_back_as_a_whole() -> None:
    buckets = RateLimiter(Clock())
    first, second = (("a", TWO), ("all", Rate(3, 1))), (("b", TWO),)
    taken = [buckets.admit_first(first, second) for _ in range(5)]
    assert taken == [first, first, second, second, ()]
    assert buckets.wait_ms(["a", "all"]) == 2000
    buckets.give_back(first)
    assert [buckets.wait_ms(["a", "all"]), buckets.wait_ms(["b"])] == [0, 2000]


def test_a_crowd_uses_up_what_is_for_all_and_not_what_is_each_one_s_own() -> None:
    fair, buckets = FairRates(Rate(1, 0.1), Rate(50, 1), Rate(3, 1), Rate(10, 1)), RateLimiter(Clock())
    crowd = [sum(bool(buckets.admit_first(*fair.choices(n))) for _ in range(9)) for n in range(40)]
    assert crowd == [4, 4, 4, 2] + [1] * 36
    assert buckets.admit_first(*fair.choices("somebody")) == fair.choices("somebody")[0]
    assert not buckets.admit_first(*fair.choices("somebody"))
