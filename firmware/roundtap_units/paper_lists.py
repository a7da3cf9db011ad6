"""Pairings and standings on paper, to hang up. Data in, print lines out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roundtap_core.words import Words
from roundtap_devices.paper import CENTER, RIGHT, Block, Cell, Feed, Line, PrintLine, Qr, Sheet, line, rule
from roundtap_units.slips import slip, wrap

WIDE = 40
"""From so many columns on, a match has one line and a list more columns."""

Content = Mapping[str, Any]


def pairings_by_table(content: Content, sheet: Sheet, words: Words) -> list[PrintLine]:
    """content: event, round, url, rows of {table, a, b, bye, a_record, b_record}: names, and null where nobody is."""
    lines = _head(content, words("paper.pairings", number=content["round"]), words("paper.by_table"), sheet)
    for row in content["rows"]:
        lines += _match(row, sheet, words)
    return [*lines, *_foot(content, sheet, words)]


def _match(row: Content, sheet: Sheet, words: Words) -> list[PrintLine]:
    other = row["b"] if row["b"] is not None else words(f"paper.bye.{row['bye']}")
    table = "" if row["table"] is None else str(row["table"])
    half = (sheet.columns - 5) // 2
    if sheet.columns >= WIDE and max(len(row["a"]), len(other)) <= half:
        return [Line((Cell(table, 0, 3, RIGHT), Cell(row["a"], 4, half), Cell(other, 5 + half, half)))]
    name = sheet.columns - 4 - 6
    return [
        *_named((Cell(table, 0, 3, RIGHT), Cell(row["a_record"], 4 + name, 6, RIGHT)), row["a"], 4, name),
        *_named((Cell(row["b_record"] or "", 4 + name, 6, RIGHT),), other, 4, name),
        Feed(6),
    ]


def _named(cells: tuple[Cell, ...], name: str, start: int, width: int) -> list[PrintLine]:
    """A line with a name in it, which goes on below where it is too long."""
    first, *rest = wrap(name, width) or [""]
    return [Block((Line((*cells, Cell(first, start, width))), *(Line((Cell(part, start, width),)) for part in rest)))]


def pairings_by_name(content: Content, sheet: Sheet, words: Words) -> list[PrintLine]:
    """content: event, round, url, rows of {name, record, value, table, bye}, in the order of names."""
    lines = _head(content, words("paper.pairings", number=content["round"]), words("paper.by_name"), sheet)
    wide = sheet.columns >= WIDE
    name = sheet.columns - 10 - (8 if wide else 0)
    initial = ""
    for row in content["rows"]:
        if initial and row["name"][:1] != initial:
            lines.append(Feed(8))
        initial = row["name"][:1]
        table = words(f"paper.bye.{row['bye']}.short") if row["table"] is None else str(row["table"])
        cells = [Cell(row["record"], name, 5, RIGHT), Cell(table, sheet.columns - 5, 5, RIGHT)]
        if wide:
            cells.append(Cell(row["value"], name + 5, 8, RIGHT))
        lines += _named(tuple(cells), row["name"], 0, name)
    return [*lines, *_foot(content, sheet, words)]


def standings(content: Content, sheet: Sheet, words: Words) -> list[PrintLine]:
    """content: event, after, final, url, columns (tiebreakers' keys), rows of {rank, name, points, record, values,
    decided, active}; `decided` is the place in `values` of what put this row above the next one, or null."""
    title = words("paper.final") if content["final"] else words("paper.standings", number=content["after"])
    columns = [words(f"column.{key}") for key in content["columns"]]
    lines = _head(content, title, "", sheet)
    widths = [max([len(column), *(len(row["values"][place]) for row in content["rows"])]) + 3
              for place, column in enumerate(columns)]
    # One line a row only where the names keep room; else the figures stand below the name.
    points = max([len(words("paper.points")), *(len(str(row["points"])) for row in content["rows"])]) + 1
    name = sheet.columns - 4 - points - sum(widths)
    longest = max((len(row["name"]) for row in content["rows"]), default=0)
    flat = name >= min(longest, 22)
    if not flat:
        name = sheet.columns - 4 - points
    starts = [sheet.columns - sum(widths[place:]) for place in range(len(widths))]
    heads = [Cell(column, start, width - 1, RIGHT)
             for column, start, width in zip(columns, starts, widths, strict=True)]
    top = Cell(words("paper.points"), 4 + name, points, RIGHT)
    lines += [Line((top, *heads))] if flat else [Line((top,)), Line(tuple(heads))]
    lines.append(rule(sheet, 0, 6))
    for row in content["rows"]:
        figures = [
            Cell(value + ("*" if row["decided"] == place else " "), start, width, RIGHT)
            for place, (value, start, width) in enumerate(zip(row["values"], starts, widths, strict=True))
        ]
        first = (Cell(str(row["rank"]), 0, 3, RIGHT), Cell(str(row["points"]), 4 + name, points, RIGHT))
        if flat:
            lines += _named((*first, *figures), row["name"], 4, name)
        else:
            lines += [*_named(first, row["name"], 4, name), Line((Cell(row["record"], 4, 8), *figures)), Feed(5)]
    if any(row["decided"] is not None for row in content["rows"]):
        lines += [Feed(8), *(line(part, sheet) for part in wrap(words("paper.decided"), sheet.columns))]
    return [*lines, *_foot(content, sheet, words)]


def _head(content: Content, title: str, subtitle: str, sheet: Sheet) -> list[PrintLine]:
    lines: list[PrintLine] = [line(str(content["event"]), sheet, CENTER, bold=True),
                              line(title, sheet, CENTER, tall=True)]
    if subtitle:
        lines.append(line(subtitle, sheet, CENTER))
    return [*lines, rule(sheet)]


def _foot(content: Content, sheet: Sheet, words: Words) -> list[PrintLine]:
    """The page where everybody finds themselves, for phones; and the journal's head."""
    return [
        rule(sheet, 8, 10),
        Qr(str(content["url"])),
        Feed(6),
        line(str(content["url"]), sheet, CENTER),
        Line((Cell(str(content["head"]), 0, sheet.columns, CENTER),), small=True),
    ]


LAYOUTS = {
    "slip": slip,
    "pairings-table": pairings_by_table,
    "pairings-name": pairings_by_name,
    "standings": standings,
}
"""The kinds of jobs, and what lays each out."""
