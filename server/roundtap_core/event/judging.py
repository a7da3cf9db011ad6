"""Officials and what they do: who rules and who may play, warnings, disqualification, rulings, appeals, extensions.

`by` is the id of an official of this event, or a role ("organizer", "head_judge", "judge") where no officials are
named; `roles_of` gives the roles, and with them what the official may do.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.clock import Instant
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import event_flow, states
from roundtap_core.event.abandoned_match import leave_open_match, rounds_taken_back, ruling_both_left
from roundtap_core.event.entries import Entry, NewEntries, NewEntry
from roundtap_core.event.event_flow import match_clock
from roundtap_core.records import Result
from roundtap_core.rulebooks.base import HEAD_JUDGE, NO, ORGANIZER, WITH_SECOND, may_play
from roundtap_core.typed import Id, IdOrEmpty, Minutes, Prose, Text

EXTENSION_MAX = 60  # minutes that one match can be given in all

_LINES = {"ruling-noted": states.RULING, "appeal-made": states.APPEAL, "appeal-decided": states.DECISION}


class SetOfficials(Struct, frozen=True):
    """All officials of the event, in place of those before. Where empty, any logged-in user is the organizer."""

    officials: tuple[states.Official, ...]


class OfficialDuty(Struct, frozen=True):
    """An official goes off duty, and counts as a spectator from then on, or comes back."""

    official: IdOrEmpty
    on: bool


class GiveWarning(Struct, frozen=True):
    competitor: Text
    reason: Prose
    by: Id = ORGANIZER


class ProposeDisqualification(Struct, frozen=True):
    """The head judge proposes, another official decides."""

    competitor: Text
    reason: Prose
    by: Id


class DeclineProposal(Struct, frozen=True):
    """No disqualification for what was proposed so far; another warning may propose it again."""

    competitor: Text
    by: Id = ORGANIZER


class NoteRuling(Struct, frozen=True):
    match: IdOrEmpty
    text: Prose
    by: Id = ORGANIZER


class Appeal(Struct, frozen=True):
    """A player wants the head judge to look at the latest ruling."""

    match: IdOrEmpty
    by_competitor: Text


class DecideAppeal(Struct, frozen=True):
    """The head judge's word, which is final. `upheld`: the ruling stands."""

    match: IdOrEmpty
    text: Prose
    upheld: bool
    by: Id = ORGANIZER


class GrantExtension(Struct, frozen=True):
    """So many minutes more for one match, on top of those it has."""

    match: IdOrEmpty
    minutes: Minutes
    by: Id = ORGANIZER


class TakeBackExtension(Struct, frozen=True):
    """The last minutes that a match was given were too many, or another match's: as if they had not been given."""

    match: IdOrEmpty
    by: Id = ORGANIZER


class Disqualify(Struct, frozen=True):
    """`by`: who decides, an official of the event or a role. `stood`, `lets_go`: as in a drop."""

    competitor: Text
    reason: Prose
    by: Id = ORGANIZER
    stood: Result | None = None
    lets_go: Prose = ""


def roles_of(state: states.EventState, by: str) -> frozenset[str]:
    """The roles in which `by` speaks: an official's own, and the organizer is head judge where none is named. A role's
    name speaks for itself while no officials are named, and "organizer" always. Raises Problem("unknown_official") or
    Problem("official_off_duty")."""
    official = state.officials.get(by)
    if official is not None and not official.on_duty:
        raise Problem("official_off_duty")
    if official is None and (by not in states.ROLES or (by != ORGANIZER and state.officials)):
        raise Problem("unknown_official")
    return _roles(state, official, by)


def _roles(state: states.EventState, official: states.Official | None, by: str) -> frozenset[str]:
    role = by if official is None else official.role
    return frozenset((role, HEAD_JUDGE) if role == ORGANIZER and not head_judges(state) else (role,))


def head_judges(state: states.EventState) -> tuple[states.Official, ...]:
    return tuple(o for o in state.officials.values() if o.role == HEAD_JUDGE and o.on_duty)


