"""Who makes the cut ("Der Schnitt"): the first in the order of the rulebook who are still there."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from msgspec import Struct

from roundtap_core.records import ELIMINATION, SWISS, StandingsRow, Tournament
from roundtap_core.rulebooks.registry import plan, rulebook
from roundtap_core.standings.standings import standings, tournament_before
from roundtap_core.standings.tiebreakers import RANDOM
from roundtap_core.typed import Count, Text


class Cut(Struct, frozen=True):
    """A cut as it was made: the `order` of all then, and who got a place, by seed.

    A player who leaves or gives up a place stays in `seeds`; `seeds_now` leaves them out, so that all below move up.
    The `absent` have not left the event: they are passed over for the stage that follows.
    """

    size: Count
    order: tuple[Text, ...]
    seeds: tuple[Text, ...]
    declined: tuple[Text, ...] = ()
    absent: tuple[Text, ...] = ()

    def seeds_now(self, active: Collection[str]) -> tuple[str, ...]:
        """Those who play, by seed."""
        return tuple(who for who in self.seeds if who in active and who not in self.absent)

    def offered(self, active: Collection[str]) -> str | None:
        """Whose answer is awaited: while a place is free, the next in the order who is there and was not asked yet."""
        if len(self.seeds_now(active)) >= self.size:
            return None
        asked = {*self.seeds, *self.declined, *self.absent}
        return next((who for who in self.order if who in active and who not in asked), None)


def make_cut(order: Collection[str], size: int, active: Collection[str]) -> Cut:
    """The first `size` of the order who are still in the event."""
    there = [who for who in order if who in active]
    return Cut(min(size, len(there)), tuple(order), tuple(there[:size]))


def ranked_for_cut(tournament: Tournament, corrected: bool = True) -> tuple[StandingsRow, ...]:
    """The ranked lines of the standings as they stood when the elimination began: seeds do not change afterwards, even
    by a disqualification. With the results as they are `corrected` now, or as they were then."""
    begun = next((played.number for played in tournament.rounds if played.stage == ELIMINATION), None)
    stood = None if corrected or begun is None else tournament_before(tournament, begun)
    rows = standings(stood or tournament, None if begun is None else begun - 1)
    return tuple(row for row in rows if row.rank is not None)


def cut_order(tournament: Tournament) -> tuple[str, ...]:
    """All in the order that decides who advances, with which seed, and who is the better placed: as it was when
    the cut was made, regardless of later corrections (house decision)."""
    return tournament.cut_order or current_cut_order(tournament)


def current_cut_order(tournament: Tournament) -> tuple[str, ...]:
    """That order as the Swiss rounds say it now."""
    return tuple(rulebook(tournament.rulebook).cut_order(ranked_for_cut(tournament), tournament.seed))


def swiss_order(tournament: Tournament) -> tuple[str, ...]:
    """Everybody by Swiss rank as it was when the cut was made, regardless of later corrections (house decision)."""
    if tournament.cut_order and not rulebook(tournament.rulebook).own_cut_order:
        return tournament.cut_order
    return tuple(row.competitor for row in ranked_for_cut(tournament, corrected=False))


class CutRow(Struct, frozen=True):
    """One line of a cut table. `opponents_points` comes right after the points here, independently of the standings.

    `decided_by`: "points", "opponents_points", "random", or "last"; `by_chance` marks both neighbours of a lot.
    """

    seed: int
    competitor: str
    points: int
    opponents_points: int
    decided_by: str
    by_chance: bool


def cut_table(tournament: Tournament) -> tuple[CutRow, ...]:
    """Who makes the cut, where that goes by another order than the standings; empty where it does not, and where no
    Swiss round tells anything."""
    if not rulebook(tournament.rulebook).own_cut_order or not tournament.stage_rounds(SWISS):
        return ()
    rows = {row.competitor: row for row in ranked_for_cut(tournament)}
    order = [rows[who] for who in cut_order(tournament) if who in rows]
    values = [(row.points, int(row.tiebreakers["opponents_points"])) for row in order]
    decided = [
        "points" if one[0] != two[0] else "opponents_points" if one[1] != two[1] else RANDOM
        for one, two in pairwise(values)
    ] + ["last"]
    return tuple(
        CutRow(i + 1, row.competitor, *values[i], decided[i], RANDOM in (decided[i], decided[i - 1] if i else ""))
        for i, row in enumerate(order)
    )


def qualified(tournament: Tournament) -> tuple[str, ...]:
    """Who advances, by seed, if all who are offered a place take it; empty where there is no cut."""
    _, size = plan(tournament)
    active = {c.id for c in tournament.competitors if c.active}
    return make_cut(cut_order(tournament), size, active).seeds if size else ()
