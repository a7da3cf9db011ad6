"""A tiebreaker whose figure is the same for all is not worth a column: nothing was decided by it."""

from fractions import Fraction

from roundtap_core.records import StandingsRow
from roundtap_core.standings.standings import telling_tiebreakers


def row(rank: int | None, points: int, **tiebreakers: int | Fraction) -> StandingsRow:
    return StandingsRow(rank, f"p{rank}", points, 1, points, 1 - points, 0, 0, tiebreakers, "last", False)


def test_what_is_the_same_for_all_is_left_out_and_the_others_keep_their_order() -> None:
    rows = [row(1, 1, mov=0, sos=Fraction(1, 2), wounds=3), row(2, 0, mov=0, sos=Fraction(1, 3), wounds=4)]
    assert telling_tiebreakers(rows) == ("sos", "wounds")


def test_a_figure_that_differs_in_one_row_only_has_its_column_a_disqualified_one_s_too() -> None:
    rows = [row(1, 1, mov=7), row(2, 1, mov=7), row(None, 0, mov=0)]
    assert telling_tiebreakers(rows) == ("mov",)


def test_figures_are_compared_exactly_not_as_they_are_written() -> None:
    rows = [row(1, 1, sos=Fraction(1, 3)), row(2, 1, sos=Fraction(333, 1000))]
    assert telling_tiebreakers(rows) == ("sos",)


def test_without_rows_there_are_no_columns() -> None:
    assert telling_tiebreakers([]) == ()
