"""A table unit without its hub, with a failing card, a late feed or a hub gone wild: what its screen says is true."""

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from unit_kit import FULL, READ_ONLY, Lone, Unit, other_disk, view

from faults import fails
from roundtap_devices.input.gestures import Edge
from roundtap_units.link.outbox import PAUSE_MS, Outbox
from roundtap_units.table import unit as module


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Lone]:
    return lambda **more: Lone(tmp_path, **more)


@pytest.fixture
def lone(make: Callable[..., Lone]) -> Lone:
    """Both have taken their seats, the round runs, and the hub's clock is known."""
    made = make()
    made.hub_says("view", view(clock={"state": "idle", "remaining_ms": 4_500_000}))
    made.tap("a", "b")
    made.hub_time(1_000_000)
    made.hub_says("view", view())
    return made


# --- restarted without a hub ---------------------------------------------------------------------------------------


def test_restarted_without_a_hub_it_shows_its_match_and_takes_a_result(make: Callable[..., Lone], lone: Lone) -> None:
    again = make(start_ms=500_000, boot="tuesday")
    assert "Ana R." in again.says
    assert "Bruno M." in again.says
    # Nobody knows any more who sits where: the first press is asked about.
    again.tap("a", "a", "a", "b")
    assert "kept here" in again.says
    assert [kept.report["match"] for kept in again.outbox.waiting()] == ["3.7", "3.7"]
    assert "⌁" in again.unit.scene.mark  # type: ignore[union-attr]


def test_after_the_hub_is_back_what_was_pressed_without_it_is_saved(make: Callable[..., Lone], lone: Lone) -> None:
    again = make(start_ms=500_000)
    # Nobody knows any more who sits where: the first press is asked about.
    again.tap("a", "a", "a", "b")
    again.hub_says("view", view())
    assert "sending" in again.says
    again.hub_answers(1)
    again.hub_answers(2)
    assert "SAVED #1042" in again.says


def test_the_clock_of_another_boot_is_not_shown(make: Callable[..., Lone], lone: Lone) -> None:
    again = make(start_ms=2_000, boot="tuesday")
    assert "--:--" in again.says
    assert again.unit.dialogue.table.clock_ms is None


def test_the_clock_of_this_boot_goes_on(make: Callable[..., Lone], lone: Lone) -> None:
    """The unit was restarted, its machine was not: 4,000,000 at the hub, which is a million ahead, less 100 s."""
    lone.wait(PAUSE_MS + 1000)
    left_ms = 4_000_000 - 1_000_000
    again = make(start_ms=lone.now_ms + 100_000)
    assert again.unit.dialogue.table.clock_ms == pytest.approx(left_ms - again.now_ms + 2000, abs=2000)


def test_another_event_of_the_hub_takes_the_place_of_what_was_kept(make: Callable[..., Lone], lone: Lone) -> None:
    again = make()
    # Nobody knows any more who sits where: the first press is asked about.
    again.tap("a", "a", "a", "b")
    again.hub_says(
        "view",
        view(
            event={"id": "e2", "name": "Other", "color": "", "rulebook": "xwing-standard"},
            match={**view()["match"], "draw": "other"},
        ),
    )
    assert "sending" not in again.says
    assert len(again.outbox.waiting()) == 2


@pytest.mark.parametrize(
    "spoilt",
    [
        b"",
        b"{}\n",
        b'{"view": 5, "boot": "", "deadline_here_ms": null}\n',
        b"\x00" * 99,
        b'{"view": {"table": "x", "match": 5}, "boot": "b", "deadline_here_ms": null}\n',
    ],
)
def test_a_kept_view_that_cannot_be_shown_is_passed_over(
    make: Callable[..., Lone], lone: Lone, tmp_path: Path, spoilt: bytes
) -> None:
    (tmp_path / "view.json").write_bytes(spoilt)
    again = make()
    assert "Waiting for the hub" in again.says
    again.hub_says("view", view())
    assert "Ana R." in again.says


