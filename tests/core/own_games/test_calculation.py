"""The calculation of store's own games against tables that somebody else published, and against sums by hand."""

from fractions import Fraction

import pytest

from own_games.calculation import standings
from own_games.tables import (
    MAGIC,
    NO_WINNER,
    NUMBERS,
    WORKED,
    bye,
    drawn,
    event_file,
    given,
    people,
    scored,
    won,
)


def rows_of(rules, event):
    return {row.competitor: row for row in standings(rules, event)}


@pytest.mark.parametrize("table", WORKED, ids=lambda table: table.name)
def test_published_and_hand_worked_tables(table):
    """Points, the figures that are known, and the order of those who are named."""
    rows = rows_of(table.rules, table.event)
    assert {who: rows[who].points for who in table.points} == table.points
    for who, known in table.values.items():
        assert {place: rows[who].values[place] for place in known} == known, who
    assert [who for who in rows if who in table.order] == list(table.order)


@pytest.mark.parametrize(
    ("printed", "figure"),
    [("0.62", Fraction(20711, 33600)), ("0.63", Fraction(18611, 29400)), ("0.44", Fraction(133, 300))],
)
def test_as_printed(printed, figure):
    """The published examples of opponents' match-win percentage, rounded as they are printed."""
    assert f"{float(figure):.2f}" == printed


def test_who_only_the_lot_can_part():
    """They share the best of their places, and name each other."""
    rows = rows_of(NO_WINNER.rules, NO_WINNER.event)
    assert [(who, row.rank, set(row.tied_with)) for who, row in rows.items()] == [
        ("a", 1, set()),
        ("b", 2, {"c"}),
        ("c", 2, {"b"}),
        ("d", 4, set()),
    ]
    assert {who: (row.losses, row.draws) for who, row in rows.items()} == {
        "a": (0, 0),
        "b": (2, 0),
        "c": (2, 0),
        "d": (2, 0),
    }


def test_records_count_byes_and_lost_rounds():
    """A bye is a round won, an unpaired loss a round lost; to lose both is to lose."""
    event = event_file(
        people("a", "b", "c"),
        [
            [won("a", "b"), bye("c")],
            [bye("a", "no-show"), bye("c", "unpaired-loss")],
            [{"a": "a", "b": "c", "result": {"ended": "ruling", "winner": "none"}}, bye("b", "won")],
        ],
    )
    rows = rows_of(given("backgammon"), event)
    records = {who: (row.points, row.rounds, row.wins, row.losses, row.draws) for who, row in rows.items()}
    assert records == {"a": (2, 3, 2, 1, 0), "c": (1, 3, 1, 2, 0), "b": (1, 2, 1, 1, 0)}


def test_disqualified_and_never_played():
    """The disqualified stand last without a rank and remain opponents; who never played has no row."""
    competitors = people("a", "b", "c", "d", "absent")
    competitors[0]["disqualified_after"] = 2
    event = event_file(competitors, [[won("a", "b"), won("c", "d")], [won("a", "c"), won("b", "d")]])
    rows = standings({**NUMBERS, "tiebreakers": [{"by": "opponents_points"}]}, event)
    assert [(row.competitor, row.rank, row.points, row.values) for row in rows] == [
        ("b", 1, 1, [2]),
        ("c", 1, 1, [2]),
        ("d", 3, 0, [2]),
        ("a", None, 2, [2]),
    ]


def test_elimination_and_open_matches_do_not_count():
    event = event_file(people("a", "b"), [[won("a", "b")], [{"a": "b", "b": "a"}], [won("b", "a")]])
    event["rounds"][2] |= {"stage": "elimination"}
    assert [(row.competitor, row.points, row.rounds) for row in standings(NUMBERS, event)] == [("a", 1, 1), ("b", 0, 1)]


def test_after_a_round():
    event = event_file(people("a", "b"), [[won("a", "b")], [won("b", "a")]])
    assert [row.points for row in standings(NUMBERS, event, after=1)] == [1, 0]
    assert [row.points for row in standings(NUMBERS, event)] == [1, 1]


def test_head_to_head_only_where_all_have_met():
    """Four are tied; a beat b and f beat c, but a met neither f nor c: the matches say nothing."""
    event = event_file(
        people("a", "b", "c", "d", "e", "f"),
        [
            [won("a", "b"), won("c", "d"), won("e", "f")],
            [won("b", "d"), won("e", "a"), won("f", "c")],
        ],
    )
    rows = standings({**NUMBERS, "tiebreakers": [{"by": "head_to_head"}]}, event)
    assert [(row.competitor, row.rank, row.values) for row in rows] == [
        ("e", 1, [None]),
        ("a", 2, [None]),
        ("b", 2, [None]),
        ("c", 2, [None]),
        ("f", 2, [None]),
        ("d", 6, [None]),
    ]


