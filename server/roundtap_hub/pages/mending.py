"""A round mended by hand, or with the smallest change: chosen, looked at, and only then done."""

from __future__ import annotations

from flask import g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import (
    GiveBye,
    MoveToTable,
    PairAgain,
    PairWaiting,
    SwapSeats,
    UnpublishRound,
)
from roundtap_core.event.mending.decide import MendCommand, mend_of
from roundtap_core.event.mending.mend import AGAIN, BYE_GIVEN, PAIR, SWAP, TABLE, UNPUBLISH, WITHDRAW, Mend
from roundtap_core.limits import NUMBER
from roundtap_core.numbers import typed_number
from roundtap_hub.http_answers import status_of
from roundtap_hub.journal.deciding import in_the_hall
from roundtap_hub.pages.base import (
    actor,
    back_to_event,
    field,
    mended_on,
    page,
    signed_by,
    the_hub,
    the_moment,
    the_snapshot,
    with_name,
)
from roundtap_hub.policy import HEADS, OPEN, SEEN, route
from roundtap_hub.views.event_at import EventAt, full_names
from roundtap_hub.views.judging import signers
from roundtap_hub.views.mending import mend_view, warnings_of

STEPS = (SWAP, TABLE, PAIR, BYE_GIVEN, AGAIN, UNPUBLISH, WITHDRAW)
REASON_LETTERS = 500


@route("GET /console/<event_id>/mend", HEADS, SEEN)
def mend_page(event_id: str, **_: str) -> AnyResponse:
    """The round that may be mended. `do` and what was chosen for it show what would change; nothing is done by that."""
    moment = the_moment(event_id)
    names = full_names(moment)
    step = None
    if said("do"):
        try:
            step = _step(moment)
        except Problem as problem:
            # Of a form that was sent the page says already what is wrong with it.
            if request.method == "GET":
                g.problem, g.status = with_name(problem, event_id), status_of(problem)
    return page("mending.html", state=moment.state, view=mend_view(moment, names), step=step, said=said,
                warnings=warnings_of(step, names) if step else (), signers=signers(moment),
                done=request.args.get("done", ""))


def _step(moment: EventAt) -> Mend:
    snapshot = the_snapshot()
    command = in_the_hall(snapshot.events, snapshot.venue, moment.state, the_command(moment), actor())
    return mend_of(moment.state, command)  # type: ignore[arg-type]


@route("POST /console/<event_id>/mend", HEADS, OPEN)
@mended_on(mend_page)
def mended(event_id: str) -> AnyResponse:
    """What was looked at is done, as it was shown; `plan` names it."""
    command = the_command(the_moment(event_id), field("reason")[:REASON_LETTERS], signed_by(event_id, field("by")),
                          field("plan"))
    the_hub().service.tell(event_id, command, actor())
    if isinstance(command, UnpublishRound):
        return back_to_event(event_id)
    return redirect(url_for("console.mend_page", event_id=event_id, done=said("do"), _anchor="done"), 303)


def the_command(moment: EventAt, reason: str = "", by: str = "", plan: str = "") -> MendCommand:
    """What the fields say; Problem("not_one_of", "mend_two", "table_number") where they say nothing of the kind."""
    do, number = said("do"), _number("number") or _newest(moment)
    two = tuple(who for who in (said("first"), said("second")) if who)
    if do == SWAP:
        return SwapSeats(number, two, reason, by, plan)
    if do == TABLE:
        table = _number("table")
        if table is None:
            raise Invalid("table_number", value="", maximum=NUMBER[1])
        return MoveToTable(number, said("match"), table, reason, by, plan)
    if do == PAIR:
        return PairWaiting(number, two, reason, _number("table"), by, plan)
    if do == BYE_GIVEN:
        return GiveBye(number, said("first"), reason, by, plan)
    if do == AGAIN:
        return PairAgain(number, reason, by, plan)
    if do in (UNPUBLISH, WITHDRAW):
        return UnpublishRound(number, reason, do == WITHDRAW, by, plan)
    raise Invalid("not_one_of", value=do[:20], options=", ".join(STEPS))


def said(name: str) -> str:
    """A field, of the address or of the form that was sent."""
    return (request.form if request.method == "POST" else request.args).get(name, "").strip()


def _number(name: str) -> int | None:
    text = said(name)
    if not text:
        return None
    if not text.isdecimal():
        raise Invalid("table_number", value=text[:20], maximum=NUMBER[1])
    return typed_number(text)


def _newest(moment: EventAt) -> int:
    played = moment.state.draft or moment.state.live
    return played.number if played is not None else 0
