"""The units' keys: changes that count at once and are saved, what the journal says of them, files of earlier hubs."""

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hub_kit import Service, disk_fails, running

from event_kit import refused
from faults import fails
from patience import GUARD_S
from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.access.unit_keys import STANDBY, STATION, TABLE, UnitKeys, take_key_file
from roundtap_hub.store.models import UnitKeyRow
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import NO_KEY, unit_keyed_entry

KEY = bytes(range(32))
HEX = KEY.hex()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with running(tmp_path / "hub.db") as started:
        yield started


@pytest.fixture
def keys(service: Service) -> UnitKeys:
    made = UnitKeys(service)
    for unit in ("table-1", "table-2"):
        made.enrol(unit, TABLE, KEY)
    return made


def rows(folder: Path) -> set[tuple[str, str]]:
    with sqlite3.connect(folder / "hub.db") as connection:
        return set(connection.execute("SELECT unit, key FROM unit_key"))


def said(service: Service) -> list[tuple[str, str]]:
    """What the stream tells of units: kind and unit."""
    return [(entry.kind, entry.data["unit"]) for entry in service.entries(VENUE) if entry.kind.startswith("unit-")]


def test_what_is_changed_counts_at_once_is_told_and_is_there_after_a_restart(tmp_path: Path) -> None:
    with running(tmp_path / "hub.db") as service:
        keys, told = UnitKeys(service), []
        for unit in ("table-1", "table-2"):
            keys.enrol(unit, TABLE, KEY)
        keys.listeners.append(told.append)
        added = keys.add("hall-printer", STATION)
        replaced = keys.replace("table-1")
        keys.revoke("table-2")
        assert (keys["hall-printer"], keys["table-1"]) == (added, replaced)
        assert "table-2" not in keys
        assert replaced != KEY
        assert told == [frozenset({"table-1"}), frozenset({"table-2"})]
    with running(tmp_path / "hub.db") as service:
        again = UnitKeys(service)
        assert dict(again) == dict(keys)
        assert again.role("hall-printer") == STATION


def test_a_key_is_revoked_once_all_have_been_told_though_the_journal_s_thread_tells_them(
    service: Service,
) -> None:
    """A revoked standby was still listed as away: the press was answered before that one was gone."""
    telling, answered, told = Event(), Event(), list[bool]()

    class Journal:
        """The service, whose answers come once its own thread has begun to tell."""

        def __getattr__(self, name: str) -> Any:
            return getattr(service, name)

        def execute(self, *steps: Any, **more: Any) -> Any:
            entries = service.execute(*steps, **more)
            assert telling.wait(GUARD_S)
            return entries

    keys = UnitKeys(service)
    keys.enrol("table-1", TABLE, KEY)
    keys = UnitKeys(Journal())  # type: ignore[arg-type]

    def slow(units: frozenset[str]) -> None:
        telling.set()
        told.append(answered.wait(0.05))

    keys.listeners.append(slow)
    keys.revoke("table-1")
    answered.set()
    assert told == [False], "the listener was done before the press was answered"


def test_the_stream_says_who_has_a_key_and_never_the_key(service: Service, keys: UnitKeys, tmp_path: Path) -> None:
    added = keys.add("spare", STANDBY, "organizer:7")
    keys.revoke("table-1")
    assert said(service) == [
        ("unit-keyed", "table-1"),
        ("unit-keyed", "table-2"),
        ("unit-keyed", "spare"),
        ("unit-revoked", "table-1"),
    ]
    entries = list(service.entries(VENUE))
    assert entries[-2].actor == "organizer:7"
    told = json.dumps([dict(entry.data) for entry in entries])
    assert HEX not in told
    assert added.hex() not in told
    assert len({entry.data["key"] for entry in entries if entry.kind == "unit-keyed"}) == 3, "one key, two units"


def test_with_the_revocation_the_key_is_gone_from_the_disk(keys: UnitKeys, tmp_path: Path) -> None:
    keys.revoke("table-1")
    assert rows(tmp_path) == {("table-1", ""), ("table-2", HEX)}
    added = keys.add("table-1")
    assert rows(tmp_path) == {("table-1", added.hex()), ("table-2", HEX)}


def test_a_row_from_before_the_revocation_opens_nothing(keys: UnitKeys, service: Service) -> None:
    """What a backup or a slow standby still has of it."""
    keys.revoke("table-1")
    keys.replace("table-2")
    service.execute([], "test", beside=[UnitKeyRow(unit=unit, key=HEX) for unit in ("table-1", "table-2", "table-9")])
    assert dict(keys) == {}


