"""Regulars at the check-in: who is offered in which order, what a tap does, and what happens when it is pressed twice,
or has been done by another hand."""

import re

import pytest
from fridays_kit import TWELVE, four_fridays, friday, person_named
from pages_kit import Browser, House, here, problem_of, text_of

from roundtap_core.event import commands as c
from roundtap_core.event.states import active_ids, not_yet_present
from roundtap_core.records import Competitor

PAGE = "/console/e5/check-in"


@pytest.fixture
def organizer(house: House) -> Browser:
    """At the check-in of Friday 13, which four Fridays of the same twelve have led to."""
    house.time.wall = here("2026-11-27T18:00:00")
    four_fridays(house.service)
    browser = house.organizer()
    browser.post("/console/e4/again")
    browser.get(PAGE)
    return browser


def buttons(browser: Browser, page: str = PAGE) -> dict[str, bool]:
    """The regulars in their order, and whether each is here."""
    text = browser.get(page).text
    found = re.findall(r'aria-pressed="(true|false)">.*?<span>(.*?)(?: <small>.*?)?</span></button>', text, re.S)
    return {name: pressed == "true" for pressed, name in found}


def tap(house: House, browser: Browser, name: str, on: int = 1, event: str = "e5") -> str:
    """One tap on this person's button; the problem it meets."""
    return problem_of(browser.post(f"/console/{event}/regulars", who=person_named(house.service, name), on=on))


def names(house: House, event: str = "e5") -> dict[str, str]:
    """Who is entered, and "here" or "awaited"."""
    state, people = house.service.snapshot.events[event], house.service.snapshot.people_of(event)
    waiting = not_yet_present(state)
    return {people[who].name: "awaited" if who in waiting else "here" for who in state.entrants}


def test_who_came_most_often_stands_first_and_of_those_who_came_last(house: House) -> None:
    house.time.wall = here("2026-11-27T18:00:00")
    friday(house.service, "Friday 8", "2026-10-01", ["Long Ago", "Ana Ruiz"])
    friday(house.service, "Friday 9", "2026-10-02", ["Eight Weeks", "Often Here"])
    friday(house.service, "Friday 10", "2026-11-13", ["Often Here", "Once Before"])
    friday(house.service, "Friday 11", "2026-11-20", ["Once Lately", "Often Here", "Adam Lately"])
    browser = house.organizer()
    browser.post("/console/e4/again")
    assert list(buttons(browser)) == ["Often Here", "Adam Lately", "Once Lately", "Once Before", "Eight Weeks"]
    assert list(buttons(browser, f"{PAGE}?q=lo+ag")) == ["Long Ago"], "two letters find anybody of the book"
    assert list(buttons(browser, f"{PAGE}?q=on")) == ["Once Lately", "Once Before"]


def test_of_two_who_came_as_often_the_one_who_came_last_stands_first(house: House) -> None:
    house.time.wall = here("2026-11-27T18:00:00")
    for day, who in (("06", "Outer Two"), ("13", "Inner Two"), ("14", "Inner Two"), ("20", "Outer Two")):
        friday(house.service, f"Friday {day}", f"2026-11-{day}", [who, "Every One"])
    browser = house.organizer()
    browser.post("/console/e4/again")
    assert list(buttons(browser)) == ["Every One", "Outer Two", "Inner Two"]


def test_an_event_without_a_date_has_the_day_of_its_making(house: House) -> None:
    house.time.wall = here("2026-09-01T18:00:00")
    friday(house.service, "Spring", "", ["Long Ago", "Ana Ruiz"])
    house.time.wall = here("2026-11-20T18:00:00")
    friday(house.service, "Autumn", "", ["Ana Ruiz", "Eva Luz"])
    house.time.wall = here("2026-11-27T18:00:00")
    browser = house.organizer()
    browser.post("/console/e2/again")
    assert list(buttons(browser, "/console/e3/check-in")) == ["Ana Ruiz", "Eva Luz"]


def test_a_tap_enters_checks_in_and_tells_the_book_in_one_request(house: House, organizer: Browser) -> None:
    assert list(buttons(organizer)) == sorted(TWELVE, key=lambda name: list(buttons(organizer)).index(name))
    assert not any(buttons(organizer).values())
    before = house.service.snapshot.venue.number
    assert tap(house, organizer, "Eva Luz") == ""
    assert names(house) == {"Eva Luz": "here"}
    book = house.service.snapshot.venue.book
    assert book.persons["e5", "p1"] == book.persons["e4", "p5"]
    assert house.service.snapshot.venue.number == before + 1
    assert buttons(organizer)["Eva Luz"]
    assert list(buttons(organizer)) == list(buttons(house.organizer())), "nobody changes places"


