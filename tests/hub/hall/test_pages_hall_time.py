"""The hub's clock on the console: offered where it is doubted, set in one press, by organizers alone."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pages_kit import House, open_house, problem_of, text_of

from roundtap_core.words import LANGUAGES
from roundtap_hub.http.routes import HEAD_JUDGE
from roundtap_hub.store.own_machine import HallTime

NOW_MS = int(datetime(2027, 3, 6, 14, 32, tzinfo=UTC).timestamp() * 1000)
NEVER_S = 12.0


@pytest.fixture
def system() -> list[float]:
    return [NEVER_S]


@pytest.fixture
def house(tmp_path: Path, system: list[float]) -> Iterator[House]:
    def set_root(step: str, seconds: int) -> dict[str, bool]:
        system[0] = float(seconds)
        return {"done": True}

    with open_house(tmp_path) as opened:
        made = HallTime(None, "boot", opened.time, lambda: system[0], lambda: False, lambda: True, set_root)
        opened.hub.host.hall_time = made
        yield opened


def offer_of(page: str) -> str:
    found = re.search(r'<form[^>]*id="hall-time"[^>]*>', page)
    return found[0] if found else ""


def test_the_hub_s_running_time_makes_no_open_console_load_anew(house: House, system: list[float]) -> None:
    """It stands beside the regions: read as a change, each report would cost every open console the whole page."""
    desk = house.with_event()
    house.publish()
    version = re.findall(r'data-seen="([^"]+)"', desk.get("/console/e1").text)[0]
    system[0] += 60
    house.play(leave_open=1)
    assert "regions" in desk.get(f"/console/e1?since={version}").json


def test_a_hub_that_does_not_know_the_time_asks_for_it_on_every_page_of_the_console(house: House) -> None:
    desk = house.with_event()
    for path in ("/console", "/console/e1", "/console/hub"):
        page = desk.get(path)
        assert "hidden" not in offer_of(page.text)
        assert "The hub does not know the time of day." in text_of(page)


def test_one_press_sets_it(house: House, system: list[float]) -> None:
    desk = house.organizer()
    desk.post("/console/hub/time", epoch_ms=NOW_MS)
    assert system[0] == NOW_MS / 1000
    page = desk.get("/console")
    assert "hidden" in offer_of(page.text), "a script shows it where the two differ"
    assert f'data-ahead-ms="{NOW_MS - house.time.ms}"' in page.text


def test_without_a_script_it_is_typed(house: House, system: list[float]) -> None:
    desk = house.organizer()
    assert "Enter date and time in full" in problem_of(desk.post("/console/hub/time", epoch_ms=""))
    assert "Enter date and time in full" in problem_of(desk.post("/console/hub/time", time="14:32"))
    here = datetime.fromtimestamp(NOW_MS / 1000).isoformat(timespec="minutes")
    desk.post("/console/hub/time", time=here)
    assert system[0] == NOW_MS / 1000


@pytest.mark.parametrize("said", ["0", "9" * 15, "9" * 400, "-5", "now"])
def test_no_time_at_all_changes_nothing(house: House, system: list[float], said: str) -> None:
    answer = house.organizer().post("/console/hub/time", epoch_ms=said)
    assert answer.status_code in (400, 409)
    assert system[0] == NEVER_S


def test_who_is_no_organizer_is_not_asked_and_may_not(house: House, system: list[float]) -> None:
    house.with_event()
    judge = house.staff(HEAD_JUDGE)
    assert offer_of(judge.console().text) == ""
    assert judge.post("/console/hub/time", epoch_ms=NOW_MS).status_code == 403
    assert offer_of(house.browser().get("/").text) == ""
    assert system[0] == NEVER_S


def test_where_the_time_is_somebody_else_s_nobody_is_asked(house: House) -> None:
    house.hub.host.hall_time = None
    desk = house.organizer()
    assert offer_of(desk.get("/console").text) == ""
    assert "database" in problem_of(desk.post("/console/hub/time", epoch_ms=NOW_MS))


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_asked_in_every_language(house: House, language: str) -> None:
    browser = house.browser(language)
    browser.log_in()
    assert "hall_time" not in text_of(browser.get("/console"))
