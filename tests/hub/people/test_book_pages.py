"""The pages of the people: found by any spelling, joined, parted, and forgotten on every page."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages_kit import Browser, House, open_house, text_of

from roundtap_core.event.commands import FinishEvent
from roundtap_core.event.entries import VENUE, NewEntry, Person
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.page_cache import HubNow, version_of
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.print_book import PrintBook, PrintJob
from roundtap_hub.store.service import Step

ANA, LONG, LUKASZ = "Ana Ruiz", "Aleksandra Wiśniewska-Szczepańska", "Łukasz Żak"
GONE = "Player 2 (forgotten)"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """One event is over."""
    with open_house(tmp_path) as made:
        made.with_event([ANA, LONG, LUKASZ, "Eva Luz"])
        made.publish()
        made.play()
        made.service.execute_one("e1", FinishEvent("the hall closes"), "test")
        yield made


def another_event(house: House, *people: str) -> str:
    """The id of one more event with these players."""
    browser = house.organizer()
    browser.post("/console", name="Tonight", color="#00785A", rulebook="xwing-standard", level="relaxed")
    event_id = house.service.snapshot.ids[-1]
    browser.post(f"/console/{event_id}/competitors", names="\n".join(people))
    return event_id


def page_of(house: House, name: str) -> str:
    [found] = [each.id for each in house.service.snapshot.known_people() if each.person.name == name]
    return f"/console/people/{found}"


def import_file(browser: Browser, data: dict[str, Any]) -> None:
    answer = browser.post("/console/import", file=(io.BytesIO(json.dumps(data).encode()), "event.json"))
    assert answer.status_code == 303, text_of(answer)


def listed(page: str) -> list[str]:
    return re.findall(r'<a href="/console/people/[0-9a-f]{12}"><b>([^<]+)</b>', page)


def test_a_finished_event_s_players_are_listed_by_name_and_found_by_what_is_typed(house: House) -> None:
    browser = house.organizer()
    page = browser.get("/console/people")
    assert listed(page.text) == [LONG, ANA, "Eva Luz", LUKASZ]
    assert "1 event" in text_of(page)
    assert listed(browser.get("/console/people?q=lukasz").text) == [LUKASZ]
    nothing = browser.get("/console/people?q=zzz")
    assert (listed(nothing.text), "Nothing found" in text_of(nothing)) == ([], True)


def test_only_organizers_see_them(house: House) -> None:
    path = page_of(house, ANA)
    for reader in (house.staff("judge"), house.staff("scorekeeper", "Kai"), house.browser()):
        for each in ("/console/people", path):
            answer = reader.get(each)
            assert (answer.status_code in (302, 403), ANA in answer.text) == (True, False)


def test_two_spellings_are_joined_and_parted_again(house: House) -> None:
    event_id = another_event(house, "Anna Ruiz-Maier", "Kai Eich")
    house.organizer().post(f"/console/{event_id}/archive")
    browser, other = house.organizer(), page_of(house, "Anna Ruiz-Maier").rpartition("/")[2]
    path = page_of(house, ANA)
    answer = browser.post(f"{path}/join", other=other)
    assert (answer.status_code, answer.headers["Location"]) == (303, path)
    assert "Both are one person now" in browser.said(path)
    page = browser.get(path)
    assert "2 events" in text_of(page)
    assert listed(browser.get("/console/people?q=ana ruiz").text) == ["Anna Ruiz-Maier"], "by the older spelling too"
    assert browser.get(f"/console/people/{other}").status_code == 404

    seat = rf'value="{event_id}"><input type="hidden" name="competitor" value="(p[0-9]+)"'
    [competitor] = re.findall(seat, page.text)
    assert browser.post(f"{path}/part", event=event_id, competitor=competitor).status_code == 303
    assert "now belongs to a separate person" in browser.said(path)
    assert sorted(listed(browser.get("/console/people").text))[:3] == [LONG, ANA, "Anna Ruiz-Maier"]


def test_two_of_one_event_are_not_joined(house: House) -> None:
    before = house.service.snapshot
    answer = house.organizer().post(f"{page_of(house, ANA)}/join", other=page_of(house, LONG).rpartition("/")[2])
    assert (answer.status_code, house.service.snapshot) == (409, before)
    assert "Both played in the same event" in text_of(answer)


def test_a_person_is_forgotten_once_the_name_is_typed(house: House, tmp_path: Path) -> None:
    house.hub.paper = PrintBook(f"sqlite:///{tmp_path / 'roundtap.db'}")
    whole = PersonRecord("e1", "p2", "s", Person(LONG, club="Klub Żubr", external_id="4711"))
    house.service.execute([], "test", [whole])
    browser, path, token = house.organizer(), page_of(house, LONG), house.hub.access.links.path("e1", "p2")
    phone = house.browser()
    seen = ["/e/e1/standings", "/console/e1/standings", "/console/e1/standings.csv", "/console/e1/export.json", token]
    assert all("Aleksandra" in phone_or(browser, phone, each).text for each in seen)

    house.hub.paper.order(PrintJob("e1/words/1", "e1", "words", 1, text=LONG))

    wrong = browser.post(f"{path}/forget", name="Aleksandra")
    assert wrong.status_code == 400
    assert "“Aleksandra” is not this person's name" in text_of(wrong)
    assert browser.post(f"{path}/forget", name=LONG.upper()).headers["Location"] == "/console/people"
    assert "The person is forgotten." in browser.said("/console/people")

    for each in seen[:-1]:
        text = phone_or(browser, phone, each).text
        assert (GONE in text, "Aleksandra" in text, "4711" in text, "ubr" in text) == (True, False, False, False), each
    assert phone.get(token).status_code == 410
    assert house.hub.paper.orders == []
    assert browser.get(path).status_code == 404
    assert listed(browser.get("/console/people").text) == [ANA, "Eva Luz", LUKASZ]
    last = list(house.service.journal.entries(VENUE))[-1]
    assert (last.kind, last.data["seats"]) == ("person-forgotten", [["e1", "p2"]])
    refused = house.service.submit([], "test", [PersonRecord("e1", "p2", "s", Person(LONG))]).exception()
    assert getattr(refused, "key", "") == "person_forgotten"


def phone_or(browser: object, phone: object, path: str) -> object:
    return (browser if path.startswith("/console") else phone).get(path)  # type: ignore[attr-defined]


def test_who_plays_right_now_is_not_forgotten_whatever_id_the_seat_has_yet(house: House) -> None:
    browser = house.organizer()
    another_event(house, ANA, "Kai Eich")
    before = house.service.snapshot
    answer = browser.post(f"{page_of(house, ANA)}/forget", name=ANA)
    assert (answer.status_code, house.service.snapshot) == (409, before)
    assert "plays in “Tonight”, which is still active" in text_of(answer)
    assert browser.post(f"{page_of(house, LONG)}/forget", name=LONG).status_code == 303


def test_the_kept_pages_of_an_event_at_rest_are_drawn_anew(house: House) -> None:
    browser, path = house.organizer(), page_of(house, LONG)
    browser.post("/console/e1/archive")
    browser.post(f"/console/{another_event(house, ANA)}/archive")

    def versions() -> list[str]:
        now = HubNow(house.hub, house.service.snapshot, {})
        return [version_of(now, PageKey(kind, event)) for kind, event in (("standings", "e1"), ("pairings", "e1"))]

    before = versions()
    assert "none" not in before
    assert list(house.service.snapshot.dormant) == ["e1", "e2"]
    assert versions() == before
    browser.post(f"{path}/forget", name=LONG)
    assert list(house.service.snapshot.dormant) == ["e1", "e2"]
    assert not set(versions()) & set(before)
    assert "Aleksandra" not in house.browser().get("/e/e1/standings").text


def test_a_restored_hub_says_of_when_its_copy_is(house: House) -> None:
    restored = {"from": {}, "at": "2026-11-30T09:00:00", "made_at": "2026-11-27T18:30:12"}
    house.service.execute([Step(VENUE, NewEntry("epoch-begun", {"epoch": "second", "restored": restored}))], "recover")
    for path in ("/console/people", "/console/restored"):
        assert "restored from a copy of 2026-11-27 18:30 UTC" in text_of(house.organizer().get(path)), path


def test_the_players_of_an_event_file_that_is_over_are_known_with_or_without_ids_of_persons(house: House) -> None:
    browser = house.organizer()
    data = json.loads(browser.get("/console/e1/export.json").text)
    for number, competitor in enumerate(data["competitors"], start=1):
        if number > 1:
            del competitor["person"]
        competitor |= {"name": f"Guest {number}", "public_name": f"G. {number}"}
    import_file(browser, data)
    assert house.service.snapshot.unread_events() == []
    names = {each.person.name: each.seats for each in house.service.snapshot.known_people()}
    assert [names[f"Guest {n}"] for n in (1, 2, 3, 4)] == [
        (("e1", "p1"), ("e2", "p1")),
        *((("e2", f"p{n}"),) for n in (2, 3, 4)),
    ]


def test_who_was_an_official_of_the_event_too_is_forgotten_there_as_well(house: House) -> None:
    event_id, browser = another_event(house, ANA, LONG, LUKASZ, "Eva Luz"), house.organizer()
    told = [("Zoe Org", "organizer", ""), ("Ala Szcz.", "judge", "p2"), (LONG.upper(), "judge", ""), (ANA, "judge", "")]
    for name, role, plays in told:
        browser.post(f"/console/{event_id}/officials", name=name, role=role, plays=plays, second="1")
    browser.post(f"/console/{event_id}/archive")
    form = text_of(browser.get(page_of(house, LONG)))
    assert "Files in other places stay. So do the names of team members and staff." in form
    browser.post(f"{page_of(house, LONG)}/forget", name=LONG)
    people = house.service.snapshot.people_of(event_id)
    officials = ["Zoe Org", "Player o2 (forgotten)", "Player o3 (forgotten)", ANA]
    assert [people[who].name for who in ("p2", "o1", "o2", "o3", "o4")] == [GONE, *officials]
    assert house.service.journal.people([event_id])[event_id] == people
    last = list(house.service.journal.entries(VENUE))[-1]
    seats = [["e1", "p2"], [event_id, "p2"], [event_id, "o2"], [event_id, "o3"]]
    assert (last.kind, last.data["seats"]) == ("person-forgotten", seats)


def test_who_was_forgotten_before_an_event_came_here_is_nobody_in_the_book_and_its_leagues(house: House) -> None:
    browser = house.organizer()
    browser.post(f"{page_of(house, LONG)}/forget", name=LONG)
    import_file(browser, json.loads(browser.get("/console/e1/export.json").text))
    assert listed(browser.get("/console/people").text) == [ANA, "Eva Luz", LUKASZ]
    assert house.service.snapshot.unread_events() == []
    browser.post("/console/leagues", name="Autumn", event=["e1", "e2"])
    [league] = house.service.snapshot.venue.leagues
    table = browser.get(f"/console/leagues/{league}/table.csv").text
    assert (len(table.splitlines()), "forgotten" in table) == (4, False)


def test_who_is_forgotten_and_comes_by_an_older_event_file_is_a_new_person(house: House) -> None:
    browser, before = house.organizer(), page_of(house, LONG)
    older = json.loads(browser.get("/console/e1/export.json").text)
    browser.post(f"{before}/forget", name=LONG)
    import_file(browser, older)
    assert page_of(house, LONG) != before
    assert listed(browser.get("/console/people").text) == [LONG, ANA, "Eva Luz", LUKASZ]


def test_one_number_in_two_games_is_two_people(house: House) -> None:
    house.service.execute([], "test", [PersonRecord("e1", "p1", "s", Person(ANA, external_id="1234"))])
    browser = house.organizer()
    data = json.loads(browser.get("/console/e1/export.json").text)
    zoe, ania = ({"id": "p1", "name": name, "external_id": "1234"} for name in ("Zoe Other", "Ania Ruiz"))
    for rulebook, player in (("keyforge-archon", zoe), (data["rulebook"], ania)):
        tonight = {"format": data["format"], "name": "Tonight", "rulebook": rulebook, "competitors": [player]}
        import_file(browser, tonight)
        browser.post(f"/console/{house.service.snapshot.ids[-1]}/archive")
    seats = {each.person.name: each.seats for each in house.service.snapshot.known_people()}
    assert (seats["Zoe Other"], seats["Ania Ruiz"]) == ((("e2", "p1"),), (("e1", "p1"), ("e3", "p1")))
