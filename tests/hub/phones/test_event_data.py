"""An event as JSON for other programs: what all phones may see, for any site, cheap to ask for each second."""

import json
from collections.abc import Iterator
from http.client import NOT_MODIFIED, OK
from pathlib import Path
from typing import Any

import pytest
from asgi_client import AsgiClient
from msgspec.structs import replace
from pages_kit import House, open_house

from roundtap_core.event.commands import ChangePerson, DrawRound, FinishEvent, SetClock
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.live.page_cache import CLOCK_PAGE_TTL_MS
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step

ADDRESS = "/e/e1/event.json"
SECRETS = ("SECRET-CLUB", "SECRET-ID", "SECRET-PILOT", "SECRET-NOTE", "SECRET-LINK")


class Hall:
    """A hub, and a program at another site that reads from it."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.client = AsgiClient(HubApplication(house.hub), lifespan=True)

    def get(self, path: str = ADDRESS, **headers: str) -> Any:
        return self.client.get(path, origin="https://overlay.example", **headers)

    def data(self) -> Any:
        answer = self.get()
        assert answer.status_code == OK
        return answer.get_json()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with open_house(tmp_path) as house:
        house.with_event()
        opened = Hall(house)
        yield opened
        opened.client.close()


def names_in(data: Any) -> list[list[tuple[str, str | None]]]:
    """Who sits where, of each round."""
    return [
        [(match["a"]["name"], match["b"] and match["b"]["name"]) for match in played["matches"]]
        for played in data["rounds"]
    ]


def test_a_round_is_there_once_it_is_published_and_no_draft(hall: Hall) -> None:
    hall.house.service.execute_one("e1", DrawRound(11), "test")
    assert hall.house.event.draft
    assert hall.data()["rounds"] == []
    hall.house.publish_draft()
    [played] = hall.data()["rounds"]
    assert (played["number"], played["name"], played["status"], len(played["matches"])) == (1, None, "published", 3)


def test_it_shows_what_the_pages_show(hall: Hall) -> None:
    hall.house.publish()
    before = hall.data()
    assert before["event"] == {"id": "e1", "name": "Winter Open", "rulebook": "xwing-standard", "finished": False}
    assert (before["planned"], before["standings"]["after"], before["final"]) == (2, 0, [])
    hall.house.play()
    data = hall.data()
    assert [match["result"] for match in data["rounds"][0]["matches"]] == [
        {"a": 100, "b": 24, "second": None, "winner": "a", "ended": "played"}
    ] * 3
    pairings, standings = hall.get("/e/e1/pairings").text, hall.get("/e/e1/standings").text
    for a, b in names_in(data)[0]:
        assert a in pairings
        assert str(b) in pairings
    assert data["standings"]["after"] == 1
    places = [standings.index(f">{line['name']}<") for line in data["standings"]["lines"]]
    assert places == sorted(places)
    assert [line["record"] for line in data["standings"]["lines"]] == ["1–0"] * 3 + ["0–1"] * 3


def test_the_final_places_come_with_the_end(hall: Hall) -> None:
    hall.house.publish()
    hall.house.play()
    hall.house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    data = hall.data()
    assert data["event"]["finished"] is True
    assert data["final"][0] == {
        "rank": 1,
        "competitor": data["standings"]["lines"][0]["competitor"],
        "name": data["standings"]["lines"][0]["name"],
        "reached": None,
        "points": "1",
        "record": "1–0",
        "status": None,
    }


def test_nothing_of_lists_notes_and_whole_names_is_in_it(hall: Hall) -> None:
    service = hall.house.service
    person = replace(
        service.snapshot.people_of("e1")["p1"],
        club="SECRET-CLUB",
        external_id="SECRET-ID",
        list={"pilots": ["SECRET-PILOT"]},
        list_link="https://example.com/SECRET-LINK",
        note="SECRET-NOTE",
        paid=True,
    )
    service.execute(
        [Step("e1", ChangePerson("p1", person.digest("salt")))], "test", [PersonRecord("e1", "p1", "salt", person)]
    )
    assert "SECRET-NOTE" in repr(service.snapshot.people_of("e1")["p1"])
    hall.house.publish()
    hall.house.report(hall.house.event.live.matches[0].id, "a", 77, 24)
    text = hall.get().text
    for secret in (*SECRETS, "Wiśniewska", "Ruiz", "77", "note", "paid", "club", "list"):
        assert secret not in text, secret


def test_any_site_may_read_it_and_an_unchanged_event_costs_no_body(hall: Hall) -> None:
    hall.house.publish()
    first = hall.get()
    assert first.headers["access-control-allow-origin"] == "*"
    assert first.headers["content-type"] == "application/json"
    etag = first.headers["etag"]
    hall.house.time.ms += 1500
    again = hall.get(if_none_match=etag)
    assert (again.status_code, again.body) == (NOT_MODIFIED, b"")
    assert again.headers["access-control-allow-origin"] == "*"
    assert int(again.headers["roundtap-now-ms"]) == int(first.headers["roundtap-now-ms"]) + 1500
    assert "roundtap-now-ms" in again.headers["access-control-expose-headers"]
    hall.house.play(leave_open=1)
    assert hall.get(if_none_match=etag).status_code == OK


def test_it_is_the_same_in_every_language_and_with_any_query(hall: Hall) -> None:
    hall.house.publish()
    texts = {hall.get(accept_language=language).text for language in ("en", "pl", "de", "es")}
    assert texts == {hall.get(f"{ADDRESS}?t=17").text}


def test_what_is_left_of_a_round_follows_from_the_hub_s_clock(hall: Hall) -> None:
    hall.house.publish()
    assert hall.data()["clock"]["state"] == "idle"
    hall.house.service.execute_one("e1", SetClock("start"), "test")
    hall.house.time.ms += 60_000
    answer = hall.get()
    clock = answer.get_json()["clock"]
    total = clock["total_ms"]
    assert clock["deadline_ms"] - int(answer.headers["roundtap-now-ms"]) == total - 60_000


def test_that_hidden_minutes_are_over_is_told_within_seconds(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        house.with_event(rulebook="shatterpoint-premier")
        house.publish()
        opened = Hall(house)
        house.service.execute_one("e1", SetClock("start"), "test")
        clock = opened.data()["clock"]
        assert (clock["open_end"], clock["over"]) == (True, False)
        house.time.ms += clock["total_ms"] + 60 * 60_000 + CLOCK_PAGE_TTL_MS
        assert opened.data()["clock"]["over"] is True
        opened.client.close()


def test_archived_it_stays_and_deleted_it_is_gone(hall: Hall) -> None:
    hall.house.publish()
    hall.house.play()
    hall.house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    organizer = hall.house.organizer()
    organizer.post("/console/e1/archive")
    assert names_in(hall.data())
    organizer.post("/console/e1/delete", name="Winter Open")
    answer, none = hall.get(), hall.get("/e/e9/event.json")
    assert (answer.status_code, "Ana" in answer.text, none.status_code) == (410, False, 404)
    assert answer.headers["access-control-allow-origin"] == none.headers["access-control-allow-origin"] == "*"


def test_a_name_is_only_text(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        house.with_event(["<:seen:>", "<script>alert(1)</script>", "Eva Luz", "Kai Eich"], full_names="1")
        house.publish()
        opened = Hall(house)
        text = opened.get().text
        assert "<" not in text
        names = {name for pair in names_in(json.loads(text))[0] for name in pair}
        assert {"<:seen:>", "<script>alert(1)</script>"} <= names
        opened.client.close()
