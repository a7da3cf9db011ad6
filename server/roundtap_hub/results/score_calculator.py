"""Aids on a match's page that record nothing: a score calculator, and a check of cards swapped with the sideboard."""

from collections.abc import Sequence
from dataclasses import dataclass

from flask import abort, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.states import MatchState
from roundtap_core.records import SIDES, Side
from roundtap_core.rulebooks.base import AidFigure, CountingAid, Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_hub.http.routes import EVERYBODY, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.views.saved_event import tournament

PREFIX = "aid."  # the prefix of the form's fields in the page's address

SIDE, LINES = "swap.side", "swap.lines"
MOST_LETTERS = 2000


@dataclass(frozen=True, slots=True)
class CalculatorView:
    """A rulebook's aid. `typed`: the figures by key; `worth`: None without figures, or with a `problem`."""

    aid: CountingAid
    typed: dict[str, str]
    worth: int | None
    problem: str


def calculator_view(book: Rulebook) -> CalculatorView | None:
    """None where the rulebook has no aid."""
    aid = book.counting_aid
    if aid is None:
        return None
    typed = {
        figure.key: request.args[PREFIX + figure.key].strip()
        for figure in aid.figures
        if PREFIX + figure.key in request.args
    }
    worth, wrong = None, ""
    try:
        worth = aid.worth({figure.key: _number(figure, typed) for figure in aid.figures}) if typed else None
    except Problem as problem:
        wrong = problem.say(current.words())
    return CalculatorView(aid, typed, worth, wrong)


def _number(figure: AidFigure, typed: dict[str, str]) -> int:
    text = typed.get(figure.key, "")
    if figure.tick:
        return int(text == "1")
    number = forms.read_number(text, (figure.minimum, figure.maximum))
    if number is None:
        raise Invalid("not_a_number", value=text)
    return number


@route("GET /aid/<rulebook>", EVERYBODY)
def score_calculator(rulebook: str) -> AnyResponse:
    book = RULEBOOKS.get(rulebook)
    if book is None or book.counting_aid is None:
        abort(404)
    return render.page("score_calculator.html", rulebook=book, counted=calculator_view(book))


@dataclass(frozen=True, slots=True)
class SideboardView:
    """The check of the typed lines. If there are any, the deck is right without `problems`."""

    side: Side
    lines: str
    problems: list[str]
    sign: str


def sideboard_view(event_id: str, match: MatchState) -> SideboardView | None:
    """None where the rulebook swaps no cards."""
    event = current.event(event_id)
    state, check = event.state, event.state.rulebook.lists
    if not check.swap_sign:
        return None
    side: Side = next((each for each in SIDES if each == request.args.get(SIDE)), SIDES[0])
    lines = request.args.get(LINES, "")[:MOST_LETTERS]
    problems: Sequence[Problem] = ()
    if lines.strip():
        who = next(c for c in tournament(event).competitors if c.id == match.match.competitor(side))
        list_ = check.of_competitor(who)
        try:
            problems = (
                check.swap_problems(list_, lines, state.options, state.level)
                if list_
                else [Problem("list_not_handed_in")]
            )
        except Problem as problem:
            problems = [problem]
    shown = lines if lines.strip() else ""
    return SideboardView(side, shown, [problem.say(current.words()) for problem in problems], check.swap_sign)
