"""The console's page of units: a key is made and shown once, replaced, revoked at once; what is odd is told."""

import asyncio
import json
import re

import pytest
from hub_kit import hello_of, opened_hello
from pages_kit import House, problem_of, text_of

from roundtap_core.words import LANGUAGES
from roundtap_hub.access.unit_keys import FLOOD, FORGED, TWIN
from roundtap_hub.units.device_feed import DeviceFeed
from roundtap_hub.units.units import IDENTIFY

UNITS = "/console/units"


def test_a_unit_is_added_and_its_key_stands_on_the_answer_this_once(house: House) -> None:
    browser = house.organizer()
    answer = browser.post(f"{UNITS}/add", unit="table-12", role="table")
    key = house.hub.units.keys["table-12"]
    assert f'unit = "table-12"\nkey = "{key.hex()}"' in answer.text.replace("&#34;", '"')
    assert house.hub.units.keys.role("table-12") == "table"
    assert f'data-address="{UNITS}"' in answer.text, "to load it again presses no button"
    again = browser.get(UNITS)
    assert "table-12" in text_of(again)
    assert key.hex() not in again.text


def test_a_station_s_key_is_one_whatever_its_name(house: House) -> None:
    house.organizer().post(f"{UNITS}/add", unit="hall-printer", role="station")
    assert house.hub.units.keys.role("hall-printer") == "station"


def test_who_cannot_stand_at_a_table_is_not_offered_one(house: House) -> None:
    browser = house.with_event()
    before = text_of(browser.console())
    for unit, role in (("hall-printer", "station"), ("standby-1", "standby")):
        browser.post(f"{UNITS}/add", unit=unit, role=role)
    assert "2 units" in before
    assert "2 units" in text_of(browser.console())
    placed = text_of(browser.get("/console/e1/units"))
    assert "unit-1" in placed
    assert "hall-printer" not in placed
    assert "standby-1" not in placed


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"unit": "Tisch 1", "role": "table"}, "is not a valid unit name"),
        ({"unit": ""}, "is not a valid unit name"),
        ({"unit": "unit-1", "role": "table"}, "already"),
        ({"unit": "table-9", "role": "judge"}, "“judge” is not a unit type"),
    ],
)
def test_what_cannot_be_added_is_told_and_what_was_typed_stays(house: House, fields: dict[str, str], said: str) -> None:
    answer = house.organizer().post(f"{UNITS}/add", **fields)
    assert answer.status_code == 400
    assert said in problem_of(answer)
    assert f'value="{fields["unit"]}"' in answer.text
    assert set(house.hub.units.keys) == {"unit-1", "unit-2"}


def test_a_new_key_is_shown_once_and_the_old_one_counts_no_more(house: House) -> None:
    old = house.hub.units.keys["unit-1"]
    answer = house.organizer().post(f"{UNITS}/replace", unit="unit-1")
    new = house.hub.units.keys["unit-1"]
    assert new != old
    assert new.hex() in answer.text
    assert old.hex() not in answer.text


def test_a_revoked_unit_s_feed_ends_at_once_and_it_stands_nowhere(house: House) -> None:
    browser = house.organizer()
    house.place("unit-1", 4)

    async def evening() -> list[str]:
        feed = DeviceFeed(house.hub)
        feed.bind(asyncio.get_running_loop())
        key, hello = opened_hello(house.hub.units, "unit-1", hello_of(house.hub, "unit-1"))
        stream = feed.stream(feed.new_connection(key, hello), hello)
        kinds = [json.loads((await anext(stream))[6:])["payload"]["type"] for _ in range(3)]
        answer = await asyncio.to_thread(browser.post, f"{UNITS}/revoke", unit="unit-1")
        assert answer.status_code == 303
        async for chunk in stream:
            kinds.append(json.loads(chunk[6:])["payload"]["type"])
            if kinds[-1] == "beat":
                break
        return kinds

    assert asyncio.run(evening()) == ["welcome", "fates", "view"]
    assert "unit-1" not in house.hub.units.keys
    assert "unit-1" not in house.service.snapshot.venue.tables or house.service.snapshot.venue.tables["unit-1"] is None
    assert house.hub.presence.units["unit-1"].connected is False
    assert "unit-1" not in text_of(browser.get(UNITS))
    assert problem_of(browser.post(f"{UNITS}/revoke", unit="unit-1")).startswith("There is no unit")


