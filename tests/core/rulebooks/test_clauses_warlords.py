"""Clauses of the Warlords of Terra document that the event itself has to hold: sanctions, and ties before the cut."""

from event_kit import Event, refused
from roundtap_core.event import commands as c
from roundtap_core.event.event_flow import CUT, upcoming_stage
from roundtap_core.event.states import tournament_of
from roundtap_core.records import RULING, TIEBREAK, Result, SidePair
from roundtap_core.standings.standings import standings


def event(**options: object) -> Event:
    """Four players, one Swiss round, which is on the tables."""
    given = {"structure": "own", "swiss_rounds": 1, "prize_places": 0, **options}
    return Event(4, given, rulebook="warlords-of-terra", level="competitive").play()


def points(made: Event, who: str) -> int:
    return next(row.points for row in standings(tournament_of(made.state)) if row.competitor == who)


def test_a_tie_at_a_place_in_the_next_stage_is_played_out_before_the_cut() -> None:
    made = event(cut=2)
    for match in ("1.1", "1.2"):
        made.tell(c.EnterResult(match, 0, Result(winner="a", score=SidePair(20, 0))))
    assert upcoming_stage(made.state) == TIEBREAK
    with refused("tiebreak_due"):
        made.tell(c.MakeCut())
    made.play()
    assert (made.state.live.stage, made.state.clock.total_ms) == (TIEBREAK, None)
    # Nobody shares an untimed round: it goes on until somebody has won.
    with refused("no_draw_here"):
        made.tell(c.EnterResult("2.1", 0, Result(ended="time", winner="draw", score=SidePair(9, 9))))
    made.tell(c.EnterResult("2.1", 0, Result(winner="b", score=SidePair(0, 8))))
    assert upcoming_stage(made.state) == CUT
    made.tell(c.MakeCut())


def test_a_sanction_is_a_warning_a_lost_game_or_the_end_of_the_event() -> None:
    """A7.4 and C3: irregularities, also of deck and sideboard, may be sanctioned."""
    made = event()
    first, second = made.match().match.a, made.match().match.b or ""
    made.tell(c.GiveWarning(first, "the sideboard was not restored"))
    assert made.match().match.result is None
    made.tell(c.EnterResult("1.1", 0, Result(ended=RULING, winner="b", score=SidePair(20, 4))))
    assert (points(made, first), points(made, second)) == (0, 3)
    made.tell(c.Disqualify(first, "a card too many again"))
    assert not made.state.entrants[first].active
