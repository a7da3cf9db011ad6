"""Displays as the console lists them: name, age of contact, what each is told to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roundtap_hub.hall.known_displays import DisplayContact
from roundtap_hub.store.display_plan import DisplayAssignment

PARTS = ("", "1/2", "2/2", "1/3", "2/3", "3/3", "1/4", "2/4", "3/4", "4/4")
"""Shares of the alphabet that a display may show."""


@dataclass(frozen=True, slots=True)
class DisplayRow:
    """`screen` None: nobody has assigned it. `age_ms` None: not heard since the hub was started; 0: it listens now."""

    id: str
    name: str
    address: str
    age_ms: int | None
    screen: DisplayAssignment | None

    @property
    def here(self) -> bool:
        return self.age_ms == 0

    @property
    def shown(self) -> DisplayAssignment:
        """What it shows: as assigned, or what a display shows by itself."""
        return self.screen or DisplayAssignment(self.name)


def display_rows(contacts: Mapping[str, DisplayContact], screens: Mapping[str, DisplayAssignment],
                 now_ms: int) -> list[DisplayRow]:
    """All displays: those that wait to be assigned first, then by name."""
    rows = []
    for display in {*contacts, *screens}:
        contact, screen = contacts.get(display), screens.get(display)
        age_ms = None if contact is None else 0 if contact.open else max(1, now_ms - contact.heard_ms)
        name = screen.name if screen else contact.name if contact else ""
        rows.append(DisplayRow(display, name, contact.address if contact else "", age_ms, screen))
    return sorted(rows, key=lambda row: (row.screen is not None, len(row.name), row.name))
