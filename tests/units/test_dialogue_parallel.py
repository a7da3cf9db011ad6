"""Both enter their own at once: own buttons step and count, ▲▼ act for whoever pressed an own button last."""

from tableplay import Table

from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.registry import rulebook

BOOK = rulebook("shatterpoint-premier")
PICKS = {"a": [1, 3], "b": [2, 4]}
FIELDED = "ana ▲ ana ana ▲▲ bruno bruno ▲ bruno bruno ▲▲"


def hall(fielded: bool = True, **kind) -> Table:
    table = Table(book=BOOK, **kind)
    if fielded:
        table.presses(FIELDED)
    return table


def part(table: Table, side: str) -> str:
    return table.scene.of(side).all_text()


def test_squads_are_stepped_to_and_marked_each_on_the_own_half():
    table = hall(fielded=False)
    assert "● squads" in table.says
    table.presses("ana")
    assert part(table, "a") == "● Ana R. | Squads | ►A B C D | ● →  ▲✓ ▼✗"
    table.presses("▲ ana ana")
    assert part(table, "a") == "● Ana R. | Squads | [A] B ►C D | ● →  ▲✓ ▼✗"
    table.presses("▲")
    assert part(table, "a") == "● Ana R. | Squads | [A] B ►[C] D | ● →  ▲ OK  ▼−"
    table.presses("▲")
    assert table.kind == "idle"


def test_the_arrows_act_for_who_pressed_an_own_button_last_and_stand_only_there():
    table = hall(fielded=False)
    table.presses("ana bruno")
    assert "▲" not in part(table, "a")
    assert part(table, "b").endswith("■ →  ▲✓ ▼✗")
    table.presses("▲ ana ▲")
    assert "[A]" in part(table, "b")
    assert "A ►[B] C D" in part(table, "a")


def test_squads_fielded_before_are_ticked_and_those_that_must_play_are_named():
    table = hall(fielded=False)
    table.hub_says(to_field={"a": [3, 4], "b": [1, 2, 4]}, must={"a": True}, rounds_left=0)
    table.presses("bruno ana")
    assert part(table, "a") == "C D must still play, 1 round left | ►A✓ B✓ C D | ● →  ▲✓ ▼✗"
    assert part(table, "b") == "■ Bruno M. | Squads | ►A B C✓ D | ■ →"


def test_a_mark_is_taken_back():
    table = hall(fielded=False)
    table.presses("ana ▲ ▼ ana ▲")
    assert "A ►[B] C D" in part(table, "a")


def test_the_squads_are_kept_until_the_end_and_everything_is_reported_by_both():
    table = hall()
    table.presses("ana ana ana ▲")
    assert part(table, "a") == "● Ana R. | Wounds inflicted | 0 | ● +1, hold +10"
    table.presses("ana… ana ana ana ana ▲")
    assert part(table, "a").startswith("● Ana R. | waiting | 2 | 14")
    table.presses("bruno bruno ▲ " + "bruno " * 9 + "▲")
    assert table.kind == "sum"
    assert part(table, "a") == "● Ana R. | Ana R. won  AC:BD | 2:1 | 14:9 | ● OK"
    assert part(table, "b") == "■ Bruno M. | Ana R. won  BD:AC | 1:2 | 9:14 | ■ OK  ▼ back"
    table.presses("ana")
    assert part(table, "a").endswith("| ✓  ▼ back")
    assert table.reports == []
    table.presses("bruno")
    said = Result(score=SidePair(2, 1), wounds=SidePair(14, 9), picks=PICKS)
    assert table.reports == [("a", said), ("b", said)]
    assert table.kind == "sending"


def test_both_enter_at_the_same_time():
    table = hall()
    table.presses("ana bruno ana bruno ana ▲ bruno bruno ▲ ana bruno ▲ ana ▲")
    # Bruno stepped to 1, 2 and back to 0.
    assert part(table, "a").startswith("● Ana R. | Ana R. won  AC:BD | 2:0 | 2:1")


def test_the_arrow_down_takes_back_one_and_then_a_page():
    table = hall()
    table.presses("ana ana ▲ ana ana ▼")
    assert part(table, "a").startswith("● Ana R. | Wounds inflicted | 1")
    table.presses("▼ ▼")
    assert part(table, "a").startswith("● Ana R. | Struggles won | 1")


def test_from_the_sum_one_goes_through_the_own_pages_again_and_both_agree_anew():
    table = hall()
    table.presses("ana ana ana ▲▲ bruno ▲▲ ana ▼")
    assert part(table, "a").startswith("● Ana R. | Squads | [A] B ►[C] D")
    table.presses("▲▲ ana ▲ bruno")
    assert table.reports == []
    table.presses("ana")
    assert table.reports[0][1] == Result(score=SidePair(2, 0), wounds=SidePair(1, 0), picks=PICKS)


