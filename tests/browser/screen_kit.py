"""A real browser as the gates use it: sizes, light and dark, axe, what does not fit, what came over the wire."""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from patience import GUARD_S
from roundtap_hub.live.forms import CLICK_DEBOUNCE_MS

PICTURES = os.environ.get("ROUNDTAP_PICTURES", "")
"""A folder for what the screen shows when a test waits in vain."""
NOWHERE = "no chromedriver (apt install chromium chromium-driver)"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--lang=de",
)
NO_NODE = {"at": "", "html": "", "why": ""}
SEVERE = ("moderate", "serious", "critical")
WIRE_MAX_BYTES = 60_000
FITTED_S = 20.0
"""However late a busy machine fits a page in."""

AXE = """
const [rules, done] = arguments;
const wanted = rules ? {runOnly: {type: "rule", values: rules}} : {};
axe.run(document, {...wanted, resultTypes: ["violations"], preload: false}).then((said) => done(said.violations.map(
(one) => ({
    id: one.id, impact: one.impact, help: one.help,
    nodes: one.nodes.map((node) => ({at: node.target.join(" "), html: node.html.slice(0, 160),
                                     why: (node.any[0] || node.all[0] || node.none[0] || {}).message || ""})),
}))), (error) => done([{id: "axe itself", impact: "critical", help: String(error), nodes: []}]));
"""

UNFIT = """
// What a person could not read or reach: a page that scrolls sideways, a text that its box cuts, one that leaves it.
const said = [], width = innerWidth;
const page = document.documentElement;
const name = (one) => {
    const id = one.id ? `#${one.id}` : "", kind = typeof one.className === "string" && one.className
        ? "." + one.className.trim().split(/\\s+/).join(".") : "";
    return one.tagName.toLowerCase() + id + kind;
};
const where = (one) => [one.parentElement && one.parentElement.parentElement, one.parentElement, one]
    .filter(Boolean).map(name).join(" > ");
const scrolls = (one, axis) => ["auto", "scroll"].includes(getComputedStyle(one)[axis]);
const aside = (one) => {   // Meant for readers of screens alone, or not there yet.
    for (let at = one; at; at = at.parentElement) {
        const style = getComputedStyle(at), box = at.getBoundingClientRect();
        const outside = style.position === "absolute" && (box.right <= 0 || box.bottom <= 0);
        if (outside || style.clipPath !== "none") return true;
    }
    return false;
};
if (page.scrollWidth > width + 1) {
    const wide = [...document.body.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > width + 1)
        .slice(-2).map(where).join("; ");
    said.push(`the page is ${page.scrollWidth} px wide in a window of ${width}: ${wide}`);
}
for (const one of document.body.querySelectorAll("*")) {
    const texts = [...one.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
    if (!texts.length || one.closest("svg, script, style, noscript, option, datalist") || !one.checkVisibility()
        || aside(one)) continue;
    const range = document.createRange();
    for (const text of texts) {
        range.selectNodeContents(text);
        for (const box of range.getClientRects()) {
            if (box.width < 1) continue;
            for (let at = one; at && at !== document.body; at = at.parentElement) {
                const style = getComputedStyle(at);
                if (style.display === "inline" || style.display === "contents") continue;
                const of = at.getBoundingClientRect();
                if (scrolls(at, "overflowX")) break;
                // One line with … at its end, whose whole is its title.
                if (style.textOverflow === "ellipsis" && at.title.includes(text.data.trim())) break;
                if (style.overflowX !== "visible" && (box.right > of.right + 2 || box.left < of.left - 2))
                    { said.push(`cut at the side: “${text.data.trim().slice(0, 60)}” in ${where(at)}`); break; }
                if (style.overflowY !== "visible" && !scrolls(at, "overflowY")
                    && (box.bottom > of.bottom + 4 || box.top < of.top - 4))
                    { said.push(`cut above or below: “${text.data.trim().slice(0, 60)}” in ${where(at)}`); break; }
                if (style.position === "fixed") break;
            }
        }
    }
}
return [...new Set(said)].slice(0, 12);
"""

