"""An official's word on a match: a result typed, a report accepted, nobody came, or a result taken back."""

from __future__ import annotations

from flask import Blueprint, abort, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import EnterResult, NoShow
from roundtap_core.event.course import match_clock, round_name
from roundtap_core.event.state import DRAFT, EventState, MatchState, RoundState
from roundtap_hub.pages.console import event
from roundtap_hub.pages.ground import (
    ORGANIZER,
    back_to_event,
    field,
    mended_on,
    now_ms,
    page,
    the_hub,
    the_moment,
    the_snapshot,
    whole_number,
)
from roundtap_hub.views.moment import full_names
from roundtap_hub.views.result_form import form_view, read_result
from roundtap_hub.views.tables import cell, worth_of


def routes(bp: Blueprint) -> None:
    at = "/<event_id>/match/<match_id>"
    bp.add_url_rule(at, "match", match_page)
    bp.add_url_rule(at, "enter_result", enter_result, methods=["POST"])
    bp.add_url_rule("/<event_id>/accept", "accept", accept, methods=["POST"])
    bp.add_url_rule("/<event_id>/keep", "keep", keep, methods=["POST"])
    bp.add_url_rule(f"{at}/clear", "clear", clear, methods=["POST"])
    bp.add_url_rule(f"{at}/no-show", "no_show", no_show, methods=["POST"])


def match_page(event_id: str, match_id: str) -> AnyResponse:
    """One match with everything an official may do to it."""
    moment = the_moment(event_id)
    state, names = moment.state, full_names(moment)
    played, match = _seen(state, match_id)
    shown = cell(the_snapshot(), the_hub().hall.units, state, match, names, now_ms())
    form = state.rulebook.form(state.options)
    now = the_hub().moments.now()
    left = match_clock(state, played, match).remaining_at(now)
    at_time = left is not None and left <= 0
    offered = form.offered(at_time)
    return page("match.html", feed=f"console/{event_id}", state=state, played=played, match=match, cell=shown,
                played_name=round_name(state, played),
                form=form_view(form), likely=offered[0].id if offered else "", worth=worth_of(match.match, state))


def _seen(state: EventState, match_id: str) -> tuple[RoundState, MatchState]:
    """The match and its round, or a 404 page; a draft's matches are not there yet, and a bye has no result."""
    found = state.find_match(match_id)
    if found is None or found[0].status == DRAFT or found[1].match.b is None:
        abort(404)
    return found


@mended_on(match_page)
def enter_result(event_id: str, match_id: str) -> AnyResponse:
    state = the_moment(event_id).state
    result = read_result(state.rulebook, state.options, request.form)
    seen = whole_number("seen")
    the_hub().service.tell(event_id, EnterResult(match_id, whole_number("revision") or 0, result, seen), ORGANIZER)
    return back_to_event(event_id)


@mended_on(event)
def accept(event_id: str) -> AnyResponse:
    """One side's report becomes the result; only the very report the organizer read."""
    match_id, side = field("match"), field("side")
    _, match = _seen(the_moment(event_id).state, match_id)
    said = match.reports.get("b" if side == "b" else "a")
    if said is None or said.number != whole_number("number"):
        raise Problem("result_changed_meanwhile", table=match.match.table)
    the_hub().service.tell(event_id, EnterResult(match_id, whole_number("revision") or 0, said.result), ORGANIZER)
    return back_to_event(event_id)


@mended_on(event)
def keep(event_id: str) -> AnyResponse:
    """After a late report: the result stands as it is, and the console forgets the report."""
    match_id = field("match")
    _, match = _seen(the_moment(event_id).state, match_id)
    the_hub().service.tell(event_id, EnterResult(match_id, match.revision, match.match.result), ORGANIZER)
    return back_to_event(event_id)


@mended_on(match_page)
def clear(event_id: str, match_id: str) -> AnyResponse:
    """Take a result back, as if nobody had reported."""
    the_hub().service.tell(event_id, EnterResult(match_id, whole_number("revision") or 0, None), ORGANIZER)
    return back_to_event(event_id)


@mended_on(match_page)
def no_show(event_id: str, match_id: str) -> AnyResponse:
    the_hub().service.tell(event_id, NoShow(match_id, field("absent")), ORGANIZER)
    return back_to_event(event_id)
