"""What has to be said before a round is mended: what rulebooks forbid where they can, and what is lost by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from roundtap_core.clock import IDLE
from roundtap_core.event.mending.mend import Changed, Warned, people_of
from roundtap_core.event.state import PUBLISHED, EventState, MatchState, RoundState, tournament_of
from roundtap_core.records import BYE, WON_BYE, Match
from roundtap_core.standings.totals import SwissTotals, swiss_totals


def met_in(state: EventState, played: RoundState) -> dict[frozenset[str], int]:
    """Pairs that met in earlier rounds of this stage, and the last round in which they did."""
    return {
        frozenset((m.match.a, m.match.b)): r.number
        for r in state.public_rounds if r.stage == played.stage and r.number < played.number
        for m in r.matches if m.match.b is not None
    }


def totals_before(state: EventState, number: int) -> Mapping[str, SwissTotals]:
    """What everybody had gathered before round `number`."""
    return swiss_totals(tournament_of(state), after=number - 1)


def warnings_of(
    state: EventState, played: RoundState, changes: Sequence[Changed], conceded: Iterable[str] = (),
) -> tuple[Warned, ...]:
    """All of them, in the order of the matches. `conceded`: who loses the win that the other one's leaving gave them.

    A new bye, a new pair and a new table are looked at; what stays as it is, everybody has seen.
    """
    matches = {m.id: m for m in played.matches}
    found = [Warned("win_lost", (who,)) for who in conceded]
    paired = [change for change in changes if not change.same_pair]
    if played.status == PUBLISHED and state.clock.state != IDLE and any(change.match.b for change in paired):
        found.append(Warned("clock_runs"))
    found += _pairs(state, played, [change.match for change in paired])
    found += _byes(state, played, changes)
    for change in changes:
        found += _tables(state, change)
        found += _lost(change, matches.get(change.id))
    return tuple(found)


def warnings_of_round(state: EventState, played: RoundState, missing: Sequence[str]) -> tuple[Warned, ...]:
    """Those of a whole round put together by hand; `missing`: who is in no match of it."""
    changes = [Changed(m.id, m.match, None) for m in played.matches]
    return ((Warned("missing", tuple(missing)),) if missing else ()) + warnings_of(state, played, changes)


def _pairs(state: EventState, played: RoundState, pairs: Iterable[Match]) -> Iterator[Warned]:
    met = met_in(state, played)
    for match in pairs:
        if match.b is None:
            continue
        before = met.get(frozenset((match.a, match.b)))
        if before is not None:
            yield Warned("repeat", (match.a, match.b), before)
        group = state.entrants[match.a].came_with
        if played.number == 1 and group is not None and group == state.entrants[match.b].came_with:
            yield Warned("came_with", (match.a, match.b))


def _byes(state: EventState, played: RoundState, changes: Sequence[Changed]) -> Iterator[Warned]:
    given = [c.match.a for c in changes if c.match.bye == BYE and (c.was is None or (c.was.a, c.was.bye) != (
        c.match.a, BYE))]
    if not given:
        return
    totals = totals_before(state, played.number)
    touched = {change.id for change in changes}
    others = [m.match.a for m in played.matches if m.match.bye == BYE and m.id not in touched]
    for who in given:
        byes = totals[who].byes
        if byes:
            yield Warned("bye_again", (who,), byes)
    for who in (*others, *given[1:]):
        yield Warned("second_bye", (who,))


def _tables(state: EventState, change: Changed) -> Iterator[Warned]:
    table = change.match.table
    if table is None or change.match.b is None:
        return
    here = people_of([change.match])
    wants = [who for who in here if state.entrants[who].fixed_table is not None]
    for who in wants:
        if state.entrants[who].fixed_table != table and not (
                change.was and change.was.table == table and who in people_of([change.was])):
            yield Warned("fixed_table", (who,), state.entrants[who].fixed_table)
    if change.was is not None and change.was.table == table:
        return
    for entrant in state.entrants.values():
        if entrant.active and entrant.fixed_table == table and entrant.id not in here:
            yield Warned("others_table", (entrant.id,), table)


def _lost(change: Changed, now: MatchState | None) -> Iterator[Warned]:
    if now is None or change.same_pair:
        return
    if now.lots:
        yield Warned("lot_lost", tuple(people_of([now.match])), now.match.table)
    if now.match.picks is not None and now.match.bye in (BYE, WON_BYE):
        yield Warned("picks_lost", (now.match.a,))
