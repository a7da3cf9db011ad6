"""A damaged row of the table `person` costs one name: the hub starts, says so in one line, and the rest works."""

from __future__ import annotations

import html
import json
import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hub_kit import make_event, running
from pages_kit import PEOPLE, House, open_house, problem_of

from roundtap_core.event.person import Person
from roundtap_core.limits import fits_line
from roundtap_hub.store.person_rows import is_damaged, person_of

DAMAGED: list[Any] = [
    "", "{", "null", "7", "[]", '"Ana"', "{}", '{"name": 7}', '{"name": null}', '{"name": "Ana", "list": 7}',
    '{"name": "Ana", "members": "AB"}', '{"name": "Ana", "members": [1]}', '{"name": "Ana", "what": 1}',
    '{"name": "Ana", "club": ["x"]}', '{"public_name": "Ana"}', "[" * 100_000, b"\xff\xfe\x00", b"\x00" * 50, b"",
    '{"name": "Łukasz"}'.encode("utf-16"), '{"name": "Łukasz"}'.encode("iso-8859-2"), 7, 1.5,
]


def spoil(folder: Path, data: object, competitor: str = "p3") -> None:
    """What a failing card or a stranger's tool leaves in the file; bytes as text that is none."""
    with sqlite3.connect(folder / "roundtap.db") as database:
        value = "CAST(? AS TEXT)" if isinstance(data, bytes) else "?"
        database.execute(f"UPDATE person SET data = {value} WHERE event = 'e1' AND competitor = ?", (data, competitor))


@pytest.mark.parametrize("data", DAMAGED, ids=[repr(data)[:20] for data in DAMAGED])
def test_whatever_lies_there_the_hub_starts_with_the_rest(
    tmp_path: Path, data: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with running(tmp_path / "roundtap.db") as service:
        make_event(service)
        before = service.snapshot
    spoil(tmp_path, data)
    with caplog.at_level(logging.ERROR), running(tmp_path / "roundtap.db") as service:
        people = service.snapshot.people["e1"]
        assert {who: people[who] for who in ("p1", "p2", "p4")} == {
            who: before.people["e1"][who] for who in ("p1", "p2", "p4")}
        assert is_damaged("p3", people["p3"])
        assert service.snapshot.names["e1"]["p3"] == "p3 (data damaged)"
        assert service.snapshot.events == before.events
    assert [record.getMessage().split(" is damaged")[0] for record in caplog.records] == [
        "event e1: what is known of 'p3'"]


def test_many_damaged_rows_are_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with running(tmp_path / "roundtap.db") as service:
        make_event(service)
    for number in range(1, 5):
        spoil(tmp_path, "{", f"p{number}")
    with sqlite3.connect(tmp_path / "roundtap.db") as database:
        database.executemany("INSERT INTO person VALUES ('e1', ?, '', '{')", [(f"q{n}",) for n in range(1000)])
    with caplog.at_level(logging.ERROR), running(tmp_path / "roundtap.db"):
        pass
    assert len(caplog.records) == 1
    assert len(caplog.records[0].getMessage()) < 400


def house_with(folder: Path, data: object) -> None:
    with open_house(folder) as house:
        house.with_event(PEOPLE)
    spoil(folder, data)


def test_the_console_says_so_and_the_name_is_entered_anew(tmp_path: Path) -> None:
    house_with(tmp_path, "{")
    with open_house(tmp_path) as house:
        browser = house.organizer()
        console = html.unescape(browser.get("/console/e1").text)
        assert "Damaged in the journal: p3 (data damaged)" in console
        assert all(name in console for name in PEOPLE if name != PEOPLE[2])
        house.publish()
        assert len(house.event.rounds) == 1
        browser.post("/console/e1/competitors/p3/rename", name="Łukasz Żak", public_name="p3 (data damaged)")
        assert house.service.snapshot.people["e1"]["p3"] == Person("Łukasz Żak")
        assert "Damaged in the journal" not in html.unescape(browser.get("/console/e1").text)
    with open_house(tmp_path) as house:
        assert house.service.snapshot.people["e1"]["p3"] == Person("Łukasz Żak")


@pytest.mark.parametrize("data", DAMAGED[:3])
def test_the_stand_in_is_never_put_on_record_as_a_name(tmp_path: Path, data: Any) -> None:
    house_with(tmp_path, data)
    with open_house(tmp_path) as house:
        browser = house.organizer()
        page = browser.get("/console/e1/competitor/p3/list")
        seen = page.text.split('name="seen" value="')[1].split('"')[0]
        answer = browser.post("/console/e1/competitor/p3/list", seen=seen, faction="Rebel")
        assert "first enter the name again" in problem_of(answer)
        assert _stored(house, tmp_path) == data


def _stored(house: House, folder: Path) -> object:
    with sqlite3.connect(folder / "roundtap.db") as database:
        return database.execute("SELECT data FROM person WHERE competitor = 'p3'").fetchone()[0]


@pytest.mark.parametrize("name", ["Ana\u202eRuiz", "Ana\x1b[2J", "a\nb", "\u200b", "Ana\u2028", "Ana\u200f"])
def test_names_from_before_the_limits_load_and_are_shown_harmlessly(tmp_path: Path, name: str) -> None:
    person = person_of("p3", json.dumps({"name": name, "club": name, "members": [name, "B"]}))
    assert not is_damaged("p3", person)
    assert all(map(fits_line, (person.name, person.club or "", *person.members)))
    house_with(tmp_path, json.dumps({"name": name}))
    with open_house(tmp_path) as house:
        house.publish()
        for path in ("/console/e1", "/e/e1", "/e/e1/standings"):
            page = house.organizer().get(path)
            assert page.status_code in (200, 404), path
            assert not set("\u202e\x1b\u200b\u2028\u200f") & set(html.unescape(page.text)), path
