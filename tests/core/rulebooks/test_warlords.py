"""Warlords of Terra against its document, part C: points, SCORE, the tied among themselves, no draw in elimination."""

import pytest
from msgspec.structs import replace

from roundtap_core.errors import Problem
from roundtap_core.pairing.swiss_round import draw_swiss_round
from roundtap_core.records import Match, Result, SidePair
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import rulebook
from rulebook_kit import (
    FINAL,
    KNOCKOUT,
    SWISS,
    asked,
    at_time,
    bye,
    conceded,
    decided,
    event,
    figures,
    form_of,
    game,
    limits,
    made,
    order,
    played,
    points,
    refused_new,
    rows,
    ruling,
    taken_new,
    way_of,
)

BOOK = rulebook("warlords-of-terra")
FINAL_OF_THREE = {"stages": {"final": {"best_of": 3, "minutes": None}, "third_place": {"best_of": 3, "minutes": None}}}

FOUR = ("Ana", "Bruno", "Cira", "Dora")


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (played(20, 0, "a"), (3, 0)),
        (at_time(15, 4, "draw"), (1, 1)),
        (played(0, 3, "b"), (0, 3)),
        # Who cannot draw a card loses at any life total.
        (played(19, 4, "b"), (0, 3)),
        (conceded("a", 18, 2), (0, 3)),
        (ruling("draw"), (1, 1)),
        (ruling("a"), (3, 0)),
        (ruling("none"), (0, 0)),
    ],
)
def test_3_points_for_a_win_1_for_a_draw_0_for_a_loss(result: Result, expected: tuple[int, int]) -> None:
    assert points(BOOK, result) == expected


@pytest.mark.parametrize(
    ("result", "score"),
    [
        # The document's three examples.
        (played(42, 0, "a"), (20, -20)),
        (played(-5, 15, "b"), (-15, 15)),
        (played(30, -15, "a"), (20, -20)),
        # A draw at time may have unequal lives.
        (at_time(14, 3, "draw"), (11, -11)),
        # The winner may have fewer: no card left to draw.
        (played(4, 19, "a"), (-15, 15)),
        (ruling("none", 20, 0), (0, 0)),
    ],
)
def test_score_is_the_difference_of_lives_between_0_and_20(result: Result, score: tuple[int, int]) -> None:
    assert figures(BOOK, result, "score") == score


def test_whoever_concedes_has_no_life_left_and_the_winner_what_there_is() -> None:
    """House decision."""
    assert figures(BOOK, conceded("b", 7, 18), "score") == (7, -7)
    assert figures(BOOK, conceded("a", 7, 33), "score") == (-20, 20)


def test_the_global_score_is_the_sum() -> None:
    """The document's example: 15-0, then 0-20: -5 after round 2."""
    table = event(
        "warlords-of-terra",
        [
            [game("Ana", "Bruno", played(15, 0, "a")), game("Cira", "Dora", played(20, 0, "a"))],
            [game("Ana", "Cira", played(0, 20, "b")), game("Bruno", "Dora", played(20, 11, "a"))],
        ],
        "Ana",
        "Bruno",
        "Cira",
        "Dora",
    )
    assert {who: row.tiebreakers["score"] for who, row in rows(table).items()} == {
        "Ana": -5,
        "Bruno": -6,
        "Cira": 40,
        "Dora": -29,
    }


def test_a_bye_is_a_win_with_score_0() -> None:
    """House decision; the SCORE of a bye is an option."""
    assert [bye(BOOK, kind) for kind in ("bye", "won", "no-show", "unpaired-loss")] == [(3, 0), (3, 0), (3, 0), (0, 0)]
    assert bye(BOOK, bye_score=10) == (3, 10)
    assert bye(BOOK, "unpaired-loss", bye_score=10) == (0, 0)


