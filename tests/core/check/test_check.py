"""What `check` reports of an event, and what it leaves alone because the rules allow it."""

import random

import pytest
from msgspec.structs import replace

from roundtap_core.check.check import violations
from roundtap_core.pairing.swiss_round import draw_swiss_round, pairing_to_json
from roundtap_core.records import Competitor, Match, Result, Round, SidePair, Tournament

NAMES = {
    "a": "Ana Ruiz",
    "b": "Bruno Maier",
    "c": "Łukasz Żak",
    "d": "Kai Eich",
    "e": "Eva Luz",
    "f": "Ida Roth",
    "g": "Gil Paz",
    "h": "Hans Ott",
}
SQUADS = {"a": [1, 2], "b": [3, 4]}


def event(*rounds: list[Match], players: str = "abcd", **options: object) -> Tournament:
    """An event of single-letter competitors."""
    return Tournament(
        "Winter Open",
        "xwing-standard",
        options={"structure": "own", **options},
        competitors=tuple(Competitor(p, NAMES[p]) for p in players),
        rounds=tuple(Round(number, matches=tuple(matches)) for number, matches in enumerate(rounds, start=1)),
    )


def game(pair: str, a: int = 100, b: int = 0) -> Match:
    return Match(pair[0], pair[1], result=Result(score=SidePair(a, b)))


def bye(who: str, kind: str = "bye") -> Match:
    return Match(who, bye=kind)


def with_competitor(tournament: Tournament, who: str, **changes: object) -> Tournament:
    people = tuple(replace(c, **changes) if c.id == who else c for c in tournament.competitors)  # type: ignore[arg-type]
    return replace(tournament, competitors=people)


def found(tournament: Tournament) -> list[tuple[str, str]]:
    return [(problem.where, problem.key) for problem in violations(tournament)]


def test_a_clean_event_has_nothing_to_report() -> None:
    assert found(event([game("ab"), game("cd")], [game("ac"), game("bd")], [game("ad"), game("bc")])) == []


def test_a_team_has_two_members_a_captain_and_nobody_of_another_team() -> None:
    def file(*teams: Competitor) -> Tournament:
        return Tournament("Open", "xwing-epic-team", competitors=teams)

    def found(*teams: Competitor) -> list[tuple[str, str]]:
        return [(problem.where, problem.key) for problem in violations(file(*teams))]

    rebels = Competitor("t1", "Rebels", members=("Ana Ruiz", "Bruno Maier"), captain="Ana Ruiz")
    assert found(rebels, Competitor("t2", "Empire", members=("Eva Luz", "Kai Eich"), captain="Kai Eich")) == []
    assert found(Competitor("t1", "Rebels")) == [("/competitors/0/members", "team_members_missing")]
    assert found(Competitor("t1", "Rebels", members=("Ana Ruiz", "Bruno Maier"))) == [
        ("/competitors/0/captain", "team_captain_missing")
    ]
    assert found(rebels, Competitor("t2", "Empire", members=("Eva Luz", "ANA  RUIZ"), captain="Eva Luz")) == [
        ("/competitors/1/members/1", "member_twice")
    ]
    assert found(Competitor("t1", "Rebels", members=("Ana Ruiz", "Ana Ruiz"), captain="Ana Ruiz")) == [
        ("/competitors/0/members/1", "member_twice")
    ]


def test_a_repeated_pairing_names_both_and_the_first_round() -> None:
    problem = violations(event([game("ab"), game("cd")], [game("ac"), game("bd")], [game("ba"), game("dc")]))[0]
    assert problem.where == "/rounds/2/matches/0"
    assert problem.say() == (
        "Bruno M. (b) and Ana R. (a) already met in round 1. Another draw would have avoided this rematch."
    )


def test_a_stage_forgets_the_pairings_of_another() -> None:
    final = Round(2, "elimination", (replace(game("ab"), game=1),))
    swiss = event([game("ab"), game("cd")])
    assert found(replace(swiss, rounds=(*swiss.rounds, final))) == []


