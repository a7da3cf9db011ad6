"""X-Wing Epic against its document: duel and team, margins, modified wins, byes, initiative, the cut's own order."""

import pytest
from msgspec.structs import replace

from roundtap_core.check.check import violations
from roundtap_core.elimination.bracket import cut_table, qualifiers
from roundtap_core.errors import Problem
from roundtap_core.forms.questions import WINNER
from roundtap_core.pairing.swiss_round import draw_swiss_round
from roundtap_core.records import SIDES, Match, Result, Round, Side, SidePair
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.standings import standings
from rulebook_kit import (
    KNOCKOUT,
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
    ruling,
    taken_new,
    tallies,
    way_of,
)

DUEL, TEAM = rulebook("xwing-epic-duel"), rulebook("xwing-epic-team")
LISTS_290_AND_300 = MatchSituation("swiss", (290, 300))

EIGHT = [
    # Ana's opponents gather 10 points, Bruno's 5; Bruno's margin is the larger.
    [
        game("Ana", "Cira", played(20, 10, "a")),
        game("Bruno", "Dora", played(300, 0, "a")),
        game("Eva", "Fritz", played(300, 0, "a")),
        game("Gil", "Hugo", at_time(100, 100)),
    ],
    [
        game("Ana", "Gil", played(20, 10, "a")),
        game("Bruno", "Hugo", played(300, 0, "a")),
        game("Cira", "Eva", played(300, 0, "a")),
        game("Dora", "Fritz", played(300, 0, "b")),
    ],
    [
        game("Ana", "Eva", played(10, 20, "b")),
        game("Cira", "Bruno", played(20, 10, "a")),
        game("Dora", "Gil", played(0, 300, "b")),
        game("Fritz", "Hugo", at_time(100, 95)),
    ],
]
NAMES = ("Ana", "Bruno", "Cira", "Dora", "Eva", "Fritz", "Gil", "Hugo")

OF_A_280 = MatchSituation(totals=(280, None))
"""a's list is known, b's may cost up to 300."""


def test_the_document_s_example_anakin_153_biggs_124() -> None:
    """ "Ejemplo de final de partida": 29 points ahead at time, so a full win; 329 and 271."""
    anakin_biggs = at_time(153, 124)
    assert points(DUEL, anakin_biggs) == (5, 0)
    assert figures(DUEL, anakin_biggs, "mov") == (329, 271)


def test_the_same_game_between_teams_counts_from_400() -> None:
    assert figures(TEAM, at_time(153, 124), "mov") == (429, 371)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        # Before time whoever has something left wins fully, whatever the points.
        (played(300, 120, "a"), (5, 0)),
        (played(90, 250, "a"), (5, 0)),
        (played(5, 0, "b"), (0, 5)),
        # Nobody left: a draw, whatever the points.
        (played(300, 260, "draw"), (1, 1)),
        # At time the points decide, from a margin of 12 on fully.
        (at_time(112, 100), (5, 0)),
        (at_time(111, 100), (3, 0)),
        (at_time(100, 101), (0, 3)),
        (at_time(100, 112), (0, 5)),
        (at_time(100, 100), (1, 1)),
        (at_time(0, 0), (1, 1)),
        # Who concedes loses, also when ahead.
        (conceded("b", 10, 0), (5, 0)),
        (conceded("a", 200, 0), (0, 5)),
        # A judge's word is a full win, a draw or a loss for both.
        (ruling("a", 0, 4), (5, 0)),
        (ruling("draw"), (1, 1)),
        (ruling("none", 50, 20), (0, 0)),
    ],
)
def test_win_5_modified_win_3_draw_1_loss_0(result: Result, expected: tuple[int, int]) -> None:
    assert points(DUEL, result) == expected
    assert points(TEAM, result) == expected


def test_a_full_margin_by_the_concession_of_a_list_is_no_modified_win() -> None:
    assert points(DUEL, conceded("b", 295, 290)) == (5, 0)


