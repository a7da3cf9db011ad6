"""At the desk: a player's link as a code that phones read and people type, and the link taken back."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_kit import House, open_house, text_of

from roundtap_hub.http.hall_addresses import HallAddresses
from roundtap_hub.http.host import hall_address
from roundtap_hub.http.qr_svg import qr_svg

AT = "/console/e1/competitors/p1/link"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as house:
        house.with_event()
        yield house


def read(svg: str) -> str:
    """What a phone reads off the drawing."""
    zxingcpp = pytest.importorskip("zxingcpp")
    from PIL import Image

    found = re.search(r'viewBox="0 0 (\d+)', svg)
    assert found
    size, scale = int(found[1]), 6
    image = Image.new("L", (size * scale, size * scale), 255)
    dark = re.findall(r'fill="#000" d="([^"]*)"', svg)[0]
    for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)", dark):
        image.paste(0, (int(x) * scale, int(y) * scale, (int(x) + int(length)) * scale, (int(y) + 1) * scale))
    text: str = zxingcpp.read_barcodes(image)[0].text
    return text


def test_a_code_is_read_as_what_it_was_made_of() -> None:
    for text in ("http://10.42.0.1:8080/me/x", "http://hub.local/" + "ż" * 40):
        svg = str(qr_svg(text, 'Ana "A" <b>'))
        assert read(svg) == text
        assert "<b>" not in svg


def test_the_desk_shows_code_and_letters_that_both_lead_to_the_page(house: House) -> None:
    desk = house.organizer()
    before = desk.get(AT)
    assert "Not in use yet." in text_of(before)
    assert "<path" not in before.text.split("</header>")[1].split("<main")[1]
    shown = desk.post(AT)
    svg = re.search(r'<svg class="qr".*?</svg>', shown.text, re.S)
    assert svg
    assert read(svg[0]).endswith(house.hub.access.links.path("e1", "p1"))
    letters = re.search(r'<p class="code">([A-Z ]+)</p>', shown.text)
    assert letters
    assert house.hub.access.links.claim_code(letters[1], "10.0.0.9") == house.hub.access.links.path("e1", "p1")
    assert "In use on a phone." in text_of(desk.get(AT))
    assert house.hub.access.links.claim_by_slip("e1", "p1", "somebody else's phone") is None


def test_a_link_that_is_taken_back_opens_nothing(house: House) -> None:
    desk = house.organizer()
    desk.get(AT)
    desk.post(AT)
    path = house.hub.access.links.path("e1", "p1")
    assert house.browser().get(path).status_code == 200
    assert desk.post(f"{AT}/revoke").status_code == 303
    assert house.browser().get(path).status_code == 404
    assert "Not in use yet." in text_of(desk.get(AT))


def test_a_player_s_forms_lead_to_the_link(house: House) -> None:
    assert AT in house.organizer().get("/console/e1/person/p1").text


@pytest.mark.parametrize(
    ("asked", "port", "told"),
    [
        ("https://10.42.0.1:8443/", 8080, "http://10.42.0.1:8080"),
        ("http://hub.local:8080/", 8080, "http://hub.local:8080"),
        ("http://hub.local/", 80, "http://hub.local"),
        ("https://[fd00::1]:8443/", 8080, "http://[fd00::1]:8080"),
    ],
)
def test_phones_are_sent_to_the_plain_port(house: House, asked: str, port: int, told: str) -> None:
    house.hub.host.plain_port = port
    assert hall_address(house.hub.host, asked) == told


def test_a_desk_at_the_hub_itself_shows_an_address_that_a_phone_reaches(house: House) -> None:
    from ipaddress import ip_address

    house.hub.host.hall_addresses = HallAddresses(8080, addresses=lambda: [ip_address("192.168.7.4")])
    assert hall_address(house.hub.host, "http://localhost:8080/") == "http://192.168.7.4:8080"
