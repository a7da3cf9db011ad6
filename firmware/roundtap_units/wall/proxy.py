"""What the wall's browser asks: passed on to the hub, or a page of this machine's own while there is none."""

import json
import logging
import re
import socketserver
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from html import escape
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler
from typing import Any

from roundtap_core.words import LANGUAGES, Words
from roundtap_units.link.find_hub import FoundHub
from roundtap_units.link.hub_choice import endpoint_url, parse_endpoints
from roundtap_units.unit_words import unit_words
from roundtap_units.wall.own_hub import HubWatch, WallMemory, hub_connection

log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
WALL, FEED = "/wall", "/feed"
PROXIED_PATHS = (WALL, FEED, "/time", "/static/", "/colours.css")  # all that a wall needs; the last of older hubs
TO_HUB = ("Accept", "Accept-Encoding", "Accept-Language", "If-None-Match")
NOT_TO_BROWSER = frozenset(
    {"connection", "content-length", "date", "keep-alive", "server", "set-cookie", "transfer-encoding"}
)
"""The display's cookie stays here; the rest belongs to each connection."""
BROWSER_WITHIN_S = 30.0
FEED_LASTS_S = 300.0  # then the page has to reopen it: a page that hangs does not, and is detected
PAGE_BYTES_MAX, EVENT_BYTES_MAX = 16 * 1024 * 1024, 4 * 1024 * 1024
OWN_HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
)
HUBS = b"event: hubs\ndata: "
COOKIE = "roundtap_display"  # identifies a display to the hub
DISPLAY = re.compile(r"[\w.-]{1,80}", re.ASCII)
AGAIN_S = 2  # the page reloads itself this often, without a script
STYLE = (
    "html{background:#0e1113;color:#f4f5f5;cursor:none;font:min(3vw,6vh)/1.3 'DejaVu Sans',sans-serif;height:100%}"
    "body{margin:0;height:100%;display:grid;place-content:center;text-align:center;overflow:hidden}"
    "h1{font-size:2.6em;margin:0 0 .4em}p{margin:.25em 2em}.other{color:#a7afb5;font-size:.7em}"
    ".here{position:fixed;inset:auto 0 1em;color:#a7afb5;font-size:.6em}"
)


class WallProxy(socketserver.ThreadingTCPServer):
    """`own_page`: HTML, for as long as no hub answers. `now_s`: monotonic."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 16

    def __init__(
        self,
        watch: HubWatch,
        memory: WallMemory,
        own_page: Callable[[], str],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__((LOOPBACK, 0), _Request)
        self.watch, self.memory, self.own_page, self.now_s = watch, memory, own_page, now_s
        self.host = f"{LOOPBACK}:{self.server_address[1]}"
        self.url = f"http://{self.host}{WALL}"
        self.last_request_s = now_s()  # when the browser last sent a request, or took a message
        self.opened: FoundHub | None = None  # the hub of the last wall shown

    def open(self, hub: FoundHub, cookies: Iterable[str]) -> None:
        """Show this hub's wall, with these cookies for the hub."""
        if self.opened != hub:
            self.opened = hub
            log.info("opens %s%s", endpoint_url(hub.place), WALL)
        for name, _, value in (cookie.partition(";")[0].partition("=") for cookie in cookies):
            if name == COOKIE and DISPLAY.fullmatch(value):
                self.memory.keep(display=value, hub=hub.hub)

    def handle_error(self, request: object, client_address: object) -> None:
        """The browser left before its answer: it asks again."""


