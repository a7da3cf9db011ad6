"""The next elimination round: by game numbers, the first one without a cut by lot; byes ("K. o.-Runden")."""

from collections.abc import Collection, Sequence

from roundtap_core.elimination.bracket import (
    Bracket,
    BracketGame,
    BracketSeat,
    bracket_of,
    bracket_size,
    qualifiers,
    round_key,
)
from roundtap_core.errors import Problem
from roundtap_core.pairing.pairing_pool import refuse_open_matches
from roundtap_core.pairing.swiss_round import DrawnRound
from roundtap_core.pairing.table_numbers import assign_in_order
from roundtap_core.randomness import generator, shuffle
from roundtap_core.records import BYE, ELIMINATION, SWISS, WON_BYE, Draw, Match, Tournament
from roundtap_core.rulebooks.registry import planned_structure

BY_LOT, BY_BRACKET = "lot", "bracket"
"""How a round came about: drawn, or fixed by seeds and game numbers (for any seed and attempt)."""


def next_elimination_round(
    tournament: Tournament,
    seed: int | None = None,
    attempt: int = 1,
    seeds: Sequence[str] | None = None,
    busy: Collection[int] = frozenset(),
) -> DrawnRound:
    """The next round of the bracket. `seeds`: who made the cut (default: the first of the standings). Raises Problem:
    "open_matches" while a result is missing, "bracket_decided" after the final, "nobody_left" where all who would meet
    have left, "too_few_players" below two, "no_cut_planned" where no one advances."""
    refuse_open_matches(tournament)
    seed = tournament.seed if seed is None else seed
    number = len(tournament.rounds) + 1
    played = tournament.stage_rounds(ELIMINATION)
    method = BY_BRACKET
    if not played and not tournament.stage_rounds(SWISS):
        entered = sum(competitor.active for competitor in tournament.competitors)
        if entered < 2:
            raise Problem("too_few_players", n=entered)
        method, games = BY_LOT, bracket_size(entered) // 2
        matches = first_round_by_lot(tournament, seed, number, attempt)
    else:
        bracket = _bracket(tournament, seeds)
        bracket_round = len(played) + 1
        if bracket_round > bracket.rounds:
            raise Problem("bracket_decided")
        games = bracket.size >> bracket_round
        drawn = [game_to_match(game) for game in bracket.games if game.round == bracket_round]
        matches = [match for match in drawn if match is not None]
    if not matches:
        raise Problem("nobody_left")
    return DrawnRound(
        number,
        ELIMINATION,
        Draw(seed, attempt, method),
        assign_in_order(matches, tournament, busy),
        {"repeats": 0, "bye": None, "floats": [], "round": round_key(games)},
    )


def _bracket(tournament: Tournament, seeds: Sequence[str] | None) -> Bracket:
    begun = bool(tournament.stage_rounds(ELIMINATION))
    if seeds is None and not begun:
        seeds = qualifiers(tournament)
        if not seeds:
            raise Problem("nobody_left" if planned_structure(tournament)[1] else "no_cut_planned")
    if not begun and len(seeds or ()) < 2:
        raise Problem("too_few_players", n=len(seeds or ()))
    bracket = bracket_of(tournament, seeds or ())
    assert bracket is not None
    return bracket


def game_to_match(game: BracketGame) -> Match | None:
    """The game as it is to be played; a bye for one whose opponent is not there; None where both seats are empty."""
    a, b = _who(game.a), _who(game.b)
    if a and b:
        return Match(a, b, game=game.game)
    there = a or b
    return Match(there, bye=BYE, game=game.game) if there else None


def _who(seat: BracketSeat) -> str | None:
    return None if seat.gone else seat.competitor


def first_round_by_lot(tournament: Tournament, seed: int, number: int, attempt: int) -> list[Match]:
    """Byes fill the field up to a power of two, all others are paired, and each gets a game number: all at random. Who
    brought a won bye is among those with byes (house decision), while there are enough."""
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
