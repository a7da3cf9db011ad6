"""View models by themselves: pages of the wall, the width of the clock, and the order of what needs somebody."""

import pytest

from roundtap_core.clock import Clock
from roundtap_core.forms.form import with_rulings
from roundtap_core.records import Result, SidePair
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.rulebooks.result_gate import may_be_drawn
from roundtap_core.rulebooks.result_words import describe_result
from roundtap_core.rulebooks.scoring import value_text
from roundtap_core.words import catalogue, core_words
from roundtap_hub.hall.wall_picture import even_pages, letter_range, split_columns
from roundtap_hub.views.round_clock import clock_width
from roundtap_hub.views.saved_event import name_sort_key


@pytest.mark.parametrize("people", [0, 1, 59, 60, 61, 128, 250])
def test_pages_hold_everybody_once_in_order_and_are_about_equally_full(people: int):
    names = list(range(people))
    pages = even_pages(names, 60)
    assert [name for page in pages for name in page] == names
    assert len(pages) == -(-people // 60)
    if pages:
        assert max(map(len, pages)) - min(map(len, pages)) <= 1


def test_columns_are_read_downwards():
    assert [list(c) for c in split_columns("ABCDEFG", 3)] == [["A", "B", "C"], ["D", "E", "F"], ["G"]]


def test_accented_names_stand_beside_their_plain_letters():
    names = ["Zoë", "Łukasz", "Íñigo", "Lena", "Øster", "Maria", "Ana"]
    assert sorted(names, key=name_sort_key) == ["Ana", "Íñigo", "Lena", "Łukasz", "Maria", "Øster", "Zoë"]
    assert letter_range("Íñigo H.", "Łukasz Ż.") == "I–L"
    assert letter_range("Ana R.", "Ada L.") == "A"


def test_a_long_round_has_a_wider_clock():
    assert clock_width(Clock(total_ms=75 * 60_000)) == 5
    assert clock_width(Clock(total_ms=180 * 60_000)) == 6


def test_figures_read_well():
    from fractions import Fraction

    assert (value_text("sos", 812), value_text("sos", Fraction(17, 30))) == ("812", "0.567")


def test_a_ruling_takes_the_widest_limits_of_any_way():
    book = rulebook("xwing-standard")
    form = with_rulings(book.form(book.options({"squad_points": 120})), ("a", "b", "none"))
    assert [way.id for way in form.ways][-2:] == ["ruling", "ruling_figures"]
    assert [(f.name, f.minimum, f.maximum) for f in form.ways[-1].figures()] == [
        ("score.winner", 0, 120),
        ("score.loser", 0, 120),
    ]
    shatterpoint = rulebook("shatterpoint-premier")
    asked = with_rulings(shatterpoint.form(shatterpoint.options({})), ("a", "b")).ways[-1].figures()
    assert {f.key for f in asked} == {"score", "wounds"}


@pytest.mark.parametrize(
    ("rulebook_id", "swiss", "knockout"),
    [
        ("xwing-standard", False, False),
        ("keyforge-archon", False, False),
        ("xwing-epic-duel", True, False),
        ("warlords-of-terra", True, False),
        ("shatterpoint-premier", True, True),
    ],
)
def test_a_ruling_may_be_a_draw_where_the_rulebook_has_draws(rulebook_id: str, swiss: bool, knockout: bool):
    """In an elimination of Epic somebody goes on: whoever the judge names."""
    book = rulebook(rulebook_id)
    options = book.options({})
    assert may_be_drawn(book, options, MatchSituation()) == swiss
    assert may_be_drawn(book, options, MatchSituation("elimination")) == knockout


def test_a_result_is_told_with_everything_that_was_told_of_it():
    book = rulebook("keyforge-archon")
    options = book.options({})
    result = Result(
        "time",
        "b",
        score=SidePair(0, 1),
        first_player="b",
        timeout={"active": "a", "keys": {"a": 1, "b": 1}, "aember": {"a": 0, "b": 5}, "decided_by": "aember"},
    )
    t = catalogue("roundtap_hub", "en").also(core_words("en"))
    names = {"a": "Ana Ruiz", "b": "Bruno Maier"}
    told = {line.label: line.text for line in describe_result(book, book.form(options), options, result, names, t)}
    assert told[t("result.winner")] == "Bruno Maier"
    assert told[t("form.figure.keys")] == "1:1"
    assert told[t("told.decided")] == t("step.aember")
    assert told[t("form.first_player")] == "Bruno Maier"
    ruled = Result("ruling", "none")
    told = {line.label: line.text for line in describe_result(book, book.form(options), options, ruled, names, t)}
    assert told[t("result.winner")] == "both lose"
