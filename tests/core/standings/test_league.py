"""League tables, each worked out by hand beside its test: an event a column, in the order in which they were played."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from bracket_kit import better_wins, played, ranked
from own_games.shelf import GAMES
from roundtap_core.elimination.ranking import league_event
from roundtap_core.errors import Problem
from roundtap_core.records import ELIMINATION, Competitor, Match, Result, Round, SidePair, Tournament
from roundtap_core.rulebooks.own_rules import rules_id, rules_json
from roundtap_core.standings.standings import (
    LeagueResult,
    LeagueRow,
    LeagueRules,
    by_place_of,
    league,
    league_points_text,
    standings,
)

Events = list[dict[str, LeagueResult]]

HALF = Fraction(1, 2)


def events(table: str) -> Events:
    """A row a person, a column an event: the place, "x" for disqualified, "-" for not there; "2=9" with own points."""
    rows = [line.split() for line in table.strip().splitlines()]
    count = len(rows[0]) - 1
    read: Events = [{} for _ in range(count)]
    for person, *cells in rows:
        for event, cell in zip(read, cells, strict=True):
            place, _, own = cell.partition("=")
            if cell != "-":
                event[person] = LeagueResult(None if place == "x" else int(place), Fraction(own or 0))
    return read


def summed(table: str, **rules: object) -> list[tuple[int, str, int | Fraction]]:
    return [(row.place, row.person, row.points) for row in league(events(table), LeagueRules(**rules))]  # type: ignore[arg-type]


def row_of(person: str, rows: tuple[LeagueRow, ...]) -> LeagueRow:
    return next(row for row in rows if row.person == person)


# --- points by place -------------------------------------------------------------------------------------------------

THREE_EVENINGS = """
    Ana    1  1  3
    Bruno  2  3  1
    Cira   3  2  -
    Dora   -  4  2
"""


def test_points_by_place_add_up() -> None:
    """Ana 10+10+6 = 26, Bruno 8+6+10 = 24, Cira 6+8 = 14, Dora 5+8 = 13."""
    assert summed(THREE_EVENINGS) == [(1, "Ana", 26), (2, "Bruno", 24), (3, "Cira", 14), (4, "Dora", 13)]


def test_a_table_of_ones_own_ends_where_it_ends() -> None:
    """With 3, 2: Ana 3+3+0 = 6, Bruno 2+0+3 = 5, Cira 0+2 = 2, Dora 0+2 = 2. Dora and Cira have one second place each;
    Cira has a third place beside it, Dora a fourth."""
    assert summed(THREE_EVENINGS, by_place="3,2") == [
        (1, "Ana", 6),
        (2, "Bruno", 5),
        (3, "Cira", 2),
        (4, "Dora", 2),
    ]


def test_the_ninth_place_gets_nothing_unless_the_table_says_so() -> None:
    nine = "\n".join(f"p{n} {n}" for n in range(1, 11))
    assert [points for _, _, points in summed(nine)] == [10, 8, 6, 5, 4, 3, 2, 1, 0, 0]


def test_a_shared_place_gives_both_the_points_of_the_better_one() -> None:
    """Two are second: 8 each; the next one is fourth: 5."""
    assert summed("Ana 1\nBruno 2\nCira 2\nDora 4") == [(1, "Ana", 10), (2, "Bruno", 8), (2, "Cira", 8), (4, "Dora", 5)]


def test_halves_stay_exact() -> None:
    """7.5 + 7.5 = 15 for Ana, 5 + 5 for Bruno, 7.5 for Cira, who was there once."""
    assert summed("Ana 1 1\nBruno 2 2\nCira 1 -", by_place="7.5,5") == [
        (1, "Ana", 15),
        (2, "Bruno", 10),
        (3, "Cira", 15 * HALF),
    ]
    assert league_points_text(15 * HALF) == "7½"


@pytest.mark.parametrize(
    "text", ["", "10,", "10,8,x", "5,6", "-3", "1e3", "7.25", "10;8", "10, 8", "٣", "12345", ",".join("1" * 101)]
)
def test_what_is_no_list_of_points_by_place(text: str) -> None:
    with pytest.raises(Problem) as refused:
        by_place_of(text)
    assert refused.value.key == "league_places_unfit"


def test_a_list_of_points_by_place() -> None:
    assert by_place_of("10,8,8,6.5,0") == (10, 8, 8, 13 * HALF, 0)
    assert by_place_of("0012.0") == (12,)


# --- own points ------------------------------------------------------------------------------------------------------


def test_own_points_add_up_whatever_the_place() -> None:
    """Ana 9+4 = 13, Bruno 7+7 = 14, Cira 1½+6 = 7½."""
    table = "Ana 1=9 3=4\nBruno 2=7 1=7\nCira 3=1.5 2=6"
    assert summed(table, points="own") == [(1, "Bruno", 14), (2, "Ana", 13), (3, "Cira", 15 * HALF)]


def test_own_points_below_zero_count_too() -> None:
    """-3 + 5 = 2 and 1 + 0 = 1; where only the best one counts, 5 and 1."""
    table = "Ana 2=-3 1=5\nBruno 1=1 2=0"
    assert summed(table, points="own") == [(1, "Ana", 2), (2, "Bruno", 1)]
    assert summed(table, points="own", best=1) == [(1, "Ana", 5), (2, "Bruno", 1)]


# --- best n of m, and the bonus --------------------------------------------------------------------------------------

FIVE_EVENINGS = """
    Ana    1  5  2  4  -
    Bruno  2  2  3  3  2
    Cira   -  1  -  1  -
