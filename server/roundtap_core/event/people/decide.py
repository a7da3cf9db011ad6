"""Deciding on who plays: entering, also into round 1 while it is played, leaving, coming back, lists and marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event.course import elimination_rounds, second_swiss_rounds
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.judging.officials import roles_of
from roundtap_core.event.lookups import last_round, the_entrant, without_draft, written
from roundtap_core.event.people import commands as c
from roundtap_core.event.people.arriving import DECIDE_ARRIVING, arrival, is_here, refuse_signing_up
from roundtap_core.event.people.leave import (
    both_left,
    leave_open_match,
    leaving_undone,
    open_match,
    rounds_taken_back,
)
from roundtap_core.event.state import PLAYS_ON, TOGETHER, Entrant, EventState, active_ids
from roundtap_core.limits import MOST_COMPETITORS, fits_line
from roundtap_core.records import SWISS_STAGES

NewEntries = list[NewEntry]

TICK_LETTERS = 40


def _enter(state: EventState, command: c.EnterCompetitor, now: Instant) -> NewEntries:
    entrant = command.entrant
    if entrant.id in state.entrants or entrant.id in state.officials or entrant.id in state.removed:
        raise Problem("competitor_exists", competitor=entrant.id)
    if len(state.entrants) >= MOST_COMPETITORS:
        raise Problem("too_many_competitors", maximum=MOST_COMPETITORS)
    missed: list[int] = []
    meeting: NewEntries = []
    if command.signed_up:
        refuse_signing_up(state)
        entrant = replace(entrant, sign_up=state.sign_up, checked_in=False)
    if not command.imported:
        if entrant.won_bye and state.public_rounds:
            raise Problem("won_bye_too_late")
        missed, meeting = arrival(state, entrant, command.meets, command.busy_tables)
    entered = NewEntry("competitor-entered", {
        "competitor": entrant.id, "digest": entrant.digest, "won_bye": entrant.won_bye,
        "came_with": entrant.came_with, "fixed_table": entrant.fixed_table, "missed": missed,
        "dropped_after": entrant.dropped_after, "disqualified_after": entrant.disqualified_after,
        "warnings": [dict(w) for w in entrant.warnings],
        **({"total": entrant.list_total} if entrant.list_total is not None else {}),
        **({"role": entrant.officials_role} if entrant.officials_role is not None else {}),
        **({"checked_in": True} if entrant.checked_in else {}),
        **({"sign_up": entrant.sign_up} if command.signed_up else {}),
        **({"record": _record(entrant)} if command.imported and _record(entrant) else {}),
        **({"reason": command.reason} if command.reason else {}),
    })
    paired = command.imported or is_here(state, entrant)
    return [*(without_draft(state) if paired else ()), entered, *meeting]


def _record(entrant: Entrant) -> dict[str, Any]:
    """What an imported entrant brings along that none of the event's own entries will say."""
    usual = Entrant(entrant.id, entrant.digest)
    keys = ("list_corrections", "ticks", "proposed", "declined_at", "disqualification")
    values = {key: getattr(entrant, key) for key in keys if getattr(entrant, key) != getattr(usual, key)}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def _change(state: EventState, command: c.ChangePerson, now: Instant) -> NewEntries:
    the_entrant(state, command.competitor)
    return [NewEntry("competitor-changed", {
        "competitor": command.competitor, "digest": command.digest,
        **({"total": command.total} if command.total is not None else {}),
    })]


def _drop(state: EventState, command: c.DropCompetitor, now: Instant) -> NewEntries:
    entrant = the_entrant(state, command.competitor)
    plays = open_match(state, entrant.id) is not None
    # Who was to leave only after this round may have to go now.
    if not entrant.active and not (plays and entrant.at_the_table and not command.plays_on):
        raise Problem("already_left", competitor=entrant.id)
    freed, how = rounds_taken_back(state, entrant.id), TOGETHER if command.together else ""
    if command.plays_on and plays:
        freed, how = [], PLAYS_ON
    leaving = freed if freed or how == PLAYS_ON else [*leave_open_match(state, entrant.id, command.stood),
                                                      *both_left(state, entrant.id)]
    return [*without_draft(state), *leaving, NewEntry("competitor-dropped", {
        "competitor": entrant.id, "after": last_round(state) - len(freed), **({"how": how} if how else {}),
        **({"reason": command.reason} if command.reason else {})})]


