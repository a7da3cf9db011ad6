"""The course of an event: draw, look over, publish, the clock, the end; and the cut between the stages."""

from __future__ import annotations

import re
import secrets

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import (
    AcceptPlace,
    DeclinePlace,
    DiscardDraft,
    DrawRound,
    FinishEvent,
    MakeCut,
    MoveTables,
    PassOver,
    PublishRound,
    ReopenEvent,
    SetClock,
    SetExtraMinutes,
    WithdrawCut,
)
from roundtap_core.standings.tiebreak_round import EACH
from roundtap_hub.pages.base import (
    carry_out,
    field,
    mended_on,
    now_ms,
    signed_by,
    the_moment,
    the_reason,
    the_snapshot,
    the_units,
    whole_number,
)
from roundtap_hub.pages.console import event
from roundtap_hub.pages.new_event import SEED_BITS
from roundtap_hub.policy import HEADS, JUST_FINISHED, OPEN, ORGANIZERS, PLAYING, route
from roundtap_hub.views.round_clock import tables_counted

CLOCK_ACTIONS = ("start", "pause", "adjust", "set", "reset", "continue", "hold")
CLOCK_TEXT = re.compile(r"(\d{1,3})(?::([0-5]\d))?")



@route("POST /console/<event_id>/draw", ORGANIZERS, OPEN)
@mended_on(event)
def draw(event_id: str) -> AnyResponse:
    """Draw, or draw anew. `attempt` is the draft the organizer saw (0: none): a second tap never draws twice."""
    draft = the_moment(event_id).state.draft
    in_hand = draft.draw.attempt if draft and draft.draw else 0
    if in_hand != (whole_number("attempt") or 0):
        raise Problem("draft_changed_meanwhile")
    form = field("tiebreak_form") or (draft.tiebreak_form if draft else None) or EACH
    return carry_out(event_id, DrawRound(secrets.randbits(SEED_BITS), tiebreak_form=form))


@route("POST /console/<event_id>/tables", ORGANIZERS, OPEN)
@mended_on(event)
def move_tables(event_id: str) -> AnyResponse:
    """Another event plays at some of the drawn tables: these matches go to free ones."""
    return carry_out(event_id, MoveTables(whole_number("number") or 0, whole_number("attempt") or 0))


@route("POST /console/<event_id>/discard", ORGANIZERS, OPEN)
@mended_on(event)
def discard(event_id: str) -> AnyResponse:
    return carry_out(event_id, DiscardDraft())


@route("POST /console/<event_id>/publish", ORGANIZERS, OPEN)
@mended_on(event)
def publish(event_id: str) -> AnyResponse:
    return carry_out(event_id, PublishRound(whole_number("number") or 0, whole_number("attempt") or 0))


@route("POST /console/<event_id>/clock", HEADS, PLAYING)
@mended_on(event)
def clock(event_id: str) -> AnyResponse:
    """Start, pause, some minutes more or less, a time typed, or back to before the start. After a power cut: `continue`
    or `hold` at a time typed, or at what the tables counted."""
    action = field("action")
    if action not in CLOCK_ACTIONS:
        raise Invalid("not_one_of", value=action[:20], options=", ".join(CLOCK_ACTIONS))
    delta_ms = 0
    if action == "adjust":
        delta_ms = max(-600, min(600, whole_number("minutes") or 0)) * 60_000
    elif action == "set":
        delta_ms = clock_ms(field("time"))
    elif action in ("continue", "hold"):
        delta_ms = clock_ms(field("time")) if field("time") else _counted_ms(event_id)
    return carry_out(event_id, SetClock(action, delta_ms))


def _counted_ms(event_id: str) -> int:
    """What the tables show at this moment; what the hub last knew where none does any more."""
    state = the_moment(event_id).state
    counted = tables_counted(the_snapshot(), the_units(), state, now_ms())
    return counted.left_ms if counted is not None else state.clock.remaining_ms or 0


def clock_ms(text: str) -> int:
    """ "42" or "42:30" as milliseconds; Problem("clock_text") for anything else."""
    found = CLOCK_TEXT.fullmatch(text)
    if found is None:
        raise Invalid("clock_text", value=text[:20])
    return (int(found[1]) * 60 + int(found[2] or 0)) * 1000


@route("POST /console/<event_id>/extra", HEADS, PLAYING)
@mended_on(event)
def extra_minutes(event_id: str) -> AnyResponse:
    """What chance adds to the round that the organizer was looking at."""
    minutes = whole_number("minutes")
    if minutes is None:
        raise Invalid("figure_missing")
    return carry_out(event_id, SetExtraMinutes(whole_number("number") or 0, minutes))


@route("POST /console/<event_id>/finish", ORGANIZERS, PLAYING)
@mended_on(event)
def finish(event_id: str) -> AnyResponse:
    return carry_out(event_id, FinishEvent(the_reason()))


@route("POST /console/<event_id>/reopen", ORGANIZERS, JUST_FINISHED)
@mended_on(event)
def reopen(event_id: str) -> AnyResponse:
    return carry_out(event_id, ReopenEvent())


@route("POST /console/<event_id>/play-on", ORGANIZERS, OPEN)
@mended_on(event)
def play_on(event_id: str) -> AnyResponse:
    """Publish the drawn round; what is missing and was on the page is noted. Sent without `point`: whatever is."""
    seen = tuple(request.form.getlist("point")) or None
    command = PublishRound(whole_number("number") or 0, whole_number("attempt") or 0, the_reason(),
                           seen, signed_by(event_id))
    return carry_out(event_id, command)


@route("POST /console/<event_id>/cut", ORGANIZERS, PLAYING)
@mended_on(event)
def cut(event_id: str) -> AnyResponse:
    return carry_out(event_id, MakeCut())


@route("POST /console/<event_id>/cut/back", ORGANIZERS, PLAYING)
@mended_on(event)
def cut_back(event_id: str) -> AnyResponse:
    return carry_out(event_id, WithdrawCut())


@route("POST /console/<event_id>/cut/accepted", ORGANIZERS, PLAYING)
@mended_on(event)
def place_accepted(event_id: str) -> AnyResponse:
    return carry_out(event_id, AcceptPlace(field("competitor")))


@route("POST /console/<event_id>/cut/declined", ORGANIZERS, PLAYING)
@mended_on(event)
def place_declined(event_id: str) -> AnyResponse:
    return carry_out(event_id, DeclinePlace(field("competitor")))


@route("POST /console/<event_id>/cut/present", ORGANIZERS, PLAYING)
@mended_on(event)
def present(event_id: str) -> AnyResponse:
    """On with those present: whoever was on the list that was looked at, and has no mark, is passed over."""
    there = set(request.form.getlist("present"))
    absent = tuple(who for who in request.form.getlist("asked") if who not in there)
    return carry_out(event_id, PassOver(absent))