@pytest.mark.parametrize("damage", ["zeroed", "truncated", "flipped"])
def test_a_table_whose_stored_match_is_damaged_says_so_and_how_many_results_it_keeps(
    make: Callable[..., Lone], lone: Lone, tmp_path: Path, damage: str
) -> None:
    """It said that it had no table yet."""
    lone.tap("a", "a", "b")
    lone.wait(PAUSE_MS)
    path = tmp_path / "view.json"
    raw = bytearray(path.read_bytes())
    if damage == "zeroed":
        raw[:] = bytes(len(raw))
    elif damage == "truncated":
        del raw[len(raw) // 3 :]
    else:
        raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    again = make(start_ms=500_000)
    assert "The match stored here is unreadable. Results kept: 2" in again.says
    again.hub_says("view", view())
    assert "Ana R." in again.says
    again.wait(PAUSE_MS)
    assert "Ana R." in make(start_ms=600_000).says


def test_the_view_is_written_when_the_match_changes_and_not_at_each_tick(
    lone: Lone, monkeypatch: pytest.MonkeyPatch
) -> None:
    lone.wait(PAUSE_MS + 1000)
    written: list[str] = []
    real = os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: (written.append(str(b)), real(a, b)))
    lone.wait(60_000)
    for taken_by in (None, "Eva"):
        lone.hub_says("view", view(call={"taken_by": taken_by}, finished=["e0"]))
    assert written == []
    lone.hub_says("view", view(match={**view()["match"], "state": "decided", "revision": 1}))
    assert len(written) == 1


def test_what_the_unit_holds_is_told_from_what_is_kept(make: Callable[..., Lone], lone: Lone) -> None:
    match = {**view()["match"], "draw": "d1", "a": {"id": "c1", "name": "Ana R."}, "b": {"id": "c2", "name": "B"}}
    lone.hub_says("view", view(match=match))
    lone.wait(PAUSE_MS)
    assert make(start_ms=lone.now_ms).stored.held_match() == {
        "event": "e1",
        "round": 3,
        "stage": "swiss",
        "draw": "d1",
        "table": 12,
        "match": "3.7",
        "revision": 0,
        "a": "c1",
        "b": "c2",
        "state": "open",
        "result": None,
        "number": None,
        "left_ms": lone.unit.dialogue.table.clock_ms,
    }
    held = make(boot="tuesday").stored.held_match()
    assert held["left_ms"] is None
    lone.hub_says("view", view(match=None))
    assert make().stored.held_match() is None


# --- a failing card ------------------------------------------------------------------------------------------------


def failing(monkeypatch: pytest.MonkeyPatch, error: int = errno.EIO) -> pytest.MonkeyPatch:
    monkeypatch.setattr("os.fsync", fails(OSError(error, os.strerror(error))))
    return monkeypatch


