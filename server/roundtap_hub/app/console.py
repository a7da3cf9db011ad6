"""The places of one event's console, all drawn by one function; and the buttons that move the event forward."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from flask import abort, g, redirect, request
from msgspec import structs
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import commands
from roundtap_core.event.abandoned_match import leave_effect, leaves_after_round, match_ended_by_leaving, undo_leaving
from roundtap_core.event.event_flow import has_more_rounds
from roundtap_core.event.people import refuse_return
from roundtap_core.event.rounds import may_reset_clock
from roundtap_core.event.setup import point_count, structure_fixed_by, structure_is_open
from roundtap_core.event.states import EventState, RoundState, active_ids, seated_ids
from roundtap_core.records import SWISS
from roundtap_core.standings.tiebreakers import EACH
from roundtap_hub.app.next_step import PERSON, NextStep, clash_of, closed_forms, next_step
from roundtap_hub.app.todo import (
    OpenPointLine,
    OpenTask,
    cut_short_lines,
    open_tasks,
    points_before_round_1,
    task_rows,
)
from roundtap_hub.events.new_event import ABOUT_PLACES, flatten_options, option_path, options_view
from roundtap_hub.events.prizes import prize_lines
from roundtap_hub.http.routes import HEADS, JUST_FINISHED, OPEN, ORGANIZERS, PLAYING, STAFF, VISIBLE, PageKey, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.live.regions import RenderedPage
from roundtap_hub.paper.paper import asking_jobs
from roundtap_hub.store.models import is_damaged
from roundtap_hub.views import places, saved_event
from roundtap_hub.views.competitors import MISSING, WRONG, competitor_row, list_counts, list_states, roster
from roundtap_hub.views.judging_view import people_forms_view
from roundtap_hub.views.knockout import (
    bracket,
    cut_rows,
    cut_view,
    final_lines,
    has_draws,
    stage_key,
    standings_view,
    title_key,
)
from roundtap_hub.views.league_tables import leagues_of
from roundtap_hub.views.mending_view import waiting_count
from roundtap_hub.views.preflight_checks import table_units, unit_rows
from roundtap_hub.views.round_clock import ClockFace, TableClocks, clock_face, played_ms, table_clock_face, table_clocks
from roundtap_hub.views.tables import GridCell, absentee_names, grid_cells, seated_count

OFFICIALS, UNITS = "officials", "units"
Drawn = TypeVar("Drawn")

_FORMS = {
    OFFICIALS: (
        "console.add_official",
        "console.change_official",
        "console.remove_official",
        "console.set_official_duty",
    ),
    UNITS: ("console.place_unit",),
}

CLOCK_ACTIONS = ("start", "pause", "adjust", "set", "reset", "continue", "hold")
LINES = re.compile(r"[\d, …]{1,80}")
CLOCK_PART = "console_clock.html"  # the only part whose text moves
CLOCK_TEXT = re.compile(r"(\d{1,3})(?::([0-5]\d))?")


@dataclass(frozen=True, slots=True)
class DraftView:
    """A draft beside what its players have: their `points`, who is floated ((from points, to points)), and, of matches
    whose players met before, the rounds in which. `name`: of an elimination round."""

    drawn: RoundState
    name: str | None
    points: Mapping[str, int]
    floats: Mapping[str, tuple[int, int]]
    met: Mapping[str, Sequence[int]]


def draft_view(event: saved_event.SavedEvent) -> DraftView | None:
    draft = event.state.draft
    return (
        None
        if draft is None
        else DraftView(
            draft,
            title_key(event.state, draft),
            {competitor: row.points for competitor, row in saved_event.settled_rows(event).items()},
            {f["competitor"]: (f["from"], f["to"]) for f in draft.notes.get("floats", ())},
            _meetings(event, draft),
        )
    )


def _meetings(event: saved_event.SavedEvent, draft: RoundState) -> Mapping[str, Sequence[int]]:
    """The rounds of this stage in which the pairs of a draft met, by match."""
    rounds_met: dict[frozenset[str | None], list[int]] = {}
    for played in event.state.public_rounds:
        if played.stage == draft.stage == SWISS:
            for match in played.matches:
                rounds_met.setdefault(frozenset((match.match.a, match.match.b)), []).append(played.number)
    pairs = {m.id: frozenset((m.match.a, m.match.b)) for m in draft.matches if m.match.b}
    return {match: rounds_met[pair] for match, pair in pairs.items() if pair in rounds_met}


@route("GET /console/<event_id>", STAFF, VISIBLE)
def event_page(event_id: str, **_: str) -> AnyResponse:
    """Play; for a form with a Problem, the place where it stands."""
    return _show_place(event_id)


@route("GET /console/<event_id>/players", STAFF, VISIBLE)
def players_place(event_id: str) -> AnyResponse:
    return _show_place(event_id)


@route("GET /console/<event_id>/standings", STAFF, VISIBLE)
def standings_place(event_id: str) -> AnyResponse:
    return _show_place(event_id)


@route("GET /console/<event_id>/event", STAFF, VISIBLE)
def details_place(event_id: str) -> AnyResponse:
    return _show_place(event_id)


def _show_place(event_id: str) -> AnyResponse:
    """The place of this request. `since`: the version a browser shows; it gets what changed."""
    event, place = current.event(event_id), render.current_place()
    if place.key not in _PLACES:
        place = places.PLAY
    if request.method == "POST":
        g.address = place.path(event_id)
        return render.page_response(_draw(event, place))
    shown = current.shown_round(event.state)
    key = place.key, event_id, current.words().language, shown.number if shown else None, lines_marked()
    g.version = render.current_version(PageKey("console", event_id))
    newest, old = render.render_cache().page(
        key, g.version, current.now_ms(), partial(_draw, event, place), request.args.get("since")
    )
    return render.page_response(newest) if old is None else render.patch_response(old, newest)


def _draw(
    event: saved_event.SavedEvent, place: places.Place, before: RenderedPage | None = None, aged: bool = False
) -> RenderedPage:
    """A place as all roles share it (live/render.py takes out what a reader may not use); after a Problem, as this
    request sees it. `before`: an earlier rendering, whose time is not to be shown again if it is `aged`; while a round
    is played, only what has changed since is drawn."""
    look = look_at(event)
    source = _sources(look) if place is places.PLAY else {}
    if before is not None and source and before.source.get("") == source[""]:
        changed = [part for part, shown in source.items() if part and (before.source[part] != shown)]
        if aged and CLOCK_PART not in changed:
            changed.append(CLOCK_PART)
        drawn = _draw_tables(look, partial(_render, look, "console_in_play.html", changed=changed))
        return replace(
            before,
            version=drawn.version,
            regions={**before.regions, **drawn.regions},
            for_readers={},
            source=source,
            at_ms=drawn.at_ms if CLOCK_PART in changed else before.at_ms,
        )
    draw = partial(
        _render,
        look,
        f"console_{place.key}.html",
        planned=saved_event.planned_swiss(event.state),
        stage=stage_key(event.state),
        has_bracket=bracket(event) is not None,
        rulebook=event.state.rulebook,
        draws=has_draws(event),
    )
    return replace(_PLACES[place.key](look, draw), source=source)


def _sources(look: "EventLook") -> Mapping[str, object]:
    """What Play shows while a Swiss round is played, beside its tables and what needs the organizer, which are always
    drawn anew: by template, and under "" all that no entry in play changes. Empty where any entry may change more."""
    hub, state, snapshot = current.hub(), look.moment.state, current.snapshot()
    live = state.live
    if (
        live is None
        or not live.open_matches
        or live.stage != SWISS
        or state.cut
        or state.draft
        or current.shown_round(state) is not live
    ):
        return {}
    hall_time, paper = hub.host.hall_time, hub.paper
    byes = [match for match in live.matches if match.match.b is None]
    return {
        "": (
            [getattr(state, name) for name in saved_event.DECIDED],
            state.entrants,
            state.rounds[:-1],
            byes,
            structs.replace(live, matches=()),
            look.moment.people,
            snapshot.venue,
            hub.service.storage.lines(),
            paper and paper.mute_units,
            hub.units.proofs.known,
            hall_time and (hall_time.doubt(), int(hall_time.now_s() - current.now_ms() / 1000)),
        ),
        "places.html": open_things(state),
        CLOCK_PART: (state.clock, structs.replace(look.face, shown_ms=None, end_ms=None), may_reset_clock(state)),
    }


@dataclass(frozen=True, slots=True)
class EventLook:
    """What all places of an event's console show. `grid`: the newest round's tables; `needs`: what needs the organizer;
    `points`: what is open before round 1; `opened`: as `opened_part`."""

    moment: saved_event.SavedEvent
    names: Mapping[str, str]
    grid: Sequence[GridCell]
    needs: Sequence[OpenTask]
    points: Sequence[OpenPointLine]
    counted: TableClocks | None
    opened: str
    seated: tuple[int, int]
    face: ClockFace
    next: NextStep


def look_at(event: saved_event.SavedEvent) -> EventLook:
    """The event as this request sees it."""
    (grid, needs), snapshot, points = _current_tasks(event), current.snapshot(), points_before_round_1(event)
    counted = table_clocks(snapshot, current.units(), event.state, current.now_ms())
    seated = seated_count(snapshot, current.units(), event.state.live)
    return EventLook(
        event,
        saved_event.full_names(event),
        grid,
        needs,
        points,
        counted,
        opened_part(event),
        seated,
        clock_face(event.state, current.hub().clocks.now(), current.words(), official=True),
        next_step(
            event.state,
            seated,
            point_count(line.point for line in points),
            clash_of(snapshot.events, event.state),
            counted,
        ),
    )


def _render(look: EventLook, template: str, **more: Any) -> RenderedPage:
    state, words = look.moment.state, current.words()
    return render.render_page(
        template,
        PageKey("console", state.id),
        state=state,
        names=look.names,
        newest=saved_event.newest_round(state),
        grid=look.grid,
        needs=look.needs,
        points=look.points,
        point_count=point_count(line.point for line in look.points),
        closed=closed_forms(state, render.current_place().key, current.instant(), current.game_words(state)),
        clock=state.clock,
        missing=[cell for cell in look.grid if not cell.done],
        may_reset=may_reset_clock(state),
        face=look.face,
        rows=render.render_cache().rows(state.id, words.language),
        opened=look.opened,
        desk=people_forms_view(look.moment),
        counted=look.counted,
        seated=look.seated,
        names_in=lambda who: ", ".join(look.names[each] for each in who),
        next=look.next,
        option_warnings=[]
        if state.public_rounds
        else [warning.say(words) for warning in state.rulebook.option_warnings(state.given_options)],
        **more,
    )


def _current_tasks(event: saved_event.SavedEvent) -> tuple[Sequence[GridCell], Sequence[OpenTask]]:
    """The newest round's tables and what needs the organizer, read once for a request."""
    if "tasks" not in g:
        snapshot, hub, units, state = current.snapshot(), current.hub(), current.units(), event.state
        names, now, newest = saved_event.full_names(event), current.now_ms(), saved_event.newest_round(state)
        here = hub.presence.seen_at_table
        of = newest and newest.number, names, here, state.clock.state, state.given_options, snapshot.staff
        kept = render.render_cache().kept(("cells", state.id), of)
        grid = grid_cells(snapshot, units, state, newest, names, now, here, kept)
        tables = grid if state.live else ()
        g.tasks = grid, open_tasks(snapshot, units, state, tables, names, now, played_ms(state, hub.clocks.now()))
    grid, needs = g.tasks
    return grid, needs


