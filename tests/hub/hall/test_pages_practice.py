"""Practice on the console, with a child process that stands for the practice hub."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_kit import House, open_house, problem_of

from roundtap_core.errors import Problem
from roundtap_hub import practice_hub
from roundtap_hub.access.policy import JUDGE
from roundtap_hub.practice_hub import FAILED, OFF, READY, STARTING, PracticeHub
from roundtap_hub.store.backups import other_files

STANDS_FOR_IT = """
import json, os, sys
from pathlib import Path
folder = Path(sys.argv[sys.argv.index("--practice") + 1])
(folder / "started.json").write_text(json.dumps([sys.argv[1:], dict(os.environ)]))
print("ready", flush=True)
for line in sys.stdin:
    with open(folder / "let-in", "a") as file:
        file.write(line)
"""
WITHIN_S = 30.0


def wait_for(true: object, what: str) -> None:
    give_up = time.monotonic() + WITHIN_S
    while not true():  # type: ignore[operator]
        assert time.monotonic() < give_up, what
        time.sleep(0.01)


def hub_that_runs(folder: Path, program: str = STANDS_FOR_IT) -> PracticeHub:
    return PracticeHub(folder, "127.0.0.1", 8080, 8443, (sys.executable, "-c", program))


@pytest.fixture
def practice(tmp_path: Path) -> Iterator[PracticeHub]:
    made = hub_that_runs(tmp_path)
    yield made
    made.end()


@pytest.fixture
def house(tmp_path: Path, practice: PracticeHub) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        opened.hub.host.practice = practice
        yield opened


def test_it_starts_on_the_next_ports_in_an_empty_folder_without_what_systemd_gave_the_hub(
        practice: PracticeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the hub's folder of keys for units on its machine, it would take those units over."""
    for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "ROUNDTAP_LOCAL"):
        monkeypatch.setenv(name, "the hub's own")
    (tmp_path / "practice").mkdir()
    (tmp_path / "practice" / "of-last-time").touch()
    practice.start("pl")
    wait_for(lambda: practice.state == READY, "it to be ready")
    options, environment = json.loads((tmp_path / "practice" / "started.json").read_text())
    assert options == ["--practice", str(tmp_path / "practice"), "--host", "127.0.0.1", "--port", "8081",
                       "--secure-port", "8444", "--language", "pl"]
    assert "the hub's own" not in environment.values()
    assert not (tmp_path / "practice" / "of-last-time").exists()


def test_it_is_started_once_however_often_somebody_presses(practice: PracticeHub, tmp_path: Path) -> None:
    practice.start("en")
    wait_for(lambda: practice.state == READY, "it to be ready")
    (tmp_path / "practice" / "played").touch()
    practice.start("en")
    assert (tmp_path / "practice" / "played").exists()


def test_it_ends_at_once_and_may_start_again(practice: PracticeHub) -> None:
    practice.start("en")
    practice.end()
    assert practice.state == OFF
    practice.start("en")
    wait_for(lambda: practice.state == READY, "it to be ready")


def test_one_that_dies_before_it_is_ready_has_failed_and_one_that_ends_later_is_off(tmp_path: Path) -> None:
    failing, ending = hub_that_runs(tmp_path, "print('a port is taken')"), hub_that_runs(tmp_path, "print('ready')")
    failing.start("en")
    wait_for(lambda: failing.state == FAILED, "the failure")
    ending.start("en")
    wait_for(lambda: ending.state == OFF, "its end")


def test_one_that_reads_nothing_never_makes_the_hub_wait(house: House, tmp_path: Path) -> None:
    deaf = house.hub.host.practice = hub_that_runs(tmp_path, "import time; print('ready', flush=True); time.sleep(60)")
    browser = house.organizer()
    browser.post("/console/practice")
    token = browser.client.get_cookie("roundtap_here")
    session = house.hub.access.organizers.session(token.value if token else "")
    assert session is not None
    for _ in range(2000):
        deaf.admit(session)
    deaf.end()


def test_on_a_full_disk_it_does_not_start_and_says_what_it_needs(
        house: House, practice: PracticeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice_hub, "FREE_BYTES_MIN", 2**60)
    answer = house.organizer().post("/console/practice")
    assert (answer.status_code, practice.state) == (409, OFF)
    assert "MB of free disk" in problem_of(answer)


def test_the_organizer_waits_on_a_page_and_is_led_there_once_it_answers(house: House, practice: PracticeHub,
                                                                        tmp_path: Path) -> None:
    browser = house.organizer()
    assert "Start practice" in browser.get("/console").text
    assert browser.post("/console/practice").headers["Location"] == "/console/practice"
    assert practice.state in (STARTING, READY)
    wait_for(lambda: practice.state == READY, "it to be ready")
    page = browser.get("/console/practice").text
    assert '<meta http-equiv="refresh" content="0;url=http://localhost:8081/practice/">' in page
    home = browser.get("/console").text
    assert "Start practice" not in home
    assert 'href="/console/practice"' in home
    wait_for((tmp_path / "practice" / "let-in").exists, "the session")
    said = (tmp_path / "practice" / "let-in").read_text()
    token = browser.client.get_cookie("roundtap_here")
    assert token is not None
    assert json.loads(said.splitlines()[0])["hash"]
    assert token.value not in said, "the cookie itself is never written down"
    assert browser.post("/console/practice/end").headers["Location"] == "/console"
    assert "Start practice" in browser.get("/console").text


def test_nobody_but_an_organizer_starts_opens_or_ends_it(house: House, practice: PracticeHub) -> None:
    _, pin = house.hub.access.organizers.staff.add("Judy", JUDGE)
    judge, player = house.browser(), house.browser()
    judge.enter(house.hub, pin)
    assert "Practice" not in judge.get("/console").text
    for each in (judge, player):
        for answer in (each.post("/console/practice"), each.get("/console/practice"),
                       each.post("/console/practice/end")):
            assert answer.status_code in (302, 403), answer.text
        assert practice.state == OFF


def test_a_form_of_another_site_starts_nothing(house: House, practice: PracticeHub) -> None:
    """Not even one on the practice hub's own port: it is the same site, and its pages are another origin's."""
    browser = house.organizer()
    browser.headers = {**browser.headers, "Origin": "http://localhost:8081"}
    assert browser.post("/console/practice").status_code == 403
    assert practice.state == OFF


def test_a_failed_start_is_said_at_home(house: House, tmp_path: Path) -> None:
    house.hub.host.practice = failing = hub_that_runs(tmp_path, "")
    browser = house.organizer()
    browser.post("/console/practice")
    wait_for(lambda: failing.state == FAILED, "the failure")
    assert "Practice did not start" in problem_of(browser.get("/console/practice"))


def test_a_hub_without_one_offers_none(house: House) -> None:
    house.hub.host.practice = None
    browser = house.organizer()
    assert "Start practice" not in browser.get("/console").text
    assert "No practice on this hub" in problem_of(browser.post("/console/practice"))


def test_it_cannot_start_where_the_folder_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "practice").write_text("a file in its place")
    with pytest.raises(Problem, match="did not start"):
        hub_that_runs(tmp_path).start("en")


def test_no_backup_holds_anything_of_it(tmp_path: Path) -> None:
    (tmp_path / "practice" / "hub").mkdir(parents=True)
    (tmp_path / "practice" / "hub" / "secret").write_text("nobody's")
    (tmp_path / "secret").write_text("the hub's")
    assert list(other_files(tmp_path)) == [tmp_path / "secret"]
