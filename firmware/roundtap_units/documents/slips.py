"""The result slip that two players fill in where no unit stands at their table. Data in, print lines out."""

from collections.abc import Iterator, Sequence

from roundtap_core.elimination.bracket_picture import round_label
from roundtap_core.forms.form import Form, margin_label, slip_figures, slip_picks, slip_ticks
from roundtap_core.forms.questions import Picks
from roundtap_core.lists.squads import squad_letter
from roundtap_core.print_contents import RoundNotice, Slip
from roundtap_core.words import Words
from roundtap_devices.printing import print_lines
from roundtap_devices.printing.drawing import text_width

SIGN_ROW = 36  # Height in dots of a signature row. A whole slip must fit into 70 mm of 58 mm paper.
CODE_COLUMNS = 12
SIGNS = {"a": "●", "b": "■"}
BOTH = tuple(SIGNS.values())
BOX_ROW, TICK_ROW = 49, 30
BOX_ROW_DENSE, TICK_ROW_DENSE = 44, 27  # heights in dots: to write a number in, to tick
MOST_ROWS = 4  # with more rows, they are closer together: a slip is at most 70 mm tall, names on three lines included
MARGIN_ROW, MARGIN_LINE = 22, 44  # height of the row for the margin, and the shortest line to write three figures on
SQUAD, SQUADS_ROW = 36, 46
TICK = 24
GAP = 36
LETTERS, SMALLEST_LETTERS = 17, 11

Shape = print_lines.Box | print_lines.RuledLine | print_lines.Label | print_lines.QrShape
Ticks = tuple[str, Sequence[str]]


def form_row_lines(form: Form, sheet: print_lines.Paper, words: Words) -> list[print_lines.PrintLine]:
    """The rows to write and to tick in, from the figures to who leaves; closer together where there are many."""
    figures = slip_figures(form, words)
    ticks = [(words(row.label) if row.label else "", [SIGNS.get(option) or words(option) for option in row.options])
             for row in slip_ticks(form)]
    margin = margin_label(form, words)
    dense = len(figures) + len(ticks) + bool(slip_picks(form)) > MOST_ROWS or bool(margin)
    made: list[print_lines.PrintLine] = []
    for figure in figures:
        made += _figure_rows(words(figure.label), words(figure.lost) if figure.lost else "", sheet,
                             BOX_ROW_DENSE if dense else BOX_ROW)
    if margin:
        made.append(_margin_row(words(margin), sheet))
    return [*made, *_tick_rows(ticks, sheet, TICK_ROW_DENSE if dense else TICK_ROW)]


def _margin_row(label: str, sheet: print_lines.Paper) -> print_lines.Drawing:
    """A line for each to note the margin on ("Höhe des Sieges"). The hub counts it by itself, so that it is a
    line and no box: nobody has to fill it in."""
    half = sheet.dots // 2
    shapes: list[Shape] = []
    for x, sign in ((0, "●"), (half + 8, "■")):
        wide = min(text_width(label, SMALLEST_LETTERS), half - 24 - MARGIN_LINE - 12)
        shapes += [print_lines.Label(x, 1, sign, LETTERS, 20),
                   print_lines.Label(x + 24, 5, label, SMALLEST_LETTERS, wide),
                   print_lines.RuledLine(x + 28 + wide, MARGIN_ROW - 4, half - 40 - wide, 1)]
    return print_lines.Drawing(MARGIN_ROW, tuple(shapes))


def _figure_rows(label: str, lost: str, sheet: print_lines.Paper, height: int) -> list[print_lines.PrintLine]:
    """A box for each side. Where a rulebook counts losses, one side's losses lead to the other's points."""
    if not lost:
        return [_pair_of_boxes(label, sheet, height)]
    return [_lost_row(me, other, lost, label, sheet, height) for me, other in (BOTH, BOTH[::-1])]


def _pair_of_boxes(label: str, sheet: print_lines.Paper, height: int) -> print_lines.Drawing:
    half = sheet.dots // 2
    shapes: list[Shape] = []
    for x, sign in ((0, "●"), (half + 8, "■")):
        shapes += [print_lines.Label(x, 12, sign, 20, 22), print_lines.Label(x + 24, 14, label, LETTERS, half - 124),
                   print_lines.Box(x + half - 98, 2, 88, height - 6)]
    return print_lines.Drawing(height, tuple(shapes))


