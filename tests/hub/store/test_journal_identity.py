"""Hubs of one journal: which of two goes on, and whom neither believes."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hub_kit import HandClock

from roundtap_core.messages import Hello, PeerAnswer
from roundtap_core.wire import BEACON, ECHO, envelope
from roundtap_hub.app.standby.peers import OUTDATED, TWIN, UNRELATED, Peers, Takeover, compare_claims
from roundtap_hub.store.journal_identity import epoch_number, is_newer, lineage_key, next_epoch
from roundtap_hub.store.venue import Venue

SECRET = b"s" * 32
KEY = lineage_key(SECRET)
SECOND = next_epoch(("first",), KEY, lambda n: "ab" * n)


@dataclass
class NoStandbys:
    """None has come."""

    listeners: list[Any] = field(default_factory=list)

    def addresses(self) -> list[str]:
        return []


@dataclass
class Hall:
    """Hubs with folders of their own, each with a clock."""

    folder: Path

    def hub(
        self,
        name: str,
        epochs: tuple[str, ...] = ("first",),
        secret: bytes = SECRET,
        up_ms: int = 60_000,
        begun_at: Any = None,
    ) -> Peers:
        clock = HandClock(ms=1_000_000)
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        venue = Venue(epochs=epochs, epoch=epochs[-1], epoch_heads=begun_at or {})
        kin = Peers(folder, secret, clock.clocks, lambda: venue, name, 8080, NoStandbys())  # type: ignore[arg-type]
        clock.ms += up_ms
        return kin


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    return Hall(tmp_path)


def asks(asker: Peers, asked: Peers, nonce: str = "n1") -> str:
    """One question and what the asker makes of the answer."""
    answered = asked.identity_response(json.loads(json.dumps(asker.identity_request(nonce))))
    return asker.handle_answer(json.loads(json.dumps(answered[0])), nonce, "http://10.0.0.2:8080")


# --- epochs -----------------------------------------------------------------------------------------------------------


def test_a_later_epoch_is_known_by_whoever_holds_the_secret() -> None:
    assert epoch_number("first", SECOND, KEY) == 2
    assert is_newer(("first",), SECOND, KEY)
    assert is_newer(("first", SECOND), next_epoch(("first", SECOND), KEY, lambda n: "cd" * n), KEY)


@pytest.mark.parametrize(
    "epoch",
    [
        "",
        "first",
        "2",
        "2-abababab",
        "2-abababab-",
        SECOND[:-1] + "x",
        SECOND.replace("2-", "3-"),
        "2-cdcdcdcd-" + "0" * 16,
        "99999999-ab-ab",
        "²-ab-ab",
        "-1-ab-ab",
        SECOND + "é",
    ],
)
def test_no_other_text_passes_for_one(epoch: str) -> None:
    assert not is_newer(("first",), epoch, KEY)


def test_the_epoch_of_another_journal_or_another_secret_says_nothing() -> None:
    assert not is_newer(("other",), SECOND, KEY)
    assert not is_newer(("first",), SECOND, lineage_key(b"t" * 32))
    assert not is_newer(("first", SECOND), SECOND, KEY)
    assert not is_newer((), SECOND, KEY)


# --- who goes on ------------------------------------------------------------------------------------------------------


def claim(instance: str, *epochs: str, up_ms: int = 60_000) -> PeerAnswer:
    return PeerAnswer("n", list(epochs or ("first",)), instance, up_ms)


def test_the_hub_of_the_older_epoch_is_the_one_that_stops() -> None:
    old, new = claim("a", "first", up_ms=9_000_000), claim("b", "first", SECOND, up_ms=1)
    assert (compare_claims(old, new), compare_claims(new, old)) == (OUTDATED, UNRELATED)


def test_of_two_from_one_copy_the_second_stops() -> None:
    first, second = claim("b", up_ms=60_000), claim("a", up_ms=4_000)
    assert (compare_claims(first, second), compare_claims(second, first)) == (UNRELATED, TWIN)


@pytest.mark.parametrize("apart_ms", [0, 1, 500, 2999])
def test_of_two_that_started_together_exactly_one_stops(apart_ms: int) -> None:
    one, two = claim("a", up_ms=10_000), claim("b", up_ms=10_000 + apart_ms)
    assert sorted([compare_claims(one, two), compare_claims(two, one)]) == [TWIN, UNRELATED]


def test_another_journal_s_hub_and_oneself_are_nobody_s_matter() -> None:
    assert compare_claims(claim("a"), claim("b", "other", "x", "y")) == UNRELATED
    assert compare_claims(claim("a"), claim("a", "first", SECOND)) == UNRELATED
    assert compare_claims(PeerAnswer("n", [], "a", 5), claim("b", "first", SECOND)) == UNRELATED


# --- what is believed -------------------------------------------------------------------------------------------------


def test_the_old_hub_hears_from_the_new_one_what_it_took_over(hall: Hall) -> None:
    heads = {"e1": [12, "h" * 64]}
    old, new = hall.hub("old"), hall.hub("new", ("first", SECOND), up_ms=1, begun_at={SECOND: heads})
    heard: list[int] = []
    old.on_taken_over.append(lambda: heard.append(1))
    assert asks(old, new) == OUTDATED
    assert old.taken_over == Takeover("http://10.0.0.2:8080", {"e1": (12, "h" * 64)})
    assert heard == [1]
    assert asks(new, old) == UNRELATED
    assert new.taken_over is None


def test_it_is_remembered_after_a_restart_and_the_log_says_again_who_goes_on(
    hall: Hall, caplog: pytest.LogCaptureFixture
) -> None:
    old, new = hall.hub("old"), hall.hub("new", ("first", SECOND))
    asks(old, new)
    again = hall.hub("old")
    caplog.clear()
    again.load_takeover()
    assert "goes on with this journal at http://10.0.0.2:8080: nothing is taken here any more" in caplog.text
    assert again.taken_over == old.taken_over
    restored = hall.hub("old", ("first", "restored"))
    restored.load_takeover()
    assert restored.taken_over is None, "the folder has begun an epoch of its own since"


def test_a_beacon_names_nothing_secret_and_stops_nobody_by_itself(hall: Hall) -> None:
    old, new = hall.hub("old"), hall.hub("new", ("first", SECOND))
    beacon = new.beacon()
    assert set(beacon["payload"]) == {"instance", "port"}
    assert old.read_beacon(beacon) == 8080
    assert old.taken_over is None


def test_a_stranger_s_beacon_and_one_s_own_are_not_even_asked(hall: Hall) -> None:
    hub = hall.hub("hub")
    assert hub.read_beacon(hub.beacon()) is None
    assert hub.read_beacon(hall.hub("stranger", secret=b"t" * 32).beacon()) is None
    forged = envelope(KEY, BEACON, {"instance": "x", "port": 70_000})
    assert hub.read_beacon(forged) is None
    for junk in (None, 7, [], {}, {"payload": 1}, {"payload": {}, "mac": "é"}):
        assert hub.read_beacon(junk) is None
        assert hub.identity_response(junk) is None


def test_a_recorded_answer_stops_nobody(hall: Hall) -> None:
    """The new hub lived once, and somebody kept what it said: to another question it is no answer."""
    old, new = hall.hub("old"), hall.hub("new", ("first", SECOND))
    answered = new.identity_response(old.identity_request("an old question"))
    assert old.handle_answer(answered[0], "a new question", "http://10.6.6.6:80") == UNRELATED
    assert old.taken_over is None


def test_a_beacon_is_no_answer_and_an_answer_no_question(hall: Hall) -> None:
    old, new = hall.hub("old"), hall.hub("new", ("first", SECOND))
    assert old.handle_answer(new.beacon(), "n", "u") == UNRELATED
    answered = new.identity_response(old.identity_request("n"))
    assert new.identity_response(answered[0]) is None


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"epochs": "x"},
        {"epochs": ["first", SECOND]},
        {"epochs": ["first", SECOND], "instance": "n", "up_ms": "x"},
    ],
)
def test_a_malformed_answer_changes_nothing(hall: Hall, said: dict[str, Any]) -> None:
    hub = hall.hub("hub")
    assert hub.handle_answer(envelope(KEY, ECHO, {"nonce": "n", **said}), "n", "u") == UNRELATED
    assert hub.taken_over is None


def test_a_unit_that_believes_a_newer_epoch_stops_the_old_hub(hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
    hub = hall.hub("hub")
    for epoch in (None, "first", "e9f3", "2-abababab-0000000000000000"):
        hub.check_hello_epoch("table-1", Hello(unit="table-1", nonce="n", core="0", reports=[], epoch=epoch))
    assert hub.taken_over is None
    hub.check_hello_epoch("table-1", Hello(unit="table-1", nonce="n", core="0", reports=[], epoch=SECOND))
    assert hub.taken_over == Takeover("", None)
    assert "http" not in caplog.text
    asks(hub, hall.hub("new", ("first", SECOND), begun_at={SECOND: {"e1": [1, "h"]}}))
    assert hub.taken_over == Takeover("http://10.0.0.2:8080", {"e1": (1, "h")})
    assert "at http://10.0.0.2:8080" in caplog.text, "the log says where as soon as it is known"


def test_the_second_of_two_is_told_once(hall: Hall) -> None:
    first, second = hall.hub("first", up_ms=60_000), hall.hub("second", up_ms=5_000)
    told: list[str] = []
    second.on_twin.append(told.append)
    first.on_twin.append(told.append)
    for nonce in ("n1", "n2"):
        assert asks(second, first, nonce) == TWIN
        assert asks(first, second, nonce) == UNRELATED
    assert told == ["http://10.0.0.2:8080"]
