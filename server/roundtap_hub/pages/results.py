"""An official's word on a match: a result typed, a report accepted, nobody came, or a result taken back."""

from __future__ import annotations

import secrets

from flask import Blueprint, abort, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import EnterResult, NobodyCame, NoShow, NoShowUndone, NoteLot, SettleStrangers
from roundtap_core.event.state import DRAFT, EventState, MatchState, RoundState
from roundtap_core.forms.answers import answers_on_record
from roundtap_core.limits import PROSE_LETTERS
from roundtap_core.records import CONCESSION, RULING, SIDES, Result
from roundtap_hub.pages.base import (
    actor,
    back_to_event,
    field,
    mended_on,
    now_ms,
    page,
    the_hub,
    the_moment,
    the_snapshot,
    whole_number,
    words,
)
from roundtap_hub.pages.console import event
from roundtap_hub.pages.walking import time_is_up
from roundtap_hub.views.before_play import before_play, situation_at
from roundtap_hub.views.event_at import EventAt, full_names, newest_round
from roundtap_hub.views.judging import judge_view
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.result_form import form_view, has_draws, read_result
from roundtap_hub.views.result_text import figure_label, first_text, option_label, tell, way_label
from roundtap_hub.views.tables import cell, side_names, worth_of

MARKS_A_SIDE = 9


def routes(bp: Blueprint) -> None:
    at = "/<event_id>/match/<match_id>"
    bp.add_url_rule(at, "match", match_page)
    bp.add_url_rule(at, "enter_result", enter_result, methods=["POST"])
    bp.add_url_rule("/<event_id>/accept", "accept", accept, methods=["POST"])
    bp.add_url_rule("/<event_id>/keep", "keep", keep, methods=["POST"])
    bp.add_url_rule("/<event_id>/elsewhere", "settle_strangers", settle_strangers, methods=["POST"])
    bp.add_url_rule(f"{at}/clear", "clear", clear, methods=["POST"])
    bp.add_url_rule(f"{at}/before-play", "before_play_lot", draw_lot, methods=["POST"])
    bp.add_url_rule(f"{at}/no-show", "no_show", no_show, methods=["POST"])
    bp.add_url_rule(f"{at}/nobody-came", "nobody_came", nobody_came, methods=["POST"])
    bp.add_url_rule(f"{at}/here-after-all", "no_show_undone", no_show_undone, methods=["POST"])


def match_page(event_id: str, match_id: str) -> AnyResponse:
    """One match with everything an official may do to it; the console where it is none any more: somebody was noted as
    absent, and the other one is alone."""
    moment = the_moment(event_id)
    state, names = moment.state, full_names(moment)
    found = state.find_match(match_id)
    if found is not None and found[0].status != DRAFT and found[1].match.b is None:
        if g.get("problem") is None:
            return redirect(url_for("console.event", event_id=event_id, _anchor="grid"))
        g.address = url_for("console.event", event_id=event_id)
        return event(event_id)
    played, match = seen_match(state, match_id)
    shown = cell(the_snapshot(), the_hub().presence.units, state, match, names, now_ms())
    situation = situation_at(state, moment.people, played, match)
    form = state.rulebook.form(state.options, situation)
    offered = form.offered(time_is_up(state, played, match))
    stands = match.match.result
    seats = side_names(match, names)
    by = answers_on_record(form.ways, stands, shown.result.winner if shown.result else "") if stands else None
    return page("match.html", feed=f"console/{event_id}", state=state, played=played, match=match, cell=shown,
                judge=judge_view(moment, played, match, shown.call_age_ms),
                played_name=title_key(state, played), offered=offered[0].id if offered else "",
                form=form_view(form, has_draws(state.rulebook, state.options, situation)),
                likely=_likely(stands, by[0].id if by else "", offered[0].id if offered else ""),
                told=tell(state.rulebook, form, state.options, stands, seats, words()) if stands else (),
                worth=worth_of(state, played, match), figure_label=figure_label, way_label=way_label,
                walked_words=_walked_words(form_view(form).walked, state), first_text=first_text,
                first=before_play(state, played, match), seats=seats, option_label=option_label,
                picked=dict(stands.picks or {}) if stands else {})


def _likely(stands: Result | None, way: str, offered: str) -> str:
    """Which way is marked: the one that stands, else what the clock says."""
    if stands is None:
        return offered
    return stands.ended if stands.ended in (CONCESSION, RULING) else way


def _walked_words(ways: tuple[str, ...], state: EventState) -> str:
    return ", ".join(way_label(words(), way, state.rulebook_id) for way in ways)


