"""The file of unit keys: roles, changes that count at once and are on the disk, and files that were written by hand."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from roundtap_core.errors import Problem
from roundtap_hub.devices.unit_keys import STANDBY, STATION, TABLE, UnitKeys

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


def test_a_file_broken_by_hand_takes_no_key_away_and_is_not_overwritten(path: Path) -> None:
    keys = UnitKeys(written(path, {"table-1": HEX}))
    written(path, '{"table-1": "half')
    keys.look()
    assert set(keys) == {"table-1"}
    assert keys.unreadable
    for change in (lambda: keys.add("table-2"), lambda: keys.revoke("table-1"), lambda: keys.replace("table-1")):
        with pytest.raises(Problem) as problem:
            change()
        assert problem.value.key == "keys_unreadable"
    assert path.read_text() == '{"table-1": "half'
    written(path, {"table-1": HEX, "table-2": HEX})
    keys.look()
    assert set(keys) == {"table-1", "table-2"}
    assert not keys.unreadable


@pytest.mark.parametrize(("content", "key"), [
    ("", "keys_unreadable"), ("[]", "keys_unreadable"), ("\x00", "keys_unreadable"), ("[" * 5000, "keys_unreadable"),
    (f'{{"table-1": "{HEX}", "table-1": "{HEX}"}}', "keys_unreadable"),
    ({"table-1": "ab"}, "key_wrong"), ({"table-1": None}, "key_wrong"), ({"table-1": {}}, "key_wrong"),
    ({"table-1": {"key": HEX, "role": "judge"}}, "key_wrong"),
    ({"table-1": {"key": HEX, "roll": "table"}}, "key_wrong"),
    ({"table-1": {"key": HEX, "role": ["table"]}}, "key_wrong"),
    ({"": HEX}, "unit_name"), ({"table 1": HEX}, "unit_name"), ({"tisch-ä": HEX}, "unit_name"),
    ({"t" * 41: HEX}, "unit_name"), ({"a\nb": HEX}, "unit_name"), ({"-x": HEX}, "unit_name"),
    ({f"t{n}": HEX for n in range(1000)}, "too_many_units"),
])
def test_a_hub_does_not_start_on_keys_that_it_cannot_read(path: Path, content: Any, key: str) -> None:
    with pytest.raises(Problem) as problem:
        UnitKeys(written(path, content))
    assert problem.value.key == key
    assert str(path) in str(problem.value)


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
