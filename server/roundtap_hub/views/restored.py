"""What the page of a restored hub shows: which tables were heard, what each holds beyond the copy, what is lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roundtap_core.event.state import EventState
from roundtap_core.records import SWISS
from roundtap_core.result_json import result_from_json
from roundtap_hub.journal.afresh import Afresh, Pending
from roundtap_hub.journal.beyond_copy import (
    Assembled,
    Lost,
    Point,
    assemble,
    beyond,
    lost_rounds,
    points,
    unanswered,
    unheard,
)
from roundtap_hub.journal.claims import Claim, claim_of_view
from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.views.event_at import EventAt, full_names
from roundtap_hub.views.tables import ShownResult, show_result


@dataclass(frozen=True, slots=True)
class CopyLine:
    """An event as the copy has it. `beyond`: so many entries after its last one tables have proof of."""

    id: str
    name: str
    number: int
    head: str
    round: int
    beyond: int


@dataclass(frozen=True, slots=True)
class TableLine:
    """A unit that stands at a table, or was heard. `holds`: the round and the two names that it shows."""

    unit: str
    table: int | None
    heard: bool
    without: bool
    round: int | None
    names: tuple[str, ...]
    state: str
    result: ShownResult | None
    waiting: int
    """Reports of this unit that wait for a round."""
    in_copy: tuple[str, ...] = ()
    """Who meets in this match by the copy, where the table knows others: it was changed by hand after the copy."""
    event: str = ""


@dataclass(frozen=True, slots=True)
class RoundOffer:
    """A lost round as the tables hold it."""

    lost: Lost
    state: EventState
    names: Mapping[str, str]
    made: Assembled
    tables: tuple[int, ...]
    adoptable: bool
    asks: bool
    """Whether the organizer has to say of somebody what they did in this round."""


@dataclass(frozen=True, slots=True)
class PointLine:
    """Side by side: what a table shows, and what stands in the copy."""

    point: Point
    state: EventState
    table: int | None
    names: tuple[str, ...]
    theirs: ShownResult | None
    ours: ShownResult | None
    by_official: bool


@dataclass(frozen=True, slots=True)
class StrayLine:
    """Reports that no round can be put together for: of an event, or a round, that nobody knows."""

    event: str
    name: str
    round: int | None
    tables: tuple[int | str, ...]
    n: int


@dataclass(frozen=True, slots=True)
class RestoredView:
    """Everything on the page. `silent`: tables that must be heard or gone on without."""

    at: str | None
    copies: tuple[CopyLine, ...]
    tables: tuple[TableLine, ...]
    silent: tuple[int, ...]
    rounds: tuple[RoundOffer, ...]
    points: tuple[PointLine, ...]
    strays: tuple[StrayLine, ...]
    moved: tuple[tuple[str, int, int | None], ...]
    """Units that stood elsewhere than the copy says: unit, where it stood, where the copy has it."""

    @property
    def may_settle(self) -> bool:
        return not (self.silent or self.rounds or self.points)


def restored_view(snapshot: Snapshot) -> RestoredView | None:
    """None: this journal was not restored, or all is settled."""
    afresh = snapshot.venue.afresh
    if afresh is None:
        return None
    lost = lost_rounds(snapshot)
    waiting = unanswered(snapshot)
    return RestoredView(
        afresh.at, tuple(_copies(snapshot, afresh)), tuple(_tables(snapshot, afresh, waiting)),
        tuple(table for _, table in unheard(snapshot)), tuple(_offer(snapshot, each) for each in lost),
        tuple(_point(snapshot, each) for each in points(snapshot)), tuple(_strays(snapshot, lost, waiting)),
        tuple(moved(snapshot)))


def moved(snapshot: Snapshot) -> list[tuple[str, int, int | None]]:
    """Units that stood elsewhere than the copy says, and at a table that nobody else claims."""
    afresh = snapshot.venue.afresh or Afresh()
    stood: dict[str, int] = {}
    for unit, heard in afresh.heard.items():
        claim = claim_of_view(unit, heard)
        if claim is not None and claim.table is not None:
            stood[unit] = claim.table
    once = [table for table in stood.values() if list(stood.values()).count(table) == 1]
    return sorted((unit, table, snapshot.venue.tables.get(unit)) for unit, table in stood.items()
                  if table in once and snapshot.venue.tables.get(unit) != table)


def _copies(snapshot: Snapshot, afresh: Afresh) -> list[CopyLine]:
    found = []
    for event_id in snapshot.ids:
        if event_id not in afresh.copy or event_id in snapshot.venue.deleted:
            continue
        number, head = afresh.copy[event_id]
        line = snapshot.events.get(event_id) or snapshot.shelf[event_id]
        rounds = len(line.public_rounds) if isinstance(line, EventState) else 0
        found.append(CopyLine(event_id, line.name, number, head[:12], rounds, beyond(afresh, event_id)))
    return found


def _tables(snapshot: Snapshot, afresh: Afresh, waiting: list[Pending]) -> list[TableLine]:
    found = []
    for unit in {*snapshot.venue.tables, *afresh.heard}:
        heard = afresh.heard.get(unit)
        claim = claim_of_view(unit, heard) if heard is not None else None
        state = snapshot.events.get(claim.event) if claim is not None else None
        found.append(TableLine(
            unit, snapshot.venue.tables.get(unit, claim.table if claim is not None else None), heard is not None,
            unit in afresh.without, claim.round if claim is not None else None,
            _names(snapshot, state, claim) if claim is not None else (), claim.state if claim is not None else "",
            _shown(claim, state), sum(pending.unit == unit for pending in waiting), _in_copy(snapshot, state, claim),
            state.id if state is not None else ""))
    return sorted(found, key=lambda line: (line.table is None, line.table or 0, line.unit))


def _offer(snapshot: Snapshot, lost: Lost) -> RoundOffer:
    state = snapshot.events[lost.event]
    made = assemble(state, lost)
    tables = sorted({claim.table for claim in lost.claims if claim.table is not None})
    next_one = lost.number == len(state.public_rounds) + 1 or (
        state.live is not None and state.live.number == lost.number)
    return RoundOffer(lost, state, full_names(EventAt(state, snapshot.people_of(state.id))), made, tuple(tables),
                      not made.wrong and next_one and bool(made.matches), bool(made.missing) and lost.stage == SWISS)


def _point(snapshot: Snapshot, point: Point) -> PointLine:
    state = snapshot.events[point.claim.event]
    ours = None if point.result is None else show_result(result_from_json(dict(point.result)), state)
    return PointLine(point, state, snapshot.venue.tables.get(point.claim.unit, point.claim.table),
                     _names(snapshot, state, point.claim), _shown(point.claim, state), ours,
                     point.claim.state in ("decided", "closed"))


def _strays(snapshot: Snapshot, lost: list[Lost], waiting: list[Pending]) -> list[StrayLine]:
    placed = {id(pending) for each in lost for pending in each.reports}
    found: dict[tuple[str, int | None], list[Pending]] = {}
    for pending in waiting:
        if id(pending) not in placed:
            number = pending.report.get("round")
            found.setdefault((pending.report["event"], number if isinstance(number, int) else None), []).append(pending)
    lines = []
    for (event, number), reports in found.items():
        state = snapshot.events.get(event)
        tables = dict.fromkeys(snapshot.venue.tables.get(each.unit, each.unit) for each in reports)
        lines.append(StrayLine(event, state.name if state is not None else "", number, tuple(tables), len(reports)))
    return lines


def _names(snapshot: Snapshot, state: EventState | None, claim: Claim) -> tuple[str, ...]:
    both = tuple(who for who in (claim.a, claim.b) if who is not None)
    if state is None:
        return both
    names = full_names(EventAt(state, snapshot.people_of(state.id)))
    return tuple(names.get(who, who) for who in both)


def _in_copy(snapshot: Snapshot, state: EventState | None, claim: Claim | None) -> tuple[str, ...]:
    found = state.find_match(claim.match) if state is not None and claim is not None else None
    if state is None or claim is None or found is None or found[0].mark != claim.mark or claim.b is None:
        return ()
    both = tuple(who for who in (found[1].match.a, found[1].match.b) if who is not None)
    if claim.revision <= found[1].revision or set(both) == {claim.a, claim.b}:
        return ()
    names = full_names(EventAt(state, snapshot.people_of(state.id)))
    return tuple(names.get(who, who) for who in both)


def _shown(claim: Claim | None, state: EventState | None) -> ShownResult | None:
    if claim is None or claim.result is None or state is None:
        return None
    return show_result(result_from_json(dict(claim.result)), state)


