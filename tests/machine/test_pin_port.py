"""A printer on the header's pins: each start writes the line for the model that it is on, and a wrong port is named."""

import tomllib
from pathlib import Path

import pytest
from machine_kit import CMDLINE, CONFIG, Called, machine_in

from roundtap.provisioning.applying import Machine, apply_settings
from roundtap_core.words import LANGUAGES, catalogue

PI_3, PI_3_PLUS, PI_3_A = (
    "Raspberry Pi 3 Model B Rev 1.2",
    "Raspberry Pi 3 Model B Plus Rev 1.3",
    "Raspberry Pi 3 Model A Plus Rev 1.0",
)
PI_4, PI_400, CM_4 = (
    "Raspberry Pi 4 Model B Rev 1.5",
    "Raspberry Pi 400 Rev 1.0",
    "Raspberry Pi Compute Module 4 Rev 1.1",
)
PI_5, PI_500, CM_5 = (
    "Raspberry Pi 5 Model B Rev 1.0",
    "Raspberry Pi 500 Rev 1.0",
    "Raspberry Pi Compute Module 5 Rev 1.0",
)
ZERO_W, ZERO_2_W = "Raspberry Pi Zero W Rev 1.1", "Raspberry Pi Zero 2 W Rev 1.0"
LINES = {"enable_uart=1", "dtparam=uart0=on"}


def put_into(machine: Machine, model: str) -> None:
    """Move the card into another model."""
    tree = machine.root / "proc/device-tree"
    tree.mkdir(parents=True, exist_ok=True)
    (tree / "model").write_text(f"{model}\0")


def printer_at(folder: Path, port: str, model: str) -> tuple[Machine, Called]:
    machine, called = machine_in(folder, f"role = printer\nport = {port}\n")
    put_into(machine, model)
    return machine, called


def written(machine: Machine) -> tuple[set[str], list[str], str]:
    """(our lines for the serial port, the consoles that stay, the port that the station gets)."""
    boot = machine.root / "boot/firmware"
    words = (boot / "cmdline.txt").read_text().split()
    station = machine.root / "etc/roundtap/station.toml"
    return (
        LINES & {*(boot / "config.txt").read_text().splitlines()},
        [word for word in words if word.startswith("console=")],
        tomllib.loads(station.read_text()).get("device", "") if station.exists() else "",
    )


@pytest.mark.parametrize("model", [PI_3, PI_3_PLUS, PI_3_A, PI_4, PI_400, CM_4, ZERO_W, ZERO_2_W])
@pytest.mark.parametrize("port", ["/dev/serial0", "/dev/ttyS0"])
def test_with_bluetooth_the_header_is_the_primary_uart(tmp_path: Path, model: str, port: str) -> None:
    machine, called = printer_at(tmp_path, port, model)
    done = apply_settings(machine)
    assert (done.notes, done.restart) == ((), True)
    assert written(machine) == ({"enable_uart=1"}, ["console=tty1"], "/dev/serial0")
    assert any("mask" in call and "serial-getty@ttyS0.service" in call for call in called.all)


@pytest.mark.parametrize("model", [PI_5, PI_500, CM_5])
def test_on_a_pi_5_it_is_uart0_of_the_other_chip(tmp_path: Path, model: str) -> None:
    machine, called = printer_at(tmp_path, "/dev/ttyAMA0", model)
    done = apply_settings(machine)
    assert (done.notes, done.restart) == ((), True)
    assert written(machine) == ({"dtparam=uart0=on"}, ["console=tty1"], "/dev/ttyAMA0")
    assert any("mask" in call and "serial-getty@ttyAMA0.service" in call for call in called.all)


