"""Scenes drawn as 128x64 1-bit pictures: half-screens turned to each person, or the whole turned to who acts.

No letters are under `LEAST`, and what must be read in order to press (the buttons' meaning, a question, what there is
to choose from) is at least `PRESS`; both are ems of the font in pixels. Badges, marks of squads and names count too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from PIL import Image, ImageDraw

from roundtap_devices.letters import draw_text, ink_box, text_width
from roundtap_units.table.screens import lettering, scenes

WIDTH, HEIGHT, HALF = 128, 64, 32
FIGURE, LEAST, PRESS = 24, 10, 12
TEXTS, NAMES, INFO = (13, 12, 11, 10), (12, 11, 10), (11, 10)
PRESSED = (PRESS,)
CLOCKS, FIGURES, BIG = (40, 38, 36, 34, 32, 30, 28, 26, 24), (24, 22, 20, 18), (20, 19, 18, 17, 16, 15, 14)
ROW_HIGH, SIGN_WIDE, MARK_WIDE, COLUMN, BESIDE = 13, 11, 14, 61, 32
EDGE = WIDTH - 1  # where figures end: the outermost column of some modules lies under their frame
CLOCK_KINDS = ("idle", "seating", "call")
FLANKED_KIND = "sending"  # the figures stand between the signs
ARROWS: dict[scenes.Side, str] = {"a": "◄", "b": "►"}
BUTTONS = "●■▲▼►"


def draw_scene(scene: scenes.Scene) -> Image.Image:
    """The picture of a scene. On a board between two people, side b's part is upside down."""
    if isinstance(scene, scenes.HalvesScene):
        return (
            _face_to_face(_half(scene.a, scene), _half(scene.b, scene))
            if scene.facing == "opposite"
            else _from_the_edge(scene)
        )
    if isinstance(scene, scenes.SideBySideScene):
        return _duo(scene)
    assert isinstance(scene, scenes.FiguresScene | scenes.TextScene)
    image = _figures(scene) if isinstance(scene, scenes.FiguresScene) else _page(scene)
    return image.rotate(180) if scene.facing == "opposite" and scene.turn == "b" else image


def add_label(image: Image.Image, label: str) -> Image.Image:
    """An earlier picture, with a label in its upper right corner."""
    image = image.copy()
    _label(ImageDraw.Draw(image), label, 0)
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
    """Two rows: a name or title; then what there is to say, beside the figure. With a note both names share a row, and
    around a score, which then stands beside the title."""
    image, pen = lettering.canvas(WIDTH, HALF)
    if not half.note and _is_shortened(
        lettering.fit_text(half.role, WIDTH - text_width(half.big, FIGURES[-1]) - 5, 18, TEXTS), half.role
    ):
        # A long one has the first row, and the name stands beside the clock.
        half = replace(half, head=half.role, small=half.head, role="")
    own_name = isinstance(half.small, scenes.Name)
    note = "  ".join(filter(None, (half.role, half.note or ("" if own_name else half.small))))
    both = note and own_name
    figures = half.small.figures if isinstance(half.small, scenes.ScoreRow) else ""
    for room, (size, _, narrow) in product((WIDTH - _corner_width(scene), WIDTH), lettering.styles((PRESS, LEAST))):
        score = lettering.FittedText((figures,), size, narrow=narrow)
        heads = (
            lettering.fit_pair(half.head, half.small, room, ROW_HIGH, NAMES)
            if both
            else (lettering.fit_text(half.head, room - score.width - 6 * (score.width > 0), ROW_HIGH, TEXTS, True),)
        )
        if not any(_is_shortened(head, half.head) for head in heads):
            break
    for head, x, anchor in zip(heads, (0, room), "lr", strict=False):
        _put(pen, head, x, 1, ROW_HIGH, anchor)
    _corner(pen, scene, 1, room)
    if isinstance(half.small, scenes.ScoreRow):
        _put(pen, score, room, 1, ROW_HIGH, "r")
        _pair(pen, half.small.names, 14, 18, half.small.signs)
        return image
    text = _flow(note or half.small)
    if scene.kind == FLANKED_KIND:
        _flanked(pen, half.big, HALF, FIGURE, half.small[0])
        return image
    is_wide = text_width(half.big, FIGURE) > WIDTH - BESIDE
    sizes = FIGURES if is_wide or scene.kind in CLOCK_KINDS else FIGURES[:1]
    rooms = [WIDTH - (text_width(half.big, size) + 5 if half.big else 0) for size in sizes]
    fitted = [lettering.fit_text(text, room, 18, _sizes(text)) for room in rooms]
    place = next((place for place, each in enumerate(fitted) if _is_whole(each, text)), len(sizes) - 1)
    draw_text(pen, EDGE, HALF - ink_box(half.big, sizes[place])[3], half.big, sizes[place], anchor="r")
    _put(pen, fitted[place], 0, 14, 18)
    return image


