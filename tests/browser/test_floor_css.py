"""Style sheets in a browser of the floor: what it drops is an improvement, and hides, covers and stops nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from floor_css import Floor, sheets
from hall_kit import Hall, in_every_state, open_hall
from older_browsers import ALL_BUT_FEEDS
from pages_kit import PIN
from screen_kit import DESK, NARROW, PHONE, PICTURES, WALL, Screen, Size

from roundtap_hub.http.static_files import FOLDER, StaticFiles

IMPROVES = {
    "breaks and edges": (
        "hyphens",
        "text-wrap",
        "overflow-wrap: anywhere",
        "image-rendering: pixelated",
        "scrollbar-width",
    ),
    "paper is printed by newer browsers": ("break-after: avoid", "break-before: avoid"),
    "colours of a hand, and of what it is on": (
        "accent-color",
        "color-scheme",
        "background: color-mix()",
        "border-left-color: color-mix()",
        "@supports (color: attr(data-color type(<color>)))",
    ),
    "a line is drawn elsewhere or not at all": ("text-decoration-thickness", "text-underline-offset", ":focus-visible"),
    "a frame is round": ("box-decoration-break", "-webkit-box-decoration-break"),
    "less air": (
        "border-block",
        "margin-block",
        "padding-block",
        "padding-inline",
        "margin: max()",
        "padding: max()",
        "gap: cqh",
        "align-content: start",
        "align-self: start",
        "place-content: start",
    ),
    "as wide as there is room": (
        "grid-template-columns: min()",
        "width: fit-content",
        "width: min()",
        "width: max()",
        "max-width: min()",
    ),
    "it scrolls with the page": ("position: sticky", "scroll-padding-top"),
    "a size with one that is known before it": (
        "font-size: min()",
        "font-size: max()",
        "font-size: clamp()",
        "width: cqh",
        "height: cqh",
        "height: min()",
        "container-type",
        "aspect-ratio",
    ),
    "a date that nobody gave looks filled in": ("@supports (-webkit-nbsp-mode: space)",),
    "a finger selects": ("user-select", "-webkit-user-select", "touch-action"),
    "the demo's tables": ("rotate", "translate"),
    "what is dropped shows more, or is said by a dialog that is not known either": (":has", ":modal", ":backdrop"),
}
"""Why its absence hides nothing → what a browser of the floor drops."""
WANT_ANOTHER = ("font-size", "height: min()", "height: cqh", "width: cqh")
"""What has to have a declaration before it that is known."""

NO_GAPS = """
    // As where flex knows no gap.
    for (const one of document.querySelectorAll("*")) {
        if (getComputedStyle(one).display.endsWith("flex")) one.style.gap = "0";
    }
"""
TIGHT = """
    // Words of two that stand side by side and touch each other.
    const found = [];
    for (const box of document.querySelectorAll("*")) {
        if (!getComputedStyle(box).display.endsWith("flex") || !box.checkVisibility()) continue;
        const parts = [...box.children].filter((one) => one.checkVisibility() && one.textContent.trim());
        parts.slice(1).forEach((one, n) => {
            const [a, b] = [parts[n], one].map((each) => { const r = document.createRange(); r.selectNodeContents(each);
                return r.getBoundingClientRect(); });
            const level = a.top < b.bottom - 2 && b.top < a.bottom - 2;
            if (level && b.width && a.width && Math.abs(b.left - a.right) < 1) {
                const words = [parts[n].textContent.trim().slice(-20), one.textContent.trim().slice(0, 20)];
                found.push(`${words.join("|")} in ${box.className || box.id}`);
            }
        });
    }
    return found;
"""
LOST = """
    // What a finger could not press: out of the window for good, or under something else.
    const pressed = "main a[href], main button, main summary, main input:not([type=hidden])";
    return [...document.querySelectorAll(pressed)].filter((one) => {
        if (!one.checkVisibility() || one.disabled) return false;
        const shown = one.matches("input[type=radio], input[type=checkbox]") && one.closest("label") || one;
        shown.scrollIntoView({block: "center", behavior: "instant"});
        const box = shown.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
        const at = document.elementFromPoint(x, y);
        return !at || !(shown.contains(at) || at.contains(shown));
    }).map((one) => one.outerHTML.slice(0, 100));
