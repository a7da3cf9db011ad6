"""A machine takes its role from `roundtap.txt`: services started, files written, and twice is as good as once."""

import configparser
import importlib
import json
import stat
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from itertools import count, permutations
from pathlib import Path
from typing import Any

import pytest
from machine_kit import CMDLINE, Called, files_of, machine_in

from roundtap.main import main
from roundtap.provisioning.applying import SECRETS, Machine, apply_settings, run_quietly, set_role
from roundtap.provisioning.roles import HOTSPOT_FILES, SERVICES, STICK, STICK_RULES, role_services
from roundtap.provisioning.settings_file import ROLES, Settings, read_settings
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.store.login_pins import verify_pin, write_pin
from roundtap_machine.health import MachineProbe, check_health
from roundtap_machine.root_steps import STICKS
from roundtap_units.panel.main import read_panel_config
from roundtap_units.table.main import KEYS as TABLE_KEYS
from roundtap_units.unit_config import COMMON_KEYS, read_unit_config

WIFI = "etc/NetworkManager/system-connections/roundtap-wifi.nmconnection"

EVERYTHING = (
    "language = de\nwifi = Hall\nwifi_password = rainbow-7\ncountry = DE\nhub = http://10.0.0.7:8080\n"
    "board = adafruit-oled-bonnet\nprinter = epson-80\n"
)


@pytest.mark.parametrize(
    ("role", "started"),
    [
        (
            "hub",
            {
                "roundtap-hub.service",
                "roundtap-hotspot.service",
                "roundtap-panel.service",
                "roundtap-station.service",
                "roundtap-wall.service",
            },
        ),
        ("table", {"roundtap-table.service"}),
        ("printer", {"roundtap-station.service"}),
        ("wall", {"roundtap-wall.service"}),
        ("standby", {"roundtap-standby.service", "roundtap-panel.service"}),
        ("", {"roundtap-table.service"}),
    ],
)
def test_a_role_starts_its_services_and_stops_all_others(tmp_path: Path, role: str, started: set[str]) -> None:
    machine, called = machine_in(tmp_path, f"role = {role}")
    apply_settings(machine)
    assert called.started() == started
    known = {f"roundtap-{name}.service" for several in SERVICES.values() for name in several}
    assert called.stopped() == known - started


def test_from_the_first_role_on_each_start_applies_the_settings(tmp_path: Path) -> None:
    machine, called = machine_in(tmp_path, "role = wall")
    (tmp_path / "usr/lib/systemd/system/roundtap-first-boot.service").touch()
    apply_settings(machine)
    assert "systemctl --quiet enable roundtap-first-boot.service" in called.all
    assert "roundtap-first-boot.service" not in called.started()


def test_every_role_of_the_file_has_services() -> None:
    assert set(SERVICES) == set(ROLES)
    for role in ROLES:
        wanted, others = role_services(Settings(role))
        assert set(wanted).isdisjoint(others)
        assert len({unit for unit in (*wanted, *others) if unit.endswith(".service")}) == 7
        # Root's few steps are a hub's and its panel's.
        assert ("roundtap-steps.socket" in others) == (role not in ("hub", "standby"))


def test_a_service_that_is_not_installed_is_left_alone(tmp_path: Path) -> None:
    machine, called = machine_in(tmp_path, "role = hub")
    (tmp_path / "usr/lib/systemd/system/roundtap-panel.service").unlink()
    apply_settings(machine)
    assert "roundtap-panel.service" not in called.started()
    assert "roundtap-hub.service" in called.started()


def test_what_is_applied_twice_changes_nothing_the_second_time(tmp_path: Path) -> None:
    machine, _ = machine_in(
        tmp_path,
        "role=hub\nwifi=Store\nwifi_password=12345678\ncountry=DE\nlanguage=de\n"
        "name=hall-1\nport=/dev/serial0\nboard=waveshare-oled-hat",
    )
    first = apply_settings(machine)
    before = files_of(tmp_path)
    second = apply_settings(machine)
    assert first.restart
    assert "etc/hostname" in first.changed
    assert (second.changed, second.restart, second.notes) == ((), False, ())
    assert files_of(tmp_path) == before


def test_a_table_gets_only_what_was_said(tmp_path: Path) -> None:
    machine, _ = machine_in(
        tmp_path, "role = table\nlanguage = pl\nhub = 10.0.0.9\nboard = adafruit-oled-bonnet\nname = door"
    )
    apply_settings(machine)
    said = tomllib.loads((tmp_path / "etc/roundtap/table.toml").read_text())
    assert said == {"language": "pl", "hub": "http://10.0.0.9:8080", "board": "adafruit-oled-bonnet", "unit": "door"}
    assert set(said) <= {*COMMON_KEYS, *TABLE_KEYS}


def test_a_machine_of_which_nothing_is_said_gets_no_configuration(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, None)
    apply_settings(machine)
    assert not (tmp_path / "etc/roundtap").exists()
    assert not (tmp_path / "etc/hostname").exists()


def test_the_wifi_is_a_connection_that_only_root_reads(tmp_path: Path) -> None:
    machine, called = machine_in(tmp_path, 'country=DE\nwifi=Café Ümlaut\nwifi_password="back\\slash ;x"')
    apply_settings(machine)
    path = tmp_path / WIFI
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    said = configparser.RawConfigParser(comment_prefixes="#")
    said.read(path)
    assert bytes(map(int, said["wifi"]["ssid"].rstrip(";").split(";"))).decode() == "Café Ümlaut"
    assert said["wifi-security"]["psk"] == "back\\\\slash ;x"
    assert "nmcli connection reload" in called.all


def test_a_password_leaves_the_boot_partition_and_stays_in_use(tmp_path: Path) -> None:
    text = "# mine\r\nrole = table\r\nwifi = Store\r\ncountry = DE\r\nwifi_password = very secret\r\n# end"
    machine, _ = machine_in(tmp_path, text)
    apply_settings(machine)
    path = tmp_path / "boot/firmware/roundtap.txt"
    assert b"very secret" not in b"".join(path.read_bytes() for path in path.parent.iterdir())
    note = "# wifi_password: taken over; write a new line wifi_password = … to change it"
    assert path.read_bytes().replace(note.encode(), b"wifi_password = very secret") == text.encode()
    assert stat.S_IMODE((tmp_path / SECRETS).stat().st_mode) == 0o600
    (tmp_path / WIFI).unlink()
    apply_settings(machine)
    assert "psk=very secret" in (tmp_path / WIFI).read_text()


