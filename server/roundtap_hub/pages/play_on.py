"""Round 1 although something is missing: published and noted in one go, with who said so and why."""

from __future__ import annotations

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.event.commands import PublishRound
from roundtap_hub.pages.base import back_to_event, field, mended_on, signed_by, tell, whole_number
from roundtap_hub.pages.console import event
from roundtap_hub.policy import OPEN, ORGANIZERS, route

REASON_LETTERS = 500


@route("POST /console/<event_id>/play-on", ORGANIZERS, OPEN)
@mended_on(event)
def play_on(event_id: str) -> AnyResponse:
    """Publish the drawn round; what is missing and was on the page is noted. Sent without `point`: whatever is."""
    seen = tuple(request.form.getlist("point")) or None
    command = PublishRound(whole_number("number") or 0, whole_number("attempt") or 0, field("reason")[:REASON_LETTERS],
                           seen, signed_by(event_id, field("by")))
    tell(event_id, command)
    return back_to_event(event_id)
