"""Which hub a unit speaks to when its own falls silent, and that it does not go back to one that it has left."""

import json
import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_link import KEY, REPORT_1, WELCOME, FakeHub, Json, echo_of, feed_line

from patience import GUARD_S
from roundtap_core.wire import REPORT, sign
from roundtap_units.link import link as module
from roundtap_units.link.hub_address import HubAddress, endpoint_url, parse_endpoint
from roundtap_units.link.hub_choice import RECHECK_MS, SILENT_MS, HubChoice, UnitMemory, machine_fingerprint
from roundtap_units.link.link import HubLink
from roundtap_units.link.outbox import Outbox

OWN, STANDBY, OTHER = ("10.0.0.1", 8080), ("10.0.0.2", 8080), ("10.0.0.3", 8080)


def choice(*places: tuple[str, int], memory: UnitMemory | None = None) -> HubChoice:
    return HubChoice(places or (OWN, STANDBY), memory or UnitMemory(None))


def test_a_hub_that_is_silent_for_less_than_eight_seconds_is_the_only_one_asked() -> None:
    hubs = choice()
    hubs.accept_welcome(OWN, "e", (), 1000)
    assert {hubs.next(1000 + ms) for ms in range(0, SILENT_MS, 500)} == {OWN}


def test_after_eight_seconds_all_are_tried_in_turn_until_one_answers() -> None:
    hubs = choice(OWN, STANDBY, OTHER)
    hubs.accept_welcome(OWN, "e", (), 1000)
    tried = [hubs.next(1000 + SILENT_MS + n) for n in range(6)]
    assert tried == [STANDBY, OTHER, OWN, STANDBY, OTHER, OWN]
    assert hubs.accept_welcome(OTHER, "f", (), 20_000)
    assert {hubs.next(20_000 + ms) for ms in range(0, SILENT_MS, 500)} == {OTHER}
    assert hubs.current == OTHER


def test_the_others_that_a_welcome_names_are_learned_and_kept(tmp_path: Path) -> None:
    memory = UnitMemory(tmp_path / "unit.json")
    hubs = choice(OWN, memory=memory)
    hubs.accept_welcome(OWN, "e", ["http://10.0.0.2:8080", "ftp://x", 5, "http://", "http://h:99999999"], 1000)
    again = choice(OWN, memory=UnitMemory(tmp_path / "unit.json"))
    assert again.known() == (OWN, STANDBY)


def test_a_restarted_unit_goes_where_it_was(tmp_path: Path) -> None:
    choice(memory=UnitMemory(tmp_path / "unit.json")).accept_welcome(STANDBY, "f", (), 1000)
    assert choice(memory=UnitMemory(tmp_path / "unit.json")).next(0) == STANDBY


def test_a_dead_hub_that_comes_back_beside_its_standby_is_not_gone_back_to() -> None:
    hubs = choice()
    hubs.accept_welcome(OWN, "before", (), 1000)
    hubs.accept_welcome(STANDBY, "after", (), 20_000)
    # The standby is out of reach for ten seconds, and the old one answers.
    assert hubs.next(30_000) == OWN
    assert not hubs.accept_welcome(OWN, "before", (), 30_000)
    assert hubs.next(30_100) == STANDBY
    assert hubs.accept_welcome(STANDBY, "after", (), 30_200)


def test_the_older_hub_is_taken_where_nobody_else_answers_and_the_newer_one_looked_for() -> None:
    hubs = choice()
    hubs.accept_welcome(OWN, "before", (), 1000)
    hubs.accept_welcome(STANDBY, "after", (), 20_000)
    hubs.failed(STANDBY)
    assert hubs.accept_welcome(OWN, "before", (), 31_000)
    assert hubs.is_superseded("before")
    hubs.mark_alive(31_000 + RECHECK_MS - 1)
    assert not hubs.recheck_due(31_000 + RECHECK_MS - 1)
    hubs.mark_alive(31_000 + RECHECK_MS)
    assert hubs.recheck_due(31_000 + RECHECK_MS)
    assert hubs.next(31_000 + RECHECK_MS) == STANDBY
    assert hubs.accept_welcome(STANDBY, "after", (), 95_000)


