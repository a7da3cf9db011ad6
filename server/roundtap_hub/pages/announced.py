"""What is announced, for everybody to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.state import EventState, active_ids
from roundtap_core.rulebooks.base import Rulebook, Tally
from roundtap_core.rulebooks.coverage import Coverage, coverage
from roundtap_core.rulebooks.fact_sheet import bye_worth, outcome_points, stage_minutes
from roundtap_hub.pages.base import kept_page, the_moment
from roundtap_hub.policy import EVERYBODY, SEEN, route
from roundtap_hub.views.event_at import EventAt
from roundtap_hub.views.mending import MendLine, mend_lines
from roundtap_hub.views.open_points import PlayedOnLine, played_on_lines

UNSAID: Mapping[str, Any] = {"third_place_match": False, "full_names": False, "prize_places": None}
"""What an option is where neither the event nor the rulebook's defaults say it."""

SHOWN_ELSEWHERE = frozenset({"stages", "prize_places"})


@dataclass(frozen=True, slots=True)
class Length:
    """A stage's games a match at most, and minutes a round (None: untimed); `usual` are the rulebook's minutes."""

    stage: str
    games: int
    minutes: int | None
    usual: int | None


@dataclass(frozen=True, slots=True)
class Changed:
    """An option that is not the rulebook's default; `usual` is None where the rulebook has none."""

    key: str
    value: Any
    usual: Any


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence: the text "announced.fact.KEY" with its parameters."""

    key: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OfficialLine:
    name: str
    role: str
    second: bool
    plays: bool
    on_duty: bool


@dataclass(frozen=True, slots=True)
class Announced:
    """`rounds` and `cut` are None while there are too few players for the structure's table; `fixed` once round 1 is
    drawn or where they do not depend on the number of players."""

    book: Rulebook
    level: str | None
    players: int
    rounds: int | None
    cut: int | None
    fixed: bool
    lengths: tuple[Length, ...]
    points: Mapping[str, int]
    byes: Mapping[str, Tally]
    changed: tuple[Changed, ...]
    prize_places: int | None
    facts: tuple[Fact, ...]
    officials: tuple[OfficialLine, ...]
    coverage: Coverage
    played_on: tuple[PlayedOnLine, ...] = ()
    mends: tuple[MendLine, ...] = ()


def announced_view(moment: EventAt) -> Announced:
    state = moment.state
    book, options = state.rulebook, state.options
    rounds, cut = _structure(state)
    counted = state.players_at_start is None and (
        options.get("swiss_rounds") is None or (options.get("structure") != "own" and options.get("cut") is None))
    return Announced(
        book=book, level=state.level, players=state.players_at_start or len(active_ids(state)), rounds=rounds, cut=cut,
        fixed=not counted, lengths=tuple(_lengths(book, options, rounds, cut)), points=outcome_points(book, options),
        byes=bye_worth(book, options), changed=tuple(_changed(state)), prize_places=options.get("prize_places"),
        facts=tuple(_facts(book, options, bool(cut), state.level)), officials=tuple(_officials(moment)),
        coverage=coverage(book.id), played_on=played_on_lines(moment),
        mends=mend_lines(moment, moment.state.public_rounds),
    )


def _structure(state: EventState) -> tuple[int | None, int | None]:
    try:
        return state.swiss_rounds, state.cut_size
    except Problem:
        return None, None


def _lengths(book: Rulebook, options: Mapping[str, Any], rounds: int | None, cut: int | None) -> Iterator[Length]:
    """Only stages that the event has: no final without elimination, no third place that is not played for."""
    knockout = bool(cut) or rounds == 0
    wanted = {"swiss": rounds != 0, "elimination": knockout, "final": knockout,
              "third_place": knockout and bool(options.get("third_place_match"))}
    usual = stage_minutes(book, {**options, "stages": _without_minutes(options)})
    for stage, minutes in stage_minutes(book, options).items():
        if wanted.get(stage, True):
            yield Length(stage, book.games(stage, options), minutes, usual[stage])


def _without_minutes(options: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    stages: Mapping[str, Mapping[str, Any]] = options.get("stages", {})
    return {stage: {key: value for key, value in given.items() if key != "minutes"} for stage, given in stages.items()}


def _changed(state: EventState) -> Iterator[Changed]:
    usual = {**UNSAID, **state.rulebook.option_defaults}
    # An own structure is nothing but its rounds and its cut.
    said = SHOWN_ELSEWHERE | ({"swiss_rounds", "cut"} if state.options.get("structure") == "own" else set())
    for key, value in state.given_options.items():
        if key not in said and value is not None and value != usual.get(key):
            yield Changed(key, value, usual.get(key))


def _facts(book: Rulebook, options: Mapping[str, Any], cut: bool, level: str | None) -> Iterator[Fact]:
    if book.team_size > 1:
        yield Fact("team", {"size": book.team_size})
    if book.lists.required(options, level):
        yield Fact("lists", {})
    if book.squads:
        yield Fact("squads", {"taken": book.squads.taken, "listed": book.squads.listed})
    if book.extra_minutes:
        yield Fact("extra_minutes", {"most": book.extra_minutes[1]})
    if cut and book.own_cut_order:
        yield Fact("own_cut_order", {})
    if book.tiebreak_rounds:
        yield Fact("tiebreak_rounds", {})
    if options.get("late_minutes") is not None:
        yield Fact("late", {"minutes": options["late_minutes"]})
    yield Fact("full_names" if options.get("full_names") else "short_names", {})


def _officials(moment: EventAt) -> Iterator[OfficialLine]:
    """Who has been named: a second official has to be known from the start."""
    for official in moment.state.officials.values():
        person = moment.people.get(official.id)
        if person is not None:
            yield OfficialLine(person.public_name or person.name, official.role, official.second,
                               official.plays is not None, official.on_duty)


@route("GET /rules/<event_id>", EVERYBODY, SEEN, kept="rules/<event_id>")
def announced(event_id: str) -> AnyResponse:
    """The rules of this event, for everybody to read."""
    moment = the_moment(event_id)
    return kept_page("announced.html", state=moment.state, view=announced_view(moment))
