"""Practice on the console, with a child process that stands for the practice hub."""

import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pages_kit import Browser, House, open_house, problem_of, text_of

from patience import GUARD_S
from roundtap.demo import TABLES
from roundtap.kit.virtual_kit import unit_of
from roundtap_core.errors import Problem
from roundtap_core.rulebooks.own_rules import read_rules
from roundtap_core.version import version
from roundtap_core.wire import practice_key
from roundtap_hub.app import practice_hub
from roundtap_hub.app.practice_hub import FAILED, OFF, READY, STARTING, UNITS, PracticeHub, units_in_play
from roundtap_hub.http.routes import JUDGE
from roundtap_hub.store.backups import other_files

STANDS_FOR_IT = """
import json, os, sys
from pathlib import Path
folder = Path(sys.argv[sys.argv.index("--practice") + 1])
(folder / "starting.json").write_text(json.dumps([sys.argv[1:], dict(os.environ)]))
os.replace(folder / "starting.json", folder / "started.json")
print("ready", flush=True)
for line in sys.stdin:
    with open(folder / "let-in", "a") as file:
        file.write(line)
"""


def wait_for(true: object, what: str) -> None:
    give_up = time.monotonic() + GUARD_S
    while not true():  # type: ignore[operator]
        assert time.monotonic() < give_up, what
        time.sleep(0.01)


def hub_that_runs(folder: Path, program: str = STANDS_FOR_IT) -> PracticeHub:
    return PracticeHub(folder, "127.0.0.1", 8080, 8443, lambda: (), (sys.executable, "-c", program))


@pytest.fixture
def practice(tmp_path: Path) -> Iterator[PracticeHub]:
    made = hub_that_runs(tmp_path)
    yield made
    made.end()


@pytest.fixture
def house(tmp_path: Path, practice: PracticeHub) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        opened.hub.practice = practice
        yield opened


def test_it_starts_on_the_next_ports_in_an_empty_folder_without_what_systemd_gave_the_hub(
    practice: PracticeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the hub's folder of keys for units on its machine, it would take those units over."""
    for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "ROUNDTAP_LOCAL"):
        monkeypatch.setenv(name, "the hub's own")
    (tmp_path / "practice").mkdir()
    (tmp_path / "practice" / "of-last-time").touch()
    practice.start("pl")
    wait_for(lambda: practice.state == READY, "it to be ready")
    options, environment = json.loads((tmp_path / "practice" / "started.json").read_text())
    assert options == [
        "--practice",
        str(tmp_path / "practice"),
        "--host",
        "127.0.0.1",
        "--port",
        "8081",
        "--secure-port",
        "8444",
        "--language",
        "pl",
    ]
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
    deaf = house.hub.practice = hub_that_runs(tmp_path, "import time; print('ready', flush=True); time.sleep(60)")
    browser = house.organizer()
    browser.post("/console/practice")
    token = browser.client.get_cookie("roundtap_here")
    session = house.hub.access.organizers.session(token.value if token else "")
    assert session is not None
    writing = threading.Thread(target=lambda: [deaf.admit(session) for _ in range(2000)], daemon=True)
    writing.start()
    writing.join(GUARD_S)
    assert not writing.is_alive()
    deaf.end()


def test_on_a_full_disk_it_does_not_start_and_says_what_it_needs(
    house: House, practice: PracticeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice_hub, "FREE_BYTES_MIN", 2**60)
    answer = house.organizer().post("/console/practice")
    assert (answer.status_code, practice.state) == (409, OFF)
    assert "MB of free disk" in problem_of(answer)


def test_the_organizer_waits_on_a_page_and_is_led_there_once_it_answers(
    house: House, practice: PracticeHub, tmp_path: Path
) -> None:
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
        for answer in (
            each.post("/console/practice"),
            each.get("/console/practice"),
            each.post("/console/practice/end"),
        ):
            assert answer.status_code in (302, 403), answer.text
        assert practice.state == OFF


def test_a_form_of_another_site_starts_nothing(house: House, practice: PracticeHub) -> None:
    """Not even one on the practice hub's own port: it is the same site, and its pages are another origin's."""
    browser = house.organizer()
    browser.headers = {**browser.headers, "Origin": "http://localhost:8081"}
    assert browser.post("/console/practice").status_code == 403
    assert practice.state == OFF


def test_a_failed_start_is_said_at_home(house: House, tmp_path: Path) -> None:
    house.hub.practice = failing = hub_that_runs(tmp_path, "")
    browser = house.organizer()
    browser.post("/console/practice")
    wait_for(lambda: failing.state == FAILED, "the failure")
    assert "Practice did not start" in problem_of(browser.get("/console/practice"))


# --- with the rules of a store's own game ---

FORM = {"/match/report": "winner", "/points/win": "3", "/points/draw": "1"}