@pytest.mark.parametrize(
    ("result", "mov"),
    [
        # By points alone: the winner of this game has the smaller margin.
        (played(90, 250, "a"), (140, 460)),
        (at_time(111, 100), (311, 289)),
        (at_time(100, 100), (300, 300)),
        (played(300, 260, "draw"), (340, 260)),
        # A destroyed list of 290 counts 290, not 300.
        (played(290, 50, "a"), (540, 60)),
        (ruling("b", 40, 10), (330, 270)),
        (ruling("none", 50, 20), (0, 0)),
    ],
)
def test_the_margin_of_victory_is_by_points_whoever_won(result: Result, mov: tuple[int, int]) -> None:
    assert figures(DUEL, result, "mov") == mov


def test_a_concession_destroys_all_that_is_left_at_what_the_list_costs() -> None:
    cheap = {"Ana": 300, "Bruno": 290}
    assert figures(DUEL, conceded("b", 40, 12), "mov", cheap) == (578, 22)
    assert figures(DUEL, conceded("a", 40, 12), "mov", cheap) == (40, 560)
    # Where the total is unknown, all the squad points count.
    assert figures(DUEL, conceded("b", 40, 12), "mov") == (588, 12)
    assert figures(DUEL, conceded("b", 40, 12), "mov", squad_points=150) == (288, 12)


def test_a_bye_is_a_win_with_one_and_a_half_of_the_base() -> None:
    """House decision: the document's section on byes is a copy of the one on ties."""
    assert [bye(DUEL, kind) for kind in ("bye", "won", "no-show", "unpaired-loss")] == [
        (5, 450),
        (5, 600),
        (5, 450),
        (0, 0),
    ]
    assert [bye(TEAM, kind) for kind in ("bye", "won")] == [(5, 600), (5, 800)]
    assert bye(DUEL, bye_mov=310) == (5, 310)
    assert bye(DUEL, squad_points=100) == (5, 150)


@pytest.mark.parametrize(
    ("result", "refusal"),
    [
        (at_time(120, 100, "b"), ("winner_contradicts_score", "/winner")),
        (at_time(100, 100, "a"), ("winner_contradicts_score", "/winner")),
        (at_time(101, 100, "draw"), ("winner_contradicts_score", "/winner")),
        (played(300, 0), ("winner_missing", "/winner")),
        (played(301, 0, "a"), ("figure_out_of_range", "/score/a")),
        (played(300, -1, "a"), ("figure_out_of_range", "/score/b")),
        (Result("concession", "b", "b"), ("winner_contradicts_concession", "/winner")),
        (played(300, 0, "a", wounds=SidePair(1, 0)), ("not_of_this_rulebook", "/wounds")),
        (played(300, 0, "a", picks={"a": [1]}), ("not_of_this_rulebook", "/picks")),
        (played(300, 0, "a", first_player="a"), ("not_of_this_rulebook", "/first_player")),
        (played(300, 0, "a", timeout={}), ("not_of_this_rulebook", "/timeout")),
    ],
)
def test_what_nobody_can_enter(result: Result, refusal: tuple[str, str]) -> None:
    assert refused_new(DUEL, result) == refusal


def test_nobody_destroys_more_than_the_other_s_list() -> None:
    taken_new(DUEL, played(300, 289, "a"), LISTS_290_AND_300)
    assert refused_new(DUEL, played(300, 291, "a"), LISTS_290_AND_300) == ("figure_out_of_range", "/score/b")
    taken_new(TEAM, played(400, 0, "a"))
    assert refused_new(TEAM, played(401, 0, "a")) == ("figure_out_of_range", "/score/a")


def test_a_draw_in_elimination_goes_to_whoever_had_initiative() -> None:
    options = DUEL.options({})
    for drawn in (at_time(100, 100), played(280, 300, "draw")):
        taken_new(DUEL, drawn)
        assert refused_new(DUEL, drawn, KNOCKOUT) == ("initiative_missing", "/initiative")
        won = replace(drawn, initiative="b")
        taken_new(DUEL, won, KNOCKOUT)
        assert [DUEL.elimination_winner(won, options, better) for better in ("a", "b")] == ["b", "b"]
    assert DUEL.elimination_winner(at_time(100, 90, initiative="b"), options, "b") == "a"