class _Request(BaseHTTPRequestHandler):
    server: WallProxy
    timeout = BROWSER_WITHIN_S

    def do_GET(self) -> None:
        proxy, hub = self.server, self.server.watch.hub
        if self.headers["Host"] != proxy.host:
            # Another site's page, in a browser on this machine, under another host name.
            self._answer(403)
            return
        proxy.last_request_s = proxy.now_s()
        if not self.path.startswith(PROXIED_PATHS):
            self._answer(302, [("Location", WALL)])
        elif hub is None:
            self._show_own_page()
        else:
            connection = hub_connection(hub)
            try:
                self._pass_on(connection, hub)
            finally:
                connection.close()

    def _pass_on(self, connection: HTTPConnection, hub: FoundHub) -> None:
        headers = {name: self.headers[name] for name in TO_HUB if name in self.headers}
        if self.server.memory.pin.display:
            headers["Cookie"] = f"{COOKIE}={self.server.memory.pin.display}"
        try:
            connection.request("GET", self.path, headers=headers)
            answer = connection.getresponse()
            events = self.path.startswith(FEED) and answer.status == 200
            body = b"" if events else answer.read(PAGE_BYTES_MAX)
        except (OSError, HTTPException, ValueError):
            self._show_own_page()
            return
        if answer.status in (301, 302, 303, 307, 308):
            # There is no wall at the end of it, and the browser must stay.
            self._show_own_page()
            return
        if self.path == WALL and answer.status in (200, 304):
            self.server.open(hub, answer.headers.get_all("Set-Cookie", ()))
        answer_headers = [each for each in answer.getheaders() if each[0].lower() not in NOT_TO_BROWSER]
        self._answer(answer.status, answer_headers, body)
        if events:
            with suppress(OSError, HTTPException):
                self._pass_on_events(answer, hub)

    def _pass_on_events(self, answer: HTTPResponse, hub: FoundHub) -> None:
        """Until the hub, the browser or the feed's time ends."""
        proxy, event = self.server, b""
        ends_s = proxy.now_s() + FEED_LASTS_S
        while (line := answer.readline(EVENT_BYTES_MAX)) and len(event) < EVENT_BYTES_MAX and proxy.watch.hub == hub:
            event += line
            if line != b"\n":
                continue
            if event.startswith(HUBS):
                # The standbys are for this process: the page would go there itself.
                with suppress(ValueError, KeyError, TypeError):
                    proxy.watch.standbys = parse_endpoints(json.loads(event.removeprefix(HUBS))["hubs"])
            else:
                self.wfile.write(event)
                proxy.last_request_s = proxy.now_s()
                if proxy.last_request_s > ends_s:
                    return
            event = b""

    def _show_own_page(self) -> None:
        # Not 200: a wall that looks for news of an absent hub ignores an error, and stays as it is.
        self._answer(503, OWN_HEADERS, self.server.own_page().encode())

    def _answer(self, status: int, headers: Iterable[tuple[str, str]] = (), body: bytes = b"") -> None:
        self.send_response_only(status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.server.last_request_s = self.server.now_s()

    def log_message(self, *_: object) -> None:
        """A log line for each request would be useless."""


def waiting_page(language: str, own_address: str, configured: str, trouble: str = "") -> str:
    """As HTML. `language` "": unknown, so all of them. `own_address` "": the machine is on no network. `configured`:
    the only hub it is configured for. `trouble`: as in OwnHub."""
    catalogues = [unit_words(one) for one in ((language,) if language else LANGUAGES)]
    first, *others = catalogues
    lines = [
        f"<h1>{escape(first('wall.looking'))}</h1>",
        *(f"<p>{escape(line)}</p>" for line in _lines(first, own_address, configured, trouble)),
    ]
    for t in others:
        text = escape(" · ".join(_short(t, own_address, configured, trouble)))
        lines.append(f'<p class="other" lang="{t.language}">{text}</p>')
    if own_address:
        lines.append(f'<p class="here">{escape(own_address)}</p>')
    return (
        f'<!doctype html><html lang="{first.language}"><meta charset="utf-8"><title>Roundtap</title>'
        f'<meta name="color-scheme" content="dark"><meta http-equiv="refresh" content="{AGAIN_S}">'
        f"<style>{STYLE}</style>{''.join(lines)}</html>"
    )


def _lines(t: Words, *about: Any) -> Sequence[str]:
    return [*_short(t, *about)[1:], t("wall.by_itself")]


def _short(t: Words, own_address: str, configured: str, trouble: str) -> Sequence[str]:
    if not own_address:
        return [t("wall.looking"), t("wall.no_network")]
    if trouble:
        return [t("wall.looking"), t(trouble)]
    return [t("wall.looking"), t("wall.told", hub=configured) if configured else t("wall.hub_off")]
