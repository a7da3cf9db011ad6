"""The elimination tree of an event file, with seeds; after the last Swiss round already, as the cut stands."""

from argparse import Namespace
from collections.abc import Mapping, Sequence

from roundtap.headless import cli_io
from roundtap_core.command_arguments import argument
from roundtap_core.elimination.bracket import (
    Bracket,
    BracketGame,
    BracketSeat,
    CutRow,
    bracket_of,
    cut_table,
    qualifiers,
)
from roundtap_core.elimination.ranking import FinalPlace, bracket_to_json, final_ranking, game_name
from roundtap_core.errors import Problem
from roundtap_core.records import DROPPED, ELIMINATION, SWISS, SidePair, Tournament
from roundtap_core.rounds.next_round import next_stage
from roundtap_core.words import Words

ARGUMENTS = (
    cli_io.FILE,
    argument("--format", choices=("json", "text", "svg"), default="json"),
)


def run(args: Namespace) -> int:
    def show(tournament: Tournament, words: Words) -> str:
        bracket = bracket_to_show(tournament)
        ranking = final_ranking(tournament, bracket)
        if args.format == "json":
            return cli_io.json_text(bracket_to_json(bracket, ranking, cut_table(tournament)))
        names = cli_io.public_names_of(tournament)
        from roundtap_core.elimination.bracket_picture import bracket_svg, marked_names

        if args.format == "svg":
            return bracket_svg(bracket, names, words)
        marked = marked_names(bracket, names, words)
        return cut_as_text(cut_table(tournament), marked, words) + as_text(bracket, ranking, marked, words)

    return cli_io.print_for_event(args.file, show)


def bracket_to_show(tournament: Tournament) -> Bracket:
    """The recorded bracket, else the one that would follow now. Raises Problem("no_bracket") before that."""
    seeds: tuple[str, ...] = ()
    if not tournament.stage_rounds(ELIMINATION) and tournament.stage_rounds(SWISS):
        open_matches = any(m.result is None and m.bye is None for r in tournament.rounds for m in r.matches)
        if next_stage(tournament) == ELIMINATION and not open_matches:
            seeds = qualifiers(tournament)
    bracket = bracket_of(tournament, seeds)
    if bracket is None:
        raise Problem("no_bracket")
    return bracket


def cut_as_text(rows: Sequence[CutRow], names: Mapping[str, str], words: Words) -> str:
    """The cut in its own order, for above the bracket, where that differs from the standings."""
    if not rows:
        return ""
    head = tuple(words(f"column.{key}") for key in ("rank", "name", "points", "opponents_points", "decided_by"))
    lines = [
        (
            str(row.seed),
            names[row.competitor],
            str(row.points),
            str(row.opponents_points),
            words.first(f"decided.{row.decided_by}", f"tiebreaker.{row.decided_by}"),
        )
        for row in rows
    ]
    return words("bracket.cut_table") + "\n" + cli_io.format_table([head, *lines], "><>><") + "\n"


def as_text(bracket: Bracket, ranking: tuple[FinalPlace, ...], names: Mapping[str, str], words: Words) -> str:
    """One line per game: number, round, both sides and score; below, the champion and the ranking."""
    from roundtap_core.elimination.bracket_picture import round_label

    rows = [
        (
            str(game.number),
            round_label(words, game_name(bracket, game)),
            _side(game, game.a, names, words),
            _side(game, game.b, names, words),
            _outcome(game, names, words),
        )
        for game in bracket.games
    ]
    text = cli_io.format_table(rows, "><<<<")
    if bracket.champion is not None:
        text += "\n" + words("bracket.decided", name=names[bracket.champion]) + "\n"
    if bracket.over:
        text += (
            "\n"
            + words("bracket.ranking")
            + "\n"
            + cli_io.format_table(
                [
                    (
                        cli_io.rank_text(p.rank),
                        f"{names[p.competitor]} ({words('status.dropped')})"
                        if p.status == DROPPED
                        else names[p.competitor],
                        round_label(words, p.reached or "swiss"),
                    )
                    for p in ranking
                ],
                "><<",
            )
        )
    return text


def _side(game: BracketGame, seat: BracketSeat, names: Mapping[str, str], words: Words) -> str:
    if seat.competitor is not None:
        seed = f"{seat.seed} " if seat.seed is not None else ""
        return seed + names[seat.competitor]
    if seat.empty:
        return words("bracket.empty") if game.match is not None or game.round > 1 else "–"
    if seat.loser_of is not None:
        return words("bracket.loser_of", game=seat.loser_of)
    return words("bracket.winner_of", game=seat.winner_of)


def _outcome(game: BracketGame, names: Mapping[str, str], words: Words) -> str:
    match = game.match
    if match is not None and match.bye is not None:
        return words(f"bye.{match.bye}")
    if match is None or match.result is None:
        return ""
    score = match.result.score
    if score == SidePair() and game.winner:
        # A ruling, or a match of several games: there are no figures.
        return names[game.winner]
    a, b = (score.a, score.b) if match.a == game.a.competitor else (score.b, score.a)
    return f"{a}:{b} {names[game.winner]}" if game.winner else f"{a}:{b}"
