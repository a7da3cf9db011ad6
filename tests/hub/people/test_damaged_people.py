"""People are checked like entries: no hub starts with a row emptied, moved or missing. What is lost stays a gap."""

import html
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hub_kit import event_steps, make_event, people, running, url_of
from pages_kit import PEOPLE, open_house, problem_of

from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry, Person
from roundtap_core.typed import fits_line
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.store.event_cache import DormantEvents
from roundtap_hub.store.journal import Journal, PersonRecord
from roundtap_hub.store.models import is_damaged, placeholder, stored_person
from roundtap_hub.store.service import Service, Step
from roundtap_hub.store.snapshots import summary_of
from roundtap_hub.store.venue import EVENT_ARCHIVED, EVENT_DELETED

DAMAGED: list[Any] = [
    "",
    "{",
    "null",
    "7",
    "[]",
    '"Ana"',
    "{}",
    '{"name": 7}',
    '{"name": null}',
    '{"name": "Ana", "list": 7}',
    '{"name": "Ana", "members": "AB"}',
    '{"name": "Ana", "members": [1]}',
    '{"name": "Ana", "what": 1}',
    '{"name": "Ana", "club": ["x"]}',
    '{"public_name": "Ana"}',
    "[" * 100_000,
    b"\xff\xfe\x00",
    b"\x00" * 50,
    b"",
    '{"name": "Łukasz"}'.encode("utf-16"),
    '{"name": "Łukasz"}'.encode("iso-8859-2"),
    7,
    1.5,
]

MOVED = {
    "to another competitor": ("UPDATE person SET competitor = 'p9' WHERE competitor = 'p3'", "p3"),
    "to another event": ("UPDATE person SET event = 'e2' WHERE competitor = 'p2'", "p2"),
    "nowhere": ("DELETE FROM person WHERE competitor IN ('p1', 'p2')", "p1, p2"),
    "all of them": ("DELETE FROM person", "p1, p2, p3, p4"),
    "one for another": ("UPDATE person SET data = (SELECT data FROM person WHERE competitor = 'p1')", "p2, p3, p4"),
}


def spoil(folder: Path, data: object, competitor: str = "p3") -> None:
    """What a failing card or a stranger's tool leaves in the file; bytes as text that is none."""
    with sqlite3.connect(folder / "roundtap.db") as database:
        value = "CAST(? AS TEXT)" if isinstance(data, bytes) else "?"
        database.execute(f"UPDATE person SET data = {value} WHERE event = 'e1' AND competitor = ?", (data, competitor))


def by_hand(folder: Path, statement: str) -> None:
    with sqlite3.connect(folder / "roundtap.db") as database:
        assert database.execute(statement).rowcount


def refusal(folder: Path) -> Problem:
    with pytest.raises(Problem) as refused, running(folder / "roundtap.db"):
        pass
    assert refused.value.key == "people_wrong"
    for language in LANGUAGES:
        text = refused.value.say(core_words(language))
        for said in ("Winter Open", "(e1)", "roundtap recover", str(refused.value.params["who"])):
            assert said in text
    return refused.value


@pytest.mark.parametrize("data", DAMAGED, ids=[repr(data)[:20] for data in DAMAGED])
def test_no_hub_starts_with_a_row_that_is_nobody_s(tmp_path: Path, data: Any) -> None:
    with running(tmp_path / "roundtap.db") as service:
        make_event(service)
    spoil(tmp_path, data)
    assert refusal(tmp_path).params["who"] == "p3"


@pytest.mark.parametrize("where", MOVED)
def test_no_hub_starts_with_a_row_that_was_moved(tmp_path: Path, where: str) -> None:
    with running(tmp_path / "roundtap.db") as service:
        make_event(service)
    statement, who = MOVED[where]
    by_hand(tmp_path, statement)
    assert refusal(tmp_path).params["who"] == who