@pytest.mark.parametrize(
    "left", ["pin = 24681357", "hotspot_password = parlour-42", "hotspot = no\r\nhotspot_password = x1234567"]
)
def test_what_was_not_taken_over_is_not_wiped(tmp_path: Path, left: str) -> None:
    """A PIN on a table, a password without its network: told, and there when somebody mends the line beside it."""
    text = f"role=table\r\nwifi=Store\r\ncountry=DE\r\nwifi_password=very secret\r\n{left}\r\n"
    machine, _ = machine_in(tmp_path, text)
    told = apply_settings(machine).notes
    said = (tmp_path / "boot/firmware/roundtap.txt").read_text()
    assert "very secret" not in said
    assert left.splitlines()[-1] in said
    assert {one.key for one in told} & {"other_role", "password_alone"}


def test_the_rest_of_a_file_saved_as_unicode_survives_the_wiping(tmp_path: Path) -> None:
    text = "role = hub\r\nwifi = Würfel\r\ncountry = DE\r\nwifi_password = very secret\r\n"
    machine, _ = machine_in(tmp_path, b"\xff\xfe" + text.encode("utf-16-le"))
    apply_settings(machine)
    raw = (tmp_path / "boot/firmware/roundtap.txt").read_bytes()
    assert "very secret" not in raw.decode("utf-8")
    found, _ = read_settings(raw)
    assert (found.role, found.wifi, found.country, found.wifi_password) == ("hub", "Würfel", "DE", "")


def test_a_new_password_takes_the_old_one_s_place(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, "wifi=Store\ncountry=DE\nwifi_password=first one")
    apply_settings(machine)
    (tmp_path / "boot/firmware/roundtap.txt").write_text("wifi=Store\ncountry=DE\nwifi_password=second one")
    apply_settings(machine)
    assert json.loads((tmp_path / SECRETS).read_text()) == {"Store": "second one"}
    assert "psk=second one" in (tmp_path / WIFI).read_text()


def test_the_hub_s_pin_is_the_one_in_the_file_which_forgets_it(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, "role = hub\npin = Four words-of mine\n")
    assert apply_settings(machine).notes == ()
    assert verify_pin("fourwordsofmine", (tmp_path / "var/lib/roundtap/pin").read_text())
    assert "mine" not in (tmp_path / "boot/firmware/roundtap.txt").read_text()
    before = (tmp_path / "var/lib/roundtap/pin").read_text()
    apply_settings(machine)
    assert (tmp_path / "var/lib/roundtap/pin").read_text() == before


def test_a_pin_on_a_machine_that_is_no_hub_is_told_and_stays(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, "role = table\npin = 24681357\n")
    assert [one.key for one in apply_settings(machine).notes] == ["other_role"]
    assert not (tmp_path / "var/lib/roundtap").exists()
    assert "24681357" in (tmp_path / "boot/firmware/roundtap.txt").read_text()


def test_a_file_made_by_hand_is_left_alone_and_told(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, "role = table\nlanguage = de")
    hand = tmp_path / "etc/roundtap/table.toml"
    hand.parent.mkdir(parents=True)
    hand.write_text('unit = "table-1"\n')
    done = apply_settings(machine)
    assert hand.read_text() == 'unit = "table-1"\n'
    assert [(one.key, one.params["path"]) for one in done.notes] == [("by_hand", "/etc/roundtap/table.toml")]


def test_another_role_takes_the_files_of_the_last_one_away(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, "role = table\nlanguage = de\nwifi = a\ncountry = DE")
    apply_settings(machine)
    (tmp_path / "boot/firmware/roundtap.txt").write_text("role = hub\nlanguage = de")
    apply_settings(machine)
    assert not (tmp_path / "etc/roundtap/table.toml").exists()
    assert not (tmp_path / WIFI).exists()
    assert '"--language de ' in (tmp_path / "etc/roundtap/hub.env").read_text()


def with_role(folder: Path, role: str) -> tuple[Machine, Called]:
    """A machine of this role with all that is made on it meanwhile."""
    machine, called = machine_in(folder, f"role = {role}\n{EVERYTHING}")
    (folder / "boot/firmware/standby.toml").write_text('unit = "standby-1"\n')
    apply_settings(machine)
    if role == "hub":
        # As `roundtap hotspot on` and NetworkManager write it.
        for path in HOTSPOT_FILES:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text("{}")
    for service in role_services(Settings(role))[0]:
        data = folder / "var/lib" / service.removesuffix(".service")
        data.mkdir(parents=True, exist_ok=True)
        (data / "kept").write_text(role)
    return machine, called


@pytest.mark.parametrize(("before", "after"), list(permutations(ROLES, 2)))
def test_another_role_leaves_nothing_of_the_last_one_but_its_data(tmp_path: Path, before: str, after: str) -> None:
    machine, called = with_role(tmp_path / "changed", before)
    called.all.clear()
    set_role(machine, after)
    apply_settings(machine, wait=True)
    new, _ = machine_in(tmp_path / "new", f"role = {after}\n{EVERYTHING}")
    (tmp_path / "new/boot/firmware/standby.toml").write_text('unit = "standby-1"\n')
    apply_settings(new)
    found = files_of(tmp_path / "changed/etc")
    if (before, after) == ("hub", "standby"):
        # A standby may have the hub's Wi-Fi, as it takes the hub's place.
        found = {path: raw for path, raw in found.items() if f"etc/{path}" not in HOTSPOT_FILES}
    assert found == files_of(tmp_path / "new/etc")
    for service in role_services(Settings(before))[0]:
        assert (tmp_path / "changed/var/lib" / service.removesuffix(".service") / "kept").read_text() == before
    assert called.stopped() >= {*role_services(Settings(before))[0]} - {*role_services(Settings(after))[0]}
    # What it shares with those of the new role, folders and ports, is free before they start.
    stopping = next(n for n, call in enumerate(called.all) if " disable " in call)
    assert "--no-block" not in called.all[stopping]
    assert all(n > stopping for n, call in enumerate(called.all) if " start " in call)