def seen_match(state: EventState, match_id: str) -> tuple[RoundState, MatchState]:
    """The match and its round, or a 404 page; a draft's matches are not there yet, and a bye has no result."""
    found = state.find_match(match_id)
    if found is None or found[0].status == DRAFT or found[1].match.b is None:
        abort(404)
    return found


@mended_on(match_page)
def enter_result(event_id: str, match_id: str) -> AnyResponse:
    moment = the_moment(event_id)
    state = moment.state
    played, match = seen_match(state, match_id)
    result = typed_result(moment, played, match)
    seen = whole_number("seen")
    entered = EnterResult(match_id, whole_number("revision") or 0, result, seen, official_reason())
    the_hub().service.tell(event_id, entered, actor())
    return back_to_round(event_id, played)


def official_reason() -> str:
    """Why an official enters what players could not say; asked for where the gate wants it."""
    return field("reason")[:PROSE_LETTERS]


def typed_result(moment: EventAt, played: RoundState, match: MatchState) -> Result:
    """The result that the form of this request says. Raises Problem, naming the figure, where it cannot be."""
    state = moment.state
    return read_result(state.rulebook, state.options, _typed(), situation_at(state, moment.people, played, match))


def back_to_round(event_id: str, played: RoundState) -> AnyResponse:
    """The console, with the tab of the match's round: an earlier one stays in sight after its correction."""
    newest = newest_round(the_moment(event_id).state)
    return back_to_event(event_id, number=None if newest is None or newest.number == played.number else played.number)


def _typed() -> dict[str, str | list[str]]:
    """The form as it was sent; squads are ticked boxes of one name."""
    boxes = {f"picks.{side}": request.form.getlist(f"picks.{side}")[:MARKS_A_SIDE] for side in SIDES}
    return {**request.form.to_dict(), **boxes}


@mended_on(event)
def accept(event_id: str) -> AnyResponse:
    """One side's report becomes the result; only the very report the organizer read."""
    match_id, side = field("match"), field("side")
    _, match = seen_match(the_moment(event_id).state, match_id)
    said = match.reports.get("b" if side == "b" else "a")
    if said is None or said.number != whole_number("number"):
        raise Problem("result_changed_meanwhile", table=match.match.table)
    the_hub().service.tell(event_id, EnterResult(match_id, whole_number("revision") or 0, said.result), actor())
    return back_to_event(event_id)


@mended_on(event)
def keep(event_id: str) -> AnyResponse:
    """After a late report, or a second agreement: the result stands as it is. `seen`: the entry that was read."""
    match_id = field("match")
    _, match = seen_match(the_moment(event_id).state, match_id)
    stands = EnterResult(match_id, match.revision, match.match.result, whole_number("seen"))
    the_hub().service.tell(event_id, stands, actor())
    return back_to_event(event_id)


@mended_on(event)
def settle_strangers(event_id: str) -> AnyResponse:
    """The organizer has read which units reported this match from elsewhere, up to the entry `number`."""
    the_hub().service.tell(event_id, SettleStrangers(field("match"), whole_number("number") or 0), actor())
    return back_to_event(event_id)


@mended_on(match_page)
def clear(event_id: str, match_id: str) -> AnyResponse:
    """Take a result back, as if nobody had reported."""
    the_hub().service.tell(event_id, EnterResult(match_id, whole_number("revision") or 0, None), actor())
    return back_to_event(event_id)


@mended_on(match_page)
def draw_lot(event_id: str, match_id: str) -> AnyResponse:
    """A coin before play: who begins, or who of two equal lists chooses. Once drawn it stands."""
    the_hub().service.tell(event_id, NoteLot(match_id, field("about"), secrets.choice(SIDES)), actor())
    return redirect(url_for("console.match", event_id=event_id, match_id=match_id), 303)


@mended_on(match_page)
def no_show(event_id: str, match_id: str) -> AnyResponse:
    the_hub().service.tell(event_id, NoShow(match_id, field("absent")), actor())
    return redirect(url_for("console.absent", event_id=event_id), 303) if field("back") else back_to_event(event_id)


@mended_on(match_page)
def nobody_came(event_id: str, match_id: str) -> AnyResponse:
    the_hub().service.tell(event_id, NobodyCame(match_id), actor())
    return back_to_event(event_id)


@mended_on(event)
def no_show_undone(event_id: str, match_id: str) -> AnyResponse:
    """Whoever was noted as absent sits down after all, at the table of the draw unless another event took it."""
    the_hub().service.tell(event_id, NoShowUndone(match_id), actor())
    return back_to_event(event_id)
