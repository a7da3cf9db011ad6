"""The hotspot as `iw` and the kernel tell of it, to somebody who is not root."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from roundtap_systemd.wifi import (
    AccessPoint,
    Hotspot,
    access_points,
    asked,
    hotspot_checks,
    known_hotspot,
    limit_of,
    wifi_checks,
)

# As `iw` 6.9 prints it (its source: interface.c, station.c); no radio is here to ask.
DEV = """phy#0
\tUnnamed/non-netdev interface
\t\twdev 0x2
\t\taddr d8:3a:dd:00:00:02
\t\ttype P2P-device
\tInterface wlan0
\t\tifindex 3
\t\twdev 0x1
\t\taddr d8:3a:dd:00:00:01
\t\tssid Roundtap hall
\t\ttype AP
\t\tchannel 6 (2437 MHz), width: 20 MHz, center1: 2437 MHz
\t\ttxpower 31.00 dBm
"""
STATION = """Station {mac} (on wlan0)
\tinactive time:\t1000 ms
\trx bytes:\t12345
\tauthorized:\tyes
"""


def talking(clients: int, listed: str = DEV) -> tuple[object, list[Sequence[str]]]:
    told: list[Sequence[str]] = []

    def run(words: Sequence[str]) -> str:
        told.append(words)
        if words == ["iw", "dev"]:
            return listed
        if words == ["iw", "dev", "wlan0", "station", "dump"]:
            return "".join(STATION.format(mac=f"02:00:00:00:00:{n:02x}") for n in range(clients))
        return "iw version 6.9\n" if words == ["iw", "--version"] else ""

    return run, told


def pi(folder: Path, firmware: str) -> tuple[Path, Path]:
    """A Pi's own Wi-Fi in /sys, and the firmware that is chosen."""
    driver = folder / "drivers/brcmfmac"
    driver.mkdir(parents=True)
    (folder / "net/wlan0/device").mkdir(parents=True)
    (folder / "net/wlan0/device/driver").symlink_to(driver)
    chosen = folder / "cyfmac43455-sdio.bin"
    chosen.symlink_to(f"/lib/firmware/cypress/{firmware}")
    return folder / "net", chosen


@pytest.mark.parametrize(("firmware", "limit"), [("cyfmac43455-sdio-standard.bin", 8),
                                                 ("cyfmac43455-sdio-minimal.bin", 19)])
@pytest.mark.parametrize("clients", [0, 7, 8])
def test_clients_are_counted_against_what_the_firmware_bears(tmp_path: Path, firmware: str, limit: int,
                                                             clients: int) -> None:
    run, _ = talking(clients)
    found = access_points(run, *pi(tmp_path, firmware))  # type: ignore[arg-type]
    assert found == (AccessPoint("wlan0", "Roundtap hall", 6, clients, limit),)
    assert found[0].full == (clients >= limit)


def test_a_wifi_that_is_somebody_else_s_guest_is_no_access_point() -> None:
    run, told = talking(3, DEV.replace("type AP", "type managed"))
    assert access_points(run) == ()  # type: ignore[arg-type]
    assert told == [["iw", "dev"]]


def test_without_iw_nobody_knows_and_nothing_fails() -> None:
    assert access_points(lambda _: "") == ()
    assert asked(["roundtap-no-such-program"]) == ""
    assert limit_of("no-such-device") is None


def test_the_code_is_what_phones_read(tmp_path: Path) -> None:
    spot = Hotspot('Tom\'s; "Games", Café: \\1', "a;b,c:d\\e\"f", "", 6, "")
    assert spot.qr == 'WIFI:T:WPA;S:Tom\'s\\; \\"Games\\"\\, Café\\: \\\\1;P:a\\;b\\,c\\:d\\\\e\\"f;;'


def test_what_was_set_up_is_read_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "hotspot.json"
    assert known_hotspot(path) is None
    path.write_text(json.dumps({"name": "Hall", "password": "kmwp-4hd7-xqre", "device": "", "channel": 6,
                                "country": "DE"}))
    assert known_hotspot(path) == Hotspot("Hall", "kmwp-4hd7-xqre", "", 6, "DE")
    for spoilt in ("", "[]", "{}", '{"name": "x"}'):
        path.write_text(spoilt)
        assert known_hotspot(path) is None


def test_before_the_doors_open_a_hotspot_that_is_down_or_full_is_named() -> None:
    wanted = Hotspot("Hall", "kmwp-4hd7-xqre", "", 6, "")

    def said(clients: int | None, limit: int | None = 8) -> list[tuple[str, str]]:
        found = wifi_checks([AccessPoint("wlan0", "Hall", 6, clients, limit)], wanted)
        return [(check.state, check.kind) for check in found]

    assert [(each.state, each.kind) for each in wifi_checks([], wanted)] == [("wrong", "down")]
    assert wifi_checks([], None) == []
    assert said(6) == [("fine", "fine")]
    assert said(7) == [("note", "nearly")]
    assert said(8) == [("wrong", "full")]
    assert said(None) == said(3, None) == [("fine", "up")]


def test_a_machine_without_a_hotspot_is_asked_nothing(tmp_path: Path) -> None:
    assert hotspot_checks(tmp_path / "hotspot.json") == []
    (tmp_path / "hotspot.json").write_text(json.dumps({"name": "Hall", "password": "kmwp-4hd7-xqre", "device": "",
                                                       "channel": 6, "country": "DE"}))
    # Nothing here makes that network.
    assert [check.kind for check in hotspot_checks(tmp_path / "hotspot.json")] == ["down"]
