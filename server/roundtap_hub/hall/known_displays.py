"""Displays that open /wall: a short name for each, when it was last in contact, and what it is to show."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import NamedTuple

from roundtap_hub.store.display_plan import AUTO, DisplayAssignment
from roundtap_hub.store.read_model import Snapshot

DISPLAY = "roundtap_display"
"""The cookie: id and short name. It opens nothing: anybody may look at any wall."""
DISPLAY_S = 400 * 86_400
DISPLAY_COOKIE_RE = re.compile(r"(?P<id>[a-z2-7]{16})\.(?P<name>[A-Z][1-9]?)")
ID_LETTERS, ID_LENGTH = "abcdefghijklmnopqrstuvwxyz234567", 16

UNASSIGNED_MAX, PER_ADDRESS_MAX = 24, 6
"""So many displays that nobody has assigned are known, and so many of one address; more show the wall without a name,
and an assigned one is never among those that make room."""
QUIET_MS = 60_000
"""Who was not heard for so long makes room."""

ROTATION_MS = 37_000
"""How long a wall of several events shows one of them. It is no multiple of a wall page's ten seconds: else some pages
of a long list would never have their turn."""

NAMES = (*ascii_uppercase, *(f"{letter}{n}" for n in range(1, 10) for letter in ascii_uppercase))


class DisplayPage(NamedTuple):
    """Which page a display shows, and in which of its ways (hall/wall_view.py)."""

    page: str
    variant: str


@dataclass(frozen=True, slots=True)
class DisplayContact:
    """A display as it was last heard. `open`: how many of its feeds are open; `address`: where it came from."""

    name: str
    address: str
    heard_ms: int
    open: int = 0


class Displays:
    """All displays of this hub. Any thread may ask and tell; what organizers decided is in the journal."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._lock = threading.Lock()
        self.announcing = threading.Lock()
        """Held by who looks whether an announcement stands already, and makes it."""
        self._contacts: dict[str, DisplayContact] = {}
        self.on_identify: list[Callable[[str, str], None]] = []
        """Told display and name, in whatever thread an organizer asked in; must only enqueue."""

    def meet(self, cookie: str, address: str, screens: Mapping[str, DisplayAssignment]) -> tuple[str, str]:
        """A display that asks for /wall: its id and name. The name is "" where there are too many."""
        known = DISPLAY_COOKIE_RE.fullmatch(cookie)
        display, wanted = (known["id"], known["name"]) if known else (_new_id(), "")
        with self._lock:
            now_ms = self._now_ms()
            contact = self._contacts.get(display)
            if display in screens:
                name = screens[display].name
            elif contact is not None:
                name = contact.name
            elif not self._room_for(address, now_ms, screens):
                return display, ""
            else:
                taken = {screen.name for screen in screens.values()} | {each.name for each in self._contacts.values()}
                name = wanted if wanted and wanted not in taken else next(each for each in NAMES if each not in taken)
            self._contacts[display] = DisplayContact(name, address, now_ms, contact.open if contact else 0)
            return display, name

    def _room_for(self, address: str, now_ms: int, screens: Mapping[str, DisplayAssignment]) -> bool:
        """Whether one more that nobody has assigned is known from now on; the quietest makes room."""
        strangers = [(contact.heard_ms, display) for display, contact in self._contacts.items()
                     if display not in screens]
        of_one = [each for each in strangers if self._contacts[each[1]].address == address]
        for some, most in ((of_one, PER_ADDRESS_MAX), (strangers, UNASSIGNED_MAX)):
            if len(some) < most:
                continue
            quiet = [each for each in some if not self._contacts[each[1]].open and now_ms - each[0] > QUIET_MS]
            if not quiet:
                return False
            del self._contacts[min(quiet)[1]]
            strangers.remove(min(quiet))
        return True

    def heard(self, display: str, opened: int) -> None:
        """A display's page listens from now on (1), or no more (-1)."""
        with self._lock:
            contact = self._contacts.get(display)
            if contact is not None:
                self._contacts[display] = replace(contact, heard_ms=self._now_ms(), open=max(0, contact.open + opened))

    def forget(self, display: str) -> None:
        """As if it had never been here; it is given a name again when it asks."""
        with self._lock:
            self._contacts.pop(display, None)

    def identify(self, display: str, name: str) -> None:
        """Let the display show its name, large, for some seconds."""
        for listener in self.on_identify:
            listener(display, name)

    @property
    def contacts(self) -> Mapping[str, DisplayContact]:
        with self._lock:
            return dict(self._contacts)

    def name_of(self, display: str) -> str:
        contact = self._contacts.get(display)
        return contact.name if contact is not None else ""


def display_page(snapshot: Snapshot, screen: DisplayAssignment | None, name: str, now_ms: int) -> DisplayPage:
    """What a display shows now: what it was assigned, else the event that is played (`played_event`)."""
    known = screen or DisplayAssignment(name)
    there = {*snapshot.events, *snapshot.shelf}.difference(snapshot.venue.deleted)
    event = known.event if known.event in there else played_event(snapshot, now_ms)
    said = ["wall", "display", known.theme, known.part, "" if known.show == AUTO else known.show,
            "sound" if known.sound else "", f"name:{name}" if screen is None and name else ""]
    return DisplayPage(f"wall/{event}" if event else "wall", " ".join(filter(None, said)))


def played_event(snapshot: Snapshot, now_ms: int) -> str | None:
    """The event that is being played, several in turn by the hub's clock; else one that will be, else the last one that
    was: its final standings."""
    events = [state for state in snapshot.events.values() if not state.finished]
    if playing := sorted(state.id for state in events if state.live):
        return playing[now_ms // ROTATION_MS % len(playing)]
    if events:
        return events[0].id
    over = [event_id for event_id in (*snapshot.events, *snapshot.shelf) if event_id not in snapshot.venue.archived]
    return max(over, key=lambda event_id: snapshot.venue.begun.get(event_id, 0), default=None)


def _new_id() -> str:
    return "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))
