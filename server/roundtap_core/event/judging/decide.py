"""Deciding on officials and what they do: warnings, disqualification, rulings, appeals, extensions, picks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from roundtap_core.clock import Instant
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.course import match_clock
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.judging import commands as c
from roundtap_core.event.judging.officials import refuse_own_match, refuse_players, roles_of
from roundtap_core.event.judging.pending import is_final, open_appeal, proposed_disqualifications
from roundtap_core.event.lookups import find_match, last_round, match_of_two, the_entrant, without_draft, written
from roundtap_core.event.match_log import EXTENSION
from roundtap_core.event.official import ROLES, Official
from roundtap_core.event.people.leave import both_left, leave_open_match, rounds_taken_back
from roundtap_core.event.state import PUBLISHED, EventState, MatchState, RoundState
from roundtap_core.rulebooks.base import HEAD_JUDGE, ORGANIZER

NewEntries = list[NewEntry]

EXTENSION_MAX = 60
"""Minutes that one match can be given in all."""


def _set_officials(state: EventState, command: c.SetOfficials, now: Instant) -> NewEntries:
    """Exactly one organizer; who of them plays must be allowed to (see officials.may_play)."""
    officials = command.officials
    seen: set[str] = set()
    for official in officials:
        if official.role not in ROLES:
            raise Invalid("not_one_of", value=official.role, options=", ".join(ROLES))
        if official.plays is not None:
            the_entrant(state, official.plays)
        for name in (official.id, official.plays):
            if name is not None and (name in seen or (name == official.id and name in state.entrants)):
                raise Problem("official_twice")
        seen |= {official.id} | ({official.plays} if official.plays is not None else set())
    if officials and sum(official.role == ORGANIZER for official in officials) != 1:
        raise Problem("one_organizer")
    refuse_players(state, officials)
    _refuse_late_second(state, officials)
    return [NewEntry("officials-set", {"officials": [
        {"id": o.id, "role": o.role, "digest": o.digest, "second": o.second, "plays": o.plays} for o in officials
    ]})]


def _refuse_late_second(state: EventState, officials: tuple[Official, ...]) -> None:
    """A second official is announced at the start, not when the first one's game is to be ruled."""
    if not state.public_rounds:
        return
    before = {o.id for o in state.officials.values() if o.second}
    if any(o.second and o.id not in before for o in officials):
        raise Problem("second_official_too_late")


def _official_duty(state: EventState, command: c.OfficialDuty, now: Instant) -> NewEntries:
    official = state.officials.get(command.official)
    if official is None:
        raise Problem("unknown_official")
    if official.on_duty == command.on:
        return []
    return [NewEntry("official-duty", {"official": official.id, "on": command.on})]


def _warn(state: EventState, command: c.Warn, now: Instant) -> NewEntries:
    """Kept with the round and the reason, as the event file has it."""
    entrant = the_entrant(state, command.competitor)
    roles_of(state, command.by)
    if entrant.disqualified_after is not None:
        raise Problem("already_left", competitor=entrant.id)
    return [NewEntry("competitor-warned", {
        "competitor": entrant.id, "round": last_round(state), "reason": written(command.reason), "by": command.by,
    })]


def _propose(state: EventState, command: c.ProposeDisqualification, now: Instant) -> NewEntries:
    entrant = the_entrant(state, command.competitor)
    roles, wanted = roles_of(state, command.by), state.rulebook.disqualification_proposed_by
    if not wanted:
        raise Problem("disqualification_not_proposed")
    if not roles & set(wanted):
        raise Problem("only_head_judge_proposes")
    if entrant.disqualified_after is not None:
        raise Problem("already_left", competitor=entrant.id)
    return [NewEntry("disqualification-proposed", {
        "competitor": entrant.id, "reason": written(command.reason), "by": command.by,
    })]


def _decline(state: EventState, command: c.DeclineProposal, now: Instant) -> NewEntries:
    entrant = the_entrant(state, command.competitor)
    _refuse_to_disqualify(state, command.by)
    if all(proposal.competitor != entrant.id for proposal in proposed_disqualifications(state)):
        raise Problem("nothing_proposed")
    return [NewEntry("proposal-declined", {
        "competitor": entrant.id, "warnings": len(entrant.warnings), "by": command.by,
    })]


