"""Displays that open /wall: a short name for each, its last contact, and what it shows, as its address says it."""

import re
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from string import ascii_uppercase
from typing import NamedTuple

from roundtap_core.clock import RUNNING, extra_ms
from roundtap_core.event.states import EventState
from roundtap_hub.http.requester import is_loopback, throttle_key
from roundtap_hub.http.routes import PageKey
from roundtap_hub.store.display_plan import AUTO, SHOWS, DisplayAssignment
from roundtap_hub.store.read_model import Snapshot

THEMES = ("dark", "light")
PART = re.compile(r"([1-4])/([1-4])")
WALL_PARAMS = ("theme", "part", "show", "sound")  # the query parameters of a wall's address
NAME = re.compile(r"name:[A-Z][1-9]?")

PAGE_MS = 10_000

DISPLAY = "roundtap_display"  # The cookie: id and short name. It grants nothing: walls are public.
DISPLAY_S = 400 * 86_400
DISPLAY_COOKIE_RE = re.compile(r"(?P<id>[a-z2-7]{16})\.(?P<name>[A-Z][1-9]?)")

QUIET_MS = 60_000  # an unassigned display silent for so long makes room

ROTATION_MS = 37_000
"""How long a wall of several events shows each. No multiple of a wall page's ten seconds: else some pages of a long
list would never be shown."""

TIME_UP_MS = 60_000  # how long time up fills a wall

NAMES = (*ascii_uppercase, *(f"{letter}{n}" for n in range(1, 10) for letter in ascii_uppercase))

PARTS = ("", "1/2", "2/2", "1/3", "2/3", "3/3", "1/4", "2/4", "3/4", "4/4")
"""Shares of the alphabet that a display may show."""

ID_LETTERS, ID_LENGTH = "abcdefghijklmnopqrstuvwxyz234567", 16

UNASSIGNED_MAX, PER_ADDRESS_MAX = 24, 6
"""Unassigned displays remembered, in all and per address; more show the wall without a name. An assigned one never
makes room, and an organizer's own one (`register`) only when it is silent."""


@dataclass(frozen=True, slots=True)
class WallOptions:
    """How a wall is drawn. `part`: "1/2", the first of two walls that share the alphabet; `show`: a fixed picture, else
    the one that fits the moment; `display`: the page belongs to a display, unassigned where it has a `name`; `turns`:
    the display shows all events in play in turn."""

    theme: str = ""
    part: str = ""
    show: str = ""
    sound: bool = False
    display: bool = False
    turns: bool = False
    name: str = ""


def wall_options(variant: str) -> WallOptions:
    """The options in a variant ("wall display dark 1/2 pairings sound name:B"); unknown words are ignored."""
    parts = variant.split()[1:]
    shares = [part for part in parts if (share := PART.fullmatch(part)) and share[1] <= share[2] and part != "1/1"]
    return WallOptions(
        next((part for part in parts if part in THEMES), ""),
        next(iter(shares), ""),
        next((part for part in parts if part in SHOWS and part != AUTO), ""),
        "sound" in parts,
        "display" in parts,
        "turns" in parts,
        next((part.removeprefix("name:") for part in parts if NAME.fullmatch(part)), ""),
    )


def variant_of(options: WallOptions) -> str:
    """The canonical variant of these options."""
    return " ".join(
        filter(
            None,
            (
                "wall",
                "display" if options.display else "",
                options.theme,
                options.part,
                options.show,
                "sound" if options.sound else "",
                "turns" if options.turns else "",
                f"name:{options.name}" if options.name else "",
            ),
        )
    )


def wall_variant(query: Mapping[str, str]) -> str:
    """The variant of a wall's address: `theme`, `part`, `show`, `sound`."""
    values = (
        query.get("theme", ""),
        query.get("part", ""),
        query.get("show", ""),
        "sound" if query.get("sound") == "1" else "",
    )
    return variant_of(
        replace(
            wall_options(" ".join(("wall", *(" ".join(each.split()[:1]) for each in values)))),
            display=False,
            turns=False,
            name="",
        )
    )


