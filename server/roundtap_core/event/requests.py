"""What people ask for until it is answered: a judge at a match, and to drop from the event.

A source is what it was asked with: "unit:table-1" or "phone:p3". Entries hold ids only.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event import event_flow
from roundtap_core.event.entries import Entry, NewEntries, NewEntry
from roundtap_core.event.states import DRAFT, UNIT_SOURCE, EventState, Request
from roundtap_core.typed import Exact, Id, IdOrEmpty, LineOrEmpty, Text

ECHO_GRACE_MS = 2000
"""A unit's call made this shortly before the result stays open: its table may not know yet, and would repeat it."""


class CallJudge(Struct, frozen=True):
    """A judge is wanted at a match; a repeated call of the same source is the same call."""

    match: IdOrEmpty
    source: Id


class CancelCall(Struct, frozen=True):
    """This source wants no judge any more; others may."""

    match: IdOrEmpty
    source: Id


class TakeCall(Struct, frozen=True):
    """An official goes there. `by`: the id of one of the staff ("judge:1f2e3d"), or a role's name; "": no one does."""

    match: IdOrEmpty
    by: LineOrEmpty


class CloseCall(Struct, frozen=True):
    """An official has been there. `since_ms`: only the call that began then, not a newer one; None: any."""

    match: IdOrEmpty
    since_ms: Exact | None = None


class AskToDrop(Struct, frozen=True):
    """A player wants to leave the event; one who was refused asks anew."""

    competitor: Text
    source: Id


class CancelDrop(Struct, frozen=True):
    """The player stays, as this source says."""

    competitor: Text
    source: Id


class RefuseDrop(Struct, frozen=True):
    """An official refuses the wish, which is told until the next round is published."""

    competitor: Text


def _call(state: EventState, command: CallJudge, now: Instant) -> NewEntries:
    match = event_flow.find_match(state, command.match)[1]
    call = state.calls.get(match.id)
    if call is not None and command.source in call.sources:
        return []
    return [NewEntry("judge-called", {"match": match.id, "source": command.source})]


def _cancel_call(state: EventState, command: CancelCall, now: Instant) -> NewEntries:
    call = state.calls.get(command.match)
    if call is None or command.source not in call.sources:
        return []
    return [NewEntry("call-cancelled", {"match": command.match, "source": command.source})]


def _take_call(state: EventState, command: TakeCall, now: Instant) -> NewEntries:
    call = state.calls.get(command.match)
    if call is None or call.taken_by == command.by:
        return []
    return [NewEntry("call-taken", {"match": command.match, "by": command.by})]


def _close_call(state: EventState, command: CloseCall, now: Instant) -> NewEntries:
    call = state.calls.get(command.match)
    if call is None or command.since_ms not in (None, call.since.mono_ms):
        return []
    return [NewEntry("call-closed", {"match": command.match})]


def _ask_to_drop(state: EventState, command: AskToDrop, now: Instant) -> NewEntries:
    entrant = event_flow.require_entrant(state, command.competitor)
    if not entrant.active:
        raise Problem("already_left", competitor=entrant.id)
    wish = state.wishes.get(entrant.id)
    if wish is not None and not wish.refused and command.source in wish.sources:
        return []
    return [NewEntry("drop-asked", {"competitor": entrant.id, "source": command.source})]


def _cancel_drop(state: EventState, command: CancelDrop, now: Instant) -> NewEntries:
    wish = state.wishes.get(command.competitor)
    if wish is None or wish.refused or command.source not in wish.sources:
        return []
    return [NewEntry("drop-cancelled", {"competitor": command.competitor, "source": command.source})]


def _refuse_drop(state: EventState, command: RefuseDrop, now: Instant) -> NewEntries:
    wish = state.wishes.get(command.competitor)
    if wish is None or wish.refused:
        return []
    return [NewEntry("drop-refused", {"competitor": command.competitor})]


DECIDE_REQUESTS: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = {
    CallJudge: _call,
    CancelCall: _cancel_call,
    TakeCall: _take_call,
    CloseCall: _close_call,
    AskToDrop: _ask_to_drop,
    CancelDrop: _cancel_drop,
    RefuseDrop: _refuse_drop,
}


def _asked(request: Request | None, data: Mapping[str, Any], at: Instant) -> Request:
    if request is None or request.refused:
        return Request(at, {data["source"]: at})
    return replace(request, sources={**request.sources, data["source"]: at})


def _cancelled(request: Request | None, data: Mapping[str, Any], at: Instant) -> Request | None:
    return _with_sources(request, lambda source: source != data["source"])


def _with_sources(request: Request | None, stays: Callable[[str], bool]) -> Request | None:
    """The request with those of its sources that stay; None where none does."""
    sources = {source: at for source, at in request.sources.items() if stays(source)} if request else {}
    return replace(request, sources=sources) if request and sources else None


def _step(
    name: str, key: str, change: Callable[[Request | None, Mapping[str, Any], Instant], Request | None]
) -> event_flow.Step:
    """What an entry changes in the mapping `name` of the state, at what its data name under `key`."""

    def step(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
        requests: Mapping[str, Request] = getattr(state, name)
        others = {what: request for what, request in requests.items() if what != data[key]}
        after = change(requests.get(data[key]), data, entry.at.instant)
        return replace(state, **{name: others if after is None else {**others, data[key]: after}})

    return step


APPLY_REQUESTS: Mapping[str, event_flow.Step] = {
    "judge-called": _step("calls", "match", _asked),
    "call-cancelled": _step("calls", "match", _cancelled),
    "call-taken": _step("calls", "match", lambda request, data, _: request and replace(request, taken_by=data["by"])),
    "call-closed": _step("calls", "match", lambda *_: None),
    "drop-asked": _step("wishes", "competitor", _asked),
    "drop-cancelled": _step("wishes", "competitor", _cancelled),
    "drop-refused": _step("wishes", "competitor", lambda request, *_: request and replace(request, refused=True)),
}


def without_settled(before: EventState, after: EventState, entry: Entry) -> EventState:
    """`after` without what its last entry has settled: calls by the match's result, or as other people sit there now;
    wishes once the player is gone; everything with the event. A refusal is told until the next round."""
    calls = {
        match: left
        for match, call in after.calls.items()
        if not after.finished and (left := _unsettled_call(before, after, match, call, entry)) is not None
    }
    wishes = {
        who: wish
        for who, wish in after.wishes.items()
        if not after.finished
        and who in after.entrants
        and after.entrants[who].active
        and not (wish.refused and entry.kind == "round-published")
    }
    if calls == after.calls and wishes == after.wishes:
        return after
    return replace(after, calls=calls, wishes=wishes)


def _unsettled_call(
    before: EventState, after: EventState, match_id: str, call: Request, entry: Entry
) -> Request | None:
    newer, older = after.find_match(match_id), before.find_match(match_id)
    if newer is None or older is None or newer[0].status == DRAFT:
        return None
    now, was = newer[1], older[1]
    if (now.match.a, now.match.b) != (was.match.a, was.match.b):
        return None
    if not now.done or (was.done and now.revision == was.revision):
        return call
    # What was called after the result is about something else.
    return _with_sources(
        call,
        lambda source: (
            call.sources[source].boot_id == entry.at.boot_id
            and call.sources[source].mono_ms
            > entry.at.mono_ms - (ECHO_GRACE_MS if source.startswith(UNIT_SOURCE) else 0)
        ),
    )
