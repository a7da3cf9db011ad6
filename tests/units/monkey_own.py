"""What a table of a store's own game was told, by the file of rules and the screens alone: no form is asked."""

import random
from typing import Any

from monkey_reader import Facts, Reader, side_in
from monkey_table import WORDS, Place
from msgspec.structs import replace

from own_games.own_evenings import any_result, own_event
from own_games.shelf import rules_behind
from roundtap_core.records import Result, SidePair, other_side
from roundtap_core.rulebooks.own_rules import ANY_TIME, ASK, BOTH_LOSE, GAMES, NEVER, POINTS, WINNER_ONLY, Rules
from roundtap_core.rulebooks.own_words import figure_text


def rules_of(place: Place) -> Rules:
    rules = rules_behind(place.book)
    assert rules is not None
    return rules


def labels_of(place: Place) -> dict[str, str]:
    """How a short line calls a figure; score stands under the names."""
    match = rules_of(place).match
    named = {key: figure_text(rules_of(place), key, WORDS) for key in match.figures}
    return {key: "" if key == "score" else name for key, name in named.items()}


def winner_of(place: Place, result: Result) -> str:
    """Who has won a match that nobody has conceded, and that names no winner."""
    rules = rules_of(place)
    deciding = ["score"] if rules.match.report == GAMES else [each.key for each in rules.match.figure if each.decides]
    for key in deciding:
        pair = result.figures.get(key, SidePair())
        if pair.a != pair.b:
            return "a" if pair.a > pair.b else "b"
    if place.stage == "swiss" and result.ended == "time" and rules.undecided == BOTH_LOSE:
        return "none"
    return "draw"