@pytest.mark.parametrize(
    ("result", "refusal"),
    [
        (played(20, 0), ("winner_missing", "/winner")),
        (at_time(20, 0), ("winner_missing", "/winner")),
        (conceded("a", winner="a"), ("winner_contradicts_concession", "/winner")),
        (played(20, 0, "a", wounds=SidePair(1, 1)), ("not_of_this_rulebook", "/wounds")),
        (played(20, 0, "a", initiative="b"), ("not_of_this_rulebook", "/initiative")),
        (played(20, 0, "a", picks={"a": [1]}), ("not_of_this_rulebook", "/picks")),
        # A 7.1: whoever is at 0 or below has lost, in that instant.
        (at_time(12, -4, "draw"), ("drawn_without_life", "/winner")),
        (at_time(0, 12, "draw"), ("drawn_without_life", "/winner")),
        (played(12, -4, "draw"), ("drawn_without_life", "/winner")),
        (played(0, 5, "a"), ("winner_without_life", "/winner")),
        (played(0, 0, "b"), ("winner_without_life", "/winner")),
        (at_time(-1, -1, "a"), ("winner_without_life", "/winner")),
        (conceded("a", 3, 0), ("winner_without_life", "/winner")),
        # Before time nobody shares a game, and nobody loses it with life left for no reason.
        (played(9, 9, "draw"), ("no_draw_before_time", "/winner")),
        (played(20, 7, "a"), ("loser_has_life", "/score/b")),
        (at_time(3, 17, "a"), ("loser_has_life", "/score/b")),
        (played(20, 7, "a", timeout={"reason": "luck"}), ("loser_has_life", "/score/b")),
    ],
)
def test_what_nobody_can_enter(result: Result, refusal: tuple[str, str]) -> None:
    assert refused_new(BOOK, result) == refusal


def test_any_lives_can_be_entered() -> None:
    for result in (played(42, 0, "a"), played(-5, 15, "b"), played(30, -15, "a"), conceded("b", 3, 17)):
        taken_new(BOOK, result)


@pytest.mark.parametrize("reason", ["no_card", "foreign_card"])
@pytest.mark.parametrize("situation", [SWISS, KNOCKOUT])
def test_who_cannot_draw_or_holds_a_foreign_card_has_lost_at_any_life(reason: str, situation: MatchSituation) -> None:
    """A 7.2 and A 7.3."""
    for ended in ("played", "time"):
        taken_new(BOOK, Result(ended, "a", score=SidePair(3, 17), timeout={"reason": reason}), situation)


def test_both_without_life_at_once_is_a_draw() -> None:
    """House decision."""
    for result in (played(0, 0, "draw"), at_time(-3, 0, "draw")):
        taken_new(BOOK, result)
        assert (points(BOOK, result), figures(BOOK, result, "score")) == ((1, 1), (0, 0))
    assert made(BOOK, way_of(BOOK, "both_gone"), {}) == played(0, 0, "draw")
    assert refused_new(BOOK, played(0, 0, "draw"), KNOCKOUT) == ("no_draw_here", "/winner")


@pytest.mark.parametrize(("a", "b", "winner"), [(2, 2, "a"), (1, 0, "a"), (1, 2, "a"), (3, 0, "a"), (2, -1, "a")])
def test_games_of_a_best_of_three_that_cannot_be(a: int, b: int, winner: str) -> None:
    key, _ = refused_new(BOOK, played(a, b, winner), FINAL, **FINAL_OF_THREE)
    assert key in ("winner_contradicts_games", "figure_out_of_range")


def test_a_best_of_three_keeps_its_games_or_its_winner_alone() -> None:
    for result in (played(2, 1, "a"), played(0, 2, "b"), played(0, 0, "b"), conceded("a", 1, 1)):
        taken_new(BOOK, result, FINAL, **FINAL_OF_THREE)


