"""After time: whose turn it is, each press ends one, held it says "I have won"; both buttons at once: a draw."""

from tableplay import Table

from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import rulebook

WARLORDS, KEYFORGE = rulebook("warlords-of-terra"), rulebook("keyforge-archon")


def warlords(**kind) -> Table:
    return Table(book=WARLORDS, clock_ms=-1000, **kind)


def keyforge(**kind) -> Table:
    return Table(book=KEYFORGE, clock_ms=-1000, **kind)


def whose_turn(table: Table, presses: str) -> Table:
    """Somebody opens; a while later the question is answered."""
    table.presses(presses.split()[0])
    table.wait(3000)
    return table.presses(" ".join(presses.split()[1:]))


def test_the_active_player_and_three_more_turns():
    table = warlords()
    whose_turn(table, "ana bruno")
    assert table.says == "4 turns left | ■ Bruno M. | ■ turn is over | hold ● ■: I have won"
    assert table.scene.turn == "b"
    table.presses("bruno")
    assert table.says.startswith("3 turns left | ● Ana R.")
    table.presses("ana bruno")
    assert table.says.startswith("Last turn | ● Ana R.")
    table.presses("ana")
    assert table.says.startswith("● Ana R. 20+ | 20+ Bruno M. ■ | 1:1 SCORE 0:0")


def test_no_winner_after_the_turns_is_a_draw_with_the_lives_as_they_stand():
    table = warlords()
    whose_turn(table, "ana ana ana bruno ana bruno ▼ ana ana ana")
    assert table.says.startswith("Draw | ● Ana R. 10 | 20 Bruno M. ■ | 1:1 SCORE -10:10")
    table.presses("ana")
    assert table.says.startswith("Draw 20:10. Right?")
    table.presses("bruno")
    assert table.reports[1] == (
        "b",
        Result(ended="time", winner="draw", score=SidePair(10, 20), timeout={"active": "a"}),
    )


def test_the_other_s_button_takes_a_turn_back_and_then_asks_again_whose_it_is():
    table = warlords()
    whose_turn(table, "ana ana ana ana")
    assert table.says.startswith("4 turns left | ● Ana R.")
    table.presses("bruno")
    assert table.says.startswith("Whose turn?")


def test_an_own_button_held_has_won_in_anybody_s_turn():
    table = keyforge()
    whose_turn(table, "ana ana bruno…")
    assert table.says == "last turns | ● Ana R. 0 | 1 Bruno M. ■ | decides | ● OK"
    table.presses("ana bruno")
    timeout = {"active": "a", "turns": "b", "decided_by": "last_turns"}
    assert table.reports[1] == ("b", Result(ended="time", winner="b", score=SidePair(0, 1), timeout=timeout))


def test_both_buttons_at_once_mean_nothing_while_a_question_is_open():
    table = warlords()
    table.presses("ana")
    table.gesture("tap", "b", after_ms=100)
    assert table.says.startswith("Whose turn?")


def test_a_moment_later_the_other_s_button_answers_whose_turn_it_is_and_no_draw_comes_of_it():
    table = warlords()
    table.presses("ana")
    table.gesture("tap", "b", after_ms=450)
    assert table.says.startswith("4 turns left | ■ Bruno M.")


def test_a_draw_that_both_agree_to_at_time_is_found_behind_the_arrow_held():
    table = warlords()
    table.presses("▼… ▲ ▲ ▲")
    assert "► Draw" in table.says
    table.presses("ana ▼ ana ana ana bruno")
    assert table.reports[1] == ("b", Result(ended="time", winner="draw", score=SidePair(10, 20)))


def test_seen_a_draw_of_20_to_20_saved_with_no_turn_played_and_no_life_asked():
    """● , "whose turn?" ■, ● again: the turns are still open, and nothing is reported."""
    table = warlords()
    whose_turn(table, "ana bruno ana ana bruno")
    assert table.reports == []


def test_seen_all_five_steps_skipped_by_one_press_because_the_first_player_was_known():
    table = Table(book=KEYFORGE, lot="a")
    table.presses("▲ ▲")
    table.clock_ms = -1000
    whose_turn(table, "ana bruno ana bruno ana")
    assert table.reports == []


def test_who_has_lost_in_the_last_turns_starts_at_no_life_and_says_so():
    table = warlords()
    whose_turn(table, "ana bruno bruno…")
    assert (table.scene.left.figure, table.scene.right.figure) == ("≤0", "20+")
    assert (table.scene.left.unset, table.scene.right.unset) == (True, True)
    table.presses("ana")
    assert (table.scene.left.unset, table.scene.right.unset) == (False, True)


def test_in_elimination_there_is_no_time_to_draw_at():
    table = warlords(situation=MatchSituation("elimination"))
    table.presses("ana bruno")
    assert table.kind == "idle"


def test_the_worked_example_goes_on_to_the_potential_and_names_it():
    """KeyForge: keys 1/2, æmber 9/3, forged 2/2 and 3/3, potential 8 against 7: the first named wins."""
    table = keyforge()
    whose_turn(table, "ana ana ana bruno ▲ ana ▲▲ ana")
    assert table.says.startswith("Æmber | ● Ana R. 0 | 0 Bruno M. ■")
    table.presses("ana… ▼ ana ana… ▲▲▲ ana")
    assert table.says.startswith("● House chosen | ► Brobnar |    Dis |    Logos")
    table.presses("ana")
    assert table.says.startswith("■ House chosen")
    table.presses("▼▼▼ ana")
    assert table.says.startswith("Creatures of the house")
    table.presses("ana… ▲▲▲▲▲ ana ana… ▲▲▲▲ ana ana… ▲▲▲ ana ana… ▲▲▲ ana")
    assert table.says == "potential æmber | ● Ana R. 1 | 0 Bruno M. ■ | decides | ● OK"
    table.presses("ana")
    assert table.says.startswith("Ana R. won 1:0. Right? | keys\u00a02:1  æmber\u00a03:9")
    assert "potential\u00a0æmber" in table.says
    table.presses("bruno")
    assert table.reports[1][1].timeout["house"] == {"a": "Brobnar", "b": "Mars"}


def test_more_keys_after_forging_ask_for_nothing_further():
    table = keyforge()
    whose_turn(table, "ana ana ana bruno ▲▲ ana ana ana ana")
    assert table.says.startswith("forged keys | ● Ana R. 1 | 0 Bruno M. ■")
    assert len(table.reports) == 0


def test_back_from_the_keys_is_the_last_turn():
    table = keyforge()
    whose_turn(table, "ana ana ana bruno bruno")
    assert table.says.startswith("Last turn | ■ Bruno M.")
