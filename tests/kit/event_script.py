"""A recorded event as a script: the rounds to impose, and what to type at each table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from press_script import Press, report_presses
from roundtap_core import records
from roundtap_core.elimination.bracket import THIRD, THIRD_STAGE, bracket_of, stages_of
from roundtap_core.elimination.ranking import final_ranking
from roundtap_core.forms.questions import FIRST_PLAYER_BY
from roundtap_core.records import match_to_json
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.rulebooks.result_gate import PLAYER, ResultSource, result_problems
from roundtap_core.standings.standings import standings, standings_to_json
from roundtap_core.standings.totals import list_totals


@dataclass(frozen=True, slots=True)
class MatchTyping:
    """One match as typed: `keys` in order, before or after time was called. `ruling`: no table can enter it, so an
    official does at the console."""

    table: int
    a: str
    b: str
    result: records.Result
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
    typing: tuple[MatchTyping, ...]
    leaving: tuple[str, ...]
    disqualified: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EventScript:
    """The whole of `tournament`, the recorded event."""

    tournament: records.Tournament
    rounds: tuple[ScriptRound, ...]
    tables: int


def script_of(tournament: records.Tournament) -> EventScript:
    """The script of a recorded event. Raises ValueError where a result cannot be typed."""
    stages = stages_of(tournament)
    rounds = tuple(_round(tournament, played, stages[played.number]) for played in tournament.rounds)
    return EventScript(tournament, rounds, max((t.table for r in rounds for t in r.typing), default=1))


def _round(tournament: records.Tournament, played: records.Round, stage: str) -> ScriptRound:
    taken = {match.table for match in played.matches if match.table is not None}
    free = iter(number for number in range(1, 2000) if number not in taken)
    matches: list[Mapping[str, Any]] = []
    typing: list[MatchTyping] = []
    for match in played.matches:
        seated = replace(match, table=next(free)) if match.b is not None and match.table is None else match
        matches.append(match_to_json(replace(seated, result=None, extension_minutes=None)))
        if seated.result is not None:
            typing.append(_typing(tournament, played.number, stage, seated))
    return ScriptRound(
        played.number,
        played.stage,
        played.tiebreak_form,
        tuple(matches),
        tuple(typing),
        tuple(c.id for c in tournament.competitors if c.dropped_after == played.number),
        tuple(c.id for c in tournament.competitors if c.disqualified_after == played.number),
    )


def _typing(tournament: records.Tournament, number: int, stage: str, match: records.Match) -> MatchTyping:
    """How a match is typed. A recorded "played" that the form takes only after time is typed then."""
    assert match.result is not None
    assert match.table is not None
    assert match.b is not None
    ruling = MatchTyping(match.table, match.a, match.b, match.result, False, (), ruling=True)
    if match.result.ended == records.RULING:
        return ruling
    book = rulebook(tournament.rulebook)
    options = book.options(tournament.options)
    totals = list_totals(tournament)
    stage = THIRD_STAGE if match.game == THIRD else stage
    situation = MatchSituation(stage, (totals.get(match.a), totals.get(match.b)))
    if any(
        problem.key == "winner_concedes"
        for problem in result_problems(book, match.result, options, situation, ResultSource(PLAYER))
    ):
        return ruling
    form = book.form(options, situation)
    if form.lots & (match.result.timeout or {}).keys() or FIRST_PLAYER_BY in (match.result.timeout or {}):
        # The table would draw a lot of its own.
        return ruling
    winner = book.winner(match.result, options)
    side: records.Side = "b" if winner == "b" else "a"
    for after_time, ended in ((False, match.result.ended), (True, match.result.ended), (True, records.TIME)):
        if ended == records.TIME and match.result.ended not in (records.TIME, records.PLAYED):
            continue
        result = replace(match.result, ended=ended)
        try:
            keys = report_presses(form, result, side, after_time)
        except ValueError:
            continue
        return MatchTyping(match.table, match.a, match.b, result, after_time, tuple(keys))
    raise ValueError(f"round {number}, table {match.table}: no table can enter {match.result}")


def event_outcome(tournament: records.Tournament) -> dict[str, list[dict[str, Any]]]:
    """An event's standings, and the final ranking where it had an elimination."""
    bracket = bracket_of(tournament)
    ranking = final_ranking(tournament, bracket) if bracket else ()
    return {
        "standings": standings_to_json(standings(tournament), len(tournament.rounds))["standings"],
        "ranking": [{"rank": line.rank, "competitor": line.competitor, "reached": line.reached} for line in ranking],
    }
