"""Pairings and standings to hang up, the proxy of a card, the hub's fingerprint. Data in, print lines out."""

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from roundtap_core import print_contents
from roundtap_core.elimination.bracket_picture import round_label
from roundtap_core.rulebooks.own import own_rulebook
from roundtap_core.rulebooks.own_words import words_of
from roundtap_core.typed import parse_message
from roundtap_core.words import Words
from roundtap_devices.printing import print_lines
from roundtap_devices.printing.escpos_job import code_page_test_lines
from roundtap_devices.printing.printer_profiles import PrinterProfile
from roundtap_units.documents.slips import NAMED, SIDE_NAME, columns_of, round_title, slip_lines, wrap_text

SIGNING = 52
WIDE = 40  # from this many columns on, a match has one line and a list more columns
TEST_URL = "http://roundtap.local/"
RULER = 30


def pairings_by_table(
    content: print_contents.PairingsByTable, sheet: print_lines.Paper, words: Words
) -> list[print_lines.PrintLine]:
    lines = _head(content, words("paper.pairings", round=round_title(content, words)), words("paper.by_table"), sheet)
    if NAMED[0] in words:
        names = " – ".join(map(words, NAMED))
        lines += [print_lines.line(part, sheet, print_lines.CENTER) for part in wrap_text(names, sheet.columns)]
    record = max((len(each or "") for row in content.rows for each in (row.a_record, row.b_record)), default=0) + 1
    for row in content.rows:
        lines += _match(row, max(6, record), sheet, words)
    return [*lines, *_foot(content, sheet, words)]


def _match(
    row: print_contents.TablePairing, record: int, sheet: print_lines.Paper, words: Words
) -> list[print_lines.PrintLine]:
    """`record`: columns at the right for what each has won so far."""
    other = row.b if row.b is not None else words(f"paper.bye.{row.bye}")
    table = "" if row.table is None else str(row.table)
    half = (sheet.columns - 5) // 2
    teams = row.a_members or row.b_members
    if sheet.columns >= WIDE and max(columns_of(row.a), columns_of(other)) <= half and not teams:
        return [
            print_lines.TextLine(
                (
                    print_lines.TextCell(table, 0, 3, print_lines.RIGHT),
                    print_lines.TextCell(row.a, 4, half),
                    print_lines.TextCell(other, 5 + half, half),
                )
            ),
            *_by_hand(row, sheet, words),
        ]
    name = sheet.columns - 4 - record
    return [
        *_name_lines(
            (
                print_lines.TextCell(table, 0, 3, print_lines.RIGHT),
                print_lines.TextCell(row.a_record, 4 + name, record, print_lines.RIGHT),
            ),
            row.a,
            4,
            name,
        ),
        *_players(row.a_members, 4, sheet),
        *_name_lines((print_lines.TextCell(row.b_record or "", 4 + name, record, print_lines.RIGHT),), other, 4, name),
        *_players(row.b_members, 4, sheet),
        *_by_hand(row, sheet, words),
        print_lines.Feed(6),
    ]


def _by_hand(row: print_contents.TablePairing, sheet: print_lines.Paper, words: Words) -> list[print_lines.PrintLine]:
    """In small letters below the pair: it was paired or seated manually."""
    return (
        [print_lines.TextLine((print_lines.TextCell(words("paper.by_hand"), 4, sheet.columns - 4),), small=True)]
        if row.by_hand
        else []
    )


def _name_lines(
    cells: tuple[print_lines.TextCell, ...], name: str, start: int, width: int
) -> list[print_lines.PrintLine]:
    """A line with a name in it, which continues below where it is too long."""
    first, *rest = wrap_text(name, width) or [""]
    return [
        print_lines.TextLine((*cells, print_lines.TextCell(first, start, width))),
        *(print_lines.TextLine((print_lines.TextCell(part, start, width),)) for part in rest),
    ]


def _players(members: Sequence[str], start: int, sheet: print_lines.Paper) -> list[print_lines.PrintLine]:
    """A team's players, in small letters below its name."""
    if not members:
        return []
    return [
        print_lines.TextLine((print_lines.TextCell(", ".join(members), start, sheet.columns - start - 1),), small=True)
    ]


