"""How entries about mended rounds change the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from roundtap_core.clock import Clock
from roundtap_core.event.entries import Entry
from roundtap_core.event.mending.mend import AGAIN, MARK_DIGITS
from roundtap_core.event.state import DRAFT, EventState, MatchState, RoundState
from roundtap_core.records import Draw, Match
from roundtap_core.wire import digest


def _mended(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, rounds=tuple(
        _round(played, data, entry) if played.number == data["number"] else played for played in state.rounds))


def _round(played: RoundState, data: Mapping[str, Any], entry: Entry) -> RoundState:
    """The round with these matches changed, each with another revision: who reports what they saw before is told."""
    line = _line(data, entry)
    by_hand = None if data["what"] == AGAIN else {key: line[key] for key in ("what", "by", "reason")}
    raws = {raw["id"]: raw for raw in data["matches"]}
    gone = frozenset(data["gone"])
    matches = [
        _match(match, raws.pop(match.id), by_hand, entry) if match.id in raws else match
        for match in played.matches if match.id not in gone
    ]
    for raw in raws.values():
        matches.append(MatchState(raw["id"], _seat(raw), revision=raw.get("revision", 0), number=entry.number,
                                  by_hand=by_hand))
    draw = played.draw
    if data.get("method"):
        draw = replace(draw, method=data["method"]) if draw else Draw(0, 1, data["method"])
    made = replace(played, matches=tuple(matches), draw=draw, notes=data.get("notes", played.notes),
                   mends=(*played.mends, line))
    return replace(made, mark=_mark(made)) if played.status == DRAFT and data.get("method") else made


def _mark(draft: RoundState) -> str:
    """Another mark for other pairs, while no table knows the old one: a hub that lacks the mend is told by its tables.
    A published round keeps its own, which all its tables speak of."""
    draw = draft.draw or Draw(0, 1, "")
    pairs = [[m.match.a, m.match.b] for m in draft.matches]
    return digest([draft.number, draw.seed, draw.attempt, pairs])[:MARK_DIGITS]


def _match(was: MatchState, raw: Mapping[str, Any], by_hand: Mapping[str, Any] | None,
           entry: Entry) -> MatchState:
    now = _seat(raw)
    same = (now.a, now.b, now.bye) == (was.match.a, was.match.b, was.match.bye)
    return replace(
        was, match=now, reports={}, revision=was.revision + 1, decided=False, number=entry.number, by_hand=by_hand,
        reported_mono_ms=None, lots=was.lots if same else {}, stood=None, strangers={},
        drawn=was.drawn if same else None, corrections=was.corrections if same else (),
    )


def _seat(raw: Mapping[str, Any]) -> Match:
    return Match(raw["a"], raw.get("b"), raw.get("table"), raw.get("bye"), game=raw.get("game"),
                 extension_minutes=raw.get("extension_minutes"),
                 picks=tuple(raw["picks"]) if raw.get("picks") else None)


def _line(data: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    return {"what": data["what"], "by": data["by"], "reason": data["reason"], "number": entry.number,
            "matches": [raw["id"] for raw in data.get("matches", ())]}


def _unpublished(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    """The published round is a draft again. Round 1 has not begun then: who is there is counted anew."""
    rounds = tuple(
        replace(played, status=DRAFT, venue_number=None, extra_minutes=None, taken_back=played.taken_back + 1,
                draw=played.draw or Draw(0, 1, ""), mends=(*played.mends, _line(data, entry)))
        if played.number == data["number"] else played for played in state.rounds)
    at_start = None if data["number"] == 1 else state.players_at_start
    return replace(state, rounds=rounds, clock=Clock(), players_at_start=at_start)


APPLY_MENDING: Mapping[str, Callable[[EventState, Mapping[str, Any], Entry], EventState]] = {
    "round-mended": _mended,
    "round-unpublished": _unpublished,
}
