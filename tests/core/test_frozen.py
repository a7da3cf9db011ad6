"""The quick copy of a frozen record gives what the library's gives."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, get_type_hints

import pytest

from event_kit import Event, score
from roundtap_core.event.apply import apply
from roundtap_core.event.entries import NewEntry, seal
from roundtap_core.event.state import AGREED, DECIDED, ONE_SIDED, OPEN
from roundtap_core.frozen import changed
from roundtap_core.records import Match, Pair, Result

PLAYED = Event(4).play().agree(score(100, 24))


@pytest.mark.parametrize(("record", "changes"), [
    (Pair(1, 2), {"b": 7}),
    (Match("p1", "p2", 3), {"result": Result(), "picks": (1, 2)}),
    (PLAYED.state, {"number": 99, "rounds": ()}),
    (PLAYED.state, {}),
    (PLAYED.match(), {"reports": {}, "match": Match("p1")}),
])
def test_it_is_what_replace_gives(record: Any, changes: dict[str, Any]) -> None:
    before = repr(record)
    assert changed(record, **changes) == replace(record, **changes)
    assert repr(record) == before


def test_a_name_that_is_no_field_is_a_bug() -> None:
    with pytest.raises(KeyError):
        changed(Pair(1, 2), c=3)


def test_an_entry_that_changes_nothing_makes_another_state_all_the_same() -> None:
    """The one before it keeps its number and head: whoever holds it, a failed batch say, goes on from there."""
    before, event = PLAYED.state, PLAYED
    new = NewEntry("place-accepted", {"competitor": "p1"})
    nothing = seal(new, "e1", before.number + 1, before.head, event.now, "x")
    after = apply(before, nothing)
    assert (after.number, after.head) == (before.number + 1, nothing.hash)
    assert before.number == len(event.entries)
    assert before.head == event.entries[-1].hash


def test_what_was_worked_out_is_no_part_of_a_record() -> None:
    """It is asked for before each change, and is right after it; nothing compares it, and nobody writes it down."""
    event = Event(4).play()
    opened, live = event.match(), event.state.live
    assert live is not None
    assert (opened.state, opened.done, [m.id for m in live.open_matches]) == (OPEN, False, ["1.1", "1.2"])
    event.report("a", score(100, 24))
    assert (event.match().state, opened.state) == (ONE_SIDED, OPEN)
    event.report("b", score(100, 24))
    assert (event.match().state, event.match().done) == (AGREED, True)
    assert event.state.live is not None
    assert [m.id for m in event.state.live.open_matches] == ["1.2"]
    assert [m.id for m in live.open_matches] == ["1.1", "1.2"]
    asked, other = event.match(), replace(event.match())
    assert (replace(asked, decided=True).state, changed(asked, reports={}).state) == (DECIDED, AGREED)
    assert (asked, repr(asked)) == (other, repr(other))
    assert "_worked_out" not in {field.name for field in (*fields(asked), *fields(live))}
    assert set(get_type_hints(type(asked))) == {field.name for field in fields(asked)}
