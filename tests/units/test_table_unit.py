"""A whole table unit on a virtual clock: pins' edges in, reports on the disk and words on the screen out."""

from collections.abc import Callable
from typing import Any

import pytest
from unit_kit import BOOK, KEY, Unit, view

from faults import fails
from roundtap_core.wire import REPORT, verify_signature
from roundtap_devices.input.gestures import Edge


def test_before_the_hub_was_heard_a_press_does_nothing(make: Callable[..., Unit]) -> None:
    unit = make()
    unit.tap("a", "a", "b")
    assert unit.outbox.all() == []


def test_two_presses_and_the_others_yes_are_two_signed_reports_and_saved(unit: Unit) -> None:
    unit.tap("a", "a")
    [first] = unit.outbox.waiting()
    assert first.report == {
        "report_id": "table-12-id1",
        "unit": "table-12",
        "event": "e1",
        "match": "3.7",
        "side": "a",
        "revision": 0,
        "result": {"score": {"a": 100, "b": 0}},
        "serial": 1,
        "agrees_to": None,
        "round": 3,
        "a": "p1",
        "b": "p2",
    }
    assert verify_signature(KEY, REPORT, first.report, first.mac)

    unit.tap("b")
    assert [kept.report["side"] for kept in unit.outbox.waiting()] == ["a", "b"]
    assert "SAVED" not in unit.says

    unit.hub_answers(1)
    assert "SAVED" not in unit.says
    unit.hub_answers(2)
    assert "SAVED #1042" in unit.says


def drawn(mark: str, names: tuple[str, str] = ("Ana R.", "Bruno M."), **changes: Any) -> dict[str, Any]:
    """The view of match 3.7 as one draw has it."""
    told = view(**changes)
    return {**told, "match": {**told["match"], "a": {"name": names[0]}, "b": {"name": names[1]}, "draw": mark}}


def report_under(unit: Unit, mark: str, names: tuple[str, str] = ("Ana R.", "Bruno M.")) -> None:
    """Both sit down to a match of this draw, and agree that a has won 100:0."""
    unit.hub_says("view", drawn(mark, names, clock={"state": "idle", "remaining_ms": 4_500_000}))
    unit.tap("a", "b")
    unit.hub_says("view", drawn(mark, names))
    unit.tap("a", "a", "b")


def test_a_report_names_the_draw_that_the_hub_named(unit: Unit) -> None:
    report_under(unit, "0f3a")
    assert {kept.report["draw"] for kept in unit.outbox.waiting()} == {"0f3a"}


def test_a_round_drawn_anew_is_another_match_under_the_same_id(unit: Unit) -> None:
    report_under(unit, "0f3a")
    assert "sending" in unit.says

    unit.hub_says("view", drawn("77c1", ("Eva L.", "Kai E.")))

    assert "sending" not in unit.says
    assert "Eva L." in unit.says
    report_under(unit, "77c1", ("Eva L.", "Kai E."))
    assert [kept.report["draw"] for kept in unit.outbox.waiting()] == ["0f3a", "0f3a", "77c1", "77c1"]


def test_after_a_restart_a_waiting_report_still_knows_its_draw(make: Callable[..., Unit], unit: Unit) -> None:
    report_under(unit, "0f3a")
    another, same = make(start_ms=500_000), make(start_ms=500_000)
    another.hub_says("view", drawn("77c1"))
    assert "asking the hub" not in another.says
    same.hub_says("view", drawn("0f3a"))
    assert "asking the hub" in same.says


def test_a_report_is_on_the_disk_before_it_is_sent(unit: Unit) -> None:
    unit.tap("a", "a", "b")
    assert unit.link.on_disk_when_sent == [["table-12-id1"], ["table-12-id1", "table-12-id2"]]


