"""The browser's pipes, with a program of the test's own in Chromium's place."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roundtap_units.wall.devtools import Browser, Gone

PLAYED = '''
import json, os, sys
said = b""
def tell(message):
    os.write(4, json.dumps(message).encode() + b"\\0")
while True:
    part = os.read(3, 65536)
    if not part:
        sys.exit(0)
    said += part
    *whole, said = said.split(b"\\0")
    for each in whole:
        asked = json.loads(each)
        result = {}
        if asked["method"] == "Target.getTargets":
            result = {"targetInfos": [{"type": "browser", "targetId": "b"}, {"type": "page", "targetId": "p"}]}
        elif asked["method"] == "Target.attachToTarget":
            assert asked["params"] == {"targetId": "p", "flatten": True}
            result = {"sessionId": "s1"}
        elif asked["method"] == "Page.navigate":
            assert asked["sessionId"] == "s1"
            tell({"method": "Page.frameNavigated", "params": {"frame": {"url": asked["params"]["url"]}}})
        elif asked["method"] == "Browser.close":
            sys.exit(0)
        tell({"id": asked["id"], "result": result})
'''


def started(folder: Path) -> Browser:
    program = folder / "browser.py"
    program.write_text(PLAYED)
    return Browser([sys.executable, str(program)], os.environ, folder)


def until(browser: Browser, true: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
    heard: list[dict[str, Any]] = []
    ends_s = time.monotonic() + 20
    while not true(heard):
        assert time.monotonic() < ends_s, heard
        heard += browser.read(0.2)
    return heard


def test_the_page_is_found_and_told_where_to_go(tmp_path: Path) -> None:
    browser = started(tmp_path)
    try:
        browser.begin()
        until(browser, lambda _: browser.attached)
        browser.send("Page.navigate", {"url": "http://10.42.0.1/wall"})
        heard = until(browser, lambda said: any(each.get("asked") == "Page.navigate" for each in said))
        moved = [each["params"]["frame"]["url"] for each in heard if each.get("method") == "Page.frameNavigated"]
        assert moved == ["http://10.42.0.1/wall"]
    finally:
        browser.end()


def test_a_browser_that_ended_is_known_to_have(tmp_path: Path) -> None:
    browser = started(tmp_path)
    browser.send("Browser.close", {}, of_page=False)
    with pytest.raises(Gone):
        until(browser, lambda _: False)
    browser.end()


def test_a_program_that_is_not_there_has_ended_too(tmp_path: Path) -> None:
    browser = Browser([str(tmp_path / "none")], os.environ, tmp_path)
    with pytest.raises(Gone):
        until(browser, lambda _: False)
    browser.end()
