"""Everybody meets everybody: the rounds by the circle method. The recorded rounds alone tell who sits where.

Round 1 is drawn; its pairs face each other in the circle, in an order that the event's lot gives (`seats`). So every
later round is the same for whoever has the file, also where people paired round 1.
"""

from collections.abc import Collection, Sequence
from itertools import chain, zip_longest

from roundtap_core.errors import Problem
from roundtap_core.pairing.cardinality import LargestMatching
from roundtap_core.pairing.pairing_pool import DrawRandom, Met, Pairs
from roundtap_core.randomness import Rand, lot_number, shuffle
from roundtap_core.records import BYE, NO_SHOW, SWISS, UNPAIRED_LOSS, WON_BYE, Match, Round, Tournament
from roundtap_core.standings.round_robin import circle

EVERYBODY = "everybody"
FEWEST, MOST, TRIES = 3, 16, 100


def drawn_pairs(played: Round) -> dict[int, tuple[str, ...]]:
    """Whom the draw paired, by the place of the match: also who did not appear, but nobody who came or returned later.
    A file need not name who did not appear."""
    named = {match.absent for match in played.matches}
    others = iter([m.a for m in played.matches if m.bye == UNPAIRED_LOSS and m.a not in named])
    drawn: dict[int, tuple[str, ...]] = {}
    for m, match in enumerate(played.matches):
        if match.bye in (None, BYE, NO_SHOW):
            other = match.b or match.absent or (next(others, None) if match.bye == NO_SHOW else None)
            drawn[m] = (match.a, other) if other else (match.a,)
    return drawn


def seats(tournament: Tournament, here: Collection[str]) -> list[str | None]:
    """The circle, of an even number: who has left keeps the seat; the empty one (None) goes to whoever of `here` came
    after round 1. Raises Problem("everybody_full") where more came than there are seats."""

    drawn = list(drawn_pairs(tournament.stage_rounds(SWISS)[0]).values())
    lots = {competitor.id: lot_number(tournament.seed, competitor.id) for competitor in tournament.competitors}
    alone = sorted((pair[0] for pair in drawn if len(pair) == 1), key=lots.__getitem__)
    late = [who for who in here if not any(who in pair for pair in drawn)]
    if len(late) > len(alone):
        raise Problem("everybody_full", n=len(late), free=len(alone))
    # People may have let several sit out: their seats face each other.
    single = [*chain.from_iterable(zip(alone, late, strict=False)), *alone[len(late) :]]
    facing: list[tuple[str, str | None]] = [
        *((min(pair, key=lots.__getitem__), max(pair, key=lots.__getitem__)) for pair in drawn if len(pair) == 2),
        *zip_longest(single[::2], single[1::2]),
    ]
    facing.sort(key=lambda pair: lots[pair[0]])
    return [a for a, _ in facing] + [b for _, b in reversed(facing)]


def draw_everybody(tournament: Tournament, here: Sequence[str], chance: DrawRandom) -> list[Match]:
    """The next round of those still `here`; byes for whoever would meet the empty seat or somebody who has left. Raises
    Problem: "everybody_size", "everybody_full", "all_rounds_played", or "everybody_met" where every further round would
    repeat a pairing."""
    if tournament.stage_rounds(SWISS):
        pairs = _next_pairs(tournament, seats(tournament, here), chance.of("search"))
    elif FEWEST <= len(here) <= MOST:
        line = list(here)
        shuffle(line, chance.of("circle"))
        pairs = list(zip_longest(line[::2], line[1::2]))
    else:
        raise Problem("everybody_size", n=len(here), fewest=FEWEST, most=MOST)
    matches = [Match(a, b) for a, b in pairs if a and a in here and b in here]
    paired = {who for match in matches for who in (match.a, match.b)}
    return [*matches, *(Match(who, bye=BYE) for who in here if who not in paired)]


def _next_pairs(tournament: Tournament, ring: Sequence[str | None], rand: Rand) -> list[tuple[str | None, str | None]]:
    """The circle's next round; where people paired otherwise, one after which the others can follow, if any is so."""
    done = tournament.stage_rounds(SWISS)
    left = len(ring) - 1 - len(done)
    if left <= 0:
        raise Problem("all_rounds_played", rounds=len(ring) - 1)
    met = {frozenset((m.a, m.b)) for played in done for m in played.matches if m.b or m.bye in (BYE, WON_BYE)}
    fresh = [
        pairs for pairs in (circle(ring) * 2)[len(done) :][: len(ring) - 1] if met.isdisjoint(map(frozenset, pairs))
    ]
    if len(fresh) >= left:
        return [*fresh[0]]
    places = [{at for at, other in enumerate(ring) if frozenset((who, other)) in met} for who in ring]
    best = max((_some_rounds(places, left, rand) for _ in range(TRIES)), key=len)
    if not best:
        raise Problem("everybody_met")
    return [(ring[a], ring[b]) for a, b in best[0]]


def _some_rounds(met: Met, most: int, rand: Rand) -> list[Pairs]:
    """Rounds one after another without a repeat, as far as chance finds them."""
    order = list(range(len(met)))
    shuffle(order, rand)
    partner = LargestMatching(order, met).partner
    if not most or len(partner) < len(met):
        return []
    later = [opponents | {partner[who]} for who, opponents in enumerate(met)]
    return [[(a, b) for a, b in partner.items() if a < b], *_some_rounds(later, most - 1, rand)]
