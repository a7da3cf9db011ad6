"""Leaving, and what undoes it: the first who leaves decides, who comes back plays on, and no figure is made up."""

import pytest

from event_kit import Event, refused, score
from roundtap_core.check.check import violations
from roundtap_core.event import commands as c
from roundtap_core.event.abandoned_match import abandoned_matches
from roundtap_core.event.states import tournament_of
from roundtap_core.records import CONCESSION, Result, SidePair


def playing(rulebook: str = "xwing-standard") -> tuple[Event, str, str]:
    event = Event(4, {"structure": "own", "swiss_rounds": 3}, rulebook=rulebook, level=None).play()
    match = event.match().match
    assert match.b is not None
    return event, match.a, match.b


def test_who_went_home_with_the_win_keeps_it_when_the_other_comes_back_and_leaves_again() -> None:
    event, a, b = playing("keyforge-archon")
    event.tell(c.DropCompetitor(b))
    event.tell(c.DropCompetitor(a))
    event.tell(c.ReturnCompetitor(b))
    assert event.match().match.result == Result(CONCESSION, conceded_by="b")
    event.tell(c.DropCompetitor(b))
    assert event.match().match.result == Result(CONCESSION, conceded_by="b")


@pytest.mark.parametrize("rulebook", ["xwing-standard", "xwing-epic-duel", "warlords-of-terra"])
def test_where_both_had_left_and_one_comes_back_the_figures_are_asked_anew(rulebook: str) -> None:
    event, a, b = playing(rulebook)
    stood = Result(score=SidePair(14, 9)) if rulebook == "warlords-of-terra" else Result(score=SidePair(100, 40))
    event.tell(c.DropCompetitor(b, stood, together=True))
    event.tell(c.DropCompetitor(a))
    assert event.match().match.result is not None
    event.tell(c.ReturnCompetitor(b))
    assert event.match().match.result is None
    assert [match.id for match in abandoned_matches(event.state)] == [event.match().id]
    assert violations(tournament_of(event.state)) == []


def test_the_match_of_a_disqualified_player_waits_for_its_figures_whatever_they_had_reported() -> None:
    event, _, b = playing()
    event.report("b", score(30, 100))
    event.tell(c.Disqualify(b, "dice", "organizer"))
    assert event.match().reports == {}
    assert [match.id for match in abandoned_matches(event.state)] == [event.match().id]


def test_who_was_to_leave_after_the_round_and_is_disqualified_before_is_not_at_the_table() -> None:
    event, a, b = playing()
    event.tell(c.DropCompetitor(b, plays_on=True))
    assert event.state.entrants[b].plays_live_match
    event.tell(c.Disqualify(b, "dice", "organizer"))
    assert not event.state.entrants[b].plays_live_match
    event.tell(c.DropCompetitor(a, score(100, 20)))
    result = event.match().match.result
    assert result.conceded_by == "b"


def test_coming_back_undoes_a_leaving_whose_figures_were_typed_later() -> None:
    event, _, b = playing()
    event.tell(c.DropCompetitor(b))
    event.tell(
        c.EnterResult(
            event.match().id,
            event.match().revision,
            Result(CONCESSION, conceded_by="b", score=SidePair(100, 40)),
            reason="as it stood",
        )
    )
    event.tell(c.ReturnCompetitor(b))
    assert event.match().match.result is None


def test_a_concession_of_somebody_who_stays_is_not_undone_by_anybody_s_coming_back() -> None:
    event, a, b = playing()
    event.tell(
        c.EnterResult(event.match().id, 0, Result(CONCESSION, conceded_by="a", score=SidePair(40, 100)), reason="x")
    )
    event.tell(c.DropCompetitor(a))
    event.tell(c.ReturnCompetitor(a))
    assert event.match().match.result is not None
    with refused("never_left"):
        event.tell(c.ReturnCompetitor(b))