# The form.


def test_before_time_the_winner_says_how_and_what() -> None:
    form = form_of(DUEL)
    assert [way.id for way in form.offered(False)] == ["wiped_out", "conceded", "both_wiped_out"]
    assert [way.id for way in form.offered(True)] == ["time", "wiped_out", "conceded", "both_wiped_out"]
    assert not form.direct
    wiped_out = way_of(DUEL, "wiped_out")
    assert made(DUEL, wiped_out, {"score.winner": 300, "score.loser": 88}) == played(300, 88, "a")
    assert made(DUEL, wiped_out, {"score.winner": 120, "score.loser": 240}, "b") == played(240, 120, "b")
    assert made(DUEL, way_of(DUEL, "conceded"), {"score.loser": 8}, "b") == conceded("a", 8, 300)
    gone = way_of(DUEL, "both_wiped_out")
    assert made(DUEL, gone, {"score.winner": 300, "score.loser": 300}, "b") == played(300, 300, "draw")


def test_the_winner_s_figure_begins_at_the_opponent_s_list_total() -> None:
    wiped_out = way_of(DUEL, "wiped_out", LISTS_290_AND_300)
    assert limits(wiped_out, "a") == {"score.winner": (300, 300, 300), "score.loser": (0, 289, 0)}
    assert limits(wiped_out, "b") == {"score.winner": (290, 290, 290), "score.loser": (0, 299, 0)}
    assert limits(way_of(DUEL, "time", LISTS_290_AND_300), "b") == {
        "score.winner": (0, 290, 0),
        "score.loser": (0, 300, 0),
    }
    concession = way_of(DUEL, "conceded", LISTS_290_AND_300)
    assert made(DUEL, concession, {"score.loser": 10}, "b", LISTS_290_AND_300) == conceded("a", 10, 290)


def test_a_list_destroyed_whole_is_not_asked_where_its_total_is_known() -> None:
    wiped_out, gone = (way_of(DUEL, way, LISTS_290_AND_300) for way in ("wiped_out", "both_wiped_out"))
    assert asked(wiped_out, {"score.loser": 120}, "b") == ["score.loser"]
    assert made(DUEL, wiped_out, {"score.loser": 120}, "b", LISTS_290_AND_300) == played(120, 290, "b")
    assert asked(gone, {}) == []
    assert made(DUEL, gone, {}, "b", LISTS_290_AND_300) == played(300, 290, "draw")
    # Where it is not, somebody says it.
    assert asked(way_of(DUEL, "wiped_out"), {"score.winner": 285, "score.loser": 0}) == ["score.winner", "score.loser"]


@pytest.mark.parametrize(
    ("result", "refusal"),
    [
        # "All destroyed" with 10 of 300 points; a draw of which one list is left.
        (played(10, 0, "a"), ("not_destroyed_whole", "/score/a")),
        (played(299, 40, "a"), ("not_destroyed_whole", "/score/a")),
        (played(40, 289, "b"), ("not_destroyed_whole", "/score/b")),
        (played(300, 100, "draw"), ("not_destroyed_whole", "/score/b")),
        # Nobody has a ship left: that is a draw, whoever is said to have won.
        (played(300, 290, "a"), ("destroyed_both", "/winner")),
        (played(300, 290, "b"), ("destroyed_both", "/winner")),
        # At time: a's list of 290 is gone, though a has more points; both are gone.
        (at_time(295, 290), ("destroyed_whole", "/winner")),
        (at_time(300, 290), ("destroyed_whole", "/winner")),
    ],
)
def test_what_a_known_list_does_not_allow(result: Result, refusal: tuple[str, str]) -> None:
    assert refused_new(DUEL, result, LISTS_290_AND_300) == refusal


