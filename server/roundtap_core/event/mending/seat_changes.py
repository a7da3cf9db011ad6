"""The arithmetic of a mended round: who sits where after a swap, at which table a new pair meets, what notes say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from roundtap_core.errors import Problem
from roundtap_core.event.mending.mend import Changed
from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_core.records import BYE, UNPAIRED_LOSS, Match


def with_other(match: Match, leaves: str, comes: str) -> Match:
    """The match with `comes` in the place of `leaves`; what was said of the squads was said by who left."""
    if match.a == leaves:
        return replace(match, a=comes, result=None, picks=None)
    return replace(match, b=comes, result=None, picks=None)


def changed_to(was: MatchState, now: Match) -> Changed:
    return Changed(was.id, now, was.match, was.revision)


def new_ids(played: RoundState) -> Iterator[str]:
    """Ids of entries to come, beyond those there are: one that was taken out leaves a gap."""
    last = max((int(m.id.partition(".")[2]) for m in played.matches), default=0)
    while True:
        last += 1
        yield f"{played.number}.{last}"


def missed(who: str) -> Match:
    """What stands for a round that somebody is no part of."""
    return Match(who, bye=UNPAIRED_LOSS)


def free_table(state: EventState, played: RoundState, who: Sequence[str], busy: Collection[int],
               given_up: Collection[int] = ()) -> int:
    """A fixed table of one of them, else one that this mend gives up, else the lowest free one that is fixed for
    nobody else. `busy`: not to be had in any case."""
    taken = ({m.match.table for m in played.matches} - set(given_up)) | set(busy)
    fixed = {entrant.fixed_table: entrant.id for entrant in state.entrants.values() if entrant.active}
    for own in who:
        table = state.entrants[own].fixed_table
        if table is not None and table not in taken:
            return table
    for table in sorted(given_up):
        if table not in taken and fixed.get(table) in (None, *who):
            return table
    return next(n for n in range(1, len(taken) + len(fixed) + 2) if n not in taken and n not in fixed)


def refuse_taken(played: RoundState, table: int, busy: Collection[int], but: Collection[str] = ()) -> None:
    """Problem("mend_table_taken") where another match of the round, beside those of the ids `but`, or another event
    has the table."""
    if table in busy or any(m.match.table == table and m.id not in but for m in played.matches):
        raise Problem("mend_table_taken", table=table)


def notes_after(state: EventState, played: RoundState, changes: Sequence[Changed], gone: Collection[str],
                met: Mapping[frozenset[str], int], points: Mapping[str, int]) -> dict[str, Any]:
    """What the draw noted, where that is no longer so: repeats, floats and why somebody has the bye."""
    if "repeats" not in played.notes:
        return dict(played.notes)
    now = {change.id: change.match for change in changes}
    matches = [now.pop(m.id, m.match) for m in played.matches if m.id not in gone] + list(now.values())
    pairs = [(match.a, match.b) for match in matches if match.b is not None]
    repeated = [{"a": a, "b": b} for a, b in pairs if frozenset((a, b)) in met]
    floats: list[dict[str, Any]] = []
    for a, b in pairs:
        upper, lower = (a, b) if points.get(a, 0) > points.get(b, 0) else (b, a)
        if points.get(upper, 0) != points.get(lower, 0):
            floats.append({"competitor": upper, "from": points.get(upper, 0), "to": points.get(lower, 0)})
    floats.sort(key=lambda line: (-line["from"], -line["to"]))
    bye = played.notes.get("bye")
    if bye is not None and not any(m.a == bye["competitor"] and m.bye == BYE for m in matches):
        bye = None
    kept = {key: value for key, value in played.notes.items()
            if key not in ("repeats", "repeated", "repeat_ahead", "floats", "bye")}
    return {**kept, "repeats": len(repeated), "bye": bye, "floats": floats,
            **({"repeated": repeated} if repeated else {})}
