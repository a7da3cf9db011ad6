"""The public pages: name search, a player's table, pairings, standings, bracket, rules. With public names only."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from flask import abort, request
from msgspec import Struct
from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.elimination.bracket_picture import bracket_svg
from roundtap_core.errors import Problem
from roundtap_core.event import event_flow
from roundtap_core.event.states import TO_CONFIRM, EventState, Official, active_ids
from roundtap_core.names import find, search_text
from roundtap_core.records import RULING, SECOND_SWISS, SWISS_STAGES, TIEBREAK, Side, other_side
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.coverage import bye_worth, coverage, full_win_lead, outcome_points, stage_minutes
from roundtap_hub.http.routes import EVERYBODY, VISIBLE, PageKey, route
from roundtap_hub.live import current, render
from roundtap_hub.live.page_shapes import ShapedPage, Slots, shaped
from roundtap_hub.phones.phone_versions import PUBLIC
from roundtap_hub.views import knockout, saved_event
from roundtap_hub.views.competitors import owed_squads
from roundtap_hub.views.judging_view import played_on_lines
from roundtap_hub.views.league_tables import leagues_of
from roundtap_hub.views.mending_view import mend_lines
from roundtap_hub.views.round_clock import ClockFace, clock_face, clock_text, public_clock, time_of_day
from roundtap_hub.views.store_games import said_rules
from roundtap_hub.views.tables import (
    GridCell,
    PreGameChoice,
    ShownResult,
    grid_cell,
    grid_cells,
    pre_game_choice,
    result_worth,
    shown_result,
)

MOV = "mov"

LONG_NAME = 14  # letters of a name that fill a phone's line in its largest type

UNSET_DEFAULTS: Mapping[str, Any] = {"third_place_match": False, "full_names": False, "prize_places": None}
"""Values of options that neither the event nor the rulebook's defaults set."""

SHOWN_ELSEWHERE = frozenset({"stages", "prize_places"})


class Correction(Struct, frozen=True):
    """A competitor's match that an official corrected; `name`: the round's own, if any."""

    number: int
    name: str | None
    against: str
    side: Side
    result: ShownResult


class PlayerView(Struct, frozen=True):
    """The page of one competitor. `cell`: None without a match in the newest round. `owed`: letters of the squads still
    to be fielded, "C D"; `must`: every pick left has to be one of them. `status`: "disqualified", "dropped" or None.
    `margins`: of each match so far, where the rulebook has players note them: (round, opponent or None, margin).
    `to_confirm`: signed up by phone, not yet confirmed at the desk. `winner`: the event's, "" until it is known."""

    name: str
    active: bool
    number: int
    cell: GridCell | None
    side: Side | None
    opponent: str | None
    long_opponent: bool
    opponent_record: str
    record: str
    figures: tuple[knockout.TiebreakCell, ...]
    rank: int | None
    of: int
    worth: Mapping[str, tuple[str, str]]
    standing: event_flow.CourseStanding | None
    round_name: str | None
    tiebreak: bool
    before_play: PreGameChoice | None
    owed: str
    must: bool
    status: str | None
    corrected: list[Correction]
    margins: list[tuple[int, str | None, int]]
    to_confirm: bool
    planned: int | None
    has_bracket: bool
    won: bool
    winner: str


