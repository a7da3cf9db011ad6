"""The wall in a real browser, measured: names fill the screen, none is cut, and what is old or over says so."""

import re
from typing import Any

import pytest
from hall_kit import Hall
from pages_kit import House
from screen_kit import PICTURES, Screen, Size
from selenium import webdriver

from every_script import EAST_ASIAN, EMOJI_FONT, RIGHT_TO_LEFT, chinese_letters
from roundtap_core.event.commands import FinishEvent, SetClock

LONG = "Aleksandra Wiśniewska-Szczepańska"
FIRST = ["Bartłomiej", "Łukasz", "Małgorzata", "Święcisława", "Ana", "Żaneta", "Jan", "Óscar"]
LAST = ["Brzęczyszczykiewicz", "Żak", "García Márquez", "Müller-Lüdenscheidt", "Kowalski", "Li", "Dąbrowska", "Eich"]
PEOPLE = [LONG, *(f"{first} {last}" for last in LAST for first in FIRST)]
MANY = [*PEOPLE, *(f"{name} {n}." for n, name in enumerate(PEOPLE[1:64], start=1))]
CAPITALS_MM, SCREEN_MM = 22, 55 * 25.4

MEASURED = """
    const pen = document.createElement("canvas").getContext("2d");
    return [...document.querySelectorAll("#fitted > .wall-page")].map((page) => {
      const lines = [...page.querySelectorAll("li:not(.blank), tbody > tr:not(.blank)")].map((line) => {
        const name = line.querySelector("bdi"), style = getComputedStyle(name);
        const box = line.getBoundingClientRect();
        // Ten times as large, as browsers round what they measure.
        pen.font = `${style.fontWeight} ${10 * parseFloat(style.fontSize)}px ${style.fontFamily}`;
        const range = document.createRange();
        range.selectNodeContents(name);
        const rects = [...range.getClientRects()];
        const words = name.textContent.split(/[\\s-]+/);
        const next = [...line.children].filter((each) => !each.contains(name))
          .map((each) => each.getBoundingClientRect());
        return {
          name: name.textContent, capital: pen.measureText("H").actualBoundingBoxAscent / 10,
          rows: rects.length, words: words.length, left: Math.min(...rects.map((r) => r.left)),
          right: Math.max(...rects.map((r) => r.right)),
          bottom: box.bottom, page: page.parentElement.getBoundingClientRect().bottom, screen: innerWidth,
          over: next.some((other) => rects.some((r) => r.right > other.left + 1 && r.left < other.right - 1
            && r.bottom > other.top + 4 && r.top < other.bottom - 4)),
        };
      });
      return lines;
    });"""

SCREENS = [(1920, 1080), (1280, 720), (3840, 2160), (1080, 1920)]

WRITTEN = """
    // What a look writes so many milliseconds after another one.
    const seen = new MutationObserver(() => {});
    window.roundtap.look();
    seen.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
    window.ahead_ms += arguments[0];
    window.roundtap.look();
    return seen.takeRecords().map(({target}) => target.tagName || target.parentElement.tagName);"""

NAMES = (*EAST_ASIAN, *RIGHT_TO_LEFT, *(("🔥🔥", "👩‍🚀 Ana", "Bo 🇵🇱") if EMOJI_FONT.exists() else ()), "Ana 2 (x)")

BOXES = """
    // Letters that are drawn as a font draws what it lacks.
    const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const picture = (letter, font) => {
      pen.clearRect(0, 0, 80, 80);
      pen.font = font;
      pen.fillText(letter, 10, 60);
      return pen.getImageData(0, 0, 80, 80).data.join();
    };
    return [...document.querySelectorAll("#fitted bdi")].flatMap((name) => {
      const font = `600 40px ${getComputedStyle(name).fontFamily}`, box = picture("\\u0378", font);
      return [...name.textContent].filter((letter) => letter.trim() && picture(letter, font) === box);
    });"""
DIRECTIONS = """
    return [...document.querySelectorAll("#fitted .wall-name > bdi")].map((name) => {
      const text = name.firstChild, range = document.createRange(), last = text.data.length - 1;
      const left = (place) => {
        range.setStart(text, place); range.setEnd(text, place + 1);
        return range.getBoundingClientRect().left;
      };
      return [text.data, left(0) > left(last)];
    });"""

COVERED = """
    const label = document.getElementById("display-name"), box = label.getBoundingClientRect();
    if (!box.width || box.right > innerWidth || box.bottom > innerHeight) return ["no label on the screen"];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), over = [];
    for (let node; (node = texts.nextNode());) {
      if (!node.data.trim() || label.contains(node) || !node.parentElement.checkVisibility()
        || node.parentElement.closest("script, style, .skip")) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) {
        if (rect.right > box.left && rect.left < box.right && rect.bottom > box.top && rect.top < box.bottom)
          over.push(node.data.trim());
      }
    }
    return over;"""


@pytest.fixture
def screen(screen: Screen) -> Screen:
    screen.language("pl")
    return screen


def text(browser: webdriver.Chrome, id: str) -> str:
    return browser.find_element("id", id).text


