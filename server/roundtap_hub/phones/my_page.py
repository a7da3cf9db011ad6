"""A player's own page behind a personal link: the match, requests (a judge, leaving, a list) and result reports."""

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any, NamedTuple

from flask import Blueprint, Response, abort, g, redirect, request, url_for
from msgspec import Struct
from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import abandoned_match, states
from roundtap_core.event.commands import (
    AskToDrop,
    CallJudge,
    CancelCall,
    CancelDrop,
    CheckIn,
    NoteLot,
    SetPicks,
    SubmitList,
)
from roundtap_core.event.event_flow import match_clock
from roundtap_core.records import ELIMINATION, SIDES, Result, Side, other_side, result_to_json
from roundtap_core.rulebooks import result_gate
from roundtap_core.rulebooks.result_words import ShownResult
from roundtap_core.wire import canonical_json
from roundtap_hub.access.personal_links import CALLS, LISTS, PHONE_ACTOR, REPORTS, WISHES
from roundtap_hub.http.routes import EVERYBODY, PLAYER, PageKey, route
from roundtap_hub.live import current, forms, render, result_wizard
from roundtap_hub.live.list_fields import list_view, typed_list
from roundtap_hub.live.page_shapes import ShapedPage, Slots, shaped
from roundtap_hub.live.regions import age_text
from roundtap_hub.phones.phone_reports import error_status, fate_json, report_fate, reword_problem, submit
from roundtap_hub.phones.phone_versions import PERSONAL
from roundtap_hub.phones.players import PlayerView, open_event, open_view, player_view
from roundtap_hub.store.venue import PlayerId
from roundtap_hub.views.competitors import list_states
from roundtap_hub.views.judging_view import ByePicks, my_bye
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.round_clock import ClockFace, clock_face, time_of_day
from roundtap_hub.views.saved_event import SavedEvent, current_matches, newest_round, shown_names
from roundtap_hub.views.tables import lot_to_draw

REPORT, CONFIRM, WAITING, DIFFER, OVER, JUDGE = "report", "confirm", "waiting", "differ", "over", "judge"
"""What there is to do: report the result; confirm the opponent's report; wait for the opponent; settle two versions;
nothing any more (both agree); only call a judge (an official has decided, or has to)."""

NO_REFERRER = "no-referrer"  # the address is a secret link: no page opened from here may learn it

OFF = "0"

OF_PLAYER: Mapping[str, Any] = {"organizer": False, "csrf": str, "sent_ms": ""}
"""What all players' pages give their templates: no organizer's controls, no form tokens, as the link authorizes."""

SAVE_S = 10.0

NOTHING_SHOWN = ShownResult(0, 0, "", "")


def my_match(event: SavedEvent, competitor: str) -> tuple[states.RoundState, states.MatchState] | None:
    """This player's match of the newest round; None without one to report (no round, a bye, a finished event)."""
    played, match = newest_round(event.state), current_matches(event).get(competitor)
    if played is None or match is None or match.match.b is None or event.state.finished:
        return None
    return played, match


def my_seat(event: SavedEvent, competitor: str) -> tuple[result_wizard.MatchEntry, Side] | None:
    """The same with the context that its steps need, and this player's side."""
    round_and_match = my_match(event, competitor)
    if round_and_match is None:
        return None
    side: Side = "a" if round_and_match[1].match.a == competitor else "b"
    return result_wizard.entered_match(event, *round_and_match, shown_names(event), result_gate.PLAYER, side), side


class MyTable(Struct, frozen=True):
    """One player's match in the newest round.

    `what`: as above. `fields`: of a report made now; `yes`: of a report that agrees with the opponent's; `again`: of
    one that repeats the result on record. `asks_squads`: agreeing needs this side's squads as well; then `yes` leads to
    that question, with the opponent's answers. `number`: the entry of the result on record, 0 without one. `unit`:
    "there", "silent" (no contact), or "" without a unit at this table. `lot`: what a lot must still decide before play,
    "first_player" or "initiative", or ""."""

    side: Side
    opponent: str
    what: str
    fields: result_wizard.FieldPairs
    yes: result_wizard.FieldPairs
    asks_squads: bool
    again: result_wizard.FieldPairs
    mine: result_wizard.ToldResult | None
    theirs: result_wizard.ToldResult | None
    stands: result_wizard.ToldResult | None
    number: int
    unit: str
    lot: str