def player_view(event: saved_event.SavedEvent, competitor: str) -> PlayerView:
    """What a page shows of one player; 404 for an unknown one."""
    state, names = event.state, saved_event.shown_names(event)
    entrant = state.entrants.get(competitor)
    if entrant is None:
        abort(404)
    newest = saved_event.newest_round(state)
    match = saved_event.current_matches(event).get(competitor)
    side: Side | None = None
    opponent = cell = before_play = None
    worth: Mapping[str, tuple[str, str]] = {}
    if match is not None and newest is not None:
        side = "a" if match.match.a == competitor else "b"
        opponent = match.match.competitor(other_side(side))
        cell = grid_cell(current.snapshot(), current.units(), state, match, names, current.now_ms())
        worth = result_worth(state, newest, match)
        before_play = pre_game_choice(state, newest, match) if match.match.result is None else None
    plays = state.plays(competitor)
    row = saved_event.settled_rows(event).get(competitor)
    record, values = knockout.record_of(event, competitor)
    standing, winner = knockout.standing_of(event, competitor), knockout.winner_of(event)
    against = names.get(opponent, opponent) if opponent else None
    goes_on = plays and newest and not state.finished and (standing is None or standing.key in event_flow.STILL_IN)
    owed, must = owed_squads(state, competitor) if goes_on else ("", False)
    return PlayerView(
        name=names[competitor],
        active=plays,
        number=newest.number if newest else 0,
        cell=cell,
        side=side,
        opponent=against,
        long_opponent=against is not None and len(against) > LONG_NAME,
        opponent_record=knockout.record_of(event, opponent)[0] if opponent else "",
        record=record,
        figures=values,
        rank=row.rank if row and row.rounds else None,
        of=saved_event.ranked_count(event),
        worth=worth,
        standing=standing,
        round_name=knockout.title_key(state, newest, match) if newest else None,
        tiebreak=newest is not None and newest.stage == TIEBREAK,
        before_play=before_play,
        owed=owed,
        must=must,
        status=state.status_now(competitor),
        corrected=list(_corrections(event, competitor, names)),
        margins=list(_margins(event, competitor, names)),
        to_confirm=entrant.sign_up == TO_CONFIRM,
        planned=saved_event.planned_swiss(state),
        has_bracket=knockout.bracket(event) is not None,
        won=winner == competitor,
        winner=names[winner] if winner is not None else "",
    )


def open_view(view: PlayerView, slot: Callable[[Any], Any]) -> PlayerView:
    """The same with a `slot` wherever the page differs from another one of its shape (live/page_shapes.py)."""
    # What stands beside all regions, as the title, is compared as well: in every shape the name has the same slot.
    name, cell, standing = slot(view.name), view.cell, view.standing
    if cell is not None:
        # What the page does not show is no part of its shape.
        cell = GridCell(
            match_id="",
            table=slot(cell.table),
            a="",
            b=None,
            a_id="",
            b_id=None,
            bye=cell.bye,
            state=cell.state,
            revision=0,
            result=cell.result and _open_result(cell.result, slot),
            second=cell.second,
            call_taken_by=cell.call_taken_by,
            call_since_ms=cell.call_since_ms and 0,
            extension_minutes=cell.extension_minutes,
            done=cell.done,
        )
    return replace(
        view,
        name=name,
        opponent=slot(view.opponent),
        cell=cell,
        opponent_record=slot(view.opponent_record),
        record=slot(view.record),
        figures=tuple([replace(each, text=slot(current.words().number(each.text)), exact="") for each in view.figures]),
        rank=slot(view.rank),
        of=slot(view.of),
        worth={key: tuple(map(slot, pair)) for key, pair in view.worth.items()},
        corrected=[
            replace(each, against=slot(each.against), result=_open_result(each.result, slot)) for each in view.corrected
        ],
        margins=[(number, slot(against), slot(figure)) for number, against, figure in view.margins],
        standing=standing and replace(standing, seed=slot(standing.seed), place=slot(standing.place)),
    )


def _open_result(result: ShownResult, slot: Callable[[Any], Any]) -> ShownResult:
    if not result.scored or result.ended == RULING:
        return result  # Whether its figures are shown depends on them.
    second = result.second and (slot(result.second[0]), slot(result.second[1]))
    return replace(result, a=slot(result.a), b=slot(result.b), second=second)


def open_event(event: saved_event.SavedEvent, face: ClockFace, slots: Slots) -> tuple[ClockFace, object]:
    """A player's clock with a slot for its time, and all else that such a page shows of its event and of the hall."""
    state, snapshot = event.state, current.snapshot()
    said = [
        replace(each, left_ms=slots.add(clock_text(each.left_ms)) if each.counted else None)
        for each in render.said_to(state.id)
    ]
    offered = saved_event.open_sign_ups(snapshot) if state.finished else []
    restored = snapshot.venue.restore_state is not None
    # The template shows these very ones: who has the shape later shall not see what was saved while it was drawn.
    slots.context = {**slots.context, "said_to": lambda _: said, "sign_ups": lambda: offered, "restored": restored}
    shape = (
        saved_event.decided_version(event),
        state.live is None,
        state.clock.total_ms is None,
        restored,
        [(each.id, each.name) for each in offered],
        said,
        current.words().language,
        slots.values[0] != "",  # the time of day
    )
    return replace(face, shown_ms=slots.add(clock_text(face.shown_ms))), shape


