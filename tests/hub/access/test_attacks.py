"""Attacks that once got somewhere: made-up addresses, questions sent ahead, long heads, kept packets, a revoked Pi."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from asgi_client import AsgiClient
from hub_kit import KEYS, HandClock, hello_of, hub_of, make_event, running, url_of
from pages_kit import open_house, problem_of, text_of
from recorded_reports import record_report
from restored_kit import Evening, Table, backup_of, evening, restored_house, results
from test_connection_limits import ASK, BOTH, connection, knock, rest_of, served
from test_snapshots import finish, path
from test_standby_feed import KEY, Feed, House, house, soon_given_up

from patience import GUARD_S
from roundtap_core.wire import REPORT, REQUEST, envelope, sign
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.server import PageServerFront
from roundtap_hub.app.standby import peers
from roundtap_hub.app.standby.peers import BeaconThread
from roundtap_hub.app.standby.standby_api import QUESTION_BYTES_MAX
from roundtap_hub.http.connection_limits import OPEN_BURST, OPEN_REFILL_S, ConnectionLimits
from roundtap_hub.http.routes import PageKey
from roundtap_hub.http.uvicorn_private import HEAD_BYTES_MAX, REQUEST_BYTES
from roundtap_hub.live import page_cache
from roundtap_hub.paper.print_jobs import wanted_jobs
from roundtap_hub.store.event_cache import DormantEvents
from roundtap_hub.store.print_book import PrintBook
from roundtap_hub.store.restore_gap import assemble_round, entries_beyond_copy, lost_rounds

__all__ = ["house", "path", "soon_given_up"]

# --- one phone and what it may ask -----------------------------------------------------------------------------------


@BOTH
def test_a_question_sent_ahead_ends_the_connection(base: type[Any]) -> None:
    """One address had 11,500 answers a second, by never waiting for one before it asked the next."""

    async def work(port: int, limits: ConnectionLimits) -> None:
        reader, _ = await knock(port, ASK * 4)
        assert (await rest_of(reader)).count(b"HTTP/1.1 200") < 4
        reader, writer = await knock(port, ASK)
        assert (await reader.readuntil(b"/hello")).startswith(b"HTTP/1.1 200")
        writer.close()

    served(work, base)


def test_one_address_opens_no_connection_after_the_other_without_end() -> None:
    """2,500 beginnings of an encrypted connection a second took all of the hub's time, and none of the phone's."""
    now_s = [100.0]
    limits = ConnectionLimits(100, lambda: now_s[0], per_address=8)

    def opened(n: int, address: str = "10.0.0.2") -> int:
        """So many of n, each ended before the next."""
        found = 0
        for _ in range(n):
            with closing(connection(address)) as made:
                found += limits.admit(made)
        return found

    assert opened(100) == 8 * OPEN_BURST
    assert opened(10, "10.0.0.3") == 10
    assert opened(100, "127.0.0.1") == 100
    now_s[0] += OPEN_REFILL_S
    assert opened(100) == 8


class NotedDoors(ConnectionLimits):
    """Doors that note for how many questions each one counted."""

    counted: list[float]

    def wait_s(self, address: str, questions: float = 1) -> float:
        self.counted.append(questions)
        return super().wait_s(address, questions)


@BOTH
def test_a_question_counts_for_as_many_as_it_is_long(base: type[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """31 kB of cookies or languages took as long as a hundred small questions, and counted for one."""
    counted: list[float] = []
    monkeypatch.setattr(NotedDoors, "counted", counted, raising=False)
    monkeypatch.setattr("test_connection_limits.ConnectionLimits", NotedDoors)
    cookies = b";" * (HEAD_BYTES_MAX - 200)
    long_head = b"GET / HTTP/1.1\r\nHost: hub\r\nConnection: close\r\nCookie: %s\r\n\r\n" % cookies

    async def work(port: int, limits: ConnectionLimits) -> None:
        for said in (ASK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), long_head):
            reader, writer = await knock(port, said)
            await rest_of(reader)
            writer.close()

    served(work, base)
    assert counted[0] == 1
    assert sum(counted[1:]) == pytest.approx(len(long_head) / REQUEST_BYTES, abs=2)


def test_made_up_addresses_leave_nothing_behind(tmp_path: Path) -> None:
    """160 MB in eight seconds, from one phone: the version of every page that anybody named was remembered."""
    with open_house(tmp_path) as opened:
        opened.with_event()
        application = HubApplication(opened.hub)
        with closing(AsgiClient(application, lifespan=True)) as client:
            for n in range(40):
                client.get(f"/e/no-event-{n}")
                client.get(f"/e/e1/p/{'nobody' * 40}{n}")
            for n in range(40):
                application.browsers._clock(f"no-event-{n}")
            assert not [page for page in application.cached_pages._cache._versions if "no" in str(page)]
            assert not [event for event in application.browsers._clocks if event != "e1"]


def test_versions_that_are_remembered_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_cache, "VERSIONS_MAX", 5)
    with open_house(tmp_path) as opened:
        opened.with_event()
        store = HubApplication(opened.hub).cached_pages._cache
        pages = ["door", "e/e1", "wall/e1", "standings/e1", "pairings/e1", "bracket/e1", "rules/e1"]
        first = [store.version(PageKey.parse(page)) for page in pages]
        assert len(store._versions) <= 5
        assert [store.version(PageKey.parse(page)) for page in pages] == first


@pytest.mark.parametrize("path", ["//login", "///login", "//console", "//console/e1/export.json"])
def test_more_slashes_are_no_way_around_the_guard(tmp_path: Path, path: str) -> None:
    """Flask drops them: "//login" was the login page, over no encryption."""
    with open_house(tmp_path) as opened:
        opened.with_event()
        with closing(AsgiClient(HubApplication(opened.hub), lifespan=True)) as client:
            client.seen_as = {"client": ("10.0.0.9", 1)}
            one_slash = "/" + path.lstrip("/")
            for asked in (path, one_slash):
                assert (asked, client.get(asked).status_code) == (asked, 403)
                assert (asked, client.post(asked, {}).status_code) == (asked, 403)


def test_more_slashes_are_no_way_around_a_page_server(tmp_path: Path) -> None:
    with open_house(tmp_path) as opened:
        opened.with_event()
        with closing(
            AsgiClient(PageServerFront(HubApplication(opened.hub), "http://hub:8080"), lifespan=True)
        ) as client:
            answer = client.get("//console/e1")
            assert (answer.status_code, answer.headers["location"]) == (303, "http://hub:8080/console/e1")
            assert client.post("//device/report", {}).status_code == 421


# --- kept packets, and a unit's key ----------------------------------------------------------------------------------


@pytest.fixture
def evenings(path: Path) -> list[str]:
    """Six events that are over and at rest: more than stay open."""
    events = [f"e{n}" for n in range(1, 7)]
    with running(path) as service:
        for event in events:
            make_event(service, event)
            finish(service, event)
        service.snapshotter.snapshot_due()
    return events


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """(event, thread) of each event that was read from the disk."""
    read, found = DormantEvents.read, []

    def noted(shelf: DormantEvents, summary: Any, *more: Any) -> Any:
        found.append((summary.id, threading.current_thread().name))
        return read(shelf, summary, *more)

    monkeypatch.setattr(DormantEvents, "read", noted)
    return found


def a_report(event: str, number: int) -> dict[str, Any]:
    return {
        "report_id": f"r{number}",
        "unit": "table-1",
        "event": event,
        "match": "1.1",
        "side": "a",
        "revision": 0,
        "result": {"score": {"a": 100, "b": 0}},
    }


def test_a_hello_reads_each_old_event_once_and_holds_up_nobody(
    path: Path, evenings: list[str], reading: list[tuple[str, str]]
) -> None:
    """64 kB of reports of six old events in turn were 1,500 events read from the disk, on the loop."""
    clock = HandClock()
    with running(path, clock) as service:
        hub = hub_of(service, clock)
        with closing(AsgiClient(HubApplication(hub), lifespan=True)) as client:
            loop_thread = client.run(_this_thread())
            reports = [[event, f"r{n}"] for n in range(200) for event in evenings]
            said = asyncio.run_coroutine_threadsafe(
                _first_lines(client, hello_of(hub, reports=reports), 2), client.loop
            ).result(GUARD_S)
    fates = [fate["report_id"] for fate in json.loads(said[1])["payload"]["fates"]]
    assert fates == [report for _, report in reports]
    assert sorted(event for event, _ in reading) == evenings
    assert loop_thread not in {thread for _, thread in reading}


def test_reports_of_old_events_hold_up_nobody(path: Path, evenings: list[str], reading: list[tuple[str, str]]) -> None:
    """A packet that somebody kept for months is answered as before, from a thread."""
    clock = HandClock()
    with running(path, clock) as service:
        record_report(service, a_report("e1", 1))
        service.snapshotter.snapshot_due()
    with running(path, clock) as service:
        hub = hub_of(service, clock)
        with closing(AsgiClient(HubApplication(hub), lifespan=True)) as client:
            loop_thread = client.run(_this_thread())
            reading.clear()
            report = a_report("e1", 1)
            answer = client.post("/device/report", {"report": report, "mac": sign(KEYS["table-1"], REPORT, report)})
    assert answer.get_json()["payload"]["fate"] == "refused"
    assert [event for event, _ in reading] == ["e1"]
    assert loop_thread not in {thread for _, thread in reading}


async def _this_thread() -> str:
    return threading.current_thread().name


async def _first_lines(client: AsgiClient, hello: bytes, n: int) -> list[bytes]:
    lines: list[bytes] = []
    enough = asyncio.Event()
    said = [hello]

    async def receive() -> Any:
        if said:
            return {"type": "http.request", "body": said.pop(), "more_body": False}
        await enough.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        lines.extend(line[6:] for line in message.get("body", b"").split(b"\n\n") if line.startswith(b"data: "))
        if len(lines) >= n:
            enough.set()

    await client.application(
        {
            "type": "http",
            "method": "POST",
            "path": "/device/feed",
            "query_string": b"",
            "headers": [(b"roundtap-unit", b"table-1")],
            "client": ("10.0.0.9", 1),
        },
        receive,
        send,
    )
    return lines


def test_a_unit_in_a_bag_decides_no_lost_match_of_another_table(tmp_path: Path) -> None:
    """Its hello said that an official had decided the match of table 2: with the round that was adopted, one had."""
    with evening(tmp_path / "hub") as night:
        night.next_round()
        night.play()
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        night.play()
        stolen, honest = night.tables[0], night.tables[1]
        assert honest.holds is not None
        stolen.holds = {
            **honest.holds,
            "table": 1,
            "state": "decided",
            "revision": 7,
            "number": 9999,
            "result": {"score": {"a": 0, "b": 100}},
        }
    with restored_house(backup, tmp_path / "again") as (house, browser):
        for table in night.tables:
            table.come_back(house)
        lost = lost_rounds(house.service.snapshot)[0]
        match = stolen.holds["match"]
        assert [problem.params["match"] for problem in assemble_round(house.event, lost).wrong] == [match]
        browser.get("/console/restored")
        assert (
            problem_of(browser.post("/console/restored/adopt", event=lost.event, number=lost.number, mark=lost.mark))
            != ""
        )
        assert len(house.event.public_rounds) == 1


def stolen_of(night: Evening, unit: str, table: int) -> Table:
    """A unit that holds the match of this table otherwise than the unit which stands there."""
    honest = night.tables[table - 1]
    return Table(
        unit,
        night.house,
        holds={**honest.holds, "a": honest.holds["b"], "b": "p1", "number": 9999},
        heads={"e1": [9999, "f" * 64]},
        epoch=honest.epoch,
    )


def test_an_unplaced_unit_says_nothing_about_the_table_that_it_names(tmp_path: Path) -> None:
    """Its claim stood under that table, spoilt the lost round, and adopting the round placed it there."""
    with evening(tmp_path / "hub") as night:
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        night.play()
        before = results(night.house.event)
        stolen = stolen_of(night, "stolen", 3)
    with restored_house(backup, tmp_path / "again") as (house, browser):
        stolen.hello(house)
        for table in night.tables:
            table.come_back(house)
        [lost] = lost_rounds(house.service.snapshot)
        assert {claim.unit for claim in lost.claims} == {"unit-1", "unit-2", "unit-3"}
        assert entries_beyond_copy(house.service.snapshot, "e1") < 100
        page = text_of(browser.get("/console/restored"))
        assert page.count("Table 3 ") == 2, "of its own unit, and in the round"
        assert "stolen was at table 3, by its own data" in page
        assert (
            problem_of(browser.post("/console/restored/adopt", event=lost.event, number=lost.number, mark=lost.mark))
            == ""
        )
        browser.post("/console/restored/settled")
        assert house.service.snapshot.venue.restore_state is None
        assert results(house.event) == before
        assert house.service.snapshot.venue.tables == {"unit-1": 1, "unit-2": 2, "unit-3": 3}


@pytest.mark.parametrize("by", ["revoke", "replace"])
def test_a_claim_goes_with_its_unit_s_key(tmp_path: Path, by: str) -> None:
    """It went on standing there when the key had long been revoked, and the unit in its place was not asked."""
    with evening(tmp_path / "hub") as night:
        backup = backup_of(tmp_path / "hub", tmp_path / "backup")
        night.next_round()
        night.play()
        stolen = stolen_of(night, "unit-1", 2)
        stolen.holds = {**(stolen.holds or {}), "table": 1}
        stolen.reports = night.tables[0].reports
    with restored_house(backup, tmp_path / "again") as (house, _):
        assert stolen.come_back(house) == ["pending"] * 2
        assert len(lost_rounds(house.service.snapshot)) == 1
        getattr(house.hub.units.keys, by)("unit-1")
        restored = house.service.snapshot.venue.restore_state
        assert (restored.heard, restored.pending) == ({}, {})
        assert not lost_rounds(house.service.snapshot)
        night.tables[0].hello(house)
        assert len(lost_rounds(house.service.snapshot)) == (by == "replace")


# --- hubs among each other -------------------------------------------------------------------------------------------


def test_a_revoked_standby_hears_nothing_more(house: House, soon_given_up: None) -> None:
    """It went on hearing every name, and the other units' new keys, for as long as it stayed connected. This one says
    nothing to its own end."""
    feed = Feed(house, house.hello())
    feed.level()
    house.application.hub.units.keys.revoke("standby-1")
    assert [message["type"] for message in feed.take()] == ["batch"], "the entry that revokes it"
    assert feed.answer().status_code == 403
    assert house.service.copies.states == []
    assert house.client.post("/standby/feed", house.hello(key=KEY), roundtap_unit="standby-1").status_code in (400, 403)


def test_a_question_among_hubs_is_short(house: House) -> None:
    """64 kB from anybody were read, put in order and hashed on the loop, as often as they came."""
    said = {"payload": {"nonce": "n", "epochs": ["e" * 45] * 100, "instance": "i", "port": 1}, "mac": "0" * 64}
    assert house.client.post("/standby/who", said).status_code == 403
    said["payload"]["more"] = "x" * QUESTION_BYTES_MAX  # type: ignore[index]
    assert house.client.post("/standby/who", said).status_code == 413


@pytest.fixture(params=[b"", b"Connection: close\r\n"])
def dripping(request: pytest.FixtureRequest) -> Iterator[int]:
    """The port of somebody who answers letter by letter, each in time, and never ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            talker, _ = listener.accept()
            with talker:
                talker.recv(65536)
                try:
                    talker.sendall(b"HTTP/1.1 200 OK\r\n" + request.param + b"Content-Length: 1000000\r\n\r\n")
                    while True:
                        talker.sendall(b" ")
                        threading.Event().wait(0.02)
                except OSError:
                    return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(GUARD_S)


