"""The front panel's scenes as 128x64 1-bit pictures."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageDraw

from roundtap_units.panel.panel_scenes import PanelScene
from roundtap_units.table.screens.lettering import Fitted, canvas, fit, fit_line, line_height, width, write

WIDTH, HEIGHT = 128, 64
QR_QUIET = 4
"""Light modules around a code, where they fit: readers look for them."""
BIG = (28, 24, 20, 17, 14)
RULE, BELOW = 14, 16
"""The line under the title, low enough for its descenders, and where the rest begins."""
ROW = 12
ROWS_MAX = 4
LIGHT, DARK = 1, 0


def draw_panel(scene: PanelScene) -> Image.Image:
    """The picture of a scene."""
    return _drawn(scene)[0]


def is_whole(scene: PanelScene) -> bool:
    """Whether everything that the scene says can be read; rows and titles may end in "…"."""
    return _drawn(scene)[1]


def _drawn(scene: PanelScene) -> tuple[Image.Image, bool]:
    image, pen = canvas(WIDTH, HEIGHT)
    if scene.qr:
        return image, _with_qr(image, pen, scene)
    corner = width(scene.corner, 10) + 4 if scene.corner else 0
    write(pen, WIDTH, 9, scene.corner, 10, anchor="r")
    _put(pen, _title(scene.title, WIDTH - corner), 0, 0, 11)
    pen.line([(0, RULE), (WIDTH, RULE)], fill=LIGHT)
    bottom, whole = HEIGHT, True
    if scene.hint:
        bottom -= 11
        hint = fit(scene.hint, WIDTH, 10, (10, 9, 8))
        whole = hint.fits and len(hint.lines) == 1
        _put(pen, hint, 0, bottom, 11)
    if scene.items:
        _items(pen, scene, bottom)
        return image, whole
    top = BELOW
    if scene.big:
        big = fit(scene.big, WIDTH, 28, BIG, bold=True)
        whole = whole and big.fits and len(big.lines) == 1
        write(pen, WIDTH // 2, top + 22, big.lines[0], big.size, bold=True, anchor="m")
        top += 26
    return image, _lines(pen, scene.lines, top, bottom) and whole


def _title(text: str, wide: int) -> Fitted:
    """On one line, in bold where that fits; a longer one ends in "…"."""
    for size in (11, 10, 9):
        if width(text, size, bold=True) <= wide:
            return Fitted((text,), size, True)
    fitted = fit_line(text, wide)
    return fitted if fitted.fits else _shortened(text, wide, 9)


def _items(pen: ImageDraw.ImageDraw, scene: PanelScene, bottom: int) -> None:
    """As many as there is room for, around the cursor; arrows tell that there are more."""
    room = min(ROWS_MAX, (bottom - BELOW) // ROW)
    first = max(0, min(scene.cursor - room // 2, len(scene.items) - room))
    for place, item in enumerate(scene.items[first:first + room], start=first):
        y = BELOW + (place - first) * ROW
        more = "▲" if place == first and first else "▼" if place == first + room - 1 < len(scene.items) - 1 else ""
        ink = LIGHT
        if place == scene.cursor:
            pen.rectangle([0, y, WIDTH, y + ROW - 1], fill=LIGHT)
            ink = DARK
        fitted = _one_line(item, WIDTH - 6 - (10 if more else 0))
        write(pen, 3, y + 9, fitted.lines[0], fitted.size, ink=ink)
        write(pen, WIDTH - 2, y + 9, more, 8, anchor="r", ink=ink)


def _one_line(text: str, wide: int) -> Fitted:
    """A row of a list: in one line, whatever it says."""
    for size in (10, 9, 8):
        if width(text, size) <= wide:
            return Fitted((text,), size, False)
    return _shortened(text, wide, 8)


def _shortened(text: str, wide: int, size: int) -> Fitted:
    short = text
    while short and width(short + "…", size) > wide:
        short = short[:-1]
    return Fitted((short.rstrip() + "…",), size, False)


def _lines(pen: ImageDraw.ImageDraw, lines: tuple[str, ...], top: int, bottom: int, x: int = 0,
           wide: int = WIDTH) -> bool:
    """All lines in the one size in which they fit together, wrapped at spaces; whether there is one."""
    if not lines:
        return True
    for size in (11, 10, 9, 8):
        fitted = [fit(line, wide, bottom - top, (size,)) for line in lines]
        whole = all(each.fits for each in fitted) and sum(each.height for each in fitted) <= bottom - top
        if whole:
            break
    y = top
    for each in fitted:
        for text in each.lines:
            write(pen, x, y + each.size - 1, text, each.size)
            y += line_height(each.size)
    return whole


def _with_qr(image: Image.Image, pen: ImageDraw.ImageDraw, scene: PanelScene) -> bool:
    """The code on the right, as large as whole pixels allow; what it leads to beside it."""
    code = qr_picture(scene.qr)
    left = WIDTH - code.width
    image.paste(code, (left, (HEIGHT - code.height) // 2))
    wide = left - 3
    title = fit(scene.title, wide, 26, (11, 10, 9, 8), bold=True)
    y = 0
    for text in title.lines:
        write(pen, 0, y + title.size - 1, text, title.size, bold=True)
        y += line_height(title.size)
    bottom = HEIGHT
    if scene.hint:
        hint = fit(scene.hint, wide, 20, (9, 8))
        bottom -= hint.height
        _put(pen, hint, 0, bottom, hint.height)
    return _lines(pen, scene.lines, y + 2, bottom, wide=wide) and title.fits


@lru_cache(maxsize=16)
def qr_picture(text: str) -> Image.Image:
    """A code no larger than the screen is high. Lit pixels are its light modules, with as much of a margin as fits."""
    from qrcode.constants import ERROR_CORRECT_L
    from qrcode.main import QRCode

    code = QRCode(error_correction=ERROR_CORRECT_L, border=0)
    code.add_data(text)
    code.make(fit=True)
    rows = code.get_matrix()
    modules = len(rows)
    dot = max(1, HEIGHT // (modules + 2))
    side = min(HEIGHT, (modules + 2 * QR_QUIET) * dot)
    picture = Image.new("1", (side, side), LIGHT)
    margin = (side - modules * dot) // 2
    pen = ImageDraw.Draw(picture)
    for y, row in enumerate(rows):
        for x, dark in enumerate(row):
            if dark:
                at = margin + x * dot, margin + y * dot
                pen.rectangle([*at, at[0] + dot - 1, at[1] + dot - 1], fill=DARK)
    return picture


def _put(pen: ImageDraw.ImageDraw, fitted: Fitted, x: int, top: int, high: int) -> None:
    y = top + max(0, (high - fitted.height) // 2)
    for text in fitted.lines:
        write(pen, x, y + fitted.size - 1, text, fitted.size, fitted.bold)
        y += line_height(fitted.size)
