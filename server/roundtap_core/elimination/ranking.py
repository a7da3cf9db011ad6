"""The final ranking: by the round reached, the match for third place, then the Swiss rank (house decision)."""

from __future__ import annotations

from dataclasses import dataclass

from roundtap_core.elimination.bracket import Bracket
from roundtap_core.elimination.shape import CHAMPION, THIRD, games_in, round_key
from roundtap_core.records import Tournament


@dataclass(frozen=True, slots=True)
class Placed:
    """One line. `reached`: the round somebody came to ("champion", "final", "semi-final" …), None for who did not make
    the cut; `swiss_rank` None without Swiss rounds, where those who came equally far share a rank."""

    rank: int
    competitor: str
    reached: str | None
    swiss_rank: int | None


def final_ranking(tournament: Tournament, bracket: Bracket) -> tuple[Placed, ...]:
    """Everybody, best first; while the bracket is not over, as far as each has come."""
    wins = _wins(bracket)
    third = bracket.third
    swiss = {competitor: rank for rank, competitor in enumerate(bracket.standing, start=1)}

    def came_to(who: str) -> tuple[int, int]:
        if who not in wins:
            return 1, 0
        return -wins[who], 0 if third is not None and third.winner == who else 1

    people = [competitor.id for competitor in tournament.competitors]
    people.sort(key=lambda who: (came_to(who), swiss.get(who, 0)))
    placed: list[Placed] = []
    for place, who in enumerate(people, start=1):
        shared = bool(placed) and not swiss and came_to(who) == came_to(placed[-1].competitor)
        rank = placed[-1].rank if shared else place
        reached = None
        if who in wins:
            reached = CHAMPION if wins[who] == bracket.rounds else round_key(games_in(bracket.size, wins[who] + 1))
        placed.append(Placed(rank, who, reached, swiss.get(who)))
    return tuple(placed)


def _wins(bracket: Bracket) -> dict[str, int]:
    """How many rounds each of the bracket has got through."""
    wins: dict[str, int] = {}
    for game in bracket.games:
        for seat in (game.a, game.b):
            if seat.competitor is not None and game.game != THIRD:
                wins.setdefault(seat.competitor, 0)
        if game.winner is not None and game.game != THIRD:
            wins[game.winner] = game.round
    return wins
