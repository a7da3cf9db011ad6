"""The checker alone: the rulebooks' worked examples come out, worked by hand."""

from fractions import Fraction
from typing import Any

import pytest
from checker.books import Event
from checker.knockout import games_due, seeds_due
from checker.ranking import cut_order, order_of
from checker.records import Record, gather, tiebreaker
from checker_kit import bye, event, met


def both(rulebook: str, *args: Any, **more: Any) -> tuple[Record, Record]:
    records = gather(event(rulebook, [met("p1", "p2", *args, **more)]))
    return records["p1"], records["p2"]


def names(order: list[tuple[str, str]]) -> list[str]:
    return [who for who, _ in order]


@pytest.mark.parametrize(
    ("score", "mov"), [((100, 24), (176, 24)), ((77, 49), (128, 72))], ids=["all destroyed", "at time"]
)
def test_xwing_margin_of_victory(score: tuple[int, int], mov: tuple[int, int]) -> None:
    a, b = both("xwing-standard", *score)
    assert (a.figures["mov"], b.figures["mov"]) == mov
    assert (a.points, b.points) == (1, 0)


def test_xwing_equal_points_are_100_each_and_somebody_wins() -> None:
    a, b = both("xwing-standard", 60, 60, winner="b")
    assert (a.points, a.figures["mov"], b.points, b.figures["mov"]) == (0, 100, 1, 100)


def test_xwing_byes_are_150_and_200_and_an_unpaired_loss_nothing() -> None:
    records = gather(
        event("xwing-standard", [bye("p1"), bye("p2", "won"), bye("p3", "no-show"), bye("p4", "unpaired-loss")])
    )
    assert [(r.points, r.figures["mov"], r.rounds) for r in records.values()] == [
        (1, 150, 1),
        (1, 200, 1),
        (1, 150, 1),
        (0, 0, 1),
    ]


def test_xwing_who_concedes_loses_everything() -> None:
    a, b = both("xwing-standard", 40, 12, ended="concession", conceded_by="b")
    assert (a.figures["mov"], b.figures["mov"]) == (188, 12)


def test_epic_example_at_time() -> None:
    a, b = both("xwing-epic-duel", 153, 124, ended="time")
    assert (a.figures["mov"], b.figures["mov"]) == (329, 271)
    assert (a.points, b.points) == (5, 0)


@pytest.mark.parametrize(("margin", "points"), [(0, 1), (1, 3), (11, 3), (12, 5)])
def test_epic_at_time_twelve_points_make_a_full_win(margin: int, points: int) -> None:
    assert both("xwing-epic-duel", 100 + margin, 100, ended="time")[0].points == points


def test_epic_margin_does_not_ask_who_won() -> None:
    a, b = both("xwing-epic-team", 100, 290, winner="a")
    assert (a.points, a.figures["mov"], b.points, b.figures["mov"]) == (5, 210, 0, 590)


def test_epic_concession_counts_the_list_where_it_is_known() -> None:
    made = event("xwing-epic-duel", [met("p1", "p2", 50, 20, ended="concession", conceded_by="b")])
    assert gather(made)["p1"].figures["mov"] == 300 + 300 - 20
    made["competitors"][1]["list"] = {"total": 290}
    assert gather(made)["p1"].figures["mov"] == 300 + 290 - 20


@pytest.mark.parametrize(
    ("score", "points"),
    [
        ((285, 290), (0, 5)),
        ((284, 289), (0, 3)),
        ((295, 290), (0, 5)),
        ((300, 290), (1, 1)),
    ],
)
def test_epic_a_list_that_is_gone_decides_at_time_too(score: tuple[int, int], points: tuple[int, int]) -> None:
    made = event("xwing-epic-duel", [met("p1", "p2", *score, ended="time")])
    for competitor, total in zip(made["competitors"], (290, 300), strict=True):
        competitor["list"] = {"total": total}
    assert tuple(gather(made)[who].points for who in ("p1", "p2")) == points


def test_epic_bye_is_one_and_a_half_times_the_base() -> None:
    made = event("xwing-epic-team", [bye("p1"), bye("p2", "won")])
    assert [r.figures["mov"] for r in gather(made).values()] == [600, 800]


def test_epic_cut_looks_at_the_opponents_before_the_margin() -> None:
    # p1 and p2 have 5 points; p1 the greater margin, p2 the stronger opponent.
    made = event(
        "xwing-epic-duel",
        [met("p1", "p3", 300, 0, winner="a"), met("p2", "p4", 60, 0, winner="a")],
        [met("p4", "p3", 40, 0, winner="a"), bye("p1", "unpaired-loss"), bye("p2", "unpaired-loss")],
    )
    assert names(order_of(made))[:2] == ["p1", "p4"]
    assert cut_order(made).index("p2") < cut_order(made).index("p1")


