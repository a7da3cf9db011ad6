"""The round clock: it counts on one boot's monotonic time, and a power cut stops it where it was last seen."""

import pytest

from roundtap_core.clock import COUNTING, RUNNING, Clock, Instant, clock_after_restart, format_clock

ROUND_MS = 75 * 60_000


def at(mono_ms: int, boot: str = "boot-1") -> Instant:
    return Instant(boot, mono_ms)


def started() -> Clock:
    return Clock(remaining_ms=ROUND_MS, total_ms=ROUND_MS).started(at(1_000))


def test_it_runs_down_while_it_runs() -> None:
    assert started().remaining_at(at(61_000)) == ROUND_MS - 60_000


def test_a_pause_holds_and_a_start_goes_on_from_there() -> None:
    paused = started().paused(at(11_000))
    assert paused.remaining_at(at(999_000)) == ROUND_MS - 10_000
    again = paused.started(at(20_000))
    assert again.remaining_at(at(25_000)) == ROUND_MS - 15_000


def test_below_zero_it_is_overtime() -> None:
    assert started().remaining_at(at(1_000 + ROUND_MS + 65_000)) == -65_000


def test_minutes_are_given_while_it_runs() -> None:
    running = started()
    longer = running.set_to((running.remaining_at(at(31_000)) or 0) + 240_000, at(31_000))
    assert longer.state == RUNNING
    assert longer.remaining_at(at(41_000)) == ROUND_MS - 40_000 + 240_000


def test_another_boot_s_time_says_nothing_about_it() -> None:
    assert started().remaining_at(at(999_000, "boot-2")) == ROUND_MS


def test_an_untimed_round_has_no_remaining_time() -> None:
    assert Clock().started(at(0)).remaining_at(at(5)) is None


def test_a_restarted_hub_under_the_same_boot_runs_on() -> None:
    running = started()
    found = clock_after_restart(running, at(121_000), checkpoint_ms=ROUND_MS)
    assert found.remaining_at(at(121_000)) == ROUND_MS - 120_000


def test_after_a_power_cut_it_waits_at_the_last_checkpoint_while_the_tables_count() -> None:
    found = clock_after_restart(started(), at(9_000, "boot-2"), checkpoint_ms=1_421_000)
    assert (found.state, found.remaining_at(at(50_000, "boot-2"))) == (COUNTING, 1_421_000)


def test_after_a_power_cut_before_any_checkpoint_it_waits_at_what_was_recorded() -> None:
    assert clock_after_restart(started(), at(9_000, "boot-2"), checkpoint_ms=None).remaining_ms == ROUND_MS


def test_a_paused_clock_survives_every_restart_as_it_is() -> None:
    paused = started().paused(at(11_000))
    assert clock_after_restart(paused, at(1, "boot-2"), checkpoint_ms=5) == paused


@pytest.mark.parametrize(
    ("remaining_ms", "text"),
    [
        (ROUND_MS, "75:00"),
        (ROUND_MS - 1, "75:00"),
        (ROUND_MS - 1_000, "74:59"),
        (60_000, "1:00"),
        (59_001, "1:00"),
        (1, "0:01"),
        (0, "0:00"),
        (-999, "0:00"),
        (-1_000, "+0:01"),
        (-65_500, "+1:05"),
        (180 * 60_000, "180:00"),
        (None, "–"),
    ],
)
def test_how_it_is_shown(remaining_ms: int | None, text: str) -> None:
    assert format_clock(remaining_ms) == text


def test_a_second_power_cut_before_anybody_answered_changes_nothing() -> None:
    counting = clock_after_restart(started(), at(9_000, "boot-2"), checkpoint_ms=1_421_000)
    assert clock_after_restart(counting, at(5, "boot-3"), checkpoint_ms=7) == counting
