"""Prizes as they are typed, one a line, and as they are shown: with the names of who ended at their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roundtap_core.errors import Invalid
from roundtap_core.event.prize import AMONG, DoorPrize, Prize
from roundtap_core.event.prizes.decide import pool_of
from roundtap_core.event.state import EventState
from roundtap_core.lists.parts import fold
from roundtap_hub.views.event_at import EventAt, ranking
from roundtap_hub.views.knockout import final_lines

MOST_DIGITS = 4


@dataclass(frozen=True, slots=True)
class PrizeLine:
    """A prize with whom it goes to. `tied`: more people ended at its places than there are places; `by_lot`: a lot
    alone decided who did."""

    index: int
    prize: Prize
    names: tuple[str, ...]
    tied: bool = False
    by_lot: bool = False


@dataclass(frozen=True, slots=True)
class DrawLine:
    """A draw of door prizes, with names in the order in which they were drawn."""

    draw: DoorPrize
    names: tuple[str, ...]


def read_prizes(text: str, before: tuple[Prize, ...] = ()) -> tuple[Prize, ...]:
    """Lines as they were typed: "1: trophy", "2-4: booster", "best newcomer: playmat". Who was chosen for a category
    `before` stays chosen. Raises Problem("prize_for_whom") for a line without a colon, or without a prize."""
    chosen = {fold(prize.category): prize.competitor for prize in before if prize.category}
    prizes = []
    for line in filter(str.strip, text.splitlines()):
        whom, colon, what = (part.strip() for part in line.partition(":"))
        if not (whom and colon and what):
            raise Invalid("prize_for_whom", where="/prizes", what=line.strip()[:80])
        first, dash, last = (part.strip() for part in whom.replace("\u2013", "-").partition("-"))
        if first.isdecimal() and (last.isdecimal() or not dash) and len(first) + len(last) <= 2 * MOST_DIGITS:
            prizes.append(Prize(what, int(first), int(last or first)))
        else:
            prizes.append(Prize(what, category=whom, competitor=chosen.get(fold(whom))))
    return tuple(prizes)


def typed_prizes(prizes: tuple[Prize, ...]) -> str:
    """The list as somebody would type it."""
    return "\n".join(f"{whom(prize)}: {prize.what}" for prize in prizes)


def whom(prize: Prize) -> str:
    """ "1", "2–4", or what it is for."""
    if prize.category is not None:
        return prize.category
    return f"{prize.first}" if prize.first == prize.last else f"{prize.first}\u2013{prize.last}"


def prize_lines(moment: EventAt, names: Mapping[str, str]) -> tuple[PrizeLine, ...]:
    """Every prize; those for places have their names once the event is finished."""
    state = moment.state
    placed: list[tuple[int, str]] = []
    lots: set[str] = set()
    if state.finished:
        final = final_lines(moment, names)
        placed = [(line.rank, line.competitor) for line in final or ranking(moment) if line.rank is not None]
        lots = set() if final else {row.competitor for row in ranking(moment) if row.by_chance}
    return tuple(_line(index, prize, placed, lots, names) for index, prize in enumerate(state.prizes))


def _line(index: int, prize: Prize, placed: list[tuple[int, str]], lots: set[str],
          names: Mapping[str, str]) -> PrizeLine:
    if prize.category is not None or prize.first is None or prize.last is None:
        return PrizeLine(index, prize, () if prize.competitor is None else (names.get(prize.competitor, ""),))
    there = [(rank, who) for rank, who in placed if prize.first <= rank <= prize.last]
    # Two who share the place before this one's first take it as well.
    shared = [who for rank, who in placed if rank < prize.first <= rank + sum(r == rank for r, _ in placed) - 1]
    people = [*shared, *(who for _, who in there)]
    return PrizeLine(index, prize, tuple(names.get(who, who) for who in people),
                     len(people) > prize.last - prize.first + 1, any(who in lots for who in people))


def draw_lines(state: EventState, names: Mapping[str, str]) -> tuple[DrawLine, ...]:
    """The draws, the newest first."""
    return tuple(DrawLine(draw, tuple(names.get(who, who) for who in draw.winners))
                 for draw in reversed(state.door_prizes))


def pools(state: EventState) -> dict[str, tuple[int, int]]:
    """How many take part, by whom it is drawn among: without those who have won already, and with them."""
    return {among: (len(pool_of(state, among, False)), len(pool_of(state, among, True))) for among in AMONG}