@pytest.mark.parametrize(
    ("lives", "score"), [((42, 0), 20), ((-5, 15), -15), ((30, -15), 20)], ids=["42:0", "-5:15", "30:-15"]
)
def test_warlords_score_examples(lives: tuple[int, int], score: int) -> None:
    a, b = both("warlords-of-terra", *lives, winner="a" if score > 0 else "b")
    assert (a.figures["score"], b.figures["score"]) == (score, -score)


def test_warlords_a_draw_may_have_unequal_lives() -> None:
    a, b = both("warlords-of-terra", 18, 3, ended="time", winner="draw")
    assert (a.points, a.figures["score"], b.points, b.figures["score"]) == (1, 15, 1, -15)


def test_warlords_who_concedes_has_no_life_left() -> None:
    a, b = both("warlords-of-terra", 7, 19, ended="concession", conceded_by="b")
    assert (a.figures["score"], b.figures["score"]) == (7, -7)


def test_shatterpoint_concession_is_worth_two_struggles_and_three_wounds_or_more() -> None:
    a, b = both("shatterpoint-premier", 1, 1, wounds={"a": 7, "b": 4}, ended="concession", conceded_by="b")
    assert (a.points, a.figures["struggles"], a.figures["wounds"]) == (3, 2, 7)
    assert (b.points, b.figures["struggles"], b.figures["wounds"]) == (0, 1, 4)


def test_shatterpoint_equal_struggles_are_decided_by_wounds_else_drawn() -> None:
    assert both("shatterpoint-premier", 1, 1, wounds={"a": 2, "b": 3})[1].points == 3
    assert both("shatterpoint-premier", 1, 1, wounds={"a": 3, "b": 3})[1].points == 1


@pytest.mark.parametrize("rulebook", ["xwing-standard", "xwing-epic-duel", "warlords-of-terra", "shatterpoint-premier"])
def test_a_loss_to_both_gives_nothing_but_a_round_and_a_meeting(rulebook: str) -> None:
    for record in both(rulebook, 12, 3, ended="ruling", winner="none"):
        assert (record.points, record.rounds, record.outcomes["losses"]) == (0, 1, 1)
        assert len(record.meetings) == 1
        assert not any(record.figures.values())


def test_strength_of_schedule_is_the_mean_of_the_opponents_ratios() -> None:
    # p1 met p2 (1 point in 2 rounds, a bye among them) and p3 (0 in 1, then gone).
    made = event(
        "keyforge-archon", [met("p1", "p2", 1, 0), bye("p3", "unpaired-loss")], [met("p1", "p3", 1, 0), bye("p2")]
    )
    records = gather(made)
    assert tiebreaker(records, "p1", "sos") == (Fraction(1, 2) + Fraction(0, 2)) / 2
    assert tiebreaker(records, "p2", "sos") == 1
    assert tiebreaker(records, "p1", "extended_sos") == 1


def test_nobody_s_opponents_are_worth_nothing() -> None:
    assert tiebreaker(gather(event("keyforge-archon", [bye("p1")])), "p1", "sos") == 0


def warlords_three(first: str, second: str, third: str) -> Event:
    """p1, p2, p3 all met; each winner is named; all lives end 10:0 for the winner."""

    def game(a: str, b: str, winner: str) -> dict[str, Any]:
        lives = (10, 0) if winner == a else (0, 10)
        return met(a, b, *lives, winner="a" if winner == a else "b")

    return event(
        "warlords-of-terra",
        [game("p1", "p2", first), bye("p3", "unpaired-loss")],
        [game("p2", "p3", second), bye("p1", "unpaired-loss")],
        [game("p1", "p3", third), bye("p2", "unpaired-loss")],
        prize_places=0,
    )


def test_warlords_two_tied_are_parted_by_their_match() -> None:
    made = event(
        "warlords-of-terra",
        [met("p1", "p2", 0, 10, winner="b"), met("p3", "p4", 0, 10, winner="b")],
        [met("p1", "p3", 10, 0, winner="a"), met("p2", "p4", 0, 10, winner="b")],
        prize_places=0,
    )
    # p1 and p2 have 3 points and SCORE 0 both; p2 won their match.
    assert order_of(made)[1:3] == [("p2", "head_to_head"), ("p1", "points")]


def test_warlords_three_in_a_circle_are_not_parted_by_their_matches() -> None:
    order = order_of(warlords_three("p1", "p2", "p3"))
    assert [why for _, why in order] == ["random", "random", "last"]


def test_warlords_three_tied_who_have_not_all_met_skip_their_matches() -> None:
    made = event(
        "warlords-of-terra",
        [met("p1", "p2", 5, 5, ended="time", winner="draw"), met("p3", "p4", 5, 5, ended="time", winner="draw")],
        prize_places=0,
    )
    assert {why for _, why in order_of(made)} == {"random", "last"}


def tie_break(number: int, *matches: dict[str, Any], form: str | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"number": number, "stage": "tiebreak", "matches": list(matches)}
    return {**made, "tiebreak_form": form} if form else made