@pytest.mark.parametrize("spoilt", ["'nonsense'", "X'00ff'", "CAST(X'ff' AS TEXT)", "7", "''", f"'{HEX[:-2]}'"])
def test_a_spoilt_key_costs_its_unit_alone(tmp_path: Path, spoilt: str) -> None:
    with running(tmp_path / "hub.db") as service:
        for unit in ("table-1", "table-2"):
            UnitKeys(service).enrol(unit, TABLE, KEY)
    with sqlite3.connect(tmp_path / "hub.db") as connection:
        connection.execute(f"UPDATE unit_key SET key = {spoilt} WHERE unit = 'table-1'")
    with running(tmp_path / "hub.db") as service:
        assert dict(UnitKeys(service)) == {"table-2": KEY}


def test_what_somebody_else_wrote_down_counts_as_well(keys: UnitKeys, service: Service) -> None:
    """Another hub on the same database: this one hears of its entries."""
    other, told = UnitKeys(service), []
    keys.listeners.append(told.append)
    other.add("table-3")
    other.revoke("table-1")
    service.execute([], "until that is told")
    assert set(keys) == {"table-2", "table-3"}
    assert keys["table-3"] == other["table-3"]
    assert told == [frozenset({"table-1"})]


def test_an_agreed_key_is_there_once_however_often_it_is_stored_and_takes_nobodys_place_unasked(
    keys: UnitKeys, service: Service
) -> None:
    told: list[frozenset[str]] = []
    keys.listeners.append(told.append)
    keys.enrol("table-3", TABLE, b"k" * 32)
    number = service.snapshot.venue.number
    keys.enrol("table-3", TABLE, b"k" * 32)
    assert service.snapshot.venue.number == number
    with pytest.raises(Problem, match="already exists"):
        keys.enrol("table-1", TABLE, b"n" * 32)
    keys.enrol("table-1", TABLE, b"n" * 32, replaces=True)
    assert dict(UnitKeys(service)) == {"table-1": b"n" * 32, "table-2": KEY, "table-3": b"k" * 32}
    assert told == [frozenset({"table-1"})]


