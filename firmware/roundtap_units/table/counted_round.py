"""The time left in a table's round: by the hub's clock from round trips, or by what was counted here."""

from dataclasses import dataclass, field, replace

from roundtap_core.view_types import ClockView, TableView
from roundtap_units.link.hub_time import HubTime

RUNNING, COUNTING = "running", "counting"
"""counting: the hub has restarted and asks its organizer how to continue; meanwhile a table counts on."""
COUNTS = (RUNNING, COUNTING)
_Match = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class CountedRound:
    """What the last view said of the clock, and what was counted from it. `boots`: how often the hub's machine had
    rebooted when it came; `stored`: it came from this unit's own disk; `counted`: the match whose round ends then on
    this unit's own clock."""

    clock: ClockView = field(default_factory=ClockView)
    boots: int = 0
    match: _Match | None = None
    stored: bool = False
    counted: tuple[_Match | None, int] | None = None


class UnitRoundClock:
    """`left_ms` for the screen. `ends_here_ms`: when the round ends on this unit's own clock; None: unknown. Only round
    trips give the time, never the feed: before the first one there is nothing to show. deadline_here_ms: what was known
    before a restart of this unit, on a machine that has not rebooted since."""

    def __init__(self, hub: HubTime, deadline_here_ms: int | None = None) -> None:
        self._hub = hub
        self._before_ms = deadline_here_ms
        self.state = CountedRound(boots=hub.boots)

    @property
    def is_timed(self) -> bool:
        state = self.state
        return state.clock.state in COUNTS or (state.stored and state.clock.remaining_ms is not None)

    @property
    def ends_here_ms(self) -> int | None:
        state = self.state
        if state.clock.state in COUNTS and state.counted is not None and state.counted[0] == state.match:
            return state.counted[1]
        return None

    def on_view(self, view: TableView, stored: bool) -> None:
        """A view came; `stored`: from this unit's own disk."""
        match, counted = view.match.same if view.match is not None else None, self.state.counted
        if stored and self._before_ms is not None and view.clock.state in COUNTS:
            counted = match, self._before_ms
        self.state = CountedRound(view.clock, self._hub.boots, match, stored, counted)

    def left_ms(self, now_ms: int) -> int | None:
        """Milliseconds left; None: untimed, or unknown."""
        state, clock = self.state, self.state.clock
        # After a reboot of the hub's machine its deadline is meaningless: until its new view, the counting here
        # continues.
        ours = state.boots == self._hub.boots
        if clock.state == RUNNING and clock.deadline_ms is not None and not state.stored and ours:
            hub_ms = self._hub.hub_ms(now_ms)
            if hub_ms is None:
                return None
            self.state = replace(state, counted=(state.match, clock.deadline_ms - hub_ms + now_ms))
            return clock.deadline_ms - hub_ms
        if clock.state in COUNTS and (ends_ms := self.ends_here_ms) is not None:
            return ends_ms - now_ms
        # The stored state of a held clock may be of yesterday.
        return None if state.stored or clock.state == RUNNING else clock.remaining_ms