def my_table(event: SavedEvent, competitor: str) -> MyTable | None:
    """None where there is nothing to report."""
    at = my_seat(event, competitor)
    if at is None:
        return None
    seat, side = at
    played, match, fields = seat.played, seat.match, report_fields(seat.played, seat.match, side)
    mine, theirs = match.reports.get(side), match.reports.get(other_side(side))
    what = _report_state(played, match, side)
    # The page shows nothing of what was told once both agree, or an official has decided.
    told = seat.told if what in (CONFIRM, WAITING, DIFFER) or match.state == states.SECOND else lambda _: None
    stands = told(match.match.result) if match.match.result is not None else None
    their_result = told(theirs.result) if theirs is not None else None
    picks = (theirs.result.picks or {}) if theirs is not None else {}
    asks_squads = bool(picks) and side not in picks
    yes: result_wizard.FieldPairs = ()
    if theirs is not None and asks_squads:
        yes = (*fields, *seat.progress_of(theirs.result).fields())
    elif their_result is not None and what in (CONFIRM, DIFFER):
        yes = _answer_fields(fields, their_result, theirs)
    again = _answer_fields(fields, stands, None) if match.state == states.SECOND and stands is not None else ()
    return MyTable(
        side=side,
        opponent=seat.names[other_side(side)],
        what=what,
        fields=fields,
        yes=yes,
        asks_squads=asks_squads,
        again=again,
        mine=told(mine.result) if mine is not None else None,
        theirs=their_result,
        stands=stands,
        number=match.number or 0,
        unit=_unit(match),
        lot=lot_to_draw(seat.state, played, match),
    )


def report_fields(played: states.RoundState, match: states.MatchState, side: Side) -> result_wizard.FieldPairs:
    """The fields of a report made now, beside the result: match and draw, players, and what the player has seen."""
    return (
        ("match", match.id),
        ("draw", played.mark),
        ("a", match.match.a),
        ("b", match.match.b or ""),
        ("revision", str(match.revision)),
        ("serial", str(match.heard.get(side, 0) + 1)),
    )


def _answer_fields(
    fields: result_wizard.FieldPairs, told: result_wizard.ToldResult, to: states.SideReport | None, name: str = ""
) -> result_wizard.FieldPairs:
    text = canonical_json(result_to_json(told.result)).decode()
    agrees = (("agrees_id", to.report_id), ("agrees_hash", to.body)) if to is not None else ()
    # The id depends on the content alone: a double press, or two tabs, report once.
    name = name or hashlib.sha256(repr((fields, text, agrees)).encode()).hexdigest()[:32]
    return (*fields, ("result", text), *agrees, ("report_id", name), ("lets_go", told.lets_go))


def _report_state(played: states.RoundState, match: states.MatchState, side: Side) -> str:
    if played.status == states.CLOSED or match.state == states.AGREED:
        return OVER
    return {
        states.DECIDED: JUDGE,
        states.SECOND: JUDGE,
        # The player who has a phone of their own confirms it there.
        states.ONE_PHONE: CONFIRM,
        states.DISPUTE: DIFFER,
        states.ONE_SIDED: WAITING if side in match.reports else CONFIRM,
    }.get(match.state, REPORT)


def _unit(match: states.MatchState) -> str:
    unit = current.snapshot().venue.unit_at(match.match.table)
    if unit is None:
        return ""
    status = current.units().get(unit)
    return "there" if status is not None and status.connected else "silent"


class MyRequests(Struct, frozen=True):
    """A player's requests. `call`: the match's open call; `called`: whether this phone made it. `going`: leaves after
    the current round. `wish`: to leave, "open", "refused" or "". `may_call`, `may_leave`: whether they are possible.
    `list`: the list's state ("missing", "none", "wrong", "flagged", "good"), "" where lists are not shown. `here`:
    check-in, "ask", "done", or "" without one."""

    may_call: bool
    call: states.Request | None
    called: bool
    may_leave: bool = False
    going: bool = False
    wish: str = ""
    wished: bool = False
    list: str = ""
    here: str = ""


