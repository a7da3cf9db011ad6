"""What each public page shows: its template and what goes into it, from one moment, whoever draws it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from roundtap_core.clock import RUNNING, Instant
from roundtap_core.elimination.bracket_picture import bracket_svg
from roundtap_core.event.state import EventState
from roundtap_core.words import Words
from roundtap_hub.hub import Hub
from roundtap_hub.journal.on_walls import AUTO, SHOWS
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.known_displays import played_event
from roundtap_hub.presence import UnitStatus
from roundtap_hub.views.announced import announced_view
from roundtap_hub.views.event_at import EventAt, event_at, newest_round, planned_rounds, ranking_by_id, shown_names
from roundtap_hub.views.event_list import listed
from roundtap_hub.views.knockout import (
    bracket,
    bracket_lines,
    cut_rows,
    final_lines,
    first_on_wall,
    standing_of,
    winner_of,
)
from roundtap_hub.views.players import everybody, player_view
from roundtap_hub.views.round_clock import face_of, time_of_day
from roundtap_hub.views.row_texts import RowOf
from roundtap_hub.views.standings_table import has_draws, record_text, standings_view
from roundtap_hub.views.tables import cells
from roundtap_hub.views.wall import BRACKET, CLOCK, PAGE_MS, WELCOME, wall_view

DOOR = "door"
"""The page key of whatever shows which events there are."""
THEMES = ("dark", "light")
PART = re.compile(r"([1-4])/([1-4])")
WALL_ASKS = ("theme", "part", "show", "sound")
"""What an address of a wall may say."""
NAME = re.compile(r"name:[A-Z][1-9]?")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a page is drawn from: what was saved and what units said, at one moment, for readers of one language."""

    hub: Hub
    snapshot: Snapshot
    units: Mapping[str, UnitStatus]
    now: Instant
    words: Words

    @property
    def now_ms(self) -> int:
        return self.now.mono_ms


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page before it is drawn. `page`: its key (views/page_versions.py); `variant`: which of several ways to draw
    it; both together say all that its content depends on beside the moment and the language."""

    template: str
    page: str
    variant: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The page is at another address; `path` with its query."""

    path: str


Found = Sheet | Elsewhere | None


def sheet_of(asked: Asked, page: str, variant: str = "") -> Found:
    """The page of a key and a variant; None where there is none."""
    kind, *rest = page.split("/")
    if page == DOOR:
        return any_wall(asked, variant) if variant.startswith("wall") else front_door(asked, variant == "stay")
    moment = event_at(asked.snapshot, rest[0]) if rest else None
    if moment is None:
        return None
    if kind == "p" and len(rest) == 2:
        return player(asked, moment, rest[1])
    return _OF_EVENT[kind](asked, moment, variant) if kind in _OF_EVENT and len(rest) == 1 else None


def front_door(asked: Asked, stay: bool = False) -> Found:
    """One event: straight to it, unless one wants to `stay`. None: how to begin. Several: which one."""
    events = listed(asked.snapshot)
    current = [event for event in events if not event.finished] or events
    if len(current) == 1 and not stay:
        return Elsewhere(f"/e/{current[0].id}")
    return Sheet("door.html", DOOR, "stay" if stay else "", {"events": events})


def any_wall(asked: Asked, variant: str) -> Found:
    """The event that is being played, else one that will be; before any, a wall that waits."""
    way = way_of(variant)
    chosen = played_event(asked.snapshot, asked.now_ms)
    if chosen is None or way.display:
        # A display stays at its address: it is told as soon as there is an event.
        return Sheet("wall_waiting.html", DOOR, variant, {"theme": way.theme, "way": way, "reached": come_in(asked)})
    query = urlencode({name: value for name, value in (
        ("theme", way.theme), ("part", way.part), ("show", way.show), ("sound", "1" if way.sound else "")) if value})
    return Elsewhere(f"/wall/{chosen}{'?' if query else ''}{query}")


