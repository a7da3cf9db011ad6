"""The final ranking: by the round reached, the match for third place, then the Swiss rank; the bracket as JSON."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from roundtap_core.elimination.bracket import (
    CHAMPION,
    THIRD,
    THIRD_PLACE,
    Bracket,
    BracketGame,
    BracketSeat,
    CutRow,
    bracket_of,
    game_count,
    round_key,
)
from roundtap_core.records import DISQUALIFIED, ELIMINATION, SWISS_STAGES, Tournament, result_to_json
from roundtap_core.rulebooks.registry import book_of
from roundtap_core.standings.standings import LeagueResult, standings
from roundtap_core.standings.tiebreakers import RANDOM


class FinalPlace(Struct, frozen=True):
    """One line. `reached`: the round a player came to ("champion", "final", "semi-final" …), None for who did not make
    the cut; `swiss_rank` None without Swiss rounds, where those who came equally far share a rank. `status` as in the
    standings: a disqualified competitor has no `rank` and no `swiss_rank`; who left has both."""

    rank: int | None
    competitor: str
    reached: str | None
    swiss_rank: int | None
    status: str | None = None


def final_ranking(tournament: Tournament, bracket: Bracket | None = None) -> tuple[FinalPlace, ...]:
    """All who played, best first, the disqualified last; while the bracket is not over, as far as each has come.
    `bracket`: the tournament's own, for who has it at hand. Without elimination these are the standings."""
    bracket = bracket_of(tournament) if bracket is None else bracket
    wins = _wins(bracket) if bracket else {}
    third = bracket.third if bracket else None
    ranked = any(played.stage in SWISS_STAGES for played in tournament.rounds)
    rows = {row.competitor: row for row in standings(tournament)}
    swiss = {who: row.rank for who, row in rows.items() if row.rank is not None} if ranked else {}

    def final_place_key(who: str) -> tuple[bool, int, int]:
        out = rows[who].status == DISQUALIFIED
        if who not in wins:
            return out, 1, 0
        return out, -wins[who], 0 if third is not None and third.winner == who else 1

    people = [competitor.id for competitor in tournament.competitors if competitor.id in rows]
    # Among those who made the cut it stays as it was then, regardless of later corrections.
    cut_places = {who: place for place, who in enumerate(bracket.standing)} if bracket else {}
    people.sort(key=lambda who: (final_place_key(who), (cut_places if who in wins else swiss).get(who, 0)))
    placed: list[FinalPlace] = []
    for place, who in enumerate(people, start=1):
        shared = bool(placed) and not swiss and final_place_key(who) == final_place_key(placed[-1].competitor)
        rank = placed[-1].rank if shared else place
        reached = None
        if bracket is not None and who in wins:
            came_to = min(wins[who] + 1, bracket.rounds)
            reached = CHAMPION if who == bracket.champion else round_key(game_count(bracket.size, came_to))
        if rows[who].status == DISQUALIFIED:
            rank = None
        placed.append(FinalPlace(rank, who, reached, swiss.get(who), rows[who].status))
    return tuple(placed)


def final_places(tournament: Tournament, after: int | None = None) -> dict[str, int]:
    """The rank of `final_ranking` by competitor, of those who have one; empty while no elimination was drawn, and in
    the table as it stood after a round `after` that others have followed."""
    bracket = bracket_of(tournament) if tournament.stage_rounds(ELIMINATION) else None
    if bracket is None or (after is not None and after < tournament.rounds[-1].number):
        return {}
    return {placed.competitor: placed.rank for placed in final_ranking(tournament, bracket) if placed.rank is not None}


def league_event(tournament: Tournament, persons: Mapping[str, str]) -> dict[str, LeagueResult]:
    """What a league adds up; `persons`: who each competitor is, each once; the others are left out. Outside the cut,
    those whom only the lot parted share the better place."""
    unit, rows = 2 if book_of(tournament).points_unit == "half" else 1, {r.competitor: r for r in standings(tournament)}
    places: dict[str, int | None] = {}
    lines = final_ranking(tournament)
    for before, line in zip((None, *lines), lines, strict=False):
        by_lot = (
            (before and before.swiss_rank and line.swiss_rank == before.swiss_rank + 1)
            and not before.reached
            and rows[before.competitor].decided_by == RANDOM
        )
        places[line.competitor] = places[before.competitor] if before and by_lot else line.rank
    return {
        persons[who]: LeagueResult(place, Fraction(rows[who].points, unit))
        for who, place in places.items()
        if who in persons
    }


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


def game_name(bracket: Bracket, game: BracketGame) -> str:
    """What the game is called: "quarter-final", "third-place" …"""
    return THIRD_PLACE if game.game == THIRD else round_key(game_count(bracket.size, game.round))


def bracket_to_json(bracket: Bracket, ranking: tuple[FinalPlace, ...], cut: tuple[CutRow, ...] = ()) -> dict[str, Any]:
    """Rounds, seeds, games, champion (None until known) and final ranking (empty until the bracket is over). A game's
    `BracketGame.number` runs through the bracket and is what `BracketSeat.winner_of` and `BracketSeat.loser_of` speak
    of; its `game` is the number within the round, as in the event file. `cut` is there only where the cut has an order
    of its own."""
    cut_table = [
        {
            "seed": row.seed,
            "competitor": row.competitor,
            "points": row.points,
            "tiebreakers": {"opponents_points": row.opponents_points},
            "decided_by": row.decided_by,
            "by_chance": row.by_chance,
        }
        for row in cut
    ]
    return {
        "size": bracket.size,
        **({"cut_table": cut_table} if cut else {}),
        "rounds": [
            {
                "name": round_key(game_count(bracket.size, r)),
                "round": bracket.round_numbers[r - 1] if r <= len(bracket.round_numbers) else None,
            }
            for r in range(1, bracket.rounds + 1)
        ],
        "seeds": [{"seed": seed, "competitor": who} for seed, who in enumerate(bracket.seeds, start=1)],
        "games": [_game_to_json(bracket, game) for game in bracket.games],
        "champion": bracket.champion,
        "ranking": [
            {
                "rank": p.rank,
                "competitor": p.competitor,
                "reached": p.reached,
                "swiss_rank": p.swiss_rank,
                **({"status": p.status} if p.status else {}),
            }
            for p in ranking
        ]
        if bracket.over
        else [],
    }


def _game_to_json(bracket: Bracket, game: BracketGame) -> dict[str, Any]:
    match = game.match
    # The event file may have the two the other way round.
    result = {"of": [match.a, match.b], **result_to_json(match.result)} if match and match.result else None
    played = {"table": match and match.table, "bye": match and match.bye, "result": result}
    return {
        "number": game.number,
        "name": game_name(bracket, game),
        "game": game.game,
        "a": _seat_to_json(bracket, game.a),
        "b": _seat_to_json(bracket, game.b),
        **{key: value for key, value in played.items() if value is not None},
        "winner": game.winner,
    }


def _seat_to_json(bracket: Bracket, seat: BracketSeat) -> dict[str, Any]:
    data = {key: value for key, value in asdict(seat).items() if value is not None and value is not False}
    return {**data, **({"status": DISQUALIFIED} if seat.competitor in bracket.out else {})}
