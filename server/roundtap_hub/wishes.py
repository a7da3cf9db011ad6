"""Wishes to leave, from a table's unit and from phones: one a person, until it is granted, refused or taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from roundtap_core.event.entries import Entry
from roundtap_core.event.state import EventState, MatchState
from roundtap_core.records import SIDES
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.presence import LEAVE, Presence, UnitStatus, asked_of

GRANTING = frozenset({"competitor-dropped", "competitor-disqualified"})
"""Entries after which somebody is gone."""

Units = Mapping[str, UnitStatus]


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
    for played in reversed(state.public_rounds):
        for match in played.matches:
            for side in SIDES:
                if match.match.competitor(side) == who:
                    return match, side
    return None, ""


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
        snapshot = self._snapshot()
        state = snapshot.events.get(event_id)
        for wish in wishes_of(snapshot, self._presence.units, state) if state is not None else ():
            if wish.competitor == competitor:
                for source in wish.sources:
                    kind, _, unit = source.partition(":")
                    if kind == "unit":
                        self._presence.refuse_leave(unit, wish.side)

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