def test_unknown_lists_allow_what_a_smaller_list_would() -> None:
    taken_new(DUEL, played(280, 299, "a"))
    assert refused_new(DUEL, played(0, 0, "a")) == ("not_destroyed_whole", "/score/a")
    assert refused_new(DUEL, played(100, 300, "a")) == ("destroyed_both", "/winner")


def test_a_list_destroyed_whole_is_a_full_win_at_any_clock() -> None:
    """ "Fin de partida": only while both have ships left do the points decide, and a margin of 12."""
    cheap = {"Ana": 290, "Bruno": 300}
    assert [t.points for t in tallies(DUEL, at_time(285, 290), cheap)] == [0, 5]
    assert [t.points for t in tallies(DUEL, at_time(284, 289), cheap)] == [0, 3]
    assert [t.points for t in tallies(DUEL, at_time(300, 289), cheap)] == [5, 0]
    taken_new(DUEL, at_time(285, 290), LISTS_290_AND_300)
    # As recorded elsewhere: Bruno has a ship left and Ana none, then neither has.
    assert [t.points for t in tallies(DUEL, at_time(295, 290), cheap)] == [0, 5]
    assert [t.points for t in tallies(DUEL, at_time(300, 290), cheap)] == [1, 1]
    # Nobody knows what the lists cost.
    assert [t.points for t in tallies(DUEL, at_time(285, 290))] == [0, 3]
    assert TEAM.worth(
        Match("Ana", "Bruno", result=at_time(390, 400)), TEAM.options({}), MatchSituation(totals=(400, 395))
    )["points"] == (0, 5)


def test_one_known_list_destroyed_whole_is_a_full_win_too_and_an_unknown_one_tells_nothing() -> None:
    worth = [
        [t.points for t in tallies(DUEL, at_time(290, 285), totals)]
        for totals in ({"Bruno": 290}, {"Ana": 290}, {"Bruno": 300}, {})
    ]
    assert worth == [[5, 0], [3, 0], [3, 0], [3, 0]]


def test_a_file_in_which_all_was_destroyed_with_10_points_is_found_out() -> None:
    file = event("xwing-epic-duel", [[game("Ana", "Bruno", played(10, 0, "a"))]], "Ana", "Bruno")
    listed = replace(file, competitors=tuple(replace(c, list={"total": 280}) for c in file.competitors))
    assert [(p.where, p.key) for p in violations(listed)] == [
        ("/rounds/0/matches/0/result/score/a", "not_destroyed_whole")
    ]


def test_at_time_both_count_and_the_points_tell() -> None:
    time = way_of(DUEL, "time")
    assert asked(time, {"score.winner": 124, "score.loser": 153}) == ["score.winner", "score.loser"]
    assert made(DUEL, time, {"score.winner": 124, "score.loser": 153}) == at_time(124, 153)
    assert made(DUEL, time, {"score.winner": 50, "score.loser": 50}) == at_time(50, 50)


def test_initiative_is_asked_in_elimination_and_only_about_a_draw() -> None:
    time = way_of(DUEL, "time", KNOCKOUT)
    drawn = {"score.winner": 50, "score.loser": 50, "initiative": "b"}
    assert asked(time, {"score.winner": 50, "score.loser": 49}) == ["score.winner", "score.loser"]
    assert asked(time, drawn) == ["score.winner", "score.loser", "initiative"]
    assert made(DUEL, time, drawn, situation=KNOCKOUT) == at_time(50, 50, initiative="b")
    gone = {"score.winner": 300, "score.loser": 300, "initiative": "a"}
    assert made(DUEL, way_of(DUEL, "both_wiped_out", KNOCKOUT), gone, "b", KNOCKOUT) == played(
        300, 300, "draw", initiative="a"
    )