def _margins(
    event: saved_event.SavedEvent, competitor: str, names: Mapping[str, str]
) -> Iterator[tuple[int, str | None, int]]:
    """What a score sheet says of margins ("Höhe des Sieges": both note theirs) in Swiss rounds, the first one first:
    none counts after them."""
    state = event.state
    for played, match in saved_event.played_matches(event, competitor):
        seat = match.match
        if played.stage not in SWISS_STAGES or (seat.result is None and seat.bye is None):
            continue
        side: Side = "a" if seat.a == competitor else "b"
        totals = event_flow.situation_of(state, played, match).list_totals(seat)
        try:
            figure = state.rulebook.tally(seat, side, state.options, totals).figures.get(MOV)
        except Problem:
            continue  # An imported figure that no game ends with.
        if figure is not None:
            across = seat.competitor(other_side(side))
            yield played.number, names.get(across, across) if across else None, figure


def _corrections(event: saved_event.SavedEvent, competitor: str, names: Mapping[str, str]) -> Iterator[Correction]:
    """The latest round first."""
    for played, match in reversed(saved_event.played_matches(event, competitor)):
        seat = match.match
        if match.corrected and seat.result is not None and seat.b is not None:
            side: Side = "a" if seat.a == competitor else "b"
            across, name = seat.competitor(other_side(side)) or "", knockout.title_key(event.state, played, match)
            result = shown_result(seat.result, event.state, match)
            yield Correction(played.number, name, names.get(across, across), side, result)


@dataclass(frozen=True, slots=True)
class CompetitorHit:
    """A competitor found by a search; `members`: a team's, as the hall may read them; `status` as in the standings."""

    id: str
    name: str
    status: str | None
    members: tuple[str, ...] = ()


def search_competitors(event: saved_event.SavedEvent, query: str = "") -> list[CompetitorHit]:
    """All competitors that `query` finds by their own or a member's name, by name."""
    names, members = saved_event.shown_names(event), saved_event.shown_members(event)
    state = event.state
    hits = [CompetitorHit(who, names[who], state.status_now(who), members.get(who, ())) for who in state.entrants]
    return sorted(
        find(query, hits, lambda hit: search_text(hit.name, *hit.members, shortened=True)),
        key=lambda hit: saved_event.name_sort_key(hit.name),
    )


@route("GET /e/<event_id>", EVERYBODY, VISIBLE, kept="e/<event_id>")
def players_page(event_id: str) -> AnyResponse:
    """All competitors by name."""
    event = current.event(event_id)
    state = event.state
    return render.cached_page(
        "find_me.html",
        query=_query(),
        state=state,
        people=search_competitors(event, _query()),
        planned=saved_event.planned_swiss(state),
        newest=saved_event.newest_round(state),
    )


def _query() -> str:
    """What is looked for in this request's list, without scripts."""
    return request.args.get("q", "")[:80]


@route("GET /e/<event_id>/p/<competitor>", EVERYBODY, VISIBLE, kept="p/<event_id>/<competitor>")
def player_page(event_id: str, competitor: str) -> AnyResponse:
    event = current.event(event_id)
    return render.cached_page("player.html", **_player_page(event, competitor)._asdict())


class PlayerPage(NamedTuple):
    """What the template of a player's public page shows."""

    state: EventState
    view: PlayerView
    face: ClockFace


def _player_page(event: saved_event.SavedEvent, competitor: str) -> PlayerPage:
    face = clock_face(event.state, current.instant(), current.words())
    return PlayerPage(event.state, player_view(event, competitor), face)


@shaped(PUBLIC)
def _player_shape(page: PageKey) -> ShapedPage:
    slots, event = Slots(time_of_day(current.hub().clocks.wall())), current.event(page.event)
    feed, shown = page._replace(of=slots.add(page.of)), _player_page(event, page.of)
    view = open_view(shown.view, slots.add)
    face, around = open_event(event, shown.face, slots)
    shown = shown._replace(view=view, face=face)
    given = {**slots.context, **shown._asdict(), "variant": "", "sent_ms": ""}
    draw = partial(render.render_page, "player.html", feed, **given)
    return ShapedPage(draw, (PUBLIC, around, *shown[1:]), slots.values)


