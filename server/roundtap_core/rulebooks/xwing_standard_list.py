"""Squad lists of X-Wing standard: what the German tournament document says of them under "Jägerstaffellisten"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.lists.list_form import CHOICE, NAMES, NUMBER, Field, Lines, ListCheck, ListForm
from roundtap_core.lists.parts import (
    ListData,
    counted_points,
    fold,
    has_product,
    names,
    rows,
    text,
    whole,
    without_product,
)
from roundtap_core.records import Competitor

FACTIONS = ("Rebel", "Imperial", "Scum and Villainy")
DAMAGE_DECKS = ("original", "the-force-awakens")
OBSTACLES = (*(f"asteroid-{n}" for n in range(1, 13)), *(f"debris-{n}" for n in range(1, 7)))
"""Twelve asteroids of the two core sets, six debris clouds of two expansions."""
OBSTACLES_WANTED = 3

SHIPS = Lines("ships", (
    Field("count", NUMBER, minimum=1, maximum=99, usual=1),
    Field("name", label="pilot"),
    Field("ship"),
    Field("points", NUMBER),
    Field("upgrades", NAMES),
    Field("faction", CHOICE, FACTIONS),
))


class XWingStandardList(ListCheck):
    """{"faction", "total", "damage_deck", "obstacles": [3], "ships": [{"count", "name", "ship", "points",
    "upgrades", "faction"}]}; a ship's faction only where it is written; `points` are one ship's with its upgrades.
    Sections in the docstrings are the document's headings."""

    def form(self, options: Mapping[str, Any]) -> ListForm:
        """"Jägerstaffellisten": ships with upgrades, total, damage deck, obstacles."""
        return ListForm(
            fields=(
                Field("faction", CHOICE, FACTIONS),
                Field("damage_deck", CHOICE, DAMAGE_DECKS),
                Field("obstacles", NAMES, OBSTACLES, count=OBSTACLES_WANTED),
                Field("total", NUMBER, maximum=9999),
            ),
            lines=(SHIPS,),
        )

    def wrong(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """"Zusammenstellung von Jägerstaffeln": at most 100 points, and three obstacles of which no two are alike."""
        return [*total_problems(list_, options["squad_points"]), *_obstacle_problems(names(list_, "obstacles")),
                *_faction_problems(list_)]

    def missing(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """"Jägerstaffellisten": what the list that is handed in includes."""
        found = [*missing_squad(list_)]
        if not text(list_, "faction"):
            found.append(Problem("list_faction_missing", where="/faction"))
        if not text(list_, "damage_deck"):
            found.append(Problem("list_damage_deck_missing", where="/damage_deck"))
        if not names(list_, "obstacles"):
            found.append(Problem("list_obstacles_missing", where="/obstacles", wanted=OBSTACLES_WANTED))
        return found

    def total(self, list_: ListData) -> int | None:
        return squad_total(list_)

    def completed(self, list_: ListData) -> dict[str, Any]:
        return with_total(list_)

    def event_warnings(self, competitors: Sequence[Competitor], options: Mapping[str, Any]) -> list[Problem]:
        """"Jägerstaffellisten": a card that shares name and cost with another names its product in brackets.

        Which cards do is printed on no list; but where one list names the product, another without it is unclear.
        """
        cards = [(where, line, name) for c, competitor in enumerate(competitors)
                 for where, line, name in _cards(competitor.list or {}, f"/{c}/list")]
        told = {fold(without_product(name)): name for _, _, name in cards if has_product(name)}
        return [
            Problem("list_which_product", where=where, line=line, name=name, example=told[fold(name)])
            for where, line, name in cards if not has_product(name) and fold(name) in told
        ]


def squad_total(list_: ListData) -> int | None:
    """The total as written, else as counted from the ships."""
    stated = whole(list_, "total")
    return counted_points(ship for _, ship in rows(list_, "ships")) if stated is None else stated


def with_total(list_: ListData) -> dict[str, Any]:
    """The list with its total, where nobody wrote it and every ship says its points."""
    total = squad_total(list_)
    return dict(list_) if total is None else {**list_, "total": total}


def total_problems(list_: ListData, maximum: int) -> Iterator[Problem]:
    """The total is what the ships cost, and at most `maximum`."""
    stated, counted = whole(list_, "total"), counted_points(ship for _, ship in rows(list_, "ships"))
    if stated is not None and counted is not None and stated != counted:
        yield Problem("list_total_differs", where="/total", total=stated, counted=counted)
    if stated is not None and stated > maximum:
        yield Problem("list_over_points", where="/total", total=stated, maximum=maximum)
    elif counted is not None and counted > maximum:
        yield Problem("list_over_points", where="/ships", total=counted, maximum=maximum)


def missing_squad(list_: ListData) -> Iterator[Problem]:
    """Ships, each with its name and points, and their total."""
    ships = rows(list_, "ships")
    if not ships:
        yield Problem("list_ships_missing", where="/ships")
    for index, ship in ships:
        if not text(ship, "name") and not text(ship, "ship"):
            yield Problem("list_line_name_missing", where=f"/ships/{index}/name", line=index + 1)
        if whole(ship, "points") is None:
            yield Problem("list_line_points_missing", where=f"/ships/{index}/points", line=index + 1)
    if whole(list_, "total") is None:
        yield Problem("list_total_missing", where="/total")


def _faction_problems(list_: ListData) -> Iterator[Problem]:
    """"Zusammenstellung von Jägerstaffeln": all ships are of one faction; a line that names another is at fault."""
    squad = text(list_, "faction")
    for index, ship in rows(list_, "ships"):
        own = text(ship, "faction")
        squad = squad or own
        if own and own != squad:
            yield Problem("list_line_faction", where=f"/ships/{index}/faction", line=index + 1, own=own, squad=squad)


def _obstacle_problems(chosen: list[str]) -> Iterator[Problem]:
    if chosen and len(chosen) != OBSTACLES_WANTED:
        yield Problem("list_obstacles_count", where="/obstacles", count=len(chosen), wanted=OBSTACLES_WANTED)
    for place, obstacle in enumerate(chosen):
        first = chosen.index(obstacle)
        if first != place:
            yield Problem("list_obstacle_twice", where=f"/obstacles/{place}", line=place + 1, first=first + 1,
                          wanted=OBSTACLES_WANTED)


def _cards(list_: ListData, where: str) -> Iterator[tuple[str, int, str]]:
    """Every ship's and upgrade's name, with its place and line."""
    for index, ship in rows(list_, "ships"):
        if text(ship, "name"):
            yield f"{where}/ships/{index}/name", index + 1, text(ship, "name")
        for upgrade, name in enumerate(names(ship, "upgrades")):
            yield f"{where}/ships/{index}/upgrades/{upgrade}", index + 1, name
