"""How a game can end: the list of ways, the way that begins at once, and the others behind ▼ held."""

import pytest
from tableplay import Table

from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import rulebook

EPIC, WARLORDS, KEYFORGE = rulebook("xwing-epic-duel"), rulebook("warlords-of-terra"), rulebook("keyforge-archon")
LISTS = MatchSituation(totals=(290, 300))
CUT = MatchSituation("elimination", (290, 300))


def epic(clock_ms: int = 60_000, situation: MatchSituation = LISTS) -> Table:
    return Table(book=EPIC, situation=situation, clock_ms=clock_ms)


def warlords(clock_ms: int = 60_000, **kind) -> Table:
    return Table(book=WARLORDS, clock_ms=clock_ms, **kind)


def test_several_ways_are_a_list_for_who_opens():
    table = epic()
    table.presses("ana")
    assert table.says == "How did it end? | ► All destroyed |    Bruno M. conceded |    Both destroyed | ▲▼   ● OK"


def test_the_winner_s_figure_starts_at_what_the_other_s_list_costs():
    table = epic()
    table.presses("ana ana")
    assert table.says.startswith("● Ana R. 300 | 0 Bruno M. ■ | 5:0 MoV 600:0")
    table.presses("bruno bruno")
    table.presses("bruno bruno")
    assert table.says.startswith("■ Bruno M. 290 | 0 Ana R. ●")


def test_wiped_out_to_nothing_takes_four_presses():
    """What a list costs is known: nobody is asked for it, so nobody says 10 of 300."""
    table = epic()
    table.presses("ana ana ana bruno")
    said = Result(winner="a", score=SidePair(300, 0))
    assert table.reports == [("a", said), ("b", said)]


def test_points_in_three_wheels():
    table = epic(clock_ms=-1000)
    table.presses("ana ana ▲ ana ▲▲▲▲▲ ana ▲▲▲ ana")
    assert table.says.startswith("● Ana R. 153 | 0 Bruno M. ■ | 5:0 MoV 453:147")
    table.presses("▲ ana ▲▲ ana ▲▲▲▲")
    assert "124 Bruno M. ■ | 5:0 MoV 329:271" in table.says
    table.presses("ana bruno")
    assert table.reports[1] == ("b", Result(ended="time", score=SidePair(153, 124)))


def test_both_destroyed_is_a_draw_and_the_other_is_asked_so():
    table = epic()
    table.presses("ana ▼▼ ana")
    assert table.says.startswith("Draw | ● Ana R. 300 | 290 Bruno M. ■ | 1:1 MoV")
    table.presses("ana")
    assert table.says.startswith("Draw 290:300. Right? | ■ Bruno M. 290 | 300 Ana R. ●")
    table.presses("bruno")
    assert table.reports[1] == ("b", Result(winner="draw", score=SidePair(300, 290)))


def test_a_draw_in_elimination_asks_who_had_initiative():
    table = epic(situation=CUT)
    table.presses("ana ▼▼ ana")
    assert table.says.startswith("Who had initiative? | ● Ana R. 300")
    table.presses("bruno")
    assert table.says.startswith("initiative ■ |")
    table.presses("ana")
    assert "initiative ■" in table.says
    table.presses("bruno")
    assert table.reports[1][1].initiative == "b"


def test_a_conceded_game_says_who_conceded():
    table = epic()
    table.presses("ana ▼ ana ana")
    assert table.says == (
        "Ana R. won 300:0. Right? | ■ Bruno M. 0 | 300 Ana R. ● | 0:5 MoV 0:600 | ■ conceded | ■ yes   ▼ no"
    )


def test_back_from_the_first_figure_is_the_list_again():
    table = epic()
    table.presses("ana ▼ ana bruno")
    assert table.kind == "way"
    table.presses("bruno")
    assert table.kind == "idle"


def test_20_to_0_takes_three_presses():
    table = warlords()
    table.presses("ana")
    assert table.says == "● Ana R. 20+ | ≤0 Bruno M. ■ | 3:0 SCORE 20:-20 | ● OK  hold ▼: more"
    table.presses("ana bruno")
    said = Result(winner="a", score=SidePair(20, 0))
    assert table.reports == [("a", said), ("b", said)]


