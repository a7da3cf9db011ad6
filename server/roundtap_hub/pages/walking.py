"""A result asked for step by step, for whichever page asks: the next question, what is known, the result in the end."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from flask import abort, g
from werkzeug.datastructures import MultiDict

from roundtap_core.errors import Problem
from roundtap_core.event import course
from roundtap_core.event.commands import NoteLot
from roundtap_core.event.results.decide import corrected, said_of
from roundtap_core.event.state import DRAFT, EventState, MatchState, RoundState
from roundtap_core.forms.form import AT_TIME, Form, with_rulings
from roundtap_core.records import RULING, SIDES, Match, Result, Side
from roundtap_core.rulebooks.base import DRAW, Situation
from roundtap_core.rulebooks.gate import OFFICIAL, ON_RECORD, PLAYER, WITH_REASON, Saying, excluded, may_be_drawn
from roundtap_core.rulebooks.result_words import (
    figure_label,
    known,
    option_label,
    outcome,
    tell,
    way_label,
    winner_of,
)
from roundtap_hub.pages.base import the_hub, words
from roundtap_hub.views.before_play import situation_at
from roundtap_hub.views.event_at import EventAt
from roundtap_hub.views.knockout import title_key, told_after_cut
from roundtap_hub.views.result_walk import (
    END,
    PICKS,
    TURNS,
    WAY,
    Trail,
    WalkPage,
    read_trail,
    trail_of,
    turn_order,
    walk_page,
)
from roundtap_hub.views.squads import lost_squads, squads_of_match
from roundtap_hub.views.tables import side_names

Fields = MultiDict[str, str]


@dataclass(frozen=True, slots=True)
class Seat:
    """The match that is walked through, with its form and its names."""

    state: EventState
    played: RoundState
    match: MatchState
    situation: Situation
    form: Form
    names: dict[str, str]
    people: Mapping[str, str]
    """Everybody's name, by competitor; `names` by side."""
    saying: Saying


def seen_match(state: EventState, match_id: str) -> tuple[RoundState, MatchState]:
    """The match and its round, or a 404 page; a draft's matches are not there yet, and a bye has no result."""
    found = state.find_match(match_id)
    if found is None or found[0].status == DRAFT or found[1].match.b is None:
        abort(404)
    return found


def seat_of(moment: EventAt, played: RoundState, match: MatchState, names: Mapping[str, str], by: str,
            side: Side | None = None) -> Seat:
    """`names` by competitor: as whoever looks may read them. `by`: a player's pages offer what a player may say, and
    ask the squads of that `side` alone."""
    state = moment.state
    situation = situation_at(state, moment.people, played, match)
    up = course.time_is_up(state, played, match, the_hub().clocks.now())
    form = state.rulebook.form(state.options, situation)
    if by == OFFICIAL:
        draw = (DRAW,) if may_be_drawn(state.rulebook, state.options, situation) else ()
        form = with_rulings(form, (*SIDES, *draw, "none"))
    return Seat(state, played, match, situation, form, side_names(match, names), names,
                Saying(by, up, side=side, corrects=corrected(played, match) if by == OFFICIAL else None))


def page_at(seat: Seat, fields: Fields, earlier: bool = False) -> WalkPage:
    """The next question, or the result that the answers make. What is wrong with an answer is noted for the page.

    `earlier`: it was said before, on a slip: no clock is asked.
    """
    try:
        trail = read_trail(seat.form, fields, seat.match.lots, side=seat.saying.side)
        _refuse_left_out(trail, fields)
    except Problem as problem:
        _note(problem)
        trail = _before_the_mistake(seat, fields)
    at = walk_page(seat.form, trail)
    if at.result is None:
        return at
    why = asking_the_reason(seat, at.result, earlier)
    # What the hub has refused just now is said already.
    if why is not None and not g.get("problem"):
        _note(why)
    return replace(at, sayable=why is None)


def asking_the_reason(seat: Seat, result: Result, earlier: bool = False) -> Problem | None:
    """Why this result cannot stand. Where a reason is all that it needs, the page asks for that, and nothing is
    wrong."""
    why = next(excluded(seat.state.rulebook, result, seat.state.options, seat.situation,
                        _saying(seat, result, earlier)), None)
    if why is None or why.key not in WITH_REASON:
        return why
    g.asks_reason = why
    return None


def _saying(seat: Seat, result: Result, earlier: bool) -> Saying:
    """As who, and when: what stands, or a player has said, may be made the result at any time."""
    if seat.saying.by == OFFICIAL and result in said_of(seat.match):
        return ON_RECORD
    return replace(seat.saying, time_is_up=None, corrects=None) if earlier else seat.saying


def _refuse_left_out(trail: Trail, fields: Fields) -> None:
    """Raise Problem where the last page's form came back without an answer to one of its questions."""
    left_out = [name for name in fields.get("asked", "").split() if name not in trail.answers]
    questions = trail.way.questions if trail.way is not None else ()
    question = next((question for question in questions if question.name in left_out), None)
    if question is not None:
        raise question.left_out()