def test_the_worth_shown_before_it_is_confirmed() -> None:
    match = Match("Ana", "Bruno", result=at_time(153, 124))
    assert DUEL.worth(match, DUEL.options({})) == {"points": (5, 0), "mov": (329, 271)}
    conceding = Match("Ana", "Bruno", result=conceded("a"))
    assert DUEL.worth(conceding, DUEL.options({}), LISTS_290_AND_300)["mov"] == (10, 590)


# Options and rounds.


@pytest.mark.parametrize("stage", ["swiss", "elimination", "final", "third_place"])
def test_a_round_has_180_minutes_and_at_least_150(stage: str) -> None:
    assert DUEL.minutes(stage, DUEL.options({})) == 180
    DUEL.check_options({"stages": {stage: {"minutes": 150}}})
    DUEL.check_options({"stages": {stage: {"minutes": None}}})
    with pytest.raises(Problem) as caught:
        DUEL.check_options({"stages": {stage: {"minutes": 149}}})
    assert (caught.value.key, caught.value.where) == ("minutes_too_short", f"/options/stages/{stage}/minutes")
    assert "150" in caught.value.say()


def test_above_210_minutes_the_kit_warns() -> None:
    assert DUEL.option_warnings({"stages": {"swiss": {"minutes": 210}, "final": {"minutes": None}}}) == []
    (warning,) = DUEL.option_warnings({"stages": {"swiss": {"minutes": 211}}})
    assert (warning.key, warning.where) == ("minutes_very_long", "/options/stages/swiss/minutes")


def test_a_match_is_one_game_and_the_structure_one_s_own() -> None:
    with pytest.raises(Problem, match="Possible: 1"):
        DUEL.check_options({"stages": {"final": {"best_of": 3}}})
    with pytest.raises(Problem, match="own"):
        DUEL.check_options({"structure": "basic"})
    assert DUEL.structure(30, DUEL.options({"swiss_rounds": 4, "cut": 8})) == (4, 8)
    assert DUEL.structure(30, DUEL.options({})) == (5, 0)


# Standings and cut.


def four() -> list[list[Match]]:
    """Two rounds after which Ana and Bruno are level on 10 points."""
    return [
        [game("Ana", "Cira", played(300, 0, "a")), game("Bruno", "Dora", played(100, 90, "a"))],
        [game("Ana", "Dora", played(300, 0, "a")), game("Bruno", "Cira", played(200, 190, "a"))],
        [game("Cira", "Dora", played(0, 100, "b"))],
    ]


def test_the_margin_comes_before_the_sum_of_the_opponents_points() -> None:
    table = event("xwing-epic-duel", four(), "Ana", "Bruno", "Cira", "Dora")
    assert order(table) == "Ana Bruno Dora Cira"
    # Ana 600 + 600, Bruno 310 + 310.
    assert {row.competitor: row.tiebreakers["mov"] for row in standings(table)} == {
        "Ana": 1200,
        "Bruno": 620,
        "Cira": 490,
        "Dora": 690,
    }
    assert decided(table)[0] == "mov"


def test_the_sum_of_the_opponents_points_by_hand() -> None:
    table = event("xwing-epic-duel", EIGHT, *NAMES)
    found = {row.competitor: (row.points, row.tiebreakers["opponents_points"]) for row in standings(table)}
    # Points: Ana 10, Bruno 10, Cira 10, Dora 0, Eva 10, Fritz 5 + 3, Gil 1 + 0 + 5, Hugo 1.
    assert found == {
        "Ana": (10, 10 + 6 + 10),
        "Bruno": (10, 0 + 1 + 10),
        "Cira": (10, 10 + 10 + 10),
        "Dora": (0, 10 + 8 + 6),
        "Eva": (10, 8 + 10 + 10),
        "Fritz": (8, 10 + 0 + 1),
        "Gil": (6, 1 + 10 + 0),
        "Hugo": (1, 6 + 10 + 8),
    }


