"""Every address of the hub, declared on the function that answers it: who may request it, in which state of an event.

Flask's map, the native routes, guards, console and pages use these declarations, and nothing else. Above the function
that draws a round stands `route("POST /console/<event_id>/draw", ORGANIZERS, OPEN)`.

`tests/hub/access/test_policy.py` has a table of them all, and tries every refusal.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import iscoroutinefunction
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

if TYPE_CHECKING:
    from werkzeug.routing import MapAdapter

EVERYBODY, LOGIN, TABLE, STATION, STANDBY, PANEL, PEER_HUB, PLAYER, SLIP, NEW_UNIT, WALL = (
    "everybody",
    "login",
    "table",
    "station",
    "standby",
    "panel",
    "kin",
    "player",
    "slip",
    "new unit",
    "wall",
)
"""Requesters beside the staff: any client; any client over TLS; the key of a table unit, a station, a second Pi, or the
front panel on the hub's machine; another hub of this journal's lineage; a player's personal link, or a slip, by the
address; a unit without a key, which gets one only with an organizer who types its digits; a wall, which asks whether
this is its hub and may do nothing by it."""

ORGANIZER, HEAD_JUDGE, JUDGE, SCOREKEEPER = "organizer", "head_judge", "judge", "scorekeeper"
"""The staff: a browser with a valid session, in the role of its PIN."""

STAFF_ROLES = (ORGANIZER, HEAD_JUDGE, JUDGE, SCOREKEEPER)

STAFF = frozenset(STAFF_ROLES)

JUDGES = frozenset({ORGANIZER, HEAD_JUDGE, JUDGE})

HEADS = frozenset({ORGANIZER, HEAD_JUDGE})

DESK = frozenset({ORGANIZER, SCOREKEEPER})

ORGANIZERS = frozenset({ORGANIZER})

HEADS_AND_DESK = HEADS | DESK

NO_EVENT, BEFORE, IN_PLAY, FINISHED, ARCHIVED, DELETED = (
    "no event",
    "before play",
    "in play",
    "finished",
    "archived",
    "deleted",
)
"""The states of the event that an address names."""

STATES = (NO_EVENT, BEFORE, IN_PLAY, FINISHED, ARCHIVED, DELETED)

VISIBLE = frozenset({BEFORE, IN_PLAY, FINISHED, ARCHIVED})

NOT_ARCHIVED = frozenset({BEFORE, IN_PLAY, FINISHED})

OPEN = frozenset({BEFORE, IN_PLAY})

PLAYING = frozenset({IN_PLAY})

PLAYED = frozenset({IN_PLAY, FINISHED, ARCHIVED})

NOT_IN_PLAY = frozenset({BEFORE, FINISHED, ARCHIVED})

OVER = frozenset({FINISHED, ARCHIVED})

JUST_FINISHED = frozenset({FINISHED})

NO_ROUND, DRAFTED, PUBLISHED, RUNNING, CLOSED = "no round", "drafted", "published", "running", "closed"
"""The states of an address's round: its match's, else the event's newest. Published: its clock was not started;
closed: the next one was drawn, or the event is over."""

ROUND_STATES = (NO_ROUND, DRAFTED, PUBLISHED, RUNNING, CLOSED)

OPEN_ROUND = frozenset({PUBLISHED, RUNNING})

SHOWN_ROUND = OPEN_ROUND | {CLOSED}

RoleLimits = Mapping[str, tuple[frozenset[str], frozenset[str]]]
"""Role → the states of event and round to which it is limited, where other roles have more."""


BEFORE_ROUND_1: RoleLimits = {SCOREKEEPER: (frozenset({BEFORE}), frozenset(ROUND_STATES))}

IN_OPEN_ROUNDS: RoleLimits = {SCOREKEEPER: (PLAYING, OPEN_ROUND)}

NAMED = re.compile("<([a-z_]+)>")

CONSOLE = "/console"  # the root of all addresses that are the staff's alone, and of no others

ROUTES: dict[str, Route] = {}
"""Every address of the hub, once its module is imported: the native ones with asgi.py, all pages with routes.py."""


class PageKey(NamedTuple):
    """A live page's key, "console", "wall/e1" or "p/e1/p3" as text: what kind it is, of which event, and of which
    competitor or personal link. A tuple: it is looked up for each open page at each change."""

    kind: str
    event: str = ""
    of: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        return cls(*text.split("/", 2))

    def __str__(self) -> str:
        return "/".join(map(str, filter(None, self)))

    @property
    def pattern(self) -> tuple[str, bool, bool]:
        # What it has in common with the keys of all pages of its kind.
        return self.kind, bool(self.event), bool(self.of)

    def filled(self, named: Mapping[str, str]) -> Self:
        """With the values of a path's parameters: "wall/<event_id>" as "wall/e1"."""
        return type(self)(*(_filled(part, named) for part in self))


