"""The console's places: the one table behind its navigation, titles, keys, redirects and numbers of open things."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from roundtap_machine import health

EVENT_ROOT = "/console/<event_id>"


@dataclass(frozen=True, slots=True)
class Place:
    """One place. `key` names its text ("place.KEY", or the text that `named` names); `letter`: the key after "g";
    `parts`: of the addresses below its root, the first parts that belong here (a route without a place's part belongs
    to the first place of its root); `counts`: the kinds of open things in its number, of the hall's the groups of
    failed checks."""

    key: str
    address: str
    letter: str = ""
    parts: frozenset[str] = frozenset()
    counts: tuple[str, ...] = ()
    named: str = ""

    @property
    def title(self) -> str:
        """The key of its text."""
        return self.named or f"place.{self.key}"

    def path(self, event_id: str = "") -> str:
        """Its address for one event."""
        return self.address.replace("<event_id>", event_id)

    def open_things(self, by_kind: Mapping[str, int]) -> int:
        """The number of open things here, of those found by kind."""
        return sum(by_kind.get(kind, 0) for kind in self.counts)


HOME = Place("home", "/console", "o", frozenset({"archived", "find", "import", "judge", "outcome"}))
HALL = Place(
    "hall",
    "/console/hall",
    "h",
    frozenset(
        {
            *("announcements", "before-doors", "displays", "games", "hall", "hub", "leagues", "people", "printer"),
            *("restored", "units"),
        }
    ),
    ("preflight",),
)
HELP = Place("help", "/console/help", parts=frozenset({"help"}))

PLAY = Place("play", EVENT_ROOT, "p", frozenset(), ("tasks",))
PLAYERS = Place(
    "players",
    f"{EVENT_ROOT}/players",
    "l",
    frozenset({"players", "check-in", "competitor", "competitors", "import", "person", "sign-up"}),
    ("lists", "awaited"),
)
STANDINGS = Place("standings", f"{EVENT_ROOT}/standings", "s", frozenset({"standings", "prizes"}))
PRINT = Place("print", f"{EVENT_ROOT}/paper", "r", frozenset({"paper", "slip"}), ("paper",))
EVENT = Place(
    "event",
    f"{EVENT_ROOT}/event",
    "e",
    frozenset({"about", "event", "delete", "finish", "officials", "options", "structure", "units"}),
    ("points",),
)

OF_EVENT = (PLAY, PLAYERS, STANDINGS, PRINT, HALL, EVENT)
OF_HUB = (HOME, HALL, HELP)
OF_HALL = (
    Place("overview", HALL.address, named="hall.overview"),
    Place("preflight", "/console/before-doors", named="doors.title", counts=health.GROUPS),
    Place("walls", "/console/displays", named="displays.title", counts=(health.WALLS,)),
    Place("announcements", "/console/announcements", named="said.title"),
    Place("games", "/console/games", named="games.title"),
    Place("leagues", "/console/leagues", named="leagues.title"),
    Place("people", "/console/people", named="book.title"),
    Place("units", "/console/units", named="keys.title", counts=(health.TABLES,)),
    Place("printer", "/console/printer", named="hall.printer", counts=(health.PRINTER,)),
    Place("hub", "/console/hub", named="hub.title", counts=(health.HUB, health.NETWORK, health.COPIES)),
)


@lru_cache
def place_of(route: str) -> Place:
    """The place of a page or form of the console, by its route ("/console/<event_id>/competitors")."""
    inside = route.startswith(EVENT_ROOT)
    part = route.removeprefix(EVENT_ROOT if inside else HOME.address).lstrip("/").partition("/")[0]
    places = [place for place in (*OF_EVENT, *OF_HUB) if place.address.startswith(EVENT_ROOT) == inside]
    return next((place for place in places if part in place.parts), PLAY if inside else HOME)


def place_at(path: str, event_id: str) -> Place | None:
    """The place that is exactly at this path."""
    return next((place for place in OF_EVENT if place.path(event_id) == path), None)
