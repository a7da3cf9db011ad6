"""The newest word wins: reports of one match in their order, by the present key, and a word where none is taken."""

import json
from pathlib import Path
from typing import Any

import pytest
from test_link import KEY, PORTAL, REPORT_1, REPORT_2, WELCOME, Bench, Json, bench, echo_of, feed_line  # noqa: F401

from roundtap_core.messages import ReportReceipt
from roundtap_core.wire import REPORT, sign, verify_signature
from roundtap_units.link.link import HubAddress, HubLink
from roundtap_units.link.outbox import Outbox, StoredReport, key_fingerprint
from roundtap_units.link.report_sending import BACKOFF_MS, ReportOrder

OLD_KEY = bytes(range(32, 64))


def kept(n: int, match: str = "1.1", draw: str | None = "d") -> StoredReport:
    return StoredReport({**REPORT_1, "report_id": f"r{n}", "match": match, "draw": draw}, "mac")


class Clock:
    def __init__(self) -> None:
        self.now_ms = 1000

    def __call__(self) -> int:
        return self.now_ms


# --- the order -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hiccup", [lambda message: PORTAL, lambda message: b'{"error": "not saved"}'], ids=["portal", "storage"]
)
def test_a_hiccup_on_the_first_of_two_reports_does_not_let_the_older_arrive_later(bench: Bench, hiccup: Any) -> None:  # noqa: F811
    """Seen: 100:0 was said, corrected to 100:20 and agreed; the portal ate the first, and it came undone."""
    tries: list[str] = []

    def once(message: Json) -> bytes:
        tries.append(message["report"]["report_id"])
        return hiccup(message) if len(tries) == 1 else echo_of(message)

    bench.hub.answers["/device/report"] = once
    bench.put(REPORT_1)
    bench.put(REPORT_2)
    bench.link.start()
    assert [bench.wait_for("fate").id for _ in range(2)] == ["r1", "r2"]
    assert tries == ["r1", "r1", "r2"]


def test_behind_an_unanswered_report_only_those_of_its_match_and_draw_are_held() -> None:
    order = ReportOrder(Clock())
    waiting = [kept(1), kept(2, "1.2"), kept(3), kept(4, draw="another"), kept(5, "1.2"), kept(6)]
    tried = []
    for one in order.sendable(waiting):
        tried.append(one.id)
        if one.id == "r1":
            order.unanswered(one, 503)
        else:
            order.answered(one)
    assert tried == ["r1", "r2", "r4", "r5"]
    assert [one.id for one in order.sendable(waiting)] == ["r1", "r2", "r3", "r4", "r5", "r6"]


def test_a_report_that_is_refused_again_and_again_is_tried_slowly_and_has_a_word() -> None:
    clock = Clock()
    order = ReportOrder(clock)
    for times in range(3):
        assert order.trouble() is None, times
        [one] = order.sendable([kept(1)])
        order.unanswered(one, 403)
    assert order.trouble() == "key"
    assert list(order.sendable([kept(1), kept(2)])) == []
    clock.now_ms += BACKOFF_MS
    assert [one.id for one in order.sendable([kept(1), kept(2)])] == ["r1", "r2"]
    order.answered(kept(1))
    assert order.trouble() is None


@pytest.mark.parametrize(
    ("status", "kind"), [(400, "form"), (403, "key"), (429, "often"), (503, None), (0, None), (404, None)]
)
def test_the_word_says_of_what_kind_it_is(status: int, kind: str | None) -> None:
    order = ReportOrder(Clock())
    for _ in range(5):
        order.unanswered(kept(1), status)
    assert order.trouble() == kind


def test_a_hub_that_cannot_save_is_asked_again_at_once_and_is_no_trouble() -> None:
    order = ReportOrder(Clock())
    for _ in range(5):
        assert len(list(order.sendable([kept(1)]))) == 1
        order.unanswered(kept(1), 503)


# --- what the unit is told -----------------------------------------------------------------------------------------


def test_a_unit_whose_key_the_hub_does_not_know_is_told_so_and_told_when_it_does(bench: Bench) -> None:  # noqa: F811
    bench.hub.statuses["/device/report"] = 403
    bench.put(REPORT_1)
    bench.link.start()
    assert bench.wait_for("refusal") == "key"
    assert bench.outbox.waiting()
    bench.hub.statuses.clear()
    bench.hub.answers["/device/report"] = echo_of
    bench.hub.feed = lambda hello: [feed_line(hello, 1, WELCOME)]
    bench.hub.hang_up.set()
    assert bench.wait_for("fate").fate == "accepted"
    assert bench.wait_for("refusal") is None


