"""decide(event, command) → entries: the only place that refuses. Pure: time and seeds come with the command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from roundtap_core.clock import PAUSED, RUNNING, Clock, Instant
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.course import elimination_rounds, refuse_after_cut
from roundtap_core.event.decide_cut import accept_place, cut, decline_place, withdraw_cut
from roundtap_core.event.decide_imposed import impose_round
from roundtap_core.event.decide_results import enter_result, no_show, report
from roundtap_core.event.decide_rounds import close_live, discard_draft, draw_round, finish, import_round, publish
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.state import Entrant, EventState
from roundtap_core.records import CONCESSION, ELIMINATION, Result
from roundtap_core.results import result_to_json
from roundtap_core.rulebooks import rulebook

NewEntries = list[NewEntry]


def decide(state: EventState, command: c.Command, now: Instant) -> NewEntries:
    """The entries that `command` makes of `state`. Raises Problem where it cannot be done; then nothing changes."""
    if state.finished and not isinstance(command, c.Report | c.ChangePerson):
        raise Problem("event_finished", name=state.name)
    return _DECIDE[type(command)](state, command, now)


def _create(state: EventState, command: c.CreateEvent, now: Instant) -> NewEntries:
    if state.number:
        raise Problem("event_exists", name=state.name)
    name = " ".join(command.name.split())
    if not name:
        raise Problem("event_name_missing")
    book = rulebook(command.rulebook)
    if command.level is not None and command.level not in book.levels:
        raise Problem("not_one_of", where="/level", value=command.level, options=", ".join(book.levels))
    return [NewEntry("event-created", {
        "name": name, "rulebook": command.rulebook, "level": command.level, "color": command.color,
        "options": dict(command.options), "seed": command.seed,
    })]


def _set_options(state: EventState, command: c.SetOptions, now: Instant) -> NewEntries:
    if state.rounds:
        raise Problem("options_are_fixed")
    return [NewEntry("options-set", {"options": dict(command.options)})]


def _enter(state: EventState, command: c.EnterCompetitor, now: Instant) -> NewEntries:
    entrant = command.entrant
    if entrant.id in state.entrants:
        raise Problem("competitor_exists", competitor=entrant.id)
    missed: list[int] = []
    if not command.imported:
        refuse_after_cut(state)
        if len(state.public_rounds) > 1:
            raise Problem("too_late_to_enter")
        if entrant.won_bye and state.public_rounds:
            raise Problem("won_bye_too_late")
        missed = [r.number for r in state.public_rounds]
    entered = NewEntry("competitor-entered", {
        "competitor": entrant.id, "digest": entrant.digest, "won_bye": entrant.won_bye,
        "came_with": entrant.came_with, "fixed_table": entrant.fixed_table, "missed": missed,
        "dropped_after": entrant.dropped_after, "disqualified_after": entrant.disqualified_after,
        "warnings": [dict(w) for w in entrant.warnings],
    })
    return [*_without_draft(state), entered]


def _change(state: EventState, command: c.ChangePerson, now: Instant) -> NewEntries:
    _entrant(state, command.competitor)
    return [NewEntry("competitor-changed", {"competitor": command.competitor, "digest": command.digest})]


def _drop(state: EventState, command: c.DropCompetitor, now: Instant) -> NewEntries:
    entrant = _entrant(state, command.competitor)
    if not entrant.active:
        raise Problem("already_left", competitor=entrant.id)
    after = state.public_rounds[-1].number if state.public_rounds else 0
    return [*_without_draft(state), *_leave_open_match(state, entrant.id),
            NewEntry("competitor-dropped", {"competitor": entrant.id, "after": after})]


def _disqualify(state: EventState, command: c.Disqualify, now: Instant) -> NewEntries:
    entrant = _entrant(state, command.competitor)
    if entrant.disqualified_after is not None:
        raise Problem("already_left", competitor=entrant.id)
    if not command.reason.strip():
        raise Problem("reason_missing")
    after = state.public_rounds[-1].number if state.public_rounds else 0
    return [*_without_draft(state), *_leave_open_match(state, entrant.id), NewEntry(
        "competitor-disqualified",
        {"competitor": entrant.id, "after": after, "reason": command.reason.strip()},
    )]


def _leave_open_match(state: EventState, competitor: str) -> NewEntries:
    """Leaving during a game is a concession (house decision): the opponent wins the open match."""
    if state.live is None:
        return []
    for match in state.live.matches:
        if competitor in (match.match.a, match.match.b) and match.match.bye is None and match.match.result is None:
            side = "a" if match.match.a == competitor else "b"
            result = Result(ended=CONCESSION, conceded_by=side)
            return [NewEntry("result-entered", {"match": match.id, "result": result_to_json(result)})]
    return []


def _return(state: EventState, command: c.ReturnCompetitor, now: Instant) -> NewEntries:
    """"Paarungen": back on request, in the same stage, with an unpaired loss for each round missed."""
    entrant = _entrant(state, command.competitor)
    if entrant.disqualified_after is not None:
        raise Problem("disqualified_stays_out", competitor=entrant.id)
    if entrant.dropped_after is None:
        raise Problem("never_left", competitor=entrant.id)
    played = {r.number for r in state.public_rounds for m in r.matches if entrant.id in (m.match.a, m.match.b)}
    if (state.cut is not None or elimination_rounds(state)) and not _left_just_now(state, entrant):
        raise Problem("stage_is_over")
    missed = [
        r.number for r in state.public_rounds if r.number not in played and r.stage != ELIMINATION
    ]
    return [*_without_draft(state), NewEntry("competitor-returned", {"competitor": entrant.id, "missed": missed})]


def _left_just_now(state: EventState, entrant: Entrant) -> bool:
    """In elimination there is no round to miss: back comes who left since the last one was published."""
    begun = elimination_rounds(state)
    return bool(begun) and entrant.dropped_after == begun[-1].number and any(
        entrant.id in (m.match.a, m.match.b) for m in begun[-1].matches)


def _set_clock(state: EventState, command: c.SetClock, now: Instant) -> NewEntries:
    clock = state.clock
    if state.live is None or clock.total_ms is None:
        raise Problem("no_round_to_time")
    changed = _CLOCK_ACTIONS[command.action](clock, command.delta_ms, now)
    return [NewEntry("clock-set", {
        "state": changed.state, "remaining_ms": changed.remaining_ms, "total_ms": changed.total_ms,
    })]


def _start_clock(clock: Clock, delta_ms: int, now: Instant) -> Clock:
    if clock.state == RUNNING:
        raise Problem("clock_runs")
    return clock.started(now)


def _pause_clock(clock: Clock, delta_ms: int, now: Instant) -> Clock:
    if clock.state != RUNNING:
        raise Problem("clock_stands")
    return clock.paused(now)


def _adjust_clock(clock: Clock, delta_ms: int, now: Instant) -> Clock:
    remaining_ms = clock.remaining_at(now)
    assert remaining_ms is not None
    return clock.set_to(remaining_ms + delta_ms, now)


_CLOCK_ACTIONS: Mapping[str, Callable[[Clock, int, Instant], Clock]] = {
    "start": _start_clock,
    "pause": _pause_clock,
    "adjust": _adjust_clock,
    # "restore" is how the hub itself holds a clock that another boot was running (clock.after_restart).
    "restore": lambda clock, remaining_ms, now: Clock(PAUSED, remaining_ms, clock.total_ms, now),
    "set": lambda clock, remaining_ms, now: clock.set_to(remaining_ms, now),
}


def _entrant(state: EventState, competitor: str) -> Entrant:
    entrant = state.entrants.get(competitor)
    if entrant is None:
        raise Problem("unknown_competitor", competitor=competitor)
    return entrant


def _without_draft(state: EventState) -> NewEntries:
    """Who plays has changed: a drawn round that nobody has seen is no longer right."""
    return [NewEntry("draft-discarded", {"number": state.draft.number})] if state.draft else []


_DECIDE: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = {
    c.CreateEvent: _create,
    c.SetOptions: _set_options,
    c.EnterCompetitor: _enter,
    c.ChangePerson: _change,
    c.DropCompetitor: _drop,
    c.ReturnCompetitor: _return,
    c.Disqualify: _disqualify,
    c.ImportRound: import_round,
    c.DrawRound: draw_round,
    c.ImposeRound: impose_round,
    c.DiscardDraft: discard_draft,
    c.PublishRound: publish,
    c.SetClock: _set_clock,
    c.Report: report,
    c.EnterResult: enter_result,
    c.NoShow: no_show,
    c.FinishEvent: finish,
    c.MakeCut: cut,
    c.WithdrawCut: withdraw_cut,
    c.AcceptPlace: accept_place,
    c.DeclinePlace: decline_place,
}

__all__ = ["close_live", "decide"]
