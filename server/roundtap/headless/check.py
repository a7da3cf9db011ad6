"""Every rule that an event file breaks, one a line; nothing, and exit 0, where all is well."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable

from roundtap.headless import event_input
from roundtap_core.check.check import violations
from roundtap_core.errors import Problem
from roundtap_core.eventfile.read import event_problems, parse_json, tournament_from_json


def add_arguments(parser: ArgumentParser) -> None:
    event_input.add_file(parser)


def run(args: Namespace) -> int:
    """What is wrong inside the file is this command's answer and goes to stdout; that it cannot be opened does not."""
    words = event_input.reader_words()
    try:
        text = event_input.read_text(args.file)
    except Problem as problem:
        event_input.complain(event_input.error_line(args.file, problem, words))
        return event_input.BAD_INPUT
    lines = [event_input.error_line(args.file, problem, words) + "\n" for problem in _everything(text)]
    event_input.write("".join(lines))
    return event_input.BAD_INPUT if lines else event_input.DONE


def _everything(text: str) -> Iterable[Problem]:
    """The broken JSON; or all that makes the file unreadable; or, of a readable file, the rules broken."""
    try:
        data = parse_json(text)
    except Problem as problem:
        return [problem]
    return list(event_problems(data)) or violations(tournament_from_json(data))
