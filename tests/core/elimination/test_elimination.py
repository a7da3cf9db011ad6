"""Cut and single elimination by hand-worked examples: seeds, game numbers, who leaves when, third place, ranking."""

import pytest
from msgspec.structs import replace

from bracket_kit import better_wins, entered, games, leaves, played, ranked, upper_wins
from event_kit import refused
from roundtap_core.elimination.bracket import (
    BracketGame,
    BracketSeat,
    bracket_of,
    bracket_size,
    drawing_order,
    make_cut,
    next_elimination_round,
    qualifiers,
    round_key,
)
from roundtap_core.elimination.ranking import final_ranking
from roundtap_core.records import NO_SHOW, RULING, UNPAIRED_LOSS, Match, Result, SidePair, Tournament
from roundtap_core.rounds.next_round import next_round, next_stage, printable_pairing


def places(tournament: Tournament) -> dict[str, int]:
    bracket = bracket_of(tournament)
    assert bracket is not None
    return {placed.competitor: placed.rank for placed in final_ranking(tournament, bracket)}


def champion(tournament: Tournament) -> str | None:
    bracket = bracket_of(tournament)
    return bracket.champion


def test_a_bracket_of_four() -> None:
    event = ranked(10, cut=4)
    first = next_elimination_round(event)
    assert games(first) == {1: ("p1", "p4"), 2: ("p2", "p3")}
    assert [m.table for m in first.matches] == [1, 2]
    event = played(event, drawn=first)
    assert games(next_elimination_round(event)) == {1: ("p1", "p2")}
    event = played(event, upper_wins)
    assert champion(event) == "p1"
    with refused("bracket_decided"):
        next_elimination_round(event)


def test_a_bracket_of_eight_with_upsets() -> None:
    event = ranked(20, cut=8)
    first = next_elimination_round(event)
    assert games(first) == {1: ("p1", "p8"), 2: ("p2", "p7"), 3: ("p3", "p6"), 4: ("p4", "p5")}
    upsets = {"p8", "p2", "p6", "p4"}
    event = played(event, lambda m: m.a if m.a in upsets else m.b or "", first)
    # Game 1's winner meets game 4's, game 2's meets game 3's.
    second = next_elimination_round(event)
    assert games(second) == {1: ("p8", "p4"), 2: ("p2", "p6")}
    event = played(event, lambda m: "p4" if "p4" in (m.a, m.b) else "p6", second)
    assert games(next_elimination_round(event)) == {1: ("p4", "p6")}
    event = played(event, lambda m: "p6")
    assert [who for who, _ in sorted(places(event).items(), key=lambda item: item[1])][:9] == [
        "p6",
        "p4",
        "p2",
        "p8",
        "p1",
        "p3",
        "p5",
        "p7",
        "p9",
    ]


def test_a_bracket_of_sixteen() -> None:
    event = ranked(40, cut=16)
    first = next_elimination_round(event)
    assert games(first) == {n: (f"p{n}", f"p{17 - n}") for n in range(1, 9)}
    event = played(event, drawn=first)
    second = next_elimination_round(event)
    assert games(second) == {1: ("p1", "p8"), 2: ("p2", "p7"), 3: ("p3", "p6"), 4: ("p4", "p5")}
    event = played(event, drawn=second)
    third = next_elimination_round(event)
    assert games(third) == {1: ("p1", "p4"), 2: ("p2", "p3")}
    event = played(played(event, drawn=third))
    assert champion(event) == "p1"
    assert [placed for placed, rank in places(event).items() if rank <= 16] == [f"p{n}" for n in range(1, 17)]


def test_the_sixth_leaves_before_the_top_8_so_the_ninth_comes_in_as_eighth_seed() -> None:
    """The worked example of the German rules, "Der Schnitt": the seventh and eighth become sixth and seventh."""
    order = [f"p{n}" for n in range(1, 21)]
    cut = make_cut(order, 8, set(order))
    assert cut.offered(set(order)) is None
    there = set(order) - {"p6"}
    assert cut.offered(there) == "p9"
    accepted = replace(cut, seeds=(*cut.seeds, "p9"))
    assert accepted.seeds_now(there) == ("p1", "p2", "p3", "p4", "p5", "p7", "p8", "p9")
    assert accepted.offered(there) is None

    event = leaves(ranked(20), "p6")
    assert qualifiers(event) == accepted.seeds_now(there)
    assert games(next_elimination_round(event)) == {
        1: ("p1", "p9"),
        2: ("p2", "p8"),
        3: ("p3", "p7"),
        4: ("p4", "p5"),
    }


