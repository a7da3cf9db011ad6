"""The device API: what a unit may say, and that whoever else knocks changes nothing and breaks nothing."""

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from asgi_client import Answer, AsgiClient
from hub_kit import (
    KEYS,
    HandClock,
    disk_fails,
    event_steps,
    hello_of,
    hub_of,
    make_event,
    opened_hello,
    people,
    running,
    stored,
)
from wire_json import table_json

from patience import GUARD_S
from roundtap_core.event import commands as c
from roundtap_core.event.entries import Entry
from roundtap_core.records import Result, SidePair
from roundtap_core.wire import ECHO, FEED, REPORT, REQUEST, envelope, open_envelope, sign
from roundtap_hub.access import unit_keys
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.hub import Hub
from roundtap_hub.store.service import HubStopped, Step
from roundtap_hub.units import table_api
from roundtap_hub.units.device_feed import DeviceFeed

KEY = KEYS["table-1"]
GOOD: dict[str, Any] = {
    "report_id": "table-1-aa",
    "unit": "table-1",
    "event": "e1",
    "match": "1.1",
    "side": "a",
    "revision": 0,
    "result": {"score": {"a": 100, "b": 24}},
}

STATUS: dict[str, Any] = {
    "unit": "table-1",
    "session": "s1",
    "seq": 1,
    "match": "1.1",
    "seated": ["a"],
    "draft": False,
    "call": False,
    "leave": None,
    "clock_ms": 1000,
    "waiting": 0,
}


@dataclass
class Bench:
    """A hub with an event, and a client of its application."""

    hub: Hub
    app: HubApplication
    client: AsgiClient
    path: Path

    def send(self, report: Any, mac: Any = None, key: bytes = KEY) -> Answer:
        mac = sign(key, REPORT, report) if mac is None else mac
        return self.client.post("/device/report", json={"report": report, "mac": mac})

    def echo(self, **changes: Any) -> dict[str, Any]:
        """The hub's own word on the good report with these changes."""
        answer = self.send({**GOOD, **changes})
        assert answer.status_code == 200, answer.text
        echo = open_envelope(KEY, ECHO, answer.get_json())
        assert echo is not None
        return echo

    def reports(self) -> list[Entry]:
        return [entry for entry in stored(self.path) if entry.kind == "report"]

    def refused_in_venue(self) -> list[Entry]:
        return [entry for entry in stored(self.path, "venue") if entry.kind == "report-refused"]

    def tell(self, command: Any) -> None:
        self.hub.service.execute_one("e1", command, "organizer")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    clock = HandClock()
    with running(tmp_path / "journal.db", clock) as service:
        make_event(service)
        hub = hub_of(service, clock)
        app = HubApplication(hub)
        with closing(AsgiClient(app)) as client:
            yield Bench(hub, app, client, tmp_path / "journal.db")


# --- a report and its echo ---------------------------------------------------------------------------------------


def test_a_report_makes_one_entry_and_the_signed_echo_names_it(bench: Bench) -> None:
    echo = bench.echo()

    [entry] = bench.reports()
    assert (echo["fate"], echo["number"], echo["hash"]) == ("accepted", entry.number, entry.hash)
    assert entry.actor == "unit:table-1"


def test_a_repeated_report_gets_the_same_echo_and_no_second_entry(bench: Bench) -> None:
    assert bench.echo() == bench.echo()
    assert len(bench.reports()) == 1


def test_the_same_id_with_another_body_is_refused_and_the_first_stands(bench: Bench) -> None:
    first = bench.echo()

    altered = bench.echo(result={"score": {"a": 24, "b": 100}})

    assert (altered["fate"], altered["reason"]) == ("refused", "altered")
    assert bench.echo() == first
    assert len(bench.reports()) == 1


def test_a_game_that_cannot_end_so_makes_one_refused_entry(bench: Bench) -> None:
    for _ in range(2):
        echo = bench.echo(result={"score": {"a": 101, "b": 0}})
        assert (echo["fate"], echo["reason"]) == ("refused", "impossible")
    assert [entry.data["fate"] for entry in bench.reports()] == ["refused"]
    assert bench.hub.service.snapshot.events["e1"].rounds[0].matches[0].reports == {}


