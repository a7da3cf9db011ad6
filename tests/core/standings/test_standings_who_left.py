"""Who is no longer there: put out (not ranked, listed last), left (ranked), never played (in no standings)."""

from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from roundtap_core.elimination.bracket import bracket_of, qualifiers
from roundtap_core.elimination.ranking import bracket_to_json, final_ranking
from roundtap_core.pairing.swiss_round import draw_swiss_round
from roundtap_core.records import ELIMINATION, Match, Round, Tournament
from roundtap_core.standings.standings import open_ties, standings, standings_to_json
from rulebook_kit import event, game, played, ruling

NAMES = ("Ana", "Bruno", "Eva", "Kai")
TWO_ROUNDS = [
    [game("Ana", "Bruno", played(100, 24)), game("Eva", "Kai", played(100, 24))],
    [game("Ana", "Eva", played(100, 60)), game("Bruno", "Kai", played(100, 0))],
]
"""Ana has two wins; Eva (MoV 176 + 60) and Bruno (24 + 200) one, Kai none."""

SEMI_FINALS = [
    Match("Ana", "Kai", 1, result=played(100, 0), game=1),
    Match("Eva", "Bruno", 2, result=played(100, 0), game=2),
]
FINAL = [Match("Ana", "Eva", 1, result=played(0, 100), game=1)]


def who(tournament: Tournament, name: str, **changes: Any) -> Tournament:
    return replace(
        tournament, competitors=tuple(replace(c, **changes) if c.id == name else c for c in tournament.competitors)
    )


def lines(tournament: Tournament, after: int | None = None) -> list[tuple[int | None, str, str | None]]:
    return [(row.rank, row.competitor, row.status) for row in standings(tournament, after)]


def test_a_disqualified_competitor_is_not_ranked_and_stands_last() -> None:
    out = who(event("xwing-standard", TWO_ROUNDS, *NAMES), "Ana", disqualified_after=2)
    assert lines(out) == [(1, "Eva", None), (2, "Bruno", None), (3, "Kai", None), (None, "Ana", "disqualified")]


def test_what_put_each_above_the_next_leaves_the_disqualified_out() -> None:
    out = who(event("xwing-standard", TWO_ROUNDS, *NAMES), "Bruno", disqualified_after=2)
    assert [(row.competitor, row.decided_by) for row in standings(out)] == [
        ("Ana", "points"),
        ("Eva", "points"),
        ("Kai", "last"),
        ("Bruno", "last"),
    ]
    assert not any(row.by_chance for row in standings(out))


def test_earlier_results_stand_and_count_for_the_opponents() -> None:
    whole = event("xwing-standard", TWO_ROUNDS, *NAMES)
    before = {row.competitor: row for row in standings(whole)}
    after = {row.competitor: row for row in standings(who(whole, "Ana", disqualified_after=2))}
    for name in NAMES:
        assert (after[name].points, after[name].tiebreakers) == (before[name].points, before[name].tiebreakers)
    # Bruno has met Ana (2 of 2) and Kai (0 of 2).
    assert after["Bruno"].tiebreakers["sos"] == Fraction(1, 2)


def test_as_it_stood_before_the_disqualification_everybody_is_ranked() -> None:
    out = who(event("xwing-standard", TWO_ROUNDS, *NAMES), "Ana", disqualified_after=2)
    assert lines(out, 1)[0] == (1, "Ana", None)
    assert lines(who(event("xwing-standard", TWO_ROUNDS, *NAMES), "Ana", disqualified_after=1), 1)[-1] == (
        None,
        "Ana",
        "disqualified",
    )


def test_who_left_is_ranked_and_said_to_have_left() -> None:
    left = who(event("xwing-standard", TWO_ROUNDS, *NAMES), "Ana", dropped_after=2)
    assert lines(left)[0] == (1, "Ana", "dropped")
    assert lines(left, 1)[0] == (1, "Ana", None)


