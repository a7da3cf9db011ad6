"""Two people acting at once, drawn: two half-screens facing each other, or two columns read from the edge."""

from __future__ import annotations

from PIL import Image, ImageDraw

from roundtap_core.records import SIDES, Side
from roundtap_units.table.screens.lettering import Fitted, canvas, fit, line_height, reworded, width, write
from roundtap_units.table.screens.scenes import SIGNS, Duo, Mark, Name, Part

WIDTH, HEIGHT, HALF = 128, 64, 32
FIGURE, CLOCK, SUM = 24, 20, 18
HEADS, LOW = (11, 10, 9, 8), (10, 9, 8)
ARROWS: dict[Side, str] = {"a": "◄", "b": "►"}


def duo(scene: Duo) -> Image.Image:
    if scene.facing == "opposite":
        image = Image.new("1", (WIDTH, HEIGHT), 0)
        image.paste(_half(scene.a, scene), (0, HALF))
        image.paste(_half(scene.b, scene).rotate(180), (0, 0))
        ImageDraw.Draw(image).point([(x, 31) for x in range(0, WIDTH, 4)], fill=1)
        return image
    image, pen = canvas(WIDTH, HEIGHT)
    for side in SIDES:
        _column(pen, scene.of(side), side)
    pen.point([(63, y) for y in range(0, HEIGHT, 4)], fill=1)
    if scene.mark or scene.badge:
        text = scene.mark or scene.badge
        wide = width(text, 8, bold=True) + 4
        pen.rectangle([64 - wide // 2, 0, 64 + wide // 2, 9], fill=1)
        write(pen, 64, 8, text, 8, bold=True, anchor="m", ink=0)
    return image


def dotted(pen: ImageDraw.ImageDraw, left: int, top: int, right: int, bottom: int) -> None:
    """A frame of dots: what stands in it was set by nobody."""
    pen.point([(x, y) for x in range(left, right + 1, 2) for y in (top, bottom)], fill=1)
    pen.point([(x, y) for x in (left, right) for y in range(top, bottom + 1, 2)], fill=1)


def _half(part: Part, scene: Duo) -> Image.Image:
    """Head and label above each other, what can be pressed beneath; figures or marks at the right."""
    image, pen = canvas(WIDTH, HALF)
    corner = scene.mark or scene.badge
    room = WIDTH - (width(corner, 8) + 3 if corner else 0)
    if corner:
        write(pen, WIDTH, 8, corner, 8, anchor="r")
    if len(part.figures) > 1:
        _sum(pen, part, room)
        return image
    _set(pen, fit(part.head, room, 11, HEADS, bold=isinstance(part.head, Name)), 0, 0, 11)
    taken = _marks(pen, part.marks, WIDTH, 12, "r") if part.marks else 0
    if part.figures:
        size = CLOCK if ":" in part.figures[0] else FIGURE
        taken = width(part.figures[0], size)
        if part.unset:
            taken += 6
            dotted(pen, WIDTH - taken, 10, WIDTH - 1, 31)
        write(pen, WIDTH - (3 if part.unset else 0), 30 if part.unset else 31, part.figures[0], size, anchor="r")
    left = WIDTH - taken - 4
    if not part.label:
        _set(pen, fit(part.hint, left, 20, LOW), 0, 11, 20)
        return image
    _set(pen, fit(part.label, left, 10, LOW), 0, 11, 10)
    _set(pen, fit(part.hint, left, 11, LOW), 0, 21, 11)
    return image


def _sum(pen: ImageDraw.ImageDraw, part: Part, room: int) -> None:
    """Above, who has won, the squads and what else was told; beneath the figures, and between them what to press."""
    label = fit(part.label, room, 16, (10, 9, 8))
    _set(pen, label, 0, 0, label.height)
    size = FIGURE if label.height <= 11 else SUM
    left, right = (width(figure, size) for figure in part.figures)
    if left + right + 34 > WIDTH:
        size, left, right = SUM, *(width(figure, SUM) for figure in part.figures)
    write(pen, 0, 31, part.figures[0], size)
    write(pen, WIDTH, 31, part.figures[1], size, anchor="r")
    top = max(12, label.height)
    hints = part.hint.split("  ")
    each = (32 - top) // len(hints)
    for place, hint in enumerate(hints):
        _set(pen, fit(hint, WIDTH - left - right - 4, each, (9, 8, 7)), left + (WIDTH - left - right) // 2,
             top + place * each, each, "m")


def _column(pen: ImageDraw.ImageDraw, part: Part, side: Side) -> None:
    """A person's half of the screen, one way up; sign and arrow at the outer edge."""
    x, anchor = (0, "l") if side == "a" else (WIDTH, "r")
    write(pen, x, 8, f"{ARROWS['a']}{SIGNS['a']}" if side == "a" else f"{SIGNS['b']}{ARROWS['b']}", 10, anchor=anchor)
    if isinstance(part.head, Name):
        name = Name(part.head.lstrip("".join(SIGNS.values())).strip())
        _set(pen, fit(name, 38, 10, (10, 9, 8)), 24 if side == "a" else WIDTH - 24, 0, 10, anchor)
        tall = 21 if len(part.figures) > 1 else 18
        label = reworded(part.label, lambda form: form.replace("\u00a0", " "))
        _set(pen, fit(label, 62, tall, (9, 8, 7)), x, 9 if tall > 18 else 10, tall, anchor)
    else:
        # What has to be known takes the room of the name; what is asked, the row below the marks.
        _set(pen, fit(part.head, 62, 19, (9, 8)), x, 9, 19, anchor)
        _set(pen, fit(part.label, 62, 9, (8, 7)), x, 46, 9, anchor)
    if part.marks:
        _marks(pen, part.marks, x, 29, anchor)
    for place, figure in enumerate(part.figures):
        two = len(part.figures) > 1
        size = next((size for size in (SUM if two else FIGURE, CLOCK) if width(figure, size) <= 62), 16)
        baseline = 43 + 13 * place if two else 46
        write(pen, x, baseline, figure, size - 2 if two else size, anchor=anchor)
        if part.unset:
            wide = width(figure, size)
            left = x if anchor == "l" else x - wide - 3
            dotted(pen, left, baseline - 18, left + wide + 3, baseline + 2)
    low = 16 if len(part.figures) < 2 and isinstance(part.head, Name) else 8
    _set(pen, fit(part.hint, 62, low, (9, 8, 7)), x, HEIGHT - low, low, anchor)


def _marks(pen: ImageDraw.ImageDraw, marks: tuple[Mark, ...], x: int, top: int, anchor: str) -> int:
    """Letters in boxes: filled is picked, ticked was fielded before, underlined is where the own button stands."""
    each = 15
    left = x - each * len(marks) if anchor == "r" else x
    for place, mark in enumerate(marks):
        start = left + place * each
        pen.rectangle([start, top, start + 12, top + 13], fill=1 if mark.picked else 0, outline=1)
        write(pen, start + 6, top + 11, mark.letter, 11, bold=True, anchor="m", ink=0 if mark.picked else 1)
        if mark.cursor:
            pen.rectangle([start, top + 15, start + 12, top + 16], fill=1)
        if mark.used:
            write(pen, start + 13, top + 4, "✓", 8, anchor="r", ink=0 if mark.picked else 1)
    return each * len(marks)


def _set(pen: ImageDraw.ImageDraw, text: Fitted, x: int, top: int, high: int, anchor: str = "l") -> None:
    first = max(top + max(0, (high - text.height) // 2) + text.size - (text.size + 3) // 6, text.size * 15 // 16)
    for place, line in enumerate(text.lines):
        write(pen, x, first + place * line_height(text.size), line, text.size, text.bold, anchor)