def test_a_report_that_names_its_draw_is_taken_and_one_of_another_draw_hits_nobody(bench: Bench) -> None:
    view = table_json(bench.hub.service.snapshot, "table-1")
    mark = view["match"]["draw"]
    assert bench.echo(draw=mark)["fate"] == "accepted"

    stray = bench.echo(report_id="table-1-bb", side="b", draw="another draw")

    assert (stray["fate"], stray["reason"]) == ("refused", "unknown-match")
    assert set(bench.hub.service.snapshot.events["e1"].rounds[0].matches[0].reports) == {"a"}
    assert [entry.data["draw"] for entry in bench.reports()] == [mark, "another draw"]


def test_after_a_restore_a_redrawn_round_has_the_same_ids_and_another_mark(tmp_path: Path) -> None:
    marks = []
    for seed in (11, 12):
        with running(tmp_path / f"{seed}.db") as service:
            service.execute(
                [*event_steps(), Step("e1", c.DrawRound(seed)), Step("e1", c.PublishRound(1, 1))], "organizer", people()
            )
            drawn = service.snapshot.events["e1"].rounds[0]
            marks.append(drawn.mark)
            assert drawn.matches[0].id == "1.1"
    assert marks[0] != marks[1]


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"score": {"a": 50, "b": 50}},
        {"score": {"a": "100", "b": 0}},
        {"score": [100, 24]},
        {"score": {"c": 1}},
        {"score": {"a": True, "b": 0}},
        {"winner": ["a"]},
        {"ended": {"a": 1}},
        {"extra": 1},
        {"picks": [[[]]]},
        {"score": {"a": 10**400, "b": 0}},
        {"ended": "ruling", "winner": "a", "score": {"a": 100, "b": 0}},
    ],
)
def test_impossible_results_are_the_hubs_word_and_no_failure(bench: Bench, result: dict[str, Any]) -> None:
    assert bench.echo(result=result)["reason"] == "impossible"
    assert len(bench.reports()) == 1


def test_a_report_for_a_closed_round_is_late_and_kept_for_the_console(bench: Bench) -> None:
    for match in ("1.1", "1.2"):
        bench.tell(c.EnterResult(match, 0, Result(score=SidePair(100, 0))))
    bench.tell(c.DrawRound(3))

    assert bench.echo()["reason"] == "late"
    assert [match.id for _, match in bench.hub.service.snapshot.events["e1"].late_matches] == ["1.1"]


def test_an_unknown_match_is_refused_in_the_event(bench: Bench) -> None:
    assert bench.echo(match="9.9")["reason"] == "unknown-match"
    assert len(bench.reports()) == 1


def test_an_unknown_event_is_refused_in_the_venue_once(bench: Bench) -> None:
    assert bench.echo(event="gone") == bench.echo(event="gone")
    assert bench.echo(event="gone")["reason"] == "unknown-match"
    assert len(bench.refused_in_venue()) == 1
    assert bench.echo(event="gone", side="b")["reason"] == "altered"
    assert len(bench.refused_in_venue()) == 1


def test_what_was_not_saved_has_no_echo_and_is_taken_the_next_time(bench: Bench) -> None:
    with disk_fails(bench.hub.service, OSError(28, "No space left on device")):
        answer = bench.send(GOOD)
    assert answer.status_code == 503
    assert open_envelope(KEY, ECHO, answer.get_json()) is None

    assert bench.echo()["fate"] == "accepted"


def test_a_stopping_hub_says_so(bench: Bench) -> None:
    bench.hub.service.stop()
    assert bench.send(GOOD).status_code == 503


# --- many at once ------------------------------------------------------------------------------------------------


@dataclass
class SlowDisk:
    """A journal that commits only when it is let; how many batches it was given, and how many entries each had."""

    let: threading.Event
    batches: list[int]


