"""A league: several events added up, person by person, by the rules that the organizer chose."""

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct, structs

from roundtap_core.errors import Invalid
from roundtap_core.names import fold, public_names
from roundtap_core.records import Competitor
from roundtap_core.rulebooks import scoring

Points = int | Fraction
"""Whole points or halves."""


class LeagueRules(Struct, frozen=True, kw_only=True):
    """`points`: "place" or "own". `by_place`: what first, second … place is worth, as `by_place_of` reads it; later
    places get nothing. `best`: so many events of each person count (0: all). `coming`: points for every event played,
    also for those that do not count. `ties`: "places", "best" or "latest"."""

    points: str = "place"
    by_place: str = "10,8,6,5,4,3,2,1"
    best: int = 0
    coming: int = 0
    ties: str = "places"


class LeagueResult(Struct, frozen=True):
    """A person's place in one event (None: disqualified; a shared one is the better of the two) and the points: the
    event's own in what is added up, in the table what the league gives. `counts`: it is in the total."""

    place: int | None
    points: Points
    counts: bool = False


class LeagueRow(Struct, frozen=True):
    """One line. `place` is shared by those whom no rule parts. `played`: how many events; `coming`: the points for
    that, part of `points`. `results`: by the event's number, from 1. `name` is the public one."""

    place: int
    person: str
    points: Points
    played: int
    coming: int
    results: Mapping[int, LeagueResult]
    name: str = ""
    full_name: str = ""


def by_place_of(text: str) -> tuple[Points, ...]:
    """The points by place in "10,8,6.5": whole ones or halves, none above the one before. Raises
    Problem("league_places_unfit")."""
    fits = re.fullmatch(r"(\d{1,4}(\.[05])?,){0,99}\d{1,4}(\.[05])?", text, re.ASCII)
    worths = [*map(Fraction, text.split(","))] if fits else []
    if not worths or worths != sorted(worths, reverse=True):
        raise Invalid("league_places_unfit", value=text[:40])
    return tuple(worths)


def league(
    events: Sequence[Mapping[str, LeagueResult]],
    rules: LeagueRules,
    people: Collection[Competitor] = (),
    full_names: bool = False,
) -> list[LeagueRow]:
    """The table, best first, then by name. `events`: who played, in the order in which they were played; own points are
    of one game. `people`: by the ids of persons, with whole names. A disqualified person gets nothing for that event,
    not even for coming. Raises Problem("league_places_unfit")."""
    worth, found = dict(enumerate(by_place_of(rules.by_place), start=1)), dict[str, dict[int, LeagueResult]]()
    for number, event in enumerate(events, start=1):
        for person, own in event.items():
            points = 0 if own.place is None else own.points if rules.points == "own" else worth.get(own.place, 0)
            found.setdefault(person, {})[number] = structs.replace(own, points=points)
    rows = []
    for person, results in found.items():
        # Of equal points the better place counts, then the later event.
        played = sorted((each.points, -each.place, n) for n, each in results.items() if each.place is not None)
        counted = played[-rules.best :]
        coming, numbers = rules.coming * len(played), {n for _, _, n in counted}
        points = coming + sum(points for points, _, _ in counted)
        # Of two with equal points, the greater one is in front; an event worth nothing is no more than one missed.
        among_equals: Mapping[str, Sequence[object]] = {
            "places": sorted((place for _, place, _ in counted), reverse=True),
            "best": sorted((points for points, _, _ in counted if points), reverse=True),
            "latest": sorted(((n, place) for _, place, n in played), reverse=True),
        }
        shown = {n: structs.replace(each, counts=n in numbers) for n, each in results.items()}
        rows.append(((points, *among_equals[rules.ties]), LeagueRow(0, person, points, len(played), coming, shown)))
    rows.sort(key=lambda row: row[0], reverse=True)
    first = {key: place for place, (key, _) in reversed([*enumerate(rows, start=1)])}
    names, whole = public_names(people, full_names), {each.id: each.name for each in people}
    in_order = [
        structs.replace(row, place=first[key], name=names.get(row.person, ""), full_name=whole.get(row.person, ""))
        for key, row in rows
    ]
    return sorted(in_order, key=lambda row: (row.place, fold(row.name)))


def league_points_text(points: Points) -> str:
    """As people read them: "7½"."""
    return scoring.points_text(int(2 * points), "half")


def exact_points(points: Points) -> int | str:
    """A whole number, or halves as "15/2"."""
    return int(points) if points.denominator == 1 else str(points)