def refuse_players(state: states.EventState, officials: tuple[states.Official, ...]) -> None:
    """Raise Problem("officials_may_not_play") or Problem("second_official_missing"): who rules must not be missing
    where an official plays."""
    players = [official for official in officials if official.plays is not None]
    policy = may_play(state.rulebook, state.level)
    if not players or policy is None:
        return
    if policy == NO:
        raise Problem("officials_may_not_play")
    if len(officials) < 2 or (policy == WITH_SECOND and not any(official.second for official in officials)):
        raise Problem("second_official_missing")


def head_judge_proposed(state: states.EventState) -> bool:
    """Whether so many play that a head judge beside the organizer would be a help."""
    enough = state.rulebook.head_judge_proposed_from
    return enough is not None and not head_judges(state) and len(states.active_ids(state)) >= enough


def ruling_official(state: states.EventState, match: states.MatchState) -> states.Official | None:
    """Who rules a match in which an official plays: the second official; where two play each other, the head judge or
    a third one. None: no official plays here, or no one is left."""
    sides = {match.match.a, match.match.b}
    playing = [o for o in state.officials.values() if o.plays is not None and o.plays in sides]
    if not playing:
        return None
    free = [o for o in state.officials.values() if o.on_duty and o not in playing]
    # The organizer last: they have the least time to stand at a table.
    free.sort(key=lambda o: o.role == ORGANIZER)
    wanted = [o for o in free if (o.second if len(playing) == 1 else o.role == HEAD_JUDGE)]
    return next(iter(wanted + free), None)


def refuse_own_match(state: states.EventState, match: states.MatchState, by: str) -> None:
    """Raise Problem("own_match"): no official rules on their own match."""
    official = state.officials.get(by)
    if official is not None and official.plays is not None and official.plays in (match.match.a, match.match.b):
        raise Problem("own_match")


class Proposal(Struct, frozen=True):
    """A possible disqualification: proposed by the head judge (`by`, with a reason), or for so many warnings."""

    competitor: str
    warnings: int
    reason: str | None = None
    by: str | None = None


def proposed_disqualifications(state: states.EventState) -> tuple[Proposal, ...]:
    """What waits for a person's decision, in the order of entering."""
    accused = (each for each in state.entrants.values() if each.warnings or each.proposed is not None)
    proposals = (_proposal(state, entrant) for entrant in accused)
    return tuple(proposal for proposal in proposals if proposal is not None)


def _proposal(state: states.EventState, entrant: states.Entrant) -> Proposal | None:
    if entrant.disqualified_after is not None:
        return None
    warnings, limit = len(entrant.warnings), state.rulebook.warnings_until_proposal
    if entrant.proposed is not None:
        return Proposal(entrant.id, warnings, entrant.proposed["reason"], entrant.proposed["by"])
    if limit is not None and warnings >= limit and warnings > entrant.declined_at:
        return Proposal(entrant.id, warnings)
    return None


def open_appeal(match: states.MatchState) -> states.LogLine | None:
    """The appeal that the head judge has not decided yet."""
    lines = [line for line in match.log if line.kind in (states.APPEAL, states.DECISION)]
    return lines[-1] if lines and lines[-1].kind == states.APPEAL else None


def is_ruling_final(state: states.EventState, match: states.MatchState) -> bool:
    """The head judge has decided or ruled, and nothing was ruled since that could be appealed."""
    rulings = [line for line in match.log if line.kind != states.EXTENSION]
    return bool(rulings) and (
        rulings[-1].kind == states.DECISION
        or (
            rulings[-1].kind == states.RULING
            and HEAD_JUDGE in _roles(state, state.officials.get(rulings[-1].by), rulings[-1].by)
        )
    )


def open_appeals(state: states.EventState) -> tuple[tuple[states.RoundState, states.MatchState], ...]:
    return tuple((r, m) for r in state.public_rounds for m in r.matches if m.log and open_appeal(m))


