"""Odd presses and late clicks on what the organizer's day brought: nothing happens twice, early, or to somebody else."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from pages_kit import Browser, House, open_house, problem_of

from roundtap_core.event.commands import SetClock


def form_of(browser: Browser, page: str, action: str, **typed: str) -> dict[str, str]:
    """The fields of the form on a page that goes to `action`, with what is typed into them."""
    text = browser.get(page).text
    found = re.search(rf'<form[^>]* action="{re.escape(action)}"[^>]*>.*?</form>', text, re.S)
    assert found, (page, action)
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', found[0])
    return {**{name: unescape(value) for name, value in hidden}, **typed}


def pressed(browser: Browser, action: str, form: dict[str, str]) -> Any:
    return browser.client.post(action, data=form, headers=browser.headers)


# --- two presses of one button ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("page", "action", "typed"), [
    ("/console/e1/match/1.1", "/console/e1/match/1.1/ruling", {"text": "Slow play."}),
    ("/console/e1/match/1.1", "/console/e1/match/1.1/extension", {"minutes": "5"}),
    ("/console/e1/match/1.1", "/console/e1/competitors/{a}/warn", {"reason": "Late"}),
    ("/console/e1/person/{a}", "/console/e1/competitors/{a}/warn", {"reason": "Late"}),
    ("/console/displays", "/console/displays/say", {"text": "Lunch is here", "kind": "line"}),
])
def test_the_same_form_sent_twice_counts_once(tmp_path: Path, page: str, action: str, typed: dict[str, str]) -> None:
    """A second warning, ruling or five minutes, because a browser without scripts sent a form twice."""
    with open_house(tmp_path) as house:
        browser = house.with_event()
        house.publish()
        house.service.tell("e1", SetClock("start"), "test")
        names = {"a": house.event.rounds[0].matches[0].match.a}
        page, action = page.format(**names), action.format(**names)
        form = form_of(browser, page, action, **typed)
        before = house.service.snapshot
        assert pressed(browser, action, form).status_code == 303
        once = house.service.snapshot
        again = pressed(browser, action, form)
        assert once is not before
        assert house.service.snapshot.events["e1"].head == once.events["e1"].head
        assert house.service.snapshot.venue.head == once.venue.head
        assert again.status_code == 303 or (again.status_code == 409 and problem_of(again))
        fresh = form_of(browser, page, action, **{**typed, **({"text": "Another"} if "text" in typed else {})})
        assert pressed(browser, action, fresh).status_code == 303, "meant once more it is done once more"
        assert house.service.snapshot is not once