def test_two_taps_on_one_regular_do_what_one_does(house: House, organizer: Browser) -> None:
    order = list(buttons(organizer))
    for _ in range(2):
        assert tap(house, organizer, "Eva Luz") == ""
    assert names(house) == {"Eva Luz": "here"}
    for _ in range(2):
        assert tap(house, organizer, "Eva Luz", on=0) == ""
    assert names(house) == {"Eva Luz": "awaited"}
    assert not active_ids(house.service.snapshot.events["e5"])
    assert tap(house, organizer, "Eva Luz") == ""
    assert names(house) == {"Eva Luz": "here"}
    assert list(buttons(organizer)) == order


def test_without_check_in_a_second_tap_removes_the_entry_and_a_third_enters_the_same_person(
    house: House, organizer: Browser
) -> None:
    house.service.execute_one("e5", c.SetCheckIn(False), "test")
    person = person_named(house.service, "Eva Luz")
    tap(house, organizer, "Eva Luz")
    tap(house, organizer, "Eva Luz", on=0)
    assert not names(house)
    assert [seat for seat in house.service.snapshot.venue.book.seats[person] if seat[0] == "e5"] == []
    tap(house, organizer, "Eva Luz")
    assert house.service.snapshot.venue.book.persons["e5", "p2"] == person


def test_a_regular_entered_meanwhile_by_another_hand_is_not_entered_twice(house: House, organizer: Browser) -> None:
    house.staff("scorekeeper").post("/console/e5/competitors", names="Eva Luz")
    assert not buttons(organizer)["Eva Luz"]
    assert tap(house, organizer, "Eva Luz") == ""
    assert names(house) == {"Eva Luz": "here"}
    assert tap(house, organizer, "Eva Luz") == ""
    assert list(names(house)) == ["Eva Luz"]


def test_names_club_and_id_come_along_and_what_belongs_to_an_evening_does_not(house: House) -> None:
    ana = Competitor("p1", "Ana Ruiz", "Ana la Roja", club="Dados", external_id="W-77", came_with="Seat León")
    friday(house.service, "Friday 12", "2026-11-20", [ana, "Eva Luz"])
    organizer = house.organizer()
    organizer.post("/console/e1/competitors/p1/details", club="Dados", external_id="W-77", paid=1, note="owes 5")
    organizer.post("/console/e1/again")
    tap(house, organizer, "Ana Ruiz", event="e2")
    row = house.service.snapshot.people_of("e2")["p1"]
    assert (row.name, row.public_name, row.club, row.external_id) == ("Ana Ruiz", "Ana la Roja", "Dados", "W-77")
    assert (row.paid, row.note, house.service.snapshot.events["e2"].entrants["p1"].came_with) == (False, None, None)


def test_two_persons_of_one_name_are_two_buttons(house: House) -> None:
    two = [Competitor(f"p{n}", "Jan Nowak", club=club) for n, club in ((1, "Dados"), (2, "Kostka"))]
    friday(house.service, "Friday 12", "2026-11-20", [*two, "Eva Luz"])
    organizer = house.organizer()
    organizer.post("/console/e1/again")
    dados, kostka = (house.service.snapshot.venue.book.persons["e1", who] for who in ("p1", "p2"))
    for person in (kostka, dados):
        assert not problem_of(organizer.post("/console/e2/regulars", who=person, on=1))
    people = house.service.snapshot.people_of("e2")
    assert [people[who].club for who in ("p1", "p2")] == ["Kostka", "Dados"]


def test_who_was_disqualified_last_time_is_a_regular_like_any_other(house: House, organizer: Browser) -> None:
    house.service.execute_one("e4", c.ReopenEvent(), "test")
    house.service.execute_one("e4", c.Disqualify("p5", "he shouted"), "test")
    house.service.execute_one("e4", c.FinishEvent("a test"), "test")
    assert tap(house, organizer, "Eva Luz") == ""
    assert names(house) == {"Eva Luz": "here"}


def test_all_of_last_time_are_entered_and_the_one_who_stays_away_is_taken_back(
    house: House, organizer: Browser
) -> None:
    assert "All from Friday 12 (12)" in text_of(organizer.get(PAGE))
    tap(house, organizer, "Eva Luz")
    assert "All from Friday 12 (11)" in text_of(organizer.get(PAGE))
    organizer.post("/console/e5/regulars", who="last")
    assert names(house) == dict.fromkeys(["Eva Luz", *TWELVE], "here")
    assert len(names(house)) == 12
    tap(house, organizer, "Kai Eich", on=0)
    assert [name for name, where in names(house).items() if where == "awaited"] == ["Kai Eich"]
    organizer.post("/console/e5/regulars", who="last")
    assert set(names(house).values()) == {"here"}