def _lost_row(me: str, other: str, lost: str, points: str, sheet: print_lines.Paper,
              height: int) -> print_lines.Drawing:
    box = 76 if sheet.dots < 500 else 110
    right = sheet.dots - box
    room = sheet.dots - 2 * box - 24 - 50 - 16
    # Each text gets what it needs, in proportion where that is too much for both.
    needs = text_width(lost, LETTERS), text_width(points, LETTERS)
    first = max(needs[0], room - needs[1]) if sum(needs) <= room else room * needs[0] // sum(needs)
    middle = 24 + first + 4 + box + 6
    return print_lines.Drawing(height, (
        print_lines.Label(0, 11, me, 20, 22), print_lines.Label(24, 13, lost, LETTERS, first),
        print_lines.Box(28 + first, 2, box, height - 6),
        print_lines.Label(middle, 11, "→", 20, 26), print_lines.Label(middle + 26, 11, other, 20, 22),
        print_lines.Label(middle + 50, 13, points, LETTERS, right - middle - 56),
        print_lines.Box(right, 2, box, height - 6),
    ))


def squads_row(picks: Picks, content: Slip, sheet: print_lines.Paper, words: Words) -> print_lines.Drawing:
    """Each side's squads, to be crossed out. Those still to be fielded have a thick frame, the others a tick."""
    half = sheet.dots // 2
    shapes: list[Shape] = []
    for x, sign, to_field in ((0, SIGNS["a"], content.a.to_field), (half + 8, SIGNS["b"], content.b.to_field)):
        shapes.append(print_lines.Label(x, 3, sign, 22, 24))
        for place in range(picks.of):
            left = x + 28 + place * (SQUAD + 4)
            owed = to_field is None or place + 1 in to_field
            shapes += [print_lines.Box(left, 0, SQUAD, 30, 3 if owed else 1),
                       print_lines.Label(left + 7, 6, squad_letter(place + 1), 15, 12, bold=owed)]
            if not owed:
                shapes.append(print_lines.Label(left + 19, 5, "✓", 15, 14))
    must = [sign for sign, side in zip(BOTH, (content.a, content.b), strict=True) if side.must]
    legend = words("paper.squads.must", signs=" ".join(must)) if must else words("paper.squads", n=picks.take)
    shapes.append(print_lines.Label(0, 31, legend, 12, sheet.dots))
    return print_lines.Drawing(SQUADS_ROW, tuple(shapes))


def _tick_rows(ticks: Sequence[Ticks], sheet: print_lines.Paper, height: int) -> list[print_lines.PrintLine]:
    """One question a line; two on wide paper, where both can be read in half of it."""
    rows: list[print_lines.PrintLine] = []
    half = sheet.dots // 2
    left = list(ticks)
    while left:
        beside = sheet.dots > 500 and len(left) > 1 and all(
            _text_width(*tick, SMALLEST_LETTERS) <= half - GAP for tick in left[:2])
        shapes: list[Shape] = []
        if beside:
            for x, width in ((0, half - GAP), (half, half)):
                shapes += _tick_shapes(x, width, *left.pop(0))
        else:
            shapes += _tick_shapes(0, sheet.dots, *left.pop(0))
        rows.append(print_lines.Drawing(height, tuple(shapes)))
    return rows


def _tick_shapes(x: int, width: int, label: str, options: Sequence[str]) -> Iterator[Shape]:
    """A question at the left, its options with their boxes at the right, in letters small enough to fit."""
    size = LETTERS
    while size > SMALLEST_LETTERS and _text_width(label, options, size) > width:
        size -= 1
    right = x + width
    top = 4 + (LETTERS - size) // 2
    for option in reversed(options):
        wide = text_width(option, size)
        yield print_lines.Box(right - TICK, 2, TICK, TICK)
        yield print_lines.Label(right - TICK - 5 - wide, top, option, size, wide)
        right -= TICK + wide + 20
    if label:
        yield print_lines.Label(x, top, label, size, right - x)


def _text_width(label: str, options: Sequence[str], size: int) -> int:
    return text_width(label, size) + sum(TICK + 20 + text_width(option, size) for option in options)


def slip_lines(content: Slip, sheet: print_lines.Paper, words: Words) -> list[print_lines.PrintLine]:
    picks = slip_picks(content.form)
    table = words("paper.table", table=content.table)
    left = sheet.columns - CODE_COLUMNS
    head, end = f"{round_title(content, words)} – {content.event}", table
    if content.replaces:
        # On existing lines: a slip is no taller than the one it replaces.
        head, end = f"{words('paper.new')} · {head}", f"{table} – {words('paper.replaces')}"
    return [
        print_lines.TextLine((print_lines.TextCell(table, 0, left),
                              print_lines.TextCell(content.code, left, CODE_COLUMNS, print_lines.RIGHT)), tall=True),
        *_head(head, sheet),
        squads_row(picks, content, sheet, words) if picks else print_lines.Drawing(26, tuple(_sides(content, sheet))),
        _names(content, sheet),
        *_members(content, sheet),
        *form_row_lines(content.form, sheet, words),
        _ending(content, sheet, words),
        print_lines.TextLine((print_lines.TextCell(end, 0, sheet.columns, print_lines.CENTER),), bold=True),
    ]


