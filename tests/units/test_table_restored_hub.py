"""A hub restored from a copy lacks the round in play: its tables keep their match, their clock and their results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from unit_kit import Lone, view

LAST = {
    "id": "2.7",
    "revision": 0,
    "a": {"id": "p1", "name": "Ana R."},
    "b": {"id": "p9", "name": "Eva L."},
    "state": "closed",
    "reports": {"a": None, "b": None},
    "result": {"score": {"a": 100, "b": 7}},
    "number": 812,
}


def older(**changes: Any) -> dict[str, Any]:
    """What a restored hub says of table 12, by a copy that ends with round 2."""
    return view(
        round={"number": 2, "of": 5, "stage": "swiss", "status": "closed"},
        match=LAST,
        clock={"state": "idle", "remaining_ms": 4_500_000},
        lost_round=True,
        **changes,
    )


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Lone]:
    return lambda **more: Lone(tmp_path, **more)


@pytest.fixture
def playing(make: Callable[..., Lone]) -> Lone:
    """Round 3 runs, both have taken their seats; now another machine goes on from the copy."""
    made = make(start_ms=100_000)
    made.hub_says("view", view(clock={"state": "idle", "remaining_ms": 4_500_000}))
    made.tap("a", "b")
    made.hub_time(1_000_000)
    made.hub_says("view", view())
    made.link.time.reset()
    return made


def test_a_table_keeps_the_match_that_it_plays_and_says_that_the_hub_was_restored(playing: Lone) -> None:
    playing.hub_says("view", older())
    assert playing.says.startswith("Hub restored | Play on. The organizer checks it.")
    playing.tap("a")
    assert "Ana R." in playing.says
    assert "Bruno M." in playing.says
    assert "Hub restored" in playing.says
    assert "stays" not in playing.says


def test_it_says_so_once_and_not_at_each_word_of_the_hub(playing: Lone) -> None:
    playing.hub_says("view", older())
    playing.tap("a")
    playing.hub_says("view", older(call={"taken_by": None}))
    assert "Play on" not in playing.says


def test_its_clock_goes_on_as_it_counted(playing: Lone) -> None:
    before_ms, at_ms = playing.unit.dialogue.table.clock_ms, playing.now_ms
    assert before_ms is not None
    playing.hub_time(77_000)
    playing.hub_says("view", older())
    playing.wait(30_000)
    assert playing.unit.dialogue.table.clock_ms == before_ms - (playing.now_ms - at_ms)


def test_a_result_pressed_meanwhile_is_of_the_match_in_play_and_waits_at_the_hub(playing: Lone) -> None:
    playing.hub_says("view", older())
    playing.tap("a")
    playing.tap("a", "a", "b")
    reports = [kept.report for kept in playing.outbox.waiting()]
    assert [(each["match"], each["round"], each["a"], each["b"]) for each in reports] == [("3.7", 3, "p1", "p2")] * 2
    for n in (1, 2):
        playing.hub_answers(n, "pending", number=None, hash=None)
    assert "RESULT KEPT" in playing.says
    playing.hub_says("view", older(finished=["e0"]))
    playing.wait(1000)
    playing.tap("a")
    assert "being checked" in playing.says


def test_once_the_round_is_adopted_the_table_follows_the_hub(playing: Lone) -> None:
    playing.hub_says("view", older())
    playing.tap("a")
    playing.tap("a", "a", "b")
    for n in (1, 2):
        playing.hub_answers(n, "pending", number=None, hash=None)
    playing.wait(1000)
    playing.tap("a")
    for n in (1, 2):
        playing.hub_answers(n)
    result = {"score": {"a": 100, "b": 0}}
    playing.hub_says(
        "view",
        view(
            match={
                **view()["match"],
                "state": "agreed",
                "result": result,
                "number": 1042,
                "reports": {"a": result, "b": result},
            }
        ),
    )
    assert "SAVED #1042" in playing.says
    assert "Hub restored" not in playing.says


def test_what_was_agreed_before_the_restore_is_asked_of_nobody_again(playing: Lone) -> None:
    """The hub had it, and the copy has not: the reports go out again, and the table says what becomes of them."""
    playing.tap("a", "a", "b")
    for n in (1, 2):
        playing.hub_answers(n)
    result = {"score": {"a": 100, "b": 0}}
    playing.hub_says(
        "view",
        view(
            match={
                **view()["match"],
                "state": "agreed",
                "result": result,
                "number": 1042,
                "reports": {"a": result, "b": result},
            }
        ),
    )
    playing.wait(20_000)
    for n in (1, 2):
        playing.hub_answers(n, "unknown", number=None, hash=None)
    playing.hub_says("view", older())
    playing.tap("a")
    assert "asking the hub" in playing.says
    for n in (1, 2):
        playing.hub_answers(n, "pending", number=None, hash=None)
    playing.wait(1000)
    playing.tap("a")
    assert "being checked" in playing.says


def test_a_copy_of_the_same_round_gets_the_reports_again_and_the_people_are_asked_nothing(playing: Lone) -> None:
    playing.tap("a", "a", "b")
    for n in (1, 2):
        playing.hub_answers(n)
    playing.wait(20_000)
    for n in (1, 2):
        playing.hub_answers(n, "unknown", number=None, hash=None)
    playing.hub_says("view", view())
    assert "asking the hub" in playing.says
    assert "Right?" not in playing.says


def test_drawn_anew_the_table_says_so_and_follows_the_hub(playing: Lone) -> None:
    playing.hub_says("view", older())
    playing.tap("a")
    playing.tap("a", "a", "b")
    for n in (1, 2):
        playing.hub_answers(n, "pending", number=None, hash=None)
    playing.wait(1000)
    playing.tap("a")
    for n in (1, 2):
        playing.hub_answers(n, "refused", reason="drawn-anew")
    playing.hub_says("view", older() | {"lost_round": False})
    assert "REDRAWN" in playing.says
    playing.tap("a")
    assert "Unit stays at 12" in playing.says


def test_a_judge_who_comes_is_named_meanwhile(playing: Lone) -> None:
    playing.hub_says("view", older())
    playing.tap("a")
    playing.call_a_judge()
    playing.hub_says("view", older(call={"taken_by": "Eva"}))
    assert "taken by Eva" in playing.says


def test_restarted_meanwhile_it_still_holds_its_match(make: Callable[..., Lone], playing: Lone) -> None:
    playing.hub_says("view", older())
    again = make(start_ms=500_000)
    held = again.stored.held_match()
    assert held["match"] == "3.7"
    again.hub_says("view", older())
    again.tap("a")
    assert "Bruno M." in again.says
    assert "Hub restored" in again.says


def test_a_table_that_holds_no_match_shows_what_the_hub_has(make: Callable[..., Lone]) -> None:
    unit = make()
    unit.hub_says("view", older())
    assert "Unit stays at 12" in unit.says
    assert "Hub restored" not in unit.says