def test_all_of_last_time_are_those_who_came(house: House) -> None:
    friday(house.service, "Friday 12", "2026-11-20", ["Ana Ruiz", "Eva Luz", "Kai Eich"], absent=["Kai Eich"])
    organizer = house.organizer()
    organizer.post("/console/e1/again")
    organizer.post("/console/e2/regulars", who="last")
    assert sorted(names(house, "e2")) == ["Ana Ruiz", "Eva Luz"]


def test_one_press_checks_in_all_who_are_awaited(house: House, organizer: Browser) -> None:
    house.service.execute_one("e5", c.SetSignUp(True, confirm=True), "test")
    house.browser().post("/join/e5", name="Nina Neu")
    organizer.post("/console/e5/competitors", names="Ida Lis\nJo Wu")
    assert set(names(house).values()) == {"awaited"}
    assert "Check in all (3)" in text_of(organizer.get(PAGE))
    organizer.post("/console/e5/regulars", who="awaited")
    assert names(house) == dict.fromkeys(("Nina Neu", "Ida Lis", "Jo Wu"), "here")
    assert "Check in all" not in text_of(organizer.get(PAGE))


def test_letters_and_enter_take_the_one_of_the_book_and_a_new_name_is_asked_about_once(
    house: House, organizer: Browser
) -> None:
    organizer.post(f"{PAGE}/name", name="brz gr")
    assert names(house) == {"Grzegorz Brzoza": "here"}
    assert "Grzegorz Brzoza is already checked in" in problem_of(organizer.post(f"{PAGE}/name", name="brz gr"))
    asked = organizer.get(organizer.post(f"{PAGE}/name", name="Ida Lis").location)
    assert "No known player matches “Ida Lis”" in text_of(asked)
    assert 'id="new-player" autofocus' in asked.text
    answer = organizer.post("/console/e5/competitors", names="Ida Lis", here=1, back="check-in")
    assert answer.location == PAGE
    assert names(house) == {"Grzegorz Brzoza": "here", "Ida Lis": "here"}
    assert problem_of(organizer.post("/console/e5/competitors", names="Ida Lis", here=1, back="check-in"))


def test_a_new_player_whose_name_begins_another_s_can_be_entered(house: House, organizer: Browser) -> None:
    page = organizer.get(f"{PAGE}?q=Eva+Lu")
    assert "Register new player: Eva Lu" in text_of(page)
    assert "autofocus required" in page.text


def test_once_round_1_is_published_nobody_is_entered_by_a_tap(house: House, organizer: Browser) -> None:
    organizer.post("/console/e5/regulars", who="last")
    tap(house, organizer, "Eva Luz", on=0)
    house.service.execute_one("e5", c.DrawRound(11), "test")
    house.service.execute_one("e5", c.PublishRound(1, 1, noted="a test"), "test")
    assert not buttons(organizer)
    assert "The event has changed since" in tap(house, organizer, "Eva Luz")
    assert "The event has changed since" in problem_of(organizer.post("/console/e5/regulars", who="awaited"))
    assert names(house)["Eva Luz"] == "awaited"


def test_a_person_who_is_not_in_the_book_any_more_is_refused(house: House, organizer: Browser) -> None:
    assert "The event has changed since" in problem_of(organizer.post("/console/e5/regulars", who="f" * 12, on=1))
    assert not names(house)


def test_teams_are_offered_where_teams_play_and_players_where_players_do(house: House, organizer: Browser) -> None:
    team = Competitor("p1", "Los Dados", members=("Ana Ruiz", "Eva Luz"), captain="Eva Luz")
    friday(house.service, "Doubles", "2026-11-20", [team, "Kai Eich"])
    assert "Los Dados" not in buttons(organizer)
    organizer.post("/console", name="Epic", rulebook="xwing-epic-team", structure="own", swiss_rounds=2)
    made = house.service.snapshot.ids[-1]
    assert list(buttons(organizer, f"/console/{made}/check-in")) == ["Los Dados"]
    tap(house, organizer, "Los Dados", event=made)
    assert house.service.snapshot.people_of(made)["p1"].captain == "Eva Luz"


def test_judges_see_no_buttons_and_the_desk_has_them(house: House, organizer: Browser) -> None:
    assert not buttons(house.staff("judge", "Jo Judge"))
    assert buttons(house.staff("scorekeeper", "Sue Score"))


@pytest.fixture
def open_evening(house: House, organizer: Browser) -> Browser:
    """The organizer of Friday 13, who lets all be paired: without check-in a regular who is taken back is deleted."""
    house.service.execute_one("e5", c.SetCheckIn(False), "test")
    return organizer


DETAILS = [{"paid": 1}, {"note": "owes 5"}, {"club": "Dados"}, {"list_link": "https://lists.example/1"}]