def level_at_the_top() -> Tournament:
    """After two Swiss rounds a and c are level in everything that Warlords of Terra counts, and so are b and d."""

    def won(pair: str) -> Match:
        return Match(pair[0], pair[1], result=Result(winner="a", score=SidePair(20, 0)))

    def drawn(pair: str) -> Match:
        return Match(pair[0], pair[1], result=Result("time", "draw", score=SidePair(9, 9)))

    return replace(
        event([won("ab"), won("cd")], [drawn("ac"), drawn("bd")], swiss_rounds=2, cut=2), rulebook="warlords-of-terra"
    )


def tie_broken_between(pair: str, number: int = 3) -> Round:
    return Round(number, "tiebreak", (Match(pair[0], pair[1], result=Result(winner="a", score=SidePair(20, 0))),))


def test_a_tie_break_round_may_repeat_its_pairings() -> None:
    swiss = level_at_the_top()
    assert found(replace(swiss, rounds=(*swiss.rounds, tie_broken_between("ac")))) == []


def test_a_tie_break_match_without_a_tie_at_a_place_that_counts() -> None:
    swiss = level_at_the_top()
    for pair in ("ab", "bd"):
        assert found(replace(swiss, rounds=(*swiss.rounds, tie_broken_between(pair)))) == [
            ("/rounds/2/matches/0", "tiebreak_without_tie")
        ]


def test_an_elimination_that_began_before_the_tie_was_broken() -> None:
    swiss = level_at_the_top()
    final = Round(3, "elimination", (Match("a", "c", game=1, result=Result(winner="a")),))
    assert ("/rounds/2", "tie_not_broken") in found(replace(swiss, rounds=(*swiss.rounds, final)))


def circle(*games: str, **record: object) -> Tournament:
    """a, b and c have beaten each other in turn; the tie-break rounds by single elimination, one game each."""

    def beats(pair: str) -> Match:
        return Match(pair[0], pair[1], result=Result(winner="a", score=SidePair(20, 0)))

    swiss = event([beats("ab"), bye("c")], [beats("bc"), bye("a")], [beats("ca"), bye("b")], players="abc")
    played = (Round(n, "tiebreak", (beats(pair),), tiebreak_form="knockout") for n, pair in enumerate(games, start=4))
    return replace(
        swiss,
        rulebook="warlords-of-terra",
        options={"structure": "own", "swiss_rounds": 3, "prize_places": 1, "lists_required": False},
        rounds=(*swiss.rounds, *played),
        record={"finished": True, **record},
    )


def said_of_ties(tournament: Tournament) -> list[str]:
    return [key for _, key in found(tournament) if "tie" in key]


def test_an_event_that_ended_with_a_tie_break_unfinished_is_told_unless_the_tie_is_named_on_record() -> None:
    def named(*people: str) -> list[dict[str, object]]:
        return [{"reason": "the hall closes", "points": [{"kind": "tie_open", "who": who} for who in people]}]

    for unfinished in (circle(), circle("ab"), circle("ba")):
        assert said_of_ties(unfinished) == ["finished_with_tie"]
    assert said_of_ties(circle("ab", "ac")) == said_of_ties(circle("ab", "ca")) == []
    assert said_of_ties(circle("ab", played_on=named("a", "c"))) == []
    assert said_of_ties(circle("ab", played_on=named("a", "b"))) == ["finished_with_tie"]


def test_a_tie_break_match_of_one_who_is_out_is_told_but_not_one_while_somebody_was_away() -> None:
    assert said_of_ties(circle("ab", "ac", "bc")) == ["tiebreak_without_tie"]
    # a has left and was reinstated: in between b and c played for the place.
    assert said_of_ties(circle("ab", "bc", "ca")) == []


def test_who_leaves_after_the_cut_was_made_opens_no_tie() -> None:
    """a and c have played for the first place; when a leaves before the final, b and d are level on a place that is
    offered on, and nothing is played for it."""
    swiss = level_at_the_top()
    final = Round(4, "elimination", (Match("c", "b", game=1, result=Result(winner="a")),))
    over = replace(swiss, rounds=(*swiss.rounds, tie_broken_between("ac"), final))
    assert "tie_not_broken" not in said_of_ties(with_competitor(over, "a", dropped_after=3))


