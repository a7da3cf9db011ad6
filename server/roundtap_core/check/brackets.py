"""Elimination rounds that are not what cut and bracket demand: game numbers, pairings, byes, rounds too many."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from roundtap_core.elimination.bracket import Bracket, Game, bracket_of, there_for
from roundtap_core.elimination.next_games import match_of
from roundtap_core.elimination.shape import THIRD, games_in
from roundtap_core.errors import Problem
from roundtap_core.names import called
from roundtap_core.records import BYE, ELIMINATION, SECOND_SWISS, UNPAIRED_LOSS, WON_BYE, Match, Round, Tournament
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.standings import as_it_stood, standings


def elimination_problems(tournament: Tournament) -> Iterator[Problem]:
    """What no reading of the rules allows. Who made the cut is not judged, since a place may have been declined."""
    played = tournament.stage_rounds(ELIMINATION)
    if not played:
        return
    names = called(tournament)
    for bracket_round, round_ in enumerate(played, start=1):
        before = replace(tournament, rounds=tuple(
            r for r in tournament.rounds if r.number < round_.number or r is played[0]))
        try:
            bracket = bracket_of(before)
        except Problem:
            # A result that cannot be read is named elsewhere.
            return
        assert bracket is not None
        where = f"/rounds/{tournament.rounds.index(round_)}"
        if bracket_round > bracket.rounds:
            yield Problem("bracket_too_many_rounds", where=where, right=bracket.rounds)
            continue
        wrong = list(_number_problems(round_, games_in(bracket.size, bracket_round), where))
        yield from wrong
        if not wrong and (bracket_round > 1 or bracket.seeds):
            yield from _pairing_problems(tournament, bracket, bracket_round, round_, where, names)


def cut_order_problems(tournament: Tournament) -> Iterator[Problem]:
    """An order of the cut that the Swiss rounds do not give. Nothing is said where corrections or a disqualification of
    about that time leave open what it was made from: they may have come before or after it, several in any order."""
    begun = next((played.number for played in tournament.rounds if played.stage in (ELIMINATION, SECOND_SWISS)),
                 len(tournament.rounds) + 1)
    said = [each.get("after_round", begun) for played in tournament.rounds if played.number < begun
            for match in played.matches for each in (match.record or {}).get("corrections", ())]
    out = any(competitor.disqualified_after == begun - 1 for competitor in tournament.competitors)
    if not tournament.cut_order or out or sum(after >= begun - 1 for after in said if after <= begun) > 1:
        return
    right: tuple[str, ...] = ()
    for seen in (begun + 1, begun, begun - 1):
        try:
            stood = as_it_stood(tournament, begun, seen)
            rows = standings(stood, begun - 1) if stood else ()
        except Problem:
            # A result that cannot be read is named elsewhere.
            return
        order = rulebook(tournament.rulebook).cut_order([row for row in rows if row.rank is not None], tournament.seed)
        # Who is out of the standings since is passed over; who came below all who are named need not be.
        kept = tuple(who for who in dict.fromkeys(tournament.cut_order) if who in order)
        right = tuple(order)[:len(kept)]
        if not rows or kept == right:
            return
    names = called(tournament)
    n = next(i for i, pair in enumerate(zip(kept, right, strict=True)) if pair[0] != pair[1])
    yield Problem("cut_order_differs", where="/cut/order", n=n + 1, right=names[right[n]], competitor=names[kept[n]])


def _number_problems(played: Round, games: int, where: str) -> Iterator[Problem]:
    """Each game has its own number, 1 to the number of games; one may be missing where both sides have left."""
    seen: set[int | str] = set()
    for m, match in enumerate(played.matches):
        if match.bye == UNPAIRED_LOSS:
            continue
        game = match.game
        third = game == THIRD and games == 1
        if game in seen or not (third or (isinstance(game, int) and game <= games)):
            yield Problem("bracket_game_number", where=f"{where}/matches/{m}", value="–" if game is None else game,
                          right=games)
        elif game is not None:
            seen.add(game)


def _pairing_problems(
    tournament: Tournament, bracket: Bracket, bracket_round: int, played: Round, where: str, names: dict[str, str]
) -> Iterator[Problem]:
    due = {game.game: _due(bracket, game) for game in bracket.games if game.round == bracket_round}
    there = there_for(tournament, played.number)
    for m, match in enumerate(played.matches):
        if match.bye == UNPAIRED_LOSS or match.game is None or (match.game == THIRD and match.game not in due):
            continue
        place = f"{where}/matches/{m}"
        pair = due[match.game]
        if match.b is None:
            absent = {who for who in pair if who != match.a}
            if match.bye in (BYE, WON_BYE) and match.a in pair and absent:
                yield Problem("bracket_bye", where=f"{place}/bye", competitor=names[match.a], game=match.game,
                              opponent=names[absent.pop()])
            wrong = match.a not in pair
        else:
            wrong = {match.a, match.b} != pair
        if wrong:
            right = " – ".join(names[who] for who in sorted(pair)) or "–"
            yield Problem("bracket_pairing", where=place, game=match.game, right=right)
    numbers = {match.game for match in played.matches}
    missing = [g for g, pair in due.items() if g != THIRD and pair & there and g not in numbers]
    if missing:
        yield Problem("bracket_game_count", where=f"{where}/matches", value=len(numbers - {THIRD, None}),
                      right=len(due) - (THIRD in due))


def _due(bracket: Bracket, game: Game) -> set[str]:
    """Who belongs into a game: by the seeds in the first round, else by the winners before."""
    if game.round == 1:
        seeds = bracket.seeds
        number = game.game
        assert isinstance(number, int)
        return {seeds[s - 1] for s in (number, bracket.size + 1 - number) if s <= len(seeds)}
    match: Match | None = match_of(game)
    sides = (game.a.competitor, game.b.competitor)
    return {who for who in ((match.a, match.b) if match else sides) if who}
