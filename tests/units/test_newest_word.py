"""What a unit says of its reports: their number, what a yes was said to; and two agreements on one match."""

from collections.abc import Callable
from typing import Any

import pytest
from tableplay import Table, score
from unit_kit import Unit, view

from roundtap_core.wire import digest

BOTH = "A JUDGE DECIDES | First: 100:20 | Now: 100:30 | ● ■ keep first result"


def told(match: dict[str, Any]) -> dict[str, Any]:
    """The view with these fields of the match otherwise."""
    whole = view()
    return {**whole, "match": {**whole["match"], **match}}


def sent(unit: Unit) -> list[dict[str, Any]]:
    return [dict(kept.report) for kept in unit.outbox.all()]


def numbers(unit: Unit) -> list[tuple[str, int]]:
    return [(report["side"], report["serial"]) for report in sent(unit)]


# --- numbers -----------------------------------------------------------------------------------------------------


def test_offline_both_press_at_one_unit_and_the_yes_names_what_it_was_said_to(unit: Unit) -> None:
    """Ana says 100:0, looks again and says 100:10; Bruno says yes. No hub is heard, and all goes out in order."""
    unit.tap("a", "a", "a", "up", "a", "a", "b")
    first, second, yes = sent(unit)
    assert numbers(unit) == [("a", 1), ("a", 2), ("b", 1)]
    assert (first["agrees_to"], second["agrees_to"]) == (None, None)
    assert yes["agrees_to"] == {"report_id": second["report_id"], "hash": digest(second)}
    assert yes["result"] == second["result"] != first["result"]


def test_a_report_says_nothing_of_a_clock_that_nobody_here_knows(unit: Unit) -> None:
    unit.tap("a", "a")
    [report] = sent(unit)
    assert "time_up" not in report


def test_a_report_says_what_the_table_s_clock_showed_at_the_press(unit: Unit) -> None:
    unit.hub_says("view", {**view(), "clock": {"state": "idle", "remaining_ms": 60_000, "total_ms": 60_000}})
    unit.wait(100)
    unit.tap("a", "a")
    [report] = sent(unit)
    assert report["time_up"] is False


def test_a_yes_to_what_only_the_hub_has_names_it_as_the_hub_does(unit: Unit) -> None:
    unit.hub_says(
        "view",
        told(
            {
                "state": "one-sided",
                "last": "a",
                "reports": {"a": {"score": {"a": 100, "b": 0}}, "b": None},
                "heard": {"a": 4, "b": 2},
                "said": {"a": {"report_id": "phone-1", "hash": "f00d"}, "b": None},
            }
        ),
    )
    unit.wait(2000)
    unit.tap("b")
    [yes] = sent(unit)
    assert (yes["side"], yes["serial"]) == ("b", 3)
    assert yes["agrees_to"] == {"report_id": "phone-1", "hash": "f00d"}


def test_numbers_go_on_after_a_restart_by_what_is_on_the_disk(make: Callable[..., Unit], unit: Unit) -> None:
    unit.tap("a", "a")
    again = make(start_ms=500_000)
    again.hub_says("view", view())
    again.wait(2000)
    again.tap("b")
    assert numbers(again) == [("a", 1), ("b", 1)]
    [first, yes] = sent(again)
    assert yes["agrees_to"] == {"report_id": first["report_id"], "hash": digest(first)}


def test_another_draw_begins_at_one(unit: Unit) -> None:
    unit.tap("a", "a", "b")
    unit.hub_says("view", told({"draw": "77c1"}))
    unit.tap("a", "a", "a")
    assert numbers(unit)[2:] == [("a", 1)]


def test_an_older_hub_without_ids_is_no_reason_to_say_nothing(unit: Unit) -> None:
    unit.hub_says("view", told({"a": {"name": "Ana R."}, "b": {"name": "Bruno M."}}))
    unit.tap("a", "a")
    [report] = sent(unit)
    assert "a" not in report
    assert report["serial"] == 1


# --- what the hub says of it -------------------------------------------------------------------------------------


