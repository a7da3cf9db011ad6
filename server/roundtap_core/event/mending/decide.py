"""Deciding on mends: what each would change (`mend_of`, for whoever shows it before), and the entries of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from roundtap_core.clock import IDLE, Instant
from roundtap_core.errors import Problem
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.judging.officials import roles_of
from roundtap_core.event.lookups import written
from roundtap_core.event.mending import commands as c
from roundtap_core.event.mending.again import again
from roundtap_core.event.mending.mend import (
    AGAIN,
    BYE_GIVEN,
    IMPOSED,
    PAIR,
    SWAP,
    TABLE,
    UNPUBLISH,
    WITHDRAW,
    Changed,
    Mend,
    Warned,
    match_to_json,
    refuse_unless_shown,
)
from roundtap_core.event.mending.seat_changes import (
    changed_to,
    free_table,
    missed,
    new_ids,
    notes_after,
    refuse_taken,
    with_other,
)
from roundtap_core.event.mending.waiting import (
    LEFT,
    has_word,
    mendable_round,
    refuse_fixed_pairing,
    refuse_judged,
    refuse_said,
    seat_of,
    the_waiting,
    waiting,
)
from roundtap_core.event.mending.warned import met_in, totals_before, warnings_of
from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_core.records import BYE, NO_SHOW, WON_BYE, Match

MendCommand = c.SwapSeats | c.MoveToTable | c.PairWaiting | c.GiveBye | c.PairAgain | c.UnpublishRound


def mend_of(state: EventState, command: MendCommand) -> Mend:
    """What the command would do to the round; Problem where it cannot be done. Reason and plan are not looked at."""
    return _MENDS[type(command)](state, command)


def mended(state: EventState, command: MendCommand, now: Instant) -> list[NewEntry]:
    """The entry of a mend that was shown as it is."""
    mend = mend_of(state, command)
    refuse_unless_shown(mend, command.plan)
    roles_of(state, command.by)
    reason = command.reason.strip() if isinstance(command, c.PairAgain) else written(command.reason)
    said = {"number": mend.number, "what": mend.what, "by": command.by, "reason": reason}
    if mend.what == WITHDRAW:
        return [NewEntry("round-withdrawn", said)]
    if mend.what == UNPUBLISH:
        return [NewEntry("round-unpublished", said)]
    paired = any(not change.same_pair for change in mend.changes)
    return [NewEntry("round-mended", {
        **said,
        "matches": [{"id": change.id, **match_to_json(change.match),
                     **({"revision": change.revision} if change.was is None and change.revision else {})}
                    for change in mend.changes],
        "gone": list(mend.gone),
        # Seed and attempt draw this round no longer.
        **({"notes": dict(mend.notes), "method": IMPOSED} if paired else {}),
    })]


def made(state: EventState, played: RoundState, what: str, changes: Sequence[Changed], gone: Sequence[str] = (),
         conceded: Sequence[str] = ()) -> Mend:
    """The step with all that is to be said of it."""
    points = {who: totals.points for who, totals in totals_before(state, played.number).items()}
    notes = notes_after(state, played, changes, gone, met_in(state, played), points)
    return Mend(played.number, what, tuple(changes), tuple(gone), warnings_of(state, played, changes, conceded), notes)


def _swap(state: EventState, command: c.SwapSeats) -> Mend:
    played = mendable_round(state, command.number)
    first, second = _two(command.who)
    one, two = seat_of(state, played, first), seat_of(state, played, second)
    refuse_fixed_pairing(played)
    if one.id == two.id:
        raise Problem("mend_meet_already")
    for match, who in ((one, first), (two, second)):
        refuse_said(match)
        refuse_judged(match)
        if match.match.bye == WON_BYE:
            raise Problem("won_bye_stays")
        if match.match.bye not in (None, BYE):
            raise Problem("mend_waits", competitor=who)
        for other in (match.match.a, match.match.b):
            if other is not None and not state.entrants[other].active:
                raise Problem("already_left", competitor=other)
    if one.match.bye == two.match.bye == BYE:
        raise Problem("mend_both_bye")
    return made(state, played, SWAP, [changed_to(one, with_other(one.match, first, second)),
                                      changed_to(two, with_other(two.match, second, first))])


def _two(who: Sequence[str]) -> tuple[str, str]:
    if len(who) != 2 or not all(who):
        raise Problem("mend_two")
    if who[0] == who[1]:
        raise Problem("mend_same_person")
    return who[0], who[1]


def _move(state: EventState, command: c.MoveToTable) -> Mend:
    played = mendable_round(state, command.number)
    match = next((m for m in played.matches if m.id == command.match), None)
    if match is None or match.match.b is None:
        raise Problem("unknown_match", match=command.match)
    if match.match.table == command.table:
        raise Problem("mend_same_table", table=command.table)
    refuse_said(match)
    there = next((m for m in played.matches if m.match.table == command.table and m.match.b is not None), None)
    changes = [changed_to(match, replace(match.match, table=command.table))]
    if there is not None:
        refuse_said(there)
        if match.match.table is None or match.match.table in command.busy_tables:
            raise Problem("mend_table_taken", table=command.table)
        changes.append(changed_to(there, replace(there.match, table=match.match.table)))
    refuse_taken(played, command.table, command.busy_tables, [change.id for change in changes])
    return made(state, played, TABLE, changes)


def _pair(state: EventState, command: c.PairWaiting) -> Mend:
    """The two meet. Who left one of them standing has missed the round; an entry that stood for one of them goes."""
    played = mendable_round(state, command.number)
    refuse_fixed_pairing(played)
    first, second = _two(command.who)
    waits = waiting(state, played)
    entries = [entry for who in (first, second) if (entry := the_waiting(waits, played, who)) is not None]
    given_up = [m.match.table for m in entries if m.match.table is not None]
    if command.table is not None:
        refuse_taken(played, command.table, command.busy_tables, [m.id for m in entries])
    table = command.table or free_table(state, played, (first, second), command.busy_tables, given_up)
    ids = new_ids(played)
    pair = Match(first, second, table)
    changes = [changed_to(entries[0], pair) if entries else Changed(next(ids), pair, None)]
    gone = [entry.id for entry in entries[1:]]
    conceded = [who for who in (first, second) if waits[who][0] == LEFT]
    changes += [Changed(next(ids), missed(left), None, entry.revision + 1)
                for entry in entries if (left := _who_left(state, entry)) is not None]
    return made(state, played, PAIR, changes, gone, conceded)


def _who_left(state: EventState, match: MatchState) -> str | None:
    if match.match.b is None:
        return None
    return next(who for who in (match.match.a, match.match.b) if not state.entrants[who].active)


def _give_bye(state: EventState, command: c.GiveBye) -> Mend:
    played = mendable_round(state, command.number)
    refuse_fixed_pairing(played)
    who = command.competitor
    waits = waiting(state, played)
    entry = the_waiting(waits, played, who)
    if waits[who][0] in (BYE, NO_SHOW, LEFT):
        raise Problem("mend_has_points", competitor=who)
    bye = Match(who, bye=BYE)
    change = changed_to(entry, bye) if entry is not None else Changed(next(new_ids(played)), bye, None)
    return made(state, played, BYE_GIVEN, [change])


def _again(state: EventState, command: c.PairAgain) -> Mend:
    played = mendable_round(state, command.number)
    refuse_fixed_pairing(played)
    found = again(state, played, command.busy_tables)
    return made(state, played, AGAIN, found.changes, found.gone, found.conceded)


def _unpublish(state: EventState, command: c.UnpublishRound) -> Mend:
    """While nobody has said anything and the clock stands as it was published."""
    played = state.live
    if played is None or played.number != command.number:
        raise Problem("mend_no_round", number=command.number)
    said = [m for m in played.matches if (m.match.b is not None and has_word(m)) or m.drawn is not None
            or m.match.bye == NO_SHOW]
    if said:
        raise Problem("unpublish_has_word", tables=", ".join(
            str(m.match.table or (m.drawn.table if m.drawn else None) or "–") for m in said[:8]))
    judged = [m for m in played.matches if m.log]
    if judged:
        raise Problem("mend_has_log", table=judged[0].match.table)
    if state.clock.state != IDLE:
        raise Problem("unpublish_clock_ran")
    lots = [Warned("lot_lost", (m.match.a, m.match.b or ""), m.match.table) for m in played.matches if m.lots]
    picks = [Warned("picks_lost", (m.match.a,)) for m in played.matches if m.match.picks is not None]
    if not command.withdrawn:
        # As a draft it keeps them, with everything else that was said of it.
        return Mend(played.number, UNPUBLISH)
    return Mend(played.number, WITHDRAW, warnings=(*lots, *picks))


_MENDS: Mapping[type, Callable[[EventState, Any], Mend]] = {
    c.SwapSeats: _swap,
    c.MoveToTable: _move,
    c.PairWaiting: _pair,
    c.GiveBye: _give_bye,
    c.PairAgain: _again,
    c.UnpublishRound: _unpublish,
}

DECIDE_MENDING: Mapping[type, Callable[[EventState, Any, Instant], list[NewEntry]]] = dict.fromkeys(_MENDS, mended)
