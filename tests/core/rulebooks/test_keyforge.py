"""KeyForge against its document: win or loss, best of three, minutes, strength of the opponents, byes, the cut."""

from collections import Counter
from fractions import Fraction

import pytest
from msgspec.structs import replace

from roundtap_core.check.check import violations
from roundtap_core.elimination.bracket import next_elimination_round, qualifiers
from roundtap_core.errors import Problem
from roundtap_core.pairing.swiss_round import draw_swiss_round
from roundtap_core.records import Match, Result, SidePair
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.standings import standings
from roundtap_core.words import core_words
from rulebook_kit import (
    FINAL,
    KNOCKOUT,
    asked,
    at_time,
    bye,
    conceded,
    decided,
    event,
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
    way_of,
)

ARCHON, SEALED = rulebook("keyforge-archon"), rulebook("keyforge-sealed")
BEST_OF_THREE = {"stages": {stage: {"best_of": 3} for stage in ("swiss", "elimination", "final", "third_place")}}

BASIC = {
    (4, 8): (3, 0),
    (9, 16): (4, 0),
    (17, 24): (4, 4),
    (25, 40): (5, 4),
    (41, 44): (5, 8),
    (45, 76): (6, 8),
    (77, 148): (6, 16),
    (149, 400): (7, 16),
}
ADVANCED = {
    (9, 12): (4, 4),
    (13, 24): (4, 8),
    (25, 40): (5, 8),
    (41, 76): (6, 8),
    (77, 148): (6, 16),
    (149, 288): (6, 32),
    (289, 512): (7, 32),
    (513, 900): (8, 32),
}

NAMES = ("Ana", "Bruno", "Cira", "Dora", "Eva", "Fritz")


def won(winner: str, loser: str) -> Match:
    return game(winner, loser, played(1, 0))


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (played(1, 0), (1, 0)),
        (played(0, 1), (0, 1)),
        (played(2, 1), (1, 0)),
        (played(0, 2), (0, 1)),
        (at_time(0, 1), (0, 1)),
        (at_time(1, 0), (1, 0)),
        (conceded("a", 1, 0), (0, 1)),
        (conceded("b"), (1, 0)),
        (ruling("b"), (0, 1)),
        (ruling("none"), (0, 0)),
        # Where no games were written down, the winner is named.
        (played(0, 0, "b"), (0, 1)),
    ],
)
def test_a_win_is_1_point_and_a_loss_none(result: Result, expected: tuple[int, int]) -> None:
    assert points(ARCHON, result) == points(SEALED, result) == expected


def test_a_bye_is_a_win() -> None:
    assert [bye(ARCHON, kind) for kind in ("bye", "won", "no-show", "unpaired-loss")] == [(1,), (1,), (1,), (0,)]


@pytest.mark.parametrize(
    ("result", "refusal"),
    [
        (played(0, 0), ("winner_missing", "/winner")),
        (played(0, 0, "draw"), ("no_draws", "/winner")),
        (at_time(0, 0, "draw"), ("no_draws", "/winner")),
        (ruling("draw"), ("no_draws", "/winner")),
        (played(1, 0, "b"), ("winner_contradicts_score", "/winner")),
        (played(2, 0), ("figure_out_of_range", "/score/a")),
        (played(0, -1), ("figure_out_of_range", "/score/b")),
        (played(1, 1, "a"), ("both_won", "/score")),
        (conceded("a", winner="a"), ("winner_contradicts_concession", "/winner")),
        (played(1, 0, wounds=SidePair(1, 1)), ("not_of_this_rulebook", "/wounds")),
        (played(1, 0, initiative="a"), ("not_of_this_rulebook", "/initiative")),
        (played(1, 0, picks={"a": [1]}), ("not_of_this_rulebook", "/picks")),
    ],
)
def test_what_nobody_can_enter(result: Result, refusal: tuple[str, str]) -> None:
    assert refused_new(ARCHON, result) == refusal


def test_a_best_of_three_ends_with_the_second_win() -> None:
    for score in ((2, 0), (1, 2)):
        taken_new(ARCHON, played(*score), KNOCKOUT, **BEST_OF_THREE)
    assert refused_new(ARCHON, played(2, 2, "a"), KNOCKOUT, **BEST_OF_THREE) == ("both_won", "/score")
    assert refused_new(ARCHON, played(3, 0), KNOCKOUT, **BEST_OF_THREE) == ("figure_out_of_range", "/score/a")


