"""A key opens one door, and only so often; whoever else knocks neither gets in nor keeps the honest unit out."""

import json
import logging
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from asgi_client import Answer, AsgiClient
from hub_kit import KEYS, HandClock, hello_of, hub_of, make_event, opened_hello, running, url_of

from patience import GUARD_S
from roundtap_core.wire import ECHO, REPORT, REQUEST, envelope, open_envelope, sign
from roundtap_hub.access import unit_keys
from roundtap_hub.access.unit_keys import (
    ELSEWHERE,
    FLOOD,
    FORGED,
    FORGERY_RATE,
    HELLO,
    JOBS,
    RATES,
    REPORTS,
    STATUS,
    TIME,
    RequestRefused,
    UnitTroubles,
)
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.hub import Hub
from roundtap_hub.store.print_book import PrintBook

THIEF, HONEST = "10.42.0.66", "10.42.0.12"


@dataclass
class Bench:
    """A hub with an event and paper, and who asks it from where."""

    hub: Hub
    clock: HandClock
    client: AsgiClient

    def ask(self, path: str, message: Any, address: str = HONEST, **headers: str) -> Answer:
        answer: Answer = self.client.begin("POST", path, json.dumps(message).encode(), headers, peer=address).result(
            GUARD_S
        )
        return answer

    def report(
        self, number: int = 0, unit: str = "table-1", address: str = HONEST, key: bytes | None = None, **changes: Any
    ) -> Answer:
        report = {
            "report_id": f"{unit}-{number}",
            "unit": unit,
            "event": "e1",
            "match": "1.1",
            "side": "a",
            "revision": 0,
            "result": {"score": {"a": 100, "b": 24}},
            **changes,
        }
        return self.ask("/device/report", {"report": report, "mac": sign(key or KEYS[unit], REPORT, report)}, address)

    def time(self, unit: str = "table-1", address: str = HONEST, key: bytes | None = None) -> Answer:
        question = {"unit": unit, "nonce": "n"}
        return self.ask("/device/time", envelope(key or KEYS[unit], REQUEST, question), address)

    def jobs(self, unit: str = "station-1", **changes: Any) -> Answer:
        payload = {"unit": unit, "nonce": "n", "challenge": self.hub.units.challenges.issue(), "states": [], **changes}
        return self.ask("/station/jobs", envelope(KEYS[unit], REQUEST, payload))

    def status(self, seq: int, unit: str = "table-1", session: str = "s1") -> Answer:
        payload = {
            "unit": unit,
            "session": session,
            "seq": seq,
            "match": None,
            "seated": [],
            "draft": False,
            "call": False,
            "leave": None,
            "clock_ms": None,
            "waiting": 0,
        }
        return self.ask("/device/status", envelope(KEYS[unit], REQUEST, payload))

    def troubles(self, unit: str = "table-1") -> frozenset[str]:
        status = self.hub.presence.units.get(unit)
        return status.troubles if status else frozenset()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    clock = HandClock()
    with running(tmp_path / "journal.db", clock) as service:
        make_event(service)
        with closing(PrintBook(url_of(tmp_path / "journal.db"))) as book:
            hub = hub_of(service, clock, book)
            with closing(AsgiClient(HubApplication(hub), lifespan=True)) as client:
                yield Bench(hub, clock, client)


# --- one door ----------------------------------------------------------------------------------------------------


def test_the_print_station_s_key_closes_no_match(bench: Bench) -> None:
    for side in "ab":
        answer = bench.report(unit="station-1", report_id=f"r{side}", side=side)
        assert (answer.status_code, answer.get_json()["error"].split()[:6]) == (
            403,
            ["this", "key", "is", "for", "a", "station"],
        )
    match = bench.hub.service.snapshot.events["e1"].rounds[0].matches[0]
    assert (match.reports, match.number) == ({}, None)


def test_a_table_s_key_takes_no_print_job(bench: Bench) -> None:
    assert bench.jobs("table-1").status_code == 403
    taken = open_envelope(KEYS["station-1"], ECHO, bench.jobs("station-1").get_json())
    assert taken["jobs"], "they are all still there for the station"


def test_a_station_has_no_feed_says_no_status_and_asks_no_time(bench: Bench) -> None:
    bench.hub.presence.sessions.open("station-1", "s1")
    assert bench.status(1, "station-1").status_code == 403
    assert bench.time("station-1").status_code == 403
    assert (
        bench.ask("/device/feed", json.loads(hello_of(bench.hub, "station-1")), roundtap_unit="station-1").status_code
        == 403
    )


# --- how often ---------------------------------------------------------------------------------------------------


def test_an_outage_s_whole_outbox_every_press_and_every_question_of_time_are_taken(bench: Bench) -> None:
    """What a real unit asks at its most, all in one moment."""
    bench.hub.presence.sessions.open("table-1", "s1")
    assert {bench.report(n).status_code for n in range(200)} == {200}
    assert {bench.time().status_code for _ in range(24)} == {200}
    assert {bench.status(seq).status_code for seq in range(1, 31)} == {200}
    assert {bench.jobs().status_code for _ in range(20)} == {200}
    assert bench.troubles() == frozenset()


