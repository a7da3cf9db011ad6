"""Lists of Shatterpoint Premier Showdown: four squads and a mission set, no name twice over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.lists.list_form import NAMES, Field, Lines, ListCheck, ListForm
from roundtap_core.lists.parts import ListData, fold, names, rows, text
from roundtap_core.lists.squads import letter

SQUADS = 4


def squad_key(number: int) -> str:
    """Where squad 1, 2, 3 or 4 stands in a list; its number is what picks and slips name it by."""
    return f"squad_{number}"


class ShatterpointList(ListCheck):
    """{"mission": name, "squad_1" … "squad_4": [{"name": unit, "unique_names": [...]}]}.

    What makes a squad by the core game is people's business. A fifth squad has a word of its own.
    """

    also = ListCheck.also | {f"squad_{number}" for number in range(SQUADS + 1, 10)}

    def form(self, options: Mapping[str, Any]) -> ListForm:
        units = (Field("name", label="unit"), Field("unique_names", NAMES))
        squads = (Lines(squad_key(n), units, 3, label="squad", number=letter(n)) for n in range(1, SQUADS + 1))
        return ListForm(fields=(Field("mission"),), lines=tuple(squads))

    def wrong(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        """"Tworzenie listy": no unit whose name, or unique name, already stands in one of the four squads."""
        surplus = [key for key in list_ if key.startswith("squad_") and key not in map(squad_key, range(1, SQUADS + 1))]
        found = [Problem("list_squad_surplus", where=f"/{key}", wanted=SQUADS) for key in surplus]
        return [*found, *_unit_problems(list_), *_unique_problems(list_)]

    def missing(self, list_: ListData, options: Mapping[str, Any], level: str | None = None) -> list[Problem]:
        found = [] if text(list_, "mission") else [Problem("list_mission_missing", where="/mission")]
        for number in range(1, SQUADS + 1):
            units = rows(list_, squad_key(number))
            if not units:
                found.append(Problem("list_squad_missing", where=f"/{squad_key(number)}", number=letter(number)))
            found += [Problem("list_line_name_missing", where=f"/{squad_key(number)}/{index}/name", line=index + 1)
                      for index, unit in units if not text(unit, "name")]
        return found


def _units(list_: ListData) -> Iterator[tuple[int, int, ListData]]:
    """Every unit with its squad's number and its place there."""
    for number in range(1, SQUADS + 1):
        for index, unit in rows(list_, squad_key(number)):
            yield number, index, unit


def _unit_problems(list_: ListData) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for number, index, unit in _units(list_):
        name = text(unit, "name")
        if name and fold(name) in first:
            yield Problem("list_unit_twice", where=f"/{squad_key(number)}/{index}/name", line=index + 1, name=name,
                          first=letter(first[fold(name)]))
        first.setdefault(fold(name), number)


def _unique_problems(list_: ListData) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for number, index, unit in _units(list_):
        for place, name in enumerate(names(unit, "unique_names")):
            if fold(name) in first:
                yield Problem("list_unique_in_squads", where=f"/{squad_key(number)}/{index}/unique_names/{place}",
                              line=index + 1, name=name, first=letter(first[fold(name)]))
            first.setdefault(fold(name), number)
