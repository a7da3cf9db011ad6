"""What people ask for, at a table's unit and by phone: a judge, one call a match, open until a judge or the result
settles it; to leave, one wish a person, until it is granted, refused or taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from roundtap_core.event.entries import Entry
from roundtap_core.event.state import PUBLISHED, EventState, MatchState
from roundtap_core.records import SIDES
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.presence import CALL, LEAVE, Asked, Presence, UnitStatus, asked_of

CLOSING = frozenset({"report", "result-entered"})
"""Entries after which a result may stand."""
ECHOED_MS = 2000
"""A call made just before the result stays: its table may not know yet that it was heard, and would go on calling."""

GRANTING = frozenset({"competitor-dropped", "competitor-disqualified"})
"""Entries after which somebody is gone."""

Units = Mapping[str, UnitStatus]


@dataclass(frozen=True, slots=True)
class Call:
    """A judge is wanted at a match. `since_ms`: the hub's monotonic milliseconds of whoever called first; `sources`:
    "unit:unit-1", "phone:p3"; `taken_by`: by what name the one is known who goes there."""

    event: str
    match: str
    table: int | None
    since_ms: int
    sources: frozenset[str]
    taken_by: str | None = None


def call_at(snapshot: Snapshot, units: Units, event_id: str, match: MatchState) -> Call | None:
    """The call for this match; what a unit says is of the match at its table."""
    table = match.match.table
    unit = snapshot.venue.unit_at(table) if table is not None else None
    status = units.get(unit) if unit is not None else None
    asked = [each] if (each := asked_of(units).get((CALL, event_id, match.id))) is not None else []
    if status is not None and status.call_since_ms is not None:
        asked.insert(0, Asked(status.call_since_ms, frozenset({f"unit:{unit}"}), status.call_taken_by))
    if not asked:
        return None
    return Call(event_id, match.id, table, min(each.since_ms for each in asked),
                frozenset().union(*(each.sources for each in asked)),
                next((each.taken_by for each in asked if each.taken_by), None))


def calls_of(snapshot: Snapshot, units: Units, state: EventState) -> Iterator[Call]:
    """All calls of an event: from the tables of its newest round, and what phones asked about any match."""
    played = state.public_rounds
    matches = {match.id: match for match in (played[-1].matches if played and not state.finished else ())}
    for kind, event_id, match_id in asked_of(units):
        found = state.find_match(match_id) if kind == CALL and event_id == state.id else None
        if found is not None:
            matches.setdefault(match_id, found[1])
    for match in matches.values():
        call = call_at(snapshot, units, state.id, match)
        if call is not None:
            yield call


class Calls:
    """Of one hub; any thread may ask and tell."""

    def __init__(self, presence: Presence, snapshot: Callable[[], Snapshot], now_ms: Callable[[], int]) -> None:
        self._presence, self._snapshot, self._now_ms = presence, snapshot, now_ms

    def open(self, event_id: str, match_id: str, source: str) -> None:
        """A judge is wanted; from the same source again it is the same call. A unit's calls come with its status."""
        self._presence.ask((CALL, event_id, match_id), source, self._now_ms())

    def cancel(self, event_id: str, match_id: str, source: str) -> None:
        """This source wants nobody any more; others may."""
        self._presence.take_back((CALL, event_id, match_id), source)

    def take(self, event_id: str, match_id: str, by: str) -> None:
        """Somebody goes there: table and phones say who."""
        self._presence.answer((CALL, event_id, match_id), taken_by=by)
        unit = self._unit_at(event_id, match_id)
        if unit is not None:
            self._presence.take_call(unit, by)

    def close(self, event_id: str, match_id: str, until_ms: int | None = None) -> None:
        """It is settled. `until_ms`: only what was called before then."""
        self._presence.settle((CALL, event_id, match_id), until_ms)
        unit = self._unit_at(event_id, match_id)
        if unit is not None:
            self._presence.close_call(unit, until_ms)

    def close_shown(self, event_id: str, match_id: str, since_ms: int | None) -> None:
        """Whoever looks at the call that began at `since_ms` says that it is settled; of another one that was made
        meanwhile they know nothing. None: whichever there is."""
        shown = next((call for call in self.of(event_id) if call.match == match_id), None)
        if since_ms is None or shown is None or shown.since_ms == since_ms:
            self.close(event_id, match_id)

    def of(self, event_id: str) -> tuple[Call, ...]:
        """Open calls, the oldest first."""
        snapshot = self._snapshot()
        state = snapshot.events.get(event_id)
        found = calls_of(snapshot, self._presence.units, state) if state is not None else ()
        return tuple(sorted(found, key=lambda call: (call.since_ms, call.match)))

    def _unit_at(self, event_id: str, match_id: str) -> str | None:
        snapshot = self._snapshot()
        state = snapshot.events.get(event_id)
        found = state.find_match(match_id) if state is not None else None
        table = found[1].match.table if found is not None else None
        return snapshot.venue.unit_at(table) if table is not None else None


