"""What is announced: the rules of this event, for everybody to read."""

from __future__ import annotations

from flask import Blueprint
from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.pages.base import page, the_moment
from roundtap_hub.views.announced import announced_view


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/rules/<event_id>", "announced", announced)


def announced(event_id: str) -> AnyResponse:
    moment = the_moment(event_id)
    return page("announced.html", feed=f"rules/{event_id}", state=moment.state, view=announced_view(moment))
