"""Several hubs on one database: one wins each number, the others decide again, and a lost connection loses nothing."""

import random
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from hub_kit import HandClock, event_steps, make_event, people
from postgres_kit import CUT, Cluster
from shared_kit import HubOnDatabase, Wire, hub_on, stored
from sqlmodel import SQLModel

import event_kit
from event_kit import fold_entries
from kit import wait_until
from patience import GUARD_S
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, Entry, NewEntry, Person
from roundtap_core.event.stale_check import CLOCK, state_mark
from roundtap_core.event.states import Entrant
from roundtap_hub.access.personal_links import PersonalLinks
from roundtap_hub.access.staff import Staff
from roundtap_hub.access.unit_keys import UnitKeys
from roundtap_hub.http.routes import JUDGE
from roundtap_hub.store.journal import JournalConflict, PersonRecord
from roundtap_hub.store.postgres import PostgresJournal
from roundtap_hub.store.service import Step
from roundtap_hub.store.shared_service import OPTIMISTIC_ATTEMPTS

PATIENCE_S = GUARD_S


def report(number: int, side: str = "a", match: str = "1.1") -> c.RecordReport:
    return c.RecordReport(f"r{number}", match, side, 0, {"score": {"a": 100, "b": 24}}, f"body {number}")


def refused(what: Any, *arguments: Any) -> str:
    with pytest.raises(Problem) as caught:
        what(*arguments)
    return caught.value.key


# --- one journal ----------------------------------------------------------------------------------------------------


def test_what_one_hub_saved_another_finds_when_it_starts(url: str) -> None:
    with hub_on(url) as first:
        make_event(first.service)
        before = first.service.snapshot
    with hub_on(url) as second:
        assert replace(second.service.snapshot, load_dormant=before.load_dormant) == before


def test_two_hubs_that_begin_together_begin_one_epoch(url: str) -> None:
    with hub_on(url, follows=False) as first, hub_on(url, follows=False) as second:
        began = NewEntry("epoch-begun", {"epoch": "another"})
        assert second.service.execute([Step(VENUE, began)], "hub") == []
        assert first.service.snapshot.venue.epoch == second.service.snapshot.venue.epoch


def test_whoever_was_slower_decides_again(url: str) -> None:
    """Neither hears of the other: only the compare-and-set stands between them."""
    with hub_on(url, follows=False) as first, hub_on(url, follows=False) as second:
        make_event(first.service)
        second.service.execute_one("e1", c.SetClock("adjust", 60_000), "organizer")
        first.service.execute_one("e1", c.SetClock("adjust", 1000), "organizer")
        entry = second.service.execute_one("e1", c.SetClock("adjust", 2000), "organizer")[0]
        assert [e.data["remaining_ms"] for e in stored(url) if e.kind == "clock-set"][-2:] == [
            75 * 60_000 + 61_000,
            75 * 60_000 + 63_000,
        ]
        assert second.service.snapshot.events["e1"] == fold_entries("e1", stored(url))
        assert entry.number == len(stored(url))


def test_a_button_shown_for_an_older_state_is_refused(url: str) -> None:
    with hub_on(url, follows=False) as first, hub_on(url, follows=False) as second:
        make_event(first.service)
        second.service.follow(None)
        wait_until(lambda: "e1" in second.service.snapshot.events, "the second hub")
        shown = state_mark(second.service.snapshot.events["e1"], CLOCK)
        first.service.execute_one("e1", c.SetClock("start"), "organizer", seen=shown)
        assert refused(second.service.execute_one, "e1", c.SetClock("start"), "organizer", (), shown) == (
            "step_changed_meanwhile"
        )
        assert second.service.snapshot.events["e1"] == fold_entries("e1", stored(url))


def test_a_report_to_both_hubs_is_one_entry(url: str) -> None:
    with hub_on(url, follows=False) as first, hub_on(url, follows=False) as second:
        make_event(first.service)
        assert len(first.service.execute_one("e1", report(1), "unit:table-1")) == 1
        assert second.service.execute_one("e1", report(1), "unit:table-1") == []
        assert second.service.snapshot.events["e1"].fates["r1"] == first.service.snapshot.events["e1"].fates["r1"]


