"""How entries about rounds and the clock change the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from roundtap_core.clock import Clock
from roundtap_core.event.entries import Entry
from roundtap_core.event.match_log import LogLine
from roundtap_core.event.state import (
    CLOSED,
    DRAFT,
    PUBLISHED,
    EventState,
    MatchState,
    RoundState,
    state_digest,
)
from roundtap_core.records import Draw, Match, drawn_for
from roundtap_core.result_json import result_from_json
from roundtap_core.wire import digest

MARK_DIGITS = 12


def _drawn(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    draw = data["draw"]
    drawn = RoundState(
        data["number"], data["stage"], DRAFT, _matches(data, entry),
        Draw(draw["seed"], draw["attempt"], draw["method"]), data["notes"], data.get("tiebreak_form"),
        mark=_mark(data), mends=tuple(data.get("mends", ())), taken_back=data.get("taken_back", 0),
    )
    kept = tuple(r for r in state.rounds if r.status != DRAFT)
    return replace(state, rounds=(*kept, drawn))


def _mark(data: Mapping[str, Any]) -> str:
    """A short digest of who meets whom by which draw: match ids come again when a round is drawn anew. A round that
    was adopted keeps the mark that its tables know."""
    if "mark" in data:
        return str(data["mark"])
    draw = data.get("draw") or {}
    pairs = [[raw["a"], raw.get("b")] for raw in data["matches"]]
    return digest([data["number"], draw.get("seed"), draw.get("attempt"), pairs])[:MARK_DIGITS]


def _matches(data: Mapping[str, Any], entry: Entry) -> tuple[MatchState, ...]:
    matches = []
    for index, raw in enumerate(data["matches"], start=1):
        result = result_from_json(raw["result"]) if raw.get("result") is not None else None
        match = Match(raw["a"], raw.get("b"), raw.get("table"), raw.get("bye"), result, raw.get("game"),
                      raw.get("extension_minutes"), tuple(raw["picks"]) if raw.get("picks") else None,
                      raw.get("absent"))
        log = tuple(LogLine(line["kind"], entry.number, line["by"], line.get("text", ""), line.get("upheld"),
                            line.get("minutes")) for line in raw.get("log", ()))
        matches.append(MatchState(raw.get("id", f"{data['number']}.{index}"), match,
                                  revision=raw.get("revision", 0), decided=raw.get("decided", False), log=log,
                                  corrections=tuple(raw.get("corrections", ())), lots=raw.get("lots", {}),
                                  by_hand=raw.get("by_hand")))
    return tuple(matches)


def _discarded(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, rounds=tuple(r for r in state.rounds if r.status != DRAFT))


def _withdrawn(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    """A published round of which no game has started is taken back: those before it stand as they were closed."""
    rounds = tuple(r for r in state.rounds if r.number != data["number"])
    # Taken back by hand, round 1 has not begun: who is there is counted anew.
    at_start = None if data["number"] == 1 and "reason" in data else state.players_at_start
    return replace(state, rounds=rounds, clock=Clock(), players_at_start=at_start)


def _published(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    diverged = state.diverged
    if data["digest"] != state_digest(state):
        diverged = (*diverged, data["number"])
    rounds = tuple(replace(r, status=PUBLISHED, venue_number=data.get("venue")) if r.number == data["number"] else r
                   for r in state.rounds)
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
    matches = _matches(data, entry)
    status = CLOSED if all(m.done for m in matches) else PUBLISHED
    imported = RoundState(data["number"], data["stage"], status, matches, draw, data.get("notes", {}),
                          data.get("tiebreak_form"), _mark(data), data.get("extra_minutes"), data.get("venue"))
    at_start = state.players_at_start
    if data["number"] == 1:
        at_start = data.get("players") or drawn_for(m.match for m in matches)
    clock = state.clock
    if status == PUBLISHED:
        clock = Clock(remaining_ms=data["total_ms"], total_ms=data["total_ms"], anchor=entry.at.instant)
    return replace(state, rounds=(*state.rounds, imported), players_at_start=at_start, clock=clock)


def _finished(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, finished=True, ended_as=tuple(data["places"]) if "places" in data else None)


def _reopened(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, finished=False, ended_as=None)


def _clock_set(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, clock=Clock(data["state"], data["remaining_ms"], data["total_ms"], entry.at.instant))


def _extra_minutes(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    rounds = tuple(
        replace(r, extra_minutes=data["minutes"]) if r.number == data["number"] else r for r in state.rounds
    )
    return replace(state, rounds=rounds)


APPLY_ROUNDS: Mapping[str, Callable[[EventState, Mapping[str, Any], Entry], EventState]] = {
    "round-drawn": _drawn,
    "draft-discarded": _discarded,
    "round-published": _published,
    "round-withdrawn": _withdrawn,
    "round-closed": _closed,
    "round-imported": _imported,
    "event-finished": _finished,
    "event-reopened": _reopened,
    "clock-set": _clock_set,
    "extra-minutes": _extra_minutes,
}