def test_the_arrow_held_first_shows_the_other_endings():
    table = warlords()
    table.presses("ana ▼…")
    assert (
        table.says == "How did it end? | ► Cards/foreign realm |    Bruno M. conceded |    Both at 0 life | ▲▼   ● OK"
    )
    table.presses("ana")
    assert table.says.startswith("Reason for the loss")
    table.presses("ana ▼ ana ana ▼ ana ana")
    assert table.reports == [("a", Result(winner="a", score=SidePair(10, 10), timeout={"reason": "no_card"}))]


def test_a_card_of_a_foreign_realm_loses_the_game_at_any_life():
    """A 7.3."""
    table = warlords()
    table.presses("ana ▼… ana ▼ ana ana ana bruno")
    said = Result(winner="a", score=SidePair(20, 20), timeout={"reason": "foreign_card"})
    assert table.reports == [("a", said), ("b", said)]


def test_both_without_life_at_once_share_the_game():
    table = warlords()
    table.presses("ana ▼… ▼▼ ana")
    assert table.says.startswith("Draw | ● Ana R. ≤0 | ≤0 Bruno M. ■")
    table.presses("ana bruno")
    assert table.reports[-1][1] == Result(winner="draw", score=SidePair(0, 0))


def test_without_life_nobody_has_drawn_at_time():
    """12 to 0 after the last turns: that is no draw, and the table does not take it."""
    table = warlords(clock_ms=-1000)
    table.presses("▼… ▼▼ ana ana ▼▼ ana ana")
    assert table.kind == "impossible"
    assert table.says.startswith("Side “b” has no life left and has lost, so this is not a draw")
    assert table.reports == []


def test_the_arrow_held_later_turns_the_wheel():
    table = warlords()
    table.presses("ana ▼ ▼…")
    assert table.kind == "entry"


def test_the_other_endings_are_also_found_before_anybody_opens():
    table = warlords()
    table.presses("▼…")
    assert table.says == "How did it end? | ► Cards/foreign realm |    I concede |    Both at 0 life | ▲▼   ● ■ OK"
    table.presses("▼ ana ana bruno")
    assert table.reports[1] == ("b", Result(ended="concession", conceded_by="a", score=SidePair(0, 20)))


def test_the_list_of_endings_is_left_by_its_last_line():
    table = warlords()
    table.presses("▼… ▲ ana")
    assert table.kind == "idle"
    assert table.reports == []


@pytest.mark.parametrize("clock_ms", [60_000, -1000])
def test_x_wing_is_conceded_before_time_and_when_time_is_called(clock_ms):
    """ "Aufgabe": at any time; all the ships that are left are destroyed."""
    table = Table(clock_ms=clock_ms)
    table.presses("▼…")
    assert table.says == "How did it end? | ► I concede |    back | ▲▼   ● ■ OK"
    table.presses("bruno")
    assert table.says.startswith("■ Bruno M. 0 | 100 Ana R. ● | MoV 0:200")
    table.presses("bruno ana")
    assert table.reports[1] == ("a", Result(ended="concession", conceded_by="b", score=SidePair(100, 0)))


def test_at_time_a_list_destroyed_whole_is_a_full_win_whatever_the_margin():
    table = epic(clock_ms=-1000, situation=MatchSituation(totals=(300, 153)))
    table.presses("ana ana ▲ ana ▲▲▲▲▲ ana ▲▲▲ ana ▲ ana ▲▲▲▲ ana ▲▲▲▲")
    assert table.says.startswith("● Ana R. 153 | 144 Bruno M. ■ | 5:0 MoV 309:291")


def test_at_time_the_points_cannot_win_against_a_list_destroyed_whole():
    """Bruno has destroyed all of Ana's 124 points: she has no ship left, though she has more points."""
    table = epic(clock_ms=-1000, situation=MatchSituation(totals=(124, 300)))
    table.presses("ana ana ▲ ana ▲▲▲▲▲ ana ▲▲▲ ana ▲ ana ▲▲ ana ▲▲▲▲ ana")
    assert table.kind == "impossible"
    assert table.reports == []