@dataclass(frozen=True, slots=True)
class Route:
    """One address: `who` may request it, in which `states` of its event, and in which `rounds`; all else is refused."""

    address: str  # method and path, as Flask writes it: "POST /console/<event_id>/draw"
    answer: Callable[..., Any]  # a Flask view; a coroutine, mostly a method, for an address answered on the event loop
    who: frozenset[str]
    states: frozenset[str]
    rounds: frozenset[str]
    only: RoleLimits  # those of `who` that are limited to fewer states
    # The key of its page, "standings/<event_id>", whose kind a room has registered (live/page_cache.py): drawn once
    # for all readers of one language and version (live/page_cache.py). None: drawn for each request.
    kept: PageKey | None

    @property
    def method(self) -> str:
        return self.address.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.address.partition(" ")[2]

    @property
    def is_native(self) -> bool:
        """Whether it is answered on the event loop, without Flask."""
        return iscoroutinefunction(self.answer)

    def allows(self, role: str, state: str, round_state: str) -> bool:
        """Whether `role` may request this in these states."""
        states, rounds = self.only.get(role, (self.states, self.rounds))
        return (
            role in self.who
            and state in states
            and state in self.states
            and round_state in rounds
            and round_state in self.rounds
        )

    def roles_in(self, state: str, round_state: str) -> tuple[str, ...]:
        """The staff roles that may request this in these states, the lowest first."""
        return tuple(role for role in reversed(STAFF_ROLES) if self.allows(role, state, round_state))


Answer = TypeVar("Answer", bound=Callable[..., Any])


def _filled(pattern: str, named: Mapping[str, str]) -> str:
    return NAMED.sub(lambda match: named[match[1]], pattern)


def _is_console(path: str) -> bool:
    return path == CONSOLE or path.startswith(f"{CONSOLE}/")


def route(
    address: str,
    who: frozenset[str] | str,
    states: frozenset[str] = frozenset(STATES),
    rounds: frozenset[str] = frozenset(ROUND_STATES),
    only: RoleLimits = MappingProxyType({}),
    kept: str = "",
) -> Callable[[Answer], Answer]:
    """Declare the address that a function answers; others are not reachable. Raises ValueError for an address that is
    declared twice, and for one whose path is below CONSOLE but not the staff's alone, or the reverse."""

    def declare(answer: Answer) -> Answer:
        allowed = frozenset({who}) if isinstance(who, str) else who
        if address in ROUTES or not allowed or (allowed <= STAFF) != _is_console(address.partition(" ")[2]):
            raise ValueError(address)
        ROUTES[address] = Route(address, answer, allowed, states, rounds, only, PageKey.parse(kept) if kept else None)
        _map.cache_clear()
        return answer

    return declare


def native_routes(*owners: object) -> dict[str, dict[str, Callable[..., Awaitable[None]]]]:
    """Path → method → handler: the owners' methods that are declared as routes."""
    handlers: dict[str, dict[str, Callable[..., Awaitable[None]]]] = {}
    for owner, declared in product(owners, ROUTES.values()):
        name = declared.answer.__name__
        if getattr(type(owner), name, None) is declared.answer:
            handlers.setdefault(declared.path, {})[declared.method] = getattr(owner, name)
    return handlers


@cache
def _map() -> MapAdapter:
    # Imported here: a hub answers reports before it has loaded Flask and its dependencies.
    from werkzeug.routing import Map, Rule

    rules = [Rule(declared.path, methods=[declared.method], endpoint=address) for address, declared in ROUTES.items()]
    return Map(rules).bind("")


def find_route(method: str, path: str) -> tuple[Route, Mapping[str, str]] | None:
    """A request's route and the values of its path's parameters, matched as Flask does; None where there is none."""
    from werkzeug.exceptions import HTTPException

    try:
        address, named = _map().match(path, method)
    except HTTPException:
        return None
    return ROUTES[address], named


def page_path(page: PageKey) -> str:
    """The path of the page with this key; "" where there is none."""
    for each in ROUTES.values():
        if each.kept is not None and each.kept.pattern == page.pattern:
            return _filled(each.path, dict(zip((part.strip("<>") for part in each.kept), page, strict=True)))
    return ""


def allowed_roles(declared_route: Route | None, path: str) -> frozenset[str]:
    """Who may request this. For a missing page below CONSOLE only the staff learn that it is missing."""
    if declared_route is not None:
        return declared_route.who
    return STAFF if _is_console(path) else frozenset({EVERYBODY})