def _head(text: str, sheet: print_lines.Paper) -> list[print_lines.PrintLine]:
    """Round and event: one line; a long name in small letters, of which a few more fit."""
    if len(text) <= sheet.columns * 5 // 4:
        return [print_lines.TextLine((print_lines.TextCell(text, 0, sheet.columns),))]
    return [print_lines.TextLine((print_lines.TextCell(part, 0, sheet.columns),), small=True)
            for part in wrap_text(text, sheet.columns * 5 // 4)]


def round_title(content: RoundNotice, words: Words) -> str:
    """"Round 3", or the round's own name."""
    return round_label(words, content.name) if content.name else words("paper.round", number=content.round)


def _sides(content: Slip, sheet: print_lines.Paper) -> Iterator[Shape]:
    half = sheet.dots // 2
    for x, sign, record in ((0, SIGNS["a"], content.a.record), (half + 8, SIGNS["b"], content.b.record)):
        yield print_lines.Label(x, 0, sign, 22, 24)
        yield print_lines.Label(x + 26, 1, record, 19, half - 38)
    yield print_lines.RuledLine(half - 1, 2, 2, 24)


def _names(content: Slip, sheet: print_lines.Paper) -> print_lines.Block:
    """Both names in full, side by side as the players sit, on as many lines as they need."""
    half = sheet.columns // 2
    left, right = (wrap_text(each.name, half - 1) for each in (content.a, content.b))
    rows = max(len(left), len(right))
    left += [""] * (rows - len(left))
    right += [""] * (rows - len(right))
    return print_lines.Block(tuple(print_lines.TextLine((print_lines.TextCell(a, 0, half - 1),
                                                         print_lines.TextCell(b, half + 1, half - 1)), bold=True)
                                   for a, b in zip(left, right, strict=True)))


def _members(content: Slip, sheet: print_lines.Paper) -> list[print_lines.PrintLine]:
    """A team's players, in small letters below its name."""
    half = sheet.columns // 2
    left, right = (", ".join(each.members) for each in (content.a, content.b))
    if not left and not right:
        return []
    return [print_lines.TextLine((print_lines.TextCell(left, 0, half - 1),
                                  print_lines.TextCell(right, half + 1, half - 1)), small=True)]


def wrap_text(text: str, columns: int) -> list[str]:
    """The text on lines of `columns` letters, broken at spaces and after hyphens, never inside a word."""
    lines: list[str] = []
    for piece in text.replace("-", "-\n").replace(" ", " \n").split("\n"):
        if lines and len((lines[-1] + piece).rstrip()) <= columns:
            lines[-1] += piece
        else:
            lines.append(piece)
    return [line.rstrip() for line in lines if line.strip()]


def _ending(content: Slip, sheet: print_lines.Paper, words: Words) -> print_lines.Drawing:
    """Two signatures, the judge's initials, the extension; beside them the code for a phone and the journal's head."""
    side = 3 * SIGN_ROW
    right = sheet.dots - side - 10
    shapes: list[Shape] = [print_lines.QrShape(sheet.dots - side, 0, side, content.url)]
    for row, sign in enumerate(("●", "■")):
        y = row * SIGN_ROW
        shapes += [print_lines.Label(0, y + 11, sign, 17, 20),
                   print_lines.RuledLine(22, y + SIGN_ROW - 3, right - 22, 1)]
    shapes.append(print_lines.Label(right, SIGN_ROW - 18, words("paper.signature"), 11, 120, print_lines.RIGHT))
    y = 2 * SIGN_ROW
    judge, minutes = words("paper.judge"), words("paper.minutes")
    wide, half = text_width(judge, 15), right * 11 // 20
    shapes += [print_lines.Label(0, y + 13, judge, 15, wide),
               print_lines.RuledLine(wide + 4, y + SIGN_ROW - 3, half - wide - 10, 1)]
    wide = text_width(minutes, 15)
    shapes += [print_lines.Label(half, y + 13, "+", 15, 16),
               print_lines.RuledLine(half + 16, y + SIGN_ROW - 3, right - half - wide - 22, 1),
               print_lines.Label(right, y + 13, minutes, 15, wide, print_lines.RIGHT)]
    shapes.append(print_lines.Label(sheet.dots // 2, side + 3, content.head, 11, sheet.dots, print_lines.CENTER))
    return print_lines.Drawing(side + 16, tuple(shapes))
