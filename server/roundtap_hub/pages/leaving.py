"""Leaving in mid-game at the console: what the match still has to say is asked before anybody is dropped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from flask import g, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.people.leave import (
    CONCEDES,
    JUDGED,
    LEAVING,
    PLACE,
    REPORTED,
    Leaving,
    open_match,
    place_is_free,
    waits_for,
    what_leaving_does,
)
from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_core.records import CONCESSION, Result, Side, other
from roundtap_core.rulebooks.gate import OFFICIAL
from roundtap_core.rulebooks.result_words import figure_label
from roundtap_hub.http_answers import status_of
from roundtap_hub.pages.base import back_to_event, field, page, the_hub, the_moment, with_name
from roundtap_hub.pages.walking import Fields, Seat, page_at, seat_of
from roundtap_hub.views.event_at import full_names
from roundtap_hub.views.result_walk import Trail, WalkPage, is_last, walk_page

NOW, UNKNOWN, AFTER = "1", "0", "after"
"""The form's buttons: they leave, and this is how it stood; nobody knows that now; they leave only after this round."""
DROP = "drop"

Tell = Callable[[Result | None, bool], None]
"""Told with the figures of the match that is left, and whether it is only after this round."""


def leaves(event_id: str, competitor: str, action: str, tell: Tell) -> AnyResponse:
    """Somebody drops, or is disqualified (`action`): at once where no match of theirs is open, else after a page that
    says what becomes of it and asks how it stands."""
    state = the_moment(event_id).state
    found, does = open_match(state, competitor), what_leaving_does(state, competitor)
    asked_of = (CONCEDES, REPORTED, JUDGED, PLACE) if action == DROP or _opponent_is_here(state, does) else (PLACE,)
    if found is None or does.what not in asked_of or field("known") == UNKNOWN \
            or (field("known") == NOW and not _asks(state, *found, action)):
        tell(None, False)
        return back_to_event(event_id, "competitors")
    if field("known") == AFTER and action == DROP:
        tell(None, True)
        return back_to_event(event_id, "competitors")
    moment = the_moment(event_id)
    seat = replace(seat_of(moment, *found, full_names(moment), OFFICIAL), saying=LEAVING)
    side: Side = "a" if seat.match.match.a == competitor else "b"
    conceded = next(way for way in seat.form.ways if way.ended == CONCESSION)
    fields = Fields(request.form)
    if not _asks(state, *found, action):
        return _ask(seat, None, fields, competitor, action)
    fields.setlist("way", [conceded.id])
    fields.setlist("opener", [other(side)])
    at = page_at(seat, fields)
    if at.result is not None and not g.get("problem"):
        try:
            tell(at.result, False)
            return back_to_event(event_id, "competitors")
        except Problem as problem:
            g.problem, g.status = with_name(problem, event_id), status_of(problem)
    if at.result is not None or at.trail.way is None:
        # Every question is answered, and the answers cannot stand; or one that is no answer was sent along with others
        # than those of its page: they are asked again.
        at = walk_page(seat.form, Trail(conceded, other(side)))
    return _ask(seat, at, fields, competitor, action)


def _asks(state: EventState, played: RoundState, match: MatchState, action: str) -> bool:
    """Nothing where a side has said how it ended, which stays unless somebody is disqualified; nor of a match that has
    not begun."""
    return (action != DROP or not match.reports) and bool(waits_for(state, played, match)) \
        and not place_is_free(state, match.match.a)


def _opponent_is_here(state: EventState, does: Leaving) -> bool:
    """Else the match is decided by who left it first, whatever becomes of the other one."""
    return does.opponent in state.entrants and state.entrants[does.opponent].at_the_table


def wish_to_leave_together(event_id: str, competitor: str) -> bool:
    """Whether both of an open match have asked to leave, and neither has left."""
    found = open_match(the_moment(event_id).state, competitor)
    wishing = {wish.competitor for wish in the_hub().hall.wishes.of(event_id) if not wish.refused}
    return found is not None and {found[1].match.a, found[1].match.b} <= wishing


def _ask(seat: Seat, at: WalkPage | None, fields: Fields, competitor: str, action: str) -> AnyResponse:
    leaver: Side = "a" if seat.match.match.a == competitor else "b"
    names = at.names if at is not None else ()
    carried = [*(at.trail.fields() if at is not None else ()),
               *((name, field(name)) for name in ("reason", "by") if field(name) and action != DROP)]
    return page(
        "leave.html", state=seat.state, match=seat.match, names=seat.names, competitor=competitor, action=action, at=at,
        given={name: fields.getlist(f"q.{name}") for name in names if f"q.{name}" in fields}, carried=carried,
        leaver=seat.names[leaver], to=seat.names[other(leaver)], figure_label=figure_label,
        does=what_leaving_does(seat.state, competitor),
        more=at is not None and not is_last(at),
        together=wish_to_leave_together(seat.state.id, competitor),
    )
