"""Officials: their list, the judge's page for a phone, and warnings, disqualifications, rulings and extensions."""

import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from flask import g, redirect, request, url_for
from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import Instant
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import commands
from roundtap_core.event.lookups import require_entrant
from roundtap_core.event.person import Person
from roundtap_core.event.states import DISPUTE, ONE_PHONE, ONE_SIDED, SECOND, EventState, Official
from roundtap_core.forms.questions import SQUADS_MAX, parse_squad_ticks
from roundtap_core.names import clean_name
from roundtap_core.numbers import next_number
from roundtap_core.rulebooks.base import JUDGE, ORGANIZER
from roundtap_hub.app.todo import ELSEWHERE, open_tasks, task_rows
from roundtap_hub.http import routes
from roundtap_hub.live import current, forms, render
from roundtap_hub.live.page_versions import played_ms
from roundtap_hub.live.render import render_cache
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.judging_view import people_forms_view
from roundtap_hub.views.saved_event import SavedEvent, StepMarks, full_names, newest_round, saved_event
from roundtap_hub.views.tables import CALL, DRAFT, find_table, grid_cells
from roundtap_hub.views.unit_presence import UnitStatus

JUDGE_TASK_KINDS = frozenset(
    {DISPUTE, ONE_PHONE, SECOND, ONE_SIDED, ELSEWHERE, DRAFT, "appeal", "proposal", "absent", "leave", "extra"}
)
"""The kinds of open tasks that are a judge's, beside calls."""

TABLE_DIGITS = 3


@routes.route("POST /console/<event_id>/competitors/<competitor>/warn", routes.JUDGES, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "competitors")
def warn_player(event_id: str, competitor: str) -> None:
    forms.submit_command(
        event_id, commands.GiveWarning(competitor, forms.typed_reason(), forms.signing_official(event_id))
    )


@routes.route("POST /console/<event_id>/competitors/<competitor>/propose", routes.HEADS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "needs")
def propose_disqualification(event_id: str, competitor: str) -> None:
    forms.submit_command(
        event_id, commands.ProposeDisqualification(competitor, forms.typed_reason(), forms.signing_official(event_id))
    )


@routes.route("POST /console/<event_id>/competitors/<competitor>/decline", routes.JUDGES, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE)
def decline_proposal(event_id: str, competitor: str) -> None:
    forms.submit_command(event_id, commands.DeclineProposal(competitor, forms.signing_official(event_id)))


@routes.route(
    "POST /console/<event_id>/competitors/<competitor>/tick", routes.STAFF, routes.OPEN, only=routes.BEFORE_ROUND_1
)
@forms.shows_problem_on(forms.EVENT_PAGE, "competitors")
def record_check(event_id: str, competitor: str) -> None:
    forms.submit_command(event_id, commands.RecordCheck(competitor, forms.field("what"), forms.field("on") == "1"))


@routes.route(
    "POST /console/<event_id>/competitors/<competitor>/came-with",
    routes.HEADS_AND_DESK,
    routes.OPEN,
    only=routes.BEFORE_ROUND_1,
)
@forms.shows_problem_on(forms.EVENT_PAGE, "competitors")
def set_travel_group(event_id: str, competitor: str) -> None:
    forms.submit_command(event_id, commands.SetTravelGroup(competitor, clean_name(forms.field("came_with")) or None))


@routes.route("POST /console/<event_id>/match/<match_id>/ruling", routes.JUDGES, routes.PLAYING, routes.SHOWN_ROUND)
@forms.shows_problem_on(forms.MATCH_PAGE, "judge")
def record_ruling(event_id: str, match_id: str) -> None:
    forms.submit_command(
        event_id, commands.NoteRuling(match_id, forms.typed_reason("text"), forms.signing_official(event_id))
    )


@routes.route("POST /console/<event_id>/match/<match_id>/appeal", routes.JUDGES, routes.PLAYING, routes.SHOWN_ROUND)
@forms.shows_problem_on(forms.MATCH_PAGE, "judge")
def record_appeal(event_id: str, match_id: str) -> None:
    forms.submit_command(event_id, commands.Appeal(match_id, forms.field("competitor")))


@routes.route(
    "POST /console/<event_id>/match/<match_id>/appeal-decided", routes.HEADS, routes.PLAYING, routes.SHOWN_ROUND
)
@forms.shows_problem_on(forms.MATCH_PAGE, "judge")
def decide_appeal(event_id: str, match_id: str) -> None:
    """The head judge's decision; whether the ruling stands must be chosen, there is no default."""
    upheld = forms.field("upheld")
    if upheld not in ("0", "1"):
        raise Problem("appeal_how")
    decided = commands.DecideAppeal(
        match_id, forms.typed_reason("text"), upheld == "1", forms.signing_official(event_id)
    )
    forms.submit_command(event_id, decided)