def open_things(state: EventState | None) -> dict[str, int]:
    """The open things of all places, by kind (places.py): within an event its places, else the hub's."""
    if state is None:
        return {"preflight": render.todo_count(False)}
    event, before = current.event(state.id), not state.public_rounds and not state.finished
    here, lists = (saved_event.check_in_count(state), list_counts(event)) if before else (None, {})
    points = points_before_round_1(event)
    return {
        "tasks": len(_current_tasks(event)[1]) + point_count(line.point for line in points),
        "lists": lists.get(MISSING, 0) + lists.get(WRONG, 0),
        "awaited": here[1] - here[0] if here else 0,
        "paper": asking_jobs(state),
        "preflight": render.todo_count(not before),
        "points": sum(not point.list_of for point in points),
    }


Draw = Callable[..., RenderedPage]  # draws the rest of a page, which is given by name


def _draw_play(look: EventLook, draw: Draw) -> RenderedPage:
    state = look.moment.state
    return _draw_tables(
        look,
        partial(
            draw,
            final=final_lines(look.moment, look.names),
            prizes=prize_lines(look.moment, look.names),
            cut_rows=cut_rows(look.moment),
            playing=len(seated_ids(state) if state.finished else active_ids(state))
            or sum(each.active for each in state.entrants.values()),
            swiss=max(saved_event.planned_swiss(state) or 0, sum(r.stage == SWISS for r in state.public_rounds)),
            until=None
            if state.finished or state.rulebook.everybody or not structure_is_open(state)
            else structure_fixed_by(state),
            draft=draft_view(look.moment),
            cut=cut_view(look.moment, look.names),
        ),
    )


