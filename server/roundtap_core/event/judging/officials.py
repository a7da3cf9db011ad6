"""Officials of an event: their roles, who of them may play, and who rules where one of them does."""

from __future__ import annotations

from roundtap_core.errors import Problem
from roundtap_core.event.official import ROLES, Official
from roundtap_core.event.state import EventState, MatchState, active_ids
from roundtap_core.rulebooks.base import HEAD_JUDGE, NO, ORGANIZER, WITH_SECOND, may_play


def roles_of(state: EventState, by: str) -> frozenset[str]:
    """The roles in which `by` speaks: an official's own, and the organizer is head judge where none is named.

    A role's name speaks for itself while no officials are named, and "organizer" always: whoever is logged in.
    Raises Problem("unknown_official") or Problem("official_off_duty").
    """
    official = state.officials.get(by)
    if official is not None and not official.on_duty:
        raise Problem("official_off_duty")
    if official is None and (by not in ROLES or (by != ORGANIZER and state.officials)):
        raise Problem("unknown_official")
    role = by if official is None else official.role
    if role == ORGANIZER and not head_judges(state):
        return frozenset((ORGANIZER, HEAD_JUDGE))
    return frozenset((role,))


def head_judges(state: EventState) -> tuple[Official, ...]:
    """Those named and on duty."""
    return tuple(o for o in state.officials.values() if o.role == HEAD_JUDGE and o.on_duty)


def refuse_players(state: EventState, officials: tuple[Official, ...]) -> None:
    """Raise Problem("officials_may_not_play") or Problem("second_official_missing"): who rules must not be missing
    where an official plays."""
    players = [official for official in officials if official.plays is not None]
    policy = may_play(state.rulebook, state.level)
    if not players or policy is None:
        return
    if policy == NO:
        raise Problem("officials_may_not_play")
    if policy == WITH_SECOND and not any(official.second for official in officials):
        raise Problem("second_official_missing")
    if len(officials) < 2:
        raise Problem("second_official_missing")


def head_judge_proposed(state: EventState) -> bool:
    """Whether so many play that a head judge beside the organizer would be a help."""
    enough = state.rulebook.head_judge_proposed_from
    players = len(active_ids(state))
    return enough is not None and players >= enough and not head_judges(state)


def rules_at(state: EventState, match: MatchState) -> Official | None:
    """Who rules a match in which an official plays: the second official; where two play each other, the head judge or
    a third one. None: no official plays here, or nobody is left."""
    sides = {match.match.a, match.match.b}
    playing = [o for o in state.officials.values() if o.plays is not None and o.plays in sides]
    if not playing:
        return None
    free = [o for o in state.officials.values() if o.on_duty and o not in playing]
    # The organizer last: whoever runs the event has the least time to stand at a table.
    free.sort(key=lambda o: o.role == ORGANIZER)
    wanted = [o for o in free if (o.second if len(playing) == 1 else o.role == HEAD_JUDGE)]
    return next(iter(wanted + free), None)


def refuse_own_match(state: EventState, match: MatchState, by: str) -> None:
    """Raise Problem("own_match"): nobody rules a match of their own."""
    official = state.officials.get(by)
    if official is not None and official.plays is not None and official.plays in (match.match.a, match.match.b):
        raise Problem("own_match")