def test_a_flood_of_one_key_is_told_to_try_later_costs_no_signature_and_loses_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    burst = RATES[REPORTS].burst
    assert {bench.report(n).status_code for n in range(burst)} == {200}
    looked_at: list[int] = []
    real = unit_keys.verify_signature
    monkeypatch.setattr(unit_keys, "verify_signature", lambda *what: looked_at.append(1) or real(*what))

    with caplog.at_level(logging.WARNING):
        answers = [bench.report(burst) for _ in range(100)]

    assert {answer.status_code for answer in answers} == {429}
    assert "try again later" in answers[0].get_json()["error"]
    assert looked_at == []
    assert bench.troubles() == {FLOOD}
    assert len(caplog.records) < 10
    assert bench.report(unit="table-2", match="1.2").status_code == 200, "others are as before"
    bench.clock.ms += 1000
    assert bench.report(burst).status_code == 200


@pytest.mark.parametrize("kind", [STATUS, TIME, JOBS])
def test_every_kind_of_question_has_its_rate(bench: Bench, kind: str) -> None:
    bench.hub.presence.sessions.open("table-1", "s1")
    ask = {STATUS: lambda n: bench.status(n), TIME: lambda n: bench.time(), JOBS: lambda n: bench.jobs()}[kind]
    rate = RATES[kind]
    assert {ask(n).status_code for n in range(1, rate.burst + 1)} == {200}
    assert ask(rate.burst + 1).status_code == 429
    bench.clock.ms += 1000
    assert ask(rate.burst + 2).status_code == 200


def test_a_thief_s_hellos_are_counted_by_the_key_wherever_they_come_from(bench: Bench) -> None:
    for n in range(RATES[HELLO].burst):
        opened_hello(bench.hub.units, "table-1", hello_of(bench.hub), f"10.42.0.{n}")
    with pytest.raises(RequestRefused) as refused:
        opened_hello(bench.hub.units, "table-1", hello_of(bench.hub), THIEF)
    assert refused.value.status == 429


# --- and the honest unit is never shut out ----------------------------------------------------------------------


def test_whoever_forges_shuts_out_nobody_but_their_own_address(bench: Bench) -> None:
    for n in range(1000):
        answer = bench.report(n, address=THIEF, key=KEYS["table-2"])
        assert answer.status_code == (403 if n < FORGERY_RATE.burst else 429)
    assert bench.report(1).status_code == 200
    assert bench.time().status_code == 200
    assert bench.troubles() == {FORGED}
    assert bench.hub.units.troubles.count("table-1", FORGED) == FORGERY_RATE.burst


def test_kept_packets_sent_again_and_again_use_nothing_up(bench: Bench) -> None:
    """A report and a question of time may be captured and are answered again: to the thief's own account."""
    assert bench.report(1).status_code == 200
    assert {bench.report(1, address=THIEF).status_code for _ in range(1000)} == {200, 429}
    assert {bench.time(address=THIEF).status_code for _ in range(1000)} == {200, 429}
    bench.hub.presence.sessions.open("table-1", "s1")
    assert bench.status(7).status_code == 200
    assert {bench.status(7).status_code for _ in range(20)} == {409}
    assert {bench.report(n).status_code for n in range(2, 202)} == {200}
    assert {bench.time().status_code for _ in range(24)} == {200}


def test_the_answer_to_a_question_of_time_is_good_for_that_question_alone(bench: Bench) -> None:
    said = open_envelope(KEYS["table-1"], ECHO, bench.time().get_json())
    assert said == {"nonce": "n", "now_ms": bench.clock.ms, "boot": "boot-1"}


def test_a_unit_that_reports_where_it_does_not_stand_is_told_once_for_each_report(bench: Bench) -> None:
    for _ in range(3):
        echo = open_envelope(KEYS["table-2"], ECHO, bench.report(unit="table-2", match="1.1").get_json())
        assert (echo["fate"], echo["reason"]) == ("refused", "elsewhere")
    assert bench.troubles("table-2") == {ELSEWHERE}
    assert bench.hub.units.troubles.count("table-2", ELSEWHERE) == 1


# --- bounded -----------------------------------------------------------------------------------------------------


def test_troubles_are_told_once_until_somebody_has_looked() -> None:
    told: list[tuple[str, frozenset[str]]] = []
    troubles = UnitTroubles(lambda unit, kinds: told.append((unit, kinds)))
    for _ in range(1000):
        troubles.note("table-1", FORGED)
    assert told == [("table-1", frozenset({FORGED}))]
    assert troubles.count("table-1", FORGED) == 1000
    troubles.acknowledge("table-1")
    troubles.note("table-1", FORGED)
    assert told[1:] == [("table-1", frozenset())]
    assert troubles.count("table-1", FORGED) == 1
