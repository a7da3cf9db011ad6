"""What can be put on paper, as plain data: lines of text in cells, rules, drawings, codes, feeds."""

from dataclasses import dataclass

CELL_DOTS = 12  # width of one column in the usual font A, which is 24 dots high
LINE_DOTS, TIGHT_DOTS, TALL_DOTS, SMALL_DOTS = 27, 24, 48, 16
"""From one line of text to the next: normal, without a gap, double height, and drawn small."""

FRAME = "│"  # the side of a box, as a letter that reaches from line to line where they are tight
LEFT, CENTER, RIGHT = "left", "center", "right"


@dataclass(frozen=True, slots=True)
class Paper:
    """How wide the paper is, and one column of it. 58 mm: 32 columns or 384 dots. 80 mm: 48 columns or 576 dots; at 180
    dots an inch 42 columns and 512 dots, of which the columns leave 8 at the right."""

    columns: int
    dots: int
    cell_dots: int = CELL_DOTS


SHEET_58, SHEET_80 = Paper(32, 384), Paper(48, 576)


@dataclass(frozen=True, slots=True)
class TextCell:
    """A piece of a line: `width` columns from column `start`. Text that is wider is drawn narrower, never cut."""

    text: str
    start: int
    width: int
    align: str = LEFT


@dataclass(frozen=True, slots=True)
class TextLine:
    """Cells side by side. `tall` doubles the height; `small` is drawn, as the printer has no such letters; `tight`
    leaves no gap below, so that frames are closed."""

    cells: tuple[TextCell, ...]
    bold: bool = False
    tall: bool = False
    small: bool = False
    tight: bool = False

    @property
    def height_dots(self) -> int:
        return TALL_DOTS if self.tall else SMALL_DOTS if self.small else TIGHT_DOTS if self.tight else LINE_DOTS


@dataclass(frozen=True, slots=True)
class Feed:
    dots: int


@dataclass(frozen=True, slots=True)
class Box:
    """A frame to write or tick in; `stroke` is the thickness of its line."""

    x: int
    y: int
    width: int
    height: int
    stroke: int = 2


@dataclass(frozen=True, slots=True)
class RuledLine:
    """A straight black bar: a rule, or a line to sign on."""

    x: int
    y: int
    width: int
    height: int = 2


@dataclass(frozen=True, slots=True)
class Label:
    """Text inside a drawing, in DejaVu Sans of `size` dots, smaller where it is wider than `width`. `x` is the left
    edge, the middle or the right edge, as `align` says; `y` the top of the letters' box."""

    x: int
    y: int
    text: str
    size: int
    width: int
    align: str = LEFT
    bold: bool = False


@dataclass(frozen=True, slots=True)
class QrShape:
    """A QR code in a drawing, its quiet zone included, as large as `side` dots allow."""

    x: int
    y: int
    side: int
    content: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on `height_dots` of paper, over its full width. Sent as an image."""

    height_dots: int
    shapes: tuple[Box | RuledLine | Label | QrShape, ...]


@dataclass(frozen=True, slots=True)
class Qr:
    """A centred QR code, made by the printer where it can: `module_dots` a module."""

    content: str
    module_dots: int = 5


@dataclass(frozen=True, slots=True)
class CodePageLine:
    """For the code-page test print: `text` in the code page `codec` only, `?` where it lacks a letter."""

    codec: str
    text: str


PrintLine = TextLine | Feed | Drawing | Qr | CodePageLine


def line(text: str, sheet: Paper, align: str = LEFT, bold: bool = False, tall: bool = False) -> TextLine:
    return TextLine((TextCell(text, 0, sheet.columns, align),), bold, tall)


def horizontal_rule(sheet: Paper, above_dots: int = 4, below_dots: int = 6) -> Drawing:
    return Drawing(above_dots + 2 + below_dots, (RuledLine(0, above_dots, sheet.dots),))
