"""The USB printer class (/dev/usb/lp0, the kernel's usblp): a line that waits for the printer by itself."""

from __future__ import annotations

import contextlib
import errno
import os

from roundtap_devices.printing.serial_port import PortGone


class UsbPort:
    """No speed to be set, and no pacing: a printer that is full says so on the bus, and takes nothing.

    Some printers say nothing at all on this line: `read_some` is empty then, as of any silent one.
    """

    baud: int | None = None

    def __init__(self, path: str) -> None:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError as error:
            gone = PortGone(str(error))
            gone.reason = {errno.EBUSY: "busy", errno.EACCES: "no-access"}.get(error.errno or 0, "")
            raise gone from error

    def write_some(self, data: bytes) -> int:
        try:
            return os.write(self._file, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise PortGone(str(error)) from error

    def read_some(self) -> bytes:
        try:
            return os.read(self._file, 256)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.EPERM):
                return b""  # it has no way back
            raise PortGone(str(error)) from error

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._file)
