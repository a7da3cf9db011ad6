"""Scenes drawn as 128x64 1-bit pictures: half-screens turned to each person, or the whole turned to who acts."""

from __future__ import annotations

from PIL import Image, ImageDraw

from roundtap_core.records import Side
from roundtap_units.table.screens.duo import dotted, duo
from roundtap_units.table.screens.lettering import (
    Fitted,
    canvas,
    fit,
    fit_line,
    fit_pair,
    line_height,
    reworded,
    width,
    write,
)
from roundtap_units.table.screens.scenes import (
    SIGNS,
    Column,
    Duo,
    Figures,
    Half,
    Halves,
    Name,
    Page,
    Row,
    Scene,
    Sentence,
)

WIDTH, HEIGHT = 128, 64
FIGURE, CLOCK = 24, 20
BIG, BIG_HIGH = (20, 19, 18, 17, 16, 15, 14), 22
HEADS, SMALL, LOW = (13, 12, 11, 10, 9), (12, 11, 10, 9), (11, 10, 9)
TOGETHER = ((12, True), (11, True), (10, True), (10, False), (9, False))
CLOCK_KINDS = ("idle", "seating", "call")
ARROWS: dict[Side, str] = {"a": "◄", "b": "►"}


def draw(scene: Scene) -> Image.Image:
    """The picture of a scene. On a board between two people, what is for side b is upside down for everyone else."""
    if isinstance(scene, Halves):
        return _halves(scene) if scene.facing == "opposite" else _from_the_edge(scene)
    if isinstance(scene, Duo):
        return duo(scene)
    assert isinstance(scene, Figures | Page)
    image = _figures(scene) if isinstance(scene, Figures) else _page(scene)
    return image.rotate(180) if scene.facing == "opposite" and scene.turn == "b" else image


def labelled(image: Image.Image, label: str) -> Image.Image:
    """A picture that was drawn before, with a word in its upper right corner."""
    image = image.copy()
    _label(ImageDraw.Draw(image), label, 10)
    return image


# --- for both ---


def _halves(scene: Halves) -> Image.Image:
    image = Image.new("1", (WIDTH, HEIGHT), 0)
    image.paste(_half(scene.a, scene), (0, 32))
    image.paste(_half(scene.b, scene).rotate(180), (0, 0))
    # Dotted, so that no letter seems to be underlined.
    ImageDraw.Draw(image).point([(x, 31) for x in range(0, WIDTH, 4)], fill=1)
    return image


def _half(half: Half, scene: Scene) -> Image.Image:
    image, pen = canvas(WIDTH, 32)
    corner = _corner(pen, scene, 10)
    size = CLOCK if scene.kind in CLOCK_KINDS else FIGURE
    low = size == FIGURE and (half.big != "" or isinstance(half.small, Sentence))
    _set(pen, fit(half.head, WIDTH - corner, 14, LOW if low else HEADS, bold=True), 0, 0, 12 if low else 14)
    taken = 0
    if half.big:
        write(pen, WIDTH, 31, half.big, size, anchor="r")
        taken = width(half.big, size) + 4
    if half.note and isinstance(half.small, Sentence) and not half.big:
        # What is said is larger than what may be done beside it.
        _set(pen, fit(half.small, WIDTH, 11, (10, 9, 8), bold=True), 0, 12, 11)
        _set(pen, fit(half.note, WIDTH, 9, (9, 8)), 0, 23, 9)
        return image
    if half.note:
        # Both lines keep their place, so that the eye finds the opponent where it was.
        _set(pen, fit(half.small, WIDTH - taken, 9, (9, 8)), 0, 14, 9)
        _set(pen, fit(half.note, WIDTH - taken, 9, (9, 8)), 0, 23, 9)
        return image
    _set(pen, fit(half.small, WIDTH - taken, 18, (*SMALL, 8)), 0, 14, 18)
    return image


