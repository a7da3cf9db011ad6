"""What is worked out once: by one thread for all who ask, for as long as what it depends on stays."""

import threading
from dataclasses import dataclass
from operator import attrgetter

import pytest

from patience import GUARD_S
from roundtap_core.event.states import EventState
from roundtap_hub.views.saved_event import MAX_EVENTS, SavedEvent, memoized, memoized_by

BY_NUMBER = attrgetter("number")


@dataclass(frozen=True)
class At:
    event_id: str
    number: int


def test_fifty_threads_that_ask_at_once_have_it_worked_out_by_one():
    begun, go_on = threading.Semaphore(0), threading.Event()
    by: list[str] = []

    @memoized_by(BY_NUMBER)
    def slow(at: At) -> int:
        by.append(threading.current_thread().name)
        begun.release()
        assert go_on.wait(GUARD_S)
        return at.number * 10

    answers: list[int] = []
    threads = [threading.Thread(target=lambda: answers.append(slow(At("e1", 7)))) for _ in range(50)]
    for thread in threads:
        thread.start()
    assert begun.acquire(timeout=GUARD_S)
    go_on.set()
    for thread in threads:
        thread.join(GUARD_S)
    assert answers == [70] * 50
    assert len(by) == 1


def test_only_what_it_depends_on_counts():
    asked: list[int] = []

    @memoized_by(lambda at: at.number // 10)  # type: ignore[attr-defined]
    def tens(at: At) -> int:
        asked.append(at.number)
        return at.number // 10

    assert [tens(At("e1", n)) for n in (11, 12, 19, 21, 13, 22)] == [1, 1, 1, 2, 1, 2]
    assert asked == [11, 21]
    # Of each event its last two; another event is another thing.
    assert (tens(At("e1", 31)), tens(At("e1", 11)), tens(At("e2", 11))) == (3, 1, 1)
    assert asked == [11, 21, 31, 11, 11]


def test_a_saved_event_is_another_with_the_next_entry_or_other_people():
    asked: list[SavedEvent] = []

    @memoized
    def name(event: SavedEvent) -> str:
        asked.append(event)
        return event.state.name

    def event(head: str, people: tuple[str, ...] = ()) -> SavedEvent:
        return SavedEvent(EventState("e1", head=head), dict.fromkeys(people))  # type: ignore[arg-type]

    for each in (event("a"), event("a"), event("b"), event("b", ("p1",)), event("b", ("p1",))):
        name(each)
    assert [(each.state.head, len(each.people)) for each in asked] == [("a", 0), ("b", 0), ("b", 1)]


def test_of_many_events_those_that_changed_last_are_known():
    asked: list[str] = []

    @memoized_by(BY_NUMBER)
    def name(at: At) -> str:
        asked.append(at.event_id)
        return at.event_id

    for n in range(MAX_EVENTS + 1):
        name(At(f"e{n}", 0))
    name(At("e1", 0))
    name(At("e0", 0))
    assert asked.count("e1") == 1
    assert asked.count("e0") == 2


def test_an_error_is_told_and_not_kept():
    tries: list[int] = []

    @memoized_by(BY_NUMBER)
    def second_time_lucky(at: At) -> int:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("not yet")
        return at.number

    with pytest.raises(ValueError, match="not yet"):
        second_time_lucky(At("e1", 5))
    assert second_time_lucky(At("e1", 5)) == 5
