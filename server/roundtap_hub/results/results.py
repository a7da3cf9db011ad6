"""Results by officials: accepting reports, no-shows, taking back, and entry by wizard, slip or table after table; and
aids that record nothing: a score calculator, and a check of cards swapped with the sideboard.

The wizard's answers are in the address, so that going back and reloading are harmless; only lots and the end are POSTs.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import abort, g, redirect, request, url_for
from msgspec import structs
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import DoubleNoShow, EnterResult, NoShow, NoteLot, SettleOutsideReports, UndoNoShow
from roundtap_core.event.cut import ANEW
from roundtap_core.event.states import DRAFT, RULING, EventState, MatchState, RoundState
from roundtap_core.records import SIDES, Result, Side, result_from_json
from roundtap_core.rulebooks.base import AidFigure, CountingAid, Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.rulebooks.result_gate import OFFICIAL
from roundtap_hub.access.slip_codes import slip_codes
from roundtap_hub.http.routes import (
    EVERYBODY,
    IN_OPEN_ROUNDS,
    JUDGES,
    PLAYED,
    PLAYING,
    SHOWN_ROUND,
    STAFF,
    VISIBLE,
    PageKey,
    route,
)
from roundtap_hub.live import current, forms, render, result_wizard
from roundtap_hub.results.slip_desk import CODE_LETTERS, enter_slip, line_grammar, read_line, slip_view
from roundtap_hub.views.judging_view import author_of, judge_view
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.saved_event import SavedEvent, full_names, newest_round, tournament
from roundtap_hub.views.tables import GridCell, ShownResult, grid_cell, lot_to_draw, pre_game_choice, shown_result


def entered_by_official(
    event_id: str, match_id: str, fields: result_wizard.Fields | None = None
) -> result_wizard.MatchEntry:
    """`fields`: of the steps so far. They carry the code of the slip that is typed, if it is this match's, and what the
    official acts on: as seen at the beginning, after a conflict as it is now."""
    event, fields = current.event(event_id), result_wizard.Fields() if fields is None else fields
    played, match = result_wizard.public_match(event.state, match_id)
    saw = {"revision": str(match.revision), "seen": str(match.number or 0)}
    if g.get("problem") is None and "revision" in fields:
        saw = {name: fields.get(name, "") for name in saw}
    slip = fields.get("slip", "")
    if slip and slip == slip_codes(event.state, played)[match_id]:
        saw["slip"] = slip
    return structs.replace(
        result_wizard.entered_match(event, played, match, full_names(event), OFFICIAL),
        address=url_for("console.result_wizard_page", event_id=event_id, match_id=match_id),
        carried=tuple(saw.items()),
    )


@route("GET /console/<event_id>/match/<match_id>", STAFF, PLAYED)
def match_page(event_id: str, match_id: str) -> AnyResponse:
    """One match with all that an official may do to it; the console where a no-show has left one player alone."""
    event = current.event(event_id)
    state = event.state
    round_and_match = state.find_match(match_id)
    if round_and_match is not None and round_and_match[0].status != DRAFT and round_and_match[1].match.b is None:
        if g.get("problem") is None:
            return redirect(url_for("console.event_page", event_id=event_id, _anchor="grid"))
        g.address = url_for("console.event_page", event_id=event_id)
        return forms.view_of(forms.EVENT_PAGE)(event_id=event_id)
    entered = entered_by_official(event_id, match_id)
    played, match = entered.played, entered.match
    cell, stands = _cell(event, match), match.match.result
    ways = entered.ways()
    first_way = next((way for way, is_on_record in ways if is_on_record), ways[0][0])
    waited_ms = current.now_ms() - cell.call_since_ms if cell.call_since_ms is not None else None
    return render.page(
        "match.html",
        feed=PageKey("console", event_id),
        state=state,
        played=played,
        match=match,
        cell=cell,
        judge=judge_view(event, played, match, waited_ms),
        played_name=title_key(state, played, match),
        told=entered.told(stands) if stands else None,
        first=pre_game_choice(state, played, match),
        lot=lot_to_draw(state, played, match),
        names=entered.names,
        earlier=_earlier(event, entered),
        at=replace(entered.page(entered.read(result_wizard.Fields({"way": first_way}))), before=None),
        other_ways=[way for way in ways if way[0] != first_way],
        line="",
        grammar=line_grammar(entered),
    )


@dataclass(frozen=True, slots=True)
class ReplacedResult:
    """`by`: who replaced it (name, role); `again`: the address that proposes it again."""

    result: ShownResult
    by: tuple[str, str]
    reason: str
    again: str


def _earlier(event: SavedEvent, entered: result_wizard.MatchEntry) -> list[ReplacedResult]:
    """Replaced results, newest first."""
    replaced = [(result_from_json(each["was"]), each) for each in reversed(entered.match.corrections)]
    return [
        ReplacedResult(
            shown_result(was, entered.state, entered.match),
            author_of(event, RULING, each.get("by", "").partition(":")[0]),
            each.get("reason", ""),
            entered.address_of(entered.progress_of(was)),
        )
        for was, each in replaced
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
        forms.submit_command(event_id, _enter(match_id, report.result))
    except Problem as problem:
        if problem.key != "picks_missing":
            raise
        entered = entered_by_official(event_id, match_id)
        return redirect(entered.address_of(entered.progress_of(report.result)), 303)
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
    fields = forms.sent_fields()
    entered, line = entered_by_official(event_id, match_id, fields), fields.get("text", "").strip()
    try:
        if "problem" not in g:
            _refuse_other_slip(entered, fields)
        if line:
            return redirect(entered.address_of(read_line(line, entered)), 303)
    except Problem as problem:
        result_wizard.note_problem(problem)
    at = entered.next_page(fields)
    return render.page(
        "match_wizard.html",
        state=entered.state,
        played=entered.played,
        played_name=title_key(entered.state, entered.played, entered.match),
        match=entered.match,
        names=entered.names,
        slip=slip_view(entered, at.told.result if at.told is not None else None) if entered.slip else None,
        line=line,
        grammar=line_grammar(entered),
        at=at,
    )


def _refuse_other_slip(entered: result_wizard.MatchEntry, fields: result_wizard.Fields) -> None:
    """Raises Problem("slip_of_another") where the code that is typed is not that of this match's slip."""
    if fields.get("slip") and not entered.slip:
        raise Problem("slip_of_another", code=fields["slip"][:CODE_LETTERS])


