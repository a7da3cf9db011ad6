"""The start pages: of players; of staff; of a judge with a phone, calls first, then what each event needs of a judge;
help, login and logout.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Any

from flask import g, redirect, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import Instant
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.states import DISPUTE, ONE_PHONE, ONE_SIDED, SECOND, EventState
from roundtap_hub.app.todo import ELSEWHERE, open_tasks, task_rows
from roundtap_hub.http.requester import safe_redirect_path
from roundtap_hub.http.routes import (
    EVERYBODY,
    JUDGE,
    JUDGES,
    LOGIN,
    ORGANIZER,
    ORGANIZERS,
    STAFF,
    VISIBLE,
    PageKey,
    route,
)
from roundtap_hub.live import current, forms, render
from roundtap_hub.paper.paper import asking_jobs
from roundtap_hub.store import continuing
from roundtap_hub.store.command_pipeline import may_archive
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.judging_view import people_forms_view
from roundtap_hub.views.preflight_checks import count_failed, failed_checks, printer_checks
from roundtap_hub.views.round_clock import DATE_AND_TIME, clock_face, played_ms, time_of_day
from roundtap_hub.views.saved_event import (
    EventLine,
    SavedEvent,
    StepMarks,
    archived_list,
    full_names,
    known_events,
    listed_events,
    saved_event,
)
from roundtap_hub.views.tables import CALL, DRAFT, find_table, grid_cells
from roundtap_hub.views.unit_presence import UnitStatus

HELP = (
    ("late", "console.players_place", ""),
    ("no_show", "console.absentees_page", ""),
    ("drop", "console.players_place", ""),
    ("wrong_result", "console.event_page", ""),
    ("dispute", "console.event_page", ""),
    ("pairing", "console.mend_page", ""),
    ("paper", "console.printer_page", "hall.printer"),
    ("unit", "console.units_page", "keys.title"),
    ("power", "console.preflight_page", "doors.title"),
    ("network", "console.this_hub_page", "hub.title"),
)
"""What may go wrong ("help.…") and the page where it is put right, with its title; one without is the event's own."""


@route("GET /", EVERYBODY, kept="door")
def home_page() -> AnyResponse:
    """With one event a redirect to it (unless `?lang=` is given); with several, a choice; with none, how to begin."""
    stay = "lang" in request.args or render.cached_variant() == "stay"
    events = listed_events(current.snapshot())
    in_play = [event for event in events if not event.finished] or events
    if len(in_play) == 1 and not stay:
        return redirect(url_for("pages.players_page", event_id=in_play[0].id))
    return render.cached_page("door.html", "stay" if stay else "", events=events)


@route("GET /console", STAFF)
def events_page(**_: str) -> AnyResponse:
    """The console's start page: what nobody would find in an event, then those in play, each with its clock, then those
    before play and the finished."""
    hub, snapshot = current.hub(), current.snapshot()
    lines = listed_events(snapshot)
    playing = [line for line in lines if isinstance(line, EventState) and line.public_rounds and not line.finished]
    playing_ids = {state.id for state in playing}
    silent = bool(failed_checks(printer_checks(hub, current.units(), current.now_ms())))
    needs: list[tuple[str, EventLine, int]] = [
        ("paper", state, asking_jobs(state, waiting=silent)) for state in snapshot.events.values()
    ]
    needs += [
        ("late", line, len(line.late_matches) if isinstance(line, EventState) else line.late)
        for line in known_events(snapshot)
        if line.finished
    ]
    return render.page(
        "home.html",
        feed=PageKey("console"),
        events=lines,
        playing=playing,
        archived=archived_list(snapshot),
        upcoming=[line for line in lines if not line.finished and line.id not in playing_ids],
        finished=[line for line in lines if line.finished],
        faces={state.id: clock_face(state, current.instant(), current.words()) for state in playing},
        may_archive=[line.id for line in lines if may_archive(snapshot, line.id)],
        open_checks=count_failed(hub, snapshot, current.units(), current.now_ms(), False),
        needs=[need for need in needs if need[2]],
        offers=continuing.offers(hub.service),
        until=partial(time_of_day, form=DATE_AND_TIME),
    )


@route("POST /console/continue", ORGANIZERS)
@forms.shows_problem_on(events_page)
def continue_event() -> None:
    """Continue another hub's event (`mark`: the offer); this hub's PIN is typed again. `sure`: its own may go aside."""
    hub, who = current.hub(), current.person_with(forms.field("pin"))
    if who is None or who.role != ORGANIZER:
        raise Invalid("wrong_pin")
    if hub.host.machine.folder is not None:
        continuing.press(hub.service, hub.host.machine.folder, forms.field("mark"), bool(forms.field("sure")))


@route("GET /console/help", STAFF)
def help_page() -> AnyResponse:
    """What to do when something goes wrong, and the rules of every event that is not over. `event`: the one to link."""
    states = [state for state in current.snapshot().events.values() if not state.finished]
    states.sort(key=lambda state: (state.id != request.args.get("event"), state.live is None))
    return render.page("help.html", lines=HELP, states=states)


@route("GET /login", LOGIN)
def login_page() -> AnyResponse:
    if current.is_organizer():
        return redirect(safe_redirect_path(request.args.get("next"), "/console"))
    return render.page("login.html", target=safe_redirect_path(request.values.get("next"), "/console"))


