"""The rulebooks there are; or one rulebook's figures and house decisions, as an organizer can announce them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence

from roundtap import columns, headless
from roundtap_core.errors import Problem
from roundtap_core.records import BYES, RULING, Match, Result
from roundtap_core.rulebooks import RULEBOOKS, rulebook
from roundtap_core.rulebooks.base import Rulebook, Structure
from roundtap_core.words import Words


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", metavar="ID", help="one rulebook; without it, the list of them")


def run(args: Namespace) -> int:
    words = headless.reader_words()
    if args.id is None:
        rows = [(book.id, book.title, book.document) for book in RULEBOOKS.values()]
        headless.write(columns.table(rows, "<<<"))
        return headless.DONE
    try:
        book = rulebook(args.id)
    except Problem as problem:
        headless.complain(headless.printable(problem.say(words)))
        return headless.BAD_INPUT
    headless.write("\n".join(_sections(book, words)))
    return headless.DONE


def _sections(book: Rulebook, words: Words) -> Iterator[str]:
    yield f"{book.title}  ({book.id})\n{book.document}\n"
    levels = ", ".join(words(f"level.{level}") for level in book.levels)
    yield f"{words('sheet.levels', levels=levels)}\n"
    yield _titled(words("sheet.minutes"), [
        (words(f"stage.{stage}"), str(minutes)) for stage, minutes in book.stage_minutes.items()
    ], "<>")
    for name, lines in book.structures.items():
        yield _structure(words("sheet.structure", name=words(f"structure.{name}")), lines, words)
    yield _titled(words("sheet.results"), list(_results(book, words)), "<>")
    after_round_1 = words(f"bye_order.{book.bye_after_round_1}")
    yield _titled(words("sheet.byes"), list(_byes(book, words)), "<<") + f"  {after_round_1}\n"
    base = book.option_defaults.get("squad_points")
    figures = [words(f"figure.{key}", base=base) for key in book.tiebreakers if f"figure.{key}" in words]
    yield _listed(words("sheet.figures"), figures)
    order = [words("decided.points"), *(words(f"tiebreaker.{key}") for key in book.tiebreakers)]
    yield _listed(words("sheet.tiebreakers"), order)
    yield _titled(words("sheet.options"), [(key, str(value)) for key, value in book.option_defaults.items()], "<<")
    yield _listed(words("sheet.decisions"), [words(key) for key in book.house_decisions])


def _titled(title: str, rows: Sequence[Sequence[str]], align: str) -> str:
    return f"{title}\n" + _indented(columns.table(rows, align))


def _listed(title: str, items: Sequence[str]) -> str:
    return f"{title}\n" + _indented("".join(f"{number}. {item}\n" for number, item in enumerate(items, start=1)))


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


def _structure(title: str, lines: Sequence[Structure], words: Words) -> str:
    head = (words("sheet.players"), words("sheet.rounds"), words("sheet.cut"))
    rows = [(_span(line), str(line.swiss_rounds), str(line.cut or "–")) for line in lines]
    return _titled(title, [head, *rows], ">>>")


def _span(line: Structure) -> str:
    if line.at_most is None:
        return f"{line.at_least}+"
    return str(line.at_least) if line.at_least == line.at_most else f"{line.at_least}–{line.at_most}"


def _results(book: Rulebook, words: Words) -> Iterator[tuple[str, str]]:
    """What a win, a draw and a loss are worth, asked of the rulebook itself."""
    options = book.options({})
    for winner, side, name in (("a", "a", "win"), ("draw", "a", "draw"), ("a", "b", "loss")):
        match = Match("a", "b", result=Result(ended=RULING, winner=winner))
        try:
            yield words(f"outcome.{name}"), str(book.tally(match, "a" if side == "a" else "b", options).points)
        except Problem:
            continue  # No draws in this rulebook.


def _byes(book: Rulebook, words: Words) -> Iterator[tuple[str, str]]:
    for bye in BYES:
        tally = book.tally(Match("a", bye=bye), "a", book.options({}))
        worth = [words("sheet.points", n=tally.points)]
        worth += [f"{words(f'column.{key}')} {value}" for key, value in tally.figures.items()]
        yield words(f"bye.{bye}"), ", ".join(worth)