def _set_officials(state: states.EventState, command: SetOfficials, now: Instant) -> NewEntries:
    """Exactly one organizer; who of them plays must be allowed to (see officials.may_play)."""
    officials = command.officials
    seen: set[str] = set()
    for official in officials:
        if official.role not in states.ROLES:
            raise Invalid("not_one_of", value=official.role, options=", ".join(states.ROLES))
        if official.plays is not None:
            event_flow.require_entrant(state, official.plays)
        for name in (official.id, official.plays):
            if name is not None and (name in seen or (name == official.id and name in state.entrants)):
                raise Problem("official_twice")
        seen |= {official.id} | ({official.plays} if official.plays is not None else set())
    if officials and sum(official.role == ORGANIZER for official in officials) != 1:
        raise Problem("one_organizer")
    refuse_players(state, officials)
    _refuse_late_second(state, officials)
    return [
        NewEntry(
            "officials-set",
            {
                "officials": [
                    {"id": o.id, "role": o.role, "digest": o.digest, "second": o.second, "plays": o.plays}
                    for o in officials
                ]
            },
        )
    ]


def _refuse_late_second(state: states.EventState, officials: tuple[states.Official, ...]) -> None:
    """A second official is announced at the start, not when the first one's game is to be ruled."""
    if not state.public_rounds:
        return
    before = {o.id for o in state.officials.values() if o.second}
    if any(o.second and o.id not in before for o in officials):
        raise Problem("second_official_too_late")


def _official_duty(state: states.EventState, command: OfficialDuty, now: Instant) -> NewEntries:
    official = state.officials.get(command.official)
    if official is None:
        raise Problem("unknown_official")
    if official.on_duty == command.on:
        return []
    return [NewEntry("official-duty", {"official": official.id, "on": command.on})]


def _warn(state: states.EventState, command: GiveWarning, now: Instant) -> NewEntries:
    entrant = event_flow.require_entrant(state, command.competitor)
    roles_of(state, command.by)
    if entrant.disqualified_after is not None:
        raise Problem("already_left", competitor=entrant.id)
    return [
        NewEntry(
            "competitor-warned",
            {
                "competitor": entrant.id,
                "round": event_flow.last_round_number(state),
                "reason": event_flow.require_reason(command.reason),
                "by": command.by,
            },
        )
    ]


def _propose(state: states.EventState, command: ProposeDisqualification, now: Instant) -> NewEntries:
    entrant = event_flow.require_entrant(state, command.competitor)
    roles, wanted = roles_of(state, command.by), state.rulebook.disqualification_proposed_by
    if not wanted:
        raise Problem("disqualification_not_proposed")
    if not roles & set(wanted):
        raise Problem("only_head_judge_proposes")
    if entrant.disqualified_after is not None:
        raise Problem("already_left", competitor=entrant.id)
    return [
        NewEntry(
            "disqualification-proposed",
            {
                "competitor": entrant.id,
                "reason": event_flow.require_reason(command.reason),
                "by": command.by,
            },
        )
    ]


def _decline(state: states.EventState, command: DeclineProposal, now: Instant) -> NewEntries:
    entrant = event_flow.require_entrant(state, command.competitor)
    _refuse_to_disqualify(state, command.by)
    if all(proposal.competitor != entrant.id for proposal in proposed_disqualifications(state)):
        raise Problem("nothing_proposed")
    return [
        NewEntry(
            "proposal-declined",
            {
                "competitor": entrant.id,
                "warnings": len(entrant.warnings),
                "by": command.by,
            },
        )
    ]


