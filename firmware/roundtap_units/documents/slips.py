"""The result slip that two players fill in where no unit stands at their table. Data in, print lines out."""

import re
from collections.abc import Iterator

from roundtap_core.elimination.bracket_picture import round_label
from roundtap_core.forms.form import Form, SlipTicks, margin_label, slip_figures, slip_picks, slip_ticks
from roundtap_core.forms.questions import Picks
from roundtap_core.lists.list_form import squad_letter
from roundtap_core.print_contents import RoundNotice, Slip
from roundtap_core.words import Words
from roundtap_devices.letters import text_width
from roundtap_devices.printing import print_lines

SIGN_ROW = 36  # Height in dots of a signature row. A whole slip must fit into 70 mm of 58 mm paper.
CODE_COLUMNS, MINUTES = 12, 44  # columns of the code; dots to write the extension on
SIGNS = {"a": "●", "b": "■"}
BOTH = tuple(SIGNS.values())
SIDE_NAME = "side.name."
NAMED = tuple(f"{SIDE_NAME}{side}" for side in SIGNS)  # what a game calls its sides, where it has names for them
EDGE = 2  # the upper and lower edge of a box are drawn, its sides are letters
TICK = "☐"
TICK_COLUMNS = 3  # as "[ ]" in letters
# Chinese, Japanese and Korean letters, as wide as high: East Asian Width W and F of Unicode's UAX #11.
WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff60\U00020000-\U0003ffff"
WIDE_LETTER, BREAKS = re.compile(f"[{WIDE}]"), re.compile(f"([ {WIDE}-])")
SQUAD, SQUADS_ROW = 36, 46

Shape = print_lines.Box | print_lines.RuledLine | print_lines.Label | print_lines.QrShape
Aligned = tuple[str, str]  # a text, and its alignment


def form_row_lines(form: Form, sheet: print_lines.Paper, words: Words) -> list[print_lines.PrintLine]:
    """The rows to write and to tick in, from the figures to who leaves. As the names stand, what is at the left edge is
    the left player's, and what is at the right edge the other's; what it is stands between them."""
    rows: list[tuple[Aligned, ...]] = []
    room = sheet.columns - 2 * _box_columns(sheet) - 2
    for figure in slip_figures(form, words):
        label, lost = words(figure.label), words(figure.lost) if figure.lost else ""
        # Where a rulebook counts losses, one side's losses lead to the other's points: each word stands at its box.
        gap = room - len(lost) - 2
        across = (f"{lost} {f'→ {label}'.rjust(gap)}", f"{f'{label} ←'.ljust(gap)} {lost}") if lost else (label,)
        rows += (
            [tuple((line, print_lines.CENTER) for line in _two_lines(text, room)) for text in across]
            if not lost or len(across[0]) < room
            else [
                ((lost, print_lines.LEFT), (f"→ {label}", print_lines.RIGHT)),
                ((lost, print_lines.RIGHT), (f"{label} ←", print_lines.LEFT)),
            ]
        )
    made: list[print_lines.PrintLine] = [_edges(sheet)] if rows else []
    for row in rows:
        made += [*(_framed(text, sheet) for text in row), _edges(sheet)]
    if margin := margin_label(form, words):
        made.append(_between("_" * _box_columns(sheet), words(margin), sheet))
    return [*made, *(_tick_row(row, sheet, words) for row in slip_ticks(form))]


def _two_lines(text: str, room: int) -> list[str]:
    """At least two, as a box is high."""
    lines = wrap_text(text, room)
    return lines if len(lines) > 1 else [*lines, ""]


def _box_columns(sheet: print_lines.Paper) -> int:
    return sheet.columns // 5 + 1