def test_of_two_who_enrol_one_name_at_once_the_second_takes_nobody_s_place(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, other = UnitKeys(service), UnitKeys(service)
    find = keys.find

    def found_just_before_the_other(unit: str) -> object:
        found = find(unit)
        if unit not in other:
            other.enrol(unit, TABLE, KEY)
        return found

    monkeypatch.setattr(keys, "find", found_just_before_the_other)
    with pytest.raises(Problem, match="already exists"):
        keys.enrol("table-1", TABLE, b"n" * 32)
    assert dict(other) == {"table-1": KEY}


def test_who_decides_by_a_key_that_is_another_by_now_is_refused_by_the_writer(keys: UnitKeys, service: Service) -> None:
    before = service.snapshot.venue.units["table-1"]
    keys.replace("table-1")
    for instead_of, wrong in ((before, "unknown_unit"), (NO_KEY, "unit_known")):
        with refused(wrong):
            service.execute([Step(VENUE, unit_keyed_entry("table-1", TABLE, "ab" * 32, instead_of))], "organizer")
    keys.revoke("table-1")
    with pytest.raises(Problem, match="There is no unit"):
        service.execute([Step(VENUE, unit_keyed_entry("table-1", TABLE, "ab" * 32, before))], "organizer")


def test_a_wrong_name_a_known_one_an_unknown_role_and_one_unit_too_many_change_nothing(service: Service) -> None:
    keys, names = UnitKeys(service), [f"t{n}" for n in range(999)]
    service.execute(
        [Step(VENUE, unit_keyed_entry(unit, TABLE, HEX)) for unit in names],
        "hub",
        beside=[UnitKeyRow(unit=unit, key=HEX) for unit in names],
    )
    keys.revoke("t998")
    number = service.snapshot.venue.number
    for unit, role, wrong in (
        ("", TABLE, "unit_name"),
        ("../x", TABLE, "unit_name"),
        ("t 1", TABLE, "unit_name"),
        ("<b>", TABLE, "unit_name"),
        ("t1", TABLE, "unit_known"),
        ("t-new", "judge", "unit_role"),
    ):
        with refused(wrong):
            keys.add(unit, role)
    for change in (keys.revoke, keys.replace):
        with pytest.raises(Problem, match="There is no unit"):
            change("table-9")
    assert service.snapshot.venue.number == number
    keys.add("t-new")
    with pytest.raises(Problem, match="at most 999 units"):
        keys.add("t-newer")


def test_a_disk_that_takes_nothing_changes_nothing(keys: UnitKeys, service: Service, tmp_path: Path) -> None:
    from roundtap_hub.store.journal import JournalConflict

    service.journal.disk = fails(JournalConflict("full", "SQLITE_FULL"))
    for change in (lambda: keys.add("table-3"), lambda: keys.revoke("table-1"), lambda: keys.replace("table-1")):
        with refused("not_saved"):
            change()
    assert dict(keys) == {"table-1": KEY, "table-2": KEY}
    assert rows(tmp_path) == {("table-1", HEX), ("table-2", HEX)}


# --- a file of keys made elsewhere ------------------------------------------------------------------------------------


def test_a_file_of_keys_is_taken_over_once(service: Service, tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text(
        json.dumps({"table-1": HEX, "station-1": HEX, "spare": {"key": HEX, "role": "standby"}})
    )
    take_key_file(tmp_path, service)
    keys = UnitKeys(service)
    assert {unit: keys.role(unit) for unit in keys} == {"table-1": TABLE, "station-1": STATION, "spare": STANDBY}
    assert keys["table-1"] == KEY
    assert keys.role("table-9") is None
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".json"]
    number = service.snapshot.venue.number
    take_key_file(tmp_path, service)
    assert service.snapshot.venue.number == number


def test_a_file_that_a_cut_left_there_after_it_was_taken_over_says_nothing_twice(
    service: Service, tmp_path: Path
) -> None:
    for _ in range(2):
        (tmp_path / "keys.json").write_text(json.dumps({"table-1": HEX}))
        take_key_file(tmp_path, service)
    assert said(service) == [("unit-keyed", "table-1")]


def test_a_file_takes_back_nothing_that_the_journal_knows_by_now(
    keys: UnitKeys, service: Service, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It could not be taken away at the start before, or is of another hub on the same database."""
    keys.revoke("table-2")
    text = json.dumps({"table-1": "ab" * 32, "table-2": HEX, "table-3": HEX})
    (tmp_path / "keys.json").write_text(text)
    take_key_file(tmp_path, service)
    assert dict(keys) == {"table-1": KEY, "table-3": KEY}
    assert "table-1; table-2" in caplog.text
    assert (tmp_path / "keys.json.unread").read_text() == text


@pytest.mark.parametrize(
    "entry",
    [
        '"table-9": "ab"',
        '"table-9": null',
        '"table-9": {}',
        f'"table-9": {{"key": "{HEX}", "role": "judge"}}',
        f'"table-9": "{HEX}", "table-9": "{"ab" * 32}"',
        '"table-9": [[]]',
        f'"table-9": {{"key": {{"a": "{HEX}"}}}}',
        f'"": "{HEX}"',
        f'"table 1": "{HEX}"',
        f'"tisch-ä": "{HEX}"',
        f'"{"t" * 41}": "{HEX}"',
        f'"table-9": {{"key": "{HEX}", "role": ["table"]}}',
        f'"table-9": {{"key": {"[" * 5000}}}',
    ],
)
def test_of_a_file_of_which_one_key_makes_no_sense_the_others_count_and_it_is_kept(
    service: Service, tmp_path: Path, caplog: pytest.LogCaptureFixture, entry: str
) -> None:
    text = f'{{"table-1": "{HEX}",\n{entry},\n"table-2": "{HEX}"}}'
    (tmp_path / "keys.json").write_text(text)
    take_key_file(tmp_path, service)
    assert set(UnitKeys(service)) == {"table-1", "table-2"}
    assert (tmp_path / "keys.json.unread").read_text() == text
    assert not (tmp_path / "keys.json").exists()
    assert "keys.json.unread" in caplog.text


@pytest.mark.parametrize(
    "text",
    [
        f'{{"table-1": "{HEX}"\n"table-2": "{HEX}"}}',
        f'{{"table-1": "{HEX}", "table-2": {{"key": "{HEX}"}}, "table-3": "ab',
        f'"table-1": "{HEX}", "table-2": "{HEX}", "table-9": {{"key": "\\"}}',
        f'{{"table-1": "{HEX}", "table-2": "{HEX}",}}\ufffd',
    ],
)
def test_of_half_a_file_what_stands_whole_in_it_counts(service: Service, tmp_path: Path, text: str) -> None:
    """Somebody forgot a comma, or a cut took the end: nobody enrols a whole hall again for that."""
    (tmp_path / "keys.json").write_text(text)
    take_key_file(tmp_path, service)
    assert dict(UnitKeys(service)) == {"table-1": KEY, "table-2": KEY}
    assert (tmp_path / "keys.json.unread").read_text() == text


@pytest.mark.parametrize("text", ["", "[]", "\x00", "[" * 5000, "null"])
def test_a_file_that_is_none_stops_no_hub_and_is_kept(service: Service, tmp_path: Path, text: str) -> None:
    (tmp_path / "keys.json").write_text(text)
    take_key_file(tmp_path, service)
    assert dict(UnitKeys(service)) == {}
    assert (tmp_path / "keys.json.unread").read_text() == text


def test_what_cannot_be_saved_stays_in_its_file_and_is_tried_again(service: Service, tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text(json.dumps({"table-1": HEX}))

    with disk_fails(service, OSError(28, os.strerror(28))):
        assert not take_key_file(tmp_path, service)
    assert (tmp_path / "keys.json").exists()
    assert dict(UnitKeys(service)) == {}
    assert take_key_file(tmp_path, service)
    assert dict(UnitKeys(service)) == {"table-1": KEY}
