"""Competitors' lists: a rulebook's form to view, type and correct one, and the state of each."""

from flask import redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.event.commands import CorrectList, SubmitList
from roundtap_hub.http.routes import BEFORE_ROUND_1, HEADS_AND_DESK, OPEN, STAFF, VISIBLE, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.live.list_fields import list_view, typed_list
from roundtap_hub.views.saved_event import full_names


@route("GET /console/<event_id>/competitor/<competitor>/list", STAFF, VISIBLE)
def list_page(event_id: str, competitor: str) -> AnyResponse:
    """The list as saved, or as just typed, with each problem beside its line."""
    event = current.event(event_id)
    entrant = event.state.entrants.get(competitor)
    save_at = url_for("console.save_list", event_id=event_id, competitor=competitor)
    return render.page(
        "list.html",
        entrant=entrant,
        name=full_names(event).get(competitor),
        save_at=save_at,
        fixed=bool(event.state.public_rounds),
        reason=forms.field("reason"),
        state=event.state,
        view=list_view(event, competitor),
    )


@route("POST /console/<event_id>/competitor/<competitor>/list", HEADS_AND_DESK, OPEN, only=BEFORE_ROUND_1)
@forms.shows_problem_on(list_page)
def save_list(event_id: str, competitor: str) -> AnyResponse:
    """Save the list: freely until round 1 is published, then only as a correction with a reason."""
    if forms.field("more"):
        return list_page(event_id, competitor)
    event = current.event(event_id)
    typed = typed_list(event, competitor)
    if typed is not None:
        record, digest, total = typed
        command = (
            CorrectList(competitor, digest, total, forms.typed_reason())
            if event.state.public_rounds
            else SubmitList(competitor, digest, total)
        )
        forms.submit_command(event_id, command, [record])
    return redirect(url_for("console.list_page", event_id=event_id, competitor=competitor), 303)
