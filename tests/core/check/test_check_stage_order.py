"""What `check` reports of the course of an event: pairs that a draw had avoided, stages and ends too early."""

from typing import Any

import pytest
from msgspec.structs import replace
from test_check import SQUADS, bye, event, found, game, with_competitor

from roundtap_core.check.check import violations
from roundtap_core.records import Competitor, Draw, Match, Result, Round, SidePair, Tournament, result_to_json
from roundtap_core.standings.standings import standings

FIRST = [game("ab"), game("cd")]


def finished(tournament: Tournament, **record: Any) -> Tournament:
    return replace(tournament, record={"finished": True, **record})


def corrected(tournament: Tournament, was: Result, **more: int) -> Tournament:
    """The first match had ended otherwise, and was corrected."""
    first = tournament.rounds[0]
    match = replace(first.matches[0], record={"corrections": [{"was": result_to_json(was), "by": "o1", **more}]})
    return replace(tournament, rounds=(replace(first, matches=(match, *first.matches[1:])), *tournament.rounds[1:]))


def test_two_leaders_who_had_not_met_and_were_both_paired_down() -> None:
    """a and c have won: they meet each other, and so do b and d."""
    (problem,) = violations(event(FIRST, [game("ad"), game("cb")]))
    assert (problem.where, problem.key) == ("/rounds/1/matches/1", "paired_past_equals")
    assert problem.say().startswith("Ana R. and Łukasz Ż. have equal points and had not met")
    assert found(event(FIRST, [game("ac"), game("bd")])) == []


def test_what_people_paired_is_their_word() -> None:
    by_hand = event(FIRST, [game("ad"), game("cb")])
    rounds = (by_hand.rounds[0], replace(by_hand.rounds[1], draw=Draw(1, 1, "imposed")))
    assert found(replace(by_hand, rounds=rounds)) == []


def test_leaders_who_have_met_or_leave_two_who_have_are_no_breach() -> None:
    # c and d, the two below, have met: a and b together would make them meet again.
    met = [game("ac"), game("bd")], [game("ab"), game("cd")], [game("ad"), game("bc")]
    assert found(event(*met)) == []


def test_a_round_is_judged_by_the_results_it_was_drawn_from() -> None:
    """b had won when round 2 was drawn; afterwards round 1 was corrected to a."""
    was = Result(score=SidePair(0, 100))
    drawn = event(FIRST, [game("bc"), game("ad")])
    assert [key for _, key in found(drawn)] == ["paired_past_equals"]
    assert found(corrected(drawn, was, after_round=2)) == []
    # Corrected before round 2 was there.
    assert [key for _, key in found(corrected(drawn, was, after_round=1))] == ["paired_past_equals"]
    # An older file does not say when: either may be.
    assert found(corrected(drawn, was)) == []


def test_a_bye_is_judged_by_the_results_it_was_drawn_from() -> None:
    """a, the winner of round 1 as it stands now, was last when the bye was drawn."""
    drawn = event([game("ab", 100, 0), game("cd"), bye("e")], [bye("a"), game("be"), game("cd")], players="abcde")
    assert ("/rounds/1/matches/0/bye", "bye_too_high") in found(drawn)
    was = Result(score=SidePair(0, 100))
    assert "bye_too_high" not in [key for _, key in found(corrected(drawn, was, after_round=2))]
    assert "bye_too_high" not in [key for _, key in found(corrected(drawn, was))]


def test_a_won_bye_for_somebody_who_brought_none() -> None:
    tournament = event([game("ab"), bye("c", "won"), bye("d", "won")])
    assert found(with_competitor(tournament, "c", won_bye=True)) == [("/rounds/0/matches/2/bye", "won_bye_of_another")]


def test_a_cut_before_the_last_swiss_round() -> None:
    final = Round(3, "elimination", (replace(game("ab"), game=1),))
    tournament = event(FIRST, [game("ac"), game("bd")], swiss_rounds=3, cut=2)
    assert ("/rounds/2", "stage_too_early") in found(replace(tournament, rounds=(*tournament.rounds, final)))
    whole = event(FIRST, [game("ac"), game("bd")], swiss_rounds=2, cut=2)
    assert "stage_too_early" not in [key for _, key in found(replace(whole, rounds=(*whole.rounds, final)))]


def test_an_event_that_says_it_is_over() -> None:
    assert found(finished(event(FIRST, swiss_rounds=3))) == [("/finished", "finished_early")]
    assert found(finished(event(FIRST, swiss_rounds=1))) == []
    assert found(event(FIRST, swiss_rounds=3)) == []
    opened = finished(event([game("ab"), Match("c", "d")], swiss_rounds=1))
    assert found(opened) == [("/rounds/0/matches/1", "finished_with_open_match")]


def knockout(*games: str) -> Round:
    """The semi-finals, or the final, after one Swiss round: who is named first has won."""
    return Round(
        4 - len(games), "elimination", tuple(replace(game(pair), game=n) for n, pair in enumerate(games, start=1))
    )


