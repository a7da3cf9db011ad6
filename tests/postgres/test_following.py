"""What a hub reads of what others write: together, once in a while; at once where somebody depends on it."""

import random
from collections.abc import Iterator, Mapping

import pytest
from hub_kit import event_steps, make_event, people
from shared_kit import HubOnDatabase, hub_on, stored

from event_kit import fold_entries
from kit import wait_until
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry, Person
from roundtap_hub.store import shared_service
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step
from roundtap_hub.store.shared_service import CommitNotice


def report(number: int, match: str = "1.1") -> c.RecordReport:
    return c.RecordReport(f"r{number}", match, "a", 0, {"score": {"a": 100, "b": number % 90}}, f"body {number}")


class Readings:
    """The streams of each reading of entries at this hub."""

    def __init__(self, hub: HubOnDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[set[str]] = []
        read = hub.journal.newer_entries

        def noted(known: Mapping[str, object]) -> object:
            self.made.append(set(known))
            return read(known)  # type: ignore[arg-type]

        monkeypatch.setattr(hub.journal, "newer_entries", noted)


@pytest.fixture
def pair(url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[HubOnDatabase, HubOnDatabase]]:
    """Two hubs, of which the second is told by hand what the first commits, and has just read."""
    monkeypatch.setattr(shared_service, "FOLLOW_EVERY_S", 600.0)
    with hub_on(url, follows=False) as first, hub_on(url, follows=False) as second:
        make_event(first.service)
        second.service.follow(None)
        second.service.execute([], "test")
        assert second.service.snapshot.events == first.service.snapshot.events
        yield first, second


def tell(second: HubOnDatabase, first: HubOnDatabase, stream: str = "e1", people_of: tuple[str, ...] = ()) -> None:
    known = first.service.snapshot.venue if stream == VENUE else first.service.snapshot.events[stream]
    second.service.follow(CommitNotice({stream: known.number}, people_of))
    second.service.execute([], "test")


def test_a_hub_that_has_just_read_reads_no_entries_for_reports_elsewhere_nor_for_its_own(
    pair: tuple[HubOnDatabase, HubOnDatabase], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = pair
    make_event(second.service, "e2", units=False)
    readings = Readings(second, monkeypatch)
    for number in range(20):
        first.service.execute_one("e1", report(number), "unit:table-1")
        tell(second, first)
        second.service.execute_one("e2", c.SetClock("adjust", number), "organizer")
    assert readings.made == []
    second.service._read_notices()
    second.service.execute([], "test")
    assert readings.made == [{"e1"}], "twenty commits, one reading"
    assert second.service.snapshot.events["e1"] == first.service.snapshot.events["e1"]


def test_a_request_for_an_event_that_another_hub_wrote_in_is_decided_on_what_is_stored_at_its_first_attempt(
    url: str, pair: tuple[HubOnDatabase, HubOnDatabase], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = pair
    first.service.execute_one("e1", c.SetClock("adjust", 1000), "organizer")
    tell(second, first)
    attempts: list[int] = []
    append = second.journal.append
    monkeypatch.setattr(second.journal, "append", lambda *batch: (attempts.append(1), append(*batch)))
    second.service.execute_one("e1", c.SetClock("adjust", 7), "organizer")
    assert len(attempts) == 1
    assert stored(url)[-1].data["remaining_ms"] == 75 * 60_000 + 1007


def test_a_draw_sees_the_tables_of_a_round_that_another_hub_published_a_moment_ago(
    pair: tuple[HubOnDatabase, HubOnDatabase], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = pair
    first.service.execute(
        [*event_steps("e3"), Step("e3", c.DrawRound(5)), Step("e3", c.PublishRound(1, 1))], "organizer", people("e3")
    )
    tell(second, first, "e3")
    readings = Readings(second, monkeypatch)
    second.service.execute(
        [*event_steps("e2"), Step("e2", c.DrawRound(11)), Step("e2", c.PublishRound(1, 1))], "organizer", people("e2")
    )
    assert readings.made[0] == {"e3"}
    tables = [
        {each.match.table for each in state.live.matches}
        for state in second.service.snapshot.events.values()
        if state.live
    ]
    assert len(tables) == 3
    assert len(set().union(*tables)) == sum(map(len, tables)), "one table for two matches"


@pytest.mark.parametrize("what", ["venue", "people"])
def test_keys_seats_and_people_are_read_at_once(pair: tuple[HubOnDatabase, HubOnDatabase], what: str) -> None:
    first, second = pair
    if what == "venue":
        first.service.execute([Step(VENUE, NewEntry("unit-placed", {"unit": "table-1", "table": 9}))], "organizer")
        tell(second, first, VENUE)
        assert second.service.snapshot.venue.tables["table-1"] == 9
    else:
        renamed = Person("Ana María Ruiz")
        first.service.execute([], "organizer", [PersonRecord("e1", "p1", "salt", renamed)])
        tell(second, first, people_of=("e1",))
        assert second.service.snapshot.people_of("e1")["p1"] == renamed


@pytest.mark.parametrize("steps", [60, pytest.param(3000, marks=pytest.mark.long)])
def test_whatever_happens_at_two_hubs_each_knows_what_a_fold_of_the_journal_says(
    url: str, chance: random.Random, steps: int
) -> None:
    """An event each, now and then a command in the other's, and a shared venue."""
    refused: set[str] = set()
    with hub_on(url) as first, hub_on(url) as second:
        hubs = {"e1": first, "e2": second}
        for event, hub in hubs.items():
            make_event(hub.service, event, units=False)
        wait_until(lambda: all({"e1", "e2"} <= hub.service.snapshot.events.keys() for hub in hubs.values()), "both")
        for number in range(steps):
            event = chance.choice(("e1", "e2"))
            at = hubs[event if chance.random() < 0.9 else chance.choice(("e1", "e2"))]
            command = chance.choice(
                (
                    report(number),
                    report(number, "1.2"),
                    c.SetClock("adjust", number),
                    c.DropCompetitor("p1"),
                    c.DrawRound(number),
                )
            )
            try:
                at.service.execute_one(event, command, "unit:table-1")
            except Problem as problem:
                refused.add(problem.key)
            else:
                # A hub knows what it answered with, and everything before.
                assert at.service.snapshot.events[event] == fold_entries(event, stored(url, event))
            if chance.random() < 0.1:
                at.service.execute(
                    [Step(VENUE, NewEntry("unit-placed", {"unit": "table-1", "table": number + 1}))], "organizer"
                )
        for hub in hubs.values():
            wait_until(
                lambda hub=hub: all(
                    hub.service.snapshot.events[event] == fold_entries(event, stored(url, event)) for event in hubs
                ),
                "what the other wrote last",
            )
        assert first.service.snapshot.venue == second.service.snapshot.venue
    assert refused.isdisjoint({"not_saved", "hub_slow"})
