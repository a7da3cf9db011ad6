"""A player's own page: my table, my opponent, my side, how far the match is, my record. No lists while a round runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roundtap_core.errors import Problem
from roundtap_core.event.course import situation_of
from roundtap_core.event.state import TO_CONFIRM, EventState
from roundtap_core.records import DISQUALIFIED, DROPPED, Side, other
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.presence import UnitStatus
from roundtap_hub.views.before_play import BeforePlay, before_play
from roundtap_hub.views.event_at import EventAt, newest_round, ranking, ranking_by_id, seats, shown_members, shown_names
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.squads import told_squads
from roundtap_hub.views.standings_table import Value, record_of
from roundtap_hub.views.tables import Cell, ShownResult, cell, show_result, worth_of
from roundtap_hub.views.wall import sort_key

MOV = "mov"


@dataclass(frozen=True, slots=True)
class Corrected:
    """A result that an official put right after it had stood. `name`: a round that has a name of its own."""

    number: int
    name: str | None
    against: str
    side: Side
    result: ShownResult


@dataclass(frozen=True, slots=True)
class Margin:
    """A line of a player's score sheet: what one match so far gave. `against` is None where nobody was met."""

    number: int
    name: str | None
    against: str | None
    figure: int


@dataclass(frozen=True, slots=True)
class PlayerView:
    """`cell` is None between events and for those who are not in the newest round."""

    name: str
    active: bool
    number: int
    live: bool
    cell: Cell | None
    side: Side | None
    opponent: str | None
    opponent_record: str
    record: str
    values: tuple[Value, ...]
    rank: int | None
    of: int
    worth: Mapping[str, tuple[int, int]]
    before_play: BeforePlay | None = None
    owed: str = ""
    """Letters of the squads that are still to be fielded, "C D"; `must`: every pick left has to be of them."""
    must: bool = False
    status: str | None = None
    """"disqualified", "dropped", or None for who is in."""
    corrected: tuple[Corrected, ...] = ()
    margins: tuple[Margin, ...] = ()
    """The margin of victory of each match so far, where the rulebook has players note it."""
    to_confirm: bool = False
    """Signed up by phone, and not known at the desk yet."""


def player_view(
    snapshot: Snapshot, units: Mapping[str, UnitStatus], moment: EventAt, competitor: str, now_ms: int
) -> PlayerView | None:
    """The page of one competitor, or None where there is none of that id."""
    state, names = moment.state, shown_names(moment)
    entrant = state.entrants.get(competitor)
    if entrant is None:
        return None
    newest = newest_round(state)
    match = seats(moment).get(competitor)
    side: Side | None = None
    opponent = None
    if match is not None:
        side = "a" if match.match.a == competitor else "b"
        opponent = match.match.competitor(other(side))
    plays = state.plays(competitor)
    row = ranking_by_id(moment).get(competitor)
    record, values = record_of(moment, competitor)
    return PlayerView(
        names[competitor], plays, newest.number if newest else 0, state.live is not None,
        cell(snapshot, units, state, match, names, now_ms) if match else None, side,
        names.get(opponent, opponent) if opponent else None, record_of(moment, opponent)[0] if opponent else "",
        record, values, row.rank if row and row.rounds else None,
        sum(ranked.rank is not None for ranked in ranking(moment)),
        worth_of(state, newest, match) if match and newest else {},
        before_play(state, newest, match) if match and newest and match.match.result is None else None,
        *(told_squads(state, competitor) if plays and newest and not state.finished else ("", False)),
        DISQUALIFIED if entrant.disqualified_after is not None else None if plays else DROPPED,
        _corrected(state, competitor, names), _margins(state, competitor, names),
        entrant.sign_up == TO_CONFIRM,
    )


def _margins(state: EventState, competitor: str, names: Mapping[str, str]) -> tuple[Margin, ...]:
    """What a score sheet says of margins (X-Wing, "Höhe des Sieges": both note theirs), the first round first."""
    found = []
    for played in state.public_rounds:
        for match in played.matches:
            seat = match.match
            if competitor not in (seat.a, seat.b) or (seat.result is None and seat.bye is None):
                continue
            side: Side = "a" if seat.a == competitor else "b"
            totals = situation_of(state, played, match).list_totals(seat)
            try:
                figure = state.rulebook.tally(seat, side, state.options, totals).figures.get(MOV)
            except Problem:
                continue  # An imported figure that no game ends with.
            if figure is not None:
                across = seat.competitor(other(side))
                found.append(Margin(played.number, title_key(state, played),
                                    names.get(across, across) if across else None, figure))
    return tuple(found)


def _corrected(state: EventState, competitor: str, names: Mapping[str, str]) -> tuple[Corrected, ...]:
    """The matches of one competitor that were corrected, the latest round first."""
    found = []
    for played in reversed(state.public_rounds):
        for match in played.matches:
            seat = match.match
            if match.corrected and seat.result is not None and seat.b is not None and competitor in (seat.a, seat.b):
                side: Side = "a" if seat.a == competitor else "b"
                across = seat.competitor(other(side)) or ""
                found.append(Corrected(played.number, title_key(state, played), names.get(across, across), side,
                                       show_result(seat.result, state)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Found:
    """One competitor that a search found; `members` are a team's, as the hall may read them."""

    id: str
    name: str
    active: bool
    members: tuple[str, ...] = ()


def everybody(moment: EventAt, query: str = "") -> list[Found]:
    """Everybody whose name, or one of whose members' names, holds `query`, by name."""
    wanted = sort_key(query.strip())[0]
    names, members = shown_names(moment), shown_members(moment)
    state = moment.state
    found = [Found(who, names[who], state.plays(who), members.get(who, ())) for who in state.entrants]
    return sorted((one for one in found if any(wanted in sort_key(name)[0] for name in (one.name, *one.members))),
                  key=lambda one: sort_key(one.name))
