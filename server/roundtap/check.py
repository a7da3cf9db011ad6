"""Every rule that an event file breaks, one a line; nothing, and exit 0, where all is well."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable

from roundtap import headless
from roundtap_core.check import violations
from roundtap_core.errors import Problem
from roundtap_core.eventfile import event_problems, parse_json, tournament_from_json


def add_arguments(parser: ArgumentParser) -> None:
    headless.add_file(parser)


def run(args: Namespace) -> int:
    """What is wrong inside the file is this command's answer and goes to stdout; that it cannot be opened does not."""
    words = headless.reader_words()
    try:
        text = headless.read_text(args.file)
    except Problem as problem:
        headless.complain(headless.error_line(args.file, problem, words))
        return headless.BAD_INPUT
    lines = [headless.error_line(args.file, problem, words) + "\n" for problem in _everything(text)]
    headless.write("".join(lines))
    return headless.BAD_INPUT if lines else headless.DONE


def _everything(text: str) -> Iterable[Problem]:
    """The broken JSON; or all that makes the file unreadable; or, of a readable file, the rules broken."""
    try:
        data = parse_json(text)
    except Problem as problem:
        return [problem]
    return list(event_problems(data)) or violations(tournament_from_json(data))
