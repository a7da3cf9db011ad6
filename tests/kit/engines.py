"""The browser engines that tests play in: Chromium, Debian's Firefox ESR, and WebKitGTK, each as a driver of Selenium.

Debian has no geckodriver: Firefox is spoken to by Marionette, the protocol that geckodriver translates.
"""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.options import ArgOptions
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.command import Command
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.remote.webdriver import WebDriver

from patience import GUARD_S

START_S = GUARD_S
"""Against hanging for ever: no machine is so busy."""
CHROMIUM_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1280,1000",
)
# No pages of its own at the start, and no calls home.
FIREFOX_SETTINGS = {
    "marionette.port": 0,
    "browser.startup.page": 0,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionPolicyBypassNotification": True,
    "toolkit.telemetry.enabled": False,
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "dom.ipc.processPrelaunch.enabled": False,
    "remote.prefs.recommended": True,
}
MARIONETTE = {
    Command.GET: "Navigate",
    Command.REFRESH: "Refresh",
    Command.GO_BACK: "Back",
    Command.GET_CURRENT_URL: "GetCurrentURL",
    Command.GET_TITLE: "GetTitle",
    Command.FIND_ELEMENT: "FindElement",
    Command.FIND_ELEMENTS: "FindElements",
    Command.FIND_CHILD_ELEMENT: "FindElement",
    Command.FIND_CHILD_ELEMENTS: "FindElements",
    Command.W3C_GET_ACTIVE_ELEMENT: "GetActiveElement",
    Command.CLICK_ELEMENT: "ElementClick",
    Command.CLEAR_ELEMENT: "ElementClear",
    Command.SEND_KEYS_TO_ELEMENT: "ElementSendKeys",
    Command.GET_ELEMENT_TEXT: "GetElementText",
    Command.GET_ELEMENT_TAG_NAME: "GetElementTagName",
    Command.GET_ELEMENT_PROPERTY: "GetElementProperty",
    Command.W3C_EXECUTE_SCRIPT: "ExecuteScript",
    Command.W3C_EXECUTE_SCRIPT_ASYNC: "ExecuteAsyncScript",
    Command.W3C_ACTIONS: "PerformActions",
    Command.SWITCH_TO_FRAME: "SwitchToFrame",
    Command.SET_WINDOW_RECT: "SetWindowRect",
    Command.SET_TIMEOUTS: "SetTimeouts",
    Command.PRINT_PAGE: "Print",
    Command.SCREENSHOT: "TakeScreenshot",
}
"""What Selenium's commands are called there; all that tests use."""
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key by which the standard for drivers tells an element."""


class Marionette(RemoteConnection):
    """Selenium's commands, said to a Firefox that listens for Marionette at this port."""

    def __init__(self, port: int) -> None:
        super().__init__(client_config=ClientConfig(f"http://127.0.0.1:{port}"))
        self._socket = socket.create_connection(("127.0.0.1", port), START_S)
        self._lines = self._socket.makefile("rwb")
        self._number = 0
        self._hear()

    def _hear(self) -> Any:
        """One message: its length in bytes, a colon, and JSON."""
        length = b""
        while not length.endswith(b":"):
            length += self._lines.read(1)
        return json.loads(self._lines.read(int(length[:-1])))

    def _say(self, name: str, fields: dict[str, Any]) -> tuple[dict[str, Any] | None, Any]:
        """The error, or the answer."""
        self._number += 1
        message = json.dumps([0, self._number, name, fields]).encode()
        self._lines.write(b"%d:%s" % (len(message), message))
        self._lines.flush()
        _, number, error, answer = self._hear()
        assert number == self._number
        return error, answer

    def execute(self, command: str, params: dict[str, Any]) -> dict[str, Any]:
        """The answer in the shape in which a driver's server gives it."""
        fields = {key: value for key, value in params.items() if key != "sessionId"}
        if command == Command.NEW_SESSION:
            error, answer = self._say("WebDriver:NewSession", {"capabilities": {}})
        elif command == Command.QUIT:
            error, answer = self._say("Marionette:Quit", {"flags": ["eForceQuit"]})
        else:
            if command in (Command.FIND_CHILD_ELEMENT, Command.FIND_CHILD_ELEMENTS):
                fields["element"] = fields.pop("id")
            elif command == Command.SWITCH_TO_FRAME and isinstance(fields["id"], dict):
                fields = {"element": fields["id"][ELEMENT]}
            elif command == Command.SCREENSHOT:
                fields = {"full": False}
            error, answer = self._say(f"WebDriver:{MARIONETTE[command]}", fields)
        if error is not None:
            return {"status": 500, "value": json.dumps({"value": error})}
        return {"value": answer["value"] if isinstance(answer, dict) and list(answer) == ["value"] else answer}

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