def test_the_cut_goes_by_points_then_the_opponents_points_and_not_by_the_margin() -> None:
    """ "Rondas finales eliminatorias": Bruno, first by margin, is the last of the four with 10 points in the cut."""
    table = event("xwing-epic-duel", EIGHT, *NAMES, cut=4)
    # MoV: Bruno 600 + 600 + 290, Cira 290 + 600 + 310, Eva 600 + 0 + 310, Ana 310 + 310 + 290.
    assert {row.competitor: row.tiebreakers["mov"] for row in standings(table)[:4]} == {
        "Bruno": 1490,
        "Cira": 1200,
        "Eva": 910,
        "Ana": 910,
    }
    assert order(table).split()[:4] == ["Bruno", "Cira", "Eva", "Ana"]
    assert list(DUEL.cut_order(standings(table), table.seed))[:4] == ["Cira", "Eva", "Ana", "Bruno"]
    assert list(qualifiers(table)) == ["Cira", "Eva", "Ana", "Bruno"]
    assert DUEL.own_cut_order
    assert not rulebook("xwing-standard").own_cut_order


def test_a_bye_and_a_missed_round_add_nothing_to_the_sum() -> None:
    table = event(
        "xwing-epic-duel",
        [
            [game("Ana", "Bruno", played(300, 0, "a")), Match("Cira", bye="bye"), Match("Dora", bye="unpaired-loss")],
            [game("Ana", "Cira", played(300, 0, "a")), Match("Bruno", bye="bye"), Match("Dora", bye="no-show")],
        ],
        "Ana",
        "Bruno",
        "Cira",
        "Dora",
    )
    assert {row.competitor: row.tiebreakers["opponents_points"] for row in standings(table)} == {
        "Ana": 10,
        "Bruno": 10,
        "Cira": 10,
        "Dora": 0,
    }


def test_the_bye_goes_at_random_to_one_with_the_fewest_points_who_had_none() -> None:
    first = [
        game("Ana", "Bruno", played(300, 0, "a")),
        game("Cira", "Dora", played(300, 0, "a")),
        Match("Eva", bye="bye"),
    ]
    second = [
        game("Ana", "Eva", played(300, 0, "a")),
        game("Cira", "Bruno", played(300, 0, "a")),
        Match("Dora", bye="bye"),
    ]
    drawn = set()
    for seed in range(40):
        after_one = event("xwing-epic-duel", [first], "Ana", "Bruno", "Cira", "Dora", "Eva", seed=seed, swiss_rounds=3)
        drawn |= {match.a for match in draw_swiss_round(after_one).matches if match.b is None}
        after_two = event(
            "xwing-epic-duel", [first, second], "Ana", "Bruno", "Cira", "Dora", "Eva", seed=seed, swiss_rounds=3
        )
        # Bruno alone has no points yet; Dora had her bye.
        assert [match.a for match in draw_swiss_round(after_two).matches if match.b is None] == ["Bruno"]
    assert drawn == {"Bruno", "Dora"}


# What `check` says of a recorded event.


def test_a_recorded_round_below_150_minutes_is_named() -> None:
    table = event(
        "xwing-epic-duel",
        [[game("Ana", "Bruno", at_time(100, 90))]],
        "Ana",
        "Bruno",
        lists_required=False,
        stages={"swiss": {"minutes": 120}},
    )
    assert [(p.where, p.key) for p in violations(table)] == [("/options/stages/swiss/minutes", "minutes_too_short")]


def test_a_draw_in_elimination_without_initiative_is_named() -> None:
    table = event(
        "xwing-epic-duel", [[game("Ana", "Bruno", at_time(100, 90))]], "Ana", "Bruno", lists_required=False, cut=2
    )
    drawn = replace(game("Ana", "Bruno", at_time(50, 50)), game=1)
    final = Round(2, "elimination", (drawn,))
    assert [(p.where, p.key) for p in violations(replace(table, rounds=(*table.rounds, final)))] == [
        ("/rounds/1/matches/0/result/initiative", "initiative_missing")
    ]


