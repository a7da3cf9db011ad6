"""Elimination of a store's own game: level goes to the better rank, or the table is asked; byes and concessions of the
stage's number of games."""

import pytest

from own_games.shelf import id_of, rules_of
from own_games.tables import bye, event_file, example, people, scored
from roundtap_core.check.check import violations
from roundtap_core.errors import Problem
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.records import CONCESSION, RULING, TIME, Match, Result, SidePair
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.own import own_rulebook
from roundtap_core.rulebooks.own_rules import rules_json
from roundtap_core.rulebooks.result_gate import result_problems
from roundtap_core.rulebooks.scoring import ALL_GAMES, WON_GAMES
from roundtap_core.standings.standings import standings

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


def test_who_leaves_once_the_cut_is_made_does_not_change_the_order_it_was_made_in() -> None:
    """Dora led by her opponents' games when the cut was made. She left; her rate has a ceiling of 75 %, and Gil leads
    by his opponents' opponents. The file says only that she left after round 2; an order of neither time is told."""
    rounds = [
        [
            scored("eva", 3, 2, "finn"),
            scored("dora", 3, 0, "cira"),
            scored("ana", 3, 2, "bruno"),
            bye("gil", "won"),
            bye("hana", "unpaired-loss"),
        ],
        [scored("dora", 3, 1, "eva"), scored("gil", 3, 0, "ana"), scored("cira", 3, 0, "hana")],
    ]
    ids = ("ana", "bruno", "cira", "dora", "eva", "finn", "gil", "hana")
    file = event_file(people(*ids), rounds)
    file["competitors"][1]["dropped_after"] = file["competitors"][5]["dropped_after"] = 1
    file["competitors"][6]["won_bye"] = True
    file |= {"rulebook": id_of("best-of-five-like"), "rules": example("best-of-five-like")}
    file["options"]["cut"] = 2
    made = tournament_from_json(file)
    order = [row.competitor for row in standings(made)]
    left = {
        **file,
        "competitors": [{**one, "dropped_after": 2} if one["id"] == "dora" else one for one in file["competitors"]],
    }
    after = [row.competitor for row in standings(tournament_from_json(left))]
    assert (order[:2], after[:2]) == (["dora", "gil"], ["gil", "dora"])
    for stated, told in ((order, []), (after, []), (after[::-1], ["cut_order_differs"])):
        with_cut = {**left, "cut": {"size": 2, "order": stated, "seeds": ["dora", "gil"]}}
        found = violations(tournament_from_json(with_cut))
        assert [each.key for each in found if each.where == "/cut/order"] == told
