"""Calling a judge: from any screen, with the draft kept, and again to cancel."""

import pytest
from tableplay import Table


@pytest.mark.parametrize("before", ["", "ana", "ana ▲▲", "ana ana", "ana ana ▼", "ana ana bruno"])
def test_a_call_from_any_screen_and_back_again(before):
    table = Table()
    table.presses(before)
    was = table.says
    table.calls()
    assert "JUDGE CALLED" in table.says
    assert table.status.call
    table.calls()
    assert table.says == was
    assert not table.status.call


def test_the_call_tells_its_age_and_who_comes():
    table = Table()
    table.calls()
    table.wait(130_000)
    assert table.scene.a.big == "2:10"
    table.hub_says(call={"taken_by": None})
    assert table.scene.a.big == "2:11"
    table.hub_says(call={"taken_by": "Eva"})
    assert table.scene.a.small == "taken by Eva"


def test_a_press_looks_behind_the_call_for_a_while():
    table = Table()
    table.presses("ana ▲▲")
    table.calls()
    table.presses("▲")
    assert "20 Bruno M." in table.says  # the press itself changed nothing
    table.presses("▲")
    assert "30 Bruno M." in table.says
    table.wait(8000)
    assert "JUDGE CALLED" in table.says


def test_the_judge_who_has_been_here_ends_the_call():
    table = Table()
    table.calls()
    table.hub_says(call={"taken_by": "Eva"})
    table.hub_says(call=None)
    assert table.kind == "idle"
    assert not table.status.call


def test_a_view_made_before_the_call_arrived_does_not_end_it():
    table = Table()
    table.calls()
    table.hub_says(clock="paused")
    assert table.status.call


def test_a_call_that_was_settled_before_the_table_heard_of_it_is_over():
    """The hub had recorded it, and a judge closed it, while the table was out of touch."""
    table = Table()
    table.calls()
    table.hub_says(call=None, call_closed=True)
    assert table.kind == "idle"
    assert not table.status.call


def test_an_answer_to_a_call_does_not_end_the_one_that_was_made_right_after_it():
    """The judge had closed the first; its players cancelled it meanwhile and called again."""
    table = Table()
    table.calls()
    first = table.status.call_ms
    table.hub_says(call={"taken_by": None}, call_ms=first)
    table.calls()
    table.calls()
    assert table.status.call_ms != first
    table.hub_says(call=None, call_closed=True, call_ms=first)
    assert table.status.call
    table.hub_says(call={"taken_by": None}, call_ms=first)
    table.hub_says(call=None, call_closed=True, call_ms=first)
    assert table.status.call, "the hub has not heard of it yet"
    table.hub_says(call={"taken_by": None}, call_ms=table.status.call_ms)
    table.hub_says(call=None, call_closed=True, call_ms=table.status.call_ms)
    assert not table.status.call


def test_a_restarted_table_takes_up_the_call_that_was_made_before():
    table = Table(seated=False)
    table.hub_says(call={"taken_by": "Eva"}, call_ms=91_500)
    assert "taken by Eva" in table.says
    # By the same name, so that the hub does not take it for another.
    assert (table.status.call, table.status.call_ms) == (True, 91_500)
    table.hub_says(call=None, call_closed=True)
    assert not table.status.call


def test_a_cancel_is_told_until_the_hub_has_taken_it_over():
    table = Table()
    table.calls()
    table.hub_says(call={"taken_by": None})
    table.calls()
    assert table.status.cancelled == ("call",)
    table.hub_says(clock="paused")
    assert table.status.cancelled == ("call",)
    table.hub_says(call=None)
    assert table.status.cancelled == ()


def test_a_cancelled_call_does_not_come_back_with_an_old_view():
    table = Table()
    table.calls()
    table.hub_says(call={"taken_by": None})
    table.calls()
    table.hub_says(clock="paused")
    assert not table.status.call
    table.hub_says(call=None)
    assert not table.status.call


def test_a_call_made_elsewhere_is_shown_here():
    table = Table()
    table.hub_says(call={"taken_by": "Kai"})
    assert "taken by Kai" in table.says


def test_from_no_and_judge_on_a_table_that_already_called_stays_called():
    table = Table()
    table.presses("ana ana")
    table.calls()
    table.presses("▼ ▼ ▼")
    assert table.status.call