def test_head_to_head_is_asked_once():
    """Four with 4 points have met: c has 4 of it, a and b 3, d 2. That a beat b does not part these two again."""
    rules = {
        "match": {"report": "winner", "draws": "any_time"},
        "points": {"win": 2, "draw": 1},
        "tiebreakers": [{"by": "head_to_head"}],
    }
    event = event_file(
        people("a", "b", "c", "d", "e", "f", "g", "h"),
        [
            [won("a", "b"), won("c", "d")],
            [won("c", "a"), drawn("b", "d")],
            [drawn("a", "d"), won("b", "c")],
            [drawn("a", "e"), drawn("b", "f"), won("g", "c"), won("d", "h")],
        ],
    )
    rows = standings(rules, event)[:4]
    assert [(row.competitor, row.rank, row.points) for row in rows] == [
        ("c", 1, 4),
        ("a", 2, 4),
        ("b", 2, 4),
        ("d", 4, 4),
    ]


def test_a_concession_with_games_is_a_full_win():
    """Left conceded at 0:1: counted 0:2, and one game that the loser had stays."""
    event = event_file(
        people("a", "b", "c", "d"),
        [
            [
                scored("a", 0, 1, "b", ended="concession", conceded_by="a"),
                scored("c", 1, 1, "d", ended="concession", conceded_by="a"),
            ]
        ],
    )
    rules = {**MAGIC, "tiebreakers": [{"by": "game_win"}]}
    assert {who: (row.points, row.values) for who, row in rows_of(rules, event).items()} == {
        "b": (3, [1]),
        "d": (3, [Fraction(2, 3)]),
        "c": (0, [Fraction(1, 3)]),
        "a": (0, [0]),
    }


def test_best_of_another_stage_option():
    """A concession and a bye are full wins of the length that the Swiss rounds have."""
    event = event_file(people("a", "b", "c"), [[scored("a", 0, 1, "b", ended="concession", conceded_by="b"), bye("c")]])
    event["options"]["stages"] = {"swiss": {"best_of": 5}}
    rules = {**given("yu-gi-oh"), "tiebreakers": [{"by": "own", "of": "score"}, {"by": "difference", "of": "score"}]}
    assert {who: row.values for who, row in rows_of(rules, event).items()} == {"a": [3, 2], "c": [3, 3], "b": [1, -2]}


def test_two_figures_decide_in_order():
    rules = {
        "match": {"report": "points", "draws": "any_time", "figure": [{"key": "second"}, {"key": "score"}]},
        "points": {"win": 3, "draw": 1},
    }
    event = event_file(
        people("a", "b", "c", "d", "e", "f"),
        [
            [
                scored("a", 9, 1, "b", second={"a": 0, "b": 1}),
                scored("c", 9, 1, "d"),
                scored("e", 2, 2, "f"),
            ]
        ],
    )
    assert [(row.competitor, row.points) for row in standings(rules, event)] == [
        ("b", 3),
        ("c", 3),
        ("e", 1),
        ("f", 1),
        ("a", 0),
        ("d", 0),
    ]


def test_level_at_time_where_the_table_is_asked():
    event = event_file(people("a", "b"), [[scored("a", 6, 6, "b", ended="time", winner="b")]])
    assert [(row.competitor, row.points) for row in standings(given("legion"), event)] == [("b", 1), ("a", 0)]


def test_a_winner_that_the_figures_exclude():
    event = event_file(people("a", "b"), [[scored("a", 6, 5, "b", winner="b")]])
    with pytest.raises(ValueError, match="figures"):
        standings(given("legion"), event)


def test_a_ruling_goes_before_the_figures():
    """The figures stay: b has won, and the table of differences still goes by them."""
    event = event_file(people("a", "b"), [[scored("a", 80, 40, "b", ended="ruling", winner="b")]])
    rows = rows_of(given("wargame-20-0"), event)
    assert {who: (row.points, row.wins, row.values[2]) for who, row in rows.items()} == {
        "a": (17, 0, 40),
        "b": (3, 1, -40),
    }


def test_narrow_win_at_time_and_base():
    """5 for a win, 2 less at time with a lead below 12; the margin is 100 + difference, of a bye 150."""
    rules = {
        "match": {"report": "points", "draws": "at_time", "figure": [{"key": "score", "maximum": 200}]},
        "points": {
            "win": 5,
            "draw": 1,
            "bonus": [{"points": -2, "ended": "time", "outcome": "win", "of": "score", "ahead_at_most": 11}],
        },
        "bye": {"figures": {"score": [150, 0]}, "won_figures": {"score": [200, 0]}},
        "tiebreakers": [{"by": "difference", "of": "score", "base": 100}],
    }
    event = event_file(
        people("a", "b", "c", "d", "e", "f", "g", "h", "i", "j"),
        [
            [
                scored("a", 61, 50, "b", ended="time"),
                scored("c", 62, 50, "d", ended="time"),
                scored("e", 61, 50, "f"),
                scored("g", 30, 30, "h", ended="time"),
                bye("i"),
                bye("j", "won"),
            ]
        ],
    )
    assert {who: (row.points, row.values) for who, row in rows_of(rules, event).items()} == {
        "a": (3, [111]),
        "b": (0, [89]),
        "c": (5, [112]),
        "d": (0, [88]),
        "e": (5, [111]),
        "f": (0, [89]),
        "g": (1, [100]),
        "h": (1, [100]),
        "i": (5, [150]),
        "j": (5, [200]),
    }


