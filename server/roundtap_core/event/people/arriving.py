"""Deciding on who is here: check-in, sign-up by phone, coming late into round 1, entries that are taken out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event.course import refuse_after_cut, second_stage_begun
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.lookups import the_entrant, without_draft
from roundtap_core.event.people import commands as c
from roundtap_core.event.state import (
    PUBLISHED,
    SIGNED_UP,
    TO_CONFIRM,
    Entrant,
    EventState,
    MatchState,
    awaited,
    seated_ids,
)
from roundtap_core.records import BYE, UNPAIRED_LOSS, WON_BYE

NewEntries = list[NewEntry]

MOST_SIGNED_UP = 512
"""So many entries leave room for more by phone: what comes after is the desk's."""


def is_here(state: EventState, entrant: Entrant) -> bool:
    """Whether an entrant like this is paired when the next round is drawn."""
    return entrant.sign_up != TO_CONFIRM and (entrant.checked_in or not state.check_in)


def arrival(
    state: EventState, entrant: Entrant, meets: str | None, busy: frozenset[int]
) -> tuple[list[int], NewEntries]:
    """What becomes of the rounds so far when somebody comes now: those missed, or the match that takes the place of a
    bye. Raises Problem where it is too late."""
    refuse_after_cut(state)
    if len(state.public_rounds) > 1:
        raise Problem("too_late_to_enter")
    if meets is None:
        return [played.number for played in state.public_rounds], []
    return [], [_late_match(state, entrant, meets, busy)]


def meetable(state: EventState) -> tuple[MatchState, ...]:
    """Whom a latecomer could meet at once: the bye of round 1 while it is played, and other latecomers."""
    live = state.live
    if live is None or live.number != 1 or second_stage_begun(state):
        return ()
    return tuple(
        m for m in live.matches
        if m.match.b is None and m.match.bye in (BYE, UNPAIRED_LOSS) and state.entrants[m.match.a].active
    )


def _late_match(state: EventState, entrant: Entrant, match_id: str, busy: frozenset[int]) -> NewEntry:
    """Section 1 of the shared rules: during round 1 a latecomer meets the bye player or another latecomer."""
    live = state.live
    if live is None or live.number != 1 or live.status != PUBLISHED:
        raise Problem("late_match_only_in_round_1")
    waiting = next((m for m in live.matches if m.id == match_id), None)
    if waiting is not None and waiting.match.bye == WON_BYE:
        raise Problem("won_bye_stays")
    if waiting is None or waiting not in meetable(state):
        raise Problem("nobody_to_meet")
    return NewEntry("late-match", {
        "match": match_id, "competitor": entrant.id,
        "table": _late_table(state, entrant, state.entrants[waiting.match.a], busy),
    })


def _late_table(state: EventState, entrant: Entrant, other: Entrant, busy: frozenset[int]) -> int:
    """A fixed table of either of the two, else the lowest free one; tables that are fixed for others stay theirs."""
    assert state.live is not None
    taken = {m.match.table for m in state.live.matches} | busy
    for fixed in (entrant.fixed_table, other.fixed_table):
        if fixed is not None and fixed not in taken:
            return fixed
    taken |= {known.fixed_table for known in state.entrants.values()}
    return next(number for number in range(1, len(taken) + 2) if number not in taken)


def _set_check_in(state: EventState, command: c.SetCheckIn, now: Instant) -> NewEntries:
    """Who is paired is known before anybody is: later it would change who plays round 2."""
    if command.used == state.check_in:
        return []
    if state.public_rounds:
        raise Problem("check_in_before_round_1")
    return [*without_draft(state), NewEntry("check-in-set", {"used": command.used})]


def _check_in(state: EventState, command: c.CheckIn, now: Instant) -> NewEntries:
    entrant = the_entrant(state, command.competitor)
    if not state.check_in:
        raise Problem("check_in_not_used")
    if not entrant.active:
        raise Problem("already_left", competitor=entrant.id)
    if command.on == entrant.checked_in:
        return []
    plays = entrant.id in seated_ids(state)
    if not command.on and plays:
        raise Problem("already_paired", competitor=entrant.id)
    after = replace(entrant, checked_in=command.on)
    missed, meeting = _coming_now(state, after, command.meets, command.busy_tables)
    changes_draw = entrant.sign_up != TO_CONFIRM and not plays
    return [*(without_draft(state) if changes_draw else ()),
            NewEntry("checked-in", {"competitor": entrant.id, "on": command.on, "missed": missed}), *meeting]


def _coming_now(
    state: EventState, after: Entrant, meets: str | None, busy: frozenset[int]
) -> tuple[list[int], NewEntries]:
    """As `arrival`, for somebody awaited; nothing is missed by who is still not to be paired, or plays already."""
    if not is_here(state, after) or after.id not in awaited(state):
        return [], []
    return arrival(state, after, meets, busy)


def _set_sign_up(state: EventState, command: c.SetSignUp, now: Instant) -> NewEntries:
    sign_up = (TO_CONFIRM if command.confirm else SIGNED_UP) if command.open else None
    if sign_up == state.sign_up:
        return []
    if sign_up is not None and state.public_rounds:
        raise Problem("sign_up_before_round_1")
    return [NewEntry("sign-up-set", {"sign_up": sign_up})]


def refuse_signing_up(state: EventState) -> None:
    """Raise Problem where nobody enters by phone: nobody opened it, round 1 is drawn or played, or it is full."""
    if state.sign_up is None or state.finished:
        raise Problem("sign_up_closed")
    if state.rounds:
        raise Problem("sign_up_over")
    if len(state.entrants) >= MOST_SIGNED_UP:
        raise Problem("too_many_competitors", maximum=MOST_SIGNED_UP)


def _confirm(state: EventState, command: c.ConfirmEntry, now: Instant) -> NewEntries:
    entrant = the_entrant(state, command.competitor)
    if entrant.sign_up != TO_CONFIRM:
        return []
    if not entrant.active:
        raise Problem("already_left", competitor=entrant.id)
    after = replace(entrant, sign_up=SIGNED_UP)
    missed, meeting = _coming_now(state, after, command.meets, command.busy_tables)
    return [*(without_draft(state) if is_here(state, after) else ()),
            NewEntry("entry-confirmed", {"competitor": entrant.id, "missed": missed}), *meeting]


def _remove(state: EventState, command: c.RemoveCompetitor, now: Instant) -> NewEntries:
    """Only who never stood in a round that people have seen, and of whom no official noted anything."""
    entrant = the_entrant(state, command.competitor)
    if entrant.id in seated_ids(state):
        raise Problem("has_played", competitor=entrant.id)
    if entrant.warnings or entrant.disqualified_after is not None or entrant.list_corrections:
        raise Problem("has_record", competitor=entrant.id)
    return [*without_draft(state), NewEntry("competitor-removed", {"competitor": entrant.id})]


def _set_fixed_table(state: EventState, command: c.SetFixedTable, now: Instant) -> NewEntries:
    entrant = the_entrant(state, command.competitor)
    if command.fixed_table == entrant.fixed_table:
        return []
    return [*without_draft(state),
            NewEntry("fixed-table-set", {"competitor": entrant.id, "table": command.fixed_table})]


DECIDE_ARRIVING: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = {
    c.SetCheckIn: _set_check_in,
    c.CheckIn: _check_in,
    c.SetSignUp: _set_sign_up,
    c.ConfirmEntry: _confirm,
    c.RemoveCompetitor: _remove,
    c.SetFixedTable: _set_fixed_table,
}
