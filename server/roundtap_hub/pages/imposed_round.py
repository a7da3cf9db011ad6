"""A round imposed from outside: a rehearsal, or an organizer with a file in hand."""

from __future__ import annotations

import json

from flask import Blueprint
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import ImposeRound
from roundtap_core.records import SWISS
from roundtap_hub.pages.base import back_to_event, field, mended_on, tell
from roundtap_hub.pages.console import event


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/<event_id>/impose", "impose", impose, methods=["POST"])


@mended_on(event)
def impose(event_id: str) -> AnyResponse:
    """`matches`: a JSON list of the event file's matches, without results; `stage`, `tiebreak_form` as there (Swiss if
    nothing is said). It becomes a draft, to be published."""
    try:
        matches = json.loads(field("matches"))
    except ValueError:
        matches = None
    if not isinstance(matches, list) or not all(isinstance(match, dict) and _fits(match) for match in matches):
        raise Problem("wrong_type", where="/matches", expected="array")
    tell(event_id, ImposeRound(tuple(matches), field("stage") or SWISS, field("tiebreak_form") or None))
    return back_to_event(event_id)


def _fits(match: dict[str, object]) -> bool:
    table = match.get("table")
    return (isinstance(match.get("a"), str) and isinstance(match.get("b"), str | None)
            and isinstance(match.get("bye"), str | None) and isinstance(match.get("game"), str | int | None)
            and (match.get("picks") is None or _numbers(match["picks"]))
            and (table is None or (isinstance(table, int) and not isinstance(table, bool) and 1 <= table <= 9999)))


def _numbers(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(n, int) and not isinstance(n, bool) for n in value)
