"""Walls and phones find the hub that took over by themselves: real processes, a real browser."""

from __future__ import annotations

from selenium import webdriver

from kit import wait_until
from standby_kit import StandbyKit

KIT = StandbyKit


def test_a_wall_goes_to_the_hub_that_took_over(kit: StandbyKit, browser: webdriver.Chrome) -> None:
    kit.start_hub()
    kit.start_standby()
    browser.get(f"{kit.url}/wall/{kit.event}")
    wait_until(lambda: browser.execute_script("return sessionStorage.getItem('roundtap:hubs')"), "the page to know")

    kit.kill_hub()
    kit.promote()

    new = f"http://127.0.0.1:{kit.second_port}/wall/{kit.event}"
    wait_until(lambda: browser.current_url == new, "the wall to move")
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