def screen_of(screen: Screen, width: int, height: int) -> float:
    """Sets the screen's size in px; millimetres of a pixel on 55″."""
    screen.size(Size(width, height))
    mm: float = SCREEN_MM / (width * width + height * height) ** 0.5
    return mm


def measured(screen: Screen, people: int, capital_px: float = 0) -> list[list[dict[str, Any]]]:
    """The lines of each page, once all people are on one in such letters: a busy machine draws the head first."""
    pages: list[list[dict[str, Any]]] = []

    def all_there() -> bool:
        pages[:] = screen.run(MEASURED)
        lines = [line for page in pages for line in page]
        return len(lines) == people and min(line["capital"] for line in lines) >= capital_px

    screen.until(all_there, f"everybody on the wall, in capitals of {capital_px:.1f} px")
    return pages


def nothing_is_cut(pages: list[list[dict[str, Any]]]) -> None:
    for line in (line for page in pages for line in page):
        assert line["rows"] <= line["words"], f"{line['name']} is broken within a word"
        assert line["left"] >= 0
        assert line["right"] <= line["screen"]
        assert line["bottom"] <= line["page"] + 1, f"{line['name']} hangs out of the page"
        assert not line["over"], f"{line['name']} lies over its table"


@pytest.mark.long
def test_every_name_of_64_tables_has_capitals_of_22_mm(own_hall: Hall, screen: Screen) -> None:
    house, url, browser = own_hall.house, own_hall.url, screen.driver
    house.with_event(MANY, full_names="1")
    house.publish()
    for size in SCREENS:
        mm = screen_of(screen, *size)
        browser.get(f"{url}/wall/e1")
        pages = measured(screen, 128)
        assert min(line["capital"] for page in pages for line in page) * mm >= CAPITALS_MM, size
        assert 1 < len(pages) <= 10, size
        assert max(map(len, pages)) - min(map(len, pages)) <= 1, "pages are evenly full"
        nothing_is_cut(pages)
    # Everybody's letter leads to a page.
    marks = [mark.text for mark in browser.find_elements("css selector", ".wall-index span")]
    assert len(marks) == len(pages)
    assert marks[0].startswith("A")
    assert marks[-1].endswith("Z")
    house.play()
    screen.until(lambda: browser.execute_script("return !!document.querySelector('#fitted tbody')"), "the standings")
    for size in SCREENS:
        mm = screen_of(screen, *size)
        browser.get(f"{url}/wall/e1")
        pages = measured(screen, 128)
        assert min(line["capital"] for page in pages for line in page) * mm >= CAPITALS_MM, size
        nothing_is_cut(pages)


def test_few_names_are_far_larger(own_hall: Hall, screen: Screen) -> None:
    """In a hall of their own: where other events sit at the first ninety-nine tables, their numbers are wider."""
    event = own_hall.create("Winter Open", people=PEOPLE[:8], full_names="1")
    own_hall.publish(event)
    mm = screen_of(screen, 1920, 1080)
    screen.open(f"{own_hall.url}/wall/{event}")
    [page] = measured(screen, 8, 1.2 * CAPITALS_MM / mm)
    nothing_is_cut([page])
    assert page[0]["name"] == LONG
    filled = max(line["bottom"] for line in page) / page[0]["page"]
    assert filled > 0.95, "the page is filled"


def test_four_short_names_are_larger_still(own_hall: Hall, screen: Screen) -> None:
    event = own_hall.create("Winter Open", people=PEOPLE[:4])
    own_hall.publish(event)
    mm = screen_of(screen, 1920, 1080)
    screen.open(f"{own_hall.url}/wall/{event}")
    [page] = measured(screen, 4, 2.5 * CAPITALS_MM / mm)
    nothing_is_cut([page])
    assert page[0]["name"] == "Aleksandra\xa0W."
    assert all(line["rows"] == 1 for line in page), "an initial stands on no line of its own"


def test_opponent_and_record_stand_beside_the_name(hall: Hall, screen: Screen) -> None:
    event = hall.create("Winter Open", people=PEOPLE[:4])
    hall.publish(event)
    hall.play(event)
    hall.publish(event)
    screen_of(screen, 1920, 1080)
    screen.open(f"{hall.url}/wall/{event}")
    measured(screen, 4)
    lines = screen.run("return [...document.querySelectorAll('#fitted li')].map((li) => li.innerText)")
    names = [line.splitlines()[0].replace("\xa0", " ") for line in lines]
    for line in lines:
        said = " ".join(line.replace("\xa0", " ").split())
        assert sum(f"kontra {other}" in said for other in names) == 1
        assert "1–0" in said or "0–1" in said
        assert "MoV" in said