def pairings_by_name(
    content: print_contents.PairingsByName, sheet: print_lines.Paper, words: Words
) -> list[print_lines.PrintLine]:
    lines = _head(content, words("paper.pairings", round=round_title(content, words)), words("paper.by_name"), sheet)
    wide = sheet.columns >= WIDE
    record = max([4, *(len(row.record) for row in content.rows)]) + 1
    # A column stays free at both edges, and one before the opponent.
    room = sheet.columns - 2 - record - 4
    name = (room - 1) // 2 if wide else room
    opponent = 1 + name + record + 4 + 1
    initial = ""
    for row in content.rows:
        if initial and row.name[:1] != initial:
            lines.append(print_lines.Feed(8))
        initial = row.name[:1]
        cells = (
            print_lines.TextCell(row.record, 1 + name, record, print_lines.RIGHT),
            print_lines.TextCell("" if row.table is None else str(row.table), 1 + name + record, 4, print_lines.RIGHT),
        )
        across = row.against or words(f"paper.bye.{row.bye}")
        beside, below = (wrap_text(across, name), []) if wide else ([], [across])
        side = [words(f"{SIDE_NAME}{row.side}")] if row.table is not None and NAMED[0] in words else []
        for number, (own, other) in enumerate(zip_longest(wrap_text(row.name, name) or [""], beside, fillvalue="")):
            pair = (print_lines.TextCell(own, 1, name), print_lines.TextCell(other, opponent, name))
            lines.append(print_lines.TextLine((*(cells if not number else ()), *pair[: 1 + bool(other)])))
        lines += _players([*side, *row.members], 1, sheet)
        lines += [
            print_lines.TextLine((print_lines.TextCell(text, 3, sheet.columns - 4),), small=True) for text in below
        ]
    return [*lines, *_foot(content, sheet, words)]


def standings(content: print_contents.Standings, sheet: print_lines.Paper, words: Words) -> list[print_lines.PrintLine]:
    title = words("paper.final") if content.final else words("paper.standings", number=content.after)
    columns = [words(f"column.{key}") for key in content.columns]
    lines = _head(content, title, "", sheet)
    widths = _widths(
        columns,
        [max((len(row.values[place]) for row in content.rows), default=0) for place in range(len(columns))],
        sheet.columns,
    )
    # One line a row only where the names keep room; else the figures stand below the name.
    points = max([len(words("paper.points")), *(len(row.points) for row in content.rows)]) + 1
    name = sheet.columns - 4 - points - sum(widths)
    longest = max((columns_of(row.name) for row in content.rows), default=0)
    flat = name >= min(longest, 22)
    if not flat:
        name = sheet.columns - 4 - points
    starts = [sheet.columns - sum(widths[place:]) for place in range(len(widths))]
    heads = [
        print_lines.TextCell(column, start, width - 1, print_lines.RIGHT)
        for column, start, width in zip(columns, starts, widths, strict=True)
    ]
    top = print_lines.TextCell(words("paper.points"), 4 + name, points, print_lines.RIGHT)
    lines += (
        [print_lines.TextLine((top, *heads))]
        if flat
        else [print_lines.TextLine((top,)), print_lines.TextLine(tuple(heads))]
    )
    lines.append(print_lines.horizontal_rule(sheet, 0, 6))
    for row in content.rows:
        figures = [
            print_lines.TextCell(
                words.number(value) + ("*" if row.decided == place else " "), start, width, print_lines.RIGHT
            )
            for place, (value, start, width) in enumerate(zip(row.values, starts, widths, strict=True))
        ]
        place = "–" if row.rank is None else str(row.rank)
        first = (
            print_lines.TextCell(place, 0, 3, print_lines.RIGHT),
            print_lines.TextCell(row.points, 4 + name, points, print_lines.RIGHT),
        )
        if flat:
            lines += [
                *_name_lines((*first, *figures), row.name, 4, name),
                *_players(row.members, 4, sheet),
                *_remarks(row, sheet, words),
            ]
        else:
            record = print_lines.TextCell(row.record, 4, 8)
            # Where the figures need the whole width, the record has its own line.
            figure_lines = (
                [print_lines.TextLine((record, *figures))]
                if starts[0] >= 12
                else [print_lines.TextLine((record,)), print_lines.TextLine(tuple(figures))]
            )
            lines += [
                *_name_lines(first, row.name, 4, name),
                *_players(row.members, 4, sheet),
                *figure_lines,
                *_remarks(row, sheet, words),
                print_lines.Feed(5),
            ]
    lines += _cut(content.cut, sheet, words) if content.cut else []
    if any(row.decided is not None or row.decided_by for row in content.rows) or (
        content.cut and any(row.decided for row in content.cut.rows)
    ):
        lines += [
            print_lines.Feed(8),
            *(print_lines.line(part, sheet) for part in wrap_text(words("paper.decided"), sheet.columns)),
        ]
    return [*lines, *_foot(content, sheet, words)]