def _edges(sheet: print_lines.Paper) -> print_lines.Drawing:
    """The upper or lower edges of a box at either side, from the middle of one letter to that of another."""
    cell, columns = sheet.cell_dots, _box_columns(sheet)
    return print_lines.Drawing(
        EDGE,
        tuple(
            print_lines.RuledLine(start * cell + cell // 2 - 1, 0, (columns - 1) * cell + 2, EDGE)
            for start in (0, sheet.columns - columns)
        ),
    )


def _framed(text: Aligned, sheet: print_lines.Paper) -> print_lines.TextLine:
    """One line of a row of two boxes, with a text between them."""
    columns, last = _box_columns(sheet), sheet.columns - 1
    return print_lines.TextLine(
        (
            *(print_lines.TextCell(print_lines.FRAME, at, 1) for at in (0, columns - 1, last - columns + 1, last)),
            print_lines.TextCell(text[0], columns + 1, sheet.columns - 2 * columns - 2, text[1]),
        ),
        tight=True,
    )


def _between(side: str, text: str, sheet: print_lines.Paper) -> print_lines.TextLine:
    """The same at either side, with a text between them."""
    columns = TICK_COLUMNS if side == TICK else len(side)
    return print_lines.TextLine(
        (
            print_lines.TextCell(side, 0, columns),
            print_lines.TextCell(text, columns + 1, sheet.columns - 2 * columns - 2, print_lines.CENTER),
            print_lines.TextCell(side, sheet.columns - columns, columns, print_lines.RIGHT),
        ),
        tight=True,
    )


def _tick_row(row: SlipTicks, sheet: print_lines.Paper, words: Words) -> print_lines.TextLine:
    """A question, with a place to tick for each side; other answers have theirs before them, a number a line."""
    if not row.options:
        text = f"{words(row.label)} ______"
        return print_lines.TextLine((print_lines.TextCell(text, 0, sheet.columns, print_lines.CENTER),), tight=True)
    answers = "  ".join(f"{TICK} {words(option)}" for option in row.options if option not in SIGNS)
    label = " ".join(filter(None, (words(row.label) if row.label else "", f"({answers})" if answers else "")))
    if SIGNS.keys() <= set(row.options):
        return _between(TICK, label, sheet)
    return print_lines.TextLine((print_lines.TextCell(answers, 0, sheet.columns, print_lines.CENTER),), tight=True)


def squads_row(picks: Picks, content: Slip, sheet: print_lines.Paper, words: Words) -> print_lines.Drawing:
    """Each side's squads, to be crossed out. Those still to be fielded have a thick frame, the others a tick."""
    half = sheet.dots // 2
    shapes: list[Shape] = []
    for x, sign, to_field in ((0, SIGNS["a"], content.a.to_field), (half + 8, SIGNS["b"], content.b.to_field)):
        shapes.append(print_lines.Label(x, 3, sign, 22, 24))
        for place in range(picks.of):
            left = x + 28 + place * (SQUAD + 4)
            owed = to_field is None or place + 1 in to_field
            shapes += [
                print_lines.Box(left, 0, SQUAD, 30, 3 if owed else 1),
                print_lines.Label(left + 7, 6, squad_letter(place + 1), 15, 12, bold=owed),
            ]
            if not owed:
                shapes.append(print_lines.Label(left + 19, 5, "✓", 15, 14))
    must = [sign for sign, side in zip(BOTH, (content.a, content.b), strict=True) if side.must]
    legend = words("paper.squads.must", signs=" ".join(must)) if must else words("paper.squads", n=picks.take)
    shapes.append(print_lines.Label(0, 31, legend, 12, sheet.dots))
    return print_lines.Drawing(SQUADS_ROW, tuple(shapes))


def slip_lines(content: Slip, sheet: print_lines.Paper, words: Words) -> list[print_lines.PrintLine]:
    picks = slip_picks(content.form)
    table = words("paper.table", table=content.table)
    left = sheet.columns - CODE_COLUMNS
    head, end = f"{round_title(content, words)} – {content.event}", table
    if content.replaces:
        # On existing lines: a slip is no taller than the one it replaces.
        head, end = f"{words('paper.new')} · {head}", f"{table} – {words('paper.replaces')}"
    return [
        print_lines.TextLine(
            (
                print_lines.TextCell(table, 0, left),
                print_lines.TextCell(content.code, left, CODE_COLUMNS, print_lines.RIGHT),
            ),
            tall=True,
        ),
        *_head(head, sheet),
        squads_row(picks, content, sheet, words)
        if picks
        else print_lines.Drawing(20, tuple(_sides(content, sheet, words))),
        *_names(content, sheet),
        *_members(content, sheet),
        *form_row_lines(content.form, sheet, words),
        _ending(content, sheet, words),
        print_lines.TextLine((print_lines.TextCell(end, 0, sheet.columns, print_lines.CENTER),), bold=True, tight=True),
    ]


def _head(text: str, sheet: print_lines.Paper) -> list[print_lines.PrintLine]:
    """Round and event: one line; a long name in small letters, of which a few more fit."""
    if len(text) <= sheet.columns:
        return [print_lines.TextLine((print_lines.TextCell(text, 0, sheet.columns),), tight=True)]
    return [
        print_lines.TextLine((print_lines.TextCell(part, 0, sheet.columns),), small=True)
        for part in wrap_text(text, sheet.columns * 5 // 4)
    ]


def round_title(content: RoundNotice, words: Words) -> str:
    """ "Round 3", or the round's own name."""
    return round_label(words, content.name) if content.name else words("paper.round", number=content.round)


def _sides(content: Slip, sheet: print_lines.Paper, words: Words) -> Iterator[Shape]:
    half = sheet.dots // 2
    for x, side, record in ((0, "a", content.a.record), (half + 8, "b", content.b.record)):
        named = f"{words(f'{SIDE_NAME}{side}')}  {record}" if NAMED[0] in words else record
        yield print_lines.Label(x, 0, SIGNS[side], 19, 24)
        yield print_lines.Label(x + 26, 0, named, 17, half - 38)
    yield print_lines.RuledLine(half - 1, 0, 2, 20)


def _names(content: Slip, sheet: print_lines.Paper) -> Iterator[print_lines.TextLine]:
    """Both names in full, side by side as the players sit, on as many lines as they need."""
    half = sheet.columns // 2
    left, right = (wrap_text(each.name, half - 1) for each in (content.a, content.b))
    rows = max(len(left), len(right))
    left += [""] * (rows - len(left))
    right += [""] * (rows - len(right))
    for a, b in zip(left, right, strict=True):
        yield print_lines.TextLine(
            (print_lines.TextCell(a, 0, half - 1), print_lines.TextCell(b, half + 1, half - 1)), bold=True, tight=True
        )


def _members(content: Slip, sheet: print_lines.Paper) -> list[print_lines.PrintLine]:
    """A team's players, in small letters below its name."""
    half = sheet.columns // 2
    left, right = (", ".join(each.members) for each in (content.a, content.b))
    if not left and not right:
        return []
    return [
        print_lines.TextLine(
            (print_lines.TextCell(left, 0, half - 1), print_lines.TextCell(right, half + 1, half - 1)), small=True
        )
    ]


def columns_of(text: str) -> int:
    """How many columns of paper a text wants."""
    return len(text) + len(WIDE_LETTER.findall(text))


def wrap_text(text: str, columns: int) -> list[str]:
    """The text on lines of `columns` columns, broken at spaces, after hyphens and Chinese letters, which take two
    columns each. A word too long for a line is drawn narrower up to a third, and broken with a hyphen beyond."""
    lines: list[str] = []
    for piece in BREAKS.sub(r"\1\n", text).split("\n"):
        if lines and columns_of((lines[-1] + piece).rstrip()) <= columns:
            lines[-1] += piece
        else:
            while columns_of(piece.rstrip()) >= columns * 4 // 3 > columns > 1:
                lines.append(f"{piece[: columns - 1]}-")
                piece = piece[columns - 1 :]
            lines.append(piece)
    return [line.rstrip() for line in lines if line.strip()]


def _ending(content: Slip, sheet: print_lines.Paper, words: Words) -> print_lines.Drawing:
    """The code for a phone, at the left: what is right of it is sent only where there is something. Beside it two
    signatures, the judge's initials and the extension; below them the journal's head."""
    side = 3 * SIGN_ROW
    left, right = side + 8, print_lines.SHEET_58.dots
    shapes: list[Shape] = [print_lines.QrShape(0, 0, side, content.url)]
    for row, sign in enumerate(BOTH):
        y = row * SIGN_ROW
        shapes += [
            print_lines.Label(left, y + 11, sign, 17, 20),
            print_lines.RuledLine(left + 22, y + SIGN_ROW - 3, sheet.dots - left - 22, 1),
        ]
    shapes.append(print_lines.Label(left + 22, 2, words("paper.signature"), 11, 120))
    y = 2 * SIGN_ROW
    judge, minutes = words("paper.judge"), words("paper.minutes")
    first, last = left + text_width(judge, 15) + 4, right - text_width(minutes, 15) - 4
    shapes += [
        print_lines.Label(left, y + 13, judge, 15, first - left),
        print_lines.RuledLine(first, y + SIGN_ROW - 3, last - MINUTES - 22 - first, 1),
        print_lines.Label(last - MINUTES - 16, y + 13, "+", 15, 16),
        print_lines.RuledLine(last - MINUTES, y + SIGN_ROW - 3, MINUTES, 1),
        print_lines.Label(right, y + 13, minutes, 15, right - last, print_lines.RIGHT),
    ]
    shapes.append(print_lines.Label(0, side + 3, content.head, 11, sheet.dots))
    return print_lines.Drawing(side + 16, tuple(shapes))
