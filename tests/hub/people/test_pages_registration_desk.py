"""The desk: who is here, what is known of somebody, entries that are taken out, and who comes late."""

import re

import pytest
from pages_kit import PEOPLE, House, problem_of, text_of

from roundtap_core.event.commands import SetCheckIn, SetSignUp
from roundtap_core.event.entries import Person
from roundtap_core.event.states import not_yet_present
from roundtap_core.records import UNPAIRED_LOSS

PAGE = "/console/e1/check-in"


def test_nobody_has_to_check_in_unless_the_organizer_wants_it(house: House) -> None:
    browser = house.with_event()
    assert "Use check-in" in text_of(browser.get(PAGE))
    assert "/6 checked in" not in text_of(house.browser().get("/wall/e1"))
    assert browser.post(PAGE, used=1).location == PAGE
    assert house.event.check_in
    assert "Check-in 0/6" in text_of(browser.get(PAGE))
    assert "0/6 checked in" in text_of(house.browser().get("/wall/e1"))
    browser.post(PAGE, used=0)
    assert not house.event.check_in


def test_a_few_letters_and_enter_one_after_the_other(house: House) -> None:
    browser = house.with_event()
    browser.post(PAGE, used=1)
    for typed in ("ana r", "BRUNO", "lukasz zak", "wisniewska"):
        assert browser.post(f"{PAGE}/name", name=typed).location == PAGE
    assert not_yet_present(house.event) == {"p4", "p5"}
    page = text_of(browser.get(PAGE))
    assert "Check-in 4/6" in page
    assert "Not checked in: 2" in page
    assert "Check-in · 4/6" in text_of(browser.console())


def test_letters_that_mean_several_ask_which_and_letters_that_mean_nobody_say_so(house: House) -> None:
    browser = house.with_event([*PEOPLE, "Ana Kort", "Anna Ruiz"])
    browser.post(PAGE, used=1)
    answer = browser.post(f"{PAGE}/name", name="an")
    assert answer.location == f"{PAGE}?q=an"
    found = browser.get(answer.location).text.partition('id="found"')[2].partition("</section>")[0]
    assert [name in found for name in ("Ana Ruiz", "Ana Kort", "Anna Ruiz", "Eva Luz")] == [True, True, True, False]
    assert browser.post(f"{PAGE}/name", name="Ana Ruiz").location == PAGE, "the very name is one"
    assert "Ana Ruiz is already checked in" in problem_of(browser.post(f"{PAGE}/name", name="ana ruiz"))
    asked = browser.get(browser.post(f"{PAGE}/name", name="Zoe").location)
    assert "No known player matches “Zoe”" in text_of(asked)
    assert 'id="name" name="name" value=""' in asked.text, "the next name is not typed on behind it"
    browser.post(f"{PAGE}/name", name="Eva Luz")
    house.publish()
    refused = browser.post(f"{PAGE}/name", name="Zoe")
    assert "No absent player matches “Zoe”" in problem_of(refused)
    assert 'value="Zoe"' not in refused.text, "the next name is not typed on behind it"


def test_the_field_is_empty_beside_those_whom_the_letters_may_mean(house: House) -> None:
    browser = house.with_event([*PEOPLE, "Ana Kort"])
    browser.post(PAGE, used=1)
    page = browser.get(browser.post(f"{PAGE}/name", name="an").location).text
    assert 'id="name" name="name" value=""' in page, "the next name is not typed on behind it"
    assert 'id="found"' in page


def test_namesakes_have_a_number_wherever_the_organizer_reads_them(house: House) -> None:
    browser = house.with_event()
    browser.post("/console/e1/competitors", names="Ana Ruiz", same_name=1, known=6)
    browser.post(PAGE, used=1)
    found = browser.post(f"{PAGE}/name", name="ana ruiz")
    assert found.location == f"{PAGE}?q=ana+ruiz", "nobody is taken for the other"
    assert "Ana Ruiz (2)" in text_of(browser.get(found.location))
    assert browser.post(f"{PAGE}/name", name="Ana Ruiz (2)").location == PAGE
    assert not_yet_present(house.event) == {"p1", "p2", "p3", "p4", "p5", "p6"}
    browser.post("/console/e1/competitors/p1/here")
    house.publish()
    assert "Ana Ruiz (2)" in text_of(browser.opened())
    assert "Ana Ruiz (2)" in text_of(house.browser().get("/e/e1"))
    form = browser.get("/console/e1/person/p7").text
    assert 'name="name" value="Ana Ruiz"' in form, "the number is no part of the name"


