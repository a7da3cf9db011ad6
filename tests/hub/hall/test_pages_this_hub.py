"""This hub on the console: who is logged in, and out again; and pages that never ask a stranger to believe them."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

import pytest
import zxingcpp
from pages_kit import PIN, House, open_house, problem_of, text_of
from PIL import Image, ImageDraw

from roundtap_core.version import version
from roundtap_core.words import LANGUAGES
from roundtap_hub.access.staff import csrf_token_of
from roundtap_hub.hall.this_hub import browser_name, hours_text
from roundtap_hub.http.hall_addresses import HallAddresses
from roundtap_hub.http.tls import HttpsInfo
from roundtap_machine.wifi import Hotspot

ANDROID = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36"
FINGERPRINT = " ".join(["AB12"] * 16)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        opened.hub.access.encrypted = HttpsInfo(8443, b"-----BEGIN CERTIFICATE-----\n", FINGERPRINT)
        yield opened


def test_who_is_logged_in_stands_there_this_browser_first(house: House):
    house.hub.access.organizers.begin("10.42.0.17", ANDROID)
    house.time.ms += 65 * 60_000
    page = text_of(house.organizer().get("/console/hub"))
    mine, theirs = page.index("this browser"), page.index("10.42.0.17 · Chrome · Android")
    assert mine < theirs
    assert "logged in for 1:05 h · last used 1:05 h ago" in page[theirs:]


def test_every_page_says_at_its_foot_which_build_it_is_of(house: House):
    foot = f'<span class="build">{version()}</span>'
    assert foot in house.organizer().get("/console/hub").text
    assert foot in house.browser().get("/").text


def test_one_session_is_ended_and_all_others(house: House):
    phone, tablet, desk = house.organizer(), house.organizer(), house.organizer()
    page = desk.get("/console/hub").text
    ends = re.findall(r'action="(/console/hub/sessions/[0-9a-f]+/end)"', page)
    assert len(ends) == 3
    desk.post(ends[-1])
    assert [browser.get("/console").status_code for browser in (phone, tablet, desk)].count(302) == 1
    desk.post("/console/hub/sessions/end")
    assert [browser.get("/console").status_code for browser in (phone, tablet, desk)] == [302, 302, 200]


def test_ending_one_s_own_is_a_logout(house: House):
    desk = house.organizer()
    own = re.findall(r'action="(/console/hub/sessions/[0-9a-f]+/end)"', desk.get("/console/hub").text)
    desk.post(own[0])
    assert desk.get("/console/hub").location.startswith("/login")


def test_a_session_that_is_over_is_refused_by_every_form(house: House):
    organizer = house.with_event()
    house.time.ms += 4 * 3600_000
    before = house.event.number
    assert organizer.post("/console/e1/draw", attempt=0).location.startswith("/login")
    assert house.event.number == before


def test_a_page_that_looks_after_itself_is_no_use_of_it(house: House):
    organizer = house.with_event()
    for _ in range(5):
        house.time.ms += 3600_000
        answer = organizer.get("/console/e1?since=0123456789abcdef")
    assert answer.status_code == 302
    again = house.organizer()
    for _ in range(5):
        house.time.ms += 3600_000
        answer = again.console()
    assert answer.status_code == 200


def test_logging_in_again_ends_the_session_before(house: House):
    organizer = house.organizer()
    organizer.token = re.findall(r'name="csrf" value="([^"]+)"', organizer.get("/console/hub").text)[0]
    assert organizer.post("/login", pin=PIN).status_code == 303
    assert len(house.hub.access.organizers.listed()) == 1


def test_the_mark_of_a_form_is_another_after_the_login(house: House):
    """Nobody fixes it beforehand."""
    browser = house.browser()
    browser.get("/login")
    before = browser.token
    browser.log_in()
    assert browser.token != before
    assert browser.client.post("/console", data={"csrf": before, "name": "x"}).status_code == 403


def test_cookies_of_the_hub_itself_keep_to_themselves(house: House):
    browser = house.browser()
    browser.get("/login")
    answer = browser.post("/login", pin=PIN)
    said = {each.partition("=")[0]: each for each in answer.headers.getlist("Set-Cookie")}
    assert {"HttpOnly", "Path=/", "SameSite=Lax", "Max-Age=86400"} <= set(said["roundtap_here"].split("; "))
    assert not [each for each in said.values() if "Expires" in each], "the hub's date may be wrong"
    assert browser.client.get("/login?next=//evil.example", headers=browser.headers).location == "/console"


@pytest.mark.parametrize("language", LANGUAGES)
def test_how_to_trust_the_hub_is_said_to_everybody(house: House, language: str):
    page = house.browser(language).get("/trust")
    assert FINGERPRINT in text_of(page)
    assert 'href="/ca.crt"' in page.text
    assert "roundtap fingerprint" in text_of(page)
    authority = house.browser().get("/ca.crt")
    assert (authority.content_type, authority.text) == ("application/x-x509-ca-cert", "-----BEGIN CERTIFICATE-----\n")
    assert FINGERPRINT in text_of(house.organizer().get("/console/hub"))


def test_a_hub_without_https_has_nothing_to_trust(tmp_path: Path):
    with open_house(tmp_path) as house:
        assert house.browser().get("/trust").status_code == 404
        assert house.browser().get("/ca.crt").status_code == 404
        assert "--secure-port 8443" in text_of(house.organizer().get("/console/hub"))


def test_an_archived_event_is_only_looked_at(house: House):
    organizer = house.with_event()
    organizer.post("/console/e1/archive")
    answer = organizer.post("/console/e1/competitors", names="Kim Who")
    assert answer.status_code == 409
    assert "is archived and cannot change" in problem_of(answer)
    organizer.post("/console/e1/restore")
    assert organizer.post("/console/e1/competitors", names="Kim Who").status_code == 303


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (ANDROID, "Chrome · Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari · iPhone"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox · Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.36 Edg/130.0", "Edge · Windows"),
        ("curl/8", ""),
        ("", ""),
    ],
)
def test_browsers_are_told_apart(agent: str, name: str):
    assert browser_name(agent) == name


def test_ages_are_hours_and_minutes():
    assert [hours_text(ms) for ms in (-5, 59_999, 60_000, 3_600_000, 90_000_000)] == ["", "", "0:01", "1:00", "25:00"]


# --- the staff ------------------------------------------------------------------------------------------------------


def zxing_text(page: str) -> str:
    """What a phone's camera reads off the page."""
    svg = re.findall(r'<svg class="qr" viewBox="0 0 (\d+) .*?d="([^"]+)"', page)[0]
    size, scale = int(svg[0]), 6
    picture = Image.new("L", (size * scale, size * scale), 255)
    draw = ImageDraw.Draw(picture)
    for x, y, run in (map(int, each) for each in re.findall(r"M(\d+) (\d+)h(\d+)", svg[1])):
        draw.rectangle((x * scale, y * scale, (x + run) * scale - 1, (y + 1) * scale - 1), fill=0)
    found = zxingcpp.read_barcodes(picture)
    return found[0].text if found else ""


