"""What a player asks for from the phone: a judge, to leave the event, and a list handed in."""

from __future__ import annotations

from flask import abort, redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import CheckIn, SubmitList
from roundtap_core.event.state import PUBLISHED, EventState
from roundtap_hub.pages.base import field, the_hub, the_moment, the_snapshot
from roundtap_hub.pages.lists import list_context, typed_list
from roundtap_hub.pages.my_page import View, me, mended_on_mine, mended_on_my, my, my_page
from roundtap_hub.personal_links import CALLS, LISTS, WISHES
from roundtap_hub.phone_reports import PHONE
from roundtap_hub.policy import PLAYER, route
from roundtap_hub.views.event_at import newest_round, seats

ON, OFF = "1", "0"


def mended_on_my_list(handler: View) -> View:
    """A Problem is told beside what was typed; where lists are not shown any more, on the main page."""
    return mended_on_my(lambda token: my_page(token) if _open_event().public_rounds else list_page(token))(handler)


def _source() -> str:
    return f"{PHONE}{me()[1]}"


def _home(token: str) -> AnyResponse:
    return redirect(url_for("me.my_page", token=token), 303)


@route("POST /me/<token>/call", PLAYER)
@mended_on_mine
def call(token: str) -> AnyResponse:
    """A judge is wanted at this player's table, or not any more as far as this phone is concerned."""
    hub, (event_id, competitor) = the_hub(), me()
    hub.access.links.charge(CALLS, me())
    moment = the_moment(event_id)
    played, match = newest_round(moment.state), seats(moment).get(competitor)
    if played is None or match is None or match.match.b is None or played.status != PUBLISHED or moment.state.finished:
        raise Problem("no_table_to_call_to")
    if field("on") == OFF:
        hub.hall.calls.cancel(event_id, match.id, _source())
    else:
        hub.hall.calls.open(event_id, match.id, _source())
    return _home(token)


@route("POST /me/<token>/here", PLAYER)
@mended_on_mine
def here(token: str) -> AnyResponse:
    """Check-in: this player is there. Once round 1 is drawn that is for the desk, which knows whom they can still
    meet."""
    the_hub().access.links.charge(WISHES, me())
    state = _open_event()
    if state.public_rounds or state.draft:
        raise Problem("check_in_at_desk")
    the_hub().service.tell(state.id, CheckIn(me()[1]), _source())
    return _home(token)


@route("GET /me/<token>/leave", PLAYER)
def leave(token: str) -> AnyResponse:
    """Asks once more."""
    state = _open_event()
    return my("my_leave.html", my=url_for("me.my_page", token=token), state=state, in_play=state.live is not None)


@route("POST /me/<token>/leave", PLAYER)
@mended_on_mine
def wish(token: str) -> AnyResponse:
    """To leave is a wish to the organizer, who may refuse it; it is taken back as easily."""
    hub = the_hub()
    hub.access.links.charge(WISHES, me())
    _open_event()
    if field("on") == OFF:
        hub.hall.wishes.take_back(*me(), _source())
    else:
        hub.hall.wishes.ask(*me(), _source())
    return _home(token)


def _open_event() -> EventState:
    """404 where this player is not in the event, or not any more."""
    state = the_moment(me()[0]).state
    entrant = state.entrants.get(me()[1])
    if state.finished or entrant is None or not entrant.active or state.id in the_snapshot().venue.archived:
        abort(404)
    return state


@route("GET /me/<token>/list", PLAYER)
def list_page(token: str) -> AnyResponse:
    """One's own list, with each problem beside its line. Once round 1 is published nobody looks at lists on a phone."""
    state = _open_event()
    if state.public_rounds:
        abort(404)
    return my("my_list.html", my=url_for("me.my_page", token=token), save_at=url_for("me.save_list", token=token),
              fixed=False, **list_context(the_moment(state.id), me()[1]))


@route("POST /me/<token>/list", PLAYER)
@mended_on_my_list
def save_list(token: str) -> AnyResponse:
    """Before round 1: what can be read is saved, and what is wrong with it stands there by line."""
    if field("more"):
        return list_page(token)
    the_hub().access.links.charge(LISTS, me())
    state = _open_event()
    if state.public_rounds:
        raise Problem("list_is_fixed")
    typed = typed_list(the_moment(state.id), me()[1])
    if typed is not None:
        the_hub().service.tell(state.id, SubmitList(me()[1], *typed.says), _source(), [typed.record])
    return redirect(url_for("me.list_page", token=token), 303)
