"""The console: all events; one event with its next step, its tables and parts; and the buttons that move it forward."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator
from typing import Any

from flask import abort, current_app, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import commands
from roundtap_core.event.leaving import leave_effect, leaves_after_round, match_ended_by_leaving, undo_leaving
from roundtap_core.event.people import refuse_return
from roundtap_core.event.rounds import may_reset
from roundtap_core.event.setup import ABOUT, structure_is_open
from roundtap_core.event.state import EventState, RoundState
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.standings.tiebreakers import EACH
from roundtap_hub.access import visit
from roundtap_hub.access.policy import HEADS, JUST_FINISHED, OPEN, ORGANIZERS, PLAYING, STAFF, VISIBLE, route
from roundtap_hub.events import event_at
from roundtap_hub.events.event_list import archived_list, listed_events
from roundtap_hub.events.event_options import flatten_options, options_view, place
from roundtap_hub.events.next_step import clash_of, draft_view, next_step
from roundtap_hub.events.todo import cut_short_lines, open_tasks, points_before_round_1
from roundtap_hub.judging.judging_view import people_forms_view
from roundtap_hub.people.absentees import absentee_names
from roundtap_hub.people.competitors import competitor_row, roster
from roundtap_hub.people.lists import list_counts, list_states
from roundtap_hub.results.standings_table import has_draws
from roundtap_hub.rounds.knockout import bracket, cut_rows, cut_view, final_lines, title_key
from roundtap_hub.rounds.mending_view import waiting_count
from roundtap_hub.rounds.round_clock import clock_face, table_clock_face, table_clocks
from roundtap_hub.rounds.tables import GridCell, grid_cells, seated_count
from roundtap_hub.serving import web
from roundtap_hub.serving.page_versions import played_ms
from roundtap_hub.serving.regions import Rendered, diff_pages
from roundtap_hub.serving.renderings import RENDER_CACHE, RenderCache, RowSource
from roundtap_hub.store.command_pipeline import may_archive
from roundtap_hub.store.person_rows import is_damaged
from roundtap_hub.units.unit_list import table_units, unit_rows

# Okabe and Ito's colours, distinct for colour-blind eyes, without the two that mark the sides of a table.
COLORS = ("#00785A", "#882255", "#8A4B08", "#4B2E83", "#37474F", "#A3262A", "#0072B2")

ABOUT_PLACES = tuple(f"/{key}" for key in ABOUT)
"""The places that a Problem with the event's own details names."""

OFFICIALS, UNITS = "officials", "units"


@route("GET /console", STAFF)
def events(**_: str) -> AnyResponse:
    """All events, and the form for a new one."""
    snapshot = web.current_snapshot()
    lines = listed_events(snapshot)
    used = {event.color.upper() for event in lines}
    free = next((color for color in COLORS if color.upper() not in used), COLORS[0])
    wanted = (request.form if request.method == "POST" else request.args).get("rulebook", "")
    book = RULEBOOKS.get(wanted) or next(iter(RULEBOOKS.values()))
    return web.page("console_events.html", feed="console", known=len(snapshot.ids), events=lines,
                    archived=archived_list(snapshot),
                    may_archive=[line.id for line in lines if may_archive(snapshot, line.id)], rulebooks=RULEBOOKS,
                    colors=COLORS, free=free, book=book, options=options_view(book), option_place=place,
                    about_places=ABOUT_PLACES)


@route("GET /console/<event_id>", STAFF, VISIBLE)
def event(event_id: str, **_: str) -> AnyResponse:
    """One event's console, to which its forms return. `since`: the version a browser shows; it gets what changed."""
    moment = web.current_event(event_id)
    if request.method == "POST":
        return web.page_response(_draw(moment))
    feed, shown = f"console/{event_id}", shown_round(moment.state)
    who = visit.current_staff()
    key = (event_id, web.words().language, shown.number if shown else None, who.role if who is not None else "")
    since = request.args.get("since")
    newest, old = render_cache().page(key, web.current_version(feed), web.now_ms(), lambda: _draw(moment), since)
    return web.page_response(newest) if old is None else web.patch_response(diff_pages(old, newest))


def render_cache() -> RenderCache:
    kept: RenderCache = current_app.extensions[RENDER_CACHE]
    return kept