def test_who_is_not_here_is_not_paired_and_the_next_step_says_how_many(house: House) -> None:
    browser = house.with_event()
    browser.post(PAGE, used=1)
    assert "Checked in: 0 of 6" in text_of(browser.console())
    for who in ("p1", "p2", "p3", "p4"):
        browser.post(f"/console/e1/competitors/{who}/here")
    assert "Checked in: 4. Absent, not paired: 2. Rounds: 2" in text_of(browser.console())
    browser.post("/console/e1/competitors/p4/here", on=0)
    browser.post("/console/e1/competitors/p4/here")
    house.publish()
    assert {m.match.a for m in house.event.rounds[0].matches} | {m.match.b for m in house.event.rounds[0].matches} == {
        "p1",
        "p2",
        "p3",
        "p4",
    }
    page = text_of(browser.console())
    assert "Kai Eich Kai E. not checked in" in page


def test_who_comes_while_round_1_is_played_is_asked_what_the_rules_allow(house: House) -> None:
    browser = house.with_event()
    browser.post(PAGE, used=1)
    for who in ("p1", "p2", "p3"):
        browser.post(f"/console/e1/competitors/{who}/here")
    house.publish()
    bye = next(m for m in house.event.rounds[0].matches if m.match.b is None)
    assert browser.post(f"{PAGE}/name", name="eva").location == f"{PAGE}?q=eva", "it has to be said against whom"
    page = browser.get(f"{PAGE}?q=eva").text
    assert f'name="meets" value="{bye.id}" required' in page
    assert "none: loss for round 1" in page
    browser.post("/console/e1/competitors/p4/here", meets=bye.id)
    assert house.event.find_match(bye.id)[1].match.b == "p4"  # type: ignore[index]
    browser.post("/console/e1/competitors/p5/here", meets="")
    assert next(m.match.bye for m in house.event.rounds[0].matches if m.match.a == "p5") == UNPAIRED_LOSS
    house.play()
    house.publish()
    assert "nobody can register anymore" in problem_of(browser.post("/console/e1/competitors/p6/here"))


def test_late_is_entered_in_one_form_that_offers_whom_to_meet(house: House) -> None:
    browser = house.with_event(PEOPLE[:5])
    house.publish()
    page = browser.console().text
    bye = next(m for m in house.event.rounds[0].matches if m.match.b is None)
    assert f'name="meets" value="{bye.id}"' in page
    browser.post("/console/e1/competitors", names="Nina Wolf", meets=bye.id)
    assert house.event.find_match(bye.id)[1].match.b == "p6"  # type: ignore[index]


def test_who_signed_up_is_confirmed_at_the_desk_by_being_here(house: House) -> None:
    from roundtap_core.event.commands import EnterCompetitor
    from roundtap_core.event.states import Entrant

    browser = house.with_event()
    house.service.execute_one("e1", SetSignUp(True, confirm=True), "test")
    house.service.execute_one("e1", EnterCompetitor(Entrant("p7", "d"), signed_up=True), "phone")
    assert "confirm at the desk" in text_of(browser.get(PAGE))
    browser.post("/console/e1/competitors/p7/here")
    assert not_yet_present(house.event) == frozenset()
    house.service.execute_one("e1", SetCheckIn(True), "test")
    house.service.execute_one("e1", EnterCompetitor(Entrant("p8", "d"), signed_up=True), "phone")
    browser.post("/console/e1/competitors/p8/confirm")
    assert "p8" in not_yet_present(house.event)
    browser.post("/console/e1/competitors/p8/here")
    assert "p8" not in not_yet_present(house.event)


