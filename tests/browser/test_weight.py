"""What a page weighs: at most 60 kB on the wire for a browser that comes for the first time, in a full hall.

Public pages and the console, counted over what each page names; with `-m long` every page, and by a real browser."""

import gzip
import html
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from http.client import HTTPConnection
from urllib.parse import urljoin, urlsplit

import pytest
from hall_kit import Hall, open_hall
from page_table import pages_of_everybody, pages_of_organizers, paths
from pages_kit import PIN
from screen_kit import WIRE_MAX_BYTES, Screen

from patience import GUARD_S
from roundtap.kit.player_names import player_names
from roundtap_core.event.commands import FinishEvent, MakeCut, SetClock
from roundtap_hub.http.requester import LOCAL_SESSION

TABLES = 64
BY_BROWSER = ("GET /console/<event_id>", "GET /wall/<event_id>", "GET /me/<token>")

NAMED = re.compile(r"<(?:link|script|img|use)\b[^>]*? (?:href|src)=[\"'](/[^\"'#]+)")
WITHIN = re.compile(r"(?:url\(|@import )[\"']?([^\"')]+)")

PLAYERS_PAGES = (
    "GET /me/<token>",
    "GET /e/<event_id>",
    "GET /e/<event_id>/p/<competitor>",
    "GET /e/<event_id>/pairings",
    "GET /e/<event_id>/standings",
    "GET /e/<event_id>/bracket",
    "GET /rules/<event_id>",
    "GET /me/<token>/report",
    "GET /aid/<rulebook>",
)


