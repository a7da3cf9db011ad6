"""Slips that come back: to the desk by their code, or through their QR code on a phone."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import abort, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.abandoned_match import open_match
from roundtap_core.event.commands import DropCompetitor, EnterResult, GrantExtension, NoteRuling
from roundtap_core.event.states import PUBLISHED, EventState, MatchState, RoundState
from roundtap_core.records import SIDES, Result, result_to_json
from roundtap_hub.access.slip_codes import FoundSlip, OutdatedSlip, find_slip, slip_codes
from roundtap_hub.http.requester import cookies_in
from roundtap_hub.http.routes import SLIP, STAFF, VISIBLE, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.live.result_wizard import MatchEntry
from roundtap_hub.store.service import Step
from roundtap_hub.views.judging_view import JudgeView, judge_view
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.saved_event import SavedEvent, current_matches, full_names, newest_round, shown_names
from roundtap_hub.views.tables import (
    GridCell,
    ShownResult,
    SlipSeat,
    grid_cell,
    missing_slips,
    shown_result,
    side_names,
)
from roundtap_hub.views.unit_presence import OLD_SLIP, TAKEN

CODE_LETTERS = 300  # a barcode reader acting as a keyboard types the whole address
DROP = "POST /console/<event_id>/competitors/<competitor>/drop"
EXTEND = "POST /console/<event_id>/match/<match_id>/extension"
RULE = "POST /console/<event_id>/match/<match_id>/ruling"
COUNTS, STAYS = "slip", "record"  # after a contradiction: the slip counts, or the record stays

OFFICIAL_COOKIE, OFFICIAL_COOKIE_S = "roundtap_official", 12 * 3600
"""Marks a phone on which an official was logged in: slips send it to the encrypted login at once. Grants nothing."""


@dataclass(frozen=True, slots=True)
class KnownResult:
    """A result already known of a match: reported by `name`, or on record where that is ""."""

    name: str
    result: Result
    shown: ShownResult


def known_results(match: MatchState, state: EventState, names: Mapping[str, str]) -> list[KnownResult]:
    """The result on record and any both sides agreed to since; else each side's report."""
    results = (
        [("", match.match.result), *([("", match.second)] if match.second else [])]
        if match.match.result is not None
        else [
            (names.get(match.match.competitor(side) or "", ""), report.result)
            for side, report in sorted(match.reports.items())
        ]
    )
    return [KnownResult(name, result, shown_result(result, state, match)) for name, result in results]


def agrees_with_slip(result: Result, slip: Result) -> bool:
    """Whether a known result has everything that the slip's has: winner, figures and whatever else a slip holds."""
    on_record = result_to_json(result)
    return all(on_record.get(key) == value for key, value in result_to_json(slip).items())


def seats_now(event: SavedEvent, old: OutdatedSlip) -> list[SlipSeat]:
    """Where both players of an old slip sit now, if its round is the newest."""
    rounds, names = event.state.public_rounds, full_names(event)
    if not rounds or rounds[-1].number != old.round:
        return []
    seats = [(who, current_matches(event).get(who)) for who in (old.a, old.b) if who]
    seats_by_match = {
        at.id: SlipSeat(at.id, at.match.table, names[who], names[at.match.b if at.match.a == who else at.match.a])
        for who, at in seats
        if at is not None and at.match.b is not None
    }
    return list(seats_by_match.values())


