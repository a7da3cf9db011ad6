"""What the wall's browser asks: passed on to the hub, or a page of this machine's own while there is none.

The hub that a wall believes gives the wall a key, and has to prove it from then on. The answer that proves it names
the certificate of the hub's authority; what the wall shows comes over TLS under it.
"""

import json
import logging
import re
import secrets
import socketserver
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from html import escape
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from roundtap_core.messages import HubAnswer, WallPin
from roundtap_core.typed import parse_message
from roundtap_core.wire import ECHO, REQUEST, canonical_json, digest, envelope, open_envelope
from roundtap_core.words import LANGUAGES, Words
from roundtap_machine.deadline_http import BYTES_MAX, request_json, send_request
from roundtap_machine.disk import write_atomically
from roundtap_units.link.hub_address import Endpoint, endpoint_url, parse_endpoints
from roundtap_units.link.hub_choice import FoundHub, find_hub, probe_hub
from roundtap_units.unit_config import unit_words

HUB_WITHIN_S = 10.0  # for each part of an answer; a live hub's feed sends something every 5 s
PROOF = "/device/wall"
UNCONFIRMED, UNKNOWN = "wall.confirm", "wall.unknown"
SEALS_MAX = 8
HERE: tuple[Endpoint, ...] = (("127.0.0.1", 8080), ("127.0.0.1", 80))  # a hub on this machine
MISSES = 3  # a restarting hub is away for some seconds; after so many failures another is looked for
Ask = Callable[[Endpoint], FoundHub | None]
ASK_EVERY_S, LOOK_EVERY_S = 4.0, 2.0
NO_CHECK_TIME = 0x200000  # OpenSSL's X509_V_FLAG_NO_CHECK_TIME


class WallMemory:
    """What this wall keeps across restarts and addresses. Unreadable content is dropped. `told`: the configured address
    of the hub; another one than before, or none, sets the wall up anew."""

    def __init__(self, path: Path, told: str = "") -> None:
        self._path = path
        self.pin = WallPin(told=told)
        with suppress(OSError, ValueError):
            stored = parse_message(WallPin, json.loads(path.read_text(encoding="utf-8")))
            self.pin = stored if told == stored.told else self.pin.replace(display=stored.display)

    def keep(self, **changes: Any) -> None:
        """Store what has changed; where the disk refuses, until the next restart."""
        if (pin := self.pin.replace(**changes)) != self.pin:
            self.pin = pin
            with suppress(OSError):
                write_atomically(
                    self._path, canonical_json({name: getattr(pin, name) for name in pin.__struct_fields__})
                )


class OwnHub:
    """Asks whoever may be the wall's hub. `configured`: its configured addresses. `trouble`: the text about one that
    was there: "wall.confirm", as its certificate is new, or "wall.unknown", as it proves nothing: it has lost its
    secret, or is a stranger's with the same public id."""

    def __init__(
        self,
        memory: WallMemory,
        configured: Sequence[Endpoint] = (),
        probe: Ask = probe_hub,
    ) -> None:
        self._memory, self._configured, self._probe = memory, configured, probe
        self.trouble = ""

    def ask(self, place: Endpoint) -> FoundHub | None:
        """The wall's hub, if it is there and proves it. A wall without a key takes one from the first hub with a
        certificate; one without any is known by its public id alone."""
        try:
            if not self._memory.pin.key:
                hub = self._probe(place)
                if hub is None or not (self._memory.pin.hub in ("", hub.hub) or place in self._configured):
                    return None
                if not hub.secure:
                    return hub
                self._take_key(hub)
            return self._prove(place) if self._memory.pin.key else None
        except (OSError, HTTPException, ValueError):
            return None

    def _take_key(self, hub: FoundHub) -> None:
        with closing(hub_connection(hub)) as connection:
            _, answer = send_request(connection, PROOF, {"display": self._memory.pin.display}, BYTES_MAX)
        if (given := parse_message(WallPin, answer)).key:
            self._memory.keep(wall=given.wall, key=given.key, display=given.display)

    def _prove(self, place: Endpoint) -> FoundHub | None:
        pin, nonce = self._memory.pin, secrets.token_hex(16)
        key = bytes.fromhex(pin.key)
        request = {"wall": pin.wall, "nonce": nonce, "display": pin.display, "seals": list(pin.seals)}
        status, reply = request_json(place, PROOF, envelope(key, REQUEST, request))
        signed = open_envelope(key, ECHO, reply)
        if signed is None:
            hub = self._probe(place)
            if hub is not None and hub.hub == pin.hub:
                # An older hub signs no 409: whoever says it is believed nothing but that there is a console to look at.
                self.trouble = UNCONFIRMED if status == 409 else self.trouble or UNKNOWN
            return None
        answer = parse_message(HubAnswer, signed)
        if answer.unconfirmed == nonce:
            self.trouble = UNCONFIRMED
        if answer.nonce != nonce or not answer.authority:
            return None
        self.trouble = ""
        seals = dict.fromkeys((*pin.seals, digest(answer.authority)))
        self._memory.keep(hub=answer.hub, seals=tuple(seals)[-SEALS_MAX:])
        return FoundHub(place, answer.hub, answer.epoch, answer.name, answer.secure, answer.authority)


class HubWatch:
    """Where the wall's hub is. `configured`: where to look first; `ask`: the wall's hub, if it is at a place
    (`OwnHub.ask`)."""

    def __init__(
        self, configured: Sequence[Endpoint], ask: Ask, find: Callable[..., FoundHub | None] = find_hub
    ) -> None:
        self._configured = tuple(configured)
        self._ask, self._find = ask, find
        self.hub: FoundHub | None = None
        self.standbys: Sequence[Endpoint] = ()
        """That hub's standbys, for when it is silent. Set by the reader of its feed."""
        self._misses = 0
        self._last: Endpoint | None = None
        self._stopping = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, name="hub-watch", daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()

    def poll(self) -> float:
        """Probe or search once; returns the seconds until the next time."""
        if self.hub is not None:
            if (hub := self._ask(self.hub.place)) is not None:
                self.hub, self._misses = hub, 0
                return ASK_EVERY_S
            self._misses += 1
            if self._misses < MISSES:
                return LOOK_EVERY_S
            self.hub = None
        last = () if self._last is None else (self._last,)
        hub = self._find((*last, *self.standbys, *self._configured, *HERE), ask=self._ask)
        if hub is None:
            return LOOK_EVERY_S
        self.hub, self._last, self._misses = hub, hub.place, 0
        return ASK_EVERY_S

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                pause_s = self.poll()
            except OSError:
                pause_s = LOOK_EVERY_S
            self._stopping.wait(pause_s)


def hub_connection(hub: FoundHub) -> HTTPConnection:
    """For one request. A hub that has proved itself is asked over TLS, under its authority: nobody takes its address.
    While a wall is set up, it knows of none."""
    if not hub.secure:
        return HTTPConnection(*hub.place, timeout=HUB_WITHIN_S)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # The authority certifies nobody but its hub, whose address may be new, and this machine may not know the time.
    context.check_hostname = False
    context.verify_flags |= NO_CHECK_TIME
    context.verify_mode = ssl.CERT_REQUIRED if hub.authority else ssl.CERT_NONE
    if hub.authority:
        context.load_verify_locations(cadata=hub.authority)
    return HTTPSConnection(hub.place[0], hub.secure, timeout=HUB_WITHIN_S, context=context)


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
