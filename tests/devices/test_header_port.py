"""The serial port on the header's pins, by the names that the device tree has for each model."""

from pathlib import Path

import pytest

from roundtap_devices.printing.header_port import TAKEN_FOR_IT, header_port
from roundtap_devices.printing.ports import CONSOLE, find_ports

# /proc/device-tree/model of each: the base trees of raspberrypi/linux, with the revision that the firmware adds.
PI_5 = (
    "Raspberry Pi 5 Model B Rev 1.0",
    "Raspberry Pi 5 Model B Rev 1.1",
    "Raspberry Pi 500 Rev 1.0",
    "Raspberry Pi Compute Module 5 Rev 1.0",
    "Raspberry Pi Compute Module 5 Lite Rev 1.0",
)
WITH_BLUETOOTH = (
    "Raspberry Pi 3 Model B Rev 1.2",
    "Raspberry Pi 3 Model B Plus Rev 1.3",
    "Raspberry Pi 3 Model A Plus Rev 1.0",
    "Raspberry Pi 4 Model B Rev 1.5",
    "Raspberry Pi 400 Rev 1.0",
    "Raspberry Pi Compute Module 4 Rev 1.0",
    "Raspberry Pi Zero W Rev 1.1",
    "Raspberry Pi Zero 2 W Rev 1.0",
)
WITHOUT = (
    "Raspberry Pi 2 Model B Rev 1.2",
    "Raspberry Pi Model B Plus Rev 1.2",
    "Raspberry Pi Zero Rev 1.3",
    "Raspberry Pi Compute Module 3 Plus Rev 1.0",
    "Raspberry Pi Compute Module 4S Rev 1.0",
)
UNKNOWN = ("", "Raspberry Pi 6 Model B Rev 1.0", "Raspberry Pi Compute Module 6 Rev 1.0", "LENOVO 20S0")


def wrong_ones(model: str, config: str = "") -> set[str]:
    return {*TAKEN_FOR_IT} - {*header_port(model, config).names}


@pytest.mark.parametrize("model", PI_5)
def test_on_a_pi_5_serial0_is_the_debug_socket(model: str) -> None:
    port = header_port(f"{model}\0")
    assert (port.path, port.config) == ("/dev/ttyAMA0", ("dtparam=uart0=on",))
    assert wrong_ones(model) == {"/dev/serial0", "/dev/serial1", "/dev/ttyAMA10", "/dev/ttyS0"}


@pytest.mark.parametrize("model", WITH_BLUETOOTH)
def test_where_there_is_bluetooth_it_has_the_first_uart(model: str) -> None:
    port = header_port(f"{model}\0")
    assert (port.path, port.config) == ("/dev/serial0", ("enable_uart=1",))
    assert wrong_ones(model) == {"/dev/ttyAMA0", "/dev/serial1", "/dev/ttyAMA10"}


@pytest.mark.parametrize("line", ["dtoverlay=disable-bt", "  dtoverlay=miniuart-bt", "dtoverlay=pi3-disable-bt,x=1"])
def test_an_overlay_gives_bluetooth_s_uart_to_the_header(line: str) -> None:
    config = f"[all]\r\n{line}\r\ndtparam=audio=on\r\n"
    assert wrong_ones(WITH_BLUETOOTH[0], config) == {"/dev/ttyS0", "/dev/serial1", "/dev/ttyAMA10"}
    assert "/dev/ttyAMA0" in wrong_ones(WITH_BLUETOOTH[0], config.replace("dtoverlay", "#dtoverlay"))
    assert header_port(PI_5[0], config).path == "/dev/ttyAMA0"


@pytest.mark.parametrize(
    "config",
    [
        "dtoverlay=disable-bt-later\n",
        "dtoverlay=miniuart-bt_2\n",
        "[pi5]\ndtoverlay=disable-bt\n",
        "[cm5]\r\ndtoverlay=disable-bt\r\n[all]\r\n",
        "[all]\nx=1\n [pi02]\ny=2\ndtoverlay=miniuart-bt\n[pi5]\nz=3",
        "[none]\ndtoverlay=disable-bt\n",
        "[pi5]\n[gpio4=1]\ndtoverlay=disable-bt\n",
    ],
)
def test_what_counts_for_another_model_or_is_another_overlay_moves_nothing(config: str) -> None:
    assert "/dev/ttyAMA0" in wrong_ones("Raspberry Pi 4 Model B Rev 1.5", config)


@pytest.mark.parametrize(
    "config",
    [
        "[pi5]\nx=1\n[all]\ndtoverlay=disable-bt",
        "dtoverlay=disable-bt\n[pi5]\nx=1\n",
        "[cm4]\n[all]\ndtoverlay=disable-bt\n",
    ],
)
def test_what_counts_for_all_models_counts_behind_a_section_too(config: str) -> None:
    assert "/dev/ttyAMA0" not in wrong_ones("Raspberry Pi 4 Model B Rev 1.5", config)


@pytest.mark.parametrize("model", WITHOUT)
def test_where_there_is_none_the_first_uart_is_the_header_s(model: str) -> None:
    assert header_port(model).path == "/dev/serial0"
    assert wrong_ones(model) == {"/dev/ttyS0", "/dev/serial1", "/dev/ttyAMA10"}


@pytest.mark.parametrize("model", UNKNOWN)
def test_of_a_model_that_is_not_known_nothing_is_said(model: str) -> None:
    port = header_port(model)
    assert (port.path, wrong_ones(model)) == ("", set())
    assert port.config == ("enable_uart=1", "dtparam=uart0=on"), "one of them has been right on every model so far"


def machine(root: Path, model: str, *names: str, console: str = "tty1") -> Path:
    """What udev shows of the serial ports: "serial0 -> ttyS0"."""
    for path, text in (("proc/device-tree/model", f"{model}\0"), ("proc/cmdline", f"console={console} quiet")):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "dev").mkdir()
    for name in names:
        link, _, device = name.partition(" -> ")
        (root / "dev" / (device or link)).touch()
        if device:
            (root / "dev" / link).symlink_to(device)
    return root


def test_a_pi_5_s_printer_is_looked_for_at_its_header(tmp_path: Path) -> None:
    root = machine(tmp_path, PI_5[0], "serial0 -> ttyAMA10", "ttyAMA0", console="ttyAMA10,115200")
    assert [(port.id.removeprefix(str(root)), port.refused) for port in find_ports(root)] == [("/dev/ttyAMA0", "")]


def test_a_pi_5_without_its_line_has_no_port_to_offer(tmp_path: Path) -> None:
    assert find_ports(machine(tmp_path, PI_5[0], "serial0 -> ttyAMA10")) == []


def test_a_pi_5_s_console_moved_to_the_header_keeps_the_printer_off(tmp_path: Path) -> None:
    [port] = find_ports(machine(tmp_path, PI_5[0], "serial0 -> ttyAMA10", "ttyAMA0", console="ttyAMA0,115200"))
    assert port.refused == CONSOLE


def test_on_a_pi_4_it_is_looked_for_at_serial0(tmp_path: Path) -> None:
    root = machine(tmp_path, WITH_BLUETOOTH[3], "serial0 -> ttyS0", "serial1 -> ttyAMA0")
    assert [port.id.removeprefix(str(root)) for port in find_ports(root)] == ["/dev/serial0"]
