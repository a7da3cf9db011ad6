"""Results by officials: accepting reports, no-shows, taking back, and entry by wizard, slip or table after table.

The wizard's answers are in the address, so that going back and reloading are harmless; only lots and the end are POSTs.
"""

import secrets
from collections.abc import Collection
from typing import Any

from flask import g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import DoubleNoShow, EnterResult, NoShow, NoteLot, SettleOutsideReports, UndoNoShow
from roundtap_core.event.states import DRAFT, RULING, EventState, MatchState, RoundState
from roundtap_core.records import SIDES, Result, result_from_json
from roundtap_core.rulebooks.result_gate import OFFICIAL
from roundtap_core.rulebooks.result_words import figure_label, way_label
from roundtap_hub.access.slip_codes import slip_codes
from roundtap_hub.http.routes import IN_OPEN_ROUNDS, JUDGES, PLAYED, PLAYING, SHOWN_ROUND, STAFF, VISIBLE, route
from roundtap_hub.live import current, forms, render, result_wizard
from roundtap_hub.results.slip_desk import CODE_LETTERS, enter_slip, slip_context
from roundtap_hub.results.typed_result import LineReading, line_grammar, read_line
from roundtap_hub.views.judging_view import author_of, judge_view
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.saved_event import SavedEvent, full_names, newest_round
from roundtap_hub.views.tables import GridCell, grid_cell, lot_to_draw, pre_game_choice, result_worth, shown_result


def match_context_at(event_id: str, match_id: str) -> result_wizard.MatchContext:
    moment = current.event(event_id)
    return result_wizard.match_context(
        moment, *result_wizard.public_match(moment.state, match_id), full_names(moment), OFFICIAL
    )


@route("GET /console/<event_id>/match/<match_id>", STAFF, PLAYED)
def match_page(event_id: str, match_id: str) -> AnyResponse:
    """One match with all that an official may do to it; the console where a no-show has left one player alone."""
    moment = current.event(event_id)
    state = moment.state
    found = state.find_match(match_id)
    if found is not None and found[0].status != DRAFT and found[1].match.b is None:
        if g.get("problem") is None:
            return redirect(url_for("console.event_page", event_id=event_id, _anchor="grid"))
        g.address = url_for("console.event_page", event_id=event_id)
        return forms.view_of(forms.EVENT_PAGE)(event_id=event_id)
    seat = match_context_at(event_id, match_id)
    played, match = seat.played, seat.match
    cell, stands = _cell(moment, match), match.match.result
    waited_ms = current.now_ms() - cell.call_since_ms if cell.call_since_ms is not None else None
    return render.page(
        "match.html",
        feed=f"console/{event_id}",
        state=state,
        played=played,
        match=match,
        cell=cell,
        judge=judge_view(moment, played, match, waited_ms),
        played_name=title_key(state, played, match),
        told=result_wizard.result_lines(seat, stands) if stands else (),
        worth=result_worth(state, played, match),
        way_label=way_label,
        first=pre_game_choice(state, played, match),
        lot=lot_to_draw(state, played, match),
        names=seat.names,
        earlier=_earlier(moment, seat),
        **first_step_context(seat),
    )


def _earlier(moment: SavedEvent, seat: result_wizard.MatchContext) -> list[dict[str, object]]:
    """Replaced results, newest first, each with who replaced it, why, and the address that proposes it again."""
    found = [
        (result_from_json(each["was"]), each.get("by", "").partition(":")[0], each.get("reason", ""))
        for each in reversed(seat.match.corrections)
    ]
    return [
        {
            "result": shown_result(was, seat.state),
            "by": author_of(moment, RULING, by),
            "reason": reason,
            "again": wizard_address(seat, was),
        }
        for was, by, reason in found
    ]


@route("POST /console/<event_id>/accept", JUDGES, PLAYING)
@forms.shows_problem_on(forms.EVENT_PAGE)
def accept_report(event_id: str) -> AnyResponse:
    """Make one side's report the result, if it is still the report that the organizer read."""
    match_id, side = forms.field("match"), forms.field("side")
    _, match = result_wizard.public_match(current.event(event_id).state, match_id)
    report = match.reports.get("b" if side == "b" else "a")
    if report is None or report.number != forms.form_number("number"):
        raise Problem("result_changed_meanwhile", table=match.match.table)
    try:
        forms.submit_command(event_id, EnterResult(match_id, forms.form_number("revision") or 0, report.result))
    except Problem as problem:
        if problem.key != "picks_missing":
            raise
        return redirect(wizard_address(match_context_at(event_id, match_id), report.result), 303)
    return forms.back_to_event(event_id)


