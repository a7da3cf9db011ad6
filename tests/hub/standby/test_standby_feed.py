"""What a standby is told, and who is told nothing: one real hub application, one standby made by hand."""

import base64
import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from asgi_client import Answer, AsgiClient
from hub_kit import NAMES, HandClock, event_steps, people

from memory_hub import hub_in_memory
from patience import GUARD_S
from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, Timestamp
from roundtap_core.wire import REQUEST, envelope
from roundtap_hub.access.personal_links import PersonalLinks
from roundtap_hub.access.unit_keys import UnitKeys, take_key_file
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.main import HubResources, open_folder
from roundtap_hub.app.standby.main import AWAY, HubToFollow, Standby
from roundtap_hub.app.standby.peers import Peers, StandbyFolder, Takeover, is_promoted, promote_folder
from roundtap_hub.http.host import Host
from roundtap_hub.store import standby_copy
from roundtap_hub.store.copies import entries_after
from roundtap_hub.store.journal import Head, Journal, JournalConflict
from roundtap_hub.store.models import UnitKeyRow
from roundtap_hub.store.standby_copy import DecryptionFailed, Standbys, seal, unseal

KEY, TABLE_KEY = bytes(range(32)), bytes(range(50, 82))
SECRET = "5e" * 32
NONCE = "n" * 32


