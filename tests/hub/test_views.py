"""View models by themselves: pages of the wall, words under the clock, and the order of what needs somebody."""

from __future__ import annotations

import pytest

from roundtap_core.clock import PAUSED, RUNNING, Clock, Instant
from roundtap_core.rulebooks import rulebook
from roundtap_hub.views.phase import clock_width, phase_of
from roundtap_hub.views.ranks import figure_text
from roundtap_hub.views.result_form import form_view, read_result
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


@pytest.mark.parametrize(("state", "remaining_ms", "phase"), [
    (RUNNING, 300_001, "running"), (RUNNING, 300_000, "last"), (RUNNING, 1, "last"), (RUNNING, 0, "over"),
    (RUNNING, -5, "over"), (PAUSED, 10, "paused"), ("idle", 4_500_000, "idle"), (RUNNING, None, "running"),
])
def test_the_word_under_the_clock(state: str, remaining_ms: int | None, phase: str):
    assert phase_of(Clock(state, remaining_ms, 4_500_000, Instant("boot", 0)), remaining_ms) == phase


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