@route("GET /console/<event_id>/slip", STAFF, VISIBLE)
def slip_page(event_id: str) -> AnyResponse:
    """`?code=`: a typed code, or the address from a barcode reader. `?saved=`: the match entered before."""
    event = current.event(event_id)
    state, hub = event.state, current.hub()
    typed = request.args.get("code", "")[:CODE_LETTERS].strip()
    slip = find_slip(hub.service, hub.access.secret, typed, event_id) if typed else None
    at = state.find_match(slip.match_id) if isinstance(slip, FoundSlip) and slip.event_id == event_id else None
    if at is not None:
        code, match_id = slip_codes(state, at[0])[at[1].id], at[1].id
        return redirect(url_for("console.result_wizard_page", event_id=event_id, match_id=match_id, slip=code), 303)
    other = current.snapshot().event(slip.event_id) if slip is not None and slip.event_id != event_id else None
    old = slip if isinstance(slip, OutdatedSlip) and other is None else None
    names, saved = full_names(event), _saved_entry(event)
    sat = [who for who in (saved.a_id, saved.b_id) if who] if saved is not None else []
    return render.page(
        "slip_desk.html",
        state=state,
        typed_code=typed,
        unknown=bool(typed) and slip is None,
        other=other,
        old=old,
        old_names=[names.get(who, who) for who in (old.a, old.b) if who] if old else [],
        seats=seats_now(event, old) if old else (),
        saved=saved,
        gone=[names[who] for who in sat if not state.entrants[who].active],
        elsewhere=[names[who] for who in sat if who in request.args.getlist("plays") and state.entrants[who].active],
        missing=missing_slips(event),
        newest=newest_round(state),
    )


def _saved_entry(event: SavedEvent) -> GridCell | None:
    """The match entered before."""
    round_and_match = event.state.find_match(request.args.get("saved", ""))
    if round_and_match is None or round_and_match[1].match.b is None:
        return None
    return grid_cell(current.snapshot(), {}, event.state, round_and_match[1], full_names(event), current.now_ms())


@dataclass(frozen=True, slots=True)
class SlipView:
    """What a slip's pages show beside the questions: earlier results, and at the end who leaves, an extension, and
    which result counts. `asks`: the slip's result, at the end; `playing`: who has another match by now; `rule`: the
    request that makes the slip's result count against another, "POST /console/…"."""

    code: str
    said: list[KnownResult]
    asks: ShownResult | None
    differs: bool
    playing: list[str]
    judge: JudgeView
    may_extend: bool
    rule: str


def slip_view(entered: MatchEntry, asks: Result | None) -> SlipView:
    state, match, event = entered.state, entered.match, current.event(entered.state.id)
    results = known_results(match, state, full_names(event))
    return SlipView(
        entered.slip,
        results,
        shown_result(asks, state, match) if asks is not None else None,
        asks is not None and any(not agrees_with_slip(each.result, asks) for each in results),
        [who for who in (match.match.a, match.match.b) if who and _plays_elsewhere(state, match, who)],
        judge_view(event, entered.played, match, None),
        render.may_request(EXTEND.replace("<match_id>", match.id)),
        RULE.replace("<match_id>", match.id),
    )


def enter_slip(entered: MatchEntry, command: EnterResult) -> AnyResponse:
    """Save the slip's result, extension and leavers at once; where it differs from a known result, `counts` decides."""
    state, match, event_id, result = entered.state, entered.match, entered.state.id, command.result
    slip, choice = slip_view(entered, result), forms.field("counts")
    assert result is not None
    if slip.differs and choice == COUNTS and not render.may_request(slip.rule):
        # Replacing a reported result is a ruling, and is noted as one.
        staff = current.current_staff()
        role = current.words()(f"role.{staff.role}") if staff is not None else ""
        raise Problem("not_your_role", role=role, roles=render.roles_allowed(slip.rule))
    if slip.differs and choice not in (COUNTS, STAYS):
        raise Problem("result_changed_meanwhile", table=match.match.table)
    steps: list[Step] = []
    on_record = match.match.result
    if choice != STAYS and (on_record is None or not match.done or not agrees_with_slip(on_record, result)):
        if (minutes := forms.confirmed_minutes("minutes", "sure")) is not None and slip.may_extend:
            steps.append(Step(event_id, GrantExtension(match.id, minutes, forms.signing_official(event_id))))
        if slip.differs:
            steps.append(Step(event_id, NoteRuling(match.id, command.reason, forms.signing_official(event_id))))
        steps.append(Step(event_id, command))
    leaving = [
        who
        for side in SIDES
        if side in request.form.getlist("leaves")
        and (who := match.match.competitor(side))
        and state.entrants[who].active
    ]
    playing = [who for who in leaving if who in slip.playing or not render.may_request(DROP)]
    steps += [Step(event_id, DropCompetitor(who)) for who in leaving if who not in playing]
    if steps:
        forms.submit_steps(steps)
    return redirect(url_for("console.slip_page", event_id=event_id, saved=match.id, plays=playing), 303)


