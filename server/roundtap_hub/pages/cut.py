"""The cut: making it, asking who may come in for somebody who left, and taking it back."""

from __future__ import annotations

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.event.commands import AcceptPlace, DeclinePlace, MakeCut, PassOver, WithdrawCut
from roundtap_hub.pages.base import back_to_event, field, mended_on, tell
from roundtap_hub.pages.console import event
from roundtap_hub.policy import ORGANIZERS, PLAYING, route


@route("POST /console/<event_id>/cut", ORGANIZERS, PLAYING)
@mended_on(event)
def cut(event_id: str) -> AnyResponse:
    tell(event_id, MakeCut())
    return back_to_event(event_id)


@route("POST /console/<event_id>/cut/back", ORGANIZERS, PLAYING)
@mended_on(event)
def cut_back(event_id: str) -> AnyResponse:
    tell(event_id, WithdrawCut())
    return back_to_event(event_id)


@route("POST /console/<event_id>/cut/accepted", ORGANIZERS, PLAYING)
@mended_on(event)
def place_accepted(event_id: str) -> AnyResponse:
    tell(event_id, AcceptPlace(field("competitor")))
    return back_to_event(event_id)


@route("POST /console/<event_id>/cut/declined", ORGANIZERS, PLAYING)
@mended_on(event)
def place_declined(event_id: str) -> AnyResponse:
    tell(event_id, DeclinePlace(field("competitor")))
    return back_to_event(event_id)


@route("POST /console/<event_id>/cut/present", ORGANIZERS, PLAYING)
@mended_on(event)
def present(event_id: str) -> AnyResponse:
    """On with those present: whoever was on the list that was looked at, and has no mark, is passed over."""
    there = set(request.form.getlist("present"))
    absent = tuple(who for who in request.form.getlist("asked") if who not in there)
    tell(event_id, PassOver(absent))
    return back_to_event(event_id)