@route("POST /console/<event_id>/keep", JUDGES, PLAYING)
@forms.shows_problem_on(forms.EVENT_PAGE)
def keep_result(event_id: str) -> None:
    """Keep the result after a late report or a second agreement. `seen`: the entry that was read."""
    match_id = forms.field("match")
    _, match = result_wizard.public_match(current.event(event_id).state, match_id)
    stands = EnterResult(match_id, match.revision, match.match.result, forms.form_number("seen"))
    forms.submit_command(event_id, stands)


@route("POST /console/<event_id>/elsewhere", JUDGES, PLAYING)
@forms.shows_problem_on(forms.EVENT_PAGE)
def settle_outside_reports(event_id: str) -> None:
    """Settle reports of this match from units elsewhere, up to the entry `number`."""
    forms.submit_command(event_id, SettleOutsideReports(forms.field("match"), forms.form_number("number") or 0))


@route("POST /console/<event_id>/match/<match_id>/clear", JUDGES, PLAYING, SHOWN_ROUND)
@forms.shows_problem_on(match_page)
def take_back_result(event_id: str, match_id: str) -> AnyResponse:
    """Take a result back, as if there had been no report."""
    forms.submit_command(event_id, EnterResult(match_id, forms.form_number("revision") or 0, None))
    return forms.back_to_event(event_id)