def _note(problem: Problem) -> None:
    # Whatever it is, the answers were just sent, and nothing was asked of the event yet.
    g.problem, g.status = problem, 400


def _before_the_mistake(seat: Seat, fields: Fields) -> Trail:
    """Without the answers of the last page, which is asked again."""
    try:
        return read_trail(seat.form, fields, seat.match.lots, fields.get("asked", "").split(), seat.saying.side)
    except Problem:
        return Trail()


def shown(seat: Seat, at: WalkPage, fields: Fields, address: str, base: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """What the template of a step is drawn from. `address`: the walk's; `base`: fields that go along all the way."""
    state, book, t = seat.state, seat.state.rulebook, words()
    opener = at.trail.opener or "a"
    lines = known(seat.form, at.trail.way.opened_by(opener), opener, at.trail.answers, at.walked, seat.names, t) \
        if at.trail.way is not None and at.walked is not None and at.kind != END else []
    return {
        "state": state, "played": seat.played, "played_name": title_key(state, seat.played), "at": at,
        "match": seat.match, "names": seat.names, "lines": lines, "back": _back(at, address, base),
        "hidden": [*at.trail.fields(), *base], "given": _given(seat, at, fields),
        "ways": ways_of(seat) if at.kind == WAY else (),
        "order": [seat.names[side] for side in turn_order(at)] if at.kind == TURNS else (),
        "told": (*tell(book, seat.form, state.options, at.result, seat.names, t),
                 *lost_squads(state, seat.played, seat.match, at.result, seat.names, t),
                 *told_after_cut(state, seat.played, seat.match, at.result, seat.people, t)) if at.result else (),
        "owed": squads_of_match(state, seat.played, seat.match) if at.kind == PICKS else {},
        "outcome": outcome(book, state.options, seat.situation, at.result, seat.names, t) if at.result else "",
        "worth": worth_at(seat, at.result) if at.result else {}, "worth_label": worth_label,
        "figure_label": figure_label, "way_label": way_label, "option_label": option_label,
        "walk_at": address,
    }


def draw_lot(seat: Seat, fields: Fields, who: str) -> Trail:
    """Draws the lot that comes next: the first one stands, for every front. Where none does, nothing happens."""
    trail = read_trail(seat.form, fields, seat.match.lots, side=seat.saying.side)
    if lot := walk_page(seat.form, trail).lot:
        note = NoteLot(seat.match.id, lot, secrets.choice(SIDES), seat.played.mark)
        the_hub().service.tell(seat.state.id, note, who)
    return trail


def address_at(address: str, fields: Sequence[tuple[str, str]]) -> str:
    """The page with these answers."""
    return f"{address}?{urlencode(fields)}"


def _back(at: WalkPage, address: str, base: Sequence[tuple[str, str]]) -> str:
    if at.before is None:
        return ""
    before = [*at.before.fields(), *base]
    if at.trail.way is not None:
        before += [(f"p.{name}", str(one)) for name in at.dropped for one in _as_list(at.trail.answers[name])]
    return address_at(address, before)


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def ways_of(seat: Seat) -> list[tuple[str, bool, bool]]:
    """(id, offered just now, the one that stands) of every way, those offered first, a judge's word last."""
    now = {way.id for way in seat.form.offered(bool(seat.saying.time_is_up))}
    early = seat.saying.by == PLAYER and seat.saying.time_is_up is False
    stands = _standing(seat)
    ways = [(way.id, way.id in now, stands is not None and way.id == stands[0])
            for way in seat.form.ways if not (early and way.when == AT_TIME)]
    ruled = {way.id for way in seat.form.ways if way.ended == RULING}
    return sorted(ways, key=lambda way: (way[0] in ruled, not way[1]))


def time_is_up(state: EventState, played: RoundState, match: MatchState) -> bool:
    """What is offered first goes by it; where the hub cannot know, as if it were not."""
    return bool(course.time_is_up(state, played, match, the_hub().clocks.now()))


def _standing(seat: Seat) -> tuple[str, dict[str, list[str]]] | None:
    """The way and the answers of the result that stands."""
    stands = seat.match.match.result
    trail = trail_of(seat.form, stands, winner_of(seat.state.rulebook, seat.state.options, stands)) \
        if stands is not None else Trail()
    if trail.way is None:
        return None
    return trail.way.id, {"opener": [trail.opener or "a"], **{
        name: [str(one) for one in _as_list(value)] for name, value in trail.answers.items()}}


def _given(seat: Seat, at: WalkPage, fields: Fields) -> dict[str, list[str]]:
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


def worth_at(seat: Seat, result: Result) -> dict[str, tuple[int, int]]:
    """What a result would be worth to both."""
    seats = seat.match.match
    try:
        return seat.state.rulebook.worth(Match(seats.a, seats.b, result=result), seat.state.options, seat.situation)
    except Problem:
        return {}


def worth_label(key: str) -> str:
    return words().first(f"worth.{key}", f"column.{key}")