def test_a_yes_to_what_was_replaced_meanwhile_is_asked_again_with_the_newest() -> None:
    table = Table()
    table.hub_says(state="one-sided", a=score(100, 0), last="a")
    table.presses("bruno")
    assert table.reports == [("b", score(100, 0))]

    table.hub_refuses("superseded")
    assert table.says.startswith("REFUSED: CHANGED | Your opponent's report changed. Check it.")
    table.hub_says(state="one-sided", a=score(100, 20), last="a")
    table.presses("▲")

    assert table.says.startswith("Ana R. won 100:20. Right?")
    table.presses("bruno")
    assert table.reports[-1] == ("b", score(100, 20))


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        ("older", "REFUSED: OLDER | Your newer report counts."),
        ("elsewhere", "REFUSED: OTHER TABLE | Wrong table for this unit. Ask a judge."),
    ],
)
def test_the_screen_says_why(reason: str, says: str) -> None:
    table = Table()
    table.presses("ana ana")
    table.hub_refuses(reason)
    assert table.says.startswith(says)


@pytest.mark.parametrize("language", ["en", "es", "de", "pl"])
@pytest.mark.parametrize("reason", ["older", "elsewhere", "superseded"])
def test_in_every_language(language: str, reason: str) -> None:
    table = Table(language)
    table.presses("ana ana")
    table.hub_refuses(reason)
    unknown = Table(language)
    unknown.presses("ana ana")
    unknown.hub_refuses("no such reason")
    assert table.says != unknown.says


def test_a_report_that_a_restored_hub_looks_into_is_said_so_until_its_fate_comes(unit: Unit) -> None:
    unit.tap("a", "a", "b")
    for n in (1, 2):
        unit.hub_answers(n, "pending")
    assert "RESULT KEPT" in unit.says
    unit.wait(1000)
    unit.tap("a")
    assert "being checked" in unit.says
    for n in (1, 2):
        unit.hub_answers(n)
    assert "SAVED #1042" in unit.says


def test_after_a_restart_what_is_looked_into_is_still_said_so(make: Callable[..., Unit], unit: Unit) -> None:
    unit.tap("a", "a", "b")
    for n in (1, 2):
        unit.hub_answers(n, "pending")
    again = make(start_ms=500_000)
    again.hub_says("view", view())
    assert "RESULT KEPT" in again.says
    again.wait(1000)
    again.tap("a")
    assert "being checked" in again.says


# --- two agreements ----------------------------------------------------------------------------------------------


@pytest.fixture
def twice() -> Table:
    """100:20 stood; both agreed to 100:30 since, and the hub has said so."""
    table = Table()
    table.hub_says(state="agreed", a=score(100, 20), b=score(100, 20), result=score(100, 20), number=9)
    table.wait(20_000)
    table.hub_says(state="second", a=score(100, 30), b=score(100, 30))
    return table


def test_two_agreements_are_both_shown_and_an_arrow_changes_nothing(twice: Table) -> None:
    assert twice.says == BOTH
    twice.presses("▲▼")
    assert twice.says == BOTH
    assert twice.reports == []


def test_saying_the_first_again_takes_both_of_them(twice: Table) -> None:
    twice.presses("ana")
    assert twice.says.startswith("Use this result?")
    twice.presses("ana")
    assert twice.reports == [("a", score(100, 20))]
    twice.wait(1000)
    assert twice.says.startswith("Ana R. won 100:20. Right?")
    twice.presses("bruno")
    assert twice.reports == [("a", score(100, 20)), ("b", score(100, 20))]
    twice.hub_saves(12, 0)
    twice.hub_saves(13, 1)
    assert twice.says.startswith("SAVED #13")


def test_no_leaves_it_to_the_judge(twice: Table) -> None:
    twice.presses("bruno")
    twice.presses("▼")
    assert twice.says == BOTH
    assert twice.reports == []


def test_the_other_own_button_is_no_answer_to_it(twice: Table) -> None:
    twice.presses("ana")
    twice.presses("bruno")
    assert twice.says.startswith("Use this result?")
    assert twice.reports == []


def test_the_judge_s_word_ends_it(twice: Table) -> None:
    twice.presses("ana")
    twice.hub_says(state="decided", result=score(100, 30), a=None, b=None, revision=1, number=14, corrected=True)
    assert twice.says.startswith("Result corrected")


def test_without_a_hub_a_second_agreement_is_none_that_is_saved() -> None:
    """The hub's word on the first pair came, its view did not; then they agree to something else."""
    table = Table()
    table.presses("ana ana bruno")
    table.hub_saves(5, 0)
    table.hub_saves(6, 1)
    assert table.says.startswith("SAVED #6")
    table.wait(20_000)
    table.presses("ana ana ▲ ana ana bruno")
    assert len(table.reports) == 4
    for report in (2, 3):
        table.hub_saves(10 + report, report)
        assert "SAVED" not in table.says
    assert table.says.startswith("A JUDGE DECIDES | First: 100:0 | Now: 100:10")