def test_fewer_is_better():
    """Against, losses, opponents' losses; of opponents also the sum of their running totals."""
    rules = {
        **NUMBERS,
        "tiebreakers": [{"by": "fewest_losses"}, {"by": "opponents_fewest_losses"}, {"by": "opponents_cumulative"}],
    }
    event = event_file(
        people("a", "b", "c", "d", "e"),
        [
            [won("a", "b"), won("c", "d"), bye("e")],
            [won("c", "a"), won("b", "e"), bye("d")],
        ],
    )
    rows = standings(rules, event)
    # Losses a 1, b 1, c 0, d 1, e 1; running totals a 1+1, b 0+1, c 1+2, d 0+1, e 1+1.
    assert [(row.competitor, row.rank, row.values) for row in rows] == [
        ("c", 1, [0, 2, 3]),
        ("d", 2, [1, 0, 3]),
        ("a", 3, [1, 1, 4]),
        ("e", 4, [1, 1, 1]),
        ("b", 5, [1, 2, 4]),
    ]
    figures = {
        "match": {"report": "points", "figure": [{"key": "score"}]},
        "points": {"win": 0},
        "tiebreakers": [{"by": "against", "of": "score"}],
    }
    event = event_file(people("a", "b"), [[scored("a", 9, 7, "b")]])
    assert [(row.competitor, row.values) for row in standings(figures, event)] == [("a", [7]), ("b", [9])]


def test_median_and_more_cuts_than_opponents():
    rules = {
        **NUMBERS,
        "tiebreakers": [
            {"by": "opponents_points", "cut_lowest": 1, "cut_highest": 1},
            {"by": "opponents_points", "cut_highest": 3},
        ],
    }
    event = event_file(
        people("a", "b", "c", "d"),
        [
            [won("a", "b"), won("c", "d")],
            [won("a", "c"), won("b", "d")],
            [won("a", "d"), won("b", "c")],
        ],
    )
    # Points 3 2 1 0: of the others' the middle one remains, and of three nothing when three are cut.
    assert {who: row.values for who, row in rows_of(rules, event).items()} == {
        "a": [1, 0],
        "b": [1, 0],
        "c": [2, 0],
        "d": [2, 0],
    }


@pytest.mark.parametrize(
    ("counts", "rate"), [("points", Fraction(4, 9)), ("wins", Fraction(1, 3)), ("half_draws", Fraction(1, 2))]
)
def test_what_a_rate_counts(counts, rate):
    """One won, one drawn, one lost: 4 of 9 points, 1 of 3 wins, 1½ of 3."""
    rules = {
        "match": {"report": "winner", "draws": "any_time"},
        "points": {"win": 3, "draw": 1},
        "tiebreakers": [{"by": "match_win", "counts": counts}],
    }
    event = event_file(people("a", "b"), [[won("a", "b")], [drawn("a", "b")], [won("b", "a")]])
    assert [row.values for row in standings(rules, event)] == [[rate], [rate]]


def test_a_concession_takes_nothing_away():
    """At least 51: who has 60 keeps it, and 60:30 is 15:5."""
    event = event_file(people("a", "b"), [[scored("a", 60, 30, "b", ended="concession", conceded_by="b")]])
    assert [row.points for row in standings(given("wargame-20-0"), event)] == [15, 5]


def test_a_table_at_level():
    """Where the first step is not even, both have what is behind."""
    rules = {
        "match": {"report": "points", "draws": "any_time", "figure": [{"key": "score"}]},
        "points": {"win": 0, "table": [{"of": "score", "steps": [[0, 6, 4], [10, 10, 0]]}]},
    }
    event = event_file(
        people("a", "b", "c", "d", "e", "f"),
        [[scored("a", 9, 0, "b"), scored("c", 5, 5, "d"), scored("e", 10, 0, "f")]],
    )
    assert {who: row.points for who, row in rows_of(rules, event).items()} == {
        "a": 6,
        "b": 4,
        "c": 4,
        "d": 4,
        "e": 10,
        "f": 0,
    }