@pytest.mark.parametrize("stage", ["elimination", "final", "third_place", "tiebreak"])
def test_no_draw_where_somebody_has_to_go_on(stage: str) -> None:
    """House decision: such a game is played on, untimed."""
    situation = MatchSituation(stage)
    assert refused_new(BOOK, at_time(9, 9, "draw"), situation) == ("no_draw_here", "/winner")
    assert refused_new(BOOK, ruling("draw"), situation) == ("no_draw_here", "/winner")
    taken_new(BOOK, played(0, 8, "b"), situation)
    form = form_of(BOOK, situation)
    for time_is_up in (False, True):
        assert [way.id for way in form.offered(time_is_up)] == ["played", "cards_out", "conceded"]


# The form.


def test_before_time_the_loser_has_no_life_and_the_winner_starts_at_20() -> None:
    form = form_of(BOOK)
    assert form.direct
    assert [way.id for way in form.offered(False)] == ["played", "cards_out", "conceded", "both_gone"]
    won = way_of(BOOK, "played")
    assert asked(won, {"score.winner": 20}) == ["score.winner"]
    assert limits(won)["score.winner"] == (0, 20, 20)
    assert made(BOOK, won, {"score.winner": 13}, "b") == played(0, 13, "b")


def test_a_keyboard_may_say_more_than_20_and_less_than_none() -> None:
    won = way_of(BOOK, "played")
    assert made(BOOK, won, {"score.winner": 42, "score.loser": -5}) == played(42, -5, "a")


@pytest.mark.parametrize("reason", ["no_card", "foreign_card"])
def test_out_of_cards_or_a_foreign_one_asks_which_and_both_lives(reason: str) -> None:
    way, answers = way_of(BOOK, "cards_out"), {"reason": reason, "score.winner": 3, "score.loser": 17}
    assert asked(way, answers) == list(answers)
    assert made(BOOK, way, answers, "b") == played(17, 3, "b", timeout={"reason": reason})


def test_a_concession_and_a_draw_at_time() -> None:
    assert made(BOOK, way_of(BOOK, "conceded"), {"score.winner": 11}) == conceded("b", 11, 0)
    assert made(BOOK, way_of(BOOK, "draw"), {"score.winner": 11, "score.loser": 5}, "b") == at_time(5, 11, "draw")
    assert [way.id for way in form_of(BOOK).offered(True)] == ["time", "cards_out", "conceded", "draw", "both_gone"]


def test_a_final_may_be_best_of_three_and_untimed_and_third_place_beside_it() -> None:
    options = BOOK.options(FINAL_OF_THREE)
    BOOK.check_options(FINAL_OF_THREE)
    assert {
        stage: (BOOK.games(stage, options), BOOK.minutes(stage, options))
        for stage in ("swiss", "elimination", "final", "third_place", "tiebreak")
    } == {"swiss": (1, 45), "elimination": (1, 45), "final": (3, None), "third_place": (3, None), "tiebreak": (1, None)}
    form = form_of(BOOK, FINAL, **FINAL_OF_THREE)
    assert form.games == 2
    assert made(BOOK, form.ways[0], {}, "b", FINAL, **FINAL_OF_THREE).winner == "b"


def test_a_best_of_three_has_no_time_unless_one_is_set() -> None:
    """ "una final al mejor de 3 partidas y sin tiempo"."""
    given = BOOK.options({"stages": {"final": {"best_of": 3}, "third_place": {"best_of": 3, "minutes": 120}}})
    assert [BOOK.minutes(stage, given) for stage in ("final", "third_place")] == [None, 120]


@pytest.mark.parametrize("stage", ["swiss", "elimination"])
def test_every_other_round_is_one_game(stage: str) -> None:
    """ "se jugará (de manera oficial y computable) UNA sola partida"."""
    with pytest.raises(Problem) as caught:
        BOOK.check_options({"stages": {stage: {"best_of": 3}}})
    assert (caught.value.key, caught.value.where) == ("not_one_of", f"/options/stages/{stage}/best_of")


# Standings.


