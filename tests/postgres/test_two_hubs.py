"""Real hub processes on one real database: the writer moves, page servers follow, nothing acknowledged is lost."""

import http.client
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hub_kit import KEYS, make_event
from postgres_kit import Cluster
from shared_kit import hub_on, stored

from kit import PIN, free_port, refused_start, wait_until
from patience import GUARD_S
from roundtap.kit.virtual_kit import start_roundtap
from roundtap_core.event import commands as c
from roundtap_core.event.entries import Person
from roundtap_core.wire import ECHO, REPORT, open_envelope, sign
from roundtap_hub.access.unit_keys import UnitKeys
from roundtap_hub.app.main import open_database
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.login_pins import hash_pin
from roundtap_hub.store.service import Step

PATIENCE_S = GUARD_S


class HubProcess:
    """`roundtap hub --database …` with a folder of its own."""

    def __init__(self, folder: Path, url: str, *options: str) -> None:
        folder.mkdir()
        self.folder = folder
        (folder / "keys.json").write_text(json.dumps({unit: key.hex() for unit, key in KEYS.items()}))
        (folder / "pin").write_text(hash_pin(PIN, "salt"))
        self.port = free_port()
        self.process: subprocess.Popen[bytes] = start_roundtap(
            "hub",
            "--data",
            str(folder),
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--database",
            url,
            "--secure-port",
            "0",
            *options,
        )
        wait_until(lambda: self.get("/time")[0] == 200, "the hub")

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        except (OSError, http.client.HTTPException):
            return 0, b"", {}
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> tuple[int, bytes, Any]:
        return self.ask("GET", path, **headers)

    def report(self, unit: str, report: dict[str, Any]) -> dict[str, Any] | None:
        """The hub's signed word on a report; None where there is none."""
        message = {"report": report, "mac": sign(KEYS[unit], REPORT, report)}
        status, body, _ = self.ask("POST", "/device/report", json.dumps(message).encode())
        return open_envelope(KEYS[unit], ECHO, json.loads(body)) if status == 200 else None

    def end(self) -> None:
        self.process.terminate()
        try:
            assert self.process.wait(PATIENCE_S) == 0
        finally:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def started() -> Iterator[list[HubProcess]]:
    """Whatever a test puts here is ended after it."""
    kept: list[HubProcess] = []
    yield kept
    for hub in kept:
        if hub.process.poll() is None:
            hub.end()


def report_of(unit: str, number: int) -> dict[str, Any]:
    return {
        "report_id": f"{unit}-{number}",
        "unit": unit,
        "event": "e1",
        "match": f"1.{unit[-1]}",
        "side": "ab"[number % 2],
        "revision": 0,
        "result": {"score": {"a": 100, "b": number % 100}},
    }


