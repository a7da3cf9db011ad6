"""Clauses of the Shatterpoint document about judges and about who leaves, which no other test holds."""

import pytest

from event_kit import Event, refused
from roundtap_core.event import commands as c
from roundtap_core.event.states import Official, tournament_of
from roundtap_core.records import Result, SidePair

STAFF = (Official("o1", "organizer"), Official("o2", "head_judge"), Official("o3", "judge"))
WON = Result(score=SidePair(2, 0), wounds=SidePair(4, 1), picks={"a": [1, 2], "b": [3, 4]})


@pytest.fixture
def event() -> Event:
    made = Event(6, {"structure": "own", "swiss_rounds": 3}, rulebook="shatterpoint-premier", level=None).play()
    made.tell(c.SetOfficials(STAFF))
    return made


def test_a_ruling_stays_on_record_and_the_head_judge_s_decision_on_it_is_the_last(event: Event) -> None:
    """ "Sędziowie": final even if later found wrong; "Sędziowie główni": an assistant's can be taken further."""
    player = event.match().match.a
    event.tell(c.NoteRuling("1.1", "Range 2.", "o3"))
    event.tell(c.Appeal("1.1", player))
    with refused("only_head_judge_decides"):
        event.tell(c.DecideAppeal("1.1", "It stays so.", True, "o3"))
    event.tell(c.DecideAppeal("1.1", "Range 3.", False, "o2"))
    for again in (c.Appeal("1.1", player), c.Appeal("1.1", event.match().match.b or "")):
        with refused("appeal_is_final"):
            event.tell(again)
    assert [(line.kind, line.text) for line in event.match().log] == [
        ("ruling", "Range 2."),
        ("appeal", ""),
        ("decision", "Range 3."),
    ]


def test_a_judge_warns_and_a_judge_excludes_whoever_has_arranged_a_result(event: Event) -> None:
    """ "Koniec pojedynku", on collusion, and "Sędziowie": both are a judge's to give, at once."""
    event.report("a", WON)
    event.report("b", WON)
    left, right = event.match().match.a, event.match().match.b or ""
    event.tell(c.GiveWarning(left, "arranged the result", "o3"))
    event.tell(c.Disqualify(right, "arranged the result", "o3"))
    people = {who.id: who for who in tournament_of(event.state).competitors}
    assert (len(people[left].warnings), people[left].active) == (1, True)
    assert not people[right].active
    with refused("disqualified_stays_out"):
        event.tell(c.ReturnCompetitor(right))


def test_a_judge_never_plays_whoever_else_is_there(event: Event) -> None:
    for playing in (Official("o3", "judge", plays="p1"), Official("o3", "judge", second=True, plays="p1")):
        with refused("officials_may_not_play"):
            event.tell(c.SetOfficials((*STAFF[:2], playing)))
