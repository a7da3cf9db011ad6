"""Prizes of an event: the list, whom each goes to, and door prizes drawn by lot."""

from __future__ import annotations

import secrets
from dataclasses import replace

from flask import redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import DrawDoorPrize, SetPrizes
from roundtap_core.event.prize import ACTIVE
from roundtap_hub.pages.base import field, mended_on, page, tell, the_moment, whole_number
from roundtap_hub.policy import NOT_ARCHIVED, ORGANIZERS, SEEN, STAFF, route
from roundtap_hub.views.event_at import full_names
from roundtap_hub.views.prizes import draw_lines, pools, prize_lines, read_prizes, typed_prizes, whom
from roundtap_hub.views.wall import sort_key

SEED_BITS = 48


@route("GET /console/<event_id>/prizes", STAFF, SEEN)
def prizes(event_id: str) -> AnyResponse:
    """The list with its winners, and the draws with all that it takes to repeat them."""
    moment = the_moment(event_id)
    state, names = moment.state, full_names(moment)
    last = max((prize.last or 0 for prize in state.prizes), default=0)
    return page("prizes.html", feed=f"console/{event_id}", state=state, typed_list=typed_prizes(state.prizes),
                lines=prize_lines(moment, names), draws=draw_lines(state, names), pools=pools(state), whom=whom,
                played_out=state.options.get("prize_places"), last_place=last,
                people=sorted(((who, name) for who, name in names.items()), key=lambda each: sort_key(each[1])))


@route("POST /console/<event_id>/prizes", ORGANIZERS, NOT_ARCHIVED)
@mended_on(prizes)
def save_prizes(event_id: str) -> AnyResponse:
    """`list`: one prize a line."""
    tell(event_id, SetPrizes(read_prizes(field("list"), the_moment(event_id).state.prizes)))
    return _back(event_id)


@route("POST /console/<event_id>/prizes/winner", ORGANIZERS, NOT_ARCHIVED)
@mended_on(prizes)
def prize_winner(event_id: str) -> AnyResponse:
    """`prize`: its place in the list, `what` as it was read there; `competitor`: who gets it, or nobody yet."""
    known = the_moment(event_id).state.prizes
    index = whole_number("prize")
    if index is None or not 0 <= index < len(known) or known[index].what != field("what"):
        raise Problem("prizes_changed_meanwhile")
    chosen = replace(known[index], competitor=field("competitor") or None)
    tell(event_id, SetPrizes((*known[:index], chosen, *known[index + 1:])))
    return _back(event_id)


@route("POST /console/<event_id>/prizes/draw", ORGANIZERS, NOT_ARCHIVED)
@mended_on(prizes)
def draw_door_prize(event_id: str) -> AnyResponse:
    """`what`, `count`, `among`, `again`; `seen`: how many draws were on the page."""
    tell(event_id, DrawDoorPrize(field("what"), whole_number("count") or 0, secrets.randbits(SEED_BITS),
                                 field("among") or ACTIVE, bool(field("again")), whole_number("seen")))
    return _back(event_id, "draws")


def _back(event_id: str, anchor: str = "list") -> AnyResponse:
    return redirect(url_for("console.prizes", event_id=event_id, _anchor=anchor), 303)
