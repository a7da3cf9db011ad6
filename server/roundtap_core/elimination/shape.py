"""The shape of a bracket: its size, the games of each round, which of them feed which, and what rounds are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from roundtap_core.records import ELIMINATION, UNPAIRED_LOSS, Match, Tournament

THIRD = "third"
"""The game number of the match for third place."""

FINAL_STAGE, THIRD_STAGE = "final", "third_place"
"""Stages of `options.stages` beside "swiss" and "elimination"."""

FINAL, SEMI_FINAL, QUARTER_FINAL, THIRD_PLACE, CHAMPION = (
    "final", "semi-final", "quarter-final", "third-place", "champion",
)


def bracket_size(entrants: int) -> int:
    """The smallest power of two that holds them, at least 2."""
    return max(2, 1 << (entrants - 1).bit_length())


def rounds_of(size: int) -> int:
    """Rounds until one is left."""
    return size.bit_length() - 1


def games_in(size: int, bracket_round: int) -> int:
    """Games of the bracket's round 1, 2, …; 0 after the final."""
    return size >> bracket_round


def feeders(game: int, games: int) -> tuple[int, int]:
    """The two games of the round before whose winners meet in `game`, one of `games`.

    "K. o.-Runden": the winner of game 1 meets that of the highest-numbered game, which is the new game 1; and so on.
    In the first round the same numbers are the seeds.
    """
    return game, 2 * games + 1 - game


def round_key(games: int) -> str:
    """What a round of so many games is called: "final", "semi-final", "quarter-final", "round-of-16", …"""
    return {1: FINAL, 2: SEMI_FINAL, 4: QUARTER_FINAL}.get(games, f"round-of-{2 * games}")


def drawing_order(size: int, bracket_round: int) -> list[int]:
    """The games of a round from top to bottom of a drawing in which no lines cross."""
    order = [1]
    games = 1
    while games < games_in(size, bracket_round):
        order = [feeder for game in order for feeder in feeders(game, games)]
        games *= 2
    return order


def by_game_number(matches: Iterable[Match], games: int) -> dict[int | str, Match]:
    """The matches of an elimination round of so many games by game number, "third" among them.

    A file may lack numbers, or have wrong ones: such matches take the free ones in their order. Who did not appear
    has no game.
    """
    placed: dict[int | str, Match] = {}
    rest = []
    for match in matches:
        if match.bye == UNPAIRED_LOSS:
            continue
        if match.game is None or match.game in placed or (match.game != THIRD and int(match.game) > games):
            rest.append(match)
        else:
            placed[match.game] = match
    free = 1
    for match in rest:
        while free in placed:
            free += 1
        placed[free] = match
    return placed


def size_from_round(first_round: Iterable[Match]) -> int:
    """The bracket's size as its recorded first round tells, in which no game is empty."""
    return bracket_size(2 * sum(1 for match in first_round if match.bye != UNPAIRED_LOSS and match.game != THIRD))


def stage_of(games: int, game: int | str | None) -> str:
    """The stage in `options.stages` that a game belongs to, in an elimination round of so many games."""
    if game == THIRD:
        return THIRD_STAGE
    return FINAL_STAGE if games == 1 else ELIMINATION


def round_stage(stage: str, stages_before: Sequence[str], first_round: Iterable[Match]) -> str:
    """The stage in `options.stages` that gives a round its length; `stages_before` are those of the rounds before.

    `first_round`: the matches of the first elimination round, this one if there was none before.
    """
    if stage != ELIMINATION:
        return stage
    return stage_of(games_in(size_from_round(first_round), 1 + sum(s == ELIMINATION for s in stages_before)), None)


def stages_of(tournament: Tournament) -> dict[int, str]:
    """Each round's stage as options and situations name it: the last of the elimination is the final."""
    first = next((r for r in tournament.rounds if r.stage == ELIMINATION), None)
    before: list[str] = []
    stages: dict[int, str] = {}
    for played in tournament.rounds:
        stages[played.number] = round_stage(played.stage, before, (first or played).matches)
        before.append(played.stage)
    return stages