def test_ties_that_an_unreadable_result_hides_are_none_and_the_result_is_named() -> None:
    """The standings cannot be made then; whatever else is wrong is still told."""
    swiss = level_at_the_top()
    unreadable = Match("b", "d", result=Result("played", None, score=SidePair(9, 9)))
    after = replace(swiss.rounds[1], matches=(swiss.rounds[1].matches[0], unreadable))
    final = Round(3, "elimination", (Match("a", "c", game=1, result=Result(winner="a")),))
    told = found(replace(swiss, rounds=(swiss.rounds[0], after, final)))
    assert ("/rounds/1/matches/1/result/winner", "winner_missing") in told
    assert "tie_not_broken" not in [key for _, key in told]
    again = found(replace(swiss, rounds=(swiss.rounds[0], after, tie_broken_between("ac"))))
    assert ("/rounds/2/matches/0", "tiebreak_without_tie") in again


def test_no_tie_break_round_under_a_rulebook_that_has_none() -> None:
    swiss = event([game("ab"), game("cd")])
    again = Round(2, "tiebreak", (game("ab"),))
    assert found(replace(swiss, rounds=(*swiss.rounds, again))) == [("/rounds/1", "no_tiebreak_rounds")]


def test_figures_that_nobody_could_enter_now() -> None:
    assert found(event([game("ab", 130, 0), game("cd", 100, -4)])) == [
        ("/rounds/0/matches/0/result/score/a", "figure_out_of_range"),
        ("/rounds/0/matches/1/result/score/b", "figure_out_of_range"),
    ]


def test_an_open_match_counts_once_a_later_round_is_there() -> None:
    opened = [Match("a", "b"), game("cd")]
    assert found(event(opened)) == []
    assert found(event(opened, [game("ac"), game("bd")])) == [("/rounds/0/matches/0", "open_match")]


def test_several_byes_in_a_round() -> None:
    assert found(event([game("ab"), bye("c"), bye("d")])) == [("/rounds/0/matches/2/bye", "several_byes")]
    won = event([game("ab"), bye("c", "won"), bye("d", "won")])
    assert found(with_competitor(with_competitor(won, "c", won_bye=True), "d", won_bye=True)) == []


def test_a_second_bye_while_somebody_has_none() -> None:
    twice = event([game("ab"), game("cd"), bye("e")], [game("ac"), game("bd"), bye("e")], players="abcde")
    assert ("/rounds/1/matches/2/bye", "second_bye") in found(twice)


def test_a_won_bye_counts_as_one_received() -> None:
    won = event([bye("e", "won"), game("ab"), game("cd")], [game("ac"), game("bd"), bye("e")], players="abcde")
    assert ("/rounds/1/matches/2/bye", "second_bye") in found(won)


def test_a_second_bye_is_right_when_everybody_had_one() -> None:
    rounds = [[bye("a"), game("bc")], [bye("c"), game("ab")], [bye("b"), game("ac")], [bye("c"), game("ab")]]
    assert found(event(*rounds, players="abc")) == []


def test_a_second_bye_is_wrong_even_where_every_other_forces_a_repeat() -> None:
    """Section 10: the bye goes to who has had none; that comes first, fewest repeats second."""
    # d and e have each met a, b and c, who all sat out before. Without d, e meets one of them again.
    before = [
        [bye("a"), game("be"), game("cd")],
        [bye("b"), game("ce"), game("da")],
        [bye("c"), game("ea"), game("bd")],
    ]
    for again in ([bye("a"), game("de"), game("bc")], [bye("b"), game("de"), game("ac")]):
        tournament = event(*before, again, players="abcde")
        assert [problem for problem in found(tournament) if problem[0].startswith("/rounds/3")] == [
            ("/rounds/3/matches/0/bye", "second_bye")
        ]
    # e is the last of the two without one: their other three pair off with one repeat, which is forced.
    tournament = event(*before, [bye("e"), game("da"), game("bc")], players="abcde")
    assert [problem for problem in found(tournament) if problem[0].startswith("/rounds/3")] == []


