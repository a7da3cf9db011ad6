"""Where competitors stand in the course of an event, and what a match outside Swiss decides: every page asks here."""

from collections.abc import Mapping
from contextlib import suppress

from msgspec import Struct

from roundtap_core.elimination.bracket import Bracket, BracketGame
from roundtap_core.elimination.cut import CHAMPION, FINAL, THIRD, THIRD_PLACE
from roundtap_core.elimination.ranking import FinalPlace, game_name
from roundtap_core.errors import Problem
from roundtap_core.event.event_flow import current_bracket, current_seeds, offered_places, with_result
from roundtap_core.event.states import EventState, MatchState, RoundState
from roundtap_core.records import ELIMINATION, TIEBREAK, Result
from roundtap_core.rulebooks.result_words import Names, ResultLine
from roundtap_core.words import Words

IN, OFFERED, OUT, MISSED, ABSENT, DECLINED = "in", "offered", "out", "missed", "absent", "declined"
TIED, OTHERS_TIED, OVER = "tied", "others-tied", "over"

STILL_IN = (IN, THIRD_PLACE, TIED)
"""Who may still have a match."""


class CourseStanding(Struct, frozen=True):
    """Where a competitor stands beside the match of the newest round, if they have one.

    `key`: advances; is offered a place in the cut; lost in the bracket; plays for THIRD_PLACE; did not make the cut;
    was absent when it went on; declined a place; is tied, or is not, in the tie-break round that is played; all is
    played. `seed` in the cut; `reached`: a round's name ("semi-final", "champion"); `place` once it is certain."""

    key: str
    seed: int | None = None
    reached: str | None = None
    place: int | None = None


def course_standing(
    state: EventState, who: str, bracket: Bracket | None, ranking: Mapping[str, FinalPlace]
) -> CourseStanding | None:
    """None as long as Swiss rounds alone count. `bracket`: the public one; `ranking`: as far as everybody has come."""
    placed = ranking.get(who)
    if placed is not None and (state.finished or (bracket is not None and bracket.over)):
        return CourseStanding(OVER, None, placed.reached, placed.rank)
    cut, newest = state.cut, state.public_rounds[-1] if state.public_rounds else None
    if cut is None and bracket is None:
        if newest is None or newest.stage != TIEBREAK:
            return None
        return CourseStanding(TIED if any(who in tie for tie in newest.notes.get("ties", ())) else OTHERS_TIED)
    if offered_places(state) == who:
        return CourseStanding(OFFERED)
    seeds = bracket.seeds if bracket is not None else current_seeds(state)
    seed = seeds.index(who) + 1 if who in seeds else None
    games = bracket.games if bracket is not None else ()
    lost = [game for game in games if who in game.losers and game.game != THIRD]
    if bracket is not None and placed is not None and (lost or bracket.champion == who):
        last = lost[-1] if lost else bracket.final
        place = placed.rank if all(game.decided for game in bracket.of_round(last.round)) else None
        third = bracket.third if last.round == bracket.rounds - 1 else None
        if third is not None and not third.decided:
            return CourseStanding(THIRD_PLACE, seed, placed.reached)
        return CourseStanding(OVER if third or last is bracket.final else OUT, seed, placed.reached, place)
    sits = seed is not None or any(who in (game.a.competitor, game.b.competitor) for game in games)
    had = ABSENT if cut is not None and who in cut.seeds else MISSED
    key = IN if sits else DECLINED if cut is not None and who in cut.declined else had
    return CourseStanding(key, seed) if sits or seeds else None


def effect_lines(
    state: EventState, played: RoundState, match: MatchState, result: Result, names: Names, words: Words
) -> list[ResultLine]:
    """What this result decides where it adds no points: who advances, or wins; nothing but a place."""
    texts = [words("effect.tiebreak")] if played.stage == TIEBREAK else []
    with suppress(Problem):
        brackets = [current_bracket(with_result(state, match, result))] if played.stage == ELIMINATION else []
        texts += [
            _decided(bracket, game, names, words)
            for bracket in brackets
            if bracket is not None
            for game in bracket.games
            if game.match is not None and (game.match.a, game.match.b) == (match.match.a, match.match.b)
        ]
    return [ResultLine(words("result.effect"), text) for text in texts]


def _decided(bracket: Bracket, game: BracketGame, names: Names, words: Words) -> str:
    won = {FINAL: CHAMPION, THIRD_PLACE: THIRD_PLACE}.get(game_name(bracket, game), "advances")
    side = "a" if game.match is not None and game.winner == game.match.a else "b"
    return words(f"effect.{won if game.winner else 'nobody'}", name=names[side])