def test_an_event_that_is_over_without_its_final() -> None:
    swiss = event(FIRST, swiss_rounds=1, cut=4)
    # Seeds by MoV are a, c, b, d or alike: whoever won meets whom the file says.
    order = [row.competitor for row in standings(swiss)]
    semi = knockout(order[0] + order[3], order[1] + order[2])
    final = knockout(order[0] + order[1])
    assert found(finished(swiss)) == [("/finished", "finished_without_final")]
    assert found(finished(replace(swiss, rounds=(*swiss.rounds, semi)))) == [("/finished", "finished_without_final")]
    whole = replace(swiss, rounds=(*swiss.rounds, semi, final))
    assert found(finished(whole)) == []
    third = replace(whole, options={**whole.options, "third_place_match": True})
    assert found(finished(third)) == [("/rounds/2/matches", "bracket_game_count")]
    line = {"points": [{"kind": "finished_early"}], "reason": "the hall closes", "by": "organizer"}
    assert found(finished(replace(swiss, rounds=(*swiss.rounds, semi)), played_on=[line])) == []
    # Nobody announced how many rounds there are: it ends whenever it ends, but not in the middle of a bracket.
    assert found(finished(event(FIRST, cut=4))) == []


def test_a_final_to_which_nobody_can_come_is_not_missed() -> None:
    swiss = event(FIRST, swiss_rounds=1, cut=4)
    order = [row.competitor for row in standings(swiss)]
    semi = knockout(order[0] + order[3], order[1] + order[2])
    whole = replace(swiss, rounds=(*swiss.rounds, semi))
    for who in order[:2]:
        whole = with_competitor(whole, who, dropped_after=2)
    assert found(finished(whole)) == []


def test_a_second_swiss_stage_of_which_rounds_are_missing() -> None:
    swiss = event(FIRST, swiss_rounds=1, cut=4, second_stage="second-swiss")
    swiss = replace(swiss, rulebook="xwing-standard")
    begun = replace(swiss, rounds=(*swiss.rounds, Round(2, "second-swiss", (game("ac"), game("bd")))))
    assert ("/finished", "finished_without_final") in found(finished(begun))


def test_a_second_swiss_stage_before_the_last_round_of_the_first() -> None:
    early = event(FIRST, swiss_rounds=2, cut=4, second_stage="second-swiss")
    begun = replace(early, rounds=(*early.rounds, Round(2, "second-swiss", (game("ac"), game("bd")))))
    assert ("/rounds/1", "stage_too_early") in found(begun)


def test_an_event_that_is_over_with_a_tie_at_a_prize() -> None:
    """Warlords 2.4.2: a and c have won alike, and there is one prize."""
    tied = tuple(Match(pair[0], pair[1], result=Result(winner="a", score=SidePair(20, 0))) for pair in ("ab", "cd"))
    tournament = Tournament(
        "Open",
        "warlords-of-terra",
        options={"structure": "own", "swiss_rounds": 1, "prize_places": 1},
        competitors=tuple(Competitor(p, p.upper()) for p in "abcd"),
        rounds=(Round(1, matches=tied),),
    )
    assert found(finished(tournament)) == [("/finished", "finished_with_tie")]
    assert found(tournament) == []


@pytest.mark.parametrize(
    ("rulebook", "minutes", "wrong"),
    [
        ("shatterpoint-premier", 5, False),
        ("shatterpoint-premier", 7, True),
        ("xwing-standard", 1, True),
    ],
)
def test_more_extra_minutes_than_the_die_can_add(rulebook: str, minutes: int, wrong: bool) -> None:
    tournament = Tournament(
        "Open",
        rulebook,
        options={"structure": "own"},
        competitors=(),
        rounds=(Round(1, record={"extra_minutes": minutes}),),
    )
    assert (("/rounds/0/extra_minutes", "figure_out_of_range") in found(tournament)) is wrong


def test_more_destroyed_than_the_one_list_that_is_known() -> None:
    def scored(destroyed: int, **lists: int) -> list[tuple[str, str]]:
        people = tuple(Competitor(who, who, list={"total": lists[who]} if who in lists else None) for who in "ab")
        result = Result(ended="time", score=SidePair(200, destroyed))
        return [
            each
            for each in found(
                Tournament(
                    "Open",
                    "xwing-epic-duel",
                    options={"structure": "own", "lists_required": False},
                    competitors=people,
                    rounds=(Round(1, matches=(Match("a", "b", result=result),)),),
                )
            )
            if each[0].endswith("/score/b")
        ]

    assert scored(280) == []
    assert scored(280, a=280) == []
    assert scored(281, a=280) == [("/rounds/0/matches/0/result/score/b", "figure_out_of_range")]
    assert scored(281, b=280) == []


@pytest.mark.parametrize(
    ("rulebook", "result"),
    [
        ("xwing-standard", Result(ended="concession", conceded_by="b", score=SidePair(40, 100))),
        (
            "shatterpoint-premier",
            Result(ended="concession", conceded_by="b", score=SidePair(0, 2), wounds=SidePair(0, 3), picks=SQUADS),
        ),
        ("warlords-of-terra", Result(ended="concession", conceded_by="b", score=SidePair(0, 7))),
    ],
)
def test_who_has_won_does_not_concede_unless_an_official_has_entered_it(rulebook: str, result: Result) -> None:
    match = Match("a", "b", result=result)
    tournament = Tournament(
        "Open",
        rulebook,
        options={"structure": "own", "lists_required": False},
        competitors=(Competitor("a", "Ana"), Competitor("b", "Bruno")),
        rounds=(Round(1, matches=(match,)),),
    )
    assert ("/rounds/0/matches/0/result/conceded_by", "winner_concedes") in found(tournament)
    entered = replace(match, record={"decided": True})
    assert "winner_concedes" not in [
        key for _, key in found(replace(tournament, rounds=(Round(1, matches=(entered,)),)))
    ]
