"""Ports a printer is plugged into: found in a made-up /dev and /sys, named for good, refused with the reason."""

import os
import tty
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from roundtap_devices.printing.escpos_job import compose_job
from roundtap_devices.printing.ports import (
    PINS,
    SERIAL,
    USB,
    PortUnavailable,
    UsbPort,
    choose_port,
    find_ports,
    open_port,
)
from roundtap_devices.printing.print_lines import line
from roundtap_devices.printing.printer import HELD, PRINTED, SENT, JobOutcome, Printer
from roundtap_devices.printing.printer_profiles import EPSON_80
from roundtap_devices.virtual.virtual_printer import VirtualPrinter

ADAPTER = "usb-1a86_USB_Serial-if00-port0"


def usb_printer(root: Path, number: int, serial: str = "A1B2") -> None:
    """/dev/usb/lpN of a printer 0416:5011, with its place in /sys."""
    (root / "dev/usb").mkdir(parents=True, exist_ok=True)
    (root / f"dev/usb/lp{number}").touch()
    device = root / f"sys/devices/usb1/1-{number + 1}"
    (device / f"1-{number + 1}:1.0").mkdir(parents=True)
    for name, value in (("idVendor", "0416"), ("idProduct", "5011"), ("serial", serial)):
        (device / name).write_text(f"{value}\n")
    node = root / f"sys/class/usbmisc/lp{number}"
    node.mkdir(parents=True)
    (node / "device").symlink_to(device / f"1-{number + 1}:1.0")


def adapter(root: Path, name: str = ADAPTER, device: str = "ttyUSB0") -> None:
    (root / "dev/serial/by-id").mkdir(parents=True, exist_ok=True)
    (root / "dev" / device).touch()
    (root / "dev/serial/by-id" / name).symlink_to(f"../../{device}")


def pins(root: Path, console: str, command_line: str = "root=/dev/mmcblk0p2 quiet") -> None:
    (root / "dev").mkdir(exist_ok=True)
    (root / "dev/ttyAMA0").touch()
    (root / "dev/serial0").symlink_to("ttyAMA0")
    for path, text in (("sys/class/tty/console/active", console), ("proc/cmdline", command_line)):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"{text}\n")


def test_usb_printers_come_first_then_adapters_then_the_pins(tmp_path: Path) -> None:
    pins(tmp_path, "tty1")
    adapter(tmp_path)
    usb_printer(tmp_path, 0)
    assert [(port.kind, port.id.rpartition("/")[2], port.refused) for port in find_ports(tmp_path)] == [
        (USB, "usb-0416-5011-A1B2", ""),
        (SERIAL, ADAPTER, ""),
        (PINS, "serial0", ""),
    ]


def test_a_machine_without_any_has_none(tmp_path: Path) -> None:
    assert find_ports(tmp_path) == []
    assert choose_port([]) is None


def test_a_usb_printer_that_comes_back_as_another_number_is_the_same(tmp_path: Path) -> None:
    usb_printer(tmp_path, 0)
    [before] = find_ports(tmp_path)
    (tmp_path / "dev/usb/lp0").unlink()
    usb_printer(tmp_path, 1, "OTHER")
    usb_printer(tmp_path, 2)
    again = choose_port(find_ports(tmp_path), before.id)
    assert again.path.endswith("lp2")


@pytest.mark.parametrize(
    ("console", "command_line", "refused"),
    [
        ("tty1", "root=/dev/mmcblk0p2", ""),
        ("ttyAMA0 tty1", "root=/dev/mmcblk0p2", "login-console"),
        ("tty1", "console=serial0,115200 console=tty1", "login-console"),
    ],
)
def test_the_pins_are_refused_while_linux_itself_talks_on_them(
    tmp_path: Path, console: str, command_line: str, refused: str
) -> None:
    pins(tmp_path, console, command_line)
    [port] = find_ports(tmp_path)
    assert port.refused == refused
    if refused:
        with pytest.raises(PortUnavailable) as error:
            open_port(port, 19200, "none")
        assert error.value.reason == refused


def test_the_pins_are_never_taken_unasked(tmp_path: Path) -> None:
    pins(tmp_path, "tty1")
    [port] = find_ports(tmp_path)
    assert choose_port([port]) is None
    assert choose_port([port], port.id) == port


def test_another_adapter_is_not_taken_for_the_one_remembered_but_a_usb_printer_is(tmp_path: Path) -> None:
    adapter(tmp_path)
    assert choose_port(find_ports(tmp_path), "/dev/serial/by-id/usb-FTDI") is None
    usb_printer(tmp_path, 0)
    found = choose_port(find_ports(tmp_path), "/dev/serial/by-id/usb-FTDI")
    assert found.kind == USB


class UsbTwin:
    """A virtual printer whose line is opened as usblp is: a file that takes what there is room for."""

    def __init__(self) -> None:
        self.twin = VirtualPrinter(EPSON_80)

    def open(self) -> UsbPort:
        if not self.twin.device:
            raise PortUnavailable("unplugged")
        return UsbPort(self.twin.device)


@pytest.fixture
def usb() -> Iterator[UsbTwin]:
    made = UsbTwin()
    yield made
    made.twin.close()


def print_on(usb: UsbTwin, printer: Printer, now_ms: int = 0) -> JobOutcome:
    printer.begin(compose_job([line("TABLE 12", EPSON_80.sheet)], EPSON_80), lambda: None, now_ms)
    for _ in range(3000):
        now_ms += 20
        outcome = printer.step(now_ms)
        usb.twin.step(now_ms)
        if outcome is not None:
            return outcome
    raise AssertionError("no outcome")


def test_a_usb_printer_prints_and_answers(usb: UsbTwin) -> None:
    with closing(Printer(usb.open, EPSON_80)) as printer:
        assert print_on(usb, printer) == JobOutcome(PRINTED)


def test_a_silent_usb_printer_has_no_speed_to_confirm(usb: UsbTwin) -> None:
    usb.twin.set_fault("mute")
    with closing(Printer(usb.open, EPSON_80)) as printer:
        assert print_on(usb, printer) == JobOutcome(SENT)


def test_a_usb_printer_that_is_gone_is_opened_again_when_it_is_back(usb: UsbTwin) -> None:
    with closing(Printer(usb.open, EPSON_80)) as printer:
        assert print_on(usb, printer) == JobOutcome(PRINTED)
        usb.twin.set_fault("unplugged")
        assert print_on(usb, printer, 100_000).state == HELD
        usb.twin.set_fault("unplugged", on=False)
        assert print_on(usb, printer, 200_000) == JobOutcome(PRINTED)


def test_a_port_without_rights_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter(tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    [port] = find_ports(tmp_path)
    assert port.refused == "no-access"
    printer = Printer(lambda: open_port(port, 9600, "none"), EPSON_80)
    printer.begin(compose_job([line("A", EPSON_80.sheet)], EPSON_80), lambda: None, 0)
    assert printer.step(20) == JobOutcome(HELD, "no-access")


def test_flow_control_is_the_kernel_s(tmp_path: Path) -> None:
    import termios

    from roundtap_devices.printing.ports import SerialPort

    master, slave = os.openpty()
    tty.setraw(slave)
    with closing(SerialPort(os.ttyname(slave), 9600, "xonxoff")):
        assert termios.tcgetattr(slave)[0] & termios.IXON
    with closing(SerialPort(os.ttyname(slave), 9600, "none")):
        assert not termios.tcgetattr(slave)[0] & termios.IXON
    os.close(master)
    os.close(slave)