def test_people_entered_at_two_hubs_at_once_have_ids_of_their_own(url: str) -> None:
    """Each page has looked at its own hub, which knows nothing of the other's newcomer yet."""
    with hub_on(url, follows=False) as first, hub_on(url, follows=False) as second:
        first.service.execute(event_steps(), "organizer", people())
        second.service.execute_one("e1", c.SetEventDetails({"place": "Club"}), "organizer")
        for hub, name in ((first, "Nina Wolf"), (second, "Pia Luchs"), (first, "Ole Fuchs")):
            person = Person(name)
            hub.service.execute_one(
                "e1",
                c.EnterCompetitor(Entrant("p5", person.digest(name))),
                "organizer",
                [PersonRecord("e1", "p5", name, person)],
            )
        second.service.follow(None)
        wait_until(lambda: "p7" in second.service.snapshot.events["e1"].entrants, "the second hub")
        assert [second.service.snapshot.people["e1"][who].name for who in ("p5", "p6", "p7")] == [
            "Nina Wolf",
            "Pia Luchs",
            "Ole Fuchs",
        ]


def test_one_table_is_not_given_to_two_events_at_two_hubs(url: str) -> None:
    """Different streams, so no number is in the way: the decision rests on the hall as it is."""
    with hub_on(url, follows=False) as first, hub_on(url, follows=False) as second:
        for hub, event in ((first, "e1"), (second, "e2"), (first, "e3")):
            hub.service.execute(event_steps(event), "organizer", people(event))
        for hub, event in ((first, "e1"), (second, "e2")):
            hub.service.execute([Step(event, c.DrawRound(3)), Step(event, c.PublishRound(1, 1))], "organizer")
        tables = [
            match.match.table
            for event in ("e1", "e2")
            for match in second.service.snapshot.events[event].rounds[0].matches
        ]
        assert sorted(tables) == [1, 2, 3, 4]


def test_who_is_slower_each_time_is_not_left_behind(url: str, postgres: Cluster) -> None:
    """However fast the other is: after a few tries it has to wait."""
    beaten: list[str] = []
    with hub_on(url, follows=False) as fast:
        make_event(fast.service)

        def be_faster(point: str) -> None:
            if point != "before-commit":
                return
            beaten.append(point)
            first = fast.service.submit([Step("e1", c.SetClock("adjust", 1000))], "fast")
            # While nobody else may write, the database makes it wait: then it comes second.
            wait_until(
                lambda: first.done() or postgres.run("SELECT 1 FROM pg_locks WHERE NOT granted"),
                "the faster one",
                PATIENCE_S,
            )

        with hub_on(url, follows=False, at_point=be_faster) as slow:
            [entry] = slow.service.execute_one("e1", c.SetClock("adjust", 7), "slow")
        assert len(beaten) == OPTIMISTIC_ATTEMPTS + 1
        wait_until(lambda: len(stored(url)) == entry.number + 1, "the other's last one")
    assert [e.actor for e in stored(url)][-5:] == ["fast", "fast", "fast", "slow", "fast"]


def test_a_report_for_an_event_that_another_hub_just_made_is_no_stray(url: str) -> None:
    with hub_on(url, follows=False) as first, hub_on(url, follows=False) as second:
        make_event(first.service)
        assert second.service.snapshot.event("e1") is None
        [entry] = second.service.execute_one("e1", report(1), "unit:table-1")
        assert entry.kind == "report"
        assert refused(second.service.execute_one, "e77", report(2), "unit:table-1") == "unknown_event"