def _plays_elsewhere(state: EventState, match: MatchState, competitor: str) -> bool:
    """Whether a competitor now plays another match, which leaving would hand to the opponent."""
    round_and_match = open_match(state, competitor)
    return round_and_match is not None and round_and_match[1].id != match.id


@route("GET /s/<token>", SLIP)
def open_slip(token: str) -> AnyResponse:
    """Officials get to the match, with `?official` through the login, step by step where nothing is known of it yet;
    other visitors choose which player they are."""
    slip, played, match = _scanned(token)
    if current.current_staff() is not None:
        current.current_visit().new_cookies[OFFICIAL_COOKIE] = ("1", OFFICIAL_COOKIE_S)
        fresh = match.match.result is None and not match.reports and not current.event(slip.event_id).state.finished
        page = "console.result_wizard_page" if fresh else "console.match_page"
        return redirect(url_for(page, event_id=slip.event_id, match_id=match.id), 303)
    marked = not request.is_secure and cookies_in(request.headers.get("Cookie", "")).get(OFFICIAL_COOKIE)
    official, encrypted = "official" in request.args or marked, current.hub().access.encrypted
    if official and encrypted is not None and not request.is_secure:
        host = urlsplit(request.host_url).hostname
        return redirect(
            f"https://{f'[{host}]' if host and ':' in host else host}:{encrypted.port}"
            f"{url_for('s.open_slip', token=token, official='1')}",
            303,
        )
    if official:
        return redirect(url_for("pages.login_page", next=url_for("s.open_slip", token=token)), 303)
    current.browser_id()
    return _which_of_two(token, slip, played, match)


@route("POST /s/<token>", SLIP)
def claim_my_slip(token: str) -> AnyResponse:
    """ "That is me": give the player's page to the first phone that claims it; any other has to ask at the desk. The
    form needs no token: the visitor holds the slip, and browsers do not send the cookie with other sites' forms."""
    slip, played, match = _scanned(token)
    side, browser = request.form.get("side", ""), current.browser_id()
    who = match.match.competitor("b" if side == "b" else "a") if side in SIDES else None
    if who is None:
        abort(400)
    links, over = current.hub().access.links, _is_over(slip, played)
    path = links.claim_by_slip(slip.event_id, who, browser, over) if browser and slip.signed else None
    if path is not None:
        return redirect(path, 303)
    if browser and slip.signed and (over or links.given_by_slip(slip.event_id, who)):
        # A stranger's phone, or the owner of a page that a stranger took: the desk decides.
        kind = OLD_SLIP if over else TAKEN
        current.hub().presence.add_request((kind, slip.event_id, who), "slip", current.now_ms())
    return _which_of_two(token, slip, played, match, taken=who)


def _is_over(slip: FoundSlip, played: RoundState) -> bool:
    """Whether the round of a slip is: then its result may still be typed, but it gives no page."""
    return played.status != PUBLISHED or current.event(slip.event_id).state.finished


def _scanned(token: str) -> tuple[FoundSlip, RoundState, MatchState]:
    """The match of a valid slip; else aborts with a page that says why."""
    hub = current.hub()
    slip = find_slip(hub.service, hub.access.secret, token)
    if isinstance(slip, OutdatedSlip):
        state = current.snapshot().event(slip.event_id)
        abort(render.page("slip_old.html", status=410, state=state, old=slip, event_id=slip.event_id))
    at = current.event(slip.event_id).state.find_match(slip.match_id) if slip is not None else None
    if slip is None or at is None:
        abort(404)
    return slip, *at


def _which_of_two(token: str, slip: FoundSlip, played: RoundState, match: MatchState, taken: str = "") -> AnyResponse:
    event = current.event(slip.event_id)
    names = shown_names(event)
    return render.page(
        "slip_on_phone.html",
        state=event.state,
        played=played,
        match=match,
        token=token,
        played_name=title_key(event.state, played),
        seats=side_names(match, names),
        taken=names.get(taken, ""),
        taken_id=taken,
        over=_is_over(slip, played),
    )
