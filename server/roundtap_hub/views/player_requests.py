"""Calls for a judge and wishes to drop as the hub shows them; those of units are taken over from their statuses."""

from collections.abc import Mapping
from dataclasses import dataclass

from roundtap_core.event.commands import AskToDrop, CallJudge, CancelCall, CancelDrop, Command
from roundtap_core.event.states import UNIT_SOURCE, EventState, MatchState, Request
from roundtap_core.messages import TableStatus
from roundtap_core.records import SIDES, Side
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.unit_presence import CALL, UnitStatus

Seat = tuple[EventState, MatchState]


def taker_name(snapshot: Snapshot, by: str) -> str:
    """The shown name of who takes a call on ("judge:1f2e3d", or a role's name); of a forgotten person the role."""
    role, _, person = by.partition(":")
    row = snapshot.staff.get(person)
    return (row.name or role) if row is not None else role


def call_of_unit(snapshot: Snapshot, unit: str) -> tuple[EventState, str, Request] | None:
    """The open call that was made at this unit: its event, its match and itself."""
    source = UNIT_SOURCE + unit
    return next(
        (
            (state, match, call)
            for state in snapshot.events.values()
            for match, call in state.calls.items()
            if source in call.sources
        ),
        None,
    )


def wishes_of_unit(state: EventState, match: MatchState, unit: str) -> dict[Side, Request]:
    """The wishes to drop that were made at this unit, by side of its match; the refused too."""
    return {
        side: wish
        for side in SIDES
        if (wish := state.wishes.get(match.match.competitor(side) or "")) and UNIT_SOURCE + unit in wish.sources
    }


def player_seat(state: EventState, who: str) -> tuple[MatchState | None, str]:
    """A player's newest match and side; (None, "") before the first."""
    return next(
        (
            (match, side)
            for played in reversed(state.public_rounds)
            for match in played.matches
            for side in SIDES
            if match.match.competitor(side) == who
        ),
        (None, ""),
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """What a status asks for, beside what was asked before. `stays`: taken over already; `new` and `gone`: by CALL or
    the side, the event and the command that follow."""

    stays: frozenset[str]
    new: Mapping[str, tuple[str, Command]]
    gone: Mapping[str, tuple[str, Command]]


def asked_in(snapshot: Snapshot, seat: Seat | None, before: UnitStatus, status: TableStatus) -> Asked:
    """`seat`: the match at the unit's table. A unit that was switched off has taken nothing back: only the process that
    asked may, unless it says that it was cancelled at the table. What it asks for first of a hub that has just begun
    may have been answered before: its next status counts."""
    source, run = UNIT_SOURCE + status.unit, status.run or status.session
    called = call_of_unit(snapshot, status.unit)
    here = seat if seat is not None and seat[1].id == status.match else None
    sides: dict[str, str] = {side: who for side in SIDES if here and (who := here[1].match.competitor(side))}
    wanted = frozenset(status.leave or ()) | (frozenset({CALL}) if status.call else frozenset())
    held = {*(wishes_of_unit(*here, status.unit) if here else ()), *((CALL,) if called else ())}
    cancelled = held.intersection(status.cancelled) - wanted
    # Sides are other people in another match.
    asked_before = (before.asked if before.match == status.match else before.asked & {CALL}) | cancelled
    if not before.run:
        asked_before, wanted = (wanted & held) | cancelled, wanted & held
    elif before.run != run:
        asked_before = (asked_before & wanted) | cancelled
    elif before.call_ms != status.call_ms:
        asked_before -= {CALL} & wanted
    new: dict[str, tuple[str, Command]] = {}
    gone: dict[str, tuple[str, Command]] = {}
    for side, who in sides.items():
        if side in wanted - asked_before and here:
            new[side] = here[0].id, AskToDrop(who, source)
        elif side in asked_before - wanted and here:
            gone[side] = here[0].id, CancelDrop(who, source)
    if CALL in wanted - asked_before and seat is not None:
        new[CALL] = seat[0].id, CallJudge(seat[1].id, source)
    elif CALL in asked_before - wanted and called is not None:
        gone[CALL] = called[0].id, CancelCall(called[1], source)
    return Asked(wanted & asked_before, new, gone)
