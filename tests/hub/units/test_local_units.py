"""Units on the hub's own machine: keys of one start, in files that few may read, good from loopback alone."""

import os
import stat
from itertools import count
from pathlib import Path

import pytest
from hub_kit import KEYS, HandClock, hub_of, make_event, running

import event_kit
from roundtap_core.messages import UnitRequest
from roundtap_core.wire import REQUEST, envelope
from roundtap_hub.access.unit_keys import (
    JOBS,
    PANEL,
    STATION,
    TABLE,
    TIME,
    RequestRefused,
    UnitKeys,
    local_folder,
    loopback_address,
    make_local_units,
)
from roundtap_units.link.hub_address import read_local_key

HERE, ELSEWHERE = "127.0.0.1", "10.42.0.66"


@pytest.fixture
def hub(tmp_path):
    clock = HandClock()
    with running(tmp_path / "hub.db", clock) as service:
        make_event(service)
        yield hub_of(service, clock)


def enrol_here(hub, folder):
    hub.units.keys.set_local(make_local_units(folder, "http://127.0.0.1:8080", KEYS))


def ask(hub, kind, unit, key, address):
    return hub.units.auth.verify_request(kind, envelope(key, REQUEST, {"unit": unit}), address, UnitRequest)[1].unit


def test_panel_station_and_table_find_who_they_are(hub, tmp_path):
    enrol_here(hub, tmp_path / "local")
    found = {kind: read_local_key(tmp_path / "local" / f"{kind}.json") for kind in (PANEL, STATION, TABLE)}
    assert {kind: here.unit for kind, here in found.items()} == {
        PANEL: "hub-panel",
        STATION: "hub-station",
        TABLE: "hub-table",
    }
    assert {(here.host, here.port) for here in found.values()} == {("127.0.0.1", 8080)}
    assert {kind: hub.units.keys.role(here.unit) for kind, here in found.items()} == {
        PANEL: PANEL,
        STATION: STATION,
        TABLE: TABLE,
    }
    assert ask(hub, JOBS, "hub-station", found[STATION].key, HERE) == "hub-station"


def test_the_files_are_nobody_elses_to_read(tmp_path):
    folder = tmp_path / "local"
    before = os.umask(0)
    try:
        make_local_units(folder, "http://127.0.0.1:8080", {})
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o640}
    assert sorted(path.name for path in folder.iterdir()) == ["panel.json", "station.json", "table.json"]


def test_a_key_of_this_machine_opens_nothing_from_another(hub, tmp_path):
    enrol_here(hub, tmp_path / "local")
    here = read_local_key(tmp_path / "local" / "station.json")
    with pytest.raises(RequestRefused) as refused:
        ask(hub, JOBS, here.unit, here.key, ELSEWHERE)
    assert (refused.value.status, refused.value.body) == (403, {"error": "unknown unit"})


def test_a_key_of_this_machine_opens_no_other_door(hub, tmp_path):
    enrol_here(hub, tmp_path / "local")
    here = read_local_key(tmp_path / "local" / "station.json")
    with pytest.raises(RequestRefused):
        ask(hub, TIME, here.unit, here.key, HERE)


def test_with_the_next_start_the_keys_are_others(hub, tmp_path):
    enrol_here(hub, tmp_path / "local")
    before = read_local_key(tmp_path / "local" / "station.json")
    told = []
    hub.units.keys.listeners.append(told.append)
    enrol_here(hub, tmp_path / "local")
    after = read_local_key(tmp_path / "local" / "station.json")
    assert before.key != after.key
    assert told == [{"hub-panel", "hub-station", "hub-table"}]
    with pytest.raises(RequestRefused):
        ask(hub, JOBS, before.unit, before.key, HERE)
    assert ask(hub, JOBS, after.unit, after.key, HERE) == "hub-station"


def test_a_unit_that_does_not_exist_is_not_listed(hub, tmp_path):
    enrol_here(hub, tmp_path / "local")
    assert sorted(hub.units.keys) == sorted(KEYS)
    here = read_local_key(tmp_path / "local" / "station.json")
    ask(hub, JOBS, here.unit, here.key, HERE)
    assert set(hub.units.keys) - set(KEYS) == {"hub-station"}


def test_a_key_of_the_journal_comes_first(hub, tmp_path):
    keys = UnitKeys(hub.service)
    keys.enrol("hub-station", STATION, b"s" * 32)
    keys.set_local(make_local_units(tmp_path / "local", "http://127.0.0.1:8080", keys))
    assert keys["hub-station"] == b"s" * 32
    assert not keys.is_local("hub-station")
    assert not (tmp_path / "local" / "station.json").exists()
    keys.revoke("hub-station")
    keys.set_local(make_local_units(tmp_path / "local", "http://127.0.0.1:8080", keys))
    assert keys.is_local("hub-station"), "with the next start, once it has no other"


@pytest.mark.parametrize("change", ["add", "replace", "revoke"])
def test_nobody_changes_them_on_the_console(hub, tmp_path, change):
    enrol_here(hub, tmp_path / "local")
    before = hub.units.keys["hub-station"]
    with event_kit.refused("unit_known" if change == "add" else "unit_local"):
        getattr(hub.units.keys, change)("hub-station")
    assert hub.units.keys["hub-station"] == before


def test_a_folder_that_cannot_be_made_leaves_the_hub_without_them(tmp_path, caplog):
    (tmp_path / "local").write_text("a file")
    assert make_local_units(tmp_path / "local", "http://127.0.0.1:8080", {}) == {}
    assert "units on this machine get no keys" in caplog.text


def test_what_stood_in_the_way_is_replaced_not_followed(tmp_path):
    folder, bystander = tmp_path / "local", tmp_path / "bystander"
    folder.mkdir()
    bystander.write_text("untouched")
    (folder / ".panel.json.new").symlink_to(bystander)
    (folder / "panel.json").symlink_to(bystander)
    keys = (bytes([n]) * 32 for n in count(1))
    make_local_units(folder, "http://127.0.0.1:8080", {}, lambda: next(keys))
    assert bystander.read_text() == "untouched"
    assert read_local_key(folder / "panel.json").key == bytes([1]) * 32


def test_where_the_folder_is():
    assert local_folder(Path("/x"), "/run/roundtap/local") == Path("/x")
    assert local_folder(None, "/run/other:/run/roundtap/local") == Path("/run/roundtap/local")
    assert local_folder(None, "/run/other") is None
    assert local_folder(None, None) is None


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://127.0.0.1:80"),
        ("127.0.0.2", "http://127.0.0.2:80"),
        ("::1", "http://[::1]:80"),
        ("localhost", "http://127.0.0.1:80"),
        ("10.42.0.1", None),
        ("hub.lan", None),
    ],
)
def test_how_it_is_reached_from_here(host, address):
    assert loopback_address(host, 80) == address