def test_who_never_played_is_in_no_standings() -> None:
    more = event("xwing-standard", TWO_ROUNDS, *NAMES, "Łukasz", "Nina")
    gone = who(who(more, "Łukasz", dropped_after=0), "Nina", disqualified_after=0)
    assert [name for _, name, _ in lines(gone)] == ["Ana", "Eva", "Bruno", "Kai"]
    assert [line.competitor for line in final_ranking(gone)] == ["Ana", "Eva", "Bruno", "Kai"]


def test_a_round_missed_is_a_round_lost() -> None:
    """An unpaired loss is a round played (house decision): whoever did not appear for round 1 is in the table, last."""
    rounds = [[game("Ana", "Bruno", played(100, 24)), Match("Eva", bye="no-show"), Match("Kai", bye="unpaired-loss")]]
    gone = who(event("xwing-standard", rounds, *NAMES), "Kai", dropped_after=1)
    assert lines(gone)[-1] == (4, "Kai", "dropped")


def test_as_json_the_rank_is_null_and_the_status_named() -> None:
    out = who(who(event("xwing-standard", TWO_ROUNDS, *NAMES), "Ana", disqualified_after=2), "Kai", dropped_after=2)
    rows = standings_to_json(standings(out), 2)["standings"]
    assert rows[-1]["rank"] is None
    assert [row.get("status") for row in rows] == [None, None, "dropped", "disqualified"]
    assert "status" not in rows[0]


def test_the_match_between_the_tied_looks_at_the_ranked_alone() -> None:
    """Three with the same points and SCORE have not all met; without the one put out, the two left have."""
    rounds = [
        [game("Ana", "Bruno", played(20, 0, "a")), game("Eva", "Kai", played(20, 0, "a"))],
        [game("Bruno", "Kai", played(20, 0, "a")), game("Eva", "Ana", played(0, 20, "b"))],
        [game("Kai", "Ana", played(20, 0, "a")), game("Bruno", "Eva", played(0, 20, "b"))],
    ]
    whole = event("warlords-of-terra", rounds, *NAMES, prize_places=0)
    assert [row.competitor for row in standings(whole)][:2] == ["Ana", "Eva"]
    out = who(whole, "Ana", disqualified_after=3)
    assert [(row.rank, row.competitor, row.decided_by) for row in standings(out)] == [
        (1, "Eva", "points"),
        (2, "Bruno", "head_to_head"),
        (3, "Kai", "last"),
        (None, "Ana", "last"),
    ]


def test_no_tie_break_is_played_with_or_for_somebody_put_out() -> None:
    rounds = [[game("Ana", "Bruno", played(20, 0, "a")), game("Eva", "Kai", played(20, 0, "a"))]]
    whole = event("warlords-of-terra", rounds, *NAMES, prize_places=1)
    assert open_ties(whole)
    assert open_ties(who(whole, "Ana", disqualified_after=1)) == []


def test_the_cut_and_the_next_pairing_pass_over_who_was_put_out() -> None:
    out = who(event("xwing-standard", TWO_ROUNDS, *NAMES, cut=2), "Ana", disqualified_after=2)
    assert qualifiers(out) == ("Eva", "Bruno")
    three = event(
        "xwing-standard",
        [[game("Ana", "Bruno", played(100, 0)), Match("Eva", bye="bye")]],
        "Ana",
        "Bruno",
        "Eva",
        "Kai",
        swiss_rounds=3,
    )
    # Kai came after round 1 and has no round at all: last in line, so that the bye is theirs.
    drawn = draw_swiss_round(who(three, "Bruno", disqualified_after=1)).matches
    assert [m.a for m in drawn if m.bye] == ["Kai"]


# After a cut.


def knockout(*games: list[Match], **options: Any) -> Tournament:
    """Four after two Swiss rounds: seeds Ana, Eva, Bruno, Kai."""
    whole = event("xwing-standard", TWO_ROUNDS, *NAMES, cut=4, **options)
    return replace(
        whole,
        rounds=(
            *whole.rounds,
            *(Round(number, ELIMINATION, tuple(matches)) for number, matches in enumerate(games, start=3)),
        ),
    )