def _draw_tables(look: EventLook, draw: Draw) -> RenderedPage:
    snapshot, hub, units, now = current.snapshot(), current.hub(), current.units(), current.now_ms()
    state, names, shown, counted = look.moment.state, look.names, current.shown_round(look.moment.state), look.counted
    absent, live = absentee_names(state, look.grid), state.live is not None
    cells = (
        look.grid if shown is saved_event.newest_round(state) else grid_cells(snapshot, units, state, shown, names, now)
    )

    def cell_rows(some: Iterable[GridCell]) -> Iterator[render.RowSource]:
        for each in some:
            who = each.came_after_all if live else None
            yield each.match_id, (each, who and names.get(who), absent.get(each.match_id)), each

    return draw(
        cell_rows=cell_rows,
        need_rows=task_rows(look.needs),
        not_there=absent,
        shown=shown,
        shown_name=title_key(state, shown) if shown else None,
        open_cells=[cell for cell in cells if not cell.done],
        done_cells=[cell for cell in cells if cell.done],
        waits_before_start=waiting_count(state),
        table_clock=table_clock_face(state, counted, hub.clocks.now(), current.words())
        if counted is not None
        else None,
    )


def _draw_players(look: EventLook, draw: Draw) -> RenderedPage:
    event, state, opened = look.moment, look.moment.state, look.opened
    people, lists = roster(event), list_states(event)
    members = {team.id: team.members for team in saved_event.all_competitors(event)}

    def person_rows() -> Iterator[render.RowSource]:
        # The opened row holds what this request typed: it is never cached.
        own = object()
        for each in people:
            entrant = state.entrants[each.id]
            yield (
                each.id,
                (
                    each,
                    len(entrant.warnings),
                    entrant.officials_role,
                    lists[each.id].state,
                    members.get(each.id),
                    own if opened == f"person-{each.id}" else None,
                ),
                each,
            )

    draw = partial(
        draw,
        roster=people,
        marked=lines_marked(),
        person_rows=person_rows,
        members=members,
        lists=lists,
        told_lists=list_counts(event),
        counted_here=saved_event.check_in_count(state),
        damaged=[person.name for who, person in event.people.items() if is_damaged(who, person)],
    )
    return _draw_person(event, opened.removeprefix("person-"), draw) if opened.startswith("person-") else draw()