@pytest.mark.parametrize("reports", [40, pytest.param(1000, marks=pytest.mark.long)])
def test_a_hub_is_killed_and_the_other_goes_on(
    tmp_path: Path, url: str, started: list[HubProcess], reports: int
) -> None:
    """Two units report to both hubs in turn; one hub dies without a word. Each acknowledged report is one entry."""
    with hub_on(url) as maker:
        make_event(maker.service)
    first, second = (HubProcess(tmp_path / name, url) for name in ("first", "second"))
    started += [first, second]
    told: dict[str, dict[str, Any]] = {}

    def unit_reports(unit: str) -> None:
        for number in range(reports // 2):
            hubs = [first, second] if (number + int(unit[-1])) % 2 else [second, first]
            report = report_of(unit, number)
            answered = wait_until(
                lambda report=report, hubs=hubs: next(
                    (echo for hub in hubs if (echo := hub.report(unit, report))), None
                ),
                f"an answer to {unit} {number}",
            )
            told[report["report_id"]] = answered
            if number == reports // 4 and unit == "table-1":
                os.kill(first.process.pid, signal.SIGKILL)

    units = [threading.Thread(target=unit_reports, args=(unit,)) for unit in ("table-1", "table-2")]
    for unit in units:
        unit.start()
    for unit in units:
        unit.join()
    first.process.wait()

    assert first.process.returncode == -signal.SIGKILL
    by_id = {}
    for entry in stored(url):
        if entry.kind in ("report", "report-refused"):
            assert entry.data["report_id"] not in by_id, "doubled"
            by_id[entry.data["report_id"]] = entry
    assert len(told) == len(by_id) == reports
    for report_id, echo in told.items():
        assert (echo["number"], echo["hash"]) == (by_id[report_id].number, by_id[report_id].hash)


@pytest.mark.long
def test_a_running_round_runs_on_when_every_hub_was_started_anew(
    tmp_path: Path, url: str, started: list[HubProcess]
) -> None:
    with closing(open_database(url, lambda _: None)) as opened:
        make_event(opened.service)
        opened.service.execute_one("e1", c.SetClock("start"), "organizer")
        started_at = stored(url)[-1]
    hub = HubProcess(tmp_path / "hub", url)
    started.append(hub)
    os.kill(hub.process.pid, signal.SIGKILL)
    hub.process.wait()
    hub = HubProcess(tmp_path / "another", url)
    started.append(hub)
    assert stored(url)[-1] == started_at, "a hub held the clock when it started"
    [clock] = feed_of(hub, "wall/e1", "clock", 1)
    told = json.loads(clock)
    assert told["state"] == "running"
    assert told["deadline_ms"] == started_at.at.mono_ms + 75 * 60_000
    [tick] = feed_of(hub, "wall/e1", "tick", 1)
    assert 0 <= json.loads(tick)["now_ms"] - started_at.at.mono_ms < 60_000, "another clock"


def test_a_page_server_shows_what_the_writer_commits(tmp_path: Path, url: str, started: list[HubProcess]) -> None:
    with hub_on(url) as writer:
        make_event(writer.service)
        pages = HubProcess(tmp_path / "pages", url, "--pages", "--console-url", "http://hub.test:8080/")
        started.append(pages)
        assert not (tmp_path / "pages" / "secret").exists()
        status, body, _ = pages.get("/e/e1/pairings")
        assert status == 200
        assert b"Ana" in body
        before = stored(url)

        seen: list[str] = []
        watching = threading.Thread(target=lambda: seen.extend(feed_of(pages, "pairings/e1", "view", 2)))
        watching.start()
        wait_until(lambda: pages.get("/time")[0] == 200, "the page server")
        for side in "ab":
            writer.service.execute_one(
                "e1", c.RecordReport(f"r{side}", "1.1", side, 0, {"score": {"a": 100, "b": 24}}, side), "unit:table-1"
            )
        watching.join(PATIENCE_S)
        assert len(set(seen)) == 2, "its browsers were not told"
        assert stored(url)[: len(before)] == before

        status, _, headers = pages.get("/console/e1?round=1")
        assert (status, headers["Location"]) == (303, "http://hub.test:8080/console/e1?round=1")
        assert pages.get("/login")[0] == 303
        status, body, _ = pages.ask("POST", "/console", b"name=x", **{"Accept-Language": "de"})
        assert status == 421
        assert "zeigt nur Seiten" in body.decode()
        assert b"http://hub.test:8080/console" in body
        for path in ("/device/report", "/device/status", "/device/feed", "/station/jobs"):
            status, body, _ = pages.ask("POST", path, b"{}")
            assert (status, list(json.loads(body))) == (421, ["error"])


def test_a_page_server_reads_no_key_and_no_pin(
    tmp_path: Path, url: str, postgres: Cluster, started: list[HubProcess]
) -> None:
    """By the very words of SCALE.md."""
    scale = (Path(__file__).parents[2] / "server" / "SCALE.md").read_text(encoding="utf-8")
    (grant,) = [line.strip() for line in scale.splitlines() if line.startswith("    GRANT ")]
    with hub_on(url) as writer:
        make_event(writer.service)
        UnitKeys(writer.service).add("spare")
        postgres.run("DROP ROLE IF EXISTS reader", "CREATE ROLE reader LOGIN")
        postgres.run(grant, database="test")
        reader = url.replace("roundtap@", "reader@")
        pages = HubProcess(tmp_path / "pages", reader, "--pages")
        started.append(pages)
        status, body, _ = pages.get("/e/e1/pairings")
        assert (status, b"Ana" in body) == (200, True)
        UnitKeys(writer.service).revoke("spare")
        zoe = Person("Zoe")
        writer.service.execute(
            [Step("e1", c.ChangePerson("p1", zoe.digest("salt")))], "organizer", [PersonRecord("e1", "p1", "salt", zoe)]
        )
        wait_until(lambda: b"Zoe" in pages.get("/e/e1/pairings")[1], "what the writer says after that")
        with psycopg.connect(reader, autocommit=True) as connection:
            assert connection.execute("SELECT count(*) FROM entry").fetchone()
            for table in ("unit_key", "staff"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(f"SELECT * FROM {table}")


@pytest.mark.usefixtures("hub_here")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--pages",), "--database"),
        (("--database", "mysql://me:secret@somewhere/x"), "postgresql://user@machine/roundtap"),
        (("--database", "postgresql://me:secret@127.0.0.1:1/x"), "postgresql://me@127.0.0.1:1/x"),
    ],
)
def test_what_a_person_can_mend_is_said_without_the_password(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    options: tuple[str, ...],
    said: str,
) -> None:
    error = refused_start(capsys, "--data", str(tmp_path), *options)
    assert said in error
    assert "secret" not in error + caplog.text


@pytest.mark.usefixtures("hub_here")
def test_a_page_server_on_an_empty_database_says_what_is_missing(capsys: pytest.CaptureFixture[str], url: str) -> None:
    assert "Start a hub on it first" in refused_start(capsys, "--pages", "--database", url)


def feed_of(hub: HubProcess, page: str, event: str, many: int) -> list[str]:
    """The data of so many events of one kind on a page's feed."""
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=PATIENCE_S)
    found: list[str] = []
    try:
        connection.request("GET", f"/feed?page={page}")
        lines = connection.getresponse()
        kind = ""
        while len(found) < many:
            raw = lines.readline()
            assert raw, f"the feed of {page} ended after {found}"
            line = raw.decode().rstrip()
            if line.startswith("event: "):
                kind = line[7:]
            elif line.startswith("data: ") and kind == event:
                found.append(line[6:])
    finally:
        connection.close()
    return found