def my_requests(event: SavedEvent, competitor: str) -> MyRequests:
    state, snapshot = event.state, current.snapshot()
    entrant, source, round_and_match = (
        state.entrants[competitor],
        f"{PHONE_ACTOR}{competitor}",
        my_match(event, competitor),
    )
    open_ = state.plays(competitor) and not state.finished and state.id not in snapshot.venue.archived
    plays = open_ and round_and_match is not None and round_and_match[0].status != states.CLOSED
    call = state.calls.get(round_and_match[1].id) if plays and round_and_match is not None else None
    requests = MyRequests(plays, call, call is not None and source in call.sources)
    if (wish := state.wishes.get(competitor)) is not None:
        requests = replace(requests, wish="refused" if wish.refused else "open", wished=source in wish.sources)
    if not open_:
        return requests
    if not state.public_rounds:
        here = ("done" if entrant.checked_in else "ask") if state.check_in else ""
        requests = replace(requests, list=list_states(event)[competitor].state, here=here)
    # Who missed the cut may still be asked to take a place in it, until the bracket is played.
    knockout = bool(state.public_rounds) and state.public_rounds[-1].stage == ELIMINATION
    out = knockout and abandoned_match.leave_effect(state, competitor).what == abandoned_match.OUT
    return replace(requests, going=not entrant.active, may_leave=entrant.active and not out)


def my_clock(event: SavedEvent, competitor: str) -> tuple[ClockFace, int]:
    """The clock of this player's table, and the milliseconds it has more than the round's (an extension, or a length of
    its own), which the page adds to the feed's time of the round."""
    state, match, now = event.state, current_matches(event).get(competitor), current.instant()
    face = clock_face(state, now, current.words())
    if state.live is None or match is None:
        return face, 0
    mine = match_clock(state, state.live, match)
    more_ms = (mine.remaining_ms or 0) - (state.clock.remaining_ms or 0) if mine.remaining_ms is not None else 0
    if not more_ms:
        return face, 0
    own = clock_face(replace(state, clock=mine), now, current.words())
    return replace(
        own, deadline_ms=face.deadline_ms, held_ms=face.held_ms, total_ms=face.total_ms, starts=face.starts
    ), more_ms


def guard_links(bp: Blueprint) -> None:
    """Check the link in the address on every request; knowing it is what authorizes a form of these pages."""

    @bp.before_request
    def check() -> AnyResponse | None:
        token = (request.view_args or {}).get("token")
        if token is None:
            return None
        who, snapshot = current.hub().access.links.owner_of(token), current.snapshot()
        if who is not None and snapshot.venue.is_gone(who):
            abort(410)
        if who is None or who[0] not in snapshot.ids:
            # Made up or revoked: the page says how to get another. A hub without events knows no link yet: phones keep
            # what they have until its event is continued.
            g.status = 404 if snapshot.ids else 503
            return render_player_page(
                "my_code.html",
                gone="me.gone" if snapshot.ids else "wall.waiting",
                # What was posted would be asked for again at every look.
                looks=request.method == "GET",
            )
        g.me = who
        current.browser_id()
        return None

    @bp.after_request
    def seal(response: Response) -> Response:
        response.headers["Referrer-Policy"] = NO_REFERRER
        return response


def current_player() -> PlayerId:
    """(event, competitor) of this request's link."""
    who: PlayerId = g.me
    return who


def render_player_page(template: str, feed: PageKey | None = None, **context: Any) -> Response:
    return render.page(template, feed, **{**OF_PLAYER, **context})


@route("GET /me", EVERYBODY)
def desk_code_page() -> AnyResponse:
    return render_player_page("my_code.html", gone=False, looks=False)


@route("POST /me", PLAYER)
@forms.shows_problem_on(desk_code_page)
def claim_desk_code() -> AnyResponse:
    path = current.hub().access.links.claim_code(forms.field("code"), request.remote_addr or "")
    if path is None:
        raise Invalid("wrong_code")
    return redirect(path, 303)


