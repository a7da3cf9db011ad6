"""event = apply(event, entry): how each kind of entry changes the state. Nothing here refuses, draws, or reads time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from roundtap_core.clock import Clock
from roundtap_core.errors import Problem
from roundtap_core.event.cut.apply import APPLY_CUT
from roundtap_core.event.entries import Entry
from roundtap_core.event.judging.apply import APPLY_JUDGING
from roundtap_core.event.people.apply import APPLY_PEOPLE, with_missed
from roundtap_core.event.state import (
    CLOSED,
    DRAFT,
    PUBLISHED,
    EventState,
    Fate,
    MatchState,
    Reported,
    RoundState,
    state_digest,
)
from roundtap_core.records import NO_SHOW, Draw, Match, Side, drawn_for
from roundtap_core.result_json import result_from_json
from roundtap_core.wire import digest

MARK_DIGITS = 12

Upcaster = Callable[[Mapping[str, Any]], Mapping[str, Any]]

UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}
"""(kind, version) → its data as the next version's. None yet: every kind is at version 1."""


def apply(state: EventState, entry: Entry) -> EventState:
    """The state after `entry`. Raises Problem("unknown_entry") for a kind this core does not know: an older core
    must not run an event whose facts it cannot read."""
    step = APPLY.get(entry.kind)
    if step is None:
        raise Problem("unknown_entry", where=f"{entry.stream}#{entry.number}", kind=entry.kind)
    data, version = entry.data, entry.version
    while (entry.kind, version) in UPCASTERS:
        data, version = UPCASTERS[entry.kind, version](data), version + 1
    changed = step(state, data, entry)
    return replace(changed, number=entry.number, head=entry.hash)


def fold(event_id: str, entries: Iterable[Entry]) -> EventState:
    """The state that these entries, in order, amount to."""
    state = EventState(event_id)
    for entry in entries:
        state = apply(state, entry)
    return state


def _created(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, name=data["name"], rulebook_id=data["rulebook"], level=data["level"], color=data["color"],
                   given_options=data["options"], seed=data["seed"])


def _options(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, given_options=data["options"])


def _drawn(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    draw = data["draw"]
    drawn = RoundState(
        data["number"], data["stage"], DRAFT, _matches(data),
        Draw(draw["seed"], draw["attempt"], draw["method"]), data["notes"], data.get("tiebreak_form"),
        mark=_mark(data),
    )
    kept = tuple(r for r in state.rounds if r.status != DRAFT)
    return replace(state, rounds=(*kept, drawn))


def _mark(data: Mapping[str, Any]) -> str:
    """A short digest of who meets whom by which draw: match ids come again when a round is drawn anew."""
    draw = data.get("draw") or {}
    pairs = [[raw["a"], raw.get("b")] for raw in data["matches"]]
    return digest([data["number"], draw.get("seed"), draw.get("attempt"), pairs])[:MARK_DIGITS]


def _matches(data: Mapping[str, Any]) -> tuple[MatchState, ...]:
    matches = []
    for index, raw in enumerate(data["matches"], start=1):
        result = result_from_json(raw["result"]) if raw.get("result") is not None else None
        match = Match(raw["a"], raw.get("b"), raw.get("table"), raw.get("bye"), result, raw.get("game"),
                      raw.get("extension_minutes"), tuple(raw["picks"]) if raw.get("picks") else None)
        matches.append(MatchState(f"{data['number']}.{index}", match))
    return tuple(matches)


def _discarded(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, rounds=tuple(r for r in state.rounds if r.status != DRAFT))


def _published(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    diverged = state.diverged
    if data["digest"] != state_digest(state):
        diverged = (*diverged, data["number"])
    rounds = tuple(replace(r, status=PUBLISHED) if r.number == data["number"] else r for r in state.rounds)
    total_ms = data["total_ms"]
    clock = Clock(remaining_ms=total_ms, total_ms=total_ms, anchor=entry.at.instant)
    at_start = data["players"] if data["number"] == 1 else state.players_at_start
    return replace(state, rounds=rounds, clock=clock, diverged=diverged, players_at_start=at_start)


def _closed(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    rounds = tuple(replace(r, status=CLOSED) if r.number == data["number"] else r for r in state.rounds)
    return replace(state, rounds=rounds, clock=Clock())


def _imported(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    raw = data.get("draw")
    draw = Draw(raw["seed"], raw["attempt"], raw["method"]) if raw else None
    matches = _matches(data)
    status = CLOSED if all(m.done for m in matches) else PUBLISHED
    imported = RoundState(data["number"], data["stage"], status, matches, draw,
                          tiebreak_form=data.get("tiebreak_form"), mark=_mark(data))
    at_start = drawn_for(m.match for m in matches) if data["number"] == 1 else state.players_at_start
    clock = state.clock
    if status == PUBLISHED:
        clock = Clock(remaining_ms=data["total_ms"], total_ms=data["total_ms"], anchor=entry.at.instant)
    return replace(state, rounds=(*state.rounds, imported), players_at_start=at_start, clock=clock)


def _finished(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, finished=True)


def _clock_set(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, clock=Clock(data["state"], data["remaining_ms"], data["total_ms"], entry.at.instant))


def _report(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    fate = Fate(data["fate"], entry.number, entry.hash, data["body"], data["reason"], data["match"])
    state = replace(state, fates={**state.fates, data["report_id"]: fate})
    if fate.fate != "accepted":
        return replace(state, late=(*state.late, fate)) if fate.reason == "late" else state
    found = state.find_match(data["match"])
    if found is None:
        return state
    match = found[1]
    side: Side = data["side"]
    result = result_from_json(data["result"])
    reports = {**match.reports, side: Reported(result, entry.number)}
    changed = replace(match, reports=reports, reported_mono_ms=entry.at.mono_ms)
    said = [report.result for report in reports.values()]
    if len(said) == 2 and said[0] == said[1] and not match.decided:
        changed = replace(changed, match=replace(match.match, result=result), number=entry.number)
    return state.with_match(changed)


def _result_entered(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    found = state.find_match(data["match"])
    if found is None:
        return state
    match = found[1]
    result = result_from_json(data["result"]) if data["result"] is not None else None
    changed = replace(match, match=replace(match.match, result=result), reports={}, revision=match.revision + 1,
                      decided=result is not None, number=entry.number, reported_mono_ms=None)
    return state.with_match(changed)


def _no_show(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    """The one who came gets what a bye gives; the absent one stands in an entry of their own, and is dropped."""
    found = state.find_match(data["match"])
    if found is None:
        return state
    round_state, match = found
    present, absent = data["present"], data["absent"]
    changed = replace(match, match=Match(present, table=None, bye=NO_SHOW, game=match.match.game), reports={},
                      revision=match.revision + 1, number=entry.number)
    state = with_missed(state.with_match(changed), absent, [round_state.number])
    entrant = replace(state.entrants[absent], dropped_after=round_state.number)
    return replace(state, entrants={**state.entrants, absent: entrant})


Step = Callable[[EventState, Mapping[str, Any], Entry], EventState]

APPLY: Mapping[str, Step] = {
    "event-created": _created,
    "options-set": _options,
    "round-drawn": _drawn,
    "draft-discarded": _discarded,
    "round-published": _published,
    "round-closed": _closed,
    "round-imported": _imported,
    "event-finished": _finished,
    "clock-set": _clock_set,
    "report": _report,
    "result-entered": _result_entered,
    "no-show": _no_show,
    **APPLY_CUT,
    **APPLY_PEOPLE,
    **APPLY_JUDGING,
}
