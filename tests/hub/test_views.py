"""View models by themselves: pages of the wall, the width of the clock, and the order of what needs somebody."""

from __future__ import annotations

import pytest

from roundtap_core.clock import Clock
from roundtap_core.errors import Problem
from roundtap_core.records import Pair, Result
from roundtap_core.rulebooks.base import Situation
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.words import catalogue, core_words
from roundtap_hub.views.result_form import form_view, has_draws, read_result
from roundtap_hub.views.result_text import tell
from roundtap_hub.views.round_clock import clock_width
from roundtap_hub.views.standings_table import figure_text
from roundtap_hub.views.wall import chunks, deal, letters, sort_key


@pytest.mark.parametrize("people", [0, 1, 59, 60, 61, 128, 250])
def test_pages_hold_everybody_once_in_order_and_are_about_equally_full(people: int):
    names = list(range(people))
    pages = chunks(names, 60)
    assert [name for page in pages for name in page] == names
    assert len(pages) == -(-people // 60)
    if pages:
        assert max(map(len, pages)) - min(map(len, pages)) <= 1


def test_columns_are_read_downwards():
    assert [list(c) for c in deal("ABCDEFG", 3)] == [["A", "B", "C"], ["D", "E", "F"], ["G"]]


def test_accented_names_stand_beside_their_plain_letters():
    names = ["Zoë", "Łukasz", "Íñigo", "Lena", "Øster", "Maria", "Ana"]
    assert sorted(names, key=sort_key) == ["Ana", "Íñigo", "Lena", "Łukasz", "Maria", "Øster", "Zoë"]
    assert letters("Íñigo H.", "Łukasz Ż.") == "I–L"
    assert letters("Ana R.", "Ada L.") == "A"


def test_a_long_round_has_a_wider_clock():
    assert clock_width(Clock(total_ms=75 * 60_000)) == 5
    assert clock_width(Clock(total_ms=180 * 60_000)) == 6


def test_figures_read_well():
    from fractions import Fraction

    assert (figure_text(812), figure_text(Fraction(17, 30))) == ("812", "0.567")


def test_the_form_asks_the_widest_limits_and_each_way_keeps_its_own():
    book = rulebook("xwing-standard")
    options = book.options({"squad_points": 120})
    view = form_view(book.form(options))
    assert [(f.key, f.minimum, f.maximum) for f in view.figures] == [("score", 0, 120)]
    result = read_result(book, options, {"ended": "played", "score.b": "120", "score.a": "7"})
    assert (result.score.a, result.score.b) == (7, 120)
    assert read_result(book, options, {"ended": "played", "score.a": "7", "winner": "b"}).score.b == 120


def read(rulebook_id: str, situation: Situation | None = None, **typed: object) -> Result:
    """What an official typed, with dots for the underscores of figures: score_a is "score.a"."""
    book = rulebook(rulebook_id)
    fields = {f"{name[:-2]}.{name[-1]}" if name[-2:] in ("_a", "_b") else name: value for name, value in typed.items()}
    return read_result(book, book.options({}), fields, situation or Situation())  # type: ignore[arg-type]


def test_where_the_figures_cannot_tell_the_winner_has_to_be_named():
    for rulebook_id, typed in (
        ("xwing-epic-duel", {"ended": "wiped_out", "score_a": "250", "score_b": "200"}),
        ("warlords-of-terra", {"ended": "played", "score_a": "20"}),
        ("keyforge-archon", {"ended": "played"}),
    ):
        with pytest.raises(Problem, match="winner is missing"):
            read(rulebook_id, **typed)
    epic = read("xwing-epic-duel", ended="wiped_out", score_a="250", score_b="200", winner="b")
    assert (epic.winner, epic.score) == ("b", Pair(250, 200))


def test_real_lives_beyond_the_counted_ones_are_taken():
    result = read("warlords-of-terra", ended="played", score_a="42", score_b="-5", winner="a")
    assert result.score == Pair(42, -5)
    with pytest.raises(Problem, match="out of range"):
        read("xwing-standard", ended="time", score_a="142", score_b="5")


def test_a_concession_has_the_figures_that_the_form_fixes_unless_others_are_typed():
    assert read("keyforge-archon", ended="concession", conceded_by="a").score == Pair(0, 1)
    assert read("xwing-epic-duel", ended="concession", conceded_by="b", score_b="40").score == Pair(300, 40)
    stood = read("xwing-epic-duel", ended="concession", conceded_by="b", score_a="120", score_b="0")
    assert stood.score == Pair(120, 0)
    for typed in ({"score_a": "120"}, {"conceded_by": "a", "score_b": "40"}):
        with pytest.raises(Problem, match="figure is missing"):
            read("xwing-epic-duel", **{"ended": "concession", "conceded_by": "b", **typed})


def test_struggles_wounds_and_squads_are_read():
    result = read("shatterpoint-premier", ended="played", score_a="2", score_b="1", wounds_a="5", wounds_b="7",
                  picks_a=["3", "1"], picks_b=["2", "4"])
    assert (result.score, result.wounds) == (Pair(2, 1), Pair(5, 7))
    assert result.picks == {"a": [1, 3], "b": [2, 4]}
    with pytest.raises(Problem, match="exactly 2"):
        read("shatterpoint-premier", ended="played", score_a="2", score_b="1", wounds_a="5", wounds_b="7",
             picks_a=["1", "2", "3"], picks_b=["2", "4"])


def test_ways_whose_steps_follow_from_answers_are_not_on_the_one_page():
    for rulebook_id in ("keyforge-archon", "warlords-of-terra", "shatterpoint-premier"):
        book = rulebook(rulebook_id)
        view = form_view(book.form(book.options({})))
        assert view.walked == ("time",)
        assert "time" not in view.ways
        with pytest.raises(Problem, match="Say how the match ended"):
            read(rulebook_id, ended="time", score_a="1", score_b="0")


@pytest.mark.parametrize(("rulebook_id", "swiss", "knockout"), [
    ("xwing-standard", False, False), ("keyforge-archon", False, False), ("xwing-epic-duel", True, True),
    ("warlords-of-terra", True, False), ("shatterpoint-premier", True, True),
])
def test_a_ruling_may_be_a_draw_where_the_rulebook_has_draws(rulebook_id: str, swiss: bool, knockout: bool):
    book = rulebook(rulebook_id)
    options = book.options({})
    assert has_draws(book, options) == swiss
    assert has_draws(book, options, Situation("elimination")) == knockout


def test_a_list_whose_cost_is_known_is_destroyed_at_what_it_costs():
    lists = Situation(totals=Pair(280, 300))
    assert read("xwing-epic-duel", lists, ended="wiped_out", winner="b", score_a="40") == Result(
        winner="b", score=Pair(40, 280))
    with pytest.raises(Problem) as caught:
        read("xwing-epic-duel", lists, ended="wiped_out", winner="b", score_a="0", score_b="10")
    assert caught.value.key == "figure_fixed"
    assert read("xwing-epic-duel", lists, ended="both_wiped_out", winner="draw").score == Pair(300, 280)


def test_an_elimination_draw_says_who_had_initiative():
    result = read("xwing-epic-duel", Situation("elimination"), ended="time", score_a="50", score_b="50", initiative="b")
    assert (result.initiative, result.winner) == ("b", None)


def test_a_result_is_told_with_everything_that_was_told_of_it():
    book = rulebook("keyforge-archon")
    options = book.options({})
    result = Result("time", "b", score=Pair(0, 1), first_player="b", timeout={
        "active": "a", "keys": {"a": 1, "b": 1}, "aember": {"a": 0, "b": 5}, "decided_by": "aember"})
    t = catalogue("roundtap_hub", "en").also(core_words("en"))
    names = {"a": "Ana Ruiz", "b": "Bruno Maier"}
    told = {line.label: line.text for line in tell(book, book.form(options), options, result, names, t)}
    assert told[t("match.winner")] == "Bruno Maier"
    assert told[t("form.figure.keys")] == "1:1"
    assert told[t("told.decided")] == t("step.aember")
    assert told[t("form.first_player")] == "Bruno Maier"
    ruled = Result("ruling", "none")
    told = {line.label: line.text for line in tell(book, book.form(options), options, ruled, names, t)}
    assert told[t("match.winner")] == "both lose"
