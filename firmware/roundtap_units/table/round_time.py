"""What is left of this table's round: by the hub's clock as round trips tell it, or by what was counted here before."""

from __future__ import annotations

from roundtap_core.view import ClockView, TableView
from roundtap_units.link.hub_time import HubTime

RUNNING, COUNTING = "running", "counting"
"""counting: the hub was restarted and asks its organizer how to go on; meanwhile a table counts on."""
COUNTS = (RUNNING, COUNTING)

_Match = tuple[str, str | None]


class RoundTime:
    """`left_ms` for the screen. `ends_here_ms`: when the round ends on this unit's own clock; None: not known.

    No message of the feed tells what time it is, only round trips do: before the first one there is nothing to show.
    deadline_here_ms: what was known before a restart of this unit, on a machine that was not started again since.
    """

    def __init__(self, hub: HubTime, deadline_here_ms: int | None = None) -> None:
        self._hub = hub
        self._before_ms = deadline_here_ms
        self._clock = ClockView()
        self._boots = hub.boots
        """How often the hub's machine had been started again when the view came."""
        self._match: _Match | None = None
        self._stored = False
        self._counted: tuple[_Match | None, int] | None = None

    @property
    def counts(self) -> bool:
        """Whether there is a clock at all."""
        return self._clock.state in COUNTS or (self._stored and self._clock.remaining_ms is not None)

    @property
    def ends_here_ms(self) -> int | None:
        if self._clock.state in COUNTS and self._counted is not None and self._counted[0] == self._match:
            return self._counted[1]
        return None

    def told(self, view: TableView, stored: bool) -> None:
        """A view came; `stored`: from this unit's own disk."""
        self._clock, self._stored, self._boots = view.clock, stored, self._hub.boots
        self._match = view.match.same if view.match is not None else None
        if stored and self._before_ms is not None and view.clock.state in COUNTS:
            self._counted = self._match, self._before_ms

    def left_ms(self, now_ms: int) -> int | None:
        """Milliseconds left; None: untimed, or not known."""
        clock = self._clock
        # A deadline means nothing on the clock of another start of the hub's machine: until it sends its view, what was
        # counted goes on.
        ours = self._boots == self._hub.boots
        if clock.state == RUNNING and clock.deadline_ms is not None and not self._stored and ours:
            hub_ms = self._hub.hub_ms(now_ms)
            if hub_ms is None:
                return None
            self._counted = self._match, clock.deadline_ms - hub_ms + now_ms
            return clock.deadline_ms - hub_ms
        if clock.state in COUNTS and (ends_ms := self.ends_here_ms) is not None:
            return ends_ms - now_ms
        # Of a clock that is held, what was kept may be of yesterday.
        return None if self._stored or clock.state == RUNNING else clock.remaining_ms

    def kept(self) -> object:
        return self._clock, self._match, self._stored, self._counted, self._boots

    def back_to(self, kept: object) -> None:
        """As it was when `kept` said so."""
        self._clock, self._match, self._stored, self._counted, self._boots = kept  # type: ignore[misc]