class House:
    """A hub in a folder with a standby's key, and an event with four people."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        (folder / "keys.json").write_text(
            json.dumps({"standby-1": {"key": KEY.hex(), "role": "standby"}, "table-1": TABLE_KEY.hex()})
        )
        (folder / "secret").write_text(SECRET)
        self.opened = open_folder(folder, lambda _: None)
        self.service = self.opened.service
        take_key_file(folder, self.service)
        copies = self.service.copies
        assert copies is not None
        self.kin = Peers(
            folder,
            bytes.fromhex(SECRET),
            self.opened.clocks,
            lambda: self.service.snapshot.venue,
            "hub-1",
            8080,
            Standbys(copies),
        )
        hub = hub_in_memory(
            self.service,
            self.opened.presence,
            self.opened.clocks,
            UnitKeys(self.service),
            bytes.fromhex(SECRET),
            "no pin",
            host=Host(other_addresses=self.kin.other_addresses),
            kin=self.kin,
        )
        self.application = HubApplication(hub)
        self.client = AsgiClient(self.application, lifespan=True)
        self.service.execute(event_steps(), "organizer", people())

    def challenge(self) -> str:
        return str(self.client.get("/device/challenge").get_json()["challenge"])

    def hello(
        self, unit: str = "standby-1", key: bytes = KEY, challenge: str = "", nonce: Any = NONCE, **other: Any
    ) -> dict[str, Any]:
        hello = {"port": 9000, "heads": {}, "epochs": [], **other}
        said = {
            "unit": unit,
            "nonce": nonce,
            "challenge": challenge or self.challenge(),
            "hello": {name: value for name, value in hello.items() if value is not ...},
        }
        return envelope(key, REQUEST, {name: value for name, value in said.items() if value is not ...})

    def close(self) -> None:
        self.client.close()
        self.opened.close()


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """No standby is silent, and none too slow, only because the machine is busy."""
    monkeypatch.setattr(standby_copy, "SILENT_S", GUARD_S)
    monkeypatch.setattr(standby_copy, "WITHIN_S", GUARD_S)
    made = House(tmp_path / "hub")
    yield made
    made.close()


class Feed:
    """A standby made by hand: it asks, and takes the answers apart."""

    def __init__(self, house: House, hello: dict[str, Any]) -> None:
        self.house = house
        self.wire = b""
        self.messages: list[dict[str, Any]] = []
        self.challenge = ""
        self._ask(hello)

    def _ask(self, said: dict[str, Any]) -> None:
        self._asked: Future[Answer] | None = self.house.client.begin(
            "POST", "/standby/feed", json.dumps(said).encode(), {"roundtap_unit": "standby-1"}
        )

    def go_on(self, challenge: str = "") -> None:
        """Ask for more, which says that all of the last answer is on its disk."""
        self._ask(
            envelope(KEY, REQUEST, {"unit": "standby-1", "nonce": NONCE, "challenge": challenge or self.challenge})
        )

    def answer(self) -> Answer:
        if self._asked is None:
            self.go_on()
        answer, self._asked = self._asked.result(GUARD_S), None
        self.wire += answer.body
        return answer

    def take(self) -> list[dict[str, Any]]:
        """The messages of the next answer."""
        answer = self.answer()
        assert answer.status_code == 200, answer.body
        told = unseal(KEY, NONCE, answer.get_json())
        self.challenge = told["challenge"]
        self.messages += told["messages"]
        return list(told["messages"])

    def wait(self, kind: str) -> dict[str, Any]:
        """The next message of this kind; it is taken away. What came in answers before is on its disk."""
        for _ in range(20):
            if found := next((message for message in self.messages if message["type"] == kind), None):
                self.messages.remove(found)
                return dict(found)
            self.take()
        raise AssertionError(self.messages)

    def level(self, heads: dict[str, Head] | None = None) -> dict[str, Head]:
        """Take everything until the hub says that nothing is missing; the entries that came."""
        known = heads if heads is not None else {}
        self.wait("level")
        for batch in [message for message in self.messages if message["type"] == "batch"]:
            entries_after(known, batch["entries"])
        self.messages.clear()
        self.go_on()
        return known


# --- who is let in ----------------------------------------------------------------------------------------------------


def test_a_table_s_key_opens_no_journal(house: House) -> None:
    answer = house.client.post("/standby/feed", house.hello("table-1", TABLE_KEY), roundtap_unit="table-1")
    assert answer.status_code == 403
    answer = house.client.post("/standby/feed", house.hello("table-1", TABLE_KEY), roundtap_unit="standby-1")
    assert answer.status_code == 403


def test_a_stranger_a_wrong_key_and_a_replayed_hello_are_refused(house: House) -> None:
    assert house.client.post("/standby/feed", house.hello("x"), roundtap_unit="x").status_code == 403
    wrong = house.hello(key=b"w" * 32)
    assert house.client.post("/standby/feed", wrong, roundtap_unit="standby-1").status_code == 403
    stale = house.hello(challenge="stale")
    assert house.client.post("/standby/feed", stale, roundtap_unit="standby-1").status_code == 403
    hello = house.hello()
    feed = Feed(house, hello)
    feed.take()
    assert house.client.post("/standby/feed", hello, roundtap_unit="standby-1").status_code == 403


@pytest.mark.parametrize(
    "broken",
    [
        {"heads": 7},
        {"heads": {"e1": 3}},
        {"heads": {"e1": ["3", "h"]}},
        {"heads": ...},
        {"nonce": ...},
        {"epochs": 5},
        {"port": "x"},
        {"port": ...},
    ],
)
def test_a_malformed_hello_is_a_clear_400(house: House, broken: dict[str, Any]) -> None:
    answer = house.client.post("/standby/feed", house.hello(**broken), roundtap_unit="standby-1")
    assert answer.status_code == 400


def test_nobody_on_the_network_reads_a_name_or_a_key(house: House) -> None:
    feed = Feed(house, house.hello())
    feed.level()
    for secret in (*NAMES[:4], KEY.hex(), TABLE_KEY.hex(), SECRET):
        assert secret.encode() not in feed.wire
        # A shorter word may stand in what is sealed by chance.
        assert not [word for word in secret.split(" ") if len(word) > 4 and word.encode() in feed.wire]


def test_an_answer_that_was_changed_or_is_to_another_request_opens_nothing() -> None:
    sealed = seal(KEY, NONCE, {"a": 1})
    assert unseal(KEY, NONCE, sealed) == {"a": 1}
    again = seal(KEY, NONCE, {"a": 1})
    assert sealed["sealed"] != again["sealed"]
    for key, nonce, answer in (
        (KEY, "m" * 32, sealed),
        (b"w" * 32, NONCE, sealed),
        (KEY, NONCE, {**sealed, "salt": again["salt"]}),
        (KEY, NONCE, {**sealed, "sealed": sealed["sealed"][:-8]}),
        *((KEY, NONCE, {**sealed, "sealed": junk}) for junk in ("", "!!", "AAAA", 5)),
        (KEY, NONCE, {"salt": sealed["salt"]}),
        (KEY, NONCE, []),
    ):
        with pytest.raises(DecryptionFailed):
            unseal(key, nonce, answer)  # type: ignore[arg-type]


# --- a copy before SAVED ----------------------------------------------------------------------------------------------


def test_a_commit_waits_until_the_standby_has_it(house: House) -> None:
    feed = Feed(house, house.hello())
    heads = feed.level()
    assert heads == house.service._journal.heads()
    answer = house.service.submit(event_steps("e2"), "organizer", people("e2"))
    batch = feed.wait("batch")
    assert not answer.done()
    feed.go_on()
    assert answer.result(GUARD_S)
    assert [row[1] for row in batch["people"]] == ["p1", "p2", "p3", "p4"]


@pytest.fixture
def soon_given_up(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to wait until a standby that says nothing more is away."""
    monkeypatch.setattr(standby_copy, "WITHIN_S", 0.1)