@dataclass(frozen=True, slots=True)
class ComeIn:
    """Where players come in, as walls show it. `url` "": the hub is on no network yet; `name`: what most may type
    instead, "" where there is no such name."""

    url: str
    qr: str
    name: str = ""

    @property
    def shown(self) -> str:
        """As people type it."""
        return self.url.removeprefix("http://")


def come_in(asked: Asked) -> ComeIn | None:
    """None: this hub does not know its own port (in tests)."""
    reached = asked.hub.reached_at
    if not reached.port:
        return None
    from roundtap_hub.qr_svg import qr_svg

    return ComeIn(reached.url, qr_svg(f"{reached.url}/") if reached.url else "",
                  reached.by_name.removeprefix("http://"))


@dataclass(frozen=True, slots=True)
class Way:
    """How a wall is drawn. `part`: "1/2", the first of two walls that share the alphabet; `show`: one picture instead
    of what fits the moment; `display`: the page belongs to a display, which `name` ("": assigned) tells apart."""

    theme: str = ""
    part: str = ""
    show: str = ""
    sound: bool = False
    display: bool = False
    name: str = ""


def way_of(variant: str) -> Way:
    """The way of a variant ("wall display dark 1/2 pairings sound name:B"): what is not understood is left out."""
    said = variant.split()[1:]
    parts = [one for one in said if (found := PART.fullmatch(one)) and found[1] <= found[2] and one != "1/1"]
    return Way(next((one for one in said if one in THEMES), ""), next(iter(parts), ""),
               next((one for one in said if one in SHOWS and one != AUTO), ""), "sound" in said, "display" in said,
               next((one.removeprefix("name:") for one in said if NAME.fullmatch(one)), ""))


def variant_of(way: Way) -> str:
    """The one text of a way."""
    return " ".join(filter(None, (
        "wall", "display" if way.display else "", way.theme, way.part, way.show, "sound" if way.sound else "",
        f"name:{way.name}" if way.name else "")))


def wall_variant(asked: Mapping[str, str]) -> str:
    """The variant that a wall's address asks for: `theme`, `part`, `show`, `sound`."""
    said = (asked.get("theme", ""), asked.get("part", ""), asked.get("show", ""),
            "sound" if asked.get("sound") == "1" else "")
    return variant_of(replace(way_of(" ".join(("wall", *(" ".join(each.split()[:1]) for each in said)))),
                              display=False, name=""))


def plain_variant(page: str, variant: str) -> str:
    """A variant as the page itself would have it, whatever somebody asked for."""
    if page.startswith("wall/") or (page == DOOR and variant.startswith("wall")):
        return variant_of(way_of(variant))
    return variant if page == DOOR and variant == "stay" else ""


def wall(asked: Asked, moment: EventAt, variant: str = "") -> Sheet:
    """`variant`: see `way_of`."""
    state, way = moment.state, way_of(variant)
    share = (int(way.part[0]), int(way.part[2])) if way.part else (1, 1)
    view = wall_view(asked.snapshot, asked.units, moment, asked.now_ms, share, way.show)
    found = bracket(moment) if view.mode == BRACKET else None
    drawing = bracket_svg(found, shown_names(moment), asked.words, first_on_wall(found)) if found else ""
    pages = len(view.pages) or len(view.standings_pages + view.cut_pages) or 1 + len(view.final_pages)
    return Sheet("wall.html", f"wall/{state.id}", variant_of(way), {
        "state": state, "view": view, "current": asked.now_ms // PAGE_MS % pages, "theme": way.theme,
        "page_ms": PAGE_MS, "way": way, "clock": state.clock, "face": face_of(state, asked.now, asked.words),
        "reached": come_in(asked) if view.mode == WELCOME else None,
        "drawing": drawing, "ends": end_time(state, asked) if view.mode == CLOCK else "",
        "planned": planned_rounds(state),
    })