def test_a_hello_that_is_refused_again_and_again_is_told_though_nothing_waits(bench: Bench) -> None:  # noqa: F811
    bench.hub.statuses["/device/feed"] = 403
    bench.link.start()
    assert bench.wait_for("refusal") == "key"
    bench.hub.statuses.clear()
    bench.hub.feed = lambda hello: [feed_line(hello, 1, WELCOME)]
    assert bench.wait_for("refusal") is None


def test_a_report_is_signed_anew_where_the_key_was_renewed_since(bench: Bench, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / "renewed" / "outbox.jsonl"
    Outbox(path, key_mark=key_fingerprint(OLD_KEY)).put(REPORT_1, sign(OLD_KEY, REPORT, REPORT_1))
    outbox = Outbox(path, key_mark=key_fingerprint(KEY))
    host, port = bench.hub.server.server_address[:2]
    told: list[Any] = []
    link = HubLink(HubAddress(str(host), int(port), "table-1", KEY), outbox, lambda *what: told.append(what))
    bench.hub.answers["/device/report"] = echo_of
    link.start()
    link.send_reports()
    message = bench.hub.next("/device/report")
    link.stop()
    assert verify_signature(KEY, REPORT, message["report"], message["mac"])
    assert message["report"] == REPORT_1


def test_an_echo_of_an_epoch_that_was_left_is_not_the_hubs_word(bench: Bench) -> None:  # noqa: F811
    """A restored hub has lost the report; whoever kept yesterday's signed echo answers with that."""
    answers: list[str] = []

    def yesterdays(message: Json) -> bytes:
        answers.append("yesterday")
        return echo_of(message, epoch="x") if len(answers) < 3 else echo_of(message, epoch="y", number=7)

    bench.hub.answers["/device/report"] = yesterdays
    feeds: list[str] = []

    def feed(hello: Json) -> list[bytes]:
        feeds.append("x" if not feeds else "y")
        return [feed_line(hello, 1, {**WELCOME, "epoch": feeds[-1]})]

    bench.hub.feed = feed
    bench.link.start()
    assert bench.wait_for("epoch") == "x"
    bench.hub.hang_up.set()
    while bench.wait_for("epoch") != "y":
        pass
    bench.put(REPORT_1)
    assert bench.wait_for("fate").number == 7
    assert len(answers) == 3


def test_a_pending_report_is_told_and_not_sent_again(bench: Bench) -> None:  # noqa: F811
    bench.hub.answers["/device/report"] = lambda message: echo_of(message, fate="pending", number=None, hash=None)
    bench.put(REPORT_1)
    bench.link.start()
    assert bench.wait_for("fate").fate == "pending"
    bench.hub.answers["/device/report"] = echo_of
    bench.put({**REPORT_2, "match": "1.2"})
    assert bench.wait_for("fate").id == "r2"
    heard = [bench.hub.heard.get_nowait() for _ in range(bench.hub.heard.qsize())]
    assert [m["report"]["report_id"] for path, m in heard if path == "/device/report"] == ["r1", "r2"]


# --- what the hello says -------------------------------------------------------------------------------------------


def test_a_hello_says_what_the_unit_holds(bench: Bench) -> None:  # noqa: F811
    bench.put(REPORT_1)
    bench.outbox.settle(ReportReceipt("r1", "accepted", number=42, hash="h", epoch="x"))
    bench.hub.feed = lambda hello: [feed_line(hello, 1, WELCOME)]
    bench.link.start()
    first = bench.hub.next("/device/feed")["payload"]
    assert first["heads"] == {"e1": [42, "h"]}
    assert (first["epoch"], first["holds"], first["damaged"]) == (None, None, 0)
    assert 0 < len(first["instance"]) <= 64
    bench.wait_for("epoch")
    bench.hub.hang_up.set()
    second = bench.hub.next("/device/feed")["payload"]
    assert (second["epoch"], second["instance"]) == ("x", first["instance"])


def test_the_hello_of_a_unit_that_was_never_emptied_stays_small(bench: Bench) -> None:  # noqa: F811
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("roundtap_units.link.outbox.os.fsync", lambda descriptor: None)
        for n in range(1500):
            bench.outbox.put({**REPORT_1, "report_id": f"table-1-{n:016x}", "event": "e1234567890"}, "mac")
            if n % 5:
                bench.outbox.settle(ReportReceipt(f"table-1-{n:016x}", "accepted", number=n, hash="h"))
    bench.link.start()
    hello = bench.hub.next("/device/feed")
    assert len(json.dumps(hello)) < 64 * 1024
    assert ["e1234567890", f"table-1-{1495:016x}"] in hello["payload"]["reports"]