def test_the_bye_goes_to_the_last_in_the_standings() -> None:
    # After round 1: a 1 point, MoV 200; e 1, 150 (bye); c 1, 110; d 0, 90; b 0, 0.
    first = [game("ab"), game("cd", 100, 90), bye("e")]
    assert found(event(first, [game("ad"), game("ce"), bye("b")], players="abcde")) == []
    (problem,) = violations(event(first, [game("ae"), game("cb"), bye("d")], players="abcde"))
    assert (problem.where, problem.key) == ("/rounds/1/matches/2/bye", "bye_too_high")
    assert problem.say() == "Kai E. (d) ranked too high for this bye. It belonged to Bruno M. (b)."


def test_the_lot_between_equals_is_no_breach() -> None:
    # b and d lost alike: whichever of them sits out, some lot would have had it so.
    first = [game("ab"), game("cd"), bye("e")]
    assert found(event(first, [game("ec"), game("da"), bye("b")], players="abcde")) == []
    assert found(event(first, [game("ea"), game("cb"), bye("d")], players="abcde")) == []


def test_who_left_is_paired_no_more_and_not_missed() -> None:
    played = event([game("ab"), game("cd")], [game("ac"), game("bd")])
    assert found(with_competitor(played, "d", dropped_after=1)) == [("/rounds/1/matches/1/b", "paired_after_leaving")]
    left = event([game("ab"), game("cd")], [game("ac"), bye("b")])
    assert found(left) == [("/rounds/1/matches", "missing_from_round")]
    assert found(with_competitor(left, "d", disqualified_after=1)) == []
    assert found(with_competitor(left, "d", dropped_after=9))[0] == (
        "/competitors/3/dropped_after",
        "left_after_undrawn_round",
    )


def test_a_won_bye_is_sat_out_in_round_1() -> None:
    given = event([bye("c", "won"), game("ab")], players="abc")
    assert found(with_competitor(given, "c", won_bye=True)) == []
    ignored = event([game("ab"), game("cd")])
    assert found(with_competitor(ignored, "d", won_bye=True)) == [("/rounds/0/matches/1/b", "won_bye_not_given")]
    late = event([game("ab"), bye("c", "unpaired-loss")], players="abc")
    assert found(with_competitor(late, "c", won_bye=True)) == []
    second = event([game("ab"), bye("c", "unpaired-loss")], [game("ab"[::-1]), bye("c", "won")], players="abc")
    assert ("/rounds/1/matches/1/bye", "won_bye_after_round_1") in found(second)


def test_a_no_show_has_two_sides() -> None:
    assert found(event([bye("a", "no-show"), bye("b", "unpaired-loss"), game("cd")])) == []
    assert found(event([bye("a", "no-show"), game("cd")], players="acd")) == [
        ("/rounds/0/matches/0/bye", "no_show_of_nobody"),
    ]


def test_the_structure_limits_the_rounds() -> None:
    rounds = [[game("ab"), game("cd")], [game("ac"), game("bd")], [game("ad"), game("bc")]]
    assert found(event(*rounds, swiss_rounds=2)) == [("/rounds/2", "too_many_rounds")]
    assert found(event(*rounds, structure="basic")) == []
    assert found(event([game("ab"), bye("c")], players="abc", structure="basic")) == [
        ("/options/structure", "no_structure"),
    ]


def test_problems_come_in_the_file_s_order() -> None:
    matches = [game("ab", 101), game("cd", 101)] + [Match(f"x{n}", f"y{n}") for n in range(9)] + [game("ef", 101)]
    matches[1:3] = matches[2:0:-1]
    people = tuple(Competitor(who, who) for match in matches for who in (match.a, match.b or ""))
    tournament = replace(event(matches), competitors=people)
    assert [where for where, _ in found(tournament)] == [f"/rounds/0/matches/{n}/result/score/a" for n in (0, 2, 11)]