def test_what_only_a_running_machine_keeps_of_a_role_is_given_back(tmp_path: Path) -> None:
    machine, called = with_role(tmp_path, "hub")
    called.all.clear()
    set_role(machine, "table")
    apply_settings(machine, wait=True)
    for call in (
        "nmcli connection reload",
        "systemd-umount /media/roundtap",
        "systemctl --quiet start --no-block getty@tty1.service",
        "systemctl --quiet try-restart --no-block avahi-daemon.service",
    ):
        assert call in called.all
    called.all.clear()
    apply_settings(machine)
    assert not any(word in call for call in called.all for word in ("nmcli", "umount", "getty", "avahi"))


def test_a_standby_s_key_written_by_hand_is_kept_in_every_role(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, "role = table")
    key = tmp_path / "etc/roundtap/standby.toml"
    key.parent.mkdir(parents=True)
    key.write_text('key = "the only one"\n')
    apply_settings(machine)
    assert key.is_file()


def test_the_hub_is_called_roundtap_and_a_table_by_its_board(tmp_path: Path) -> None:
    machine, called = machine_in(tmp_path, "role = hub")
    apply_settings(machine)
    assert (tmp_path / "etc/hostname").read_text() == "roundtap\n"
    assert "127.0.1.1\troundtap" in (tmp_path / "etc/hosts").read_text()
    assert "hostname roundtap" in called.all
    serial = tmp_path / "sys/firmware/devicetree/base/serial-number"
    serial.parent.mkdir(parents=True)
    serial.write_text("00000000C0FFEE99\0")
    set_role(machine, "table")
    apply_settings(machine)
    assert (tmp_path / "etc/hostname").read_text() == "roundtap-table-ee99\n"
    assert (tmp_path / "etc/hosts").read_text().count("127.0.1.1") == 1


def test_the_country_brings_its_time_zone_unless_one_is_said(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, "country = DE")
    apply_settings(machine)
    assert str((tmp_path / "etc/localtime").readlink()) == "/usr/share/zoneinfo/Europe/Berlin"


def test_a_board_of_one_s_own_is_copied_from_the_boot_partition(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, "role = table\nboard = our-box.toml")
    boot = tmp_path / "boot/firmware"
    (boot / "our-box.toml").write_text('like = "waveshare-oled-hat"\n')
    (boot / "custom.toml").write_text("[system]\n")
    apply_settings(machine)
    assert (tmp_path / "etc/roundtap/our-box.toml").read_text() == 'like = "waveshare-oled-hat"\n'
    assert not (tmp_path / "etc/roundtap/custom.toml").exists()
    assert 'board = "/etc/roundtap/our-box.toml"' in (tmp_path / "etc/roundtap/table.toml").read_text()
    assert "dtparam=spi=on" in (boot / "config.txt").read_text()


def test_a_machine_that_is_no_pi_keeps_its_settings_in_etc(tmp_path: Path) -> None:
    machine, called = machine_in(tmp_path, pi=False)
    assert set_role(machine, "hub") == tmp_path / "etc/roundtap/roundtap.txt"
    apply_settings(machine)
    assert "roundtap-hub.service" in called.started()
    assert not (tmp_path / "etc/hostname").exists()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"role = table\r\nlanguage = de\r\n",
        b"Rolle: Tisch\nlanguage = de",
        b"\xef\xbb\xbfrole=x",
        b"\xff\xfe" + "role = wall\r\nlanguage = de".encode("utf-16-le"),
    ],
)
def test_a_role_set_by_command_replaces_the_one_in_the_file(tmp_path: Path, raw: bytes) -> None:
    machine, _ = machine_in(tmp_path, raw)
    before = machine.settings()[0]
    set_role(machine, "hub")
    found, told = machine.settings()
    assert (found.role, told) == ("hub", [])
    assert found.language == before.language


def test_the_command_shows_sets_and_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine_in(tmp_path, "roel = hub\nlanguage = de")
    assert main(["role", "--root", str(tmp_path)]) == 0
    assert "Zeile 1" in capsys.readouterr().out
    assert (tmp_path / "boot/firmware/cmdline.txt").read_text() == CMDLINE


def test_a_folder_s_settings_tell_no_program_of_this_machine_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine_in(tmp_path, "role = hub\nname = not-this-one")

    def called(*words: object, **_: object) -> None:
        raise AssertionError(words)

    monkeypatch.setattr("subprocess.run", called)
    assert main(["role", "--apply", "--restart", "--root", str(tmp_path)]) == 0
    assert (tmp_path / "etc/hostname").read_text() == "not-this-one\n"
    capsys.readouterr()


