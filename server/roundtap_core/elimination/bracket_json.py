"""The bracket as plain JSON: what `roundtap bracket` prints."""

from __future__ import annotations

from typing import Any

from roundtap_core.elimination.bracket import Bracket, Game, Seat
from roundtap_core.elimination.cut import CutRow
from roundtap_core.elimination.ranking import Placed
from roundtap_core.elimination.shape import THIRD, THIRD_PLACE, games_in, round_key
from roundtap_core.result_json import result_to_json


def name_of(bracket: Bracket, game: Game) -> str:
    """What the game is called: "quarter-final", "third-place" …"""
    return THIRD_PLACE if game.game == THIRD else round_key(games_in(bracket.size, game.round))


def bracket_to_json(
    bracket: Bracket, ranking: tuple[Placed, ...], cut: tuple[CutRow, ...] = ()
) -> dict[str, Any]:
    """Rounds, seeds, games, champion (None until known) and final ranking (empty until the bracket is over).

    A game's `number` runs through the bracket and is what `winner_of` and `loser_of` speak of; its `game` is the
    number within the round, as in the event file. `cut` is there only where the cut has an order of its own.
    """
    return {
        "size": bracket.size,
        **({"cut_table": [_cut_to_json(row) for row in cut]} if cut else {}),
        "rounds": [
            {"name": round_key(games_in(bracket.size, r)),
             "round": bracket.round_numbers[r - 1] if r <= len(bracket.round_numbers) else None}
            for r in range(1, bracket.rounds + 1)
        ],
        "seeds": [{"seed": seed, "competitor": who} for seed, who in enumerate(bracket.seeds, start=1)],
        "games": [_game_to_json(bracket, game) for game in bracket.games],
        "champion": bracket.champion,
        "ranking": [
            {"rank": p.rank, "competitor": p.competitor, "reached": p.reached, "swiss_rank": p.swiss_rank,
             **({"status": p.status} if p.status else {})}
            for p in ranking
        ] if bracket.over else [],
    }


def _cut_to_json(row: CutRow) -> dict[str, Any]:
    return {
        "seed": row.seed, "competitor": row.competitor, "points": row.points,
        "tiebreakers": {"opponents_points": row.opponents_points}, "decided_by": row.decided_by,
        "by_chance": row.by_chance,
    }


def _game_to_json(bracket: Bracket, game: Game) -> dict[str, Any]:
    data: dict[str, Any] = {
        "number": game.number, "name": name_of(bracket, game), "game": game.game,
        "a": _seat_to_json(game.a), "b": _seat_to_json(game.b),
    }
    match = game.match
    if match is not None:
        if match.table is not None:
            data["table"] = match.table
        if match.bye is not None:
            data["bye"] = match.bye
        if match.result is not None:
            # The event file may have the two the other way round.
            data["result"] = {"of": [match.a, match.b], **result_to_json(match.result)}
    data["winner"] = game.winner
    return data


def _seat_to_json(seat: Seat) -> dict[str, Any]:
    """Only what is known and true."""
    data: dict[str, Any] = {}
    for key in ("competitor", "seed", "winner_of", "loser_of"):
        if getattr(seat, key) is not None:
            data[key] = getattr(seat, key)
    for key in ("empty", "gone"):
        if getattr(seat, key):
            data[key] = True
    return data
