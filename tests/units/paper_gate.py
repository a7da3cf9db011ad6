"""The gate of everything on paper: each document printed from its bytes as one printer would, and looked through.

What is looked for: letters of a page that the printer has otherwise (by python-escpos' database), a line that is drawn
though the printer has its letters and room, or not drawn though it lacks them; text or images wider than the paper,
shapes that leave a drawing or text too small to read, a word that is nowhere whole, a code that another library does
not read. `documents` are those of every rulebook, with names as long as people have them.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import zxingcpp
from escpos_text import PICTURE, read
from PIL import Image, ImageOps

from gallery.on_paper import HEAD, MEMBERS, TEAMS, URL, best_of_three, proxy_content, slip_content, trust_content
from roundtap_core.records import ELIMINATION, SWISS, TIEBREAK
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.typed import DisplayText
from roundtap_core.words import LANGUAGES, Words
from roundtap_devices.letters import text_width
from roundtap_devices.printing.escpos_job import END_MARKER, SUBSTITUTES, code_page_test_lines, compose_job
from roundtap_devices.printing.print_lines import (
    CENTER,
    LEFT,
    RIGHT,
    Box,
    CodePageLine,
    Drawing,
    Label,
    PrintLine,
    Qr,
    QrShape,
    RuledLine,
    TextLine,
)
from roundtap_devices.printing.printer_profiles import PROFILES, PrinterProfile
from roundtap_devices.virtual.virtual_printer import EscposInterpreter
from roundtap_units.documents.notices import layout_job, speed_test_lines, width_test_lines
from roundtap_units.unit_config import unit_words

MODELS = {
    "epson-80": "TM-T20II",
    "epson-t88": "TM-T88V",
    "pos-5890": "POS-5890",
    "zj-5870": "ZJ-5870",
    "plain-58": "POS-5890",
    "plain-80": "TM-T20II",
}
"""Whose code pages count; of the CSN-A2 the database knows nothing, and it is sent page 437 alone."""
DATABASE = json.loads((Path(__file__).parents[1] / "devices/printer_models.json").read_text(encoding="utf-8"))
NAMES = (
    "Aleksandra Wiśniewska-Szczepańska",
    "Świętosława Brzęczyszczykiewicz-Żółkiewska",
    "Łukasz Żak",
    "Maximilian von Hohenfels-Brandt",
    "Karl-Theodor Freiherr von Schwarzenberg-Löwenstein",
    "Jürgen Groß",
    "Íñigo Fernández de la Peña y Muñoz",
    "María de los Ángeles Rodríguez-Villanueva",
    "Ana Ruiz",
    "Friedrich Wolfeschlegelsteinhausen Ö.",
    "Eva Luz",
    "Zbigniew Gżegżółka-Ćwierciakiewicz",
)
EVENT = "Mistrzostwa Województwa Świętokrzyskiego w Bitwach Kosmicznych 2026"
WITHOUT_COLUMN = ("points", "last", "random", "head_to_head", "tiebreak_round")
"""What compares only those who are tied stands below a name where it decided."""
SMALLEST_READ = 9
"""Dots of a letter's size that are still read; a word that must be squeezed below it is too long for its place."""


@dataclass
class Sheet:
    """One document on one printer: what it looks like, and what is wrong with it."""

    name: str
    picture: Image.Image
    wrong: list[str] = field(default_factory=list)