@pytest.mark.parametrize("details", [*DETAILS, {"came_with": "Seat León"}, {"fixed_table": 2}], ids=str)
@pytest.mark.parametrize("by_hand", [False, True])
def test_a_tap_deletes_no_entry_that_holds_more_than_the_book(
    house: House, open_evening: Browser, details: dict[str, object], by_hand: bool
) -> None:
    if by_hand:
        open_evening.post("/console/e5/competitors", names="Eva Luz")
    else:
        tap(house, open_evening, "Eva Luz")
    assert open_evening.post("/console/e5/competitors/p1/details", **details).status_code == 303
    answer = open_evening.post("/console/e5/regulars", who=person_named(house.service, "Eva Luz"), on=0)
    assert problem_of(answer).startswith("Eva Luz stays registered: details such as")
    assert "/console/e5/person/p1" in answer.text, "where it can be deleted all the same"
    assert names(house) == {"Eva Luz": "here"}
    assert "Delete Eva Luz" in text_of(open_evening.get("/console/e5/person/p1"))


def test_a_tap_takes_back_a_bare_entry_made_by_hand(house: House, open_evening: Browser) -> None:
    open_evening.post("/console/e5/competitors", names="Eva Luz")
    assert tap(house, open_evening, "Eva Luz", on=0) == ""
    assert not names(house)


def test_a_tap_deletes_no_entry_whose_page_a_phone_has(house: House, open_evening: Browser) -> None:
    tap(house, open_evening, "Eva Luz")
    house.hub.access.links.give("e5", "p1")
    assert "stays registered" in tap(house, open_evening, "Eva Luz", on=0)
    house.service.execute_one("e5", c.SetSignUp(True), "test")
    house.browser().post("/join/e5", name="Kai Eich")
    assert "stays registered" in tap(house, open_evening, "Kai Eich", on=0)
    assert names(house) == {"Eva Luz": "here", "Kai Eich": "here"}


def test_a_tap_discards_no_draft_of_round_1(house: House, open_evening: Browser) -> None:
    open_evening.post("/console/e5/regulars", who="last")
    house.service.execute_one("e5", c.DrawRound(11), "test")
    assert "discards the draft of round 1" in tap(house, open_evening, "Eva Luz", on=0)
    assert house.service.snapshot.events["e5"].draft
    assert names(house)["Eva Luz"] == "here"


def enter_by_name(house: House, organizer: Browser, name: str) -> str:
    """Typed, and Enter: the problem, or "asked" where the page asks who is meant."""
    answer = organizer.post("/console/e2/check-in/name", name=name)
    return problem_of(answer) if answer.status_code != 303 else "asked" if "q=" in answer.location else ""


@pytest.fixture
def namesakes(house: House) -> Browser:
    """Of last week the book has Jan Nowak, two Ida Lis of two clubs, and two who begin with "Anna"."""
    two = [Competitor(f"p{n}", "Ida Lis", club=club) for n, club in ((1, "Dados"), (2, "Kostka"))]
    friday(house.service, "Friday 12", "2026-11-20", [*two, "Jan Nowak", "Anna Kowalska", "Annabel Kow"])
    organizer = house.organizer()
    organizer.post("/console/e1/again")
    return organizer


def test_an_exact_name_of_the_book_is_meant_before_a_longer_one_that_is_awaited(
    house: House, namesakes: Browser
) -> None:
    namesakes.post("/console/e2/competitors", names="Jan Nowakowski")
    assert enter_by_name(house, namesakes, "Jan Nowak") == ""
    assert names(house, "e2") == {"Jan Nowakowski": "awaited", "Jan Nowak": "here"}
    assert "Jan Nowak is already" in enter_by_name(house, namesakes, "Jan Nowak")
    assert enter_by_name(house, namesakes, "Jan Nowak") != "", "nor does a second Enter mean the longer one"
    assert names(house, "e2")["Jan Nowakowski"] == "awaited"


def test_of_several_of_the_book_the_page_asks_which(house: House, namesakes: Browser) -> None:
    assert enter_by_name(house, namesakes, "ann") == "asked"
    assert not names(house, "e2")
    page = "/console/e2/check-in?q=ann"
    assert list(buttons(namesakes, page)) == ["Anna Kowalska", "Annabel Kow"]
    assert "Who is it?" in text_of(namesakes.get(page))


def test_namesakes_are_asked_about_also_when_one_of_them_is_here(house: House, namesakes: Browser) -> None:
    for _ in range(2):
        assert enter_by_name(house, namesakes, "Ida Lis") == "asked"
    assert not names(house, "e2")
    namesakes.post("/console/e2/regulars", who=house.service.snapshot.venue.book.persons["e1", "p2"], on=1)
    assert enter_by_name(house, namesakes, "Ida Lis") == "asked"
    assert len(names(house, "e2")) == 1
    namesakes.post("/console/e2/regulars", who=house.service.snapshot.venue.book.persons["e1", "p1"], on=1)
    assert "already checked in" in enter_by_name(house, namesakes, "Ida Lis")
