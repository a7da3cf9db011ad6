"""What a screen reader is told while time passes: each news once, and no clock or age each second."""

from collections import Counter

import pytest
from hall_kit import Hall, Running
from pages_kit import PIN
from screen_kit import Screen

from roundtap_core.clock import RUNNING
from roundtap_core.event import commands as c

MINUTE_S = 60

LISTENER = """
// What a screen reader reads out by itself: what changes within a live region and can be read.
window.told = [];
const LIVE = {status: "polite", alert: "assertive", log: "polite", timer: "off", marquee: "off"};
const regionOf = (node) => {
    for (let at = node.nodeType === 1 ? node : node.parentElement; at; at = at.parentElement) {
        if (at.getAttribute("aria-hidden") === "true") return null;
        const said = at.getAttribute("aria-live") || LIVE[at.getAttribute("role")];
        if (said === "off") return null;
        if (said) return at;
    }
    return null;
};
const readable = (region) => {
    const texts = [], walk = document.createTreeWalker(region, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const {parentElement} = walk.currentNode;
        const isRead = regionOf(parentElement) === region && parentElement.checkVisibility();
        if (isRead) texts.push(walk.currentNode.data.trim());
    }
    return texts.filter(Boolean).join(" ");
};
const before = new WeakMap();
new MutationObserver((changes) => {
    for (const region of new Set(changes.map(({target}) => regionOf(target)).filter(Boolean))) {
        const text = region.isConnected && region.checkVisibility() ? readable(region) : "";
        // Written again, the same is told again; only shown in another way, it is not.
        const written = changes.some(({type, target}) => type !== "attributes" && regionOf(target) === region);
        if (text && (written || before.get(region) !== text)) {
            window.told.push(`${region.id || region.className || region.tagName}: ${text.slice(0, 80)}`);
        }
        before.set(region, text);
    }
}).observe(document, {subtree: true, childList: true, characterData: true, attributeFilter: ["hidden", "class"]});
"""

HEARS = """
window.roundtap.everySecond(() => window.feeds.forEach((feed) => feed.dispatchEvent(new Event("open"))));
"""
"""Nobody answers for a minute that is set ahead: the page is told that it has heard its hub."""

PAGES = (
    "/e/{}/p/p1",
    "/e/{}/pairings",
    "/console/{}",
    "/console/{}/players",
    "/console/{}/judge",
    "/console/judge",
    "/console/before-doors",
    "/console",
    "/wall/{}",
    "/wall",
)


@pytest.fixture
def screen(screen: Screen, full_hall: Hall) -> Screen:
    screen.language("en")
    screen.before_pages(LISTENER)
    screen.stand_still()
    screen.log_in(full_hall.url, PIN)
    # The hall's clocks go on: however late this test comes, its minute is not the one in which a time is up.
    for event in full_hall.events.values():
        if full_hall.event(event).clock.state == RUNNING:
            minutes = 4 if event == full_hall.events["troubles"] else 20
            full_hall.tell(event, c.SetClock("set", minutes * MINUTE_S * 1000))
    return screen


def minute(screen: Screen, at_hub: Running | None = None) -> Counter[str]:
    """What was told within one minute; how often. `at_hub`: the clock that goes on with the page's."""
    screen.run("window.told.length = 0")
    for _ in range(MINUTE_S):
        screen.go_on(1000)
        if at_hub is not None:
            at_hub.ahead_ms += 1000
        screen.look_again()
    return Counter(screen.run("return window.told"))


@pytest.mark.parametrize("page", PAGES)
def test_in_a_minute_in_which_nothing_happens_nothing_is_told(full_hall: Hall, screen: Screen, page: str) -> None:
    screen.open(full_hall.url + page.format(full_hall.events["troubles"]))
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    screen.run(HEARS)
    assert not minute(screen)


@pytest.mark.parametrize("page", PAGES)
def test_a_lost_hub_is_told_once(full_hall: Hall, screen: Screen, page: str) -> None:
    screen.open(full_hall.url + page.format(full_hall.events["troubles"]))
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    screen.offline()
    screen.run("window.feeds.forEach((feed) => feed.close())")
    told = minute(screen)
    assert len(told) == 1, told
    [(text, times)] = told.items()
    assert times == 1, told
    assert text.startswith("contact: No contact for 0:1"), text
    assert "No contact for 0:5" in screen.one("#contact").text or "No contact for 1:0" in screen.one("#contact").text


def test_a_report_that_waits_for_the_hub_is_told_once(own_hall: Hall, screen: Screen) -> None:
    """The phone sends it again and again."""
    event = own_hall.create("Winter Open", people=[f"Player {n:02}" for n in range(1, 9)])
    own_hall.publish(event)
    own_hall.tell(event, c.SetClock("start"))
    match = own_hall.event(event).public_rounds[-1].matches[0]
    own_hall.report(event, match.id, "a", 100, 24)
    screen.open(own_hall.url + own_hall.house.hub.access.links.path(event, match.match.b or ""))
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    screen.offline()
    # What was sent before would be heard in the midst of the minute.
    screen.run("window.feeds.forEach((feed) => feed.close())")
    screen.run("document.querySelector('form[data-report] button').click()")
    screen.until(lambda: screen.run("return document.getElementById('unsent').textContent.length > 8"), "that it waits")
    told = minute(screen)
    assert set(told.values()) == {1}, told


def test_time_that_is_up_is_told_once(own_hall: Hall, screen: Screen) -> None:
    own_hall.time.stand_still()
    event = own_hall.create("Winter Open", people=[f"Player {n:02}" for n in range(1, 9)])
    own_hall.publish(event)
    own_hall.tell(event, c.SetClock("start"), c.SetClock("adjust", -74 * 60_000 - 15_000))
    screen.open(f"{own_hall.url}/e/{event}/p/p1")
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    screen.run(HEARS)
    told = minute(screen, own_hall.time)
    assert len(told) == 1, told
    assert "Time" in next(iter(told)), told
    assert set(told.values()) == {1}