@pytest.mark.parametrize(
    ("model", "port", "right"),
    [
        (PI_5, "/dev/serial0", "/dev/ttyAMA0"),
        (PI_500, "/dev/ttyAMA10", "/dev/ttyAMA0"),
        (CM_5, "/dev/ttyS0", "/dev/ttyAMA0"),
        (PI_3, "/dev/ttyAMA0", "/dev/serial0"),
        (PI_4, "/dev/ttyAMA0", "/dev/serial0"),
        (ZERO_2_W, "/dev/ttyAMA0", "/dev/serial0"),
        (PI_400, "/dev/serial1", "/dev/serial0"),
    ],
)
def test_the_wrong_port_is_refused_with_the_right_one(tmp_path: Path, model: str, port: str, right: str) -> None:
    machine, called = printer_at(tmp_path, port, model)
    [note] = apply_settings(machine).notes
    assert note.line == 2
    for language in LANGUAGES:
        text = note.text(catalogue("roundtap", language))
        assert all(words in text for words in (f"port = {port}", f"{right}.", model)), text
    assert written(machine) == (set(), ["console=serial0,115200", "console=tty1"], "")
    assert not any("serial-getty" in call for call in called.all)


def test_an_overlay_that_takes_bluetooth_away_frees_its_port(tmp_path: Path) -> None:
    machine, _ = printer_at(tmp_path, "/dev/ttyAMA0", PI_4)
    (tmp_path / "boot/firmware/config.txt").write_text(CONFIG + "dtoverlay=disable-bt\n")
    assert apply_settings(machine).notes == ()
    assert written(machine)[2] == "/dev/serial0"


def test_a_model_that_is_not_known_is_told_to_be_looked_at_and_refused_nothing(tmp_path: Path) -> None:
    machine, _ = printer_at(tmp_path, "/dev/ttyAMA0", "Raspberry Pi 6 Model B Rev 1.0")
    [note] = apply_settings(machine).notes
    assert note.line == 2
    for language in LANGUAGES:
        text = note.text(catalogue("roundtap", language))
        assert all(words in text for words in ("Raspberry Pi 6 Model B Rev 1.0", "8", "10", "config.txt")), text
    assert written(machine) == (LINES, ["console=tty1"], "/dev/ttyAMA0")


def test_a_machine_that_is_no_pi_may_have_a_printer_on_its_first_serial_port(tmp_path: Path) -> None:
    machine, _ = machine_in(tmp_path, "role = printer\nport = /dev/ttyS0\n")
    assert apply_settings(machine).notes == ()
    assert written(machine)[2] == "/dev/ttyS0"


def test_a_card_in_another_model_is_right_again_after_one_restart(tmp_path: Path) -> None:
    machine, _ = printer_at(tmp_path, "/dev/serial0", PI_3)
    apply_settings(machine)
    put_into(machine, PI_4)
    assert not apply_settings(machine).restart
    put_into(machine, PI_5)
    moved = apply_settings(machine)
    assert ([note.line for note in moved.notes], moved.restart) == ([2], True)
    (tmp_path / "boot/firmware/roundtap.txt").write_text("role = printer\nport = /dev/ttyAMA0\n")
    mended = apply_settings(machine)
    assert (mended.notes, mended.restart) == ((), True)
    assert written(machine)[0] == {"dtparam=uart0=on"}
    assert not apply_settings(machine).restart


@pytest.mark.parametrize("role", ["table", "wall", "standby", ""])
def test_a_role_without_a_printer_leaves_pins_and_console_as_they_are(tmp_path: Path, role: str) -> None:
    machine, called = machine_in(tmp_path, f"role = {role}\nport = /dev/serial0\n")
    put_into(machine, PI_4)
    assert "other_role" in [note.key for note in apply_settings(machine).notes] or not role
    assert written(machine)[:2] == (set(), [word for word in CMDLINE.split() if word.startswith("console=")])
    assert not any("serial-getty" in call for call in called.all)


def test_a_hub_has_a_printer_on_its_pins_too(tmp_path: Path) -> None:
    machine, called = machine_in(tmp_path, "role = hub\nport = /dev/serial0\n")
    put_into(machine, PI_4)
    apply_settings(machine)
    assert written(machine)[:2] == ({"enable_uart=1"}, ["console=tty1"])
    assert any("serial-getty" in call for call in called.all)


def test_a_printer_on_usb_leaves_pins_and_console_as_they_are(tmp_path: Path) -> None:
    machine, called = printer_at(tmp_path, "/dev/usb/lp0", PI_5)
    apply_settings(machine)
    assert written(machine)[:2] == (set(), [word for word in CMDLINE.split() if word.startswith("console=")])
    assert not any("serial-getty" in call for call in called.all)
