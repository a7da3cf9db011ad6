"""The course of an event: draw, look over, publish, the clock, and the end."""

from __future__ import annotations

import re
import secrets

from flask import Blueprint
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import (
    DiscardDraft,
    DrawRound,
    FinishEvent,
    PublishRound,
    ReopenEvent,
    SetClock,
    SetExtraMinutes,
)
from roundtap_core.standings.tiebreak_round import EACH
from roundtap_hub.pages.base import (
    ORGANIZER,
    back_to_event,
    field,
    mended_on,
    the_hub,
    the_moment,
    the_snapshot,
    whole_number,
)
from roundtap_hub.pages.console import event
from roundtap_hub.pages.new_event import SEED_BITS

CLOCK_TEXT = re.compile(r"(\d{1,3})(?::([0-5]\d))?")


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/<event_id>/draw", "draw", draw, methods=["POST"])
    bp.add_url_rule("/<event_id>/discard", "discard", discard, methods=["POST"])
    bp.add_url_rule("/<event_id>/publish", "publish", publish, methods=["POST"])
    bp.add_url_rule("/<event_id>/clock", "clock", clock, methods=["POST"])
    bp.add_url_rule("/<event_id>/extra", "extra_minutes", extra_minutes, methods=["POST"])
    bp.add_url_rule("/<event_id>/finish", "finish", finish, methods=["POST"])
    bp.add_url_rule("/<event_id>/reopen", "reopen", reopen, methods=["POST"])


@mended_on(event)
def draw(event_id: str) -> AnyResponse:
    """Draw, or draw anew. `attempt` is the draft the organizer saw (0: none): a second tap never draws twice."""
    draft = the_moment(event_id).state.draft
    in_hand = draft.draw.attempt if draft and draft.draw else 0
    if in_hand != (whole_number("attempt") or 0):
        raise Problem("draft_changed_meanwhile")
    form = field("tiebreak_form") or (draft.tiebreak_form if draft else None) or EACH
    command = DrawRound(secrets.randbits(SEED_BITS), busy_tables(event_id), form)
    the_hub().service.tell(event_id, command, ORGANIZER)
    return back_to_event(event_id, "draft")


def busy_tables(event_id: str) -> frozenset[int]:
    """Tables at which other events are playing."""
    return frozenset(
        match.match.table
        for state in the_snapshot().events.values() if state.id != event_id and state.live
        for match in state.live.matches if match.match.table is not None
    )


@mended_on(event)
def discard(event_id: str) -> AnyResponse:
    the_hub().service.tell(event_id, DiscardDraft(), ORGANIZER)
    return back_to_event(event_id)


@mended_on(event)
def publish(event_id: str) -> AnyResponse:
    command = PublishRound(whole_number("number") or 0, whole_number("attempt") or 0)
    the_hub().service.tell(event_id, command, ORGANIZER)
    return back_to_event(event_id)


@mended_on(event)
def clock(event_id: str) -> AnyResponse:
    """Start, pause, a few minutes more or less, or a time typed."""
    action = field("action")
    if action not in ("start", "pause", "adjust", "set"):
        raise Problem("not_one_of", value=action[:20], options="start, pause, adjust, set")
    delta_ms = 0
    if action == "adjust":
        delta_ms = max(-600, min(600, whole_number("minutes") or 0)) * 60_000
    elif action == "set":
        delta_ms = clock_ms(field("time"))
    the_hub().service.tell(event_id, SetClock(action, delta_ms), ORGANIZER)
    return back_to_event(event_id)


def clock_ms(text: str) -> int:
    """ "42" or "42:30" as milliseconds; Problem("clock_text") for anything else."""
    found = CLOCK_TEXT.fullmatch(text)
    if found is None:
        raise Problem("clock_text", value=text[:20])
    return (int(found[1]) * 60 + int(found[2] or 0)) * 1000


@mended_on(event)
def extra_minutes(event_id: str) -> AnyResponse:
    """What chance adds to the round that the organizer was looking at."""
    minutes = whole_number("minutes")
    if minutes is None:
        raise Problem("figure_missing")
    the_hub().service.tell(event_id, SetExtraMinutes(whole_number("number") or 0, minutes), ORGANIZER)
    return back_to_event(event_id)


@mended_on(event)
def finish(event_id: str) -> AnyResponse:
    the_hub().service.tell(event_id, FinishEvent(), ORGANIZER)
    return back_to_event(event_id)


@mended_on(event)
def reopen(event_id: str) -> AnyResponse:
    the_hub().service.tell(event_id, ReopenEvent(), ORGANIZER)
    return back_to_event(event_id)
