"""What undoes each kind of act: the state is as it was before, or what is left over is named here."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from event_kit import MINUTE, Event, refused, score
from roundtap_core.clock import IDLE, PAUSED, RUNNING
from roundtap_core.event import commands as c
from roundtap_core.event.entries import Entry, NewEntry
from roundtap_core.event.states import Entrant, EventState, Official, Prize
from roundtap_core.event.undo import Act, Undoing, past_entry, undo_commands


def act_of(event: Event, made: list[Entry]) -> Act:
    """These entries as an act, told by all that were made before."""
    newest: dict[tuple[str, str], Entry] = {}
    past = [past_entry(entry, newest) for entry in event.entries]
    return tuple(each for each in past if each.entry in made)


def undo(event: Event, made: list[Entry], **how: str) -> list[Entry]:
    undone = undo_commands(event.state, act_of(event, made), Undoing(event.now.instant, "organizer", "a slip", **how))
    return [entry for command in undone for entry in event.tell(command)]


def bare(state: EventState) -> EventState:
    """The state without what every entry moves on, and without what is noted of how its matches came to be so."""
    rounds = tuple(
        replace(
            played,
            taken_back=0,
            mends=(),
            matches=tuple(
                replace(m, revision=0, number=None, replaced=None, stood=None, corrections=()) for m in played.matches
            ),
        )
        for played in state.rounds
    )
    return replace(state, number=0, head="", rounds=rounds)


def before_round_1(**options: object) -> Event:
    return Event(4, options=dict(options))


def in_round_1() -> Event:
    event = before_round_1()
    event.tell(c.DrawRound(5))
    event.tell(c.PublishRound(1, 1))
    return event


def playing() -> Event:
    event = in_round_1()
    event.tell(c.SetClock("start"))
    event.now_ms += 10 * MINUTE
    return event


def told(*commands: c.Command, start: Callable[[], Event] = before_round_1) -> Callable[[], Event]:
    """An event in which this was said before."""

    def made() -> Event:
        event = start()
        for command in commands:
            event.tell(command)
        return event

    return made


first = "1.1"
JUDGE = (Official("o1", "organizer"), Official("o2", "judge"))

ALIKE: dict[str, tuple[Callable[[], Event], c.Command]] = {
    "drop before round 1": (before_round_1, c.DropCompetitor("p2")),
    "drop in mid-game": (in_round_1, c.DropCompetitor("p2")),
    "check in": (told(c.SetCheckIn(True)), c.CheckIn("p1")),
    "check out": (told(c.SetCheckIn(True), c.CheckIn("p1")), c.CheckIn("p1", on=False)),
    "check-in on": (before_round_1, c.SetCheckIn(True)),
    "check-in off": (told(c.SetCheckIn(True)), c.SetCheckIn(False)),
    "sign-up opened": (before_round_1, c.SetSignUp(True)),
    "sign-up closed": (told(c.SetSignUp(True, confirm=True)), c.SetSignUp(False)),
    "a check": (before_round_1, c.RecordCheck("p1", "sleeves")),
    "off duty": (told(c.SetOfficials(JUDGE)), c.OfficialDuty("o2", on=False)),
    "options": (before_round_1, c.SetOptions({"late_minutes": 15})),
    "options, the second time": (told(c.SetOptions({"late_minutes": 15})), c.SetOptions({"late_minutes": 5})),
    "details": (told(c.SetEventDetails({"club": "Falken"})), c.SetEventDetails({"club": "Eulen"})),
    "the first details": (before_round_1, c.SetEventDetails({"club": "Eulen"})),
    "prizes": (told(c.SetPrizes((Prize("a cup", 1, 1),))), c.SetPrizes(())),
    "the first prizes": (before_round_1, c.SetPrizes((Prize("a cup", 1, 1),))),
    "a draw": (before_round_1, c.DrawRound(5)),
    "an extension": (in_round_1, c.GrantExtension(first, 5)),
    "a judge on the way": (told(c.CallJudge(first, "phone:p1"), start=in_round_1), c.TakeCall(first, "judge:1f")),
    "a call that was settled": (told(c.CallJudge(first, "phone:p1"), start=in_round_1), c.CloseCall(first)),
    "a refused wish": (told(c.AskToDrop("p1", "phone:p1"), start=in_round_1), c.RefuseDrop("p1")),
    "a result": (playing, c.EnterResult(first, 0, score(100, 20))),
    "both no-shows": (in_round_1, c.DoubleNoShow(first)),
    "the start": (in_round_1, c.SetClock("start")),
}


@pytest.mark.parametrize("what", ALIKE)
def test_all_is_as_it_was(what: str) -> None:
    start, command = ALIKE[what]
    event = start()
    before = bare(event.state)
    made = event.tell(command)
    assert bare(event.state) != before, "the act changes nothing"
    assert undo(event, made)
    after = bare(event.state)
    # An idle clock is as of another moment.
    if before.clock.state == IDLE:
        after = replace(after, clock=replace(after.clock, anchor=before.clock.anchor))
    assert after == before


def test_a_no_show_is_back_at_the_table_and_undoing_that_is_a_no_show_again() -> None:
    event = in_round_1()
    match = event.state.find_match(first)[1].match
    before = bare(event.state)
    undone = undo(event, event.tell(c.NoShow(first, match.a)))
    assert bare(event.state) == before
    assert event.state.entrants[match.a].active
    undo(event, undone)
    assert event.state.entrants[match.a].dropped_after == 1


def test_an_entered_player_is_gone_and_the_id_is_not_given_again() -> None:
    event = before_round_1()
    made = event.tell(c.EnterCompetitor(Entrant("p9", "digest")))
    undo(event, made)
    assert "p9" not in event.state.entrants
    assert event.state.removed == ("p9",)


def test_all_of_one_act_is_undone_together() -> None:
    event = told(c.SetCheckIn(True))()
    made = [entry for who in ("p1", "p2", "p3") for entry in event.tell(c.CheckIn(who))]
    assert len(undo(event, made)) == 3
    assert not any(entrant.checked_in for entrant in event.state.entrants.values())


def test_a_round_is_a_draft_again_with_the_same_pairs() -> None:
    event = told(c.DrawRound(5))()
    drawn = [(m.match.a, m.match.b) for m in event.state.draft.matches]
    undo(event, event.tell(c.PublishRound(1, 1)))
    assert [(m.match.a, m.match.b) for m in event.state.draft.matches] == drawn
    assert event.state.draft.mends[0]["reason"] == "a slip"


def test_a_clock_goes_on_as_if_it_had_not_been_touched() -> None:
    event = playing()
    event.tell(c.SetClock("set", 40 * MINUTE))
    event.now_ms += 5 * MINUTE
    paused = event.tell(c.SetClock("pause"))
    event.now_ms += 2 * MINUTE
    undo(event, paused)
    assert (event.state.clock.state, event.state.clock.remaining_at(event.now.instant)) == (RUNNING, 33 * MINUTE)
    more = event.tell(c.SetClock("adjust", 5 * MINUTE))
    event.now_ms += MINUTE
    undo(event, more)
    assert event.state.clock.remaining_at(event.now.instant) == 32 * MINUTE
    event.tell(c.SetClock("pause"))
    event.now_ms += MINUTE
    undo(event, event.tell(c.SetClock("start")))
    assert (event.state.clock.state, event.state.clock.remaining_ms) == (PAUSED, 32 * MINUTE)


def test_a_corrected_result_is_what_it_was() -> None:
    event = playing()
    event.tell(c.EnterResult(first, 0, score(100, 30)))
    made = event.tell(c.EnterResult(first, 1, score(100, 20)))
    undo(event, made)
    assert event.state.find_match(first)[1].match.result == score(100, 30)


def test_the_end_is_undone_and_its_round_stays_closed() -> None:
    event = playing()
    for match in event.state.live.open_matches:
        event.tell(c.EnterResult(match.id, 0, score(100, 20)))
    undo(event, event.tell(c.FinishEvent("enough")))
    assert not event.state.finished
    assert event.state.live is None


# --- what has been followed ---------------------------------------------------------------------------------------


def test_an_older_clock_is_not_put_back() -> None:
    event = in_round_1()
    started = event.tell(c.SetClock("start"))
    event.now_ms += MINUTE
    event.tell(c.SetClock("pause"))
    assert undo(event, started) == []


def test_only_the_last_extension_is_taken_back() -> None:
    event = in_round_1()
    given = event.tell(c.GrantExtension(first, 5))
    event.tell(c.GrantExtension(first, 3))
    assert undo(event, given) == []


def test_a_second_time_is_refused_by_what_the_commands_say() -> None:
    event = in_round_1()
    match = event.state.find_match(first)[1].match
    dropped = event.tell(c.DropCompetitor(match.a))
    undo(event, dropped)
    with refused("never_left"):
        undo(event, dropped)


def test_a_result_that_has_changed_since_is_not_undone() -> None:
    event = playing()
    made = event.tell(c.EnterResult(first, 0, score(100, 20)))
    event.tell(c.EnterResult(first, 1, score(20, 100)))
    with refused("result_changed_meanwhile"):
        undo(event, made)


def test_what_both_have_said_since_is_not_lost() -> None:
    event = playing()
    made = event.tell(c.EnterResult(first, 0, score(100, 20)))
    assert event.report("a", score(100, 20)).fate == "accepted"
    assert undo(event, made) == []


def test_a_round_with_a_report_stays_published() -> None:
    event = told(c.DrawRound(5))()
    made = event.tell(c.PublishRound(1, 1))
    event.report("a", score(100, 20))
    with refused("unpublish_has_word"):
        undo(event, made)


def test_who_would_concede_a_match_is_not_dropped_by_undoing() -> None:
    event = in_round_1()
    match = event.state.find_match(first)[1].match
    event.tell(c.DropCompetitor(match.a))
    back = event.tell(c.ReturnCompetitor(match.a))
    assert undo(event, back) == []


def test_what_is_on_record_for_good_is_not_undone() -> None:
    event = in_round_1()
    for command in (c.GiveWarning("p1", "late"), c.NoteRuling(first, "moved back")):
        assert undo(event, event.tell(command)) == []


def test_a_kind_that_nobody_knows_is_not_undone() -> None:
    event = before_round_1()
    entry = replace(event.entries[-1], kind="something-new", data=NewEntry("", {}).data)
    assert undo_commands(event.state, (past_entry(entry, {}),), Undoing(event.now.instant, "organizer", "")) == []