def _disqualify(state: EventState, command: c.Disqualify, now: Instant) -> NewEntries:
    entrant = the_entrant(state, command.competitor)
    _refuse_to_disqualify(state, command.by)
    if entrant.disqualified_after is not None:
        raise Problem("already_left", competitor=entrant.id)
    reason = written(command.reason)
    freed = rounds_taken_back(state, entrant.id)
    leaving = freed or [*leave_open_match(state, entrant.id, command.stood, disqualified=True),
                        *both_left(state, entrant.id)]
    return [*without_draft(state), *leaving, NewEntry(
        "competitor-disqualified",
        {"competitor": entrant.id, "after": last_round(state) - len(freed), "reason": reason, "by": command.by},
    )]


def _refuse_to_disqualify(state: EventState, by: str) -> None:
    """Who disqualifies is the rulebook's choice: the organizer, or every judge as well."""
    if not roles_of(state, by) & set(state.rulebook.disqualified_by):
        raise Problem("only_organizer_disqualifies")


def _note_ruling(state: EventState, command: c.NoteRuling, now: Instant) -> NewEntries:
    match = match_of_two(state, command.match)
    roles_of(state, command.by)
    refuse_own_match(state, match, command.by)
    return [NewEntry("ruling-noted", {"match": match.id, "text": written(command.text), "by": command.by})]


def _appeal(state: EventState, command: c.Appeal, now: Instant) -> NewEntries:
    """A ruling can be appealed once; a new one anew. It need not have been noted."""
    match = match_of_two(state, command.match)
    if command.by_competitor not in (match.match.a, match.match.b):
        raise Problem("unknown_competitor", competitor=command.by_competitor)
    if open_appeal(match) is not None:
        raise Problem("appeal_is_open")
    if is_final(match):
        raise Problem("appeal_is_final")
    return [NewEntry("appeal-made", {"match": match.id, "competitor": command.by_competitor})]


def _decide_appeal(state: EventState, command: c.DecideAppeal, now: Instant) -> NewEntries:
    """The head judge's word is final, even if it is later found wrong."""
    match = match_of_two(state, command.match)
    if HEAD_JUDGE not in roles_of(state, command.by):
        raise Problem("only_head_judge_decides")
    refuse_own_match(state, match, command.by)
    if open_appeal(match) is None:
        raise Problem("no_open_appeal")
    return [NewEntry("appeal-decided", {
        "match": match.id, "text": written(command.text), "upheld": command.upheld, "by": command.by,
    })]


def _grant_extension(state: EventState, command: c.GrantExtension, now: Instant) -> NewEntries:
    """A judge's time at a table, or lost material looked for, is given back to that table."""
    round_state, match = _played_now(state, command)
    if match_clock(state, round_state, match).total_ms is None:
        raise Problem("no_round_to_time")
    left = EXTENSION_MAX - (match.match.extension_minutes or 0)
    if not left:
        raise Problem("extension_is_used_up", maximum=EXTENSION_MAX)
    if not 1 <= command.minutes <= left:
        raise Invalid("extension_minutes", maximum=left)
    return [NewEntry("extension-granted", {"match": match.id, "minutes": command.minutes, "by": command.by})]


def _take_back_extension(state: EventState, command: c.TakeBackExtension, now: Instant) -> NewEntries:
    """The last one, in the words of the match's log; one that came with an event's file may have none."""
    match = _played_now(state, command)[1]
    given = match.match.extension_minutes
    if not given:
        raise Problem("no_extension")
    last = next((line.minutes for line in reversed(match.log) if line.kind == EXTENSION), given)
    return [NewEntry("extension-taken-back", {"match": match.id, "minutes": last, "by": command.by})]


def _played_now(state: EventState, command: c.GrantExtension | c.TakeBackExtension) -> tuple[RoundState, MatchState]:
    round_state, match = find_match(state, command.match)
    roles_of(state, command.by)
    if round_state.status != PUBLISHED or match.done:
        raise Problem("extension_only_in_play")
    return round_state, match


DECIDE_JUDGING: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = {
    c.SetOfficials: _set_officials,
    c.OfficialDuty: _official_duty,
    c.Warn: _warn,
    c.ProposeDisqualification: _propose,
    c.DeclineProposal: _decline,
    c.Disqualify: _disqualify,
    c.NoteRuling: _note_ruling,
    c.Appeal: _appeal,
    c.DecideAppeal: _decide_appeal,
    c.GrantExtension: _grant_extension,
    c.TakeBackExtension: _take_back_extension,
}
