"""A result entered step by step: one question a page, what is known beside it, and the result before it is entered.

Answers travel in the address, so that going back and loading again are harmless; only lots and the end are posted.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from urllib.parse import urlencode

from flask import Blueprint, g, redirect, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import EnterResult
from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_core.forms.form import Choice, Form, Picks
from roundtap_core.records import SIDES, Match, Result
from roundtap_core.rulebooks.base import DRAW, Situation
from roundtap_hub.pages.base import (
    actor,
    back_to_event,
    mended_on,
    page,
    the_hub,
    the_moment,
    whole_number,
    words,
)
from roundtap_hub.pages.results import seen_match, time_is_up
from roundtap_hub.views.before_play import situation_at
from roundtap_hub.views.event_at import full_names
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.result_text import (
    figure_label,
    first_text,
    known,
    option_label,
    outcome_text,
    remembered,
    tell,
    way_label,
    way_of,
)
from roundtap_hub.views.result_walk import CHOICE, END, TURNS, WAY, Trail, WalkPage, read_trail, turn_order, walk_page
from roundtap_hub.views.tables import show_result, side_names


@dataclass(frozen=True, slots=True)
class _Seat:
    """The match that is walked through, with its form and its names."""

    state: EventState
    played: RoundState
    match: MatchState
    situation: Situation
    form: Form
    names: dict[str, str]


def routes(bp: Blueprint) -> None:
    at = "/<event_id>/match/<match_id>/walk"
    bp.add_url_rule(at, "walk", walk)
    bp.add_url_rule(at, "walk_enter", enter, methods=["POST"])
    bp.add_url_rule(f"{at}/lot", "walk_lot", draw_lots, methods=["POST"])


def _seat(event_id: str, match_id: str) -> _Seat:
    moment = the_moment(event_id)
    state = moment.state
    played, match = seen_match(state, match_id)
    situation = situation_at(state, moment.people, played, match)
    return _Seat(state, played, match, situation, state.rulebook.form(state.options, situation),
                 side_names(match, full_names(moment)))


def walk(event_id: str, match_id: str) -> AnyResponse:
    """The next question, or the result that the answers make."""
    seat = _seat(event_id, match_id)
    fields = request.form if request.method == "POST" else request.args
    try:
        trail = read_trail(seat.form, fields)
        _refuse_left_out(trail, fields)
    except Problem as problem:
        _note(problem)
        trail = _before_the_mistake(seat.form, fields)
    at = walk_page(seat.form, trail)
    if at.result is not None and not g.get("problem"):
        try:
            seat.state.rulebook.check_new(at.result, seat.state.options, seat.situation)
        except Problem as problem:
            _note(problem)
    return _show(seat, at, fields)


def _refuse_left_out(trail: Trail, fields: MultiDict[str, str]) -> None:
    """Raise Problem where the last page's form came back without an answer to one of its questions."""
    left_out = [name for name in fields.get("asked", "").split() if name not in trail.answers]
    steps = trail.way.steps if trail.way is not None else ()
    question = next((step for step in steps if getattr(step, "name", None) in left_out), None)
    if isinstance(question, Picks):
        raise Problem("picks_wrong", take=question.take, of=question.of)
    if question is not None:
        raise Problem("figure_missing")


def _note(problem: Problem) -> None:
    g.problem = problem
    g.status = 400


def _before_the_mistake(form: Form, fields: MultiDict[str, str]) -> Trail:
    """Without the answers of the last page, which is asked again."""
    try:
        return read_trail(form, fields, fields.get("asked", "").split())
    except Problem:
        return Trail()


