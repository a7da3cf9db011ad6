"""The mark of what a button was shown for: it changes when the button would do something else, and not before."""

from event_kit import Event, refused, score
from roundtap_core.event import commands as c
from roundtap_core.event.stale_check import CLOCK, COURSE, PERSON, refuse_stale, state_mark


def test_the_course_s_mark_changes_with_every_step_and_every_result_that_stands() -> None:
    event = Event()
    marks = [state_mark(event.state, COURSE)]

    def then(command: c.Command) -> None:
        event.tell(command)
        marks.append(state_mark(event.state, COURSE))

    then(c.DrawRound(1))
    then(c.DrawRound(1))
    then(c.MoveTables(1, 2, frozenset({1})))
    then(c.PublishRound(1, 2))
    then(c.EnterResult("1.1", 0, score(100, 24)))
    then(c.EnterResult("1.2", 0, score(100, 24)))
    then(c.EnterResult("1.2", 1, score(24, 100)))
    then(c.DrawRound(1))
    then(c.DropCompetitor("p1"))
    then(c.FinishEvent("the hall closes"))
    assert len(set(marks)) == len(marks)


def test_the_clock_and_one_side_s_report_leave_the_course_s_mark_alone() -> None:
    event = Event().play()
    seen = state_mark(event.state, COURSE)
    event.tell(c.SetClock("start"))
    event.report("a", {"score": {"a": 100, "b": 24}}, "1.1")
    assert state_mark(event.state, COURSE) == seen
    event.report("b", {"score": {"a": 100, "b": 24}}, "1.1")
    assert state_mark(event.state, COURSE) != seen


def test_the_clock_s_mark_changes_with_the_clock_alone() -> None:
    event = Event().play()
    marks = []
    for command in (c.SetClock("start"), c.SetClock("adjust", 60_000), c.SetClock("pause"), c.SetClock("reset")):
        marks.append(state_mark(event.state, CLOCK))
        event.now_ms += 1
        event.tell(command)
    event.tell(c.EnterResult("1.1", 0, score(100, 24)))
    assert len({*marks, state_mark(event.state, CLOCK)}) == 5


def test_a_person_s_mark_changes_with_what_leaving_would_do() -> None:
    event = Event().play()
    seen = state_mark(event.state, f"{PERSON}p1")
    match = next(m for m in event.state.rounds[0].matches if "p1" in (m.match.a, m.match.b))
    others = next(m for m in event.state.rounds[0].matches if m is not match)
    event.tell(c.EnterResult(others.id, 0, score(100, 24)))
    assert state_mark(event.state, f"{PERSON}p1") == seen
    event.tell(c.EnterResult(match.id, 0, score(100, 24)))
    assert state_mark(event.state, f"{PERSON}p1") != seen
    assert state_mark(event.state, f"{PERSON}nobody")


def test_a_button_counts_in_the_state_it_was_shown_for_alone() -> None:
    event = Event()
    seen = state_mark(event.state, COURSE)
    refuse_stale(event.state, seen)
    event.tell(c.DrawRound(1))
    for stale in (seen, "course.", "nonsense", "clock.123", "person/p1.123"):
        with refused("step_changed_meanwhile"):
            refuse_stale(event.state, stale)


# --- a clock that was started too early ----------------------------------------------------------------------------


def test_a_clock_started_too_early_goes_back_to_not_started() -> None:
    event = Event().play()
    with refused("clock_stands"):
        event.tell(c.SetClock("reset"))
    event.tell(c.SetClock("start"))
    event.now_ms += 90_000
    event.tell(c.SetClock("adjust", 60_000))
    assert event.kinds(c.SetClock("reset")) == ["clock-set"]
    assert (event.state.clock.state, event.state.clock.remaining_ms) == ("idle", 75 * 60_000)
    event.tell(c.SetClock("start"))
    assert event.state.clock.state == "running"


def test_once_a_table_has_spoken_the_round_has_begun() -> None:
    for first_word in (
        lambda e: e.report("a", {"score": {"a": 100, "b": 24}}, "1.1"),
        lambda e: e.tell(c.EnterResult("1.1", 0, score(100, 24))),
    ):
        event = Event(players=5).play()
        event.tell(c.SetClock("start"))
        first_word(event)
        with refused("round_has_begun"):
            event.tell(c.SetClock("reset"))
