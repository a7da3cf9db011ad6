"""An event played in one process on a virtual clock: every result typed at mock pins, also with disputes on the way."""

from recorded_reports import record_report

from event_script import EventScript, MatchTyping, ScriptRound
from press_script import Press
from roundtap_core.event import commands as c
from roundtap_core.event.event_flow import situation_of
from roundtap_core.event.states import EventState, MatchState, tournament_of
from roundtap_core.records import RULING, SIDES, Result, Tournament, result_to_json
from roundtap_core.rulebooks.result_gate import PLAYER, ResultSource, result_problems
from roundtap_core.wire import digest
from roundtap_hub.store.command_pipeline import validate_report
from roundtap_units.unit_config import unit_words
from virtual_hall import VirtualHall

READ_MS = 12_000


class TableDisagrees(Exception):
    """A table did not save what was typed, which is a bug; with what the screen shows."""


def play_fast(script: EventScript, trouble: bool = False) -> Tournament:
    """The event as the hub has it after all rounds. `trouble`: of every four matches, in one the other side rejects the
    report and a judge decides; in one an official enters another result and corrects it; in one both agree to another
    result afterwards, and the judge keeps the first. The outcome must be the same."""
    with VirtualHall(script.tables) as hall:
        hall.enter(script.tournament)
        for played in script.rounds:
            play_round(hall, played, trouble)
            for competitor in played.leaving:
                hall.submit(c.DropCompetitor(competitor))
            for competitor in played.disqualified:
                hall.submit(c.Disqualify(competitor, "as recorded"))
        hall.submit(c.FinishEvent("as recorded"))
        return tournament_of(hall.state)


def play_round(hall: VirtualHall, played: ScriptRound, trouble: bool) -> None:
    hall.submit(c.ImposeRound(played.matches, played.stage, played.tiebreak_form))
    hall.submit(c.PublishRound(hall.state.draft.number, hall.state.draft.draw.attempt, noted="as recorded"))
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