@pytest.fixture
def slow(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowDisk]:
    disk = SlowDisk(threading.Event(), [])
    append = bench.hub.service.journal.append

    def later(*saved: Any) -> None:
        disk.batches.append(len(saved[0]))
        assert disk.let.wait(GUARD_S)
        append(*saved)

    monkeypatch.setattr(bench.hub.service.journal, "append", later)
    yield disk
    disk.let.set()


def begin(bench: Bench, **changes: Any) -> Future[Answer]:
    """A report on its way."""
    report = {**GOOD, **changes}
    return bench.client.begin(
        "POST", "/device/report", json.dumps({"report": report, "mac": sign(KEY, REPORT, report)}).encode()
    )


def under_way(bench: Bench, n: int) -> None:
    """Wait until so many different reports wait for their commit."""
    bench.client.until(lambda: len(bench.app.table_api._saving) == n)


def fates(answers: list[Future[Answer]]) -> list[Any]:
    return [open_envelope(KEY, ECHO, answer.result(GUARD_S).get_json()) for answer in answers]


def test_any_number_of_reports_wait_together_and_share_one_commit(bench: Bench, slow: SlowDisk) -> None:
    first = begin(bench, report_id="r0")
    bench.client.until(lambda: slow.batches == [1])
    threads = threading.active_count()
    others = [begin(bench, report_id=f"r{n}", revision=0) for n in range(1, 200)]
    under_way(bench, 200)
    assert threading.active_count() <= threads, "nobody holds a thread while waiting"
    assert not any(answer.done() for answer in [first, *others]), "no echo before the commit"

    slow.let.set()

    assert {said["fate"] for said in fates([first, *others])} == {"accepted"}
    assert slow.batches == [1, 199]
    assert len(bench.reports()) == 200


def test_a_report_said_again_while_it_is_under_way_is_one_command(bench: Bench, slow: SlowDisk) -> None:
    answers = [begin(bench)]
    bench.client.until(lambda: slow.batches == [1])
    answers += [begin(bench) for _ in range(20)]
    under_way(bench, 1)

    slow.let.set()

    first, *others = fates(answers)
    assert first["fate"] == "accepted"
    assert others == [first] * 20
    assert slow.batches == [1], "the writer was asked once"
    assert len(bench.reports()) == 1


def test_another_body_under_the_same_id_while_that_is_under_way_is_refused(bench: Bench, slow: SlowDisk) -> None:
    first = begin(bench)
    bench.client.until(lambda: slow.batches == [1])
    altered = begin(bench, result={"score": {"a": 24, "b": 100}})

    slow.let.set()

    said = fates([first, altered])
    assert [echo["fate"] for echo in said] == ["accepted", "refused"]
    assert said[1]["reason"] == "altered"
    assert len(bench.reports()) == 1


