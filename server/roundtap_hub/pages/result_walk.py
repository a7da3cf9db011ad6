"""A result entered step by step on the console, or as one short line: one question a page, and the result before it is
entered, with what a slip says besides.

Answers travel in the address, so that going back and loading again are harmless; only lots and the end are posted.
"""

from __future__ import annotations

from typing import Any

from flask import g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import EnterResult
from roundtap_core.limits import PROSE_LETTERS
from roundtap_core.records import Result
from roundtap_core.rulebooks.gate import OFFICIAL
from roundtap_core.rulebooks.result_words import figure_label, winner_of
from roundtap_hub.pages.base import (
    actor,
    back_to_event,
    field,
    mended_on,
    page,
    the_hub,
    the_moment,
    whole_number,
    words,
)
from roundtap_hub.pages.slip_desk import CODE_LETTERS, enter_slip, slip_beside
from roundtap_hub.pages.walking import Fields, Seat, address_at, draw_lot, page_at, seat_of, seen_match, shown, ways_of
from roundtap_hub.policy import IN_OPEN_ROUNDS, PLAYED, PLAYING, SHOWN_ROUND, STAFF, route
from roundtap_hub.views.event_at import full_names, newest_round
from roundtap_hub.views.result_walk import END, Trail, read_trail, trail_of, walk_page
from roundtap_hub.views.typed_result import grammar, read_line


def seat_at(event_id: str, match_id: str) -> Seat:
    moment = the_moment(event_id)
    return seat_of(moment, *seen_match(moment.state, match_id), full_names(moment), OFFICIAL)


@route("GET /console/<event_id>/match/<match_id>/walk", STAFF, PLAYED)
def walk(event_id: str, match_id: str) -> AnyResponse:
    """The next question, or the result that the answers make. `?text=`: a whole result as a short line; `?slip=`: the
    code of the slip that is typed."""
    seat = seat_at(event_id, match_id)
    fields = request.form if request.method == "POST" else request.args
    line = fields.get("text", "").strip()
    if line:
        try:
            return redirect(address_at(_at(seat), [*_typed(seat, line).fields(), *_base(seat, fields)]), 303)
        except Problem as problem:
            g.problem, g.status = problem, 400
    at = page_at(seat, fields, earlier=bool(_code(fields)))
    slip = slip_beside(seat, _code(fields), at.result) if _code(fields) else None
    return page("match_walk.html", slip=slip, line=line, **line_hints(seat),
                **shown(seat, at, fields, _at(seat), _base(seat, fields)))


def line_hints(seat: Seat) -> dict[str, Any]:
    """What to say of the short lines that this match takes just now."""
    asked = grammar(seat.form, bool(seat.saying.time_is_up))
    return {"grammar": asked,
            "figures": ", ".join(figure_label(words(), key, seat.state.rulebook_id) for key in asked.figures)}


def first_step(seat: Seat) -> dict[str, Any]:
    """For a page that offers the first step itself: the ways, and what goes along."""
    return {"ways": ways_of(seat), "walk_at": _at(seat), "hidden": _base(seat, Fields()), "line": "",
            **line_hints(seat)}


def _typed(seat: Seat, line: str) -> Trail:
    """The answers that a short line gives. Raises Problem where it is no whole result."""
    match = seat.match
    known = (match.match.result, *(report.result for report in match.reports.values()))
    read = read_line(line, match.match, match.id, seat.state.rulebook, seat.state.options, seat.situation,
                     bool(seat.saying.time_is_up), {result.ended for result in known if result is not None})
    return Trail(read.way, read.opener, read.answers)


def address_of(seat: Seat, said: Result) -> str:
    """The page that asks what this result leaves open; nothing else is asked anew."""
    trail = trail_of(seat.form, said, winner_of(seat.state.rulebook, seat.state.options, said))
    return address_at(_at(seat), [*trail.fields(), *_base(seat, Fields())])


def _code(fields: Fields) -> str:
    return fields.get("slip", "")[:CODE_LETTERS]


def _base(seat: Seat, fields: Fields) -> list[tuple[str, str]]:
    """Whoever meets a conflict has now seen what stands; before it, they act on what they saw at the beginning."""
    fresh = g.get("problem") is not None or "revision" not in fields
    return [("revision", str(seat.match.revision) if fresh else fields.get("revision", "")),
            ("seen", str(seat.match.number or 0) if fresh else fields.get("seen", "")),
            *([("slip", _code(fields))] if _code(fields) else [])]


def _at(seat: Seat) -> str:
    return url_for("console.walk", event_id=seat.state.id, match_id=seat.match.id)


@route("POST /console/<event_id>/match/<match_id>/walk", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@mended_on(walk)
def walk_enter(event_id: str, match_id: str) -> AnyResponse:
    """The end of the walk becomes the result."""
    seat = seat_at(event_id, match_id)
    at = walk_page(seat.form, read_trail(seat.form, request.form, seat.match.lots))
    if at.kind != END or at.result is None:
        return redirect(address_at(_at(seat), [*at.trail.fields(), *_base(seat, request.form)]), 303)
    entered = EnterResult(match_id, whole_number("revision") or 0, at.result, whole_number("seen"),
                          field("reason")[:PROSE_LETTERS], earlier=bool(_code(request.form)), cut=field("cut"))
    if entered.earlier:
        return enter_slip(seat, entered)
    the_hub().service.tell(event_id, entered, actor())
    newest = newest_round(the_moment(event_id).state)
    # The tab of the match's round: an earlier one stays in sight after its correction.
    number = None if newest is None or newest.number == seat.played.number else seat.played.number
    return back_to_event(event_id, number=number)


@route("POST /console/<event_id>/match/<match_id>/walk/lot", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@mended_on(walk)
def draw_lots(event_id: str, match_id: str) -> AnyResponse:
    """A coin between the sides, where the form says that a lot decides; it becomes the answer."""
    seat = seat_at(event_id, match_id)
    trail = draw_lot(seat, request.form, actor())
    return redirect(address_at(_at(seat), [*trail.fields(), *_base(seat, request.form)]), 303)
