"""Nothing is written into a page: no style, no script; and a browser that is told so finds nothing to complain of."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from asgi_client import AsgiClient
from pages_kit import PIN, House, open_house
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from test_steps_in_browser import FLAGS, a_hub

import roundtap.demo
import roundtap_hub
from roundtap_hub.asgi import HubApplication
from roundtap_hub.http_answers import PAGE_POLICY

CHROMEDRIVER = shutil.which("chromedriver")
TEMPLATES = [*(Path(roundtap_hub.__file__).parent / "templates").glob("*.html"),
             *(Path(roundtap.demo.__file__).parent / "templates").glob("*.html")]
WRITTEN_IN = re.compile(r"<style|\sstyle\s*=|\son[a-z]+\s*=\s*[\"']|<script(?![^>]*\ssrc=)|javascript:", re.IGNORECASE)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_template_has_styles_or_scripts_written_into_it(template: Path):
    text = re.sub(r"{#.*?#}", "", template.read_text(encoding="utf-8"), flags=re.S)
    assert [found[0] for found in WRITTEN_IN.finditer(text)] == []


@pytest.mark.parametrize("text", [
    '<p style="color: red">', "<style>", "<a href='javascript:x'>", '<b onclick="x()">', "<script>x()</script>",
    '<svg style = "x">',
])
def test_what_is_written_in_would_be_found(text: str):
    assert WRITTEN_IN.search(text)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        yield opened


@pytest.mark.parametrize(("method", "path"), [
    ("GET", "/time"), ("GET", "/nothing"), ("GET", "/static/nothing.css"), ("POST", "/static/live.js"),
    ("GET", "/device/nothing"), ("PUT", "/device/report"), ("POST", "/device/report"), ("POST", "/device/feed"),
    ("DELETE", "/e/e1"), ("OPTIONS", "/console"), ("GET", "/console/nothing/at/all"), ("GET", "/%00"),
])
def test_answers_to_what_is_asked_wrongly_are_sealed_too(house: House, method: str, path: str):
    client = AsgiClient(HubApplication(house.hub), lifespan=True)
    try:
        answer = client.begin(method, path).result(30)
        for name in ("content-security-policy", "x-content-type-options", "referrer-policy", "permissions-policy"):
            assert name in answer.headers, name
    finally:
        client.close()


def test_a_page_that_a_browser_has_kept_keeps_its_policy(house: House):
    """A 304 that said another one would put that on the page."""
    house.with_event()
    client = AsgiClient(HubApplication(house.hub), lifespan=True)
    try:
        first = client.get("/e/e1")
        again = client.get("/e/e1", if_none_match=first.headers["etag"])
        assert again.status_code == 304
        assert again.headers.get("content-security-policy", PAGE_POLICY.decode()) == PAGE_POLICY.decode()
    finally:
        client.close()


@pytest.mark.skipif(CHROMEDRIVER is None, reason="no chromedriver (apt install chromium chromium-driver)")
def test_a_browser_finds_nothing_that_the_policy_forbids(tmp_path: Path):
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with a_hub(tmp_path) as (house, url):
        house.with_event([f"Player {n:02}" for n in range(1, 13)], cut=4, swiss_rounds=1)
        house.publish()
        house.play()
        house.organizer().post("/console/e1/cut")
        browser = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
        try:
            browser.get(f"{url}/login")
            browser.find_element(By.ID, "pin").send_keys(PIN)
            browser.find_element(By.CSS_SELECTOR, "form.login button").click()
            for path in ("/console", "/console/e1", "/console/hub", "/console/e1/bracket", "/e/e1/bracket", "/wall/e1",
                         "/wall/e1?theme=dark", "/e/e1", "/e/e1/p/p1", "/e/e1/standings", "/rules/e1", "/login"):
                browser.get(f"{url}{path}")
                assert browser.execute_script("return document.styleSheets.length") >= 2, path
            said = [entry["message"] for entry in browser.get_log("browser")]
            assert [line for line in said if "Content Security" in line or "Refused" in line] == []
            # And it would have said so.
            browser.execute_script("document.body.setAttribute('style', 'color: red')")
            browser.execute_script("document.body.innerHTML = '<p style=\"color: red\">x</p>'")
            assert any("Content Security" in entry["message"] for entry in browser.get_log("browser"))
        finally:
            browser.quit()
