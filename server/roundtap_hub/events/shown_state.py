"""What a page's buttons were shown for: the marks that their forms send back."""

from __future__ import annotations

from functools import cached_property

from roundtap_core.event.stale_check import CLOCK, COURSE, LOG, WARNED, open_seats, person_mark, state_mark
from roundtap_core.event.state import EventState, MatchState
from roundtap_hub.events.event_at import EventAt
from roundtap_hub.serving.memoized import memoized


@memoized
def _course(moment: EventAt) -> str:
    """A digest of every result of the event: worked out once for all who look at it."""
    return state_mark(moment.state, COURSE)


class StepMarks:
    """The marks of one event at the moment of a page (event/stale_check.py); each worked out when first asked for."""

    def __init__(self, state: EventState) -> None:
        self._state = state

    @cached_property
    def course(self) -> str:
        """Of draw, publish, cut, finish, and what takes them back."""
        return _course(EventAt(self._state))

    @cached_property
    def clock(self) -> str:
        """Of everything that moves the clock."""
        return state_mark(self._state, CLOCK)

    def person(self, competitor: str) -> str:
        """Of whoever leaves, comes back or is disqualified."""
        return person_mark(self._state, competitor, self._seats.get(competitor))

    def warned(self, competitor: str) -> str:
        """Of one more warning, or proposal: pressed twice it is one."""
        return state_mark(self._state, f"{WARNED}{competitor}")

    def log(self, match: str) -> str:
        """Of what is noted at a match: a ruling, an appeal and its end, minutes given back."""
        return state_mark(self._state, f"{LOG}{match}")

    @cached_property
    def _seats(self) -> dict[str, MatchState]:
        return open_seats(self._state)
