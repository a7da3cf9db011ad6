"""The hotspot as it was set up, and whether it is there, told by somebody who is not root."""

import json
from pathlib import Path

from roundtap_machine.wifi import Hotspot, hotspot_checks, is_hotspot_up, known_hotspot


def test_the_code_is_what_phones_read(tmp_path: Path) -> None:
    spot = Hotspot('Tom\'s; "Games", Café: \\1', 'a;b,c:d\\e"f', "", 6, "")
    assert spot.qr == 'WIFI:T:WPA;S:Tom\'s\\; \\"Games\\"\\, Café\\: \\\\1;P:a\\;b\\,c\\:d\\\\e\\"f;;'


def test_what_was_set_up_is_read_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "hotspot.json"
    assert known_hotspot(path) is None
    path.write_text(
        json.dumps({"name": "Hall", "password": "kmwp-4hd7-xqre", "device": "", "channel": 6, "country": "DE"})
    )
    assert known_hotspot(path) == Hotspot("Hall", "kmwp-4hd7-xqre", "", 6, "DE")
    for spoilt in ("", "[]", "{}", '{"name": "x"}'):
        path.write_text(spoilt)
        assert known_hotspot(path) is None


def test_a_hotspot_is_up_while_this_machine_has_its_address() -> None:
    assert is_hotspot_up("127.0.0.1")
    # Of the block that documents name, and nobody has.
    assert not is_hotspot_up("192.0.2.1")


def test_before_the_doors_open_a_hotspot_that_is_down_is_named(tmp_path: Path) -> None:
    path = tmp_path / "hotspot.json"
    assert hotspot_checks(path, lambda: False) == []
    path.write_text(
        json.dumps({"name": "Hall", "password": "kmwp-4hd7-xqre", "device": "", "channel": 6, "country": "DE"})
    )
    for is_there, state, kind in ((False, "wrong", "down"), (True, "fine", "up")):
        [check] = hotspot_checks(path, lambda is_there=is_there: is_there)
        assert (check.state, check.kind, check.args) == (state, kind, {"name": "Hall"})
