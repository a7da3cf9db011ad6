"""Who is here before round 1, and who is still awaited: the check-in's counts and lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from roundtap_core.event.state import TO_CONFIRM, awaited
from roundtap_core.lists.parts import fold, sought
from roundtap_hub.views.event_at import EventAt, full_names
from roundtap_hub.views.wall import sort_key

NUMBERED = re.compile(r" \(\d+\)$")
"""What tells namesakes apart, and nobody types."""


@dataclass(frozen=True, slots=True)
class Expected:
    """One competitor at the check-in. `to_confirm`: signed up by phone and not known at the desk yet; `ticked`: said to
    be here, which alone is not enough for who is to be confirmed."""

    id: str
    name: str
    club: str
    to_confirm: bool
    ticked: bool


@dataclass(frozen=True, slots=True)
class CheckInView:
    """`late`: round 1 is played, so that whoever comes now comes late; `over`: nobody can come any more."""

    used: bool
    missing: tuple[Expected, ...]
    here: tuple[Expected, ...]
    late: bool
    over: bool

    @property
    def entered(self) -> int:
        return len(self.missing) + len(self.here)


def check_in_view(moment: EventAt) -> CheckInView:
    """Everybody who has not left, by name."""
    state, names, waiting = moment.state, full_names(moment), awaited(moment.state)
    both: tuple[list[Expected], list[Expected]] = ([], [])
    for entrant in state.entrants.values():
        if entrant.active:
            person = moment.people.get(entrant.id)
            both[entrant.id not in waiting].append(Expected(
                entrant.id, names[entrant.id], (person.club if person else None) or "",
                entrant.sign_up == TO_CONFIRM, entrant.checked_in))
    missing, here = (tuple(sorted(some, key=lambda each: sort_key(each.name))) for some in both)
    return CheckInView(state.check_in, missing, here, len(state.public_rounds) == 1,
                       len(state.public_rounds) > 1 or state.cut is not None)


def meant(typed: str, some: Sequence[Expected]) -> list[Expected]:
    """Whom a few letters mean: the very name, be it of two, else those of whom every word begins a part of the name."""
    words = fold(typed).split()
    same = [each for each in some if fold(NUMBERED.sub("", each.name)) == " ".join(words)]
    if same or not words:
        return same
    return [each for each in some
            if all(any(part.startswith(word) for part in sought(each.name).split()) for word in words)]