def close_settled_calls(presence: Presence, snapshot: Snapshot, entries: Sequence[Entry]) -> None:
    """End the call of each match that these entries have settled; one made since then is about something else.

    Runs after a commit: a result that was not saved closes nothing.
    """
    for entry in entries:
        state = snapshot.events.get(entry.stream)
        if entry.kind == "event-finished":
            presence.forget_asked(entry.stream)
        if entry.kind not in CLOSING or state is None:
            continue
        found = state.find_match(str(entry.data["match"]))
        if found is None or found[0].status != PUBLISHED or not found[1].done:
            continue
        presence.settle((CALL, state.id, found[1].id), entry.at.mono_ms)
        table = found[1].match.table
        unit = snapshot.venue.unit_at(table) if table is not None else None
        status = presence.status_of(unit) if unit is not None else None
        if status is not None and status.match == found[1].id:
            presence.close_call(status.unit, entry.at.mono_ms - ECHOED_MS)


@dataclass(frozen=True, slots=True)
class Wish:
    """Somebody wants to leave the event. `sources`: "unit:unit-1", "phone:p3"; `refused`: an official wants them to
    stay, and table and phone say so. `match`: where they sit or sat, with its table; None before round 1."""

    event: str
    competitor: str
    sources: frozenset[str]
    refused: bool = False
    match: MatchState | None = None
    side: str = ""
    since_ms: int | None = None
    """When it was first asked by phone; None where only a unit said so."""


def wishes_of(snapshot: Snapshot, units: Units, state: EventState) -> Iterator[Wish]:
    """Everybody who wants to leave and has not left, the refused too; in the order of their names' ids."""
    by_unit = dict(_by_units(snapshot, units, state))
    by_phone = {who: asked for (kind, event_id, who), asked in asked_of(units).items()
                if kind == LEAVE and event_id == state.id}
    for who in sorted({*by_unit, *by_phone}):
        entrant = state.entrants.get(who)
        if entrant is None or not entrant.active:
            continue
        match, side, sources, refused = by_unit.get(who) or (*_seat(state, who), frozenset(), True)
        asked = by_phone.get(who)
        if asked is not None:
            # Whoever asks at the table after the phone's wish was refused asks anew.
            sources, refused = sources | asked.sources, refused and asked.refused
        yield Wish(state.id, who, sources, refused, match, side, asked.since_ms if asked is not None else None)


def _by_units(snapshot: Snapshot, units: Units,
              state: EventState) -> Iterator[tuple[str, tuple[MatchState | None, str, frozenset[str], bool]]]:
    """Who asked at the table. The match says who sat there."""
    for unit, status in sorted(units.items()):
        found = state.find_match(status.match) if status.leave and status.match else None
        if found is None or found[1].match.table != snapshot.venue.tables.get(unit):
            continue
        for side in SIDES:
            who = found[1].match.competitor(side)
            if side in status.leave and who is not None:
                yield who, (found[1], side, frozenset({f"unit:{unit}"}), side in status.leave_refused)


def _seat(state: EventState, who: str) -> tuple[MatchState | None, str]:
    """The newest match of somebody, and the side."""
    return next(((match, side) for played in reversed(state.public_rounds) for match in played.matches
                 for side in SIDES if match.match.competitor(side) == who), (None, ""))


class Wishes:
    """Of one hub; any thread may ask and tell."""

    def __init__(self, presence: Presence, snapshot: Callable[[], Snapshot], now_ms: Callable[[], int]) -> None:
        self._presence, self._snapshot, self._now_ms = presence, snapshot, now_ms

    def ask(self, event_id: str, competitor: str, source: str) -> None:
        """Somebody wants to leave. A unit's wishes come with its status."""
        self._presence.ask((LEAVE, event_id, competitor), source, self._now_ms())

    def take_back(self, event_id: str, competitor: str, source: str) -> None:
        """They stay after all, as far as this source says."""
        self._presence.take_back((LEAVE, event_id, competitor), source)

    def refuse(self, event_id: str, competitor: str) -> None:
        """An official wants them to stay: table and phone say so."""
        self._presence.answer((LEAVE, event_id, competitor), refused=True)
        for wish in self.of(event_id):
            for source in wish.sources if wish.competitor == competitor else ():
                if source.startswith("unit:"):
                    self._presence.refuse_leave(source.removeprefix("unit:"), wish.side)

    def of(self, event_id: str) -> tuple[Wish, ...]:
        """All wishes of an event, the refused too."""
        snapshot = self._snapshot()
        state = snapshot.events.get(event_id)
        return tuple(wishes_of(snapshot, self._presence.units, state)) if state is not None else ()


def close_granted_wishes(presence: Presence, entries: Sequence[Entry]) -> None:
    """Whoever has left wants to no more: who comes back is not asked about what they wanted before."""
    for entry in entries:
        if entry.kind in GRANTING:
            presence.settle((LEAVE, entry.stream, str(entry.data["competitor"])))