def four_winners() -> Event:
    """p1, p3, p5, p7 stand alike at the top, and so do the others below; one prize."""
    return event(
        "warlords-of-terra", [met(f"p{n}", f"p{n + 1}", 20, 0, winner="a") for n in (1, 3, 5, 7)], prize_places=1
    )


def test_warlords_a_tie_at_a_prize_place_is_played_out() -> None:
    made = four_winners()
    assert {why for _, why in order_of(made)[:3]} == {"random"}
    made["rounds"] += [
        tie_break(2, met("p1", "p3", 0, 1, winner="b"), met("p5", "p7", 0, 1, winner="b")),
        tie_break(3, met("p1", "p5", 0, 1, winner="b"), met("p3", "p7", 0, 1, winner="b")),
        tie_break(4, met("p1", "p7", 0, 1, winner="b"), met("p3", "p5", 0, 1, winner="b")),
    ]
    # Wins: p7 3, p5 2, p3 1. Nothing is at stake among the losers.
    assert order_of(made)[:4] == [
        ("p7", "tiebreak_round"),
        ("p5", "tiebreak_round"),
        ("p3", "tiebreak_round"),
        ("p1", "points"),
    ]
    assert order_of(made)[4][1] == "random"


def test_warlords_knockout_ranks_by_the_round_of_the_first_loss() -> None:
    made = four_winners()
    made["rounds"] += [
        tie_break(2, met("p1", "p3", 0, 1, winner="b"), met("p5", "p7", 0, 1, winner="b"), form="knockout"),
        tie_break(3, met("p3", "p7", 1, 0, winner="a"), form="knockout"),
    ]
    assert order_of(made)[:2] == [("p3", "tiebreak_round"), ("p7", "tiebreak_round")]
    assert order_of(made)[2][1] == "random"


def test_warlords_who_left_stands_below_in_a_tie_at_a_prize() -> None:
    made = event(
        "warlords-of-terra", [met("p1", "p2", 20, 0, winner="a"), met("p3", "p4", 20, 0, winner="a")], prize_places=1
    )
    for gone, stays in (("p1", "p3"), ("p3", "p1")):
        for competitor in made["competitors"]:
            competitor.pop("dropped_after", None)
            if competitor["id"] == gone:
                competitor["dropped_after"] = 1
        assert order_of(made)[:2] == [(stays, "tiebreak_round"), (gone, "points")]


def ranked(players: int) -> Event:
    """X-Wing after one round whose standings are p1, p2, …: margins fall."""
    half = players // 2
    matches = [met(f"p{n}", f"p{players + 1 - n}", 100, 2 * n) for n in range(1, half + 1)]
    return event("xwing-standard", matches, cut=8)


def test_the_sixth_leaves_before_the_top_8_and_the_ninth_comes_in_last() -> None:
    made = ranked(18)
    assert names(order_of(made))[:9] == [f"p{n}" for n in range(1, 10)]
    assert seeds_due(made) == [f"p{n}" for n in range(1, 9)]
    made["competitors"][5]["dropped_after"] = 1
    assert seeds_due(made) == ["p1", "p2", "p3", "p4", "p5", "p7", "p8", "p9"]
    assert games_due(made) == {1: ["p1", "p9"], 2: ["p2", "p8"], 3: ["p3", "p7"], 4: ["p4", "p5"]}


def test_the_winner_of_game_1_meets_that_of_the_highest_numbered_game() -> None:
    made = ranked(16)
    pairs = games_due(made)
    made["rounds"].append(
        {
            "number": 2,
            "stage": "elimination",
            "matches": [{**met(a, b, 100, 0), "game": game} for game, (a, b) in pairs.items()],
        }
    )
    assert games_due(made) == {1: ["p1", "p4"], 2: ["p2", "p3"]}
    made["competitors"][3]["dropped_after"] = 2
    assert games_due(made) == {1: ["p1"], 2: ["p2", "p3"]}


def drawn_semi_final(rulebook: str, **result: Any) -> dict[Any, list[str]]:
    made = event(rulebook, [met("p1", "p4", 2, 0, winner="a"), met("p2", "p3", 2, 1, winner="a")], cut=4)
    order = names(order_of(made))
    made["rounds"].append(
        {
            "number": 2,
            "stage": "elimination",
            "matches": [
                {**met(order[3], order[0], 1, 1, ended="time", **result), "game": 1},
                {**met(order[1], order[2], 2, 0, winner="a"), "game": 2},
            ],
        }
    )
    return {game: [f"seed {order.index(who) + 1}" for who in sides] for game, sides in games_due(made).items()}


def test_a_drawn_epic_game_goes_to_whoever_had_initiative() -> None:
    assert drawn_semi_final("xwing-epic-duel", initiative="a")[1] == ["seed 4", "seed 2"]


def test_a_drawn_shatterpoint_game_goes_to_the_better_swiss_rank() -> None:
    assert drawn_semi_final("shatterpoint-premier")[1] == ["seed 1", "seed 2"]