def _draw(moment: event_at.EventAt) -> Rendered:
    """The console as all of one role see it; after a Problem, as this request sees it."""
    snapshot, hub = web.current_snapshot(), web.current_hub()
    state, units, now = moment.state, web.current_units(), web.now_ms()
    event_id = state.id
    names = event_at.full_names(moment)
    newest, shown = event_at.newest_round(state), shown_round(state)
    points = points_before_round_1(moment)
    grid = grid_cells(snapshot, units, state, newest, names, now)
    seated = seated_count(snapshot, units, state.live)
    absent = absentee_names(units, state, grid, hub.presence.seen_at_table)
    opened = opened_part(moment)
    known = table_units(hub, snapshot, units)
    counted = table_clocks(snapshot, units, state, now)
    step = next_step(state, seated, len(points), clash_of(snapshot.events, state), counted)
    people, lists = roster(moment), list_states(moment)

    def person_rows() -> Iterator[RowSource]:
        # The opened row holds what this request typed: it is never cached.
        own = object()
        for each in people:
            entrant = state.entrants[each.id]
            yield each.id, (each, len(entrant.warnings), entrant.officials_role, lists[each.id].state,
                            own if opened == f"person-{each.id}" else None), each

    def cell_rows(some: Iterable[GridCell]) -> Iterator[RowSource]:
        for each in some:
            yield each.match_id, (each.shown, names.get(each.came_after_all or "") if state.live else "",
                                  absent.get(each.match_id)), each

    return web.render_page(
        "console.html", feed=f"console/{event_id}", state=state, moment=moment, names=names,
        public=event_at.shown_names(moment),
        newest=newest, grid=grid, missing=[cell for cell in grid if not cell.done], seated=seated,
        rows=render_cache().rows(event_id, web.words().language), person_rows=person_rows, cell_rows=cell_rows,
        next=step, names_in=lambda who: ", ".join(names[each] for each in who), shown=shown, points=points,
        shown_name=title_key(state, shown) if shown else None,
        shown_grid=grid if shown is newest else grid_cells(snapshot, units, state, shown, names, now),
        needs=open_tasks(snapshot, units, state, grid if state.live else (), names, now,
                         played_ms(state, hub.clocks.now()), hub.presence.seen_at_table),
        short=cut_short_lines(moment), draft=draft_view(moment, names), waits_before_start=waiting_count(state),
        planned=event_at.planned_rounds(state), roster=people, lists=lists,
        told_lists=list_counts(moment), not_there=absent, counted_here=event_at.check_in_count(state),
        cut=cut_view(moment, names), cut_rows=cut_rows(moment), draws=has_draws(state),
        final=final_lines(moment, names),
        has_bracket=bracket(moment) is not None,
        units_known=len(known), opened=opened,
        damaged=[person.name for who, person in moment.people.items() if is_damaged(who, person)],
        **(person_context(moment, opened.removeprefix("person-")) if opened.startswith("person-") else {}),
        unit_rows=unit_rows(snapshot, known, units, now) if opened == UNITS else (), clock=state.clock,
        may_reset=may_reset(state),
        counted=table_clock_face(state, counted, hub.clocks.now(), web.words()) if counted is not None else None,
        desk=people_forms_view(moment), face=clock_face(state, hub.clocks.now(), web.words(), official=True),
        rulebook=state.rulebook,
        structure_open=structure_is_open(state) and not state.finished,
        options=options_view(state.rulebook), given_options=flatten_options(state.given_options), option_place=place,
        about_places=ABOUT_PLACES,
        option_warnings=[] if state.public_rounds else [
            warning.say(web.words()) for warning in state.rulebook.option_warnings(state.given_options)],
    )


def shown_round(state: EventState) -> RoundState | None:
    """The round whose tables are on the page: the newest, or the one whose tab was chosen ("?round=2")."""
    wanted = request.values.get("round", "")
    return next((played for played in state.public_rounds if str(played.number) == wanted),
                event_at.newest_round(state))


@route("GET /console/<event_id>/person/<competitor>", STAFF, VISIBLE)
def person(event_id: str, competitor: str) -> AnyResponse:
    moment = web.current_event(event_id)
    if competitor not in moment.state.entrants:
        abort(404)
    context = person_context(moment, competitor)
    return _part(moment, "person_forms.html", f"person-{competitor}", context["p"].name, desk=people_forms_view(moment),
                 **context)


@route("GET /console/<event_id>/officials", STAFF, VISIBLE)
def officials(event_id: str) -> AnyResponse:
    """The event's officials, and as whom they play."""
    moment = web.current_event(event_id)
    return _part(moment, "officials_forms.html", OFFICIALS, web.words()("officials.title"),
                 desk=people_forms_view(moment), roster=roster(moment))


