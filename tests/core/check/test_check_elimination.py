"""What `check` says of elimination rounds that are not what cut and bracket demand."""

from msgspec.structs import replace

from bracket_kit import entered, leaves, played, ranked
from roundtap_core.check.check import violations
from roundtap_core.elimination.bracket import next_elimination_round
from roundtap_core.records import BYE, Match, Round, Tournament


def found(tournament: Tournament) -> list[tuple[str, str]]:
    """Without round 1, whose made-up scores are above the cap."""
    return [(p.where, p.key) for p in violations(tournament) if not p.where.startswith("/rounds/0")]


def with_last(tournament: Tournament, *matches: Match) -> Tournament:
    last = tournament.rounds[-1]
    return replace(tournament, rounds=(*tournament.rounds[:-1], replace(last, matches=matches)))


def changed(tournament: Tournament, index: int, **changes: object) -> Tournament:
    matches = list(tournament.rounds[-1].matches)
    matches[index] = replace(matches[index], **changes)  # type: ignore[arg-type]
    return with_last(tournament, *matches)


def test_a_right_bracket_has_nothing_to_report() -> None:
    event = played(ranked(20))
    assert found(event) == []
    assert found(played(played(event))) == []
    assert found(played(leaves(event, "p2"))) == []
    assert found(played(entered(11))) == []


def test_a_wrong_pair_names_the_right_one() -> None:
    event = played(played(ranked(20)))
    one, two = event.rounds[-1].matches
    swapped = with_last(event, replace(one, b=two.b), replace(two, b=one.b))
    assert found(swapped) == [("/rounds/2/matches/0", "bracket_pairing"), ("/rounds/2/matches/1", "bracket_pairing")]
    problem = next(p for p in violations(swapped) if p.where == "/rounds/2/matches/0")
    assert problem.say() == "Game 1 should be Player 1 (p1) – Player 4 (p4)."


def test_first_against_second_in_the_first_round_is_wrong_whoever_else_made_the_cut() -> None:
    event = played(ranked(20, cut=4))
    one, two = event.rounds[-1].matches
    assert [key for _, key in found(with_last(event, replace(one, b=two.a), replace(two, a=one.b or "")))] == [
        "bracket_pairing",
        "bracket_pairing",
    ]


def test_a_place_that_went_to_a_later_one_is_no_breach() -> None:
    """p9 declined: who is asked is not in the file, so p10 may stand in as the last seed."""
    event = leaves(ranked(20), "p6")
    drawn = next_elimination_round(event, seeds=("p1", "p2", "p3", "p4", "p5", "p7", "p8", "p10"))
    assert found(played(event, drawn=drawn)) == []


def test_game_numbers_are_there_once_and_in_range() -> None:
    event = played(ranked(20))
    for wrong in (None, 5, "third"):
        assert found(changed(event, 0, game=wrong)) == [("/rounds/1/matches/0", "bracket_game_number")]
    assert found(changed(event, 0, game=2)) == [("/rounds/1/matches/1", "bracket_game_number")]


def test_a_bye_against_somebody_who_was_there() -> None:
    event = played(played(ranked(20)))
    lone = changed(event, 0, b=None, bye=BYE, result=None, table=None)
    assert found(lone) == [("/rounds/2/matches/0/bye", "bracket_bye")]
    assert found(leaves(lone, "p4", after=1)) != []
    assert ("/rounds/2/matches/0/bye", "bracket_bye") not in found(leaves(lone, "p4", after=2))


def test_a_game_left_out_is_missed() -> None:
    event = played(played(ranked(20)))
    assert found(with_last(event, event.rounds[-1].matches[0])) == [("/rounds/2/matches", "bracket_game_count")]


def test_a_round_after_the_final() -> None:
    event = played(ranked(20, cut=2))
    again = Round(3, "elimination", (replace(event.rounds[-1].matches[0]),))
    keys = [key for _, key in found(replace(event, rounds=(*event.rounds, again)))]
    assert "bracket_too_many_rounds" in keys