def end_time(state: EventState, asked: Asked) -> str:
    """When the running round ends, on the wall clock of this place; empty where nobody knows the time, and once it has
    ended."""
    remaining_ms = state.clock.remaining_at(asked.now) if state.clock.state == RUNNING else None
    if remaining_ms is None or remaining_ms <= 0:
        return ""
    return time_of_day(asked.hub.clocks.wall(), remaining_ms)


def find_me(asked: Asked, moment: EventAt, query: str = "") -> Sheet:
    """Everybody by name, or those whose name holds `query`: the search works without scripts too."""
    state = moment.state
    return Sheet("find_me.html", f"e/{state.id}", "", {
        "state": state, "people": everybody(moment, query), "query": query, "planned": planned_rounds(state),
        "newest": newest_round(state)})


def player(asked: Asked, moment: EventAt, competitor: str) -> Found:
    state = moment.state
    view = player_view(asked.snapshot, asked.units, moment, competitor, asked.now_ms)
    if view is None:
        return None
    return Sheet("player.html", f"p/{state.id}/{competitor}", "", {
        "state": state, "view": view, "clock": state.clock, "standing": standing_of(moment, competitor),
        "has_bracket": bracket(moment) is not None, "planned": planned_rounds(state),
        "face": face_of(state, asked.now, asked.words), **_winner(moment, competitor)})


def _winner(moment: EventAt, competitor: str) -> dict[str, Any]:
    winner = winner_of(moment)
    return {"won": winner == competitor, "winner": shown_names(moment)[winner] if winner is not None else ""}


def standings(asked: Asked, moment: EventAt) -> Sheet:
    found, names = bracket(moment), shown_names(moment)
    return Sheet("standings.html", f"standings/{moment.state.id}", "", {
        "state": moment.state, "view": standings_view(moment, names), "planned": planned_rounds(moment.state),
        "final": final_lines(moment, names) if found else (), "has_bracket": found is not None,
        "cut_rows": cut_rows(moment), "names": names})


def bracket_page(asked: Asked, moment: EventAt) -> Sheet:
    """The bracket: drawn where there is room, as lists on a phone."""
    found, names = bracket(moment), shown_names(moment)
    return Sheet("bracket.html", f"bracket/{moment.state.id}", "", {
        "state": moment.state, "bracket": found, "drawing": bracket_svg(found, names, asked.words) if found else "",
        "rounds": bracket_lines(found, names) if found else [], "planned": planned_rounds(moment.state),
        "champion": names.get(found.champion, "") if found and found.champion else "", "cut_rows": cut_rows(moment),
        "names": names})


def pairings(asked: Asked, moment: EventAt) -> Sheet:
    """The newest round by table."""
    state, newest = moment.state, newest_round(moment.state)
    grid = cells(asked.snapshot, {}, state, newest, shown_names(moment), asked.now_ms)
    ranked, draws = ranking_by_id(moment), has_draws(state)

    def rows() -> Iterator[RowOf]:
        for c in grid:
            a, b = record_text(ranked.get(c.a_id), draws), record_text(ranked.get(c.b_id or ""), draws)
            yield c.match_id, (c.table, c.a_id, c.a, c.b_id, c.b, c.bye, c.result, c.by_hand, a, b), (c, a, b)

    return Sheet("pairings.html", f"pairings/{state.id}", "", {
        "state": state, "newest": newest, "rows": rows, "planned": planned_rounds(state)})


def announced(asked: Asked, moment: EventAt) -> Sheet:
    """The rules of this event, for everybody to read."""
    return Sheet("announced.html", f"rules/{moment.state.id}", "",
                 {"state": moment.state, "view": announced_view(moment)})


_OF_EVENT: Mapping[str, Callable[[Asked, EventAt, str], Found]] = {
    "e": lambda asked, moment, _: find_me(asked, moment),
    "standings": lambda asked, moment, _: standings(asked, moment),
    "bracket": lambda asked, moment, _: bracket_page(asked, moment),
    "pairings": lambda asked, moment, _: pairings(asked, moment),
    "rules": lambda asked, moment, _: announced(asked, moment),
    "wall": wall,
}
