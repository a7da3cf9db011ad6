"""Players enter themselves by phone: while it is open, bounded, and it ends at their own page."""

import re
from pathlib import Path

import pytest
from pages_kit import PEOPLE, Browser, House, problem_of, text_of
from werkzeug.test import TestResponse

from roundtap_core.event.commands import CheckIn, DrawRound
from roundtap_core.event.entries import Person
from roundtap_core.event.states import SIGNED_UP, TO_CONFIRM, not_yet_present
from roundtap_hub.http.qr_svg import qr_svg
from roundtap_hub.http.requester import SignUpThrottle

DESK = "/console/e1/sign-up"


def opened(house: House, sign_up: str = "open", **options: object) -> Browser:
    browser = house.with_event(PEOPLE, **options)
    browser.get(DESK)
    browser.post(DESK, sign_up=sign_up)
    return browser


def known(house: House) -> dict[str, Person]:
    people = house.service.snapshot.people["e1"]
    return {people[who].name: people[who] for who in house.event.entrants}


def test_it_is_closed_until_the_organizer_opens_it(house: House) -> None:
    house.with_event()
    phone = house.browser()
    assert "Phone sign-up is closed for this event" in text_of(phone.get("/join/e1"))
    assert phone.post("/join/e1", name="Nina Wolf").status_code == 409
    assert "Nina Wolf" not in known(house)


def test_the_page_of_the_desk_keeps_its_own_address(house: House) -> None:
    """It shows the address of the phones; a reload, and Undo, come back to the desk's."""
    desk = opened(house)
    page = desk.get("/console/e1/sign-up").text
    assert 'class="join-address">http://localhost/join/e1<' in page
    assert "data-address" not in page


def test_a_player_signs_up_and_lands_on_the_own_page(house: House) -> None:
    opened(house)
    phone = house.browser()
    assert 'name="csrf"' not in phone.get("/join/e1").text
    answer = phone.post("/join/e1", name="  Nina   Wolf ", club="Milan", external_id="77", came_with="car")
    assert known(house)["Nina Wolf"] == Person("Nina Wolf", club="Milan", external_id="77")
    assert (house.event.entrants["p7"].sign_up, house.event.entrants["p7"].came_with) == (SIGNED_UP, "car")
    assert answer.status_code == 303
    assert answer.location == house.hub.access.links.path("e1", "p7")
    assert house.hub.access.links.is_given("e1", "p7")
    assert "Nina Wolf" in text_of(house.organizer().get(DESK))


def test_sent_twice_it_is_one_entry_and_the_same_page(house: House) -> None:
    opened(house)
    phone = house.browser()
    form = re.search(r'name="form" value="([^"]+)"', phone.get("/join/e1").text)[1]  # type: ignore[index]
    answers = [phone.post("/join/e1", name="Nina Wolf", form=form) for _ in range(3)]
    assert len({answer.location for answer in answers}) == 1
    assert len(house.event.entrants) == 7


def test_a_name_that_is_there_is_the_desk_s_to_settle(house: House) -> None:
    opened(house)
    answer = house.browser().post("/join/e1", name="lukasz ZAK", club="Łódź")
    assert "ask the desk for your link" in problem_of(answer)
    assert 'value="Łódź"' in answer.text, "what was typed stays"
    assert len(house.event.entrants) == 6


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "x" * 81},
        {"name": "Ana\u202eX"},
        {"name": "A", "club": "x" * 81},
        {"name": "A", "external_id": "x" * 65},
        {"name": "A", "came_with": "x" * 90},
        {"name": "A\x00B"},
    ],
)
def test_what_no_name_can_be_is_refused(house: House, fields: dict[str, str]) -> None:
    opened(house)
    assert house.browser().post("/join/e1", **fields).status_code in (400, 409)
    assert len(house.event.entrants) == 6


def test_it_ends_with_the_draw_and_takes_none_back(house: House) -> None:
    opened(house)
    house.service.execute_one("e1", DrawRound(1), "test")
    assert "Round 1 is already drawn" in problem_of(house.browser().post("/join/e1", name="Nina Wolf"))
    assert house.event.draft is not None


def test_who_has_to_be_confirmed_is_told_so_and_not_paired(house: House) -> None:
    browser = opened(house, "confirm")
    phone = house.browser()
    assert "go to the desk to confirm" in text_of(phone.get("/join/e1"))
    phone.post("/join/e1", name="Nina Wolf")
    assert house.event.entrants["p7"].sign_up == TO_CONFIRM
    assert "Nina Wolf confirm at the desk" in text_of(browser.get(DESK))
    answer = browser.post("/console/e1/competitors/p7/confirm", back="sign-up")
    assert answer.location == DESK
    assert not_yet_present(house.event) == frozenset()
    answer = browser.post("/console/e1/competitors/p7/remove", back="sign-up")
    assert answer.location == DESK
    assert "p7" not in house.event.entrants


