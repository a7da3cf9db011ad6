"""The virtual tables in a browser: a short press stays short, however slowly its orders are answered."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from patience import GUARD_S
from roundtap.demo import bench
from roundtap_devices.input.gestures import HOLD_MS

PIN = '[data-pin="a"]'
SLOW_S = 2 * HOLD_MS / 1000  # how long a busy machine takes to answer an order


class Slow(BaseHTTPRequestHandler):
    """Serves the bench's page with one table, and answers orders late."""

    orders: list[dict[str, Any]]

    def do_GET(self) -> None:
        kind, body = "application/json", b'{"hub": "", "paths": {}}'
        if self.path == "/bench":
            kind, body = "text/html", bench._translated(bench._file("templates/bench.html").decode(), "en").encode()
        elif self.path.startswith("/static/"):
            kind = "text/javascript" if self.path.endswith("js") else "text/css"
            body = bench._file(self.path.removeprefix("/"))
        elif self.path == "/pictures":
            kind, body = "text/event-stream", b'data: {"table": 1, "picture": null}\n\n'
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.orders.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        time.sleep(SLOW_S)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def orders(browser: webdriver.Chrome) -> Iterator[list[dict[str, Any]]]:
    """What the page orders; the page is open."""
    made: list[dict[str, Any]] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Here", (Slow,), {"orders": made}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser.get(f"http://127.0.0.1:{server.server_port}/bench")
    yield made
    browser.get("about:blank")
    server.shutdown()
    server.server_close()


def button(browser: webdriver.Chrome) -> WebElement:
    found: WebElement = WebDriverWait(browser, GUARD_S).until(lambda it: it.find_element(By.CSS_SELECTOR, PIN))
    return found


TAP = """
// Short on any machine: no time passes between the two.
for (const kind of ["keydown", "keyup"])
    arguments[0].dispatchEvent(new KeyboardEvent(kind, { key: " ", bubbles: true }));
"""


def test_a_short_press_leaves_as_one_order_and_cannot_become_a_hold(
    browser: webdriver.Chrome, orders: list[dict[str, Any]]
) -> None:
    """Its release waited for the answer to its press: where that took longer than a hold, the tap was lost."""
    browser.execute_script(TAP, button(browser))
    WebDriverWait(browser, GUARD_S).until(lambda _: orders)
    assert orders == [{"table": 1, "pin": "a", "tap": True}]


def test_a_long_press_is_there_while_it_lasts(browser: webdriver.Chrome, orders: list[dict[str, Any]]) -> None:
    ActionChains(browser, duration=0).click_and_hold(button(browser)).perform()
    WebDriverWait(browser, GUARD_S).until(lambda _: orders)
    ActionChains(browser, duration=0).release().perform()
    WebDriverWait(browser, GUARD_S).until(lambda _: len(orders) == 2)
    assert [order["down"] for order in orders] == [True, False]
