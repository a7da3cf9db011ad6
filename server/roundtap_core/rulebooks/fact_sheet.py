"""A rulebook's figures as an organizer announces them, asked of the rulebook itself: results, byes, minutes."""

from roundtap_core.errors import Problem
from roundtap_core.records import BYES, RULING, TIME, Match, Result, SidePair
from roundtap_core.rulebooks.base import Options, Rulebook
from roundtap_core.rulebooks.scoring import Tally

_OUTCOMES = (
    ("win", Result(ended=RULING, winner="a")),
    ("draw", Result(ended=RULING, winner="draw")),
    ("loss", Result(ended=RULING, winner="b")),
)


def outcome_points(book: Rulebook, options: Options) -> dict[str, int]:
    """Tournament points of "win", "draw" and "loss", as far as the rulebook has them. Where a narrow win at time is
    worth something else: "win_at_time", and "win_at_time_lead" from `full_win_lead` on; the text of both names it."""
    lead = full_win_lead(book, options)
    at_time = [("win_at_time_lead", _at_time(lead)), ("win_at_time", _at_time(lead - 1))] if lead is not None else []
    points: dict[str, int] = {}
    for name, result in (_OUTCOMES[0], *at_time, *_OUTCOMES[1:]):
        try:
            points[name] = book.tally(Match("a", "b", result=result), "a", options).points
        except Problem:
            continue  # No draws in this rulebook.
    return points


def full_win_lead(book: Rulebook, options: Options) -> int | None:
    """From which lead on a win at time is worth as much as any win; None where it always is."""
    full = book.tally(Match("a", "b", result=_OUTCOMES[0][1]), "a", options).points
    leads = range(1, options.get("squad_points", 0) + 1)
    full_leads = (n for n in leads if book.tally(Match("a", "b", result=_at_time(n)), "a", options).points == full)
    least = next(full_leads, None)
    return None if least == 1 else least


def _at_time(lead: int) -> Result:
    return Result(ended=TIME, winner="a", score=SidePair(lead, 0))


def bye_worth(book: Rulebook, options: Options) -> dict[str, Tally]:
    """What each kind of bye gives: {"bye": Tally(1, "win", {"mov": 150}), …}."""
    return {bye: book.tally(Match("a", bye=bye), "a", options) for bye in BYES}


def stage_minutes(book: Rulebook, options: Options) -> dict[str, int | None]:
    """The length of a round of each stage under these options; None: untimed."""
    return {stage: book.minutes(stage, options) for stage in book.stage_minutes}


def minutes_by_games(book: Rulebook) -> dict[str, dict[int, int | None]]:
    """The rulebook's own lengths for each number of games a match of that stage may have:
    {"swiss": {1: 35, 3: 90}, …}."""

    def of(stage: str, games: int) -> int | None:
        return book.minutes(stage, book.options({"stages": {stage: {"best_of": games}}}))

    return {stage: {games: of(stage, games) for games in games_allowed(book, stage)} for stage in book.stage_minutes}


def games_allowed(book: Rulebook, stage: str) -> tuple[int, ...]:
    """How many games a match of that stage may have: those of the rulebook that its options take there."""

    def taken(games: int) -> bool:
        try:
            book.check_options({"stages": {stage: {"best_of": games}}})
        except Problem:
            return False
        return True

    return tuple(filter(taken, book.best_of))