"""


def test_the_best_three_of_five() -> None:
    """Ana 10+8+5 (the 4 is left out) = 23, Bruno 8+8+8 (6 and 6 are left out) = 24, Cira 10+10 = 20."""
    assert summed(FIVE_EVENINGS, best=3) == [(1, "Bruno", 24), (2, "Ana", 23), (3, "Cira", 20)]
    rows = league(events(FIVE_EVENINGS), LeagueRules(best=3))
    assert [n for n, each in row_of("Ana", rows).results.items() if each.counts] == [1, 3, 4]
    assert [n for n, each in row_of("Bruno", rows).results.items() if each.counts] == [1, 2, 5]


def test_all_count_unless_a_number_is_given() -> None:
    """Ana 10+4+8+5 = 27, Bruno 8+8+6+6+8 = 36, Cira 20."""
    assert summed(FIVE_EVENINGS) == [(1, "Bruno", 36), (2, "Ana", 27), (3, "Cira", 20)]


def test_coming_is_worth_the_same_on_evenings_that_do_not_count() -> None:
    """With 2 for coming: Ana 23 + 4×2 = 31, Bruno 24 + 5×2 = 34, Cira 20 + 2×2 = 24."""
    assert summed(FIVE_EVENINGS, best=3, coming=2) == [(1, "Bruno", 34), (2, "Ana", 31), (3, "Cira", 24)]
    row = row_of("Bruno", league(events(FIVE_EVENINGS), LeagueRules(best=3, coming=2)))
    assert (row.played, row.coming) == (5, 10)


def test_of_equal_points_the_better_place_counts_then_the_later_evening() -> None:
    """Own points: 6 at places 3, 1 and 1. One counts: the later of the two first places."""
    row = row_of("Ana", league(events("Ana 3=6 1=6 1=6\nBruno 1=1 2=1 2=1"), LeagueRules(points="own", best=1)))
    assert [n for n, each in row.results.items() if each.counts] == [3]


# --- ties ------------------------------------------------------------------------------------------------------------


def test_more_first_places_then_more_second_ones() -> None:
    """With 4, 3, 2, 1, 0 all have 8: Ana 4+4+0, Bruno 4+2+2, Cira 3+3+2. Two firsts, one first, none."""
    table = "Cira 2 2 3\nBruno 3 1 3\nAna 1 5 1"
    worth = "4,3,2,1,0"
    assert summed(table, by_place=worth) == [(1, "Ana", 8), (2, "Bruno", 8), (3, "Cira", 8)]
    # 4+2+2 and 1+3+4: one first place each, then Dora has a second place.
    assert summed("Bruno 1 3 3\nDora 4 2 1", by_place=worth) == [(1, "Dora", 8), (2, "Bruno", 8)]


def test_places_of_evenings_that_do_not_count_decide_nothing() -> None:
    """Best 1 of 2: both have 8. Ana's tenth place is left out, as is Bruno's third."""
    assert summed("Ana 2 10\nBruno 3 2", best=1) == [(1, "Ana", 8), (1, "Bruno", 8)]


def test_the_best_evening_then_the_next_best() -> None:
    """All have 20 own points: 12+8+0, 12+7+1, 11+9+0. Dora missed what Ana lost: level with her."""
    table = """
        Cira   3=11  1=9  9=0
        Bruno  2=12  3=7  2=1
        Ana    1=12  2=8  8=0
        Dora   1=12  -    2=8
    """
    assert summed(table, points="own", ties="best") == [
        (1, "Ana", 20),
        (1, "Dora", 20),
        (3, "Bruno", 20),
        (4, "Cira", 20),
    ]


def test_the_latest_evening_decides() -> None:
    """Ana 10+8, Bruno 8+10, and Cira 8+10 a week earlier: Bruno won the latest, Ana was second, Cira was away."""
    table = "Cira 2 1 -\nAna 1 - 2\nBruno - 2 1"
    assert summed(table, ties="latest") == [(1, "Bruno", 18), (2, "Ana", 18), (3, "Cira", 18)]
    # By first places all three are level.
    assert [place for place, _, _ in summed(table, ties="places")] == [1, 1, 1]


def test_the_latest_evening_decides_though_it_does_not_count() -> None:
    """Best 1: 10 and 10. In the latest one Bruno was third, Ana seventh."""
    assert summed("Ana 1 7\nBruno 1 3", best=1, ties="latest") == [(1, "Bruno", 10), (2, "Ana", 10)]


def test_who_is_level_in_all_shares_the_place_and_the_next_one_is_left_out() -> None:
    """Ana and Bruno 10+8 each, Cira 6+6."""
    assert summed("Ana 1 2\nBruno 2 1\nCira 3 3") == [(1, "Ana", 18), (1, "Bruno", 18), (3, "Cira", 12)]


# --- disqualified, dropped -------------------------------------------------------------------------------------------


def test_who_was_disqualified_gets_nothing_for_that_evening() -> None:
    """Ana 10 + 1 for coming; Bruno 8 + 6 + 2; the other evening is as if Ana had been away."""
    table = "Ana 1 x=9\nBruno 2 3"
    assert summed(table, coming=1) == [(1, "Bruno", 16), (2, "Ana", 11)]
    row = row_of("Ana", league(events(table), LeagueRules(coming=1, points="own")))
    assert row.results[2] == LeagueResult(None, 0, False)
    assert (row.played, row.coming, row.points) == (1, 1, 1)
    assert [place for place, _, _ in summed("Ana x\nBruno 1", ties="latest")] == [1, 2]


# --- an event becomes an evening -------------------------------------------------------------------------------------


def all_of(event: Tournament) -> dict[str, str]:
    return {competitor.id: competitor.name for competitor in event.competitors}


def places(event: Tournament) -> dict[str, int | None]:
    return {person: result.place for person, result in league_event(event, all_of(event)).items()}


def test_the_cut_decides_the_places() -> None:
    event = played(played(ranked(8, cut=4), lambda match: max(match.a, match.b or "")), better_wins)
    final = places(event)
    assert len(final) == 8
    assert sorted(final.values()) == [1, 2, 3, 4, 5, 6, 7, 8]  # type: ignore[type-var]
    # p3 and p4 won their semi-finals; p3 won the final.
    assert [final[f"Player {n}"] for n in (3, 4, 1, 2)] == [1, 2, 3, 4]


def level(*people: Competitor) -> Tournament:
    """Two winners with equal figures and two losers: only the lot parts each pair."""
    result = Result(score=SidePair(100, 40))
    rounds = (Round(1, matches=(Match("p1", "p2", 1, result=result), Match("p3", "p4", 2, result=result))),)
    return Tournament("Friday", "xwing-standard", competitors=people, rounds=rounds)


FOUR = (Competitor("p1", "Ana"), Competitor("p2", "Bruno"), Competitor("p3", "Cira"), Competitor("p4", "Dora"))


def test_whom_only_the_lot_parts_share_the_better_place() -> None:
    assert places(level(*FOUR)) == {"Ana": 1, "Cira": 1, "Bruno": 3, "Dora": 3}


def six_level(finalists: tuple[int, int]) -> Tournament:
    """Three winners whom only the lot parts, and three losers; two of the winners, by their Swiss ranks, meet in a
    final that the better one wins."""
    result = Result(score=SidePair(100, 40))
    people = tuple(Competitor(f"p{n}", f"Player {n}") for n in range(1, 7))
    swiss = Round(1, matches=tuple(Match(f"p{n}", f"p{n + 3}", n, result=result) for n in (1, 2, 3)))
    options = {"structure": "own", "swiss_rounds": 1, "cut": 2}
    event = Tournament("Friday", "xwing-standard", None, options, 7, people, (swiss,))
    by_rank = {row.rank: row.competitor for row in standings(event)}
    a, b = (by_rank[rank] for rank in finalists)
    final = Round(2, ELIMINATION, (Match(a, b, 1, result=result, game=1),))
    named = tuple(replace(each, name=next(f"#{r}" for r, who in by_rank.items() if who == each.id)) for each in people)
    return replace(event, competitors=named, rounds=(swiss, final))


def test_a_place_in_the_cut_is_shared_with_nobody() -> None:
    """#2 and #3 are level but for the lot, which gave #2 the place in the final."""
    assert places(six_level((1, 2))) == {"#1": 1, "#2": 2, "#3": 3, "#4": 4, "#5": 4, "#6": 4}


