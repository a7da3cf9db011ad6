"""What came out of a rehearsal beside what should have: the record's own standings, or published ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

from roundtap_core.elimination.bracket import bracket_of
from roundtap_core.elimination.ranking import final_ranking
from roundtap_core.errors import Problem
from roundtap_core.records import Tournament
from roundtap_core.standings.standings import standings, standings_to_json


@dataclass(frozen=True, slots=True)
class Published:
    """One line of standings as somebody published them; None where it was not told."""

    competitor: str
    points: int
    mov: int
    sos: str | None
    rank: int | None


def read_published(path: Path) -> tuple[Published, ...]:
    """Lines [competitor, points, MoV, SoS as printed or null, rank or null], as a JSON list."""
    try:
        lines = json.loads(path.read_text(encoding="utf-8"))
        return tuple(Published(*line) for line in lines)
    except (ValueError, TypeError) as error:
        raise Problem("published_unreadable", where=str(path)) from error


def differences(rows: Sequence[Mapping[str, Any]], expected: Sequence[Published]) -> list[str]:
    """Where the hub's standings (rows of `standings_to_json`) are not as published; [] when all agree.

    A rank counts only against those with other points, MoV and SoS: behind these the published order was a lot.
    """
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


def outcome(tournament: Tournament) -> dict[str, list[dict[str, Any]]]:
    """What an event came to: its standings, and the final ranking where it went on in elimination."""
    bracket = bracket_of(tournament)
    ranking = final_ranking(tournament, bracket) if bracket else ()
    return {
        "standings": standings_to_json(standings(tournament), len(tournament.rounds))["standings"],
        "ranking": [{"rank": line.rank, "competitor": line.competitor, "reached": line.reached} for line in ranking],
    }


def changes(came_out: Mapping[str, Sequence[Any]], record: Mapping[str, Sequence[Any]]) -> list[str]:
    """Where two outcomes differ, in any column; [] when they are the same."""
    return [
        f"{part}, place {place}: {json.dumps(row)}, in the record {json.dumps(right)}"
        for part in ("standings", "ranking")
        for place, (row, right) in enumerate(zip_longest(came_out[part], record[part]), start=1) if row != right
    ]


def _order(by_id: Mapping[str, Mapping[str, Any]], expected: Sequence[Published]) -> list[str]:
    ranked = sorted((line for line in expected if line.rank is not None and line.competitor in by_id),
                    key=lambda line: line.rank or 0)
    found = []
    for above, below in pairwise(ranked):
        one, two = by_id[above.competitor], by_id[below.competitor]
        tied = (one["points"], one["tiebreakers"]) == (two["points"], two["tiebreakers"])
        if one["rank"] > two["rank"] and not tied:
            found.append(f"{above.competitor} stands below {below.competitor}, published above")
    return found
