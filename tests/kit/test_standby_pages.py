"""Walls and phones find the hub that took over by themselves: real processes, a real browser."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from selenium import webdriver

from kit import end, wait_until
from standby_kit import StandbyKit, ask

KIT = StandbyKit


AN_HOUR_LATER = """
// So old is everything that this page has heard; and it counts what it asks other hubs, and has heard the end of.
const now = performance.now.bind(performance), ask = window.fetch.bind(window);
performance.now = () => now() + 3600 * 1000;
window.asked = 0;
window.fetch = (...said) => ask(...said).finally(() => { window.asked += 1; });
"""

KNOWN = "return location.origin !== 'null' && sessionStorage.getItem('roundtap:hubs')"
"""A page that is just being loaded has no storage yet."""


class Stranger(BaseHTTPRequestHandler):
    """Says to every page that its event goes on here."""

    said = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(self.said)

    def log_message(self, *_: object) -> None:
        return


def test_a_wall_goes_to_no_stranger_at_the_standby_s_address(kit: StandbyKit, browser: webdriver.Chrome) -> None:
    kit.start_hub()
    kit.start_standby()
    old = f"{kit.url}/wall/{kit.event}"
    browser.get(old)
    wait_until(lambda: browser.execute_script(KNOWN), "the page to know")
    public = json.loads(ask(kit.port, "/standby/lineage")[1])

    kit.kill_hub()
    assert kit.standby is not None
    end(kit.standby)
    Stranger.said = json.dumps({**public, "hub": True}).encode()
    with ThreadingHTTPServer(("127.0.0.1", kit.second_port), Stranger) as stranger:
        threading.Thread(target=stranger.serve_forever, args=(0.01,), daemon=True).start()
        browser.execute_script(AN_HOUR_LATER)
        wait_until(
            lambda: browser.current_url != old or browser.execute_script("return window.asked > 1"), "the wall to look"
        )
        assert browser.current_url == old
        stranger.shutdown()


def test_a_wall_goes_to_the_hub_that_took_over_and_to_no_standby_that_only_waits(
    kit: StandbyKit, browser: webdriver.Chrome
) -> None:
    kit.start_hub()
    kit.start_standby()
    old = f"{kit.url}/wall/{kit.event}"
    browser.get(old)
    wait_until(lambda: browser.execute_script(KNOWN), "the page to know")

    kit.kill_hub()
    browser.execute_script(AN_HOUR_LATER)
    wait_until(lambda: "stale" in browser.execute_script("return document.body.className"), "the wall to notice")
    wait_until(lambda: browser.execute_script("return window.asked > 1"), "the wall to look elsewhere, and again")
    assert browser.current_url == old
    kit.promote()

    new = f"http://127.0.0.1:{kit.second_port}/wall/{kit.event}"
    wait_until(lambda: browser.current_url == new, "the wall to move")
    wait_until(lambda: "stale" not in browser.execute_script("return document.body.className"), "the wall to live")
