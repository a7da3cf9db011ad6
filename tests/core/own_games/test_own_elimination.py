"""Elimination of a store's own game: level goes to the better rank, or the table is asked; byes and concessions of the
stage's number of games."""

import pytest

from own_games.shelf import rules_of
from roundtap_core.errors import Problem
from roundtap_core.records import CONCESSION, RULING, TIME, Match, Result, SidePair
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.own import own_rulebook
from roundtap_core.rulebooks.own_rules import rules_json
from roundtap_core.rulebooks.result_gate import result_problems
from roundtap_core.rulebooks.scoring import ALL_GAMES, WON_GAMES

KNOCKOUT = MatchSituation("elimination")
LEVEL = Result(score=SidePair(5, 5), ended=TIME)


def points(draws: str, undecided: str, knockout: str) -> Rulebook:
    return own_rulebook(
        rules_json(
            rules_of(
                'format = "roundtap-rules/1"\nname = "Skirmish"\n[match]\nreport = "points"\n'
                f'draws = "{draws}"\n[[match.figure]]\nkey = "score"\n'
                f'[time]\nundecided = "{undecided}"\nknockout = "{knockout}"\n[points]\nwin = 3\n'
            )
        )
    )


EVERY = [(draws, undecided) for draws in ("never", "at_time", "any_time") for undecided in ("draw", "ask", "both_lose")]


@pytest.mark.parametrize(("draws", "undecided"), EVERY)
def test_level_in_elimination_stands_and_goes_to_the_better_rank(draws: str, undecided: str) -> None:
    book = points(draws, undecided, "better_rank")
    assert list(result_problems(book, LEVEL, {}, KNOCKOUT)) == []
    assert [book.elimination_winner(LEVEL, {}, better) for better in ("a", "b")] == ["a", "b"]


@pytest.mark.parametrize(("draws", "undecided"), EVERY)
@pytest.mark.parametrize("winner", ["a", "b"])
def test_whoever_is_named_beside_the_rank_is_refused(draws: str, undecided: str, winner: str) -> None:
    book = points(draws, undecided, "better_rank")
    named = Result(score=SidePair(5, 5), ended=TIME, winner=winner)
    assert [problem.key for problem in result_problems(book, named, {}, KNOCKOUT)] == ["rank_decides"]


def test_a_judge_may_name_the_winner_all_the_same() -> None:
    book = points("at_time", "draw", "better_rank")
    ruled = Result(score=SidePair(5, 5), ended=RULING, winner="b")
    assert list(result_problems(book, ruled, {}, KNOCKOUT)) == []
    assert book.elimination_winner(ruled, {}, "a") == "b"


@pytest.mark.parametrize(("draws", "undecided"), EVERY)
def test_where_the_table_is_asked_a_level_match_lacks_its_winner(draws: str, undecided: str) -> None:
    book = points(draws, undecided, "ask")
    assert [problem.key for problem in result_problems(book, LEVEL, {}, KNOCKOUT)] == ["winner_missing"]
    with pytest.raises(Problem, match="winner"):
        book.elimination_winner(LEVEL, {}, "a")


def test_who_won_is_what_counts_where_nothing_else_is_reported() -> None:
    book = own_rulebook(
        rules_json(
            rules_of(
                'format = "roundtap-rules/1"\nname = "Hive"\n[match]\nreport = "winner"\n'
                '[time]\nknockout = "better_rank"\n[points]\nwin = 1\n'
            )
        )
    )
    assert book.elimination_winner(Result(winner="b"), {}, "a") == "b"


def test_a_concession_and_a_bye_are_full_wins_of_the_games_that_the_event_plays() -> None:
    book = own_rulebook(
        rules_json(
            rules_of(
                'format = "roundtap-rules/1"\nname = "Five"\n'
                '[match]\nreport = "games"\nbest_of = 5\n[points]\nwin = 3\n'
            )
        )
    )
    conceded = Match("p1", "p2", result=Result(ended=CONCESSION, conceded_by="a", score=SidePair(1, 0)))
    for best_of, wins in ((5, 3), (3, 2), (1, 1)):
        options = book.options({"stages": {"swiss": {"best_of": best_of}}})
        tally = book.tally(conceded, "b", options)
        assert (tally.helpers[WON_GAMES], tally.helpers[ALL_GAMES]) == (wins, wins + 1)
        bye = book.tally(Match("p1", bye="bye"), "a", options)
        assert (bye.helpers[WON_GAMES], bye.helpers[ALL_GAMES]) == (wins, wins)