def documents() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(name, kind, content) of everything that a station lays out, for every rulebook."""
    for book in RULEBOOKS.values():
        names = TEAMS if book.team_size > 1 else (NAMES[1], NAMES[4])
        for stage in (SWISS, ELIMINATION, TIEBREAK):
            yield f"slip-{book.id}-{stage}", "slip", slip_content(book.id, names, 104, stage) | {"event": EVENT}
        yield f"slip-{book.id}-replaces", "slip", slip_content(book.id, NAMES[6:8], 7) | {"replaces": True}
        if 3 in book.best_of:
            yield f"slip-{book.id}-best-of-three", "slip", best_of_three(book.id, NAMES[6:8])
        yield f"standings-{book.id}", "standings", _standings(book.id)
    yield "pairings-table", "pairings-table", _pairings(teams=False)
    yield "pairings-teams", "pairings-table", _pairings(teams=True)
    yield "pairings-name", "pairings-name", _by_name()
    yield "proxy", "proxy", proxy_content() | {"official": NAMES[4], "event": EVENT}
    yield "trust", "trust", trust_content()


def _common() -> dict[str, Any]:
    return {"event": EVENT, "round": 12, "url": URL, "head": HEAD}


def _pairings(teams: bool) -> dict[str, Any]:
    who = [*TEAMS, "Iskra", "Orion"] if teams else list(NAMES)
    rows: list[dict[str, Any]] = [
        {
            "table": 104 + n,
            "a": who[2 * n],
            "b": who[2 * n + 1],
            "bye": None,
            "a_record": "10–1–1",
            "b_record": "9–3",
            "by_hand": n == 1,
            **({"a_members": list(MEMBERS[0]), "b_members": list(MEMBERS[1])} if teams else {}),
        }
        for n in range(len(who) // 2)
    ]
    rows.append({"table": None, "a": NAMES[9], "b": None, "bye": "bye", "a_record": "0–12", "b_record": None})
    return {**_common(), "rows": rows}


def _by_name() -> dict[str, Any]:
    return {
        **_common(),
        "rows": [
            {"name": name, "against": other, "record": "10–1–1", "table": 104 + n, "bye": None}
            for n, (name, other) in enumerate(zip(sorted(NAMES), NAMES, strict=True))
        ],
    }


def _standings(rulebook: str) -> dict[str, Any]:
    book = RULEBOOKS[rulebook]
    columns = [key for key in book.tiebreaker_keys if key not in WITHOUT_COLUMN]
    names = TEAMS * 2 if book.team_size > 1 else NAMES
    rows = [
        {
            "rank": n + 1 if n else None,
            "name": name,
            "points": "33",
            "record": "10–1–1",
            "members": list(MEMBERS[0]) if book.team_size > 1 else [],
            "values": ["1812" if n % 2 else "0.6667" for _ in columns],
            "decided": 0 if columns and n == 2 else None,
            "decided_by": None,
            "by_lot": n == 3,
            "status": "dropped" if n == 4 else None,
            "reached": "semi-final" if n == 1 else None,
        }
        for n, name in enumerate(names)
    ]
    cut = {
        "size": 4,
        "rows": [
            {"rank": n + 1, "name": name, "points": "33", "value": "1812", "decided": n == 1}
            for n, name in enumerate(names[:6])
        ],
    }
    return {
        **_common(),
        "after": 12,
        "final": True,
        "columns": columns,
        "rows": rows,
        "cut": cut if book.own_cut_order else None,
    }


def pages_of(profile: PrinterProfile) -> Mapping[int, str]:
    """Number → codec, as the database has it for this printer; what it calls otherwise is left out."""
    model = MODELS.get(profile.name)
    if model is None:
        return {0: "cp437"}
    pages: dict[int, str] = {}
    for number, name in DATABASE[model]["codepages"].items():
        try:
            b"A".decode(name)
        except LookupError:
            continue
        pages[int(number)] = name
    return pages


class Reader(EscposInterpreter):
    """A printer that also keeps the letters it was given, by its model's own reading of them."""

    def __init__(self, profile: PrinterProfile) -> None:
        self.letters: set[str] = set()
        super().__init__(profile, pages=pages_of(profile))

    def _read(self, byte: int) -> str:
        letter = super()._read(byte)
        self.letters.add(letter)
        return letter