def _draw_standings(look: EventLook, draw: Draw) -> RenderedPage:
    final, rows = final_lines(look.moment, look.names), cut_rows(look.moment)
    return draw(view=standings_view(look.moment, look.names), final=final, cut_rows=rows)


def _draw_event(look: EventLook, draw: Draw) -> RenderedPage:
    state, snapshot, units = look.moment.state, current.snapshot(), current.units()
    at_tables = table_units(current.hub(), snapshot, units)
    return draw(
        leagues=list(leagues_of(snapshot, state.id)),
        short=cut_short_lines(look.moment),
        early=has_more_rounds(state),
        units_known=len(at_tables),
        roster=roster(look.moment),
        unit_rows=unit_rows(snapshot, at_tables, units, current.now_ms()) if look.opened == UNITS else (),
        options=options_view(state.rulebook),
        given_options=flatten_options(state.given_options),
        option_place=option_path,
        about_places=ABOUT_PLACES,
    )


_PLACES: Mapping[str, Callable[[EventLook, Draw], RenderedPage]] = {
    places.PLAY.key: _draw_play,
    places.PLAYERS.key: _draw_players,
    places.STANDINGS.key: _draw_standings,
    places.EVENT.key: _draw_event,
}


def lines_marked() -> str:
    """The lines of the form just sent from which unseen marks were taken ("?marked=1, 3")."""
    lines = request.args.get("marked", "")
    return lines if LINES.fullmatch(lines) else ""


@route("GET /console/<event_id>/person/<competitor>", STAFF, VISIBLE)
def person_page(event_id: str, competitor: str) -> AnyResponse:
    event = current.event(event_id)
    if competitor not in event.state.entrants:
        abort(404)
    name, desk = competitor_row(event, competitor).name, people_forms_view(event)
    part = partial(_part, event, "person_forms.html", f"person-{competitor}", name, desk=desk)
    return _draw_person(event, competitor, part)