@route("GET /me/<token>", PLAYER, kept="me/<event_id>/<token>")
def my_page(token: str) -> AnyResponse:
    """A player's own page: the table, what to report, and what became of it."""
    event_id, who = current_player()
    shown = _my_page(current.event(event_id), who, token)
    return render_player_page("my_page.html", PageKey(PERSONAL, event_id, token), **shown._asdict(), variant="")


class MyPage(NamedTuple):
    """What the template of a player's own page shows. `more_ms`: as of `my_clock`; `my`: the page's path."""

    state: states.EventState
    view: PlayerView
    face: ClockFace
    more_ms: int
    my: str
    asking: MyRequests
    mine: MyTable | None
    bye: ByePicks | None


def _my_page(event: SavedEvent, who: str, token: str) -> MyPage:
    face, more_ms = my_clock(event, who)
    view, my = player_view(event, who), f"/me/{token}"
    return MyPage(
        event.state, view, face, more_ms, my, my_requests(event, who), my_table(event, who), my_bye(event, who)
    )


@shaped(PERSONAL)
def _my_shape(page: PageKey) -> ShapedPage:
    slots, owner = Slots(time_of_day(current.hub().clocks.wall())), current.hub().access.links.owner_of(page.of)
    if owner is None or current.snapshot().venue.is_gone(owner):
        abort(410)
    event, token = current.event(page.event), slots.add(page.of)
    shown = _my_page(event, owner[1], token)
    if shown.asking.call is not None:
        slots.set_age(age_text(current.now_ms() - shown.asking.call.since.mono_ms))
    view, mine = open_view(shown.view, slots.add), shown.mine and _open_table(shown.mine, slots.add)
    face, around = open_event(event, shown.face, slots)
    shown = shown._replace(view=view, face=face, mine=mine)
    given = {**OF_PLAYER, **slots.context, **shown._asdict(), "variant": ""}
    draw = partial(render.render_page, "my_page.html", page._replace(of=token), **given)
    return ShapedPage(draw, (PERSONAL, around, *shown[1:]), slots.values)


def _open_table(mine: MyTable, slot: Callable[[Any], Any]) -> MyTable:
    """The same with a `slot` wherever it differs from another table of its shape (live/page_shapes.py)."""

    def fields(of: result_wizard.FieldPairs) -> result_wizard.FieldPairs:
        return tuple([(name, slot(value)) for name, value in of])

    def told(of: result_wizard.ToldResult | None) -> result_wizard.ToldResult | None:
        # Two that differ are compared on the page.
        return of if of is None or mine.what == DIFFER else _open_result(of, slot)

    return replace(
        mine,
        opponent=slot(mine.opponent),
        fields=fields(mine.fields) if mine.lot else (),
        yes=fields(mine.yes),
        again=fields(mine.again),
        mine=told(mine.mine),
        theirs=told(mine.theirs),
        stands=told(mine.stands),
        number=mine.number and slot(mine.number),
    )


def _open_result(told: result_wizard.ToldResult, slot: Callable[[Any], Any]) -> result_wizard.ToldResult:
    return replace(
        told,
        result=Result(),
        shown=NOTHING_SHOWN,
        outcome=slot(told.outcome),
        lines=tuple([replace(line, text=slot(line.text), by=slot(line.by)) for line in told.lines]),
        worth={key: (slot(pair[0]), slot(pair[1])) for key, pair in told.worth.items()},
        lets_go="",
        mark="",
    )


def shows_problem_on_my(again: forms.View) -> Callable[[forms.View], forms.View]:
    """For POST handlers of a link's page: a Problem is shown on the page `again`, or sent to a script as JSON."""

    def wrap(handler: forms.View) -> forms.View:
        @wraps(handler)
        def handled(token: str) -> AnyResponse:
            try:
                forms.refuse_unfit_fields()
                return handler(token)
            except Problem as problem:
                problem = forms.with_competitor_names(problem, current_player()[0], shown_names)
                g.problem, g.status = problem, error_status(problem)
                if wants_json():
                    return json_response({"error": problem.say(current.words())}, g.status)
                current.drop_request_cache()
                g.address = url_for("me.my_page", token=token)
                return again(token)

        return handled

    return wrap


shows_problem_on_mine = shows_problem_on_my(my_page)