@pytest.mark.parametrize("players", [3, 5, 6, 7, 9, 13])
def test_our_own_draws_break_no_rule(players: int) -> None:
    """Whole events, drawn by the kit, with drops and won byes, beyond what goes without a repeat."""
    for seed in range(12):
        chance = random.Random(seed)
        people = tuple(Competitor(f"p{n}", f"P{n}", won_bye=chance.random() < 0.1) for n in range(players))
        tournament = Tournament(
            "Open", "xwing-standard", options={"structure": "own", "swiss_rounds": 6}, seed=seed, competitors=people
        )
        for number in range(1, 7):
            drawn = pairing_to_json(draw_swiss_round(tournament))
            matches = tuple(
                Match(
                    m["a"],
                    m.get("b"),
                    m.get("table"),
                    m.get("bye"),
                    Result(score=SidePair(100, chance.randrange(100))) if "b" in m else None,
                )
                for m in drawn["matches"]
            )
            tournament = replace(tournament, rounds=(*tournament.rounds, Round(number, matches=matches)))
            leaving = chance.choice(tournament.competitors)
            if chance.random() < 0.3 and players > 6 and leaving.active:
                tournament = with_competitor(tournament, leaving.id, dropped_after=number)
            assert violations(tournament) == [], (seed, number)


@pytest.mark.parametrize(
    ("rulebook", "result", "where", "key"),
    [
        ("shatterpoint-premier", Result(score=SidePair(1, 0), picks=SQUADS), "/score", "nobody_has_won"),
        ("shatterpoint-premier", Result(score=SidePair(0, 0), winner="draw", picks=SQUADS), "/score", "nobody_has_won"),
        ("shatterpoint-premier", Result(score=SidePair(2, 0)), "/picks/a", "picks_missing"),
        ("shatterpoint-premier", Result("concession", conceded_by="a"), "/picks/a", "picks_missing"),
        (
            "shatterpoint-premier",
            Result(
                "time",
                score=SidePair(2, 1),
                picks=SQUADS,
                timeout={"score": {"a": 1, "b": 1}, "struggle": {"a": 0, "b": 1}},
            ),
            "/score",
            "timeout_score",
        ),
        ("warlords-of-terra", Result("time", "draw", score=SidePair(12, -4)), "/winner", "drawn_without_life"),
        ("warlords-of-terra", Result(winner="a", score=SidePair(20, 7)), "/score/b", "loser_has_life"),
        ("warlords-of-terra", Result(winner="b", score=SidePair(20, 0)), "/winner", "winner_without_life"),
        ("warlords-of-terra", Result(winner="draw", score=SidePair(9, 9)), "/winner", "no_draw_before_time"),
        ("warlords-of-terra", Result("concession", conceded_by="a"), "/winner", "winner_without_life"),
    ],
)
def test_a_result_that_no_game_can_have_is_named_in_a_file(rulebook: str, result: Result, where: str, key: str) -> None:
    table = replace(event([Match("a", "b", result=result)], players="ab", swiss_rounds=1), rulebook=rulebook)
    assert (f"/rounds/0/matches/0/result{where}", key) in found(table)


# --- before play: decks and officials -------------------------------------------------------------------------------


def official(who: str, **more: object) -> dict[str, object]:
    return {"id": who, "name": f"Official {who}", "role": "judge", **more}


def with_officials(
    rulebook: str, level: str | None, *officials: dict[str, object], role: str | None = None, **people: int
) -> list[tuple[str, str]]:
    """What `check` says of three people and these officials; p1 may say itself that it is one. `people`: who left
    after which round."""
    competitors = tuple(
        Competitor(f"p{n}", name, officials_role=role if n == 1 else None, dropped_after=people.get(f"p{n}"))
        for n, name in enumerate(("Ana Ruiz", "Bruno Maier", "Łukasz Żak"), start=1)
    )
    broken = found(Tournament("Open", rulebook, level, competitors=competitors, record={"officials": list(officials)}))
    # That an event has one organizer is another rule.
    return [(where, key) for where, key in broken if key != "one_organizer"]


