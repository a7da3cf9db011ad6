"""Events that are put away: archived ones are out of sight, deleted ones have forgotten their people for good."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pages_kit import House, open_house, start_page_needs, text_of
from recorded_reports import record_report

from event_kit import refused
from roundtap_core.errors import Problem
from roundtap_core.event.commands import DropCompetitor, FinishEvent, RemoveCompetitor, ReopenEvent
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.paper.print_jobs import order_proxy
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.print_book import PrintBook
from roundtap_hub.store.read_model import verify_journal
from roundtap_hub.store.service import Step


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as made:
        made.with_event()
        yield made


REPORT = {
    "report_id": "r1",
    "unit": "unit-1",
    "event": "e1",
    "match": "1.1",
    "side": "a",
    "revision": 0,
    "result": {"score": {"a": 100, "b": 24}},
}


def play_to_the_end(house: House) -> None:
    house.publish()
    house.play()
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")


def kinds(house: House) -> list[str]:
    return [entry.kind for entry in house.service.journal.entries(VENUE)]


# --- archiving ---------------------------------------------------------------------------------------------------


def test_an_archived_event_is_listed_apart_and_comes_back(house: House) -> None:
    play_to_the_end(house)
    browser = house.organizer()
    assert "Archived" not in text_of(browser.get("/console"))

    assert browser.post("/console/e1/archive").status_code == 303

    assert "Winter Open" not in text_of(browser.get("/console"))
    assert "Archived (1)" in text_of(browser.get("/console"))
    assert "Winter Open" in text_of(browser.get("/console/archived"))
    assert "Winter Open" not in text_of(house.browser().get("/?lang=en"))
    assert browser.console().status_code == 200
    assert house.browser().get("/e/e1").status_code == 200

    assert browser.post("/console/e1/restore").status_code == 303

    assert "Winter Open" in text_of(browser.get("/console"))
    assert "Winter Open" not in text_of(browser.get("/console/archived"))
    assert kinds(house)[-2:] == ["event-archived", "event-restored"]


def test_an_event_nobody_played_can_be_archived_and_played_after_all(house: House) -> None:
    browser = house.organizer()
    browser.post("/console/e1/archive")
    assert list(house.service.snapshot.dormant) == ["e1"]
    assert house.service.snapshot.events == {}
    browser.post("/console/e1/restore")
    house.publish()
    assert house.event.live


def test_archived_twice_is_archived_once(house: House) -> None:
    browser = house.organizer()
    for _ in range(2):
        browser.post("/console/e1/archive")
    assert kinds(house).count("event-archived") == 1
    for _ in range(2):
        browser.post("/console/e1/restore")
    assert kinds(house).count("event-restored") == 1


def test_while_a_round_is_played_nothing_is_archived(house: House) -> None:
    house.publish()
    browser = house.organizer()
    assert "archive" not in browser.get("/console").text
    answer = browser.post("/console/e1/archive")
    assert answer.status_code == 409
    assert "withdraw the round" in text_of(answer)
    assert house.service.snapshot.venue.archived == frozenset()


def test_an_archived_event_stays_archived_over_a_restart(house: House, tmp_path: Path) -> None:
    house.organizer().post("/console/e1/archive")
    house.service.stop()
    with open_house(tmp_path) as again:
        assert again.service.snapshot.venue.archived == {"e1"}
        assert list(again.service.snapshot.dormant) == ["e1"]
        assert "Winter Open" in text_of(again.organizer().get("/console/archived"))


def test_only_organizers_put_events_away(house: House) -> None:
    play_to_the_end(house)
    stranger = house.browser()
    stranger.get("/login")
    for path in ("archive", "restore", "delete"):
        assert stranger.post(f"/console/e1/{path}", name="Winter Open").headers["Location"].startswith("/login")
    assert stranger.get("/console/archived").status_code == 302
    assert kinds(house) == ["epoch-begun", "event-begun", "people-known"]


def test_the_next_event_never_gets_the_id_of_one_that_was_put_away(house: House) -> None:
    play_to_the_end(house)
    browser = house.organizer()
    browser.post("/console/e1/delete", name="Winter Open")
    browser.post("/console", name="Second", rulebook="xwing-standard", color="#00785A", level="relaxed")
    assert house.service.snapshot.events["e2"].name == "Second"


# --- deleting ----------------------------------------------------------------------------------------------------


def test_deleting_says_what_it_does_and_wants_the_name(house: House) -> None:
    play_to_the_end(house)
    browser = house.organizer()
    said = browser.get("/console/e1/delete")
    assert "You cannot undo this" in text_of(said)
    assert "/console/e1/export.json" in said.text
    wrong = browser.post("/console/e1/delete", name="Winter Opn")
    assert wrong.status_code == 400
    assert "“Winter Opn” is not the event's name" in text_of(wrong)
    assert house.service.snapshot.people["e1"]


def test_what_is_neither_finished_nor_archived_is_not_deleted(house: House) -> None:
    browser = house.organizer()
    shown = browser.get("/console/e1/delete")
    assert shown.status_code == 409
    assert "Finish or archive it" in text_of(shown)
    assert 'name="name"' not in shown.text
    answer = browser.post("/console/e1/delete", name="Winter Open")
    assert answer.status_code == 409
    assert "Finish or archive it" in text_of(answer)
    assert house.service.snapshot.venue.deleted == frozenset()
    browser.post("/console/e1/archive")
    assert browser.post("/console/e1/delete", name=" winter open ").status_code == 303


@pytest.mark.parametrize("restarted", [False, True])
def test_a_deleted_event_has_no_pages_and_no_people(house: House, tmp_path: Path, restarted: bool) -> None:
    play_to_the_end(house)
    house.organizer().post("/console/e1/delete", name="Winter Open")
    if restarted:
        house.service.stop()
        house = House(tmp_path)
        house.service.start()
    browser = house.organizer()
    for path in ("/e/e1", "/e/e1/p/p1", "/e/e1/standings", "/e/e1/pairings", "/wall/e1"):
        answer = house.browser().get(path)
        assert (path, answer.status_code) == (path, 410)
        assert "was deleted" in text_of(answer)
    for path in ("/console/e1", "/console/e1/export.json", "/console/e1/standings.csv", "/console/e1/delete"):
        assert (path, browser.get(path).status_code) == (path, 410)
    assert "Winter Open" not in text_of(browser.get("/console"))
    assert house.service.snapshot.people_of("e1") == {}
    assert house.service.journal.people() == {}
    house.service.stop()


def test_an_event_that_lay_open_on_the_shelf_forgets_its_people_at_once(house: House) -> None:
    browser = house.organizer()
    browser.post("/console/e1/archive")
    assert house.service.snapshot.people_of("e1")
    assert browser.post("/console/e1/delete", name="Winter Open").status_code == 303
    assert house.service.snapshot.people_of("e1") == {}
    assert "Ana" not in str(house.service.snapshot.names_of("e1"))


def test_nobody_s_name_is_left_in_the_files(house: House, tmp_path: Path) -> None:
    play_to_the_end(house)
    browser = house.organizer()
    browser.post("/console", name="Second", rulebook="xwing-standard", color="#00785A", level="relaxed")
    browser.post("/console/e2/competitors", names="Zoe Quartz\nIgor Feld")
    browser.post("/console/e1/delete", name="Winter Open")
    house.service.stop()
    raw = b"".join(path.read_bytes() for path in tmp_path.glob("roundtap.db*"))
    for name in ("Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Szczepańska"):
        assert name.encode() not in raw, name
    assert b"Zoe Quartz" in raw
    assert b"Winter Open" in raw


def test_the_chain_of_a_deleted_event_still_holds(house: House, tmp_path: Path) -> None:
    play_to_the_end(house)
    before = list(house.service.journal.entries("e1"))
    house.organizer().post("/console/e1/delete", name="Winter Open")
    house.service.snapshotter.snapshot_due()
    assert list(house.service.journal.entries("e1")) == before
    house.service.stop()
    journal = Journal(f"sqlite:///{tmp_path / 'roundtap.db'}", read_only=True)
    looked = {found.stream: found for found in verify_journal(journal)}
    assert looked["e1"].wrong == []
    assert (looked["e1"].deleted, looked["e1"].people) == (True, 0)


def test_people_that_came_back_into_a_deleted_event_are_noticed(house: House, tmp_path: Path) -> None:
    play_to_the_end(house)
    with sqlite3.connect(tmp_path / "roundtap.db") as copy:
        rows = copy.execute("SELECT * FROM person").fetchall()
    house.organizer().post("/console/e1/delete", name="Winter Open")
    house.service.stop()
    with sqlite3.connect(tmp_path / "roundtap.db") as restored:
        restored.executemany("INSERT INTO person VALUES (?, ?, ?, ?)", rows)
    wrong = [
        problem.key
        for found in verify_journal(Journal(f"sqlite:///{tmp_path / 'roundtap.db'}", read_only=True))
        for problem in found.wrong
    ]
    assert wrong == ["people_not_forgotten"]


def test_units_still_learn_what_became_of_their_reports(house: House) -> None:
    house.publish()
    house.place("unit-1", 1)
    told = record_report(house.hub.service, REPORT)
    house.play()
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    house.organizer().post("/console/e1/delete", name="Winter Open")
    assert record_report(house.hub.service, REPORT) == told
    late = record_report(house.hub.service, {**REPORT, "report_id": "r2"})
    assert (late["fate"], late["reason"]) == ("refused", "late")


def test_a_late_report_of_an_archived_event_stands_on_the_start_page(house: House, tmp_path: Path) -> None:
    house.publish()
    house.place("unit-1", 1)
    house.play()
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    house.organizer().post("/console/e1/archive")
    assert start_page_needs(house.organizer()) == ""
    record_report(house.hub.service, REPORT)
    assert "Action needed 1 Winter Open Reports after closing: 1" in start_page_needs(house.organizer())
    house.service.snapshotter.snapshot_due()
    house.service.stop()
    with open_house(tmp_path) as again:
        assert "Winter Open Reports after closing: 1" in start_page_needs(again.organizer())


def test_nothing_else_can_be_asked_of_a_deleted_event(house: House) -> None:
    play_to_the_end(house)
    house.organizer().post("/console/e1/delete", name="Winter Open")
    for command in (ReopenEvent(), DropCompetitor("p1")):
        with refused("event_deleted"):
            house.service.execute_one("e1", command, "test")
    with pytest.raises(Problem, match="e1"):
        house.service.execute([Step(VENUE, NewEntry("event-archived", {"event": "e1"}))], "x")


def test_papers_of_a_deleted_event_are_forgotten(house: House, tmp_path: Path) -> None:
    """Names stand on them, and an official's on what stands for a damaged card."""
    play_to_the_end(house)
    with closing(PrintBook(f"sqlite:///{tmp_path / 'roundtap.db'}")) as book:
        book.order(order_proxy(house.event, "Ace of Cups", "Ofelia Proxy", "2026-11-21", "t1"))
        book.forget("e1")
        assert book.orders == []
    with closing(PrintBook(f"sqlite:///{tmp_path / 'roundtap.db'}")) as again:
        assert again.orders == []
    with sqlite3.connect(tmp_path / "roundtap.db") as connection:
        assert connection.execute("SELECT count(*) FROM print_text").fetchone() == (0,)


def test_the_chain_holds_when_an_entry_was_taken_out_and_nothing_of_the_person_is_left(
    house: House,
    tmp_path: Path,
) -> None:
    house.with_event()
    house.service.execute_one("e1", RemoveCompetitor("p3"), "organizer")
    house.service.stop()
    with closing(Journal(f"sqlite:///{tmp_path / 'roundtap.db'}", read_only=True)) as journal:
        looked = {found.stream: found for found in verify_journal(journal)}
        assert looked["e1"].wrong == []
        assert (looked["e1"].people, "p3" in journal.people()["e1"]) == (5, False)
        assert journal.rough_summary("e1", journal.head("e1")).players == 5
