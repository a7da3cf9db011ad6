"""A result entered step by step on the console: one question a page, and the result before it is entered.

Answers travel in the address, so that going back and loading again are harmless; only lots and the end are posted.
"""

from __future__ import annotations

from flask import Blueprint, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.event.commands import EnterResult
from roundtap_core.rulebooks.gate import OFFICIAL
from roundtap_hub.pages.base import (
    actor,
    back_to_event,
    mended_on,
    page,
    the_hub,
    the_moment,
    whole_number,
)
from roundtap_hub.pages.results import official_reason, seen_match
from roundtap_hub.pages.walking import Fields, Seat, address_at, draw_lot, page_at, seat_of, shown
from roundtap_hub.views.event_at import full_names
from roundtap_hub.views.result_walk import read_trail, walk_page


def routes(bp: Blueprint) -> None:
    at = "/<event_id>/match/<match_id>/walk"
    bp.add_url_rule(at, "walk", walk)
    bp.add_url_rule(at, "walk_enter", enter, methods=["POST"])
    bp.add_url_rule(f"{at}/lot", "walk_lot", draw_lots, methods=["POST"])


def _seat(event_id: str, match_id: str) -> Seat:
    moment = the_moment(event_id)
    return seat_of(moment, *seen_match(moment.state, match_id), full_names(moment), OFFICIAL)


def walk(event_id: str, match_id: str) -> AnyResponse:
    """The next question, or the result that the answers make."""
    seat = _seat(event_id, match_id)
    fields = request.form if request.method == "POST" else request.args
    at = page_at(seat, fields)
    ruling = url_for("console.match", event_id=event_id, match_id=match_id, _anchor="enter")
    return page("match_walk.html", ruling_at=ruling, **shown(seat, at, fields, _at(seat), _base(seat, fields)))


def _base(seat: Seat, fields: Fields) -> list[tuple[str, str]]:
    """Whoever meets a conflict has now seen what stands; before it, they act on what they saw at the beginning."""
    fresh = g.get("problem") is not None or "revision" not in fields
    return [("revision", str(seat.match.revision) if fresh else fields.get("revision", "")),
            ("seen", str(seat.match.number or 0) if fresh else fields.get("seen", ""))]


def _at(seat: Seat) -> str:
    return url_for("console.walk", event_id=seat.state.id, match_id=seat.match.id)


@mended_on(walk)
def enter(event_id: str, match_id: str) -> AnyResponse:
    """The end of the walk becomes the result."""
    seat = _seat(event_id, match_id)
    at = walk_page(seat.form, read_trail(seat.form, request.form, seat.match.lots))
    if at.result is None:
        return redirect(address_at(_at(seat), at.trail.fields()), 303)
    command = EnterResult(match_id, whole_number("revision") or 0, at.result, whole_number("seen"),
                          official_reason())
    the_hub().service.tell(event_id, command, actor())
    return back_to_event(event_id)


@mended_on(walk)
def draw_lots(event_id: str, match_id: str) -> AnyResponse:
    """A coin between the sides, where the form says that a lot decides; it becomes the answer."""
    seat = _seat(event_id, match_id)
    trail = draw_lot(seat, request.form, actor())
    fields = [*trail.fields(), *((key, request.form.get(key, "")) for key in ("revision", "seen"))]
    return redirect(address_at(_at(seat), fields), 303)
