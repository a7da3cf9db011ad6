"""Scenes drawn as 128x64 1-bit pictures: half-screens turned to each person, or the whole turned to who acts."""

from PIL import Image, ImageDraw

from roundtap_core.records import SIDES, Side
from roundtap_units.table.screens import scenes
from roundtap_units.table.screens.lettering import (
    FittedText,
    canvas,
    draw_string,
    fit_line,
    fit_pair,
    fit_text,
    line_height,
    map_wordings,
    text_width,
)

WIDTH, HEIGHT, HALF = 128, 64, 32
FIGURE, CLOCK, SUM = 24, 20, 18
BIG, BIG_HIGH = (20, 19, 18, 17, 16, 15, 14), 22
HEADS, SMALL, LOW = (13, 12, 11, 10, 9), (12, 11, 10, 9), (11, 10, 9)
PART_HEADS, PART_LOW = (11, 10, 9, 8), (10, 9, 8)
TOGETHER = ((12, True), (11, True), (10, True), (10, False), (9, False))
CLOCK_KINDS = ("idle", "seating", "call")
ARROWS: dict[Side, str] = {"a": "◄", "b": "►"}


def draw_scene(scene: scenes.Scene) -> Image.Image:
    """The picture of a scene. On a board between two people, side b's part is upside down."""
    if isinstance(scene, scenes.HalvesScene):
        return _face_to_face(_half(scene.a, scene), _half(scene.b, scene)) if scene.facing == "opposite" \
            else _from_the_edge(scene)
    if isinstance(scene, scenes.SideBySideScene):
        return _duo(scene)
    assert isinstance(scene, scenes.FiguresScene | scenes.TextScene)
    image = _figures(scene) if isinstance(scene, scenes.FiguresScene) else _page(scene)
    return image.rotate(180) if scene.facing == "opposite" and scene.turn == "b" else image


def add_label(image: Image.Image, label: str) -> Image.Image:
    """An earlier picture, with a label in its upper right corner."""
    image = image.copy()
    _label(ImageDraw.Draw(image), label, 10)
    return image


# --- for both ---


def _face_to_face(a: Image.Image, b: Image.Image) -> Image.Image:
    image = Image.new("1", (WIDTH, HEIGHT), 0)
    image.paste(a, (0, HALF))
    image.paste(b.rotate(180), (0, 0))
    # Dotted, so that no letter seems to be underlined.
    ImageDraw.Draw(image).point([(x, 31) for x in range(0, WIDTH, 4)], fill=1)
    return image


def _half(half: scenes.HalfScreen, scene: scenes.Scene) -> Image.Image:
    image, pen = canvas(WIDTH, HALF)
    corner = _corner(pen, scene, 10)
    size = CLOCK if scene.kind in CLOCK_KINDS else FIGURE
    low = size == FIGURE and (half.big != "" or isinstance(half.small, scenes.Sentence))
    _draw_text(pen, fit_text(half.head, WIDTH - corner, 14, LOW if low else HEADS, bold=True), 0, 0, 12 if low else 14)
    taken = 0
    if half.big:
        draw_string(pen, WIDTH, 31, half.big, size, anchor="r")
        taken = text_width(half.big, size) + 4
    if half.note and isinstance(half.small, scenes.Sentence) and not half.big:
        # The result is larger than what may be done beside it.
        _draw_text(pen, fit_text(half.small, WIDTH, 11, (10, 9, 8), bold=True), 0, 12, 11)
        _draw_text(pen, fit_text(half.note, WIDTH, 9, (9, 8)), 0, 23, 9)
        return image
    if half.note:
        # Both lines keep their place, so that the eye finds the opponent where it was.
        _draw_text(pen, fit_text(half.small, WIDTH - taken, 9, (9, 8)), 0, 14, 9)
        _draw_text(pen, fit_text(half.note, WIDTH - taken, 9, (9, 8)), 0, 23, 9)
        return image
    _draw_text(pen, fit_text(half.small, WIDTH - taken, 18, (*SMALL, 8)), 0, 14, 18)
    return image


