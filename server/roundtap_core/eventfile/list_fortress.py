"""An X-Wing event for List Fortress: the JSON that its "paste an export" field reads.

The shape is that of Cryodex's export (`XWingJSONBuilder` of CryodexSource) as List Fortress reads it
(`Tournament#participants_from_cryodex`): players with score, mov, sos and ranks, rounds with matches by name. It finds
players by their names, so each is named once and alike everywhere: the public name, since the site is public.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from roundtap_core.elimination.ranking import final_places
from roundtap_core.elimination.shape import THIRD
from roundtap_core.errors import Problem
from roundtap_core.names import display_name, names_in
from roundtap_core.records import ELIMINATION, UNPAIRED_LOSS, Match, Round, Tournament
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.standings import standings


def list_fortress(tournament: Tournament) -> dict[str, Any]:
    """The event as it stands; matches without a result are left out, as are rounds that a player missed.

    Raises Problem("not_of_this_rulebook") for another game, and where a recorded result cannot be read.
    """
    if not rulebook(tournament.rulebook).list_fortress:
        raise Problem("not_of_this_rulebook", key="List Fortress", rulebook=tournament.rulebook)
    shown = names_in(tournament)
    names = {competitor.id: display_name(competitor, shown) for competitor in tournament.competitors}
    return {"name": tournament.name, "players": _players(tournament, names),
            "rounds": [_round(tournament, played, names) for played in tournament.rounds if _finished_matches(played)]}


def _players(tournament: Tournament, names: dict[str, str]) -> list[dict[str, Any]]:
    places = final_places(tournament)
    cut = {who for played in tournament.stage_rounds(ELIMINATION) for match in played.matches
           for who in (match.a, match.b) if who is not None}
    gone = {competitor.id: competitor.left_after for competitor in tournament.competitors}
    players = []
    for row in standings(tournament):
        rank = {} if row.rank is None else {"swiss": row.rank}
        if row.competitor in cut and row.competitor in places:
            rank["elimination"] = places[row.competitor]
        left = gone[row.competitor]
        players.append({
            "name": names[row.competitor], "score": row.points, "mov": row.tiebreakers["mov"],
            **({"sos": _decimal(row.tiebreakers["sos"])} if "sos" in row.tiebreakers else {}),
            **({} if left is None else {"dropped": left}), "rank": rank})
    return players


def _decimal(value: int | Fraction) -> float:
    """As List Fortress keeps it: a decimal number."""
    return round(float(value), 4)


def _finished_matches(played: Round) -> list[Match]:
    return [match for match in played.matches if match.result is not None or match.bye not in (None, UNPAIRED_LOSS)]


def _round(tournament: Tournament, played: Round, names: dict[str, str]) -> dict[str, Any]:
    """An elimination round is numbered by how many still play for the title, as Cryodex does: 2 is the final."""
    knockout = played.stage == ELIMINATION
    games = sum(match.game != THIRD for match in played.matches)
    return {"round-type": "elimination" if knockout else "swiss",
            "round-number": 2 * games if knockout else played.number,
            "matches": [_match(tournament, match, names) for match in _finished_matches(played)]}


def _match(tournament: Tournament, match: Match, names: dict[str, str]) -> dict[str, Any]:
    if match.b is None or match.result is None:
        return {"player1": names[match.a], "player1points": 0, "result": "bye"}
    book = rulebook(tournament.rulebook)
    winner = book.winner(match.result, book.options(tournament.options))
    won = {"a": match.a, "b": match.b}.get(winner)
    return {
        "player1": names[match.a], "player1points": match.result.score.a,
        "player2": names[match.b], "player2points": match.result.score.b,
        "result": "win" if won is not None else "draw",
        # Who has won is not always who has more: a final salvo, a concession, a ruling.
        **({} if won is None else {"winner": names[won]}),
    }