def test_a_squad_marked_wrongly_is_mended_from_the_sum():
    table = hall()
    table.presses("ana ana ana ▲▲ bruno ▲▲ bruno ▼ ▼ ana bruno bruno bruno ▲▲▲▲ ana bruno")
    assert table.reports[0][1].picks == {"a": [1, 3], "b": [2, 3]}


def test_conceding_is_the_arrow_down_on_the_first_page_and_the_own_button():
    table = hall()
    table.presses("ana ▼")
    assert part(table, "a") == "● Ana R. | Concede? | ● yes   ▼ no"
    table.presses("ana ana ▲ ▲ bruno bruno ▲ ▲")
    assert part(table, "b").startswith("■ Bruno M. | Bruno M. won  ●\u00a0conceded  BD:AC | 2:1 | 3:0")
    table.presses("bruno ana")
    said = Result(ended="concession", conceded_by="a", score=SidePair(1, 1), wounds=SidePair(0, 0), picks=PICKS)
    assert table.reports[1] == ("b", said)


def test_not_conceding_after_all_closes_the_page():
    table = hall()
    table.presses("ana ▼ ▼")
    assert table.kind == "idle"


def test_conceding_is_answered_only_by_whom_the_arrows_serve():
    """Seen by the monkey: "▼ no" stood on one half while ▼ took back the other's figure, and the own button, the
    only one left, said yes."""
    table = hall()
    table.presses("ana ▼ bruno")
    assert part(table, "a") == "● Ana R. | Concede? | ● →"
    assert part(table, "b").endswith("■ +1  ▲ OK  ▼ concede")
    table.presses("bruno ▼")
    assert part(table, "b").startswith("■ Bruno M. | Struggles won | 0")
    table.presses("ana")
    assert part(table, "a") == "● Ana R. | Concede? | ● yes   ▼ no"
    table.presses("▼ ana ana ana ▲▲ bruno ▲▲ ana bruno")
    assert table.reports[0][1] == Result(score=SidePair(2, 1), wounds=SidePair(0, 0), picks=PICKS)


def test_at_time_objectives_decide_the_struggle_in_progress():
    table = hall(clock_ms=-1000)
    table.presses("ana ana ▲")
    assert part(table, "a").startswith("● Ana R. | Struggle won now | 0")
    table.presses("▲")
    assert part(table, "a").startswith("● Ana R. | Objectives held | 0")
    table.presses("ana ▲▲ bruno bruno ▲▲ bruno bruno ▲▲")
    told = "Bruno M. won  struggle\u00a00:0  objectives\u00a01:2  AC:BD"
    assert part(table, "a").startswith(f"● Ana R. | {told} | 1:2 | 0:0")
    table.presses("ana bruno")
    timeout = {
        "score": {"a": 1, "b": 1},
        "struggle": {"a": 0, "b": 0},
        "objectives": {"a": 1, "b": 2},
        "decided_by": "struggles",
    }
    said = Result(ended="time", score=SidePair(1, 2), wounds=SidePair(0, 0), picks=PICKS, timeout=timeout)
    assert table.reports == [("a", said), ("b", said)]


def test_at_time_who_won_the_struggle_of_this_turn_has_it_and_nobody_counts_objectives():
    table = hall(clock_ms=-1000)
    table.presses("ana ana ▲ ana ▲")
    assert part(table, "a").startswith("● Ana R. | Wounds inflicted | 0")
    table.presses("▲ bruno bruno ▲▲")
    # Ana has won it: Bruno is not asked for objectives.
    assert part(table, "b").startswith("■ Bruno M. | Wounds inflicted | 0")
    table.presses("▲ ana bruno")
    told = {"score": {"a": 1, "b": 1}, "struggle": {"a": 1, "b": 0}, "decided_by": "struggles"}
    assert table.reports[0][1] == Result(
        ended="time", score=SidePair(2, 1), wounds=SidePair(0, 0), picks=PICKS, timeout=told
    )


def test_who_skipped_objectives_is_asked_for_them_when_nobody_won_the_struggle_after_all():
    table = hall(clock_ms=-1000)
    table.presses("ana ana ▲ ana ▲▲ bruno bruno ▲▲▲")
    assert table.kind == "sum"
    table.presses("ana ▼ ▲▲ ▼ ▲")
    assert part(table, "a").startswith("● Ana R. | Objectives held | 0")
    table.presses("▲▲")
    # Bruno had said wounds, but no objectives: nothing stands in the result that he was not asked.
    assert part(table, "b").startswith("■ Bruno M. | Objectives held | 0")


def test_both_cannot_have_won_the_struggle_of_this_turn():
    table = hall(clock_ms=-1000)
    table.presses("ana ana ▲ ana ▲▲ bruno bruno ▲ bruno ▲▲ ana bruno")
    assert table.kind == "impossible"
    assert table.reports == []


def test_before_time_a_game_that_nobody_has_won_is_not_taken():
    """Agreeing on nothing takes four presses, and is no draw."""
    table = hall()
    table.presses("ana ▲▲ bruno ▲▲ ana bruno")
    assert table.kind == "impossible"
    assert table.reports == []


