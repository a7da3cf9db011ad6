"""The first round of an elimination without a cut: byes, pairings and game numbers by lot ("K. o.-Runden")."""

from __future__ import annotations

from roundtap_core.elimination.shape import bracket_size
from roundtap_core.randomness import generator, shuffle
from roundtap_core.records import BYE, ELIMINATION, WON_BYE, Match, Tournament


def first_round_by_lot(tournament: Tournament, seed: int, number: int, attempt: int) -> list[Match]:
    """Byes fill the field up to a power of two, all others are paired, and each gets a game number: all at random.

    Who brought a won bye is among those with byes (house decision), while there are enough.
    """
    ids = [competitor.id for competitor in tournament.competitors if competitor.active]
    won = {competitor.id for competitor in tournament.competitors if competitor.won_bye}
    order = list(ids)
    shuffle(order, generator(seed, ELIMINATION, number, attempt, "byes"))
    order.sort(key=lambda who: who not in won)
    byes = bracket_size(len(ids)) - len(ids)
    resting = set(order[:byes])
    playing = [who for who in ids if who not in resting]
    shuffle(playing, generator(seed, ELIMINATION, number, attempt, "pairs"))
    games = [Match(a, b) for a, b in zip(playing[::2], playing[1::2], strict=True)]
    games += [Match(who, bye=WON_BYE if who in won else BYE) for who in order[:byes]]
    shuffle(games, generator(seed, ELIMINATION, number, attempt, "games"))
    return [Match(m.a, m.b, bye=m.bye, game=game) for game, m in enumerate(games, start=1)]