def test_score_comes_before_the_match_between_them() -> None:
    table = event(
        "warlords-of-terra",
        [
            [game("Bruno", "Ana", played(2, 0, "a")), game("Cira", "Dora", played(20, 0, "a"))],
            [game("Ana", "Dora", played(20, 0, "a")), game("Cira", "Bruno", played(20, 19, "a"))],
        ],
        *FOUR,
    )
    assert order(table) == "Cira Ana Bruno Dora"
    assert decided(table) == ["points", "score", "points", "last"]


def test_two_tied_who_met_are_decided_by_their_match() -> None:
    """2.2: Ana and Bruno have 3 points and SCORE +5 each; Bruno beat Ana."""
    table = event(
        "warlords-of-terra",
        [
            [game("Bruno", "Ana", played(10, 0, "a")), game("Cira", "Dora", played(20, 0, "a"))],
            [game("Ana", "Dora", played(15, 0, "a")), game("Cira", "Bruno", played(20, 15, "a"))],
        ],
        *FOUR,
    )
    assert [(row.competitor, row.points, row.tiebreakers["score"]) for row in rows(table).values()] == [
        ("Cira", 6, 25),
        ("Bruno", 3, 5),
        ("Ana", 3, 5),
        ("Dora", 0, -35),
    ]
    assert decided(table) == ["points", "head_to_head", "points", "last"]


def test_their_match_is_won_by_who_won_it_and_not_by_the_lives() -> None:
    """Bruno beat Ana with 4 lives to 19: she had no card left to draw."""
    table = event(
        "warlords-of-terra",
        [
            [game("Bruno", "Ana", played(4, 19, "a")), game("Cira", "Dora", played(20, 0, "a"))],
            [game("Ana", "Dora", played(0, 20, "a")), game("Cira", "Bruno", played(2, 12, "a"))],
        ],
        *FOUR,
    )
    assert [(row.competitor, row.points, row.tiebreakers["score"]) for row in rows(table).values()][1:3] == [
        ("Bruno", 3, -5),
        ("Ana", 3, -5),
    ]
    assert decided(table)[1] == "head_to_head"


def test_if_their_match_was_drawn_its_score_tells() -> None:
    table = event(
        "warlords-of-terra",
        [
            [game("Ana", "Bruno", at_time(8, 11, "draw")), game("Cira", "Dora", played(20, 0, "a"))],
            [game("Ana", "Dora", played(20, 0, "a")), game("Bruno", "Cira", played(14, 0, "a"))],
        ],
        *FOUR,
    )
    assert {who: rows(table)[who].tiebreakers["score"] for who in ("Ana", "Bruno")} == {"Ana": 17, "Bruno": 17}
    assert order(table).split()[:2] == ["Bruno", "Ana"]
    assert decided(table)[0] == "head_to_head"


def test_two_tied_who_never_met_go_on_to_their_opponents_points() -> None:
    table = event(
        "warlords-of-terra",
        [
            [game("Ana", "Cira", played(10, 0, "a")), game("Bruno", "Dora", played(10, 0, "a"))],
            [game("Dora", "Cira", played(10, 0, "a"))],
        ],
        *FOUR,
    )
    # Cira has 0 points, Dora 3.
    assert order(table) == "Bruno Ana Dora Cira"
    assert decided(table)[0] == "opponents_points"


def test_then_the_sum_of_their_opponents_global_score() -> None:
    table = event(
        "warlords-of-terra",
        [
            [
                game("Ana", "Cira", played(15, 0, "a")),
                game("Bruno", "Dora", played(15, 0, "a")),
                game("Eva", "Fritz", played(5, 0, "a")),
            ],
            [game("Cira", "Fritz", played(20, 0, "a")), game("Dora", "Eva", played(19, 0, "a"))],
        ],
        *FOUR,
        "Eva",
        "Fritz",
    )
    # Both opponents have 3 points; Cira's SCORE is +5, Dora's +4.
    assert order(table).split()[:2] == ["Ana", "Bruno"]
    tied = [row for row in rows(table).values() if row.competitor in ("Ana", "Bruno")]
    assert [
        (row.competitor, row.tiebreakers["opponents_points"], row.tiebreakers["opponents_score"]) for row in tied
    ] == [("Ana", 3, 5), ("Bruno", 3, 4)]
    assert tied[0].decided_by == "opponents_score"


