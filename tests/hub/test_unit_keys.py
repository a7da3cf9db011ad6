"""The file of unit keys: roles, changes that count at once and are on the disk, and files that were written by hand."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from roundtap_core.errors import Problem
from roundtap_hub.devices.unit_keys import STANDBY, STATION, TABLE, KeyFault, UnitKeys

HEX = bytes(range(32)).hex()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


def written(path: Path, value: Any) -> Path:
    """The file as somebody's editor leaves it: another one than before."""
    fresh = path.with_suffix(".edited")
    fresh.write_text(value if isinstance(value, str) else json.dumps(value))
    os.replace(fresh, path)
    return path


def test_a_file_of_keys_alone_means_tables_and_stations_by_name(path: Path) -> None:
    keys = UnitKeys(written(path, {"table-1": HEX, "station-1": HEX, "spare": {"key": HEX, "role": "standby"}}))
    assert {unit: keys.role(unit) for unit in keys} == {"table-1": TABLE, "station-1": STATION, "spare": STANDBY}
    assert keys["table-1"] == bytes(range(32))
    assert keys.role("table-9") is None


def test_no_file_is_no_units_and_the_first_that_is_added_makes_it(path: Path) -> None:
    keys = UnitKeys(path)
    assert dict(keys) == {}
    made = keys.add("table-1")
    assert json.loads(path.read_text()) == {"table-1": made.hex()}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_changed_counts_at_once_is_told_and_is_there_after_a_restart(path: Path) -> None:
    keys, told = UnitKeys(written(path, {"table-1": HEX, "table-2": HEX})), []
    keys.listen(told.append)
    added = keys.add("hall-printer", STATION)
    replaced = keys.replace("table-1")
    keys.revoke("table-2")
    assert (keys["hall-printer"], keys["table-1"]) == (added, replaced)
    assert "table-2" not in keys
    assert replaced != bytes(range(32))
    assert told == [frozenset({"table-1"}), frozenset({"table-2"})]
    again = UnitKeys(path)
    assert dict(again) == dict(keys)
    assert again.role("hall-printer") == STATION
    assert [entry.name for entry in path.parent.iterdir()] == ["keys.json"]


def test_a_key_taken_out_of_the_file_by_hand_counts_no_more(path: Path) -> None:
    keys, told = UnitKeys(written(path, {"table-1": HEX, "table-2": HEX})), []
    keys.listen(told.append)
    written(path, {"table-2": HEX, "table-3": HEX})
    keys.look()
    assert set(keys) == {"table-2", "table-3"}
    assert told == [frozenset({"table-1"})]
    path.unlink()
    keys.look()
    assert set(keys) == set()


def test_another_role_by_hand_is_told_as_well(path: Path) -> None:
    keys, told = UnitKeys(written(path, {"table-1": HEX})), []
    keys.listen(told.append)
    written(path, {"table-1": {"key": HEX, "role": "station"}})
    keys.look()
    assert (keys.role("table-1"), told) == (STATION, [frozenset({"table-1"})])


def broken_files(path: Path) -> list[str]:
    return [each.read_text() for each in sorted(path.parent.glob("keys.broken-*.json"))]


def test_a_file_broken_by_hand_takes_no_key_away_and_is_kept_aside_before_anything_is_written(path: Path) -> None:
    keys = UnitKeys(written(path, {"table-1": HEX}))
    written(path, '{"table-1": "half')
    keys.look()
    assert set(keys) == {"table-1"}
    assert keys.faults == (KeyFault(None, 1, "json"),)
    assert broken_files(path) == ['{"table-1": "half'] == [path.read_text()]
    keys.add("table-2")
    assert broken_files(path) == ['{"table-1": "half']
    assert set(UnitKeys(path)) == {"table-1", "table-2"}
    written(path, {"table-1": HEX, "table-3": HEX})
    keys.look()
    assert (set(keys), keys.faults) == ({"table-1", "table-3"}, ())


def test_of_a_file_changed_by_hand_what_can_be_read_counts_and_for_the_rest_what_counted_before(path: Path) -> None:
    keys = UnitKeys(written(path, {"table-1": HEX, "table-2": HEX}))
    written(path, {"table-1": "half a key", "table-3": HEX})
    keys.look()
    assert set(keys) == {"table-1", "table-3"}
    assert [fault.unit for fault in keys.faults] == ["table-1"]