def test_who_missed_the_cut_is_level_only_with_whom_the_lot_parted() -> None:
    """#2 did not want to play on; the next one outside the cut, #4, lost."""
    assert places(six_level((1, 3))) == {"#1": 1, "#3": 2, "#2": 3, "#4": 4, "#5": 4, "#6": 4}


def test_who_dropped_keeps_the_place_and_who_was_disqualified_has_none() -> None:
    people = (
        FOUR[0],
        Competitor("p2", "Bruno", dropped_after=1),
        Competitor("p3", "Cira", disqualified_after=1),
        FOUR[3],
    )
    assert places(level(*people)) == {"Ana": 1, "Bruno": 2, "Dora": 2, "Cira": None}


def test_who_is_nobody_is_left_out_and_keeps_the_place() -> None:
    assert {who: each.place for who, each in league_event(level(*FOUR), {"p2": "b", "p4": "d"}).items()} == {
        "b": 3,
        "d": 3,
    }


def test_own_points_are_those_of_the_rulebook() -> None:
    """X-Wing: 1 for a win. Chess: 1 for a win, ½ for a draw, 0."""
    x_wing, chess = level(*FOUR), GAMES["chess-club"]
    assert {who: each.points for who, each in league_event(x_wing, all_of(x_wing)).items()} == {
        "Ana": 1,
        "Cira": 1,
        "Bruno": 0,
        "Dora": 0,
    }
    matches = (
        Match("p1", "p2", 1, result=Result(winner="draw")),
        Match("p3", "p4", 2, result=Result(winner="b")),
    )
    evening = replace(x_wing, rulebook=rules_id(chess), rules=rules_json(chess), rounds=(Round(1, matches=matches),))
    assert {who: each.points for who, each in league_event(evening, all_of(evening)).items()} == {
        "Dora": 1,
        "Ana": HALF,
        "Bruno": HALF,
        "Cira": 0,
    }