def test_an_offered_place_may_be_declined_and_goes_to_the_next_who_is_there() -> None:
    order = [f"p{n}" for n in range(1, 13)]
    cut = replace(make_cut(order, 8, set(order)), declined=("p9",))
    there = set(order) - {"p3", "p10"}
    assert cut.offered(there) == "p11"
    assert replace(cut, seeds=(*cut.seeds, "p11")).seeds_now(there)[-3:] == ("p7", "p8", "p11")


def test_two_who_leave_are_replaced_one_after_the_other_and_come_in_last() -> None:
    order = [f"p{n}" for n in range(1, 13)]
    cut, there = make_cut(order, 8, set(order)), set(order) - {"p1", "p8"}
    first = replace(cut, seeds=(*cut.seeds, "p9"))
    assert first.offered(there) == "p10"
    assert replace(first, seeds=(*first.seeds, "p10")).seeds_now(there) == (
        "p2",
        "p3",
        "p4",
        "p5",
        "p6",
        "p7",
        "p9",
        "p10",
    )


def test_whoever_comes_in_and_leaves_again_is_replaced_too() -> None:
    order = [f"p{n}" for n in range(1, 13)]
    cut = replace(make_cut(order, 8, set(order)), seeds=(*order[:8], "p9"))
    assert cut.offered(set(order) - {"p6", "p9"}) == "p10"


def test_with_nobody_to_come_in_the_best_seeds_have_byes() -> None:
    event = leaves(ranked(8, cut=8), "p6")
    assert games(next_elimination_round(event)) == {1: ("p1",), 2: ("p2", "p8"), 3: ("p3", "p7"), 4: ("p4", "p5")}


def test_a_cut_that_is_too_large_by_half_is_a_smaller_bracket() -> None:
    event = leaves(leaves(ranked(6, cut=8), "p5"), "p6")
    assert games(next_elimination_round(event)) == {1: ("p1", "p4"), 2: ("p2", "p3")}


def test_whoever_leaves_between_rounds_gives_the_next_opponent_a_bye() -> None:
    event = leaves(played(ranked(20)), "p4")
    second = next_elimination_round(event)
    assert games(second) == {1: ("p1",), 2: ("p2", "p3")}
    event = played(event, drawn=second)
    assert games(next_elimination_round(event)) == {1: ("p1", "p2")}
    # Reached the semi-final, as p3 did, and stood below in the Swiss rounds.
    assert (places(event)["p3"], places(event)["p4"]) == (3, 4)


def test_when_both_have_left_their_next_opponent_has_the_bye() -> None:
    event = leaves(leaves(played(ranked(40, cut=16)), "p1"), "p8")
    second = next_elimination_round(event)
    assert games(second) == {2: ("p2", "p7"), 3: ("p3", "p6"), 4: ("p4", "p5")}
    event = played(event, drawn=second)
    third = next_elimination_round(event)
    assert games(third) == {1: ("p4",), 2: ("p2", "p3")}
    assert champion(played(played(event, drawn=third))) == "p2"


def test_a_finalist_who_leaves_makes_the_other_champion() -> None:
    event = leaves(played(played(ranked(20))), "p1")
    final = next_elimination_round(event)
    assert games(final) == {1: ("p2",)}
    event = played(event, drawn=final)
    assert champion(event) == "p2"
    assert places(event)["p1"] == 2


def test_when_both_finalists_have_left_nobody_wins() -> None:
    event = leaves(leaves(played(played(ranked(20))), "p1"), "p2")
    with refused("nobody_left"):
        next_elimination_round(event)
    assert champion(event) is None
    assert places(event)["p1"] == 1


