"""Every rule that an event file breaks, one a line; nothing, and exit 0, where all is well."""

from argparse import Namespace
from collections.abc import Iterable
from typing import Any

from roundtap.headless import cli_io
from roundtap_core.check.check import violations
from roundtap_core.command_arguments import argument
from roundtap_core.errors import Problem
from roundtap_core.eventfile.read import event_problems, parse_event_file, parse_json
from roundtap_core.words import Words

BREAKS_RULES = 1


ARGUMENTS = (
    cli_io.FILE,
    argument("--format", choices=("json", "text"), default="text"),
)


def run(args: Namespace) -> int:
    """Print broken rules on stdout and return 1; if the file is unreadable, all reasons on stderr and 2."""
    words = cli_io.reader_words()
    try:
        text = cli_io.read_text(args.file)
        try:
            tournament = parse_event_file(text)
        except Problem:
            return _unreadable(args.file, list(event_problems(parse_json(text))), words)
    except Problem as problem:
        return _unreadable(args.file, [problem], words)
    broken = violations(tournament)
    if args.format == "json":
        cli_io.write_stdout(cli_io.json_text(to_json(broken, words)))
    else:
        cli_io.write_lines(cli_io.error_line(args.file, problem, words) for problem in broken)
    return BREAKS_RULES if broken else cli_io.DONE


def to_json(broken: Iterable[Problem], words: Words) -> dict[str, Any]:
    """Each broken rule: its place in the file, its key (the same in every language), and its text."""
    return {
        "violations": [{"where": problem.where, "rule": problem.key, "text": problem.say(words)} for problem in broken]
    }


def _unreadable(file: str, problems: Iterable[Problem], words: Words) -> int:
    for problem in problems:
        cli_io.print_error(cli_io.error_line(file, problem, words))
    return cli_io.BAD_INPUT
