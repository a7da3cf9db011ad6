"""Letters of every script as 1-bit pictures: DejaVu Sans, a system font for Chinese, Japanese and Korean, and one sign.

A size is the em of the font in pixels: capitals are 7 pixels high at 10 and 9 at 12. Narrow letters are those of the
condensed face, with one column between them. Arabic and Hebrew are shaped and run from right to left, each name for
itself. What no font here has, emoji above all, becomes NEUTRAL: never an empty box.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from PIL import ImageDraw, ImageFont, features

FONTS = Path(__file__).parent / "fonts"
# From Debian's fonts-wqy-zenhei. Of its three faces this one has bitmaps for 12 to 16 pixels, where outlines are blots.
EAST_ASIAN_FONT, SHARP_FACE = "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc", 2
NEUTRAL = "☺"
SMALLEST = 6

# Kinds of letters: what DejaVu draws (single spaces, hyphens and dots apart, which may stand within a name from right
# to left), Chinese, Japanese and Korean, from right to left, none of these, and what prints nothing of its own.
PLAIN, SPACE, DOT, EAST_ASIAN, RIGHT_TO_LEFT, MISSING, UNSEEN = "pndermu"
RUNS = re.compile(r"ru*(?:d?n?ru*)*d?|e+|m[mu]*|[pnd]+")
EMOJI = re.compile("[\U0001f000-\U0001faff]")

Font = ImageFont.FreeTypeFont
Box = tuple[int, int, int, int]
"""Left, top, right, bottom, from the origin on the baseline; y grows downwards."""


class Run(NamedTuple):
    """Letters that one font draws, from an origin `x` right of the text's and `raised` above its baseline. `box`: the
    room that they take there. `advance`: from its origin to that of the next run."""

    letters: str
    font: Font
    x: int
    raised: int
    direction: str | None
    box: Box
    advance: int


@lru_cache(maxsize=64)
def load_font(size: int, bold: bool = False, narrow: bool = False, kind: str = PLAIN) -> Font:
    """The font of this many pixels for letters of this kind; OSError where its package is not installed."""
    if kind == EAST_ASIAN:
        return ImageFont.truetype(EAST_ASIAN_FONT, size, SHARP_FACE, layout_engine=ImageFont.Layout.BASIC)
    # RAQM needs a library that not every machine has, and its letters differ.
    layout = ImageFont.Layout.RAQM if kind == RIGHT_TO_LEFT else ImageFont.Layout.BASIC
    name = "DejaVuSansCondensed.ttf" if narrow else "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(str(FONTS / name), size, layout_engine=layout)


def text_width(text: str, size: int, bold: bool = False, narrow: bool = False) -> int:
    """Pixels of the letters as drawn: black-and-white spacing differs from grey."""
    left, _, right, _ = ink_box(text, size, bold, narrow)
    return right - left


def ink_box(text: str, size: int, bold: bool = False, narrow: bool = False) -> Box:
    """The room that a line takes: left (the foot of a "j" stands before 0), top, right, bottom."""
    return _layout(text, size, bold, narrow)[1]


def draw_text(
    pen: ImageDraw.ImageDraw,
    x: int,
    baseline: int,
    text: str,
    size: int,
    bold: bool = False,
    narrow: bool = False,
    anchor: str = "l",
    ink: int = 1,
) -> None:
    """One line on its baseline; `anchor` "l", "m" or "r" is what x means."""
    pen.fontmode = "1"
    runs, (left, _, right, _) = _layout(text, size, bold, narrow)
    x -= {"l": left, "m": (left + right) // 2, "r": right}[anchor]
    for run in runs:
        pen.text(
            (x + run.x, baseline - run.raised),
            run.letters,
            font=run.font,
            fill=ink,
            anchor="ls",
            direction=run.direction,
        )


def as_drawn(text: str) -> str:
    """What a reader can tell apart of it: no letters that no font here has, and no capitals from small ones."""
    return "".join(letters for _, letters in _split(text, False)).casefold()


def look_alike(one: str, other: str) -> bool:
    """Whether two names are the same as drawn."""
    return as_drawn(one) == as_drawn(other)


@lru_cache(maxsize=4096)
def _layout(text: str, size: int, bold: bool, narrow: bool) -> tuple[tuple[Run, ...], Box]:
    """The runs of a text, and the room that it takes."""
    runs: list[Run] = []
    x = 0
    for kind, letters in _split(text, bold):
        if kind in (EAST_ASIAN, RIGHT_TO_LEFT):
            made: Iterator[Run] = iter((_fitted_run(kind, letters, size, bold, narrow),))
        elif narrow:
            made = (_narrow_letter(letter, size) for letter in letters)
        else:
            made = iter((_plain_run(letters, size, bold),))
        for run in made:
            runs.append(run._replace(x=x + run.x, box=(x + run.box[0], run.box[1], x + run.box[2], run.box[3])))
            x += run.advance
    boxes = [run.box for run in runs] or [(0, 0, 0, 0)]
    left, top, right, bottom = zip(*boxes, strict=True)
    return tuple(runs), (min(0, *left), min(top), max(right), max(bottom))


def _drawn_box(text: str, face: Font, direction: str | None = None) -> Box:
    # In the drawing mode: letters without grey run wider.
    mask, (x, y) = face.getmask2(text, mode="1", anchor="ls", direction=direction)
    left, top, right, bottom = mask.getbbox() or (-x, -y, -x, -y)
    return x + left, y + top, x + right, y + bottom


def _plain_run(letters: str, size: int, bold: bool) -> Run:
    face = load_font(size, bold)
    left, top, right, bottom = _drawn_box(letters, face)
    advance = -int(-face.getlength(letters, mode="1") // 1)
    return Run(letters, face, 0, 0, None, (min(0, left), top, max(advance, right), bottom), advance)


@lru_cache(maxsize=4096)
def _narrow_letter(letter: str, size: int) -> Run:
    """Its foot stands where that of the same letter, ten times as large, would."""
    # The condensed face draws this one as a dot.
    narrow = letter != "_"
    face = load_font(size, narrow=narrow)
    left, top, right, bottom = _drawn_box(letter, face)
    foot = round(_drawn_box(letter, load_font(10 * size, narrow=narrow))[3] / 10)
    wide = right - left or size // 3 - 1
    return Run(letter, face, -left, bottom - foot, None, (0, top + foot - bottom, wide, foot), wide + 1)


def _fitted_run(kind: str, letters: str, size: int, bold: bool, narrow: bool) -> Run:
    """Letters of other scripts reach further up and down: raised, else made smaller, until they are within what every
    line of a screen has room for."""
    direction = "rtl" if kind == RIGHT_TO_LEFT else None
    highest, lowest = -(size * 15 // 16), _drawn_box("g", load_font(size, bold))[3]
    while True:
        face = load_font(size, bold, narrow, kind)
        left, top, right, bottom = _drawn_box(letters, face, direction)
        if bottom - top <= lowest - highest or size <= SMALLEST:
            break
        size -= 1
    raised = max(0, bottom - lowest) or min(0, top - highest)
    before = max(0, -left)
    wide = before + max(-int(-face.getlength(letters, mode="1", direction=direction) // 1), right)
    return Run(letters, face, before, raised, direction, (0, top - raised, wide, bottom - raised), wide)


@lru_cache(maxsize=2048)
def _split(text: str, bold: bool) -> tuple[tuple[str, str], ...]:
    """(kind, letters) of each piece that one font draws."""
    if text.isascii():
        return ((PLAIN, text),)
    runs = RUNS.finditer("".join([_kind(letter, bold) for letter in text]))
    pieces = [(run[0][0], text[run.start() : run.end()]) for run in runs]
    return tuple((kind, NEUTRAL if kind == MISSING else letters) for kind, letters in pieces)


@lru_cache(maxsize=4096)
def _kind(letter: str, bold: bool) -> str:
    if letter < "\u0590":
        return {" ": SPACE, "-": SPACE, ".": DOT}.get(letter, PLAIN)
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return UNSEEN
    if unicodedata.bidirectional(letter) in ("R", "AL"):
        shaped = features.check("raqm") and _has(letter, RIGHT_TO_LEFT, bold)
        return RIGHT_TO_LEFT if shaped else MISSING
    if EMOJI.match(letter):
        return MISSING
    if _has(letter, PLAIN, bold):
        return DOT if letter == "…" else PLAIN
    return EAST_ASIAN if _has(letter, EAST_ASIAN, bold) else MISSING


def _has(letter: str, kind: str, bold: bool) -> bool:
    try:
        face = load_font(20, bold, kind=kind)
    except OSError:
        return False  # the font's package is not installed
    return bytes(face.getmask(letter)) != bytes(face.getmask("\u0378"))