def pin_on(page: str) -> str:
    return re.findall(r'<output class="pin figures">([\d ]+)</output>', page)[0].replace(" ", "")


def test_a_pin_is_made_shown_once_and_logs_in_and_its_last_use_is_listed(house: House):
    house.time.wall = "2026-11-22T10:04:59+00:00"
    desk, phone = house.organizer(), house.browser()
    made = desk.post("/console/hub/staff", name="Eva Luz", role="judge")
    pin = pin_on(made.text)
    assert 'data-address="/console/hub"' in made.text
    page = desk.get("/console/hub")
    assert pin not in page.text.replace(" ", "")
    assert "Eva Luz judge never logged in" in text_of(page)
    phone.log_in(pin)
    house.service.execute([], "until that is saved")
    said = text_of(desk.get("/console/hub"))
    assert "Eva Luz judge last logged in 2026-11-22 10:04 · logged in now: 1" in said
    assert said.count("Eva Luz judge ·") == 1, "her session is named"


def test_whoever_is_revoked_is_sent_to_the_login_with_the_next_press(house: House):
    desk, phone = house.organizer(), house.staff("judge")
    (person,) = house.hub.access.organizers.staff.people
    assert phone.get("/console").status_code == 200
    desk.get("/console/hub")
    desk.post(f"/console/hub/staff/{person.id}/revoke")
    assert phone.get("/console").location.startswith("/login")
    said = text_of(desk.get("/console/hub"))
    assert "1 revoked" in said
    new = pin_on(desk.post(f"/console/hub/staff/{person.id}/pin").text)
    phone.log_in(new)
    assert phone.get("/console").status_code == 200


