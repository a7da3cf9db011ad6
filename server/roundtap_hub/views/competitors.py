"""The competitors as the organizer works with them: who is in, and what leaving would do just now."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from roundtap_core.event.people.both_left import wins_by_leaving
from roundtap_core.event.state import Entrant
from roundtap_hub.views.event_at import EventAt, full_names, seats, shown_names
from roundtap_hub.views.wall import sort_key

IN, LEFT, OUT = "in", "left", "out"


@dataclass(frozen=True, slots=True)
class Entered:
    """One competitor. `concedes_at` is the table whose open match leaving would hand to `concedes_to`."""

    id: str
    name: str
    public: str
    status: str
    after: int | None
    won_bye: bool
    came_with: str | None
    table: int | None
    concedes_at: int | None
    concedes_to: str
    missed: int
    loses_too: bool = False
    """Leaving takes back the win that the opponent's leaving has just given."""


def roster(moment: EventAt) -> list[Entered]:
    """Everybody, by name."""
    won = wins_by_leaving(moment.state)
    return sorted((_entered(moment, entrant, entrant.id in won) for entrant in moment.state.entrants.values()),
                  key=lambda e: _place(e.name))


def entered(moment: EventAt, competitor: str) -> Entered:
    """One competitor of the event."""
    entrant = moment.state.entrants[competitor]
    return _entered(moment, entrant, competitor in wins_by_leaving(moment.state))


@lru_cache(maxsize=2048)
def _place(name: str) -> tuple[str, str]:
    """Taking a name's accents off takes longer than everything else here."""
    return sort_key(name)


def _entered(moment: EventAt, entrant: Entrant, won: bool) -> Entered:
    state, names = moment.state, full_names(moment)
    match = seats(moment).get(entrant.id) if state.live else None
    open_match = match if match and match.match.b and match.match.result is None else None
    across = None
    if open_match:
        across = open_match.match.b if open_match.match.a == entrant.id else open_match.match.a
    status = OUT if entrant.disqualified_after is not None else IN if entrant.active else LEFT
    after = entrant.disqualified_after if status == OUT else entrant.dropped_after
    return Entered(
        entrant.id, names[entrant.id], shown_names(moment)[entrant.id], status, after, entrant.won_bye,
        entrant.came_with, match.match.table if match else None, open_match.match.table if open_match else None,
        names.get(across, "") if across else "",
        max(0, len(state.public_rounds) - (after or 0)) if status == LEFT else 0, status == IN and won,
    )