def test_all_who_waited_for_a_commit_that_failed_hear_so_and_the_next_is_taken(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried, go_on = threading.Event(), threading.Event()

    def full(*_: object) -> None:
        tried.set()
        assert go_on.wait(GUARD_S)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(bench.hub.service.journal, "append", full)
        answers = [begin(bench)]
        assert tried.wait(GUARD_S)
        answers += [begin(bench), begin(bench, event="gone")]
        under_way(bench, 2)
        go_on.set()
        assert [answer.result(GUARD_S).status_code for answer in answers] == [503, 503, 503]
    assert bench.app.table_api._saving == {}
    assert bench.echo()["fate"] == "accepted"
    assert bench.echo(event="gone")["reason"] == "unknown-match"


def test_who_waited_too_long_is_told_to_try_again_and_then_hears_of_the_first_try(
    bench: Bench, slow: SlowDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(table_api, "SAVE_S", 0.01)
        assert begin(bench).result(GUARD_S).status_code == 503
    again = begin(bench)
    slow.let.set()
    assert fates([again])[0]["fate"] == "accepted"
    assert slow.batches == [1]


def test_a_body_that_never_comes_holds_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_keys, "BODY_WITHIN_S", 0.01)
    for path in ("/device/report", "/device/status"):
        answer = bench.client.begin("POST", path, None, announced=300).result(GUARD_S)
        assert answer.status_code == 408
        assert answer.headers["connection"] == "close"


def test_a_body_that_is_announced_too_large_is_answered_without_a_byte_of_it(bench: Bench) -> None:
    answer = bench.client.begin("POST", "/device/report", None, announced=4097).result(GUARD_S)
    assert (answer.status_code, answer.headers["connection"]) == (403, "close")


def test_the_writer_s_probe_answers_and_says_when_the_hub_stops(bench: Bench) -> None:
    bench.client.run(bench.app.table_api.probe())
    bench.hub.service.stop()
    with pytest.raises(HubStopped):
        bench.client.run(bench.app.table_api.probe())


def test_the_time_is_the_hub_s_and_is_not_kept(bench: Bench) -> None:
    answer = bench.client.get("/time")
    assert answer.get_json() == {"now_ms": bench.hub.clocks.mono_ms()}
    assert answer.headers["cache-control"] == "no-store"


def test_what_is_asked_otherwise_is_told_so(bench: Bench) -> None:
    assert bench.client.get("/device/report").status_code == 405
    assert bench.client.post("/time").headers["allow"] == "GET, HEAD"
    assert bench.client.post("/device/nowhere").status_code == 404


# --- whoever else knocks -----------------------------------------------------------------------------------------


def test_an_unknown_unit_a_foreign_key_and_an_altered_body_are_turned_away(bench: Bench) -> None:
    assert bench.send({**GOOD, "unit": "table-9"}).status_code == 403
    assert bench.send(GOOD, key=KEYS["table-2"]).status_code == 403
    assert bench.send({**GOOD, "side": "b"}, mac=sign(KEY, REPORT, GOOD)).status_code == 403
    assert bench.send(GOOD, mac=sign(KEY, REQUEST, GOOD)).status_code == 403
    assert bench.reports() == []
    assert bench.hub.presence.units == {}


@pytest.mark.parametrize("mac", ["", "żółć", 7, ["x"], {"mac": "x"}, True])
def test_no_mac_is_too_strange(bench: Bench, mac: Any) -> None:
    assert bench.send(GOOD, mac=mac).status_code == 403


@pytest.mark.parametrize("field", sorted(GOOD))
def test_a_missing_field_is_malformed_and_named(bench: Bench, field: str) -> None:
    report = {key: value for key, value in GOOD.items() if key != field}
    answer = bench.send(report)
    if field == "unit":
        assert answer.status_code == 403
    else:
        assert answer.status_code == 400
        assert field in answer.get_json()["error"]
    assert bench.reports() == []


@pytest.mark.parametrize(
    "changes",
    [
        {"report_id": ""},
        {"report_id": "x" * 65},
        {"report_id": 7},
        {"event": None},
        {"event": ["e1"]},
        {"match": 1},
        {"side": "c"},
        {"side": ""},
        {"side": ["a"]},
        {"revision": "0"},
        {"revision": True},
        {"revision": None},
        {"result": None},
        {"result": "100:24"},
        {"result": [1]},
        {"more": 1},
        {"draw": 7},
        {"draw": ""},
        {"draw": None},
    ],
)
def test_a_field_of_the_wrong_kind_is_malformed(bench: Bench, changes: dict[str, Any]) -> None:
    assert bench.send({**GOOD, **changes}).status_code == 400
    assert bench.reports() == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"7",
        b'"report"',
        b"{}",
        b'{"report": null}',
        b'{"report": []}',
        b"\xff\xfe\x00",
        b'{"report": {"unit": ["table-1"]}}',
        b'{"report": {"unit": null}}',
        b'{"report": {"unit": "\\ud800"}}',
        b'{"report": {"unit": "table-1", "result": NaN}, "mac": "x"}',
        b'{"report": {"unit": "table-1", "result": 1.5}, "mac": "x"}',
        b'{"report": {"unit": "table-1", "result": "\\ud800"}, "mac": "x"}',
        b'{"report": {"unit": "table-1", "revision": ' + b"9" * 3900 + b'}, "mac": "x"}',
        b'{"payload": {"unit": "table-1"}}',
        b'{"report": {"unit": "table-1"}, "mac": "' + b"a" * 5000 + b'"}',
    ],
)
@pytest.mark.parametrize("path", ["/device/report", "/device/status", "/device/time"])
def test_no_body_is_strange_enough_for_a_failure(bench: Bench, path: str, body: bytes) -> None:
    assert 400 <= bench.client.post(path, data=body).status_code < 500
    assert bench.reports() == []


