"""SAVED and what comes after: sending, the number, leaving, correcting, and being refused."""

import pytest
from tableplay import Table, score

from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.registry import rulebook
from roundtap_units.table.dialogue.dialogue import Dialogue
from roundtap_units.unit_config import unit_words


@pytest.fixture
def table():
    made = Table()
    made.presses("ana ▲▲ ana ana bruno")
    return made


@pytest.fixture
def saved(table):
    table.hub_saves(1041, report=0)
    table.hub_saves(1042, report=1)
    return table


def test_sending_is_said_only_when_the_report_is_on_the_disk():
    table = Table()
    table.stores = False
    table.presses("ana ana bruno")
    assert "sending" not in table.says
    for report_id, effect in zip(table.ids, table.effects, strict=True):
        table.dialogue.on_stored(report_id, effect)
    assert "sending…" in table.says


def test_without_contact_it_is_kept_here(table):
    table.dialogue.on_contact(30_000)
    assert "kept here" in table.says


def test_saved_comes_with_the_agreeing_report_and_not_before(table):
    table.hub_saves(1041, report=0)
    assert "SAVED" not in table.says
    table.hub_saves(1042, report=1)
    assert table.says.startswith("SAVED #1042")


def test_what_was_saved_stands_between_the_names_and_then_in_its_place_that_one_may_leave(saved):
    assert saved.says == "SAVED #1042 | ● Ana R. 100:20 Bruno M. | SAVED #1042 | Bruno M. 20:100 Ana R. ●"
    saved.wait(4000)
    assert saved.says == "SAVED #1042 | Drop: hold ●+▼ | SAVED #1042 | Drop: hold ■+▼"


def test_answers_in_the_wrong_order_still_need_both(table):
    table.hub_saves(1042, report=1)
    assert "SAVED" not in table.says
    table.hub_saves(1041, report=0)
    assert table.says.startswith("SAVED #1042")


def test_the_view_that_follows_changes_nothing_on_the_screen(saved):
    saved.wait(3000)
    saved.hub_says(state="agreed", a=score(100, 20), b=score(100, 20), result=score(100, 20), number=1042, revision=1)
    assert saved.says.startswith("SAVED #1042")
    saved.wait(7000)
    assert saved.says == "● Ana R. | 100:20 | #1042 | ■ Bruno M. | 20:100 | #1042"


def test_a_view_older_than_the_answer_does_not_bring_the_question_back(saved):
    saved.hub_says(state="one-sided", a=score(100, 20))
    assert saved.says.startswith("SAVED #1042")


def test_an_agreement_made_on_phones_is_saved_here_too():
    table = Table()
    table.hub_says(state="agreed", a=score(100, 7), b=score(100, 7), result=score(100, 7), number=90)
    assert table.says.startswith("SAVED #90")


def test_ten_seconds_to_say_that_one_leaves(saved):
    assert "leave?" not in saved.says
    saved.asks_to_leave("bruno")
    assert saved.status.leave == ("b",)
    assert saved.scene.b.small == "✓ drop requested"
    saved.asks_to_leave("bruno")
    assert saved.status.leave == ()
    saved.wait(10_000)
    saved.asks_to_leave("bruno")
    assert saved.status.leave == ()


def test_in_the_last_round_of_the_event_no_drop_is_offered(table):
    table.hub_says(last_round=True)
    table.hub_saves(1041, report=0)
    table.hub_saves(1042, report=1)
    table.wait(5000)
    assert table.says == "SAVED #1042 | ● Ana R. 100:20 Bruno M. | SAVED #1042 | Bruno M. 20:100 Ana R. ●"
    table.asks_to_leave("bruno")
    assert table.status.leave == ()


def test_a_correction_starts_from_the_result_and_a_judge_decides_between_the_two(saved):
    saved.hub_says(state="agreed", a=score(100, 20), b=score(100, 20), result=score(100, 20), number=1042)
    saved.wait(20_000)
    saved.presses("bruno ana")
    assert saved.says.startswith("■ Bruno M. 20 | 100 Ana R. ●")
    saved.presses("▲ bruno bruno")
    assert saved.says.startswith("Ana R. won 100:30. Right? | ● Ana R. 100 | 30 Bruno M. ■")
    saved.presses("ana")
    assert saved.reports[2:] == [("b", score(100, 30)), ("a", score(100, 30))]
    saved.hub_saves(1050, report=2)
    saved.hub_says(number=1042)
    saved.hub_saves(1051, report=3)
    assert saved.says == "A JUDGE DECIDES | First: 100:20 | Now: 100:30 | ● ■ keep first result"


def test_a_wrong_winner_is_corrected_as_directly_as_a_wrong_figure(saved):
    """Both agreed to 100:20 for Ana; it was Bruno who won."""
    saved.hub_says(state="agreed", a=score(100, 20), b=score(100, 20), result=score(100, 20), number=1042)
    saved.wait(20_000)
    saved.presses("ana")
    assert saved.says == "Who won? | ● Ana R. | ■ Bruno M. | ● or ■"
    saved.presses("bruno ▲▲ ana ana")
    assert saved.reports[2:] == [("a", score(20, 100))]


def test_a_press_that_came_too_early_says_so(saved):
    """Bruno has just agreed, and presses once more: nobody corrects what they have not read."""
    saved.presses("bruno")
    assert saved.kind == "saved"
    assert saved.scene.b.note == "too early: press again"
    assert saved.scene.a.note != saved.scene.b.note
    saved.presses("ana")
    assert saved.scene.a.note == "too early: press again"
    saved.wait(2500)
    assert "too early" not in saved.says


