"""Calls for a judge and wishes to drop are entries: they stand until they are answered, cancelled, or settled."""

from event_kit import Event, fold_entries, refused, score
from roundtap_core.event import commands as c
from roundtap_core.event.requests import ECHO_GRACE_MS
from roundtap_core.event.states import EventState, decode_state, encode_state, state_digest

TABLE, PHONE, OTHER = "unit:table-1", "phone:p1", "phone:p2"


def playing() -> Event:
    """Round 1 is played; p1 sits at match 1.1."""
    event = Event(4)
    event.play()
    return event


def seated(event: Event) -> str:
    return event.state.rounds[0].matches[0].match.a


# --- calls -----------------------------------------------------------------------------------------------------------


def test_a_call_is_open_as_long_as_anybody_wants_a_judge() -> None:
    event = playing()
    assert event.kinds(c.CallJudge("1.1", PHONE)) == ["judge-called"]
    assert event.kinds(c.CallJudge("1.1", PHONE)) == []
    since = event.now.instant
    event.now_ms += 60_000
    assert event.kinds(c.CallJudge("1.1", TABLE)) == ["judge-called"]
    assert (list(event.state.calls["1.1"].sources), event.state.calls["1.1"].since) == ([PHONE, TABLE], since)
    assert event.kinds(c.CancelCall("1.1", PHONE)) == ["call-cancelled"]
    assert event.kinds(c.CancelCall("1.1", PHONE)) == []
    assert list(event.state.calls["1.1"].sources) == [TABLE]
    event.tell(c.CancelCall("1.1", TABLE))
    assert event.state.calls == {}


def test_an_official_takes_a_call_and_closes_the_one_that_was_shown() -> None:
    event = playing()
    assert event.kinds(c.TakeCall("1.1", "judge:1f2e")) == event.kinds(c.CloseCall("1.1")) == []
    event.tell(c.CallJudge("1.1", TABLE))
    assert event.kinds(c.TakeCall("1.1", "judge:1f2e")) == ["call-taken"]
    assert event.kinds(c.TakeCall("1.1", "judge:1f2e")) == []
    assert event.state.calls["1.1"].taken_by == "judge:1f2e"
    assert event.kinds(c.CloseCall("1.1", 1)) == [], "another call than the one that is open"
    assert event.kinds(c.CloseCall("1.1", event.now_ms)) == ["call-closed"]
    assert event.state.calls == {}


def test_a_call_ends_with_the_result_and_a_later_one_is_about_something_else() -> None:
    event = playing()
    for match in ("1.1", "1.2"):
        event.tell(c.CallJudge(match, PHONE))
    event.report("a", score(100, 24))
    assert list(event.state.calls) == ["1.1", "1.2"], "one side alone settles nothing"
    event.report("b", score(100, 24))
    assert list(event.state.calls) == ["1.2"]
    event.now_ms += 1
    event.tell(c.CallJudge("1.1", PHONE))
    event.report("a", score(100, 24))
    assert list(event.state.calls) == ["1.2", "1.1"]
    event.tell(c.EnterResult("1.2", event.state.rounds[0].matches[1].revision, score(100, 1)))
    assert list(event.state.calls) == ["1.1"]


def test_a_unit_s_call_just_before_the_result_stays_as_its_table_would_repeat_it() -> None:
    event = playing()
    event.tell(c.CallJudge("1.1", PHONE))
    event.tell(c.CallJudge("1.1", TABLE))
    event.now_ms += ECHO_GRACE_MS - 1
    event.agree(score(100, 24))
    assert list(event.state.calls["1.1"].sources) == [TABLE]


def test_a_call_ends_when_others_are_paired_at_its_match() -> None:
    event = playing()
    event.tell(c.CallJudge("1.1", TABLE))
    event.tell(c.UnpublishRound(1, "a test"))
    assert event.state.calls == {}


def test_nobody_is_called_to_a_match_that_people_do_not_see() -> None:
    event = Event(4)
    with refused("unknown_match"):
        event.tell(c.CallJudge("1.1", TABLE))
    event.tell(c.DrawRound(event.state.number))
    with refused("unknown_match"):
        event.tell(c.CallJudge("1.1", TABLE))


# --- wishes ----------------------------------------------------------------------------------------------------------


def test_a_wish_stands_over_the_next_round_until_it_is_answered() -> None:
    event = playing()
    who = seated(event)
    assert event.kinds(c.AskToDrop(who, TABLE)) == ["drop-asked"]
    assert event.kinds(c.AskToDrop(who, TABLE)) == []
    event.settle()
    event.play()
    assert list(event.state.wishes) == [who]
    event.tell(c.DropCompetitor(who))
    assert event.state.wishes == {}
    with refused("already_left"):
        event.tell(c.AskToDrop(who, TABLE))


def test_a_refusal_is_told_until_the_next_round_and_who_asks_anew_is_heard() -> None:
    event = playing()
    who = seated(event)
    assert event.kinds(c.RefuseDrop(who)) == []
    event.tell(c.AskToDrop(who, TABLE))
    assert event.kinds(c.RefuseDrop(who)) == ["drop-refused"]
    assert event.kinds(c.RefuseDrop(who)) == event.kinds(c.CancelDrop(who, TABLE)) == []
    assert event.state.wishes[who].refused
    assert event.kinds(c.AskToDrop(who, PHONE)) == ["drop-asked"]
    assert (event.state.wishes[who].refused, list(event.state.wishes[who].sources)) == (False, [PHONE])
    event.tell(c.RefuseDrop(who))
    event.settle()
    event.play()
    assert event.state.wishes == {}


def test_who_takes_a_wish_back_stays() -> None:
    event = playing()
    who = seated(event)
    for source in (TABLE, PHONE):
        event.tell(c.AskToDrop(who, source))
    assert event.kinds(c.CancelDrop(who, OTHER)) == []
    assert event.kinds(c.CancelDrop(who, TABLE)) == ["drop-cancelled"]
    assert list(event.state.wishes[who].sources) == [PHONE]
    event.tell(c.CancelDrop(who, PHONE))
    assert event.state.wishes == {}


def test_with_the_disqualified_and_with_the_event_requests_end() -> None:
    event = playing()
    a, b = event.state.rounds[0].matches[0].match.a, event.state.rounds[0].matches[1].match.a
    for who in (a, b):
        event.tell(c.AskToDrop(who, TABLE))
    event.tell(c.Disqualify(a, "cheating", "organizer"))
    assert list(event.state.wishes) == [b]
    event.settle()
    event.tell(c.CallJudge("1.2", TABLE))
    event.tell(c.FinishEvent("the hall closes"))
    assert (event.state.wishes, event.state.calls) == ({}, {})
    with refused("event_finished"):
        event.tell(c.CallJudge("1.2", TABLE))


# --- what is stored --------------------------------------------------------------------------------------------------


def test_requests_come_back_from_entries_and_from_bytes_and_no_button_of_the_organizer_is_stale_for_them() -> None:
    event = playing()
    before = state_digest(event.state), event.state.rounds, event.state.entrants
    event.tell(c.CallJudge("1.1", TABLE))
    event.tell(c.TakeCall("1.1", "organizer"))
    event.tell(c.AskToDrop(seated(event), PHONE))
    assert (state_digest(event.state), event.state.rounds, event.state.entrants) == before
    assert decode_state(encode_state(event.state)) == event.state == fold_entries("e1", event.entries)


def test_an_event_without_requests_is_as_it_was() -> None:
    assert (EventState("e1").calls, EventState("e1").wishes) == ({}, {})
