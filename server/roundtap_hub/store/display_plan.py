"""What an organizer puts on the walls: announcements, what each display shows, whether the hub itself is heard.

Hall data in the venue's stream: it outlives a restart and is in no event's chain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from roundtap_core.clock import Instant
from roundtap_core.event.entries import Entry, Timestamp

ANNOUNCED, ANNOUNCEMENT_REVOKED, DISPLAY_SET, DISPLAY_FORGOTTEN, HUB_SOUND = (
    "said", "said-back", "display-set", "display-forgotten", "hub-sound")
DISPLAY_KINDS = frozenset({ANNOUNCED, ANNOUNCEMENT_REVOKED, DISPLAY_SET, DISPLAY_FORGOTTEN, HUB_SOUND})

LINE, LUNCH, NEXT = "line", "lunch", "next"
KINDS = (LINE, LUNCH, NEXT)
"""A line of one's own; lunch, and the next start, which are counted down."""
COUNTED = frozenset({LUNCH, NEXT})
ANNOUNCEMENTS_MAX, TEXT_MAX, LASTS_MAX_MINUTES = 6, 120, 24 * 60

AUTO, CLOCK, PAIRINGS, STANDINGS, BRACKET, WORDS = "auto", "clock", "pairings", "standings", "bracket", "words"
SHOWS = (AUTO, CLOCK, PAIRINGS, STANDINGS, BRACKET, WORDS)
"""What a display shows: what fits the moment, one picture of it, or the announcements alone."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """An announcement. `event` None: for all. `lasts_ms` from `at` on; None: until it is taken back."""

    id: str
    event: str | None
    kind: str
    text: str
    lasts_ms: int | None
    at: Timestamp

    def left_ms(self, now: Instant, wall_gone_ms: int | None = None) -> int | None:
        """Milliseconds until it is over: below zero it is; None: nobody says, or nobody knows.

        `wall_gone_ms`: how long ago it was said by the time of day, for a clock that has begun anew since.
        """
        if self.lasts_ms is None:
            return None
        if now.boot_id == self.at.boot_id:
            return self.lasts_ms - (now.mono_ms - self.at.mono_ms)
        return None if wall_gone_ms is None else self.lasts_ms - wall_gone_ms


@dataclass(frozen=True, slots=True)
class DisplayAssignment:
    """What a display was told to show. `event` None: whichever is played; `part`: "1/2", "": all names."""

    name: str
    event: str | None = None
    show: str = AUTO
    part: str = ""
    theme: str = ""
    sound: bool = False


@dataclass(frozen=True, slots=True)
class DisplayPlan:
    """`screens` by the display's id."""

    said: tuple[Announcement, ...] = ()
    screens: Mapping[str, DisplayAssignment] = field(default_factory=dict)
    hub_sound: bool = True

    def for_event(self, event_id: str | None) -> tuple[Announcement, ...]:
        """The announcements for one event, or, without one, those for all."""
        return tuple(said for said in self.said if said.event in (None, event_id))


def apply_display_entry(walls: DisplayPlan, entry: Entry) -> DisplayPlan:
    """The walls after one of the venue's entries in OF_WALLS."""
    data = entry.data
    if entry.kind == ANNOUNCED:
        new = Announcement(data["id"], data["event"], data["kind"], data["text"], data["lasts_ms"], entry.at)
        # What was over by then is nobody's news any more.
        kept = [said for said in walls.said if not _over(said, entry.at)]
        return replace(walls, said=(*kept, new))
    if entry.kind == ANNOUNCEMENT_REVOKED:
        return replace(walls, said=tuple(said for said in walls.said if said.id != data["id"]))
    if entry.kind == HUB_SOUND:
        return replace(walls, hub_sound=data["on"])
    screens = {known: screen for known, screen in walls.screens.items() if known != data["display"]}
    if entry.kind == DISPLAY_SET:
        screens[data["display"]] = DisplayAssignment(data["name"], data["event"], data["show"], data["part"],
                                                     data["theme"],
                                          data["sound"])
    return replace(walls, screens=screens)


def _over(said: Announcement, at: Timestamp) -> bool:
    left_ms = said.left_ms(at.instant)
    return left_ms is not None and left_ms <= 0