def as_counted(place: Place, result: Result) -> Result:
    """After a concession the other side has at least what the rules say."""
    rules = rules_behind(place.book)
    if rules is None or result.conceded_by is None:
        return result
    winner = other_side(result.conceded_by)
    least = {"score": place.games // 2 + 1} if rules.match.report == GAMES else dict(rules.concession.winner_at_least)
    pairs = {key: result.figures[key] for key in least if key in result.figures}
    raised = {key: replace(pair, **{winner: max(pair.of(winner), least[key])}) for key, pair in pairs.items()}  # type: ignore[index]
    return replace(result, **raised)


def own_game(place: Place, reader: Reader, facts: Facts, like: Result | None) -> tuple[Result, str]:
    rules, ending = rules_of(place), facts.ending
    timed = ending == "Time" or (ending is None and (facts.time_up if like is None else like.ended == "time"))
    if ending is None and like is not None:
        ending = {"concession": "Conceded"}.get(like.ended, ending)
        if like.winner == "draw" or (like.ended == "played" and winner_of(place, like) == "draw" and not like.winner):
            ending = "Draw agreed" if like.ended == "played" else "Draw"
    told = {WINNER_ONLY: _winner_only, GAMES: _games, POINTS: _points}[rules.match.report]
    return told(rules, place, reader, facts, ending, timed, like)


def _result(
    place: Place,
    facts: Facts,
    ended: str,
    figures: dict[str, SidePair],
    timeout: dict[str, Any] | None = None,
    **more: Any,
) -> tuple[Result, str]:
    result = Result(ended=ended, timeout=timeout, **figures, **more)  # type: ignore[arg-type]
    if result.conceded_by:
        return result, facts.opener
    return result, result.winner or winner_of(place, result)


def _winner_only(
    rules: Rules, place: Place, reader: Reader, facts: Facts, ending: str | None, timed: bool, like: Result | None
) -> tuple[Result, str]:
    return _one_game(rules, place, facts, ending, timed, like, {})


def _one_game(
    rules: Rules,
    place: Place,
    facts: Facts,
    ending: str | None,
    timed: bool,
    like: Result | None,
    won: dict[str, SidePair],
) -> tuple[Result, str]:
    loser = other_side(facts.opener)
    if ending == "Conceded":
        return _result(place, facts, "concession", won, conceded_by=loser)
    if ending in ("Draw", "Draw agreed", "Tie: both lose"):
        ended = "played" if ending == "Draw agreed" else "time"
        result = Result(ended=ended, winner="draw")  # type: ignore[arg-type]
        return result, winner_of(place, result)
    asks_time = any(bonus.ended == "time" for bonus in rules.points.bonus)
    return _result(place, facts, "time" if timed and asks_time else "played", won, winner=facts.opener)


def _games(
    rules: Rules, place: Place, reader: Reader, facts: Facts, ending: str | None, timed: bool, like: Result | None
) -> tuple[Result, str]:
    from monkey_rules import _both, _pair, chosen, said

    loser, wins = other_side(facts.opener), place.games // 2 + 1
    if wins == 1:
        return _one_game(rules, place, facts, ending, timed, like, {"score": _pair(facts, 1, 0)})
    drawn = {"drawn_games": chosen(facts, "Drawn games")} if rules.match.drawn_games else None
    if ending in ("Draw", "Draw agreed"):
        assert rules.match.draws == ANY_TIME
        return _result(place, facts, "played", {"score": _both(facts, "Draw")}, drawn, winner="draw")
    if timed and ending != "Conceded" and ending != "Played to the end":
        score = _both(facts, "Games won")
        knockout = place.stage != "swiss"
        asks = rules.time.knockout == ASK if knockout else rules.undecided == ASK
        winner = None
        if score.a == score.b and asks:
            answer = chosen(facts, WORDS_OF_TIE(rules))
            winner = answer if answer in ("a", "b") else side_in(answer)
        if drawn and asks:
            drawn = {**drawn, "decided_by": "own_tie" if winner else "score"}
        return _result(place, facts, "time", {"score": score}, drawn, winner=winner)
    games = {side: reader.games.count(side) for side in ("a", "b")}  # type: ignore[arg-type]
    whole = games[facts.opener] + 1 == wins and ("Games won", loser) not in facts.figures and ending != "Conceded"
    others = games[loser] if whole and like is None else said(facts, "Games won", loser)
    score = _pair(facts, wins, others)
    if ending == "Conceded":
        return _result(place, facts, "concession", {"score": score}, drawn, conceded_by=loser)
    return _result(place, facts, "played", {"score": score}, drawn)


def WORDS_OF_TIE(rules: Rules) -> str:
    """The question who has won a match that is level."""
    asks = rules.time.knockout_asks
    return asks.text("en") if asks is not None else WORDS("form.own_tie")


def _points(
    rules: Rules, place: Place, reader: Reader, facts: Facts, ending: str | None, timed: bool, like: Result | None
) -> tuple[Result, str]:
    from monkey_rules import _both, chosen

    figures = {each.key: _both(facts, figure_text(rules, each.key, WORDS)) for each in rules.match.figure}
    if ending == "Conceded":
        return _result(place, facts, "concession", figures, conceded_by=other_side(facts.opener))
    ended = "time" if timed and ending != "Played to the end" else "played"
    winner = None
    level = all(figures[each.key].a == figures[each.key].b for each in rules.match.figure if each.decides)
    knockout = place.stage != "swiss"
    if knockout:
        asks = rules.time.knockout == ASK
    else:
        asks = rules.undecided == ASK and (ended == "time" or rules.match.draws == NEVER)
    if level and asks:
        answer = chosen(facts, WORDS_OF_TIE(rules))
        winner = answer if answer in ("a", "b") else side_in(answer)
    return _result(place, facts, ended, figures, winner=winner)


def phoned_own(place: Place, chance: random.Random) -> Result:
    """A result that somebody may have typed on a phone."""
    stages = {"stages": {place.stage: {"best_of": place.games}}} if place.games != rules_of(place).match.best_of else {}
    return any_result(own_event(rules_of(place), 4, **stages), place.stage, chance)