def _widths(heads: Sequence[str], values: Sequence[int], room: int) -> list[int]:
    """Columns for each tiebreaker: a value, its asterisk and a gap. On paper too narrow for all heads, the longest are
    shortened."""
    widest = [max(len(head), value) for head, value in zip(heads, values, strict=True)]
    gap = 3 if sum(widest) + 3 * len(widest) <= room else 2
    widths = [width + gap for width in widest]
    while sum(widths) > room:
        spare = [width - value - 2 for width, value in zip(widths, values, strict=True)]
        if max(spare) <= 0:
            break
        widths[max(range(len(widths)), key=lambda place: (spare[place] > 0, widths[place]))] -= 1
    return widths


def _remarks(
    row: print_contents.StandingsPrintLine, sheet: print_lines.Paper, words: Words
) -> list[print_lines.PrintLine]:
    """What no column shows: how far an entry came, who has left, a tiebreaker among the tied only, or the lot."""
    remarks = [round_label(words, key)] if (key := row.reached) else []
    remarks += [words(f"status.{key}")] if (key := row.status) else []
    remarks += [f"* {words(f'column.{key}')}"] if (key := row.decided_by) else []
    remarks += [words("paper.by_lot")] if row.by_lot else []
    return (
        [print_lines.TextLine((print_lines.TextCell(" · ".join(remarks), 4, sheet.columns - 4),), small=True)]
        if remarks
        else []
    )


def _cut(cut: print_contents.CutOrder, sheet: print_lines.Paper, words: Words) -> list[print_lines.PrintLine]:
    """The cut's own order, with a line below the last who advances."""
    lines: list[print_lines.PrintLine] = [
        print_lines.Feed(14),
        print_lines.horizontal_rule(sheet),
        print_lines.line(words("paper.cut", n=cut.size), sheet, print_lines.CENTER, tall=True),
        *(print_lines.line(row, sheet, print_lines.CENTER) for row in wrap_text(words("paper.cut.why"), sheet.columns)),
    ]
    lines.append(print_lines.horizontal_rule(sheet, 4, 6))
    value = max(len(row.value) for row in cut.rows) + 2
    points = max(len(row.points) for row in cut.rows) + 1
    name = sheet.columns - 4 - points - value
    for row in cut.rows:
        cells = (
            print_lines.TextCell(str(row.rank), 0, 3, print_lines.RIGHT),
            print_lines.TextCell(row.points, 4 + name, points, print_lines.RIGHT),
            print_lines.TextCell(
                row.value + ("*" if row.decided else " "), sheet.columns - value, value, print_lines.RIGHT
            ),
        )
        lines += _name_lines(cells, row.name, 4, name)
        if row.rank == cut.size:
            lines.append(print_lines.horizontal_rule(sheet, 4, 8))
    return lines