def printed(name: str, kind: str, content: Mapping[str, Any], profile: PrinterProfile, words: Words) -> Sheet:
    """The document from its bytes, and all that is wrong with it."""
    lines = layout_job(kind, content, profile.sheet, words)
    sheet = printed_lines(name, lines, profile)
    said = " ".join(_texts(lines))
    sheet.wrong += [f"{word!r} is nowhere whole" for word in _words_of(content) if not _stands(word, said)]
    if kind != "proxy":
        codes = [found.text for found in zxingcpp.read_barcodes(_seen(sheet.picture))]
        if codes != [content["url"]]:
            sheet.wrong.append(f"its code is read as {codes}")
    return sheet


def printed_lines(name: str, lines: list[PrintLine], profile: PrinterProfile) -> Sheet:
    """Lines from their bytes, as this printer's paper shows them."""
    paper, data = Reader(profile), compose_job(lines, profile).data + END_MARKER
    paper.feed(data)
    sheet = Sheet(name, paper.sheets[0] if paper.sheets else paper.tear())
    sheet.wrong += [f"the printer does not know {each!r}" for each in paper.unknown_bytes]
    sheet.wrong += [f"wider than the paper: {each}" for each in paper.overflow]
    meant = {*" ".join(_texts(lines)), *" ".join(_texts(lines)).translate(SUBSTITUTES), *" ?"}
    if not set(paper.letters) <= meant:
        sheet.wrong.append(f"other letters than were meant: {set(paper.letters) - meant}")
    for each in lines:
        sheet.wrong += _wrong_in(each, profile)
    said = [line for line in read(data, pages_of(profile)) if line != PICTURE]
    if said != (wanted := [line for each in lines if (line := in_letters(each, profile)) is not None]):
        sheet.wrong += [
            f"in letters: {one!r}; should be: {other!r}" for one, other in zip_longest(said, wanted) if one != other
        ][:1]
    return sheet


def in_letters(each: PrintLine, profile: PrinterProfile) -> str | None:
    """The line as the printer's own letters show it, where it has all of them and room for them; None: it is drawn."""
    if isinstance(each, CodePageLine):
        return each.text.encode(each.codec, "replace").decode(each.codec)
    if not isinstance(each, TextLine) or each.small:
        return None
    line = [" "] * profile.columns
    for cell in each.cells:
        text = "".join(letter if _has(profile, letter) else letter.translate(SUBSTITUTES) for letter in cell.text)
        if len(text) > cell.width or not all(_has(profile, letter) for letter in text):
            return None
        placed = {LEFT: str.ljust, CENTER: str.center, RIGHT: str.rjust}[cell.align](text, cell.width)
        line[cell.start : cell.start + cell.width] = placed
    return "".join(line).rstrip()


def _has(profile: PrinterProfile, letter: str) -> bool:
    """Whether one of the pages that the profile vouches for has it, as the model's own list of pages says."""
    pages = [pages_of(profile)[number] for number in profile.codepages.values()]
    return any(letter in bytes(range(32, 256)).decode(page, "ignore") for page in pages)


def sheets(profile: PrinterProfile, words: Words) -> Iterator[Sheet]:
    """Everything that this printer may be sent, in one language."""
    yield from (printed(name, kind, content, profile, words) for name, kind, content in documents())
    yield from (printed_lines(name, lines, profile) for name, lines in setup_prints(profile, words))


def sheets_for(number: int, a: str, b: str) -> Iterator[Sheet]:
    """A pair of names on a slip and on a list; the number takes turns through printers and languages."""
    profile, words = [*PROFILES.values()][number % len(PROFILES)], unit_words(LANGUAGES[number % len(LANGUAGES)])
    slip = slip_content("xwing-standard", (a, b), 7)
    row = {"table": 7, "a": a, "b": b, "bye": None, "a_record": "2–0", "b_record": "1–1"}
    listed = {key: slip[key] for key in ("event", "round", "url", "head")} | {"rows": [row]}
    for kind, content in (("slip", slip), ("pairings-table", listed)):
        yield printed(f"{kind} of {a} and {b} ({profile.name}, {words.language})", kind, content, profile, words)