@pytest.mark.usefixtures("soon_given_up")
def test_a_standby_that_says_nothing_is_not_waited_for_twice(house: House) -> None:
    feed = Feed(house, house.hello())
    feed.level()
    assert house.service.execute(event_steps("e2"), "organizer", people("e2"))
    assert [state.state for state in house.service.copies.states] == ["away"]
    assert house.service.execute(event_steps("e3"), "organizer", people("e3"))


def test_a_standby_that_asks_no_more_is_away_before_a_commit_waits_for_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    Feed(house, house.hello()).level()
    copies, away = house.service.copies, threading.Event()
    assert copies is not None
    house.service.storage.listeners.append(lambda: away.set() if copies.states[0].state == "away" else None)
    monkeypatch.setattr(standby_copy, "SILENT_S", 0)
    assert away.wait(GUARD_S)


def test_only_who_has_opened_the_last_answer_can_say_that_it_is_on_the_disk(house: House) -> None:
    feed = Feed(house, house.hello())
    feed.level()
    answer = house.service.submit(event_steps("e2"), "organizer", people("e2"))
    before = feed.challenge
    feed.wait("batch")
    for challenge in (before, house.challenge(), "x"):
        feed.go_on(challenge)
        assert feed.answer().status_code == 409
    assert not answer.done()
    feed.go_on()
    assert answer.result(GUARD_S)


def test_a_newer_connection_of_the_same_standby_ends_the_older(house: House) -> None:
    one = Feed(house, house.hello())
    heads = one.level()
    two = Feed(house, house.hello(heads={stream: list(head) for stream, head in heads.items()}))
    two.level(dict(heads))
    assert one.answer().status_code == 409


def test_a_standby_that_went_on_where_it_was_is_told_only_what_it_lacks(house: House) -> None:
    feed = Feed(house, house.hello())
    heads = feed.level()
    answer = house.service.submit(event_steps("e2"), "organizer", people("e2"))
    feed.wait("batch")
    feed = Feed(house, house.hello(heads={stream: list(head) for stream, head in heads.items()}))
    assert set(feed.level()) == {"e2"}
    assert answer.result(GUARD_S)


def test_it_refuses_with_words_who_holds_another_journal_or_more_than_the_hub(house: House) -> None:
    lineage = house.service.snapshot.venue.epoch
    ahead = Feed(house, house.hello(heads={"e1": [900, "h" * 64]}, epochs=[lineage]))
    assert unseal(KEY, NONCE, ahead.answer().get_json()) == {"refused": "ahead"}
    foreign = Feed(house, house.hello(heads={VENUE: [1, "h" * 64]}, epochs=["other"]))
    assert unseal(KEY, NONCE, foreign.answer().get_json()) == {"refused": "foreign"}


def test_keys_pin_and_secret_come_with_it(house: House) -> None:
    feed = Feed(house, house.hello())
    told = feed.wait("beside")
    assert {row["unit"]: row["key"] for row in told["unit_key"]} == {"standby-1": KEY.hex(), "table-1": TABLE_KEY.hex()}
    assert set(told["files"]) == {"secret"}


# --- a hub that was replaced ---


def test_a_replaced_hub_says_where_it_goes_on_and_lists_what_it_alone_accepted(house: House) -> None:
    everything = {stream: tuple(head) for stream, head in house.service._journal.heads().items()}
    hello = house.hello()
    house.kin.record_takeover(Takeover("", None))
    answer = house.client.get("/console", accept_language="en")
    assert (answer.status_code, "10.0.0.2" in answer.text, "<h2>" in answer.text) == (503, False, False)
    house.kin.record_takeover(Takeover("http://10.0.0.2:8080", everything))
    answer = house.client.get("/e/e1", accept_language="en")
    assert '<a class="button" href="http://10.0.0.2:8080/e/e1">' in answer.text
    assert "The active hub has all entries of this hub." in answer.text
    assert "<h2>" not in answer.text
    house.kin.record_takeover(Takeover("http://10.0.0.3:8080/<b>", {VENUE: everything[VENUE]}))
    answer = house.client.get("/", accept_language="en")
    assert "<h2>" in answer.text
    assert "<b>/" not in answer.text
    house.kin.record_takeover(Takeover("", {"e1": (99, "h")}))
    assert "<h2>" in house.client.get("/", accept_language="en").text, "of a branch that this hub does not know"
    assert house.client.post("/standby/feed", hello, roundtap_unit="standby-1").status_code == 409