def test_the_page_says_of_each_unit_where_it_stands_what_its_card_is_and_how_it_is(house: House) -> None:
    house.place("unit-2", 7)
    house.hub.presence.update("unit-2", house.time.ms, instance="b2e1905cc7a34f18", damaged=2)
    house.hub.units.troubles.note("unit-2", FORGED)
    said = text_of(house.organizer().get(UNITS))
    assert "unit-1 Table unit not seen yet" in said
    assert "unit-2 Table unit · Table 7 connected install ID b2e1905c" in said
    assert "2 lines on its memory card are unreadable" in said
    assert "1 invalid signature" in said


def test_floods_forgers_and_twins_are_told_on_the_console_until_somebody_has_looked(house: House) -> None:
    browser = house.with_event()
    troubles = house.hub.units.troubles
    for kind, times in ((FORGED, 10), (FLOOD, 20), (TWIN, 1)):
        for _ in range(times):
            troubles.note("unit-1", kind)
    said = text_of(browser.console())
    for word in ("invalid signature: unit-1", "too many requests from unit-1", "second unit is named unit-1"):
        assert word in said
    assert "unit-1 Table unit not seen yet" in text_of(browser.get(UNITS)), "being talked of is no contact"
    assert browser.post(f"{UNITS}/seen", unit="unit-1").status_code == 303
    assert "unit-1" not in text_of(browser.console())
    troubles.note("unit-1", TWIN)
    assert "second unit is named unit-1" in text_of(browser.console())


def test_a_unit_in_contact_is_asked_to_show_itself_from_both_lists(house: House) -> None:
    browser, told = house.with_event(), []
    house.hub.presence.on_message.append(lambda *message: told.append(message))
    house.hub.presence.update("unit-1", house.time(), connected=True)
    for page in (UNITS, "/console/e1/units"):
        assert browser.get(page).text.count("Identify") == 1, "unit-2 is not here"
    assert browser.post(f"{UNITS}/identify", unit="unit-1").headers["Location"].endswith(f"{UNITS}#unit-unit-1")
    assert browser.said(UNITS) == "The device identifies itself for a few seconds."
    assert browser.post(f"{UNITS}/identify", unit="unit-1", event="e1").headers["Location"].endswith("/e1/units")
    assert told == [("unit-1", IDENTIFY)] * 2
    refused = browser.post(f"{UNITS}/identify", unit="unit-2")
    assert "unit-2 is not connected" in problem_of(refused)
    assert len(told) == 2


def test_a_revoked_unit_s_troubles_are_nobody_s(house: House) -> None:
    browser = house.with_event()
    house.hub.units.troubles.note("unit-1", TWIN)
    browser.post(f"{UNITS}/revoke", unit="unit-1")
    assert "unit-1" not in text_of(browser.console())


def test_a_few_wrong_signatures_are_no_alarm(house: House) -> None:
    """A unit whose key was replaced, and that has not got the new one yet."""
    browser = house.with_event()
    for _ in range(9):
        house.hub.units.troubles.note("unit-1", FORGED)
    assert "unit-1" not in text_of(browser.console())
    assert "9 invalid signatures" in text_of(browser.get(UNITS))


def test_nobody_but_an_organizer_sees_or_changes_a_key(house: House) -> None:
    stranger = house.browser()
    assert stranger.get(UNITS).status_code == 302
    stranger.get("/login")
    before = dict(house.hub.units.keys)
    for what in ("add", "replace", "revoke", "seen", "identify"):
        assert stranger.post(f"{UNITS}/{what}", unit="unit-1", role="table").status_code == 302
    organizer = house.organizer()
    organizer.token = "not the page's"
    for what in ("add", "replace", "revoke", "seen", "identify"):
        assert organizer.post(f"{UNITS}/{what}", unit="unit-1", role="table").status_code == 403
    assert dict(house.hub.units.keys) == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_there_in_every_language_and_works_without_a_script(house: House, language: str) -> None:
    house.organizer()
    browser = house.browser(language)
    browser.log_in()
    page = browser.get(UNITS)
    assert page.status_code == 200
    forms = set(re.findall(r'<form method="post" action="([^"]+)"', page.text))
    assert {f"{UNITS}/add", f"{UNITS}/replace", f"{UNITS}/revoke"} <= forms
    assert UNITS in browser.get("/console/hall").text
