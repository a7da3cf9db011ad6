"""Whom an event file names, and where: each is known, and sits nowhere twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from roundtap_core.errors import Problem
from roundtap_core.eventfile.file_types import Competitor, Cut, Official, PlayedOn, Round


def competitor_problems(competitors: Sequence[Competitor]) -> Iterator[Problem]:
    """Each id is one competitor's."""
    first: dict[str, int] = {}
    for index, one in enumerate(competitors):
        before = first.setdefault(one.id, index)
        if before != index:
            where = f"/competitors/{index}/id"
            yield Problem("id_twice", where=where, competitor=one.id, first=f"/competitors/{before}")


def official_problems(officials: Sequence[Official], known: Set[str]) -> Iterator[Problem]:
    """Officials have ids of their own; who of them plays is a competitor."""
    first: dict[str, str] = {}
    for index, one in enumerate(officials):
        where = f"/officials/{index}"
        if one.id in known or one.id in first:
            yield Problem("id_twice", where=f"{where}/id", competitor=one.id, first=first.get(one.id, "/competitors"))
        first.setdefault(one.id, where)
        if one.plays and one.plays not in known:
            yield Problem("unknown_competitor", where=f"{where}/plays", competitor=one.plays)


def played_on_problems(lines: Sequence[PlayedOn], known: Set[str]) -> Iterator[Problem]:
    """What was missing was missing of a competitor, or of nobody."""
    for index, line in enumerate(lines):
        for at, point in enumerate(line.points):
            if point.who and point.who not in known:
                yield Problem("unknown_competitor", where=f"/played_on/{index}/points/{at}/who", competitor=point.who)


def cut_problems(cut: Cut, known: Set[str]) -> Iterator[Problem]:
    """Whoever stands in the cut is a competitor, once in each list."""
    for key in ("order", "seeds", "declined", "absent"):
        listed = getattr(cut, key) or ()
        for index, who in enumerate(listed):
            if who not in known:
                yield Problem("unknown_competitor", where=f"/cut/{key}/{index}", competitor=who)
            elif listed.index(who) != index:
                yield Problem("id_twice", where=f"/cut/{key}/{index}", competitor=who,
                              first=f"/cut/{key}/{listed.index(who)}")


def seating_problems(played: Round, where: str, known: Set[str]) -> Iterator[Problem]:
    """Each competitor is known and sits once in a round; each table is used once."""

    def place(index: int) -> str:
        return f"{where}/matches/{index}"

    seats: dict[str, int] = {}
    tables: dict[int, int] = {}
    for index, entry in enumerate(played.matches):
        for side, who in (("a", entry.a), ("b", entry.b)):
            if not who:
                continue
            if who not in known:
                yield Problem("unknown_competitor", where=f"{place(index)}/{side}", competitor=who)
            elif who in seats:
                yield Problem("twice_in_round", where=f"{place(index)}/{side}", competitor=who, first=place(seats[who]))
            seats.setdefault(who, index)
        if entry.absent and entry.absent not in known:
            yield Problem("unknown_competitor", where=f"{place(index)}/absent", competitor=entry.absent)
        if entry.table and tables.setdefault(entry.table, index) != index:
            yield Problem("table_twice", where=f"{place(index)}/table", table=entry.table,
                          first=place(tables[entry.table]))