def proxy(content: print_contents.CardProxy, sheet: print_lines.Paper, words: Words) -> list[print_lines.PrintLine]:
    lines: list[print_lines.PrintLine] = [
        print_lines.line(words("paper.proxy"), sheet, print_lines.CENTER, bold=True),
        print_lines.horizontal_rule(sheet),
    ]
    lines += [
        print_lines.line(part, sheet, print_lines.CENTER, tall=True)
        for part in wrap_text(content.card, sheet.columns * 3 // 4)
    ]
    lines += [
        print_lines.horizontal_rule(sheet, 6, 8),
        *(print_lines.line(part, sheet) for part in wrap_text(words("paper.proxy.what"), sheet.columns)),
    ]
    fields = (
        (words("paper.proxy.by"), content.official),
        (words("paper.proxy.date"), words.date(content.date)),
        ("", content.event),
    )
    for label, value in fields:
        lines += [
            print_lines.line(part, sheet)
            for part in wrap_text(f"{label}: {value}" if label else str(value), sheet.columns)
        ]
    return [
        *lines,
        print_lines.Drawing(SIGNING, (print_lines.RuledLine(0, SIGNING - 4, sheet.dots * 2 // 3, 1),)),
        print_lines.TextLine((print_lines.TextCell(content.head, 0, sheet.columns, print_lines.CENTER),), small=True),
    ]


def trust(content: print_contents.TrustSheet, sheet: print_lines.Paper, words: Words) -> list[print_lines.PrintLine]:
    """What an organizer compares with the browser before trusting this hub."""
    lines: list[print_lines.PrintLine] = [
        print_lines.line(words("paper.trust"), sheet, print_lines.CENTER, bold=True),
        print_lines.horizontal_rule(sheet),
    ]
    lines += [print_lines.line(part, sheet) for part in wrap_text(words("paper.trust.what"), sheet.columns)]
    groups = content.fingerprint.split()
    lines += [
        print_lines.Feed(6),
        *(
            print_lines.line(" ".join(groups[at : at + 4]), sheet, print_lines.CENTER, bold=True)
            for at in range(0, len(groups), 4)
        ),
        print_lines.Feed(6),
    ]
    where = f"{words('paper.trust.console')}: {content.console}"
    lines += [print_lines.line(part, sheet) for part in wrap_text(where, sheet.columns)]
    return [*lines, *_foot(content, sheet, words)]


def _head(
    content: print_contents.PrintHeader, title: str, subtitle: str, sheet: print_lines.Paper
) -> list[print_lines.PrintLine]:
    lines: list[print_lines.PrintLine] = [
        print_lines.line(part, sheet, print_lines.CENTER, bold=True) for part in wrap_text(content.event, sheet.columns)
    ]
    lines += [print_lines.line(part, sheet, print_lines.CENTER, tall=True) for part in wrap_text(title, sheet.columns)]
    if subtitle:
        lines.append(print_lines.line(subtitle, sheet, print_lines.CENTER))
    return [*lines, print_lines.horizontal_rule(sheet)]


def _foot(content: print_contents.PrintHeader, sheet: print_lines.Paper, words: Words) -> list[print_lines.PrintLine]:
    """The address of the page where all players find themselves, for phones; and the journal's head."""
    return [
        print_lines.horizontal_rule(sheet, 8, 10),
        print_lines.Qr(content.url),
        print_lines.Feed(6),
        print_lines.line(content.url, sheet, print_lines.CENTER),
        *(
            [print_lines.line(content.by_name, sheet, print_lines.CENTER)]
            if content.by_name and len(content.by_name) <= sheet.columns
            else []
        ),
        print_lines.TextLine((print_lines.TextCell(content.head, 0, sheet.columns, print_lines.CENTER),), small=True),
    ]


LAYOUTS: Mapping[str, tuple[type[Any], Callable[[Any, print_lines.Paper, Words], list[print_lines.PrintLine]]]] = {
    "slip": (print_contents.Slip, slip_lines),
    "pairings-table": (print_contents.PairingsByTable, pairings_by_table),
    "pairings-name": (print_contents.PairingsByName, pairings_by_name),
    "standings": (print_contents.Standings, standings),
    "proxy": (print_contents.CardProxy, proxy),
    "trust": (print_contents.TrustSheet, trust),
}
"""The kinds of jobs, the type of each one's content, and its layout."""


def layout_job(kind: str, content: object, sheet: print_lines.Paper, words: Words) -> list[print_lines.PrintLine]:
    """The lines of a job from the hub. KeyError for another kind, Malformed for other content."""
    wanted, layout = LAYOUTS[kind]
    told = parse_message(wanted, content)
    return layout(told, sheet, words_of(own_rulebook(told.rules), words) if told.rules else words)


def speed_test_lines(number: int, baud: int) -> list[print_lines.PrintLine]:
    """Plain ASCII on few lines: at a wrong speed hardly anything comes out, and nothing leaves the printer waiting."""
    text = f" {number} " * 3
    return [
        print_lines.TextLine((print_lines.TextCell(text, 0, len(text)),), tall=True),
        print_lines.TextLine((print_lines.TextCell(f"roundtap {number}: {baud} baud", 0, 30),)),
        print_lines.Feed(60),
    ]


def width_test_lines(profile: PrinterProfile, words: Words) -> list[print_lines.PrintLine]:
    """A frame closed on both sides, a row of figures that ends at its right edge, the code pages, and a code."""
    sheet = profile.sheet
    figures = "".join(str(place % 10) for place in range(1, sheet.columns + 1))
    intro = [print_lines.line(part, sheet) for part in wrap_text(words("printer.test.what"), sheet.columns)]
    return [
        print_lines.line("ROUNDTAP", sheet, print_lines.CENTER, tall=True),
        *intro,
        print_lines.Feed(6),
        print_lines.Drawing(
            RULER,
            (
                print_lines.Box(0, 0, sheet.dots, RULER, 3),
                print_lines.Label(
                    sheet.dots // 2,
                    6,
                    f"{sheet.dots} · {sheet.columns} · {profile.dpi} dpi",
                    15,
                    sheet.dots - 12,
                    print_lines.CENTER,
                ),
            ),
        ),
        print_lines.TextLine((print_lines.TextCell(figures, 0, sheet.columns),)),
        print_lines.Feed(8),
        *code_page_test_lines(profile),
        print_lines.Feed(8),
        print_lines.Qr(TEST_URL),
        print_lines.Feed(8),
    ]