def wants_json() -> bool:
    return request.accept_mimetypes.best_match(["text/html", "application/json"]) == "application/json"


def json_response(body: Mapping[str, object], status: int = 200) -> AnyResponse:
    return Response(json.dumps(body, separators=(",", ":")), status, content_type="application/json")


def _phone_source() -> str:
    return f"{PHONE_ACTOR}{current_player()[1]}"


def _to_my_page(token: str) -> AnyResponse:
    return redirect(url_for("me.my_page", token=token), 303)


@route("POST /me/<token>/call", PLAYER)
@shows_problem_on_mine
def call_judge(token: str) -> AnyResponse:
    """Call a judge to this player's table, or take this phone's call back."""
    hub, (event_id, competitor) = current.hub(), current_player()
    hub.access.links.charge(CALLS, current_player())
    round_and_match = my_match(current.event(event_id), competitor)
    if round_and_match is None or round_and_match[0].status != states.PUBLISHED:
        raise Problem("no_table_to_call_to")
    ask = CancelCall if forms.field("on") == OFF else CallJudge
    hub.service.execute_one(event_id, ask(round_and_match[1].id, _phone_source()), _phone_source())
    return _to_my_page(token)


@route("POST /me/<token>/here", PLAYER)
@shows_problem_on_mine
def check_in(token: str) -> AnyResponse:
    """Check this player in. Once round 1 is drawn only the desk can, which knows possible opponents."""
    current.hub().access.links.charge(WISHES, current_player())
    state = _open_event()
    if state.public_rounds or state.draft:
        raise Problem("check_in_at_desk")
    current.hub().service.execute_one(state.id, CheckIn(current_player()[1]), _phone_source())
    return _to_my_page(token)


@route("GET /me/<token>/leave", PLAYER)
def confirm_leave(token: str) -> AnyResponse:
    state = _open_event()
    return render_player_page(
        "my_leave.html", my=url_for("me.my_page", token=token), state=state, in_play=state.live is not None
    )


@route("POST /me/<token>/leave", PLAYER)
@shows_problem_on_mine
def request_leave(token: str) -> AnyResponse:
    """Request to leave, which the organizer may refuse, or take the request back."""
    hub = current.hub()
    hub.access.links.charge(WISHES, current_player())
    _open_event()
    (event_id, competitor), ask = current_player(), CancelDrop if forms.field("on") == OFF else AskToDrop
    hub.service.execute_one(event_id, ask(competitor, _phone_source()), _phone_source())
    return _to_my_page(token)


def _open_event() -> states.EventState:
    """The event's state; 404 where this player is not in it (any more)."""
    state = current.event(current_player()[0]).state
    entrant = state.entrants.get(current_player()[1])
    if state.finished or entrant is None or not entrant.active or state.id in current.snapshot().venue.archived:
        abort(404)
    return state


@route("GET /me/<token>/list", PLAYER)
def list_page(token: str) -> AnyResponse:
    """The player's list, with each problem beside its line; no longer shown once round 1 is published."""
    state = _open_event()
    if state.public_rounds:
        abort(404)
    return render_player_page(
        "my_list.html",
        my=url_for("me.my_page", token=token),
        save_at=url_for("me.save_list", token=token),
        fixed=False,
        state=state,
        view=list_view(current.event(state.id), current_player()[1]),
    )


@route("POST /me/<token>/list", PLAYER)
# Where lists are no longer shown, a Problem is shown on the main page.
@shows_problem_on_my(lambda token: my_page(token) if _open_event().public_rounds else list_page(token))
def save_list(token: str) -> AnyResponse:
    """Save the list before round 1, as far as it can be read; its problems are then shown by line."""
    if forms.field("more"):
        return list_page(token)
    current.hub().access.links.charge(LISTS, current_player())
    state = _open_event()
    if state.public_rounds:
        raise Problem("list_is_fixed")
    typed = typed_list(current.event(state.id), current_player()[1])
    if typed is not None:
        record, digest, total = typed
        current.hub().service.execute_one(
            state.id, SubmitList(current_player()[1], digest, total), _phone_source(), [record]
        )
    return redirect(url_for("me.list_page", token=token), 303)