def test_full_names_are_shown_of_those_who_agree(house: House) -> None:
    opened(house, full_names="1")
    phone = house.browser()
    assert "Show my full last name in public" in text_of(phone.get("/join/e1"))
    phone.post("/join/e1", name="Nina Wolf")
    phone.post("/join/e1", name="Zoe Adler", full_name=1)
    assert (known(house)["Nina Wolf"].public_name, known(house)["Zoe Adler"].public_name) == ("Nina W.", None)


def test_a_team_signs_up_with_both_members(house: House) -> None:
    browser = house.organizer()
    browser.post("/console", name="Epic", rulebook="xwing-epic-team", structure="own", swiss_rounds=2, color="#00785A")
    browser.post(DESK, sign_up="open")
    phone = house.browser()
    assert phone.post("/join/e1", name="Falken", member_1="Ana Ruiz").status_code in (400, 409)
    phone.post("/join/e1", name="Falken", member_1="Ana Ruiz", member_2="Kai Eich")
    assert known(house)["Falken"].members == ("Ana Ruiz", "Kai Eich")
    again = phone.post("/join/e1", name="Milan", member_1="Kai Eich", member_2="Eva Luz")
    assert "Kai Eich" in problem_of(again)


def test_a_form_on_another_site_is_no_use(house: House) -> None:
    opened(house)
    phone = house.browser()
    phone.headers = {**phone.headers, "Origin": "http://elsewhere.example"}
    assert phone.post("/join/e1", name="Nina Wolf").status_code == 403
    phone.headers["Origin"] = "http://localhost"
    assert phone.post("/join/e1", name="Nina Wolf").status_code == 303


def test_what_is_opened_and_closed_is_the_organizer_s(house: House) -> None:
    browser = opened(house)
    page = browser.get(DESK)
    assert re.search(r'<path fill="#000" d="M', page.text)
    assert "/join/e1" in text_of(page)
    browser.post(DESK, sign_up="closed")
    assert house.event.sign_up is None
    house.publish()
    assert "phone sign-up is over" in problem_of(browser.post(DESK, sign_up="open"))


def test_one_address_and_all_together_have_their_pace() -> None:
    now = [0]
    gate = SignUpThrottle(lambda: now[0])
    assert [gate.admits("10.0.0.1") for _ in range(65)] == [True] * 64 + [False]
    assert gate.admits("10.0.0.2")
    now[0] = 10 * 60_000
    assert sum(gate.admits("10.0.0.1") for _ in range(70)) == 64
    now[0] = 20 * 60_000
    assert sum(gate.admits(f"10.0.{n // 250}.{n % 250}") for n in range(500)) == 256 + 150


def test_who_comes_too_often_is_told_to_wait(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(house)
    monkeypatch.setattr(type(house.hub.hall.sign_ups), "admits", lambda self, address: False)
    assert "Wait a few minutes" in problem_of(house.browser().post("/join/e1", name="Nina Wolf"))


def test_the_code_is_read_as_what_it_says(tmp_path: Path) -> None:
    zxing = pytest.importorskip("zxingcpp")
    image = pytest.importorskip("PIL.Image")
    svg = str(qr_svg("http://10.42.0.1:8080/join/e7f3", 'sign up for "x"'))
    size = int(re.search(r'viewBox="0 0 (\d+)', svg)[1])  # type: ignore[index]
    picture = image.new("L", (size * 4, size * 4), 255)
    for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)", svg):
        picture.paste(0, (int(x) * 4, int(y) * 4, (int(x) + int(length)) * 4, (int(y) + 1) * 4))
    assert zxing.read_barcodes(picture)[0].text == "http://10.42.0.1:8080/join/e7f3"
    assert 'aria-label="sign up for &#34;x&#34;"' in svg


def from_phone(house: House, address: str, *names: str, cookies: bool = True) -> None:
    """One browser, which keeps what it is sent or nothing."""
    client, at = house.browser().client, {"REMOTE_ADDR": address}
    for name in names:
        if cookies:
            client.get("/join/e1", environ_base=at)
        else:
            client = house.browser().client
        client.post("/join/e1", data={"name": name}, environ_base=at)


def remove(browser: Browser, competitor: str, by: str, page: str = "") -> TestResponse:
    """The button of these words that the desk's page has, or had: at this entry, or at the first that goes with it."""
    fields = ('name="competitor" value="([^"]*)"', f'name="by" value="{by}"', 'name="gone" value="([^"]*)"')
    buttons = re.findall("><input[^>]* ".join(fields), page or browser.get(DESK).text)
    who, gone = next((each for each in buttons if each[0] == competitor), (buttons or [(competitor, "")])[0])
    return browser.post(f"{DESK}/remove", competitor=who, by=by, gone=gone)