@contextmanager
def chromium() -> Iterator[WebDriver]:
    options = webdriver.ChromeOptions()
    for flag in CHROMIUM_FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(_found("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def firefox() -> Iterator[WebDriver]:
    with ExitStack() as ends:
        folder = ends.enter_context(tempfile.TemporaryDirectory(prefix="roundtap-firefox-", ignore_cleanup_errors=True))
        settings = (f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in FIREFOX_SETTINGS.items())
        Path(folder, "user.js").write_text("".join(settings), encoding="ascii")
        process = subprocess.Popen(
            [_found("firefox-esr"), "--headless", "--marionette", "--no-remote", "--profile", folder],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": folder},
        )
        ends.callback(process.wait)
        ends.callback(process.kill)
        port = _told(Path(folder, "MarionetteActivePort"), process)
        driver = WebDriver(Marionette(port), options=_Plain())
        ends.callback(process.wait, START_S)
        ends.callback(driver.quit)
        yield driver


@contextmanager
def webkit() -> Iterator[WebDriver]:
    """WebKitGTK's own small browser, on a screen that nobody sees."""
    with ExitStack() as ends:
        service, screen = _found("WebKitWebDriver"), _found("Xvfb")
        folder = ends.enter_context(tempfile.TemporaryDirectory(prefix="roundtap-webkit-", ignore_cleanup_errors=True))
        read, write = os.pipe()
        display = subprocess.Popen(
            [screen, "-displayfd", str(write), "-screen", "0", "1920x1200x24", "-nolisten", "tcp"],
            pass_fds=[write],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        ends.callback(display.wait)
        ends.callback(display.kill)
        with open(read, encoding="ascii") as number:
            shown_at = f":{number.readline().strip()}"
        env = {**os.environ, "DISPLAY": shown_at, "GDK_BACKEND": "x11", "HOME": folder, "XDG_RUNTIME_DIR": folder}
        driver = webdriver.WebKitGTK(
            options=webdriver.WebKitGTKOptions(),
            service=webdriver.WebKitGTKService(service, log_output=subprocess.DEVNULL, env=env),
        )
        ends.callback(driver.quit)
        yield driver


ENGINES: dict[str, Callable[[], Any]] = {"chromium": chromium, "firefox": firefox, "webkit": webkit}
PACKAGES = {
    "chromedriver": "chromium chromium-driver",
    "firefox-esr": "firefox-esr",
    "WebKitWebDriver": "webkit2gtk-driver",
    "Xvfb": "xvfb",
}


class _Plain(ArgOptions):
    """Options that say nothing: how Firefox was started is known."""

    @property
    def default_capabilities(self) -> dict[str, Any]:
        return {}


def _found(program: str) -> str:
    """Where it is; a test without it is skipped."""
    return shutil.which(program) or pytest.skip(f"no {program} (apt install {PACKAGES[program]})")


def _told(path: Path, process: subprocess.Popen[bytes]) -> int:
    """The port that Firefox writes down once it listens."""
    give_up = time.monotonic() + START_S
    while time.monotonic() < give_up and process.poll() is None:
        if path.exists() and (said := path.read_text(encoding="ascii").strip()):
            return int(said)
        time.sleep(0.02)
    raise AssertionError("Firefox did not start")