@pytest.mark.parametrize(
    ("result", "refusal"),
    [
        # Nobody has won two games.
        (played(1, 0), ("games_unfinished", "/score")),
        (played(0, 1, "b"), ("games_unfinished", "/score")),
        (played(1, 1, "a"), ("games_unfinished", "/score")),
        # Whoever leads at time, or wins the game in progress, has one game more.
        (at_time(2, 0), ("games_at_time", "/score")),
        (at_time(1, 1, "a"), ("games_at_time", "/score")),
        # Who has won two games has won.
        (conceded("a", 2, 1), ("conceded_after_winning", "/score/a")),
        (conceded("b", 0, 2), ("conceded_after_winning", "/score/b")),
    ],
)
def test_what_no_best_of_three_ends_with(result: Result, refusal: tuple[str, str]) -> None:
    assert refused_new(ARCHON, result, KNOCKOUT, **BEST_OF_THREE) == refusal
    assert refused_new(SEALED, result, FINAL, **BEST_OF_THREE) == refusal


def test_what_a_best_of_three_may_end_with() -> None:
    for result in (
        at_time(1, 0),
        at_time(0, 1),
        at_time(2, 1),
        at_time(1, 2),
        conceded("a"),
        conceded("a", 1, 0),
        conceded("b", 1, 1),
        conceded("b", 2, 1),
        ruling("a"),
        ruling("none", 1, 1),
        # Where no games were written down, the winner is named.
        played(0, 0, "a"),
        at_time(0, 0, "b"),
    ):
        taken_new(ARCHON, result, KNOCKOUT, **BEST_OF_THREE)


def test_a_file_with_an_impossible_best_of_three_is_found_out() -> None:
    file = event("keyforge-archon", [[game("Ana", "Bruno", played(1, 0))]], "Ana", "Bruno", **BEST_OF_THREE)
    assert [(problem.where, problem.key) for problem in violations(file)] == [
        ("/rounds/0/matches/0/result/score", "games_unfinished")
    ]


def test_all_dice_are_forbidden_and_said_to_be() -> None:
    """ "No está permitido el uso de dados de ninguna clase": not as counters either."""
    for book in (ARCHON, SEALED):
        assert "before.no_dice" in book.before_play
    assert "No dice, not even as counters" in core_words("en")("before.no_dice")


@pytest.mark.parametrize(
    ("book", "one", "final", "three", "final_of_three"),
    [
        (ARCHON, 35, 50, 90, 120),
        (SEALED, 45, 60, 100, 125),
    ],
)
def test_minutes_a_round(book: type, one: int, final: int, three: int, final_of_three: int) -> None:
    """ "Tiempos de ronda del torneo"."""
    single, triple = book.options({}), book.options(BEST_OF_THREE)
    assert [book.minutes(stage, single) for stage in ("swiss", "elimination", "final")] == [one, one, final]
    assert [book.minutes(stage, triple) for stage in ("swiss", "elimination", "final")] == [
        three,
        three,
        final_of_three,
    ]


def test_games_are_chosen_for_each_stage_and_own_minutes_stay() -> None:
    mixed = ARCHON.options({"stages": {"final": {"best_of": 3}, "swiss": {"best_of": 3, "minutes": 80}}})
    assert {
        stage: (ARCHON.games(stage, mixed), ARCHON.minutes(stage, mixed)) for stage in ("swiss", "elimination", "final")
    } == {"swiss": (3, 80), "elimination": (1, 35), "final": (3, 120)}
    ARCHON.check_options({"stages": {"swiss": {"best_of": 3}}})
    with pytest.raises(Problem, match="Possible: 1, 3"):
        ARCHON.check_options({"stages": {"swiss": {"best_of": 2}}})


@pytest.mark.parametrize("book", [ARCHON, SEALED, rulebook("xwing-standard")], ids=lambda book: book.id)
@pytest.mark.parametrize(("name", "table"), [("basic", BASIC), ("advanced", ADVANCED)])
def test_every_line_of_the_structure_tables(book: type, name: str, table: dict) -> None:
    """Both ends of each line; the scan has "b" for some of the sixes."""
    for (fewest, most), structure in table.items():
        for players in (fewest, most):
            assert book.structure(players, book.options({"structure": name})) == structure, players
    with pytest.raises(Problem) as caught:
        book.structure(min(table)[0] - 1, book.options({"structure": name}))
    assert caught.value.key == "no_structure"
    assert "custom" in caught.value.say()


# The form.


