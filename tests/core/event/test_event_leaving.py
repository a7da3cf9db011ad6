"""Leaving in mid-game, dropped or disqualified: what the match still has to say, and that nobody wins if both leave."""

import pytest
from msgspec.structs import replace

from event_kit import Event, refused, score
from roundtap_core.event import commands as c
from roundtap_core.event.abandoned_match import abandoned_matches, squads_owed, wins_lost_by_leaving
from roundtap_core.event.states import tournament_of
from roundtap_core.records import CONCESSION, RULING, Result, SidePair
from roundtap_core.standings.standings import standings

SQUADS = {"a": [1, 2], "b": [3, 4]}
FINAL_OF_THREE = {"structure": "own", "swiss_rounds": 0, "stages": {"final": {"best_of": 3}}}


def warlords(**options: object) -> Event:
    given = {"structure": "own", "swiss_rounds": 2, "prize_places": 0, **options}
    return Event(4, given, rulebook="warlords-of-terra", level="competitive").play()


def shatterpoint() -> Event:
    return Event(4, {}, rulebook="shatterpoint-premier", level=None).play()


def xwing() -> Event:
    return Event(4, {"structure": "own", "swiss_rounds": 3}).play()


def leaving(event: Event, side: str, how: str, stood: Result | None = None) -> c.Command:
    who = event.match().match.competitor(side)  # type: ignore[arg-type]
    assert who is not None
    return c.DropCompetitor(who, stood) if how == "drop" else c.Disqualify(who, "loaded dice", stood=stood)


def tally(event: Event, side: str) -> tuple[int, int]:
    who = event.match().match.competitor(side)  # type: ignore[arg-type]
    row = next(row for row in standings(tournament_of(event.state)) if row.competitor == who)
    return row.points, int(row.tiebreakers["score"])


@pytest.mark.parametrize("how", ["drop", "disqualify"])
def test_life_totals_as_they_stand_count(how: str) -> None:
    """House decision: the leaver's life counts as 0, the opponent's as it stands: +14, not 0."""
    event = warlords()
    event.tell(leaving(event, "b", how, Result(score=SidePair(14, 9))))
    assert event.match().match.result == Result(ended=CONCESSION, conceded_by="b", score=SidePair(14, 9))
    assert tally(event, "a") == (3, 14)


@pytest.mark.parametrize("how", ["drop", "disqualify"])
def test_without_them_the_match_stays_open_until_somebody_says_them(how: str) -> None:
    event = warlords()
    event.tell(leaving(event, "b", how))
    assert event.match().match.result is None
    assert [match.id for match in abandoned_matches(event.state)] == ["1.1"]
    event.tell(c.EnterResult("1.1", 0, Result(ended=CONCESSION, conceded_by="b", score=SidePair(8, 20))))
    assert tally(event, "a") == (3, 8)
    assert abandoned_matches(event.state) == ()


def test_lives_that_cannot_be_are_refused_and_nobody_has_left() -> None:
    event = warlords()
    with refused("winner_without_life"):
        event.tell(leaving(event, "b", "drop", Result(score=SidePair(0, 9))))
    assert all(entrant.active for entrant in event.state.entrants.values())


@pytest.mark.parametrize("how", ["drop", "disqualify"])
@pytest.mark.parametrize("known", [True, False])
def test_the_first_who_leaves_decides_the_match_and_the_winner_may_go_home_too(how: str, known: bool) -> None:
    """Whether the figures were said at once, or by an official after both had gone."""
    event, stood = warlords(), Result(score=SidePair(14, 9))
    event.tell(leaving(event, "a", "drop", stood if known else None))
    event.tell(leaving(event, "b", how))
    if not known:
        assert [match.id for match in abandoned_matches(event.state)] == ["1.1"]
        event.tell(c.EnterResult("1.1", 0, Result(ended=CONCESSION, conceded_by="a", score=SidePair(14, 9))))
    assert event.match().match.result == Result(ended=CONCESSION, conceded_by="a", score=SidePair(14, 9))


@pytest.mark.parametrize("known", [True, False])
def test_if_both_had_asked_to_leave_before_either_left_nobody_wins(known: bool) -> None:
    event, stood = warlords(), Result(score=SidePair(14, 9))
    first, second = (event.match().match.competitor(side) or "" for side in "ab")
    event.tell(c.DropCompetitor(first, stood if known else None, together=True))
    assert wins_lost_by_leaving(event.state) == ({second: event.match()} if known else {})
    event.tell(c.DropCompetitor(second, together=True))
    assert event.match().match.result == Result(
        ended=RULING, winner="none", score=SidePair(14, 9) if known else SidePair()
    )
    event.tell(c.ReturnCompetitor(second))
    # The first has conceded, by figures that are to be said anew: those of a match without a winner were nobody's.
    assert event.match().match.result is None
    assert abandoned_matches(event.state) == (event.match(),)


