"""Events that are put away: archived, brought back, deleted with everybody in them forgotten."""

from __future__ import annotations

from flask import g, redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.http_answers import status_of
from roundtap_hub.journal.deciding import refuse_unless_may
from roundtap_hub.journal.service import Step
from roundtap_hub.journal.venue import ARCHIVED, DELETED, RESTORED
from roundtap_hub.pages.base import actor, field, mended_on, page, the_hub, the_moment, the_snapshot
from roundtap_hub.pages.console import events
from roundtap_hub.policy import NOT_IN_PLAY, ORGANIZERS, OVER, SEEN, route
from roundtap_hub.views.event_list import archived


@route("GET /console/archived", ORGANIZERS)
def archived_events(**_: str) -> AnyResponse:
    """What is no longer listed among the events, and how to bring it back."""
    return page("archived.html", feed="console", events=archived(the_snapshot()))


@route("POST /console/<event_id>/archive", ORGANIZERS, NOT_IN_PLAY)
@mended_on(events)
def archive(event_id: str) -> AnyResponse:
    _ask(ARCHIVED, event_id)
    return redirect(url_for("console.events"), 303)


@route("POST /console/<event_id>/restore", ORGANIZERS, SEEN)
@mended_on(archived_events)
def restore(event_id: str) -> AnyResponse:
    _ask(RESTORED, event_id)
    return redirect(url_for("console.events"), 303)


@route("GET /console/<event_id>/delete", ORGANIZERS, OVER)
def delete_what(event_id: str) -> AnyResponse:
    """What deleting it will do; only its name, typed, makes the button do it."""
    state, may = the_moment(event_id).state, True
    try:
        refuse_unless_may(the_snapshot(), NewEntry(DELETED, {"event": event_id}))
    except Problem as problem:
        # Said before somebody types the name, and without a button.
        may = False
        if "problem" not in g:
            g.problem, g.status = problem, status_of(problem)
    return page("delete_event.html", state=state, may_delete=may)


@route("POST /console/<event_id>/delete", ORGANIZERS, OVER)
@mended_on(delete_what)
def delete(event_id: str) -> AnyResponse:
    """People, lists and papers are gone when this answers; the entries stay, and know nobody by name."""
    name = the_moment(event_id).state.name
    if field("name").casefold() != name.strip().casefold():
        raise Invalid("name_not_typed", where="/name", typed=field("name")[:80], name=name)
    entry = NewEntry(DELETED, {"event": event_id})
    refuse_unless_may(the_snapshot(), entry)
    if (paper := the_hub().paper) is not None:
        # First: should the hub die in between, orders are lost, and nobody's name is left on one.
        paper.forget(event_id)
    _ask(DELETED, event_id)
    return redirect(url_for("console.events"), 303)


def _ask(kind: str, event_id: str) -> None:
    the_hub().service.ask([Step(VENUE, NewEntry(kind, {"event": event_id}))], actor())