def _show(seat: _Seat, at: WalkPage, fields: MultiDict[str, str]) -> AnyResponse:
    state, t = seat.state, words()
    # Whoever meets a conflict has now seen what stands; before it, they act on what they saw at the beginning.
    fresh = g.get("problem") is not None or "revision" not in fields
    revision = str(seat.match.revision) if fresh else fields.get("revision", "")
    seen = str(seat.match.number or 0) if fresh else fields.get("seen", "")
    base = [("revision", revision), ("seen", seen)]
    back = ""
    if at.before is not None:
        before = [*at.before.fields(), *base]
        if at.trail.way is not None:
            shown = [(f"p.{name}", str(one)) for name in at.dropped for one in _as_list(at.trail.answers[name])]
            before += shown
        back = _address(seat, before)
    opener = at.trail.opener or "a"
    lines = known(seat.form, at.trail.way.opened_by(opener), opener, at.trail.answers, at.walked, seat.names, t) \
        if at.trail.way is not None and at.walked is not None and at.kind != END else []
    return page(
        "match_walk.html", state=state, played=seat.played, played_name=title_key(state, seat.played), at=at,
        match=seat.match, names=seat.names, lines=lines, back=back, hidden=[*at.trail.fields(), *base],
        given=_given(seat, at, fields), offered=_ways(seat) if at.kind == WAY else (),
        order=[seat.names[side] for side in turn_order(at)] if at.kind == TURNS else (),
        told=tell(state.rulebook, seat.form, state.options, at.result, seat.names, t) if at.result else (),
        outcome=_outcome(seat, at.result) if at.result else "",
        worth=_worth(seat, at.result) if at.result else {}, worth_label=_worth_label,
        figure_label=figure_label, way_label=way_label, option_label=option_label, first_text=first_text,
    )


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _address(seat: _Seat, fields: list[tuple[str, str]]) -> str:
    """The page with these answers."""
    at = url_for("console.walk", event_id=seat.state.id, match_id=seat.match.id)
    return f"{at}?{urlencode(fields)}"


def _ways(seat: _Seat) -> list[tuple[str, bool, bool]]:
    """(id, offered just now, the one that stands) of every way, those offered first."""
    now = {way.id for way in seat.form.offered(time_is_up(seat.state, seat.played, seat.match))}
    stands = _standing(seat)
    ways = [(way.id, way.id in now, stands is not None and way.id == stands[0]) for way in seat.form.ways]
    return sorted(ways, key=lambda way: not way[1])


def _standing(seat: _Seat) -> tuple[str, dict[str, list[str]]] | None:
    """The way and the answers of the result that stands."""
    stands = seat.match.match.result
    if stands is None:
        return None
    found = way_of(seat.form, stands, show_result(stands, seat.state).winner)
    if found is None:
        return None
    way, opener, _ = found
    return way.id, {"opener": [opener], **{
        name: [str(one) for one in _as_list(value)] for name, value in remembered(way, opener, stands).items()}}


def _given(seat: _Seat, at: WalkPage, fields: MultiDict[str, str]) -> dict[str, list[str]]:
    """What stands in a question's fields at first: what was just typed wrong, what was answered before going back, what
    the standing result says."""
    given: dict[str, list[str]] = {}
    stands = _standing(seat)
    if stands is not None and at.trail.way is not None and stands[0] == at.trail.way.id:
        given.update(stands[1])
    for name in at.names:
        if f"q.{name}" in fields:
            given[name] = fields.getlist(f"q.{name}")
        elif f"p.{name}" in fields:
            given[name] = fields.getlist(f"p.{name}")
    return given


def _outcome(seat: _Seat, result: Result) -> str:
    winner = show_result(result, seat.state).winner
    if winner in SIDES:
        return words()("told.won", name=seat.names[winner])
    if seat.situation.knockout and result.initiative in SIDES and winner == DRAW:
        return words()("told.goes_on", name=seat.names[result.initiative])
    return outcome_text(winner, seat.names, words()) if winner else ""


def _worth(seat: _Seat, result: Result) -> dict[str, tuple[int, int]]:
    seats = seat.match.match
    try:
        return seat.state.rulebook.worth(Match(seats.a, seats.b, result=result), seat.state.options, seat.situation)
    except Problem:
        return {}


def _worth_label(key: str) -> str:
    return first_text(words(), f"worth.{key}", f"column.{key}")


@mended_on(walk)
def enter(event_id: str, match_id: str) -> AnyResponse:
    """The end of the walk becomes the result."""
    seat = _seat(event_id, match_id)
    at = walk_page(seat.form, read_trail(seat.form, request.form))
    if at.result is None:
        return redirect(_address(seat, at.trail.fields()), 303)
    command = EnterResult(match_id, whole_number("revision") or 0, at.result, whole_number("seen"))
    the_hub().service.tell(event_id, command, actor())
    return back_to_event(event_id)


@mended_on(walk)
def draw_lots(event_id: str, match_id: str) -> AnyResponse:
    """A coin between the sides, where the form says that a lot decides; it becomes the answer."""
    seat = _seat(event_id, match_id)
    at = walk_page(seat.form, read_trail(seat.form, request.form))
    fields = [*at.trail.fields(), *((key, request.form.get(key, "")) for key in ("revision", "seen"))]
    if at.kind == CHOICE and at.lots and isinstance(at.asked[0].question, Choice):
        fields.append((f"q.{at.names[0]}", secrets.choice(SIDES)))
    return redirect(_address(seat, fields), 303)
