"""Reporting: who presses what, and what the screen says."""

import pytest
from msgspec.structs import replace
from tableplay import Table, score

from roundtap_core.forms.form import OPENER, Form, WayToEnd
from roundtap_core.forms.questions import Choice, Figure
from roundtap_core.words import Words
from roundtap_units.table.dialogue import table_state
from roundtap_units.table.dialogue.dialogue import SendReport
from roundtap_units.table.dialogue.digit_wheels import FigureDial
from roundtap_units.unit_config import unit_words


def test_100_to_0_takes_three_presses_in_all():
    table = Table()
    table.presses("ana")
    assert table.says == "● Ana R. 100 | 0 Bruno M. ■ | MoV 200:0 | 1–9: hold ●  ● OK"
    table.presses("ana bruno")
    assert table.reports == [("a", score(100, 0)), ("b", score(100, 0))]


def test_100_to_24_takes_ten():
    table = Table()
    table.presses("ana ▲▲")
    assert "20 Bruno M. ■ | MoV 180:20 | ● next" in table.says
    table.presses("ana ▲▲▲▲")
    assert "24 Bruno M. ■ | MoV 176:24 | ● OK" in table.says
    table.presses("ana")
    assert table.reports == [("a", score(100, 24))]
    table.presses("bruno")
    assert table.reports[1] == ("b", score(100, 24))


def test_bruno_winning_sees_his_own_figure_left_and_the_screen_turned_to_him():
    table = Table()
    table.presses("bruno ▲▲ bruno")
    assert table.scene.turn == "b"
    assert table.says.startswith("■ Bruno M. 100 | 20 Ana R. ●")
    table.presses("bruno")
    assert table.reports == [("b", score(20, 100))]


def test_five_points_by_holding_the_own_button():
    table = Table()
    table.presses("ana ana… ▲▲▲▲▲ ana")
    assert table.reports == [("a", score(100, 5))]


def test_five_points_also_by_turning_the_tens_away_and_back():
    table = Table()
    table.presses("ana ▲▼ ana ▲▲▲▲▲ ana")
    assert table.reports == [("a", score(100, 5))]


def test_the_wheels_wrap():
    table = Table()
    table.presses("ana ▼ ana ▼ ana")
    assert table.reports == [("a", score(100, 99))]


def test_one_arrow_down_on_the_loser_s_0_is_no_hundred():
    table = Table()
    table.presses("ana ▼")
    assert table.scene.right.figure == "90"


def test_a_hundred_needs_no_units():
    table = Table()
    table.presses("ana ▲▲▲▲▲▲▲▲▲▲ ana")
    assert "Final salvo" in table.says


def test_after_time_the_winners_figure_comes_first_and_starts_at_100():
    table = Table(clock_ms=-4000)
    table.presses("ana")
    assert table.scene.left.wheels == ("100",)
    assert table.scene.left.active == -1
    table.presses("▼▼▼ ana ▲▲▲▲▲▲▲ ana")
    assert (table.scene.left.figure, table.scene.right.active) == ("77", -1)
    table.presses("▲▲▲▲ ana ▼ ana")
    assert table.reports == [("a", score(77, 49, "time"))]


def test_equal_figures_ask_for_the_final_salvo_and_its_winner_is_confirmed():
    table = Table(clock_ms=0)
    table.presses("ana ▼▼ ana ana ▲▲▲▲▲▲▲▲ ana ana")
    assert table.says.startswith("Final salvo | ● Ana R. 80 | 80 Bruno M. ■")
    table.presses("bruno")
    assert "Final salvo ■" in table.says
    assert "MoV 100:100 | ● OK" in table.says
    assert table.reports == []
    table.presses("ana")
    assert table.reports == [("a", score(80, 80, "time", winner="b"))]
    assert table.says.startswith("Bruno M. won 80:80. Right?")


def test_the_time_running_out_does_not_take_the_entry_away():
    table = Table()
    table.presses("ana ▲▲")
    table.clock_ms = -1000
    table.wait(1000)
    table.presses("ana ana")
    assert table.reports == [("a", score(100, 20))]


def test_the_others_button_goes_back_wheel_by_wheel_and_out():
    table = Table()
    table.presses("ana ▲▲ ana ▲ bruno")
    assert table.scene.right.active == 0
    table.presses("bruno")
    assert table.says == "Discard? | ■ again: discard | ● keep"
    table.presses("bruno")
    assert table.kind == "idle"
    assert table.reports == []


def test_an_entry_is_not_lost_by_one_press_too_many():
    table = Table()
    table.presses("ana ▲▲ bruno")
    assert table.kind == "drop"
    table.presses("ana")
    assert table.says.startswith("● Ana R. 100 | 20 Bruno M.")
    table.presses("ana ana bruno")
    assert table.reports == [("a", score(100, 20)), ("b", score(100, 20))]


def test_an_entry_in_which_nothing_was_entered_is_left_without_a_question():
    table = Table()
    table.presses("ana bruno")
    assert table.kind == "idle"


def test_another_match_under_the_draft_says_so():
    table = Table()
    table.presses("ana ▲▲")
    table.hub_says(match="4.2")
    assert table.says.startswith("Discarded")