def started_with(folder: Path) -> tuple[str, list[str]]:
    """The rules that it was given, and its options."""
    wait_for((folder / "practice" / "started.json").exists, "its start")
    options = json.loads((folder / "practice" / "started.json").read_text())[0]
    return Path(options[options.index("--rules") + 1]).read_text(encoding="utf-8"), options


def test_a_game_is_tried_as_it_stands_in_the_form_and_nothing_is_saved(
    house: House, practice: PracticeHub, tmp_path: Path
) -> None:
    browser = house.organizer()
    page = browser.get("/console/games?start=one_game").text
    assert 'formaction="/console/games/try"' in page
    answer = browser.post("/console/games/try", **FORM)
    assert answer.headers["Location"] == "/console/practice", problem_of(answer)
    text, _ = started_with(tmp_path)
    rules, faults, _ = read_rules(text)
    assert rules is not None, faults
    assert (rules.match.report, rules.points.win, rules.points.draw) == ("winner", 3, 1)
    assert house.service.snapshot.venue.games == {}


def test_faults_of_a_game_stand_at_their_question_and_nothing_begins(house: House, practice: PracticeHub) -> None:
    browser = house.organizer()
    browser.get("/console/games?start=one_game")
    answer = browser.post("/console/games/try", **{**FORM, "/points/win": "many"})
    assert (answer.status_code, practice.state) == (400, OFF)
    assert re.search(r'data-wrong="/points/win">[^<]+whole number', answer.text)
    assert 'value="many"' in answer.text


def test_who_changes_the_rules_and_tries_again_begins_anew_and_with_the_same_goes_on(
    house: House, practice: PracticeHub, tmp_path: Path
) -> None:
    browser = house.organizer()
    browser.get("/console/games?start=one_game")
    browser.post("/console/games/try", **FORM)
    wait_for(lambda: practice.state == READY, "it to be ready")
    (tmp_path / "practice" / "played").touch()
    browser.post("/console/games/try", **FORM)
    assert (tmp_path / "practice" / "played").exists()
    browser.post("/console/games/try", **{**FORM, "/points/win": "7"})
    assert "win = 7" in started_with(tmp_path)[0]
    assert not (tmp_path / "practice" / "played").exists()


def test_what_somebody_else_practises_ends_only_with_a_press_that_says_so(
    house: House, practice: PracticeHub, tmp_path: Path
) -> None:
    started(house, practice)
    (tmp_path / "practice" / "played").touch()
    browser = house.organizer()
    browser.get("/console/games?start=one_game")
    answer = browser.post("/console/games/try", **FORM)
    assert answer.status_code == 409
    assert "Another browser is already in practice" in problem_of(answer)
    assert (tmp_path / "practice" / "played").exists()
    assert 'name="anew" value="1"' in answer.text
    assert "End it, try this" in text_of(answer)
    assert browser.post("/console/games/try", **FORM, anew="1").status_code == 303
    assert "win = 3" in started_with(tmp_path)[0]


