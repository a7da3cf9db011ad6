"""Whose view a commit may have changed, told by what two snapshots share: the fold keeps what an entry left alone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields, replace

from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_hub.journal.service import Snapshot

SEEN_BY_NOBODY = frozenset({"number", "head", "fates", "late", "rounds"})
"""What a view does not show of an event; its rounds are compared one by one."""
OF_THE_EVENT = tuple(field.name for field in fields(EventState) if field.name not in SEEN_BY_NOBODY)
OF_THE_ROUND = tuple(field.name for field in fields(RoundState) if field.name != "matches")


@dataclass(frozen=True, slots=True)
class TableChanges:
    """`events`: every table that shows, or showed, one of these; `tables`: these by their number; `units`: these,
    whatever they show."""

    events: frozenset[str] = frozenset()
    tables: frozenset[int] = frozenset()
    units: frozenset[str] = frozenset()


def table_changes(before: Snapshot, after: Snapshot) -> TableChanges:
    """Everything that may show otherwise `after`; rather too much than too little.

    Compared is which objects are the same: whatever was computed anew counts as changed. So nothing is missed when
    entries get a new kind, when several commits come at once, or when the journal was read again.
    """
    events: set[str] = set()
    tables: set[int] = set()
    for event_id in {**before.events, **after.events} if before.events is not after.events else ():
        was, now = before.events.get(event_id), after.events.get(event_id)
        if was is now:
            continue
        changed = _tables_of(was, now) if was is not None and now is not None else None
        if changed is None:
            events.add(event_id)
        else:
            tables.update(changed)
    for was_said, now_said in ((before.names, after.names), (before.people, after.people)):
        if was_said is not now_said:
            events.update(event for event in {**was_said, **now_said} if was_said.get(event) is not now_said.get(event))
    return TableChanges(frozenset(events), frozenset(tables), _moved(before, after))


def _moved(before: Snapshot, after: Snapshot) -> frozenset[str]:
    was, now = before.venue.tables, after.venue.tables
    if was is now:
        return frozenset()
    return frozenset(unit for unit in {**was, **now} if was.get(unit) != now.get(unit))


def _tables_of(was: EventState, now: EventState) -> Collection[int] | None:
    """The tables whose matches changed by themselves; None where the change concerns the whole event."""
    if any(getattr(was, name) is not getattr(now, name) for name in OF_THE_EVENT):
        return None
    if was.rounds is now.rounds:
        return ()
    if len(was.rounds) != len(now.rounds):
        return None
    tables: set[int] = set()
    latest = len(now.public_rounds) - 1
    for index, (round_was, round_now) in enumerate(zip(was.rounds, now.rounds, strict=True)):
        if round_was is round_now:
            continue
        # An earlier round says what a squad has to field and where the bracket stands, at every table.
        if index != latest or any(getattr(round_was, name) is not getattr(round_now, name) for name in OF_THE_ROUND):
            return None
        if len(round_was.matches) != len(round_now.matches):
            return None
        for match_was, match_now in zip(round_was.matches, round_now.matches, strict=True):
            if match_was is match_now:
                continue
            if not _only_played(match_was, match_now):
                return None
            if match_now.match.table is not None:
                tables.add(match_now.match.table)
    return tables


def _only_played(was: MatchState, now: MatchState) -> bool:
    """Whether the same two still meet at the same table: reports and results are nobody else's, while who meets whom,
    and who has a bye, says how large a bracket is."""
    return replace(was.match, result=None) == replace(now.match, result=None)
