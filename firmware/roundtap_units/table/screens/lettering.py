"""Setting text on a small 1-bit screen: names whole, else wrapped or shortened by words, never cut inside one."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import zip_longest

from PIL import Image, ImageDraw, ImageFont

from roundtap_units.table.screens.scenes import Name, Sentence

Font = ImageFont.FreeTypeFont


@lru_cache(maxsize=64)
def load_font(size: int, bold: bool = False) -> Font:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    with resources.as_file(resources.files("roundtap_devices").joinpath("fonts", name)) as path:
        # The other layout engine needs a library that not every machine has, and its letters differ.
        return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=2048)
def text_width(text: str, size: int, bold: bool = False) -> int:
    # In the drawing mode: letters without grey run wider.
    return -int(-load_font(size, bold).getlength(text, mode="1") // 1)


@dataclass(frozen=True, slots=True)
class FittedText:
    lines: tuple[str, ...]
    size: int
    bold: bool
    fits: bool = True

    @property
    def height(self) -> int:
        return len(self.lines) * line_height(self.size)


def line_height(size: int) -> int:
    """From one baseline to the next, accents included."""
    return size + 1 if size > 9 else size


def fit_text(text: str, wide: int, high: int, sizes: tuple[int, ...], bold: bool = False) -> FittedText:
    """`text` in the largest size that fits, wrapped where there is height; a `Name` then in its shorter forms. Wrapping
    breaks at spaces and hyphens. A text that fits in no way stays in the smallest size: a catalogue text that is too
    long, which the tests find."""
    return _fitted(wordings(text), wide, high, sizes, bold)


@lru_cache(maxsize=256)
def _fitted(worded: tuple[str, ...], wide: int, high: int, sizes: tuple[int, ...], bold: bool) -> FittedText:
    for wording in worded:
        for size in sizes:
            lines = _wrap(wording, wide, size, bold)
            if lines and len(lines) * line_height(size) <= high:
                return FittedText(lines, size, bold)
    return FittedText((worded[-1],), sizes[-1], bold, fits=False)


def fit_line(text: str, wide: int) -> FittedText:
    """`text` on one line, in bold where that fits, shortened as little as possible."""
    for wording in wordings(text):
        for size, bold in ((12, True), (11, True), (10, True), (9, True), (10, False), (9, False), (8, False)):
            if text_width(wording, size, bold) <= wide:
                return FittedText((wording,), size, bold)
    return FittedText((wordings(text)[-1],), 8, False, fits=False)


def map_wordings(text: str, change: Callable[[str], str]) -> str:
    forms = [change(form) for form in wordings(text)]
    return Sentence.of(forms) if isinstance(text, Sentence) else forms[0]


def wordings(text: str) -> tuple[str, ...]:
    """A text's wordings, the longest first."""
    if isinstance(text, Name):
        return tuple(shorter_forms(text))
    return (text, *text.shorter) if isinstance(text, Sentence) else (text,)


def shorter_forms(name: str) -> Iterator[str]:
    """A name, then shorter and shorter by whole words; a sign in front stays, and the number of a namesake.

    >>> list(shorter_forms("● Aleksandra Maria Wiśniewska"))[1:]
    ['● Aleksandra Maria W.', '● Aleksandra W.', '● Aleksandra', '● A. W.']
    """
    yield name
    words = name.split()
    sign = f"{words.pop(0)} " if words and len(words[0]) == 1 and not words[0].isalnum() else ""
    twin = f" {words.pop()}" if len(words) > 1 and re.fullmatch(r"\(\d+\)", words[-1]) else ""
    if len(words) > 1:
        first, last = words[0], f"{words[-1][0]}."
        yield f"{sign}{' '.join(words[:-1])} {last}{twin}"
        yield f"{sign}{first} {last}{twin}"
        yield f"{sign}{first}{twin}"
        yield f"{sign}{first[0]}. {last}{twin}"


@lru_cache(maxsize=64)
def fit_pair(left: str, right: str, wide: int, fonts: tuple[tuple[int, bool], ...]) -> tuple[FittedText, FittedText]:
    """Two names on one line, shortened alike, so that together they are no wider than `wide`."""
    for one, two in zip_longest(shorter_forms(left), shorter_forms(right)):
        left, right = one or left, two or right
        for size, bold in fonts:
            gap = 10 if bold else 3
            if text_width(left, size, bold) + gap + text_width(right, size, bold) <= wide:
                return FittedText((left,), size, bold), FittedText((right,), size, bold)
    size, bold = fonts[-1]
    return FittedText((left,), size, bold, fits=False), FittedText((right,), size, bold, fits=False)


def _wrap(text: str, wide: int, size: int, bold: bool) -> tuple[str, ...]:
    """The text in lines no wider than `wide`; () if a part of a word is wider."""
    lines: list[str] = []
    for part, glue in _parts(text):
        if not part:
            # Two spaces: none of them begins a line.
            if lines:
                lines[-1] += glue
            continue
        if lines and text_width(joined := lines[-1] + glue + part, size, bold) <= wide:
            lines[-1] = joined
        elif text_width(part, size, bold) <= wide:
            lines.append(part)
        else:
            return ()
    return tuple(line.rstrip() for line in lines)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Pieces between which a line may end, each with what joins it to the one before."""
    for word in text.split(" "):
        glue = " "
        pieces = word.split("-") if word.count("-") and not word.startswith("-") else [word]
        for place, piece in enumerate(pieces):
            yield piece + ("-" if place < len(pieces) - 1 else ""), glue
            glue = ""


def draw_string(draw: ImageDraw.ImageDraw, x: int, baseline: int, text: str, size: int, bold: bool = False,
          anchor: str = "l", ink: int = 1) -> None:
    """One line on its baseline; `anchor` "l", "m" or "r" is what x means."""
    draw.fontmode = "1"
    draw.text((x, baseline), text, font=load_font(size, bold), fill=ink, anchor=anchor + "s")


def canvas(wide: int, high: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("1", (wide, high), 0)
    return image, ImageDraw.Draw(image)