SMALL = """
// What a finger presses is 44 px high at least; a link within a sentence is as high as its line.
const pressed = document.querySelectorAll("button, select, summary, a.button, nav a, input:not([type=hidden])");
return [...pressed].filter((one) => {
    if (!one.checkVisibility()) return false;
    const box = (/^(radio|checkbox)$/.test(one.type) && one.closest("label") || one).getBoundingClientRect();
    return box.right > 0 && box.height > 0 && box.height < 43.5;
}).map((one) => `${Math.round(one.getBoundingClientRect().height)} px: ${one.outerHTML.slice(0, 100)}`).slice(0, 8);
"""

OWN_CLOCK = """
// Tests set a page's own clock ahead, so that nobody has to wait until it is old, let it stand still, so that a press
// comes as early as it is meant on the busiest machine, and cut its feeds.
(() => {
    const SETTLE_MS = {SETTLE_MS}, now = performance.now.bind(performance), later = window.setTimeout.bind(window);
    const never = window.clearTimeout.bind(window), begun = now(), waiting = new Map();
    let last = 0;
    window.ahead_ms = 0;
    performance.now = () => (window.still ? begun : now()) + window.ahead_ms;
    // What is shorter than a step settles goes on meanwhile: it belongs to the page, and not to a person's time.
    window.setTimeout = (done, ms, ...said) => {
        if (!window.still || !(ms >= SETTLE_MS)) return later(done, ms, ...said);
        waiting.set(--last, [performance.now() + ms, () => done(...said)]);
        return last;
    };
    window.clearTimeout = (one) => { if (!waiting.delete(one)) never(one); };
    window.go_on = (ms) => {
        window.ahead_ms += ms;
        const due = [...waiting].filter(([, [at]]) => at <= performance.now()).sort((a, b) => a[1][0] - b[1][0]);
        for (const [one, [, done]] of due) if (waiting.delete(one)) done();
    };
    const every = window.setInterval.bind(window);
    window.looks = [];
    window.setInterval = (look, ...said) => { window.looks.push(look); return every(look, ...said); };
    window.feeds = [];
    window.EventSource = class extends EventSource {
        constructor(...said) {
            super(...said);
            window.feeds.push(this);
            for (const word of ["clock", "tick"]) this.addEventListener(word, () => { window.heard_hub = true; });
        }
    };
})();
""".replace("{SETTLE_MS}", str(CLICK_DEBOUNCE_MS))

FAKE_AUDIO = """
    window.tones = JSON.parse(sessionStorage.getItem("tones") || "[]");
    window.AudioContext = class extends EventTarget {
      constructor() {
        super();
        this.state = sessionStorage.getItem("muted") ? "suspended" : "running";
        this.currentTime = 0;
      }
      resume() { this.state = "running"; return Promise.resolve(); }
      createGain() { return { gain: { setValueAtTime() {}, linearRampToValueAtTime() {} }, connect: (to) => to }; }
      createOscillator() {
        return { frequency: { set value(hertz) {
          window.tones.push(hertz);
          sessionStorage.setItem("tones", JSON.stringify(window.tones));
        } }, connect: (to) => to, start() {}, stop() {} };
      }
    };"""
"""Notes the tones that a page plays, in hertz; a tab with `muted` in its store waits for a press first."""

SETTLED = """
// A page that stands still takes presses as soon as somebody asks; any other one in its own time.
const settled = () => document.readyState === "complete" && !document.querySelector(".settling");
if (window.still && document.readyState === "complete" && !settled()) window.go_on(arguments[0]);
return settled();
"""


@dataclass(frozen=True, slots=True)
class Size:
    """A window in CSS pixels; `scale`: device pixels for each, 2 where somebody zooms to 200 %."""

    width: int
    height: int
    scale: int = 1


DESK, PHONE, WALL = Size(1366, 768), Size(390, 844), Size(1920, 1080)
ZOOMED, NARROW = Size(683, 384, 2), Size(320, 640)


def still_let_in(url: str, cookies: list[dict[str, Any]]) -> bool:
    """Whether these open the console: a hub ends a person's oldest sessions once there are too many."""
    with closing(HTTPConnection(url.removeprefix("http://"), timeout=GUARD_S)) as asked:
        asked.request(
            "GET", "/console", headers={"Cookie": "; ".join(f"{one['name']}={one['value']}" for one in cookies)}
        )
        status = asked.getresponse().status
    return status == HTTPStatus.OK


def chromedriver() -> str | None:
    return shutil.which("chromedriver")


