"""A table lost its power after SAVED: its card, or else the hub, says what became of the result; nobody is asked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from unit_kit import Lone, view

from roundtap_core.messages import ReportReceipt
from roundtap_units.link.outbox import StoredReport, StoredView

RESULT = {"score": {"a": 100, "b": 0}}
BOTH: dict[str, Any] = {"reports": {"a": RESULT, "b": RESULT}, "heard": {"a": 1, "b": 1}}


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Lone]:
    return lambda **more: Lone(tmp_path, **more)


@pytest.fixture
def agreed(make: Callable[..., Lone]) -> Lone:
    """Ana has reported 100:0 and Bruno has agreed; both reports are on the card, and the hub has answered nothing."""
    made = make(start_ms=100_000)
    made.hub_says("view", view())
    made.tap("a", "a", "a", "b")
    assert len(made.outbox.waiting()) == 2
    return made


def told(match: dict[str, Any]) -> dict[str, Any]:
    return view(match={**view()["match"], **match})


def answer_unnoted(unit: Lone, n: int) -> StoredReport:
    """The hub's answer is on the screen, and the power goes before it is on the card."""
    kept = unit.outbox.settle(ReportReceipt(f"table-12-id{n}", "accepted", number=1040 + n, hash="h"))
    assert kept is not None
    unit.hub_says("fate", kept)
    return kept


def test_what_the_card_knows_to_be_saved_is_shown_as_saved(make: Callable[..., Lone], agreed: Lone) -> None:
    """The answers were noted, and the hub's view with the result had not come yet."""
    for n in (1, 2):
        agreed.hub_answers(n)
    again = make(start_ms=500_000)
    assert again.says.startswith("SAVED #1042")
    again.wait(11_000)
    assert again.unit.scene.kind == "done"  # type: ignore[union-attr]
    assert "#1042" in again.says
    assert "⌁" in again.unit.scene.mark  # type: ignore[union-attr]


@pytest.mark.parametrize("noted", [(), (1,)])
def test_what_the_card_does_not_know_is_asked_of_the_hub_and_of_nobody_at_the_table(
    make: Callable[..., Lone], agreed: Lone, noted: tuple[int, ...]
) -> None:
    for n in (1, 2):
        if n in noted:
            agreed.hub_answers(n)
        else:
            answer_unnoted(agreed, n)
    assert "SAVED #1042" in agreed.says
    again = make(start_ms=500_000)
    assert "asking the hub" in again.says
    again.tap("a", "b", "up", "down")
    again.hub_says("contact", None)
    assert "asking the hub" in again.says
    assert len(again.outbox.all()) == 2
    for n in {1, 2} - set(noted):
        again.hub_answers(n)
    assert "SAVED #1042" in again.says


def test_a_wish_pressed_before_the_hub_is_heard_again_is_not_called_requested(
    make: Callable[..., Lone], agreed: Lone
) -> None:
    """The power may go once more, and nobody would know of it."""
    agreed.hub_says("view", view(leave_asked=[]))
    agreed.wait(6000)
    for n in (1, 2):
        agreed.hub_answers(n)
    again = make(start_ms=500_000)
    again.hold_together("b", "down")
    assert again.says.startswith("SAVED #1042")
    assert again.says.endswith("sending…")
    again.hub_says(
        "view", {**told({"state": "agreed", "result": RESULT, "number": 1042, **BOTH}), "leave_asked": ["b"]}
    )
    assert again.says.endswith("✓ drop requested")


def test_a_view_that_comes_before_the_answers_changes_nothing(make: Callable[..., Lone], agreed: Lone) -> None:
    again = make(start_ms=500_000)
    again.hub_says(
        "view",
        told({"state": "one-sided", "last": "a", "reports": {"a": RESULT, "b": None}, "heard": {"a": 1, "b": 0}}),
    )
    assert "asking the hub" in again.says


def test_of_one_saved_report_only_the_other_player_is_asked(make: Callable[..., Lone]) -> None:
    unit = make(start_ms=100_000)
    unit.hub_says("view", view())
    unit.tap("a", "a", "a")
    unit.hub_answers(1)
    again = make(start_ms=500_000)
    assert again.says.startswith("Ana R. won 100:0. Right?")
    assert again.unit.scene.turn == "b"  # type: ignore[union-attr]


def test_what_a_later_no_had_undone_stays_undone(make: Callable[..., Lone], agreed: Lone) -> None:
    agreed.hub_answers(1)
    agreed.hub_answers(2, "refused", reason="superseded")
    again = make(start_ms=500_000)
    assert "SAVED" not in again.says
    assert again.says.startswith("Ana R. won 100:0. Right?")


def test_what_the_hub_said_later_counts_more_than_the_card(make: Callable[..., Lone], agreed: Lone) -> None:
    """Both have said something else on their phones since; the view with it is on the card."""
    for n in (1, 2):
        agreed.hub_answers(n)
    newer = {"score": {"a": 100, "b": 30}}
    agreed.hub_says(
        "view",
        told(
            {
                "state": "agreed",
                "result": newer,
                "number": 1050,
                "heard": {"a": 2, "b": 2},
                "reports": {"a": newer, "b": newer},
            }
        ),
    )
    again = make(start_ms=500_000)
    assert "100:30" in again.says
    assert "#1050" in again.says


def test_the_hub_s_newer_word_takes_its_place_at_once(make: Callable[..., Lone], agreed: Lone) -> None:
    for n in (1, 2):
        agreed.hub_answers(n)
    again = make(start_ms=500_000)
    assert again.says.startswith("SAVED #1042")
    newer = {"score": {"a": 100, "b": 30}}
    again.hub_says(
        "view",
        told(
            {
                "state": "agreed",
                "result": newer,
                "number": 1050,
                "heard": {"a": 2, "b": 2},
                "reports": {"a": newer, "b": newer},
            }
        ),
    )
    assert "100:30" in again.says
    assert "100:0 " not in again.says


def test_a_judge_s_word_takes_its_place_at_once(make: Callable[..., Lone], agreed: Lone) -> None:
    for n in (1, 2):
        agreed.hub_answers(n)
    again = make(start_ms=500_000)
    again.hub_says(
        "view",
        told({"state": "decided", "result": {"score": {"a": 40, "b": 100}}, "number": 1060, "revision": 1, **BOTH}),
    )
    assert again.says.startswith("A judge decided")


def test_the_last_round_s_reports_are_not_this_one_s(make: Callable[..., Lone], agreed: Lone) -> None:
    for n in (1, 2):
        agreed.hub_answers(n)
    agreed.hub_says("view", told({"id": "4.7", "draw": "d4"}))
    again = make(start_ms=500_000)
    assert "SAVED" not in again.says
    assert again.unit.scene.kind == "idle"  # type: ignore[union-attr]


def test_what_phones_have_agreed_to_is_on_the_card_before_the_screen_says_saved(
    make: Callable[..., Lone], tmp_path: Path
) -> None:
    """No report of this unit could tell it after a power cut."""
    unit = make(start_ms=100_000)
    unit.hub_says("view", view())
    on_card: list[object] = []

    def seen(text: str) -> None:
        if "SAVED" in text:
            stored = StoredView(tmp_path / "view.json").view
            on_card.append(stored and stored["match"]["state"])

    unit.unit._heard = seen
    unit.hub_says("view", told({"state": "agreed", "result": RESULT, "number": 90, **BOTH}))
    assert on_card == ["agreed"]