@pytest.mark.parametrize("depth", [90, 200, *range(600, 1000, 20), 1500, 1900])
@pytest.mark.parametrize(
    ("path", "what"), [("/device/report", "report"), ("/device/status", "payload"), ("/device/time", "payload")]
)
def test_json_of_any_depth_is_turned_away(bench: Bench, path: str, what: str, depth: int) -> None:
    body = f'{{"{what}": {{"unit": "table-1", "x": {"[" * depth}{"]" * depth}}}, "mac": "x"}}'
    assert bench.client.post(path, data=body).status_code == 403


def test_a_large_body_is_not_even_read(bench: Bench) -> None:
    report = {**GOOD, "result": {"score": {"a": 100, "b": 24}, "note": "x" * 5000}}
    assert 400 <= bench.send(report).status_code < 500
    assert bench.reports() == []


# --- statuses ----------------------------------------------------------------------------------------------------


def status(bench: Bench, **changes: Any) -> Answer:
    return bench.client.post("/device/status", json=envelope(KEY, REQUEST, {**STATUS, **changes}))


def asked(bench: Bench) -> set[str]:
    """What stands in the event of what table-1 asked for: "call", and the sides that want to drop."""
    bench.hub.service.execute([], "test")
    event = bench.hub.service.snapshot.events["e1"]
    found = event.find_match("1.1")
    assert found is not None
    sides = {side for side in "ab" if (found[1].match.competitor(side) or "") in event.wishes}  # type: ignore[arg-type]
    return sides | ({"call"} if event.calls else set())


def test_a_status_counts_within_an_open_feed_only(bench: Bench) -> None:
    assert status(bench).status_code == 409
    bench.hub.presence.sessions.open("table-1", "s1")

    answer = status(bench)

    echo = open_envelope(KEY, ECHO, answer.get_json())
    assert echo == {"session": "s1", "seq": 1, "now_ms": bench.hub.clocks.mono_ms(), "boot": "boot-1"}
    assert bench.hub.presence.units["table-1"].seated == {"a"}


def test_a_replayed_or_overtaken_status_changes_nothing(bench: Bench) -> None:
    bench.hub.presence.sessions.open("table-1", "s1")
    assert status(bench, seq=True).status_code == 400
    assert status(bench, seq=2).status_code == 200
    assert status(bench, seq=5, call=True).status_code == 200

    for seq in (5, 4, 0, -1):
        assert status(bench, seq=seq).status_code == 409
    for seq in ("6", None, True):
        assert status(bench, seq=seq).status_code == 400
    assert asked(bench) == {"call"}

    assert status(bench, seq=6).status_code == 200
    assert asked(bench) == set()


def test_a_session_ends_with_its_feed(bench: Bench) -> None:
    bench.hub.presence.sessions.open("table-1", "s1")
    bench.hub.presence.sessions.close("table-1", "s1")
    assert status(bench).status_code == 409


@pytest.mark.parametrize(
    ("said", "sides"),
    [
        (None, ""),
        ("a", "a"),
        ("b", "b"),
        ("ab", "ab"),
        (["b", "a"], "ab"),
        ([], ""),
    ],
)
def test_one_side_or_both_ask_to_leave_as_older_and_newer_units_say_it(bench: Bench, said: object, sides: str) -> None:
    bench.hub.presence.sessions.open("table-1", "s1")
    assert status(bench).status_code == 200
    assert status(bench, seq=2, leave=said).status_code == 200
    assert asked(bench) == set(sides)


