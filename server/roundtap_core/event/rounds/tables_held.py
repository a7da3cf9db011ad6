"""The tables of one hall: which of them an event holds, and moving a round away from those that others play at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import count

from roundtap_core.errors import Problem
from roundtap_core.event.state import EventState, RoundState


def tables_in_play(state: EventState) -> frozenset[int]:
    """Tables of the round that everybody sees: theirs until it closes, also where a result is in."""
    return _tables(state.live)


def tables_drafted(state: EventState) -> frozenset[int]:
    """Tables of a drawn round that nobody but the organizer has seen."""
    return _tables(state.draft)


def _tables(played: RoundState | None) -> frozenset[int]:
    return frozenset(m.match.table for m in (played.matches if played else ()) if m.match.table is not None)


def clashing_tables(draft: RoundState, taken: Mapping[int, str]) -> dict[int, str]:
    """Tables of the drawn round at which another event plays, and that event's name; by table."""
    return {table: taken[table] for table in sorted(_tables(draft)) if table in taken}


def refuse_shared_tables(draft: RoundState, taken: Mapping[int, str]) -> None:
    """Problem("tables_taken") where the round would be published at tables of another event."""
    clash = clashing_tables(draft, taken)
    if clash:
        raise Problem("tables_taken", tables=", ".join(map(str, clash)), event=", ".join(dict.fromkeys(clash.values())))


def moves(state: EventState, tables: Iterable[int], busy: Collection[int]) -> dict[int, int]:
    """Where a round at `tables` goes: each table that is busy, to the lowest one that is free. The others stay, and
    nobody comes to a table that is fixed for somebody."""
    tables = sorted(tables)
    fixed = {entrant.fixed_table for entrant in state.entrants.values()}
    free = (number for number in count(1) if number not in tables and number not in busy and number not in fixed)
    return {table: next(free) for table in tables if table in busy}


def draft_moves(state: EventState, busy: Collection[int]) -> dict[int, int]:
    """Where the drawn round's tables go (see `moves`); empty without a draft, or where nothing is busy."""
    return moves(state, tables_drafted(state), busy)
