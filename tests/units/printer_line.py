"""A line to a virtual printer that is set to one speed."""

from __future__ import annotations

from roundtap_devices.printing.ports import SerialPort
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