@route("POST /login", LOGIN)
@forms.shows_problem_on(login_page)
def log_in() -> AnyResponse:
    if not current.begin_session(forms.field("pin")):
        raise Invalid("wrong_pin")
    # Another person does not see what the one before has typed.
    form = safe_redirect_path(forms.field("form"), "") if current.current_visit().returned else ""
    typed = MultiDict(
        (name.removeprefix(forms.CARRIED), text)
        for name, text in request.form.items(multi=True)
        if name.startswith(forms.CARRIED)
    )
    again = forms.show_again(form, typed) if form else None
    return again or redirect(_after_login(safe_redirect_path(forms.field("next"), "/console")), 303)


def _after_login(target: str) -> str:
    """Judges have a page of their own for a console."""
    who = current.current_staff()
    return (
        url_for("console.judge_hall_page") if target == "/console" and who is not None and who.role == JUDGE else target
    )


@route("POST /logout", LOGIN)
def log_out() -> AnyResponse:
    current.end_session()
    return redirect(url_for("pages.home_page"), 303)


JUDGE_TASK_KINDS = frozenset(
    {DISPUTE, ONE_PHONE, SECOND, ONE_SIDED, ELSEWHERE, DRAFT, "appeal", "proposal", "absent", "leave", "extra"}
)
"""The kinds of open tasks that are a judge's, beside calls."""


TABLE_DIGITS = 3


def judge_page_view(
    snapshot: Snapshot,
    units: Mapping[str, UnitStatus],
    saved_events: Iterable[SavedEvent],
    now: Instant,
    here: Collection[tuple[str, str, str]],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All calls, those not taken first, then by age; and the events of `saved_events`, with what their forms need. Of a
    call, `match` is "" for a unit at a table without a match; `sources`: "table", and the names of callers by phone;
    `since_ms`, the time of the first of them, identifies the call."""
    calls: dict[tuple[str, str], dict[str, Any]] = {}
    events = []
    for event in saved_events:
        state, names = event.state, full_names(event)
        grid = grid_cells(snapshot, units, state, state.live, names, now.mono_ms, here)
        tasks = open_tasks(snapshot, units, state, grid, names, now.mono_ms, played_ms(state, now))
        sources = {match: call.sources for match, call in state.calls.items()}
        for need in tasks:
            if need.kind == CALL:
                at = state.find_match(need.who_id)
                seat = at[1].match if at is not None else None
                # A unit at a table without a match is found at every event.
                calls.setdefault(
                    (state.id, need.who_id) if need.who_id else ("", need.unit or ""),
                    {
                        "event_id": state.id,
                        "event_name": state.name,
                        "match": need.who_id,
                        "unit": need.unit or "",
                        "table": need.table,
                        "a": names.get(seat.a, seat.a) if seat is not None else "",
                        "b": names.get(seat.b, seat.b) if seat is not None and seat.b else "",
                        "called_ms": need.since_ms,
                        "taken_by": need.taken_by,
                        "sources": _call_sources(sources.get(need.who_id, [f"unit:{need.unit}"]), names),
                        "since_ms": need.cell.call_since_ms if need.cell is not None else None,
                    },
                )
        needs = [need for need in tasks if need.kind in JUDGE_TASK_KINDS]
        events.append(
            {
                "moment": event,
                "names": names,
                "needs": needs,
                "need_rows": task_rows(needs),
                "steps": StepMarks(state),
                "desk": people_forms_view(event),
            }
        )
    return sorted(calls.values(), key=lambda call: (call["taken_by"] is not None, call["called_ms"])), events


def _call_sources(sources: Iterable[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """ "table" first, then the names of those who called by phone."""
    units = any(source.startswith("unit:") for source in sources)
    phones = sorted(
        names.get(who, who) for kind, _, who in (source.partition(":") for source in sources) if kind == "phone"
    )
    return (("table",) if units else ()) + tuple(phones)


@route("GET /console/judge", JUDGES)
def judge_hall_page() -> AnyResponse:
    """The judge's page over every event of the hall."""
    snapshot = current.snapshot()
    open_events = (saved_event(snapshot, event_id) for event_id, state in snapshot.events.items() if not state.finished)
    return _render_judge_page(
        PageKey("judge"), [event for event in open_events if event is not None and event.state.public_rounds]
    )


@route("GET /console/<event_id>/judge", JUDGES, VISIBLE)
def judge_event_page(event_id: str) -> AnyResponse:
    return _render_judge_page(PageKey("console", event_id), [current.event(event_id)])


def _render_judge_page(feed: PageKey, saved_events: list[SavedEvent]) -> AnyResponse:
    hub = current.hub()
    try:
        opened = _match_at({event.event_id for event in saved_events})
    except Problem as problem:
        g.problem, opened = problem, None
    if opened is not None:
        return opened
    calls, events = judge_page_view(
        current.snapshot(),
        current.units(),
        saved_events,
        Instant(hub.clocks.boot_id, current.now_ms()),
        hub.presence.seen_at_table,
    )
    return render.page(
        "judge.html",
        feed,
        calls=calls,
        events=events,
        several=len(events) > 1,
        cached_rows=render.render_cache().rows,
        one=saved_events[0].state if request.view_args else None,
    )


def _match_at(events: set[str]) -> AnyResponse | None:
    """Redirect to the match at the table typed ("?table=12"); None where none was typed."""
    typed = request.args.get("table", "").strip()[: TABLE_DIGITS + 1]
    if not typed:
        return None
    at_table = find_table(current.snapshot(), int(typed)) if typed.isdecimal() and len(typed) <= TABLE_DIGITS else None
    if at_table is None or at_table[2] is None or at_table[2].match.b is None or at_table[0].id not in events:
        raise Problem("no_match_at_table", table=typed)
    return redirect(url_for("console.match_page", event_id=at_table[0].id, match_id=at_table[2].id))