@pytest.mark.parametrize(("entry", "unit"), [
    ('"table-9": "ab"', "table-9"), ('"table-9": null', "table-9"), ('"table-9": {}', "table-9"),
    (f'"table-9": {{"key": "{HEX}", "role": "judge"}}', "table-9"), ('"table-9": [[]]', "table-9"),
    (f'"table-9": {{"key": "{HEX}", "roll": "table"}}', "table-9"),
    (f'"table-9": {{"key": "{HEX}", "role": ["table"]}}', "table-9"),
    (f'"table-9": {{"key": {{"a": "{HEX}"}}}}', "table-9"),
    (f'"table-9": "{HEX}", "table-9": "{HEX}"', "table-9"),
    (f'"": "{HEX}"', ""), (f'"table 1": "{HEX}"', "table 1"), (f'"tisch-ä": "{HEX}"', "tisch-ä"),
    (f'"{"t" * 41}": "{HEX}"', "t" * 40), (f'"-x": "{HEX}"', "-x"),
])
def test_a_hub_starts_on_keys_of_which_it_cannot_read_one_and_names_it(path: Path, entry: str, unit: str) -> None:
    text = f'{{"table-1": "{HEX}",\n{entry},\n"table-2": "{HEX}"}}'
    keys = UnitKeys(written(path, text))
    assert set(keys) == {"table-1", "table-2"}
    assert keys.faults[0].unit == unit
    assert keys.faults[0].line == 2
    assert broken_files(path) == [text]


@pytest.mark.parametrize(("text", "units", "lines"), [
    ("", set(), {1}), ("[]", set(), {1}), ("\x00", set(), {1}), ("[" * 5000, set(), {1}), ("null", set(), {1}),
    (f'{{"table-1": "{HEX}"\n"table-2": "{HEX}"}}', {"table-1", "table-2"}, {2}),
    (f'{{"table-1": "{HEX}",\n"table-2": "{HEX[:40]}', {"table-1"}, {2}),
    # The comma that is one too many, or what stands after it: Pythons differ, and either shows a person the place.
    (f'{{\n"table-1": {{"key": "{HEX}", "role": "station"}},\n}}', {"table-1"}, {2, 3}),
])
def test_of_a_file_that_is_no_json_the_entries_that_stand_whole_count(path: Path, text: str, units: set[str],
                                                                      lines: set[int]) -> None:
    keys = UnitKeys(written(path, text))
    assert set(keys) == units
    assert keys.faults in {(KeyFault(None, line, "json"),) for line in lines}
    assert broken_files(path) == [text]
    assert all(keys[unit] == bytes(range(32)) for unit in keys)


def test_of_too_many_units_as_many_count_as_there_may_be(path: Path) -> None:
    keys = UnitKeys(written(path, {f"t{n}": HEX for n in range(1000)}))
    assert (len(keys), [fault.unit for fault in keys.faults]) == (999, ["t999"])


def test_what_cannot_be_kept_aside_is_not_overwritten(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("roundtap_hub.devices.unit_keys.write_private_bytes", full)
    keys = UnitKeys(written(path, f'{{"table-1": "{HEX}"'))
    with pytest.raises(Problem) as problem:
        keys.add("table-2")
    assert problem.value.key == "keys_not_saved"
    assert (set(keys), path.read_text()) == ({"table-1"}, f'{{"table-1": "{HEX}"')


def test_an_agreed_key_is_there_once_however_often_it_is_stored_and_takes_nobodys_place_unasked(path: Path) -> None:
    keys, told = UnitKeys(written(path, {"table-1": HEX})), []
    keys.listen(told.append)
    keys.enrol("table-2", TABLE, b"k" * 32)
    stamp = path.stat().st_mtime_ns
    keys.enrol("table-2", TABLE, b"k" * 32)
    assert path.stat().st_mtime_ns == stamp
    with pytest.raises(Problem, match="There is a unit"):
        keys.enrol("table-1", TABLE, b"n" * 32)
    keys.enrol("table-1", TABLE, b"n" * 32, replaces=True)
    assert dict(UnitKeys(path)) == {"table-1": b"n" * 32, "table-2": b"k" * 32}
    assert told == [frozenset({"table-1"})]


def test_a_wrong_name_a_known_one_an_unknown_role_and_one_unit_too_many_change_nothing(path: Path) -> None:
    keys = UnitKeys(written(path, {f"t{n}": HEX for n in range(998)}))
    before = path.read_text()
    for unit, role, wrong in (("", TABLE, "unit_name"), ("../x", TABLE, "unit_name"), ("t 1", TABLE, "unit_name"),
                              ("<b>", TABLE, "unit_name"), ("t1", TABLE, "unit_known"),
                              ("t-new", "judge", "unit_role")):
        with pytest.raises(Problem) as problem:
            keys.add(unit, role)
        assert problem.value.key == wrong
    for change in (keys.revoke, keys.replace):
        with pytest.raises(Problem, match="There is no unit"):
            change("table-9")
    assert path.read_text() == before
    keys.add("t-new")
    with pytest.raises(Problem, match="at most 999 units"):
        keys.add("t-newer")


def test_a_disk_that_takes_nothing_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = UnitKeys(written(path, {"table-1": HEX}))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for change in (lambda: keys.add("table-2"), lambda: keys.revoke("table-1"), lambda: keys.replace("table-1")):
        with pytest.raises(Problem) as problem:
            change()
        assert "No space left on device" in problem.value.say()
    assert (dict(keys), json.loads(path.read_text())) == ({"table-1": bytes(range(32))}, {"table-1": HEX})
    assert [entry.name for entry in path.parent.iterdir()] == ["keys.json"]