@routes.route("POST /console/<event_id>/match/<match_id>/extension", routes.JUDGES, routes.PLAYING, routes.SHOWN_ROUND)
@forms.shows_problem_on(forms.MATCH_PAGE, "judge")
def give_extension(event_id: str, match_id: str) -> None:
    forms.submit_command(
        event_id,
        commands.TakeBackExtension(match_id, forms.signing_official(event_id))
        if forms.field("back")
        else commands.GrantExtension(
            match_id, forms.confirmed_minutes("minutes", "sure") or 0, forms.signing_official(event_id)
        ),
    )


@routes.route(
    "POST /console/<event_id>/match/<match_id>/picks",
    routes.STAFF,
    routes.PLAYING,
    routes.SHOWN_ROUND,
    routes.IN_OPEN_ROUNDS,
)
@forms.shows_problem_on(forms.EVENT_PAGE, "picks")
def record_picks(event_id: str, match_id: str) -> None:
    squads = parse_squad_ticks(request.form.getlist("picks")[:SQUADS_MAX])
    forms.submit_command(event_id, commands.SetPicks(match_id, tuple(squads), forms.field("lets_go")))


@routes.route("POST /console/<event_id>/officials", routes.ORGANIZERS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "officials")
def add_official(event_id: str) -> None:
    """Add an official: the name is stored with the people, the event knows an id."""
    moment = current.event(event_id)
    state, name = moment.state, clean_name(forms.field("name"))
    if not name:
        raise Invalid("no_names")
    new_id = f"o{next_number([*state.officials, *state.entrants, *moment.people], 'o')}"
    person, salt = Person(name), secrets.token_hex(16)
    new = _as_typed(Official(new_id, forms.field("role", JUDGE), person.digest(salt)))
    forms.submit_command(
        event_id,
        commands.SetOfficials((*_without_organizer(state, new), new)),
        [PersonRecord(event_id, new_id, salt, person)],
    )


@routes.route("POST /console/<event_id>/officials/<official>/change", routes.ORGANIZERS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "officials")
def change_official(event_id: str, official: str) -> None:
    def changed(before: Official) -> Official:
        return _as_typed(replace(before, role=forms.field("role", before.role)))

    _set_official(event_id, official, changed)


@routes.route("POST /console/<event_id>/officials/<official>/remove", routes.ORGANIZERS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "officials")
def remove_official(event_id: str, official: str) -> None:
    _set_official(event_id, official, lambda _: None)


@routes.route("POST /console/<event_id>/officials/<official>/duty", routes.HEADS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "officials")
def set_official_duty(event_id: str, official: str) -> None:
    forms.submit_command(event_id, commands.OfficialDuty(official, forms.field("on") == "1"))


def _as_typed(official: Official) -> Official:
    return replace(official, second=bool(forms.field("second")), plays=forms.field("plays") or None)


def _set_official(event_id: str, official_id: str, changed: Callable[[Official], Official | None]) -> None:
    state = current.event(event_id).state
    if official_id not in state.officials:
        raise Problem("unknown_official")
    new = changed(state.officials[official_id])
    others = _without_organizer(state, new) if new else tuple(state.officials.values())
    kept = tuple(new if o.id == official_id else o for o in others)
    forms.submit_command(event_id, commands.SetOfficials(tuple(o for o in kept if o is not None)))


def _without_organizer(state: EventState, new: Official) -> tuple[Official, ...]:
    """The officials; when `new` becomes the organizer, the one before becomes a judge, as there is only one."""
    if new.role != ORGANIZER:
        return tuple(state.officials.values())
    return tuple(
        replace(o, role=JUDGE) if o.role == ORGANIZER and o.id != new.id else o for o in state.officials.values()
    )


@routes.route(
    "POST /console/<event_id>/match/<match_id>/here",
    routes.STAFF,
    routes.PLAYING,
    routes.SHOWN_ROUND,
    routes.IN_OPEN_ROUNDS,
)
@forms.shows_problem_on(forms.EVENT_PAGE)
def mark_at_table(event_id: str, match_id: str) -> AnyResponse:
    """An official saw a player at the table who pressed no button: the player no longer counts as absent."""
    state = current.event(event_id).state
    require_entrant(state, forms.field("who"))
    current.hub().presence.mark_at_table(state.id, match_id, forms.field("who"))
    if forms.field("back"):
        return redirect(url_for("console.absentees_page", event_id=event_id), 303)
    return forms.back_to_event(event_id, "needs")