def _disqualify(state: states.EventState, command: Disqualify, now: Instant) -> NewEntries:
    entrant = event_flow.require_entrant(state, command.competitor)
    _refuse_to_disqualify(state, command.by)
    if entrant.disqualified_after is not None:
        raise Problem("already_left", competitor=entrant.id)
    reason = event_flow.require_reason(command.reason)
    freed = rounds_taken_back(state, entrant.id)
    leaving = freed or [
        *leave_open_match(state, entrant.id, command.stood, command.lets_go, disqualified=True),
        *ruling_both_left(state, entrant.id),
    ]
    return [
        *event_flow.without_draft(state),
        *leaving,
        NewEntry(
            "competitor-disqualified",
            {
                "competitor": entrant.id,
                "after": event_flow.last_round_number(state) - len(freed),
                "reason": reason,
                "by": command.by,
            },
        ),
    ]


def _refuse_to_disqualify(state: states.EventState, by: str) -> None:
    """Who disqualifies is the rulebook's choice: the organizer, or every judge as well."""
    if not roles_of(state, by) & set(state.rulebook.disqualified_by):
        raise Problem("only_organizer_disqualifies")


def _note_ruling(state: states.EventState, command: NoteRuling, now: Instant) -> NewEntries:
    match = event_flow.match_of_two(state, command.match)
    roles_of(state, command.by)
    refuse_own_match(state, match, command.by)
    return [
        NewEntry("ruling-noted", {"match": match.id, "text": event_flow.require_reason(command.text), "by": command.by})
    ]


def _appeal(state: states.EventState, command: Appeal, now: Instant) -> NewEntries:
    """A ruling can be appealed once; a new one anew. It need not have been noted. The head judge's own is the last."""
    match = event_flow.match_of_two(state, command.match)
    if command.by_competitor not in (match.match.a, match.match.b):
        raise Problem("unknown_competitor", competitor=command.by_competitor)
    if open_appeal(match) is not None:
        raise Problem("appeal_is_open")
    if is_ruling_final(state, match):
        raise Problem("appeal_is_final")
    return [NewEntry("appeal-made", {"match": match.id, "competitor": command.by_competitor})]


def _decide_appeal(state: states.EventState, command: DecideAppeal, now: Instant) -> NewEntries:
    """The head judge's word is final, even if it is later found wrong."""
    match = event_flow.match_of_two(state, command.match)
    if HEAD_JUDGE not in roles_of(state, command.by):
        raise Problem("only_head_judge_decides")
    refuse_own_match(state, match, command.by)
    if open_appeal(match) is None:
        raise Problem("no_open_appeal")
    return [
        NewEntry(
            "appeal-decided",
            {
                "match": match.id,
                "text": event_flow.require_reason(command.text),
                "upheld": command.upheld,
                "by": command.by,
            },
        )
    ]


def _grant_extension(state: states.EventState, command: GrantExtension, now: Instant) -> NewEntries:
    """A judge's time at a table, or lost material looked for, is given back to that table."""
    round_state, match = _live_match(state, command)
    if match_clock(state, round_state, match).total_ms is None:
        raise Problem("no_round_to_time")
    left = EXTENSION_MAX - (match.match.extension_minutes or 0)
    if not left:
        raise Problem("extension_is_used_up", maximum=EXTENSION_MAX)
    if not 1 <= command.minutes <= left:
        raise Invalid("extension_minutes", maximum=left)
    return [NewEntry("extension-granted", {"match": match.id, "minutes": command.minutes, "by": command.by})]


def _take_back_extension(state: states.EventState, command: TakeBackExtension, now: Instant) -> NewEntries:
    """The last one, in the words of the match's log; one that came with an event's file may have none."""
    match = _live_match(state, command)[1]
    given = match.match.extension_minutes
    if not given:
        raise Problem("no_extension")
    last = next((line.minutes for line in reversed(match.log) if line.kind == states.EXTENSION), given)
    return [NewEntry("extension-taken-back", {"match": match.id, "minutes": last, "by": command.by})]


def _live_match(
    state: states.EventState, command: GrantExtension | TakeBackExtension
) -> tuple[states.RoundState, states.MatchState]:
    round_state, match = event_flow.find_match(state, command.match)
    roles_of(state, command.by)
    if round_state.status != states.PUBLISHED or match.done:
        raise Problem("extension_only_in_play")
    return round_state, match