def test_a_result_that_a_side_has_reported_is_not_turned_by_its_leaving() -> None:
    """It goes to the other side, or to an official."""
    event = xwing()
    event.report("a", score(100, 24))
    event.tell(leaving(event, "a", "drop"))
    assert (event.match().match.result, event.match().state) == (None, "one-sided")
    assert abandoned_matches(event.state) == ()
    event.report("b", score(100, 24))
    assert event.match().match.result == score(100, 24)


def test_who_is_disqualified_does_not_keep_what_they_reported() -> None:
    event = xwing()
    event.report("a", score(100, 24))
    event.tell(leaving(event, "a", "disqualify", Result(score=SidePair(60, 24))))
    assert event.match().match.result == Result(ended=CONCESSION, conceded_by="a", score=SidePair(60, 24))


def test_the_leaver_s_own_points_stay_and_the_winner_s_become_full() -> None:
    """X-Wing: 60:24 and a leaves: 100 for b, and a keeps 60; without figures the match waits for them."""
    event = xwing()
    event.tell(leaving(event, "a", "drop", Result(score=SidePair(60, 24))))
    rows = {row.competitor: row.tiebreakers["mov"] for row in standings(tournament_of(event.state))}
    seat = event.match().match
    assert (rows[seat.a], rows[seat.b or ""]) == (60, 140)
    other = xwing()
    other.tell(leaving(other, "a", "drop"))
    assert [match.id for match in abandoned_matches(other.state)] == ["1.1"]


def test_leaving_after_this_round_leaves_the_match_to_be_played() -> None:
    event = xwing()
    leaver = event.match().match.a
    assert event.kinds(c.DropCompetitor(leaver, plays_on=True)) == ["competitor-dropped"]
    assert abandoned_matches(event.state) == ()
    event.agree(score(100, 24)).settle().play()
    assert leaver not in {who for m in event.state.rounds[1].matches for who in (m.match.a, m.match.b)}
    assert event.match("1.1").match.result == score(100, 24)


def test_coming_back_plays_the_match_on_as_long_as_its_round_is_in_play() -> None:
    event = xwing()
    leaver = event.match().match.a
    event.tell(c.DropCompetitor(leaver, Result(score=SidePair(60, 24))))
    assert event.kinds(c.ReturnCompetitor(leaver)) == ["result-entered", "competitor-returned"]
    assert event.match().match.result is None
    event.tell(c.DropCompetitor(leaver, Result(score=SidePair(60, 24))))
    event.settle().play()
    assert event.kinds(c.ReturnCompetitor(leaver)) == ["competitor-returned"]


def test_coming_back_touches_no_concession_that_an_official_has_entered() -> None:
    event = xwing()
    leaver = event.match().match.a
    event.tell(c.EnterResult("1.1", 0, Result(ended=CONCESSION, conceded_by="a", score=SidePair(60, 24))))
    event.tell(c.DropCompetitor(leaver))
    assert event.kinds(c.ReturnCompetitor(leaver)) == ["competitor-returned"]


def test_a_best_of_three_keeps_who_won_and_waits_for_no_life() -> None:
    event = Event(2, FINAL_OF_THREE, rulebook="warlords-of-terra", level="competitive").play()
    event.tell(leaving(event, "b", "drop"))
    assert event.match().match.result == Result(ended=CONCESSION, conceded_by="b")


@pytest.mark.parametrize("how", ["drop", "disqualify"])
def test_the_squads_of_a_match_that_was_left_are_kept(how: str) -> None:
    """It was played: both squads of both sides count as fielded."""
    event = shatterpoint()
    event.tell(leaving(event, "a", how, Result(score=SidePair(1, 0), wounds=SidePair(2, 4), picks=SQUADS)))
    assert event.match().match.result == Result(
        ended=CONCESSION, conceded_by="a", score=SidePair(1, 0), wounds=SidePair(2, 4), picks=SQUADS
    )
    assert squads_owed(event.state) == ()


def test_where_nobody_knows_how_it_stood_the_match_waits_until_somebody_does() -> None:
    event = shatterpoint()
    event.tell(leaving(event, "a", "drop"))
    assert event.match().match.result is None, "no struggle and no wound stands that nobody said"
    assert abandoned_matches(event.state) == (event.match(),)
    conceded = Result(ended=CONCESSION, conceded_by="a", score=SidePair(1, 0), wounds=SidePair(2, 3))
    with refused("picks_missing"):
        event.tell(c.EnterResult("1.1", event.match().revision, conceded))
    event.tell(c.EnterResult("1.1", event.match().revision, replace(conceded, picks=SQUADS)))
    assert squads_owed(event.state) == abandoned_matches(event.state) == ()


def test_squads_that_cannot_be_are_refused() -> None:
    event = shatterpoint()
    with refused("picks_wrong"):
        event.tell(leaving(event, "a", "drop", Result(picks={"a": [1, 1], "b": [1, 2]})))
    with refused("picks_missing"):
        event.tell(leaving(event, "a", "drop", Result(picks={"a": [1, 2]})))