def test_a_card_that_fails_at_the_start_is_a_screen_and_a_blinking_light(
    make: Callable[..., Lone], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        failing(patch)
        unit = make()
        assert "CARD FAILING" in unit.says
        unit.hub_says("view", view())
        assert "This unit's memory card is failing. Give results to the organizer" in unit.says
        unit.wait(5000)
        assert {True, False} <= set(unit.lamp)
        unit.call_a_judge()
        assert "JUDGE CALLED" in unit.says
        assert unit.link.statuses[-1]["call"] is True
    unit.wait(20_000)
    unit.call_a_judge()
    assert "CARD" not in unit.says
    assert "Ana R." in unit.says
    assert unit.unit.is_healthy(unit.now_ms)


@pytest.mark.parametrize(
    ("disk", "words"),
    [
        (FULL, "CARD FULL | This unit's memory card is full"),
        (READ_ONLY, "CARD LOCKED | This unit's memory card is read-only"),
    ],
)
def test_a_card_that_takes_nothing_more_is_seen_before_somebody_enters_a_result(
    lone: Lone, monkeypatch: pytest.MonkeyPatch, disk: dict[str, int], words: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("os.statvfs", other_disk(**disk))
        lone.wait(6000)
        assert words in lone.says
        lone.tap("a", "a", "b")
        assert lone.outbox.all() == []
    lone.wait(6000)
    assert "CARD" not in lone.says


def test_saved_is_true_though_the_unit_cannot_note_it(lone: Lone, monkeypatch: pytest.MonkeyPatch) -> None:
    lone.tap("a", "a", "b")
    with monkeypatch.context() as patch:
        failing(patch)
        lone.hub_answers(1)
        lone.hub_answers(2)
        assert lone.unit.dialogue.table.saved_number == 1042
    lone.wait(6000)
    assert Outbox(lone.path).waiting() == []


def test_a_damaged_result_is_told_until_somebody_has_read_it(make: Callable[..., Lone], lone: Lone) -> None:
    lone.tap("a", "a", "b")
    lone.path.write_bytes(lone.path.read_bytes().replace(b'"side":"a"', b'"side":"b"'))
    for _ in range(2):
        again = make()
        assert "RESULT DAMAGED" in again.says
    again.wait(60_000)
    assert "RESULT DAMAGED" in again.says
    again.tap("a")
    assert "RESULT DAMAGED" not in again.says
    assert "RESULT DAMAGED" not in make().says


# --- a hub that does not take it -----------------------------------------------------------------------------------


def test_a_report_that_is_never_taken_ends_in_a_word_and_not_in_sending(lone: Lone) -> None:
    lone.tap("a", "a", "b")
    lone.hub_says("contact", None)
    assert "sending" in lone.says
    lone.hub_says("refusal", "key")
    assert "The hub refuses this unit's key. Tell the organizer" in lone.says
    lone.wait(1000)
    lone.hub_says("contact", None)
    lone.tap("a")
    assert "refused" in lone.says
    lone.hub_says("refusal", None)
    lone.hub_says("contact", None)
    assert "sending" in lone.says


def test_a_unit_whose_key_is_taken_no_more_asks_anew_where_somebody_holds_a_button(lone: Lone) -> None:
    lone.unit.troubles.can_enrol = True
    lone.hub_says("refusal", "key")
    assert "hold ●: enroll again" in lone.says
    lone.wait(1000)
    lone.hub_says("contact", None)
    lone.unit.step(lone.now_ms, [Edge("a", True, lone.now_ms)])
    lone.wait(700)
    assert lone.unit.troubles.enrols


def test_a_tap_leaves_the_key_where_it_is_and_so_does_a_key_that_was_typed_into_a_file(lone: Lone) -> None:
    lone.hub_says("refusal", "key")
    assert "enroll again" not in lone.says
    lone.unit.troubles.can_enrol = True
    lone.wait(1000)
    lone.hub_says("contact", None)
    lone.tap("a")
    assert not lone.unit.troubles.enrols


def test_a_pending_report_has_words_and_its_later_fate_is_shown(lone: Lone) -> None:
    lone.tap("a", "a", "b")
    lone.hub_answers(1)
    lone.hub_answers(2, "pending", number=None, hash=None)
    assert "The hub was restored" in lone.says
    lone.wait(1000)
    lone.hub_says("contact", None)
    lone.tap("a")
    assert "being checked" in lone.says
    lone.hub_answers(2)
    assert "SAVED #1042" in lone.says


def test_a_second_unit_of_the_same_name_says_so_and_takes_nothing(lone: Lone) -> None:
    lone.hub_says("twin", True)
    assert "Another unit has this name" in lone.says
    lone.tap("a", "a", "b")
    assert lone.outbox.all() == []
    lone.hub_says("twin", False)
    lone.tap("a", "a", "b")
    assert len(lone.outbox.all()) == 2


def test_only_the_epoch_that_took_a_report_may_have_it_forgotten(lone: Lone) -> None:
    lone.hub_says("epoch", "mine")
    lone.tap("a", "a", "b")
    lone.hub_answers(1, epoch="mine")
    lone.hub_answers(2, epoch="mine")
    lone.hub_says("epoch", "another")
    lone.hub_says("view", view(finished=["e1"]))
    assert len(lone.outbox.all()) == 2
    lone.hub_says("epoch", "mine")
    lone.hub_says("view", view(finished=["e1"]))
    assert lone.outbox.all() == []


# --- what time it is -----------------------------------------------------------------------------------------------


def test_before_the_first_round_trip_no_clock_is_shown(make: Callable[..., Lone]) -> None:
    """Seen: a signed feed that was held up showed 73:45 where 4:35 were left."""
    unit = make()
    unit.hub_says("view", view())
    assert "--:--" in unit.says
    unit.hub_time(3_725_000)
    unit.wait(10)
    assert "4:35" in unit.says


def test_a_clock_that_is_held_needs_no_round_trip(make: Callable[..., Lone]) -> None:
    unit = make()
    unit.hub_says("view", view(clock={"state": "paused", "remaining_ms": 600_000, "total_ms": 4_500_000}))
    assert "10:00" in unit.says


def test_while_the_hub_asks_how_to_go_on_the_table_counts_on(lone: Lone, make: Callable[..., Lone]) -> None:
    before_ms = lone.unit.dialogue.table.clock_ms
    assert before_ms is not None
    at_ms = lone.now_ms
    counting = {"state": "counting", "remaining_ms": 4_400_000, "total_ms": 4_500_000}
    lone.link.time.reset()
    lone.hub_says("view", view(clock=counting))
    lone.wait(30_000)
    assert lone.unit.dialogue.table.clock_ms == before_ms - (lone.now_ms - at_ms)
    # Who sits at another match has counted nothing for this one.
    lone.hub_says("view", view(clock=counting, match={**view()["match"], "id": "3.8"}))
    assert lone.unit.dialogue.table.clock_ms == 4_400_000


@pytest.mark.parametrize("step_s", [86_400, -86_400, -10 * 365 * 86_400])
def test_the_system_time_may_be_set_to_anything(lone: Lone, monkeypatch: pytest.MonkeyPatch, step_s: int) -> None:
    real = time.time
    before_ms = lone.unit.dialogue.table.clock_ms
    at_ms = lone.now_ms
    monkeypatch.setattr(time, "time", lambda: real() + step_s)
    monkeypatch.setattr(time, "time_ns", lambda: int((real() + step_s) * 1e9))
    lone.wait(10_000)
    assert lone.unit.dialogue.table.clock_ms == before_ms - (lone.now_ms - at_ms)  # type: ignore[operator]
    lone.tap("a", "a", "b")
    assert len(lone.outbox.waiting()) == 2


# --- whatever a hub says -------------------------------------------------------------------------------------------


def test_a_million_points_do_not_end_a_unit(lone: Lone) -> None:
    """Seen: squad_points of 10^9 made a form that no unit lived through."""
    form = view()["form"]
    for way in form["ways"]:
        for step in way["steps"]:
            if step["step"] == "figure":
                step.update(maximum=10**9, wheels=[1])
    before = lone.says
    lone.hub_says("view", view(form=form, options={"squad_points": 10**9}))
    assert lone.says == before
    lone.tap("a", "a", "b")
    assert len(lone.outbox.waiting()) == 2


def test_a_name_that_no_screen_can_draw_is_drawn_without_that(lone: Lone) -> None:
    lone.hub_says("view", view(match={**view()["match"], "a": {"name": "Eve\n\u202eann\x00a"}}))
    assert "Eve ann a" in lone.says


@pytest.mark.parametrize("what", ["on_view", "on_fate", "on_gesture", "tick"])
def test_what_a_step_stumbles_over_is_taken_back_and_told(
    lone: Lone, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    lone.tap("a", "a", "b")

    def stumbles(*_: object) -> None:
        lone.unit.dialogue.table.view = None
        lone.unit.dialogue.table.seated.clear()
        raise RuntimeError("a bug nobody knew")

    with monkeypatch.context() as patch:
        patch.setattr(lone.unit.dialogue, what, stumbles)
        lone.hub_says("view", view(table=13))
        lone.hub_answers(1)
        lone.tap("a")
        assert lone.unit.dialogue.table.view is not None
        assert lone.unit.scene.badge == "FAULT"  # type: ignore[union-attr]
    lone.wait(11_000)
    assert lone.unit.scene.badge == ""  # type: ignore[union-attr]
    assert lone.unit.is_healthy(lone.now_ms)


def test_a_screen_that_cannot_be_drawn_leaves_the_last_one_and_the_watchdog_is_told_the_truth(
    lone: Lone, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = lone.screen.glass.frame
    with monkeypatch.context() as patch:
        patch.setattr(module, "draw_scene", lambda scene: 1 / 0)
        lone.wait(5000)
        assert lone.unit.is_healthy(lone.now_ms)
        lone.wait(10_000)
        assert not lone.unit.is_healthy(lone.now_ms)
        frame = lone.screen.glass.frame
        assert frame != shown
        assert frame[512:] == shown[512:]
    lone.wait(1000)
    assert lone.unit.is_healthy(lone.now_ms)


@pytest.mark.long
def test_the_log_of_a_unit_that_stumbles_for_an_hour_stays_small(
    lone: Lone, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lone.unit.dialogue, "tick", lambda now_ms: 1 / 0)
    lone.wait(3_600_000)
    assert len(caplog.records) < 100


def test_a_unit_that_is_to_show_itself_blinks_says_its_name_and_takes_no_press_for_a_result(tmp_path: Path) -> None:
    unit = Unit(tmp_path)
    unit.hub_says("view", view())
    before = unit.says
    unit.hub_says("identify", None)
    assert "THIS UNIT" in unit.says
    assert "table-12" in unit.says
    lamp = unit.unit.troubles.lamp
    assert {lamp(unit.now_ms + ms) for ms in (0, 500, 1000)} == {True, False}
    assert unit.unit.due_ms(unit.now_ms) <= unit.now_ms + 500
    unit.tap("a")
    assert unit.says == before, "the press has ended it and done nothing else"
    assert not unit.outbox.all()
    unit.hub_says("identify", None)
    unit.wait(6_500)
    assert "THIS UNIT" not in unit.says
    assert not any(lamp(unit.now_ms + ms) for ms in range(0, 2000, 250))
