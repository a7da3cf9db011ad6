"""Walls and phones find the hub that took over by themselves: real processes, a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from kit import wait_until
from standby_kit import StandbyKit

CHROMEDRIVER = shutil.which("chromedriver")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")

pytestmark = pytest.mark.skipif(CHROMEDRIVER is None, reason="no chromedriver (apt install chromium chromium-driver)")


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[StandbyKit]:
    made = StandbyKit(tmp_path)
    yield made
    made.stop()


@pytest.fixture
def browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    yield driver
    driver.quit()


def test_a_wall_goes_to_the_hub_that_took_over(kit: StandbyKit, browser: webdriver.Chrome) -> None:
    kit.start_hub()
    kit.start_standby()
    browser.get(f"{kit.url}/wall/{kit.event}")
    wait_until(lambda: browser.execute_script("return sessionStorage.getItem('roundtap:hubs')"), "the page to know")

    kit.kill_hub()
    kit.promote()

    new = f"http://127.0.0.1:{kit.second_port}/wall/{kit.event}"
    wait_until(lambda: browser.current_url == new, "the wall to move", timeout_s=60)
    wait_until(lambda: "stale" not in browser.execute_script("return document.body.className"), "the wall to live")


def test_a_page_does_not_go_where_another_journal_is_or_a_standby_only_waits(
        kit: StandbyKit, browser: webdriver.Chrome) -> None:
    kit.start_hub()
    kit.start_standby()
    browser.get(f"{kit.url}/wall/{kit.event}")
    wait_until(lambda: browser.execute_script("return sessionStorage.getItem('roundtap:hubs')"), "the page to know")
    kit.kill_hub()
    wait_until(lambda: "stale" in browser.execute_script("return document.body.className"), "the wall to notice")
    assert browser.current_url == f"{kit.url}/wall/{kit.event}"