def test_back_from_the_second_figure_reopens_the_first():
    table = Table(clock_ms=0)
    table.presses("ana ▼ ana ana bruno")
    assert (table.scene.left.figure, table.scene.left.active) == ("90", 0)


def test_a_minute_without_a_press_keeps_the_draft_and_tells_the_grid():
    table = Table()
    table.presses("ana ▲▲")
    table.wait(59_999)
    assert not table.status.draft
    table.wait(1)
    assert table.status.draft
    assert "20 Bruno M." in table.says
    table.presses("▲")
    assert not table.status.draft
    assert "30 Bruno M." in table.says


def test_a_view_in_mid_entry_leaves_the_draft_alone():
    table = Table()
    table.presses("ana ▲▲")
    table.hub_says(clock="paused")
    assert "20 Bruno M." in table.says


def test_a_match_that_changed_under_the_draft_says_so():
    table = Table()
    table.presses("ana ▲▲")
    table.hub_says(revision=1)
    assert "Changed at the hub" in table.says
    table.presses("ana")
    assert table.kind == "idle"


@pytest.mark.parametrize(("winner", "marks"), [("b", "–✓"), ("none", "––")])
def test_a_ruling_without_figures_says_who_won(winner: str, marks: str):
    table = Table()
    table.hub_says(revision=1, state="decided", number=77, result=score(0, 0, "ruling", winner))
    assert table.says.startswith(f"A judge decided | ● Ana R.  0 {marks[0]} | ■ Bruno M.  0 {marks[1]}")


def test_a_judge_deciding_under_the_draft_is_shown_with_the_result():
    table = Table()
    table.presses("ana ▲▲▲")
    table.hub_says(revision=1, state="decided", number=77, result=score(100, 24))
    assert table.says.startswith("A judge decided | ● Ana R.  100 | ■ Bruno M.  24")
    table.wait(10_000)
    assert table.kind == "done"
    table.presses("ana")
    assert "Only a judge can edit" in table.says
    assert len(table.reports) == 0


def test_a_figure_above_a_smaller_limit_cannot_be_dialled():
    dial = FigureDial(Figure("score", "loser", 0, 35, 0), 0)
    seen = []
    for _ in range(5):
        dial = dial.turned(1)
        seen.append(dial.value)
    assert seen == [10, 20, 30, 0, 10]
    units = FigureDial(Figure("score", "loser", 0, 35, 0), 30, at=0, touched=True).confirmed()
    assert units.turned(-1).value == 35


@pytest.mark.parametrize(
    ("figure", "start", "by", "comes"),
    [
        (Figure("life", "winner", -5, 25, 20, wheels=(1,)), 25, 1, -5),
        (Figure("life", "winner", -5, 25, 20, wheels=(1,)), -5, -1, 25),
        (Figure("score", "winner", 0, 300, 0, wheels=(100, 10, 1)), 290, 1, 300),
        (Figure("score", "winner", 0, 300, 0, wheels=(100, 10, 1)), 300, 1, 0),
        (Figure("score", "winner", 0, 100, 100), 100, -1, 90),
        (Figure("score", "loser", 0, 100, 0), 0, -1, 90),
        (Figure("score", "loser", 0, 100, 0), 100, 1, 0),
        (Figure("score", "winner", 0, 100, 0), 97, 1, 100),
    ],
)
def test_wheels_stay_within_the_figures_limits(figure, start, by, comes):
    assert FigureDial(figure, start, touched=True).turned(by).value == comes


def test_ways_and_choices_of_other_rulebooks_need_no_code_here(monkeypatch):
    """A made-up form, which no rulebook takes: two ways to end, and a choice that is not a side."""
    monkeypatch.setattr(table_state, "refuse_result", lambda *_: None)
    table = Table()
    table.dialogue.table.words = Words(
        "en",
        {
            "form.way.wiped": "wiped out",
            "form.way.gave_up": "gave up",
            "form.who_began": "Who began?",
            "form.option.first": "first",
            "form.option.second": "second",
        },
    ).also(unit_words("en"))
    life = Figure("score", "winner", 0, 9, 3, wheels=(1,))
    steps = (life, Choice("began", "form.who_began", ("first", "second")))
    ways = (WayToEnd("wiped", "any", "played", steps, OPENER), WayToEnd("gave_up", "any", "played", steps, OPENER))
    table.dialogue.on_view(table.dialogue.table.view.replace(form=Form("warlords-of-terra", ways)), table.now_ms)
    table.presses("ana")
    assert table.says == "How did it end? | ► wiped out |    gave up | ▲▼   ● OK"
    table.presses("▼ ana ▲ ana")
    assert table.says == "Who began? | ► first |    second | ▲▼   ● OK"
    table.presses("▼ ana")
    assert table.says.startswith("Who began? second | ● Ana R. 4")
    table.presses("ana")
    said = replace(score(4, 0, "played", winner="a"), timeout={"began": "second"})
    assert table.reports == [("a", said)]


def test_a_report_names_the_match_its_side_and_the_revision_it_saw():
    table = Table()
    table.hub_says(revision=3)
    table.presses("ana ana")
    assert table.effects == [SendReport("3.7", "a", 3, score(100, 0))]
