"""`roundtap hotspot`: what NetworkManager is told, what stays on the disk, what a person is told. `nmcli` itself is
asked in tests/systemd/run_container.py."""

import json
import re
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

import pytest

from event_kit import refused
from roundtap.provisioning import hotspot
from roundtap.provisioning.hotspot import new_password
from roundtap_core.command_arguments import add_arguments
from roundtap_core.errors import Problem
from roundtap_core.words import catalogue, core_words
from roundtap_hub.http.captive_portal import PROBES_BY_HOST, PROBES_BY_PATH
from roundtap_machine.wifi import STATE, Hotspot

T = catalogue("roundtap", "en").also(core_words("en"))


class Nmcli:
    """What was told, and how it ended."""

    def __init__(self, **ends: int) -> None:
        self.told: list[list[str]] = []
        self.ends = ends

    def __call__(self, words: Sequence[str]) -> hotspot.ProgramResult:
        self.told.append(list(words))
        code = self.ends.get(words[-2] if words[-2] in self.ends else words[2], 0)
        return hotspot.ProgramResult(code, "Error: no device." if code else "")

    def added(self) -> dict[str, str]:
        """The profile that was made, property → value."""
        words = next(each for each in reversed(self.told) if each[:3] == ["nmcli", "connection", "add"])[3:]
        return dict(zip(words[::2], words[1::2], strict=True))


def act(folder: Path, nmcli: Nmcli, *words: str, up: bool = False) -> str:
    parser = ArgumentParser()
    add_arguments(parser, hotspot.ARGUMENTS)
    machine = hotspot.HotspotMachine(folder, nmcli, lambda: up)
    return "\n".join(hotspot.run_action(machine, parser.parse_args(words), T))


def test_it_is_plain_wpa2_on_an_address_that_stays(tmp_path: Path) -> None:
    nmcli = Nmcli()
    said = act(
        tmp_path,
        nmcli,
        "on",
        "--name",
        "Tom's Games",
        "--password",
        "at least eight",
        "--country",
        "de",
        "--channel",
        "11",
    )
    assert {
        "type": "wifi",
        "con-name": "roundtap-hotspot",
        "ssid": "Tom's Games",
        "connection.autoconnect": "yes",
        "connection.autoconnect-retries": "0",
        "802-11-wireless.mode": "ap",
        "802-11-wireless.channel": "11",
        "802-11-wireless-security.key-mgmt": "wpa-psk",
        "802-11-wireless-security.proto": "rsn",
        "802-11-wireless-security.pairwise": "ccmp",
        "802-11-wireless-security.pmf": "1",
        "802-11-wireless-security.psk": "at least eight",
        "ipv4.method": "shared",
        "ipv4.addresses": "10.42.0.1/24",
    }.items() <= nmcli.added().items()
    assert ["iw", "reg", "set", "DE"] in nmcli.told
    assert "ieee80211_regdom=DE" in (tmp_path / "etc/modprobe.d/roundtap-wifi-country.conf").read_text()
    assert "At most 8 devices at once, table units included" in said


def test_a_password_is_made_kept_and_changed_when_asked(tmp_path: Path) -> None:
    nmcli = Nmcli()
    act(tmp_path, nmcli, "on")
    first = nmcli.added()["802-11-wireless-security.psk"]
    assert re.fullmatch(r"([a-km-np-z2-9]{4}-){2}[a-km-np-z2-9]{4}", first)
    act(tmp_path, nmcli, "on", "--channel", "1")
    assert nmcli.added()["802-11-wireless-security.psk"] == first
    act(tmp_path, nmcli, "on", "--new-password")
    assert nmcli.added()["802-11-wireless-security.psk"] != first
    assert nmcli.added()["802-11-wireless.channel"] == "1"
    assert new_password(lambda letters: letters[0]) == "aaaa-aaaa-aaaa"


def test_the_password_is_for_the_hub_and_nobody_else(tmp_path: Path) -> None:
    act(tmp_path, Nmcli(), "on")
    state = tmp_path / STATE.relative_to("/")
    assert state.stat().st_mode & 0o777 == 0o640
    assert json.loads(state.read_text())["name"] == "Roundtap"


def test_a_machine_whose_wifi_comes_later_is_set_up_all_the_same(tmp_path: Path) -> None:
    said = act(tmp_path, Nmcli(up=4), "on")
    assert "It is set up but not on yet: Error: no device.." in said
    assert "It is not on" in act(tmp_path, Nmcli(), "status")


