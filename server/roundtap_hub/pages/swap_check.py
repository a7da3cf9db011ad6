"""Cards swapped with the sideboard before a game, checked on the match's page: typed lines go in, problems come out.

Nothing is recorded: after the round the deck is as listed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import request

from roundtap_core.errors import Problem
from roundtap_core.event.state import MatchState
from roundtap_core.records import SIDES, Side
from roundtap_hub.pages.base import the_moment, words
from roundtap_hub.views.event_at import tournament

SIDE, LINES = "swap.side", "swap.lines"
MOST_LETTERS = 2000


def swap_view(event_id: str, match: MatchState) -> dict[str, Any] | None:
    """The check with what was typed; None where the rulebook swaps no cards. `checked`: something was typed; `problems`
    of it, each with its line; none: the deck is right."""
    moment = the_moment(event_id)
    state, check = moment.state, moment.state.rulebook.lists
    if not check.swap_sign:
        return None
    side: Side = next((each for each in SIDES if each == request.args.get(SIDE)), SIDES[0])
    lines = request.args.get(LINES, "")[:MOST_LETTERS]
    problems: Sequence[Problem] = ()
    if lines.strip():
        who = next(c for c in tournament(moment).competitors if c.id == match.match.competitor(side))
        list_ = check.of_competitor(who)
        try:
            problems = check.swap_problems(list_, lines, state.options, state.level) if list_ \
                else [Problem("list_not_handed_in")]
        except Problem as problem:
            problems = [problem]
    return {"side": side, "lines": lines if lines.strip() else "", "checked": bool(lines.strip()),
            "problems": [problem.say(words()) for problem in problems], "sign": check.swap_sign}
