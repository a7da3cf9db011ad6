"""Shared by the headless commands: reading an event file, the reader's language, and errors that name the file."""

import gc
import io
import os
import sys
import unicodedata
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Mapping, Sequence
from json import dumps
from pathlib import Path
from typing import Any

from msgspec import json

from roundtap_core.command_arguments import argument
from roundtap_core.errors import Problem
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.names import display_name, public_names
from roundtap_core.records import Tournament
from roundtap_core.rulebooks.registry import book_of
from roundtap_core.words import Words, catalogue, choose_language, core_words

DONE, VIOLATED, BAD_INPUT = 0, 1, 2
LARGEST_JSON_INT = 2**53 - 1

GAP = "  "

FILE = argument("file", metavar="FILE", help="an event file; - reads standard input")


def whole_number(text: str) -> int:
    """For argparse: a whole number that every JSON program keeps exactly."""
    try:
        number = int(text) if len(text) <= 17 else LARGEST_JSON_INT + 1
    except ValueError:
        raise ArgumentTypeError(f"not a whole number: {text!r}") from None
    if abs(number) > LARGEST_JSON_INT:
        raise ArgumentTypeError(f"between {-LARGEST_JSON_INT} and {LARGEST_JSON_INT}, please")
    return number


def number_from(least: int) -> Callable[[str], int]:
    """For argparse: a whole number, `least` or more."""

    def number(text: str) -> int:
        if (value := whole_number(text)) < least:
            raise ArgumentTypeError(f"{least} or more, please")
        return value

    return number


def reader_words() -> Words:
    """The core's texts in the user's language: by $ROUNDTAP_LANG, else by the first POSIX variable that is set."""
    languages = map(os.environ.get, ("ROUNDTAP_LANG", "LC_ALL", "LC_MESSAGES", "LANG"))
    return core_words(choose_language(next(filter(None, languages), "")))


def cli_words() -> Words:
    core = reader_words()
    return catalogue("roundtap", core.language).also(core)


def read_text(file: str) -> str:
    """The text of `file`, or of standard input for "-". Raises Problem where it cannot be read as UTF-8."""
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem("file_not_utf8", line=raw.count(b"\n", 0, error.start) + 1) from None
    except (OSError, ValueError) as error:
        keys: Mapping[type[Exception], str] = {
            FileNotFoundError: "file_missing",
            IsADirectoryError: "file_is_folder",
            PermissionError: "file_forbidden",
        }
        reason = getattr(error, "strerror", None) or str(error)
        raise Problem(keys.get(type(error), "file_unreadable"), reason=reason) from None


def print_for_event(file: str, work: Callable[[Tournament, Words], str]) -> int:
    """Print what `work` makes of the event in `file`; a Problem goes to stderr, with nothing on stdout."""
    words = reader_words()
    # No garbage is worth collecting before this short process ends.
    gc.disable()
    try:
        tournament = parse_event_file(read_text(file))
        text = work(tournament, words if tournament.rules is None else _words_of(tournament, words))
    except Problem as problem:
        return print_refusal(error_line(file, problem, words))
    finally:
        gc.enable()
    write_stdout(text)
    return DONE


def _words_of(tournament: Tournament, words: Words) -> Words:
    # Only a store's own game brings words of its own.
    from roundtap_core.rulebooks.own_words import words_of

    return words_of(book_of(tournament), words)


def print_lines_from(command: str, find: Callable[[Words], Iterable[str]], path: Path | None = None) -> int:
    """Print the lines that `find` returns; its Problem or OSError goes to stderr. `path`: the file it is about."""
    words, where = cli_words(), f"{path}: " if path else ""
    try:
        lines = find(words)
    except Problem as problem:
        return print_refusal(f"roundtap {command}: {where}{problem.say(words)}")
    except OSError as error:
        return print_refusal(f"roundtap {command}: {error_of_system(error, path)}")
    write_lines(lines)
    return DONE


def error_of_system(error: OSError, where: object) -> str:
    """The file and the reason. `where`: told instead by an error that names no file, as of a write to a full disk."""
    return ": ".join(str(part) for part in (error.filename or where, error.strerror or error) if part)


def print_refusal(line: str) -> int:
    print_error(line)
    return BAD_INPUT


def public_names_of(tournament: Tournament) -> dict[str, str]:
    shown = public_names(tournament.competitors, bool(tournament.options.get("full_names")))
    return {competitor.id: display_name(competitor, shown) for competitor in tournament.competitors}


def rank_text(rank: int | None) -> str:
    return "–" if rank is None else str(rank)


def print_option_warnings(file: str, tournament: Tournament, words: Words) -> None:
    """Print warnings about the event's options on stderr."""
    for warning in book_of(tournament).option_warnings(tournament.options):
        print_error(error_line(file, warning, words))


def error_line(file: str, problem: Problem, words: Words) -> str:
    """One line: "FILE: /path: text"."""
    return escape_controls(": ".join(part for part in (file, problem.where, problem.say(words)) if part))


def escape_controls(text: str) -> str:
    """The text with control characters escaped, so that a file's content cannot control the terminal."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def json_text(data: Mapping[str, Any]) -> str:
    """The output of `json.dumps(…, indent=2)`, which is slow because it does not use C with an indent."""
    return json.format(dumps(data, ensure_ascii=False).encode(errors="replace"), indent=2).decode() + "\n"


def write_stdout(text: str) -> None:
    """Write to stdout as UTF-8 with plain line ends, the same bytes on every machine."""
    _as_utf8(sys.stdout)
    sys.stdout.write(text)


def write_lines(lines: Iterable[str]) -> None:
    write_stdout("".join(f"{line}\n" for line in lines))


def print_error(line: str) -> None:
    _as_utf8(sys.stderr)
    print(line, file=sys.stderr)


def _as_utf8(stream: Any) -> None:
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def cell_width(text: str) -> int:
    """The number of terminal cells of `text`: none for combining marks ("Z" + dot above), two for wide characters."""
    return sum(_cells(sign) for sign in text)


def _cells(sign: str) -> int:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def format_table(rows: Sequence[Sequence[str]], align: str) -> str:
    """One line per row, without trailing blanks; `align` has one "<" or ">" per column."""
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)]
    return "".join(GAP.join(map(_pad, row, widths, align)).rstrip() + "\n" for row in rows)


def _pad(text: str, cells: int, align: str) -> str:
    fill = " " * (cells - cell_width(text))
    return fill + text if align == ">" else text + fill
