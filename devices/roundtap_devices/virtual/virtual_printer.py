"""The printer's twin on a pseudo-terminal: drains like a serial line, answers, prints a picture, and can fail."""

from __future__ import annotations

import contextlib
import os
import select
import tty

from PIL import Image

from roundtap_devices.printing.printer_profiles import PrinterProfile
from roundtap_devices.virtual.escpos_paper import EscposPaper

BYTES_PER_S = 11_520
"""115,200 baud, 8N1."""
BUFFER_BYTES = 4096
LONGEST_PAUSE_MS = 100
"""Nobody called for longer: the line does not make up for it in one go."""

OFFLINE, MUTE, STALLED, NO_PAPER, UNPLUGGED = "offline", "mute", "stalled", "no-paper", "unplugged"
FAULTS = (OFFLINE, MUTE, STALLED, NO_PAPER, UNPLUGGED)


class VirtualPrinter:
    """A complete receipt printer. Open `device` with pyserial or python-escpos, and call `step` as time goes by.

    bytes_per_s: how fast the line is; None: as fast as it is called.
    """

    def __init__(self, profile: PrinterProfile, bytes_per_s: int | None = BYTES_PER_S) -> None:
        self.paper = EscposPaper(profile, self._answer)
        self.processed_bytes = 0
        self._rate = bytes_per_s
        self._stepped_ms: int | None = None
        self._credit = 0.0
        self._buffer = bytearray()
        self._seen = b""
        self._faults: set[str] = set()
        self._ends_after: dict[str, int] = {}
        self._master = self._slave = -1
        self.device = ""
        self._plug_in()

    @property
    def faults(self) -> frozenset[str]:
        return frozenset(self._faults)

    def fault(self, name: str, on: bool = True, after_bytes: int = 0) -> None:
        """Switch a fault on or off. With `after_bytes` it comes once so many more bytes were processed.

        offline: the lid is open; mute: never answers; stalled: takes no bytes; no-paper: the roll has ended;
        unplugged: the port is gone, `device` is empty. Plugged in again it is a NEW port.
        """
        if name not in FAULTS:
            raise ValueError(f"{name}: one of {', '.join(FAULTS)} is wanted")
        self._ends_after.pop(name, None)
        if on and after_bytes:
            self._ends_after[name] = self.processed_bytes + after_bytes
        elif on:
            self._fail(name)
        elif name in self._faults:
            self._faults.discard(name)
            if name == UNPLUGGED:
                self._plug_in()

    def step(self, now_ms: int) -> None:
        """Take from the line what came since the last step, and print it."""
        last_ms = now_ms if self._stepped_ms is None else self._stepped_ms
        self._stepped_ms = now_ms
        if self._rate is not None:
            self._credit += self._rate * min(LONGEST_PAUSE_MS, now_ms - last_ms) / 1000
        if self._master < 0 or STALLED in self._faults:
            self._credit = 0
            return
        self._take()
        self._process()

    def close(self) -> None:
        self._unplug()

    def sheets(self) -> list[Image.Image]:
        """The pieces of paper in people's hands, the one still in the printer last."""
        return [*self.paper.sheets, self.paper.roll]

    def _take(self) -> None:
        while len(self._buffer) < BUFFER_BYTES:
            wanted = BUFFER_BYTES - len(self._buffer)
            if self._rate is not None:
                wanted = min(wanted, int(self._credit))
            if not wanted or not select.select([self._master], [], [], 0)[0]:
                break
            try:
                came = os.read(self._master, wanted)
            except OSError:
                break
            if self._rate is not None:
                self._credit -= len(came)
            self._buffer += came
            self._answer_at_once(came)
        # A line that has nothing to carry saves up no speed.
        self._credit = min(self._credit, 1 if len(self._buffer) < BUFFER_BYTES else 0)

    def _answer_at_once(self, came: bytes) -> None:
        """DLE EOT n is answered when it comes in, whatever waits before it."""
        text = self._seen + came
        place = text.find(b"\x10\x04")
        while 0 <= place < len(text) - 2:
            self._answer(self._status(text[place + 2]))
            place = text.find(b"\x10\x04", place + 3)
        self._seen = text[place:] if place >= 0 else text[-1:] if text.endswith(b"\x10") else b""

    def _status(self, question: int) -> int:
        no_paper, offline = NO_PAPER in self._faults, OFFLINE in self._faults
        status = 0x12
        if question == 1 and (no_paper or offline):
            status |= 0x08
        elif question == 2:
            status |= (0x04 if offline else 0) | (0x20 if no_paper else 0)
        elif question == 4 and no_paper:
            status |= 0x6C
        return status

    def _process(self) -> None:
        while self._buffer and not self._faults & {OFFLINE, NO_PAPER, UNPLUGGED, STALLED}:
            room = min(self._ends_after.values(), default=self.processed_bytes + BUFFER_BYTES) - self.processed_bytes
            if room <= 0:
                for name, place in list(self._ends_after.items()):
                    if place <= self.processed_bytes:
                        del self._ends_after[name]
                        self._fail(name)
                continue
            piece = bytes(self._buffer[:room])
            del self._buffer[:len(piece)]
            self.processed_bytes += len(piece)
            self.paper.feed(piece)

    def _answer(self, byte: int) -> None:
        if MUTE in self._faults or self._master < 0:
            return
        with contextlib.suppress(OSError):
            os.write(self._master, bytes((byte,)))

    def _fail(self, name: str) -> None:
        self._faults.add(name)
        if name == UNPLUGGED:
            self._unplug()

    def _plug_in(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.device = os.ttyname(self._slave)
        self._buffer.clear()
        self._seen = b""
        self.paper.power_cycle()

    def _unplug(self) -> None:
        for descriptor in (self._master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)
        self._master = self._slave = -1
        self.device = ""