def test_what_organizers_know_is_saved_together_and_is_on_no_page_of_others(house: House) -> None:
    browser = house.with_event()
    browser.post(
        "/console/e1/competitors/p1/details",
        club="Falken",
        external_id="4711",
        paid=1,
        list_link="https://lists.example/secret",
        note="owes a beer\nvegan",
        came_with="car",
        fixed_table=4,
    )
    assert house.service.snapshot.people["e1"]["p1"] == Person(
        "Ana Ruiz",
        club="Falken",
        external_id="4711",
        paid=True,
        list_link="https://lists.example/secret",
        note="owes a beer\nvegan",
    )
    entrant = house.event.entrants["p1"]
    assert (entrant.came_with, entrant.fixed_table) == ("car", 4)
    forms = browser.get("/console/e1/person/p1").text
    assert "owes a beer" in forms
    assert "https://lists.example/secret" in forms
    row = text_of(browser.console())
    assert "always table 4 paid Falken · 4711 note" in row
    house.publish()
    phone = house.browser()
    for path in ("/e/e1", "/e/e1/p/p1", "/e/e1/pairings", "/e/e1/standings", "/wall/e1", "/rules/e1"):
        seen = phone.get(path).text
        assert not [word for word in ("owes a beer", "secret", "4711", "vegan") if word in seen], path
    file = browser.get("/console/e1/export.json").text
    assert not [word for word in ("owes a beer", "secret", "vegan", '"paid"', "list_link") if word in file]
    browser.post("/console/e1/competitors/p1/details", club="Falken", external_id="4711", came_with="car")
    assert not house.service.snapshot.people["e1"]["p1"].paid
    assert house.event.entrants["p1"].fixed_table == 4, "what a form does not ask stays"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"list_link": "javascript:alert(1)"}, "begins with http"),
        ({"fixed_table": "0"}, "1"),
        ({"note": "x" * 1001}, "1000"),
        ({"club": "x" * 81}, "80"),
        ({"external_id": "9" * 65}, "64"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(house: House, fields: dict[str, str], said: str) -> None:
    browser = house.with_event()
    before = house.event.number, house.service.snapshot.people["e1"]["p1"]
    answer = browser.post("/console/e1/competitors/p1/details", **{"club": "Falken", **fields})
    assert answer.status_code in (400, 409)
    assert said in problem_of(answer)
    assert (house.event.number, house.service.snapshot.people["e1"]["p1"]) == before


def test_names_and_details_are_one_form_saved_whole_or_not_at_all(house: House) -> None:
    browser = house.with_event()
    form = browser.get("/console/e1/person/p1").text
    at = "/console/e1/competitors/p1/details"
    assert form.count(f'action="{at}"') == 1
    [inside] = [part.partition("</form>")[0] for part in form.split("<form")[1:] if at in part.partition(">")[0]]
    asked = {"name", "public_name", "club", "external_id", "list_link", "came_with", "fixed_table", "paid", "note"}
    assert {name for name in asked if f' name="{name}"' in inside} == asked
    before = house.event.number, house.service.snapshot.people["e1"]["p1"]
    refused = browser.post(at, name="Ana María Ruiz", club="Falken", fixed_table="none")
    assert refused.status_code == 400
    assert 'value="Ana María Ruiz"' in refused.text, "what was typed comes back"
    assert (house.event.number, house.service.snapshot.people["e1"]["p1"]) == before, "and nothing is saved"
    browser.post(at, name="Ana María Ruiz", public_name="Ana", club="Falken", fixed_table=4)
    assert house.service.snapshot.people["e1"]["p1"] == Person("Ana María Ruiz", public_name="Ana", club="Falken")
    assert house.event.entrants["p1"].fixed_table == 4
    assert house.event.number == before[0] + 2, "one entry for the person, one for the table"


def test_who_is_here_stays_in_the_same_row(house: House) -> None:
    browser = house.with_event()
    browser.post(PAGE, used=1)

    def rows() -> list[str]:
        listed = browser.get(PAGE).text.partition('id="check-people"')[2]
        return re.findall(r'<li data-key="(p\d)"(?: class="(?:is-here)")?>', listed)

    before = rows()
    assert sorted(before) == ["p1", "p2", "p3", "p4", "p5", "p6"]
    browser.post("/console/e1/competitors/p3/here")
    assert rows() == before
    assert '<li data-key="p3" class="is-here">' in browser.get(PAGE).text
    back = browser.post("/console/e1/competitors/p3/here", on=0)
    assert back.location == PAGE
    assert '<li data-key="p3">' in browser.get(PAGE).text
    assert browser.post("/console/e1/competitors/p3/here", back=1).location == "/console/e1/players#competitors"


def test_an_entry_that_never_played_is_deleted_and_one_that_has_is_not(house: House) -> None:
    browser = house.with_event()
    assert "Delete Eva Luz" in text_of(browser.get("/console/e1/person/p4"))
    browser.post("/console/e1/competitors/p4/remove")
    assert "p4" not in house.event.entrants
    assert "p4" not in house.service.snapshot.people["e1"]
    for path in ("/console/e1", "/e/e1", "/e/e1/standings", "/console/e1/export.json"):
        assert "Eva" not in browser.get(path).text, path
    assert house.browser().get("/e/e1/p/p4").status_code == 404
    house.publish()
    assert "Delete" not in text_of(browser.get("/console/e1/person/p1"))
    assert "cannot be deleted" in problem_of(browser.post("/console/e1/competitors/p1/remove"))
    browser.post("/console/e1/competitors", names="Eva Luz")
    assert "p7" in house.event.entrants


def test_pressed_for_another_state_nobody_is_deleted(house: House) -> None:
    browser = house.with_event()
    page = browser.get("/console/e1/person/p4").text
    step = page.partition("/p4/remove")[2].partition('name="step" value="')[2].partition('"')[0]
    assert step
    house.publish()
    refused = browser.post("/console/e1/competitors/p4/remove", step=step)
    assert refused.status_code == 409
    assert "p4" in house.event.entrants


def test_who_is_entered_while_check_in_is_used_is_here_where_that_is_said(house: House) -> None:
    browser = house.with_event()
    assert 'name="here"' not in browser.console().text
    browser.post(PAGE, used=1)
    assert 'name="here"' in browser.console().text
    browser.post("/console/e1/competitors", names="Nina Wolf", here=1)
    browser.post("/console/e1/competitors", names="Zoe Adler")
    assert "p7" not in not_yet_present(house.event)
    assert "p8" in not_yet_present(house.event)


def test_what_another_organizer_saved_meanwhile_is_not_overwritten_and_nothing_typed_is_lost(house: House) -> None:
    desk = house.with_event()
    at, page = "/console/e1/competitors/p1/details", "/console/e1/person/p1"
    shown = inputs(desk.get(page).text, at)
    desk.post(at, **{**shown, "club": "Falken", "paid": "1"})
    refused = desk.post(at, **{**shown, "external_id": "4711"})
    assert refused.status_code == 409
    assert problem_of(refused).startswith("The details of this person have changed. Your entries are still here.")
    assert house.service.snapshot.people["e1"]["p1"] == Person("Ana Ruiz", club="Falken", paid=True)
    again = inputs(refused.text, at)
    assert (again["external_id"], again["club"]) == ("4711", "")
    saved_now = re.findall("Saved now: ([^<]+)<", refused.text)
    assert saved_now == ["Falken", "–", "paid"], "club, no number, paid"
    desk.post(at, **{**again, "club": "Falken", "paid": "1"})
    person = house.service.snapshot.people["e1"]["p1"]
    assert person == Person("Ana Ruiz", club="Falken", external_id="4711", paid=True)
    assert desk.post(at, **{**inputs(desk.get(page).text, at), "paid": "1"}).status_code == 303
    assert desk.said(page) == "Nothing had to be changed."


def inputs(page: str, action: str) -> dict[str, str]:
    """The text fields and the mark of the form that is sent there."""
    [form] = [part.partition("</form>")[0] for part in page.split("<form")[1:] if action in part.partition(">")[0]]
    boxes = re.findall("<input[^>]+>", form)
    fields = [(re.search(' name="([^"]+)"', box), re.search(' value="([^"]*)"', box)) for box in boxes]
    named = {name[1]: value[1] for name, value in fields if name and value}
    return {name: value for name, value in named.items() if name not in ("csrf", "paid")}