# --- the standby's folder ---------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[StandbyFolder]:
    made = StandbyFolder(tmp_path / "second")
    made.open()
    yield made
    made.close()


def batches(house: House) -> list[dict[str, Any]]:
    """All that a standby without anything is told."""
    feed = Feed(house, house.hello())
    feed.wait("level")
    return [message for message in feed.messages if message["type"] == "batch"]


def caught_up(house: House, folder: StandbyFolder) -> None:
    """All that a standby is told until it is level, in that order, written down as it comes."""
    feed = Feed(house, house.hello())
    feed.wait("level")
    for message in feed.messages:
        if message["type"] == "beside":
            folder.take_beside(message)
        elif message["type"] == "batch":
            folder.append_rows(message["entries"], message["people"])


def test_a_standby_of_a_version_that_asked_otherwise_is_told_to_be_upgraded(house: House) -> None:
    """It would follow without a word, and could not take the hub's place."""
    said = {"core": "1", "port": 9000, "heads": {}, "epochs": [], "rows": True}
    older = envelope(KEY, REQUEST, {"unit": "standby-1", "nonce": NONCE, "challenge": house.challenge(), **said})
    answer = house.client.post("/standby/feed", older, roundtap_unit="standby-1")
    assert answer.status_code == 409
    assert "has to be upgraded" in answer.get_json()["error"]


def test_a_standby_gets_keys_and_staff_also_while_a_file_of_keys_waits_to_be_taken(
    house: House, tmp_path: Path
) -> None:
    """On a full disk it waits for hours."""
    (tmp_path / "hub" / "keys.json").write_text("{}")
    feed = Feed(house, house.hello())
    feed.wait("beside")


def test_who_catches_up_has_the_key_that_was_given_after_one_was_revoked(house: House, folder: StandbyFolder) -> None:
    keys = house.application.hub.units.keys
    keys.add("table-2")
    keys.revoke("table-2")
    newest = keys.add("table-2")
    keys.revoke("table-1")
    caught_up(house, folder)
    assert keys_when_promoted(folder) == {"standby-1": KEY, "table-2": newest}


def test_a_key_given_while_somebody_catches_up_is_there_when_nothing_is_missing(house: House) -> None:
    feed = Feed(house, house.hello())
    feed.wait("beside")
    added = house.application.hub.units.keys.add("table-2")
    feed.messages.clear()
    while not any(message["type"] == "level" for message in feed.messages):
        feed.take()
    told = [message for message in feed.messages if message["type"] in ("beside", "level")]
    assert [message["type"] for message in told] == ["beside", "level"]
    assert {"unit": "table-2", "key": added.hex()} in told[0]["unit_key"]


def test_the_folder_holds_the_very_entries_and_people_and_takes_them_twice(house: House, folder: StandbyFolder) -> None:
    for batch in 2 * batches(house):
        folder.append_rows(batch["entries"], batch["people"])
    assert folder.journal.heads() == house.service._journal.heads()
    assert folder.journal.streams() == house.service._journal.streams()
    assert folder.journal.people() == house.service._journal.people()


def test_a_gap_and_an_altered_row_change_nothing(house: House, folder: StandbyFolder) -> None:
    rows = [row for batch in batches(house) for row in batch["entries"] if row[0] == "e1"]
    with pytest.raises(Problem):
        folder.append_rows(rows[1:], [])
    altered = [list(row) for row in rows]
    altered[2][6] = altered[2][6].replace("p", "q")
    with pytest.raises(Problem):
        folder.append_rows(altered, [])
    assert (folder.heads, folder.journal.heads()) == ({}, {})
    folder.append_rows(rows, [])
    other = [*rows[-1][:-1], "f" * 64]
    with pytest.raises(Problem):
        folder.append_rows([other], [])


@pytest.mark.parametrize("name", ["../keys.json", "/etc/passwd", "tls/../../x", "", "."])
def test_no_file_lands_outside_the_folder(folder: StandbyFolder, name: str) -> None:
    with pytest.raises((ValueError, OSError)):
        folder.take_beside({"files": {name: "AAAA"}})
    assert not (folder.path.parent / "keys.json").exists()


