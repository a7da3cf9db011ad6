"""The hub's clock beside a real browser's: offered where they differ by more than a minute, set in one press."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from pages_kit import PIN, House, open_house
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from roundtap_hub.asgi import HubApplication
from roundtap_hub.hall_time import HallTime
from roundtap_systemd.root_steps import EARLIEST_S

CHROMEDRIVER = shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(CHROMEDRIVER is None, reason="no chromedriver (apt install chromium chromium-driver)")

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")


class Desk:
    def __init__(self, house: House, url: str, browser: webdriver.Chrome) -> None:
        self.browser, self.url, self.ahead_s, self.set_s = browser, url, 0.0, []
        made = HallTime(None, "boot", house.time, lambda: time.time() + self.ahead_s, lambda: False, lambda: True,
                        self.ask_root)
        object.__setattr__(house.hub, "hall_time", made)

    def ask_root(self, step: str, seconds: int) -> dict[str, bool]:
        self.set_s.append(seconds)
        self.ahead_s = seconds - time.time()
        return {"done": True}

    def offered(self) -> bool:
        self.browser.get(f"{self.url}/console")
        return self.browser.find_element(By.ID, "hall-time").is_displayed()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    if time.time() < EARLIEST_S:
        pytest.skip("this machine's own clock is implausible")
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    with open_house(tmp_path) as house:
        application = HubApplication(house.hub)
        listener = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(application, log_level="warning", ws="none",
                                               timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        browser = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
        try:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            made = Desk(house, url, browser)
            browser.get(f"{url}/login")
            browser.find_element(By.NAME, "pin").send_keys(PIN)
            browser.find_element(By.CSS_SELECTOR, "main form button").click()
            yield made
        finally:
            browser.quit()
            server.should_exit = True
            application.close_feeds_soon()
            thread.join(timeout=10)


def test_one_press_sets_a_hub_that_is_an_hour_ahead(desk: Desk) -> None:
    assert not desk.offered(), "both know what time it is"
    desk.ahead_s = 3600.0
    assert desk.offered()
    desk.browser.find_element(By.CSS_SELECTOR, "#hall-time button").click()
    WebDriverWait(desk.browser, 20).until(lambda _: desk.set_s)
    assert len(desk.set_s) == 1
    assert abs(desk.set_s[0] - time.time()) < 60
    assert not desk.offered()
