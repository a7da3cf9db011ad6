"""Every round of an event within reach: one tab each, elimination and tie-breaks by their names."""

from __future__ import annotations

from dataclasses import dataclass

from roundtap_core.event.state import EventState, RoundState
from roundtap_hub.views.knockout import title_key


@dataclass(frozen=True, slots=True)
class Tab:
    """`name`: a round that has a name of its own; None for a numbered one. `here`: its tables are on the page."""

    number: int
    name: str | None
    here: bool


def round_tabs(state: EventState, shown: RoundState | None) -> tuple[Tab, ...]:
    """A tab for each round that everybody may see; none while there is only one."""
    rounds = state.public_rounds
    if len(rounds) < 2:
        return ()
    return tuple(Tab(played.number, title_key(state, played), played is shown) for played in rounds)
