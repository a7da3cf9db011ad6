"""The serial port of a printer: pyserial behind a small seam that never blocks and has one kind of error."""

from __future__ import annotations

import contextlib
import errno
import select
import termios
from typing import Any, Protocol


class PortGone(OSError):
    """The port cannot be opened, or was unplugged. `reason`: a word for it where one is known ("busy"), else ""."""

    reason = ""


class Port(Protocol):
    """What a printer is connected to. Any method raises PortGone where the device is not there any more.

    baud: how fast bytes travel; None where the line itself waits for the printer, as USB does.
    """

    baud: int | None

    def write_some(self, data: bytes) -> int:
        """Hand over as much as is taken at once; 0: the other side takes nothing now."""

    def read_some(self) -> bytes:
        """What has come in; empty: nothing."""

    def close(self) -> None:
        """Never raises, never waits; what was not sent yet is thrown away."""


class SerialPort:
    """8N1. device: "/dev/ttyUSB0"; baud: the printer's; flow: "none", "rtscts" or "xonxoff", kept by the kernel."""

    def __init__(self, device: str, baud: int = 115200, flow: str = "none") -> None:
        import serial

        self.baud: int | None = baud
        try:
            # A write time of 0 makes pyserial say how much was taken; how long to wait is the printer's business.
            self._serial: Any = serial.Serial(device, baud, timeout=0, write_timeout=0, rtscts=flow == "rtscts",
                                              xonxoff=flow == "xonxoff", exclusive=True)
        except (OSError, ValueError, termios.error) as error:
            gone = PortGone(str(error))
            gone.reason = {errno.EBUSY: "busy", errno.EAGAIN: "busy", errno.EACCES: "no-access"}.get(
                getattr(error, "errno", 0) or 0, "")
            raise gone from error

    def write_some(self, data: bytes) -> int:
        try:
            # pyserial spins for ever on a full port that does not wait: ask first.
            if not select.select([], [self._serial.fileno()], [], 0)[1]:
                return 0
            taken: int = self._serial.write(data)
        except (OSError, ValueError, termios.error) as error:
            raise PortGone(str(error)) from error
        return taken

    def read_some(self) -> bytes:
        try:
            came: bytes = self._serial.read(256)
        except (OSError, ValueError, termios.error) as error:
            raise PortGone(str(error)) from error
        return came

    def close(self) -> None:
        # Without the reset, closing waits for a stalled printer to take the rest.
        for step in (self._serial.reset_output_buffer, self._serial.close):
            with contextlib.suppress(OSError, ValueError, termios.error):
                step()