@pytest.fixture(scope="module")
def large_hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """128 players: before play, drafted, in the middle of round 2, with results and troubles, in the bracket, over."""
    with open_hall(tmp_path_factory.mktemp("hall")) as hall:
        names = player_names(2 * TABLES)
        for state in ("before play", "draft", "running", "bracket", "finished"):
            event = hall.events[state] = hall.create(f"Grand Open: {state}", people=names, swiss_rounds=2, cut=16)
            if state == "before play":
                continue
            if state == "draft":
                hall.draw(event)
                continue
            hall.publish(event)
            hall.play(event)
            hall.publish(event)
            hall.tell(event, SetClock("start"))
            hall.play(event, leave_open=TABLES // 2 if state == "running" else 0)
            if state == "running":
                for match in hall.event(event).live.open_matches[:8]:  # type: ignore[union-attr]
                    hall.report(event, match.id, "a", 100, 24)
                    hall.report(event, match.id, "b", 24, 100)
                continue
            hall.tell(event, MakeCut())
            hall.publish(event)
            if state == "bracket":
                continue
            while True:
                hall.play(event)
                if hall.event(event).live is None or len(hall.event(event).live.matches) == 1:  # type: ignore[union-attr]
                    break
                hall.publish(event)
            hall.tell(event, FinishEvent("the hall closes"))
        yield hall


@pytest.fixture(scope="module")
def heaviest(large_hall: Hall) -> Callable[[str], list[str]]:
    """The path of an address that has the longest page, and none of one that leads elsewhere."""
    clients = {True: large_hall.house.organizer().client, False: large_hall.house.app.test_client()}

    @cache
    def find(address: str) -> list[str]:
        client = clients[address in pages_of_organizers()]
        answers = {path: client.get(path, headers={"Accept-Language": "de"}) for path in paths(large_hall, address)}
        assert any(answer.status_code < 400 for answer in answers.values()), f"{address}: nothing there to be weighed"
        found = {path: len(answer.data) for path, answer in answers.items() if answer.status_code == 200}
        return sorted(found, key=lambda path: found[path])[-1:]

    return find


class Wire:
    """A browser's requests without the browser: bytes as they come, heads and all."""

    def __init__(self, hall: Hall, cookies: str) -> None:
        self.at = urlsplit(hall.url)
        self.headers = {"Accept-Language": "de", "Accept-Encoding": "gzip", "Cookie": cookies}

    def first_load(self, path: str) -> dict[str, int]:
        """The bytes of a page and of all that it names, by path."""
        sent: dict[str, int] = {}
        waiting = [path]
        while waiting:
            one = waiting.pop()
            if one in sent:
                continue
            sent[one], kind, text = self.get(one)
            if "html" in kind:
                waiting += [html.unescape(found) for found in re.findall(NAMED, text) if not_a_page(found)]
            elif "css" in kind:
                waiting += [urljoin(one, found) for found in re.findall(WITHIN, text) if not found.startswith("data:")]
        return sent

    def get(self, path: str) -> tuple[int, str, str]:
        with closing(HTTPConnection(self.at.hostname or "", self.at.port, timeout=GUARD_S)) as connection:
            connection.request("GET", path, headers=self.headers)
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status in (200, 202), (path, answer.status)
            head = sum(len(name) + len(value) + 4 for name, value in answer.getheaders()) + 19
            text = gzip.decompress(body) if answer.headers["Content-Encoding"] == "gzip" else body
            return head + len(body), answer.headers["Content-Type"], text.decode("utf-8", "replace")


def not_a_page(path: str) -> bool:
    """A link may also say where a page is in another language."""
    return path.startswith("/static")


@pytest.fixture(scope="module")
def cookies(large_hall: Hall) -> str:
    """What an organizer's browser sends along."""
    cookie = large_hall.house.organizer().client.get_cookie(LOCAL_SESSION)
    assert cookie
    return f"{LOCAL_SESSION}={cookie.value}"


@pytest.mark.parametrize("address", PLAYERS_PAGES)
def test_requests_of_a_player_s_page(
    large_hall: Hall, heaviest: Callable[[str], list[str]], screen: Screen, address: str
) -> None:
    """Page, style sheet, two scripts, icon and feed; when it is loaded again, the page and its feed.

    The second script is for browsers that cannot read the first."""
    [path] = heaviest(address)
    at_hub = large_hall.doors.asked
    screen.cdp("Network.clearBrowserCache", {})
    for load, most in (("first", 6), ("again", 2), ("refreshed", 2)):
        if load != "refreshed":
            screen.open("about:blank")
            screen.until(lambda: not large_hall.doors.listeners, "the feed before to end")
        at_hub.clear()
        screen.asked()
        if load == "refreshed":
            screen.driver.refresh()
            screen.whole()
        else:
            screen.open(large_hall.url + path)
        screen.until(lambda: screen.run("return !document.body.dataset.feed || window.heard_hub"), "the feed")
        asked = [found for found, _ in at_hub]
        # What the browser has asked for and the hub not heard yet; what it has of its own, nobody hears.
        asked += [
            found for found in screen.asked() if not found.startswith("/static") and found.split("?")[0] not in asked
        ]
        ports = {port for _, port in at_hub}
        print(f"{load}: {len(asked)} requests on {len(ports)} connections: {path}")
        assert len(asked) <= most, (load, asked)
        # A busy browser asks for style and script before either has come, each on a connection of its own;
        # icon and feed find one of these free.
        assert len(ports) <= (3 if load == "first" else 2), (load, at_hub)


@pytest.mark.parametrize(
    "address",
    [
        pytest.param(address, marks=() if address in (*pages_of_everybody(), *BY_BROWSER) else pytest.mark.long)
        for address in (*pages_of_everybody(), *pages_of_organizers())
    ],
)
def test_first_load(large_hall: Hall, heaviest: Callable[[str], list[str]], cookies: str, address: str) -> None:
    organizer = address in pages_of_organizers()
    for path in heaviest(address):
        sent = Wire(large_hall, cookies if organizer else "").first_load(path)
        assert len(sent) > 1, "a page names its style"
        assert sum(sent.values()) <= WIRE_MAX_BYTES, (path, sent)


@pytest.mark.parametrize(
    "address",
    [
        pytest.param(address, marks=() if address in BY_BROWSER else pytest.mark.long)
        for address in (*pages_of_everybody(), *pages_of_organizers())
    ],
)
def test_first_load_in_a_browser(
    large_hall: Hall, heaviest: Callable[[str], list[str]], screen: Screen, address: str
) -> None:
    if address in pages_of_organizers():
        screen.log_in(large_hall.url, PIN)
    for path in heaviest(address):
        wire, by_path = screen.wire_bytes(large_hall.url + path)
        print(f"{wire:>7} bytes on the wire: {path}")
        assert wire <= WIRE_MAX_BYTES, (path, by_path)
