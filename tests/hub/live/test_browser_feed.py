"""What browsers are told without asking: the clock, and what changed on the page they show."""

import asyncio
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from asgi_client import AsgiClient
from feed_listener import PATIENCE_S, FeedLink, Listener
from page_dom import tree
from pages_kit import House, open_house

from patience import GUARD_S
from roundtap_core.errors import Problem
from roundtap_core.event.commands import (
    DropCompetitor,
    EnterResult,
    FinishEvent,
    GrantExtension,
    MakeCut,
    NoShow,
    ReturnCompetitor,
    SetClock,
)
from roundtap_core.records import Result, SidePair
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live import browser_feed
from roundtap_hub.live.browser_feed import UNREAD_BYTES_MAX, FeedClient, ViewerGroup
from roundtap_hub.live.page_cache import RenderingKey

PATHS = (
    "/e/e1",
    "/e/e1/p/p1",
    "/e/e1/p/p4",
    "/e/e1/standings",
    "/e/e1/pairings",
    "/e/e1/bracket",
    "/rules/e1",
    "/wall/e1?theme=light",
)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        opened.with_event(cut=4)
        opened.publish()
        opened.place("unit-1", 1)
        opened.place("unit-2", 2)
        yield opened


@pytest.fixture
def client(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[AsgiClient]:
    monkeypatch.setattr(browser_feed, "COALESCE_S", 0.01)
    with closing(AsgiClient(HubApplication(house.hub), lifespan=True)) as opened:
        yield opened


def player_at(house: House, table: int) -> str:
    return f"/e/e1/p/{house.event.live.matches[table - 1].match.a}"  # type: ignore[union-attr]


def test_who_shows_the_newest_is_told_the_clock_and_nothing_else(client: AsgiClient):
    with closing(Listener(client, "/e/e1/pairings")) as browser:
        browser.until(lambda: browser.events, "a greeting")
        assert [name for name, _ in browser.events] == ["clock"]
        [clock] = browser.named("clock")
        assert clock["event"] == "e1"
        assert clock["state"] == "idle"
        assert clock["now_ms"] == 1_000_000


def test_who_shows_something_else_is_told_to_look(client: AsgiClient):
    with closing(Listener(client, "/e/e1/pairings", seen="long ago")) as browser:
        browser.until(lambda: browser.named("view") == [browser.seen], "a view")


def test_who_asks_once_is_told_what_is_new_and_holds_nothing(client: AsgiClient):
    """A browser that has no connection left to hold."""
    browser = Listener(client, "/e/e1/pairings", seen="long ago", once="1")
    browser.stream.result(PATIENCE_S)
    assert [name for name, _ in browser.events] == ["view", "clock"]
    assert not client.application.browsers.clients()


def test_a_report_is_told_as_the_row_that_changed(house: House, client: AsgiClient):
    with closing(Listener(client, "/e/e1/pairings", "pl")) as browser:
        before = browser.seen
        house.service.execute_one("e1", EnterResult("1.2", 0, Result(score=SidePair(100, 24))), "test")
        browser.until(lambda: browser.named("patch"), "a patch")
        [region] = browser.named("patch")[0]["regions"]
        assert browser.named("patch")[0]["from"] == before
        assert region["id"] == "pairings"
        assert {row["key"] for row in region["rows"]} == {"1.2"}


def test_what_does_not_show_is_told_to_nobody(house: House, client: AsgiClient):
    """One side's report: the pairings show results that stand."""
    browser = Listener(client, "/e/e1/pairings")
    before = browser.seen
    house.report("1.2", "a", 100, 24)
    late = Listener(client, "/e/e1/pairings")
    house.service.execute_one("e1", EnterResult("1.1", 0, Result(score=SidePair(100, 24))), "test")
    browser.until(lambda: browser.named("patch"), "a patch")
    assert [patch["from"] for patch in browser.named("patch")] == [before]
    late.until(lambda: late.named("view") or late.named("patch"), "news")
    for one in (browser, late):
        one.show()
        assert one.page.shape() == tree(client.get("/e/e1/pairings", accept_language="en").text).shape()
        one.close()


def test_other_phones_hear_nothing_of_it(house: House, client: AsgiClient):
    mine, other = Listener(client, player_at(house, 1)), Listener(client, player_at(house, 2))
    house.report("1.1", "a", 100, 24)
    mine.until(lambda: mine.named("patch"), "a patch")
    house.report("1.2", "a", 100, 24)
    other.until(lambda: other.named("patch"), "its own patch")
    assert len(other.named("patch")) == len(mine.named("patch")) == 1
    mine.close()
    other.close()


def test_a_page_without_a_variant_is_told_to_look(house: House, client: AsgiClient):
    """An organizer's: there is more on it than on the page that all others share."""
    with closing(Listener(client, "/e/e1/pairings", "")) as browser:
        house.report("1.1", "a", 100, 24)
        browser.until(lambda: browser.named("view"), "a view")
        assert browser.named("patch") == []


def test_the_clock_loads_and_changes_no_page(house: House, client: AsgiClient):
    with closing(Listener(client, "/e/e1/standings")) as browser:
        house.service.execute_one("e1", SetClock("start"), "test")
        browser.until(lambda: [c["state"] for c in browser.named("clock")] == ["idle", "running"], "the clock")
        for n in range(1, 4):
            house.service.execute_one("e1", SetClock("adjust", 60_000 * n), "test")
            browser.until(lambda n=n: len(browser.named("clock")) == 2 + n, "the clock")  # type: ignore[misc]
        assert {name for name, _ in browser.events} == {"clock"}


def test_a_running_clock_that_is_set_changes_no_phone_either(house: House, client: AsgiClient):
    house.service.execute_one("e1", SetClock("start"), "test")
    with closing(Listener(client, player_at(house, 1))) as browser:
        house.service.execute_one("e1", SetClock("adjust", 60_000), "test")
        browser.until(lambda: len(browser.named("clock")) == 2, "the clock")
        house.report("1.1", "a", 100, 24)
        browser.until(lambda: browser.named("patch"), "a patch")
        assert [name for name, _ in browser.events] == ["clock", "clock", "patch"]


def test_a_published_round_stands_on_every_phone_without_loading(house: House, client: AsgiClient):
    house.play()
    phones = [Listener(client, f"/e/e1/p/p{n}", language) for n in range(1, 7) for language in ("en", "de")]
    house.publish()
    for phone in phones:
        phone.until(
            lambda phone=phone: any(
                "2" in p["regions"][0]["html"]
                for p in phone.named("patch")  # type: ignore[misc]
                if p["regions"][0]["id"] == "round"
            ),
            "the round",
        )
        phone.show()
        assert phone.loads == 1
        assert phone.page.shape() == tree(client.get(phone.path, accept_language=phone.language).text).shape()
        phone.close()


def test_an_event_that_ends_the_waiting_is_told(tmp_path: Path):
    with (
        open_house(tmp_path) as house,
        closing(AsgiClient(HubApplication(house.hub), lifespan=True)) as client,
        closing(Listener(client, "/wall?theme=dark")) as wall,
    ):
        house.with_event()
        wall.until(lambda: wall.named("view"), "a view")
        assert client.get("/wall?theme=dark").headers["location"] == "/wall/e1?theme=dark"


def opened(sent: list[bytes]) -> tuple[FeedClient, FeedLink]:
    """A browser's connection; what is written to it is noted in `sent`."""
    group = ViewerGroup(RenderingKey(PageKey("e", "e1"), "", "en"), "v0", "v0", None)
    link = FeedLink(sent.append)
    client = FeedClient(group, "v0", cast(asyncio.Transport, link), lambda _: None)
    client.begin()
    return client, link


def test_who_reads_slowly_gets_it_all_in_order_and_who_reads_much_too_slowly_opens_another_feed():
    """What a sleeping phone does not read is no more than so many bytes; it looks anew once it is awake."""
    sent: list[bytes] = []
    client, link = opened(sent)
    client.send(b"0;")
    link.unread_bytes = UNREAD_BYTES_MAX
    client.send(b"1;")
    assert (sent, link.is_closing()) == ([b"0;", b"1;"], False)
    link.unread_bytes = UNREAD_BYTES_MAX + 1
    client.send(b"2;")
    assert (sent, link.is_closing()) == ([b"0;", b"1;"], True)
    link.unread_bytes = 0
    client.send(b"3;")
    assert sent == [b"0;", b"1;"], "an encrypted connection that is closing has no buffer any more"


def test_a_hub_that_stops_ends_its_feeds(house: House, client: AsgiClient):
    browser = Listener(client, "/e/e1")
    browser.until(lambda: browser.events, "a greeting")
    client.application.close_feeds_soon()  # type: ignore[attr-defined]
    browser.stream.result(GUARD_S)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_pages_become_what_flask_would_send(house: House, client: AsgiClient, seed: int):
    """Native pages are never old; pages that only take what they are told become the same."""
    rand = random.Random(seed)
    browsers = [Listener(client, path, rand.choice(["en", "es", "de", "pl"])) for path in PATHS]
    organizer = house.organizer()
    for _ in range(60):
        try:
            _something(house, organizer, rand)
        except Problem:
            continue
        path, language = rand.choice(PATHS), rand.choice(["en", "pl"])
        assert client.get(path, accept_language=language).text == house.browser(language).get(path).text
        rand.choice(browsers).show()
    for browser in browsers:
        fresh = _still(tree(house.browser(browser.language).get(browser.path).text).shape())
        browser.until(
            lambda browser=browser, fresh=fresh: (browser.show(), _still(browser.page.shape()) == fresh)[1],  # type: ignore[misc]
            f"{browser.path} as it is now",
        )
        browser.close()
    assert sum(browser.loads for browser in browsers) < 60 * len(browsers) / 4


def _something(house: House, organizer: object, rand: random.Random) -> None:
    """Anything that may happen in a hall."""
    state, tell = house.event, house.service.execute_one
    live = state.live
    who = f"p{rand.randint(1, 7)}"
    deed = rand.randrange(12)
    house.time.ms += rand.choice([0, 40, 900, 70_000])
    if live is None or not live.open_matches:
        if deed < 6:
            house.publish()
        elif deed < 8:
            tell("e1", MakeCut(), "test")
        elif deed == 8:
            tell("e1", FinishEvent("the hall closes"), "test")
        return
    match = rand.choice(live.matches)
    if deed < 3:
        house.report(match.id, rand.choice("ab"), rand.choice([100, 60]), 24)
    elif deed < 6:
        tell("e1", EnterResult(match.id, match.revision, Result(score=SidePair(100, rand.randint(0, 90)))), "test")
    elif deed == 6:
        tell("e1", SetClock(rand.choice(["start", "pause", "adjust", "reset"]), rand.choice([60_000, -60_000])), "test")
    elif deed == 7:
        seated = frozenset(rand.sample("ab", rand.randint(0, 2)))
        house.says(f"unit-{rand.randint(1, 2)}", match=match.id, seated=seated, call=rand.random() < 0.5)
    elif deed == 8:
        tell("e1", rand.choice([DropCompetitor, ReturnCompetitor])(who), "test")
    elif deed == 9:
        tell("e1", rand.choice([GrantExtension(match.id, 5), NoShow(match.id, match.match.a)]), "test")
    elif deed == 10:
        organizer.post(f"/console/e1/competitors/{who}/details", name=f"Player {rand.randint(1, 99)}")  # type: ignore[attr-defined]
    else:
        organizer.post("/console/e1/competitors", names=f"Late {rand.randint(1, 99)}")  # type: ignore[attr-defined]


def _still(shape: object) -> object:
    """Without the version, and what scripts draw: times that go on, phases, which page of the wall is shown."""
    tag, attributes, inner = shape  # type: ignore[misc]
    names = {name for name, _ in attributes}
    if "data-ticking" in names:
        return (tag, [(k, v) for k, v in attributes if k in ("class", "data-clock")], [])
    if names & {"data-phase", "data-when", "data-page", "data-page-index"}:
        attributes = [(k, v) for k, v in attributes if k not in ("data-phase", "class")]
    if "data-seen" in names:
        attributes = [(k, v) for k, v in attributes if k != "data-seen"]
    return (tag, attributes, [_still(one) if isinstance(one, tuple) else one for one in inner])
