"""What an organizer puts on the walls: announcements, each display's content, and whether the hub plays sounds.

Stored in the venue's stream: it outlives a restart and is in no event's chain.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from roundtap_core.clock import Instant
from roundtap_core.event.entries import Entry, Timestamp

ANNOUNCED, ANNOUNCEMENT_REVOKED, DISPLAY_SET, DISPLAY_FORGOTTEN, HUB_SOUND = (
    "said",
    "said-back",
    "display-set",
    "display-forgotten",
    "hub-sound",
)
DISPLAY_KINDS = frozenset({ANNOUNCED, ANNOUNCEMENT_REVOKED, DISPLAY_SET, DISPLAY_FORGOTTEN, HUB_SOUND})

LINE, LUNCH, NEXT = "line", "lunch", "next"
KINDS = (LINE, LUNCH, NEXT)  # free text; lunch and the next start, which are counted down
COUNTED = frozenset({LUNCH, NEXT})
ANNOUNCEMENTS_MAX, TEXT_MAX, LASTS_MAX_MINUTES = 6, 120, 24 * 60

AUTO, CLOCK, PAIRINGS, STANDINGS, BRACKET, LEAGUE, WORDS = (
    *("auto", "clock", "pairings", "standings", "bracket", "league", "words"),
)
SHOWS = (AUTO, CLOCK, PAIRINGS, STANDINGS, BRACKET, LEAGUE, WORDS)
"""A display's content: chosen automatically, one fixed view, or the announcements alone."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """`event` None: for all events. `lasts_ms`: counted from `at`; None: until it is revoked."""

    id: str
    event: str | None
    kind: str
    text: str
    lasts_ms: int | None
    at: Timestamp

    def left_ms(self, now: Instant, wall_gone_ms: int | None = None) -> int | None:
        """Milliseconds until it is over, negative afterwards; None: no end is set, or it is unknown. `wall_gone_ms`:
        its age by wall time, for a clock that has restarted since."""
        if self.lasts_ms is None:
            return None
        if now.boot_id == self.at.boot_id:
            return self.lasts_ms - (now.mono_ms - self.at.mono_ms)
        return None if wall_gone_ms is None else self.lasts_ms - wall_gone_ms


@dataclass(frozen=True, slots=True)
class DisplayAssignment:
    """A display's settings. `event` None: the one in play; `part`: "1/2" of the names, "": all names."""

    name: str
    event: str | None = None
    show: str = AUTO
    part: str = ""
    theme: str = ""
    sound: bool = False


@dataclass(frozen=True, slots=True)
class DisplayPlan:
    """`screens` by the display's id."""

    announcements: tuple[Announcement, ...] = ()
    screens: Mapping[str, DisplayAssignment] = field(default_factory=dict)
    hub_sound: bool = True

    def for_event(self, event_id: str | None) -> tuple[Announcement, ...]:
        """The announcements for one event, or, without one, those for all."""
        return tuple(announcement for announcement in self.announcements if announcement.event in (None, event_id))


def apply_display_entry(plan: DisplayPlan, entry: Entry) -> DisplayPlan:
    """The plan after one of the venue's entries in DISPLAY_KINDS."""
    data = entry.data
    if entry.kind == ANNOUNCED:
        new = Announcement(data["id"], data["event"], data["kind"], data["text"], data["lasts_ms"], entry.at)
        # Announcements that are over by then are dropped.
        announcements = [announcement for announcement in plan.announcements if not _over(announcement, entry.at)]
        return replace(plan, announcements=(*announcements, new))
    if entry.kind == ANNOUNCEMENT_REVOKED:
        return replace(
            plan,
            announcements=tuple(announcement for announcement in plan.announcements if announcement.id != data["id"]),
        )
    if entry.kind == HUB_SOUND:
        return replace(plan, hub_sound=data["on"])
    screens = {display: screen for display, screen in plan.screens.items() if display != data["display"]}
    if entry.kind == DISPLAY_SET:
        screens[data["display"]] = DisplayAssignment(
            data["name"], data["event"], data["show"], data["part"], data["theme"], data["sound"]
        )
    return replace(plan, screens=screens)


def _over(announcement: Announcement, at: Timestamp) -> bool:
    left_ms = announcement.left_ms(at.instant)
    return left_ms is not None and left_ms <= 0