def test_a_unit_with_one_hub_takes_whatever_epoch_it_has() -> None:
    hubs = choice(OWN)
    hubs.accept_welcome(OWN, "one", (), 1000)
    hubs.accept_welcome(OWN, "two", (), 2000)
    assert hubs.accept_welcome(OWN, "one", (), 3000)
    assert not hubs.recheck_due(10**9)


@pytest.mark.parametrize("address", ["http://10.42.0.1:8080", "http://[fe80::1]:8080", "http://hub:80"])
def test_an_address_is_read_as_it_is_written(address: str) -> None:
    assert endpoint_url(parse_endpoint(address)) == address


@pytest.mark.parametrize(
    "address",
    [
        "10.42.0.1:8080",
        "https://hub",
        "http://",
        "http://300.1.1.1",
        "http://10.42.0",
        "http://hub.7",
        "http://[fd00::g]",
        "http://my hub",
        "http://hub:0",
        "http://hub:65536",
        None,
    ],
)
def test_what_is_no_address_is_refused(address: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_endpoint(address)


def test_a_memory_that_cannot_be_read_is_begun_anew_and_one_that_cannot_be_written_is_no_end(tmp_path: Path) -> None:
    path = tmp_path / "unit.json"
    instance = UnitMemory(path).instance
    assert UnitMemory(path).instance == instance
    for spoilt in (b"", b"{", b"[]", b"{}", b'{"instance": 5}', path.read_bytes().replace(b'"hub"', b'"hob"')):
        path.write_bytes(spoilt)
        assert UnitMemory(path).instance != instance
    (tmp_path / "file").write_text("")
    memory = UnitMemory(tmp_path / "file" / "unit.json")
    memory.note_welcome("http://h:1", "e", [])
    assert memory.epoch == "e"


def test_a_card_that_was_copied_into_two_machines_is_two_units(tmp_path: Path) -> None:
    for serial in ("one", "two"):
        (tmp_path / serial).write_text(serial)
    path = tmp_path / "unit.json"
    one, two = (UnitMemory(path, machine=machine_fingerprint(tmp_path / serial)) for serial in ("one", "two"))
    assert one.instance != two.instance
    assert UnitMemory(path, machine=machine_fingerprint(tmp_path / "one")).instance == one.instance
    assert len(one.instance) <= 64
    assert machine_fingerprint(tmp_path / "none") == ""


# --- with hubs that answer -----------------------------------------------------------------------------------------


class Hall:
    """Two fake hubs, and a unit that is configured for the first."""

    def __init__(self, folder: Path) -> None:
        self.hubs = [FakeHub(), FakeHub()]
        self.now_ms = 1000
        self.told: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self.outbox = Outbox(folder / "outbox.jsonl")
        self.memory = UnitMemory(folder / "unit.json")
        places = [("127.0.0.1", int(hub.server.server_address[1])) for hub in self.hubs]
        self.addresses = [endpoint_url(place) for place in places]
        self.link = HubLink(
            HubAddress(*places[0], "table-1", KEY),
            self.outbox,
            lambda kind, value: self.told.put((kind, value)),
            lambda: self.now_ms,
            self.memory,
        )

    def wait_for(self, kind: str) -> Any:
        while True:
            came, value = self.told.get(timeout=GUARD_S)
            if came == kind:
                return value


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hall]:
    monkeypatch.setattr(module, "RETRY_S", (0.01, 0.02))
    monkeypatch.setattr(module, "RETRY_SEND_S", (0.01, 0.02))
    monkeypatch.setattr(module, "TWIN_RETRY_S", 0.01)
    made = Hall(tmp_path)
    yield made
    made.link.stop()
    for hub in made.hubs:
        hub.close()