def test_what_is_to_mend_is_written_beside_the_settings_for_notepad(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine_in(tmp_path, "role = hub\nlanguage = es\ncontry = ES")
    assert main(["role", "--apply", "--root", str(tmp_path)]) == 0
    said = (tmp_path / "boot/firmware/roundtap-says.txt").read_bytes()
    assert said.startswith(b"\xef\xbb\xbf")
    assert said.count(b"\n") == said.count(b"\r\n") > 1
    assert "línea 3: «contry» es desconocido. ¿Querías decir «country»?" in said.decode("utf-8-sig")
    capsys.readouterr()


def test_a_wall_without_a_browser_is_told_until_it_has_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine_in(tmp_path, "role = wall")
    programs = tmp_path / "usr/bin"
    programs.mkdir()
    said = tmp_path / "boot/firmware/roundtap-says.txt"
    for name, lacking in (("", "cage, chromium"), ("cage", "chromium"), ("chromium", "")):
        if name:
            (programs / name).touch(0o755)
        assert main(["role", "--apply", "--root", str(tmp_path)]) == 0
        assert (f"lacks: {lacking}." if lacking else "no errors") in said.read_text("utf-8-sig")
    capsys.readouterr()


def test_what_a_bundle_could_not_install_is_told_until_it_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine_in(tmp_path, "role = hub\nlanguage = en\n")
    left_out, installed = tmp_path / "var/lib/roundtap-bundle/left-out", tmp_path / "var/lib/dpkg/info"
    left_out.parent.mkdir(parents=True)
    installed.mkdir(parents=True)
    left_out.write_text("roundtap-wall libfribidi0 python3-lgpio\n")
    said = tmp_path / "boot/firmware/roundtap-says.txt"
    for name, lacking in (
        ("roundtap-wall.md5sums", "roundtap-wall, libfribidi0, python3-lgpio"),
        ("libfribidi0:arm64.list", "roundtap-wall, python3-lgpio"),
        ("roundtap-wall.list", "python3-lgpio"),
        ("python3-lgpio.list", ""),
    ):
        (installed / name).touch()
        assert main(["role", "--apply", "--root", str(tmp_path)]) == 0
        assert (f"left out: {lacking}." if lacking else "no errors") in said.read_text("utf-8-sig")
        # On a read-only root apt's work is gone at the next start; and no archive has the wall.
        assert ("read_only = no" in said.read_text("utf-8-sig")) is bool(lacking)
        assert "apt install" not in said.read_text("utf-8-sig")
        found = {check.key: check for check in check_health(MachineProbe(root=tmp_path), 0)}
        assert ("packages" in found) is bool(lacking)
        for language in LANGUAGES if lacking else ():
            assert lacking in found["packages"].finding(core_words(language))
            assert found["packages"].to_do(core_words(language))
    capsys.readouterr()


def test_no_other_role_wants_a_browser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine_in(tmp_path, "role = hub")
    assert main(["role", "--apply", "--root", str(tmp_path)]) == 0
    assert "chromium" not in capsys.readouterr().out


def test_the_hub_takes_a_stick_by_itself_and_no_other_machine_does(tmp_path: Path) -> None:
    machine, called = machine_in(tmp_path, "role = hub")
    rules = tmp_path / STICK_RULES
    apply_settings(machine)
    assert (tmp_path / "etc/roundtap/hub.env").read_text().endswith('ROUNDTAP_HUB="--stick /media/roundtap"\n')
    rule = rules.read_text().splitlines()[-1]
    assert rule.startswith('ACTION=="add", SUBSYSTEM=="block", ENV{ID_BUS}=="usb"')
    assert rule.count('"') % 2 == 0
    assert any(each.startswith("udevadm trigger") for each in called.all)
    # What unmounts it on the panel's wish finds it where it is mounted; what runs it may write there.
    assert STICK.startswith(STICKS)
    assert "ReadWritePaths=-/media\n" in (Path(__file__).parents[2] / "systemd/roundtap-hub.service").read_text()
    called.all.clear()
    apply_settings(machine)
    assert not any(each.startswith("udevadm") for each in called.all)
    set_role(machine, "table")
    apply_settings(machine)
    assert not rules.exists()


def test_the_hub_s_own_station_never_looks_for_another_hub(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, "role = hub\nlanguage = de\nhub = http://10.0.0.7:8080")
    apply_settings(machine)
    path = tmp_path / "etc/roundtap/station.toml"
    common, _ = read_unit_config(path, (), "station")
    assert common["local"] is True
    assert common["hubs"] == (("127.0.0.1", 8080),)
    set_role(machine, "printer")
    apply_settings(machine)
    assert "local" not in path.read_text()


@pytest.mark.parametrize(
    ("says", "starts", "expected"),
    [
        ("", True, None),
        ("panel = yes", True, True),
        ("board = adafruit-oled-bonnet", True, True),
        ("panel = no", False, None),
        ("panel = nein\nboard = recommended", False, None),
    ],
)
def test_a_hub_s_panel_is_there_absent_or_as_found(
    tmp_path: Path, says: str, starts: bool, expected: bool | None
) -> None:
    """A board that roundtap.txt names is one that somebody wired."""
    machine, called = machine_in(tmp_path, f"role = hub\nlanguage = de\n{says}")
    assert apply_settings(machine).notes == ()
    assert ("roundtap-panel.service" in called.started()) is starts
    assert ("roundtap-panel.service" in called.stopped()) is not starts
    path = tmp_path / "etc/roundtap/panel.toml"
    assert path.exists() is starts
    if starts:
        assert tomllib.loads(path.read_text()).get("expected") is expected
        assert read_panel_config(path).expected is bool(expected)


KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + "Ab0/" * 10 + "xyz tom@laptop"
HASH = "$6$salt.salt$" + "Zz9./" * 17 + "Z"


def test_a_key_lets_its_owner_in_by_ssh_and_switches_passwords_off_there(tmp_path: Path) -> None:
    machine, called = machine_in(tmp_path, f"role = hub\nssh_key = {KEY}\n")
    assert apply_settings(machine).notes == ()
    assert "useradd --create-home --gid users --shell /bin/bash pi" in called.all
    assert "usermod --append --groups sudo pi" in called.all
    assert "systemctl --quiet enable ssh.service" in called.all
    assert "ssh.service" in called.started()
    assert (tmp_path / "etc/roundtap/ssh_keys").read_text().splitlines()[1:] == [KEY]
    sshd = (tmp_path / "etc/ssh/sshd_config.d/00-roundtap.conf").read_text()
    assert "PasswordAuthentication no" in sshd
    assert "Match User pi" in sshd
    rights = tmp_path / "etc/sudoers.d/roundtap"
    assert "pi ALL=(ALL:ALL) NOPASSWD: ALL" in rights.read_text()
    assert stat.S_IMODE(rights.stat().st_mode) == 0o440
    # The line is the way in: without it there is none from the next start on.
    (tmp_path / "boot/firmware/roundtap.txt").write_text("role = hub\n")
    apply_settings(machine)
    assert not any(path.exists() for path in (rights, tmp_path / "etc/roundtap/ssh_keys"))


def test_a_hash_lets_a_user_in_at_the_keyboard_and_opens_no_ssh(tmp_path: Path) -> None:
    machine, called = machine_in(tmp_path, f"role = hub\nuser = tom\npassword_hash = {HASH}\n")
    (tmp_path / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\ntom:x:1000:1000::/home/tom:/bin/bash\n")
    assert apply_settings(machine).notes == ()
    assert not any(call.startswith("useradd") for call in called.all)
    assert "usermod --append --groups sudo tom" in called.all
    # Everybody may read the list of processes.
    assert called.given == [f"tom:{HASH}\n"]
    assert not any(HASH in call for call in called.all)
    assert not any("ssh" in call for call in called.all)
    assert not (tmp_path / "etc/sudoers.d/roundtap").exists()


@pytest.mark.parametrize("says", ["role = hub\n", f"role = hub\nuser = ada\nssh_key = {KEY}\n"])
def test_a_user_who_is_named_no_longer_is_locked_at_each_start(tmp_path: Path, says: str) -> None:
    """At each: on a read-only root the next one knows nothing of it."""
    machine, called = machine_in(tmp_path, f"role = hub\nuser = tom\nssh_key = {KEY}\npassword_hash = {HASH}\n")
    apply_settings(machine)
    assert not any("--lock" in call for call in called.all)
    (tmp_path / "etc/passwd").write_text("pi:x:1000:1000::/home/pi:/bin/bash\ntom:x:1001:100::/home/tom:/bin/bash\n")
    (tmp_path / "boot/firmware/roundtap.txt").write_text(says)
    for _ in range(2):
        called.all.clear()
        assert apply_settings(machine).notes == ()
        assert [call for call in called.all if "--lock" in call] == ["usermod --lock --groups users tom"]
    # A mistake in the file locks nobody out.
    (tmp_path / "boot/firmware/roundtap.txt").write_text("role = hub\nuser = tom\npassword_hash = tomtom\n")
    called.all.clear()
    assert apply_settings(machine).notes
    assert not any("--lock" in call for call in called.all)
    # Nor has SSH, which a key opened, passwords again.
    assert "PasswordAuthentication no" in (tmp_path / "etc/ssh/sshd_config.d/00-roundtap.conf").read_text()
    (tmp_path / "boot/firmware/roundtap.txt").write_text(f"role = hub\nuser = tom\npassword_hash = {HASH}\n")
    called.all.clear()
    apply_settings(machine)
    assert not any("tom" in call for call in called.all if "--lock" in call)


def test_a_password_that_is_written_no_longer_is_locked_while_the_key_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At each start again: a read-only root has the old password then."""
    machine, called = machine_in(tmp_path, f"role = hub\nuser = tom\nssh_key = {KEY}\npassword_hash = {HASH}\n")
    shadow = tmp_path / "etc/shadow"

    def locks(words: Sequence[str], given: str = "") -> int:
        if words[:2] == ["usermod", "--lock"]:
            shadow.write_text(f"tom:!{HASH}:20000:0:99999:7:::\n")
        return called(words, given)

    monkeypatch.setattr("roundtap.provisioning.applying.run_dry", locks)
    (tmp_path / "etc/passwd").write_text("tom:x:1001:100::/home/tom:/bin/bash\n")
    boot = tmp_path / "boot/firmware/roundtap.txt"
    shadow.write_text(f"root:*:1::\ntom:{HASH}:20000:0:99999:7:::\n")
    assert apply_settings(machine).locked == ()
    boot.write_text(f"role = hub\nuser = tom\nssh_key = {KEY}\n")
    for _ in range(2):
        shadow.write_text(f"root:*:1::\ntom:{HASH}:20000:0:99999:7:::\n")
        called.all.clear()
        assert main(["role", "--apply", "--root", str(tmp_path)]) == 0
        assert [call for call in called.all if "--lock" in call] == ["usermod --lock tom"]
        assert "usermod --append --groups sudo tom" in called.all
        assert "Password locked, as it is no longer in roundtap.txt: tom." in capsys.readouterr().out
    # It says so once it is done, and no more.
    (tmp_path / "etc/shadow").write_text(f"tom:!{HASH}:20000:0:99999:7:::\n")
    done = apply_settings(machine)
    assert (done.locked, done.notes) == ((), ())


@pytest.mark.parametrize(
    "mistake", ["password_hash = $6$short", "passwort_hash = x", "password_hash =", "country = Germania", "nonsense"]
)
def test_no_mistake_in_the_file_locks_a_password(tmp_path: Path, mistake: str) -> None:
    machine, called = machine_in(tmp_path, f"role = hub\nssh_key = {KEY}\npassword_hash = {HASH}\n")
    (tmp_path / "etc/passwd").write_text("pi:x:1000:100::/home/pi:/bin/bash\n")
    (tmp_path / "etc/shadow").write_text(f"pi:{HASH}:20000:0:99999:7:::\n")
    apply_settings(machine)
    (tmp_path / "boot/firmware/roundtap.txt").write_text(f"role = hub\nssh_key = {KEY}\n{mistake}\n")
    done = apply_settings(machine)
    assert done.notes
    assert done.locked == ()
    assert not any("--lock" in call for call in called.all)


THE_THREE = ("etc/roundtap/ssh_keys", "etc/ssh/sshd_config.d/00-roundtap.conf", "etc/sudoers.d/roundtap")
UNCLEAR = {
    "a key that is cut off": f"user = tom\nssh_key = {KEY[:60]}\n",
    "a key without its line's name": f"user = tom\n{KEY}\n",
    "a name with a capital": f"user = Tom\nssh_key = {KEY}\npassword_hash = {HASH}\n",
    "nothing for a name": f"user =\nssh_key = {KEY}\n",
    "a slip in the word user": f"usr = tom\nssh_key = {KEY}\n",
    "a name without the sign": f"user tom\nssh_key = {KEY}\n",
    "the word in another language": f"benutzer = tom\nssh_key = {KEY}\n",
    "both lines": f"user = Tom\nssh_key = {KEY[:60]}\n",
    "a service's account": f"user = pihole\nssh_key = {KEY}\npassword_hash = {HASH}\n",
    "a document of a word processor": "{\\rtf1 user = tom}",
    "everything behind #": "# role = hub\n",
}


@pytest.mark.parametrize("says", UNCLEAR.values(), ids=UNCLEAR)
def test_a_slip_in_the_file_shuts_nobody_out(tmp_path: Path, says: str) -> None:
    machine, called = machine_in(tmp_path, f"user = tom\nssh_key = {KEY}\n")
    (tmp_path / "etc/passwd").write_text("tom:x:1001:100::/home/tom:/bin/bash\npihole:x:999:999::/:/bin/false\n")
    apply_settings(machine)
    before = [(tmp_path / path).read_bytes() for path in THE_THREE]
    called.all.clear()
    (tmp_path / "boot/firmware/roundtap.txt").write_text(says)
    assert apply_settings(machine).notes
    assert [(tmp_path / path).read_bytes() for path in THE_THREE] == before
    assert not any(word in call for call in called.all for word in ("useradd", "chpasswd", "--lock", "sudo pi"))


def test_a_file_that_cannot_be_read_shuts_nobody_out(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, f"user = tom\nssh_key = {KEY}\n")
    apply_settings(machine)
    before = [(tmp_path / path).read_bytes() for path in THE_THREE]
    path = tmp_path / "boot/firmware/roundtap.txt"
    path.unlink()
    path.mkdir()
    apply_settings(machine)
    assert [(tmp_path / path).read_bytes() for path in THE_THREE] == before


@pytest.mark.parametrize("name", ["user = Tom", "usr = tom", "user tom", "user ="])
def test_a_key_of_nobody_knows_whom_is_given_to_nobody(tmp_path: Path, name: str) -> None:
    machine, called = machine_in(tmp_path, f"{name}\nssh_key = {KEY}\npassword_hash = {HASH}\n")
    assert apply_settings(machine).notes
    assert not any((tmp_path / path).exists() for path in THE_THREE)
    assert not any(word in call for call in called.all for word in ("useradd", "chpasswd", "usermod"))


def test_a_slip_elsewhere_keeps_no_key_from_its_owner(tmp_path: Path) -> None:
    machine, called = machine_in(tmp_path, f"ssh_key = {KEY}\n")
    apply_settings(machine)
    (tmp_path / "boot/firmware/roundtap.txt").write_text(
        f"ssh_key = {KEY.replace('xyz', 'abc')}\npassword_hash = {HASH}\ncountry = Germania\n"
    )
    apply_settings(machine)
    assert "abc tom@laptop" in (tmp_path / "etc/roundtap/ssh_keys").read_text()
    assert called.given == [f"pi:{HASH}\n"]


HINTS = {
    "other_role": "role = table\npin = four of my words\n",
    "no_country": "role = hub\nwifi = Hall\nwifi_password = rainbow-7\n",
    "wifi_open": "role = hub\ncountry = DE\nwifi = Hall\n",
    "comment": "role = hub\ncountry = DE\nwifi = Hall # by the door\nwifi_password = rainbow-7\n",
    "wifi_and_hotspot": "role = hub\ncountry = DE\nwifi = Hall\nwifi_password = rainbow-7\nhotspot = yes\n",
    "password_alone": "role = hub\nwifi_password = rainbow-7\n",
    "port_unknown": "role = printer\nport = /dev/serial0\n",
    "hub_is_self": "role = table\nname = table-7\nhub = table-7.local\n",
    "name_of_hub": "role = table\nname = roundtap\n",
    "user_alone": "role = table\nuser = ada\n",
    "no_standby_file": "role = standby\n",
    "board.on_at_reset": "role = table\nboard = our-box.toml\n",
}


@pytest.mark.parametrize("key", HINTS)
def test_a_hint_keeps_no_way_in_open(tmp_path: Path, key: str) -> None:
    """It is about lines that were read: what the file names is certain."""
    machine, called = machine_in(tmp_path, f"user = tom\nssh_key = {KEY}\npassword_hash = {HASH}\n")
    (tmp_path / "boot/firmware/our-box.toml").write_text("buzzer_active_low = true")
    (tmp_path / "proc/device-tree").mkdir(parents=True)
    (tmp_path / "proc/device-tree/model").write_text("Raspberry Pi 6 Model B Rev 1.0\0")
    apply_settings(machine)
    (tmp_path / "etc/passwd").write_text("tom:x:1001:100::/home/tom:/bin/bash\n")
    (tmp_path / "boot/firmware/roundtap.txt").write_text(HINTS[key])
    assert [note.key for note in apply_settings(machine).notes] == [key]
    assert "usermod --lock --groups users tom" in called.all
    assert not (tmp_path / THE_THREE[0]).exists()


def test_a_password_from_elsewhere_is_left_alone(tmp_path: Path) -> None:
    """Imager gave it: roundtap.txt never had one."""
    machine, called = machine_in(tmp_path, f"role = hub\nssh_key = {KEY}\n")
    (tmp_path / "etc/passwd").write_text("pi:x:1000:100::/home/pi:/bin/bash\n")
    (tmp_path / "etc/shadow").write_text(f"pi:{HASH}:20000:0:99999:7:::\n")
    for _ in range(2):
        assert apply_settings(machine).locked == ()
    assert not any("--lock" in call for call in called.all)


@pytest.mark.parametrize("verb", ["enable", "start --no-block"])
def test_a_service_that_systemd_refuses_is_told_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    machine, called = machine_in(tmp_path, "role = hub\n")
    monkeypatch.setattr("roundtap.provisioning.applying.run_dry", called)
    called.refused = f"{verb} roundtap-panel.service"
    assert [note.key for note in apply_settings(machine).notes] == ["refused"]
    assert main(["role", "hub", "--root", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "these services do not start: roundtap-panel.service" in said
    assert "systemctl unmask roundtap-panel.service" in said
    # One by one: the others start.
    assert {"roundtap-hub.service", "roundtap-wall.service"} <= called.started()


def test_what_programs_say_themselves_is_not_repeated(capfd: pytest.CaptureFixture[str]) -> None:
    """Seen: "Created symlink /etc/systemd/system/…", "Unit roundtap-panel.service is masked"."""
    loud = "echo 'Created symlink /etc/x'; echo 'Unit is masked' >&2; cat; exit 3"
    assert run_quietly(["sh", "-c", loud], "a password") == 3
    assert run_quietly(["no-such-program"]) == 127
    assert capfd.readouterr() == ("", "")


def test_a_standby_has_the_panel_that_makes_it_the_hub(tmp_path: Path) -> None:
    """The page for the hall sends people to it."""
    machine, called = machine_in(tmp_path, "role = standby\nlanguage = pl\nboard = adafruit-oled-bonnet\n")
    (tmp_path / "boot/firmware/standby.toml").write_text(
        f'hub = "http://10.42.0.1:8080"\nunit = "standby-1"\nkey = "{"ab" * 32}"\n'
    )
    assert apply_settings(machine).notes == ()
    assert called.started() == {"roundtap-standby.service", "roundtap-panel.service"}
    panel = read_panel_config(tmp_path / "etc/roundtap/panel.toml")
    assert (panel.language, panel.expected) == ("pl", True)
    (tmp_path / "boot/firmware/roundtap.txt").write_text("role = standby\npanel = no\n")
    assert apply_settings(machine).notes == ()
    assert "roundtap-panel.service" in called.stopped()


@pytest.mark.parametrize("name", ["pihole", "_chrony"])
def test_an_account_of_a_service_is_nobody_who_looks_after_the_machine(tmp_path: Path, name: str) -> None:
    machine, called = machine_in(tmp_path, f"role = hub\nuser = {name}\npassword_hash = {HASH}\n")
    (tmp_path / "etc/passwd").write_text(f"{name}:x:999:999::/:/usr/sbin/nologin\n")
    assert [note.key for note in apply_settings(machine).notes] == ["user"]
    assert not any(name in text for text in (*called.all, *called.given))


def test_a_user_who_could_not_be_made_is_told(tmp_path: Path) -> None:
    _, called = machine_in(tmp_path, f"role = hub\nuser = tom\npassword_hash = {HASH}\n")
    full = Machine(tmp_path, lambda words, given="": called(words, given) or (10 if words[0] == "useradd" else 0))
    notes = apply_settings(full).notes
    assert [(note.key, dict(note.params)) for note in notes] == [("user_failed", {"program": "useradd", "code": 10})]


def test_a_machine_that_names_nobody_lets_nobody_in(tmp_path: Path) -> None:
    machine, called = machine_in(tmp_path, "role = hub\n")
    apply_settings(machine)
    assert not any("user" in call or "ssh" in call for call in called.all)


def test_a_new_hub_shows_a_new_pin_at_each_start_until_somebody_logged_in(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, "role = hub\n")
    shown, hub = tmp_path / "run/roundtap-new-pin", tmp_path / "var/lib/roundtap"
    pins = []
    for _ in range(2):
        apply_settings(machine)
        pins.append(shown.read_text().split(": ")[1].strip())
        assert verify_pin(pins[-1], (hub / "pin").read_text())
        assert stat.S_IMODE(shown.stat().st_mode) == 0o640
        shown.unlink()
    assert pins[0] != pins[1]
    (hub / "sessions.json").touch()
    before = (hub / "pin").read_text()
    apply_settings(machine)
    assert not shown.exists()
    assert (hub / "pin").read_text() == before


def test_a_pin_that_was_used_stays_also_without_the_sessions(tmp_path: Path) -> None:
    """`roundtap recover` on the same card leaves none, nor does a logout on a full disk."""
    machine, _ = machine_in(tmp_path, "role = hub\n")
    shown, hub = tmp_path / "run/roundtap-new-pin", tmp_path / "var/lib/roundtap"
    apply_settings(machine)
    shown.unlink()
    before = (hub / "pin").read_text()
    (hub / "sessions.json").touch()
    apply_settings(machine)
    (hub / "sessions.json").unlink()
    apply_settings(machine)
    assert not shown.exists()
    assert (hub / "pin").read_text() == before


@pytest.mark.parametrize("start", [1, 2])
@pytest.mark.parametrize("cut", range(10))
def test_a_plug_pulled_while_a_pin_is_made_leaves_one_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: int, cut: int
) -> None:
    machine, _ = machine_in(tmp_path, "role = hub\n")
    shown = tmp_path / "run/roundtap-new-pin"
    for _ in range(start - 1):
        apply_settings(machine)
        shown.unlink()
    steps = count()

    def pulled(real: Any) -> Any:
        def change(*args: Any, **named: Any) -> Any:
            if "pin" in Path(args[0]).name and next(steps) == cut:
                raise KeyboardInterrupt
            return real(*args, **named)

        return change

    with monkeypatch.context() as plug:
        for name in ("os.replace", "os.rename", "os.unlink"):
            module, _, function = name.rpartition(".")
            plug.setattr(name, pulled(getattr(importlib.import_module(module), function)))
        with suppress(KeyboardInterrupt):
            apply_settings(machine)
    shown.unlink(missing_ok=True)
    apply_settings(machine)
    assert verify_pin(shown.read_text().split(": ")[1].strip(), (tmp_path / "var/lib/roundtap/pin").read_text())


def test_a_machine_that_is_no_hub_any_more_shows_no_pin(tmp_path: Path) -> None:
    """A wall would wait for somebody to log in with it."""
    machine, _ = machine_in(tmp_path, "role = hub\n")
    apply_settings(machine)
    set_role(machine, "wall")
    apply_settings(machine, wait=True)
    assert not (tmp_path / "run/roundtap-new-pin").exists()


@pytest.mark.parametrize("says", ["role = hub\npin = four of my words", "role = table", "role = standby"])
def test_no_pin_is_shown_where_there_is_one_or_none_is_wanted(tmp_path: Path, says: str) -> None:
    machine, _ = machine_in(tmp_path, says)
    for _ in range(2):
        apply_settings(machine)
        assert not (tmp_path / "run/roundtap-new-pin").exists()


def test_a_pin_that_was_changed_before_the_first_login_stays(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, "role = hub\n")
    apply_settings(machine)
    hashed = write_pin(tmp_path / "var/lib/roundtap/pin", "made on the panel")
    (tmp_path / "run/roundtap-new-pin").unlink()
    apply_settings(machine)
    assert (tmp_path / "var/lib/roundtap/pin").read_text() == hashed
    assert not (tmp_path / "run/roundtap-new-pin").exists()


def test_a_machine_without_a_card_leaves_the_pin_to_its_hub(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, pi=False)
    set_role(machine, "hub")
    apply_settings(machine)
    assert not (tmp_path / "var/lib/roundtap/pin").exists()


@pytest.mark.parametrize(
    ("role", "total_kb", "warned"), [("wall", 426_000, True), ("wall", 948_000, False), ("table", 426_000, False)]
)
def test_a_wall_on_half_a_gigabyte_is_told_at_once_and_starts_all_the_same(
    tmp_path: Path, role: str, total_kb: int, warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    machine_in(tmp_path, f"role = {role}\nlanguage = en")
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text(f"MemTotal: {total_kb} kB\nMemAvailable: 300000 kB\n")
    assert main(["role", "--apply", "--root", str(tmp_path)]) == 0
    assert ("Better: a Pi with 1 GB or more." in capsys.readouterr().out) is warned


@pytest.mark.parametrize(
    ("line", "told"), [("", True), (f"ssh_key = {KEY}", False), ("user = tom\npassword_hash = " + HASH, False)]
)
def test_whoever_looks_for_a_login_finds_that_none_is_set_up(tmp_path: Path, line: str, told: bool) -> None:
    machine_in(tmp_path, f"role = table\nlanguage = en\n{line}\n")
    assert main(["role", "--apply", "--root", str(tmp_path)]) == 0
    says = (tmp_path / "boot/firmware/roundtap-says.txt").read_text("utf-8-sig")
    assert ("No login is set up. If you need one, add ssh_key, or user and password_hash" in says) is told


ACCOUNTS = f"""\
root:{HASH}:20000:0:99999:7:::
daemon:*:20000:0:99999:7:::
roundtap-hub:{HASH}:20000:0:99999:7:::
"""


@pytest.mark.parametrize(
    ("account", "told"),
    [(f"pi:{HASH}", False), ("pi:!", True), (f"pi:!{HASH}", True), ("pi:*", True), ("", True)],
)
def test_a_person_s_password_is_a_login_wherever_it_came_from(tmp_path: Path, account: str, told: bool) -> None:
    machine_in(tmp_path, "role = table\nlanguage = en\n")
    etc = tmp_path / "etc"
    (etc / "passwd").write_text(
        "root:x:0:0::/root:/bin/bash\nroundtap-hub:x:990:990::/:/bin/false\npi:x:1000:1000:Pi,,,:/home/pi:/bin/bash\n"
    )
    (etc / "shadow").write_text(f"{ACCOUNTS}{account}:20000:0:99999:7:::\n")
    assert main(["role", "--apply", "--root", str(tmp_path)]) == 0
    assert ("No login is set up." in (tmp_path / "boot/firmware/roundtap-says.txt").read_text("utf-8-sig")) is told


@pytest.mark.parametrize(("home", "told"), [("home/pi", False), ("srv/pi", False), ("root", True), ("home/gone", True)])
def test_a_person_s_own_key_is_a_login_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], home: str, told: bool
) -> None:
    machine_in(tmp_path, "role = table\nlanguage = en\n")
    (tmp_path / home / ".ssh").mkdir(parents=True)
    (tmp_path / home / ".ssh/authorized_keys").write_text(f"{KEY}\n")
    person = home if home.endswith("pi") else "home/pi"
    (tmp_path / "etc/passwd").write_text(f"root:x:0:0::/root:/bin/bash\npi:x:1000:1000::/{person}:/bin/bash\n")
    assert main(["role", "--root", str(tmp_path)]) == 0
    assert ("No login is set up." in capsys.readouterr().out) is told


def test_what_imager_set_is_no_login_unless_it_made_a_user(tmp_path: Path) -> None:
    machine_in(tmp_path, "role = table\nlanguage = en\n")
    (tmp_path / "var/lib/roundtap-machine").mkdir(parents=True)
    (tmp_path / "var/lib/roundtap-machine/from-imager").write_text("hostname, timezone")
    assert main(["role", "--apply", "--root", str(tmp_path)]) == 0
    says = (tmp_path / "boot/firmware/roundtap-says.txt").read_text("utf-8-sig")
    assert "Raspberry Pi Imager: hostname, timezone." in says
    assert "No login is set up." in says


def test_a_key_that_goes_on_behind_a_slip_is_a_login(tmp_path: Path) -> None:
    machine_in(tmp_path, f"role = table\nlanguage = en\nssh_key = {KEY}\n")
    for says in (f"ssh_key = {KEY}", "ssh_key = cut off"):
        (tmp_path / "boot/firmware/roundtap.txt").write_text(f"role = table\nlanguage = en\n{says}\n")
        assert main(["role", "--apply", "--root", str(tmp_path)]) == 0
        assert "No login" not in (tmp_path / "boot/firmware/roundtap-says.txt").read_text("utf-8-sig")


def test_of_accounts_that_only_root_reads_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever asks without sudo is logged in."""
    machine_in(tmp_path, "role = table\nlanguage = en\n")
    (tmp_path / "etc/passwd").write_text("pi:x:1000:1000::/home/pi:/bin/bash\n")
    (tmp_path / "etc/shadow").write_text("pi:!:20000:0:99999:7:::\n")
    read = Path.read_text

    def guarded(path: Path, *args: Any, **named: Any) -> str:
        if path.name == "shadow":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path, *args, **named)

    monkeypatch.setattr(Path, "read_text", guarded)
    assert main(["role", "--root", str(tmp_path)]) == 0
    assert "No login" not in capsys.readouterr().out


@pytest.mark.parametrize(("line", "hidden"), [("", None), ("wifi_hidden = no", None), ("hidden: yes", "true")])
def test_a_wi_fi_that_hides_its_name_is_asked_for_by_name(tmp_path: Path, line: str, hidden: str | None) -> None:
    machine, _ = machine_in(tmp_path, f"country = DE\nwifi = Back room\nwifi_password = rainbow-7\n{line}\n")
    assert apply_settings(machine).notes == ()
    profile = configparser.ConfigParser()
    profile.read_string((tmp_path / WIFI).read_text())
    assert profile["wifi"].get("hidden") == hidden
