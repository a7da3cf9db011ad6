"""Standings: competitors ordered by the points and tiebreakers of the Swiss rounds. A league: several events added up,
person by person, by the rules that the organizer chose."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from msgspec import Struct, structs
from msgspec.structs import replace

from roundtap_core.errors import Invalid
from roundtap_core.names import fold, public_names
from roundtap_core.records import DISQUALIFIED, SECOND_SWISS, Competitor, StandingsRow, Tournament, result_from_json
from roundtap_core.rulebooks import scoring
from roundtap_core.rulebooks.registry import book_of
from roundtap_core.standings.tiebreakers import (
    AMONG_TIED,
    RANDOM,
    TIEBREAK_ROUND,
    TiebreakInput,
    TiebreakValues,
    decides_place,
    tiebreak_values,
)
from roundtap_core.standings.totals import SwissTotals, swiss_totals

POINTS, LAST, CUT = "points", "last", "cut"

Order = list[tuple[str, str]]  # competitors, the best first, each with what separates it from the next
Points = int | Fraction
"""Whole points or halves."""


def standings(tournament: Tournament, after: int | None = None, now: bool = False) -> tuple[StandingsRow, ...]:
    """The standings after round `after` (default: after all recorded Swiss rounds), best first. `now`: who left or was
    disqualified since then has that status, as in the hall during the next round; else all stand as they did then.

    Order: points, then the rulebook's tiebreakers. Dropped competitors keep their place. Disqualified ones come last
    without a rank, in the file's order, but their matches count for their opponents (house decision). Competitors who
    never played have no line, nor have those who left before the first round. Tie-break rounds count from the round
    they were played in. Raises Problem, with its place in the event file, for an unreadable result.
    """
    basis = TiebreakInput(tournament, after, swiss_totals(tournament, after))
    status = _status(tournament, after, now)
    order, values = _ordered(basis, status)
    out = [who for who, state in status.items() if state == DISQUALIFIED]
    by_key = {each.key: each for each in book_of(tournament).tiebreakers}
    shown = {
        key: {**figures.shown, **tiebreak_values(by_key[key], basis, out).shown} for key, figures in values.items()
    }
    return tuple(_rows(order, out, basis.records, shown, status))


def open_ties(tournament: Tournament) -> list[tuple[str, ...]]:
    """Who still has to play for a prize or cut place, best tie first, each in the lot's order. Only those still there
    play. Empty for rulebooks without tie-break rounds, and before the last Swiss round."""
    if not book_of(tournament).tiebreak_rounds:
        return []
    basis = TiebreakInput(tournament, None, swiss_totals(tournament))
    _ordered(basis, _status(tournament))
    return basis.open


def _status(tournament: Tournament, after: int | None = None, now: bool = False) -> dict[str, str | None]:
    """All who have a line, in the file's order, each with their status: as it was then, or `now`."""
    seated = tournament.seated(after)
    return {
        c.id: state
        for c in tournament.competitors
        if ((state := c.status(None if now else after)) is None and not seated) or c.id in seated
    }


def _ordered(basis: TiebreakInput, status: Mapping[str, str | None]) -> tuple[Order, dict[str, TiebreakValues]]:
    """All who are ranked, in order, and the tiebreakers' values by key."""
    ranked = [who for who, state in status.items() if state != DISQUALIFIED]
    second = _second_stage(basis.tournament, basis.after).intersection(ranked)
    values = _values(basis, ranked)
    order: Order = []
    for group in _points_groups(basis.records, ranked, second):
        order += _settled(basis, group, values)
        order[-1] = (order[-1][0], CUT if len(order) == len(second) else POINTS)
    return order, values


def last_first(tournament: Tournament, records: Mapping[str, SwissTotals], among: Collection[str]) -> Iterator[str]:
    """All of `among`, the last first: those who have not played a round, then the ranks of `standings` upwards. A tie
    is settled only when it is reached. `records`: the result of `swiss_totals`; nobody of `among` is disqualified."""
    yield from (who for who in among if not records[who].rounds)
    ranked = [c.id for c in tournament.competitors if c.disqualified_after is None and records[c.id].rounds]
    groups = _points_groups(records, ranked, _second_stage(tournament))
    while groups:
        tied = groups.pop()
        if wanted := set(tied).intersection(among):
            basis = TiebreakInput(tournament, None, records, [who for group in groups for who in group])
            settled = _settled(basis, tied, _values(basis, tied))
            yield from (who for who, _ in reversed(settled) if who in wanted)


def _points_groups(
    records: Mapping[str, SwissTotals], ranked: Sequence[str], second: Collection[str]
) -> list[list[str]]:
    """Those of equal points, best first. Players in a second stage rank above all others, whatever the figures."""
    return _split(ranked, {who: (who in second, records[who].points) for who in ranked})


def _values(basis: TiebreakInput, whom: Sequence[str]) -> dict[str, TiebreakValues]:
    """What the tiebreakers that do not depend on who is tied say, by key."""
    return {
        each.key: tiebreak_values(each, basis, whom)
        for each in book_of(basis.tournament).tiebreakers
        if each.by not in AMONG_TIED
    }