def _return(state: EventState, command: c.ReturnCompetitor, now: Instant) -> NewEntries:
    """"Paarungen": back on request, in the same stage, with an unpaired loss for each round missed."""
    entrant = the_entrant(state, command.competitor)
    if entrant.disqualified_after is not None:
        raise Problem("disqualified_stays_out", competitor=entrant.id)
    if entrant.dropped_after is None:
        raise Problem("never_left", competitor=entrant.id)
    refuse_return(state, entrant)
    played = {r.number for r in state.public_rounds for m in r.matches if entrant.id in (m.match.a, m.match.b)}
    missed = [r.number for r in state.public_rounds if r.number not in played and r.stage in SWISS_STAGES]
    return [*without_draft(state), *leaving_undone(state, entrant.id),
            NewEntry("competitor-returned", {"competitor": entrant.id, "missed": missed})]


def refuse_return(state: EventState, entrant: Entrant) -> None:
    """In elimination there is no round to miss: back comes who left since the last one was published, or whose place in
    the cut nobody has taken yet. A second stage in Swiss rounds takes back whoever began it.

    Raises Problem("stage_is_over", "places_taken").
    """
    begun = second_swiss_rounds(state)[:1] or elimination_rounds(state)[-1:]
    if begun:
        began = any(entrant.id in (m.match.a, m.match.b) for m in begun[0].matches)
        if not began or (not second_swiss_rounds(state) and entrant.dropped_after != begun[0].number):
            raise Problem("stage_is_over")
    elif state.cut is not None:
        if entrant.id not in state.cut.seeds:
            raise Problem("stage_is_over")
        there = len(state.cut.seeds_now({*active_ids(state), entrant.id}))
        if there > state.cut.size:
            raise Problem("places_taken", n=there, size=state.cut.size)


def _submit_list(state: EventState, command: c.SubmitList, now: Instant) -> NewEntries:
    """Lists are the same all day: free until round 1 is published, an official's business afterwards."""
    entrant = the_entrant(state, command.competitor)
    if state.public_rounds:
        raise Problem("list_is_fixed")
    return [NewEntry("list-submitted", {
        "competitor": entrant.id, "digest": command.digest, "total": command.total,
    })]


def _correct_list(state: EventState, command: c.CorrectList, now: Instant) -> NewEntries:
    entrant = the_entrant(state, command.competitor)
    roles_of(state, command.by)
    return [NewEntry("list-corrected", {
        "competitor": entrant.id, "digest": command.digest, "total": command.total, "round": last_round(state),
        "reason": written(command.reason), "by": command.by,
    })]


def _tick(state: EventState, command: c.Tick, now: Instant) -> NewEntries:
    entrant = the_entrant(state, command.competitor)
    what = command.what.strip()
    if not what or len(what) > TICK_LETTERS or not fits_line(what):
        raise Problem("tick_what", maximum=TICK_LETTERS)
    if command.on == (what in entrant.ticks):
        return []
    return [NewEntry("ticked", {"competitor": entrant.id, "what": what, "on": command.on})]


def _set_came_with(state: EventState, command: c.SetCameWith, now: Instant) -> NewEntries:
    entrant = the_entrant(state, command.competitor)
    group = (command.group or "").strip() or None
    if group == entrant.came_with:
        return []
    return [*without_draft(state), NewEntry("came-with-set", {"competitor": entrant.id, "group": group})]


DECIDE_PEOPLE: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = {
    **DECIDE_ARRIVING,
    c.EnterCompetitor: _enter,
    c.ChangePerson: _change,
    c.DropCompetitor: _drop,
    c.ReturnCompetitor: _return,
    c.SubmitList: _submit_list,
    c.CorrectList: _correct_list,
    c.Tick: _tick,
    c.SetCameWith: _set_came_with,
}
