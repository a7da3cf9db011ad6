"""The result slip: what two players write on when no unit stands at their table. Data in, print lines out."""

from __future__ import annotations

from collections.abc import Iterator

from roundtap_core.elimination.bracket_picture import say_round
from roundtap_core.forms.slip_form import slip_picks
from roundtap_core.print_contents import OfRound, Slip
from roundtap_core.words import Words
from roundtap_devices.printing.drawing import text_width
from roundtap_devices.printing.print_lines import (
    CENTER,
    RIGHT,
    Block,
    Cell,
    Code,
    Drawing,
    Label,
    Line,
    PrintLine,
    Sheet,
    Stroke,
)
from roundtap_units.documents.slip_boxes import SIGNS, Shape, boxes, squads_row

SIGN_ROW = 36
"""Height in dots, to sign. All of a slip must fit into 70 mm of 58 mm paper."""
CODE_COLUMNS = 12


def slip(content: Slip, sheet: Sheet, words: Words) -> list[PrintLine]:
    """One match's slip."""
    picks = slip_picks(content.form)
    table = words("paper.table", table=content.table)
    left = sheet.columns - CODE_COLUMNS
    head, end = f"{round_title(content, words)} – {content.event}", table
    if content.replaces:
        # On lines that are there anyway: a slip is no taller than the one it replaces.
        head, end = f"{words('paper.new')} · {head}", f"{table} – {words('paper.replaces')}"
    return [
        Line((Cell(table, 0, left), Cell(content.code, left, CODE_COLUMNS, RIGHT)), tall=True),
        *_head(head, sheet),
        squads_row(picks, content, sheet, words) if picks else Drawing(26, tuple(_sides(content, sheet))),
        _names(content, sheet),
        *_members(content, sheet),
        *boxes(content.form, sheet, words),
        _ending(content, sheet, words),
        Line((Cell(end, 0, sheet.columns, CENTER),), bold=True),
    ]


def _head(text: str, sheet: Sheet) -> list[PrintLine]:
    """Round and event: one line; a long name goes on in small letters, of which a few more fit."""
    if len(text) <= sheet.columns * 5 // 4:
        return [Line((Cell(text, 0, sheet.columns),))]
    return [Line((Cell(part, 0, sheet.columns),), small=True) for part in wrap(text, sheet.columns * 5 // 4)]


def round_title(content: OfRound, words: Words) -> str:
    """ "Round 3", or what the round is called where it has a name."""
    return say_round(words, content.name) if content.name else words("paper.round", number=content.round)


def _sides(content: Slip, sheet: Sheet) -> Iterator[Shape]:
    half = sheet.dots // 2
    for x, sign, record in ((0, SIGNS["a"], content.a.record), (half + 8, SIGNS["b"], content.b.record)):
        yield Label(x, 0, sign, 22, 24)
        yield Label(x + 26, 1, record, 19, half - 38)
    yield Stroke(half - 1, 2, 2, 24)


def _names(content: Slip, sheet: Sheet) -> Block:
    """Both names whole, side by side as the players sit, on as many lines as they need."""
    half = sheet.columns // 2
    left, right = (wrap(each.name, half - 1) for each in (content.a, content.b))
    rows = max(len(left), len(right))
    left += [""] * (rows - len(left))
    right += [""] * (rows - len(right))
    return Block(tuple(Line((Cell(a, 0, half - 1), Cell(b, half + 1, half - 1)), bold=True)
                       for a, b in zip(left, right, strict=True)))


def _members(content: Slip, sheet: Sheet) -> list[PrintLine]:
    """Who plays for a team, in small letters below its name."""
    half = sheet.columns // 2
    left, right = (", ".join(each.members) for each in (content.a, content.b))
    if not left and not right:
        return []
    return [Line((Cell(left, 0, half - 1), Cell(right, half + 1, half - 1)), small=True)]


def wrap(text: str, columns: int) -> list[str]:
    """The text on lines of `columns` letters, broken at spaces and behind hyphens, never inside a word."""
    lines: list[str] = []
    for piece in text.replace("-", "-\n").replace(" ", " \n").split("\n"):
        if lines and len((lines[-1] + piece).rstrip()) <= columns:
            lines[-1] += piece
        else:
            lines.append(piece)
    return [line.rstrip() for line in lines if line.strip()]


def _ending(content: Slip, sheet: Sheet, words: Words) -> Drawing:
    """Two signatures, the judge's initials, the extension; beside them the code for a phone and the journal's head."""
    side = 3 * SIGN_ROW
    right = sheet.dots - side - 10
    shapes: list[Shape] = [Code(sheet.dots - side, 0, side, content.url)]
    for row, sign in enumerate(("●", "■")):
        y = row * SIGN_ROW
        shapes += [Label(0, y + 11, sign, 17, 20), Stroke(22, y + SIGN_ROW - 3, right - 22, 1)]
    shapes.append(Label(right, SIGN_ROW - 18, words("paper.signature"), 11, 120, RIGHT))
    y = 2 * SIGN_ROW
    judge, minutes = words("paper.judge"), words("paper.minutes")
    wide, half = text_width(judge, 15), right * 11 // 20
    shapes += [Label(0, y + 13, judge, 15, wide), Stroke(wide + 4, y + SIGN_ROW - 3, half - wide - 10, 1)]
    wide = text_width(minutes, 15)
    shapes += [Label(half, y + 13, "+", 15, 16), Stroke(half + 16, y + SIGN_ROW - 3, right - half - wide - 22, 1),
               Label(right, y + 13, minutes, 15, wide, RIGHT)]
    shapes.append(Label(sheet.dots // 2, side + 3, content.head, 11, sheet.dots, CENTER))
    return Drawing(side + 16, tuple(shapes))