@route("GET /console/<event_id>/officials", STAFF, VISIBLE)
def officials_page(event_id: str) -> AnyResponse:
    """The event's officials, and as whom they play."""
    event = current.event(event_id)
    return _part(
        event,
        "officials_forms.html",
        OFFICIALS,
        current.words()("officials.title"),
        desk=people_forms_view(event),
        roster=roster(event),
    )


@route("GET /console/<event_id>/units", STAFF, VISIBLE)
def event_units_page(event_id: str) -> AnyResponse:
    hub = current.hub()
    snapshot, statuses = current.snapshot(), hub.presence.units
    rows = unit_rows(snapshot, table_units(hub, snapshot, statuses), statuses, current.now_ms())
    return _part(current.event(event_id), "units_forms.html", UNITS, current.words()("units.title"), unit_rows=rows)


def _part(event: saved_event.SavedEvent, part: str, part_id: str, title: str, **context: Any) -> AnyResponse:
    state = event.state
    return render.page(
        "console_part.html",
        feed=PageKey("console", state.id),
        state=state,
        rulebook=state.rulebook,
        part=part,
        part_id=part_id,
        title=title,
        **context,
    )


def _draw_person(event: saved_event.SavedEvent, competitor: str, draw: Callable[..., Drawn]) -> Drawn:
    """`person_forms.html`, with what it shows beyond the event itself."""
    state, person, names = event.state, event.people.get(competitor), saved_event.full_names(event)
    leaving = leave_effect(state, competitor)
    return draw(
        p=competitor_row(event, competitor),
        person=person,
        person_closed=closed_forms(state, PERSON, current.instant(), current.game_words(state)),
        damaged_person=is_damaged(competitor, person),
        leaving=leaving,
        to=names.get(leaving.opponent, leaving.opponent),
        going=leaves_after_round(state, competitor),
        stays_out=_no_return_reason(event, competitor),
        plays_again=match_ended_by_leaving(state, competitor) if undo_leaving(state, competitor) else None,
    )


def _no_return_reason(event: saved_event.SavedEvent, competitor: str) -> str:
    """Why a player who has left cannot come back; "" for one who can."""
    try:
        refuse_return(event.state, event.state.entrants[competitor])
    except Problem as problem:
        return problem.say(current.words())
    return ""


def opened_part(event: saved_event.SavedEvent) -> str:
    """The part whose form has just been refused, which the answer shows open, as it was typed; else ""."""
    args = request.view_args or {}
    if request.method != "POST":
        return ""
    if args.get("competitor") in event.state.entrants:
        return f"person-{args['competitor']}"
    return next((place for place, endpoints in _FORMS.items() if request.endpoint in endpoints), "")


@route("POST /console/<event_id>/draw", ORGANIZERS, OPEN)
@forms.shows_problem_on(event_page)
def draw_round(event_id: str) -> AnyResponse:
    """Draw, or redraw. `attempt` is the draft the organizer saw (0: none), so that a second tap never draws twice."""
    draft = current.event(event_id).state.draft
    if (draft.attempt if draft else 0) != (forms.form_number("attempt") or 0):
        raise Problem("draft_changed_meanwhile")
    form = forms.field("tiebreak_form") or (draft.tiebreak_form if draft else None) or EACH
    forms.submit_command(event_id, commands.DrawRound(current.hub().new_seed(), tiebreak_form=form))
    return redirect(places.PLAY.path(event_id), 303)


@route("POST /console/<event_id>/tables", ORGANIZERS, OPEN)
@forms.shows_problem_on(event_page)
def move_tables(event_id: str) -> None:
    """Move matches off tables that another event uses, to free ones."""
    forms.submit_command(
        event_id, commands.MoveTables(forms.form_number("number") or 0, forms.form_number("attempt") or 0)
    )


@route("POST /console/<event_id>/discard", ORGANIZERS, OPEN)
@forms.shows_problem_on(event_page)
def discard_draft(event_id: str) -> None:
    forms.submit_command(event_id, commands.DiscardDraft())


@route("POST /console/<event_id>/publish", ORGANIZERS, OPEN)
@forms.shows_problem_on(event_page)
def publish_round(event_id: str) -> None:
    forms.submit_command(
        event_id, commands.PublishRound(forms.form_number("number") or 0, forms.form_number("attempt") or 0)
    )