def circle(ana_bruno: tuple[int, int], bruno_cira: tuple[int, int], cira_ana: tuple[int, int]) -> list[list[Match]]:
    """Ana beats Bruno, Bruno beats Cira, Cira beats Ana; each beats Dora 20:0."""
    return [
        [game("Ana", "Bruno", played(*ana_bruno, "a")), game("Cira", "Dora", played(20, 0, "a"))],
        [game("Bruno", "Cira", played(*bruno_cira, "a")), game("Ana", "Dora", played(20, 0, "a"))],
        [game("Cira", "Ana", played(*cira_ana, "a")), game("Bruno", "Dora", played(20, 0, "a"))],
    ]


def test_three_who_all_met_are_decided_by_points_among_themselves() -> None:
    """House decision. Level in points and in global SCORE; among themselves Ana won both, Bruno one, Cira none."""
    table = event(
        "warlords-of-terra",
        [
            [game("Ana", "Bruno", played(5, 0, "a")), game("Cira", "Dora", played(20, 0, "a"))],
            [game("Ana", "Cira", played(2, 0, "a")), game("Bruno", "Dora", played(20, 0, "a"))],
            [game("Bruno", "Cira", played(5, 0, "a")), game("Dora", "Ana", played(20, 13, "a"))],
            [
                game("Cira", "Eva", played(0, 13, "a")),
                game("Fritz", "Bruno", played(20, 0, "a")),
                game("Gil", "Ana", played(0, 0, "a")),
            ],
        ],
        *FOUR,
        "Eva",
        "Fritz",
        "Gil",
    )
    found = rows(table)
    # Ana 5 + 2 - 7 + 0, Bruno -5 + 20 + 5 - 20, Cira 20 - 2 - 5 - 13.
    assert {who: (found[who].points, found[who].tiebreakers["score"]) for who in ("Ana", "Bruno", "Cira")} == {
        "Ana": (6, 0),
        "Bruno": (6, 0),
        "Cira": (6, 0),
    }
    assert order(table).split()[:3] == ["Ana", "Bruno", "Cira"]


def test_a_circle_of_three_is_decided_by_the_score_of_their_three_matches() -> None:
    table = event(
        "warlords-of-terra",
        [
            *circle((10, 0), (6, 0), (8, 0)),
            # Draws that bring all three to the same global SCORE.
            [
                game("Ana", "Eva", at_time(10, 8, "draw")),
                game("Bruno", "Fritz", at_time(12, 4, "draw")),
                game("Cira", "Gil", at_time(10, 8, "draw")),
            ],
        ],
        *FOUR,
        "Eva",
        "Fritz",
        "Gil",
    )
    found = rows(table)
    # Among themselves: Ana +10 - 8, Bruno -10 + 6, Cira -6 + 8. Global: + 20 each, + 2, + 8, + 2.
    assert {who: (found[who].points, found[who].tiebreakers["score"]) for who in ("Ana", "Bruno", "Cira")} == {
        "Ana": (7, 24),
        "Bruno": (7, 24),
        "Cira": (7, 24),
    }
    # Bruno is out of it with -4; Ana and Cira have +2 each and start again: Cira beat Ana.
    assert order(table).split()[:3] == ["Cira", "Ana", "Bruno"]
    assert decided(table)[:2] == ["head_to_head", "head_to_head"]