def test_a_win_is_two_presses() -> None:
    form = form_of(ARCHON)
    assert form.direct
    assert form.games == 1
    assert [way.id for way in form.offered(False)] == ["played", "conceded"]
    assert [way.id for way in form.offered(True)] == ["time", "played", "conceded"]
    assert asked(way_of(ARCHON, "played"), {}) == []
    assert made(ARCHON, way_of(ARCHON, "played"), {}, "b") == played(0, 1)
    assert made(ARCHON, way_of(ARCHON, "conceded"), {}) == conceded("b", 1, 0)


def test_who_began_is_recorded_with_the_result() -> None:
    assert made(ARCHON, way_of(ARCHON, "played"), {"first_player": "b"}) == played(1, 0, first_player="b")


def test_best_of_three_asks_the_loser_s_games() -> None:
    form = form_of(ARCHON, KNOCKOUT, **BEST_OF_THREE)
    way = form.way("played")
    assert form.games == 2
    assert limits(way) == {"score.winner": (2, 2, 2), "score.loser": (0, 1, 0)}
    assert asked(way, {"score.loser": 1}) == ["score.loser"]
    assert made(ARCHON, way, {"score.loser": 1}, "b", KNOCKOUT, **BEST_OF_THREE) == played(1, 2)


def test_a_stage_has_its_own_form() -> None:
    options = {"stages": {"final": {"best_of": 3}}}
    assert [
        form_of(ARCHON, situation, **options).games for situation in (KNOCKOUT, FINAL, MatchSituation("third_place"))
    ] == [1, 2, 1]


# Standings.

THREE_ROUNDS = [
    [won("Ana", "Bruno"), won("Cira", "Dora"), won("Eva", "Fritz")],
    [won("Ana", "Cira"), won("Eva", "Bruno"), won("Dora", "Fritz")],
    [won("Eva", "Ana"), won("Cira", "Bruno"), Match("Dora", bye="bye"), Match("Fritz", bye="unpaired-loss")],
]


def test_strength_and_extended_strength_of_the_opponents_by_hand() -> None:
    """ "Calidad de los oponentes" and "ampliada": the mean of ratios, then the mean of these means."""
    found = {row.competitor: row for row in standings(event("keyforge-archon", THREE_ROUNDS, *NAMES))}
    assert {name: row.points for name, row in found.items()} == {
        "Ana": 2,
        "Bruno": 0,
        "Cira": 2,
        "Dora": 2,
        "Eva": 3,
        "Fritz": 0,
    }
    third = Fraction(1, 3)
    strength = {
        "Ana": (0 + 2 * third + 1) / 3,  # Bruno 0/3, Cira 2/3, Eva 3/3
        "Bruno": (2 * third + 1 + 2 * third) / 3,  # Ana, Eva, Cira
        "Cira": (2 * third + 2 * third + 0) / 3,  # Dora, Ana, Bruno
        "Dora": (2 * third + 0) / 2,  # Cira, Fritz: the bye adds no opponent
        "Eva": (0 + 0 + 2 * third) / 3,  # Fritz, Bruno, Ana
        "Fritz": (1 + 2 * third) / 2,  # Eva, Dora: the missed round adds no opponent
    }
    assert {name: row.tiebreakers["sos"] for name, row in found.items()} == strength
    assert found["Dora"].tiebreakers["extended_sos"] == (strength["Cira"] + strength["Fritz"]) / 2
    assert found["Eva"].tiebreakers["extended_sos"] == (strength["Fritz"] + strength["Bruno"] + strength["Ana"]) / 3
    # Of those with 2 points Ana's opponents were the best (5/9), then Cira's (4/9), then Dora's (3/9).
    assert order(event("keyforge-archon", THREE_ROUNDS, *NAMES)) == "Eva Ana Cira Dora Fritz Bruno"
    assert decided(event("keyforge-archon", THREE_ROUNDS, *NAMES)) == ["points", "sos", "sos", "points", "sos", "last"]


def test_extended_strength_decides_where_the_strength_is_equal() -> None:
    """Ana and Bruno beat one opponent each, who both lost once and won once; only those opponents' rivals differ."""
    table = event(
        "keyforge-archon",
        [
            [won("Ana", "Cira"), won("Bruno", "Dora"), won("Eva", "Fritz")],
            [won("Cira", "Eva"), won("Dora", "Fritz")],
        ],
        *NAMES,
    )
    rows = {row.competitor: row for row in standings(table)}
    assert rows["Ana"].tiebreakers["sos"] == rows["Bruno"].tiebreakers["sos"] == Fraction(1, 2)
    # Cira met Ana (1/1) and Eva (1/2): 3/4. Dora met Bruno (1/1) and Fritz (0/2): 1/2.
    assert rows["Ana"].tiebreakers["extended_sos"] == Fraction(3, 4)
    assert rows["Bruno"].tiebreakers["extended_sos"] == Fraction(1, 2)
    assert rows["Ana"].rank < rows["Bruno"].rank
    assert rows["Ana"].decided_by == "extended_sos"


