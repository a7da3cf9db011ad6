"""Units on the hub's machine find their key by themselves, and follow when the hub is started anew."""

import json

import pytest
from test_station_link import ByHand

from roundtap_core.wire import ECHO, REPORT, REQUEST, envelope, open_envelope, sign
from roundtap_units.link.hub_address import HubAddress, LocalKeyWatch, has_local_key, local_key, read_local_key
from roundtap_units.link.outbox import Outbox, key_fingerprint
from roundtap_units.link.report_sending import ReportSender
from roundtap_units.station.main import ConfigError, read_station_config
from roundtap_units.station.station_link import HubStationLink

ONE, OTHER = "ab" * 32, "cd" * 32


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ROUNDTAP_LOCAL", str(tmp_path / "local"))
    (tmp_path / "local").mkdir()
    return tmp_path / "local"


def written(folder, key=ONE, kind="station", port=8080):
    new = folder / "new"
    new.write_text(json.dumps({"unit": f"hub-{kind}", "key": key, "hub": f"http://127.0.0.1:{port}"}))
    new.replace(folder / f"{kind}.json")


def test_what_the_hub_wrote_is_who_the_unit_is(folder):
    assert not has_local_key("station")
    written(folder, port=8123)
    assert has_local_key("station")
    assert local_key("station") == HubAddress("127.0.0.1", 8123, "hub-station", bytes.fromhex(ONE))


def test_before_the_hub_has_written_the_unit_has_a_key_that_nobody_has(folder):
    first, second = local_key("station"), local_key("station")
    assert (first.unit, first.host, len(first.key)) == ("hub-station", "127.0.0.1", 32)
    assert first.key != second.key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "[]",
        "{}",
        '{"unit": "x", "key": "ab", "hub": "http://127.0.0.1"}',
        f'{{"unit": "", "key": "{ONE}", "hub": "http://127.0.0.1"}}',
        f'{{"unit": "x", "key": "{ONE}", "hub": 5}}',
        "[" * 5000,
    ],
)
def test_a_file_that_is_none_of_a_hubs_is_nobodys_key(folder, text):
    (folder / "station.json").write_text(text)
    assert read_local_key(folder / "station.json") is None


def test_a_change_is_told_once(folder):
    follows = LocalKeyWatch("station")
    assert follows.poll() is None
    written(folder)
    assert follows.poll().key.hex() == ONE
    assert follows.poll() is None
    written(folder, OTHER)
    assert follows.poll().key.hex() == OTHER
    (folder / "station.json").unlink()
    assert follows.poll() is None


def test_a_station_without_a_key_takes_the_hubs_of_this_machine(folder, tmp_path):
    path = tmp_path / "station.toml"
    path.write_text('folder = "/tmp"\n')
    assert (read_station_config(path).local, read_station_config(path).key) == (False, b""), "it enrols"
    written(folder)
    config = read_station_config(path)
    assert (config.local, config.unit, config.key.hex(), config.hubs[0][0]) == (True, "hub-station", ONE, "127.0.0.1")


def test_a_key_of_its_own_comes_first(folder, tmp_path):
    written(folder)
    path = tmp_path / "station.toml"
    path.write_text(f'unit = "station-1"\nkey = "{OTHER}"\nhub = "http://10.42.0.1"\nfolder = "/tmp"\n')
    config = read_station_config(path)
    assert (config.local, config.unit, config.key.hex()) == (False, "station-1", OTHER)


def test_a_station_that_is_told_so_waits_for_the_hub(folder, tmp_path):
    path = tmp_path / "station.toml"
    path.write_text('local = true\nfolder = "/tmp"\n')
    assert read_station_config(path).unit == "hub-station"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('local = "yes"', "local: must be true or false, not 'yes'"),
        (
            'local = true\nunit = "station-1"',
            "unit: remove it: with local = true it comes from the hub on this machine",
        ),
    ],
)
def test_what_does_not_go_together_is_said(folder, tmp_path, line, says):
    path = tmp_path / "station.toml"
    path.write_text(f'folder = "/tmp"\n{line}\n')
    with pytest.raises(ConfigError) as error:
        read_station_config(path)
    assert says in str(error.value)


def test_a_station_follows_a_hub_that_was_started_anew(folder):
    known = [ONE]

    def post(path, message):
        payload = open_envelope(bytes.fromhex(known[0]), REQUEST, message)
        if payload is None:
            raise ValueError("403")
        return envelope(bytes.fromhex(known[0]), ECHO, {"nonce": payload["nonce"], "challenge": "next", "jobs": []})

    written(folder)
    here = local_key("station")
    link = HubStationLink(here, ByHand(post), renew=LocalKeyWatch("station").poll)
    assert link.exchange()
    known[0] = OTHER
    assert not link.exchange()
    written(folder, OTHER)
    assert link.exchange()


def test_a_tables_report_of_before_is_signed_with_the_key_of_now(tmp_path):
    outbox = Outbox(tmp_path / "outbox.jsonl", key_mark=key_fingerprint(bytes.fromhex(ONE)))
    report = {"report_id": "r1", "unit": "hub-table", "event": "e1", "match": "1.1"}
    outbox.put(report, sign(bytes.fromhex(ONE), REPORT, report))
    posted = []

    class Connection:
        def post(self, path, message, waits):
            posted.append(message["mac"])
            raise ConnectionError

    sending = ReportSender(lambda: bytes.fromhex(OTHER), outbox, lambda: 0, lambda _: None, lambda *_: True)
    with pytest.raises(ConnectionError):
        sending.post_all(Connection())
    assert posted == [sign(bytes.fromhex(OTHER), REPORT, report)]