@pytest.mark.parametrize(
    "changes",
    [
        {"seated": None},
        {"seated": 5},
        {"match": 5},
        {"leave": "c"},
        {"leave": ["c"]},
        {"leave": 5},
        {"leave": {"a": 1}},
        {"leave": "aba"},
        {"clock_ms": "1"},
        {"waiting": None},
        {"waiting": "many"},
        {"waiting": []},
    ],
)
def test_a_malformed_status_changes_nothing(bench: Bench, changes: dict[str, Any]) -> None:
    bench.hub.presence.sessions.open("table-1", "s1")
    assert status(bench, **changes).status_code == 400
    assert bench.hub.presence.units == {}


def test_what_a_unit_says_of_its_machine_is_kept_until_it_says_something_else(bench: Bench) -> None:
    bench.hub.presence.sessions.open("table-1", "s1")
    assert status(bench, session="s1", seq=1, health={"celsius": 45, "screen": False}).status_code == 200
    assert status(bench, session="s1", seq=2).status_code == 200
    told = bench.hub.presence.units["table-1"].health
    assert (json.loads(told)["celsius"], json.loads(told)["screen"]) == (45, False)


@pytest.mark.parametrize("health", [None, 3, "x", [], {"celsius": "<b>"}, {"keys": {"a": 1}}, {"printer": ["x"] * 99}])
def test_a_call_is_not_lost_because_of_what_a_unit_says_of_its_machine(bench: Bench, health: Any) -> None:
    bench.hub.presence.sessions.open("table-1", "s1")
    assert status(bench, session="s1", seq=1).status_code == 200
    assert status(bench, session="s1", seq=2, call=True, health=health).status_code == 200
    assert asked(bench) == {"call"}
    assert "<b>" not in bench.hub.presence.units["table-1"].health


def test_a_lot_drawn_at_a_table_is_the_event_s_once_and_a_strange_one_nobody_s(bench: Bench) -> None:
    bench.hub.presence.sessions.open("table-1", "s1")
    lot = {"event": "e1", "match": "1.1", "about": "initiative", "side": "b"}
    strange = [
        {**lot, "event": "e9"},
        {**lot, "match": "7.7"},
        {**lot, "side": "c"},
        {**lot, "about": "who pays"},
        {**lot, "draw": "another"},
        {},
        {"match": []},
    ]
    for seq, said in enumerate([*strange, lot, {**lot, "side": "a"}], start=1):
        assert status(bench, seq=seq, lot=said).status_code == 200
    assert bench.hub.service.snapshot.events["e1"].find_match("1.1")[1].lots == {"initiative": "b"}


def test_a_status_without_some_field_is_malformed(bench: Bench) -> None:
    bench.hub.presence.sessions.open("table-1", "s1")
    for seq, field in enumerate(("match", "seated", "draft", "call", "leave", "clock_ms", "waiting"), start=1):
        payload = {key: value for key, value in {**STATUS, "seq": seq}.items() if key != field}
        assert bench.client.post("/device/status", json=envelope(KEY, REQUEST, payload)).status_code == 400, field


# --- the time ----------------------------------------------------------------------------------------------------


def ask_time(bench: Bench, key: bytes = KEY, purpose: str = REQUEST, **changes: Any) -> Answer:
    return bench.client.post("/device/time", json=envelope(key, purpose, {"unit": "table-1", "nonce": "n1", **changes}))


def test_the_time_comes_signed_and_with_the_number_of_its_question(bench: Bench) -> None:
    answer = open_envelope(KEY, ECHO, ask_time(bench).get_json())
    assert answer == {"nonce": "n1", "now_ms": bench.hub.clocks.mono_ms(), "boot": "boot-1"}


def test_nobody_else_is_told_the_time_in_a_unit_s_name(bench: Bench) -> None:
    assert ask_time(bench, unit="table-9").status_code == 403
    assert ask_time(bench, key=KEYS["table-2"]).status_code == 403
    assert ask_time(bench, purpose=REPORT).status_code == 403


@pytest.mark.parametrize("nonce", [None, "", "x" * 65, 7, ["n1"], True])
def test_a_question_without_a_number_has_no_answer(bench: Bench, nonce: object) -> None:
    assert ask_time(bench, nonce=nonce).status_code == 400