def test_the_captain_is_one_of_the_team() -> None:
    table = event("xwing-epic-team", [], "Falken", lists_required=False)
    team = replace(table.competitors[0], members=("Ana Ruiz", "Bruno Maier"), captain="Ana Ruiz")
    assert violations(replace(table, competitors=(team,))) == []
    stranger = replace(team, captain="Eva Luz")
    (problem,) = violations(replace(table, competitors=(stranger,)))
    assert (problem.where, problem.key) == ("/competitors/0/captain", "captain_not_in_team")
    assert "Ana Ruiz" in problem.say()


@pytest.mark.parametrize(("level", "may"), [("informal", True), ("competitive", True), ("premier", False)])
def test_officials_are_barred_at_premier_level_only(level: str, may: bool) -> None:
    table = replace(event("xwing-epic-duel", [], "Ana", lists_required=False), level=level)
    official = replace(table.competitors[0], officials_role="organizer")
    keys = [problem.key for problem in violations(replace(table, competitors=(official,)))]
    assert keys == ([] if may else ["official_may_not_play"])


def test_without_swiss_rounds_there_is_no_order_for_the_cut() -> None:
    alone = replace(
        event("xwing-epic-duel", [], "Ana", "Bruno"),
        rounds=(Round(1, "elimination", (replace(game("Ana", "Bruno", at_time(100, 90)), game=1),)),),
    )
    assert cut_table(alone) == ()


def test_of_the_one_known_list_no_more_is_destroyed_than_it_holds() -> None:
    taken_new(DUEL, at_time(300, 279, "a"), OF_A_280)
    assert refused_new(DUEL, at_time(200, 281), OF_A_280) == ("figure_out_of_range", "/score/b")
    assert refused_new(DUEL, at_time(301, 0), OF_A_280) == ("figure_out_of_range", "/score/a")
    assert refused_new(DUEL, at_time(281, 0), MatchSituation(totals=(None, 280))) == ("figure_out_of_range", "/score/a")


def test_who_destroys_the_one_known_list_has_destroyed_all_of_it() -> None:
    taken_new(DUEL, played(290, 280, "b"), OF_A_280)
    assert refused_new(DUEL, played(0, 200, "b"), OF_A_280) == ("not_destroyed_whole", "/score/b")
    # Of b's list some is destroyed at least: nobody knows how much is all.
    taken_new(DUEL, played(1, 0, "a"), OF_A_280)
    assert refused_new(DUEL, played(300, 280, "a"), OF_A_280) == ("destroyed_both", "/winner")


def test_at_time_nobody_wins_whose_known_list_is_gone() -> None:
    assert refused_new(DUEL, at_time(290, 280), OF_A_280) == ("destroyed_whole", "/winner")
    # b's list may have cost 280 as well.
    taken_new(DUEL, at_time(280, 280), OF_A_280)
    assert DUEL.has_won(at_time(0, 280), "b", DUEL.options({}), OF_A_280)


def test_a_conceded_list_that_is_known_counts_what_it_costs_also_where_the_other_s_is_not() -> None:
    conceding = Match("Ana", "Bruno", result=conceded("a", 100, 0))
    assert DUEL.worth(conceding, DUEL.options({}), OF_A_280)["mov"] == (300 + 100 - 280, 300 + 280 - 100)


@pytest.mark.parametrize(
    ("way", "asked"), [("time", {"a": (0, 300), "b": (0, 280)}), ("wiped_out", {"a": (1, 300)}), ("conceded", {})]
)
def test_the_figures_end_at_what_the_known_list_holds_and_all_of_it_is_not_asked(
    way: str, asked: dict[Side, tuple[int, int]]
) -> None:
    form = DUEL.form(DUEL.options({}), OF_A_280).way(way)
    assert form is not None
    winner = {side: figure.for_side(side) for side in SIDES for figure in form.figures() if figure.whose == WINNER}
    assert {side: (figure.minimum, figure.maximum) for side, figure in winner.items() if figure.asked} == asked
    assert way == "time" or winner["b"].default == 280