def test_what_the_disk_refuses_is_not_called_sent_and_is_stored_when_it_can_be(
    unit: Unit, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(unit.outbox, "_append", fails(OSError(28, "No space left on device")))
        unit.tap("a", "a")
        assert "CARD FULL" in unit.says
        unit.tap("b")
        assert "sending" not in unit.says
        assert "SAVED" not in unit.says
        assert unit.link.on_disk_when_sent == []
    unit.wait(1000)
    assert [kept.id for kept in unit.outbox.waiting()] == ["table-12-id1"]
    unit.tap("b")
    assert "sending" in unit.says
    assert [kept.id for kept in unit.outbox.waiting()] == ["table-12-id1", "table-12-id2"]


def test_after_a_restart_the_waiting_report_belongs_to_the_table_again(make: Callable[..., Unit], unit: Unit) -> None:
    unit.tap("a", "a", "b")
    again = make(start_ms=500_000)

    again.hub_says("view", view())

    assert "asking the hub" in again.says
    again.hub_answers(1)
    again.hub_answers(2)
    assert "SAVED #1042" in again.says


def test_after_a_restart_another_events_reports_stay_in_the_outbox_only(make: Callable[..., Unit], unit: Unit) -> None:
    unit.tap("a", "a", "b")
    again = make()
    again.hub_says("view", view(event={"id": "e2", "name": "Other", "color": "", "rulebook": BOOK.id}))
    assert "asking the hub" not in again.says
    assert len(again.outbox.waiting()) == 2


def test_a_refusal_is_shown_with_its_reason(unit: Unit) -> None:
    unit.tap("a", "a", "b")
    unit.hub_answers(1)
    unit.hub_answers(2, "refused", reason="judge")
    assert "REFUSED" in unit.says
    assert "JUDGE" in unit.says


def test_finished_events_are_forgotten(unit: Unit) -> None:
    unit.tap("a", "a", "b")
    unit.hub_answers(1)
    unit.hub_says("view", view(finished=["e1"], event=None, match=None, round=None))
    assert [kept.id for kept in unit.outbox.all()] == ["table-12-id2"]


def test_a_view_from_another_world_is_passed_over(unit: Unit) -> None:
    before = unit.says
    for strange in (
        {"match": {"id": "3.7"}},
        {"event": {"name": "no id"}},
        {"form": {"ways": 7}},
        {"match": {**view()["match"], "result": {"ended": "concession"}}},
    ):
        unit.hub_says("view", view(**strange))
    assert unit.says == before
    unit.hub_says("view", view(table=13))
    unit.tap("a", "a", "b")
    assert len(unit.outbox.waiting()) == 2


def test_another_core_stops_new_reports_until_the_hub_is_the_same_again(unit: Unit) -> None:
    unit.hub_says("mismatch", "9.9")
    assert "UPDATE" in unit.says
    unit.tap("a", "a", "b")
    assert unit.outbox.all() == []
    unit.hub_says("mismatch", None)
    unit.tap("a", "a", "b")
    assert len(unit.outbox.all()) == 2


def test_the_hub_hears_which_match_the_unit_sees(unit: Unit) -> None:
    assert unit.link.statuses[-1]["match"] == "3.7"
    unit.hub_says("view", view(match=None))
    assert unit.link.statuses[-1]["match"] is None


def test_a_unit_without_a_table_speaks_to_its_hub_as_well(make: Callable[..., Unit]) -> None:
    """The console says how long ago a unit was heard: one that was just enrolled must not look dead."""
    spare = make()
    assert spare.link.statuses == []
    spare.hub_says("view", view(table=None, event=None, round=None, match=None, form=None, options={}))
    spare.hub_says("view", view(table=None, event=None, round=None, match=None, form=None, options={}))
    assert [status["match"] for status in spare.link.statuses] == [None]


def test_what_is_repeated_to_the_hub_is_what_the_clock_shows_by_now(unit: Unit) -> None:
    """A hub that is started anew offers to continue from there: after minutes without a press as well."""
    unit.link.time.add_round_trip(unit.now_ms, unit.now_ms, unit.now_ms)
    said = len(unit.link.statuses)
    unit.wait(300_000)
    assert len(unit.link.statuses) == said
    assert unit.link.kept["clock_ms"] == pytest.approx(4_000_000 - unit.now_ms, abs=1500)
    assert unit.link.kept["seated"] == ["a", "b"]


def test_a_call_goes_out_as_a_status(unit: Unit) -> None:
    unit.unit.step(unit.now_ms, [Edge("up", True, unit.now_ms), Edge("down", True, unit.now_ms)])
    unit.wait(2000)
    assert unit.link.statuses[-1]["call"] is True


def test_the_first_status_after_a_restart_keeps_a_call_without_a_match(make: Callable[..., Unit]) -> None:
    """Such a call is nowhere but in the hub's memory, and a status without it would end it there."""
    restarted = make()
    restarted.hub_says("view", view(match=None, round=None, call={"taken_by": "Eva"}, call_ms=91_500))
    assert [(status["call"], status["call_ms"]) for status in restarted.link.statuses] == [(True, 91_500)]


def test_the_clock_counts_on_by_the_hubs_time(unit: Unit) -> None:
    """The deadline is at 4,000,000 by the hub, whose clock is 1,000,000 ahead of the unit's."""
    unit.link.time.add_round_trip(1_000_000 + unit.now_ms, unit.now_ms, unit.now_ms)
    unit.wait(50_000)
    left_s = -(-(4_000_000 - 1_000_000 - unit.now_ms) // 1000)
    assert f"{left_s // 60}:{left_s % 60:02d}" in unit.says