def _from_the_edge(scene: scenes.HalvesScene) -> Image.Image:
    """One way up: signs and arrows at the people, their names, and below what concerns both."""
    image, pen = canvas(WIDTH, HEIGHT)
    a, b = scene.a, scene.b
    together = a.head == b.head
    if together:
        corner = _corner(pen, scene, 10)
        _draw_text(pen, fit_text(a.head, WIDTH - corner, 14, HEADS, bold=True), 0, 0, 14)
    else:
        # Low enough to leave room for the dot of a Ż below.
        draw_string(pen, 0, 8, f"{ARROWS['a']} {scenes.SIGNS['a']}", 10)
        draw_string(pen, WIDTH, 8, f"{scenes.SIGNS['b']} {ARROWS['b']}", 10, anchor="r")
        _corner(pen, scene, 9, right=64 + _corner_width(scene) // 2)
        one, two = (half.head.lstrip("".join(scenes.SIGNS.values())).strip() for half in (a, b))
        left_name, right_name = fit_pair(one, two, WIDTH, TOGETHER)
        _draw_text(pen, left_name, 0, 12, 12)
        _draw_text(pen, right_name, WIDTH, 12, 12, anchor="r")
    big = a.big if a.big not in scenes.SIGNS.values() else b.big
    top = 16 if together else 25
    if big and big not in scenes.SIGNS.values():
        draw_string(pen, 64, 46, big, FIGURE, anchor="m")
        top = 47
    elif together and isinstance(a.small, scenes.Sentence) and a.small == b.small:
        _draw_text(pen, fit_text(a.small, WIDTH, 25, HEADS, bold=True), 64, 15, 25, anchor="m")
        top = 40
    # The names are already above.
    left, right = (half.small if together or not isinstance(half.small, scenes.Name) else "" for half in (a, b))
    if a.note != b.note:
        left, right = a.note, b.note
    elif a.note:
        _draw_text(pen, fit_text(" · ".join(each for each in (left, a.note) if each), WIDTH, HEIGHT - top,
                                 (11, 10, 9, 8)), 64, top, HEIGHT - top, anchor="m")
        return image
    _both(pen, top, left, right)
    return image


def _both(pen: ImageDraw.ImageDraw, top: int, left: str, right: str) -> None:
    """The small texts of both: once where they are the same, else at their side."""
    high = HEIGHT - top
    if left == right:
        _draw_text(pen, fit_text(left, WIDTH, high, HEADS), 64, top, high, anchor="m")
        return
    _draw_text(pen, fit_text(left, 62, high, (*SMALL, 8)), 0, top, high)
    _draw_text(pen, fit_text(right, 62, high, (*SMALL, 8)), WIDTH, top, high, anchor="r")


# --- for two who act at once ---


def _duo(scene: scenes.SideBySideScene) -> Image.Image:
    if scene.facing == "opposite":
        return _face_to_face(_part_half(scene.a, scene), _part_half(scene.b, scene))
    image, pen = canvas(WIDTH, HEIGHT)
    for side in SIDES:
        _column(pen, scene.of(side), side)
    pen.point([(63, y) for y in range(0, HEIGHT, 4)], fill=1)
    if scene.mark or scene.badge:
        text = scene.mark or scene.badge
        wide = text_width(text, 8, bold=True) + 4
        pen.rectangle([64 - wide // 2, 0, 64 + wide // 2, 9], fill=1)
        draw_string(pen, 64, 8, text, 8, bold=True, anchor="m", ink=0)
    return image


def _part_half(part: scenes.SidePart, scene: scenes.SideBySideScene) -> Image.Image:
    """Head and label above each other, the buttons' meaning beneath; figures or marks at the right."""
    image, pen = canvas(WIDTH, HALF)
    corner = scene.mark or scene.badge
    room = WIDTH - (text_width(corner, 8) + 3 if corner else 0)
    if corner:
        draw_string(pen, WIDTH, 8, corner, 8, anchor="r")
    if len(part.figures) > 1:
        _sum(pen, part, room)
        return image
    _draw_text(pen, fit_text(part.head, room, 11, PART_HEADS, bold=isinstance(part.head, scenes.Name)), 0, 0, 11)
    taken = _marks(pen, part.marks, WIDTH, 12, "r") if part.marks else 0
    if part.figures:
        size = CLOCK if ":" in part.figures[0] else FIGURE
        taken = text_width(part.figures[0], size)
        if part.unset:
            taken += 6
            _dotted(pen, WIDTH - taken, 10, WIDTH - 1, 31)
        draw_string(pen, WIDTH - (3 if part.unset else 0), 30 if part.unset else 31, part.figures[0], size, anchor="r")
    left = WIDTH - taken - 4
    if not part.label:
        _draw_text(pen, fit_text(part.hint, left, 20, PART_LOW), 0, 11, 20)
        return image
    _draw_text(pen, fit_text(part.label, left, 10, PART_LOW), 0, 11, 10)
    _draw_text(pen, fit_text(part.hint, left, 11, PART_LOW), 0, 21, 11)
    return image


def _sum(pen: ImageDraw.ImageDraw, part: scenes.SidePart, room: int) -> None:
    """Above, who has won, the squads and other answers; beneath the figures, and between them what to press."""
    label = fit_text(part.label, room, 16, (10, 9, 8))
    _draw_text(pen, label, 0, 0, label.height)
    size = FIGURE if label.height <= 11 else SUM
    left, right = (text_width(figure, size) for figure in part.figures)
    if left + right + 34 > WIDTH:
        size, left, right = SUM, *(text_width(figure, SUM) for figure in part.figures)
    draw_string(pen, 0, 31, part.figures[0], size)
    draw_string(pen, WIDTH, 31, part.figures[1], size, anchor="r")
    top = max(12, label.height)
    hints = part.hint.split("  ")
    each = (32 - top) // len(hints)
    for place, hint in enumerate(hints):
        _draw_text(pen, fit_text(hint, WIDTH - left - right - 4, each, (9, 8, 7)), left + (WIDTH - left - right) // 2,
                   top + place * each, each, "m")


def _column(pen: ImageDraw.ImageDraw, part: scenes.SidePart, side: Side) -> None:
    """A person's half of the screen, one way up; sign and arrow at the outer edge."""
    x, anchor = (0, "l") if side == "a" else (WIDTH, "r")
    mark = f"{ARROWS['a']}{scenes.SIGNS['a']}" if side == "a" else f"{scenes.SIGNS['b']}{ARROWS['b']}"
    draw_string(pen, x, 8, mark, 10, anchor=anchor)
    if isinstance(part.head, scenes.Name):
        name = scenes.Name(part.head.lstrip("".join(scenes.SIGNS.values())).strip())
        _draw_text(pen, fit_text(name, 38, 10, (10, 9, 8)), 24 if side == "a" else WIDTH - 24, 0, 10, anchor)
        tall = 21 if len(part.figures) > 1 else 18
        label = map_wordings(part.label, lambda form: form.replace("\u00a0", " "))
        _draw_text(pen, fit_text(label, 62, tall, (9, 8, 7)), x, 9 if tall > 18 else 10, tall, anchor)
    else:
        # What has to be known takes the room of the name; the question, the row below the marks.
        _draw_text(pen, fit_text(part.head, 62, 19, (9, 8)), x, 9, 19, anchor)
        _draw_text(pen, fit_text(part.label, 62, 9, (8, 7)), x, 46, 9, anchor)
    if part.marks:
        _marks(pen, part.marks, x, 29, anchor)
    for place, figure in enumerate(part.figures):
        two = len(part.figures) > 1
        size = next((size for size in (SUM if two else FIGURE, CLOCK) if text_width(figure, size) <= 62), 16)
        baseline = 43 + 13 * place if two else 46
        draw_string(pen, x, baseline, figure, size - 2 if two else size, anchor=anchor)
        if part.unset:
            wide = text_width(figure, size)
            left = x if anchor == "l" else x - wide - 3
            _dotted(pen, left, baseline - 18, left + wide + 3, baseline + 2)
    low = 16 if len(part.figures) < 2 and isinstance(part.head, scenes.Name) else 8
    _draw_text(pen, fit_text(part.hint, 62, low, (9, 8, 7)), x, HEIGHT - low, low, anchor)


def _marks(pen: ImageDraw.ImageDraw, marks: tuple[scenes.SquadMark, ...], x: int, top: int, anchor: str) -> int:
    """Letters in boxes: filled is picked, ticked was fielded before, underlined is where the own button stands."""
    each = 15
    left = x - each * len(marks) if anchor == "r" else x
    for place, mark in enumerate(marks):
        start = left + place * each
        pen.rectangle([start, top, start + 12, top + 13], fill=1 if mark.picked else 0, outline=1)
        draw_string(pen, start + 6, top + 11, mark.letter, 11, bold=True, anchor="m", ink=0 if mark.picked else 1)
        if mark.cursor:
            pen.rectangle([start, top + 15, start + 12, top + 16], fill=1)
        if mark.used:
            draw_string(pen, start + 13, top + 4, "✓", 8, anchor="r", ink=0 if mark.picked else 1)
    return each * len(marks)


# --- for the one who acts ---


def _figures(scene: scenes.FiguresScene) -> Image.Image:
    image, pen = canvas(WIDTH, HEIGHT)
    left, right = scene.left, scene.right
    names, figures = (10, 33) if not scene.title else (22, 43)
    if scene.title:
        title = scene.title if scene.facing == "opposite" else _with_arrow(scene.title, scene.turn)
        _draw_text(pen, fit_line(title, WIDTH), 64, 0, 11, anchor="m")
    # The signs stand outside, each at its person.
    draw_string(pen, 0, names - 1, left.sign, 11)
    draw_string(pen, WIDTH, names - 1, right.sign, 11, anchor="r")
    left_name, right_name = fit_pair(left.name, right.name, WIDTH - 2 * 12, TOGETHER)
    _draw_text(pen, left_name, 12, names - 10, 11)
    _draw_text(pen, right_name, WIDTH - 12, names - 10, 11, anchor="r")
    _figure(pen, left, 28, figures)
    draw_string(pen, 64, figures, "–", FIGURE - 8, anchor="m")
    _figure(pen, right, 100, figures)
    bottom = (49, 62) if not scene.title else (53, 63)
    edge = scene.mark or scene.clock
    if not scene.mark and text_width(scene.info, 9) > WIDTH - text_width(edge, 10) - 4:
        edge = ""  # The worth is what is confirmed here; the clock is on every other screen.
    draw_string(pen, WIDTH, bottom[0], edge, 10, anchor="r")
    _draw_text(pen, fit_text(scene.info, WIDTH - text_width(edge, 10) - 4, 11, (10, 9)), 0, bottom[0] - 9, 10)
    hint = fit_text(scene.hint, WIDTH, 11, LOW)
    _draw_text(pen, hint, 0, bottom[1] - 10, 11)
    if scene.note:
        room = WIDTH - text_width(hint.lines[0], hint.size) - 6
        _draw_text(pen, fit_text(scene.note, room, 11, (10, 9, 8)), WIDTH, bottom[1] - 10, 11, anchor="r")
    elif scene.badge and text_width(hint.lines[0], hint.size) + text_width(scene.badge, 8) + 8 < WIDTH:
        _label(pen, scene.badge, bottom[1])
    return image


def _figure(pen: ImageDraw.ImageDraw, column: scenes.FigureColumn, middle: int, baseline: int) -> None:
    """A figure by its wheels; the one that turns is underlined, an untouched whole figure is inverted, and an unset one
    stands in dots."""
    turning = column.active is not None
    x = middle - sum(text_width(wheel, FIGURE, turning) for wheel in column.wheels) // 2
    for place, wheel in enumerate(column.wheels):
        wide = text_width(wheel, FIGURE, turning)
        if column.active == -1:
            pen.rectangle([x - 3, baseline - 20, x + wide + 2, baseline + 2], fill=1)
        elif column.unset:
            _dotted(pen, x - 3, baseline - 20, x + wide + 2, baseline + 2)
        draw_string(pen, x, baseline, wheel, FIGURE, turning, ink=0 if column.active == -1 else 1)
        if column.active == place:
            pen.rectangle([x + 1, baseline + 2, x + wide - 2, baseline + 3], fill=1)
        x += wide


def _page(scene: scenes.TextScene) -> Image.Image:
    image, pen = canvas(WIDTH, HEIGHT)
    corner = _corner(pen, scene, 10)
    title = scene.title if scene.facing == "opposite" else _with_arrow(scene.title, scene.turn)
    one_line = max((size for size in HEADS if text_width(title, size, bold=True) <= WIDTH - corner), default=0)
    if isinstance(scene.title, scenes.Sentence) or scene.big:
        head = fit_line(title, WIDTH - corner)
    else:
        head = fit_text(title, WIDTH - corner, 15 if one_line else 28, HEADS, bold=True)
    _draw_text(pen, head, 0, 0, head.height)
    top, bottom = head.height + 2, HEIGHT - (13 if scene.hint else 0)
    if scene.big:
        big = fit_text(scene.big, WIDTH, BIG_HIGH, BIG, bold=True)
        _draw_text(pen, big, 64, top, BIG_HIGH, anchor="m")
        top += BIG_HIGH
    each = (bottom - top) // max(1, len(scene.lines))
    for place, line in enumerate(scene.lines):
        _row(pen, line, top + place * each, each)
    if scene.hint:
        _draw_text(pen, fit_text(scene.hint, WIDTH, 12, LOW), 0, HEIGHT - 12, 12)
    return image


def _row(pen: ImageDraw.ImageDraw, line: str | scenes.NameRow, top: int, high: int) -> None:
    if isinstance(line, str):
        _draw_text(pen, fit_text(line, WIDTH, high, (*HEADS, 8)), 0, top, high)
        return
    figure = fit_text(line.figure, WIDTH, high, HEADS, bold=True)
    _draw_text(pen, figure, WIDTH, top, high, anchor="r")
    room = WIDTH - (text_width(line.figure, figure.size, bold=True) + 6 if line.figure else 0)
    _draw_text(pen, fit_text(line.name, room, min(high, 16), HEADS), 0, top, high)


# --- parts ---


def _with_arrow(title: str, turn: str | None) -> str:
    if turn is None:
        return title
    return map_wordings(title, lambda form: f"{ARROWS['a']} {form}" if turn == "a" else f"{form} {ARROWS['b']}")


def _corner_width(scene: scenes.Scene) -> int:
    if scene.mark:
        return text_width(scene.mark, 10) + 4
    return text_width(scene.badge, 8, bold=True) + 7 if scene.badge else 0


def _corner(pen: ImageDraw.ImageDraw, scene: scenes.Scene, baseline: int, right: int = WIDTH) -> int:
    """The age of the last contact, else the badge, ending at `right`; returns its width."""
    if scene.mark:
        draw_string(pen, right, baseline, scene.mark, 10, anchor="r")
    elif scene.badge:
        _label(pen, scene.badge, baseline, right)
    return _corner_width(scene)


def _label(pen: ImageDraw.ImageDraw, text: str, baseline: int, right: int = WIDTH) -> None:
    wide = text_width(text, 8, bold=True) + 4
    pen.rectangle([right - wide, baseline - 8, right, baseline + 1], fill=1)
    draw_string(pen, right - 2, baseline - 1, text, 8, bold=True, anchor="r", ink=0)


def _dotted(pen: ImageDraw.ImageDraw, left: int, top: int, right: int, bottom: int) -> None:
    """A frame of dots: its content is not set yet."""
    pen.point([(x, y) for x in range(left, right + 1, 2) for y in (top, bottom)], fill=1)
    pen.point([(x, y) for x in (left, right) for y in range(top, bottom + 1, 2)], fill=1)


def _draw_text(pen: ImageDraw.ImageDraw, text: FittedText, x: int, top: int, high: int, anchor: str = "l") -> None:
    """Lines of text, centred in a strip of that height."""
    first = top + max(0, (high - text.height) // 2) + text.size - (text.size + 3) // 6
    first = max(first, text.size * 15 // 16)  # the accent of Ź must not leave the screen
    for place, line in enumerate(text.lines):
        draw_string(pen, x, first + place * line_height(text.size), line, text.size, text.bold, anchor)