@route("GET /e/<event_id>/standings", EVERYBODY, VISIBLE, kept="standings/<event_id>")
def standings_page(event_id: str) -> AnyResponse:
    event = current.event(event_id)
    bracket, names = knockout.bracket(event), saved_event.shown_names(event)
    return render.cached_page(
        "standings.html",
        query=_query(),
        state=event.state,
        view=knockout.standings_view(event, names),
        found=lambda lines: find(_query(), lines, lambda line: search_text(line.name, shortened=True)),
        planned=saved_event.planned_swiss(event.state),
        final=knockout.final_lines(event, names) if bracket else (),
        has_bracket=bracket is not None,
        cut_rows=knockout.cut_rows(event),
        names=names,
        leagues=list(leagues_of(current.snapshot(), event_id)),
    )


@route("GET /e/<event_id>/bracket", EVERYBODY, VISIBLE, kept="bracket/<event_id>")
def bracket_page(event_id: str) -> AnyResponse:
    """The bracket: drawn where there is room, as lists on a phone."""
    event = current.event(event_id)
    bracket, names = knockout.bracket(event), saved_event.shown_names(event)
    return render.cached_page(
        "bracket.html",
        state=event.state,
        bracket=bracket,
        drawing=bracket_svg(bracket, names, current.words()) if bracket else "",
        rounds=knockout.bracket_lines(bracket) if bracket else [],
        planned=saved_event.planned_swiss(event.state),
        champion=names.get(bracket.champion, "") if bracket and bracket.champion else "",
        cut_rows=knockout.cut_rows(event),
        names=names,
    )


@route("GET /e/<event_id>/pairings", EVERYBODY, VISIBLE, kept="pairings/<event_id>")
def pairings_page(event_id: str) -> AnyResponse:
    event = current.event(event_id)
    state, newest = event.state, saved_event.newest_round(event.state)
    grid = grid_cells(current.snapshot(), {}, state, newest, saved_event.shown_names(event), current.now_ms())
    ranked, draws = saved_event.settled_rows(event), knockout.has_draws(event)

    def rows() -> Iterator[render.RowSource]:
        for c in find(_query(), grid, lambda cell: search_text(cell.table, cell.a, cell.b, shortened=True)):
            a, b = (
                knockout.record_text(ranked.get(c.a_id), draws),
                knockout.record_text(ranked.get(c.b_id or ""), draws),
            )
            yield c.match_id, (c.table, c.a_id, c.a, c.b_id, c.b, c.bye, c.result, c.by_hand, a, b), (c, a, b)

    return render.cached_page(
        "pairings.html", query=_query(), state=state, newest=newest, rows=rows, planned=saved_event.planned_swiss(state)
    )


@dataclass(frozen=True, slots=True)
class StageLimits:
    """A stage's maximum of games per match, and minutes per round (None: untimed); `usual`: the rulebook's minutes."""

    stage: str
    games: int
    minutes: int | None
    usual: int | None


@dataclass(frozen=True, slots=True)
class RulesView:
    """`rounds`, `cut`: None with too few players for the structure's table; `fixed`: round 1 is drawn, or they do not
    depend on the number of players. `changed`: (key, value, default) of options that differ from the rulebook's
    default, which is None where it has none; `facts`: (key, parameters) of sentences "announced.fact.KEY"; `officials`:
    (name, official), since a second official has to be known from the start."""

    rounds: int | None
    cut: int | None
    fixed: bool
    lengths: list[StageLimits]
    changed: list[tuple[str, Any, Any]]
    facts: list[tuple[str, dict[str, object]]]
    officials: list[tuple[str, Official]]


def rules_view(event: saved_event.SavedEvent) -> RulesView:
    state = event.state
    book, options = state.rulebook, state.options
    rounds, cut = _structure(state)
    counted = state.players_at_start is None and (
        options.get("swiss_rounds") is None or (options.get("structure") != "own" and options.get("cut") is None)
    )
    named = ((event.people.get(official.id), official) for official in state.officials.values())
    return RulesView(
        rounds,
        cut,
        not counted,
        list(_stage_limits(book, options, rounds, cut)),
        list(_changed_options(state)),
        _facts(book, options, bool(cut), state.level),
        [(person.public_name or person.name, official) for person, official in named if person],
    )


def _structure(state: EventState) -> tuple[int | None, int | None]:
    try:
        return state.swiss_rounds, state.cut_size
    except Problem:
        return None, None


