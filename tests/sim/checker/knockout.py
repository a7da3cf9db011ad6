"""Elimination: who should meet whom next, and what was drawn."""

from dataclasses import dataclass, field
from typing import Any

from checker.books import Event, book_of, still_there
from checker.outcomes import winner
from checker.plan import planned, rounds_of
from checker.ranking import cut_order, order_for_cut

THIRD = "third"
Number = int | str


@dataclass
class Game:
    """A game of a round that was drawn. `sides`: who was in it; `losers`: who lost at a table."""

    sides: list[str]
    winner: str | None = None
    decided: bool = False
    losers: list[str] = field(default_factory=list)


def size_for(entrants: int) -> int:
    size = 2
    while size < entrants:
        size *= 2
    return size


def seeds_due(event: Event) -> list[str]:
    """Before the first elimination round: the best who are still there, as many as the cut has places."""
    plan = planned(event)
    there = still_there(event)
    return [who for who in cut_order(event) if who in there][: plan[1] if plan else 0]


def games_of(event: Event, played: dict[str, Any]) -> dict[Number, Game]:
    """The games of a drawn round by number. Who did not appear belongs to the game of the one who did not meet them."""
    games: dict[Number, Game] = {}
    for match in played["matches"]:
        if match.get("bye") == "unpaired-loss":
            continue
        game = Game([match[side] for side in "ab" if side in match])
        if "bye" in match:
            game.winner, game.decided = match["a"], True
        elif "result" in match:
            game.winner, game.decided = _goes_on(event, match), True
            game.losers = [who for who in game.sides if who != game.winner]
        games[match["game"]] = game
    return games


def _goes_on(event: Event, match: dict[str, Any]) -> str | None:
    """None: both lost. A drawn game: Epic, whoever had initiative; Shatterpoint, the better Swiss rank."""
    book = book_of(event)
    won = winner(book, match["result"])
    if won == "draw":
        if book.family == "epic":
            won = match["result"]["initiative"]
        else:
            assert book.family == "shatterpoint", "no draws here"
            return next(who for who, _ in order_for_cut(event) if who in (match["a"], match["b"]))
    return None if won == "none" else str(match[won])


def games_due(event: Event) -> dict[Number, list[str]]:
    """Who plays in each game of the next elimination round (with a cut, or after the first round)."""
    played = rounds_of(event, "elimination")
    there = still_there(event)
    if not played:
        seeds = seeds_due(event)
        size = size_for(len(seeds))
        return {g: [seeds[s - 1] for s in (g, size + 1 - g) if s <= len(seeds)] for g in range(1, size // 2 + 1)}
    before = games_of(event, played[-1])
    feeding = bracket_size(event) >> len(played)
    due: dict[Number, list[str]] = {}
    for game in range(1, feeding // 2 + 1):
        winners = [before[f].winner for f in (game, feeding + 1 - game) if f in before]
        due[game] = [who for who in winners if who in there]
    if feeding == 2 and event.get("options", {}).get("third_place_match"):
        # A semi-final that both lost sends nobody: three cannot play one match.
        losers = [before[f].losers[0] for f in (1, 2) if f in before and len(before[f].losers) == 1]
        due[THIRD] = [who for who in losers if who in there]
    return {game: sides for game, sides in due.items() if sides}


def bracket_size(event: Event) -> int:
    return 2 * sum(isinstance(game, int) for game in games_of(event, rounds_of(event, "elimination")[0]))


def knockout_complaints(event: Event, printed: dict[str, Any]) -> list[str]:
    drawn = {match["game"]: [match[side] for side in "ab" if side in match] for match in printed["matches"]}
    if len(drawn) != len(printed["matches"]):
        return ["a game number twice"]
    found = [f"game {match['game']} is no bye" for match in printed["matches"] if ("b" in match) == ("bye" in match)]
    if not event.get("rounds"):
        return found + _by_lot(event, printed, drawn)
    due = games_due(event)
    if {game: set(sides) for game, sides in drawn.items()} != {game: set(sides) for game, sides in due.items()}:
        found.append(f"games {drawn}, should be {due}")
    return found


def _by_lot(event: Event, printed: dict[str, Any], drawn: dict[Number, list[str]]) -> list[str]:
    """Without a cut: byes up to a power of two, games and byes numbered throughout. Who sits was looked at before."""
    entered = len(still_there(event))
    size = size_for(entered)
    byes = sum(len(sides) == 1 for sides in drawn.values())
    found = [] if byes == size - entered else [f"{byes} byes for {entered}"]
    if set(drawn) != set(range(1, size // 2 + 1)):
        found.append(f"games {sorted(drawn, key=str)}")
    return found
