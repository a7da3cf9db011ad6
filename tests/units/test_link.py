"""The link against a hub that can be anything: the real one, a captive portal, a forger, an old acquaintance."""

import json
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from patience import GUARD_S
from roundtap_core.messages import ReportReceipt
from roundtap_core.version import version
from roundtap_core.wire import (
    ECHO,
    FEED,
    REPORT,
    REQUEST,
    envelope,
    open_envelope,
    practice_key,
    sign,
    verify_signature,
)
from roundtap_units.link import link as module
from roundtap_units.link.link import HubAddress, HubLink, should_keep_waiting
from roundtap_units.link.outbox import Outbox, StoredReport

KEY, OTHER_KEY = bytes(range(32)), bytes(32)
REPORT_1 = {
    "report_id": "r1",
    "unit": "table-1",
    "event": "e1",
    "match": "1.1",
    "side": "a",
    "revision": 0,
    "result": {"score": {"a": 100, "b": 24}},
}
REPORT_2 = {**REPORT_1, "report_id": "r2", "side": "b"}
PORTAL = b"<html><body>Welcome to the hall! <a href='/login'>Accept our terms</a></body></html>"
WAIT_S = GUARD_S

Json = dict[str, Any]

WELCOME = {"type": "welcome", "session": "s1", "core": version(), "epoch": "x"}

VIEW: Json = {"type": "view", "view": {"table": 666}}


class FakeHub:
    """Answers as told. `answers[path]` makes the body of an answer from the message that came; a feed is some lines,
    after which the connection stays open until the test ends or `hang_up` is set. `closes`: how many connections it
    closes after an answer without a word; `statuses[path]`: its code where that is not 200; `drops`: how many
    it closes instead of answering, once they have brought an answer."""

    def __init__(self) -> None:
        self.answers: dict[str, Callable[[Json], bytes]] = {}
        self.feed: Callable[[Json], Iterable[bytes]] = lambda hello: []
        self.challenges: Callable[[str], bytes] = lambda path: b'{"challenge": "c1"}'
        self.statuses: dict[str, int] = {}
        self.closes = self.drops = 0
        self.heard: queue.SimpleQueue[tuple[str, Json]] = queue.SimpleQueue()
        self.hang_up = threading.Event()
        self.headers: dict[str, str] = {}
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            answered = False

            def do_GET(self) -> None:
                body = hub.challenges(self.path)
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                hub.heard.put((self.path, message))
                hub.headers = dict(self.headers)
                if self.path == "/device/feed" and self.path not in hub.statuses:
                    self.send_response(200)
                    self.send_header("Connection", "close")
                    self.end_headers()
                    for line in hub.feed(message):
                        self.wfile.write(line)
                    self.wfile.flush()
                    hub.hang_up.wait(WAIT_S)
                    return
                if self.answered and hub.drops:
                    hub.drops -= 1
                    self.close_connection = True
                    return
                body = hub.answers.get(self.path, lambda _: PORTAL)(message)
                self.send_response(hub.statuses.get(self.path, 200))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                self.answered = True
                if hub.closes:
                    hub.closes -= 1
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # A unit that hangs up in the midst of an answer is no failure here.
        self.server.handle_error = lambda *_: None  # type: ignore[method-assign]
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def next(self, path: str) -> Json:
        """The next message that comes to `path`."""
        while True:
            came, message = self.heard.get(timeout=WAIT_S)
            if came == path:
                return message

    def close(self) -> None:
        self.hang_up.set()
        self.server.shutdown()
        self.server.server_close()


class Bench:
    """A link, its outbox, the fake hub, and what the link told the unit."""

    def __init__(self, folder: Path) -> None:
        self.hub = FakeHub()
        self.outbox = Outbox(folder / "outbox.jsonl")
        self.told: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        host, port = self.hub.server.server_address[:2]
        self.link = HubLink(
            HubAddress(str(host), int(port), "table-1", KEY),
            self.outbox,
            lambda kind, value: self.told.put((kind, value)),
            lambda: 1000,
        )

    def put(self, report: Json) -> None:
        self.outbox.put(report, sign(KEY, REPORT, report))
        self.link.send_reports()

    def wait_for(self, kind: str) -> Any:
        while True:
            came, value = self.told.get(timeout=WAIT_S)
            if came == kind:
                return value

    def told_so_far(self) -> list[str]:
        return [self.told.get_nowait()[0] for _ in range(self.told.qsize())]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(module, "RETRY_S", (0.01, 0.02))
    monkeypatch.setattr(module, "RETRY_SEND_S", (0.01, 0.02))
    # Nothing here may come about by itself, only because the link wants it.
    monkeypatch.setattr(module, "STATUS_EVERY_S", 3600)
    monkeypatch.setattr(module, "SILENCE_S", 3600)
    made = Bench(tmp_path)
    yield made
    made.link.stop()
    made.hub.close()


