"""A mend before it is done: who may be moved and who waits, what changes and is lost, what is to be warned of."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from roundtap_core.clock import IDLE
from roundtap_core.errors import Problem
from roundtap_core.event import states
from roundtap_core.event.event_flow import current_seeds, require_entrant, second_swiss_rounds
from roundtap_core.records import (
    BYE,
    CONCESSION,
    NO_SHOW,
    SECOND_SWISS,
    SWISS_STAGES,
    UNPAIRED_LOSS,
    WON_BYE,
    Match,
    match_to_json,
)
from roundtap_core.standings.totals import SwissTotals, swiss_totals
from roundtap_core.wire import digest

SWAP, TABLE, PAIR, BYE_GIVEN, AGAIN, UNPUBLISH, WITHDRAW, IMPOSED = (
    "swap",
    "table",
    "pair",
    "bye",
    "again",
    "unpublish",
    "withdraw",
    "imposed",
)
"""What was done. All but AGAIN, which the pairing worked out, are manual."""

UNPAIRED, LEFT = "unpaired", "left"
"""Why a player waits, beside the kinds of byes: in no match at all; the opponent left before the match began."""


class MendWarning(Struct, frozen=True):
    """A warning shown before. `who`: the competitors it is about; `number`: a round, a table or a count.

    `kind`: "repeat" (they met in round `number`), "came_with", "bye_again" (`number` byes so far), "second_bye" (who
    has one in this round), "fixed_table" (who needs table `number`), "others_table" (table `number` is fixed for who),
    "lot_lost" and "picks_lost" (who said them), "win_lost" (who has the round because the other one left),
    "clock_runs", "missing" (who is in no match).
    """

    kind: str
    who: tuple[str, ...] = ()
    number: int | None = None


class MatchChange(Struct, frozen=True):
    """One match as it will be, by its id; `was`: as it is now, None for a new one. `revision`: the one it is at."""

    id: str
    match: Match
    was: Match | None
    revision: int = 0

    @property
    def same_pair(self) -> bool:
        return self.was is not None and (self.was.a, self.was.b, self.was.bye) == (
            self.match.a,
            self.match.b,
            self.match.bye,
        )


class MendPlan(Struct, frozen=True):
    """All of one step. `gone`: ids of entries that vanish, since the player who was alone there plays elsewhere."""

    number: int
    what: str
    changes: tuple[MatchChange, ...] = ()
    gone: tuple[str, ...] = ()
    warnings: tuple[MendWarning, ...] = ()
    notes: Mapping[str, Any] = {}

    @property
    def mark(self) -> str:
        """Names this very step: the same as long as the same people, tables and warnings are meant."""
        return digest(
            [
                self.number,
                self.what,
                list(self.gone),
                [[c.id, c.revision, match_to_json(c.match), c.was and match_to_json(c.was)] for c in self.changes],
                [[w.kind, list(w.who), w.number] for w in self.warnings],
            ]
        )[: states.MARK_DIGITS]


def refuse_stale_plan(mend: MendPlan, plan: str) -> None:
    """Problem("mend_changed_meanwhile") where something else was shown than what would be done now;
    Problem("mend_warned") where nothing was shown, and there is something to be warned of."""
    if plan and plan != mend.mark:
        raise Problem("mend_changed_meanwhile")
    if not plan and mend.warnings:
        raise Problem("mend_warned", n=len(mend.warnings))


def people_of(matches: Iterable[Match]) -> list[str]:
    return [who for match in matches for who in (match.a, match.b) if who is not None]


def mendable_round(state: states.EventState, number: int) -> states.RoundState:
    """The draft, or the round in play, of this number; Problem("mend_no_round") where it is another one by now."""
    for played in (state.draft, state.live):
        if played is not None and played.number == number:
            return played
    raise Problem("mend_no_round", number=number)


def refuse_fixed_pairing(played: states.RoundState) -> None:
    """Problem("mend_fixed_pairing") where a bracket, or a tie, says who meets whom."""
    if played.stage not in SWISS_STAGES:
        raise Problem("mend_fixed_pairing")


def has_report(match: states.MatchState) -> bool:
    """Whether a report says how a match of two ended; reports taken back do not count."""
    return bool(match.reports or match.decided or match.match.result is not None)


def refuse_reported(match: states.MatchState) -> None:
    """Problem("mend_has_word") where a table or an official has reported on the match."""
    if match.match.b is not None and has_report(match):
        raise Problem("mend_has_word", table=match.match.table)


def refuse_with_log(match: states.MatchState) -> None:
    """Problem("mend_has_log") where rulings or extensions stand: they are about these two."""
    if match.log:
        raise Problem("mend_has_log", table=match.match.table)


def matches_by_player(played: states.RoundState) -> dict[str, states.MatchState]:
    return {who: m for m in played.matches for who in (m.match.a, m.match.b) if who is not None}


def seat_of(state: states.EventState, played: states.RoundState, who: str) -> states.MatchState:
    """The match of a player who is still there; Problem where they are not, or stand in no match of the round."""
    if not require_entrant(state, who).active:
        raise Problem("already_left", competitor=who)
    match = matches_by_player(played).get(who)
    if match is None:
        raise Problem("mend_in_no_match", competitor=who)
    return match


def can_change_pairing(match: states.MatchState) -> bool:
    """Whether a match of two may be paired otherwise."""
    return match.match.b is not None and not has_report(match) and not match.log


def waiting_competitors(
    state: states.EventState, played: states.RoundState
) -> dict[str, tuple[str, states.MatchState | None]]:
    """Who may be paired, why they wait, and their entry: BYE, NO_SHOW (the other one did not appear), UNPAIRED_LOSS
    (came late or came back), LEFT (the other one left before the clock ran and anybody reported), UNPAIRED. In the
    file's order. Empty where a bracket or a tie says who meets whom."""
    if played.stage not in SWISS_STAGES:
        return {}
    matches = matches_by_player(played)
    eligible = _eligible(state, played)
    waits: dict[str, tuple[str, states.MatchState | None]] = {}
    for who, entrant in state.entrants.items():
        match = matches.get(who)
        if not entrant.active:
            continue
        if match is None:
            if who in eligible:
                waits[who] = (UNPAIRED, None)
        elif match.match.b is None:
            if match.match.bye in (BYE, NO_SHOW, UNPAIRED_LOSS):
                waits[who] = (match.match.bye, match)
        elif _left_alone(state, played, match):
            waits[who] = (LEFT, match)
    return waits