def test_files_are_for_their_owner_only(folder: StandbyFolder) -> None:
    folder.take_beside({"files": {"secret": "YWJj", "tls/ca.pem": "YWJj"}})
    for path in (folder.path / "secret", folder.path / "tls" / "ca.pem"):
        assert path.read_bytes() == b"abc"
        assert path.stat().st_mode & 0o077 == 0


def promoted(folder: StandbyFolder) -> HubResources:
    """The hub that this folder makes."""
    folder.close()
    (folder.path / "secret").write_text(SECRET)
    promote_folder(folder.path, Timestamp("boot", 0, None), lambda n: "ab" * n)
    opened = open_folder(folder.path, lambda _: None)
    take_key_file(folder.path, opened.service)
    return opened


def keys_when_promoted(folder: StandbyFolder) -> dict[str, bytes]:
    """What opens a door at the hub that this folder makes."""
    opened = promoted(folder)
    try:
        return dict(UnitKeys(opened.service))
    finally:
        opened.close()


def rows_of(keys: dict[str, bytes]) -> dict[str, list[dict[str, str]]]:
    return {"unit_key": [{"unit": unit, "key": key.hex()} for unit, key in keys.items()], "staff": []}


def test_the_units_keys_open_the_doors_of_the_promoted_standby(house: House, folder: StandbyFolder) -> None:
    (folder.path / "keys.json").write_text(json.dumps({"table-8": "ab" * 32}))
    for batch in batches(house):
        folder.append_rows(batch["entries"], batch["people"])
    folder.take_beside(rows_of({"table-1": bytes(32)}))
    folder.take_beside(rows_of({"standby-1": KEY, "table-1": TABLE_KEY}))
    assert keys_when_promoted(folder) == {"standby-1": KEY, "table-1": TABLE_KEY}, "keys.json is not the hub's"


def test_a_link_taken_back_with_the_hub_s_last_commit_opens_nothing_at_the_promoted_standby(
    house: House, folder: StandbyFolder
) -> None:
    links = house.application.hub.access.links
    lost, mine = links.token("e1", "p1"), links.give("e1", "p2").removeprefix("/me/")
    links.revoke("e1", "p1")
    for batch in batches(house):
        folder.append_rows(batch["entries"], batch["people"])
    folder.take_beside(rows_of({}))
    opened = promoted(folder)
    links = PersonalLinks(opened.service, bytes.fromhex(SECRET), lambda: 0)
    assert [links.owner_of(token) for token in (lost, mine)] == [None, ("e1", "p2")]
    assert links.claim_by_slip("e1", "p1", "a phone that scanned") is None
    opened.close()


def test_a_key_revoked_with_the_hub_s_last_commit_opens_nothing_at_the_standby(
    house: House, folder: StandbyFolder
) -> None:
    """The entry is there with SAVED; the rows come within two seconds."""
    house.application.hub.units.keys.revoke("table-1")
    for batch in batches(house):
        folder.append_rows(batch["entries"], batch["people"])
    folder.take_beside(rows_of({"standby-1": KEY, "table-1": TABLE_KEY}))
    assert keys_when_promoted(folder) == {"standby-1": KEY}


@pytest.mark.parametrize(
    "rows",
    [
        {"unit_key": 5},
        *({"unit_key": wrong} for wrong in ([{"unit": "table-1"}], [{"unit": 1, "key": "ab"}], [7], {"unit": "x"})),
    ],
)
def test_rows_that_are_none_change_nothing(folder: StandbyFolder, rows: Any) -> None:
    folder.take_beside(rows_of({"table-1": TABLE_KEY}))
    with pytest.raises((ValueError, KeyError, TypeError)):
        folder.take_beside(rows)
    assert folder.journal.secrets() == [UnitKeyRow(unit="table-1", key=TABLE_KEY.hex())]


def test_keys_that_can_be_read_are_told_to_no_log(folder: StandbyFolder, caplog: pytest.LogCaptureFixture) -> None:
    folder.take_beside(rows_of({"table-1": TABLE_KEY}))
    assert len(folder.journal.secrets()) == 1
    assert caplog.records == []


def test_one_process_uses_a_folder(folder: StandbyFolder) -> None:
    with pytest.raises(Problem):
        StandbyFolder(folder.path)