@pytest.mark.parametrize("why", ["none", "no room"])
def test_where_practice_cannot_run_the_form_says_so(
    house: House, practice: PracticeHub, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    browser = house.organizer()
    if why == "none":
        house.hub.practice = None
    page = browser.get("/console/games?start=one_game")
    assert ("this hub would need a folder" in text_of(page)) == (why == "none")
    assert ("games/try" in page.text) == (why != "none")
    monkeypatch.setattr(practice_hub.shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    answer = browser.post("/console/games/try", **FORM)
    assert answer.status_code == 409
    assert {"none": "No practice on this hub", "no room": "MB of free disk"}[why] in problem_of(answer)
    assert 'name="/points/win"' in answer.text, "what was typed is still there"


def test_nobody_but_an_organizer_tries_a_game(house: House, practice: PracticeHub) -> None:
    _, pin = house.hub.access.organizers.staff.add("Judy", JUDGE)
    judge, player = house.browser(), house.browser()
    judge.enter(house.hub, pin)
    assert [each.post("/console/games/try", **FORM).status_code for each in (judge, player)] == [403, 302]
    assert practice.state == OFF


# --- its table units ---


def started(house: House, practice: PracticeHub) -> Browser:
    """The organizer's browser, with practice ready and unit-1 in contact."""
    browser = house.organizer()
    browser.post("/console/practice")
    wait_for(lambda: practice.state == READY, "it to be ready")
    house.hub.presence.update("unit-1", house.time(), connected=True, core=version())
    return browser


def said_to_it(folder: Path, lines: int) -> list[dict[str, str]]:
    """What the hub has said of tables, once there are so many lines of it."""
    path = folder / "practice" / "let-in"

    def found() -> list[dict[str, str]]:
        told = path.read_text().splitlines() if path.exists() else []
        return [said for line in told if line.endswith("}") and "unit" in (said := json.loads(line))]

    wait_for(lambda: len(found()) >= lines, "what it is told")
    return found()


def test_a_free_table_unit_is_sent_there_with_a_key_that_is_not_its_own(
    house: House, practice: PracticeHub, tmp_path: Path
) -> None:
    browser, sent = started(house, practice), list[tuple[str, Any]]()
    house.hub.presence.on_message.append(lambda *message: sent.append(message))
    page = browser.get("/console/practice")
    assert page.text.count("Use in practice") == 1, "unit-2 is not here"
    assert "0;url=" not in page.text, "there is something to choose"
    assert browser.post("/console/practice/units", unit="unit-1").headers["Location"] == "/console/practice"
    [(unit, message)] = sent
    salt = message.pop("salt")
    assert (unit, message) == ("unit-1", {"type": "practice", "port": 8081, "unit": "table-1"})
    key = practice_key(house.hub.units.keys["unit-1"], "table-1", salt)
    assert said_to_it(tmp_path, 1) == [{"unit": "table-1", "key": key.hex()}]
    assert "Plays as table 1" in text_of(browser.get("/console/practice"))
    browser.post("/console/practice/units", unit="unit-1", back="1")
    assert said_to_it(tmp_path, 2)[-1] == {"unit": "table-1", "key": ""}
    assert practice.lent == {}


def test_a_unit_is_not_sent_away_from_a_match_and_comes_back_for_one(house: House, practice: PracticeHub) -> None:
    house.place("unit-1", 1)
    house.with_event()
    browser = started(house, practice)
    browser.post("/console/practice/units", unit="unit-1")
    assert practice.lent == {"unit-1": 1}, "nothing is published"
    house.publish()
    practice.recall(units_in_play(house.service.snapshot))
    assert practice.lent == {}
    refused = browser.post("/console/practice/units", unit="unit-1")
    assert "unit-1 cannot practice now" in problem_of(refused)
    assert "Use in practice" not in browser.get("/console/practice").text


@pytest.mark.parametrize("status", [{"connected": False}, {"waiting": 1}, {"core": "another version"}])
def test_nor_one_out_of_contact_with_results_to_send_or_of_another_version(
    house: House, practice: PracticeHub, status: dict[str, Any]
) -> None:
    browser = started(house, practice)
    house.hub.presence.update("unit-1", house.time(), **status)
    assert "cannot practice now" in problem_of(browser.post("/console/practice/units", unit="unit-1"))
    assert practice.lent == {}


def test_there_are_places_for_two_and_an_end_gives_them_back(house: House, practice: PracticeHub) -> None:
    started(house, practice)
    assert [practice.lend(unit, b"k" * 32)["unit"] for unit in ("unit-1", "unit-2")] == ["table-1", "table-2"]
    for unit in ("unit-1", "unit-3"):
        with pytest.raises(Problem, match=f"{unit} cannot practice now"):
            practice.lend(unit, b"k" * 32)
    practice.recall(["unit-1", "unit-7"])
    assert practice.lend("unit-3", b"k" * 32)["unit"] == "table-1"
    practice.end()
    practice.start("en")
    assert practice.lent == {}
    assert tuple(UNITS.values()) == tuple(map(unit_of, range(1, TABLES + 1)))


def test_a_commit_and_the_units_hello_may_call_it_back_at_once(house: House, practice: PracticeHub) -> None:
    started(house, practice)
    practice.lend("unit-1", b"k" * 32)

    class TakenMeanwhile:
        def __enter__(self) -> None:
            practice.lent.clear()

        def __exit__(self, *_: object) -> None: ...

    practice._lock = TakenMeanwhile()  # type: ignore[assignment]
    practice.recall(["unit-1"])
    practice._lock = threading.Lock()
    assert practice.lent == {}


def test_nobody_but_an_organizer_sends_a_unit_or_calls_it_back(house: House, practice: PracticeHub) -> None:
    _, pin = house.hub.access.organizers.staff.add("Judy", JUDGE)
    judge, player = house.browser(), house.browser()
    judge.enter(house.hub, pin)
    started(house, practice)
    practice.lend("unit-2", b"l" * 32)
    for each in (judge, player):
        for form in ({"unit": "unit-1"}, {"unit": "unit-2", "back": "1"}):
            assert each.post("/console/practice/units", **form).status_code in (302, 403)
    assert practice.lent == {"unit-2": 1}


def test_a_hub_without_one_offers_none(house: House) -> None:
    house.hub.practice = None
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


def test_what_a_hub_without_power_left_of_it_can_be_cleared(tmp_path: Path) -> None:
    (tmp_path / "practice").mkdir()
    (tmp_path / "practice" / "of-last-time").touch()
    hub_that_runs(tmp_path).clear_folder()
    assert not (tmp_path / "practice").exists()
