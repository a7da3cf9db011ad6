"""Deciding on who did not appear: one of two, both, and that somebody came after all."""

from __future__ import annotations

from collections.abc import Collection

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.lookups import find_match
from roundtap_core.event.results import commands as c
from roundtap_core.event.state import PUBLISHED, EventState, MatchState
from roundtap_core.records import UNPAIRED_LOSS


def no_show(state: EventState, command: c.NoShow, now: Instant) -> list[NewEntry]:
    """House decision: the one who came gets what a bye gives, the absent one loses and is dropped."""
    match = _waiting(state, command.match)
    pair = (match.match.a, match.match.b)
    if command.absent not in pair:
        raise Problem("unknown_competitor", competitor=command.absent)
    if not state.entrants[command.absent].at_the_table:
        # They were there, and have left: the match waits for its figures.
        raise Problem("already_left", competitor=command.absent)
    present = pair[1] if pair[0] == command.absent else pair[0]
    return [NewEntry("no-show", {"match": match.id, "present": present, "absent": command.absent})]


def nobody_came(state: EventState, command: c.NobodyCame, now: Instant) -> list[NewEntry]:
    """If both stay away both lose and are dropped (house decision); also where the first absence was noted before."""
    round_state, match = find_match(state, command.match)
    if match.drawn is not None and match.match.b is None and round_state.status == PUBLISHED:
        return [undoing(state, match), NewEntry("nobody-came", {"match": match.id})]
    return [NewEntry("nobody-came", {"match": _waiting(state, command.match).id})]


def _waiting(state: EventState, match_id: str) -> MatchState:
    """A match of the round in play of which nobody has said anything."""
    round_state, match = find_match(state, match_id)
    if round_state.status != PUBLISHED or match.match.b is None:
        raise Problem("no_show_only_in_play")
    if match.match.result is not None or match.reports:
        raise Problem("no_show_has_result", table=match.match.table)
    return match


def no_show_undone(state: EventState, command: c.NoShowUndone, now: Instant) -> list[NewEntry]:
    """While the round runs the absent one may be there after all: back in the event, in the pairing as it was drawn."""
    round_state, match = find_match(state, command.match)
    if match.drawn is None or round_state.status != PUBLISHED:
        raise Problem("no_absence")
    return [undoing(state, match, command.busy_tables)]


def undoing(state: EventState, match: MatchState, busy: Collection[int] = frozenset()) -> NewEntry:
    """The entry that restores a match which somebody did not come to. Raises Problem where one of the two has left
    since, was disqualified, or has met somebody else as a latecomer."""
    drawn = match.drawn
    assert drawn is not None
    assert drawn.b is not None
    alone = match.match.a if match.match.b is None else None
    absent = [who for who in (drawn.a, drawn.b) if who != alone]
    for who in (drawn.a, drawn.b):
        entrant = state.entrants[who]
        if entrant.disqualified_after is not None:
            raise Problem("disqualified_stays_out", competitor=who)
        if who == alone and not entrant.at_the_table:
            raise Problem("already_left", competitor=who)
    if alone is not None and not _sits_out(state, match, absent[0]):
        raise Problem("no_absence")
    return NewEntry("no-show-undone", {"match": match.id, "absent": absent, "table": _table(state, match, busy)})


def _sits_out(state: EventState, match: MatchState, who: str) -> bool:
    return any(m.match.a == who and m.match.bye == UNPAIRED_LOSS
               for r in state.public_rounds if match.id.startswith(f"{r.number}.") for m in r.matches)


def _table(state: EventState, match: MatchState, busy: Collection[int]) -> int | None:
    """Its own; where that was given away, the lowest that is free."""
    assert match.drawn is not None
    assert state.live is not None
    taken = {m.match.table for m in state.live.matches if m.id != match.id} | set(busy)
    if match.drawn.table not in taken:
        return match.drawn.table
    taken |= {entrant.fixed_table for entrant in state.entrants.values()}
    return next(number for number in range(1, len(taken) + 2) if number not in taken)
