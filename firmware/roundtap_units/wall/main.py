"""`roundtap wall`: shows the hub's wall on this machine's own screen, permanently."""

import argparse
import json
import logging
import os
import re
import shutil
import signal
import socketserver
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from html import escape
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from roundtap_core.command_arguments import argument
from roundtap_core.words import LANGUAGES, Words
from roundtap_machine.addresses import own_address
from roundtap_machine.notify import Heartbeat, StopSignal, SystemdNotifier, refuse
from roundtap_machine.services import NEW_PIN
from roundtap_units.link.find_hub import FoundHub, find_hub
from roundtap_units.link.hub_address import Endpoint, endpoint_url, parse_endpoint, parse_endpoints
from roundtap_units.unit_words import unit_words
from roundtap_units.wall.own_hub import OwnHub, WallMemory, hub_connection

LOOPBACK = "127.0.0.1"
HERE: tuple[Endpoint, ...] = ((LOOPBACK, 8080), (LOOPBACK, 80))  # a hub on this machine
ASK_EVERY_S, LOOK_EVERY_S = 4.0, 2.0
MISSES = 3  # a restarting hub is away for some seconds; after so many failures another is looked for

Find = Callable[..., FoundHub | None]
Ask = Callable[[Endpoint], FoundHub | None]
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

log = logging.getLogger(__name__)

MEMORY = "wall.json"
STEP_S = 1.0  # how often to look for a screen, and for the programs
STARTS_WITHIN_S = 120.0  # a browser that starts for the first time on a slow card
# A live page sends or takes something sooner: the wall's asks a silent hub every 22 s at the latest.
ASKS_WITHIN_S = 40.0
ENDS_WITHIN_S = 5.0
AGAIN_AFTER_S, AGAIN_AT_MOST_S = 2.0, 60.0  # a browser that ends at once is restarted with a growing pause
LIVED_S = 60.0  # one that ends later did not end at once
COMPOSITOR = ("cage", "-d", "--")
BROWSERS = ("chromium", "chromium-browser")
FLAGS = (
    # Its requests to any other machine go to a port without a listener.
    f"--proxy-server={LOOPBACK}:9",
    "--autoplay-policy=no-user-gesture-required",
    "--no-first-run",
    "--no-default-browser-check",
    "--noerrdialogs",
    "--hide-crash-restore-bubble",
    "--disable-infobars",
    "--disable-features=Translate,MediaRouter",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-pinch",
    "--overscroll-history-navigation=0",
    "--password-store=basic",
    "--disk-cache-size=16777216",
    "--log-level=3",
)
KIOSK_FLAGS = ("--kiosk", "--ozone-platform=wayland")  # under its own compositor, with nothing else on the screen
CONNECTORS = Path("/sys/class/drm")


ARGUMENTS = (
    argument(
        "--hub",
        metavar="URL",
        default=os.environ.get("ROUNDTAP_WALL", ""),
        help="the hub whose wall is shown: http://192.168.1.20 (default: $ROUNDTAP_WALL, or else the "
        "hub that is found: on this machine, on the network, at the hotspot's gateway)",
    ),
    argument(
        "--folder",
        type=Path,
        default=Path(os.environ.get("STATE_DIRECTORY") or "."),
        help="where this wall keeps who it is (default: $STATE_DIRECTORY, or here)",
    ),
    argument(
        "--language",
        choices=LANGUAGES,
        default="",
        help="of the page that is shown while there is no hub (default: all of them)",
    ),
    argument(
        "--window",
        action="store_true",
        help="in a window of the desktop that is running: no compositor of its own, no kiosk",
    ),
)


def waiting_page(language: str, own_address: str, configured: str, trouble: str = "") -> str:
    """As HTML. `language` "": unknown, so all of them. `own_address` "": the machine is on no network. `configured`:
    the only hub it is configured for. `trouble`: as in OwnHub."""
    said = [unit_words(one) for one in ((language,) if language else LANGUAGES)]
    first, *others = said
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


class HubWatch:
    """Where the wall's hub is. `configured`: where to look first; `ask`: the wall's hub, if it is at a place
    (`OwnHub.ask`)."""

    def __init__(self, configured: Sequence[Endpoint], ask: Ask, find: Find = find_hub) -> None:
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
            if (known := self._ask(self.hub.place)) is not None:
                self.hub, self._misses = known, 0
                return ASK_EVERY_S
            self._misses += 1
            if self._misses < MISSES:
                return LOOK_EVERY_S
            self.hub = None
        last = () if self._last is None else (self._last,)
        found = self._find((*last, *self.standbys, *self._configured, *HERE), ask=self._ask)
        if found is None:
            return LOOK_EVERY_S
        self.hub, self._last, self._misses = found, found.place, 0
        return ASK_EVERY_S

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                pause_s = self.poll()
            except OSError:
                pause_s = LOOK_EVERY_S
            self._stopping.wait(pause_s)


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
        kept = [each for each in answer.getheaders() if each[0].lower() not in NOT_TO_BROWSER]
        self._answer(answer.status, kept, body)
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


def connected_screens(folder: Path = CONNECTORS) -> tuple[str, ...]:
    """The connectors with a screen: ("HDMI-A-1",); empty where there is no screen, or no graphics at all."""
    found = []
    for connector in sorted(folder.glob("card*-*")):
        try:
            if (connector / "status").read_text(encoding="ascii").strip() == "connected":
                found.append(connector.name.partition("-")[2])
        except (OSError, ValueError):
            continue
    # A writeback connector is no screen.
    return tuple(name for name in found if not name.startswith("Writeback"))


