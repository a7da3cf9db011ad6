"""When things happened in an event: the time of each entry, the entries that published, started and closed a round, and
what the staff did last."""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace

from roundtap_core.clock import IDLE, RUNNING
from roundtap_core.event.entries import Entry, Timestamp
from roundtap_core.event.states import ROLES, EventState
from roundtap_core.event.undo import Act, Newest, past_entry
from roundtap_hub.store.journal import START, Head
from roundtap_hub.store.service import Service

EVENTS_MAX = 16  # events whose times are cached; others are read again on demand
ACTS_MAX = 20
STAFF = frozenset({*ROLES, "scorekeeper"})  # whose acts they are: the roles of those with a PIN (http/routes.py)


@dataclass(slots=True)
class EventTimes:
    """`at`: by entry number, append-only; `published`, `started`, `closed`: entry number by round number. All of it up
    to the entry `head`, with round `live` in play. `acts`: the last of the staff's, in order."""

    at: dict[int, Timestamp] = field(default_factory=dict)
    published: dict[int, int] = field(default_factory=dict)
    started: dict[int, int] = field(default_factory=dict)
    closed: dict[int, int] = field(default_factory=dict)
    head: Head = START
    live: int = 0
    acts: tuple[Act, ...] = ()
    newest: Newest = field(default_factory=dict)

    def copy(self) -> "EventTimes":
        """A copy that does not change with later entries."""
        return replace(self, published={**self.published}, started={**self.started}, closed={**self.closed})

    def apply_entry(self, entry: Entry) -> None:
        self.head = Head(entry.number, entry.hash)
        self.at[entry.number] = entry.at
        data, past = entry.data, past_entry(entry, self.newest)
        if entry.actor.partition(":")[0] in STAFF:
            last = self.acts[-1] if self.acts else ()
            # What was asked for together has one time.
            goes_on = last and (last[-1].entry.actor, last[-1].entry.at) == (entry.actor, entry.at)
            self.acts = (*self.acts[: len(self.acts) - bool(goes_on)], (*(last if goes_on else ()), past))[-ACTS_MAX:]
        if entry.kind in ("round-published", "round-imported"):
            self.live = data["number"]
            self.published[self.live] = entry.number
            self.started.pop(self.live, None)
        elif entry.kind in ("round-unpublished", "round-withdrawn"):
            self.published.pop(data.get("number", self.live), None)
            self.started.pop(data.get("number", self.live), None)
        elif entry.kind == "round-closed":
            self.closed[data.get("number", self.live)] = entry.number
        elif entry.kind == "clock-set" and data["state"] == RUNNING:
            self.started.setdefault(self.live, entry.number)
        elif entry.kind == "clock-set" and data["state"] == IDLE:
            self.started.pop(self.live, None)


class EventTimesCache:
    """The times of recently used events, read on from where they were last asked for. Any thread may ask."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._known: OrderedDict[str, EventTimes] = OrderedDict()

    def of(self, state: EventState) -> EventTimes:
        """The times at least up to the state. Raises Problem("journal_broken") if the entries cannot be read."""
        with self._lock:
            times = self._known.setdefault(state.id, EventTimes())
            self._known.move_to_end(state.id)
            if times.head.number < state.number:
                for entry in self._service.entries(state.id, times.head):
                    times.apply_entry(entry)
            while len(self._known) > EVENTS_MAX:
                self._known.popitem(last=False)
            return times.copy()
