"""A recorded event as a script: which rounds to impose, what to type at which table, what should come out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.eventfile import parse
from roundtap_core.forms import Form
from roundtap_core.records import PLAYED, SWISS, TIME, Match, Result, Round, Side, Tournament
from roundtap_core.rulebooks import rulebook
from roundtap_core.standings import Row, standings
from roundtap_units.fingers import Press, presses


@dataclass(frozen=True, slots=True)
class Typing:
    """One match as fingers do it: `keys` in order, before time or after it was called."""

    table: int
    a: str
    b: str
    result: Result
    after_time: bool
    keys: tuple[Press, ...]


@dataclass(frozen=True, slots=True)
class ScriptRound:
    """One round: its matches as imposed, what is typed, and who leaves after it."""

    number: int
    matches: tuple[Mapping[str, Any], ...]
    typing: tuple[Typing, ...]
    leaving: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """A whole rehearsal. `expected` are the recorded event's standings, by this core or as somebody published them."""

    tournament: Tournament
    rounds: tuple[ScriptRound, ...]
    tables: int


def read_script(path: Path) -> Script:
    """The script of an event file's Swiss rounds. Raises Problem where the file is broken, and where a table cannot
    type a result: it names round, table and players."""
    tournament = parse(path.read_text(encoding="utf-8"))
    book = rulebook(tournament.rulebook)
    form = book.form(book.options(tournament.options))
    names = {c.id: c.name for c in tournament.competitors}
    rounds = tuple(_round(tournament, played, form, names) for played in tournament.rounds if played.stage == SWISS)
    if not rounds:
        raise Problem("nothing_to_rehearse", where="/rounds")
    return Script(tournament, rounds, max((t.table for r in rounds for t in r.typing), default=1))


def _round(tournament: Tournament, played: Round, form: Form, names: Mapping[str, str]) -> ScriptRound:
    taken = {match.table for match in played.matches if match.table is not None}
    free = iter(number for number in range(1, 2000) if number not in taken)
    matches: list[Mapping[str, Any]] = []
    typing: list[Typing] = []
    for match in played.matches:
        if match.b is None:
            matches.append({"a": match.a, "bye": match.bye})
            continue
        table = match.table if match.table is not None else next(free)
        matches.append({"a": match.a, "b": match.b, "table": table})
        if match.result is not None:
            typing.append(_typing(tournament, played.number, replace(match, table=table), form, names))
    leaving = tuple(c.id for c in tournament.competitors if c.dropped_after == played.number)
    return ScriptRound(played.number, tuple(matches), tuple(typing), leaving)


def _typing(tournament: Tournament, number: int, match: Match, form: Form, names: Mapping[str, str]) -> Typing:
    """A recorded "played" that the form only takes after time (its winner has not all the points) is typed then."""
    assert match.result is not None
    assert match.table is not None
    assert match.b is not None
    book = rulebook(tournament.rulebook)
    winner = book.winner(match.result, book.options(tournament.options))
    side: Side = "b" if winner == "b" else "a"
    for after_time, ended in ((False, match.result.ended), (True, match.result.ended), (True, TIME)):
        if ended == TIME and match.result.ended not in (TIME, PLAYED):
            continue
        result = replace(match.result, ended=ended)
        try:
            keys = presses(form, result, side, after_time)
        except ValueError:
            continue
        return Typing(match.table, match.a, match.b, result, after_time, tuple(keys))
    raise Problem("cannot_be_typed", where=f"/rounds/{number - 1}", number=number, table=match.table,
                  a=names[match.a], b=names[match.b], score=f"{match.result.score.a}:{match.result.score.b}")


def computed(tournament: Tournament) -> tuple[Row, ...]:
    """What this core says of the record itself."""
    return standings(tournament)


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
