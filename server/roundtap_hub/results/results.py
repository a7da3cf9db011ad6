"""A result by an official: a report accepted, nobody came, a result taken back, or entered step by step or as one short
line, with what a slip says besides; or by hand at the desk, one table after the other.

Answers of the steps travel in the address, so that going back and loading again are harmless; only lots and the end are
posted.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import Any

from flask import g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import EnterResult, NobodyCame, NoShow, NoShowUndone, NoteLot, SettleStrangers
from roundtap_core.event.match_log import RULING
from roundtap_core.event.state import DRAFT, EventState, MatchState, RoundState
from roundtap_core.records import SIDES, Result
from roundtap_core.result_json import result_from_json
from roundtap_core.rulebooks.gate import OFFICIAL
from roundtap_core.rulebooks.result_words import figure_label, way_label
from roundtap_core.rulebooks.result_words import tell as told
from roundtap_hub.access.policy import IN_OPEN_ROUNDS, JUDGES, PLAYED, PLAYING, SEEN, SHOWN_ROUND, STAFF, route
from roundtap_hub.events.console import event, shown_round
from roundtap_hub.events.event_at import EventAt, full_names, newest_round
from roundtap_hub.judging.judging_view import judge_view, who_said
from roundtap_hub.paper.slip_desk import CODE_LETTERS, enter_slip, slip_beside
from roundtap_hub.results.before_play import before_play
from roundtap_hub.results.result_wizard import (
    END,
    Fields,
    Seat,
    Trail,
    address_at,
    asking_the_reason,
    draw_lot,
    page_at,
    read_trail,
    seat_of,
    seen_match,
    shown,
    told_of,
    trail_of,
    walk_page,
    ways_of,
)
from roundtap_hub.results.typed_result import Reading, grammar, read_line
from roundtap_hub.rounds.knockout import title_key
from roundtap_hub.rounds.tables import Cell, cell, show_result, worth_of
from roundtap_hub.serving.page_helpers import (
    actor,
    back_to_event,
    carry_out,
    field,
    mended_on,
    now_ms,
    page,
    tell,
    the_moment,
    the_reason,
    the_snapshot,
    the_units,
    whole_number,
    words,
)


def seat_at(event_id: str, match_id: str) -> Seat:
    moment = the_moment(event_id)
    return seat_of(moment, *seen_match(moment.state, match_id), full_names(moment), OFFICIAL)


@route("GET /console/<event_id>/match/<match_id>", STAFF, PLAYED)
def match_page(event_id: str, match_id: str) -> AnyResponse:
    """One match with everything an official may do to it; the console where it is none any more: somebody was noted as
    absent, and the other one is alone."""
    moment = the_moment(event_id)
    state = moment.state
    found = state.find_match(match_id)
    if found is not None and found[0].status != DRAFT and found[1].match.b is None:
        if g.get("problem") is None:
            return redirect(url_for("console.event", event_id=event_id, _anchor="grid"))
        g.address = url_for("console.event", event_id=event_id)
        return event(event_id)
    seat = seat_at(event_id, match_id)
    played, match = seat.played, seat.match
    here, stands = _cell(moment, match), match.match.result
    return page("match.html", feed=f"console/{event_id}", state=state, played=played, match=match, cell=here,
                judge=judge_view(moment, played, match, here.call_age_ms), played_name=title_key(state, played),
                told=told(state.rulebook, seat.form, state.options, stands, seat.names, words()) if stands else (),
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
        tell(event_id, EnterResult(match_id, whole_number("revision") or 0, said.result))
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
    tell(event_id, NoteLot(match_id, field("about"), secrets.choice(SIDES)))
    return redirect(url_for("console.match_page", event_id=event_id, match_id=match_id), 303)


@route("POST /console/<event_id>/match/<match_id>/no-show", JUDGES, PLAYING, SHOWN_ROUND)
@mended_on(match_page)
def no_show(event_id: str, match_id: str) -> AnyResponse:
    tell(event_id, NoShow(match_id, field("absent")))
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
    return page("match_wizard.html", slip=slip, line=line, **line_hints(seat),
                **shown(seat, at, fields, _at(seat), _base(seat, fields)))


def line_hints(seat: Seat) -> dict[str, Any]:
    """What to say of the short lines that this match takes just now."""
    book = seat.state.rulebook
    asked = grammar(book.form(seat.state.options, seat.situation), bool(seat.saying.time_is_up))
    return {"grammar": asked, "figures": ", ".join(figure_label(words(), key, book.id) for key in asked["figures"])}


def first_step(seat: Seat) -> dict[str, Any]:
    """For a page that offers the first step itself: the ways, and what goes along."""
    return {"ways": ways_of(seat), "walk_at": _at(seat), "hidden": _base(seat, Fields()), "line": "",
            **line_hints(seat)}


def _typed(seat: Seat, line: str) -> Trail:
    """The answers that a short line gives. Raises Problem where it is no whole result."""
    known = (seat.match.match.result, *(report.result for report in seat.match.reports.values()))
    found = _read(seat, line, {result.ended for result in known if result is not None})
    return Trail(found.way, found.opener, found.answers)


def _read(seat: Seat, line: str, said: Collection[str] = ()) -> Reading:
    """`said`: how it ended, as somebody has said already."""
    return read_line(line, seat.match.match, seat.match.id, seat.state.rulebook, seat.state.options, seat.situation,
                     bool(seat.saying.time_is_up), said)


def address_of(seat: Seat, said: Result) -> str:
    """The page that asks what this result leaves open; nothing else is asked anew."""
    return address_at(_at(seat), [*trail_of(seat, said).fields(), *_base(seat, Fields())])


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
                          the_reason(), earlier=bool(_code(request.form)), cut=field("cut"))
    if entered.earlier:
        return enter_slip(seat, entered)
    tell(event_id, entered)
    return back_to_event(event_id, number=_tab(seat))


def _tab(seat: Seat) -> int | None:
    """The tab of the match's round, where that is not the newest one: it stays in sight after its correction."""
    return None if seat.played is newest_round(seat.state) else seat.played.number