def places(tournament: Tournament) -> list[tuple[int | None, str, str | None, int | None, str | None]]:
    return [(p.rank, p.competitor, p.reached, p.swiss_rank, p.status) for p in final_ranking(tournament)]


def test_the_final_ranking_goes_by_the_round_reached_and_then_the_swiss_rank() -> None:
    assert places(knockout(SEMI_FINALS, FINAL)) == [
        (1, "Eva", "champion", 2, None),
        (2, "Ana", "final", 1, None),
        (3, "Bruno", "semi-final", 3, None),
        (4, "Kai", "semi-final", 4, None),
    ]


def test_who_left_in_the_bracket_keeps_the_round_reached() -> None:
    left = who(knockout(SEMI_FINALS, FINAL), "Bruno", dropped_after=3)
    assert places(left)[2] == (3, "Bruno", "semi-final", 3, "dropped")


def test_a_champion_put_out_is_not_ranked_and_the_others_move_up() -> None:
    out = who(knockout(SEMI_FINALS, FINAL), "Eva", disqualified_after=4)
    assert places(out) == [
        (1, "Ana", "champion", 1, None),
        (2, "Bruno", "semi-final", 2, None),
        (3, "Kai", "semi-final", 3, None),
        (None, "Eva", "final", None, "disqualified"),
    ]


def test_seeds_stay_those_of_the_day_when_somebody_is_put_out_in_the_bracket() -> None:
    bracket = bracket_of(who(knockout(SEMI_FINALS), "Ana", disqualified_after=3))
    assert bracket.seeds == ("Ana", "Eva", "Bruno", "Kai")
    # Whoever is left goes on to a final alone.
    assert bracket.of_round(2)[0].a.gone


def test_without_swiss_rounds_equals_share_a_place_and_the_disqualified_has_none() -> None:
    start = event("xwing-standard", [], *NAMES, swiss_rounds=0)
    rounds = (Round(1, ELIMINATION, tuple(SEMI_FINALS)), Round(2, ELIMINATION, tuple(FINAL)))
    out = who(replace(start, rounds=rounds), "Ana", disqualified_after=2)
    assert places(out) == [
        (1, "Eva", "champion", None, None),
        (2, "Bruno", "semi-final", None, None),
        (2, "Kai", "semi-final", None, None),
        (None, "Ana", "final", None, "disqualified"),
    ]


def test_without_a_cut_the_final_ranking_is_the_standings() -> None:
    out = who(event("xwing-standard", TWO_ROUNDS, *NAMES), "Bruno", disqualified_after=2)
    assert places(out) == [
        (1, "Ana", None, 1, None),
        (2, "Eva", None, 2, None),
        (3, "Kai", None, 3, None),
        (None, "Bruno", None, None, "disqualified"),
    ]


def test_the_bracket_as_json_ranks_nobody_put_out() -> None:
    out = who(knockout(SEMI_FINALS, FINAL), "Bruno", disqualified_after=4)
    bracket = bracket_of(out)
    assert bracket is not None
    ranking = bracket_to_json(bracket, final_ranking(out))["ranking"]
    assert ranking[-1] == {
        "rank": None,
        "competitor": "Bruno",
        "reached": "semi-final",
        "swiss_rank": None,
        "status": "disqualified",
    }
    assert "status" not in ranking[0]


def test_a_ruling_of_both_lose_in_the_final_leaves_two_finalists() -> None:
    both = knockout(SEMI_FINALS, [Match("Ana", "Eva", 1, result=ruling("none"), game=1)])
    assert [(rank, name, reached) for rank, name, reached, _, _ in places(both)][:2] == [
        (1, "Ana", "final"),
        (2, "Eva", "final"),
    ]


def test_who_did_not_want_a_place_in_the_cut_has_not_left() -> None:
    """A file has to say that they are not paired any more (`dropped_after`), and why."""
    tournament = event("xwing-standard", TWO_ROUNDS, *NAMES)
    asked = who(tournament, "Kai", dropped_after=2, record={"declined_place": True})
    assert lines(asked) == lines(tournament)
    assert lines(who(tournament, "Kai", dropped_after=2))[3] == (4, "Kai", "dropped")