def test_letting_a_squad_go_that_can_never_be_played_again_is_asked():
    table = hall(fielded=False)
    table.hub_says(to_field={"a": [3, 4], "b": [1]}, must={"a": True}, rounds_left=0)
    table.presses("ana ▲ ana ▲▲")
    assert part(table, "a") == ("Never play C D? | [A]✓ ►[B]✓ C D | ▲ yes  ▼ no")
    table.presses("▼ ana ana ▲▲")
    # A and D: C is still let go.
    assert part(table, "a").startswith("Never play C?")
    table.presses("▲")
    assert table.kind == "idle"
    # Bruno plays the one that he owes: nothing is asked.
    table.presses("bruno ▲ bruno ▲▲")
    assert table.kind == "idle"


def test_with_a_round_to_come_nothing_is_let_go():
    table = hall(fielded=False)
    table.hub_says(to_field={"a": [3, 4]}, rounds_left=1)
    table.presses("ana ▲ ana ▲▲")
    assert table.kind == "idle"


def test_two_struggles_ended_the_game_whatever_the_clock_says():
    table = hall(clock_ms=-1000)
    table.presses("ana ana ana ▲")
    assert part(table, "a").startswith("● Ana R. | Wounds inflicted")
    table.presses("▲ bruno ▲ ▲ ana bruno")
    assert table.reports[0][1] == Result(score=SidePair(2, 0), wounds=SidePair(0, 0), picks=PICKS)


def test_two_struggles_each_are_refused_and_nothing_is_lost():
    table = hall()
    table.presses("ana ana ana ▲▲ bruno bruno bruno ▲▲ ana bruno")
    assert table.kind == "impossible"
    table.presses("ana")
    assert part(table, "b").startswith("■ Bruno M. | Draw  BD:AC | 2:2 | 0:0")
    assert "✓" not in table.says


def test_who_is_done_waits_beside_the_other_s_clock():
    table = hall()
    table.presses("ana ▲▲")
    assert part(table, "b") == "■ Bruno M. | 30:00 | ■ enter"


def test_a_correction_starts_from_what_was_agreed():
    table = hall()
    table.presses("ana ana ana ▲▲ bruno ▲▲ ana bruno")
    said = table.reports[0][1]
    table.hub_says(state="agreed", a=said, b=said, result=said, number=7)
    table.hub_saves(6, 0)
    table.hub_saves(7, 1)
    table.wait(20_000)
    table.presses("ana")
    assert part(table, "a") == "● Ana R. | Ana R. won  AC:BD | 2:0 | 0:0 | ● OK  ▼ back"
    table.presses("▼ ▲▲ ana… ▲ ana bruno")
    assert table.reports[2][1] == Result(score=SidePair(2, 0), wounds=SidePair(10, 0), picks=PICKS)
    assert [side for side, _ in table.reports] == ["a", "b", "a", "b"]


def test_a_correction_that_changes_nothing_is_left_by_agreeing_again():
    table = hall()
    said = Result(score=SidePair(2, 1), wounds=SidePair(3, 4), picks=PICKS)
    table.hub_says(state="agreed", a=said, b=said, result=said, number=7)
    table.wait(20_000)
    table.presses("bruno ana bruno")
    assert table.reports == []
    assert table.kind == "done"


def test_a_page_of_squads_left_open_does_not_hide_that_time_was_called():
    table = hall(fielded=False)
    table.presses("ana ▲ ana ▲▲ bruno")
    table.clock_ms = -1000
    table.presses("ana ana ▲")
    assert part(table, "a").startswith("● Ana R. | Struggle won now")


def test_a_report_from_a_phone_is_asked_here_with_its_wounds():
    table = hall()
    table.hub_says(state="one-sided", a=Result(score=SidePair(2, 1), wounds=SidePair(14, 9), picks=PICKS))
    assert table.says == "Ana R. won 2:1. Right? | BD:AC  wounds\u00a09:14 | ■ yes   ▼ no"
    table.presses("▼ ▲")
    assert part(table, "b").startswith("■ Bruno M. | Ana R. won  BD:AC | 1:2 | 9:14")


def test_a_yes_to_a_phone_that_said_its_own_squads_asks_the_own_ones():
    table = hall(fielded=False)
    table.hub_says(state="one-sided", a=Result(score=SidePair(2, 1), wounds=SidePair(14, 9), picks={"a": [1, 3]}))
    table.presses("bruno")
    assert table.reports == []
    assert "Squads | ►A B C D" in part(table, "b")
    table.presses("bruno ▲ bruno bruno ▲▲")
    assert table.reports == []
    table.presses("▲▲")
    assert table.kind == "sum"
    table.presses("ana bruno")
    whole = Result(score=SidePair(2, 1), wounds=SidePair(14, 9), picks={"a": [1, 3], "b": [2, 4]})
    assert [(side, result) for side, result in table.reports] == [("a", whole), ("b", whole)]