"""


@pytest.mark.parametrize("path", sheets(), ids=lambda path: path.name)
def test_what_is_dropped_is_known_and_takes_nothing_with_it(path: Path) -> None:
    known = {what for whats in IMPROVES.values() for what in whats}
    for dropped in Floor(path.name, path.read_text(encoding="utf-8")).dropped:
        assert dropped.what in known, dropped
        if dropped.what.startswith(WANT_ANOTHER):
            assert not dropped.alone, f"{dropped}: nothing that is known stands before it"
        if dropped.what.startswith(":"):
            assert dropped.alone, f"{dropped}: selectors that are known go with it"


@pytest.fixture(scope="module")
def floor_hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """A hub whose style sheets are what a browser of the floor takes of them: one of its own, since a hub keeps pages,
    and these name their sheets."""
    folder = tmp_path_factory.mktemp("static")
    for path in FOLDER.iterdir():
        text = path.read_bytes()
        if path.suffix == ".css":
            text = Floor(path.name, text.decode()).text.encode()
        (folder / path.name).write_bytes(text)
    with open_hall(tmp_path_factory.mktemp("hall")) as opened:
        opened.doors.application._static = StaticFiles(folder)
        in_every_state(opened)
        yield opened


PAGES: dict[str, tuple[str, Size]] = {
    "phone": ("{troubles}/1", PHONE),
    "phone, time": ("{running}/1", PHONE),
    "narrow phone": ("{running}/1", NARROW),
    "report": ("{running}/report", PHONE),
    "pairings": ("/e/{second round}/pairings", PHONE),
    "standings": ("/e/{finished}/standings", PHONE),
    "bracket": ("/e/{bracket}/bracket", PHONE),
    "console": ("/console/{troubles}", DESK),
    "console, draft": ("/console/{draft}", DESK),
    "console on a phone": ("/console/{troubles}", PHONE),
    "players": ("/console/{running}/players", DESK),
    "wall, pairings": ("/wall/{published}", WALL),
    "wall, clock": ("/wall/{running}", WALL),
    "wall, upright": ("/wall/{published}", Size(1080, 1920)),
    "wall, standings": ("/wall/{finished}", WALL),
}


def address(hall: Hall, path: str) -> str:
    if path.startswith("{"):
        state, _, what = path[1:].partition("}/")
        event = hall.events[state]
        live = hall.event(event).live
        assert live
        match = [each for each in live.matches if each.match.b][-1].match
        return hall.house.hub.access.links.path(event, match.a) + ("/report" if what == "report" else "")
    return path.format(**hall.events)


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_hidden_covered_or_cut(floor_hall: Hall, screen: Screen, page: str) -> None:
    path, size = PAGES[page]
    screen.language("en")
    screen.before_pages(ALL_BUT_FEEDS)
    if "console" in path:
        screen.log_in(floor_hall.url, PIN)
    screen.size(size)
    screen.open(floor_hall.url + address(floor_hall, path))
    screen.until(lambda: screen.run("return !document.body.dataset.feed || window.heard_hub"), "the feed")
    screen.run(NO_GAPS)
    found = screen.unfit() + screen.run(TIGHT) + screen.run(LOST)
    if PICTURES:
        screen.run("scrollTo(0, 0)")
        screen.driver.save_screenshot(f"{PICTURES}/floor-{page.replace(', ', '-').replace(' ', '-')}.png")
    assert found == []


def test_time_up_is_shown_where_it_hides_all_else(floor_hall: Hall, screen: Screen) -> None:
    screen.size(WALL)
    screen.open(floor_hall.url + address(floor_hall, "/wall/{running}"))
    # In one stroke: each look of the page's own script takes the class away.
    shown = "return document.getElementById('time-up').getClientRects().length"
    assert screen.run(f"document.documentElement.classList.add('time-up'); {shown}")