def echo_of(message: Json, key: bytes = KEY, **changes: Any) -> bytes:
    report = message["report"]
    assert verify_signature(KEY, REPORT, report, message["mac"])
    plain = {
        "report_id": report["report_id"],
        "fate": "accepted",
        "reason": None,
        "number": 42,
        "hash": "h",
        "epoch": "x",
        **changes,
    }
    return json.dumps(envelope(key, ECHO, plain)).encode()


def feed_line(hello: Json, seq: int, message: Json, key: bytes = KEY, **changes: Any) -> bytes:
    payload = {"now_ms": 5000, "nonce": hello["payload"]["nonce"], "seq": seq, **message, **changes}
    return b"data: " + json.dumps(envelope(key, FEED, payload)).encode() + b"\n\n"


# --- reports -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lie",
    [
        lambda message: PORTAL,
        lambda message: b"",
        lambda message: b'"saved"',
        lambda message: json.dumps({"ok": True, "report_id": "r1", "fate": "accepted"}).encode(),
        lambda message: json.dumps(message).encode(),
        lambda message: echo_of(message, key=OTHER_KEY),
        lambda message: echo_of(message, report_id="r7"),
        lambda message: json.dumps(envelope(KEY, FEED, {"report_id": "r1", "fate": "accepted"})).encode(),
        lambda message: b"[" * 60_000,
        lambda message: b"x" * 200_000,
    ],
    ids=["portal", "nothing", "a word", "unsigned", "our own", "forged", "another's", "another kind", "deep", "long"],
)
def test_only_the_hubs_signed_echo_of_this_report_counts_as_saved(bench: Bench, lie: Callable[[Json], bytes]) -> None:
    """Each lie comes with "200 OK". The report is offered again until the echo comes, then no more."""
    bench.hub.answers["/device/report"] = lie
    bench.put(REPORT_1)
    bench.link.start()
    for _ in range(3):
        assert bench.hub.next("/device/report")["report"] == REPORT_1
    assert bench.outbox.waiting()
    assert "fate" not in bench.told_so_far()

    bench.hub.answers["/device/report"] = echo_of

    settled = bench.wait_for("fate")
    assert isinstance(settled, StoredReport)
    assert (settled.id, settled.fate, settled.number) == ("r1", "accepted", 42)
    assert bench.outbox.waiting() == []


def test_a_refusal_ends_the_retry_too(bench: Bench) -> None:
    bench.hub.answers["/device/report"] = lambda message: echo_of(message, fate="refused", reason="judge")
    bench.put(REPORT_1)
    bench.link.start()
    assert bench.wait_for("fate").reason == "judge"
    assert bench.outbox.waiting() == []


def test_reports_are_offered_in_the_order_of_their_presses(bench: Bench) -> None:
    bench.hub.answers["/device/report"] = echo_of
    bench.put(REPORT_1)
    bench.put(REPORT_2)
    bench.link.start()
    assert [bench.hub.next("/device/report")["report"]["report_id"] for _ in range(2)] == ["r1", "r2"]


def test_a_report_that_gets_no_answer_does_not_hold_up_another_match(bench: Bench) -> None:
    bench.hub.answers["/device/report"] = lambda message: (
        b'{"error": "malformed"}' if message["report"]["report_id"] == "r1" else echo_of(message)
    )
    bench.put(REPORT_1)
    bench.put({**REPORT_2, "match": "1.2"})
    bench.link.start()
    assert bench.wait_for("fate").id == "r2"
    assert [kept.id for kept in bench.outbox.waiting()] == ["r1"]


def test_a_hub_that_is_not_there_yet_is_waited_for(tmp_path: Path, bench: Bench) -> None:
    bench.hub.server.shutdown()
    bench.put(REPORT_1)
    bench.link.start()
    threading.Thread(target=bench.hub.server.serve_forever, args=(0.01,), daemon=True).start()
    bench.hub.answers["/device/report"] = echo_of
    assert bench.wait_for("fate").fate == "accepted"