def test_a_game_whose_two_have_both_left_before_it_was_drawn_is_waited_for_no_longer() -> None:
    quarter = bracket_of(leaves(leaves(played(ranked(40, cut=16)), "p1"), "p8"))
    lost, *others = quarter.of_round(2)
    assert (lost.decided, lost.winner) == (True, None)
    assert not any(game.decided for game in others)
    semi = quarter.of_round(3)[0]
    assert [seat.empty for seat in (semi.a, semi.b)] == [True, False]

    final = bracket_of(leaves(leaves(played(played(ranked(20))), "p1"), "p2"))
    assert final.over
    one_left = bracket_of(leaves(played(played(ranked(20))), "p1"))
    assert not one_left.over


def test_leaving_after_the_loss_changes_nothing() -> None:
    event = leaves(played(ranked(20)), "p8")
    assert games(next_elimination_round(event)) == {1: ("p1", "p4"), 2: ("p2", "p3")}


def test_after_a_no_show_the_one_who_came_goes_on() -> None:
    event = ranked(20)
    first = next_elimination_round(event)
    came = [Match("p8", bye=NO_SHOW, game=1) if m.game == 1 else m for m in first.matches]
    event = played(event, drawn=replace(first, matches=(*came, Match("p1", bye=UNPAIRED_LOSS))))
    event = leaves(event, "p1")
    assert games(next_elimination_round(event)) == {1: ("p8", "p4"), 2: ("p2", "p3")}
    bracket = bracket_of(event)
    assert bracket.seeds == tuple(f"p{n}" for n in range(1, 9))


def test_if_both_lose_by_a_ruling_nobody_goes_on_from_that_game() -> None:
    event = played(ranked(20))
    last = event.rounds[-1]
    both = tuple(replace(m, result=Result(ended=RULING, winner="none")) if m.game == 4 else m for m in last.matches)
    event = replace(event, rounds=(*event.rounds[:-1], replace(last, matches=both)))
    assert games(next_elimination_round(event)) == {1: ("p1",), 2: ("p2", "p3")}


def test_third_place_is_played_beside_the_final_and_decides_3_and_4() -> None:
    event = played(played(ranked(20, third_place_match=True)))
    final = next_elimination_round(event)
    assert games(final) == {1: ("p1", "p2"), "third": ("p4", "p3")}
    assert [(m.game, m.table) for m in final.matches] == [(1, 1), ("third", 2)]
    event = played(event, lambda m: "p2" if m.game == 1 else "p4", final)
    assert [who for who, _ in sorted(places(event).items(), key=lambda item: item[1])][:5] == [
        "p2",
        "p1",
        "p4",
        "p3",
        "p5",
    ]


def test_a_semi_final_loser_who_has_left_gives_third_place_to_the_other() -> None:
    event = leaves(played(played(ranked(20, third_place_match=True))), "p3")
    final = next_elimination_round(event)
    assert games(final) == {1: ("p1", "p2"), "third": ("p4",)}
    assert places(played(event, drawn=final))["p4"] == 3


def test_a_final_of_two_has_no_third_place() -> None:
    event = ranked(8, cut=2, third_place_match=True)
    assert games(next_elimination_round(event)) == {1: ("p1", "p2")}


def test_the_fixed_table_is_kept_and_the_others_are_in_order() -> None:
    event = ranked(20)
    people = tuple(replace(c, fixed_table=1) if c.id == "p3" else c for c in event.competitors)
    drawn = next_elimination_round(replace(event, competitors=people), busy=frozenset({2}))
    assert {m.game: m.table for m in drawn.matches} == {3: 1, 1: 3, 2: 4, 4: 5}


@pytest.mark.parametrize(("players", "byes"), [(2, 0), (3, 1), (5, 3), (8, 0), (11, 5), (16, 0), (17, 15)])
def test_elimination_from_the_start_fills_up_with_byes(players: int, byes: int) -> None:
    drawn = next_elimination_round(entered(players))
    assert sum(m.bye == "bye" for m in drawn.matches) == byes
    assert sorted(m.game for m in drawn.matches) == list(range(1, len(drawn.matches) + 1))  # type: ignore[type-var]
    assert len({who for m in drawn.matches for who in (m.a, m.b) if who}) == players
    assert drawn.draw.method == "lot"


