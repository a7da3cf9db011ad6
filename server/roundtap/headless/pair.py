"""Draw the next round of an event file: nothing is changed, the round is printed."""

from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from roundtap.headless import cli_io
from roundtap_core.command_arguments import argument
from roundtap_core.errors import Problem
from roundtap_core.records import Tournament
from roundtap_core.rounds.next_round import next_round, printable_pairing
from roundtap_core.words import Words

ARGUMENTS = (
    cli_io.FILE,
    argument("--seed", type=cli_io.whole_number, metavar="N", help="draw from this seed (default: the event's)"),
    argument("--attempt", type=cli_io.number_from(1), default=1, metavar="K", help="1, 2, …: draw anew"),
    argument("--format", choices=("json", "text"), default="json"),
)


def run(args: Namespace) -> int:
    def draw(tournament: Tournament, words: Words) -> str:
        cli_io.print_option_warnings(args.file, tournament, words)
        drawn = printable_pairing(next_round(tournament, seed=args.seed, attempt=args.attempt))
        if drawn["notes"].get("beyond_plan"):
            problem = Problem("pair_beyond_plan", n=drawn["round"])
            cli_io.print_error(cli_io.error_line(args.file, problem, words))
        return cli_io.json_text(drawn) if args.format == "json" else as_text(tournament, drawn, words)

    return cli_io.print_for_event(args.file, draw)


def as_text(tournament: Tournament, drawn: Mapping[str, Any], words: Words) -> str:
    """The round as text: table and two names per line."""
    names = cli_io.public_names_of(tournament)
    rows = [
        ("–", names[match["a"]], words(f"bye.{match['bye']}"))
        if "bye" in match
        else (str(match.get("table", "–")), names[match["a"]], names[match["b"]])
        for match in drawn["matches"]
    ]
    text = words("round.title", number=drawn["round"], stage=words(f"stage.{drawn['stage']}")) + "\n"
    if rows:
        text += cli_io.format_table(rows, "><<")
    if drawn["notes"].get("repeats"):
        text += words("round.repeats", n=drawn["notes"]["repeats"]) + "\n"
    return text