def test_a_smaller_tie_starts_again_at_the_match_between_them() -> None:
    """House decision: Ana beat Bruno, Cira met neither, so criterion 2 decides nothing among three. Cira's opponents
    have the most points; the two who are left start again, though the SCORE of Bruno's opponents is the higher."""
    table = event(
        "warlords-of-terra",
        [
            [game("Ana", "Bruno", played(10, 0, "a")), game("Cira", "Dora", played(10, 0, "a"))],
            [
                game("Eva", "Ana", played(10, 0, "a")),
                game("Bruno", "Fritz", played(10, 0, "a")),
                game("Hugo", "Cira", played(10, 0, "a")),
                game("Dora", "Gil", played(20, 0, "a")),
            ],
            [game("Dora", "Eva", played(20, 0, "a")), game("Fritz", "Gil", played(20, 0, "a"))],
        ],
        *FOUR,
        "Eva",
        "Fritz",
        "Gil",
        "Hugo",
    )
    tied = {
        row.competitor: (row.points, *row.tiebreakers.values())
        for row in rows(table).values()
        if row.competitor in ("Ana", "Bruno", "Cira")
    }
    # Points, SCORE, points and SCORE of the opponents: Bruno and Eva; Ana and Fritz; Dora and Hugo.
    assert tied == {"Ana": (3, 0, 3 + 3, 0 - 10), "Bruno": (3, 0, 3 + 3, 0 + 10), "Cira": (3, 0, 6 + 3, 30 + 10)}
    assert order(table).split()[3:6] == ["Cira", "Ana", "Bruno"]
    assert decided(table)[3:5] == ["opponents_points", "head_to_head"]


def test_a_match_both_lost_is_a_meeting_that_decides_nothing() -> None:
    table = event("warlords-of-terra", [[game("Ana", "Bruno", ruling("none", 20, 0))]], "Ana", "Bruno", prize_places=0)
    assert [row.by_chance for row in rows(table).values()] == [True, True]


def test_the_bye_goes_at_random_to_one_with_the_fewest_points_who_had_none() -> None:
    """House decision: pairing and byes as KeyForge."""
    first = [
        game("Ana", "Bruno", played(9, 0, "a")),
        game("Cira", "Dora", at_time(9, 9, "draw")),
        Match("Eva", bye="bye"),
    ]
    drawn = {
        seed: next(
            m.a
            for m in draw_swiss_round(
                event("warlords-of-terra", [first], *FOUR, "Eva", seed=seed, swiss_rounds=3)
            ).matches
            if m.b is None
        )
        for seed in range(20)
    }
    assert set(drawn.values()) == {"Bruno"}
    level = [game("Ana", "Bruno", at_time(9, 0, "draw")), *first[1:]]
    drawn = {
        seed: next(
            m.a
            for m in draw_swiss_round(
                event("warlords-of-terra", [level], *FOUR, "Eva", seed=seed, swiss_rounds=3)
            ).matches
            if m.b is None
        )
        for seed in range(60)
    }
    assert set(drawn.values()) == set(FOUR)


def test_the_structure_is_the_organizer_s_own() -> None:
    assert BOOK.structure(20, BOOK.options({"swiss_rounds": 5, "cut": 8})) == (5, 8)
    assert BOOK.structure(20, BOOK.options({})) == (5, 0)
    for structure in ("basic", "advanced"):
        with pytest.raises(Problem, match="own"):
            BOOK.check_options({"structure": structure})


def test_the_worth_shown_before_it_is_confirmed() -> None:
    match = Match("Ana", "Bruno", result=played(42, 0, "a"))
    assert BOOK.worth(match, BOOK.options({})) == {"points": (3, 0), "score": (20, -20)}
    assert BOOK.worth(replace(match, result=conceded("a", 5, 8)), BOOK.options({}))["score"] == (-8, 8)
    assert (
        BOOK.worth(match, BOOK.options({}), KNOCKOUT)
        == BOOK.worth(match, BOOK.options({}), MatchSituation("tiebreak"))
        == {}
    )