@route("POST /console/<event_id>/match/<match_id>/before-play", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@forms.shows_problem_on(match_page)
def record_lot_before_play(event_id: str, match_id: str) -> None:
    """Draw the lot before play (who begins, or who of two equal lists chooses); the first draw stands."""
    forms.submit_command(event_id, NoteLot(match_id, forms.field("about"), secrets.choice(SIDES)))


@route("POST /console/<event_id>/match/<match_id>/no-show", JUDGES, PLAYING, SHOWN_ROUND)
@forms.shows_problem_on(match_page)
def record_no_show(event_id: str, match_id: str) -> AnyResponse:
    forms.submit_command(event_id, NoShow(match_id, forms.field("absent")))
    return (
        redirect(url_for("console.absentees_page", event_id=event_id), 303)
        if forms.field("back")
        else forms.back_to_event(event_id)
    )


@route("POST /console/<event_id>/match/<match_id>/nobody-came", JUDGES, PLAYING, SHOWN_ROUND)
@forms.shows_problem_on(match_page)
def record_nobody_came(event_id: str, match_id: str) -> AnyResponse:
    forms.submit_command(event_id, DoubleNoShow(match_id))
    return forms.back_to_event(event_id)


@route("POST /console/<event_id>/match/<match_id>/here-after-all", JUDGES, PLAYING, SHOWN_ROUND)
@forms.shows_problem_on(forms.EVENT_PAGE)
def undo_no_show(event_id: str, match_id: str) -> None:
    """Undo a no-show: the player sits down after all, at the drawn table unless another event took it."""
    forms.submit_command(event_id, UndoNoShow(match_id))


@route("GET /console/<event_id>/match/<match_id>/walk", STAFF, PLAYED)
def result_wizard_page(event_id: str, match_id: str) -> AnyResponse:
    """The wizard's next page. `?text=`: a whole result as a short line; `?slip=`: the code of the slip being typed."""
    seat = match_context_at(event_id, match_id)
    fields = request.form if request.method == "POST" else request.args
    line = fields.get("text", "").strip()
    try:
        if "problem" not in g:
            _refuse_other_slip(seat, fields)
        if line:
            return redirect(
                result_wizard.address_at(_at(seat), [*_typed(seat, line).fields(), *_baseline_fields(seat, fields)]),
                303,
            )
    except Problem as problem:
        g.problem, g.status = problem, 400
    at = result_wizard.wizard_page_at(seat, fields)
    code = _code(seat, fields)
    slip = slip_context(seat, code, at.result) if code else None
    return render.page(
        "match_wizard.html",
        slip=slip,
        line=line,
        **line_hints(seat),
        **result_wizard.step_context(seat, at, fields, _at(seat), _baseline_fields(seat, fields)),
    )


def line_hints(seat: result_wizard.MatchContext) -> dict[str, Any]:
    """Hints on the short lines that this match accepts now."""
    book = seat.state.rulebook
    grammar = line_grammar(book.form(seat.state.options, seat.situation), bool(seat.saying.time_is_up))
    return {
        "grammar": grammar,
        "figures": ", ".join(figure_label(current.words(), key, book.id) for key in grammar["figures"]),
    }


def first_step_context(seat: result_wizard.MatchContext) -> dict[str, Any]:
    """The context of a page that offers the wizard's first step itself."""
    return {
        "ways": result_wizard.ways_of(seat),
        "walk_at": _at(seat),
        "hidden": _baseline_fields(seat, result_wizard.Fields()),
        "line": "",
        **line_hints(seat),
    }


def _typed(seat: result_wizard.MatchContext, line: str) -> result_wizard.WizardProgress:
    """The answers that a short line gives. Raises Problem where it is not a whole result."""
    known = (seat.match.match.result, *(report.result for report in seat.match.reports.values()))
    found = _read(seat, line, {result.ended for result in known if result is not None})
    return result_wizard.WizardProgress(found.way, found.opener, found.answers)


def _read(seat: result_wizard.MatchContext, line: str, said: Collection[str] = ()) -> LineReading:
    """`said`: ways of ending that are already recorded or reported."""
    return read_line(
        line,
        seat.match.match,
        seat.match.id,
        seat.state.rulebook,
        seat.state.options,
        seat.situation,
        bool(seat.saying.time_is_up),
        said,
    )


def wizard_address(seat: result_wizard.MatchContext, result: Result) -> str:
    """The address of the page that asks only what this result leaves open."""
    return result_wizard.address_at(
        _at(seat), [*result_wizard.progress_of(seat, result).fields(), *_baseline_fields(seat, result_wizard.Fields())]
    )


def _code(seat: result_wizard.MatchContext, fields: result_wizard.Fields) -> str:
    """The code of this match's slip, if it is the one that is typed."""
    code = slip_codes(seat.state, seat.played)[seat.match.id] if "slip" in fields else ""
    return code if code == fields.get("slip") else ""


def _refuse_other_slip(seat: result_wizard.MatchContext, fields: result_wizard.Fields) -> None:
    """Raises Problem("slip_of_another") where the code that is typed is not that of this match's slip."""
    if fields.get("slip") and not _code(seat, fields):
        raise Problem("slip_of_another", code=fields.get("slip", "")[:CODE_LETTERS])


def _baseline_fields(seat: result_wizard.MatchContext, fields: result_wizard.Fields) -> list[tuple[str, str]]:
    """The revision that the official acts on: as seen at the beginning, after a conflict the current one."""
    fresh = g.get("problem") is not None or "revision" not in fields
    return [
        ("revision", str(seat.match.revision) if fresh else fields.get("revision", "")),
        ("seen", str(seat.match.number or 0) if fresh else fields.get("seen", "")),
        *([("slip", code)] if (code := _code(seat, fields)) else []),
    ]


def _at(seat: result_wizard.MatchContext) -> str:
    return url_for("console.result_wizard_page", event_id=seat.state.id, match_id=seat.match.id)


@route("POST /console/<event_id>/match/<match_id>/walk", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@forms.shows_problem_on(result_wizard_page)
def result_wizard_step(event_id: str, match_id: str) -> AnyResponse:
    seat = match_context_at(event_id, match_id)
    _refuse_other_slip(seat, request.form)
    at = result_wizard.wizard_page(seat.form, result_wizard.read_progress(seat.form, request.form, seat.match.lots))
    if at.kind != result_wizard.END or at.result is None:
        return redirect(
            result_wizard.address_at(_at(seat), [*at.trail.fields(), *_baseline_fields(seat, request.form)]), 303
        )
    entered = EnterResult(
        match_id,
        forms.form_number("revision") or 0,
        at.result,
        forms.form_number("seen"),
        forms.typed_reason(),
        cut=forms.field("cut"),
        lets_go=forms.field("lets_go"),
    )
    if forms.field("slip"):
        return enter_slip(seat, entered)
    forms.submit_command(event_id, entered)
    return forms.back_to_event(event_id, round=_tab(seat))


def _tab(seat: result_wizard.MatchContext) -> int | None:
    """The match's round where it is not the newest, so that its tab stays open after a correction."""
    return None if seat.played is newest_round(seat.state) else seat.played.number


@route("POST /console/<event_id>/match/<match_id>/walk/lot", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@forms.shows_problem_on(result_wizard_page)
def draw_lots(event_id: str, match_id: str) -> AnyResponse:
    """Draw the lot that the form asks for; it becomes the answer."""
    seat = match_context_at(event_id, match_id)
    _refuse_other_slip(seat, request.form)
    trail = result_wizard.draw_lot(seat, request.form, current.actor())
    return redirect(result_wizard.address_at(_at(seat), [*trail.fields(), *_baseline_fields(seat, request.form)]), 303)


@route("GET /console/<event_id>/entry", STAFF, VISIBLE)
def entry_page(event_id: str, **_: str) -> AnyResponse:
    """Entry table after table: the chosen table with the meaning of the typed line, else the field for its number.
    Fields: "table", "round" (default: the newest), "text": the line, "done": the table entered last. The console asks
    at each letter, and for its foot alone (static/entry.js)."""
    moment = current.event(event_id)
    state, played = moment.state, current.shown_round(moment.state)
    number = (request.values.get("table") or "").strip()[:6]
    line = (request.values.get("text") or "").strip()
    match = _at_table(played, number)
    done = _at_table(played, (request.args.get("done") or "").strip()[:6])
    context = _table(match_context_at(event_id, match.id), line) if match is not None else {}
    alone = render.PART_ALONE in request.headers
    return render.page(
        "entry.html",
        feed="" if alone else f"console/{event_id}",
        alone=alone,
        state=state,
        played=played,
        played_name=title_key(state, played, match) if played is not None else None,
        asked=number,
        line=line,
        newest=newest_round(state),
        match=match,
        elsewhere=None if match is not None else _elsewhere(state, number),
        tables=sorted(m.match.table for m in _matches(played) if m.match.table is not None),
        done=_cell(moment, done) if done is not None else None,
        next_open=_next_open(played, done or match),
        **context,
    )


def _table(seat: result_wizard.MatchContext, line: str) -> dict[str, Any]:
    reading, unclear = None, None
    try:
        reading = _read(seat, line) if line else None
    except Problem as problem:
        unclear = problem.named(seat.names).say(current.words())
    if reading:
        result_wizard.result_problem(seat, reading.result)
    return {
        "cell": _cell(current.event(seat.state.id), seat.match),
        "reading": reading,
        "unclear": unclear,
        "names": seat.names,
        "shown": shown_result(reading.result, seat.state) if reading else None,
        "told": result_wizard.result_lines(seat, reading.result) if reading else (),
        "lets_go": result_wizard.let_go(seat, reading.result) if reading else "",
        **line_hints(seat),
    }


def _cell(moment: SavedEvent, match: MatchState) -> GridCell:
    return grid_cell(current.snapshot(), current.units(), moment.state, match, full_names(moment), current.now_ms())


def _matches(played: RoundState | None) -> list[MatchState]:
    return [match for match in played.matches if match.match.b is not None] if played is not None else []


def _at_table(played: RoundState | None, number: str) -> MatchState | None:
    found = [match for match in _matches(played) if str(match.match.table) == number]
    return next((match for match in found if not match.done), found[-1] if found else None)


def _elsewhere(state: EventState, number: str) -> EventState | None:
    return next(
        (
            other
            for other in current.snapshot().events.values()
            if other.id != state.id and _at_table(other.live, number) is not None
        ),
        None,
    )


def _next_open(played: RoundState | None, after: MatchState | None) -> int | None:
    """The next table without a result: the first after this one, else the first of all."""
    still = sorted(
        match.match.table
        for match in _matches(played)
        if match.match.table is not None and not match.done and (after is None or match.id != after.id)
    )
    at = after.match.table if after is not None and after.match.table is not None else 0
    return next((table for table in still if table > at), still[0] if still else None)


@route("POST /console/<event_id>/match/<match_id>/entry", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@forms.shows_problem_on(entry_page)
def save_entry(event_id: str, match_id: str) -> AnyResponse:
    """Enter the line as it was shown: `mark` is of the result shown, `revision` and `seen` of the table's state."""
    seat = match_context_at(event_id, match_id)
    reading, table = _read(seat, forms.field("text")), seat.match.match.table
    if reading.mark != forms.field("mark"):
        raise Problem("line_not_shown", table=table)
    forms.submit_command(
        event_id,
        EnterResult(
            match_id,
            forms.form_number("revision") or 0,
            reading.result,
            forms.form_number("seen"),
            forms.typed_reason(),
            cut=forms.field("cut"),
            lets_go=forms.field("lets_go"),
        ),
    )
    return redirect(url_for("console.entry_page", event_id=event_id, round=_tab(seat), done=table), 303)
