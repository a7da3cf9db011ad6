"""Tie-break rounds in an event's course: they are played before the cut, and are no round that somebody misses."""

from __future__ import annotations

from event_kit import Event
from roundtap_core.check.check import violations
from roundtap_core.event import commands as c
from roundtap_core.event.course import offered, what_follows
from roundtap_core.event.state import tournament_of
from roundtap_core.records import TIEBREAK, TIME, Pair, Result
from roundtap_core.standings.standings import standings

DRAWN = Result(ended=TIME, winner="draw", score=Pair(10, 10))


def all_tied(leaving: str = "") -> Event:
    """Eight have drawn both Swiss rounds: nothing but tie-break rounds can tell the first two."""
    event = Event(8, {"structure": "own", "swiss_rounds": 2, "cut": 2}, rulebook="warlords-of-terra", level=None)
    for _ in range(2):
        event.play()
        settle(event, DRAWN)
    if leaving:
        event.tell(c.DropCompetitor(leaving))
    return event


def settle(event: Event, result: Result | None = None) -> None:
    """The result at every table, or the lower number wins."""
    assert event.state.live is not None
    for match in event.state.live.open_matches:
        first = match.match.a < (match.match.b or "")
        won = Result(winner="a", score=Pair(20, 0)) if first else Result(winner="b", score=Pair(0, 20))
        event.tell(c.EnterResult(match.id, match.revision, result or won, reason="no clock runs here"))


def play_out(event: Event) -> None:
    while what_follows(event.state) == TIEBREAK:
        event.play()
        settle(event)


def order(event: Event) -> list[str]:
    return [row.competitor for row in standings(tournament_of(event.state))]


def test_who_comes_back_has_missed_swiss_rounds_only() -> None:
    event = all_tied(leaving="p6")
    event.play()
    settle(event)
    event.tell(c.ReturnCompetitor("p6"))
    assert event.state.rounds[2].stage == TIEBREAK
    assert event.byes(3) == {}


def test_who_declines_a_place_keeps_what_the_tie_break_rounds_gave() -> None:
    event = all_tied()
    play_out(event)
    event.tell(c.MakeCut())
    event.tell(c.DropCompetitor("p2"))
    before = order(event)
    assert offered(event.state) == "p3"
    event.tell(c.DeclinePlace("p3"))
    assert order(event) == before == [f"p{n}" for n in range(1, 9)]
    assert violations(tournament_of(event.state)) == []
