"""What Firefox ESR and WebKitGTK once showed, tried in every engine: focus, a list that is too wide, the color of an
event, an empty date, the numbers of sheets."""

import base64
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hall_kit import Hall
from pages_kit import PIN
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.print_page_options import PrintOptions
from selenium.webdriver.remote.webdriver import WebDriver
from troubles_engines import TROUBLES, Trouble

from engines import ENGINES
from kit import wait_until
from roundtap_core.event.commands import SetClock

ROOT = Path(__file__).parents[2]
PEOPLE = [f"Player {n:02}" for n in range(1, 9)]


@pytest.fixture(scope="session", params=list(ENGINES))
def one_engine(request: pytest.FixtureRequest) -> Iterator[WebDriver]:
    with ENGINES[request.param]() as driver:
        yield driver


@pytest.fixture
def engine(one_engine: WebDriver) -> Iterator[WebDriver]:
    one_engine.set_window_size(1280, 800)
    yield one_engine
    # No page that goes on asking a hall which tests share.
    one_engine.get("about:blank")


def name_of(engine: WebDriver) -> str:
    return str(engine.capabilities["browserName"]).lower()


def let_in(engine: WebDriver, hall: Hall) -> None:
    engine.get(f"{hall.url}/console")
    if asked := engine.find_elements(By.NAME, "pin"):
        asked[0].send_keys(PIN, Keys.ENTER)
        wait_until(lambda: "/login" not in engine.current_url, "to be let in")


def press(engine: WebDriver, selector: str, leads_to: str) -> None:
    wait_until(lambda: engine.find_elements(By.CSS_SELECTOR, selector), selector)
    engine.find_element(By.CSS_SELECTOR, selector).click()
    wait_until(lambda: engine.find_elements(By.CSS_SELECTOR, leads_to), leads_to)


def test_whoever_reports_by_phone_types_the_figure_at_once(hall: Hall, engine: WebDriver) -> None:
    event = hall.create("Winter Open", people=PEOPLE)
    hall.publish(event)
    hall.tell(event, SetClock("start"), SetClock("adjust", -76 * 60_000))
    live = hall.event(event).live
    assert live
    engine.get(hall.url + hall.house.hub.access.links.path(event, live.matches[0].match.a))
    press(engine, "#my-match a[href$='/report']", ".walk [value=time]")
    press(engine, ".walk [value=time]", "[name='q.score.winner']")
    wait_until(
        lambda: engine.execute_script("return document.activeElement.name") == "q.score.winner",
        "the first figure to have the focus",
    )


def test_what_a_search_finds_makes_no_page_wider(hall: Hall, engine: WebDriver) -> None:
    event = hall.create("Winter Open", people=PEOPLE)
    hall.publish(event)
    let_in(engine, hall)
    for path in (f"/console/{event}", "/console"):
        for width in (1280, 700, 500):
            engine.set_window_size(width, 800)
            engine.get(hall.url + path)
            engine.find_element(By.CSS_SELECTOR, "#find-all input").send_keys("player")
            wait_until(lambda: engine.find_element(By.ID, "find-list").is_displayed(), "what is found")
            wide = engine.execute_script(
                "const box = document.getElementById('find-list').getBoundingClientRect();"
                "return [document.documentElement.scrollWidth - innerWidth, box.right - innerWidth, -box.left]"
            )
            assert max(wide) <= 0, (path, width, wide)


@pytest.mark.parametrize("color", ["#7D2a0b", "#882255"])
def test_an_event_has_its_own_color(hall: Hall, engine: WebDriver, color: str) -> None:
    event = hall.create("Winter Open", people=PEOPLE, color=color)
    engine.get(f"{hall.url}/e/{event}")
    shown = engine.execute_script("return getComputedStyle(document.querySelector('.strip')).backgroundColor")
    assert tuple(map(int, re.findall(r"\d+", shown))) == tuple(bytes.fromhex(color[1:])), shown


def inks(engine: WebDriver, selector: str) -> int:
    """How many colors stand in a field, its frame and its sign left out."""
    x, y, width, height = engine.execute_script(
        "const field = document.querySelector(arguments[0]);"
        "field.scrollIntoView({ block: 'center', behavior: 'instant' });"
        "const box = field.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]",
        selector,
    )
    picture = Image.open(io.BytesIO(engine.get_screenshot_as_png())).convert("RGB")
    inside = picture.crop((int(x) + 6, int(y) + 6, int(x + 0.7 * width), int(y + height) - 6))
    return len(inside.getcolors(4096) or range(4096))


def test_a_date_that_nobody_gave_shows_none(hall: Hall, engine: WebDriver) -> None:
    """Safari and its kin show today in an empty field; others how a date is written."""
    let_in(engine, hall)
    engine.get(f"{hall.url}/console/new")
    engine.execute_script("for (const one of document.querySelectorAll('main details')) one.open = true")
    date = "input[name=date]"
    wait_until(lambda: inks(engine, "input[name=venue]") == 1, "the fields to be drawn")
    assert engine.find_element(By.CSS_SELECTOR, date).get_attribute("value") == ""
    if name_of(engine) == "minibrowser":
        wait_until(lambda: inks(engine, date) == 1, "no date")
    engine.execute_script(
        "const date = document.querySelector(arguments[0]); date.value = '2026-12-24';"
        "date.dispatchEvent(new Event('input', { bubbles: true }))",
        date,
    )
    wait_until(lambda: inks(engine, date) > 1, "the date")


def pages_in(pdf: bytes) -> int:
    """How many pages a PDF has, whether its objects are packed or not."""
    packed = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.S)
    objects = [pdf]
    for each in packed:
        with suppress(zlib.error):
            objects.append(zlib.decompress(each))
    return sum(len(re.findall(rb"/Type\s*/Page\b(?!s)", each)) for each in objects)


@pytest.mark.parametrize(
    ("what", "size"),
    [("print/{}/pairings-name", "a4"), ("console/{}/print/players", "a5"), ("console/{}/print/emergency", "a4")],
)
def test_every_page_of_a_sheet_has_its_number(hall: Hall, engine: WebDriver, what: str, size: str) -> None:
    """Chromium writes numbers into the margins; elsewhere the sheet has a line for each page, and that page is one."""
    event = hall.create(
        "Winter Open", people=[f"Maximilian von Hohenfels-Brandt {n:03}" for n in range(90)], full_names="1"
    )
    hall.publish(event)
    let_in(engine, hall)
    engine.get(f"{hall.url}/{what.format(event)}?size={size}")
    numbers = [one.get_attribute("textContent") for one in engine.find_elements(By.CLASS_NAME, "page-number")]
    if name_of(engine) == "chrome":
        assert numbers == []
        return
    assert len(numbers) > 2
    assert numbers == [f"{at} / {len(numbers)}" for at in range(1, len(numbers) + 1)]
    if name_of(engine) == "firefox":
        engine.set_window_size(500, 800)
        pdf = engine.print_page(PrintOptions())
        assert pages_in(base64.b64decode(pdf)) == len(numbers)


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.kind)
def test_the_test_of_each_trouble_exists(trouble: Trouble) -> None:
    file, _, name = trouble.test.partition("::")
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")
    assert trouble.had_by
    assert trouble.right