def test_a_correction_that_changes_nothing_is_no_report(saved):
    saved.hub_says(state="agreed", a=score(100, 20), b=score(100, 20), result=score(100, 20), number=1042)
    saved.presses("ana ana ana")
    assert len(saved.reports) == 2
    assert saved.kind in ("saved", "done")


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        ("judge", "REFUSED: JUDGE | A judge has decided this match."),
        ("late", "REFUSED: LATE | The round is closed. Ask a judge."),
        ("impossible", "REFUSED: SCORE"),
        ("unknown-match", "REFUSED: MATCH"),
        ("altered", "REFUSED: DAMAGED"),
        ("revision", "REFUSED: CHANGED"),
        ("something-new", "REFUSED: NOT ACCEPTED | Ask a judge."),
    ],
)
def test_a_refusal_names_its_reason_and_stays_until_somebody_has_read_it(table, reason, says):
    table.hub_refuses(reason)
    assert table.says.startswith(says)
    assert table.scene.turn == "b"
    table.wait(600_000)
    assert table.says.startswith(says)
    table.presses("▼")
    assert table.says.startswith("Ana R. won 100:20. Right?")  # Ana's report still stands


def test_a_unit_restarted_after_the_agreement_shows_it_without_asking_who_leaves():
    table = Table(seated=False)
    table.dialogue = Dialogue(unit_words("en"))
    table.hub_says(state="agreed", result=score(100, 20), number=1042)
    assert table.kind == "done"


def test_a_judge_s_correction_is_told_to_both_while_their_match_is_here(saved):
    saved.hub_says(state="agreed", a=score(100, 20), b=score(100, 20), result=score(100, 20), number=1042, revision=0)
    saved.wait(20_000)
    saved.hub_says(state="decided", a=None, b=None, result=score(100, 24), number=1050, revision=1, corrected=True)
    assert saved.says.startswith("Result corrected")
    assert "● Ana R.  100 | ■ Bruno M.  24" in saved.says


def test_a_correction_of_a_closed_round_is_told_too_and_once(saved):
    saved.hub_says(state="closed", status="closed", result=score(100, 20), number=1042)
    assert "corrected" not in saved.says
    changed = {"state": "closed", "status": "closed", "result": score(24, 100), "number": 1050, "revision": 1}
    saved.hub_says(**changed, corrected=True)
    assert saved.says.startswith("Result corrected")
    saved.presses("ana")
    assert "corrected" not in saved.says
    saved.hub_says(**changed, corrected=True)
    assert "corrected" not in saved.says


def test_both_wishes_to_leave_arrive(saved):
    saved.asks_to_leave("bruno")
    saved.asks_to_leave("ana")
    assert saved.status.leave == ("a", "b")


AGREED = {"state": "agreed", "a": score(100, 20), "b": score(100, 20), "result": score(100, 20), "number": 1042}


def test_a_wish_is_said_to_be_requested_once_the_hub_has_recorded_it(saved):
    saved.hub_says(**AGREED, leave_asked=[])
    saved.asks_to_leave("bruno")
    assert saved.scene.b.small == "sending…"
    saved.hub_says(leave_asked=["b"])
    assert (saved.scene.b.small, saved.status.leave) == ("✓ drop requested", ("b",))
    saved.asks_to_leave("bruno")
    assert (saved.scene.b.small, saved.status.leave) == ("sending…", ())
    assert saved.status.cancelled == ("b",)
    saved.hub_says(leave_asked=[])
    assert saved.status.cancelled == ()
    assert saved.scene.b.small != "sending…"
    saved.asks_to_leave("bruno")
    saved.wait(10_000)
    assert saved.scene.b.small == "sending…"
    saved.hub_says(leave_asked=["b"])
    assert saved.scene.b.small == "drops"


def test_a_unit_that_was_switched_off_shows_the_wish_that_the_hub_knows(saved):
    saved.hub_says(**AGREED, leave_asked=["b"])
    assert saved.status.leave == ("b",)
    saved.hub_says(leave_asked=[])
    assert saved.status.leave == (), "the organizer has answered"


def test_a_refused_wish_to_leave_is_said_and_may_be_made_again(saved):
    saved.asks_to_leave("bruno")
    saved.hub_says(
        state="agreed", a=score(100, 20), b=score(100, 20), result=score(100, 20), number=1042, leave_refused=["b"]
    )
    assert saved.says == "Drop refused | ■ Bruno M. | Ask the organizer. | press: next"
    assert saved.scene.turn == "b"
    assert saved.status.leave == ()
    saved.presses("▼")
    saved.hub_says(leave_refused=[])
    saved.asks_to_leave("bruno")
    assert saved.status.leave == ("b",)


def test_saved_ticks_the_winner_where_the_score_does_not_say_who_won():
    table = Table(book=rulebook("shatterpoint-premier"))
    level = Result(ended="time", score=SidePair(1, 1), wounds=SidePair(4, 9))
    table.hub_says(result=level, state="agreed", number=1042)
    assert "Ana R. 1:1 ✓ Bruno M." in table.says
    table.hub_says(state="second", a=score(2, 1), b=score(2, 1))
    assert table.says.startswith("A JUDGE DECIDES | First: 1:1 ✓ wounds inflicted")


def test_what_stands_says_why_beside_its_number():
    table = Table(book=rulebook("keyforge-archon"))
    table.hub_says(
        result=Result(ended="concession", conceded_by="a", score=SidePair(1, 0)), state="agreed", number=1042
    )
    table.wait(11_000)
    assert "#1042 ● conceded" in table.says
