"""The judge's business: warnings, proposals, rulings, appeals, extensions, squads at a bye, and what is ticked."""

from __future__ import annotations

from flask import redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import (
    Appeal,
    DecideAppeal,
    DeclineProposal,
    GrantExtension,
    NoteRuling,
    ProposeDisqualification,
    SetCameWith,
    SetPicks,
    TakeBackExtension,
    Tick,
    Warn,
)
from roundtap_core.forms.questions import SQUADS_MAX, squads_read
from roundtap_core.names import fit_name
from roundtap_hub.pages.base import carry_out, confirmed_minutes, field, mended_on, signed_by, tell
from roundtap_hub.pages.competitors import NAME_LETTERS
from roundtap_hub.pages.console import event
from roundtap_hub.pages.results import match_page
from roundtap_hub.policy import (
    BEFORE_ROUND_1,
    HEADS,
    HEADS_AND_DESK,
    IN_OPEN_ROUNDS,
    JUDGES,
    OPEN,
    PLAYING,
    SHOWN_ROUND,
    STAFF,
    route,
)

TEXT_LETTERS = 500


@route("POST /console/<event_id>/competitors/<competitor>/warn", JUDGES, OPEN)
@mended_on(event)
def warn(event_id: str, competitor: str) -> AnyResponse:
    return carry_out(event_id, Warn(competitor, _text("reason"), _by(event_id)), "competitors")


@route("POST /console/<event_id>/competitors/<competitor>/propose", HEADS, OPEN)
@mended_on(event)
def propose(event_id: str, competitor: str) -> AnyResponse:
    return carry_out(event_id, ProposeDisqualification(competitor, _text("reason"), _by(event_id)), "needs")


@route("POST /console/<event_id>/competitors/<competitor>/decline", JUDGES, OPEN)
@mended_on(event)
def decline(event_id: str, competitor: str) -> AnyResponse:
    return carry_out(event_id, DeclineProposal(competitor, _by(event_id)))


@route("POST /console/<event_id>/competitors/<competitor>/tick", STAFF, OPEN, only=BEFORE_ROUND_1)
@mended_on(event)
def tick(event_id: str, competitor: str) -> AnyResponse:
    return carry_out(event_id, Tick(competitor, field("what")[:NAME_LETTERS], field("on") == "1"), "competitors")


@route("POST /console/<event_id>/competitors/<competitor>/came-with", HEADS_AND_DESK, OPEN, only=BEFORE_ROUND_1)
@mended_on(event)
def came_with(event_id: str, competitor: str) -> AnyResponse:
    return carry_out(event_id, SetCameWith(competitor, fit_name(field("came_with")) or None), "competitors")


@route("POST /console/<event_id>/match/<match_id>/ruling", JUDGES, PLAYING, SHOWN_ROUND)
@mended_on(match_page)
def ruling(event_id: str, match_id: str) -> AnyResponse:
    tell(event_id, NoteRuling(match_id, _text("text"), _by(event_id)))
    return back_to_match(event_id, match_id)


@route("POST /console/<event_id>/match/<match_id>/appeal", JUDGES, PLAYING, SHOWN_ROUND)
@mended_on(match_page)
def appeal(event_id: str, match_id: str) -> AnyResponse:
    tell(event_id, Appeal(match_id, field("competitor")))
    return back_to_match(event_id, match_id)


@route("POST /console/<event_id>/match/<match_id>/appeal-decided", HEADS, PLAYING, SHOWN_ROUND)
@mended_on(match_page)
def appeal_decided(event_id: str, match_id: str) -> AnyResponse:
    """The head judge's last word; whether the ruling stands has to be said, it is not guessed."""
    upheld = field("upheld")
    if upheld not in ("0", "1"):
        raise Problem("appeal_how")
    tell(event_id, DecideAppeal(match_id, _text("text"), upheld == "1", _by(event_id)))
    return back_to_match(event_id, match_id)


@route("POST /console/<event_id>/match/<match_id>/extension", JUDGES, PLAYING, SHOWN_ROUND)
@mended_on(match_page)
def extension(event_id: str, match_id: str) -> AnyResponse:
    """More minutes, or the last ones taken back."""
    tell(event_id, TakeBackExtension(match_id, _by(event_id)) if field("back") else
         GrantExtension(match_id, confirmed_minutes("minutes", "sure") or 0, _by(event_id)))
    return back_to_match(event_id, match_id)


@route("POST /console/<event_id>/match/<match_id>/picks", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@mended_on(event)
def picks(event_id: str, match_id: str) -> AnyResponse:
    said = squads_read(request.form.getlist("picks")[:SQUADS_MAX])
    return carry_out(event_id, SetPicks(match_id, tuple(said)), "picks")


def back_to_match(event_id: str, match_id: str) -> AnyResponse:
    return redirect(url_for("console.match_page", event_id=event_id, match_id=match_id, _anchor="judge"), 303)


def _by(event_id: str) -> str:
    return signed_by(event_id, field("by"))


def _text(name: str) -> str:
    return field(name)[:TEXT_LETTERS]