def test_of_many_the_first_ten_are_named(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        house.with_event([f"Player {n}" for n in range(40)])
    by_hand(tmp_path, "DELETE FROM person")
    with pytest.raises(Problem) as refused, running(tmp_path / "roundtap.db"):
        pass
    assert refused.value.params["n"] == 40
    assert str(refused.value.params["who"]).count(",") == 9


def test_who_was_taken_out_and_whose_event_was_deleted_is_not_missed(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        house.with_event(PEOPLE)
        house.service.execute_one("e1", c.RemoveCompetitor("p3"), "organizer")
    with open_house(tmp_path) as house:
        assert "p3" not in house.service.snapshot.people["e1"]
        for kind in (EVENT_ARCHIVED, EVENT_DELETED):
            house.service.execute([Step(VENUE, NewEntry(kind, {"event": "e1"}))], "organizer")
    with open_house(tmp_path) as house:
        assert house.service.snapshot.people_of("e1") == {}


def test_an_event_at_rest_is_checked_when_somebody_opens_it(tmp_path: Path) -> None:
    with running(tmp_path / "roundtap.db") as service:
        service.execute(event_steps(), "organizer", people())
        service.execute([Step(VENUE, NewEntry(EVENT_ARCHIVED, {"event": "e1"}))], "organizer")
    spoil(tmp_path, "{}")
    with running(tmp_path / "roundtap.db") as service:
        assert "e1" in service.snapshot.dormant
        with pytest.raises(Problem) as refused:
            service.snapshot.event("e1")
    assert (refused.value.key, refused.value.params["who"]) == ("people_wrong", "p3")


def rename(service: Service) -> None:
    person = Person("Ana María Ruiz")
    service.execute_one(
        "e1", c.ChangePerson("p1", person.digest("salt")), "organizer", [PersonRecord("e1", "p1", "salt", person)]
    )


def test_who_is_renamed_while_the_event_is_opened_is_nobody_else(tmp_path: Path) -> None:
    """The people are read after the entries, and a commit may come in between."""
    with running(tmp_path / "roundtap.db") as service, closing(Journal(url_of(tmp_path / "roundtap.db"))) as journal:
        before = summary_of(make_event(service))
        rename(service)
        assert DormantEvents(journal).read(before).people["p1"].name == "Ana María Ruiz"
        spoil(tmp_path, "{}", "p1")
        with pytest.raises(Problem):
            DormantEvents(journal).read(summary_of(service.snapshot.events["e1"]))


def house_without_p3(folder: Path) -> None:
    """As it is recovered where nothing is left of one of them."""
    with open_house(folder) as house:
        house.with_event(PEOPLE)
        house.service.journal.append([], [PersonRecord("e1", "p3", "", placeholder("p3"))])


def test_the_console_says_so_and_the_name_is_entered_anew(tmp_path: Path) -> None:
    house_without_p3(tmp_path)
    with open_house(tmp_path) as house:
        browser = house.organizer()
        console = html.unescape(browser.console().text)
        assert "Damaged in the journal: p3 (data damaged)" in console
        assert all(name in console for name in PEOPLE if name != PEOPLE[2])
        house.publish()
        assert len(house.event.rounds) == 1
        browser.post("/console/e1/competitors/p3/details", name="Łukasz Żak", public_name="p3 (data damaged)")
        assert house.service.snapshot.people["e1"]["p3"] == Person("Łukasz Żak")
        assert "Damaged in the journal" not in html.unescape(browser.console().text)
    with open_house(tmp_path) as house:
        assert house.service.snapshot.people["e1"]["p3"] == Person("Łukasz Żak")


def test_the_stand_in_is_never_put_on_record_as_a_name(tmp_path: Path) -> None:
    house_without_p3(tmp_path)
    before = stored_data(tmp_path)
    with open_house(tmp_path) as house:
        browser = house.organizer()
        page = browser.get("/console/e1/competitor/p3/list")
        seen = page.text.split('name="seen" value="')[1].split('"')[0]
        answer = browser.post("/console/e1/competitor/p3/list", seen=seen, faction="Rebel")
        assert "First enter the name again" in problem_of(answer)
    assert stored_data(tmp_path) == before


def stored_data(folder: Path) -> object:
    with sqlite3.connect(folder / "roundtap.db") as database:
        return database.execute("SELECT data FROM person WHERE competitor = 'p3'").fetchone()[0]


@pytest.mark.parametrize("name", ["Ana\u202eRuiz", "Ana\x1b[2J", "a\nb", "\u200b", "Ana\u2028", "Ana\u200f"])
def test_names_from_before_the_limits_load_and_are_shown_harmlessly(tmp_path: Path, name: str) -> None:
    person = stored_person("p3", "", json.dumps({"name": name, "club": name, "members": [name, "B"]})).person
    assert not is_damaged("p3", person)
    assert all(map(fits_line, (person.name, person.club or "", *person.members)))
    with open_house(tmp_path) as house:
        house.with_event(PEOPLE)
        older = PersonRecord("e1", "p3", "salt", Person(name))
        house.service.execute_one("e1", c.ChangePerson("p3", older.person.digest("salt")), "organizer")
        house.service.journal.append([], [older])
    with open_house(tmp_path) as house:
        house.publish()
        for path in ("/console/e1", "/e/e1", "/e/e1/standings"):
            page = house.organizer().get(path)
            assert page.status_code in (200, 404), path
            assert not set("\u202e\x1b\u200b\u2028\u200f") & set(html.unescape(page.text)), path
