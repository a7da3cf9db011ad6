"""The lot for the first player, games of a match noted here, and the report after the last of them."""

import pytest
from tableplay import Table

from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.registry import rulebook

KEYFORGE, WARLORDS = rulebook("keyforge-archon"), rulebook("warlords-of-terra")
THREE = {"stages": {"swiss": {"best_of": 3}}}


def one(**kind) -> Table:
    return Table(book=KEYFORGE, **kind)


def three(**kind) -> Table:
    return Table(book=KEYFORGE, options=THREE, **kind)


def test_a_win_is_the_winner_s_button_and_the_loser_s():
    table = one()
    table.presses("ana")
    assert table.says == "Ana R. won 1:0. Right? | ■ Bruno M. 0 | 1 Ana R. ● | ■ yes   ▼ no"
    table.presses("bruno")
    assert table.reports == [("a", Result(score=SidePair(1, 0))), ("b", Result(score=SidePair(1, 0)))]


def test_the_first_player_is_drawn_once_and_becomes_part_of_the_result():
    table = one(lot="b")
    assert "▲ who starts?" in table.says
    table.presses("▲")
    assert table.says == "Starts, by draw: | ■ Bruno M. | press: next"
    table.presses("▲")
    assert "■ starts" in table.says
    table.dialogue.table.chance = lambda: pytest.fail("drawn twice")
    table.presses("▲ ana bruno")
    assert table.reports[1] == ("b", Result(score=SidePair(1, 0), first_player="b"))


def test_who_began_by_lot_is_not_asked_again_at_time():
    table = one(lot="a")
    table.presses("▲ ▲")
    table.clock_ms = -1000
    table.presses("bruno")
    table.wait(2000)
    table.presses("bruno bruno ana")
    for _ in range(10):
        table.presses("bruno")
    assert table.says.startswith("first player | ■ Bruno M. 0 | 1 Ana R. ●")


def test_where_nobody_knows_who_began_a_lot_says_it_and_is_told_as_one():
    table = one()
    table.clock_ms = -1000
    table.presses("bruno")
    table.wait(2000)
    table.presses("bruno bruno ana")
    for _ in range(10):
        table.presses("bruno")
    assert table.says.startswith("Who was first player? | ► ● Ana R. |    ■ Bruno M. |    unknown: draw at random")
    table.presses("▼▼ bruno")
    assert table.says.startswith("Random draw: who wins?")
    table.presses("ana ▼▼ bruno")
    assert table.says.endswith("▲ draw at random")
    table.presses("▲")
    assert table.says == "Wins, by draw: | ■ Bruno M. | press: next"
    assert table.statuses[-1].lot == ("first_player_lot", "b")
    table.presses("bruno")
    assert table.says.startswith("first player | ■ Bruno M. 1 | 0 Ana R. ●")
    # Going back asks nobody again: what was drawn stands.
    table.presses("ana")
    assert table.says.startswith("Who was first player?")
    table.presses("▼▼ bruno")
    assert table.says.startswith("first player | ■ Bruno M. 1 | 0 Ana R. ●")
    table.presses("bruno ana")
    said = table.reports[1][1]
    assert (said.winner, said.first_player, said.timeout["first_player_by"]) == ("b", "b", "lot")


def test_the_lot_is_the_hub_s_and_stands_through_a_restart_and_a_game_taken_back():
    table = three(lot="a")
    table.presses("▲ ▲")
    assert table.dialogue.table.lots == {"first_player": "a"}
    assert [effect.lot for effect in table.statuses][-1] == ("first_player", "a")
    table.hub_says(lots={"first_player": "a"})
    assert table.statuses[-1].lot is None
    # Another unit, or this one started anew, is told by the hub; it draws no other.
    anew = three(lot="b")
    anew.hub_says(lots={"first_player": "a"})
    anew.presses("▲")
    assert "● starts" in anew.says
    # A game noted and taken back: game 1 is begun by whom the lot has named.
    anew.presses("ana bruno")
    anew.presses("ana")
    assert anew.dialogue.table.first_player == "a"
    anew.presses("▼… ▼▼▼ ana ana")
    assert anew.dialogue.table.games == []
    assert anew.dialogue.table.first_player == "a"


def test_whose_list_costs_less_chooses_initiative_and_equal_ones_draw():
    table = Table(lot="b")
    table.hub_says(initiative="a")
    assert "● chooses initiative" in table.says
    table.hub_says(initiative="lot")
    assert "▲ draw initiative" in table.says
    table.presses("▲")
    assert table.says.startswith("Chooses initiative: | ■ Bruno M.")
    assert table.statuses[-1].lot == ("initiative", "b")
    table.presses("▲")
    table.hub_says(initiative="b", lots={"initiative": "b"})
    assert "■ chooses initiative" in table.says


