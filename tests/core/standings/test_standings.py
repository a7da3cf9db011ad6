"""Standings: hand-worked tables of a few players, the arithmetic beside them."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from roundtap_core.errors import Problem
from roundtap_core.randomness import lot_number
from roundtap_core.records import Competitor, Match, Result, Round, SidePair, Tournament
from roundtap_core.standings.standings import last_first, standings, standings_to_json
from roundtap_core.standings.totals import swiss_totals


def event(rounds: list[list[Match]], *names: str, seed: int = 7, **options: object) -> Tournament:
    return Tournament(
        "Winter Open",
        "xwing-standard",
        seed=seed,
        options=options,
        competitors=tuple(Competitor(name, name) for name in names),
        rounds=tuple(Round(i + 1, matches=tuple(matches)) for i, matches in enumerate(rounds)),
    )


def game(a: str, b: str, score_a: int, score_b: int, **more: object) -> Match:
    return Match(a, b, result=Result(score=SidePair(score_a, score_b), **more))


THREE_ROUNDS = [
    [game("Ana", "Bruno", 100, 24), game("Eva", "Kai", 77, 49), Match("Łukasz", bye="bye")],
    [game("Ana", "Eva", 60, 100), game("Łukasz", "Bruno", 100, 0), Match("Kai", bye="bye")],
    [game("Eva", "Łukasz", 80, 80, winner="b"), game("Ana", "Kai", 100, 0), Match("Bruno", bye="unpaired-loss")],
]


def test_points_margins_and_strength_of_schedule_by_hand() -> None:
    rows = {row.competitor: row for row in standings(event(THREE_ROUNDS, "Ana", "Bruno", "Eva", "Kai", "Łukasz"))}
    # Ana: 176 (100 + 76) and 60 (100 - 40) and 200; Bruno: 24 + 0 + 0 for the round missed.
    assert {name: (row.points, row.tiebreakers["mov"]) for name, row in rows.items()} == {
        "Ana": (2, 436),
        "Bruno": (0, 24),
        "Eva": (2, 128 + 140 + 100),
        "Kai": (1, 72 + 150 + 0),
        "Łukasz": (3, 150 + 200 + 100),
    }
    # Points per round played: Ana 2/3, Bruno 0/3, Eva 2/3, Kai 1/3, Łukasz 3/3 (byes and missed rounds are rounds).
    assert rows["Ana"].tiebreakers["sos"] == Fraction(1, 3)  # Bruno 0, Eva 2/3, Kai 1/3: 1 in 3 opponents
    assert rows["Bruno"].tiebreakers["sos"] == Fraction(5, 6)  # Ana 2/3, Łukasz 1; the missed round adds nothing
    assert rows["Łukasz"].tiebreakers["sos"] == Fraction(1, 3)  # Bruno 0, Eva 2/3; the bye adds nothing
    assert [row.competitor for row in standings(event(THREE_ROUNDS, *rows))] == ["Łukasz", "Ana", "Eva", "Kai", "Bruno"]


def test_counts_of_rounds_and_byes() -> None:
    rows = {row.competitor: row for row in standings(event(THREE_ROUNDS, "Ana", "Bruno", "Eva", "Kai", "Łukasz"))}
    assert [(r.rounds, r.wins, r.losses, r.draws, r.byes) for r in (rows["Łukasz"], rows["Bruno"])] == [
        (3, 3, 0, 0, 1),
        (3, 0, 3, 0, 0),
    ]


def test_the_last_come_first_and_before_them_who_has_not_played() -> None:
    came = event(THREE_ROUNDS, "Ana", "Bruno", "Eva", "Kai", "Łukasz", "Marta")
    records = swiss_totals(came)
    assert list(last_first(came, records, ["Ana", "Kai", "Bruno", "Marta", "Eva"])) == [
        "Marta",
        "Bruno",
        "Kai",
        "Eva",
        "Ana",
    ]
    two = replace(
        came,
        competitors=tuple(
            replace(each, disqualified_after=3) if each.name == "Kai" else each for each in came.competitors
        ),
    )
    assert list(last_first(two, records, ["Ana", "Eva"])) == ["Eva", "Ana"]


def test_what_put_each_above_the_next() -> None:
    rows = standings(event(THREE_ROUNDS, "Ana", "Bruno", "Eva", "Kai", "Łukasz"))
    assert [(row.competitor, row.decided_by, row.by_chance) for row in rows] == [
        ("Łukasz", "points", False),
        ("Ana", "mov", False),
        ("Eva", "points", False),
        ("Kai", "points", False),
        ("Bruno", "last", False),
    ]


def test_strength_of_schedule_decides_after_equal_margins() -> None:
    # Ana and Bruno win 100:0 against Kai (who then wins) and Eva (who then loses); Łukasz and Marta fill the field.
    rounds = [
        [game("Ana", "Kai", 100, 0), game("Bruno", "Eva", 100, 0), game("Łukasz", "Marta", 100, 50)],
        [game("Kai", "Marta", 100, 0), game("Łukasz", "Eva", 100, 0)],
    ]
    rows = standings(event(rounds, "Bruno", "Ana", "Eva", "Kai", "Łukasz", "Marta"))
    by_name = {row.competitor: row for row in rows}
    assert by_name["Ana"].tiebreakers == {"mov": 200, "sos": Fraction(1, 2)}  # Kai: 1 point in 2 rounds
    assert by_name["Bruno"].tiebreakers == {"mov": 200, "sos": 0}  # Eva: 0 in 2
    # Points: Łukasz 2; Kai, Ana and Bruno 1. MoV: Kai 0 + 200, so all three have 200; SoS: Kai (1/1 + 0/2) / 2 = 1/2.
    assert by_name["Kai"].tiebreakers == {"mov": 200, "sos": Fraction(1, 2)}
    order = [row.competitor for row in rows]
    assert order[0] == "Łukasz"
    assert set(order[1:3]) == {"Ana", "Kai"}
    assert order[3] == "Bruno"
    assert [(row.decided_by, row.by_chance) for row in rows[:4]] == [
        ("points", False),
        ("random", True),
        ("sos", True),
        ("points", False),
    ]


def test_opponents_met_twice_count_twice() -> None:
    rounds = [
        [game("Ana", "Bruno", 100, 0), game("Kai", "Eva", 100, 0)],
        [game("Ana", "Bruno", 0, 100), game("Kai", "Eva", 100, 0)],
        [game("Ana", "Kai", 0, 100), game("Bruno", "Eva", 100, 0)],
    ]
    rows = {row.competitor: row for row in standings(event(rounds, "Ana", "Bruno", "Kai", "Eva"))}
    assert rows["Ana"].tiebreakers["sos"] == Fraction(7, 9)  # Bruno 2/3 + Bruno 2/3 + Kai 3/3 = 7/3, by 3


def test_the_mean_of_ratios_and_not_the_ratio_of_sums() -> None:
    # Kai left after round 1 with 1 of 1; Bruno has 0 of 2: (1/1 + 0/2) / 2 = 1/2, not 1 / 3.
    rounds = [[game("Kai", "Ana", 100, 0), Match("Bruno", bye="unpaired-loss")], [game("Ana", "Bruno", 100, 0)]]
    rows = {row.competitor: row for row in standings(event(rounds, "Ana", "Bruno", "Kai"))}
    assert rows["Ana"].tiebreakers["sos"] == Fraction(1, 2)


def test_a_no_show_gives_what_a_bye_gives_and_is_none() -> None:
    rounds = [[Match("Ana", bye="no-show"), Match("Bruno", bye="unpaired-loss"), Match("Kai", bye="won")]]
    rows = {row.competitor: row for row in standings(event(rounds, "Ana", "Bruno", "Kai"))}
    assert {n: (r.points, r.byes, r.tiebreakers["mov"], r.tiebreakers["sos"]) for n, r in rows.items()} == {
        "Ana": (1, 0, 150, 0),
        "Bruno": (0, 0, 0, 0),
        "Kai": (1, 1, 200, 0),
    }


def test_both_lose_is_a_round_and_a_meeting() -> None:
    rounds = [[game("Ana", "Bruno", 50, 20, ended="ruling", winner="none")]]
    rows = standings(event(rounds, "Ana", "Bruno"))
    assert [(r.points, r.rounds, r.losses, r.tiebreakers["mov"]) for r in rows] == [(0, 1, 1, 0)] * 2


def test_open_matches_and_other_stages_do_not_count() -> None:
    tournament = event(
        [*THREE_ROUNDS, [Match("Ana", "Łukasz"), game("Eva", "Bruno", 100, 0)]], "Ana", "Bruno", "Eva", "Kai", "Łukasz"
    )
    final = Round(5, "elimination", (game("Ana", "Eva", 100, 0),))
    elimination = replace(tournament, rounds=(*tournament.rounds, final))
    rows = {row.competitor: row for row in standings(elimination)}
    assert {name: row.rounds for name, row in rows.items()} == {"Ana": 3, "Bruno": 4, "Eva": 4, "Kai": 3, "Łukasz": 3}
    assert [row.rounds for row in standings(elimination, after=1)] == [1] * 5


def test_the_lot_stays_when_somebody_enters_late() -> None:
    names = [f"p{i}" for i in range(12)]
    order = [row.competitor for row in standings(event([], *names))]
    assert order == sorted(names, key=lambda name: lot_number(7, name))
    with_late = [row.competitor for row in standings(event([], *names, "late"))]
    assert [name for name in with_late if name != "late"] == order
    assert order != [row.competitor for row in standings(event([], *names, seed=8))]
    assert all(row.by_chance for row in standings(event([], *names)))


def test_squad_points_scale_the_margins() -> None:
    rows = standings(
        event([[game("Ana", "Bruno", 200, 24), Match("Kai", bye="bye")]], "Ana", "Bruno", "Kai", squad_points=200)
    )
    assert [(row.competitor, row.tiebreakers["mov"]) for row in rows] == [("Ana", 376), ("Kai", 300), ("Bruno", 24)]


def test_json_has_fractions_as_exact_strings() -> None:
    data = standings_to_json(standings(event(THREE_ROUNDS, "Ana", "Bruno", "Eva", "Kai", "Łukasz")), 3)
    assert data["after_round"] == 3
    assert data["standings"][1] == {
        "rank": 2,
        "competitor": "Ana",
        "points": 2,
        "rounds": 3,
        "wins": 2,
        "losses": 1,
        "draws": 0,
        "byes": 0,
        "tiebreakers": {"mov": 436, "sos": "1/3"},
        "decided_by": "mov",
        "by_chance": False,
    }
    nobody_met = standings_to_json(standings(event([], "Ana")), 0)
    assert nobody_met["standings"][0]["tiebreakers"]["sos"] == "0/1"


def test_an_unreadable_result_is_named_with_its_place() -> None:
    with pytest.raises(Problem) as caught:
        standings(
            event(
                [THREE_ROUNDS[0], [Match("Kai", bye="bye"), game("Ana", "Eva", 50, 50)]],
                "Ana",
                "Bruno",
                "Eva",
                "Kai",
                "Łukasz",
            )
        )
    assert caught.value.key == "salvo_winner_missing"
    assert caught.value.where.startswith("/rounds/1/matches/1/result")