def canonical_variant(page: PageKey, variant: str) -> str:
    """A client's variant in the page's own canonical form."""
    if page.kind == "wall":
        return variant_of(wall_options(variant))
    return variant if (page.kind, variant) == ("door", "stay") else ""


class DisplayPage(NamedTuple):
    """The page a display shows, and its variant (views/known_displays.py)."""

    page: PageKey
    variant: str


@dataclass(frozen=True, slots=True)
class DisplayContact:
    """A display as last seen. `open`: its open feeds; `address`: its IP address; `own`: an organizer's; `waits`: it
    knew this hub by another certificate, and is to be confirmed."""

    name: str
    address: str
    heard_ms: int
    open: int = 0
    own: bool = False
    waits: bool = False


class Displays:
    """All displays of this hub; thread-safe. Assignments are in the journal."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._lock = threading.Lock()
        self.announcing = threading.Lock()
        """Held while checking whether an announcement was made already, and making it."""
        self._contacts: dict[str, DisplayContact] = {}
        self.confirmed: set[str] = set()
        """Displays that may take this hub's new certificate: an organizer has said that they are this hub's."""
        self.on_identify: list[Callable[[str, str], None]] = []
        """Called with display and name in the thread of the request; must only enqueue."""

    def register(
        self, cookie: str, address: str, screens: Mapping[str, DisplayAssignment], own: bool = False
    ) -> tuple[str, str]:
        """The id and name of a display that asks for /wall; the name is "" where there are too many. `own`: somebody of
        the staff is logged in on it; one on the hub's machine is own, too."""
        cookie_match = DISPLAY_COOKIE_RE.fullmatch(cookie)
        display, wanted = (cookie_match["id"], cookie_match["name"]) if cookie_match else (_new_id(), "")
        with self._lock:
            contact = self._contacts.get(display)
            own = own or is_loopback(address) or (contact is not None and contact.own)
            if display in screens:
                name = screens[display].name
            elif contact is not None:
                name = contact.name
            elif not self._make_room(throttle_key(address), own, screens):
                return display, ""
            else:
                taken = {screen.name for screen in screens.values()} | {each.name for each in self._contacts.values()}
                name = wanted if wanted and wanted not in taken else next(each for each in NAMES if each not in taken)
            self._contacts[display] = DisplayContact(name, address, self._now_ms(), contact.open if contact else 0, own)
            return display, name

    def is_confirmed(self, cookie: str, address: str, screens: Mapping[str, DisplayAssignment]) -> bool:
        """Whether a wall that knew this hub by another certificate is confirmed; until then it waits on the console."""
        display, name = self.register(cookie, address, screens)
        with self._lock:
            if name:
                self._contacts[display] = replace(self._contacts[display], waits=display not in self.confirmed)
            return display in self.confirmed

    def _make_room(self, address: str, own: bool, screens: Mapping[str, DisplayAssignment]) -> bool:
        """Whether one more unassigned display can be remembered. The quietest makes room; else the newest of the
        address that has most, for one that has fewer, and for an own display."""
        strangers = {display: contact for display, contact in self._contacts.items() if display not in screens}
        held = Counter(throttle_key(contact.address) for contact in strangers.values() if not contact.own)
        crowded = held[address] >= PER_ADDRESS_MAX and not own
        if len(strangers) < UNASSIGNED_MAX and not crowded:
            return True
        most = max(held, key=held.__getitem__, default="")
        quiet = [
            (contact.heard_ms, display)
            for display, contact in strangers.items()
            if not contact.open
            and self._now_ms() - contact.heard_ms > QUIET_MS
            and (not crowded or throttle_key(contact.address) == address)
        ]
        if not quiet and (crowded or held[most] <= (0 if own else held[address] + 1)):
            return False
        del self._contacts[
            min(quiet)[1]
            if quiet
            else next(
                display
                for display in reversed(strangers)
                if throttle_key(strangers[display].address) == most and not strangers[display].own
            )
        ]
        return True

    def count_feed(self, display: str, opened: int) -> None:
        """A display's page has opened (1) or closed (-1) a feed."""
        with self._lock:
            contact = self._contacts.get(display)
            if contact is not None:
                self._contacts[display] = replace(contact, heard_ms=self._now_ms(), open=max(0, contact.open + opened))

    def forget(self, display: str) -> None:
        """Forget a display; it gets a new name when it asks again."""
        with self._lock:
            self._contacts.pop(display, None)

    def identify(self, display: str, name: str) -> None:
        """Make the display show its name, large, for some seconds."""
        for listener in self.on_identify:
            listener(display, name)

    @property
    def contacts(self) -> Mapping[str, DisplayContact]:
        with self._lock:
            return dict(self._contacts)

    def name_of(self, display: str) -> str:
        contact = self._contacts.get(display)
        return contact.name if contact is not None else ""