@route("GET /console/<event_id>/units", STAFF, VISIBLE)
def units(event_id: str) -> AnyResponse:
    """Where each table unit stands."""
    hub = web.current_hub()
    snapshot, statuses = web.current_snapshot(), hub.presence.units
    rows = unit_rows(snapshot, table_units(hub, snapshot, statuses), statuses, web.now_ms())
    return _part(web.current_event(event_id), "units_forms.html", UNITS, web.words()("units.title"), unit_rows=rows)


def _part(moment: event_at.EventAt, part: str, place: str, title: str, **context: Any) -> AnyResponse:
    state = moment.state
    return web.page("console_part.html", feed=f"console/{state.id}", state=state, rulebook=state.rulebook, part=part,
                    place=place, title=title, **context)


def person_context(moment: event_at.EventAt, competitor: str) -> dict[str, Any]:
    """The context of `person_forms.html`, beyond the event itself."""
    state, person, names = moment.state, moment.people.get(competitor), event_at.full_names(moment)
    leaving = leave_effect(state, competitor)
    return {"p": competitor_row(moment, competitor), "person": person, "damaged_person": is_damaged(competitor, person),
            "leaving": leaving, "to": names.get(leaving.opponent, leaving.opponent),
            "going": leaves_after_round(state, competitor), "stays_out": _no_return_reason(moment, competitor),
            "plays_again": match_ended_by_leaving(state, competitor) if undo_leaving(state, competitor) else None}


def _no_return_reason(moment: event_at.EventAt, competitor: str) -> str:
    """Why a player who has left cannot come back; "" for one who can."""
    try:
        refuse_return(moment.state, moment.state.entrants[competitor])
    except Problem as problem:
        return problem.say(web.words())
    return ""


def opened_part(moment: event_at.EventAt) -> str:
    """The part whose form has just been refused, which the answer shows open, as it was typed; else ""."""
    args = request.view_args or {}
    if request.method != "POST":
        return ""
    if args.get("competitor") in moment.state.entrants:
        return f"person-{args['competitor']}"
    return next((place for place, endpoints in _FORMS.items() if request.endpoint in endpoints), "")


_FORMS = {
    OFFICIALS: tuple(f"console.{what}_official" for what in ("add", "change", "remove", "duty")),
    UNITS: ("console.place_unit",),
}


SEED_BITS = 53
CLOCK_ACTIONS = ("start", "pause", "adjust", "set", "reset", "continue", "hold")
CLOCK_TEXT = re.compile(r"(\d{1,3})(?::([0-5]\d))?")


@route("POST /console/<event_id>/draw", ORGANIZERS, OPEN)
@web.shows_problem_on(event)
def draw(event_id: str) -> AnyResponse:
    """Draw, or redraw. `attempt` is the draft the organizer saw (0: none), so that a second tap never draws twice."""
    draft = web.current_event(event_id).state.draft
    in_hand = draft.draw.attempt if draft and draft.draw else 0
    if in_hand != (web.whole_number("attempt") or 0):
        raise Problem("draft_changed_meanwhile")
    form = web.field("tiebreak_form") or (draft.tiebreak_form if draft else None) or EACH
    return web.submit_and_redirect(event_id, commands.DrawRound(secrets.randbits(SEED_BITS), tiebreak_form=form))


@route("POST /console/<event_id>/tables", ORGANIZERS, OPEN)
@web.shows_problem_on(event)
def move_tables(event_id: str) -> AnyResponse:
    """Move matches off tables that another event uses, to free ones."""
    return web.submit_and_redirect(event_id, commands.MoveTables(web.whole_number("number") or 0,
                                                                 web.whole_number("attempt") or 0))


@route("POST /console/<event_id>/discard", ORGANIZERS, OPEN)
@web.shows_problem_on(event)
def discard(event_id: str) -> AnyResponse:
    return web.submit_and_redirect(event_id, commands.DiscardDraft())


@route("POST /console/<event_id>/publish", ORGANIZERS, OPEN)
@web.shows_problem_on(event)
def publish(event_id: str) -> AnyResponse:
    return web.submit_and_redirect(event_id,
                               commands.PublishRound(web.whole_number("number") or 0, web.whole_number("attempt") or 0))


