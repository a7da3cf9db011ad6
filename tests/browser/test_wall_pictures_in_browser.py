"""The wall's pictures in a real browser: letters of 18 mm, time up for a minute, the champion, and events in turn."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hall_kit import Hall
from screen_kit import PICTURES, Screen, Size

from roundtap.kit.player_names import player_names
from roundtap_core.event.commands import EnterResult, FinishEvent, GrantExtension, MakeCut, SetClock
from roundtap_core.records import Result, SidePair
from roundtap_hub.views.known_displays import ROTATION_MS, TIME_UP_MS

LEAST_MM = 18
SCREENS = [Size(1920, 1080), Size(1280, 720), Size(3840, 2160), Size(1080, 1920)]
LANGUAGES = ("en", "de", "es", "pl")
LONG = "Aleksandra Wiśniewska-Szczepańska"
HUB_NOW = "window.roundtap.sync(); return window.roundtap.hubNow()"
SYNCED_CLOCK = "window.roundtap.sync(); return document.querySelector('.wall-clock .clock').textContent.trim()"
KNOWN = "return window.heard_hub && window.roundtap && window.roundtap.known()"

LETTERS = """
    // The height of the capitals of every text that stands on some page of this wall, in mm on a screen of 55 inches.
    const pen = document.createElement("canvas").getContext("2d");
    const mm = 55 * 25.4 / Math.hypot(innerWidth, innerHeight), found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = texts.nextNode());) {
      const one = node.parentElement, style = getComputedStyle(one);
      if (!node.data.trim() || !one.checkVisibility() || one.closest("script, style, noscript, .skip")) continue;
      pen.font = `${style.fontWeight} 200px ${style.fontFamily}`;
      const drawn = one.closest("svg") ? one.getScreenCTM().a : 1;
      const capitals = pen.measureText("H").actualBoundingBoxAscent / 200 * parseFloat(style.fontSize) * drawn;
      found.push([capitals * mm, node.data.trim()]);
    }
    return found;"""
OUTSIDE = """
    // What is drawn beyond the edge of the screen, on any page.
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
    for (let node; (node = texts.nextNode());) {
      const one = node.parentElement, range = document.createRange();
      if (!node.data.trim() || !one.checkVisibility() || one.closest("script, style, noscript, .skip")) continue;
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) {
        if (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)
          found.push(node.data.trim());
      }
    }
    return found;"""

# Where the middle of the clock's figures is, in px from the left.
MIDDLE = """
    const text = document.querySelector(".wall-clock .clock").firstChild, range = document.createRange();
    range.setStart(text, text.data.length - text.data.trimStart().length);
    range.setEnd(text, text.data.length);
    const box = range.getBoundingClientRect();
    return (box.left + box.right) / 2;"""

# While it is another page's turn, it has no text.
CHAMPION_SHOWN = "return document.querySelector('#fitted .wall-champion')?.innerText.trim()"

# Read at once: the next turn may come at any moment.
HEAD = """
    const shown = (one) => document.querySelector(one).innerText.trim();
    return [shown(".event-name"), shown("#in-turn"),
        [...document.querySelectorAll("#in-turn i")].map((i) => i.className)];"""

TITLE_AND_WINNER = """
    return ["#round", ".wall-winner"].map((one) => document.querySelector(one).innerText.trim());"""

NAME_FITS = """
    const page = document.querySelector("#fitted .wall-champion"), name = page.querySelector(".champion-name");
    const size = parseFloat(getComputedStyle(name).fontSize);
    return [size, page.scrollHeight <= page.clientHeight + 1 && name.scrollWidth <= name.clientWidth + 1];"""


def play(hall: Hall, event: str) -> None:
    """Everybody has played, one side after the other wins."""
    live = hall.event(event).live
    assert live
    for number, match in enumerate(match for match in live.open_matches if match.match.b):
        score = SidePair(100, 5 * number) if number % 3 else SidePair(5 * number, 100)
        hall.tell(event, EnterResult(match.id, match.revision, Result(score=score)))


def left(hall: Hall, event: str, ms: int) -> None:
    remaining = hall.event(event).clock.remaining_at(hall.house.hub.clocks.now())
    assert remaining is not None
    hall.tell(event, SetClock("adjust", ms - remaining))


def pictures(hall: Hall, full_names: bool) -> Iterator[tuple[str, str]]:
    """What an event of 24 players shows from its first to its last minute: a name for each picture, and its address."""
    yield "waiting", "/wall"
    event = hall.create(
        "Mistrzostwa Polski Seniorów",
        people=player_names(24),
        swiss_rounds=2,
        cut=8,
        **{"full_names": "1"} if full_names else {},
    )
    wall = f"/wall/{event}"
    yield "welcome", wall
    hall.publish(event)
    yield "pairings", wall
    yield "label", "/wall"
    hall.tell(event, SetClock("start"))
    yield "clock", wall
    live = hall.event(event).live
    assert live
    hall.tell(event, GrantExtension(live.open_matches[0].id, 5))
    left(hall, event, 0)
    yield "time up", wall
    left(hall, event, -2 * TIME_UP_MS)
    yield "over", wall
    yield "over, pairings", f"{wall}?show=pairings"
    play(hall, event)
    yield "standings", wall
    hall.house.organizer().post("/console/announcements/say", kind="lunch", text="Pasta in the bar", until="45")
    hall.publish(event)
    yield "pairings with records", wall
    hall.tell(event, SetClock("start"))
    yield "standings while a round is played", f"{wall}?show=standings"
    play(hall, event)
    yield "who rose", wall
    yield "announcements", f"{wall}?show=words"
    hall.tell(event, MakeCut())
    for name in ("quarter-finals", "semi-finals", "final"):
        yield f"bracket before the {name}", wall
        hall.publish(event)
        yield f"pairings of the {name}", wall
        play(hall, event)
    yield "champion", wall
    hall.tell(event, FinishEvent("the hall closes"))
    yield "finished", wall


def looked_at(hall: Hall, screen: Screen, sizes: list[Size], languages: tuple[str, ...], full_names: bool) -> None:
    found: list[str] = []
    for picture, path in pictures(hall, full_names):
        for language in languages:
            screen.language(language)
            screen.open(hall.url + path)
            screen.until(lambda: screen.run(KNOWN) and screen.look_again(), "the hub's time")
            for size in sizes:
                screen.size(size)
                screen.run("if (window.roundtapFit) window.roundtapFit.fit()")
                where = f"{picture}, {language}, {size.width} x {size.height}"
                letters: list[tuple[float, str]] = screen.run(LETTERS)
                assert letters, where
                found += [f"{where}: {mm:.1f} mm: {text}" for mm, text in letters if mm < LEAST_MM]
                found += [f"{where}: outside: {text}" for text in screen.run(OUTSIDE)]
                if PICTURES:
                    screen.driver.save_screenshot(f"{PICTURES}/{where.replace(', ', '-').replace(' ', '')}.png")
    assert not found, "\n".join(found)


def test_no_letter_of_24_players_is_smaller_than_18_mm(own_hall: Hall, screen: Screen) -> None:
    looked_at(own_hall, screen, SCREENS[:1], LANGUAGES[:1], full_names=False)


@pytest.mark.long
@pytest.mark.parametrize("full_names", [False, True], ids=["short names", "full names"])
def test_no_letter_is_smaller_on_any_screen_in_any_language(own_hall: Hall, screen: Screen, full_names: bool) -> None:
    looked_at(own_hall, screen, SCREENS, LANGUAGES, full_names)


@pytest.mark.parametrize(
    ("left_ms", "shown"), [(240_000, "4:00"), (754_000, "12:34"), (3_723_000, "62:03"), (-12_000, "+0:12")]
)
def test_the_clock_stands_in_the_middle_before_and_after_its_first_tick(
    own_hall: Hall, screen: Screen, left_ms: int, shown: str
) -> None:
    event = own_hall.create("Winter Open", people=player_names(8))
    own_hall.publish(event)
    own_hall.tell(event, SetClock("start"), SetClock("pause"))
    left(own_hall, event, left_ms)
    screen.size(SCREENS[0])
    screen.open(f"{own_hall.url}/wall/{event}")
    screen.until(lambda: screen.run(KNOWN), "the hub's time")
    assert screen.run(SYNCED_CLOCK) == shown
    assert abs(screen.run(MIDDLE) - SCREENS[0].width / 2) <= 8, "as the script writes it"
    page = own_hall.house.browser().get(f"/wall/{event}").text
    [served] = re.findall(r'<div class="wall-clock"[^>]*><time[^>]*>([^<]*)', page)
    screen.run("document.querySelector('.wall-clock .clock').textContent = arguments[0]", served)
    assert abs(screen.run(MIDDLE) - SCREENS[0].width / 2) <= 8, "as the hub sends it"
    if PICTURES:
        screen.driver.save_screenshot(f"{PICTURES}/clock{left_ms}.png")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("show", ["", "pairings"])
def test_the_last_five_minutes_colour_the_whole_wall(own_hall: Hall, screen: Screen, theme: str, show: str) -> None:
    hall = own_hall
    event = hall.create("Winter Open", people=player_names(8), full_names="1")
    hall.publish(event)
    hall.tell(event, SetClock("start"))
    left(hall, event, 6 * 60_000)
    screen.size(SCREENS[0])
    screen.open(f"{hall.url}/wall/{event}?theme={theme}&show={show}")
    screen.until(lambda: screen.run(KNOWN), "the hub's time")
    paper = "return ['body', '.wall-strip'].map((one) => getComputedStyle(document.querySelector(one)).backgroundColor)"
    before = screen.run(paper)
    left(hall, event, 4 * 60_000)
    screen.until(lambda: screen.run("return document.documentElement.classList.contains('last-five')"), "the colour")
    body, strip = screen.run(paper)
    assert body == strip
    assert body not in before
    assert "Last minutes" in screen.text()
    assert screen.axe("color-contrast") == []
    left(hall, event, 100)
    screen.until(lambda: "Time is up" in screen.text(), "time up")
    assert not screen.run("return document.documentElement.classList.contains('last-five')")


def test_time_up_fills_the_screen_for_a_minute_with_what_the_rules_ask(own_hall: Hall, screen: Screen) -> None:
    hall = own_hall
    event = hall.create("Winter Open", people=player_names(8))
    hall.publish(event)
    hall.tell(event, SetClock("start"))
    hall.house.organizer().post("/console/announcements/say", kind="line", text="Pizza is here")
    screen.size(SCREENS[0])
    screen.open(f"{hall.url}/wall/{event}")
    filled = "return document.getElementById('time-up').checkVisibility()"
    screen.until(lambda: screen.run(KNOWN), "the hub's time")
    assert not screen.run(filled)
    left(hall, event, 100)
    screen.until(lambda: screen.run(filled), "time up")
    said = screen.text()
    assert "Time is up" in said
    assert "Finish the current game round, then count points." in said
    assert "Pizza is here" in said, "what is announced stays"
    assert "Winter Open" not in said, "nothing else stands beside it"
    assert "Still playing" in said
    box = screen.run("return document.getElementById('time-up').getBoundingClientRect().toJSON()")
    assert box["width"] == SCREENS[0].width
    assert screen.run("return getComputedStyle(document.querySelector('#time-up .sign')).animationName") == "none"
    screen.cdp(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "no-preference"}]}
    )
    assert screen.run("return getComputedStyle(document.querySelector('#time-up .sign')).animationName") == "begin"
    # Far enough from the minute's end on both sides: this machine's own seconds go on, too.
    for over_s, still in ((TIME_UP_MS // 2000, True), (TIME_UP_MS * 3 // 2000, False)):
        hall.time.ahead_ms += TIME_UP_MS if not still else TIME_UP_MS // 2
        clock = f"+{over_s // 60}:{over_s % 60:02d}"
        screen.until(lambda clock=clock: screen.run(SYNCED_CLOCK) >= clock, "a later time")  # type: ignore[misc]
        screen.until(
            lambda still=still: screen.look_again() and screen.run(filled) is still,  # type: ignore[misc]
            f"time up {'still' if still else 'no longer'} to fill the screen",
        )
    assert "Time is up" in screen.one("#time").text, "it stands in the head"


def test_the_champion_s_name_is_as_large_as_it_fits(own_hall: Hall, screen: Screen) -> None:
    hall = own_hall
    names = [LONG, "Bo Li", "Óscar Żak", "Ana Ruiz"]
    event = hall.create("Winter Open", people=names, swiss_rounds=1, full_names="1")
    hall.publish(event)
    play(hall, event)
    hall.tell(event, FinishEvent(""))
    for size in (SCREENS[0], SCREENS[3]):
        screen.size(size)
        screen.open(f"{hall.url}/wall/{event}")
        said = str(screen.until(lambda: screen.run(CHAMPION_SHOWN), "the champion")).replace("\xa0", " ")
        champion, *others = [name for name in said.splitlines() if name.strip()]
        assert champion in names
        assert "Winter Open" in said
        assert len([name for name in names if name in said]) == 3, "with second and third place"
        [name, fits] = screen.run(NAME_FITS)
        assert name * 55 * 25.4 / (size.width**2 + size.height**2) ** 0.5 > 3 * LEAST_MM
        assert fits, others
        # Its turns come twice as often as those of other pages; the head follows the page.
        assert screen.run("return document.querySelector('#fitted .wall-champion').dataset.turns") == "2"
    heads = {tuple(turned(hall, screen)) for _ in range(4)}
    assert heads == {("Champion", ""), ("Final standings", f"Champion\n{champion}")}, "every page names who won"
    for show in ("standings", "pairings", "words"):
        screen.open(f"{hall.url}/wall/{event}?show={show}")
        screen.until(lambda: screen.run(TITLE_AND_WINNER)[1].endswith(champion), f"the winner beside {show} that stay")


def turned(hall: Hall, screen: Screen) -> list[str]:
    """The title in the head ten seconds later, and who it says has won."""
    before = screen.run("return window.roundtap.hubNow()")
    hall.time.ahead_ms += 10_000
    # Asked again and again: while the page is asking, it does not ask anew.
    screen.until(lambda: screen.run(HUB_NOW) >= before + 9_000, "the next turn")
    screen.look_again()
    return list(screen.run(TITLE_AND_WINNER))


def test_each_of_several_events_is_named_with_its_place_among_them(own_hall: Hall, screen: Screen) -> None:
    hall = own_hall
    for name, people in (("Winter Open", player_names(4)), ("Spring Cup", player_names(6))):
        hall.publish(hall.create(name, people=people))
    heads: dict[str, Any] = {}
    screen.size(SCREENS[0])

    def both_seen() -> bool:
        screen.open(f"{hall.url}/wall")
        name, *place = screen.run(HEAD)
        heads[name] = place
        # A turn may end while its page is read: then the same event comes once more.
        hall.time.ahead_ms += ROTATION_MS
        return len(heads) == 2

    screen.until(both_seen, "both events")
    assert heads == {"Spring Cup": ["Event 2 of 2", ["", "now"]], "Winter Open": ["Event 1 of 2", ["now", ""]]}
    screen.open(f"{hall.url}/wall/e1")
    assert screen.one("#in-turn").text == "", "a wall with an event of its own"
