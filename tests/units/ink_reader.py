"""What a table's screen really shows: the ink of each text and frame, taken down while a scene is drawn."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from roundtap_devices import letters
from roundtap_units.table.screens import lettering, screens

WIDE, MARGIN = 224, 48
"""Ink is a number with a bit for each pixel: rows of `WIDE`, with room around the canvas for what would be cut."""
PAPER = WIDE, screens.HEIGHT + 2 * MARGIN


EMPTY = lettering.canvas


@dataclass(slots=True)
class DrawnText:
    text: str
    size: int
    ink: int = 0
    light: bool = True


@dataclass(slots=True)
class Canvas:
    """One picture, or the half of one, and what was drawn on it."""

    wide: int
    high: int
    texts: list[DrawnText] = field(default_factory=list)
    frames: list[tuple[int, bool]] = field(default_factory=list)  # its ink, and whether it is filled

    def faults(self) -> Iterator[str]:
        """Everything that would trouble a reader, each in a few words. Two texts need a dark column between them."""
        inside = _inside(self.wide, self.high)
        for text in self.texts:
            if text.ink & ~inside:
                yield f"cut: {text.text!r}"
            if text.text.strip() not in ("", "…") and not text.ink:
                yield f"nothing drawn: {text.text!r}"
        for one, two in combinations(self.texts, 2):
            if (one.ink | one.ink << 1 | one.ink >> 1) & two.ink:
                yield f"overlap: {one.text!r} and {two.text!r}"
        for ink, filled in self.frames:
            for text in self.texts:
                within = filled and not text.light and not text.ink & ~ink
                if text.ink & ink and not within:
                    yield f"frame over {text.text!r}"


@lru_cache(maxsize=8)
def _inside(wide: int, high: int) -> int:
    row = ((1 << wide) - 1) << MARGIN
    # The upper row of a half belongs to the dots between the halves.
    return sum(row << WIDE * (MARGIN + y) for y in range(high == screens.HALF, high))


@lru_cache(maxsize=5000)
def _ink_of(face: ImageFont.FreeTypeFont, text: str, anchor: str, direction: str | None) -> int:
    """A run of text drawn at the origin of the canvas."""
    image = Image.new("1", PAPER, 0)
    pen = ImageDraw.Draw(image)
    pen.fontmode = "1"
    pen.text((MARGIN, MARGIN), text, font=face, fill=1, anchor=anchor, direction=direction)
    return _bits(image)


def _bits(image: Image.Image) -> int:
    """Bit 0 is the upper left pixel."""
    return int.from_bytes(
        image.transpose(Image.Transpose.FLIP_LEFT_RIGHT).transpose(Image.Transpose.FLIP_TOP_BOTTOM).tobytes(), "big"
    )


def _shifted(ink: int, x: int, y: int) -> int:
    by = y * WIDE + x
    return ink << by if by >= 0 else ink >> -by


class InkReader:
    """Between `with` and its end every canvas of the screens is a written record."""

    def __init__(self) -> None:
        self.canvases: list[Canvas] = []
        self._text: DrawnText | None = None

    def read(self, scene: Any) -> list[Canvas]:
        self.canvases = []
        screens.draw_scene(scene)
        return self.canvases

    def canvas(self, wide: int, high: int) -> tuple[Image.Image, Any]:
        image, _ = EMPTY(wide, high)
        self.canvases.append(Canvas(wide, high))
        return image, _RecordingPen(self, self.canvases[-1])

    def string(self, pen: Any, x: int, baseline: int, text: str, size: int, *args: Any, **kwargs: Any) -> None:
        pen.canvas.texts.append(DrawnText(text, size, light=kwargs.get("ink", 1) == 1))
        letters.draw_text(pen, x, baseline, text, size, *args, **kwargs)


class _RecordingPen:
    """Takes down what the screens draw, and draws nothing."""

    fontmode = "1"

    def __init__(self, reader: InkReader, canvas: Canvas) -> None:
        self.canvas = canvas

    def text(
        self,
        at: tuple[int, int],
        text: str,
        font: ImageFont.FreeTypeFont,
        anchor: str,
        direction: str | None = None,
        **_: Any,
    ) -> None:
        self.canvas.texts[-1].ink |= _shifted(_ink_of(font, text, anchor, direction), *at)

    def _frame(self, draw: Callable[[ImageDraw.ImageDraw], None], filled: bool) -> None:
        image = Image.new("1", PAPER, 0)
        draw(ImageDraw.Draw(image))
        self.canvas.frames.append((_bits(image), filled))

    def rectangle(self, box: list[int], fill: int = 0, outline: int | None = None) -> None:
        moved = [each + MARGIN for each in box]
        self._frame(lambda pen: pen.rectangle(moved, fill=fill, outline=1), bool(fill))

    def point(self, points: list[tuple[int, int]], **_: Any) -> None:
        moved = [(x + MARGIN, y + MARGIN) for x, y in points]
        self._frame(lambda pen: pen.point(moved, fill=1), False)

    def line(self, points: list[tuple[int, int]], **_: Any) -> None:
        moved = [(x + MARGIN, y + MARGIN) for x, y in points]
        self._frame(lambda pen: pen.line(moved, fill=1), False)


@contextmanager
def ink_reader() -> Iterator[InkReader]:
    """Screens that are read instead of drawn."""
    reader = InkReader()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lettering, "canvas", reader.canvas)
        patch.setattr(screens, "draw_text", reader.string)
        yield reader
