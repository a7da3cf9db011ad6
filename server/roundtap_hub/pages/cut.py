"""The cut: making it, asking who may come in for somebody who left, and taking it back."""

from __future__ import annotations

from flask import Blueprint, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.event.commands import AcceptPlace, DeclinePlace, MakeCut, PassOver, WithdrawCut
from roundtap_hub.pages.base import back_to_event, field, mended_on, tell
from roundtap_hub.pages.console import event


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/<event_id>/cut", "cut", cut, methods=["POST"])
    bp.add_url_rule("/<event_id>/cut/back", "cut_back", cut_back, methods=["POST"])
    bp.add_url_rule("/<event_id>/cut/accepted", "place_accepted", accept, methods=["POST"])
    bp.add_url_rule("/<event_id>/cut/present", "present", present, methods=["POST"])
    bp.add_url_rule("/<event_id>/cut/declined", "place_declined", decline, methods=["POST"])


@mended_on(event)
def cut(event_id: str) -> AnyResponse:
    tell(event_id, MakeCut())
    return back_to_event(event_id)


@mended_on(event)
def cut_back(event_id: str) -> AnyResponse:
    tell(event_id, WithdrawCut())
    return back_to_event(event_id)


@mended_on(event)
def accept(event_id: str) -> AnyResponse:
    tell(event_id, AcceptPlace(field("competitor")))
    return back_to_event(event_id)


@mended_on(event)
def decline(event_id: str) -> AnyResponse:
    tell(event_id, DeclinePlace(field("competitor")))
    return back_to_event(event_id)


@mended_on(event)
def present(event_id: str) -> AnyResponse:
    """On with those present: whoever was on the list that was looked at, and has no mark, is passed over."""
    there = set(request.form.getlist("present"))
    absent = tuple(who for who in request.form.getlist("asked") if who not in there)
    tell(event_id, PassOver(absent))
    return back_to_event(event_id)