def test_false_sign_ups_of_one_phone_go_in_one_step(house: House) -> None:
    browser = opened(house)
    from_phone(house, "10.42.0.7", "Nina Wolf")
    from_phone(house, "10.42.0.7", "Donald Duck", "Daisy Duck", "Gustav Gans")
    from_phone(house, "10.42.0.8", "Pia Luchs")
    page = text_of(browser.get(DESK))
    assert "Nina Wolf phone 1" in page
    assert "Daisy Duck phone 2" in page
    assert "Delete from this phone (3)" in page
    assert "Gustav Gans, Daisy Duck, Donald Duck. Players" in page, "who goes is said before"
    shown = browser.get(DESK).text
    # One of the three comes to the desk meanwhile: the button that names all three is refused.
    browser.post("/console/e1/check-in", used=1)
    browser.post("/console/e1/competitors/p10/here", on=1)
    assert remove(browser, "p9", "phone", shown).status_code == 409
    assert "Donald Duck" in known(house)
    browser.post("/console/e1/competitors/p10/here", on=0)
    assert remove(browser, "p9", "phone").location == DESK
    assert set(known(house)) == {*PEOPLE, "Nina Wolf", "Pia Luchs"}


def test_a_phone_is_known_by_a_cookie_that_says_nothing_of_anybody(house: House) -> None:
    opened(house)
    sent = house.browser().get("/join/e1").headers.getlist("Set-Cookie")
    (phone,) = [line for line in sent if line.startswith("roundtap_phone=")]
    assert {"HttpOnly", "SameSite=Lax"} <= set(phone.split("; "))


def test_who_throws_cookies_away_is_still_at_one_address(house: House) -> None:
    browser = opened(house)
    for name in ("Donald Duck", "Daisy Duck", "Gustav Gans"):
        from_phone(house, "10.42.0.9", name)
    from_phone(house, "10.42.0.9", "Dagobert Duck", "Tick Duck", cookies=False)
    from_phone(house, "10.42.0.8", "Pia Luchs")
    page = text_of(browser.get(DESK))
    assert all(f"{name} phone {n}" in page for name, n in (("Donald Duck", 1), ("Gustav Gans", 3), ("Tick Duck", 4)))
    assert page.count("Delete from this address (5) …") == 1
    assert "Behind a router, that may be the whole hall" in page
    assert "Delete from this phone (2)" in page
    remove(browser, "p8", "address")
    assert set(known(house)) == {*PEOPLE, "Pia Luchs"}


def test_all_sign_ups_since_one_go_in_one_step(house: House) -> None:
    browser = opened(house)
    from_phone(house, "10.42.0.7", "Nina Wolf")
    for n in range(4):
        from_phone(house, f"10.42.1.{n}", f"Duck {n}")
    browser.post("/console/e1/competitors", names="Zoe Adler")
    page = text_of(browser.get(DESK))
    assert "Delete this and newer (4)" in page
    assert "Deletes these entries: Duck 3, Duck 2, Duck 1, Duck 0. Players" in page
    assert "Newest first. Duck 3" in page
    assert page.rindex("Nina Wolf phone") > page.rindex("Duck 0 phone")
    remove(browser, "p8", "since")
    assert set(known(house)) == {*PEOPLE, "Nina Wolf", "Zoe Adler"}, "whom the desk entered stays"
    house.publish()
    assert remove(browser, "p7", "phone").status_code == 409
    assert "Nina Wolf" in known(house), "who stands in a round stays"
    assert "Delete this and newer" not in text_of(browser.get(DESK))


@pytest.mark.parametrize("sign_up", ["open", "confirm"])
def test_whom_the_desk_knows_stays_when_all_since_go(house: House, sign_up: str) -> None:
    browser = opened(house, sign_up)
    browser.post("/console/e1/check-in", used=1)
    from_phone(house, "10.42.0.7", "Nina Wolf", "Donald Duck", "Pia Luchs", "Daisy Duck")
    # Nina and Pia stand at the desk; Donald says so by his own page, as anybody could.
    for who in ("p7", "p9"):
        browser.post(f"/console/e1/competitors/{who}/here", on=1)
    if sign_up == "open":
        # A wrong row pressed, and taken back.
        browser.post("/console/e1/competitors/p10/here", on=1)
        browser.post("/console/e1/competitors/p10/here", on=0)
    house.service.execute_one("e1", CheckIn("p8"), "phone:p8")
    page = text_of(browser.get(DESK))
    assert "Deletes these entries: Daisy Duck, Donald Duck. Players" in page
    assert "Keeps these confirmed or checked-in players: Pia Luchs, Nina Wolf." in page
    assert browser.post(f"{DESK}/remove", competitor="p8", by="since", gone="").status_code == 409
    remove(browser, "p8", "since")
    assert set(known(house)) == {*PEOPLE, "Nina Wolf", "Pia Luchs"}
