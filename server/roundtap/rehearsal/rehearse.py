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
from roundtap.kit.virtual_hall import VirtualHall
from roundtap.rehearsal.script import MatchTyping, Progress, RehearsalScript, ScriptRound, made_up_event, script_of
from roundtap_core.elimination.bracket import bracket_of
from roundtap_core.elimination.ranking import final_ranking
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.event_flow import situation_of
from roundtap_core.event.states import EventState, MatchState, tournament_of
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.records import RULING, SIDES, Result, Tournament
from roundtap_core.result_json import result_to_json
from roundtap_core.rulebooks.result_gate import PLAYER, ResultSource, result_problems
from roundtap_core.standings.standings import standings, standings_to_json
from roundtap_core.wire import digest
from roundtap_hub.store.command_pipeline import validate_report
from roundtap_hub.units.device_api import record_report
from roundtap_units.table.press_script import Press
from roundtap_units.unit_words import unit_words

READ_MS = 12_000

BAR_CELLS = 24


class TableDisagrees(Exception):
    """A table did not save what was typed, which is a bug; with what the screen shows."""


def rehearse_fast(script: RehearsalScript, progress: Progress, trouble: bool = False) -> Tournament:
    """The event as the hub has it after all rounds. `progress(round, matches done, matches)` is called per match.
    `trouble`: of every four matches, in one the other side rejects the report and a judge decides; in one an official
    enters another result and corrects it; in one both agree to another result afterwards, and the judge keeps the
    first. The outcome must be the same."""
    with VirtualHall(script.tables) as hall:
        hall.enter(script.tournament)
        for played in script.rounds:
            play_round(hall, played, progress, trouble)
            for competitor in played.leaving:
                hall.submit(c.DropCompetitor(competitor))
            for competitor in played.disqualified:
                hall.submit(c.Disqualify(competitor, "as recorded"))
        hall.submit(c.FinishEvent("as recorded"))
        return tournament_of(hall.state)


def play_round(hall: VirtualHall, played: ScriptRound, progress: Progress, trouble: bool = False) -> None:
    hall.submit(c.ImposeRound(played.matches, played.stage, played.tiebreak_form))
    assert hall.state.draft is not None
    assert hall.state.draft.draw is not None
    hall.submit(c.PublishRound(hall.state.draft.number, hall.state.draft.draw.attempt, noted="a rehearsal"))
    hall.step()
    for typing in played.typing:
        for seat in ("a", "b"):
            hall.tables[typing.table].press(Press(seat))
    if hall.state.clock.total_ms is not None:
        hall.submit(c.SetClock("start"))
    hall.step()
    done = 0
    for after_time in (False, True):
        if after_time and hall.state.clock.total_ms is not None:
            hall.submit(c.SetClock("set", 0))
            hall.step()
        for typing in played.typing:
            if typing.after_time == after_time:
                kinds = (type_match, dispute_match, correct_match, agree_twice) if trouble else (type_match,)
                kinds[done % len(kinds)](hall, typing)
                done += 1
                progress(played.number, done, len(played.typing))


def _match_at(hall: VirtualHall, table: int) -> MatchState:
    return next(match for match in hall.state.rounds[-1].matches if match.match.table == table)


def enter_as_official(hall: VirtualHall, typing: MatchTyping, result: Result) -> None:
    """An official enters the match's result, whatever was reported."""
    match = _match_at(hall, typing.table)
    hall.submit(c.EnterResult(match.id, match.revision, result, reason="as recorded", earlier=True))
    # The table shows it for ten seconds.
    hall.step()
    hall.wait(READ_MS)


def dispute_match(hall: VirtualHall, typing: MatchTyping) -> None:
    """One side reports, the other rejects it and calls a judge, who decides. Typed as usual where both sides enter at
    once, or no table can enter it."""
    answer = [press for press in typing.keys[-1:] if press.key in SIDES and len(typing.keys) > 1]
    if typing.ruling or not answer or typing.keys[-2].key == answer[0].key:
        type_match(hall, typing)
        return
    table = hall.tables[typing.table]
    for press in (*typing.keys[:-1], Press("down"), Press("down")):
        table.press(press)
    table.step()
    hall.wait(READ_MS)
    found = _match_at(hall, typing.table)
    if found.done and found.match.result != typing.result:
        raise TableDisagrees(f"table {typing.table}: {typing.result}: saved although the other side said no")
    enter_as_official(hall, typing, typing.result)


def correct_match(hall: VirtualHall, typing: MatchTyping) -> None:
    """Agreed at the table; then an official enters a double loss by mistake, and corrects it."""
    type_match(hall, typing)
    enter_as_official(hall, typing, Result(ended=RULING, winner="none"))
    enter_as_official(hall, typing, typing.result)


def agree_twice(hall: VirtualHall, typing: MatchTyping) -> None:
    """Agreed at the table; then both report another result, which the table shows beside it, and a judge keeps the
    first. Only where the result of another match would be valid here."""
    type_match(hall, typing)
    match = _match_at(hall, typing.table)
    other = None if typing.ruling else _another_result(hall.state, match, typing)
    if other is None:
        return
    hall.wait(READ_MS)
    yes = None
    for side in SIDES:
        report = {
            "report_id": f"again-{match.id}{side}",
            "unit": f"table-{typing.table}",
            "event": hall.state.id,
            "match": match.id,
            "side": side,
            "revision": match.revision,
            "result": result_to_json(other),
            "serial": match.heard[side] + 1,
            "agrees_to": yes,
        }
        yes = {"report_id": report["report_id"], "hash": digest(report)}
        record_report(hall.hub.service, validate_report(report))
    hall.step()
    table, now = hall.tables[typing.table], hall.state.find_match(match.id)
    if now is None or now[1].match.result != typing.result or unit_words("en")("second.title") not in table.screen_text:
        raise TableDisagrees(
            f"table {typing.table}: {typing.result}: after a second agreement it says {table.screen_text!r}"
        )
    enter_as_official(hall, typing, typing.result)


def _another_result(state: EventState, match: MatchState, typing: MatchTyping) -> Result | None:
    situation, saying = situation_of(state, state.rounds[-1], match), ResultSource(PLAYER, typing.after_time)
    others = (m.match.result for r in state.rounds for m in r.matches)
    return next(
        (
            other
            for other in others
            if other is not None
            and other != typing.result
            and not any(result_problems(state.rulebook, other, state.options, situation, saying))
        ),
        None,
    )


def type_match(hall: VirtualHall, typing: MatchTyping) -> None:
    """Press every key of one match at its table, and check that the table saves the result."""
    if typing.ruling:
        enter_as_official(hall, typing, typing.result)
        return
    table = hall.tables[typing.table]
    for press in typing.keys:
        table.press(press)
    table.step()
    if "SAVED" not in table.screen_text:
        raise TableDisagrees(f"table {typing.table}: {typing.result}: the screen says {table.screen_text!r}")


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
    if args.trouble and not args.fast:
        return print_refusal("roundtap rehearse: --trouble goes with --fast")
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

    if args.fast:
        played = rehearse_fast(script, progress, args.trouble)
    else:
        from roundtap.kit.child_processes import exit_on_signals
        from roundtap.rehearsal.live import NotSaved, rehearse_live, rehearse_on_units

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
