"""What follows from a record of the state, and the next state of one."""

from msgspec.structs import fields, replace

from event_kit import Event, score
from roundtap_core.event.commands import apply
from roundtap_core.event.entries import NewEntry, chain_entry
from roundtap_core.event.states import AGREED, DECIDED, ONE_SIDED, OPEN

PLAYED = Event(4).play().agree(score(100, 24))


def test_an_entry_that_changes_nothing_makes_another_state_all_the_same() -> None:
    """The one before it keeps its number and head: whoever holds it, a failed batch say, goes on from there."""
    before, event = PLAYED.state, PLAYED
    new = NewEntry("place-accepted", {"competitor": "p1"})
    nothing = chain_entry(new, "e1", before.number + 1, before.head, event.now, "x")
    after = apply(before, nothing)
    assert (after.number, after.head) == (before.number + 1, nothing.hash)
    assert before.number == len(event.entries)
    assert before.head == event.entries[-1].hash


def test_what_was_worked_out_is_no_part_of_a_record() -> None:
    """It is asked for before each change, and is right after it; nothing compares it, and nobody writes it down."""
    event = Event(4).play()
    opened, live = event.match(), event.state.live
    assert (opened.state, opened.done, [m.id for m in live.open_matches]) == (OPEN, False, ["1.1", "1.2"])
    event.report("a", score(100, 24))
    assert (event.match().state, opened.state) == (ONE_SIDED, OPEN)
    event.report("b", score(100, 24))
    assert (event.match().state, event.match().done) == (AGREED, True)
    assert [m.id for m in event.state.live.open_matches] == ["1.2"]
    assert [m.id for m in live.open_matches] == ["1.1", "1.2"]
    asked, other = event.match(), replace(event.match())
    assert (replace(asked, decided=True).state, replace(asked, reports={}).state) == (DECIDED, AGREED)
    assert (asked, repr(asked)) == (other, repr(other))
    assert not {"state", "open_matches"} & {field.name for field in (*fields(asked), *fields(live))}