def test_old_news_are_grey_legible_and_say_of_when_they_are(own_hall: Hall, screen: Screen) -> None:
    house, url, browser = own_hall.house, own_hall.url, screen.driver
    knows_the_time(house)
    house.with_event(PEOPLE[:4])
    house.publish()
    screen_of(screen, 1920, 1080)
    for path in ("/wall/e1?theme=light", "/wall/e1?theme=dark", "/e/e1/p/p1"):
        browser.get(f"{url}{path}")
        screen.until(lambda: browser.execute_script("return window.heard_hub && window.roundtap.known()"), "news")
        # Silence, and nobody waits for it to be long: the page's own clock is set on.
        screen.go_stale(82)
        # At least so long: a slow machine's own time comes on top.
        screen.until(lambda: re.search("[1-9]:", text(browser, "contact")), "the age")
        said = text(browser, "contact")
        assert re.search("Brak łączności od ([2-9]:|1:[2-5])", said)
        assert ":32" in said, "the time of day of what is shown"
        assert min(contrasts(browser)) >= 4.5, path
        screen.offline(False)


def knows_the_time(house: House) -> None:
    house.time.wall = "2026-11-21T13:32:00+00:00"


def contrasts(browser: webdriver.Chrome) -> list[float]:
    """Of the page's kinds of text on what lies under them, while it is stale."""
    found: list[float] = browser.execute_script("""
        const shade = (color) => color.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
          .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
          .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const under = (element) => {
          for (let at = element; at; at = at.parentElement) {
            const color = getComputedStyle(at).backgroundColor;
            if (!/, 0\\)|transparent/.test(color)) return shade(color);
          }
          return 1;
        };
        const texts = [...document.querySelectorAll("main *")].filter((each) => each.checkVisibility()
          && [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()));
        let opacity = 1;
        for (const main of [document.querySelector("main")]) opacity *= getComputedStyle(main).opacity;
        return texts.map((each) => {
          const [a, b] = [shade(getComputedStyle(each).color), under(each)].sort((x, y) => y - x);
          return opacity < 1 ? 1 : (a + 0.05) / (b + 0.05);
        });""")
    assert found
    return found


def test_a_round_that_is_over_ends_at_no_time_to_come(own_hall: Hall, screen: Screen) -> None:
    house, url, browser = own_hall.house, own_hall.url, screen.driver
    knows_the_time(house)
    house.with_event(PEOPLE[:4])
    house.publish()
    house.service.execute_one("e1", SetClock("start"), "test")
    browser.get(f"{url}/wall/e1")
    screen.until(lambda: "koniec" in text(browser, "ends"), "the end")
    set_clock(house, 100)
    screen.until(lambda: text(browser, "ends") == "", "no end any more")


def set_clock(house: House, left_ms: int) -> None:
    remaining = house.event.clock.remaining_at(house.hub.clocks.now())
    assert remaining is not None
    house.service.execute_one("e1", SetClock("adjust", left_ms - remaining), "test")


def test_a_look_writes_only_what_changed_and_there_is_one_for_all(hall: Hall, screen: Screen) -> None:
    event = hall.create("Winter Open", people=PEOPLE[:4])
    hall.publish(event)
    hall.tell(event, SetClock("start"))
    screen.stand_still()
    screen.open(f"{hall.url}/wall/{event}?sound=1")
    screen.until(lambda: screen.run("return window.heard_hub && window.roundtap.known()"), "the hub's time")
    assert screen.run(WRITTEN, 0) == []
    assert screen.run(WRITTEN, 1000) == ["TIME"]
    assert screen.run("return window.looks") == [], "nothing beside it wakes the machine"


@chinese_letters
def test_names_of_every_script_are_drawn_and_keep_their_direction(own_hall: Hall, screen: Screen) -> None:
    house, browser = own_hall.house, screen.driver
    house.with_event(list(NAMES), full_names="1")
    house.publish()
    for size in SCREENS[:2]:
        screen_of(screen, *size)
        browser.get(f"{own_hall.url}/wall/e1")
        pages = measured(screen, len(NAMES))
        nothing_is_cut(pages)
        assert {line["name"].replace("\xa0", " ") for page in pages for line in page} == set(NAMES)
        if PICTURES:
            browser.save_screenshot(f"{PICTURES}/wall-names-{size[0]}.png")
        assert screen.run(BOXES) == []
        for name, rightmost_is_first in screen.run(DIRECTIONS):
            assert rightmost_is_first == (name.replace("\xa0", " ") in RIGHT_TO_LEFT), name


def test_which_wall_it_is_covers_nothing(own_hall: Hall, screen: Screen) -> None:
    """The label stands before an assignment, over pairings, clock, legend and final standings alike."""
    house, browser = own_hall.house, screen.driver
    house.with_event(PEOPLE[:12], swiss_rounds=1)
    for number, phase in enumerate(
        (
            lambda: None,
            house.publish,
            lambda: house.service.execute_one("e1", SetClock("start"), "test"),
            house.play,
            lambda: house.service.execute_one("e1", FinishEvent(""), "test"),
        )
    ):
        phase()
        for width, height in SCREENS[:2]:
            screen.size(Size(width, height))
            browser.get(f"{own_hall.url}/wall")
            screen.until(lambda: screen.run("return !!document.querySelector('.picture, .wall-welcome')"), "the wall")
            # The clock gives way once it is fitted.
            screen.until(lambda: screen.run(COVERED) == [], f"nothing to be covered in {number}, {width}")
            if PICTURES:
                browser.save_screenshot(f"{PICTURES}/wall-label-{number}-{width}.png")