@routes.route("POST /console/<event_id>/officials/<official>/person", routes.ORGANIZERS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "officials")
def link_official_to_staff(event_id: str, official: str) -> None:
    """Set the member of staff whose PIN this official logs in with, if any."""
    if official not in current.event(event_id).state.officials:
        raise Problem("unknown_official")
    current.hub().access.organizers.staff.link_official(forms.field("person"), event_id, official, current.actor())


def judge_page_view(
    snapshot: Snapshot,
    units: Mapping[str, UnitStatus],
    moments: Iterable[SavedEvent],
    now: Instant,
    here: Collection[tuple[str, str, str]],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All calls, those not taken first, then by age; and the events of `moments`, with what their forms need. Of a
    call, `match` is "" for a unit at a table without a match; `sources`: "table", and the names of callers by phone;
    `since_ms`, the time of the first of them, identifies the call."""
    calls: dict[tuple[str, str], dict[str, Any]] = {}
    events = []
    for moment in moments:
        state, names = moment.state, full_names(moment)
        grid = grid_cells(snapshot, units, state, newest_round(state), names, now.mono_ms) if state.live else ()
        found = open_tasks(snapshot, units, state, grid, names, now.mono_ms, played_ms(state, now), here)
        sources = {match: call.sources for match, call in state.calls.items()}
        for need in found:
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
        needs = [need for need in found if need.kind in JUDGE_TASK_KINDS]
        events.append(
            {
                "moment": moment,
                "names": names,
                "needs": needs,
                "need_rows": task_rows(needs),
                "steps": StepMarks(state),
                "desk": people_forms_view(moment),
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


@routes.route("POST /console/<event_id>/call", routes.JUDGES, routes.VISIBLE)
@forms.shows_problem_on(forms.EVENT_PAGE)
def take_call(event_id: str) -> None:
    """Take a call: the table's screen shows who is on the way. `unit`: for a call from a table without a match."""
    if forms.field("match"):
        by = current.actor() if ":" in current.actor() else current.staff_name()
        forms.submit_command(event_id, commands.TakeCall(forms.field("match"), by))
    else:
        current.hub().presence.take_call(forms.field("unit"), current.staff_name())


@routes.route("POST /console/<event_id>/call/settled", routes.JUDGES, routes.VISIBLE)
@forms.shows_problem_on(forms.EVENT_PAGE)
def close_call(event_id: str) -> None:
    """Settle the call that the judge saw: the table's screen returns to its match."""
    since = forms.form_number("since")
    if forms.field("match"):
        forms.submit_command(event_id, commands.CloseCall(forms.field("match"), since))
    else:
        current.hub().presence.close_call(forms.field("unit"), since)


@routes.route("GET /console/judge", routes.JUDGES)
def judge_hall_page() -> AnyResponse:
    """The judge's page over every event of the hall."""
    snapshot = current.snapshot()
    found = (saved_event(snapshot, event_id) for event_id, state in snapshot.events.items() if not state.finished)
    return _render_judge_page(
        "judge", [moment for moment in found if moment is not None and moment.state.public_rounds]
    )


@routes.route("GET /console/<event_id>/judge", routes.JUDGES, routes.VISIBLE)
def judge_event_page(event_id: str) -> AnyResponse:
    return _render_judge_page(f"console/{event_id}", [current.event(event_id)])


def _render_judge_page(feed: str, moments: list[SavedEvent]) -> AnyResponse:
    hub = current.hub()
    try:
        opened = _match_at({moment.event_id for moment in moments})
    except Problem as problem:
        g.problem, opened = problem, None
    if opened is not None:
        return opened
    calls, events = judge_page_view(
        current.snapshot(),
        current.units(),
        moments,
        Instant(hub.clocks.boot_id, current.now_ms()),
        hub.presence.seen_at_table,
    )
    return render.page(
        "judge.html",
        feed,
        calls=calls,
        events=events,
        several=len(events) > 1,
        cached_rows=render_cache().rows,
        one=moments[0].state if request.view_args else None,
    )


def _match_at(events: set[str]) -> AnyResponse | None:
    """Redirect to the match at the table typed ("?table=12"); None where none was typed."""
    typed = request.args.get("table", "").strip()[: TABLE_DIGITS + 1]
    if not typed:
        return None
    found = find_table(current.snapshot(), int(typed)) if typed.isdecimal() and len(typed) <= TABLE_DIGITS else None
    if found is None or found[2] is None or found[2].match.b is None or found[0].id not in events:
        raise Problem("no_match_at_table", table=typed)
    return redirect(url_for("console.match_page", event_id=found[0].id, match_id=found[2].id))