def _stage_limits(
    book: Rulebook, options: Mapping[str, Any], rounds: int | None, cut: int | None
) -> Iterator[StageLimits]:
    has_cut = (bool(cut) and options.get("second_stage") != SECOND_SWISS) or rounds == 0
    wanted = {
        "swiss": rounds != 0,
        "elimination": has_cut,
        "final": has_cut,
        "third_place": has_cut and bool(options.get("third_place_match")),
    }
    usual = stage_minutes(book, {**options, "stages": _without_minutes(options)})
    for stage, minutes in stage_minutes(book, options).items():
        if wanted.get(stage, True):
            yield StageLimits(stage, book.games(stage, options), minutes, usual[stage])


def _without_minutes(options: Mapping[str, Any]) -> dict[str, dict[str, object]]:
    stages: Mapping[str, Mapping[str, Any]] = options.get("stages", {})
    return {stage: {key: value for key, value in given.items() if key != "minutes"} for stage, given in stages.items()}


def _changed_options(state: EventState) -> Iterator[tuple[str, Any, Any]]:
    usual = {**UNSET_DEFAULTS, **state.rulebook.option_defaults}
    # A structure of its own consists of its rounds and its cut.
    elsewhere = SHOWN_ELSEWHERE | ({"swiss_rounds", "cut"} if state.options.get("structure") == "own" else set())
    for key, value in state.given_options.items():
        if key not in elsewhere and value is not None and value != usual.get(key):
            yield key, value, usual.get(key)


def _facts(
    book: Rulebook, options: Mapping[str, Any], cut: bool, level: str | None
) -> list[tuple[str, dict[str, object]]]:
    squads, late = book.squads, options.get("late_minutes")
    facts: tuple[tuple[str, object, dict[str, object]], ...] = (
        ("team", book.team_size > 1, {"size": book.team_size}),
        ("lists", book.lists.required(options, level), {}),
        ("squads", squads, {"taken": squads.taken, "listed": squads.listed} if squads else {}),
        ("extra_minutes", book.extra_minutes, {"most": book.extra_minutes[1]} if book.extra_minutes else {}),
        ("own_cut_order", cut and book.own_cut_order, {}),
        ("tiebreak_rounds", book.tiebreak_rounds, {}),
        ("late", late is not None, {"minutes": late}),
        ("full_names" if options.get("full_names") else "short_names", True, {}),
    )
    return [(key, params) for key, holds, params in facts if holds]


@route("GET /rules/<event_id>", EVERYBODY, VISIBLE, kept="rules/<event_id>")
def rules_page(event_id: str) -> AnyResponse:
    event = current.event(event_id)
    state, book = event.state, event.state.rulebook
    return render.cached_page(
        "rules.html",
        state=state,
        view=rules_view(event),
        players=state.players_at_start or len(active_ids(state)),
        worth=outcome_points(book, state.options),
        full_win_lead=full_win_lead(book, state.options),
        byes=bye_worth(book, state.options),
        coverage=partial(coverage, book.id),
        own_rules=said_rules(book, current.words()),
        played_on=played_on_lines(event),
        mends=mend_lines(event, state.public_rounds),
    )


@route("GET /e/<event_id>/event.json", EVERYBODY, VISIBLE, kept="data/<event_id>")
def event_data(event_id: str) -> AnyResponse:
    """The event for other programs, of which any site may show what all phones see (live/cached_pages.py)."""
    event, snapshot = current.event(event_id), current.snapshot()
    state, names = event.state, saved_event.shown_names(event)
    clock = public_clock(state, state.clock, current.instant())
    data = {
        "event": {"id": state.id, "name": state.name, "rulebook": state.rulebook_id, "finished": state.finished},
        "clock": clock,
        "planned": saved_event.planned_swiss(state),
        "rounds": [
            {
                "number": played.number,
                "name": knockout.title_key(state, played),
                "status": played.status,
                "matches": [
                    {
                        "table": cell.table,
                        "a": {"id": cell.a_id, "name": cell.a},
                        "b": {"id": cell.b_id, "name": cell.b} if cell.b_id else None,
                        "bye": cell.bye,
                        "result": cell.result
                        and {name: getattr(cell.result, name) for name in ("a", "b", "second", "winner", "ended")},
                    }
                    for cell in grid_cells(snapshot, {}, state, played, names, 0)
                ],
            }
            for played in state.public_rounds
        ],
        "standings": knockout.standings_view(event, names, every=True),
        "final": knockout.final_lines(event, names),
    }
    return render.cached_data(data, clock.open_end and clock.deadline_ms is not None)