def test_what_is_equal_in_all_is_drawn_by_lot_and_marked() -> None:
    table = event("keyforge-archon", [[won("Ana", "Bruno"), won("Cira", "Dora")]], *NAMES[:4])
    rows = standings(table)
    assert [row.decided_by for row in rows] == ["random", "points", "random", "last"]
    assert all(row.by_chance for row in rows)
    assert {order(replace(table, seed=seed)).split()[0] for seed in range(20)} == {"Ana", "Cira"}


def test_the_pairing_example_alberto_eli_and_chema() -> None:
    """ "Ejemplo de emparejamiento": three on the most points; two meet, the third meets a random one of the next group,
    as Chema met Irene."""
    group = ["Alberto", "Eli", "Chema"]
    next_group = ["Irene", "Lola", "Nano", "Paco", "Rosa"]
    # Five rounds against people who have left: 5 points and 4.
    helpers = [f"h{n}" for n in range(8)]
    rounds = [
        [
            won(who, helpers[i]) if who in group or number != i - 3 else won(helpers[i], who)
            for i, who in enumerate(group + next_group)
        ]
        for number in range(5)
    ]
    floaters: Counter[str] = Counter()
    met: Counter[str] = Counter()
    for seed in range(300):
        table = event("keyforge-archon", rounds, *group, *next_group, *helpers, seed=seed, swiss_rounds=6)
        table = replace(
            table, competitors=tuple(replace(c, dropped_after=5) if c.id in helpers else c for c in table.competitors)
        )
        pairs = [(match.a, match.b) for match in draw_swiss_round(table, seed=seed).matches]
        assert len(pairs) == 4
        (down,) = [pair for pair in pairs if len(set(pair) & set(group)) == 1]
        floaters[next(who for who in down if who in group)] += 1
        met[next(who for who in down if who not in group)] += 1
    assert set(floaters) == set(group)
    assert min(floaters.values()) > 60
    assert set(met) == set(next_group)
    assert min(met.values()) > 30


def test_nicolas_the_sixth_leaves_and_nano_the_ninth_comes_in_as_eighth() -> None:
    """ "Ejemplo de abandono de un jugador": the eighth becomes seventh and the seventh sixth."""
    names = ["Alba", "Blas", "Clara", "Diego", "Elena", "Nicolás", "Gema", "Hugo", "Nano", "Olga"]
    helpers = [f"h{n}" for n in range(len(names))]
    # In each of nine rounds one fewer of them wins, so that they come out in this order.
    rounds = [
        [
            won(who, other) if i + k < 9 else won(other, who)
            for i, (who, other) in enumerate(zip(names, helpers, strict=True))
        ]
        for k in range(9)
    ]
    table = event("keyforge-archon", rounds, *names, *helpers, cut=8)
    helpers_gone = tuple(replace(c, dropped_after=9) if c.id in (*helpers, "Nicolás") else c for c in table.competitors)
    assert [row.competitor for row in standings(table) if row.competitor not in helpers] == names
    table = replace(table, competitors=helpers_gone)
    assert qualifiers(table) == ("Alba", "Blas", "Clara", "Diego", "Elena", "Gema", "Hugo", "Nano")
    assert {match.game: (match.a, match.b) for match in next_elimination_round(table).matches} == {
        1: ("Alba", "Nano"),
        2: ("Blas", "Hugo"),
        3: ("Clara", "Gema"),
        4: ("Diego", "Elena"),
    }


def test_the_bye_goes_at_random_to_one_with_the_fewest_points_who_had_none() -> None:
    first = [won("Ana", "Bruno"), won("Cira", "Dora"), Match("Eva", bye="bye")]
    second = [won("Ana", "Eva"), won("Cira", "Bruno"), Match("Dora", bye="bye")]
    drawn = set()
    for seed in range(40):
        one = event("keyforge-sealed", [first], *NAMES[:5], seed=seed, swiss_rounds=3)
        drawn |= {match.a for match in draw_swiss_round(one).matches if match.b is None}
        two = event("keyforge-sealed", [first, second], *NAMES[:5], seed=seed, swiss_rounds=3)
        # Bruno has 0 points; Eva and Dora had theirs.
        assert [match.a for match in draw_swiss_round(two).matches if match.b is None] == ["Bruno"]
    assert drawn == {"Bruno", "Dora"}
