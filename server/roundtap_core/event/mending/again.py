"""Pairing again what must change: who waits in a round that is drawn is paired, and as few others as possible move."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from roundtap_core.errors import Problem
from roundtap_core.event.mending.mend import Changed
from roundtap_core.event.mending.seat_changes import changed_to, free_table, missed, new_ids
from roundtap_core.event.mending.waiting import LEFT, UNPAIRED, movable, waiting
from roundtap_core.event.mending.warned import met_in, totals_before
from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_core.pairing.field import Pairs
from roundtap_core.pairing.smallest_change import Bound, smallest_change
from roundtap_core.records import BYE, NO_SHOW, UNPAIRED_LOSS, Match

Waits = Mapping[str, tuple[str, MatchState | None]]


class Again(Struct, frozen=True):
    """What must change; `conceded` are those who lose a win that the other one's leaving had given them."""

    changes: tuple[Changed, ...]
    gone: tuple[str, ...]
    conceded: tuple[str, ...]


def again(state: EventState, played: RoundState, busy: Collection[int]) -> Again:
    """The smallest change after which at most one stays alone. Problem("mend_nothing") where nobody has to be paired:
    nobody waits, or one does who has the points of a bye already."""
    waits = waiting(state, played)
    if not waits or (len(waits) == 1 and next(iter(waits.values()))[0] not in (UNPAIRED, UNPAIRED_LOSS)):
        raise Problem("mend_nothing")
    open_ = [m for m in played.matches if movable(m) and not {m.match.a, m.match.b} & set(waits)
             and all(state.entrants[who].active for who in (m.match.a, m.match.b or ""))]
    ids = [who for who in state.entrants if who in waits
           or any(who in (m.match.a, m.match.b) for m in open_)]
    place = {who: i for i, who in enumerate(ids)}
    kept: Pairs = [(place[m.match.a], place[m.match.b or ""]) for m in open_]
    pairs, alone = smallest_change([place[who] for who in waits], kept, _bound(state, played, ids, waits))
    there = {frozenset(pair) for pair in kept}
    new = [(ids[a], ids[b]) for a, b in pairs if frozenset((a, b)) not in there]
    changes, gone = _seated(state, played, waits, new, ids[alone] if alone is not None else None, busy)
    if not changes:
        raise Problem("mend_nothing")
    met_anew = {who for pair in new for who in pair}
    conceded = tuple(who for who, (why, _) in waits.items() if why == LEFT and who in met_anew)
    return Again(tuple(changes), tuple(gone), conceded)


def _bound(state: EventState, played: RoundState, ids: list[str], waits: Waits) -> Bound:
    totals = totals_before(state, played.number)
    place = {who: i for i, who in enumerate(ids)}
    met: list[set[int]] = [set() for _ in ids]
    for pair in met_in(state, played):
        if pair <= place.keys():
            a, b = (place[who] for who in pair)
            met[a].add(b)
            met[b].add(a)
    # Who came together counts in round 1 alone.
    came: dict[str, set[int]] = {}
    for who in ids if played.number == 1 else ():
        if (with_whom := state.entrants[who].came_with) is not None:
            came.setdefault(with_whom, set()).add(place[who])
    points = sorted({totals[who].points for who in ids}, reverse=True)
    group = {value: place for place, value in enumerate(points)}
    # Who stays alone: the fewest points; whoever stands alone already rather than somebody else.
    order = sorted(ids, key=lambda who: (totals[who].points, waits.get(who, ("",))[0] != BYE, who not in waits))
    alone = {who: place for place, who in enumerate(order)}
    return Bound(
        met=met,
        together=[came.get(state.entrants[who].came_with or "", set()) - {place[who]} for who in ids],
        group=[group[totals[who].points] for who in ids],
        # Who has the points of a bye in this round already is given nothing new.
        byes=[0 if waits.get(who, ("",))[0] in (BYE, NO_SHOW, LEFT) else totals[who].byes for who in ids],
        alone=[alone[who] for who in ids],
    )


def _seated(state: EventState, played: RoundState, waits: Waits, pairs: list[tuple[str, str]], alone: str | None,
            busy: Collection[int]) -> tuple[list[Changed], list[str]]:
    """The new pairs at the tables of those that are broken up, each where one of them sat already, if that can be."""
    seats = {who: m for m in played.matches for who in (m.match.a, m.match.b) if who is not None}
    moved = {who for pair in pairs for who in pair}
    entries = {m.id: m for who in moved if (m := seats.get(who)) is not None}
    ids = new_ids(played)
    changes: list[Changed] = []
    rest: list[tuple[str, str]] = []
    for a, b in pairs:
        own = next((m for who in (a, b) if (m := seats.get(who)) is not None and m.match.b is not None
                    and m.id in entries), None)
        if own is None:
            rest.append((a, b))
            continue
        del entries[own.id]
        pair = (a, b) if own.match.a == a or own.match.b == b else (b, a)
        changes.append(changed_to(own, Match(*pair, own.match.table)))
    for a, b in rest:
        own = next((m for who in (a, b) if (m := seats.get(who)) is not None and m.id in entries), None)
        given_up = [m.match.table for m in entries.values() if m.match.table is not None]
        held = [change.match.table for change in changes if change.match.table is not None]
        pair_match = Match(a, b, free_table(state, played, (a, b), {*busy, *held}, given_up))
        if own is None:
            changes.append(Changed(next(ids), pair_match, None))
        else:
            del entries[own.id]
            changes.append(changed_to(own, pair_match))
    changes += [Changed(next(ids), missed(who), None, m.revision + 1)
                for m in played.matches if m.match.b is not None and moved & {m.match.a, m.match.b}
                for who in (m.match.a, m.match.b) if not state.entrants[who].active]
    changes += _alone(seats, waits, alone, ids)
    return changes, list(entries)


def _alone(seats: Mapping[str, MatchState], waits: Waits, alone: str | None, ids: Iterator[str],
           ) -> list[Changed]:
    """Who stays alone has the bye, unless they have the points of one already."""
    if alone is None or waits.get(alone, ("",))[0] not in ("", UNPAIRED, UNPAIRED_LOSS):
        return []
    bye = Match(alone, bye=BYE)
    own = seats.get(alone)
    if own is not None and own.match.b is None:
        return [changed_to(own, bye)]
    return [Changed(next(ids), bye, None)]