# --- a connection that is kept -------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["closes", "drops"])
def test_a_report_after_a_pause_costs_none_though_the_hub_has_closed_the_idle_connection(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Whether the unit sees it beforehand or only when it asks: the next try is at once, on a fresh connection."""
    monkeypatch.setattr(module, "RETRY_SEND_S", (3600, 3600))
    bench.hub.answers["/device/report"] = echo_of
    setattr(bench.hub, way, 1)
    bench.link.start()
    for report in (REPORT_1, REPORT_2):
        bench.put(report)
        assert bench.wait_for("fate").id == report["report_id"]


def test_a_report_waits_behind_no_status_and_no_question_of_time(bench: Bench) -> None:
    release = threading.Event()

    def slow(message: Json) -> bytes:
        release.wait(WAIT_S)
        return PORTAL

    bench.hub.answers.update({"/device/status": slow, "/device/time": slow, "/device/report": echo_of})
    bench.hub.feed = lambda hello: [feed_line(hello, 1, WELCOME)]
    bench.link.send_status({"call": False})
    bench.link.start()
    bench.hub.next("/device/status")
    bench.put(REPORT_1)
    assert bench.wait_for("fate").fate == "accepted"
    assert not release.is_set()
    release.set()


def test_the_way_is_open_before_the_result_is_confirmed(bench: Bench) -> None:
    """While somebody enters a result the unit connects: the report itself need not wait for that."""
    opened_ahead = threading.Event()
    real = module.hub_connection.PersistentConnection.open

    def noted(self: Any) -> None:
        real(self)
        opened_ahead.set()

    bench.link.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module.hub_connection.PersistentConnection, "open", noted)
        bench.link.send_status({"draft": True})
        assert opened_ahead.wait(WAIT_S)


# --- a report in flight -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("waited_s", "hub_alive", "settled_s", "waits"),
    [
        (4.9, False, None, True),
        (5.1, False, None, False),
        (5.1, True, None, True),
        (29.9, True, None, True),
        (30.1, True, None, False),
        (6.0, True, 5.5, True),
        (6.6, True, 5.5, False),
        (0.5, False, 0.1, True),
    ],
)
def test_an_answer_is_waited_for_while_the_hub_is_alive(
    waited_s: float, hub_alive: bool, settled_s: float | None, waits: bool
) -> None:
    assert should_keep_waiting(waited_s, hub_alive, settled_s) is waits


def reports_so_far(bench: Bench) -> list[str]:
    heard = [bench.hub.heard.get_nowait() for _ in range(bench.hub.heard.qsize())]
    return [message["report"]["report_id"] for path, message in heard if path == "/device/report"]


def test_the_feeds_word_settles_a_report_whose_answer_is_still_on_its_way(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not said a second time, and the next one does not wait for the answer of the first for long."""
    monkeypatch.setattr(module, "ANSWER_TIMEOUT_S", 0.01)
    monkeypatch.setattr(module, "ECHO_AFTER_FATE_S", 0.01)
    asked, never = threading.Event(), threading.Event()

    def first_hangs(message: Json) -> bytes:
        if message["report"]["report_id"] == "r1":
            asked.set()
            never.wait(WAIT_S)
        return echo_of(message)

    def feed(hello: Json) -> Iterator[bytes]:
        yield feed_line(hello, 1, WELCOME)
        asked.wait(WAIT_S)
        fate = {"report_id": "r1", "fate": "accepted", "reason": None, "number": 42, "hash": "h", "epoch": "x"}
        yield feed_line(hello, 2, {"type": "fates", "fates": [fate]})

    bench.hub.answers["/device/report"] = first_hangs
    bench.hub.feed = feed
    bench.link.start()
    bench.wait_for("contact")
    bench.put(REPORT_1)
    bench.put(REPORT_2)
    assert (bench.wait_for("fate").number, bench.wait_for("fate").id) == (42, "r2")
    assert not never.is_set()
    assert reports_so_far(bench) == ["r1", "r2"]
    never.set()


def test_a_report_without_an_answer_is_said_again_once_the_feed_is_dead(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ANSWER_TIMEOUT_S", 0.01)
    never, tries = threading.Event(), []

    def first_hangs(message: Json) -> bytes:
        tries.append(1)
        if len(tries) == 1:
            bench.hub.hang_up.set()
            never.wait(WAIT_S)
        return echo_of(message)

    bench.hub.answers["/device/report"] = first_hangs
    bench.hub.feed = lambda hello: [feed_line(hello, 1, WELCOME)] if not tries else []
    bench.link.start()
    bench.wait_for("contact")
    bench.put(REPORT_1)
    assert bench.wait_for("fate").number == 42
    assert len(tries) >= 2
    never.set()


# --- the feed ----------------------------------------------------------------------------------------------------


def test_a_hello_lists_every_report_that_is_kept(bench: Bench) -> None:
    bench.put(REPORT_1)
    bench.outbox.settle(ReportReceipt("r1", "accepted", number=42, hash="h"))
    bench.link.start()
    hello = bench.hub.next("/device/feed")
    assert hello["payload"]["reports"] == [["e1", "r1"]]
    assert open_envelope(KEY, "roundtap/request/1", hello) is not None


def test_a_hello_carries_the_challenge_that_was_asked_for_and_names_its_unit_ahead(bench: Bench) -> None:
    asked = []

    def challenge(path: str) -> bytes:
        asked.append(path)
        return b'{"challenge": "of now"}'

    bench.hub.challenges = challenge
    bench.link.start()
    assert bench.hub.next("/device/feed")["payload"]["challenge"] == "of now"
    assert asked == ["/device/challenge"]
    assert bench.hub.headers["roundtap-unit"] == "table-1"


@pytest.mark.parametrize(
    "lie",
    [
        PORTAL,
        b"",
        b"[]",
        b'{"challenge": 7}',
        b'{"challenge": ""}',
        b"[" * 5000,
        b'{"challenge": "' + b"c" * 65 + b'"}',
    ],
    ids=range(7),
)
def test_without_a_challenge_no_hello_goes_out_and_the_next_try_comes(bench: Bench, lie: bytes) -> None:
    answers = iter([lie, lie])
    bench.hub.challenges = lambda path: next(answers, b'{"challenge": "of now"}')
    bench.link.start()
    assert bench.hub.next("/device/feed")["payload"]["challenge"] == "of now"


def test_a_right_feed_is_handed_on(bench: Bench) -> None:
    bench.hub.feed = lambda hello: [
        b"\n",
        b": comment\n",
        feed_line(hello, 1, WELCOME),
        feed_line(hello, 2, {"type": "view", "view": {"table": 1}}),
    ]
    bench.link.start()
    assert bench.wait_for("view") == {"table": 1}


def test_who_is_sent_to_practise_is_told_where_and_gets_a_key_that_only_this_unit_and_its_hub_can_make(
    bench: Bench,
) -> None:
    order = {"type": "practice", "port": 8081, "unit": "table-1", "salt": "5a17"}
    bench.hub.feed = lambda hello: [feed_line(hello, 1, WELCOME), feed_line(hello, 2, order)]
    bench.link.start()
    key = practice_key(KEY, "table-1", "5a17")
    assert bench.wait_for("practice") == ["127.0.0.1", 8081, "table-1", key.hex()]
    assert (
        len(
            {
                key,
                KEY,
                practice_key(OTHER_KEY, "table-1", "5a17"),
                practice_key(KEY, "table-2", "5a17"),
                practice_key(KEY, "table-1", "0b5e"),
            }
        )
        == 5
    )


@pytest.mark.parametrize("begun", [True, False], ids=["after its welcome", "none"])
def test_the_end_of_a_feed_is_told(bench: Bench, begun: bool) -> None:
    bench.hub.feed = lambda hello: [*([feed_line(hello, 1, WELCOME)] if begun else []), b"data: {}\n\n"]
    bench.link.start()
    bench.wait_for("ended")


@pytest.mark.parametrize(
    "second",
    [
        lambda hello: feed_line(hello, 2, VIEW, key=OTHER_KEY),
        lambda hello: feed_line(hello, 1, VIEW),
        lambda hello: feed_line(hello, 3, VIEW),
        lambda hello: feed_line(hello, 2, VIEW, nonce="yesterday's"),
        lambda hello: b"data: " + PORTAL + b"\n\n",
        lambda hello: b"data: {}\n\n",
        lambda hello: b"data: " + b"[" * 100_000 + b"\n\n",
        lambda hello: (
            b"data: "
            + json.dumps(
                envelope(KEY, ECHO, {"nonce": hello["payload"]["nonce"], "seq": 2, "now_ms": 1, **VIEW})
            ).encode()
            + b"\n\n"
        ),
        lambda hello: feed_line(hello, 2, {"type": "welcome"}),
        lambda hello: feed_line(hello, 2, {"type": "fates"}),
    ],
    ids=[
        "forged",
        "repeated",
        "left out",
        "replayed",
        "portal",
        "empty",
        "deep",
        "another kind",
        "no session",
        "no fates",
    ],
)
def test_a_wrong_message_ends_the_feed_and_the_next_begins_with_everything(
    bench: Bench, second: Callable[[Json], bytes]
) -> None:
    feeds: list[int] = []

    def feed(hello: Json) -> list[bytes]:
        feeds.append(1)
        wrong = second(hello) if len(feeds) == 1 else feed_line(hello, 2, {"type": "view", "view": {"table": 1}})
        return [feed_line(hello, 1, WELCOME), wrong]

    bench.hub.feed = feed
    bench.link.start()
    assert bench.wait_for("view") == {"table": 1}
    assert len(feeds) == 2


def test_a_hub_that_lost_a_report_gets_it_again(bench: Bench) -> None:
    bench.put(REPORT_1)
    bench.outbox.settle(ReportReceipt("r1", "accepted", number=42, hash="h"))
    bench.hub.answers["/device/report"] = lambda message: echo_of(message, number=7)
    bench.hub.feed = lambda hello: [
        feed_line(hello, 1, WELCOME),
        feed_line(hello, 2, {"type": "fates", "fates": [{"report_id": "r1", "fate": "unknown", "epoch": "y"}]}),
    ]
    bench.link.start()
    assert bench.hub.next("/device/report")["report"] == REPORT_1
    assert bench.wait_for("fate").fate is None
    assert bench.wait_for("fate").number == 7


def test_another_core_is_told_and_taken_back_when_the_hub_was_updated(bench: Bench) -> None:
    bench.hub.feed = lambda hello: [feed_line(hello, 1, {**WELCOME, "core": "0.0.1"})]
    bench.link.start()
    assert bench.wait_for("mismatch") == "0.0.1"
    bench.hub.feed = lambda hello: [feed_line(hello, 1, WELCOME)]
    bench.hub.hang_up.set()
    assert bench.wait_for("mismatch") is None


def test_a_hub_installed_in_another_way_is_no_other_core_when_its_commit_is_the_same(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roundtap_units.link.link.version", lambda: "a9ffbd210")
    for core, said in (("0.1.0.dev550+g1c0ffee42", "0.1.0.dev550+g1c0ffee42"), ("0.1.0.dev549+ga9ffbd210", None)):
        bench.hub.feed = lambda hello, core=core: [feed_line(hello, 1, {**WELCOME, "core": core})]
        if core.endswith("42"):
            bench.link.start()
        else:
            bench.hub.hang_up.set()
        assert bench.wait_for("mismatch") == said


# --- statuses ----------------------------------------------------------------------------------------------------


def status_echo(message: Json) -> bytes:
    payload = message["payload"]
    return json.dumps(
        envelope(KEY, ECHO, {"session": payload["session"], "seq": payload["seq"], "now_ms": 9000})
    ).encode()


def test_a_status_goes_out_under_the_feeds_session_and_sets_the_clock(bench: Bench) -> None:
    bench.hub.answers["/device/status"] = status_echo
    bench.hub.feed = lambda hello: [feed_line(hello, 1, WELCOME)]
    bench.link.send_status({"call": False})
    bench.link.start()
    first = bench.hub.next("/device/status")["payload"]
    bench.link.send_status({"call": True})
    second = bench.hub.next("/device/status")["payload"]
    assert (first["session"], first["call"], first["waiting"]) == ("s1", False, 0)
    assert second["call"] is True
    assert second["seq"] > first["seq"]


def test_a_new_connection_begins_with_the_status_as_it_stands_by_then(bench: Bench) -> None:
    bench.hub.answers["/device/status"] = status_echo
    bench.hub.feed = lambda hello: [feed_line(hello, 1, WELCOME)]
    bench.link.send_status({"clock_ms": 4_000_000})
    bench.link.keep_status({"clock_ms": 2_200_000})
    bench.link.start()
    assert bench.hub.next("/device/status")["payload"]["clock_ms"] == 2_200_000


def test_a_call_that_was_not_heard_is_said_again_at_once(bench: Bench) -> None:
    """A portal's page, or a connection that had gone idle: the judge must not wait for the next regular status."""
    bench.hub.feed = lambda hello: [feed_line(hello, 1, WELCOME)]
    bench.link.send_status({"call": True})
    bench.link.start()
    for _ in range(3):
        assert bench.hub.next("/device/status")["payload"]["call"] is True


# --- the hub's clock ----------------------------------------------------------------------------------------------


def time_echo(message: Json, key: bytes = KEY, **changes: Any) -> bytes:
    payload = open_envelope(KEY, REQUEST, message)
    assert payload["unit"] == "table-1"
    return json.dumps(envelope(key, ECHO, {"nonce": payload["nonce"], "now_ms": 9000, **changes})).encode()


def ask_until(bench: Bench, enough: Callable[[], bool]) -> None:
    """Let the link ask for the time until `enough`; each answer is a contact."""
    while not enough():
        bench.wait_for("contact")


def test_a_new_connection_is_followed_by_questions_of_time_and_the_first_of_them_counts_nothing(bench: Bench) -> None:
    """The first goes over a connection that was opened for it: what that took is nobody's round trip."""
    told: list[float | None] = []

    def answer(message: Json) -> bytes:
        told.append(bench.link.time.error_ms(1000))
        return time_echo(message)

    bench.hub.answers["/device/time"] = answer
    bench.hub.feed = lambda hello: [feed_line(hello, 1, WELCOME)]
    bench.link.start()
    ask_until(bench, lambda: bench.link.time.error_ms(1000) is not None)
    assert bench.link.time.hub_ms(1000) == 9000
    assert told[:2] == [None, None]


@pytest.mark.parametrize(
    "lie",
    [
        lambda message: PORTAL,
        lambda message: time_echo(message, key=OTHER_KEY),
        lambda message: time_echo(message, nonce="another one's"),
        lambda message: json.dumps({"now_ms": 9000}).encode(),
    ],
    ids=["portal", "forged", "late", "unsigned"],
)
def test_only_the_hubs_signed_answer_to_this_question_sets_the_clock(
    bench: Bench, lie: Callable[[Json], bytes]
) -> None:
    bench.hub.answers["/device/time"] = lie
    bench.hub.feed = lambda hello: [feed_line(hello, 1, WELCOME)]
    bench.link.start()
    for _ in range(4):
        bench.hub.next("/device/time")
    assert bench.link.time.hub_ms(1000) is None


def test_another_boot_of_the_hub_is_told_by_its_welcome_and_its_clock_found_anew(bench: Bench) -> None:
    bench.hub.answers["/device/time"] = time_echo
    bench.hub.feed = lambda hello: [feed_line(hello, 1, {**WELCOME, "boot": "monday"})]
    bench.link.start()
    ask_until(bench, lambda: bench.link.time.error_ms(1000) is not None)
    bench.hub.answers["/device/time"] = lambda message: time_echo(message, now_ms=300)
    bench.hub.feed = lambda hello: [
        feed_line(hello, 1, {**WELCOME, "boot": "tuesday", "now_ms": 290}),
        feed_line(hello, 2, {"type": "view", "view": {}}, now_ms=290),
    ]
    bench.hub.hang_up.set()
    bench.wait_for("view")
    assert bench.link.time.hub_ms(1000) in (None, 300)
    ask_until(bench, lambda: bench.link.time.hub_ms(1000) == 300)


def test_a_feed_that_comes_again_from_the_same_boot_moves_no_clock(bench: Bench) -> None:
    bench.hub.answers["/device/time"] = time_echo
    bench.hub.feed = lambda hello: [feed_line(hello, 1, {**WELCOME, "boot": "monday"})]
    bench.link.start()
    ask_until(bench, lambda: bench.link.time.error_ms(1000) is not None)
    bench.hub.feed = lambda hello: [
        feed_line(hello, 1, {**WELCOME, "boot": "monday"}, now_ms=99_000_000),
        feed_line(hello, 2, {"type": "view", "view": {}}, now_ms=99_000_000),
    ]
    bench.hub.hang_up.set()
    bench.wait_for("view")
    assert bench.link.time.hub_ms(1000) == 9000


def test_a_link_that_is_stopped_sends_nothing_more_and_waits_for_nothing(bench: Bench):
    """The hub has hung up, no report is due: its threads end by being told."""
    bench.hub.hang_up.set()
    mine = [thread for thread in threading.enumerate() if thread.name.startswith("hub-")]
    bench.link.start()
    started = [thread for thread in threading.enumerate() if thread.name.startswith("hub-") and thread not in mine]
    assert len(started) == 3
    bench.link.stop()
    for thread in started:
        thread.join(WAIT_S)
        assert not thread.is_alive(), thread.name
