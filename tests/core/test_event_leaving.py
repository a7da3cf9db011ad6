"""Leaving in mid-game, dropped or disqualified: what the match still has to say, and that nobody wins if both leave."""

from __future__ import annotations

import pytest

from event_kit import Event, refused
from roundtap_core.event import commands as c
from roundtap_core.event.people.both_left import wins_by_leaving, won_by_leaving
from roundtap_core.event.people.leave import left_open, squads_owed
from roundtap_core.event.state import tournament_of
from roundtap_core.records import CONCESSION, RULING, Pair, Result
from roundtap_core.standings.standings import standings

SQUADS = {"a": [1, 2], "b": [3, 4]}
FINAL_OF_THREE = {"structure": "own", "swiss_rounds": 0, "stages": {"final": {"best_of": 3}}}


def warlords(**options: object) -> Event:
    given = {"structure": "own", "swiss_rounds": 2, "prize_places": 0, **options}
    return Event(4, given, rulebook="warlords-of-terra", level="competitive").play()


def shatterpoint() -> Event:
    return Event(4, {}, rulebook="shatterpoint-premier", level=None).play()


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
    event.tell(leaving(event, "b", how, Result(score=Pair(14, 9))))
    assert event.match().match.result == Result(ended=CONCESSION, conceded_by="b", score=Pair(14, 9))
    assert tally(event, "a") == (3, 14)


@pytest.mark.parametrize("how", ["drop", "disqualify"])
def test_without_them_the_match_stays_open_until_somebody_says_them(how: str) -> None:
    event = warlords()
    event.tell(leaving(event, "b", how))
    assert event.match().match.result is None
    assert [match.id for match in left_open(event.state)] == ["1.1"]
    event.tell(c.EnterResult("1.1", 0, Result(ended=CONCESSION, conceded_by="b", score=Pair(8, 20))))
    assert tally(event, "a") == (3, 8)
    assert left_open(event.state) == ()


def test_lives_that_cannot_be_are_refused_and_nobody_has_left() -> None:
    event = warlords()
    with refused("winner_without_life"):
        event.tell(leaving(event, "b", "drop", Result(score=Pair(0, 9))))
    assert all(entrant.active for entrant in event.state.entrants.values())


@pytest.mark.parametrize("how", ["drop", "disqualify"])
def test_if_both_leave_nobody_wins(how: str) -> None:
    event = warlords()
    event.tell(leaving(event, "a", "drop"))
    event.tell(leaving(event, "b", how))
    assert event.match().match.result == Result(ended=RULING, winner="none")
    assert [tally(event, side) for side in "ab"] == [(0, 0), (0, 0)]


def test_a_best_of_three_keeps_who_won_and_waits_for_no_life() -> None:
    event = Event(2, FINAL_OF_THREE, rulebook="warlords-of-terra", level="competitive").play()
    event.tell(leaving(event, "b", "drop"))
    assert event.match().match.result == Result(ended=CONCESSION, conceded_by="b")


@pytest.mark.parametrize("how", ["drop", "disqualify"])
def test_the_squads_of_a_match_that_was_left_are_kept(how: str) -> None:
    """It was played: both squads of both sides count as fielded."""
    event = shatterpoint()
    event.tell(leaving(event, "a", how, Result(score=Pair(1, 0), wounds=Pair(2, 4), picks=SQUADS)))
    assert event.match().match.result == Result(
        ended=CONCESSION, conceded_by="a", score=Pair(1, 0), wounds=Pair(2, 4), picks=SQUADS)
    assert squads_owed(event.state) == ()


def test_where_nobody_knows_them_they_are_owed_until_somebody_does() -> None:
    event = shatterpoint()
    event.tell(leaving(event, "a", "drop"))
    assert event.match().match.result == Result(ended=CONCESSION, conceded_by="a")
    [(_, match, sides)] = squads_owed(event.state)
    assert (match.id, sides) == ("1.1", ("a", "b"))
    event.tell(c.EnterResult("1.1", match.revision, Result(ended=CONCESSION, conceded_by="a", picks=SQUADS)))
    assert squads_owed(event.state) == ()


def test_squads_that_cannot_be_are_refused() -> None:
    event = shatterpoint()
    with refused("picks_wrong"):
        event.tell(leaving(event, "a", "drop", Result(picks={"a": [1, 1], "b": [1, 2]})))
    with refused("picks_missing"):
        event.tell(leaving(event, "a", "drop", Result(picks={"a": [1, 2]})))



def test_a_win_by_leaving_is_that_of_whoever_stayed_while_the_round_is_open() -> None:
    """Told of everybody at once; once all results are there, only of whom the opponent left in the very last entry."""
    event = Event(6, {"structure": "own", "swiss_rounds": 2}).play()
    assert wins_by_leaving(event.state) == {}
    first, second = event.match("1.1").match, event.match("1.2").match
    event.tell(c.DropCompetitor(first.b))
    assert {who: match.id for who, match in wins_by_leaving(event.state).items()} == {first.a: "1.1"}
    event.tell(c.EnterResult("1.3", 0, Result(score=Pair(100, 7))))
    event.tell(c.Disqualify(second.a, "loaded dice"))
    assert {who: match.id for who, match in wins_by_leaving(event.state).items()} == {second.b: "1.2"}
    assert won_by_leaving(event.state, first.a) is None
    assert won_by_leaving(event.state, second.b) is event.match("1.2")
    event.tell(c.EnterResult("1.3", 1, Result(score=Pair(100, 8))))
    assert wins_by_leaving(event.state) == {}
