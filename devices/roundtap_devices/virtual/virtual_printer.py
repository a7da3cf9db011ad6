"""A virtual printer on a pseudo-terminal: drains like a serial line, answers, prints a picture, and can fail."""

import contextlib
import os
import select
import tty
from collections.abc import Callable, Mapping
from functools import lru_cache

from PIL import Image, ImageDraw

from roundtap_devices.letters import load_font
from roundtap_devices.printing.drawing import qr_image
from roundtap_devices.printing.print_lines import FRAME
from roundtap_devices.printing.printer_profiles import PrinterProfile

BYTES_PER_S = 11_520
BUFFER_BYTES = 4096
LONGEST_PAUSE_MS = 100  # after a longer pause between steps the line does not catch up at once

OFFLINE, MUTE, STALLED, NO_PAPER, UNPLUGGED = "offline", "mute", "stalled", "no-paper", "unplugged"
FAULTS = (OFFLINE, MUTE, STALLED, NO_PAPER, UNPLUGGED)
LETTER_DOTS = 24
DEFAULT_PITCH_DOTS = 30
DLE, DC2, ESC, FS, GS = 0x10, 0x12, 0x1B, 0x1C, 0x1D

# Commands of fixed length: (first byte, second byte) → bytes of parameters.
LENGTHS = {
    (ESC, ord("@")): 0,
    (ESC, ord("2")): 0,
    (FS, ord(".")): 0,
    (FS, ord("&")): 0,
    **dict.fromkeys(((ESC, ord(c)) for c in "tE!a3JdMG-RS{"), 1),
    **dict.fromkeys(((GS, ord(c)) for c in "!raBbI"), 1),
    (DLE, 0x04): 1,
    (GS, ord("L")): 2,
    (GS, ord("W")): 2,
}


class IncompleteCommand(Exception):
    """The rest of a command is still under way."""


