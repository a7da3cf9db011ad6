"""What the wall's browser is given on loopback: the hub's wall as it is, its own page without one, and nothing else."""

import http.client
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from patience import GUARD_S
from roundtap_units.link.hub_choice import FoundHub
from roundtap_units.wall.proxy import FEED_LASTS_S, HubWatch, WallMemory, WallProxy

DISPLAY = "abcdefghijklmnop.C"
POLICY = "default-src 'none'; script-src 'self'; frame-ancestors 'none'"
TICK = b"event: tick\ndata: {}\n\n"


class Hub(ThreadingHTTPServer):
    """One that says what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.asked: list[tuple[str, Mapping[str, str]]] = []
        self.events: list[bytes] = []
        self.found = FoundHub(("127.0.0.1", self.server_port), "ours", "1", "Hall")
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class Answer(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers)))
        if self.path == "/wall/elsewhere":
            self.send_response(302)
            self.send_header("Location", "http://10.42.0.1/")
            self.end_headers()
            return
        if self.headers["If-None-Match"] == '"1"':
            self.send_response(304)
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("ETag", '"1"')
        self.send_header("Set-Cookie", "roundtap_lang=de; Path=/")
        self.send_header("Set-Cookie", f"roundtap_display={DISPLAY}; Path=/; HttpOnly")
        self.end_headers()
        for event in self.server.events if self.path.startswith("/feed") else [b"<p>The wall</p>"]:
            self.wfile.write(event)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub() as made:
        yield made
        made.shutdown()


class Kit:
    """A proxy whose clock is set by hand; no hub is looked for."""

    def __init__(self, folder: Path, hub: Hub) -> None:
        self.s = 0.0
        self.path = folder / "wall.json"
        self.watch = HubWatch((), lambda _: None)
        self.watch.hub = hub.found
        self.proxy = WallProxy(self.watch, WallMemory(self.path), lambda: "<p>Looking</p>", lambda: self.s)
        threading.Thread(target=self.proxy.serve_forever, args=(0.01,), daemon=True).start()

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> tuple[int, http.client.HTTPMessage, bytes]:
        with closing(
            http.client.HTTPConnection("127.0.0.1", self.proxy.server_address[1], timeout=GUARD_S)
        ) as connection:
            connection.request("GET", path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()


@pytest.fixture
def kit(tmp_path: Path, hub: Hub) -> Iterator[Kit]:
    made = Kit(tmp_path, hub)
    yield made
    made.proxy.shutdown()
    made.proxy.server_close()


def test_the_hub_s_wall_comes_as_it_is_with_what_it_forbids_and_without_its_cookies(kit: Kit) -> None:
    status, headers, body = kit.get("/wall")
    assert (status, body) == (200, b"<p>The wall</p>")
    assert (headers["Content-Security-Policy"], headers["ETag"]) == (POLICY, '"1"')
    assert headers["Set-Cookie"] is None
    assert kit.get("/wall", {"If-None-Match": '"1"'})[0] == 304


def test_who_the_wall_is_to_the_hub_is_kept_here_and_the_hub_is_told_nothing_else(kit: Kit, hub: Hub) -> None:
    kit.get("/wall", {"Cookie": "__Host-roundtap=secret", "Accept-Language": "pl"})
    assert (WallMemory(kit.path).pin.display, WallMemory(kit.path).pin.hub) == (DISPLAY, "ours")
    kit.get("/time")
    (_, first), (_, second) = hub.asked
    assert (first.get("Cookie"), first["Accept-Language"]) == (None, "pl")
    assert second["Cookie"] == f"roundtap_display={DISPLAY}"
    assert first["Host"] == "{}:{}".format(*hub.found.place)


def test_without_a_hub_the_machine_s_own_page_is_there_at_the_same_address(kit: Kit, hub: Hub) -> None:
    kit.watch.hub = None
    status, headers, body = kit.get("/wall")
    # Not 200: a page that asks the hub for news is not given this for it.
    assert (status, body) == (503, b"<p>Looking</p>")
    assert "script" not in headers["Content-Security-Policy"]
    kit.watch.hub = hub.found
    assert kit.get("/wall")[2] == b"<p>The wall</p>"


@pytest.mark.parametrize("path", ["/wall", "/feed?page=door", "/time"])
def test_a_hub_that_has_just_gone_is_none(kit: Kit, hub: Hub, path: str) -> None:
    hub.shutdown()
    hub.server_close()
    assert kit.get(path)[::2] == (503, b"<p>Looking</p>")


def test_the_browser_is_led_nowhere_else(kit: Kit, hub: Hub) -> None:
    for path in ("/", "/console", "/e/e1", "/login"):
        status, headers, _ = kit.get(path)
        assert (status, headers["Location"]) == (302, "/wall")
    assert not hub.asked
    # Where the hub itself sends it on, there is no wall.
    assert kit.get("/wall/elsewhere")[0] == 503


def test_whoever_calls_this_machine_by_another_name_is_refused(kit: Kit, hub: Hub) -> None:
    assert kit.get("/wall", {"Host": "evil.example"})[0] == 403
    assert not hub.asked


def test_the_feed_is_passed_on_event_by_event_and_the_standbys_are_kept_to_itself(kit: Kit, hub: Hub) -> None:
    said = b'event: hubs\ndata: {"lineage": "x", "hubs": ["http://10.0.0.7:8080", "ftp://no", "http://10.0.0.8"]}\n\n'
    hub.events = [b"retry: 2000\n\n", said, TICK, b"event: hubs\n", b"data: [1]\n\n", TICK[:7], TICK[7:], b"event: cut"]
    assert kit.get("/feed?page=door")[::2] == (200, b"retry: 2000\n\n" + TICK + TICK)
    hub.events = [said]
    assert kit.get("/feed?page=door")[2] == b""
    assert kit.watch.standbys == [("10.0.0.7", 8080), ("10.0.0.8", 80)]


def test_a_feed_ends_after_a_while_so_that_a_page_that_hangs_is_noticed(kit: Kit, hub: Hub) -> None:
    hub.events = [TICK] * 5
    clock = iter((0.0, 0.0, 0.0, 1.0, FEED_LASTS_S, FEED_LASTS_S + 1, FEED_LASTS_S + 2))
    kit.proxy.now_s = lambda: next(clock)
    assert kit.get("/feed?page=door")[2] == TICK * 3
    assert kit.proxy.last_request_s == FEED_LASTS_S + 1


def test_the_feed_of_a_hub_that_is_not_the_wall_s_any_more_ends(kit: Kit, hub: Hub) -> None:
    hub.events = [TICK]
    before = kit.proxy.now_s

    def gone() -> float:
        # While the request is under way.
        if hub.asked:
            kit.watch.hub = None
        return before()

    kit.proxy.now_s = gone
    assert kit.get("/feed?page=door")[2] == b""


def test_it_listens_on_loopback_alone(kit: Kit) -> None:
    assert kit.proxy.server_address[0] == "127.0.0.1"
