"""Counting on a match's page what the rulebook lets be counted by hand: typed figures go in, what they are worth."""

from __future__ import annotations

from typing import Any

from flask import abort, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.state import EventState
from roundtap_core.numbers import typed_number
from roundtap_core.rulebooks.base import AidFigure, Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_hub.pages.base import page, words
from roundtap_hub.policy import EVERYBODY, route

PREFIX = "aid."
"""Of the form's fields: they travel in the page's address, beside nothing else that the page reads."""


def aid_view(state: EventState) -> dict[str, Any] | None:
    """The aid of the event's rulebook with what was typed; None where it has none."""
    return aid_of(state.rulebook)


def aid_of(book: Rulebook) -> dict[str, Any] | None:
    """The same of a rulebook. `typed`: what was sent, by key; `worth` is None where nothing was asked yet, or `problem`
    says why not."""
    aid = book.counting_aid
    if aid is None:
        return None
    typed = {figure.key: request.args[PREFIX + figure.key].strip()
             for figure in aid.figures if PREFIX + figure.key in request.args}
    worth, wrong = None, ""
    try:
        worth = aid.worth({figure.key: _number(figure, typed) for figure in aid.figures}) if typed else None
    except Problem as problem:
        wrong = problem.say(words())
    return {"aid": aid, "typed": typed, "worth": worth, "problem": wrong}


def _number(figure: AidFigure, typed: dict[str, str]) -> int:
    text = typed.get(figure.key, "")
    if figure.tick:
        return int(text == "1")
    number = typed_number(text)
    if not figure.minimum <= number <= figure.maximum:
        raise Invalid("figure_out_of_range", value=number, minimum=figure.minimum, maximum=figure.maximum)
    return number


@route("GET /aid/<rulebook>", EVERYBODY)
def aid(rulebook: str) -> AnyResponse:
    book = RULEBOOKS.get(rulebook)
    if book is None or book.counting_aid is None:
        abort(404)
    return page("aid.html", rulebook=book, counted=aid_of(book))
