"""decide(event, command) → entries: the only place that refuses. Pure: time and seeds come with the command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from roundtap_core.clock import PAUSED, RUNNING, Clock, Instant
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.cut.decide import accept_place, cut, decline_place, withdraw_cut
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.judging.decide import DECIDE_JUDGING
from roundtap_core.event.people.decide import DECIDE_PEOPLE, without_draft
from roundtap_core.event.results.decide import enter_result, no_show, report
from roundtap_core.event.rounds.decide import close_live, discard_draft, draw_round, finish, import_round, publish
from roundtap_core.event.rounds.decide_imposed import impose_round
from roundtap_core.event.state import EventState
from roundtap_core.records import SWISS
from roundtap_core.rulebooks.registry import rulebook

NewEntries = list[NewEntry]

MOST_ROUNDS = 30


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
    """Announced, then fixed; only rounds and cut may be made to fit late entries, before round 2."""
    changed = NewEntry("options-set", {"options": dict(command.options)})
    if not state.rounds:
        return [changed]
    rounds = command.options.get("swiss_rounds")
    if not structure_is_open(state) or _fixed(command.options) != _fixed(state.given_options):
        raise Problem("options_are_fixed")
    if rounds is not None and rounds < 1:
        raise Problem("figure_out_of_range", where="/options/swiss_rounds", value=rounds, minimum=1,
                      maximum=MOST_ROUNDS)
    return [*without_draft(state), changed]


def structure_is_open(state: EventState) -> bool:
    """Whether late entries may still change rounds and cut: before round 2, where round 1 was a Swiss one."""
    return [played.stage for played in state.public_rounds] == [SWISS]


def _fixed(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key not in ("structure", "swiss_rounds", "cut")}


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


_DECIDE: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = {
    c.CreateEvent: _create,
    c.SetOptions: _set_options,
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
    **DECIDE_PEOPLE,
    **DECIDE_JUDGING,
}

__all__ = ["close_live", "decide"]