@route("POST /console/<event_id>/clock", HEADS, PLAYING)
@web.shows_problem_on(event)
def clock(event_id: str) -> AnyResponse:
    """Start, pause, adjust, set or reset the clock. After a power cut `continue` or `hold` at a typed time, else at the
    time that the tables counted."""
    action, delta_ms = web.one_of("action", CLOCK_ACTIONS), 0
    if action == "adjust":
        delta_ms = max(-600, min(600, web.whole_number("minutes") or 0)) * 60_000
    elif action == "set":
        delta_ms = parse_clock(web.field("time"))
    elif action in ("continue", "hold"):
        delta_ms = parse_clock(web.field("time")) if web.field("time") else _counted_ms(event_id)
    return web.submit_and_redirect(event_id, commands.SetClock(action, delta_ms))


def _counted_ms(event_id: str) -> int:
    """The time left as the tables show it now; where none counts any more, as the hub last knew it."""
    state = web.current_event(event_id).state
    counted = table_clocks(web.current_snapshot(), web.current_units(), state, web.now_ms())
    return counted.left_ms if counted is not None else state.clock.remaining_ms or 0


def parse_clock(text: str) -> int:
    """ "42" or "42:30" as milliseconds; Problem("clock_text") for anything else."""
    found = CLOCK_TEXT.fullmatch(text)
    if found is None:
        raise Invalid("clock_text", value=text[:20])
    return (int(found[1]) * 60 + int(found[2] or 0)) * 1000


@route("POST /console/<event_id>/extra", HEADS, PLAYING)
@web.shows_problem_on(event)
def extra_minutes(event_id: str) -> AnyResponse:
    """Set the random extra minutes of the round that the organizer was looking at."""
    minutes = web.whole_number("minutes")
    if minutes is None:
        raise Invalid("figure_missing")
    return web.submit_and_redirect(event_id, commands.SetExtraMinutes(web.whole_number("number") or 0, minutes))


@route("POST /console/<event_id>/finish", ORGANIZERS, PLAYING)
@web.shows_problem_on(event)
def finish(event_id: str) -> AnyResponse:
    return web.submit_and_redirect(event_id, commands.FinishEvent(web.typed_reason()))


@route("POST /console/<event_id>/reopen", ORGANIZERS, JUST_FINISHED)
@web.shows_problem_on(event)
def reopen(event_id: str) -> AnyResponse:
    return web.submit_and_redirect(event_id, commands.ReopenEvent())


@route("POST /console/<event_id>/play-on", ORGANIZERS, OPEN)
@web.shows_problem_on(event)
def play_on(event_id: str) -> AnyResponse:
    """Publish the drawn round and note the open points: those on the page (`point`), or all where none was sent."""
    seen = tuple(request.form.getlist("point")) or None
    command = commands.PublishRound(web.whole_number("number") or 0, web.whole_number("attempt") or 0,
                                    web.typed_reason(),
                                    seen, web.signing_official(event_id))
    return web.submit_and_redirect(event_id, command)


@route("POST /console/<event_id>/cut", ORGANIZERS, PLAYING)
@web.shows_problem_on(event)
def cut(event_id: str) -> AnyResponse:
    return web.submit_and_redirect(event_id, commands.MakeCut())


@route("POST /console/<event_id>/cut/back", ORGANIZERS, PLAYING)
@web.shows_problem_on(event)
def cut_back(event_id: str) -> AnyResponse:
    return web.submit_and_redirect(event_id, commands.WithdrawCut())


@route("POST /console/<event_id>/cut/accepted", ORGANIZERS, PLAYING)
@web.shows_problem_on(event)
def place_accepted(event_id: str) -> AnyResponse:
    return web.submit_and_redirect(event_id, commands.AcceptPlace(web.field("competitor")))


@route("POST /console/<event_id>/cut/declined", ORGANIZERS, PLAYING)
@web.shows_problem_on(event)
def place_declined(event_id: str) -> AnyResponse:
    return web.submit_and_redirect(event_id, commands.DeclinePlace(web.field("competitor")))


@route("POST /console/<event_id>/cut/present", ORGANIZERS, PLAYING)
@web.shows_problem_on(event)
def present(event_id: str) -> AnyResponse:
    """Continue with those present: players on the list (`asked`) who are not marked `present` are passed over."""
    there = set(request.form.getlist("present"))
    absent = tuple(who for who in request.form.getlist("asked") if who not in there)
    return web.submit_and_redirect(event_id, commands.PassOver(absent))
