"""The emergency sheet: all that is needed to go on by hand, should the hub be gone after this round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roundtap_core.clock import IDLE, Instant
from roundtap_core.errors import Problem
from roundtap_core.event.state import EventState, RoundState, active_ids, awaited
from roundtap_core.lists.squads import fielded, letter
from roundtap_core.records import SWISS, UNPAIRED_LOSS
from roundtap_core.rulebooks.fact_sheet import bye_worth, outcome_points
from roundtap_hub.printing.slip_marks import slip_codes
from roundtap_hub.views.event_at import EventAt, newest_round, ranking_by_id, settled_round, shown_names, tournament
from roundtap_hub.views.knockout import bracket, title_key
from roundtap_hub.views.print_pages import numbers_of
from roundtap_hub.views.squads import told_squads
from roundtap_hub.views.standings_table import Line, standings_view

NEAREST = frozenset({"xwing-epic-duel", "xwing-epic-team"})
"""Rulebooks that pair by the nearest points, and break a pair that has met by exchanging, instead of by groups."""
SPARE_TABLES = 2


@dataclass(frozen=True, slots=True)
class Met:
    """One round of somebody: the opponent's number, or None at a bye (`missed`: not paired, a loss). `open`: no result
    yet."""

    number: int | None
    missed: bool
    open: bool


@dataclass(frozen=True, slots=True)
class EmergencyRow:
    """One competitor. `line`: of the standings, None for who has not played. `owed`: squads not fielded yet."""

    number: int
    name: str
    line: Line | None
    met: tuple[Met, ...]
    byes: int
    fixed_table: int | None
    fielded: str
    owed: str
    must: bool
    active: bool
    awaited: bool
    """Has not come yet: plays once they have."""


@dataclass(frozen=True, slots=True)
class OpenMatch:
    """A match of the newest round; `done`: it has its result."""

    table: int | None
    code: str
    a: str
    b: str
    a_number: int
    b_number: int
    done: bool


@dataclass(frozen=True, slots=True)
class EmergencyView:
    """`after`: the last round whose results all stand. `points` and `byes`: what results and byes are worth, by the
    rulebook; of a bye its points and its figures. `left_ms`: of the clock, None where it does not run."""

    after: int
    columns: tuple[str, ...]
    rows: tuple[EmergencyRow, ...]
    round: RoundState | None
    round_name: str | None
    matches: tuple[OpenMatch, ...]
    points: Mapping[str, int]
    bye_points: int
    bye_figures: Mapping[str, int]
    won_bye_figures: Mapping[str, int]
    minutes: int | None
    left_ms: int | None
    nearest: bool
    knockout: bool
    next_number: int
    planned: int | None
    tables: tuple[int, ...]
    fixed: tuple[tuple[int, int, str], ...]
    """(table, number, name) of those who play at one table only."""
    squads: bool
    chance: bool

    @property
    def open(self) -> tuple[OpenMatch, ...]:
        return tuple(match for match in self.matches if not match.done)


def emergency_view(moment: EventAt, now: Instant) -> EmergencyView:
    """Everything that this event's next round could be paired by, on paper; names as the hall may read them."""
    state, names = moment.state, shown_names(moment)
    numbers, view = numbers_of(state), standings_view(moment, names)
    lines = {line.competitor: line for line in view.lines}
    newest = newest_round(state)
    ranks = ranking_by_id(moment)
    shown = fielded(tournament(moment).rounds) if state.rulebook.squads else {}
    rows, waiting = [], awaited(state)
    for who in (*lines, *(each for each in state.entrants if each not in lines)):
        entrant, row = state.entrants[who], ranks.get(who)
        owed, must = told_squads(state, who) if entrant.active else ("", False)
        rows.append(EmergencyRow(
            numbers[who], names[who], lines.get(who), _met(state, who, numbers),
            (row.byes if row else 0) + (entrant.won_bye and row is None), entrant.fixed_table,
            " ".join(letter(squad) for squad in sorted(shown.get(who, ()))), owed, must, entrant.active,
            who in waiting))
    knockout = bracket(moment) is not None
    in_play, byes = active_ids(state), _byes(state)
    tables = max(1, len(in_play) // 2) + SPARE_TABLES
    return EmergencyView(
        settled_round(state), view.columns, tuple(rows), newest, title_key(state, newest) if newest else None,
        _matches(state, newest, names, numbers), outcome_points(state.rulebook, state.options), byes[0], byes[1],
        byes[2], _minutes(state, newest), _left_ms(state, now),
        state.rulebook_id in NEAREST, knockout, (newest.number if newest else 0) + 1, _planned(state),
        tuple(range(1, tables + 1)),
        tuple(sorted((e.fixed_table, numbers[e.id], names[e.id]) for e in state.entrants.values()
                     if e.fixed_table is not None and e.active)),
        state.rulebook.squads is not None, view.chance,
    )


def _met(state: EventState, who: str, numbers: Mapping[str, int]) -> tuple[Met, ...]:
    """Round by round; of the rounds before somebody came there is nothing."""
    found = []
    for played in state.public_rounds:
        for match in played.matches:
            if who in (match.match.a, match.match.b):
                across = match.match.b if match.match.a == who else match.match.a
                found.append(Met(numbers.get(across or ""), match.match.bye == UNPAIRED_LOSS, not match.done))
    return tuple(found)


def _matches(state: EventState, newest: RoundState | None, names: Mapping[str, str],
             numbers: Mapping[str, int]) -> tuple[OpenMatch, ...]:
    if newest is None:
        return ()
    codes = slip_codes(state, newest)
    return tuple(sorted(
        (OpenMatch(m.match.table, codes[m.id], names[m.match.a], names[m.match.b], numbers[m.match.a],
                   numbers[m.match.b], m.done) for m in newest.matches if m.match.b is not None),
        key=lambda one: (one.table is None, one.table or 0)))


def _byes(state: EventState) -> tuple[int, Mapping[str, int], Mapping[str, int]]:
    worth = bye_worth(state.rulebook, state.options)
    return worth["bye"].points, worth["bye"].figures, worth["won"].figures


def _minutes(state: EventState, newest: RoundState | None) -> int | None:
    """How long a round of the stage is played; None: without a clock."""
    return state.rulebook.minutes(newest.stage if newest is not None else SWISS, state.options)


def _left_ms(state: EventState, now: Instant) -> int | None:
    return None if state.live is None or state.clock.state == IDLE else state.clock.remaining_at(now)


def _planned(state: EventState) -> int | None:
    try:
        return state.swiss_rounds
    except Problem:
        return None
