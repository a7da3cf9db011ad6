"""Whom an event file names, and where: each is known, and sits nowhere twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roundtap_core.errors import Problem


def competitor_problems(competitors: list[dict[str, Any]]) -> Iterator[Problem]:
    """Each id is one competitor's."""
    first: dict[str, int] = {}
    for index, item in enumerate(competitors):
        before = first.setdefault(item["id"], index)
        if before != index:
            where = f"/competitors/{index}/id"
            yield Problem("id_twice", where=where, competitor=item["id"], first=f"/competitors/{before}")


def official_problems(officials: list[dict[str, Any]], known: set[str]) -> Iterator[Problem]:
    """Officials have ids of their own; who of them plays is a competitor."""
    first: dict[str, str] = {}
    for index, item in enumerate(officials):
        where = f"/officials/{index}"
        if item["id"] in known or item["id"] in first:
            yield Problem("id_twice", where=f"{where}/id", competitor=item["id"],
                          first=first.get(item["id"], "/competitors"))
        first.setdefault(item["id"], where)
        if "plays" in item and item["plays"] not in known:
            yield Problem("unknown_competitor", where=f"{where}/plays", competitor=item["plays"])


def played_on_problems(lines: list[dict[str, Any]], known: set[str]) -> Iterator[Problem]:
    """What was missing was missing of a competitor, or of nobody."""
    for index, line in enumerate(lines):
        for at, point in enumerate(line["points"]):
            if point.get("who", "") not in known | {""}:
                yield Problem("unknown_competitor", where=f"/played_on/{index}/points/{at}/who",
                              competitor=point["who"])


def cut_problems(cut: dict[str, Any], known: set[str]) -> Iterator[Problem]:
    """Whoever stands in the cut is a competitor, once in each list."""
    for key in ("order", "seeds", "declined", "absent"):
        listed = cut.get(key, [])
        for index, who in enumerate(listed):
            if who not in known:
                yield Problem("unknown_competitor", where=f"/cut/{key}/{index}", competitor=who)
            elif listed.index(who) != index:
                yield Problem("id_twice", where=f"/cut/{key}/{index}", competitor=who,
                              first=f"/cut/{key}/{listed.index(who)}")


def seating_problems(item: dict[str, Any], where: str, known: set[str]) -> Iterator[Problem]:
    """Each competitor is known and sits once in a round; each table is used once."""

    def place(index: int) -> str:
        return f"{where}/matches/{index}"

    seats: dict[str, int] = {}
    tables: dict[int, int] = {}
    for index, match in enumerate(item["matches"]):
        for side in ("a", "b"):
            who = match.get(side)
            if who is None:
                continue
            if who not in known:
                yield Problem("unknown_competitor", where=f"{place(index)}/{side}", competitor=who)
            elif who in seats:
                yield Problem("twice_in_round", where=f"{place(index)}/{side}", competitor=who, first=place(seats[who]))
            seats.setdefault(who, index)
        if "absent" in match and match["absent"] not in known:
            yield Problem("unknown_competitor", where=f"{place(index)}/absent", competitor=match["absent"])
        table = match.get("table")
        if table is not None and tables.setdefault(table, index) != index:
            yield Problem("table_twice", where=f"{place(index)}/table", table=table, first=place(tables[table]))