def setup_prints(profile: PrinterProfile, words: Words) -> Iterator[tuple[str, list[PrintLine]]]:
    """The sheets by which a printer is set up."""
    yield "test-page", width_test_lines(profile, words)
    yield "speed", speed_test_lines(4, 115200)
    yield "code-pages", code_page_test_lines(profile)


def _seen(picture: Image.Image) -> Image.Image:
    """As a phone sees it: grey, a little soft, on a table that is not white."""
    seen = ImageOps.expand(picture.convert("L"), 24, 225)
    return seen.resize((seen.width * 3 // 2, seen.height * 3 // 2), Image.Resampling.BILINEAR)


def _stands(word: str, said: str) -> bool:
    """In one piece or, where it is too long for a line, in two with a hyphen."""
    return word in said or any(f"{word[:n]}-" in said and word[n:] in said for n in range(9, len(word)))


def _words_of(content: Mapping[str, Any]) -> set[str]:
    """Every word of every name and title on it, as it may stand alone on a line: up to a space or behind a hyphen."""
    # On the hub's fingerprint no event is named.
    names = ["" if "fingerprint" in content else content["event"], content.get("card", ""), content.get("official", "")]
    names += [content[side]["name"] for side in "ab" if side in content]
    for row in content.get("rows", ()):
        names += [row.get(key) or "" for key in ("name", "a", "b")]
    # Hidden letters, such as those that make a flag of a region, are in no text that the hub shows.
    return {word for name in names for word in DisplayText.of(str(name)).replace("-", "- ").split()}


def _texts(lines: list[PrintLine]) -> list[str]:
    said = []
    for each in lines:
        if isinstance(each, TextLine):
            said += [cell.text for cell in each.cells]
        elif isinstance(each, CodePageLine):
            said.append(each.text)
        elif isinstance(each, Drawing):
            said += [shape.text for shape in each.shapes if isinstance(shape, Label)]
    return said


def _wrong_in(each: PrintLine, profile: PrinterProfile) -> Iterator[str]:
    sheet = profile.sheet
    if isinstance(each, TextLine):
        edge = 0
        for cell in sorted(each.cells, key=lambda cell: cell.start):
            if cell.start < edge or cell.start + cell.width > sheet.columns:
                yield f"{cell.text!r} lies on another text or off the paper"
            edge = cell.start + cell.width
            if text_width(cell.text, SMALLEST_READ, each.bold or each.tall) > cell.width * sheet.cell_dots:
                yield f"{cell.text!r} is squeezed into {cell.width} columns"
    elif isinstance(each, Drawing):
        for shape in each.shapes:
            yield from _wrong_shape(shape, sheet.dots, each.height_dots)
    elif isinstance(each, Qr) and 45 * each.module_dots > sheet.dots:
        yield "a code that is wider than the paper"


def _wrong_shape(shape: Box | RuledLine | Label | QrShape, dots: int, height: int) -> Iterator[str]:
    if isinstance(shape, Label):
        wide = min(shape.width, text_width(shape.text, shape.size, shape.bold))
        left = shape.x - (wide // 2 if shape.align == CENTER else wide if shape.align == RIGHT else 0)
        right, bottom, what = left + wide, shape.y + shape.size, repr(shape.text)
        if text_width(shape.text, SMALLEST_READ, shape.bold) > shape.width:
            yield f"{what} is squeezed into {shape.width} dots"
    elif isinstance(shape, QrShape):
        left, right, bottom, what = shape.x, shape.x + shape.side, shape.y + shape.side, "a code"
    else:
        left, right, bottom, what = shape.x, shape.x + shape.width, shape.y + shape.height, "a line"
    if left < 0 or right > dots or shape.y < 0 or bottom > height:
        yield f"{what} leaves the paper: {left} to {right} of {dots}, down to {bottom} of {height}"
