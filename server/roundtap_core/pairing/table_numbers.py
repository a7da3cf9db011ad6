"""Where a drawn pair sits, which never changes who meets whom. Tables (house decision): leaders at table 1, fixed
places for those who need them. Sides: shared out fairly."""

from collections.abc import Collection, Iterable, Mapping
from itertools import count

from msgspec.structs import replace

from roundtap_core.randomness import Rand, generator, shuffle
from roundtap_core.records import SWISS, SWISS_STAGES, Match, Tournament
from roundtap_core.standings.totals import SwissTotals, swiss_totals

AT_RANDOM = "random"


def assign_tables(
    matches: Iterable[Match],
    tournament: Tournament,
    first: int = 1,
    busy: Collection[int] = frozenset(),
    records: Mapping[str, SwissTotals] | None = None,
) -> tuple[Match, ...]:
    """The matches with tables, in their order; byes have none and come last. Numbers run from `first` without `busy`
    ones. Most combined points (before this round) first, ties as drawn; with the option `tables` "random", in random
    order. Among equals, tables are exchanged to avoid repeats. A fixed table is kept for its competitor; of two claims
    the first wins. `records` are the result of `swiss_totals`, if known already."""
    matches = list(matches)
    records = swiss_totals(tournament) if records is None else records
    seated = [match for match in matches if match.b is not None]
    by_points = tournament.options.get("tables") != AT_RANDOM
    if by_points:
        seated.sort(key=lambda match: -(records[match.a].points + records[match.b or ""].points))
    else:
        shuffle(seated, generator(tournament.seed, SWISS, len(tournament.rounds) + 1, 1, "tables"))
    fixed = _fixed_tables(seated, tournament, busy)
    free = (number for number in count(first) if number not in busy and number not in fixed.values())
    others = [i for i in range(len(seated)) if i not in fixed]
    numbers = {i: next(free) for i in others}
    worth = [records[match.a].points + records[match.b or ""].points if by_points else 0 for match in seated]
    _avoid_same_table(others, seated, numbers, worth, _tables_before(tournament))
    placed = [replace(match, table=fixed.get(i) or numbers[i]) for i, match in enumerate(seated)]
    placed.sort(key=lambda match: match.table or 0)
    return (*placed, *(replace(match, table=None) for match in matches if match.b is None))


def assign_in_order(
    matches: Iterable[Match], tournament: Tournament, busy: Collection[int] = frozenset()
) -> tuple[Match, ...]:
    """Elimination: game 1 at table 1 and so on, as the matches come. Busy tables and fixed ones as for Swiss rounds."""
    matches = list(matches)
    seated = [match for match in matches if match.b is not None]
    fixed = _fixed_tables(seated, tournament, busy)
    free = (number for number in count(1) if number not in busy and number not in fixed.values())
    placed = [replace(match, table=fixed.get(i) or next(free)) for i, match in enumerate(seated)]
    return (*placed, *(replace(match, table=None) for match in matches if match.b is None))


def _fixed_tables(seated: list[Match], tournament: Tournament, busy: Collection[int]) -> dict[int, int]:
    """The place in `seated` → the table that one of its competitors needs."""
    wanted = {c.id: c.fixed_table for c in tournament.competitors if c.fixed_table is not None}
    fixed: dict[int, int] = {}
    for i, match in enumerate(seated):
        for competitor in (match.a, match.b or ""):
            table = wanted.get(competitor)
            if table is not None and table not in busy and table not in fixed.values():
                fixed[i] = table
                break
    return fixed


def _tables_before(tournament: Tournament) -> dict[str, set[int]]:
    before: dict[str, set[int]] = {competitor.id: set() for competitor in tournament.competitors}
    for played in tournament.rounds:
        for match in played.matches:
            if match.table is not None:
                before[match.a].add(match.table)
                if match.b is not None:
                    before[match.b].add(match.table)
    return before


def _avoid_same_table(
    others: list[int], seated: list[Match], numbers: dict[int, int], worth: list[int], before: Mapping[str, set[int]]
) -> None:
    """Exchange tables between matches of equal points where a competitor would return to an earlier table."""

    def again(i: int, table: int) -> bool:
        match = seated[i]
        return table in before[match.a] or table in before[match.b or ""]

    for i in others:
        if not again(i, numbers[i]):
            continue
        for k in others:
            if worth[k] == worth[i] and not again(i, numbers[k]) and not again(k, numbers[i]):
                numbers[i], numbers[k] = numbers[k], numbers[i]
                break


def first_sides(tournament: Tournament) -> Mapping[str, tuple[int, int]]:
    """How often each competitor has had the first side in Swiss rounds, and in which round last (0: never). Of two who
    meet, the lesser has it next: who had it less often, then who had it longer ago. A bye has no side."""
    had = {competitor.id: (0, 0) for competitor in tournament.competitors}
    for played in tournament.rounds:
        for match in played.matches if played.stage in SWISS_STAGES else ():
            if match.b is not None:
                had[match.a] = (had[match.a][0] + 1, played.number)
    return had


def share_sides(matches: Iterable[Match], tournament: Tournament, rand: Rand) -> tuple[Match, ...]:
    """The same matches at the same tables, each with the first side for whom it is due; the lot is for those of whom
    `first_sides` says the same."""
    had = first_sides(tournament)
    lots = list(had)
    shuffle(lots, rand)
    due = {who: (*had[who], lot) for lot, who in enumerate(lots)}
    return tuple(
        replace(match, a=match.b, b=match.a) if match.b is not None and due[match.b] < due[match.a] else match
        for match in matches
    )
