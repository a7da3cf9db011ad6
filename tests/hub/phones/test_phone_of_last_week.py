"""A phone that was here last week keeps its person: one tap signs up; nobody else's phone is told anything."""

import re

import pytest
from fridays_kit import four_fridays, friday
from pages_kit import Browser, House, problem_of, text_of

from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.states import TO_CONFIRM, not_yet_present
from roundtap_core.records import Competitor
from roundtap_hub.http.requester import OWN_LINK
from roundtap_hub.store.service import Step

JOIN = "/join/e5"
OFFER = "You are Żaneta K."
PEOPLE = ["Żaneta Kowalczyk", "Eva Luz", "Ana Ruiz"]


@pytest.fixture
def phone(house: House) -> Browser:
    """Żaneta's: it had her page open last Friday. Tonight's event takes sign-ups, which the desk confirms."""
    house.time.wall = "2026-11-27T18:00:00+00:00"
    four_fridays(house.service, PEOPLE)
    house.organizer().post("/console/e4/again")
    house.service.execute_one("e5", c.SetSignUp(True, confirm=True), "test")
    return holder_of(house, "e4", "p1")


def holder_of(house: House, event: str, competitor: str) -> Browser:
    """A phone with the cookie that came with this player's page (test_own_page_gives_the_phone_its_cookie)."""
    browser = house.browser()
    browser.client.set_cookie(OWN_LINK, house.hub.access.links.give(event, competitor).removeprefix("/me/"))
    return browser


def test_one_tap_signs_up_and_the_desk_confirms(house: House, phone: Browser) -> None:
    page = phone.get(JOIN)
    assert OFFER in text_of(page)
    assert "Kowalczyk" not in page.text
    form = re.search(r'name="form" value="([^"]+)"', page.text)
    assert form
    answers = {phone.post(JOIN, known=1, form=form[1]).location for _ in range(2)}
    assert answers == {house.hub.access.links.path("e5", "p1")}
    state = house.service.snapshot.events["e5"]
    assert (state.entrants["p1"].sign_up, not_yet_present(state)) == (TO_CONFIRM, {"p1"})
    assert house.service.snapshot.people_of("e5")["p1"].name == "Żaneta Kowalczyk"
    book = house.service.snapshot.venue.book
    assert book.persons["e5", "p1"] == book.persons["e4", "p1"]
    house.staff("scorekeeper").post("/console/e5/competitors/p1/here")
    assert not not_yet_present(house.service.snapshot.events["e5"])


def test_a_phone_whose_page_was_never_opened_gets_the_plain_form(house: House, phone: Browser) -> None:
    other = house.browser()
    assert "You are" not in text_of(other.get(JOIN))
    other.client.set_cookie(OWN_LINK, "made.up")
    assert "You are" not in text_of(other.get(JOIN))
    assert "The event has changed since" in problem_of(other.post(JOIN, known=1))
    assert not house.service.snapshot.events["e5"].entrants


def test_the_desk_and_every_other_page_know_nothing_of_it(house: House, phone: Browser) -> None:
    for page in ("/", "/me", "/e/e5", "/rules/e5"):
        assert "Żaneta" not in phone.get(page).text, page


def test_a_link_that_was_revoked_is_nobody_s(house: House, phone: Browser) -> None:
    house.hub.access.links.revoke("e4", "p1")
    assert "You are" not in text_of(phone.get(JOIN))


def test_the_phone_of_a_forgotten_person_gets_the_plain_form(house: House, phone: Browser) -> None:
    house.service.execute_one("e5", c.SetSignUp(False), "test")
    person = house.service.snapshot.venue.book.persons["e4", "p1"]
    house.service.execute([Step(VENUE, NewEntry("person-forgotten", {"person": person}))], "test")
    house.service.execute_one("e5", c.SetSignUp(True), "test")
    assert "You are" not in text_of(phone.get(JOIN))
    assert phone.post(JOIN, known=1).status_code == 409


def test_the_phone_of_a_deleted_evening_gets_the_plain_form(house: House, phone: Browser) -> None:
    house.service.execute([Step(VENUE, NewEntry("event-deleted", {"event": "e4"}))], "test")
    assert "You are" not in text_of(phone.get(JOIN))


def test_who_is_entered_already_is_not_offered_again(house: House, phone: Browser) -> None:
    person = house.service.snapshot.venue.book.persons["e4", "p1"]
    house.organizer().post("/console/e5/regulars", who=person, on=1)
    assert "You are" not in text_of(phone.get(JOIN))
    assert "The event has changed since" in problem_of(phone.post(JOIN, known=1))
    assert len(house.service.snapshot.events["e5"].entrants) == 1


def test_another_player_can_be_signed_up_from_the_same_phone(house: House, phone: Browser) -> None:
    phone.post(JOIN, name="Nina Neu")
    people = house.service.snapshot.people_of("e5")
    assert [people[who].name for who in house.service.snapshot.events["e5"].entrants] == ["Nina Neu"]


def test_where_full_names_are_shown_the_tick_means_the_full_name_and_none_the_short_one(house: House) -> None:
    options = {"structure": "own", "swiss_rounds": 1, "full_names": True}
    two = [Competitor("p2", "Eva Luz", "Eva L."), Competitor("p3", "Kai Eich", "Kaiser")]
    friday(house.service, "Friday 12", "2026-11-20", ["Żaneta Kowalczyk", *two], options=options)
    house.organizer().post("/console/e1/again")
    house.service.execute_one("e2", c.SetSignUp(True), "test")
    asked = (("p1", "", "Żaneta K.", "Żaneta K."), ("p2", "1", "Eva L.", None), ("p3", "", "Kaiser", "Kaiser"))
    for who, ticked, known_as, kept in asked:
        phone = holder_of(house, "e1", who)
        assert f"You are {known_as}" in text_of(phone.get("/join/e2"))
        phone.post("/join/e2", known=1, full_name=ticked)
        assert house.service.snapshot.people_of("e2")[who].public_name == kept
    assert "Eva Luz" in text_of(house.browser().get("/e/e2")), "who ticked it is shown so"