def _from_the_edge(scene: Halves) -> Image.Image:
    """One way up: signs and arrows at the people, their names, and below what concerns both."""
    image, pen = canvas(WIDTH, HEIGHT)
    a, b = scene.a, scene.b
    together = a.head == b.head
    if together:
        corner = _corner(pen, scene, 10)
        _set(pen, fit(a.head, WIDTH - corner, 14, HEADS, bold=True), 0, 0, 14)
    else:
        # Low enough to leave room for the dot of a Ż below.
        write(pen, 0, 8, f"{ARROWS['a']} {SIGNS['a']}", 10)
        write(pen, WIDTH, 8, f"{SIGNS['b']} {ARROWS['b']}", 10, anchor="r")
        _corner(pen, scene, 9, right=64 + _corner_width(scene) // 2)
        one, two = (half.head.lstrip("".join(SIGNS.values())).strip() for half in (a, b))
        left_name, right_name = fit_pair(one, two, WIDTH, TOGETHER)
        _set(pen, left_name, 0, 12, 12)
        _set(pen, right_name, WIDTH, 12, 12, anchor="r")
    big = a.big if a.big not in SIGNS.values() else b.big
    top = 16 if together else 25
    if big and big not in SIGNS.values():
        write(pen, 64, 46, big, FIGURE, anchor="m")
        top = 47
    elif together and isinstance(a.small, Sentence) and a.small == b.small:
        _set(pen, fit(a.small, WIDTH, 25, HEADS, bold=True), 64, 15, 25, anchor="m")
        top = 40
    # The names already stand above.
    left, right = (half.small if together or not isinstance(half.small, Name) else "" for half in (a, b))
    if a.note != b.note:
        left, right = a.note, b.note
    elif a.note:
        _set(pen, fit(" · ".join(text for text in (left, a.note) if text), WIDTH, HEIGHT - top, (11, 10, 9, 8)),
             64, top, HEIGHT - top, anchor="m")
        return image
    _both(pen, top, left, right)
    return image


def _both(pen: ImageDraw.ImageDraw, top: int, left: str, right: str) -> None:
    """The small texts of both: once where they are the same, else at their side."""
    high = HEIGHT - top
    if left == right:
        _set(pen, fit(left, WIDTH, high, HEADS), 64, top, high, anchor="m")
        return
    _set(pen, fit(left, 62, high, (*SMALL, 8)), 0, top, high)
    _set(pen, fit(right, 62, high, (*SMALL, 8)), WIDTH, top, high, anchor="r")


# --- for the one who acts ---


def _figures(scene: Figures) -> Image.Image:
    image, pen = canvas(WIDTH, HEIGHT)
    left, right = scene.left, scene.right
    names, figures = (10, 33) if not scene.title else (22, 43)
    if scene.title:
        title = scene.title if scene.facing == "opposite" else _pointed(scene.title, scene.turn)
        _set(pen, fit_line(title, WIDTH), 64, 0, 11, anchor="m")
    # The signs stand outside, each at its person.
    write(pen, 0, names - 1, left.sign, 11)
    write(pen, WIDTH, names - 1, right.sign, 11, anchor="r")
    left_name, right_name = fit_pair(left.name, right.name, WIDTH - 2 * 12, TOGETHER)
    _set(pen, left_name, 12, names - 10, 11)
    _set(pen, right_name, WIDTH - 12, names - 10, 11, anchor="r")
    _figure(pen, left, 28, figures)
    write(pen, 64, figures, "–", FIGURE - 8, anchor="m")
    _figure(pen, right, 100, figures)
    bottom = (49, 62) if not scene.title else (53, 63)
    edge = scene.mark or scene.clock
    if not scene.mark and width(scene.info, 9) > WIDTH - width(edge, 10) - 4:
        edge = ""  # The worth is what is confirmed here; the clock is on every other screen.
    write(pen, WIDTH, bottom[0], edge, 10, anchor="r")
    _set(pen, fit(scene.info, WIDTH - width(edge, 10) - 4, 11, (10, 9)), 0, bottom[0] - 9, 10)
    hint = fit(scene.hint, WIDTH, 11, LOW)
    _set(pen, hint, 0, bottom[1] - 10, 11)
    if scene.note:
        room = WIDTH - width(hint.lines[0], hint.size) - 6
        _set(pen, fit(scene.note, room, 11, (10, 9, 8)), WIDTH, bottom[1] - 10, 11, anchor="r")
    elif scene.badge and width(hint.lines[0], hint.size) + width(scene.badge, 8) + 8 < WIDTH:
        _label(pen, scene.badge, bottom[1])
    return image


def _figure(pen: ImageDraw.ImageDraw, column: Column, middle: int, baseline: int) -> None:
    """A figure by its wheels; the one that turns is underlined, an untouched whole figure is inverted, and one that
    nobody has set stands in dots."""
    turning = column.active is not None
    x = middle - sum(width(wheel, FIGURE, turning) for wheel in column.wheels) // 2
    for place, wheel in enumerate(column.wheels):
        wide = width(wheel, FIGURE, turning)
        if column.active == -1:
            pen.rectangle([x - 3, baseline - 20, x + wide + 2, baseline + 2], fill=1)
        elif column.unset:
            dotted(pen, x - 3, baseline - 20, x + wide + 2, baseline + 2)
        write(pen, x, baseline, wheel, FIGURE, turning, ink=0 if column.active == -1 else 1)
        if column.active == place:
            pen.rectangle([x + 1, baseline + 2, x + wide - 2, baseline + 3], fill=1)
        x += wide


def _page(scene: Page) -> Image.Image:
    image, pen = canvas(WIDTH, HEIGHT)
    corner = _corner(pen, scene, 10)
    title = scene.title if scene.facing == "opposite" else _pointed(scene.title, scene.turn)
    one_line = max((size for size in HEADS if width(title, size, bold=True) <= WIDTH - corner), default=0)
    if isinstance(scene.title, Sentence) or scene.big:
        head = fit_line(title, WIDTH - corner)
    else:
        head = fit(title, WIDTH - corner, 15 if one_line else 28, HEADS, bold=True)
    _set(pen, head, 0, 0, head.height)
    top, bottom = head.height + 2, HEIGHT - (13 if scene.hint else 0)
    if scene.big:
        big = fit(scene.big, WIDTH, BIG_HIGH, BIG, bold=True)
        _set(pen, big, 64, top, BIG_HIGH, anchor="m")
        top += BIG_HIGH
    each = (bottom - top) // max(1, len(scene.lines))
    for place, line in enumerate(scene.lines):
        _row(pen, line, top + place * each, each)
    if scene.hint:
        _set(pen, fit(scene.hint, WIDTH, 12, LOW), 0, HEIGHT - 12, 12)
    return image


def _row(pen: ImageDraw.ImageDraw, line: str | Row, top: int, high: int) -> None:
    if isinstance(line, str):
        _set(pen, fit(line, WIDTH, high, (*HEADS, 8)), 0, top, high)
        return
    figure = fit(line.figure, WIDTH, high, HEADS, bold=True)
    _set(pen, figure, WIDTH, top, high, anchor="r")
    room = WIDTH - (width(line.figure, figure.size, bold=True) + 6 if line.figure else 0)
    _set(pen, fit(line.name, room, min(high, 16), HEADS), 0, top, high)


# --- parts ---


def _pointed(title: str, turn: str | None) -> str:
    if turn is None:
        return title
    return reworded(title, lambda form: f"{ARROWS['a']} {form}" if turn == "a" else f"{form} {ARROWS['b']}")


def _corner_width(scene: Scene) -> int:
    if scene.mark:
        return width(scene.mark, 10) + 4
    return width(scene.badge, 8, bold=True) + 7 if scene.badge else 0


def _corner(pen: ImageDraw.ImageDraw, scene: Scene, baseline: int, right: int = WIDTH) -> int:
    """The age of the last contact, else the badge, ending at `right`; the width it takes."""
    if scene.mark:
        write(pen, right, baseline, scene.mark, 10, anchor="r")
    elif scene.badge:
        _label(pen, scene.badge, baseline, right)
    return _corner_width(scene)


def _label(pen: ImageDraw.ImageDraw, text: str, baseline: int, right: int = WIDTH) -> None:
    wide = width(text, 8, bold=True) + 4
    pen.rectangle([right - wide, baseline - 8, right, baseline + 1], fill=1)
    write(pen, right - 2, baseline - 1, text, 8, bold=True, anchor="r", ink=0)


def _set(pen: ImageDraw.ImageDraw, text: Fitted, x: int, top: int, high: int, anchor: str = "l") -> None:
    """Lines of text, centred in a strip of that height."""
    first = top + max(0, (high - text.height) // 2) + text.size - (text.size + 3) // 6
    first = max(first, text.size * 15 // 16)  # the accent of Ź must not leave the screen
    for place, line in enumerate(text.lines):
        write(pen, x, first + place * line_height(text.size), line, text.size, text.bold, anchor)
