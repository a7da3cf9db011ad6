"""Everything saved, at one moment: the venue, its events, the people in them and the names that the hall reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from roundtap_core.event.person import Person
from roundtap_core.event.state import EventState, event_names
from roundtap_hub.journal.venue import Venue


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything saved, at one moment. Frozen: any thread may read it."""

    venue: Venue = field(default_factory=Venue)
    events: Mapping[str, EventState] = field(default_factory=dict)
    people: Mapping[str, Mapping[str, Person]] = field(default_factory=dict)
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Everybody's name as shown in public, by event and competitor."""

    def event(self, event_id: str) -> EventState | None:
        """The event, or None where there is none of this id."""
        return self.events.get(event_id)

    def with_event(self, state: EventState) -> Snapshot:
        """The snapshot with this event as it is now."""
        return replace(self, events={**self.events, state.id: state})

    def with_person(self, event_id: str, competitor: str, person: Person) -> Snapshot:
        """The snapshot with this person as they are now."""
        of_event = {**self.people.get(event_id, {}), competitor: person}
        return replace(self, people={**self.people, event_id: of_event})

    def with_names(self, before: Snapshot | None = None) -> Snapshot:
        """The names worked out, where what they depend on has changed since `before`."""
        names = {
            event_id: before.names[event_id] if before and self._named_alike(before, event_id)
            else event_names(state, self.people.get(event_id, {}))
            for event_id, state in self.events.items()
        }
        return replace(self, names=names)

    def _named_alike(self, before: Snapshot, event_id: str) -> bool:
        was, now = before.events.get(event_id), self.events[event_id]
        return (was is not None and was.entrants is now.entrants and was.given_options is now.given_options
                and before.people.get(event_id) is self.people.get(event_id))