def _eligible(state: states.EventState, played: states.RoundState) -> set[str]:
    """Who plays in this stage: all who are present, or those who made the cut."""
    if played.stage != SECOND_SWISS:
        return states.active_ids(state)
    begun = [r for r in second_swiss_rounds(state) if r.number < played.number]
    if begun:
        return {who for m in begun[0].matches for who in (m.match.a, m.match.b) if who is not None}
    return set(current_seeds(state))


def _left_alone(state: states.EventState, played: states.RoundState, match: states.MatchState) -> bool:
    """Whether one of the two has left before the match began: the match is open, or conceded by leaving."""
    playing = [state.entrants[who].plays_live_match for who in (match.match.a, match.match.b) if who is not None]
    if sum(playing) != 1 or match.reports or match.heard or match.log or match.drawn is not None:
        return False
    if played.status != states.DRAFT and state.clock.state != IDLE:
        return False
    result = match.match.result
    if result is None:
        return True
    left = state.entrants[match.match.b or "" if state.entrants[match.match.a].active else match.match.a]
    return result.ended == CONCESSION and played.number in (left.dropped_after, left.disqualified_after)


def waiting_entry(
    waits: Mapping[str, tuple[str, states.MatchState | None]], played: states.RoundState, who: str
) -> states.MatchState | None:
    """The entry of a player who waits, None if they have none; Problem where they do not wait."""
    if who not in waits:
        match = matches_by_player(played).get(who)
        if match is not None and match.match.bye == WON_BYE:
            raise Problem("won_bye_stays")
        raise Problem("mend_not_waiting", competitor=who)
    return waits[who][1]


