"""Drawings and lettering on paper: shapes and text as 1-bit pictures."""

from functools import lru_cache
from typing import Any

from PIL import Image, ImageDraw

from roundtap_devices.letters import draw_text, load_font, text_width
from roundtap_devices.printing import print_lines

SMALLEST = 9  # smaller letters are illegible: text is squeezed instead


def render_drawing(drawing: print_lines.Drawing, width_dots: int) -> Image.Image:
    """The drawing as an image of mode "1", black on white."""
    image = Image.new("1", (width_dots, drawing.height_dots), 1)
    pen = ImageDraw.Draw(image)
    for shape in drawing.shapes:
        if isinstance(shape, print_lines.Box):
            pen.rectangle(
                (shape.x, shape.y, shape.x + shape.width - 1, shape.y + shape.height - 1), outline=0, width=shape.stroke
            )
        elif isinstance(shape, print_lines.RuledLine):
            pen.rectangle((shape.x, shape.y, shape.x + shape.width - 1, shape.y + shape.height - 1), fill=0)
        elif isinstance(shape, print_lines.Label):
            _letter(image, shape)
        else:
            image.paste(_code(shape), (shape.x, shape.y))
    return image


def render_text_line(line: print_lines.TextLine, sheet: print_lines.Paper) -> Image.Image:
    """A line of text as an image: for letters that the printer's code pages lack, and for small ones."""
    height = line.height_dots
    size = 40 if line.tall else 13 if line.small else 19 if line.tight else 21
    image = Image.new("1", (sheet.dots, height), 1)
    for cell in line.cells:
        if cell.text == print_lines.FRAME:
            # From edge to edge, as a printer's own letter is.
            left = cell.start * sheet.cell_dots + sheet.cell_dots // 2 - 1
            image.paste(0, (left, 0, left + 2, height))
            continue
        _letter(image, _cell_label(cell, size, height, line.bold or line.tall, sheet.cell_dots))
    return image


def _cell_label(cell: print_lines.TextCell, size: int, height: int, bold: bool, cell_dots: int) -> print_lines.Label:
    left, width = cell.start * cell_dots, cell.width * cell_dots
    x = left + {print_lines.CENTER: width // 2, print_lines.RIGHT: width}.get(cell.align, 0)
    return print_lines.Label(x, max(0, (height - size * 5 // 4) // 2), cell.text, size, width, cell.align, bold)


def _letter(image: Image.Image, label: print_lines.Label) -> None:
    size = label.size
    while size > SMALLEST and text_width(label.text, size, label.bold) > label.width:
        size -= 1
    wide = text_width(label.text, size, label.bold)
    if not wide:
        return
    ascent, descent = load_font(size, label.bold).getmetrics()
    piece = Image.new("1", (wide, ascent + descent), 1)
    draw_text(ImageDraw.Draw(piece), 0, ascent, label.text, size, label.bold, ink=0)
    if wide > label.width:
        piece = piece.resize((label.width, piece.height))
    # Letters made smaller stay on the baseline of the others.
    baseline = label.y + load_font(label.size, label.bold).getmetrics()[0]
    shift = {print_lines.CENTER: piece.width // 2, print_lines.RIGHT: piece.width}.get(label.align, 0)
    # Only the black of the letters: their white covers nothing.
    image.paste(0, (label.x - shift, baseline - ascent), piece.point(lambda dot: 0 if dot else 255))


@lru_cache(maxsize=4)
def qr_modules(content: str) -> list[list[bool]]:
    """The QR code's modules, without quiet zone; level L, smallest version. Cached: it is most of a slip's work."""
    import qrcode
    from qrcode.constants import ERROR_CORRECT_L

    made: Any = qrcode.QRCode(error_correction=ERROR_CORRECT_L, border=0)
    made.add_data(content)
    made.make(fit=True)
    modules: list[list[bool]] = made.get_matrix()
    return modules


def qr_image(content: str, module_dots: int) -> Image.Image:
    """A QR code with modules of `module_dots`, without quiet zone."""
    modules = qr_modules(content)
    count = len(modules)
    small = Image.new("1", (count, count))
    small.putdata([0 if black else 1 for row in modules for black in row])
    return small.resize((count * module_dots, count * module_dots), Image.Resampling.NEAREST)


def _code(code: print_lines.QrShape) -> Image.Image:
    count = len(qr_modules(code.content))
    module_dots = max(1, code.side // (count + 2))
    image = Image.new("1", (code.side, code.side), 1)
    made = qr_image(code.content, module_dots)
    margin = (code.side - made.width) // 2
    image.paste(made, (margin, margin))
    return image