def _entered(token: str, fields: result_wizard.Fields) -> result_wizard.MatchEntry:
    """The match with its steps, which carry what the player saw at the beginning, so that later changes are noticed at
    the end; 404 where there is nothing to report."""
    seat = my_seat(current.event(current_player()[0]), current_player()[1])
    if seat is None:
        abort(404)
    entered, side = seat
    began = fields.get("match") == entered.match.id and fields.get("draw", "") == entered.played.mark
    now = report_fields(entered.played, entered.match, side)
    carried = tuple((name, fields.get(name, value) if began else value) for name, value in now)
    return replace(entered, address=url_for("me.report_page", token=token), carried=carried)


@route("GET /me/<token>/report", PLAYER)
def report_page(token: str) -> AnyResponse:
    """The next question, or the result that the answers make, which is reported only from there."""
    entered = _entered(token, request.args)
    at = entered.next_page(request.args)
    # A report refused before may be made again: its id is its own.
    report = () if at.told is None else _answer_fields(entered.carried, at.told, None, secrets.token_hex(16))
    return render_player_page(
        "my_wizard.html",
        my=url_for("me.my_page", token=token),
        state=entered.state,
        played=entered.played,
        played_name=title_key(entered.state, entered.played, entered.match),
        match=entered.match,
        names=entered.names,
        end=at.told is not None,
        report_fields=report,
        at=at,
    )


@route("POST /me/<token>/report", PLAYER)
@shows_problem_on_mine
def submit_report(token: str) -> AnyResponse:
    """Take this side's report; answered once it is on the disk."""
    name, body, saving = submit(current.hub(), current_player(), request.form, current.browser_id())
    if saving is not None:
        try:
            saving.result(SAVE_S)
        except TimeoutError:
            raise Problem("phone_not_yet") from None
        except Problem as problem:
            raise reword_problem(problem) from None
    fate = report_fate(current.hub().service.snapshot, current_player(), name, body)
    if fate is None:
        raise Problem("not_saved")
    if wants_json():
        return json_response(fate_json(fate, current.words()))
    return redirect(url_for("me.report_outcome", token=token, name=fate.name), 303)


@route("GET /me/<token>/said/<name>", PLAYER)
def report_outcome(token: str, name: str) -> AnyResponse:
    fate = report_fate(current.snapshot(), current_player(), name)
    if fate is None:
        abort(404)
    return render_player_page(
        "my_said.html",
        my=url_for("me.my_page", token=token),
        state=current.event(current_player()[0]).state,
        found=fate,
        fate=fate_json(fate, current.words()),
    )


@route("POST /me/<token>/report/lot", PLAYER)
@shows_problem_on_mine
def draw_lots(token: str) -> AnyResponse:
    """Draw lots between the sides, where the form says so; the outcome becomes the answer."""
    current.hub().access.links.charge(REPORTS, current_player())
    return result_wizard.draw_lot(_entered(token, request.form), request.form, _phone_source())


@route("POST /me/<token>/lot", PLAYER)
@shows_problem_on_mine
def draw_lot_before_play(token: str) -> AnyResponse:
    """Draw the lot before play where no unit does: who begins, or which of two equal lists chooses."""
    current.hub().access.links.charge(REPORTS, current_player())
    seat = _entered(token, request.form)
    note = NoteLot(seat.match.id, forms.field("about"), secrets.choice(SIDES), forms.field("draw") or None)
    current.hub().service.execute_one(seat.state.id, note, f"{PHONE_ACTOR}{current_player()[1]}")
    return redirect(url_for("me.my_page", token=token), 303)


@route("POST /me/<token>/picks", PLAYER)
@shows_problem_on_mine
def field_squads(token: str) -> AnyResponse:
    current.hub().access.links.charge(REPORTS, current_player())
    event_id, competitor = current_player()
    bye = my_bye(current.event(event_id), competitor)
    if bye is None:
        abort(404)
    current.hub().service.execute_one(
        event_id,
        SetPicks(bye.match.id, forms.ticked_squads("picks"), forms.field("lets_go")),
        f"{PHONE_ACTOR}{competitor}",
    )
    return redirect(url_for("me.my_page", token=token), 303)
