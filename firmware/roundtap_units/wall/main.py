"""`roundtap wall`: the hub's wall on this machine's own screen, for ever."""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from roundtap_core.words import LANGUAGES
from roundtap_systemd.notify import Heartbeat, Notify, StopSignal
from roundtap_units.link.safe_file import write_safely
from roundtap_units.wall.connectors import connected
from roundtap_units.wall.devtools import Browser, Gone
from roundtap_units.wall.hub_watch import HubWatch
from roundtap_units.wall.own_address import own_address
from roundtap_units.wall.waiting_page import as_address, waiting_page
from roundtap_units.wall.wall_course import Ask, Course, Load, Place, StartAnew, Step, Wait, place_of_url, wall_url

log = logging.getLogger(__name__)

COOKIE = "roundtap_display"
"""By which the hub knows a display again."""
COOKIE_S = 400 * 86_400
MEMORY = "wall.json"
STEP_S = 1.0
LOOK_FOR_SCREEN_S, LOOK_FOR_PROGRAMS_S = 2.0, 30.0
ATTACHES_WITHIN_S = 120.0
"""A browser that starts for the first time on a slow card."""
AGAIN_AFTER_S, AGAIN_AT_MOST_S = 2.0, 60.0
"""A browser that ends at once is started again later and later."""
COMPOSITOR = ("cage", "-d", "--")
BROWSERS = ("chromium", "chromium-browser")
FLAGS = (
    "--kiosk", "--remote-debugging-pipe", "--autoplay-policy=no-user-gesture-required", "--no-first-run",
    "--no-default-browser-check", "--noerrdialogs", "--disable-session-crashed-bubble", "--hide-crash-restore-bubble",
    "--disable-infobars", "--disable-translate", "--disable-features=Translate,TranslateUI,MediaRouter",
    "--disable-component-update", "--disable-background-networking", "--disable-sync", "--disable-breakpad",
    "--disable-pinch", "--overscroll-history-navigation=0", "--password-store=basic", "--ozone-platform=wayland",
    "--disk-cache-size=16777216", "--log-level=3",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hub", metavar="URL", default=os.environ.get("ROUNDTAP_WALL", ""),
                        help="the hub whose wall is shown: http://192.168.1.20 (default: $ROUNDTAP_WALL, or else the "
                        "hub that is found: on this machine, on the network, at the hotspot's gateway)")
    parser.add_argument("--folder", type=Path, default=Path(os.environ.get("STATE_DIRECTORY") or "."),
                        help="where this wall keeps who it is (default: $STATE_DIRECTORY, or here)")
    parser.add_argument("--language", choices=LANGUAGES, default="",
                        help="of the page that is shown while there is no hub (default: all of them)")
    parser.add_argument("--window", action="store_true",
                        help="in a window of the desktop that is running: no compositor of its own, no kiosk")


def run(args: argparse.Namespace) -> int:
    """Run until SIGTERM or Ctrl-C."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    configured = []
    if args.hub:
        place = configured_place(args.hub)
        if place is None:
            log.error("roundtap wall: --hub %s: an address like http://192.168.1.20 is wanted", args.hub)
            return 2
        configured.append(place)
    stopping = StopSignal()
    memory = Memory(args.folder / MEMORY)
    watch = HubWatch(configured, memory.hub)
    watch.start()
    wall = Wall(memory, watch, args.language, args.hub, Heartbeat(Notify()), stopping.is_set)
    try:
        wall.run(args.window, os.environ)
    finally:
        watch.stop()
    return 0


def configured_place(url: str) -> Place | None:
    """The hub of "http://192.168.1.20:8080/wall", "http://192.168.1.20" or "192.168.1.20"; None where it is none."""
    text = url if "://" in url else f"http://{url}"
    return place_of_url(text.rstrip("/").removesuffix("/wall") + "/wall")


class Memory:
    """Who this wall is to its hub, over restarts and addresses. What cannot be read is forgotten."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.display = self.hub = ""
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            self.display, self.hub = str(said["display"]), str(said["hub"])
        except (OSError, ValueError, KeyError, TypeError):
            return

    def keep(self, display: str, hub: str) -> None:
        """Remember the display's cookie and the hub; where the disk takes nothing, until the next restart."""
        if (display, hub) == (self.display, self.hub):
            return
        self.display, self.hub = display, hub
        with suppress(OSError):
            write_safely(self._path, json.dumps({"display": display, "hub": hub}).encode())