def test_whoever_answers_letter_by_letter_does_not_keep_the_beacon(
    house: House, dripping: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kept beacon of a hub's last start is enough to be asked; for that long nobody else was."""
    monkeypatch.setattr(peers, "ANSWER_TIMEOUT_S", 0.05)
    asked = threading.Thread(target=BeaconThread(house.kin)._query, args=[f"http://127.0.0.1:{dripping}"], daemon=True)
    asked.start()
    asked.join(GUARD_S)
    assert not asked.is_alive()


def test_addresses_where_nobody_answers_are_asked_one_at_a_time(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(BeaconThread, "_query", lambda _, url: asked.append(url))
    said = BeaconThread(house.kin)
    for n in range(5):
        said.queue_query(f"10.0.0.{n}", 8080)
    said._query_next()
    assert asked == ["http://10.0.0.0:8080"]


# --- what a key may say ----------------------------------------------------------------------------------------------


def test_a_station_says_nothing_of_jobs_that_there_are_not(path: Path) -> None:
    """Each of 64 made-up jobs in each question was kept, on the disk."""
    clock = HandClock()
    with running(path, clock) as service:
        book = PrintBook(url_of(path))
        make_event(service)
        hub = hub_of(service, clock, book)
        job = wanted_jobs(service.snapshot, (), {}, "station-1")[0].id
        with closing(AsgiClient(HubApplication(hub), lifespan=True)) as client:
            said = {
                "unit": "station-1",
                "nonce": "n",
                "challenge": hub.units.challenges.issue(),
                "states": [["made-up/1", "printed", ""], [job, "printed", ""]],
            }
            assert client.post("/station/jobs", envelope(KEYS["station-1"], REQUEST, said)).status_code == 200
    assert "made-up/1" not in book.states
    assert book.states[job].state == "printed"


@pytest.mark.parametrize(
    "odd",
    [
        {"waiting": 10**300},
        {"waiting": -1},
        {"waiting": "7"},
        {"clock_ms": 10**15},
        {"clock_ms": -(10**15)},
        {"match": "1" * 65},
    ],
)
def test_what_no_unit_says_of_itself_is_refused(path: Path, odd: dict[str, Any]) -> None:
    """A number of 300 digits stood on the console."""
    clock = HandClock()
    with running(path, clock) as service:
        hub = hub_of(service, clock)
        with closing(AsgiClient(HubApplication(hub), lifespan=True)) as client:
            hub.presence.sessions.open("table-1", "s")
            said = {
                "unit": "table-1",
                "session": "s",
                "seq": 1,
                "match": None,
                "seated": [],
                "draft": False,
                "call": False,
                "leave": None,
                "clock_ms": None,
                "waiting": 0,
            }
            plain = client.post("/device/status", envelope(KEYS["table-1"], REQUEST, said))
            broken = client.post("/device/status", envelope(KEYS["table-1"], REQUEST, {**said, "seq": 2, **odd}))
    assert (plain.status_code, broken.status_code) == (200, 400)
