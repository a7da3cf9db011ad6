"""Agreeing: yes, no, editing, and two versions that stand against each other."""

from tableplay import Table, score


def test_the_other_is_asked_from_their_own_side():
    table = Table()
    table.presses("ana ▲▲ ana ▲▲▲▲ ana")
    assert table.scene.turn == "b"
    assert table.says == "Ana R. won 100:24. Right? | ■ Bruno M. 24 | 100 Ana R. ● | MoV 24:176 | ■ yes   ▼ no"


def test_from_the_edge_the_figures_keep_their_sides():
    table = Table(facing="edge")
    table.presses("ana ▲▲ ana ▲▲▲▲ ana")
    assert table.scene.turn == "b"
    assert table.says == "Ana R. won 100:24. Right? | ● Ana R. 100 | 24 Bruno M. ■ | MoV 176:24 | ■ yes   ▼ no"


def test_no_leads_to_a_version_of_ones_own_and_both_are_kept():
    table = Table()
    table.presses("ana ▲▲ ana ana ▼")
    assert table.says == "Which one? | ▲ enter yours | ▼ call a judge | ■ back"
    table.presses("▲")
    assert table.says == "Who won? | ● Ana R. | ■ Bruno M. | ● or ■"
    table.presses("ana")
    assert table.scene.turn == "b"
    assert table.says.startswith("■ Bruno M. 20 | 100 Ana R. ●")  # Ana's figure is where he begins
    table.presses("▲▲ bruno bruno")
    assert table.reports == [("a", score(100, 20)), ("b", score(100, 40))]
    assert table.scene.turn == "a"
    assert table.says.startswith("Ana R. won 100:40. Right? | ● Ana R. 100 | 40 Bruno M. ■")
    table.presses("ana")
    assert table.reports[2] == ("a", score(100, 40))
    assert table.kind == "sending"


def test_somebody_else_may_have_won_in_ones_own_version():
    table = Table()
    table.presses("ana ana ▼ ▲ bruno bruno")
    assert table.reports == [("a", score(100, 0)), ("b", score(0, 100))]


def test_no_and_down_again_calls_a_judge_and_keeps_the_question():
    table = Table()
    table.presses("ana ana ▼ ▼")
    assert table.status.call
    assert "JUDGE CALLED" in table.says
    table.presses("ana")  # look behind
    assert table.says.startswith("Ana R. won 100:0. Right?")


def test_who_reported_may_look_at_it_again_before_the_other_agrees():
    table = Table()
    table.presses("ana ▲▲ ana ana")
    table.presses("ana")
    assert table.says.startswith("● Ana R. 100 | 20 Bruno M.")
    table.presses("▲ ana ana bruno")
    assert table.reports == [("a", score(100, 20)), ("a", score(100, 30)), ("b", score(100, 30))]


def test_the_same_once_more_is_not_reported_twice():
    table = Table()
    table.presses("ana ana ana ana")
    assert table.reports == [("a", score(100, 0))]
    assert table.kind == "ask"


def test_a_dispute_seen_after_a_restart_lets_either_take_up_the_others_version():
    table = Table()
    table.hub_says(state="dispute", a=score(100, 24), b=score(100, 48))
    assert table.says == "DISPUTE | ● Ana R.  100:24 | ■ Bruno M.  100:48 | ● ■ check"
    table.presses("ana")
    assert table.says.startswith("Ana R. won 100:48. Right? | ● Ana R. 100 | 48 Bruno M. ■")
    table.presses("ana")
    assert table.reports == [("a", score(100, 48))]


def test_a_report_from_a_phone_asks_here():
    table = Table()
    table.hub_says(state="one-sided", b=score(30, 100))
    assert table.says.startswith("Bruno M. won 100:30. Right? | ● Ana R. 30 | 100 Bruno M. ■")


def test_what_one_phone_said_for_both_is_asked_again_at_the_table():
    """The hub calls it a dispute though both say the same: whoever sits here says whether it is right."""
    table = Table()
    said = score(24, 100)
    table.hub_says(state="dispute", a=said, b=said, last="a")
    assert table.kind == "dispute"
    table.presses("ana")
    assert table.says.startswith("Bruno M. won 100:24. Right?")
    table.presses("ana")
    assert table.reports == [("a", said)]