def earlier_meetings(state: states.EventState, played: states.RoundState) -> dict[frozenset[str], int]:
    """Pairs that met in earlier rounds of this stage, and the last round in which they did."""
    return {
        frozenset((m.match.a, m.match.b)): r.number
        for r in state.public_rounds
        if r.stage == played.stage and r.number < played.number
        for m in r.matches
        if m.match.b is not None
    }


def totals_before(state: states.EventState, number: int) -> Mapping[str, SwissTotals]:
    """All competitors' totals before round `number`."""
    return swiss_totals(states.tournament_of(state), after=number - 1)


def warnings_of(
    state: states.EventState,
    played: states.RoundState,
    changes: Sequence[MatchChange],
    conceded: Iterable[str] = (),
) -> tuple[MendWarning, ...]:
    """All warnings, in the order of the matches. `conceded`: who loses the win that the other one's leaving gave them.
    A new bye, a new pair and a new table are looked at; what stays as it is has been seen already."""
    matches = {m.id: m for m in played.matches}
    warnings = [MendWarning("win_lost", (who,)) for who in conceded]
    paired = [change for change in changes if not change.same_pair]
    if played.status == states.PUBLISHED and state.clock.state != IDLE and any(change.match.b for change in paired):
        warnings.append(MendWarning("clock_runs"))
    warnings += _pairs(state, played, [change.match for change in paired])
    warnings += _byes(state, played, changes)
    for change in changes:
        warnings += _tables(state, change)
        warnings += _lost(change, matches.get(change.id))
    return tuple(warnings)


def warnings_of_round(
    state: states.EventState, played: states.RoundState, missing: Sequence[str]
) -> tuple[MendWarning, ...]:
    """The warnings of a whole round put together manually; `missing`: who is in no match of it."""
    changes = [MatchChange(m.id, m.match, None) for m in played.matches]
    return ((MendWarning("missing", tuple(missing)),) if missing else ()) + warnings_of(state, played, changes)


def _pairs(state: states.EventState, played: states.RoundState, pairs: Iterable[Match]) -> Iterator[MendWarning]:
    meetings = earlier_meetings(state, played)
    for match in pairs:
        if match.b is None:
            continue
        if (before := meetings.get(frozenset((match.a, match.b)))) is not None:
            yield MendWarning("repeat", (match.a, match.b), before)
        group = state.entrants[match.a].came_with
        if played.number == 1 and group is not None and group == state.entrants[match.b].came_with:
            yield MendWarning("came_with", (match.a, match.b))


def _byes(state: states.EventState, played: states.RoundState, changes: Sequence[MatchChange]) -> Iterator[MendWarning]:
    given = [
        c.match.a for c in changes if c.match.bye == BYE and (c.was is None or (c.was.a, c.was.bye) != (c.match.a, BYE))
    ]
    if not given:
        return
    totals = totals_before(state, played.number)
    touched = {change.id for change in changes}
    others = [m.match.a for m in played.matches if m.match.bye == BYE and m.id not in touched]
    for who in given:
        if byes := totals[who].byes:
            yield MendWarning("bye_again", (who,), byes)
    yield from (MendWarning("second_bye", (who,)) for who in (*others, *given[1:]))


def _tables(state: states.EventState, change: MatchChange) -> Iterator[MendWarning]:
    table = change.match.table
    if table is None or change.match.b is None:
        return
    seated = people_of([change.match])
    wants = [who for who in seated if state.entrants[who].fixed_table is not None]
    for who in wants:
        if state.entrants[who].fixed_table != table and not (
            change.was and change.was.table == table and who in people_of([change.was])
        ):
            yield MendWarning("fixed_table", (who,), state.entrants[who].fixed_table)
    if change.was is not None and change.was.table == table:
        return
    for entrant in state.entrants.values():
        if entrant.active and entrant.fixed_table == table and entrant.id not in seated:
            yield MendWarning("others_table", (entrant.id,), table)


def _lost(change: MatchChange, now: states.MatchState | None) -> Iterator[MendWarning]:
    if now is None or change.same_pair:
        return
    if now.lots:
        yield MendWarning("lot_lost", tuple(people_of([now.match])), now.match.table)
    if now.match.picks is not None and now.match.bye in (BYE, WON_BYE):
        yield MendWarning("picks_lost", (now.match.a,))