def _settled(basis: TiebreakInput, points_group: list[str], values: Mapping[str, TiebreakValues]) -> Order:
    """Those of equal points in order, each with what separates it from the next (the last: ""). Whoever has a place is
    added to `basis.above`."""
    book = book_of(basis.tournament)
    keys = book.tiebreaker_keys
    again = keys.index(book.ties_start_again_at) if book.ties_start_again_at else len(keys)
    order: Order = []

    def settle(tied: list[str], level: int, straight: bool = False) -> None:
        if len(tied) == 1:
            order.append((tied[0], ""))
            basis.above.append(tied[0])
            return
        if level == len(keys):
            raise AssertionError("the last tiebreaker left a tie")
        key = keys[level]
        figures = values[key] if key in values else tiebreak_values(book.tiebreakers[level], basis, tied)
        groups = _split(tied, figures.order)
        if figures.playing:
            basis.open.append(figures.playing)
        for group in groups:
            if key == TIEBREAK_ROUND and len(groups) > 1 and not figures.playing and decides_place(basis):
                # Inside a tie-break nothing from the Swiss rounds decides.
                settle(group, level, straight=True)
            elif straight and not figures.playing:
                # Nobody is there to play for it.
                settle(group, again)
            else:
                # A smaller tie may start again at an earlier tiebreaker.
                settle(group, level + 1 if figures.playing or len(groups) == 1 else min(level + 1, again))
            order[-1] = (order[-1][0], key)

    settle(points_group, 0)
    return order


def telling_tiebreakers(rows: Sequence[StandingsRow]) -> tuple[str, ...]:
    """The tiebreakers that are worth a column, by weight: not those whose figure is the same in every row."""
    keys = rows[0].tiebreakers if rows else ()
    return tuple(key for key in keys if len({row.tiebreakers[key] for row in rows}) > 1)


def tournament_before(tournament: Tournament, number: int, seen: int | None = None) -> Tournament | None:
    """The rounds before round `number` with the results it was drawn by. Corrections made once round `seen` existed
    (default: that round) are undone; None if one has no known time."""
    rounds = []
    for played in tournament.rounds:
        if played.number >= number:
            continue
        matches = []
        for match in played.matches:
            corrections = (match.record or {}).get("corrections", ())
            if any("after_round" not in correction for correction in corrections):
                return None
            late = next((each for each in corrections if each["after_round"] >= (seen or number)), None)
            matches.append(match if late is None else replace(match, result=result_from_json(late["was"])))
        rounds.append(replace(played, matches=tuple(matches)))
    return replace(tournament, rounds=tuple(rounds))


def _second_stage(tournament: Tournament, after: int | None = None) -> set[str]:
    return {
        who
        for played in tournament.stage_rounds(SECOND_SWISS)
        if after is None or played.number <= after
        for match in played.matches
        for who in (match.a, match.b)
        if who is not None
    }


def _split(tied: Sequence[str], values: Mapping[str, Any]) -> list[list[str]]:
    """Groups of equal value, highest first; the order within a group is kept."""
    groups: dict[Any, list[str]] = {}
    for competitor in tied:
        groups.setdefault(values[competitor], []).append(competitor)
    return [groups[value] for value in sorted(groups, reverse=True)]


def _rows(
    order: Order,
    out: Sequence[str],
    records: Mapping[str, SwissTotals],
    shown: Mapping[str, Mapping[str, int | Fraction]],
    status: Mapping[str, str | None],
) -> Iterable[StandingsRow]:
    deciders = [decided_by for _, decided_by in order[:-1]] + [LAST]
    for i, competitor in enumerate([*(who for who, _ in order), *out]):
        record = records[competitor]
        ranked = i < len(order)
        yield StandingsRow(
            rank=i + 1 if ranked else None,
            competitor=competitor,
            points=record.points,
            rounds=record.rounds,
            wins=record.wins,
            losses=record.losses,
            draws=record.draws,
            byes=record.byes,
            tiebreakers={key: values[competitor] for key, values in shown.items() if competitor in values},
            decided_by=deciders[i] if ranked else LAST,
            by_chance=ranked and RANDOM in (deciders[i], deciders[i - 1] if i else LAST),
            status=status[competitor],
        )


def standings_to_json(rows: Iterable[StandingsRow], after_round: int) -> dict[str, Any]:
    """The output of `roundtap standings`. Fractions are exact strings, always "num/den"; `rank` is null for a
    disqualified competitor; `status` is omitted for None."""
    return {
        "after_round": after_round,
        "standings": [
            {
                "rank": row.rank,
                "competitor": row.competitor,
                "points": row.points,
                "rounds": row.rounds,
                "wins": row.wins,
                "losses": row.losses,
                "draws": row.draws,
                "byes": row.byes,
                "tiebreakers": {
                    key: f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else value
                    for key, value in row.tiebreakers.items()
                },
                "decided_by": row.decided_by,
                "by_chance": row.by_chance,
                **({"status": row.status} if row.status else {}),
            }
            for row in rows
        ],
    }


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