@dataclass(frozen=True, slots=True)
class DisplayRow:
    """A display on the console. `screen` None: unassigned. `age_ms`: of contact; None: never, 0: connected. `waits`:
    as in DisplayContact."""

    id: str
    name: str
    address: str
    age_ms: int | None
    screen: DisplayAssignment | None
    waits: bool

    @property
    def here(self) -> bool:
        return self.age_ms == 0

    @property
    def shown(self) -> DisplayAssignment:
        """What it shows: as assigned, else the default."""
        return self.screen or DisplayAssignment(self.name)


def display_rows(
    contacts: Mapping[str, DisplayContact], screens: Mapping[str, DisplayAssignment], now_ms: int
) -> list[DisplayRow]:
    """All displays, unassigned ones first, then by name."""
    rows = []
    for display in {*contacts, *screens}:
        contact, screen = contacts.get(display), screens.get(display)
        age_ms = None if contact is None else 0 if contact.open else max(1, now_ms - contact.heard_ms)
        name = screen.name if screen else contact.name if contact else ""
        waits = contact is not None and contact.waits
        rows.append(DisplayRow(display, name, contact.address if contact else "", age_ms, screen, waits))
    return sorted(rows, key=lambda row: (row.screen is not None, len(row.name), row.name))


def display_page(snapshot: Snapshot, screen: DisplayAssignment | None, name: str, now_ms: int) -> DisplayPage:
    """What a display shows now: its assignment, else the event in play (`played_event`)."""
    assignment = screen or DisplayAssignment(name)
    there = {*snapshot.events, *snapshot.dormant}.difference(snapshot.venue.deleted)
    assigned = assignment.event in there
    event = assignment.event if assigned else played_event(snapshot, now_ms)
    variant = [
        "wall",
        "display",
        assignment.theme,
        assignment.part,
        "" if assignment.show == AUTO else assignment.show,
        "sound" if assignment.sound else "",
        "turns" if not assigned and len(events_in_play(snapshot)) > 1 else "",
        f"name:{name}" if screen is None and name else "",
    ]
    return DisplayPage(PageKey("wall", event or ""), " ".join(filter(None, variant)))


def events_in_play(snapshot: Snapshot) -> list[EventState]:
    return sorted(
        (state for state in snapshot.events.values() if state.live and not state.finished), key=attrgetter("id")
    )


def played_event(snapshot: Snapshot, now_ms: int) -> str | None:
    """The event in play, several in turn, but the one whose time has just run out before the others; else one that has
    yet to start, else the last one."""
    if playing := events_in_play(snapshot):
        news = (state for state in playing if is_time_up_news(state, now_ms))
        return next(news, playing[now_ms // ROTATION_MS % len(playing)]).id
    if events := [state for state in snapshot.events.values() if not state.finished]:
        return events[0].id
    over = [event_id for event_id in (*snapshot.events, *snapshot.dormant) if event_id not in snapshot.venue.archived]
    return max(over, key=lambda event_id: snapshot.venue.begun.get(event_id, 0), default=None)


def is_time_up_news(state: EventState, now_ms: int) -> bool:
    """Whether the round's time has run out within the last TIME_UP_MS, with a match still open."""
    live, clock = state.live, state.clock
    return (
        live is not None
        and bool(live.open_matches)
        and clock.state == RUNNING
        and clock.remaining_ms is not None
        and 0 <= now_ms - clock.anchor.mono_ms - clock.remaining_ms - extra_ms(live.extra_minutes) < TIME_UP_MS
    )


def _new_id() -> str:
    return "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))