def test_status_says_what_it_is_and_off_forgets(tmp_path: Path) -> None:
    assert "No hotspot is set up" in act(tmp_path, Nmcli(), "status")
    act(tmp_path, Nmcli(), "on")
    said = act(tmp_path, Nmcli(), "status", up=True)
    assert "Wi-Fi: Roundtap" in said
    assert "It is on, channel 6." in said
    nmcli = Nmcli()
    act(tmp_path, nmcli, "off")
    assert ["nmcli", "connection", "delete", "roundtap-hotspot"] in nmcli.told
    assert not (tmp_path / STATE.relative_to("/")).exists()


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (["--password", "short"], "hotspot_password"),
        (["--password", "ä" * 10], "hotspot_password"),
        (["--password", "x" * 64], "hotspot_password"),
        (["--name", "ü" * 17], "hotspot_name"),
        (["--name", " "], "hotspot_name"),
        (["--country", "Germany"], "hotspot_country"),
        (["--country", "XX"], "hotspot_country"),
        (["--channel", "36"], "hotspot_channel"),
    ],
)
def test_what_no_wifi_may_be_changes_nothing(tmp_path: Path, words: list[str], key: str) -> None:
    nmcli = Nmcli()
    with refused(key):
        act(tmp_path, nmcli, "on", *words)
    assert nmcli.told == []
    assert list(tmp_path.iterdir()) == []


def test_without_networkmanager_or_without_root_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"NetworkManager \(nmcli\) is not installed"):
        act(tmp_path, Nmcli(delete=127), "on")
    with pytest.raises(Problem, match="refused the hotspot"):
        act(tmp_path, Nmcli(add=1), "on")
    assert not (tmp_path / STATE.relative_to("/")).exists()


def test_every_host_that_is_led_here_gets_an_answer_and_only_those_that_are_there_for_it() -> None:
    file = Path(__file__).parents[2] / "systemd/roundtap-dnsmasq.conf"
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    led = {line.split("/")[1] for line in lines if line.startswith("address=/") and line.endswith("/10.42.0.1")}
    assert len(led) == len(lines) - 1
    # Windows asks the name server as well, and wants this very answer.
    assert "address=/dns.msftncsi.com/131.107.255.255" in lines
    assert {"roundtap.local", "captive.apple.com", "connectivitycheck.gstatic.com", "www.msftconnecttest.com"} <= led
    assert {host for host, _ in PROBES_BY_HOST} <= led
    assert not led & {"www.google.com", "www.apple.com", "fedoraproject.org"}
    assert "/hotspot-detect.html" in PROBES_BY_PATH


def test_the_terminal_s_code_is_readable() -> None:
    zxingcpp = pytest.importorskip("zxingcpp")
    from PIL import Image

    spot = Hotspot("Roundtap", "kmwp-4hd7-xqre", "", 6, "")
    rows = hotspot.terminal_qr(spot.qr)
    scale = 6
    image = Image.new("L", (len(rows[0]) * scale, len(rows) * 2 * scale), 0)
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            for half, lit in enumerate({"█": (1, 1), "▀": (1, 0), "▄": (0, 1), " ": (0, 0)}[letter]):
                if lit:
                    top = (2 * y + half) * scale
                    image.paste(255, (x * scale, top, (x + 1) * scale, top + scale))
    assert zxingcpp.read_barcodes(image)[0].text == "WIFI:T:WPA;S:Roundtap;P:kmwp-4hd7-xqre;;"


def keep(folder: Path, nmcli: Nmcli, roundtap_txt: str | None) -> list[str]:
    """A start of the machine with this file on its boot partition."""
    boot = folder / "boot/firmware"
    boot.mkdir(parents=True, exist_ok=True)
    (boot / "cmdline.txt").write_text("console=tty1\n")
    if roundtap_txt is not None:
        (boot / "roundtap.txt").write_text(roundtap_txt)
    parser = ArgumentParser()
    add_arguments(parser, hotspot.ARGUMENTS)
    return hotspot.apply_settings(hotspot.HotspotMachine(folder, nmcli, lambda: False), parser.parse_args(["keep"]), T)


def test_at_each_start_the_hotspot_is_as_roundtap_txt_says_or_as_it_was(tmp_path: Path) -> None:
    nmcli = Nmcli()
    assert keep(tmp_path, nmcli, None) == []
    assert nmcli.told == []
    said = keep(tmp_path, nmcli, "role = hub\nhotspot = Tom's Games\ncountry = DE\n")
    assert nmcli.added()["ssid"] == "Tom's Games"
    made = nmcli.added()["802-11-wireless-security.psk"]
    assert made not in "".join(said)
    keep(tmp_path, nmcli, "role = hub\n")
    assert (nmcli.added()["ssid"], nmcli.added()["802-11-wireless-security.psk"]) == ("Tom's Games", made)
    keep(tmp_path, nmcli, "role = hub\nhotspot = no\n")
    assert nmcli.told[-1] == ["nmcli", "connection", "delete", "roundtap-hotspot"]


def test_the_password_that_was_taken_from_the_card_is_the_hotspot_s(tmp_path: Path) -> None:
    kept = tmp_path / "var/lib/roundtap-machine/networks.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(json.dumps({"Hall": "at least eight"}))
    nmcli = Nmcli()
    keep(tmp_path, nmcli, "role = hub\nhotspot = Hall\n")
    assert nmcli.added()["802-11-wireless-security.psk"] == "at least eight"


def test_a_machine_that_is_no_hub_makes_no_wifi(tmp_path: Path) -> None:
    nmcli = Nmcli()
    assert keep(tmp_path, nmcli, "role = table\nhotspot = Hall\n") == []
    assert nmcli.told == []
