"""The counting aid of a rulebook for everybody: half points without asking a judge. Nothing of it is kept."""

from __future__ import annotations

from flask import abort
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_hub.pages.base import page
from roundtap_hub.pages.counting_aid import aid_of
from roundtap_hub.policy import EVERYBODY, route


@route("GET /aid/<rulebook>", EVERYBODY)
def aid(rulebook: str) -> AnyResponse:
    book = RULEBOOKS.get(rulebook)
    if book is None or book.counting_aid is None:
        abort(404)
    return page("aid.html", rulebook=book, counted=aid_of(book))