@route("POST /console/<event_id>/match/<match_id>/walk/lot", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@mended_on(walk)
def draw_lots(event_id: str, match_id: str) -> AnyResponse:
    """A coin between the sides, where the form says that a lot decides; it becomes the answer."""
    seat = seat_at(event_id, match_id)
    trail = draw_lot(seat, request.form, actor())
    return redirect(address_at(_at(seat), [*trail.fields(), *_base(seat, request.form)]), 303)


@route("GET /console/<event_id>/entry", STAFF, SEEN)
def entry(event_id: str, **_: str) -> AnyResponse:
    """The table that is asked for, with what the typed line means; without one, the field for its number.

    `table`, `round` (the newest where it is left out), `text`: the line; `done`: the table that was entered last.
    """
    moment = the_moment(event_id)
    state, played = moment.state, shown_round(moment.state)
    number = (request.values.get("table") or "").strip()[:6]
    line = (request.values.get("text") or "").strip()
    match = _at_table(played, number)
    done = _at_table(played, (request.args.get("done") or "").strip()[:6])
    context = _table(seat_at(event_id, match.id), line) if match is not None else {}
    return page(
        "entry.html", feed=f"console/{event_id}", state=state, played=played,
        played_name=title_key(state, played) if played is not None else None, asked=number, line=line,
        newest=newest_round(state), match=match, elsewhere=None if match is not None else _elsewhere(state, number),
        tables=sorted(m.match.table for m in _matches(played) if m.match.table is not None),
        done=_cell(moment, done) if done is not None else None, next_open=_next_open(played, done or match),
        **context)


def _table(seat: Seat, line: str) -> dict[str, Any]:
    reading, unclear = None, None
    try:
        reading = _read(seat, line) if line else None
    except Problem as problem:
        unclear = problem.named(seat.names).say(words())
    if reading:
        asking_the_reason(seat, reading.result)
    return {
        "cell": _cell(the_moment(seat.state.id), seat.match), "reading": reading, "unclear": unclear,
        "names": seat.names, "shown": show_result(reading.result, seat.state) if reading else None,
        "told": told_of(seat, reading.result) if reading else (), **line_hints(seat),
    }


def _cell(moment: EventAt, match: MatchState) -> Cell:
    return cell(the_snapshot(), the_units(), moment.state, match, full_names(moment), now_ms())


def _matches(played: RoundState | None) -> list[MatchState]:
    return [match for match in played.matches if match.match.b is not None] if played is not None else []


def _at_table(played: RoundState | None, number: str) -> MatchState | None:
    """The match at a table; the one that is still open, where several are played there one after the other."""
    found = [match for match in _matches(played) if str(match.match.table) == number]
    return next((match for match in found if not match.done), found[-1] if found else None)


def _elsewhere(state: EventState, number: str) -> EventState | None:
    """The other event whose table it is."""
    return next((other for other in the_snapshot().events.values()
                 if other.id != state.id and _at_table(other.live, number) is not None), None)


def _next_open(played: RoundState | None, after: MatchState | None) -> int | None:
    """The next table that misses its result: the first one behind this, or the first of all."""
    still = sorted(match.match.table for match in _matches(played) if match.match.table is not None and not match.done
                   and (after is None or match.id != after.id))
    at = after.match.table if after is not None and after.match.table is not None else 0
    return next((table for table in still if table > at), still[0] if still else None)


@route("POST /console/<event_id>/match/<match_id>/entry", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@mended_on(entry)
def save_entry(event_id: str, match_id: str) -> AnyResponse:
    """The line that was on the screen becomes the result: `mark` names what it meant there, `revision` and `seen` what
    stood at the table."""
    seat = seat_at(event_id, match_id)
    reading, table = _read(seat, field("text")), seat.match.match.table
    if reading.mark != field("mark"):
        raise Problem("line_not_shown", table=table)
    tell(event_id, EnterResult(match_id, whole_number("revision") or 0, reading.result, whole_number("seen"),
                              the_reason(), cut=field("cut")))
    return redirect(url_for("console.entry", event_id=event_id, round=_tab(seat), done=table), 303)