class Wall:
    """The loop: a screen, a browser on it, and what it shows."""

    def __init__(self, memory: Memory, watch: HubWatch, language: str, configured: str, heartbeat: Heartbeat,
                 told_to_stop: Callable[[], bool]) -> None:
        self._memory, self._watch = memory, watch
        self._language, self._configured = language, configured
        self._heartbeat, self._told_to_stop = heartbeat, told_to_stop
        self._page = ""

    def run(self, window: bool, environment: Mapping[str, str]) -> None:
        """Until told to stop."""
        again_s = AGAIN_AFTER_S
        while not self._told_to_stop():
            words = self._words(window)
            if words is None or not (window or self._screen(environment)):
                return
            began_s = time.monotonic()
            try:
                self._show(Browser(words, browser_environment(environment, window), runtime_folder(environment)))
            except OSError as error:
                log.error("the browser cannot be started: %s", error)
            if self._told_to_stop():
                return
            lived = time.monotonic() - began_s > AGAIN_AT_MOST_S
            again_s = AGAIN_AFTER_S if lived else min(again_s * 2, AGAIN_AT_MOST_S)
            log.warning("the browser has ended; it is started again in %d s", again_s)
            self._pause(again_s)

    def _words(self, window: bool) -> list[str] | None:
        """The browser's command line; waits where a program is missing. None: told to stop."""
        said = False
        while not self._told_to_stop():
            browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
            compositor = window or shutil.which(COMPOSITOR[0])
            if browser and compositor:
                profile = runtime_folder(os.environ) / "browser"
                flags = [flag for flag in FLAGS if not (window and flag in ("--kiosk", "--ozone-platform=wayland"))]
                # Nothing of a browser outlives the machine's restart: who this wall is stands in its own file.
                return [*(() if window else COMPOSITOR), browser, *flags, f"--user-data-dir={profile}", "about:blank"]
            if not said:
                log.warning("this machine has no %s, so no wall: apt install cage chromium; it comes up once they are "
                            "there", " and no ".join(
                                name for name, there in (("cage", compositor), ("chromium", browser)) if not there))
                said = True
            self._pause(LOOK_FOR_PROGRAMS_S)
        return None

    def _screen(self, environment: Mapping[str, str]) -> bool:
        """Wait for a screen; False: told to stop."""
        said = environment.get("WLR_BACKENDS", "") != ""
        if said:
            # Drawn somewhere else than on a screen: for trying.
            return True
        while not self._told_to_stop():
            screens = connected()
            if screens:
                log.info("screen at %s", ", ".join(screens))
                return True
            if not said:
                log.warning("no screen is connected: the wall comes up once one is plugged in and switched on")
                said = True
            self._pause(LOOK_FOR_SCREEN_S)
        return False

    def _pause(self, seconds: float) -> None:
        until_s = time.monotonic() + seconds
        while not self._told_to_stop() and (left_s := until_s - time.monotonic()) > 0:
            self._heartbeat.alive(now_ms())
            time.sleep(min(left_s, STEP_S))

    def _show(self, browser: Browser) -> None:
        """Until the browser ends, or this process is told to."""
        course: Course | None = None
        began_s = time.monotonic()
        try:
            while not self._told_to_stop():
                self._heartbeat.alive(now_ms())
                if course is None:
                    if browser.attached:
                        course = Course(now_ms())
                    elif time.monotonic() - began_s > ATTACHES_WITHIN_S:
                        return
                    else:
                        browser.begin()
                for said in browser.read(STEP_S):
                    if course is not None:
                        self._heard(course, said)
                if course is None:
                    continue
                hub = self._watch.hub
                course.hub_is(hub.place if hub is not None else None)
                self._watch.shown(course.shown)
                step = course.step(now_ms())
                if isinstance(step, StartAnew):
                    return
                self._do(browser, course, step)
        except Gone:
            return
        finally:
            browser.end()

    def _do(self, browser: Browser, course: Course, step: Step | None) -> None:
        if isinstance(step, Load):
            log.info("opens %s", step.url)
            if self._memory.display:
                browser.send("Network.setCookie", {
                    "url": step.url, "name": COOKIE, "value": self._memory.display, "path": "/", "httpOnly": True,
                    "sameSite": "Lax", "expires": time.time() + COOKIE_S})
            browser.send("Page.navigate", {"url": step.url})
        elif isinstance(step, Ask):
            browser.send("Runtime.evaluate", {"expression": "1"})
            if course.shown is not None:
                browser.send("Network.getCookies", {"urls": [wall_url(course.shown)]})
        if isinstance(step, Wait) or (course.waits and not isinstance(step, Load)):
            page = waiting_page(self._language, own_address(), self._configured)
            if isinstance(step, Wait) or page != self._page:
                self._page = page
                browser.send("Page.navigate", {"url": as_address(page)})

    def _heard(self, course: Course, said: dict[str, Any]) -> None:
        method, asked, values = said.get("method"), said.get("asked"), said.get("params", {})
        if method == "Page.frameNavigated" and "parentId" not in values.get("frame", {}):
            frame = values["frame"]
            course.navigated(str(frame.get("url", "")), "unreachableUrl" in frame, now_ms())
        elif method == "Inspector.targetCrashed":
            log.warning("the page has crashed; it is loaded anew")
            course.crashed()
        elif asked == "Runtime.evaluate" and "result" in said:
            course.answered(now_ms())
        elif asked == "Network.getCookies":
            found = [each["value"] for each in said.get("result", {}).get("cookies", ()) if each.get("name") == COOKIE]
            hub = self._watch.hub
            if found and hub is not None:
                self._memory.keep(str(found[0]), hub.hub)


def now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def runtime_folder(environment: Mapping[str, str]) -> Path:
    """Where the browser keeps its things until the next restart."""
    made = environment.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    folder = Path(made) if made else Path("/tmp") / f"roundtap-wall-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def browser_environment(environment: Mapping[str, str], window: bool) -> dict[str, str]:
    """What compositor and browser are to know beside what this process does."""
    folder = str(runtime_folder(environment))
    # A compositor that waits for a keyboard would never show a wall, which has none.
    own = {} if window else {"WLR_LIBINPUT_NO_DEVICES": "1",
                             "XDG_RUNTIME_DIR": environment.get("XDG_RUNTIME_DIR", folder)}
    return {**environment, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder, **own}