def test_who_gets_byes_whom_and_which_game_number_is_a_lot() -> None:
    """Over many seeds everybody has byes equally often, and byes have low and high numbers alike."""
    byes: dict[str, int] = {}
    numbers: dict[object, int] = {}
    for seed in range(600):
        for match in next_elimination_round(entered(6), seed=seed).matches:
            if match.bye:
                byes[match.a] = byes.get(match.a, 0) + 1
                numbers[match.game] = numbers.get(match.game, 0) + 1
    # 1,200 byes over 6 players and over 4 numbers: 200 and 300 expected, each within five standard deviations.
    assert len(byes) == 6
    assert all(140 < count < 260 for count in byes.values())
    assert len(numbers) == 4
    assert all(225 < count < 375 for count in numbers.values())


def test_the_same_seed_draws_the_same_and_another_attempt_another() -> None:
    one = next_elimination_round(entered(16), seed=5)
    assert next_elimination_round(entered(16), seed=5) == one
    assert games(next_elimination_round(entered(16), seed=5, attempt=2)) != games(one)


def test_a_won_bye_is_among_the_byes() -> None:
    event = entered(5)
    people = tuple(replace(c, won_bye=c.id == "p2") for c in event.competitors)
    for seed in range(20):
        drawn = next_elimination_round(replace(event, competitors=people), seed=seed)
        assert ("p2", "won") in {(m.a, m.bye) for m in drawn.matches}


def test_without_swiss_rounds_those_who_came_equally_far_share_a_place() -> None:
    event = entered(8)
    while champion_or_none(event) is None:
        event = played(event, better_wins)
    assert sorted(places(event).values()) == [1, 2, 3, 3, 5, 5, 5, 5]
    assert places(event)["p1"] == 1


def champion_or_none(tournament: Tournament) -> str | None:
    bracket = bracket_of(tournament)
    return bracket.champion if bracket else None


def test_the_next_round_is_swiss_until_all_are_played_then_elimination() -> None:
    event = replace(ranked(20), rounds=())
    assert next_stage(event) == "swiss"
    assert next_round(event).stage == "swiss"
    assert next_stage(ranked(20)) == "elimination"
    assert next_stage(ranked(20, cut=0)) == "swiss"
    assert next_stage(entered(5)) == "elimination"
    assert next_stage(played(entered(5))) == "elimination"
    printed = printable_pairing(next_round(ranked(20)))
    assert (printed["stage"], printed["matches"][0]) == ("elimination", {"table": 1, "a": "p1", "b": "p8", "game": 1})


def test_open_matches_stand_in_the_way() -> None:
    event = played(ranked(20))
    last = event.rounds[-1]
    opened = (replace(last.matches[0], result=None), *last.matches[1:])
    with refused("open_matches"):
        next_elimination_round(replace(event, rounds=(*event.rounds[:-1], replace(last, matches=opened))))


def test_there_is_no_elimination_without_a_cut() -> None:
    with refused("no_cut_planned"):
        next_elimination_round(ranked(20, cut=0))
    with refused("too_few_players"):
        next_elimination_round(entered(1))


def test_the_shape() -> None:
    assert [bracket_size(n) for n in (1, 2, 3, 4, 5, 8, 9, 32)] == [2, 2, 4, 4, 8, 8, 16, 32]
    assert drawing_order(8, 1) == [1, 4, 2, 3]
    assert drawing_order(16, 1) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert [round_key(n) for n in (1, 2, 4, 8, 16, 64)] == [
        "final",
        "semi-final",
        "quarter-final",
        "round-of-16",
        "round-of-32",
        "round-of-128",
    ]


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (Result(score=SidePair(100, 24)), ("100", "24")),
        (Result(ended="concession", conceded_by="a", score=SidePair(1, 0)), ("1", "0 ✓")),
        (Result(ended="time", score=SidePair(80, 80), winner="b"), ("80", "80 ✓")),
    ],
)
def test_a_game_s_figures_tick_who_goes_on_where_they_do_not_say_it(result: Result, shown: tuple[str, str]):
    won = "ana" if result.score.a == 100 else "bruno"
    game = BracketGame(
        1, 1, 1, BracketSeat("ana"), BracketSeat("bruno"), Match("ana", "bruno", result=result), won, True
    )
    assert (game.figure("ana"), game.figure("bruno")) == shown