@route("POST /console/<event_id>/match/<match_id>/walk", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@forms.shows_problem_on(result_wizard_page)
def result_wizard_step(event_id: str, match_id: str) -> AnyResponse:
    entered = entered_by_official(event_id, match_id, request.form)
    _refuse_other_slip(entered, request.form)
    at = entered.page(entered.read(request.form))
    if at.told is None:
        return redirect(entered.address_of(at.trail), 303)
    command = _enter(match_id, at.told.result)
    if entered.slip:
        return enter_slip(entered, command)
    forms.submit_command(event_id, command)
    # After new pairings their round is what has to be seen.
    return forms.back_to_event(event_id, round=None if command.cut == ANEW else _tab(entered))


def _enter(match_id: str, result: Result) -> EnterResult:
    """The command of a form that shows this result; `revision` and `seen` are of the match as it was shown."""
    return EnterResult(
        match_id,
        forms.form_number("revision") or 0,
        result,
        forms.form_number("seen"),
        forms.typed_reason(),
        cut=forms.field("cut"),
        plan=forms.field("plan"),
        lets_go=forms.field("lets_go"),
    )


def _tab(entered: result_wizard.MatchEntry) -> int | None:
    """The match's round where it is not the newest, so that its tab stays open after a correction."""
    return None if entered.played is newest_round(entered.state) else entered.played.number


@route("POST /console/<event_id>/match/<match_id>/walk/lot", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@forms.shows_problem_on(result_wizard_page)
def draw_lots(event_id: str, match_id: str) -> AnyResponse:
    """Draw the lot that the form asks for; it becomes the answer."""
    entered = entered_by_official(event_id, match_id, request.form)
    _refuse_other_slip(entered, request.form)
    return result_wizard.draw_lot(entered, request.form, current.actor())


@route("GET /console/<event_id>/entry", STAFF, VISIBLE)
def entry_page(event_id: str, **_: str) -> AnyResponse:
    """Entry table after table: the chosen table with the meaning of the typed line, else the field for its number.
    Fields: "table", "round" (default: the newest), "text": the line, "done": the table entered last. The console asks
    at each letter, and for its foot alone (static/entry.js)."""
    event = current.event(event_id)
    state, played = event.state, current.shown_round(event.state)
    number = (request.values.get("table") or "").strip()[:6]
    line = (request.values.get("text") or "").strip()
    match = _at_table(played, number)
    done = _at_table(played, (request.args.get("done") or "").strip()[:6])
    entered = entered_by_official(event_id, match.id) if match is not None else None
    told, unclear = None, ""
    if entered is not None and line:
        try:
            told = entered.made(read_line(line, entered))
            entered.problem(told.result)
        except Problem as problem:
            unclear = problem.named(entered.names).say(current.words())
    alone = render.PART_ALONE in request.headers
    return render.page(
        "entry.html",
        feed=None if alone else PageKey("console", event_id),
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
        done=_cell(event, done) if done is not None else None,
        next_open=_next_open(played, done or match),
        cell=_cell(event, match) if match is not None else None,
        names=entered.names if entered is not None else {},
        grammar=line_grammar(entered) if entered is not None else None,
        told=told,
        unclear=unclear,
    )


def _cell(event: SavedEvent, match: MatchState) -> GridCell:
    return grid_cell(current.snapshot(), current.units(), event.state, match, full_names(event), current.now_ms())


def _matches(played: RoundState | None) -> list[MatchState]:
    return [match for match in played.matches if match.match.b is not None] if played is not None else []


def _at_table(played: RoundState | None, number: str) -> MatchState | None:
    at_table = [match for match in _matches(played) if str(match.match.table) == number]
    return next((match for match in at_table if not match.done), at_table[-1] if at_table else None)


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
    """Enter the line as it was shown: `mark` is of the result shown."""
    entered = entered_by_official(event_id, match_id)
    told, table = entered.made(read_line(forms.field("text"), entered)), entered.match.match.table
    if told.mark != forms.field("mark"):
        raise Problem("line_not_shown", table=table)
    forms.submit_command(event_id, _enter(match_id, told.result))
    return redirect(url_for("console.entry_page", event_id=event_id, round=_tab(entered), done=table), 303)


PREFIX = "aid."  # the prefix of the form's fields in the page's address

SIDE, LINES = "swap.side", "swap.lines"
MOST_LETTERS = 2000


@dataclass(frozen=True, slots=True)
class CalculatorView:
    """A rulebook's aid. `typed`: the figures by key; `worth`: None without figures, or with a `problem`."""

    aid: CountingAid
    typed: dict[str, str]
    worth: int | None
    problem: str


def calculator_view(book: Rulebook) -> CalculatorView | None:
    """None where the rulebook has no aid."""
    aid = book.counting_aid
    if aid is None:
        return None
    typed = {
        figure.key: request.args[PREFIX + figure.key].strip()
        for figure in aid.figures
        if PREFIX + figure.key in request.args
    }
    worth, wrong = None, ""
    try:
        worth = aid.worth({figure.key: _number(figure, typed) for figure in aid.figures}) if typed else None
    except Problem as problem:
        wrong = problem.say(current.words())
    return CalculatorView(aid, typed, worth, wrong)


def _number(figure: AidFigure, typed: dict[str, str]) -> int:
    text = typed.get(figure.key, "")
    if figure.tick:
        return int(text == "1")
    number = forms.read_number(text, (figure.minimum, figure.maximum))
    if number is None:
        raise Invalid("not_a_number", value=text)
    return number


@route("GET /aid/<rulebook>", EVERYBODY)
def score_calculator(rulebook: str) -> AnyResponse:
    book = RULEBOOKS.get(rulebook)
    if book is None or book.counting_aid is None:
        abort(404)
    return render.page("score_calculator.html", rulebook=book, counted=calculator_view(book))


@dataclass(frozen=True, slots=True)
class SideboardView:
    """The check of the typed lines. If there are any, the deck is right without `problems`."""

    side: Side
    lines: str
    problems: list[str]
    sign: str


def sideboard_view(event_id: str, match: MatchState) -> SideboardView | None:
    """None where the rulebook swaps no cards."""
    event = current.event(event_id)
    state, check = event.state, event.state.rulebook.lists
    if not check.swap_sign:
        return None
    side: Side = next((each for each in SIDES if each == request.args.get(SIDE)), SIDES[0])
    lines = request.args.get(LINES, "")[:MOST_LETTERS]
    problems: Sequence[Problem] = ()
    if lines.strip():
        who = next(c for c in tournament(event).competitors if c.id == match.match.competitor(side))
        list_ = check.of_competitor(who)
        try:
            problems = (
                check.swap_problems(list_, lines, state.options, state.level)
                if list_
                else [Problem("list_not_handed_in")]
            )
        except Problem as problem:
            problems = [problem]
    shown = lines if lines.strip() else ""
    return SideboardView(side, shown, [problem.say(current.words()) for problem in problems], check.swap_sign)
