"""A result by an official: a report accepted, nobody came, a result taken back, or entered step by step or as one short
line, one question a page, with what a slip says besides.

Answers of the steps travel in the address, so that going back and loading again are harmless; only lots and the end are
posted.
"""

from __future__ import annotations

import secrets
from typing import Any

from flask import g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import EnterResult, NobodyCame, NoShow, NoShowUndone, NoteLot, SettleStrangers
from roundtap_core.event.match_log import RULING
from roundtap_core.event.state import DRAFT
from roundtap_core.limits import PROSE_LETTERS
from roundtap_core.records import SIDES, Result
from roundtap_core.result_json import result_from_json
from roundtap_core.rulebooks.gate import OFFICIAL
from roundtap_core.rulebooks.result_words import figure_label, tell, way_label, winner_of
from roundtap_hub.pages.base import (
    actor,
    back_to_event,
    carry_out,
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
from roundtap_hub.pages.slip_desk import CODE_LETTERS, enter_slip, slip_beside
from roundtap_hub.pages.walking import (
    END,
    Fields,
    Seat,
    Trail,
    address_at,
    draw_lot,
    page_at,
    read_trail,
    seat_of,
    seen_match,
    shown,
    trail_of,
    walk_page,
    ways_of,
)
from roundtap_hub.policy import IN_OPEN_ROUNDS, JUDGES, PLAYED, PLAYING, SHOWN_ROUND, STAFF, route
from roundtap_hub.views.before_play import before_play
from roundtap_hub.views.event_at import EventAt, full_names, newest_round
from roundtap_hub.views.judging import judge_view, who_said
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.tables import cell, show_result, worth_of
from roundtap_hub.views.typed_result import grammar, read_line


def seat_at(event_id: str, match_id: str) -> Seat:
    moment = the_moment(event_id)
    return seat_of(moment, *seen_match(moment.state, match_id), full_names(moment), OFFICIAL)


@route("GET /console/<event_id>/match/<match_id>", STAFF, PLAYED)
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
    seat = seat_at(event_id, match_id)
    played, match = seat.played, seat.match
    shown = cell(the_snapshot(), the_hub().presence.units, state, match, names, now_ms())
    stands = match.match.result
    return page("match.html", feed=f"console/{event_id}", state=state, played=played, match=match, cell=shown,
                judge=judge_view(moment, played, match, shown.call_age_ms), played_name=title_key(state, played),
                told=tell(state.rulebook, seat.form, state.options, stands, seat.names, words()) if stands else (),
                worth=worth_of(state, played, match), way_label=way_label, first=before_play(state, played, match),
                names=seat.names, earlier=_earlier(moment, seat), **first_step(seat))


def _earlier(moment: EventAt, seat: Seat) -> list[dict[str, object]]:
    """The results that stood before, the newest first, each with who put another one in its place and why, and the
    page that proposes it again."""
    found = [(result_from_json(each["was"]), each.get("by", "").partition(":")[0], each.get("reason", ""))
             for each in reversed(seat.match.corrections)]
    return [{"result": show_result(was, seat.state), "by": who_said(moment, RULING, by), "reason": reason,
             "again": address_of(seat, was)} for was, by, reason in found]


@route("POST /console/<event_id>/accept", JUDGES, PLAYING)
@mended_on(event)
def accept(event_id: str) -> AnyResponse:
    """One side's report becomes the result; only the very report the organizer read."""
    match_id, side = field("match"), field("side")
    _, match = seen_match(the_moment(event_id).state, match_id)
    said = match.reports.get("b" if side == "b" else "a")
    if said is None or said.number != whole_number("number"):
        raise Problem("result_changed_meanwhile", table=match.match.table)
    try:
        the_hub().service.tell(event_id, EnterResult(match_id, whole_number("revision") or 0, said.result), actor())
    except Problem as problem:
        if problem.key != "picks_missing":
            raise
        return redirect(address_of(seat_at(event_id, match_id), said.result), 303)
    return back_to_event(event_id)


@route("POST /console/<event_id>/keep", JUDGES, PLAYING)
@mended_on(event)
def keep(event_id: str) -> AnyResponse:
    """After a late report, or a second agreement: the result stands as it is. `seen`: the entry that was read."""
    match_id = field("match")
    _, match = seen_match(the_moment(event_id).state, match_id)
    stands = EnterResult(match_id, match.revision, match.match.result, whole_number("seen"))
    return carry_out(event_id, stands)


@route("POST /console/<event_id>/elsewhere", JUDGES, PLAYING)
@mended_on(event)
def settle_strangers(event_id: str) -> AnyResponse:
    """The organizer has read which units reported this match from elsewhere, up to the entry `number`."""
    return carry_out(event_id, SettleStrangers(field("match"), whole_number("number") or 0))


@route("POST /console/<event_id>/match/<match_id>/clear", JUDGES, PLAYING, SHOWN_ROUND)
@mended_on(match_page)
def clear(event_id: str, match_id: str) -> AnyResponse:
    """Take a result back, as if nobody had reported."""
    return carry_out(event_id, EnterResult(match_id, whole_number("revision") or 0, None))


@route("POST /console/<event_id>/match/<match_id>/before-play", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@mended_on(match_page)
def before_play_lot(event_id: str, match_id: str) -> AnyResponse:
    """A coin before play: who begins, or who of two equal lists chooses. Once drawn it stands."""
    the_hub().service.tell(event_id, NoteLot(match_id, field("about"), secrets.choice(SIDES)), actor())
    return redirect(url_for("console.match_page", event_id=event_id, match_id=match_id), 303)


@route("POST /console/<event_id>/match/<match_id>/no-show", JUDGES, PLAYING, SHOWN_ROUND)
@mended_on(match_page)
def no_show(event_id: str, match_id: str) -> AnyResponse:
    the_hub().service.tell(event_id, NoShow(match_id, field("absent")), actor())
    return redirect(url_for("console.absent", event_id=event_id), 303) if field("back") else back_to_event(event_id)


@route("POST /console/<event_id>/match/<match_id>/nobody-came", JUDGES, PLAYING, SHOWN_ROUND)
@mended_on(match_page)
def nobody_came(event_id: str, match_id: str) -> AnyResponse:
    return carry_out(event_id, NobodyCame(match_id))


@route("POST /console/<event_id>/match/<match_id>/here-after-all", JUDGES, PLAYING, SHOWN_ROUND)
@mended_on(event)
def no_show_undone(event_id: str, match_id: str) -> AnyResponse:
    """Whoever was noted as absent sits down after all, at the table of the draw unless another event took it."""
    return carry_out(event_id, NoShowUndone(match_id))


@route("GET /console/<event_id>/match/<match_id>/walk", STAFF, PLAYED)
def walk(event_id: str, match_id: str) -> AnyResponse:
    """The next question, or the result that the answers make. `?text=`: a whole result as a short line; `?slip=`: the
    code of the slip that is typed."""
    seat = seat_at(event_id, match_id)
    fields = request.form if request.method == "POST" else request.args
    line = fields.get("text", "").strip()
    if line:
        try:
            return redirect(address_at(_at(seat), [*_typed(seat, line).fields(), *_base(seat, fields)]), 303)
        except Problem as problem:
            g.problem, g.status = problem, 400
    at = page_at(seat, fields, earlier=bool(_code(fields)))
    slip = slip_beside(seat, _code(fields), at.result) if _code(fields) else None
    return page("match_walk.html", slip=slip, line=line, **line_hints(seat),
                **shown(seat, at, fields, _at(seat), _base(seat, fields)))


def line_hints(seat: Seat) -> dict[str, Any]:
    """What to say of the short lines that this match takes just now."""
    asked = grammar(seat.form, bool(seat.saying.time_is_up))
    return {"grammar": asked,
            "figures": ", ".join(figure_label(words(), key, seat.state.rulebook_id) for key in asked["figures"])}


def first_step(seat: Seat) -> dict[str, Any]:
    """For a page that offers the first step itself: the ways, and what goes along."""
    return {"ways": ways_of(seat), "walk_at": _at(seat), "hidden": _base(seat, Fields()), "line": "",
            **line_hints(seat)}


def _typed(seat: Seat, line: str) -> Trail:
    """The answers that a short line gives. Raises Problem where it is no whole result."""
    match = seat.match
    known = (match.match.result, *(report.result for report in match.reports.values()))
    read = read_line(line, match.match, match.id, seat.state.rulebook, seat.state.options, seat.situation,
                     bool(seat.saying.time_is_up), {result.ended for result in known if result is not None})
    return Trail(read.way, read.opener, read.answers)


def address_of(seat: Seat, said: Result) -> str:
    """The page that asks what this result leaves open; nothing else is asked anew."""
    trail = trail_of(seat.form, said, winner_of(seat.state.rulebook, seat.state.options, said))
    return address_at(_at(seat), [*trail.fields(), *_base(seat, Fields())])


def _code(fields: Fields) -> str:
    return fields.get("slip", "")[:CODE_LETTERS]


def _base(seat: Seat, fields: Fields) -> list[tuple[str, str]]:
    """Whoever meets a conflict has now seen what stands; before it, they act on what they saw at the beginning."""
    fresh = g.get("problem") is not None or "revision" not in fields
    return [("revision", str(seat.match.revision) if fresh else fields.get("revision", "")),
            ("seen", str(seat.match.number or 0) if fresh else fields.get("seen", "")),
            *([("slip", _code(fields))] if _code(fields) else [])]


def _at(seat: Seat) -> str:
    return url_for("console.walk", event_id=seat.state.id, match_id=seat.match.id)


@route("POST /console/<event_id>/match/<match_id>/walk", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@mended_on(walk)
def walk_enter(event_id: str, match_id: str) -> AnyResponse:
    """The end of the walk becomes the result."""
    seat = seat_at(event_id, match_id)
    at = walk_page(seat.form, read_trail(seat.form, request.form, seat.match.lots))
    if at.kind != END or at.result is None:
        return redirect(address_at(_at(seat), [*at.trail.fields(), *_base(seat, request.form)]), 303)
    entered = EnterResult(match_id, whole_number("revision") or 0, at.result, whole_number("seen"),
                          field("reason")[:PROSE_LETTERS], earlier=bool(_code(request.form)), cut=field("cut"))
    if entered.earlier:
        return enter_slip(seat, entered)
    the_hub().service.tell(event_id, entered, actor())
    newest = newest_round(the_moment(event_id).state)
    # The tab of the match's round: an earlier one stays in sight after its correction.
    number = None if newest is None or newest.number == seat.played.number else seat.played.number
    return back_to_event(event_id, number=number)


@route("POST /console/<event_id>/match/<match_id>/walk/lot", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@mended_on(walk)
def draw_lots(event_id: str, match_id: str) -> AnyResponse:
    """A coin between the sides, where the form says that a lot decides; it becomes the answer."""
    seat = seat_at(event_id, match_id)
    trail = draw_lot(seat, request.form, actor())
    return redirect(address_at(_at(seat), [*trail.fields(), *_base(seat, request.form)]), 303)