def test_the_code_to_scan_is_there_where_the_hub_s_address_is_known(house: House):
    desk = house.organizer()
    assert '<svg class="qr"' not in desk.post("/console/hub/staff", name="Kai", role="judge").text
    far, token = house.app.test_client(), house.hub.access.organizers.begin("10.42.0.9", "")
    far.set_cookie("__Host-roundtap", token, domain="10.42.0.1", secure=True)
    answer = far.post(
        "/console/hub/staff",
        base_url="https://10.42.0.1:8443",
        data={
            "csrf": csrf_token_of(token, house.hub.access.secret),
            "name": "Eva",
            "role": "judge",
        },
        environ_base={"REMOTE_ADDR": "10.42.0.9"},
    )
    assert 'href="https://10.42.0.1:8443/login"' in answer.text
    assert zxing_text(answer.text) == "https://10.42.0.1:8443/login"


def test_what_is_wrong_with_a_name_is_said_and_what_was_typed_stays(house: House):
    desk = house.organizer()
    desk.post("/console/hub/staff", name="Eva", role="judge")
    answer = desk.post("/console/hub/staff", name="eva", role="scorekeeper")
    assert "“eva” already has a PIN" in problem_of(answer)
    assert 'value="eva"' in answer.text
    assert "is no longer on the staff" in problem_of(desk.post("/console/hub/staff/nobody/revoke"))


def test_an_official_is_said_to_be_somebody_of_the_staff(house: House):
    desk = house.with_event()
    house.staff("judge", "Eva Luz")
    (person,) = house.hub.access.organizers.staff.people
    desk.post("/console/e1/officials", name="Marta Gil", role="organizer")
    assert "Eva Luz (judge)" in text_of(desk.get("/console/e1/officials"))
    desk.post("/console/e1/officials/o1/person", person=person.id)
    assert dict(house.hub.access.organizers.staff.people[0].officials) == {"e1": "o1"}
    desk.post("/console/e1/officials/o1/person", person="")
    assert dict(house.hub.access.organizers.staff.people[0].officials) == {}


def test_organizers_see_the_hub_s_addresses_and_its_wifi(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    spot = Hotspot("Tom's Games", "kmwp-4hd7-xqre", "wlan0", 6, "DE")
    monkeypatch.setattr("roundtap_hub.hall.this_hub.known_hotspot", lambda: spot)
    desk = house.organizer()

    def shown(*addresses: str) -> str:
        reached = HallAddresses(
            8080, 80, (), lambda: [ip_address(address) for address in addresses], lambda: "roundtap.local"
        )
        reached.refresh()
        house.hub.host.hall_addresses = reached
        return text_of(desk.get("/console/hub"))

    said = shown("192.168.1.20", "10.42.0.1")
    for text in (
        "http://192.168.1.20",
        "http://10.42.0.1 · on the hub's own Wi-Fi",
        "http://roundtap.local",
        "Tom's Games",
        "kmwp-4hd7-xqre",
        "At most 8 devices, table units included",
    ):
        assert text in said
    assert "but not on" not in said
    assert "but not on" in shown("192.168.1.20")


def test_a_hub_that_only_its_own_machine_reaches_says_no_name(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtap_hub.hall.this_hub.known_hotspot", lambda: None)
    reached = HallAddresses(9522, 0, (), lambda: [ip_address("127.0.0.1")], lambda: "roundtap.local")
    reached.refresh()
    house.hub.host.hall_addresses = reached
    said = text_of(house.organizer().get("/console/hub"))
    assert "http://127.0.0.1:9522" in said
    assert "roundtap.local" not in said


def test_a_hub_on_no_network_says_so_and_one_without_a_hotspot_shows_none(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roundtap_hub.hall.this_hub.known_hotspot", lambda: None)
    house.hub.host.hall_addresses = HallAddresses(8080, addresses=tuple)
    said = text_of(house.organizer().get("/console/hub"))
    assert "This hub has no network" in said
    assert "own Wi-Fi" not in said
