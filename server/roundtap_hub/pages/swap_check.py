"""Cards swapped with the sideboard before a game, checked on the match's page: typed lines go in, problems come out.

Nothing is recorded: after the round the deck is as listed again.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import request

from roundtap_core.errors import Problem
from roundtap_core.event.state import MatchState
from roundtap_core.records import SIDES, Side
from roundtap_hub.pages.base import the_moment, words
from roundtap_hub.views.event_at import tournament

SIDE, LINES = "swap.side", "swap.lines"
MOST_LETTERS = 2000


@dataclass(frozen=True, slots=True)
class SwapView:
    """`checked`: something was typed. `problems` of it, each with its line; none: the deck is right."""

    side: Side
    lines: str
    checked: bool
    problems: tuple[str, ...]
    sign: str


def swap_view(event_id: str, match: MatchState) -> SwapView | None:
    """The check with what was typed; None where the rulebook swaps no cards."""
    moment = the_moment(event_id)
    state, check = moment.state, moment.state.rulebook.lists
    if not check.swap_sign:
        return None
    side = next((each for each in SIDES if each == request.args.get(SIDE)), SIDES[0])
    lines = request.args.get(LINES, "")[:MOST_LETTERS]
    if not lines.strip():
        return SwapView(side, "", False, (), check.swap_sign)
    who = next(c for c in tournament(moment).competitors if c.id == match.match.competitor(side))
    list_ = check.of_competitor(who)
    if not list_:
        return SwapView(side, lines, True, (Problem("list_not_handed_in").say(words()),), check.swap_sign)
    try:
        problems = check.swap_problems(list_, lines, state.options, state.level)
    except Problem as problem:
        problems = [problem]
    return SwapView(side, lines, True, tuple(problem.say(words()) for problem in problems), check.swap_sign)