def run(args: argparse.Namespace) -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        configured = [parse_endpoint(args.hub if "://" in args.hub else f"http://{args.hub}")] if args.hub else []
    except ValueError:
        return refuse("wall", f"--hub {args.hub}: must be an address like http://192.168.1.20")
    stop = StopSignal()
    memory = WallMemory(args.folder / MEMORY, args.hub)
    own = OwnHub(memory, configured)
    watch = HubWatch(configured, own.ask)
    watch.start()
    proxy = WallProxy(watch, memory, lambda: waiting_page(args.language, own_address(), args.hub, own.trouble))
    threading.Thread(target=proxy.serve_forever, args=(60.0,), name="wall-proxy", daemon=True).start()
    try:
        WallBrowser(proxy, SystemdNotifier(), stop).run(args.window, os.environ)
    finally:
        watch.stop()
        proxy.server_close()
    return 0


class WallBrowser:
    """The loop: a screen, and a browser on it that is restarted whenever it ends or falls silent."""

    def __init__(
        self, proxy: WallProxy, notify: SystemdNotifier, stop: StopSignal, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._proxy, self._notify, self._stop, self._now_s = proxy, notify, stop, now_s
        self._heartbeat = Heartbeat(notify)

    def run(self, window: bool, environment: Mapping[str, str]) -> None:
        again_s = AGAIN_AFTER_S
        while self._wait_for(lambda: missing_for_browser(window, environment)):
            lived = False
            try:
                lived = self._show(
                    browser_command(window, environment, self._proxy.url), browser_environment(environment, window)
                )
            except OSError as error:
                log.error("the browser cannot be started: %s", error)
            if self._stop.is_set():
                return
            again_s = AGAIN_AFTER_S if lived else min(again_s * 2, AGAIN_AT_MOST_S)
            log.warning("the browser has ended; it is started again in %d s", again_s)
            if not lived:
                # Said until one has lived: the doctor's verdict does not change with each start.
                self._notify.say("the browser ends as soon as it is started; the log says why")
            self._pause(again_s)

    def _wait_for(self, lacks: Callable[[], str]) -> bool:
        reported = ""
        while not self._stop.is_set():
            if (lacking := lacks()) != reported:
                reported = lacking
                self._notify.say(reported)
                if reported:
                    log.warning("%s", reported)
            if not lacking:
                return True
            self._pause(LOOK_EVERY_S)
        return False

    def _pause(self, seconds: float) -> None:
        until_s = self._now_s() + seconds
        while not self._stop.is_set() and (left_s := until_s - self._now_s()) > 0:
            self._heartbeat.beat(int(self._now_s() * 1000))
            self._stop.wait(min(left_s, STEP_S))

    def _show(self, words: Sequence[str], environment: Mapping[str, str]) -> bool:
        """Until the browser ends, or has to be ended, or this process is stopped. Whether it lived for LIVED_S."""
        # In a process group of its own: the browser's children end with it.
        browser = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
        began_s, lived = self._now_s(), False
        try:
            while browser.poll() is None and not self._stop.is_set():
                heard_s = self._proxy.last_request_s
                if self._now_s() > (heard_s + ASKS_WITHIN_S if heard_s > began_s else began_s + STARTS_WITHIN_S):
                    log.warning("the browser asks for nothing any more")
                    break
                self._pause(STEP_S)
                if not lived and self._now_s() - began_s > LIVED_S:
                    lived = True
                    self._notify.say("")
        finally:
            end_browser(browser)
        return lived


def missing_for_browser(window: bool, environment: Mapping[str, str]) -> str:
    """What is missing to start a browser, for the journal; "": nothing."""
    if lacking := missing_programs(window):
        return (
            f"waiting: this machine has no {' and no '.join(lacking)}, so no wall: apt install cage xwayland chromium; "
            "it comes up once they are there"
        )
    if Path("/", NEW_PIN).exists():
        return "waiting: the new hub's PIN is on this screen; the wall comes up once somebody has logged in with it"
    # With another backend it is drawn elsewhere than on a screen: for testing.
    if window or environment.get("WLR_BACKENDS") or connected_screens():
        return ""
    return "waiting: no screen is connected; the wall comes up once one is plugged in and switched on"


def missing_programs(window: bool = False, path: str | None = None) -> list[str]:
    """What is not installed of compositor (unless in a window) and browser. `path`: where to look instead of $PATH."""
    programs = (("cage", window or shutil.which(COMPOSITOR[0], path=path)), ("chromium", browser_program(path)))
    return [name for name, there in programs if not there]


def browser_program(path: str | None = None) -> str:
    return next((found for name in BROWSERS if (found := shutil.which(name, path=path))), "")


def browser_command(window: bool, environment: Mapping[str, str], url: str) -> list[str]:
    # Nothing of a browser survives a reboot: the wall's identity is in its own file.
    profile = f"--user-data-dir={runtime_folder(environment) / 'browser'}"
    return [*(() if window else COMPOSITOR), browser_program(), *FLAGS, *(() if window else KIOSK_FLAGS), profile, url]


def end_browser(browser: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(browser.pid, number)
            browser.wait(ENDS_WITHIN_S)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
    browser.poll()


def runtime_folder(environment: Mapping[str, str]) -> Path:
    """Where the browser keeps its files until the next reboot."""
    made = environment.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    folder = Path(made) if made else Path("/tmp") / f"roundtap-wall-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def browser_environment(environment: Mapping[str, str], window: bool) -> dict[str, str]:
    """The environment of compositor and browser."""
    folder = str(runtime_folder(environment))
    # A compositor that waits for a keyboard would never show a wall, which has none.
    own = (
        {}
        if window
        else {"WLR_LIBINPUT_NO_DEVICES": "1", "XDG_RUNTIME_DIR": environment.get("XDG_RUNTIME_DIR", folder)}
    )
    return {**environment, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder, **own}
