"""Deciding on officials and what they do: warnings, disqualification, rulings, appeals, extensions, picks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.course import match_clock
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.judging import commands as p
from roundtap_core.event.judging.officials import ROLES, Official, refuse_own_match, refuse_players, roles_of
from roundtap_core.event.judging.pending import is_final, open_appeal, proposed_disqualifications
from roundtap_core.event.people.decide import last_round, leave_open_match, the_entrant, without_draft, written
from roundtap_core.event.results.decide import find
from roundtap_core.event.state import PUBLISHED, EventState, MatchState
from roundtap_core.records import UNPAIRED_LOSS
from roundtap_core.rulebooks.base import HEAD_JUDGE, ORGANIZER

NewEntries = list[NewEntry]

EXTENSION_MAX = 60
"""Minutes that one match can be given in all."""


def _set_officials(state: EventState, command: p.SetOfficials, now: Instant) -> NewEntries:
    """Exactly one organizer; who of them plays must be allowed to (see officials.may_play)."""
    officials = command.officials
    seen: set[str] = set()
    for official in officials:
        if official.role not in ROLES:
            raise Problem("not_one_of", value=official.role, options=", ".join(ROLES))
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


def _official_duty(state: EventState, command: p.OfficialDuty, now: Instant) -> NewEntries:
    official = state.officials.get(command.official)
    if official is None:
        raise Problem("unknown_official")
    if official.on_duty == command.on:
        return []
    return [NewEntry("official-duty", {"official": official.id, "on": command.on})]


def _warn(state: EventState, command: p.Warn, now: Instant) -> NewEntries:
    """Kept with the round and the reason, as the event file has it."""
    entrant = the_entrant(state, command.competitor)
    roles_of(state, command.by)
    if entrant.disqualified_after is not None:
        raise Problem("already_left", competitor=entrant.id)
    return [NewEntry("competitor-warned", {
        "competitor": entrant.id, "round": last_round(state), "reason": written(command.reason), "by": command.by,
    })]


def _propose(state: EventState, command: p.ProposeDisqualification, now: Instant) -> NewEntries:
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


def _decline(state: EventState, command: p.DeclineProposal, now: Instant) -> NewEntries:
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
    return [*without_draft(state), *leave_open_match(state, entrant.id), NewEntry(
        "competitor-disqualified",
        {"competitor": entrant.id, "after": last_round(state), "reason": reason, "by": command.by},
    )]


def _refuse_to_disqualify(state: EventState, by: str) -> None:
    """Who disqualifies is the rulebook's choice: the organizer, or every judge as well."""
    if not roles_of(state, by) & set(state.rulebook.disqualified_by):
        raise Problem("only_organizer_disqualifies")


def _note_ruling(state: EventState, command: p.NoteRuling, now: Instant) -> NewEntries:
    match = _with_two(state, command.match)
    roles_of(state, command.by)
    refuse_own_match(state, match, command.by)
    return [NewEntry("ruling-noted", {"match": match.id, "text": written(command.text), "by": command.by})]


def _appeal(state: EventState, command: p.Appeal, now: Instant) -> NewEntries:
    """A ruling can be appealed once; a new one anew. It need not have been noted."""
    match = _with_two(state, command.match)
    if command.by_competitor not in (match.match.a, match.match.b):
        raise Problem("unknown_competitor", competitor=command.by_competitor)
    if open_appeal(match) is not None:
        raise Problem("appeal_is_open")
    if is_final(match):
        raise Problem("appeal_is_final")
    return [NewEntry("appeal-made", {"match": match.id, "competitor": command.by_competitor})]


def _decide_appeal(state: EventState, command: p.DecideAppeal, now: Instant) -> NewEntries:
    """The head judge's word is final, even if it is later found wrong."""
    match = _with_two(state, command.match)
    if HEAD_JUDGE not in roles_of(state, command.by):
        raise Problem("only_head_judge_decides")
    refuse_own_match(state, match, command.by)
    if open_appeal(match) is None:
        raise Problem("no_open_appeal")
    return [NewEntry("appeal-decided", {
        "match": match.id, "text": written(command.text), "upheld": command.upheld, "by": command.by,
    })]


def _grant_extension(state: EventState, command: p.GrantExtension, now: Instant) -> NewEntries:
    """A judge's time at a table, or lost material looked for, is given back to that table."""
    round_state, match = find(state, command.match)
    roles_of(state, command.by)
    if round_state.status != PUBLISHED or match.done:
        raise Problem("extension_only_in_play")
    if match_clock(state, round_state, match).total_ms is None:
        raise Problem("no_round_to_time")
    left = EXTENSION_MAX - (match.match.extension_minutes or 0)
    if not left:
        raise Problem("extension_is_used_up", maximum=EXTENSION_MAX)
    if not 1 <= command.minutes <= left:
        raise Problem("figure_out_of_range", value=command.minutes, minimum=1, maximum=left)
    return [NewEntry("extension-granted", {"match": match.id, "minutes": command.minutes, "by": command.by})]


def _set_extra_minutes(state: EventState, command: p.SetExtraMinutes, now: Instant) -> NewEntries:
    """The roll for the round in play; once the minutes run, everybody has seen how many they are."""
    limits = state.rulebook.extra_minutes
    if limits is None:
        raise Problem("no_extra_minutes")
    if state.live is None or state.live.number != command.number or state.clock.total_ms is None:
        raise Problem("no_round_to_time")
    if not limits[0] <= command.minutes <= limits[1]:
        raise Problem("figure_out_of_range", value=command.minutes, minimum=limits[0], maximum=limits[1])
    left_ms = state.clock.remaining_at(now)
    if state.live.extra_minutes is not None and left_ms is not None and left_ms <= 0:
        raise Problem("extra_minutes_run")
    return [NewEntry("extra-minutes", {"number": command.number, "minutes": command.minutes})]


def _set_picks(state: EventState, command: p.SetPicks, now: Instant) -> NewEntries:
    """A bye fields squads as well; a round that was missed fields none."""
    squads = state.rulebook.squads
    if squads is None:
        raise Problem("not_of_this_rulebook", key="picks", rulebook=state.rulebook_id)
    match = find(state, command.match)[1]
    if match.match.bye in (None, UNPAIRED_LOSS):
        raise Problem("picks_only_at_a_bye")
    picks = sorted(command.picks)
    if len(set(picks)) != squads.taken or len(picks) != squads.taken or not 1 <= picks[0] <= picks[-1] <= squads.listed:
        raise Problem("picks_wrong", take=squads.taken, of=squads.listed)
    return [NewEntry("picks-set", {"match": match.id, "picks": picks})]


def _with_two(state: EventState, match_id: str) -> MatchState:
    """A match that two play; Problem("unknown_match") where there is none."""
    match = find(state, match_id)[1]
    if match.match.b is None:
        raise Problem("unknown_match", match=match_id)
    return match


DECIDE_JUDGING: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = {
    p.SetOfficials: _set_officials,
    p.OfficialDuty: _official_duty,
    p.Warn: _warn,
    p.ProposeDisqualification: _propose,
    p.DeclineProposal: _decline,
    c.Disqualify: _disqualify,
    p.NoteRuling: _note_ruling,
    p.Appeal: _appeal,
    p.DecideAppeal: _decide_appeal,
    p.GrantExtension: _grant_extension,
    p.SetExtraMinutes: _set_extra_minutes,
    p.SetPicks: _set_picks,
}