def test_the_lot_is_also_drawn_while_the_other_is_still_looking_for_the_table():
    table = one(lot="a", seated=False)
    table.hub_says(clock="idle")
    table.presses("ana ▲ ▲")
    assert "● starts" in table.says


def test_no_lot_where_nobody_wants_to_know():
    table = Table()
    table.presses("▲")
    assert table.kind == "idle"
    assert "who starts" not in table.says


def test_a_game_of_three_is_agreed_and_noted_here_only():
    table = three()
    table.presses("ana")
    assert table.says == "Ana R. won game 1. Right? | ■ Bruno M. 0 | 1 Ana R. ● | ■ yes   ▼ no"
    table.presses("bruno")
    assert table.says == "NOTED 0:1 | ■ Bruno M. | chooses who starts | ● or ■"
    assert table.reports == []
    table.presses("bruno")
    assert "1:0  ■ starts" in table.says


def test_the_second_win_is_reported_with_all_games_and_the_last_first_player():
    table = three()
    table.presses("ana bruno bruno  bruno ana ana  ana bruno")
    said = Result(score=SidePair(2, 1), first_player="a")
    assert table.reports == [("a", said), ("b", said)]


def test_two_to_nothing_takes_five_presses():
    table = three()
    table.presses("bruno ana ana bruno ana")
    assert table.reports[1] == ("a", Result(score=SidePair(0, 2), first_player="a"))


@pytest.mark.parametrize("press", ["ana", "▼"])
def test_a_game_claimed_by_mistake_is_taken_back(press):
    table = three()
    table.presses(f"ana {press}")
    assert table.kind == "idle"
    assert table.dialogue.table.games == []


def test_a_noted_game_is_taken_back_behind_the_arrow_held():
    table = three()
    table.presses("ana bruno bruno ▼… ▲▲")
    assert "► undo game 1" in table.says
    table.presses("ana")
    assert table.says.startswith("Last game removed")
    table.presses("ana")
    assert table.dialogue.table.games == []


def test_the_games_so_far_are_offered_at_time():
    table = three()
    table.presses("bruno ana ana")
    table.clock_ms = -1000
    table.presses("ana")
    assert table.says.startswith("Games won | ● Ana R. 0 | 1 Bruno M. ■")
    table.presses("ana ana")
    assert table.says == "games won | ● Ana R. 0 | 1 Bruno M. ■ | decides | ● OK"
    table.presses("ana bruno")
    assert table.reports[1][1].winner == "b"


def test_level_games_ask_whether_the_third_had_begun_and_else_for_a_lot():
    table = three()
    table.presses("bruno ana ana ana bruno bruno")
    table.clock_ms = -1000
    table.presses("ana ana ana")
    assert table.says == "Game 3 begun? | ► yes |    no | ▲▼   ● OK"
    table.presses("▼ ana")
    assert table.says.startswith("Random draw: who wins?")
    table.presses("▲ ana")
    assert table.says.startswith("random draw | ● Ana R. 1 | 2 Bruno M. ■")


def test_a_unit_that_forgot_the_games_takes_the_whole_match_from_the_list():
    table = three()
    table.presses("▼… ana ▲ ana bruno")
    assert table.reports[1] == ("b", Result(score=SidePair(2, 1)))


def test_a_match_without_figures_reports_who_won_two_games():
    table = Table(book=WARLORDS, options=THREE)
    table.presses("ana bruno")
    assert "NOTED 1:0" in table.says
    table.presses("ana bruno")
    assert table.reports[1] == ("b", Result(winner="a"))


def test_noted_games_that_a_new_match_ends_are_not_lost_without_a_word():
    table = three()
    table.presses("ana bruno bruno")
    table.hub_says(match="4.1")
    assert table.says.startswith("Discarded")


def test_games_noted_for_one_match_are_not_those_of_the_next():
    table = three()
    table.presses("ana bruno bruno")
    table.hub_says(match="4.1", clock="idle")
    table.presses("ana ana bruno")
    table.hub_says(clock="running")
    table.presses("ana")
    assert table.says.startswith("Ana R. won game 1. Right?")
    table.presses("bruno")
    assert table.says.startswith("NOTED 0:1")
    assert table.reports == []


def test_games_noted_for_a_match_that_is_taken_away_are_not_there_for_the_next_nor_if_it_comes_again():
    for following in ("3.7", "4.1"):
        table = three()
        table.presses("ana bruno bruno")
        assert "1:0" in table.says
        table.hub_says(match=None)
        table.hub_says(match=following)
        table.presses("ana")
        assert "who starts?" in table.says
        assert table.dialogue.table.games == []
