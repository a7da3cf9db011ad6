"""`roundtap rehearse`: play a recorded event on the kit, each result typed at its table, and compare the standings."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

from roundtap.headless.cli_io import error_of_system, print_refusal
from roundtap.kit.child_processes import exit_on_signals
from roundtap.rehearsal.live import NotSaved, rehearse_live, rehearse_on_units
from roundtap.rehearsal.script import RehearsalScript, made_up_event, script_of
from roundtap_core.elimination.bracket import bracket_of
from roundtap_core.elimination.ranking import final_ranking
from roundtap_core.errors import Problem
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.records import Tournament
from roundtap_core.standings.standings import standings, standings_to_json

BAR_CELLS = 24


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One line of published standings; None where a figure was not published."""

    competitor: str
    points: int
    mov: int
    sos: str | None
    rank: int | None


def read_published(path: Path) -> tuple[PublishedRow, ...]:
    """Lines [competitor, points, MoV, SoS as printed or null, rank or null], as a JSON list."""
    try:
        lines = json.loads(path.read_text(encoding="utf-8"))
        return tuple(PublishedRow(*line) for line in lines)
    except (ValueError, TypeError) as error:
        raise Problem("published_unreadable", where=str(path)) from error


def standings_differences(rows: Sequence[Mapping[str, Any]], expected: Sequence[PublishedRow]) -> list[str]:
    """Where the hub's standings (rows of `standings_to_json`) differ from the published ones; [] when all agree. The
    order among equal points, MoV and SoS is ignored: it was decided by lot."""
    by_id = {row["competitor"]: row for row in rows}
    found = []
    for line in expected:
        row = by_id.get(line.competitor)
        if row is None:
            found.append(f"{line.competitor} is missing")
            continue
        if row["points"] != line.points:
            found.append(f"{line.competitor}: {row['points']} points, published {line.points}")
        if row["tiebreakers"].get("mov", line.mov) != line.mov:
            found.append(f"{line.competitor}: MoV {row['tiebreakers']['mov']}, published {line.mov}")
        if line.sos is not None and not _same_sos(row["tiebreakers"].get("sos"), line.sos):
            found.append(f"{line.competitor}: SoS {row['tiebreakers']['sos']}, published {line.sos}")
    return found + _order(by_id, expected)


def _same_sos(exact: str | None, printed: str) -> bool:
    if exact is None:
        return True
    numerator, _, denominator = exact.partition("/")
    return abs(int(numerator) / int(denominator) - float(printed)) <= 0.005 + 1e-9


def event_outcome(tournament: Tournament) -> dict[str, list[dict[str, Any]]]:
    """An event's standings, and the final ranking where it had an elimination."""
    bracket = bracket_of(tournament)
    ranking = final_ranking(tournament, bracket) if bracket else ()
    return {
        "standings": standings_to_json(standings(tournament), len(tournament.rounds))["standings"],
        "ranking": [{"rank": line.rank, "competitor": line.competitor, "reached": line.reached} for line in ranking],
    }


def outcome_diffs(came_out: Mapping[str, Sequence[Any]], record: Mapping[str, Sequence[Any]]) -> list[str]:
    """Where two outcomes differ, in any column; [] when they are equal."""
    return [
        f"{part}, place {place}: {json.dumps(row)}, in the record {json.dumps(right)}"
        for part in ("standings", "ranking")
        for place, (row, right) in enumerate(zip_longest(came_out[part], record[part]), start=1)
        if row != right
    ]


def _order(by_id: Mapping[str, Mapping[str, Any]], expected: Sequence[PublishedRow]) -> list[str]:
    ranked = sorted(
        (line for line in expected if line.rank is not None and line.competitor in by_id),
        key=lambda line: line.rank or 0,
    )
    found = []
    for above, below in pairwise(ranked):
        one, two = by_id[above.competitor], by_id[below.competitor]
        tied = (one["points"], one["tiebreakers"]) == (two["points"], two["tiebreakers"])
        if one["rank"] > two["rank"] and not tied:
            found.append(f"{above.competitor} stands below {below.competitor}, published above")
    return found


def run(args: argparse.Namespace) -> int:
    """0: every result was typed and the standings agree. 2: the file cannot be played. 3: they differ."""
    if (args.event is None) == (args.made_up is None):
        return print_refusal("roundtap rehearse: give either an event file or --made-up RULEBOOK")
    if not 8 <= args.players <= 64:
        return print_refusal(f"roundtap rehearse: --players {args.players}: must be 8 to 64")
    try:
        script = script_of(
            made_up_event(args.made_up, args.players, args.seed)
            if args.made_up is not None
            else parse_event_file(args.event.read_text(encoding="utf-8"))
        )
        expected = read_published(args.expect) if args.expect else None
    except Problem as problem:
        return print_refusal(f"{args.event or args.made_up}: {problem}")
    except OSError as error:
        return print_refusal(error_of_system(error, args.event or args.expect))

    def progress(number: int, done: int, of: int) -> None:
        filled = BAR_CELLS * done // max(1, of)
        _show(f"round {number} of {len(script.rounds)} [{'█' * filled}{'·' * (BAR_CELLS - filled)}] {done}/{of} ")

    exit_on_signals()
    try:
        played = (
            rehearse_on_units(script, progress, args.hub, args.pin or "", args.authority)
            if args.hub
            else rehearse_live(script, progress, args.port)
        )
    except (Problem, NotSaved, TimeoutError) as trouble:
        print(f"\nroundtap rehearse: {trouble}", file=sys.stderr)
        return 3
    _show(" " * (BAR_CELLS + 40) + "\r")
    return report(script, played, expected)


def report(script: RehearsalScript, played: Tournament, expected: Sequence[PublishedRow] | None) -> int:
    """Print whether it came out as expected, or as in the record (None). 0: it did. 3: it did not."""
    found = (
        outcome_diffs(event_outcome(played), event_outcome(script.tournament))
        if expected is None
        else standings_differences(event_outcome(played)["standings"], expected)
    )
    typed = sum(not typing.ruling for round_ in script.rounds for typing in round_.typing)
    print(
        f"{script.tournament.name}: {len(script.tournament.competitors)} players, {len(script.rounds)} rounds, "
        f"{typed} results typed from both sides"
    )
    for line in found:
        print(f"  differs: {line}")
    print("  the standings differ" if found else "  the standings are as expected")
    return 3 if found else 0


def _show(bar: str) -> None:
    if sys.stderr.isatty():
        print("\r" + bar, end="", file=sys.stderr, flush=True)
