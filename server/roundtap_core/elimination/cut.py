"""Who makes the cut ("Der Schnitt"): the first in the order of the rulebook who are still there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from roundtap_core.records import SWISS, Tournament, drawn_for
from roundtap_core.rulebooks import rulebook
from roundtap_core.standings import standings


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut as it was made: everybody's `order` then, and who got a place, by seed.

    Whoever leaves or gives up a place stays in `seeds`; `seeds_now` leaves them out, so that all below move up.
    """

    size: int
    order: tuple[str, ...]
    seeds: tuple[str, ...]
    declined: tuple[str, ...] = ()

    def seeds_now(self, active: Collection[str]) -> tuple[str, ...]:
        """Those who play, by seed."""
        return tuple(who for who in self.seeds if who in active)

    def offered(self, active: Collection[str]) -> str | None:
        """Whose answer is awaited: while a place is free, the next in the order who is there and was not asked yet."""
        if len(self.seeds_now(active)) >= self.size:
            return None
        return next((w for w in self.order if w in active and w not in self.seeds and w not in self.declined), None)


def make_cut(order: Collection[str], size: int, active: Collection[str]) -> Cut:
    """The first `size` of the order who are still in the event."""
    there = [who for who in order if who in active]
    return Cut(min(size, len(there)), tuple(order), tuple(there[:size]))


def cut_order(tournament: Tournament) -> tuple[str, ...]:
    """Everybody in the order that decides who goes on and with which seed, after all Swiss rounds."""
    return tuple(rulebook(tournament.rulebook).cut_order(standings(tournament), tournament.seed))


def plan(tournament: Tournament) -> tuple[int, int]:
    """(Swiss rounds, cut) of the event's structure, for those who were there when round 1 was drawn.

    Raises Problem("no_structure") where the table has no line for so few.
    """
    book = rulebook(tournament.rulebook)
    swiss = tournament.stage_rounds(SWISS)
    players = drawn_for(swiss[0].matches) if swiss else sum(c.active for c in tournament.competitors)
    return book.structure(players, book.options(tournament.options))


def qualified(tournament: Tournament) -> tuple[str, ...]:
    """Who goes on, by seed, if everybody who is offered a place takes it; empty where there is no cut."""
    _, size = plan(tournament)
    active = {c.id for c in tournament.competitors if c.active}
    return make_cut(cut_order(tournament), size, active).seeds if size else ()
