"""Where a printer may be plugged in: USB printers, serial adapters, the Pi's own pins; found again by their id."""

import contextlib
import errno
import os
import select
import termios
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtap_devices.printing.header_port import MODEL, header_port

USB, SERIAL, PINS = "usb", "serial", "pins"
CONSOLE, NO_ACCESS, BUSY = "login-console", "no-access", "busy"
"""Why a port cannot be used: Linux's login is on it; the user is not in group lp or dialout; a program has it."""


class PortUnavailable(OSError):
    """The port cannot be opened, or was unplugged. `reason`: CONSOLE, NO_ACCESS or BUSY where known, else ""."""

    def __init__(self, error: object, reason: str = "") -> None:
        super().__init__(str(error))
        self.reason = reason


def _open_error(error: Exception) -> PortUnavailable:
    reasons = {errno.EBUSY: BUSY, errno.EAGAIN: BUSY, errno.EACCES: NO_ACCESS}
    return PortUnavailable(error, reasons.get(getattr(error, "errno", 0) or 0, ""))


class SerialPort:
    """8N1. device: "/dev/ttyUSB0"; baud: the printer's; flow: "none", "rtscts" or "xonxoff", handled by the kernel.
    Every method raises PortUnavailable where the device has gone."""

    def __init__(self, device: str, baud: int = 115200, flow: str = "none") -> None:
        import serial

        self.baud: int | None = baud
        try:
            # With a write timeout of 0 pyserial returns how much was taken; how long to wait is the printer's decision.
            self._serial: Any = serial.Serial(
                device,
                baud,
                timeout=0,
                write_timeout=0,
                rtscts=flow == "rtscts",
                xonxoff=flow == "xonxoff",
                exclusive=True,
            )
        except (OSError, ValueError, termios.error) as error:
            raise _open_error(error) from error

    def write_some(self, data: bytes) -> int:
        """Send as much as is taken at once; 0: the other side takes nothing now."""
        try:
            # pyserial spins forever on a full port without a timeout: ask first.
            if not select.select([], [self._serial.fileno()], [], 0)[1]:
                return 0
            taken: int = self._serial.write(data)
        except (OSError, ValueError, termios.error) as error:
            raise PortUnavailable(error) from error
        return taken

    def read_some(self) -> bytes:
        try:
            came: bytes = self._serial.read(256)
        except (OSError, ValueError, termios.error) as error:
            raise PortUnavailable(error) from error
        return came

    def close(self) -> None:
        """Never raises, never waits; unsent bytes are discarded."""
        # Without the reset, closing waits for a stalled printer to take the rest.
        for step in (self._serial.reset_output_buffer, self._serial.close):
            with contextlib.suppress(OSError, ValueError, termios.error):
                step()


@dataclass(frozen=True, slots=True)
class FoundPort:
    """`id` is stable: the same after a restart, and after replugging under another number. "usb-0416-5011-SERIAL" is a
    USB printer, "/dev/serial/by-id/…" an adapter, "/dev/serial0" (on a Pi 5 "/dev/ttyAMA0") the Pi's own pins. `path`
    is the current device. `refused`: why it cannot be used, "" where it can."""

    id: str
    path: str
    kind: str
    refused: str = ""


def find_ports(root: Path = Path("/")) -> list[FoundPort]:
    """What is plugged in: USB printers first (they are certainly printers), adapters, then the pins."""
    return [*_usb(root), *_adapters(root), *_pins(root)]


def choose_port(ports: list[FoundPort], remembered: str = "") -> FoundPort | None:
    """The remembered port; else a USB printer; else, if none is remembered, the first adapter. The pins only if
    remembered: something else may be wired to them."""
    wanted = [port for port in ports if remembered in (port.id, port.path)]
    usual = [port for port in ports if port.kind == USB or (port.kind == SERIAL and not remembered)]
    return next(iter(wanted + usual), None)


def open_port(port: FoundPort, baud: int, flow: str) -> "Port":
    """Raises PortUnavailable, with the reason for a port that exists but cannot be used."""
    if port.refused:
        raise PortUnavailable(port.refused, port.refused)
    return open_device(port.path, baud, flow)


def open_device(path: str, baud: int, flow: str) -> "Port":
    """A device by its path, of any kind."""
    if Path(path).name.startswith("lp"):
        return UsbPort(path)
    return SerialPort(path, baud, flow)


def _usb(root: Path) -> list[FoundPort]:
    ports = []
    for node in sorted((root / "dev/usb").glob("lp*"), key=lambda node: (len(node.name), node.name)):
        device = (root / "sys/class/usbmisc" / node.name / "device").resolve().parent
        parts = [_read(device / name) for name in ("idVendor", "idProduct", "serial")]
        name = "-".join(part for part in parts if part) or node.name
        ports.append(FoundPort(f"usb-{name}", str(node), USB, _access(node)))
    return ports


def _adapters(root: Path) -> list[FoundPort]:
    folder = root / "dev/serial/by-id"
    return [
        FoundPort(str(node), str(node), SERIAL, _access(node))
        for node in (sorted(folder.iterdir()) if folder.is_dir() else ())
    ]


def _pins(root: Path) -> list[FoundPort]:
    node = root / (header_port(_read(root / MODEL)).path or "/dev/serial0").lstrip("/")
    if not node.exists():
        return []
    # Kernel messages or a login prompt would be printed, and the login would read the printer's answers as names.
    consoles = f"{_read(root / 'sys/class/tty/console/active')} {_read(root / 'proc/cmdline')}".replace("console=", " ")
    names = {word.partition(",")[0] for word in consoles.split()}
    console = bool(names & {node.resolve().name, node.name})
    return [FoundPort(str(node), str(node), PINS, CONSOLE if console else _access(node))]


def _access(node: Path) -> str:
    return "" if os.access(node, os.R_OK | os.W_OK) else NO_ACCESS


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


class UsbPort:
    """No baud rate and no pacing: a full printer says so on the bus, and takes nothing. Its methods are those of
    `SerialPort`. Some printers send nothing back over USB: `read_some` is then always empty."""

    baud: int | None = None

    def __init__(self, path: str) -> None:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError as error:
            raise _open_error(error) from error

    def write_some(self, data: bytes) -> int:
        try:
            return os.write(self._file, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise PortUnavailable(error) from error

    def read_some(self) -> bytes:
        try:
            return os.read(self._file, 256)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.EPERM):
                return b""  # it has no way back
            raise PortUnavailable(error) from error

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._file)


Port = SerialPort | UsbPort
"""A printer's connection. `baud`: its speed; None where the line itself waits for the printer, as USB does."""
