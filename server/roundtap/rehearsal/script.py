"""A recorded event as a script: which rounds to impose, what to type at which table, what should come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roundtap_core.elimination.shape import THIRD, THIRD_STAGE, stages_of
from roundtap_core.errors import Problem
from roundtap_core.eventfile.read import parse
from roundtap_core.eventfile.write import match_to_json
from roundtap_core.forms.questions import FIRST_PLAYER_BY
from roundtap_core.records import PLAYED, RULING, TIME, Match, Result, Round, Side, Tournament
from roundtap_core.rulebooks.base import Situation
from roundtap_core.rulebooks.gate import PLAYER, Saying, excluded
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.totals import list_totals
from roundtap_units.table.press_script import Press, presses


@dataclass(frozen=True, slots=True)
class Typing:
    """One match as fingers do it: `keys` in order, before time or after it was called.

    `ruling`: no table can say it; an official enters it at the console.
    """

    table: int
    a: str
    b: str
    result: Result
    after_time: bool
    keys: tuple[Press, ...]
    ruling: bool = False


@dataclass(frozen=True, slots=True)
class ScriptRound:
    """One round: its matches as imposed, what is typed, and who leaves after it."""

    number: int
    stage: str
    tiebreak_form: str | None
    matches: tuple[Mapping[str, Any], ...]
    typing: tuple[Typing, ...]
    leaving: tuple[str, ...]
    disqualified: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """A whole rehearsal. `expected` are the recorded event's standings, by this core or as somebody published them."""

    tournament: Tournament
    rounds: tuple[ScriptRound, ...]
    tables: int


def read_script(path: Path) -> Script:
    """The script of an event file; Problem also where the file is broken."""
    return script_of(parse(path.read_text(encoding="utf-8")))


def script_of(tournament: Tournament) -> Script:
    """The script of a recorded event. Raises Problem where a table cannot type a result: it names round, table and
    players."""
    names = {c.id: c.name for c in tournament.competitors}
    stages = stages_of(tournament)
    rounds = tuple(_round(tournament, played, stages[played.number], names) for played in tournament.rounds)
    if not rounds:
        raise Problem("nothing_to_rehearse", where="/rounds")
    return Script(tournament, rounds, max((t.table for r in rounds for t in r.typing), default=1))


def _round(tournament: Tournament, played: Round, stage: str, names: Mapping[str, str]) -> ScriptRound:
    taken = {match.table for match in played.matches if match.table is not None}
    free = iter(number for number in range(1, 2000) if number not in taken)
    matches: list[Mapping[str, Any]] = []
    typing: list[Typing] = []
    for match in played.matches:
        seated = replace(match, table=next(free)) if match.b is not None and match.table is None else match
        matches.append(match_to_json(replace(seated, result=None, extension_minutes=None)))
        if seated.result is not None:
            typing.append(_typing(tournament, played.number, stage, seated, names))
    return ScriptRound(
        played.number, played.stage, played.tiebreak_form, tuple(matches), tuple(typing),
        tuple(c.id for c in tournament.competitors if c.dropped_after == played.number),
        tuple(c.id for c in tournament.competitors if c.disqualified_after == played.number),
    )


def _typing(
    tournament: Tournament, number: int, stage: str, match: Match, names: Mapping[str, str]
) -> Typing:
    """A recorded "played" that the form only takes after time (its winner has not all the points) is typed then."""
    assert match.result is not None
    assert match.table is not None
    assert match.b is not None
    if match.result.ended == RULING:
        return Typing(match.table, match.a, match.b, match.result, False, (), ruling=True)
    book = rulebook(tournament.rulebook)
    options = book.options(tournament.options)
    totals = list_totals(tournament)
    stage = THIRD_STAGE if match.game == THIRD else stage
    situation = Situation(stage, (totals.get(match.a), totals.get(match.b)))
    if any(problem.key == "winner_concedes" for problem in excluded(book, match.result, options, situation,
                                                                    Saying(PLAYER))):
        return Typing(match.table, match.a, match.b, match.result, False, (), ruling=True)
    form = book.form(options, situation)
    if form.lots & (match.result.timeout or {}).keys() or FIRST_PLAYER_BY in (match.result.timeout or {}):
        # The table would draw a lot of its own.
        return Typing(match.table, match.a, match.b, match.result, False, (), ruling=True)
    winner = book.winner(match.result, options)
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
