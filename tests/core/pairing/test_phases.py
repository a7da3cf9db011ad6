"""The phases of a round: the key phase before the announced end, minutes of chance that nobody knows, the end."""

import pytest

from roundtap_core.clock import IDLE, PAUSED, RUNNING, Clock, Instant, Phase, next_boundary_ms, phase_now
from roundtap_core.rulebooks.registry import RULEBOOKS

MINUTE = 60_000
KEY_PHASE = (Phase("phase.key", 30),)


def at(ms: int) -> Instant:
    return Instant("boot", ms)


def round_of(minutes: int, state: str = RUNNING) -> Clock:
    """A round of so many minutes that started at 0."""
    return Clock(state, minutes * MINUTE, minutes * MINUTE, at(0))


@pytest.mark.parametrize(
    ("elapsed_ms", "key"),
    [
        (0, "phase.running"),
        (90 * MINUTE - 1, "phase.running"),
        (90 * MINUTE, "phase.key"),
        (119 * MINUTE, "phase.key"),
        (120 * MINUTE - 1, "phase.key"),
        (120 * MINUTE, "phase.last_minutes"),
        (123 * MINUTE - 1, "phase.last_minutes"),
        (123 * MINUTE, "phase.over"),
    ],
)
def test_a_round_of_120_minutes_with_three_more_from_its_start_to_its_end(elapsed_ms: int, key: str) -> None:
    assert phase_now(round_of(120), KEY_PHASE, 3, at(elapsed_ms)).key == key


def test_the_clock_counts_to_the_announced_length_and_waits_there_until_the_minutes_have_run() -> None:
    shown = [phase_now(round_of(120), KEY_PHASE, 3, at(minute * MINUTE)) for minute in (119, 120, 122, 123, 124)]
    assert [now.remaining_ms for now in shown] == [MINUTE, 0, 0, 0, -MINUTE]
    assert [now.last_minutes for now in shown] == [False, True, True, False, False]
    assert [now.over for now in shown] == [False, False, False, True, True]


@pytest.mark.parametrize("extra_minutes", [None, 0])
def test_no_minutes_rolled_or_none_entered_is_over_at_the_announced_length(extra_minutes: int | None) -> None:
    now = phase_now(round_of(120), KEY_PHASE, extra_minutes, at(120 * MINUTE))
    assert (now.key, now.over, now.last_minutes) == ("phase.over", True, False)


def test_before_the_announced_end_nobody_can_see_how_many_minutes_follow() -> None:
    for elapsed_ms in (0, 89 * MINUTE, 100 * MINUTE, 120 * MINUTE - 1):
        assert len({phase_now(round_of(120), KEY_PHASE, extra, at(elapsed_ms)) for extra in (None, 0, 3, 5)}) == 1


def test_while_the_minutes_run_three_and_five_look_alike() -> None:
    three, five = (phase_now(round_of(120), KEY_PHASE, extra, at(122 * MINUTE)) for extra in (3, 5))
    assert three == five


def test_a_round_without_phases_is_in_its_last_minutes_from_five_on() -> None:
    words = [phase_now(round_of(75), (), None, at(ms)).key for ms in (70 * MINUTE - 1, 70 * MINUTE, 75 * MINUTE)]
    assert words == ["phase.running", "phase.last", "phase.over"]


@pytest.mark.parametrize(("minutes", "begins"), [(150, 120), (120, 90), (100, 70), (60, 30), (30, 0), (20, 0)])
def test_the_key_phase_begins_30_minutes_before_the_announced_end_however_long_the_round(
    minutes: int, begins: int
) -> None:
    """ "na 30 minut przed jej końcem": of a round that is no longer than that it is all."""
    assert phase_now(round_of(minutes), KEY_PHASE, 5, at(begins * MINUTE)).key == "phase.key"
    if begins:
        assert phase_now(round_of(minutes), KEY_PHASE, 5, at(begins * MINUTE - 1)).key == "phase.running"


def test_a_clock_that_stands_says_so_and_still_knows_whether_it_is_over() -> None:
    assert phase_now(round_of(120, IDLE), KEY_PHASE, 2, at(500 * MINUTE)).key == "phase.idle"
    held = Clock(PAUSED, -MINUTE, 120 * MINUTE, at(0))
    assert phase_now(held, KEY_PHASE, 2, at(500 * MINUTE)).key == "phase.paused"
    assert [phase_now(held, KEY_PHASE, extra, at(0)).over for extra in (2, 1)] == [False, True]


def test_five_minutes_given_back_during_the_key_phase_lead_out_of_it() -> None:
    """The phases go by the clock: whoever sets it to 35 minutes left has put the key phase off."""
    clock = round_of(120).set_to(35 * MINUTE, at(95 * MINUTE))
    assert phase_now(clock, KEY_PHASE, 0, at(95 * MINUTE)).key == "phase.running"


def test_an_untimed_round_has_neither_phases_nor_an_end() -> None:
    now = phase_now(Clock(RUNNING), KEY_PHASE, 3, at(500 * MINUTE))
    assert (now.key, now.remaining_ms, now.over) == ("phase.running", None, False)


def test_boundaries_come_one_after_the_other_and_then_none() -> None:
    passed, now_ms = [], 0
    while (wait_ms := next_boundary_ms(round_of(120), KEY_PHASE, 3, at(now_ms))) is not None:
        now_ms += wait_ms
        passed.append(now_ms // MINUTE)
    assert passed == [90, 120, 123]


@pytest.mark.parametrize("clock", [round_of(120, IDLE), round_of(120, PAUSED), Clock(RUNNING)])
def test_what_does_not_run_has_no_boundary(clock: Clock) -> None:
    assert next_boundary_ms(clock, KEY_PHASE, 3, at(0)) is None


def test_a_clock_of_another_boot_stands() -> None:
    assert next_boundary_ms(round_of(120), KEY_PHASE, 3, Instant("another", 5)) is None


def test_only_one_rulebook_has_phases_and_hidden_minutes() -> None:
    assert {book.id: book.phases for book in RULEBOOKS.values() if book.phases} == {"shatterpoint-premier": KEY_PHASE}
    assert {book.id: book.extra_minutes for book in RULEBOOKS.values() if book.extra_minutes} == {
        "shatterpoint-premier": (0, 5)
    }