class EscposInterpreter:
    """Interprets bytes as they come. `sheets` are the pieces cut or torn off; `roll` is what came after the last.

    answer: called with each byte the printer sends back; `marks` counts the markers (GS r) reached. Unknown commands
    are noted in `unknown_bytes`, text too wide for the paper in `overflow`.
    pages: its code pages by number, where they are known from a source other than the profile.
    Like a printer made for China, it reads bytes above 127 as pairs until it is told not to.
    """

    def __init__(
        self,
        profile: PrinterProfile,
        answer: Callable[[int], None] = lambda _: None,
        pages: Mapping[int, str] | None = None,
    ) -> None:
        self.profile = profile
        self._pages = dict(pages) if pages is not None else {n: codec for codec, n in profile.codepages.items()}
        self._cell = profile.sheet.cell_dots
        self.unknown_bytes: list[bytes] = []
        self.overflow: list[str] = []
        self.sheets: list[Image.Image] = []
        self.paper_status = 0
        self.marks = 0
        self._answer = answer
        self._pending = bytearray()
        # The paper between head and cutter is blank, left from the cut before.
        self._strips: list[Image.Image] = [self._blank(profile.tear_dots)]
        self._stored_code = ""
        self._module_dots = 3
        self.power_cycle()

    @property
    def roll(self) -> Image.Image:
        """All paper since the last cut, as it left the head."""
        height = sum(strip.height for strip in self._strips)
        image = self._blank(height)
        top = 0
        for strip in self._strips:
            image.paste(strip, (0, top))
            top += strip.height
        return image

    def feed(self, data: bytes) -> None:
        """Process bytes; an unfinished command waits for the rest."""
        self._pending += data
        with contextlib.suppress(IncompleteCommand):
            while self._pending:
                del self._pending[: self._next_command()]

    def tear(self) -> Image.Image:
        roll, edge = self.roll, self.profile.tear_dots
        cut_at = max(0, roll.height - edge)
        self.sheets.append(roll.crop((0, 0, roll.width, cut_at)))
        self._strips = [roll.crop((0, cut_at, roll.width, roll.height))]
        return self.sheets[-1]

    def power_cycle(self) -> None:
        """Off and on: a half-received command is lost."""
        self._pending.clear()
        self._two_byte = True
        self._initialize()

    def _blank(self, height: int) -> Image.Image:
        return Image.new("1", (self.profile.sheet.dots, height), 1)

    def _initialize(self) -> None:
        self._page = 0
        self._bold = False
        self._width = self._height = 1
        self._align = 0
        self._pitch = DEFAULT_PITCH_DOTS
        self._line: list[tuple[str, int, int, bool]] = []

    def _peek(self, count: int) -> bytes:
        """The first `count` pending bytes; raises IncompleteCommand where there are fewer."""
        if len(self._pending) < count:
            raise IncompleteCommand
        return bytes(self._pending[:count])

    def _next_command(self) -> int:
        """The length of the first pending command, letter or control."""
        first = self._pending[0]
        if first not in (DLE, DC2, ESC, FS, GS):
            return self._letter(first)
        second = self._peek(2)[1]
        if (first, second) == (DC2, ord("*")):
            head = self._peek(4)
            return self._raster(len(head), head[3], head[2])
        if (first, second) == (GS, ord("v")):
            head = self._peek(8)
            return self._raster(len(head), head[4] + 256 * head[5], head[6] + 256 * head[7])
        if (first, second) == (GS, ord("(")):
            return self._extended()
        if (first, second) == (GS, ord("V")):
            return self._cut()
        length = LENGTHS.get((first, second))
        if length is None:
            self.unknown_bytes.append(self._peek(2))
            return 2
        parameters = self._peek(2 + length)[2:]
        self._command(first, chr(second), parameters[0] if parameters else 0)
        return 2 + length

    def _letter(self, byte: int) -> int:
        if byte == 0x0A:
            self._new_line()
        elif byte >= 0x80 and self._two_byte:
            self._peek(2)
            self._line.append(("□", 2, self._height, self._bold))
            return 2
        elif byte >= 0x20:
            self._line.append((self._read(byte), self._width, self._height, self._bold))
            if sum(wide for _, wide, _, _ in self._line) * self._cell > self.profile.dots:
                last = self._line.pop()
                self.overflow.append("".join(letter for letter, *_ in self._line))
                self._new_line()
                self._line.append(last)
        elif byte not in (0x00, 0x0D):
            self.unknown_bytes.append(bytes((byte,)))
        return 1

    def _read(self, byte: int) -> str:
        """The letter in the selected page; the first page stands in for one that this model lacks."""
        return bytes((byte,)).decode(self._pages.get(self._page, "cp437"), "replace")

    def _command(self, first: int, second: str, value: int) -> None:
        if first == DLE:
            return  # answered on arrival, by `VirtualPrinter`
        if first == FS:
            self._two_byte = second == "&"
        elif first == GS and second == "!":
            self._width, self._height = (value >> 4 & 7) + 1, (value & 7) + 1
        elif first == GS and second == "r":
            self.marks += 1
            self._answer(self.paper_status)
        elif first == GS:
            return
        elif second == "@":
            self._initialize()
        elif second == "t":
            self._page = value
        elif second in "EG":
            self._bold = bool(value & 1)
        elif second == "!":
            self._bold = bool(value & 0x08)
            self._height, self._width = 2 if value & 0x10 else 1, 2 if value & 0x20 else 1
        elif second == "a":
            self._align = value % 48
        elif second == "2":
            self._pitch = DEFAULT_PITCH_DOTS
        elif second == "3":
            self._pitch = value
        elif second in "Jd":
            self._flush()
            self._strips.append(self._blank(value * (self._pitch if second == "d" else 1)))

    def _raster(self, head: int, row_bytes: int, rows: int) -> int:
        data = self._peek(head + row_bytes * rows)
        self._flush()
        if row_bytes * 8 > self.profile.dots:
            self.overflow.append(f"an image of {row_bytes * 8} dots")
        if row_bytes and rows:
            self._put(Image.frombytes("1", (row_bytes * 8, rows), bytes(~byte & 0xFF for byte in data[head:])))
        return len(data)

    def _extended(self) -> int:
        head = self._peek(5)
        command = self._peek(len(head) + head[3] + 256 * head[4])
        if command[2] != ord("k") or not self.profile.qr:
            self.unknown_bytes.append(command[:3])
            return len(command)
        function, parameters = command[6], command[7:]
        if function == 67:
            self._module_dots = parameters[0]
        elif function == 80:
            self._stored_code = parameters[1:].decode("utf-8", "replace")
        elif function == 81:
            self._flush()
            self._put(qr_image(self._stored_code, self._module_dots))
        return len(command)

    def _cut(self) -> int:
        """Function A cuts where the paper stands, through what is not past the cutter yet; B feeds it there first."""
        feeds = self._peek(3)[2] in (65, 66)
        command = self._peek(4 if feeds else 3)
        self._flush()
        if feeds:
            self._strips.append(self._blank(self.profile.tear_dots + command[3]))
        if self.profile.cutter:
            self.tear()
        return len(command)

    def _put(self, image: Image.Image) -> None:
        strip = self._blank(image.height)
        strip.paste(image, (self._left(strip.width - image.width), 0))
        self._strips.append(strip)

    def _left(self, room: int) -> int:
        """Where a line or image that leaves `room` dots begins."""
        return {0: 0, 1: room // 2, 2: room}.get(self._align, 0)

    def _flush(self) -> None:
        if self._line:
            self._new_line()

    def _new_line(self) -> None:
        tallest = max((tall for _, _, tall, _ in self._line), default=1)
        strip = self._blank(max(self._pitch, LETTER_DOTS * tallest if self._line else 0))
        wide = sum(wide for _, wide, _, _ in self._line) * self._cell
        x = self._left(strip.width - wide)
        for letter, width, height, bold in self._line:
            glyph = _glyph(letter, width, height, bold, self._cell)
            strip.paste(0, (x, (tallest - height) * LETTER_DOTS), glyph)
            x += glyph.width
        self._strips.append(strip)
        self._line = []


@lru_cache(maxsize=1024)
def _glyph(letter: str, width: int, height: int, bold: bool, cell_dots: int) -> Image.Image:
    """A letter in the printer's cell, 24 dots high (a mask: 255 is black), enlarged as requested."""
    face = load_font(19, bold)
    wide = max(1, -int(-face.getlength(letter) // 1))
    drawn = Image.new("L", (wide, LETTER_DOTS), 0)
    pen = ImageDraw.Draw(drawn)
    pen.fontmode = "1"
    pen.text((0, 1), letter, font=face, fill=255)
    if wide > cell_dots:
        drawn = drawn.resize((cell_dots, LETTER_DOTS), Image.Resampling.BILINEAR).point(lambda v: 255 if v > 110 else 0)
    cell = Image.new("L", (cell_dots, LETTER_DOTS), 0)
    if letter == FRAME:
        # From line to line, as in every printer's own letters.
        cell.paste(255, (cell_dots // 2 - 1, 0, cell_dots // 2 + 1, LETTER_DOTS))
    else:
        cell.paste(drawn, ((cell_dots - drawn.width) // 2, 0))
    return cell.resize((cell_dots * width, LETTER_DOTS * height), Image.Resampling.NEAREST)


class VirtualPrinter:
    """A complete receipt printer. Open `device` with pyserial, and call `step` regularly.

    >>> from roundtap_devices.printing.escpos_job import compose_job
    >>> from roundtap_devices.printing.ports import open_device
    >>> from roundtap_devices.printing.print_lines import line
    >>> from roundtap_devices.printing.printer_profiles import load_profile
    >>> made = load_profile("plain-58")
    >>> virtual = VirtualPrinter(made, bytes_per_s=None)
    >>> port = open_device(virtual.device, made.baud, made.flow)
    >>> job = compose_job([line("Hello", made.sheet)], made).data
    >>> port.write_some(job) == len(job)
    True
    >>> while virtual.processed_bytes < len(job):
    ...     virtual.step(0)  # with the time, again and again
    >>> virtual.paper.roll.width  # the picture of what it printed
    384
    >>> port.close()
    >>> virtual.close()

    bytes_per_s: the line's speed; None: as fast as `step` is called.
    """

    def __init__(self, profile: PrinterProfile, bytes_per_s: int | None = BYTES_PER_S) -> None:
        self.paper = EscposInterpreter(profile, self._answer)
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

    def set_fault(self, name: str, on: bool = True, after_bytes: int = 0) -> None:
        """Switch a fault on or off. With `after_bytes` it starts once that many more bytes are processed. offline: the
        lid is open; mute: never answers; stalled: takes no bytes; no-paper: the roll has ended; unplugged: the port is
        gone, `device` is empty; plugged in again it is a NEW port."""
        if name not in FAULTS:
            raise ValueError(f"{name}: must be one of {', '.join(FAULTS)}")
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
        """Read what came over the line since the last step, and print it."""
        last_ms = now_ms if self._stepped_ms is None else self._stepped_ms
        self._stepped_ms = now_ms
        if self._rate is not None:
            self._credit += self._rate * min(LONGEST_PAUSE_MS, now_ms - last_ms) / 1000
        if self._master < 0 or STALLED in self._faults:
            self._credit = 0
            return
        self._take()
        self._process()

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
        # An idle line saves up no speed.
        self._credit = min(self._credit, 1 if len(self._buffer) < BUFFER_BYTES else 0)

    def _answer_at_once(self, came: bytes) -> None:
        """DLE EOT n is answered on arrival, whatever waits before it."""
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
            del self._buffer[: len(piece)]
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
            self.close()

    def _plug_in(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.device = os.ttyname(self._slave)
        self._buffer.clear()
        self._seen = b""
        self.paper.power_cycle()

    def close(self) -> None:
        for descriptor in (self._master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)
        self._master = self._slave = -1
        self.device = ""
