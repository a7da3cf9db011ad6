"""A print job as bytes: print lines in ESC/POS, and the end marker that a printer answers."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from roundtap_devices.printing import print_lines
from roundtap_devices.printing.drawing import qr_image, render_drawing, render_text_line
from roundtap_devices.printing.printer_profiles import DC2, PrinterProfile

RESERVE = 16  # bytes of the buffer left free for status requests, which this count ignores
BITS_A_BYTE = 10

SLOWER_PERCENT = 10
"""How much slower than its figures a printer may be (a weak supply, dark pictures): it never reports its progress, and
small errors would add up."""

Step = tuple[int, int]
"""(where it ends in a job's bytes, how many microseconds it keeps the printer busy): a line of text, a block of an
image, a feed. The bytes of a step stay in the buffer until the whole step is printed."""

LETTER_DOTS = 24  # height of a letter of font A; the rest of a line is fed
NEW_BLOCK = 11  # bytes that another block of an image costs: its command, and that which feeds what is white before it
CUT_US = 1_000_000  # generous: the cutter moves there and back
END_MARKER = b"\x1dr\x01"  # GS r 1: the answer proves that everything before it was processed
BEGIN = b"\x1b@" + b"\x1c." + b"\x1da\x00"
"""Initialize; no two-byte letters (the default of models made for China); no unsolicited statuses."""
BOLD, NOT_BOLD = b"\x1bE\x01", b"\x1bE\x00"
TALL, NOT_TALL = b"\x1d!\x01", b"\x1d!\x00"
CENTERED, FROM_THE_LEFT = b"\x1ba\x01", b"\x1ba\x00"

# What a code page may lack, and what reads the same.
SUBSTITUTES = str.maketrans(
    {
        "–": "-",
        "—": "-",
        "−": "-",
        "…": "...",
        "’": "'",
        "„": '"',
        "“": '"',
        "”": '"',
        "\u00a0": " ",
        "\u202f": " ",
        "×": "x",
        "→": "->",
        "←": "<-",
        "☐": "[ ]",
    }
)

SAMPLE = ("ąćęłńóśźż ĄĆĘŁŃÓŚŹŻ", "äöüßÄÖÜ áéíñóúÁÉÍÑÓÚ¿¡")


class SendPacer:
    """One printer on one line: `expect` a job's steps, send as much as there is `room` for, and report it with
    `on_sent`. It continues from job to job: what is still being printed of the last one fills the buffer."""

    def __init__(self, profile: PrinterProfile, baud: int) -> None:
        self._limit = profile.buffer - RESERVE
        self._byte_us = -(-BITS_A_BYTE * 1_000_000 // baud)
        self._coming: deque[Step] = deque()
        self._printing: deque[Step] = deque()
        self._expected = self._handed = self._printed = 0
        self._line_free_us = self._idle_us = 0

    def expect(self, length: int, steps: Iterable[Step]) -> None:
        """Announce `length` bytes; what follows their last step takes no time."""
        self._coming.extend((self._expected + end, busy_us) for end, busy_us in steps)
        self._expected += length
        self._coming.append((self._expected, 0))

    def room(self, now_ms: int) -> int:
        while self._printing and self._printing[0][1] <= now_ms * 1000:
            self._printed = self._printing.popleft()[0]
        return max(0, self._limit - (self._handed - self._printed))

    def on_sent(self, count: int, now_ms: int) -> None:
        """Note that `count` bytes were sent: they travel one after the other, and are printed step by step."""
        begins_us = max(self._line_free_us, now_ms * 1000)
        while self._coming and self._coming[0][0] <= self._handed + count:
            end, busy_us = self._coming.popleft()
            arrives_us = begins_us + (end - self._handed) * self._byte_us
            self._idle_us = max(self._idle_us, arrives_us) + busy_us * (100 + SLOWER_PERCENT) // 100
            self._printing.append((end, self._idle_us))
        self._line_free_us = begins_us + count * self._byte_us
        self._handed += count


Run = tuple[int | None, bytes]  # letters in one code page, by its number; None: plain ASCII, which every page has


@dataclass(frozen=True, slots=True)
class ComposedJob:
    """A job ready to send: `data` without the marker, the paper it takes, and the longest block of bytes that belong
    together: a printer that lost the rest of one still waits for that many. `steps`: what it does, and for how long."""

    data: bytes
    height_dots: int
    longest_block: int
    steps: tuple[Step, ...] = ()

    @property
    def busy_ms(self) -> int:
        return sum(busy_us for _, busy_us in self.steps) // 1000


def compose_job(lines: Iterable[print_lines.PrintLine], profile: PrinterProfile) -> ComposedJob:
    """The bytes for these lines on this printer, including the feed to the tearing edge."""
    composer = _Composer(profile)
    for each in lines:
        composer.add(each)
    return composer.finish()


class _Composer:
    def __init__(self, profile: PrinterProfile) -> None:
        self._profile = profile
        self._data = bytearray()
        self._height = 0
        self._longest = 0
        self._page: int | None = None
        self._steps: list[Step] = []
        self._raw(BEGIN)

    def add(self, line: print_lines.PrintLine) -> None:
        if isinstance(line, print_lines.TextLine):
            self._line(line)
        elif isinstance(line, print_lines.Feed):
            self._feed(line.dots)
        elif isinstance(line, print_lines.Drawing):
            self._image(render_drawing(line, self._profile.sheet.dots))
        elif isinstance(line, print_lines.Qr):
            self._qr(line)
        elif isinstance(line, print_lines.CodePageLine):
            self._pitch(print_lines.LINE_DOTS)
            self._raw(_select(self._profile.codepages[line.codec]))
            self._page = None
            self._raw(line.text.encode(line.codec, "replace") + b"\n")
            self._end_step(print_lines.LINE_DOTS, LETTER_DOTS)

    def finish(self) -> ComposedJob:
        profile = self._profile
        if profile.cutter:
            # GS V 66 feeds to the cutter itself.
            self._raw(b"\x1dVB\x00")
            self._end_step(profile.tear_dots, 0, CUT_US)
        else:
            self._feed(profile.tear_dots)
        return ComposedJob(bytes(self._data), self._height, self._longest, tuple(self._steps))

    def _end_step(self, dots: int, printed_dots: int, besides_us: int = 0) -> None:
        """End a step: the last command moves the paper by `dots`, of which `printed_dots` are printed."""
        profile, end = self._profile, len(self._data)
        begin = self._steps[-1][0] if self._steps else 0
        busy_us = (
            printed_dots * 1_000_000 // profile.rows_per_s
            + besides_us
            + (dots - printed_dots) * 1_000_000 // profile.feed_rows_per_s
        )
        if profile.bytes_per_s:
            busy_us = max(busy_us, (end - begin) * 1_000_000 // profile.bytes_per_s)
        self._steps.append((end, busy_us))
        self._height += dots

    def _raw(self, data: bytes) -> None:
        self._data += data

    def _feed(self, dots: int) -> None:
        while dots > 0:
            self._raw(b"\x1bJ" + bytes((min(dots, 255),)))
            self._end_step(min(dots, 255), 0)
            dots -= 255

    def _pitch(self, dots: int) -> None:
        self._raw(b"\x1b3" + bytes((dots,)))

    def _line(self, line: print_lines.TextLine) -> None:
        if (runs := self._runs(line)) is None:
            self._image(render_text_line(line if line.small else _ticked(line), self._profile.sheet))
            return
        self._pitch(line.height_dots)
        if line.bold or line.tall:
            self._raw(BOLD)
        if line.tall:
            self._raw(TALL)
        for page, data in runs:
            if page is not None and page != self._page:
                self._raw(_select(page))
                self._page = page
            self._raw(data)
        self._raw(b"\n")
        if line.tall:
            self._raw(NOT_TALL)
        if line.bold or line.tall:
            self._raw(NOT_BOLD)
        self._end_step(line.height_dots, LETTER_DOTS * 2 if line.tall else LETTER_DOTS)

    def _runs(self, line: print_lines.TextLine) -> list[Run] | None:
        """The line in the printer's own letters; None: it must be drawn."""
        if line.small:
            return None
        text = ""
        for cell in sorted(line.cells, key=lambda cell: cell.start):
            letters = _substituted(cell.text, self._profile)
            if letters is None or len(letters) > cell.width:
                return None
            text = text.ljust(cell.start) + _placed(letters, cell)
        return _encode(text.rstrip(), self._profile)

    def _image(self, image: Any) -> None:
        """In blocks of rows that are about as wide: white rows are fed, and what is right of the last black dot is not
        sent. Cheap printers have little memory, and a break loses one block only."""
        # One bit a dot, 1 for black.
        bits = bytes(byte ^ 0xFF for byte in image.tobytes())
        row_bytes, most, top = image.width // 8, self._rows_at_once(), 0
        widths = [len(bits[at : at + row_bytes].rstrip(b"\0")) for at in range(0, len(bits), row_bytes)]
        while top < len(widths):
            wide, bottom = widths[top], top + 1
            while bottom < len(widths):
                joined, count = max(wide, widths[bottom]), bottom - top
                apart = wide * count + widths[bottom] + NEW_BLOCK
                if count >= (most if joined else 255) or joined * (count + 1) > apart:
                    break
                wide, bottom = joined, bottom + 1
            self._block([bits[row * row_bytes : row * row_bytes + wide] for row in range(top, bottom)], wide)
            top = bottom

    def _block(self, rows: list[bytes], wide: int) -> None:
        if not wide:
            self._feed(len(rows))
            return
        size = len(rows).to_bytes(2, "little")
        head = (
            b"\x12*" + size[:1] + bytes((wide,))
            if self._profile.raster == DC2
            else b"\x1dv0\x00" + wide.to_bytes(2, "little") + size
        )
        self._raw(head + b"".join(rows))
        self._end_step(len(rows), len(rows))
        self._longest = max(self._longest, len(head) + wide * len(rows))

    def _rows_at_once(self) -> int:
        # Half of its buffer: the next block arrives while this one is printed, even if the printer reports "full"
        # early.
        profile = self._profile
        return max(1, min(profile.raster_rows, profile.buffer // 2 // (profile.sheet.dots // 8)))

    def _qr(self, code: print_lines.Qr) -> None:
        made = qr_image(code.content, code.module_dots)
        if not self._profile.qr:
            wide = render_drawing(print_lines.Drawing(made.height, ()), self._profile.sheet.dots)
            wide.paste(made, ((wide.width - made.width) // 2, 0))
            self._image(wide)
            return
        commands = _qr_commands(code)
        self._raw(CENTERED + commands + FROM_THE_LEFT)
        self._longest = max(self._longest, len(commands))
        self._end_step(made.height, made.height)


def _ticked(line: print_lines.TextLine) -> print_lines.TextLine:
    """The line with its ticks as the printer's own letters show them on the lines around it."""
    ticked = ((cell, cell.text.replace("☐", SUBSTITUTES[ord("☐")])) for cell in line.cells)
    return replace(
        line, cells=tuple(replace(cell, text=text) if len(text) <= cell.width else cell for cell, text in ticked)
    )


def _qr_commands(code: print_lines.Qr) -> bytes:
    """Model 2, the size of a module, error correction L; then the content is stored, and printed."""
    steps = (b"A2\0", b"C" + bytes((code.module_dots,)), b"E0", b"P0" + code.content.encode(), b"Q0")
    # GS ( k: the number of bytes that follow, then 1 for a QR code.
    return b"".join(b"\x1d(k" + (1 + len(step)).to_bytes(2, "little") + b"1" + step for step in steps)


def _select(page: int) -> bytes:
    return b"\x1bt" + bytes((page,))


def _placed(text: str, cell: print_lines.TextCell) -> str:
    if cell.align == print_lines.RIGHT:
        return text.rjust(cell.width)
    return text.center(cell.width) if cell.align == print_lines.CENTER else text.ljust(cell.width)


def _substituted(text: str, profile: PrinterProfile) -> str | None:
    """The text with substitutes for signs that no page has; None if a letter is missing."""
    substituted = "".join(letter if _has_letter(profile, letter) else letter.translate(SUBSTITUTES) for letter in text)
    return substituted if all(_has_letter(profile, letter) for letter in substituted) else None


def _has_letter(profile: PrinterProfile, letter: str) -> bool:
    return letter >= " " and any(_reach(letter, codec) for codec in profile.codepages)


def _encode(text: str, profile: PrinterProfile) -> list[Run]:
    """With as few code page changes as possible: each run takes the page that reaches furthest."""
    runs: list[Run] = []
    while text:
        if plain := len(text) - len(text.lstrip("".join(map(chr, range(32, 127))))):
            runs.append((None, text[:plain].encode("ascii")))
            text = text[plain:]
            continue
        codec, reach = max(((codec, _reach(text, codec)) for codec in profile.codepages), key=lambda pair: pair[1])
        runs.append((profile.codepages[codec], text[:reach].encode(codec)))
        text = text[reach:]
    return runs


def _reach(text: str, codec: str) -> int:
    try:
        text.encode(codec)
    except UnicodeEncodeError as error:
        return error.start
    return len(text)


def code_page_test_lines(profile: PrinterProfile) -> list[print_lines.PrintLine]:
    """The code-page test print: the same letters in each page the profile claims, beside the letters drawn. A line that
    differs from the drawn one shows a wrong number."""
    sheet = profile.sheet
    lines: list[print_lines.PrintLine] = [print_lines.line(profile.name, sheet, bold=True)]
    lines += [
        print_lines.Drawing(print_lines.LINE_DOTS, (print_lines.Label(0, 0, part, 21, sheet.dots),)) for part in SAMPLE
    ]
    for codec, number in profile.codepages.items():
        lines += [
            print_lines.Feed(8),
            print_lines.line(f"{codec} = {number}", sheet, bold=True),
            *(print_lines.CodePageLine(codec, part) for part in SAMPLE),
        ]
    return lines