def _sizes(text: str) -> tuple[int, ...]:
    return TEXTS[:2] if any(sign in text for sign in BUTTONS) and not isinstance(text, scenes.Name) else TEXTS


def _is_shortened(shown: lettering.FittedText, text: str) -> bool:
    return not shown.fits or ("…" in shown.lines[-1] and "…" not in text)


def _is_whole(shown: lettering.FittedText, text: str) -> bool:
    return "".join("".join(shown.lines).split()) == "".join(text.split())


def _flow(text: str) -> str:
    """Short texts in a row, closer together where there is little room; then the first ones are left out."""
    parts = text.split("  ")
    shorter = (" ".join(parts[place:]) for place in range(len(parts)))
    return scenes.Sentence.of((text, *shorter)) if len(parts) > 1 else text


def _from_the_edge(scene: scenes.HalvesScene) -> Image.Image:
    """One way up: signs and arrows at the people, their names, and below what concerns both."""
    image, pen = lettering.canvas(WIDTH, HEIGHT)
    a, b, below = scene.a, scene.b, False
    if a.head == b.head:
        heads = [
            lettering.fit_text(a.head, room, 14, TEXTS, bold=True) for room in (WIDTH - _corner_width(scene), WIDTH)
        ]
        _put(pen, heads[not heads[0].fits], 0, 0, 14)
        _corner(pen, scene, 0, heads[0].width if heads[0].fits else WIDTH)
    else:
        draw_text(pen, 0, 8, f"{ARROWS['a']} {scenes.SIGNS['a']}", LEAST)
        draw_text(pen, WIDTH, 8, f"{scenes.SIGNS['b']} {ARROWS['b']}", LEAST, anchor="r")
        if not _corner_width(scene):
            roles = [lettering.fit_text(half.role, 64 - 26, 11, INFO) for half in (a, b)]
            # Long ones stand at the bottom instead, each on a line, in place of what else is said there.
            below = any(_is_shortened(role, half.role) for role, half in zip(roles, (a, b), strict=True))
            for role, x, anchor in zip(roles, (24, WIDTH - 24), "lr", strict=True) if not below else ():
                _put(pen, role, x, 0, 11, anchor)
        elif _corner_width(scene) < WIDTH - 2 * 24:
            _corner(pen, scene, 0, 0, 64 + _corner_width(scene) // 2)
        _pair(pen, [half.head.lstrip("".join(scenes.SIGNS.values())).strip() for half in (a, b)], 11, ROW_HIGH)
    top = 15 if a.head == b.head else 25
    left, right = (half.note or ("" if isinstance(half.small, scenes.Name) else half.small) for half in (a, b))
    if below:
        left, right = a.role, b.role
    big = a.big if a.big not in scenes.SIGNS.values() else b.big
    if isinstance(left, scenes.ScoreRow):
        _pair(pen, left.names, top, ROW_HIGH, left.signs)
        big, left, right, top = left.figures, "", "", top + ROW_HIGH
    if big and big not in scenes.SIGNS.values():
        bottom = 40 if below else 51 if left or right else HEIGHT
        room = WIDTH - 24 * (scene.kind == FLANKED_KIND)
        sizes = (*CLOCKS, *FIGURES)
        size = next(
            (size for size in sizes if text_width(big, size) < room and _tall(big, size) < bottom - top), sizes[-1]
        )
        baseline = (top + bottom + _tall(big, size)) // 2
        if scene.kind == FLANKED_KIND:
            _flanked(pen, big, baseline, size, scenes.SIGNS["a"])
        else:
            draw_text(pen, 64, baseline, big, size, anchor="m")
        top = bottom
    if left == right:
        _put(
            pen,
            lettering.fit_text(_flow(left), WIDTH, HEIGHT - top, _sizes(left), bold=isinstance(left, scenes.Sentence)),
            64,
            top,
            HEIGHT - top,
            "m",
        )
        return image
    wide, high = (WIDTH, 12) if below else (COLUMN, HEIGHT - top)
    for text, x, y, anchor in ((left, 0, top, "l"), (right, WIDTH, top + 12 * below, "r")):
        _put(pen, lettering.fit_text(_flow(text), wide, high, _sizes(text)), x, y, high, anchor)
    return image


def _pair(pen: ImageDraw.ImageDraw, names: Sequence[str], top: int, high: int, signs: Sequence[str] = ("", "")) -> None:
    """Both names in a row, each at its end; the signs outside."""
    left, right = (SIGN_WIDE * len(sign) for sign in signs)
    fitted = lettering.fit_pair(*names, WIDTH - left - right, high, NAMES)
    for name, sign, x, inner, anchor in zip(fitted, signs, (0, WIDTH), (left, WIDTH - right), "lr", strict=True):
        _put(pen, lettering.FittedText((sign,), LEAST), x, top, high, anchor)
        _put(pen, name, inner, top, high, anchor)


def _flanked(pen: ImageDraw.ImageDraw, figures: str, baseline: int, size: int, first: str) -> None:
    """Both figures, between the signs of whose they are."""
    beside = text_width(figures, size) // 2 + 4
    draw_text(pen, 64, baseline, figures, size, anchor="m")
    second = next(sign for sign in scenes.SIGNS.values() if sign != first)
    draw_text(pen, 64 - beside, baseline - 4, first, PRESS, anchor="r")
    draw_text(pen, 64 + beside, baseline - 4, second, PRESS)


# --- for two who act at once ---


def _duo(scene: scenes.SideBySideScene) -> Image.Image:
    if scene.facing == "opposite":
        return _face_to_face(_part_half(scene.a, scene), _part_half(scene.b, scene))
    image, pen = lettering.canvas(WIDTH, HEIGHT)
    for side in scenes.SIGNS:
        _column(pen, scene.of(side), side)
    pen.point([(63, y) for y in range(0, HEIGHT, 4)], fill=1)
    return image


def _part_half(part: scenes.SidePart, scene: scenes.SideBySideScene) -> Image.Image:
    """Above, whose it is and the question; beneath, the buttons' meaning beside figures or marks."""
    image, pen = lettering.canvas(WIDTH, HALF)
    for text, room, size in product((part.head, part.head[:1]), (WIDTH - _corner_width(scene), WIDTH), NAMES):
        label = lettering.fit_text(part.label, room, ROW_HIGH, (size,))
        head = lettering.fit_text(text, room - label.width - 4, ROW_HIGH, NAMES, bold=True)
        if label.fits and not _is_shortened(head, text):
            break
    _corner(pen, scene, 1, room)
    _put(pen, head, 0, 1, ROW_HIGH)
    _put(pen, label, room if part.head else 0, 1, ROW_HIGH, "r" if part.head else "l")
    left, right = 0, EDGE
    if part.marks:
        right -= _marks(pen, part.marks, WIDTH, 15, "r") + 3
    elif len(part.figures) > 1:
        size = _size_beside(part.hint, part.figures, WIDTH)
        draw_text(pen, 0, HALF, part.figures[0], size)
        draw_text(pen, EDGE, HALF, part.figures[1], size, anchor="r")
        left, right = (
            edge + turn * (text_width(figure, size) + 4)
            for edge, turn, figure in zip((0, EDGE), (1, -1), part.figures, strict=True)
        )
    elif part.figures:
        right -= _one_figure(pen, part, EDGE, HALF, _size_beside(part.hint, part.figures, WIDTH), "r") + 4
    _put(pen, lettering.fit_text(_flow(part.hint), right - left, 18, PRESSED), left, 14, 18)
    return image


def _size_beside(hint: str, figures: Sequence[str], wide: int) -> int:
    """The largest size of figures that leaves room for the hint."""
    rooms = {size: wide - sum(text_width(figure, size) + 9 for figure in figures) for size in FIGURES}
    return next((size for size, room in rooms.items() if lettering.fit_text(hint, room, 18, PRESSED).fits), FIGURES[-1])


def _one_figure(pen: ImageDraw.ImageDraw, part: scenes.SidePart, x: int, baseline: int, size: int, anchor: str) -> int:
    """A side's one figure, between dots until it is set; returns its width."""
    wide, tall = text_width(part.figures[0], size) + (6 if part.unset else 0), _tall(part.figures[0], size)
    left = x if anchor == "l" else x - wide
    if part.unset:
        pen.point([(at, y) for at in (left, left + wide - 1) for y in range(baseline - tall, baseline, 2)], fill=1)
    draw_text(pen, left + wide // 2, baseline, part.figures[0], size, anchor="m")
    return wide


def _column(pen: ImageDraw.ImageDraw, part: scenes.SidePart, side: scenes.Side) -> None:
    """A person's half of the screen, one way up; the sign at the outer edge. Where there is no room for name and
    question, the question stands in the name's place."""
    x, anchor, inner = (0, "l", SIGN_WIDE) if side == "a" else (WIDTH, "r", WIDTH - SIGN_WIDE)
    name = scenes.Name.of(part.head.removeprefix(scenes.SIGNS[side]).strip(), getattr(part.head, "unlike", ""))
    asks = lettering.map_wordings(part.label, lambda form: form.replace("\u00a0", " "))
    together = "  ".join(hint.replace(" ", "\u00a0") for hint in part.hint.split("  "))
    figures, hints = (
        part.figures,
        (
            lettering.fit_text(scenes.Sentence.of((together, part.hint)), COLUMN, 27, PRESSED),
            lettering.fit_text(_flow(part.hint), COLUMN, 15, PRESSED),
        ),
    )
    size = next(
        (size for size in FIGURES if sum(text_width(figure, size) + 4 for figure in figures) <= COLUMN + 4), FIGURES[-1]
    )
    for hint, (beside, beneath) in (*product(hints, ((name, asks), (asks, ""))), (hints[0], (name, ""))):
        head, label = (
            lettering.fit_text(beside, COLUMN - SIGN_WIDE, 24, NAMES),
            lettering.fit_text(beneath, COLUMN, 24, INFO),
        )
        middle = (17 if part.marks else _tall(figures[0], size) if figures else 0, 0)
        rows = [(max(8, head.rise), max(2, head.drop)), _row_of(label), middle, _row_of(hint)]
        if head.fits and label.fits and hint.fits and sum(map(sum, rows)) <= HEIGHT:
            break
    tops = _baselines(rows, HEIGHT)
    draw_text(pen, x, tops[0], scenes.SIGNS[side], LEAST, anchor=anchor)
    _lines(pen, head, inner, tops[0], anchor)
    _lines(pen, label, x, tops[1], anchor)
    _lines(pen, hint, x, tops[3], anchor)
    if part.marks:
        _marks(pen, part.marks, x, tops[2] - 17, anchor)
    elif len(figures) > 1:
        draw_text(pen, x if side == "a" else x - COLUMN, tops[2], figures[0], size)
        draw_text(pen, x + COLUMN if side == "a" else x, tops[2], figures[1], size, anchor="r")
    elif figures:
        _one_figure(pen, part, x, tops[2], size, anchor)


def _marks(pen: ImageDraw.ImageDraw, marks: tuple[scenes.SquadMark, ...], x: int, top: int, anchor: str) -> int:
    """Letters in boxes: filled is picked, underlined is where the own button stands; below a tick what was fielded."""
    left = x - MARK_WIDE * len(marks) if anchor == "r" else x
    for place, mark in enumerate(marks):
        start = left + place * MARK_WIDE
        pen.rectangle([start, top, start + 11, top + 10], fill=1 if mark.picked else 0, outline=1)
        draw_text(pen, start + 6, top + 9, mark.letter, LEAST, bold=True, anchor="m", ink=0 if mark.picked else 1)
        if mark.cursor:
            pen.rectangle([start, top + 15, start + 11, top + 16], fill=1)
        if mark.used:
            pen.line([(start + 4, top + 12), (start + 5, top + 13), (start + 8, top + 12)], fill=1)
    return MARK_WIDE * len(marks)


# --- for the one who acts ---


def _figures(scene: scenes.FiguresScene) -> Image.Image:
    image, pen = lettering.canvas(WIDTH, HEIGHT)
    left, right = scene.left, scene.right
    closer = scenes.Sentence.of((scene.hint, " ".join(scene.hint.split())))
    apart = max(62, text_width(scene.note, LEAST, narrow=True) + 5)
    hint = lettering.fit_text(closer, WIDTH - apart * (scene.note != ""), 15, PRESSED)
    hint = hint if hint.fits else lettering.fit_text(scene.hint, WIDTH, 15, PRESSED)
    note = lettering.fit_text(scene.note, WIDTH - hint.width - 5, ROW_HIGH, INFO)
    # The worth is what is confirmed here; the clock is on every other screen.
    asides = (scene.mark or scene.clock, "") if note.fits else (scene.note,)
    title = scene.title if scene.facing == "opposite" else _with_arrow(scene.title, scene.turn)
    framed, badges = max(_framed(left), _framed(right)), [""] if scene.mark or scene.note else [scene.badge, ""]
    said = lettering.fit_text(scene.info, WIDTH, ROW_HIGH, (LEAST,)).lines[0]
    for wording, aside, sizes, badge in product(lettering.wordings(title), asides, (NAMES, (LEAST,)), badges):
        names = lettering.fit_pair(left.name, right.name, WIDTH - 2 * SIGN_WIDE, HEIGHT, sizes)
        head = lettering.fit_text(wording, WIDTH, 15, PRESSED, bold=True)
        edge = lettering.fit_text(aside, WIDTH, ROW_HIGH, sizes[-2:])
        info = lettering.fit_text(said, WIDTH - edge.width - 4 * (edge.width > 0), ROW_HIGH, sizes[-2:])
        rows = [
            _row_of(head),
            (max(8, *(name.rise for name in names)), max(1, *(name.drop for name in names))),
            (18 + 2 * (framed > 0), framed),
            _row_of(info, edge),
            _row_of(hint, *[note] * note.fits),
        ]
        label = lettering.FittedText((badge,), LEAST, narrow=True)
        rows[-1] = max(rows[-1][0], label.rise + 1), max(rows[-1][1], label.drop + bool(badge))
        if (
            head.fits
            and info.fits
            and hint.width + label.width + 8 * bool(badge) <= WIDTH
            and sum(map(sum, rows)) <= HEIGHT
        ):
            break
    top, middle, figures, below, bottom = _baselines(rows, HEIGHT)
    _lines(pen, head, 64, top, "m")
    # The signs stand outside, each at its person.
    for column, name, x, inner, anchor in (
        (left, names[0], 0, SIGN_WIDE, "l"),
        (right, names[1], WIDTH, WIDTH - SIGN_WIDE, "r"),
    ):
        draw_text(pen, x, middle, column.sign, LEAST, anchor=anchor)
        _lines(pen, name, inner, middle, anchor)
        _figure(pen, column, 28 if anchor == "l" else 100, figures)
    draw_text(pen, 64, figures, "–", FIGURE - 8, anchor="m")
    _lines(pen, info, 0, below)
    _lines(pen, edge, WIDTH, below, "r")
    _lines(pen, hint, 0, bottom)
    if note.fits:
        _lines(pen, note, WIDTH, bottom, "r")
    if badge:
        _label(pen, badge, bottom - label.rise - 1)
    return image


def _row_of(*texts: lettering.FittedText) -> tuple[int, int]:
    return max(text.rise for text in texts), max(text.drop for text in texts)


def _framed(column: scenes.FigureColumn) -> int:
    """How far the frame of a figure, or the line below its turning wheel, reaches below the baseline."""
    return 3 if column.active not in (None, -1) else 2 if column.active == -1 or column.unset else 0


def _figure(pen: ImageDraw.ImageDraw, column: scenes.FigureColumn, middle: int, baseline: int) -> None:
    """A figure by its wheels; the one that turns is underlined, an untouched whole figure is inverted, and an unset one
    stands in dots."""
    turning = column.active is not None
    wide = sum(text_width(wheel, FIGURE, turning) for wheel in column.wheels)
    x = min(max(middle - wide // 2, 3), WIDTH - 3 - wide)
    for place, wheel in enumerate(column.wheels):
        wide = text_width(wheel, FIGURE, turning)
        if column.active == -1:
            pen.rectangle([x - 3, baseline - 20, x + wide + 2, baseline + 1], fill=1)
        elif column.unset:
            _dotted(pen, x - 3, baseline - 20, x + wide + 2, baseline + 1)
        draw_text(pen, x, baseline, wheel, FIGURE, turning, ink=0 if column.active == -1 else 1)
        if column.active == place:
            pen.rectangle([x + 1, baseline + 1, x + wide - 2, baseline + 2], fill=1)
        x += wide


def _page(scene: scenes.TextScene) -> Image.Image:
    image, pen = lettering.canvas(WIDTH, HEIGHT)
    title = scene.title if scene.facing == "opposite" else _with_arrow(scene.title, scene.turn)
    hint, big = _in_few_lines(scene.hint, WIDTH), lettering.fit_text(scene.big, WIDTH, 22, BIG, bold=True)
    listed = any(str(line).startswith("►") for line in scene.lines)
    for room, (size, _, narrow) in product(
        (WIDTH - _corner_width(scene), WIDTH),
        (*lettering.styles(TEXTS[:3], settings=(False,)), *lettering.styles(TEXTS)),
    ):
        head = _in_few_lines(title, room, bold=True)
        lines = [_line(line, size, narrow, listed) for line in scene.lines]
        bodies = [(big,)] * bool(scene.big) + lines
        rows = [_row_of(head), *(_row_of(*body) for body in bodies), _row_of(hint)]
        fits = head.fits and all(text.fits for line in lines for text in line)
        if fits and sum(map(sum, rows)) + len(rows) <= HEIGHT:
            break
    _corner(pen, scene, 0, room)
    top, *middle, bottom = _baselines(rows, HEIGHT)
    _lines(pen, head, 0, top)
    if scene.big:
        _lines(pen, big, 64, middle.pop(0), "m")
    for line, baseline in zip(lines, middle, strict=True):
        for text, x, anchor in zip(line, (0, WIDTH), "lr", strict=False):
            _lines(pen, text, x, baseline, anchor)
    _lines(pen, hint, 0, bottom)
    return image


def _in_few_lines(text: str, wide: int, bold: bool = False) -> lettering.FittedText:
    """What is read in order to press, on one line if that can be."""
    sizes = TEXTS[:2] if bold else PRESSED
    return (
        one
        if (one := lettering.fit_text(text, wide, 15, sizes, bold)).fits
        else lettering.fit_text(text, wide, 28, PRESSED, bold)
    )


def _line(line: str | scenes.NameRow, size: int, narrow: bool, listed: bool) -> tuple[lettering.FittedText, ...]:
    """A line of a page; a name beside its figure."""
    if isinstance(line, str):
        if listed:
            return (lettering.fit_text(line, WIDTH, 15, PRESSED),)
        least = 0 if _sizes(line) == TEXTS else PRESS
        return (lettering.fit_text(line, WIDTH, HEIGHT, (max(size, least),), settings=(narrow,)),)
    figure = lettering.fit_text(line.figure, WIDTH, 15, (size,), bold=True)
    sizes = tuple(each for each in TEXTS if each <= size)
    return lettering.fit_text(line.name, WIDTH - figure.width - 6 * (figure.width > 0), 15, sizes), figure


# --- parts ---


def _with_arrow(title: str, turn: str | None) -> str:
    """At whom it is turned; without the arrow where there is no room for it."""
    if turn is None or not title:
        return title
    forms = lettering.wordings(title)
    arrowed = (f"{ARROWS['a']} {form}" if turn == "a" else f"{form} {ARROWS['b']}" for form in forms)
    return scenes.Sentence.of((*arrowed, forms[-1]))


def _corner_width(scene: scenes.Scene) -> int:
    if scene.mark:
        return text_width(scene.mark, LEAST, narrow=True) + 4
    return text_width(scene.badge, LEAST, narrow=True) + 8 if scene.badge else 0


def _corner(pen: ImageDraw.ImageDraw, scene: scenes.Scene, top: int, taken: int, right: int = WIDTH) -> None:
    """The age of the last contact, else the badge, ending at `right`; neither where the text beside it takes all."""
    if scene.mark and taken < WIDTH:
        draw_text(pen, right, top + 9, scene.mark, LEAST, narrow=True, anchor="r")
    elif scene.badge and taken < WIDTH:
        _label(pen, scene.badge, top, right)


def _label(pen: ImageDraw.ImageDraw, text: str, top: int, right: int = WIDTH) -> None:
    """A text in black on light."""
    left, above, end, below = ink_box(text, LEAST, narrow=True)
    pen.rectangle([right - (end - left) - 4, top, right - 1, top + below - above + 1], fill=1)
    draw_text(pen, right - 2, top + 1 - above, text, LEAST, narrow=True, anchor="r", ink=0)


def _dotted(pen: ImageDraw.ImageDraw, left: int, top: int, right: int, bottom: int) -> None:
    """A frame of dots: its content is not set yet."""
    pen.point([(x, y) for x in range(left, right + 1, 2) for y in (top, bottom)], fill=1)
    pen.point([(x, y) for x in (left, right) for y in range(top, bottom + 1, 2)], fill=1)


def _tall(figures: str, size: int) -> int:
    return -ink_box(figures, size)[1]


def _baselines(rows: Sequence[tuple[int, int]], high: int) -> list[int]:
    """The baselines of rows above each other, each with its ink above and below; what is left is shared out between
    them."""
    spare, y, baselines = high - sum(map(sum, rows)), 0, []
    for place, (rise, drop) in enumerate(rows):
        baselines.append(y + rise)
        y += rise + drop + spare * (place + 1) // (len(rows) - 1) - spare * place // (len(rows) - 1)
    return baselines


def _put(pen: ImageDraw.ImageDraw, text: lettering.FittedText, x: int, top: int, high: int, anchor: str = "l") -> None:
    """Lines in a strip of that height: on its middle, or where their accents and feet stay inside."""
    baseline = top + (high - text.height) // 2 + text.size - 2
    lowest = top + high - text.drop
    _lines(pen, text, x, max(top + text.rise, min(baseline, lowest)), anchor)


def _lines(pen: ImageDraw.ImageDraw, text: lettering.FittedText, x: int, baseline: int, anchor: str = "l") -> None:
    for line, below in zip(text.lines, text.baselines, strict=True):
        draw_text(pen, x, baseline + below, line, *text.style, anchor=anchor)