def test_a_standby_says_that_its_key_does_not_open_what_the_hub_sent(
    folder: StandbyFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    post = Standby(HubToFollow("127.0.0.1", 1, "standby-2", KEY, 1), folder)

    def hear_a_foreign_line() -> None:
        post.stop()
        raise DecryptionFailed("key")

    monkeypatch.setattr(post, "_follow_once", hear_a_foreign_line)
    post.follow()
    assert post.state()["state"] == AWAY
    assert capsys.readouterr().out.splitlines() == ["roundtap standby: no contact with the hub; retrying (key)"]


def test_it_says_what_is_on_its_disk_also_where_the_hub_closes_each_connection(folder: StandbyFolder) -> None:
    heard: list[str] = []
    all_heard = threading.Event()

    class Closes(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.answer({"challenge": "0"})

        def do_POST(self) -> None:
            said = json.loads(self.rfile.read(int(self.headers["content-length"])))["payload"]
            heard.append(said["challenge"])
            if len(heard) > 3:
                all_heard.set()
            batch = {"type": "batch", "entries": [], "people": []}
            self.answer(seal(KEY, said["nonce"], {"messages": [batch], "challenge": str(len(heard))}))

        def answer(self, message: Any) -> None:
            body = json.dumps(message).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    hub = ThreadingHTTPServer(("127.0.0.1", 0), Closes)
    threading.Thread(target=hub.serve_forever, daemon=True).start()
    post = Standby(HubToFollow("127.0.0.1", hub.server_port, "standby-1", KEY, 1), folder)
    following = threading.Thread(target=post.follow, daemon=True)
    following.start()
    assert all_heard.wait(GUARD_S)
    post.stop()
    following.join(GUARD_S)
    hub.shutdown()
    hub.server_close()
    assert heard[:4] == ["0", "1", "2", "3"]


def test_a_fault_while_following_ends_the_process_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would end as if it had been told to stop."""

    def broken(_: Standby) -> None:
        raise AttributeError("a fault")

    monkeypatch.setattr(Standby, "_follow_once", broken)
    monkeypatch.setattr("roundtap_hub.app.standby.main.StopSignal", threading.Event)
    with pytest.raises(AttributeError, match="a fault"):
        Standby(HubToFollow("127.0.0.1", 1, "standby-1", KEY, 0), StandbyFolder(tmp_path / "alone")).run()


def test_the_key_is_turned_once(house: House, folder: StandbyFolder) -> None:
    for batch in batches(house):
        folder.append_rows(batch["entries"], batch["people"])
    folder.take_beside({"files": {"secret": base64.b64encode(SECRET.encode()).decode()}})
    held = folder.journal.heads()
    folder.journal.close()
    at = HandClock().clocks.at()
    for _ in range(2):
        promote_folder(folder.path, at, lambda n: "ab" * n)
    folder.open()
    venue = folder.venue()
    assert len(venue.epochs) == 2
    assert venue.epoch_heads[venue.epoch] == {stream: list(head) for stream, head in held.items()}


def test_a_folder_without_the_hub_s_secret_is_not_promoted(house: House, folder: StandbyFolder) -> None:
    """No other hub would know its epoch for newer."""
    for batch in batches(house):
        folder.append_rows(batch["entries"], batch["people"])
    folder.journal.close()
    with pytest.raises(FileNotFoundError):
        promote_folder(folder.path, HandClock().clocks.at(), lambda n: "ab" * n)
    assert not is_promoted(folder.path)
    folder.open()
    assert len(folder.venue().epochs) == 1


def test_an_empty_folder_cannot_become_a_hub_s(folder: StandbyFolder) -> None:
    folder.journal.close()
    with pytest.raises(Problem, match="no journal"):
        promote_folder(folder.path, HandClock().clocks.at(), lambda n: "ab" * n)


def test_starting_over_deletes_nothing(house: House, folder: StandbyFolder) -> None:
    for batch in batches(house):
        folder.append_rows(batch["entries"], batch["people"])
    held = folder.journal.heads()
    folder.journal.close()
    folder.set_aside()
    folder.open()
    assert folder.heads == {}
    aside = Journal(f"sqlite:///{folder.path / 'before-1' / 'roundtap.db'}")
    assert aside.heads() == held
    aside.close()


def test_a_disk_that_refuses_is_said_and_nothing_is_taken_for_held(
    house: House, folder: StandbyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = batches(house)[0]

    def full(*_: object) -> None:
        raise JournalConflict("disk full")

    monkeypatch.setattr(folder.journal, "append", full)
    with pytest.raises(JournalConflict):
        folder.append_rows(batch["entries"], batch["people"])
    assert folder.heads == {}
