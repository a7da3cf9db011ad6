"""An event's state as bytes: whatever happened in it comes back, and the same entries make the same bytes."""

import json

import msgspec
import pytest
from msgspec.structs import replace

from event_kit import Event, fold_entries, score
from roundtap_core.event import commands as c
from roundtap_core.event import states
from roundtap_core.event.entries import Entry, Timestamp
from roundtap_core.event.states import EventState, decode_state, encode_state, state_form
from roundtap_core.records import Result, SidePair
from roundtap_core.wire import canonical_json

NEW = json.loads(encode_state(EventState("e1")))


def read_back(entry: Entry) -> Entry:
    return Entry(
        entry.stream,
        entry.number,
        entry.kind,
        entry.version,
        entry.at,
        entry.actor,
        json.loads(canonical_json(dict(entry.data))),
        entry.prev,
        entry.hash,
    )


def an_evening() -> Event:
    """Reports of all fates, a correction, warnings, a clock that runs, a draft."""
    event = Event(6, {"structure": "own", "swiss_rounds": 3, "late_minutes": 10})
    event.play()
    event.agree(score(100, 24))
    event.report("a", score(100, 24), "1.2")
    event.report("b", Result(score=SidePair(3, 4), timeout={"z": [1, {"b": 2, "a": None}], "a": True}), "1.2")
    event.tell(c.EnterResult("1.1", 0, score(24, 100)))
    event.report("a", score(1, 0), "1.1", revision=0)
    event.tell(c.GiveWarning("p3", "Late – „spät“, późno", "organizer"))
    event.tell(c.SetClock("start"))
    return event


def test_what_happened_comes_back() -> None:
    state = an_evening().state
    assert decode_state(encode_state(state)) == state
    assert decode_state(encode_state(EventState("e9"))) == EventState("e9")


def test_live_and_read_from_the_disk_it_is_the_same_bytes() -> None:
    event = an_evening()
    assert encode_state(event.state) == encode_state(fold_entries("e1", map(read_back, event.entries)))


def test_competitors_come_back_in_the_order_in_which_draws_shuffle_them() -> None:
    event = Event(0)
    for who in ("p2", "p10", "p1"):
        event.enter(who)
    assert list(decode_state(encode_state(event.state)).entrants) == ["p2", "p10", "p1"]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'"e1"',
        b'{"id":"e1"}',
        encode_state(EventState("e1"))[:-1],
        encode_state(EventState("e1")) + b" ",
        msgspec.json.encode({key: value for key, value in NEW.items() if key != "seed"}),
        msgspec.json.encode({**NEW, "spectators": 1}),
        msgspec.json.encode({**NEW, "seed": "1"}),
    ],
)
def test_other_bytes_are_refused(raw: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        decode_state(raw)


def test_a_core_whose_states_have_another_field_has_another_form(monkeypatch: pytest.MonkeyPatch) -> None:
    class Grown(EventState, frozen=True):
        spectators: int = 0

    before = state_form()
    assert (before, len(before)) == (state_form(), 16)
    monkeypatch.setattr(states, "EventState", Grown)
    assert state_form.__wrapped__() != before


def test_at_tells_nothing_that_the_state_keeps() -> None:
    """The wall time of an entry is no part of the state: two hubs make the same bytes."""
    event = an_evening()
    moved = [
        replace(entry, at=Timestamp("boot-1", entry.at.mono_ms, "2026-11-21T19:00:00+00:00")) for entry in event.entries
    ]
    assert encode_state(fold_entries("e1", moved)) == encode_state(event.state)