@pytest.mark.parametrize(
    ("condition", "points"),
    [
        ({"ahead_at_least": 5}, [1, 0, 0, 0]),
        ({"ahead_at_least": 0}, [1, 0, 1, 1]),
        ({"ahead_at_most": 5}, [1, 0, 1, 1]),
        ({"ahead_at_most": 4}, [0, 0, 1, 1]),
        ({"behind_at_most": 5}, [0, 1, 1, 1]),
        ({"behind_at_most": 4}, [0, 0, 1, 1]),
        ({"at_least": 7}, [1, 0, 1, 1]),
        ({"at_least": 8}, [1, 0, 0, 0]),
        ({"at_least": 8, "outcome": "loss"}, [0, 0, 0, 0]),
        ({"at_least": 8, "ended": "time"}, [0, 0, 0, 0]),
        ({"at_least": 3, "ended": "played"}, [1, 1, 1, 1]),
    ],
    ids=str,
)
def test_where_a_bonus_holds(condition, points):
    """Of 8:3, and of 7:7."""
    rules = {
        "match": {"report": "points", "draws": "any_time", "figure": [{"key": "score"}]},
        "points": {"win": 0, "bonus": [{"of": "score", "points": 1, **condition}]},
    }
    event = event_file(people("a", "b", "c", "d"), [[scored("a", 8, 3, "b"), scored("c", 7, 7, "d")]])
    rows = rows_of(rules, event)
    assert [rows[who].points for who in "abcd"] == points


def test_a_bonus_without_a_figure():
    """A win that was conceded is worth less; no figure is asked for."""
    rules = {
        **NUMBERS,
        "points": {"win": 3, "bonus": [{"points": -1, "outcome": "win", "ended": "concession"}]},
    }
    event = event_file(
        people("a", "b", "c", "d"),
        [[{"a": "a", "b": "b", "result": {"ended": "concession", "conceded_by": "a"}}, won("c", "d")]],
    )
    assert [(row.competitor, row.points) for row in standings(rules, event)][:2] == [("c", 3), ("b", 2)]


def test_an_unpaired_loss_and_both_losing_are_not_worth_a_loss():
    """A loss is 1 here; who was not there has 0, and who both lose have what the file says, without base or figures."""
    rules = {
        "match": {"report": "points", "draws": "any_time", "figure": [{"key": "score"}]},
        "points": {"win": 3, "draw": 2, "loss": 1},
        "both_lose": {"points": -1},
        "tiebreakers": [{"by": "difference", "of": "score", "base": 10}],
    }
    event = event_file(
        people("a", "b", "c", "d", "e"),
        [[scored("a", 5, 2, "b"), scored("c", 5, 2, "d", ended="ruling", winner="none"), bye("e", "unpaired-loss")]],
    )
    assert {who: (row.points, row.values) for who, row in rows_of(rules, event).items()} == {
        "a": (3, [13]),
        "b": (1, [7]),
        "e": (0, [0]),
        "c": (-1, [0]),
        "d": (-1, [0]),
    }


def test_level_at_time_both_lose_and_the_figures_stand():
    rules = {
        "match": {"report": "points", "draws": "never", "figure": [{"key": "score"}]},
        "time": {"undecided": "both_lose"},
        "points": {"win": 3, "draw": 1, "bonus": [{"of": "score", "points": 1, "at_least": 1}]},
        "both_lose": {"points": -1},
        "tiebreakers": [{"by": "own", "of": "score"}, {"by": "difference", "of": "score", "base": 10}],
    }
    event = event_file(people("a", "b"), [[scored("a", 5, 5, "b", ended="time")]])
    assert [(row.points, row.losses, row.values) for row in standings(rules, event)] == [(-1, 1, [5, 10])] * 2


def test_fewest_losses_puts_a_draw_before_a_loss():
    rules = {**NUMBERS, "tiebreakers": [{"by": "fewest_losses"}]}
    event = event_file(people("a", "b", "c", "d"), [[won("a", "b"), drawn("c", "d")]])
    assert [(row.competitor, row.rank) for row in standings(rules, event)] == [("a", 1), ("c", 2), ("d", 2), ("b", 4)]


def test_who_left_after_the_round_looked_at_has_not_left_yet():
    """a left after round 2: after round 1 the rate is whole, after round 2 it is lowered."""
    rules = {**NUMBERS, "tiebreakers": [{"by": "match_win", "dropped_ceiling": 75}]}
    competitors = people("a", "b", "c")
    competitors[0]["dropped_after"] = 2
    event = event_file(competitors, [[won("a", "b"), bye("c")], [won("a", "c"), bye("b")], [won("b", "c")]])
    assert [standings(rules, event, after)[0].values for after in (1, 2)] == [[1], [Fraction(3, 4)]]
    assert rows_of(rules, event)["a"].values == [Fraction(3, 4)]