DECIDE_JUDGING: Mapping[type, Callable[[states.EventState, Any, Instant], NewEntries]] = {
    SetOfficials: _set_officials,
    OfficialDuty: _official_duty,
    GiveWarning: _warn,
    ProposeDisqualification: _propose,
    DeclineProposal: _decline,
    Disqualify: _disqualify,
    NoteRuling: _note_ruling,
    Appeal: _appeal,
    DecideAppeal: _decide_appeal,
    GrantExtension: _grant_extension,
    TakeBackExtension: _take_back_extension,
}


def _apply_officials(state: states.EventState, data: Mapping[str, Any], entry: Entry) -> states.EventState:
    """Who was off duty stays so. What an official is to the event stands beside the competitor, too."""
    off_duty = {o.id for o in state.officials.values() if not o.on_duty}
    officials = {
        raw["id"]: states.Official(
            raw["id"], raw["role"], raw["digest"], raw["second"], raw["plays"], raw["id"] not in off_duty
        )
        for raw in data["officials"]
    }
    roles = {o.plays: o.role for o in officials.values() if o.plays is not None}
    entrants = {
        e.id: e if e.officials_role == roles.get(e.id) else replace(e, officials_role=roles.get(e.id))
        for e in state.entrants.values()
    }
    return replace(state, officials=officials, entrants=entrants)


@event_flow.match_step
def _apply_log_line(
    state: states.EventState,
    played: states.RoundState,
    match: states.MatchState,
    data: Mapping[str, Any],
    entry: Entry,
) -> states.EventState:
    line = states.LogLine(
        _LINES[entry.kind],
        entry.number,
        data["competitor"] if entry.kind == "appeal-made" else data["by"],
        data.get("text", ""),
        data.get("upheld"),
    )
    return state.with_match(replace(match, log=(*match.log, line)))


@event_flow.match_step
def _apply_extension(
    state: states.EventState,
    played: states.RoundState,
    match: states.MatchState,
    data: Mapping[str, Any],
    entry: Entry,
) -> states.EventState:
    """Given, or the last one taken back. (Lines that came with an event's file all have the number of one entry.)"""
    log, minutes = match.log, data["minutes"]
    if entry.kind == "extension-taken-back":
        last = max((place for place, line in enumerate(log) if line.kind == states.EXTENSION), default=-1)
        log, minutes = tuple(line for place, line in enumerate(log) if place != last), -minutes
    else:
        log = (*log, states.LogLine(states.EXTENSION, entry.number, data["by"], minutes=minutes))
    longer = replace(match.match, extension_minutes=(match.match.extension_minutes or 0) + minutes or None)
    return state.with_match(replace(match, match=longer, log=log))


APPLY_JUDGING: Mapping[str, event_flow.Step] = {
    "officials-set": _apply_officials,
    "official-duty": lambda state, data, entry: replace(
        state,
        officials={
            **state.officials,
            data["official"]: replace(state.officials[data["official"]], on_duty=data["on"]),
        },
    ),
    "competitor-warned": lambda state, data, entry: state.with_entrant(
        data["competitor"],
        warnings=(
            *state.entrants[data["competitor"]].warnings,
            {"round": data["round"], "reason": data["reason"], "by": data["by"]},
        ),
    ),
    "disqualification-proposed": event_flow.entrant_step(
        lambda data: {"proposed": {"reason": data["reason"], "by": data["by"]}}
    ),
    "proposal-declined": event_flow.entrant_step(lambda data: {"proposed": None, "declined_at": data["warnings"]}),
    "competitor-disqualified": event_flow.entrant_step(
        lambda data: {
            "disqualified_after": data["after"],
            "proposed": None,
            "disqualification": {"reason": data["reason"], "by": data["by"]},
        }
    ),
    "ruling-noted": _apply_log_line,
    "appeal-made": _apply_log_line,
    "appeal-decided": _apply_log_line,
    "extension-granted": _apply_extension,
    "extension-taken-back": _apply_extension,
}
