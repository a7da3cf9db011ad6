"""The result slip: what two players write on when no unit stands at their table. Data in, print lines out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from roundtap_core.forms import Choice, Form, form_from_json
from roundtap_core.words import Words
from roundtap_devices.drawing import text_width
from roundtap_devices.paper import CENTER, RIGHT, Block, Box, Cell, Code, Drawing, Label, Line, PrintLine, Sheet, Stroke

SIGNS = {"a": "●", "b": "■"}
BOX_ROW, TICK_ROW, SIGN_ROW = 49, 30, 36
"""Heights in dots: to write a number in, to tick, to sign. All of a slip must fit into 70 mm of 58 mm paper."""
TICK = 24
CODE_COLUMNS = 12
GAP = 36

Shape = Box | Stroke | Label | Code


def slip(content: Mapping[str, Any], sheet: Sheet, words: Words) -> list[PrintLine]:
    """One match's slip. content: event, round, of, table, code, a and b {name, record}, form, url, head.

    The boxes are those that the rulebook's form asks for, and no others.
    """
    form = form_from_json(content["form"])
    table = words("paper.table", table=content["table"])
    left = sheet.columns - CODE_COLUMNS
    head = f"{words('paper.round', number=content['round'])} – {content['event']}"
    return [
        Line((Cell(table, 0, left), Cell(str(content["code"]), left, CODE_COLUMNS, RIGHT)), tall=True),
        Line((Cell(head, 0, sheet.columns),)),
        Drawing(26, tuple(_sides(content, sheet))),
        _names(content, sheet),
        *_boxes(form, sheet, words),
        _ending(content, sheet, words),
        Line((Cell(table, 0, sheet.columns, CENTER),), bold=True),
    ]


def _sides(content: Mapping[str, Any], sheet: Sheet) -> Iterator[Shape]:
    half = sheet.dots // 2
    for x, side in ((0, "a"), (half + 8, "b")):
        yield Label(x, 0, SIGNS[side], 22, 24)
        yield Label(x + 26, 1, str(content[side]["record"]), 19, half - 34)
    yield Stroke(half - 1, 2, 2, 24)


def _names(content: Mapping[str, Any], sheet: Sheet) -> Block:
    """Both names whole, side by side as the players sit, on as many lines as they need."""
    half = sheet.columns // 2
    left, right = (wrap(str(content[side]["name"]), half - 1) for side in ("a", "b"))
    rows = max(len(left), len(right))
    left += [""] * (rows - len(left))
    right += [""] * (rows - len(right))
    return Block(tuple(Line((Cell(a, 0, half - 1), Cell(b, half + 1, half - 1)), bold=True)
                       for a, b in zip(left, right, strict=True)))


def wrap(text: str, columns: int) -> list[str]:
    """The text on lines of `columns` letters, broken at spaces and behind hyphens, never inside a word."""
    lines: list[str] = []
    for piece in text.replace("-", "-\n").replace(" ", " \n").split("\n"):
        if lines and len((lines[-1] + piece).rstrip()) <= columns:
            lines[-1] += piece
        else:
            lines.append(piece)
    return [line.rstrip() for line in lines if line.strip()]


# The boxes, from the form.

def _boxes(form: Form, sheet: Sheet, words: Words) -> list[PrintLine]:
    made: list[PrintLine] = []
    for key in _figure_keys(form):
        made += _figure_rows(form.rulebook, key, sheet, words)
    ticks = [*_ways(form, words), *_choices(form, words), (words("paper.leave"), ("●", "■"))]
    return [*made, *_tick_rows(ticks, sheet)]


def _figure_keys(form: Form) -> list[str]:
    return list(dict.fromkeys(figure.key for way in form.ways for figure in way.figures()))


def _figure_rows(rulebook: str, key: str, sheet: Sheet, words: Words) -> list[PrintLine]:
    """A box for each side. Where a rulebook counts what was lost, one's losses lead to the other's points."""
    label = _text(words, f"paper.figure.{key}", rulebook)
    source = f"paper.lost.{key}.{rulebook}"
    if source not in words:
        return [_pair_of_boxes(label, sheet)]
    return [_lost_row(me, other, words(source), label, sheet) for me, other in (("●", "■"), ("■", "●"))]


def _text(words: Words, key: str, rulebook: str) -> str:
    """A text that a rulebook may have its own word for."""
    return words(f"{key}.{rulebook}" if f"{key}.{rulebook}" in words else key)


def _pair_of_boxes(label: str, sheet: Sheet) -> Drawing:
    half = sheet.dots // 2
    shapes: list[Shape] = []
    for x, sign in ((0, "●"), (half + 8, "■")):
        shapes += [Label(x, 12, sign, 20, 22), Label(x + 24, 14, label, 17, half - 124),
                   Box(x + half - 98, 2, 88, BOX_ROW - 6)]
    return Drawing(BOX_ROW, tuple(shapes))


def _lost_row(me: str, other: str, lost: str, points: str, sheet: Sheet) -> Drawing:
    box = 76 if sheet.dots < 500 else 110
    right = sheet.dots - box
    room = sheet.dots - 2 * box - 24 - 50 - 16
    # Each word gets what it needs, in proportion where that is too much for both.
    needs = text_width(lost, 17), text_width(points, 17)
    first = max(needs[0], room - needs[1]) if sum(needs) <= room else room * needs[0] // sum(needs)
    middle = 24 + first + 4 + box + 6
    return Drawing(BOX_ROW, (
        Label(0, 11, me, 20, 22), Label(24, 13, lost, 17, first), Box(28 + first, 2, box, BOX_ROW - 6),
        Label(middle, 11, "→", 20, 26), Label(middle + 26, 11, other, 20, 22),
        Label(middle + 50, 13, points, 17, right - middle - 56), Box(right, 2, box, BOX_ROW - 6),
    ))


Ticks = tuple[str, Sequence[str]]


def _ways(form: Form, words: Words) -> Iterator[Ticks]:
    """How it ended needs ticks only where the same moment offers several ways."""
    moments = [way.when for way in form.ways]
    if any(moments.count(when) > 1 for when in moments):
        yield "", [_text(words, f"paper.way.{way.id}", form.rulebook) for way in form.ways]


def _choices(form: Form, words: Words) -> Iterator[Ticks]:
    seen: set[str] = set()
    for step in (step for way in form.ways for step in way.steps if isinstance(step, Choice)):
        if step.label not in seen:
            seen.add(step.label)
            yield words(step.label), [SIGNS.get(option) or words(f"paper.option.{option}") for option in step.options]


def _tick_rows(ticks: Sequence[Ticks], sheet: Sheet) -> list[PrintLine]:
    """One question a line; two on wide paper."""
    across = 2 if sheet.dots > 500 else 1
    width = sheet.dots // across
    rows: list[PrintLine] = []
    for start in range(0, len(ticks), across):
        shapes: list[Shape] = []
        for place, (label, options) in enumerate(ticks[start:start + across]):
            shapes += _tick_shapes(place * width, width - (GAP if place + 1 < across else 0), label, options)
        rows.append(Drawing(TICK_ROW, tuple(shapes)))
    return rows


def _tick_shapes(x: int, width: int, label: str, options: Sequence[str]) -> Iterator[Shape]:
    right = x + width
    for option in reversed(options):
        wide = text_width(option, 17)
        yield Box(right - TICK, 2, TICK, TICK)
        yield Label(right - TICK - 5 - wide, 4, option, 17, wide)
        right -= TICK + wide + 20
    if label:
        yield Label(x, 4, label, 17, right - x)


def _ending(content: Mapping[str, Any], sheet: Sheet, words: Words) -> Drawing:
    """Two signatures, the judge's initials, the extension; beside them the code for a phone and the journal's head."""
    side = 3 * SIGN_ROW
    right = sheet.dots - side - 10
    shapes: list[Shape] = [Code(sheet.dots - side, 0, side, str(content["url"]))]
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
    shapes.append(Label(sheet.dots // 2, side + 3, str(content["head"]), 11, sheet.dots, CENTER))
    return Drawing(side + 16, tuple(shapes))
