"""Lines to a virtual printer that is set to one speed, or finds out by itself how fast it is asked."""

import os
import termios
from collections.abc import Container

from roundtap_devices.printing.ports import SerialPort
from roundtap_devices.printing.printer_profiles import BAUDS, PrinterProfile
from roundtap_devices.virtual.virtual_printer import VirtualPrinter


class AtOneSpeed:
    """A line to a printer that is set to `right`: what comes at another speed is lost on it."""

    def __init__(self, twin: VirtualPrinter, baud: int, right: int) -> None:
        self.baud: int | None = baud
        self._line = SerialPort(twin.device) if baud == right else None

    def write_some(self, data: bytes) -> int:
        return self._line.write_some(data) if self._line else len(data)

    def read_some(self) -> bytes:
        return self._line.read_some() if self._line else b""

    def close(self) -> None:
        if self._line:
            self._line.close()


class AtTheseSpeeds(VirtualPrinter):
    """On a real pseudo-terminal, and at the speed that its other end was really set to: bytes at another one are noise,
    to which a cheap printer may say something that looks like an answer."""

    def __init__(self, profile: PrinterProfile, understood: Container[int], noise: bytes = b"") -> None:
        self.understood, self.noise = understood, noise
        self.heard_at: list[int] = []
        super().__init__(profile)

    def _take(self) -> None:
        code = termios.tcgetattr(self._slave)[5]
        baud = next(baud for baud in BAUDS if getattr(termios, f"B{baud}") == code)
        if baud not in self.heard_at:
            self.heard_at.append(baud)
        if baud in self.understood:
            super()._take()
            return
        try:
            os.read(self._master, 4096)
        except BlockingIOError:
            return
        os.write(self._master, self.noise)
        self.noise = b""
