"""The standings of an event file, after all its Swiss rounds or after one of them."""

from argparse import Namespace
from collections.abc import Mapping, Sequence

from roundtap.headless import cli_io
from roundtap_core.command_arguments import argument
from roundtap_core.errors import Problem
from roundtap_core.records import ELIMINATION, StandingsRow, Tournament
from roundtap_core.rulebooks.registry import book_of
from roundtap_core.standings.standings import standings, standings_to_json
from roundtap_core.words import Words, core_words

FIGURES = ("rank", "points", "rounds", "wins", "losses", "draws", "byes")


ARGUMENTS = (
    cli_io.FILE,
    argument("--after", type=cli_io.whole_number, metavar="N", help="as they stood after round N"),
    argument("--format", choices=("json", "csv", "text"), default="json"),
)


def run(args: Namespace) -> int:
    def rank(tournament: Tournament, words: Words) -> str:
        last = max((played.number for played in tournament.rounds if played.stage != ELIMINATION), default=0)
        after = last if args.after is None else args.after
        if not 0 <= after <= len(tournament.rounds):
            raise Problem("no_such_round", value=after, rounds=len(tournament.rounds))
        cli_io.print_option_warnings(args.file, tournament, words)
        if args.format == "csv":
            from roundtap_core.eventfile.exports import standings_csv

            return standings_csv(tournament, args.after)
        rows = standings(tournament, args.after)
        if args.format == "json":
            return cli_io.json_text(standings_to_json(rows, after))
        return as_text(rows, tournament, words, _places(tournament, args.after))

    return cli_io.print_for_event(args.file, rank)


def _places(tournament: Tournament, after: int | None) -> dict[str, int]:
    if not tournament.stage_rounds(ELIMINATION):
        return {}
    from roundtap_core.elimination.ranking import final_places

    return final_places(tournament, after)


def as_text(
    rows: Sequence[StandingsRow],
    tournament: Tournament,
    words: Words,
    places: Mapping[str, int] | None = None,
) -> str:
    """Aligned columns, with values as the hub shows them. `places`: final places, which then come first and order the
    lines; the rank remains that of the standings."""
    keys = list(rows[0].tiebreakers) if rows else []
    names, book = cli_io.public_names_of(tournament), book_of(tournament)
    head = [
        words("column.rank"),
        words("column.name"),
        # Wins may break ties too, under a label of the game's own.
        *(core_words(words.language)(f"column.{key}") for key in FIGURES[1:]),
        *(words(f"column.{key}") for key in keys),
        words("column.decided_by"),
    ]
    if places:
        head = [words("column.place"), *head]
        rows = sorted(rows, key=lambda row: (row.rank is None, places.get(row.competitor, row.rank or 0)))
    body = [
        [
            *([cli_io.rank_text(places.get(row.competitor))] if places else []),
            cli_io.rank_text(row.rank),
            names[row.competitor] + (f" ({words(f'status.{row.status}')})" if row.status else ""),
            book.points_text(row.points),
            *(str(getattr(row, key)) for key in FIGURES[2:]),
            *(
                "–" if (value := row.tiebreakers.get(key)) is None else words.number(book.value_text(key, value))
                for key in keys
            ),
            words.first(f"decided.{row.decided_by}", f"tiebreaker.{row.decided_by}"),
        ]
        for row in rows
    ]
    return cli_io.format_table([head, *body], ">" * bool(places) + "><" + ">" * (len(FIGURES) - 1 + len(keys)) + "<")
