"""`roundtap wall`: shows the hub's wall on this machine's own screen, in a browser that is kept running."""

import argparse
import logging
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from roundtap_core.command_arguments import argument
from roundtap_core.words import LANGUAGES
from roundtap_machine.addresses import own_address
from roundtap_machine.notify import Heartbeat, StopSignal, SystemdNotifier, refuse
from roundtap_machine.services import NEW_PIN
from roundtap_units.link.hub_address import parse_endpoint
from roundtap_units.wall.proxy import LOOK_EVERY_S, LOOPBACK, HubWatch, OwnHub, WallMemory, WallProxy, waiting_page

log = logging.getLogger(__name__)

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
MEMORY = "wall.json"

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
    return next((program for name in BROWSERS if (program := shutil.which(name, path=path))), "")


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


def connected_screens(folder: Path = CONNECTORS) -> tuple[str, ...]:
    """The connectors with a screen: ("HDMI-A-1",); empty where there is no screen, or no graphics at all."""
    screens = []
    for connector in sorted(folder.glob("card*-*")):
        try:
            if (connector / "status").read_text(encoding="ascii").strip() == "connected":
                screens.append(connector.name.partition("-")[2])
        except (OSError, ValueError):
            continue
    # A writeback connector is no screen.
    return tuple(name for name in screens if not name.startswith("Writeback"))


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
