"""The demo's guide in a real browser: whoever presses what is lit, and nothing else, sees a champion on the wall."""

import os
import re
from collections.abc import Iterator

import pytest
from axe_core_python.selenium import Axe
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver

from demo_visitor import Visitor, running_demo
from engines import ENGINES
from kit import wait_until

PICTURES = os.environ.get("ROUNDTAP_GUIDE_PICTURES")


@pytest.fixture
def demo(request: pytest.FixtureRequest) -> Iterator[str]:
    """A running demo: the one address that it prints."""
    with running_demo(*getattr(request, "param", ())) as address:
        yield address


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Iterator[WebDriver]:
    with ENGINES[request.param]() as browser:
        yield browser


@pytest.mark.parametrize(
    ("engine", "demo"),
    [
        ("chromium", ("--language", "en")),
        pytest.param("firefox", ("--language", "en"), marks=pytest.mark.long),
        pytest.param("webkit", ("--language", "en"), marks=pytest.mark.long),
        pytest.param("chromium", ("--language", "pl"), marks=pytest.mark.long),
    ],
    ids=["chromium", "firefox", "webkit", "chromium in Polish"],
    indirect=True,
)
def test_pressing_what_is_lit_leads_to_the_champion(engine: WebDriver, demo: str) -> None:
    visitor = Visitor(engine, demo)
    assert [found["help"] for found in Axe().run(engine)["violations"]] == []
    for number in range(40):
        if PICTURES:
            engine.save_screenshot(f"{PICTURES}/step{number:02}.png")
        if visitor.end:
            break
        visitor.follow()
    champion = re.match(r"\w+ \w\.", visitor.end)
    assert champion, visitor.end
    steps = engine.find_elements(By.CSS_SELECTOR, "#steps li")
    assert [each.get_attribute("class") for each in steps] == [*["done"] * 14, ""]
    own = steps[-1].find_element(By.TAG_NAME, "a").get_attribute("href") or ""
    assert own.endswith("/console/new")
    engine.switch_to.frame(engine.find_element(By.CSS_SELECTOR, "#wall iframe"))
    wait_until(lambda: champion[0] in engine.find_element(By.TAG_NAME, "body").text, "the champion on the wall")
    assert visitor.presses <= 30