@route("POST /console/<event_id>/clock", HEADS, PLAYING)
@forms.shows_problem_on(event_page)
def set_clock(event_id: str) -> None:
    """Start, pause, adjust, set or reset the clock. After a power cut `continue` or `hold` at a typed time, else at the
    time that the tables counted."""
    action, delta_ms = forms.form_choice("action", CLOCK_ACTIONS), 0
    if action == "adjust":
        delta_ms = max(-600, min(600, forms.form_number("minutes") or 0)) * 60_000
    elif action == "set":
        delta_ms = parse_clock(forms.field("time"))
    elif action in ("continue", "hold"):
        delta_ms = parse_clock(forms.field("time")) if forms.field("time") else _counted_ms(event_id)
    forms.submit_command(event_id, commands.SetClock(action, delta_ms))


def _counted_ms(event_id: str) -> int:
    """The time left as the tables show it now; where none counts any more, as the hub last knew it."""
    state = current.event(event_id).state
    counted = table_clocks(current.snapshot(), current.units(), state, current.now_ms())
    return counted.left_ms if counted is not None else state.clock.remaining_ms or 0


def parse_clock(text: str) -> int:
    """ "42" or "42:30" as milliseconds; Problem("clock_text") for anything else."""
    clock = CLOCK_TEXT.fullmatch(text)
    if clock is None:
        raise Invalid("clock_text", value=text[:20])
    return (int(clock[1]) * 60 + int(clock[2] or 0)) * 1000


@route("POST /console/<event_id>/extra", HEADS, PLAYING)
@forms.shows_problem_on(event_page)
def add_extra_minutes(event_id: str) -> None:
    """Set the random extra minutes of the round that the organizer was looking at."""
    minutes = forms.form_number("minutes")
    if minutes is None:
        raise Invalid("figure_missing")
    forms.submit_command(event_id, commands.SetExtraMinutes(forms.form_number("number") or 0, minutes))


@route("POST /console/<event_id>/finish", ORGANIZERS, PLAYING)
@forms.shows_problem_on(event_page)
def finish_event(event_id: str) -> None:
    forms.submit_command(event_id, commands.FinishEvent(forms.typed_reason()))


@route("POST /console/<event_id>/reopen", ORGANIZERS, JUST_FINISHED)
@forms.shows_problem_on(event_page)
def reopen_event(event_id: str) -> None:
    forms.submit_command(event_id, commands.ReopenEvent())


@route("POST /console/<event_id>/play-on", ORGANIZERS, OPEN)
@forms.shows_problem_on(event_page)
def publish_with_open_points(event_id: str) -> None:
    """Publish the drawn round and note the open points: those on the page (`point`), or all where none was sent."""
    seen = tuple(request.form.getlist("point")) or None
    command = commands.PublishRound(
        forms.form_number("number") or 0,
        forms.form_number("attempt") or 0,
        forms.typed_reason(),
        seen,
        forms.signing_official(event_id),
    )
    forms.submit_command(event_id, command)


@route("POST /console/<event_id>/cut", ORGANIZERS, PLAYING)
@forms.shows_problem_on(event_page)
def record_cut(event_id: str) -> None:
    forms.submit_command(event_id, commands.MakeCut())


@route("POST /console/<event_id>/cut/back", ORGANIZERS, PLAYING)
@forms.shows_problem_on(event_page)
def take_back_cut(event_id: str) -> None:
    forms.submit_command(event_id, commands.WithdrawCut())


@route("POST /console/<event_id>/cut/accepted", ORGANIZERS, PLAYING)
@forms.shows_problem_on(event_page)
def accept_offered_place(event_id: str) -> None:
    forms.submit_command(event_id, commands.AcceptPlace(forms.field("competitor")))


@route("POST /console/<event_id>/cut/declined", ORGANIZERS, PLAYING)
@forms.shows_problem_on(event_page)
def decline_offered_place(event_id: str) -> None:
    forms.submit_command(event_id, commands.DeclinePlace(forms.field("competitor")))


@route("POST /console/<event_id>/cut/present", ORGANIZERS, PLAYING)
@forms.shows_problem_on(event_page)
def continue_with_present(event_id: str) -> None:
    """Continue with those present: players on the list (`asked`) who are not marked `present` are passed over."""
    there = set(request.form.getlist("present"))
    absent = tuple(who for who in request.form.getlist("asked") if who not in there)
    forms.submit_command(event_id, commands.PassOverAbsentees(absent))