@cache
def axe_source() -> str:
    found = find_spec("axe_core_python")
    assert found
    assert found.origin
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


class Screen:
    """One browser window; everything about it is set anew by `forget`."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver
        self.cdp = driver.execute_cdp_cmd
        self._let_in: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._scripts: list[str] = []
        self.prepare_tab()

    def prepare_tab(self) -> None:
        """What every tab has to be given anew."""
        self.cdp("Page.enable", {})
        self.cdp("Network.enable", {})
        self.cdp("Page.addScriptToEvaluateOnNewDocument", {"source": OWN_CLOCK})

    def forget(self) -> None:
        """No cookies, nothing kept, a desk's screen, light, no tabs beside, and no complaints of another test."""
        first, *others = self.driver.window_handles
        for other in others:
            self.driver.switch_to.window(other)
            self.driver.close()
        self.driver.switch_to.window(first)
        with suppress(WebDriverException):  # No page, no memory.
            self.run("localStorage.clear(); sessionStorage.clear()")
        self.driver.get("about:blank")
        for script in self._scripts:
            with suppress(WebDriverException):  # Gone with its tab.
                self.cdp("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
        self._scripts.clear()
        self.complaints()
        self.cdp("Network.clearBrowserCookies", {})
        self.language("")
        self.cdp("Network.setCacheDisabled", {"cacheDisabled": False})
        self.cdp("Emulation.setScriptExecutionDisabled", {"value": False})
        self.offline(False)
        self.size(DESK)
        self.dark(False)

    def size(self, size: Size) -> None:
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            {"width": size.width, "height": size.height, "deviceScaleFactor": size.scale, "mobile": False},
        )

    def dark(self, dark: bool = True) -> None:
        self.cdp(
            "Emulation.setEmulatedMedia",
            {
                "features": [
                    {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                    {"name": "prefers-reduced-motion", "value": "reduce"},
                ]
            },
        )

    def offline(self, offline: bool = True) -> None:
        """Contact is lost on a page that is there whole: a script still on its way might never come."""
        if not offline:
            self._cut(False)
            return
        self.whole()
        here = self.driver.current_url
        self._cut(True)
        while self.run("return document.documentURI.startsWith('chrome-error')"):
            # A wall on its way to its next event, cut just there: the browser's own page stands in its place.
            self._cut(False)
            self.open(here)
            self._cut(True)

    def _cut(self, offline: bool) -> None:
        self.cdp(
            "Network.emulateNetworkConditions",
            {"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
        )

    def language(self, language: str) -> None:
        """What this browser asks for from now on; "": its own."""
        self.cdp("Network.setExtraHTTPHeaders", {"headers": {"Accept-Language": language} if language else {}})

    def before_pages(self, source: str) -> None:
        """A script for every page of this tab from now on, until it is forgotten."""
        said = self.cdp("Page.addScriptToEvaluateOnNewDocument", {"source": source})
        self._scripts.append(str(said["identifier"]))

    def stand_still(self) -> None:
        """The clocks of the pages of this tab go on by `go_on` alone."""
        self.before_pages("window.still = true")

    def go_on(self, ms: float) -> None:
        self.run("window.go_on(arguments[0])", ms)

    def look_again(self) -> bool:
        """What the page looks at every now and then, it looks at now; True, for `until`."""
        self.run("window.looks.forEach((look) => look()); window.roundtap?.look()")
        return True

    def press(self, *keys: str) -> None:
        """Into whatever has the focus, one key after the other."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def settle(self) -> None:
        """The page takes presses."""
        self.until(lambda: self.run(SETTLED, CLICK_DEBOUNCE_MS), "the page to take presses")

    def open(self, address: str) -> None:
        self.driver.get(address)
        self.whole()

    def whole(self) -> None:
        """All of the page has come, and its scripts have run."""
        self.until(lambda: self.run("return document.readyState === 'complete'"), "the page to be there whole")

    def log_in(self, url: str, pin: str) -> None:
        """Known by this PIN; one who was let in before comes with the same cookies again."""
        if (known := self._let_in.get((url, pin))) and still_let_in(url, known):
            self.cdp("Network.setCookies", {"cookies": known})
            return
        self.open(f"{url}/login")
        self.one("[name=pin]").send_keys(pin, Keys.ENTER)
        self.until(lambda: "/login" not in self.driver.current_url, "to be let in")
        self._let_in[url, pin] = [
            {key: cookie[key] for key in ("name", "value", "domain", "path", "secure", "httpOnly")}
            for cookie in self.cdp("Network.getCookies", {"urls": [url]})["cookies"]
        ]

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector: str) -> None:
        """Once; what a live change took away or covers at that moment is looked for again."""
        self.until(lambda: self.one(selector).click() or True, f"{selector} to be pressed")

    def until(self, true: Callable[[], Any], what: str, timeout_s: float = GUARD_S) -> Any:
        """What `true` says once that is something; a page that is being replaced says nothing."""
        give_up, step_s = time.monotonic() + timeout_s, 0.005
        while time.monotonic() < give_up:
            try:
                answer = true()
            except WebDriverException:
                answer = None
            if answer:
                return answer
            time.sleep(step_s)
            step_s = min(1.5 * step_s, 0.1)
        if PICTURES:
            self.driver.save_screenshot(f"{PICTURES}/{time.time():.0f}.png")
        raise AssertionError(
            f"waited for {what}; {self.driver.current_url} says: {self.text()[:600]}; "
            f"the browser complains of: {self.complaints()[-5:]}"
        )

    def text(self) -> str:
        return str(self.run("return document.body.innerText"))

    def axe(self, *rules: str) -> list[str]:
        """What axe holds against the page as it stands, one line each; `rules`: only these."""
        if not self.run("return !!window.axe"):
            self.run(axe_source())
        said: list[dict[str, Any]] = self.driver.execute_async_script(AXE, list(rules) or None)
        return [
            f"{one['impact']} {one['id']}: {one['help']}: {node['at']} {node['html']} ({node['why']})"
            for one in said
            if one["impact"] in SEVERE
            for node in one["nodes"][:3] or [NO_NODE]
        ]

    def unfit(self) -> list[str]:
        """What does not fit into this window, once the page had time to fit itself in."""
        found: list[str] = []
        give_up = time.monotonic() + FITTED_S
        while time.monotonic() < give_up:
            found = self.run(UNFIT)
            if not found:
                break
            time.sleep(0.1)
        return found

    def small(self) -> list[str]:
        """What is too low to be pressed."""
        found: list[str] = self.run(SMALL)
        return found

    def go_stale(self, s: int = 3600) -> None:
        """The hub is gone, and has been for so long."""
        self.offline()
        self.run("window.feeds.forEach((feed) => feed.close()); window.ahead_ms += 1000 * arguments[0]", s)
        self.look_again()

    def asked(self) -> list[str]:
        """Paths that the browser has asked for since the last time."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        addresses = [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]
        return ["/" + address.split("/", 3)[3] for address in addresses if address.startswith("http")]

    def complaints(self) -> list[str]:
        """What the browser's console says since the last time."""
        return [str(entry["message"]) for entry in self.driver.get_log("browser")]

    def wire_bytes(self, address: str) -> tuple[int, dict[str, int]]:
        """What an empty browser has to be sent until the page is there: all, and by path. Feeds are never loaded."""
        self.cdp("Network.clearBrowserCache", {})
        self.driver.get_log("performance")
        self.open(address)
        paths: dict[str, str] = {}
        sent: dict[str, int] = {}

        def heard() -> bool:
            for entry in self.driver.get_log("performance"):
                said = json.loads(entry["message"])["message"]
                about = said.get("params", {})
                if said["method"] == "Network.requestWillBeSent" and about["request"]["url"].startswith("http"):
                    paths[about["requestId"]] = "/" + about["request"]["url"].split("/", 3)[3]
                elif said["method"] == "Network.loadingFinished" and about["requestId"] in paths:
                    sent[about["requestId"]] = int(about["encodedDataLength"])
            asked = [key for key, path in paths.items() if not path.startswith(("/feed", "/time"))]
            return bool(asked) and all(key in sent for key in asked)

        self.until(heard, f"everything of {address}")
        by_path = {path: sent[key] for key, path in paths.items() if key in sent and not path.startswith("/time")}
        return sum(by_path.values()), by_path


@contextmanager
def open_screen() -> Iterator[Screen]:
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(chromedriver()))
    driver.set_script_timeout(GUARD_S)
    driver.set_page_load_timeout(GUARD_S)
    try:
        yield Screen(driver)
    finally:
        driver.quit()
