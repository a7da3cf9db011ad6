"""Printed sheets in a real browser: no slip is cut, each QR code is read again, and a sheet holds what it should."""

import base64
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import zxingcpp
from pages_kit import House, open_house
from PIL import Image
from screen_kit import Screen

import roundtap_hub
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES

STYLE = (Path(roundtap_hub.__file__).parent / "static/print.css").read_text(encoding="utf-8")
FIRST = ("Aleksandra", "Maximilian", "Świętosława", "Íñigo")
LAST = ("Wiśniewska-Szczepańska", "von Hohenfels-Brandt", "Brzęczyszczykiewicz", "García de la Fuente")
LONG = [f"{FIRST[n % 4]} {LAST[(n + n // 4) % 4]} {n}" for n in range(128)]

CUT = """return [...document.querySelectorAll('.slip')].filter((slip) => {
  const inside = slip.getBoundingClientRect();
  return slip.scrollHeight > slip.clientHeight + 1 || slip.scrollWidth > slip.clientWidth + 1 ||
    [...slip.querySelectorAll('*')].some((one) => {
      const box = one.getBoundingClientRect();
      return box.right > inside.right + 1 || box.bottom > inside.bottom + 1;
    });
}).map((slip) => slip.innerText)"""


BOXES = """return [...document.querySelectorAll('.slip')].map((slip) => slip.getBoundingClientRect())
  .map((box) => [box.left, box.top, box.right, box.bottom])"""

WIDER = """const main = document.querySelector('main');
return [...document.querySelectorAll('td, th')].filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.innerText).concat(main.scrollWidth > main.clientWidth + 1 ? ['the sheet'] : [])"""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as made:
        made.time.wall = "2026-11-21T14:25:00+00:00"
        yield made


def looked_at(screen: Screen, folder: Path, page: str) -> None:
    """The page from a file, with its style: no server has to run."""
    page = re.sub(r'<link rel="stylesheet"[^>]*>', lambda _: f"<style>{STYLE}</style>", page)
    path = folder / "sheet.html"
    path.write_text(re.sub(r"<script[^>]*></script>", "", page), encoding="utf-8")
    screen.open(path.as_uri())


def pages_of(screen: Screen) -> int:
    pdf = base64.b64decode(screen.cdp("Page.printToPDF", {"preferCSSPageSize": True})["data"])
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


@pytest.mark.parametrize(
    ("rulebook", "languages"),
    [
        ("shatterpoint-premier", ["pl"]),
        *(pytest.param(rulebook, LANGUAGES, id=f"{rulebook}-long", marks=pytest.mark.long) for rulebook in RULEBOOKS),
    ],
)
def test_no_slip_is_cut_and_every_code_is_read(
    house: House, screen: Screen, tmp_path: Path, rulebook: str, languages: Sequence[str]
) -> None:
    people = LONG[:16]
    if RULEBOOKS[rulebook].team_size > 1:
        people = [f"Szwadron {LAST[n % 4]} {n}: {name}, {LONG[n + 40]}" for n, name in enumerate(people)]
    more = {"prize_places": 1} if rulebook == "warlords-of-terra" else {}
    desk = house.with_event(people, rulebook=rulebook, full_names="1", **more)
    house.publish()
    for language in languages:
        desk.headers["Accept-Language"] = language
        for size, sheets in (("a4", 1), ("a5", 3)):
            looked_at(screen, tmp_path, desk.get(f"/console/e1/print/slips?size={size}").text)
            assert len(screen.all(".slip")) == 8
            assert screen.run(CUT) == [], (language, size)
            assert pages_of(screen) == sheets, (language, size)
    # As fine as a coarse printer: 192 dots an inch.
    screen.cdp(
        "Emulation.setDeviceMetricsOverride", {"width": 1366, "height": 3000, "deviceScaleFactor": 2, "mobile": False}
    )
    addresses = []
    picture = Image.open(io.BytesIO(screen.driver.get_screenshot_as_png()))
    for left, top, right, bottom in screen.run(BOXES):
        slip = picture.crop((2 * left, 2 * top, 2 * right, 2 * bottom))
        addresses += [found.text for found in zxingcpp.read_barcodes(slip)]
    assert len(set(addresses)) == 8
    assert all(re.fullmatch(r"http://[^/]+/s/[0-9A-V]{32}", one) for one in addresses)
    assert house.browser().get("/s/" + addresses[0].rpartition("/")[2]).status_code == 200


@pytest.mark.long
@pytest.mark.parametrize("size", ["a5", "a4"])
def test_sixty_four_tables_of_long_names_fit_their_sheets(
    house: House, screen: Screen, tmp_path: Path, size: str
) -> None:
    desk = house.with_event(LONG, full_names="1", swiss_rounds=6)
    for _ in range(2):
        house.publish()
        house.play()
    house.publish()
    desk.headers["Accept-Language"] = "pl"
    for what, most in (
        ("print/e1/pairings-table", 6),
        ("print/e1/pairings-name", 8),
        ("print/e1/standings", 8),
        ("console/e1/print/players", 10),
        ("console/e1/print/emergency", 8 if size == "a4" else 10),
    ):
        looked_at(screen, tmp_path, desk.get(f"/{what}?size={size}").text)
        assert screen.run(WIDER) == [], what
        assert pages_of(screen) <= most, what