# --- the feed ----------------------------------------------------------------------------------------------------


def test_a_hello_opens_the_feed_for_its_unit(bench: Bench) -> None:
    key, hello = opened_hello(bench.hub.units, "table-1", hello_of(bench.hub))
    connection = DeviceFeed(bench.hub).new_connection(key, hello)
    assert (connection.unit, connection.nonce) == ("table-1", "n1")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b'{"payload": []}',
        b'{"payload": {"unit": ["table-1"]}}',
        b'{"payload": {"unit": "table-1", "x": ' + b"[" * 700 + b"]" * 700 + b'}, "mac": "x"}',
        b'{"payload": {"unit": "table-1", "x": ' + b"[" * 50_000,
        {"key": KEYS["table-2"]},
        {"purpose": REPORT},
        {"unit": "table-9", "key": KEY},
        {"nonce": 7},
        {"nonce": "n" * 65},
        {"reports": [["e1"]]},
        {"reports": None},
        {"unit": "table-2"},
        {"core": None},
        {"instance": 7},
        {"instance": "i" * 65},
        {"epoch": 7},
        {"heads": []},
        {"heads": {"e1": 7}},
        {"heads": {"e1": ["7", "h"]}},
        {"holds": "a match"},
        {"damaged": -1},
        {"damaged": True},
        {"damaged": "many"},
        {"damaged": 2**70},
    ],
    ids=str,
)
def test_no_other_hello_opens_a_feed(bench: Bench, body: Any) -> None:
    said = body if isinstance(body, bytes) else hello_of(bench.hub, **body)
    answer = bench.client.begin("POST", "/device/feed", said, {"roundtap-unit": "table-1"}).result(GUARD_S)
    assert 400 <= answer.status_code < 500


async def _messages(hub: Hub, feed: DeviceFeed, n: int, **changes: Any) -> list[dict[str, Any]]:
    key, hello = opened_hello(hub.units, "table-1", hello_of(hub, **changes))
    feed.bind(asyncio.get_running_loop())
    stream = feed.stream(feed.new_connection(key, hello), hello)
    found = []
    for _ in range(n):
        message = open_envelope(KEY, FEED, json.loads((await anext(stream))[len("data: ") :]))
        assert message is not None
        found.append(message)
    await stream.aclose()  # type: ignore[attr-defined]
    return found


def test_a_feed_begins_with_everything(bench: Bench) -> None:
    known = bench.echo()
    reports = [["e1", "table-1-aa"], ["e1", "never seen"]]

    welcome, fates, view = asyncio.run(_messages(bench.hub, DeviceFeed(bench.hub), 3, reports=reports))

    assert [m["seq"] for m in (welcome, fates, view)] == [1, 2, 3]
    assert {m["nonce"] for m in (welcome, fates, view)} == {"n1"}
    assert fates["fates"] == [known, {"report_id": "never seen", "fate": "unknown", "epoch": known["epoch"]}]
    assert view["view"]["table"] == 1
    assert view["view"]["match"]["reports"]["a"] == GOOD["result"]


def test_a_feed_that_ends_leaves_nothing_behind(bench: Bench) -> None:
    feed = DeviceFeed(bench.hub)
    asyncio.run(_messages(bench.hub, feed, 2))
    assert feed._connections == {}
    assert bench.hub.presence.units["table-1"].connected is False
    assert bench.hub.presence.sessions.units == frozenset()


def test_a_device_that_stalls_is_cut_off_and_nobody_waits_for_it(bench: Bench) -> None:
    feed = DeviceFeed(bench.hub)

    async def play() -> int:
        key, hello = opened_hello(bench.hub.units, "table-1", hello_of(bench.hub))
        connection = feed.new_connection(key, hello)
        stream = feed.stream(connection, hello)
        for _ in range(3):
            await anext(stream)
        for number in range(1000):
            feed._send(connection, {"type": "view", "view": number})
        return len([chunk async for chunk in stream])

    assert asyncio.run(play()) == 0
    assert feed._connections == {}
