"""A round imposed from outside: by a form that an organizer fills in, by a file in hand, by a rehearsal."""

from __future__ import annotations

import json
from dataclasses import replace

from flask import g, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import ImposeRound
from roundtap_core.event.rounds.decide_imposed import imposed_mend
from roundtap_core.records import SWISS
from roundtap_hub.journal.hall import in_the_hall
from roundtap_hub.pages.base import (
    actor,
    back_to_event,
    field,
    mended_on,
    page,
    signed_by,
    tell,
    the_hub,
    the_moment,
    the_snapshot,
)
from roundtap_hub.pages.console import event
from roundtap_hub.policy import OPEN, ORGANIZERS, SEEN, route
from roundtap_hub.views.by_hand import Row, by_hand_view, matches_of, stage_by_hand
from roundtap_hub.views.event_at import EventAt, full_names
from roundtap_hub.views.mending import Said, shown
from roundtap_hub.views.officials import signers

MOST_ROWS = 600
REASON_LETTERS = 500


@route("GET /console/<event_id>/pair", ORGANIZERS, SEEN)
def pair_page(event_id: str, **_: str) -> AnyResponse:
    """Tables to be filled in, from the draw in hand or empty; after a Problem as they were typed."""
    moment = the_moment(event_id)
    rows, from_draw = _typed(), request.args.get("from") != "empty"
    problem: Problem | None = g.get("problem")
    warnings: tuple[Said, ...] = ()
    plan = ""
    if problem is not None and problem.key in ("mend_warned", "mend_changed_meanwhile"):
        step = shown(imposed_mend(moment.state, _command(moment)), full_names(moment))
        warnings, plan = step.warnings, step.mark
    return page("pair.html", state=moment.state, view=by_hand_view(moment, rows, from_draw), warnings=warnings,
                plan=plan, signers=signers(moment), said=lambda name: field(name))


@route("POST /console/<event_id>/pair", ORGANIZERS, OPEN)
@mended_on(pair_page)
def paired(event_id: str) -> AnyResponse:
    """The round as it was typed becomes a draft, by hand and with the reason; what there is to be warned of comes back
    to be read first."""
    moment = the_moment(event_id)
    command = replace(_command(moment), reason=field("reason")[:REASON_LETTERS], by=signed_by(event_id, field("by")),
                      plan=field("plan"))
    if not command.reason:
        raise Invalid("reason_missing")
    the_hub().service.tell(event_id, command, actor())
    return back_to_event(event_id, "draft")


def _command(moment: EventAt) -> ImposeRound:
    """The round that the fields say, as it would be in this hall."""
    command = ImposeRound(matches_of(moment, _typed()), stage_by_hand(moment.state))
    snapshot = the_snapshot()
    made = in_the_hall(snapshot.events, snapshot.venue, moment.state, command, actor())
    assert isinstance(made, ImposeRound)
    return made


def _typed() -> list[Row]:
    """All rows of the form that was sent, empty ones too: what is typed into the third stays in the third."""
    if request.method != "POST":
        return []
    columns = [request.form.getlist(name)[:MOST_ROWS] for name in ("table", "a", "b")]
    return [Row(*(text.strip() for text in row)) for row in zip(*columns, strict=False)]


@route("POST /console/<event_id>/impose", ORGANIZERS, OPEN)
@mended_on(event)
def impose(event_id: str) -> AnyResponse:
    """`matches`: a JSON list of the event file's matches, without results; `stage`, `tiebreak_form` as there (Swiss if
    nothing is said). It becomes a draft, to be published."""
    try:
        matches = json.loads(field("matches"))
    except ValueError:
        matches = None
    if not isinstance(matches, list) or not all(isinstance(match, dict) and _fits(match) for match in matches):
        raise Problem("wrong_type", where="/matches", expected="array")
    tell(event_id, ImposeRound(tuple(matches), field("stage") or SWISS, field("tiebreak_form") or None))
    return back_to_event(event_id)


def _fits(match: dict[str, object]) -> bool:
    table = match.get("table")
    return (isinstance(match.get("a"), str) and isinstance(match.get("b"), str | None)
            and isinstance(match.get("bye"), str | None) and isinstance(match.get("game"), str | int | None)
            and (match.get("picks") is None or _numbers(match["picks"]))
            and (table is None or (isinstance(table, int) and not isinstance(table, bool) and 1 <= table <= 9999)))


def _numbers(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(n, int) and not isinstance(n, bool) for n in value)