def test_a_way_without_figures_is_still_confirmed_when_it_was_chosen_from_the_list():
    table = Table(book=KEYFORGE)
    table.presses("▼… bruno")
    assert table.reports == []
    assert table.says.startswith("■ Bruno M. 0 | 1 Ana R. ●")
    table.presses("bruno ana")
    assert table.reports[1] == ("a", Result(ended="concession", conceded_by="b", score=SidePair(1, 0)))


def test_a_correction_begins_at_the_way_and_the_figures_that_stand():
    table = epic()
    result = Result(winner="a", score=SidePair(300, 120))
    table.hub_says(state="agreed", a=result, b=result, result=result, number=9)
    table.wait(20_000)
    table.presses("bruno ana")
    assert table.scene.turn == "b"
    assert table.says.startswith("■ Bruno M. 120 | 300 Ana R. ●")


def test_corrections_of_a_drawn_game_keep_it_drawn():
    table = epic()
    result = Result(winner="draw", score=SidePair(300, 290))
    table.hub_says(state="agreed", a=result, b=result, result=result, number=9)
    table.wait(20_000)
    table.presses("ana ana")
    assert table.says.startswith("Draw | ● Ana R. 300 | 290 Bruno M. ■")


def test_a_result_that_buttons_cannot_show_whole_stays_as_it_is_where_nothing_was_changed():
    """Phones said 33:−5; the table shows 20+ and ≤0."""
    table = Table(book=WARLORDS)
    result = Result(winner="a", score=SidePair(33, -5))
    table.hub_says(state="agreed", a=result, b=result, result=result, number=9)
    table.wait(20_000)
    table.presses("ana ana")
    assert table.says.startswith("● Ana R. 20+")
    table.presses("ana")
    assert table.reports == []
    assert table.kind in ("saved", "done")


def test_who_won_is_no_question_any_more_once_the_other_s_report_is_gone():
    table = Table()
    table.hub_says(state="one-sided", a=Result(score=SidePair(100, 20)))
    table.presses("▼ ▲")
    assert table.says.startswith("Who won?")
    table.hub_says(state="open", a=None)
    table.presses("ana")
    assert table.reports == []


def test_who_says_the_same_again_to_another_version_hands_the_question_back():
    """A restored hub may hear the older of two reports last: whoever insists is not asked for ever."""
    table = Table()
    ours, theirs = Result(score=SidePair(30, 100)), Result(score=SidePair(40, 100))
    table.hub_says(state="dispute", a=ours, b=theirs, last="b")
    assert table.says.startswith("Bruno M. won 100:40. Right?")
    assert table.scene.turn == "a"
    table.wait(1000)
    table.presses("▼ ▲ bruno")
    table.presses("▼ ana ana")
    assert table.reports == [("a", ours)]
    assert table.says.startswith("Bruno M. won 100:30. Right?")
    assert table.scene.turn == "b"


def test_another_way_with_the_same_figures_is_another_result():
    """Keyforge: agreed as won, and then the other one had conceded."""
    table = Table(book=KEYFORGE)
    result = Result(score=SidePair(1, 0))
    table.hub_says(state="agreed", a=result, b=result, result=result, number=9)
    table.wait(20_000)
    table.presses("ana ana")
    assert table.says.startswith("● Ana R. 1 | 0 Bruno M. ■")
    table.presses("▼… ana ana")
    assert table.reports == [("a", Result(ended="concession", conceded_by="b", score=SidePair(1, 0)))]


def test_who_began_is_told_with_a_correction_that_changes_nothing_else():
    table = Table(book=KEYFORGE)
    result = Result(score=SidePair(1, 0))
    table.hub_says(state="agreed", a=result, b=result, result=result, number=9)
    table.wait(20_000)
    table.dialogue.table.first_player = "a"
    table.presses("ana ana ana")
    assert table.reports == [("a", Result(score=SidePair(1, 0), first_player="a"))]