def test_two_decks_of_one_name_are_named_but_not_that_of_somebody_who_never_began() -> None:
    def decks(*names: str, **left: int) -> list[tuple[str, str]]:
        return found(
            Tournament(
                "Open",
                "keyforge-archon",
                competitors=tuple(
                    Competitor(f"p{n}", f"Player {n}", identity=name, dropped_after=left.get(f"p{n}"))
                    for n, name in enumerate(names, start=1)
                ),
            )
        )

    assert decks("Third", "Deck", "deck ") == [("/competitors/2/identity", "list_deck_twice")]
    assert decks("Third", "Deck", "Other") == []
    assert decks("Deck", "deck", "Third", p1=0) == []
    assert decks("Third", "Other", "deck", "Deck", p1=0) == [("/competitors/3/identity", "list_deck_twice")]


def test_an_official_plays_only_where_the_level_allows_it() -> None:
    one, second = official("o1", plays="p1"), official("o2", second=True)
    assert with_officials("xwing-standard", "formal", one, second) == [("/officials/0/plays", "official_may_not_play")]
    assert with_officials("xwing-standard", "relaxed", one, second) == []
    assert with_officials("shatterpoint-premier", None, official("o9"), one) == [
        ("/officials/1/plays", "official_may_not_play")
    ]
    # The competitor says the same: named once.
    assert with_officials("xwing-standard", "formal", one, second, role="judge") == [
        ("/competitors/0/officials_role", "official_may_not_play")
    ]


def test_an_official_who_plays_needs_a_second_one() -> None:
    one = official("o1", plays="p1")
    alone = [("/officials/0/plays", "official_without_second")]
    assert with_officials("warlords-of-terra", "friendly", one) == alone
    assert with_officials("warlords-of-terra", "friendly", one, official("o2")) == alone
    assert with_officials("warlords-of-terra", "friendly", one, official("o2", second=True)) == []
    # A second official's own games are ruled by anybody else; by nobody, where there is nobody.
    both = [official("o1", plays="p1"), official("o2", plays="p2", second=True)]
    assert with_officials("warlords-of-terra", "friendly", *both) == []
    assert with_officials("warlords-of-terra", "friendly", official("o2", plays="p2", second=True)) == alone
    # Without a level it is one of the two: barred, or in need of a second.
    assert with_officials("xwing-standard", None, one) == alone
    # Who only says so at the competitor; who had left before the first round.
    assert with_officials("warlords-of-terra", "friendly", official("o2"), role="judge") == [
        ("/competitors/0/officials_role", "official_without_second")
    ]
    assert with_officials("warlords-of-terra", "friendly", one, p1=0) == []


def test_shatterpoint_wants_a_judge_who_does_not_play() -> None:
    assert with_officials("shatterpoint-premier", None, official("o1", role="organizer")) == []
    assert with_officials("shatterpoint-premier", None) == [("/officials", "judge_missing")]
    assert ("/officials", "judge_missing") in with_officials("shatterpoint-premier", None, official("o1", plays="p1"))
    assert with_officials("xwing-standard", "formal") == []


def test_a_file_that_names_no_officials_is_not_asked_for_them() -> None:
    people = (Competitor("p1", "Ana Ruiz", officials_role="judge"), Competitor("p2", "Bruno Maier"))
    for rulebook, level in (("shatterpoint-premier", None), ("warlords-of-terra", "friendly")):
        keys = [key for _, key in found(Tournament("Open", rulebook, level, competitors=people))]
        assert not {"judge_missing", "official_without_second"} & set(keys)


def test_a_key_that_looks_like_a_number_is_told_like_any_other() -> None:
    """ "²" is a digit and no number."""
    odd = with_competitor(event([game("ab"), game("cd")]), "a", list={"faction": "Rebel", "total": 91, "²": True})
    assert "/competitors/0/list/²" in [problem.where for problem in violations(odd)]