def test_when_the_hub_is_silent_the_standby_it_named_gets_feed_and_reports(hall: Hall) -> None:
    first, second = hall.hubs
    first.feed = lambda hello: [feed_line(hello, 1, {**WELCOME, "hubs": [hall.addresses[1]]})]
    second.feed = lambda hello: [feed_line(hello, 1, {**WELCOME, "epoch": "after"})]
    second.answers["/device/report"] = lambda message: echo_of(message, epoch="after")
    hall.link.start()
    assert hall.wait_for("epoch") == "x"
    hall.now_ms += SILENT_MS
    first.feed = lambda hello: []
    first.hang_up.set()
    assert hall.wait_for("epoch") == "after"
    hall.outbox.put(REPORT_1, sign(KEY, REPORT, REPORT_1))
    hall.link.send_reports()
    assert hall.wait_for("fate").epoch == "after"
    assert second.next("/device/report")["report"] == REPORT_1


def test_a_hub_without_the_key_is_nobodys_standby(hall: Hall) -> None:
    first, second = hall.hubs
    first.feed = lambda hello: [feed_line(hello, 1, {**WELCOME, "hubs": [hall.addresses[1]]})]
    second.feed = lambda hello: [feed_line(hello, 1, {**WELCOME, "epoch": "forged"}, key=bytes(32))]
    hall.link.start()
    assert hall.wait_for("epoch") == "x"
    hall.now_ms += SILENT_MS
    first.hang_up.set()
    second.next("/device/feed")
    assert hall.wait_for("epoch") == "x"


def test_a_second_unit_of_the_same_name_is_told_and_tries_again(hall: Hall) -> None:
    hub = hall.hubs[0]
    hub.feed = lambda hello: [feed_line(hello, 1, {"type": "twin"})]
    hub.hang_up.set()
    hall.link.start()
    assert hall.wait_for("twin") is True
    hub.feed = lambda hello: [feed_line(hello, 1, WELCOME)]
    while hall.wait_for("twin"):
        pass
    assert hall.wait_for("epoch") == "x"


# --- what comes late -----------------------------------------------------------------------------------------------


def test_a_feed_that_is_held_up_is_no_contact_and_is_opened_anew(hall: Hall) -> None:
    """Whoever stands between keeps each message for six seconds; its signature is right all the same."""
    hub = hall.hubs[0]
    feeds: list[Json] = []
    later = threading.Event()

    def feed(hello: Json) -> Iterator[bytes]:
        feeds.append(hello)
        yield feed_line(hello, 1, WELCOME)
        later.wait(GUARD_S)
        table = 666 if len(feeds) == 1 else 1
        yield feed_line(hello, 2, {"type": "view", "view": {"table": table}}, now_ms=5000)

    hub.feed = feed
    hub.hang_up.set()
    hall.link.start()
    assert hall.wait_for("epoch") == "x"
    hall.now_ms += 6000
    later.set()
    assert hall.wait_for("view") == {"table": 1}
    assert len(feeds) >= 2


def test_a_boot_that_a_signed_answer_names_is_believed(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """The feed of before is still passed on; the status is answered by a machine that was started anew."""
    hub = hall.hubs[0]
    boots = ["monday"]

    def answer(message: Json) -> bytes:
        from roundtap_core.wire import ECHO, envelope

        payload = message["payload"]
        said = {"nonce": payload["nonce"], "now_ms": 9000 if boots[-1] == "monday" else 300, "boot": boots[-1]}
        return json.dumps(envelope(KEY, ECHO, said)).encode()

    hub.answers["/device/time"] = answer
    hub.feed = lambda hello: [feed_line(hello, 1, {**WELCOME, "boot": "monday"})]
    hall.link.start()
    while hall.link.time.hub_ms(hall.now_ms) is None:
        hall.wait_for("contact")
    assert hall.link.time.hub_ms(hall.now_ms) == 9000
    anew = threading.Event()
    monkeypatch.setattr(hall.link.time, "reset", anew.set)
    boots.append("tuesday")
    hall.link._plan._left = 3
    hall.link._work.set()
    assert anew.wait(GUARD_S)