@pytest.mark.parametrize("races", [100, pytest.param(10_000, marks=pytest.mark.long)])
def test_two_hubs_race_for_every_number(url: str, races: int) -> None:
    """Each command is saved once, whoever was faster; every number has one owner."""
    with hub_on(url) as first, hub_on(url) as second:
        make_event(first.service)
        begun = len(stored(url))
        made: dict[str, list[Entry]] = {"first": [], "second": []}
        start = threading.Barrier(2)

        def race(name: str, hub: HubOnDatabase) -> None:
            start.wait(PATIENCE_S)
            for n in range(races // 2):
                made[name] += hub.service.execute_one("e1", c.SetClock("adjust", n), name)

        threads = [threading.Thread(target=race, args=pair) for pair in (("first", first), ("second", second))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        entries = stored(url)
    assert len(entries) == begun + races
    for name, mine in made.items():
        assert mine == [entry for entry in entries if entry.actor == name]
        assert len(mine) == races // 2
    added_ms = 2 * sum(range(races // 2))
    assert entries[-1].data["remaining_ms"] == 75 * 60_000 + added_ms, "one decision rested on an older state"


# --- following ------------------------------------------------------------------------------------------------------


def test_a_hub_hears_what_another_commits_and_tells_its_listeners(url: str) -> None:
    heard: list[str] = []
    with hub_on(url) as first, hub_on(url) as second:
        second.service.listen(lambda _, entries: heard.extend(entry.kind for entry in entries))
        make_event(first.service)
        first.service.execute_one("e1", c.SetClock("start"), "organizer")
        wait_until(lambda: "clock-set" in heard, "the other hub's entries")
        wait_until(lambda: second.service.snapshot.venue == first.service.snapshot.venue, "the venue")
        assert second.service.snapshot.events == first.service.snapshot.events
        assert second.service.snapshot.names == first.service.snapshot.names
        assert heard.count("clock-set") == 1


def test_an_event_is_put_on_the_shelf_and_taken_down_everywhere(url: str) -> None:
    with hub_on(url) as first, hub_on(url) as second:
        first.service.execute(event_steps(), "organizer", people())
        first.service.execute([Step(VENUE, NewEntry("event-archived", {"event": "e1"}))], "organizer")
        wait_until(lambda: "e1" in second.service.snapshot.dormant, "the shelf")
        renamed = Person("Ana María Ruiz")
        second.service.execute(
            [Step("e1", c.ChangePerson("p1", renamed.digest("salt")))],
            "organizer",
            [PersonRecord("e1", "p1", "salt", renamed)],
        )
        wait_until(lambda: first.service.snapshot.people_of("e1")["p1"] == renamed, "her name in the archive")
        first.service.execute([Step(VENUE, NewEntry("event-restored", {"event": "e1"}))], "organizer")
        wait_until(
            lambda: second.service.snapshot.events.get("e1") == fold_entries("e1", stored(url)), "the event in play"
        )


def test_people_of_a_deleted_event_are_forgotten_everywhere(url: str) -> None:
    with hub_on(url) as first, hub_on(url, follows=False) as second:
        first.service.execute(event_steps(), "organizer", people())
        first.service.execute([Step(VENUE, NewEntry("event-archived", {"event": "e1"}))], "organizer")
        second.service.follow(None)
        wait_until(lambda: "e1" in second.service.snapshot.dormant, "the shelf")
        first.service.execute([Step(VENUE, NewEntry("event-deleted", {"event": "e1"}))], "organizer")
        late = PersonRecord("e1", "p1", "salt", Person("Written Too Late"))
        assert (
            refused(second.service.execute, [Step("e1", c.DropCompetitor("p1"))], "organizer", [late])
            == "event_deleted"
        )
        assert first.journal.people() == {}
        assert second.service.snapshot.people_of("e1") == {}


def test_people_who_change_are_told_too(url: str) -> None:
    with hub_on(url) as first, hub_on(url) as second:
        make_event(first.service)
        renamed = Person("Ana María Ruiz")
        first.service.execute([], "organizer", [PersonRecord("e1", "p1", "salt", renamed)])
        wait_until(lambda: renamed in second.service.snapshot.people.get("e1", {}).values(), "her name")


def test_a_follower_whose_connection_was_cut_reads_what_it_missed(url: str, postgres: Cluster) -> None:
    with hub_on(url) as first, hub_on(url) as second:
        make_event(first.service)
        wait_until(lambda: "e1" in second.service.snapshot.events, "the event")
        assert postgres.cut() >= 2
        first.service.execute_one("e1", c.SetClock("start"), "organizer")
        wait_until(lambda: second.service.snapshot.events == first.service.snapshot.events, "what it missed")


def test_a_notification_that_nobody_understands_harms_nobody(url: str) -> None:
    with hub_on(url) as first, hub_on(url) as second:
        with psycopg.connect(url, autocommit=True) as somebody:
            for payload in (
                "",
                "{",
                "[]",
                '{"from": "x", "streams": 7}',
                '{"from": "x", "streams": {"e9": 3}, "people": []}',
            ):
                somebody.execute("SELECT pg_notify('roundtap', %s)", [payload])
        make_event(first.service)
        wait_until(lambda: "e1" in second.service.snapshot.events, "the event")


def test_a_page_server_follows_and_takes_nothing(url: str) -> None:
    with hub_on(url) as writer, hub_on(url, read_only=True) as pages:
        make_event(writer.service)
        wait_until(lambda: pages.service.snapshot.events.keys() == {"e1"}, "the event")
        assert refused(pages.service.execute_one, "e1", c.SetClock("start"), "organizer") == "pages_only"
        before = stored(url)
        pages.service.checkpoint()
        assert stored(url) == before
        with pytest.raises(JournalConflict, match="read-only"):
            pages.journal.append([], [PersonRecord("e1", "p1", "salt", Person("Nobody"))])


def test_keys_and_pins_of_one_hub_count_at_all_of_them(url: str) -> None:
    with hub_on(url) as first, hub_on(url) as second:
        here, there = UnitKeys(first.service), UnitKeys(second.service)
        staff, other = Staff(first.service), Staff(second.service)
        told: list[frozenset[str]] = []
        there.listeners.append(told.append)
        key, (eva, pin) = here.add("table-1"), staff.add("Eva", JUDGE)
        wait_until(lambda: dict(there) == {"table-1": key} and other.identity_of(eva.id), "what the other hub said")
        assert other.person_of(pin) == other.find(eva.id)
        here.revoke("table-1")
        staff.revoke(eva.id)
        wait_until(lambda: not (dict(there) or other.identity_of(eva.id)), "what it took back")
        assert told == [frozenset({"table-1"})]


def test_a_link_taken_back_at_one_hub_opens_nothing_at_another_and_of_two_slips_one_gives_it(url: str) -> None:
    with hub_on(url) as first, hub_on(url) as second:
        here, there = (PersonalLinks(hub.service, b"s" * 32, lambda: 0) for hub in (first, second))
        token = here.give("e1", "p1").removeprefix("/me/")
        wait_until(lambda: there.is_given("e1", "p1"), "what the other hub said")
        code = there.code("e1", "p1")
        here.revoke("e1", "p1")
        wait_until(lambda: there.owner_of(token) is None, "what it took back")
        assert there.claim_code(code, "10.0.0.5") is None
    with hub_on(url, follows=False) as first, hub_on(url, follows=False) as second:
        claims = [
            PersonalLinks(hub.service, b"s" * 32, lambda: 0).claim_by_slip("e1", "p2", f"the phone at hub {n}")
            for n, hub in enumerate((first, second))
        ]
    assert [claim is None for claim in claims] == [False, True]


def test_a_key_that_could_not_be_read_just_now_is_read_with_the_next_that_is_told(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hub_on(url) as first, hub_on(url) as second:
        asked = 0

        def out_of_reach() -> list[SQLModel]:
            nonlocal asked
            asked += 1
            raise Problem("database_not_usable", url="", reason="a moment")

        with monkeypatch.context() as patch:
            patch.setattr(second.journal, "secrets", out_of_reach)
            key = UnitKeys(first.service).add("table-1")
            wait_until(lambda: asked, "the attempt")
        make_event(first.service)
        wait_until(lambda: dict(UnitKeys(second.service)) == {"table-1": key}, "the key")


def test_a_page_server_in_front_of_an_empty_database_says_so(url: str) -> None:
    with event_kit.refused("database_empty"):
        PostgresJournal(url, read_only=True)


# --- lost connections -----------------------------------------------------------------------------------------------


@pytest.fixture
def wire(url: str) -> Iterator[Wire]:
    with closing(Wire(url)) as made:
        yield made


@pytest.mark.parametrize("when", ["before the commit arrives", "before the answer arrives"])
def test_a_connection_cut_in_mid_commit_leaves_one_entry_and_a_true_answer(url: str, wire: Wire, when: str) -> None:
    with hub_on(wire.url, follows=False) as hub:
        make_event(hub.service)
        before = len(stored(url))
        wire.cut_next(when)
        made = hub.service.execute_one("e1", c.SetClock("adjust", 1000), "organizer")
        assert wire.cuts == 1
        assert [entry.number for entry in made] == [before + 1]
        assert stored(url)[before:] == made
        assert hub.service.execute_one("e1", c.SetClock("adjust", 1000), "organizer")[0].number == before + 2


@pytest.mark.parametrize("when", ["before the commit arrives", "before the answer arrives"])
def test_while_the_database_is_out_of_reach_a_doubtful_commit_is_not_answered(url: str, wire: Wire, when: str) -> None:
    with hub_on(wire.url, follows=False) as hub:
        make_event(hub.service)
        before = len(stored(url))
        wire.cut_next(when)
        wire.refuse(True)
        doubtful = hub.service.submit([Step("e1", c.SetClock("adjust", 1000))], "organizer")
        wait_until(lambda: wire.cuts, "the cut")
        assert refused(hub.service.execute_one, "e1", c.SetClock("adjust", 1), "organizer") == "not_saved"
        assert hub.service.execute([], "watchdog") == []
        assert not doubtful.done()
        wire.refuse(False)
        made = doubtful.result(PATIENCE_S)
        assert stored(url)[before:] == made
        assert len(made) == 1


def test_a_doubtful_commit_whose_number_another_hub_took_is_decided_again(url: str, wire: Wire) -> None:
    with hub_on(wire.url, follows=False) as slow, hub_on(url, follows=False) as fast:
        make_event(slow.service)
        wire.cut_next("before the commit arrives")
        wire.refuse(True)
        doubtful = slow.service.submit([Step("e1", c.SetClock("adjust", 1000))], "slow")
        wait_until(lambda: wire.cuts, "the cut")
        fast.service.execute_one("e1", c.SetClock("adjust", 5000), "fast")
        wire.refuse(False)
        [entry] = doubtful.result(PATIENCE_S)
        assert [e.actor for e in stored(url)][-2:] == ["fast", "slow"]
        assert entry.data["remaining_ms"] == 75 * 60_000 + 6000


@pytest.mark.parametrize("reports", [30, pytest.param(1000, marks=pytest.mark.long)])
def test_a_cut_by_the_database_itself_in_mid_commit(
    url: str, postgres: Cluster, reports: int, chance: random.Random
) -> None:
    """pg_terminate_backend at every moment there is: what was acknowledged is there, once."""
    with hub_on(url) as hub, psycopg.connect(postgres.url("postgres"), autocommit=True) as saw:
        make_event(hub.service)
        before = len(stored(url))
        made: list[Entry] = []
        problems: set[str] = set()
        cuts = 0
        for n in range(reports):
            under_way = hub.service.submit([Step("e1", report(n))], "unit:table-1")
            for _ in range(chance.randrange(1, 12)):
                cuts += saw.execute(CUT).rowcount
            try:
                made += under_way.result(PATIENCE_S)
            except Problem as problem:
                problems.add(problem.key)
        entries = stored(url)
    assert problems <= {"not_saved"}
    assert cuts > reports / 2
    ids = [entry.data["report_id"] for entry in entries[before:]]
    assert len(ids) == len(set(ids))
    assert [entry for entry in entries[before:] if entry in made] == made


def test_a_hub_whose_database_was_put_back_to_an_older_copy_believes_what_is_stored(url: str) -> None:
    with hub_on(url, follows=False) as hub:
        make_event(hub.service)
        kept = len(stored(url))
        for n in range(3):
            hub.service.execute_one("e1", c.SetClock("adjust", n), "organizer")
        with psycopg.connect(url, autocommit=True) as somebody:
            somebody.execute("DELETE FROM entry WHERE stream = 'e1' AND number > %s", [kept])
        assert hub.service.execute_one("e1", c.SetClock("adjust", 9), "organizer")[0].number == kept + 1
        assert hub.service.snapshot.events["e1"] == fold_entries("e1", stored(url))


# --- clocks ---------------------------------------------------------------------------------------------------------


def test_a_running_round_runs_on_when_the_writer_moves(url: str) -> None:
    clock = HandClock("db:7")
    with hub_on(url, clock) as first:
        make_event(first.service)
        first.service.execute_one("e1", c.SetClock("start"), "organizer")
    clock.ms += 600_000
    with hub_on(url, clock) as second:
        live = second.service.snapshot.events["e1"].clock
        assert live.state == "running"
        assert live.remaining_at(clock.clocks.now()) == 65 * 60_000
