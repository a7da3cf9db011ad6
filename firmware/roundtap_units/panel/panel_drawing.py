"""The front panel's scenes as 128x64 1-bit pictures."""

from __future__ import annotations

from PIL import Image, ImageDraw

from roundtap_devices.printing.drawing import code_image, code_modules
from roundtap_units.panel.pages import PanelScene
from roundtap_units.table.screens.lettering import Fitted, canvas, fit, line_height, width, write

WIDTH, HEIGHT = 128, 64
QR_QUIET = 4
"""Light modules around a code, where they fit: readers look for them."""
BIG = (28, 24, 20, 17, 14)
RULE, BELOW = 14, 16
"""The line under the title, low enough for its descenders, and where the rest begins."""
LIGHT = 1


def draw_panel(scene: PanelScene) -> Image.Image:
    """The picture of a scene."""
    return _drawn(scene)[0]


def is_whole(scene: PanelScene) -> bool:
    """Whether everything that the scene says can be read."""
    return _drawn(scene)[1]


def _drawn(scene: PanelScene) -> tuple[Image.Image, bool]:
    image, pen = canvas(WIDTH, HEIGHT)
    if scene.qr:
        return image, _with_qr(image, pen, scene)
    corner = width(scene.corner, 10) + 4 if scene.corner else 0
    write(pen, WIDTH, 9, scene.corner, 10, anchor="r")
    title = fit(scene.title, WIDTH - corner, 12, (11, 10, 9), bold=True)
    _put(pen, title, (12 - title.height) // 2)
    pen.line([(0, RULE), (WIDTH, RULE)], fill=LIGHT)
    bottom, whole = HEIGHT, title.fits
    if scene.hint:
        bottom -= 11
        hint = fit(scene.hint, WIDTH, 10, (9, 8))
        whole = whole and hint.fits
        _put(pen, hint, HEIGHT - 1 - hint.height)
    top = BELOW
    if scene.big:
        big = fit(scene.big, WIDTH, 28, BIG, bold=True)
        whole = whole and big.fits and len(big.lines) == 1
        write(pen, WIDTH // 2, top + 22, big.lines[0], big.size, bold=True, anchor="m")
        top += 26
    return image, _lines(pen, scene.lines, top, bottom) and whole


def _lines(pen: ImageDraw.ImageDraw, lines: tuple[str, ...], top: int, bottom: int, wide: int = WIDTH) -> bool:
    """All lines in the one size in which they fit together, wrapped at spaces; whether there is one."""
    if not lines:
        return True
    for size in (11, 10, 9, 8):
        fitted = [fit(line, wide, bottom - top, (size,)) for line in lines]
        whole = all(each.fits for each in fitted) and sum(each.height for each in fitted) <= bottom - top
        if whole:
            break
    for each in fitted:
        _put(pen, each, top)
        top += each.height
    return whole


def _with_qr(image: Image.Image, pen: ImageDraw.ImageDraw, scene: PanelScene) -> bool:
    """The code on the right, as large as whole pixels allow; what it leads to beside it."""
    code = qr_picture(scene.qr)
    left = WIDTH - code.width
    wide = left - 3
    title = fit(scene.title, wide, 26, (11, 10, 9, 8), bold=True)
    _put(pen, title, 0)
    hint = fit(scene.hint, wide, 20, (9, 8))
    _put(pen, hint, HEIGHT - 1 - hint.height)
    whole = _lines(pen, scene.lines, title.height + 2, HEIGHT - 1 - hint.height, wide)
    # At last: a name that is too long for its place ends at the code, and does not spoil it.
    image.paste(code, (left, (HEIGHT - code.height) // 2))
    return whole and title.fits and hint.fits


def qr_picture(text: str) -> Image.Image:
    """A code no larger than the screen is high. Lit pixels are its light modules, with as much of a margin as fits."""
    modules = len(code_modules(text))
    dot = max(1, HEIGHT // (modules + 2))
    side = min(HEIGHT, (modules + 2 * QR_QUIET) * dot)
    picture = Image.new("1", (side, side), LIGHT)
    margin = (side - modules * dot) // 2
    picture.paste(code_image(text, dot), (margin, margin))
    return picture


def _put(pen: ImageDraw.ImageDraw, fitted: Fitted, top: int) -> None:
    """At the left; letters that hang down take one row more than its height."""
    for text in fitted.lines:
        write(pen, 0, top + fitted.size - 1, text, fitted.size, fitted.bold)
        top += line_height(fitted.size)
