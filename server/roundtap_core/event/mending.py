"""Mends: commands, what each would change (`plan_mend`, to show it before), and the entries of it.

Common to all commands: `number` of the round that was looked at; `reason` and `by` for the record; `plan`: the mark of
the mend as it was shown before (mending_steps.py). "" where none was shown: then no warning may apply.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.clock import IDLE, Clock, Instant
from roundtap_core.errors import Problem
from roundtap_core.event import mending_steps
from roundtap_core.event.entries import Entry, NewEntries, NewEntry
from roundtap_core.event.event_flow import Step, require_reason
from roundtap_core.event.judging import roles_of
from roundtap_core.event.states import DRAFT, EventState, MatchState, RoundState, active_ids, draw_mark
from roundtap_core.pairing.pairing_pool import Pairs, floats_of
from roundtap_core.pairing.smallest_change import ChangeCosts, smallest_change
from roundtap_core.records import BYE, NO_SHOW, SWISS_STAGES, UNPAIRED_LOSS, WON_BYE, Draw, Match, match_to_json
from roundtap_core.rulebooks.base import ORGANIZER
from roundtap_core.typed import Exact, Id, IdOrEmpty, Number, Prose, Text


class SwapSeats(Struct, frozen=True):
    """The two of `who` take each other's places; one of them may have the bye."""

    number: Exact
    who: tuple[Text, ...]
    reason: Prose
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""


class MoveToTable(Struct, frozen=True):
    """The match `match` goes to `table`; where another one of the round sits there, the two exchange tables."""

    number: Exact
    match: IdOrEmpty
    table: Number
    reason: Prose
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""
    busy_tables: frozenset[int] = frozenset()


class PairWaiting(Struct, frozen=True):
    """The two of `who`, who wait, meet at `table` (None: one that is fixed for them, else the lowest free one)."""

    number: Exact
    who: tuple[Text, ...]
    reason: Prose
    table: Number | None = None
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""
    busy_tables: frozenset[int] = frozenset()


class GiveBye(Struct, frozen=True):
    """Who waits without points for this round gets the bye."""

    number: Exact
    competitor: Text
    reason: Prose
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""


class PairAgain(Struct, frozen=True):
    """Who waits is paired with the smallest change of what is published."""

    number: Exact
    reason: Prose = ""
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""
    busy_tables: frozenset[int] = frozenset()


class UnpublishRound(Struct, frozen=True):
    """A published round that has not begun is taken back: it becomes a draft again, or, `withdrawn`, is gone."""

    number: Exact
    reason: Prose
    withdrawn: bool = False
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""


Waits = Mapping[str, tuple[str, MatchState | None]]


class RepairPlan(Struct, frozen=True):
    """What must change; `conceded` are those who lose a win that the other one's leaving had given them."""

    changes: tuple[mending_steps.MatchChange, ...]
    gone: tuple[str, ...]
    conceded: tuple[str, ...]


def plan_repair(state: EventState, played: RoundState, busy: Collection[int]) -> RepairPlan:
    """The smallest change after which at most one stays alone. Problem("mend_nothing") where nobody has to be paired:
    nobody waits, or one does who has the points of a bye already."""
    waits = mending_steps.waiting_competitors(state, played)
    if not waits or (len(waits) == 1 and next(iter(waits.values()))[0] not in (mending_steps.UNPAIRED, UNPAIRED_LOSS)):
        raise Problem("mend_nothing")
    plan = _smallest_repair(state, played, waits, busy)
    if not plan.changes:
        raise Problem("mend_nothing")
    return plan


def _smallest_repair(
    state: EventState, played: RoundState, waits: Waits, busy: Collection[int], last: int | None = None
) -> RepairPlan:
    """`last`: the points of those of whom one should stay alone; None: whoever it costs least."""
    open_ = [
        m
        for m in played.matches
        if mending_steps.can_change_pairing(m)
        and not {m.match.a, m.match.b} & set(waits)
        and all(state.entrants[who].active for who in (m.match.a, m.match.b or ""))
    ]
    ids = [who for who in state.entrants if who in waits or any(who in (m.match.a, m.match.b) for m in open_)]
    place = {who: i for i, who in enumerate(ids)}
    open_pairs: Pairs = [(place[m.match.a], place[m.match.b or ""]) for m in open_]
    pairs, alone = smallest_change([place[who] for who in waits], open_pairs, _bound(state, played, ids, waits, last))
    there = {frozenset((m.match.a, m.match.b)) for m in played.matches}
    new = [(ids[a], ids[b]) for a, b in pairs if frozenset((ids[a], ids[b])) not in there]
    changes, gone = _seated(state, played, waits, new, ids[alone] if alone is not None else None, busy)
    met_anew = {who for pair in new for who in pair}
    conceded = tuple(who for who, (why, _) in waits.items() if why == mending_steps.LEFT and who in met_anew)
    return RepairPlan(tuple(changes), tuple(gone), conceded)


def plan_correction(state: EventState, corrected: EventState, about: Collection[str]) -> mending_steps.MendPlan | None:
    """What must change in the published round, which was drawn by a result that is corrected: the smallest change that
    brings the players `about` nearer to opponents of their points. Without changes where none does; None where the
    correction moves no player between points, or no points pair this round. Problem("correction_round_begun")."""
    played = corrected.live
    if played is None or played.stage not in SWISS_STAGES or state.rulebook.everybody:
        return None
    was, now = (mending_steps.totals_before(each, played.number) for each in (state, corrected))
    moved = {who for who in about if was[who].points != now[who].points}
    seats = [m for m in played.matches if moved & {m.match.a, m.match.b}]
    if not seats:
        return None
    try:
        _refuse_begun(corrected, played)
    except Problem as begun:
        raise Problem("correction_round_begun", number=played.number) from begun
    # Whom the other one has left is paired by a mend of its own.
    there = active_ids(corrected)
    waits: dict[str, tuple[str, MatchState | None]] = {
        who: (m.match.bye or "", m)
        for m in seats
        if (mending_steps.can_change_pairing(m) or m.match.bye == BYE)
        and set(mending_steps.people_of([m.match])) <= there
        for who in mending_steps.people_of([m.match])
    }
    if not waits:
        return None
    may_sit_out = there & set(mending_steps.people_of(m.match for m in played.matches if m.match.bye in (None, BYE)))
    last = min((now[who].byes, now[who].points) for who in may_sit_out)[1]
    repair = _smallest_repair(corrected, played, waits, (), last)
    met = mending_steps.earlier_meetings(corrected, played)

    def faults(matches: Collection[Match]) -> tuple[int, int, int, int]:
        """In the order in which a draw counts them: earlier byes of who has the bye, repeats, how far the bye is from
        the last, and the opponents from each other."""
        alone = [now[m.a] for m in matches if m.bye == BYE]
        pairs = [(m.a, m.b) for m in matches if m.b is not None]
        return (
            sum(each.byes for each in alone),
            sum(frozenset(pair) in met for pair in pairs),
            sum((each.points - last) ** 2 for each in alone),
            sum((now[a].points - now[b].points) ** 2 for a, b in pairs),
        )

    ids = {*repair.gone, *(change.id for change in repair.changes)}
    better = faults([change.match for change in repair.changes]) < faults(
        [m.match for m in played.matches if m.id in ids]
    )
    return build_mend(corrected, played, mending_steps.AGAIN, *((repair.changes, repair.gone) if better else ((),)))


def _bound(state: EventState, played: RoundState, ids: list[str], waits: Waits, last: int | None = None) -> ChangeCosts:
    totals = mending_steps.totals_before(state, played.number)
    place = {who: i for i, who in enumerate(ids)}
    opponents: list[set[int]] = [set() for _ in ids]
    for pair in mending_steps.earlier_meetings(state, played):
        if pair <= place.keys():
            a, b = (place[who] for who in pair)
            opponents[a].add(b)
            opponents[b].add(a)
    # Who came together counts in round 1 alone.
    came: dict[str, set[int]] = {}
    for who in ids if played.number == 1 else ():
        if (with_whom := state.entrants[who].came_with) is not None:
            came.setdefault(with_whom, set()).add(place[who])
    points = sorted({totals[who].points for who in ids}, reverse=True)
    group = {value: place for place, value in enumerate(points)}
    # Who has the points of a bye in this round already is given nothing new.
    byes = [0 if waits.get(who, ("",))[0] in (BYE, NO_SHOW, mending_steps.LEFT) else totals[who].byes for who in ids]
    # Who stays alone: the fewest points, then a player who is alone already.
    order = sorted(ids, key=lambda who: (totals[who].points, waits.get(who, ("",))[0] != BYE, who not in waits))
    alone = {who: place for place, who in enumerate(order)}
    return ChangeCosts(
        met=opponents,
        together=[came.get(state.entrants[who].came_with or "", set()) - {place[who]} for who in ids],
        group=[group[totals[who].points] for who in ids],
        byes=byes,
        alone=[alone[who] for who in ids],
        spared={place[who] for who in ids if last not in (None, totals[who].points)},
    )


def _seated(
    state: EventState,
    played: RoundState,
    waits: Waits,
    pairs: list[tuple[str, str]],
    alone: str | None,
    busy: Collection[int],
) -> tuple[list[mending_steps.MatchChange], list[str]]:
    """The new pairs at the tables of those that are broken up, each where one of them sat already, if that can be."""
    seats = {who: m for m in played.matches for who in (m.match.a, m.match.b) if who is not None}
    moved = {who for pair in pairs for who in pair}
    entries = {m.id: m for who in moved if (m := seats.get(who)) is not None}
    ids = new_match_ids(played)
    changes: list[mending_steps.MatchChange] = []
    rest: list[tuple[str, str]] = []
    for a, b in pairs:
        own = next(
            (m for who in (a, b) if (m := seats.get(who)) is not None and m.match.b is not None and m.id in entries),
            None,
        )
        if own is None:
            rest.append((a, b))
            continue
        del entries[own.id]
        pair = (a, b) if own.match.a == a or own.match.b == b else (b, a)
        changes.append(match_change(own, Match(*pair, own.match.table)))
    for a, b in rest:
        own = next((m for who in (a, b) if (m := seats.get(who)) is not None and m.id in entries), None)
        given_up = [m.match.table for m in entries.values() if m.match.table is not None]
        held = [change.match.table for change in changes if change.match.table is not None]
        pair_match = Match(a, b, free_mend_table(state, played, (a, b), {*busy, *held}, given_up))
        if own is None:
            changes.append(mending_steps.MatchChange(next(ids), pair_match, None))
        else:
            del entries[own.id]
            changes.append(match_change(own, pair_match))
    changes += [
        mending_steps.MatchChange(next(ids), missed_round_entry(who), None, m.revision + 1)
        for m in played.matches
        if m.match.b is not None and moved & {m.match.a, m.match.b}
        for who in (m.match.a, m.match.b)
        if not state.entrants[who].active
    ]
    changes += _alone(seats, waits, alone, ids)
    return changes, list(entries)


def _alone(
    seats: Mapping[str, MatchState],
    waits: Waits,
    alone: str | None,
    ids: Iterator[str],
) -> list[mending_steps.MatchChange]:
    """Who stays alone has the bye, unless they have the points of one already."""
    if alone is None or waits.get(alone, ("",))[0] not in ("", mending_steps.UNPAIRED, UNPAIRED_LOSS):
        return []
    bye = Match(alone, bye=BYE)
    own = seats.get(alone)
    if own is not None and own.match.b is None:
        return [match_change(own, bye)]
    return [mending_steps.MatchChange(next(ids), bye, None)]


def replace_player(match: Match, leaves: str, comes: str) -> Match:
    """The match with `comes` in the place of `leaves`; its squads were those of the player who left."""
    if match.a == leaves:
        return replace(match, a=comes, result=None, picks=None)
    return replace(match, b=comes, result=None, picks=None)


def match_change(was: MatchState, now: Match) -> mending_steps.MatchChange:
    return mending_steps.MatchChange(was.id, now, was.match, was.revision)


def new_match_ids(played: RoundState) -> Iterator[str]:
    """Ids of entries to come, beyond those there are: one that was taken out leaves a gap."""
    last = max((int(m.id.partition(".")[2]) for m in played.matches), default=0)
    while True:
        last += 1
        yield f"{played.number}.{last}"


def missed_round_entry(who: str) -> Match:
    """What stands for a round in which a player has no match."""
    return Match(who, bye=UNPAIRED_LOSS)


def free_mend_table(
    state: EventState, played: RoundState, who: Sequence[str], busy: Collection[int], given_up: Collection[int] = ()
) -> int:
    """A fixed table of one of them, else one that this mend gives up, else the lowest free one that is fixed for
    nobody else. `busy`: not to be had in any case."""
    taken = ({m.match.table for m in played.matches} - set(given_up)) | set(busy)
    fixed = {entrant.fixed_table: entrant.id for entrant in state.entrants.values() if entrant.active}
    wanted = [state.entrants[own].fixed_table for own in who]
    left = [table for table in sorted(given_up) if fixed.get(table) in (None, *who)]
    others = [n for n in range(1, len(taken) + len(fixed) + 2) if n not in fixed]
    return next(table for table in (*wanted, *left, *others) if table is not None and table not in taken)


def refuse_taken_table(played: RoundState, table: int, busy: Collection[int], but: Collection[str] = ()) -> None:
    """Problem("mend_table_taken") where another match of the round, beside those of the ids `but`, or another event
    has the table."""
    if table in busy or any(m.match.table == table and m.id not in but for m in played.matches):
        raise Problem("mend_table_taken", table=table)


def notes_after(
    state: EventState,
    played: RoundState,
    changes: Sequence[mending_steps.MatchChange],
    gone: Collection[str],
    meetings: Mapping[frozenset[str], int],
    points: Mapping[str, int],
) -> dict[str, Any]:
    """What the draw noted, where it no longer holds: repeats, floats and why a player has the bye."""
    if "repeats" not in played.notes:
        return dict(played.notes)
    now = {change.id: change.match for change in changes}
    matches = [now.pop(m.id, m.match) for m in played.matches if m.id not in gone] + list(now.values())
    pairs = [(match.a, match.b) for match in matches if match.b is not None]
    repeated = [{"a": a, "b": b} for a, b in pairs if frozenset((a, b)) in meetings]
    bye = played.notes.get("bye")
    if bye is not None and not any(m.a == bye["competitor"] and m.bye == BYE for m in matches):
        bye = None
    notes = {
        key: value
        for key, value in played.notes.items()
        if key not in ("repeats", "repeated", "repeat_ahead", "floats", "bye")
    }
    return {
        **notes,
        "repeats": len(repeated),
        "bye": bye,
        "floats": floats_of(pairs, points),
        **({"repeated": repeated} if repeated else {}),
    }


MendCommand = SwapSeats | MoveToTable | PairWaiting | GiveBye | PairAgain | UnpublishRound


def plan_mend(state: EventState, command: MendCommand) -> mending_steps.MendPlan:
    """What the command would do to the round; Problem where it cannot be done. Reason and plan are not looked at."""
    return _MENDS[type(command)](state, command)


def mend_entries(state: EventState, command: MendCommand, now: Instant) -> NewEntries:
    """The entry of a mend that was shown as it is."""
    mend = plan_mend(state, command)
    mending_steps.refuse_stale_plan(mend, command.plan)
    roles_of(state, command.by)
    reason = command.reason.strip() if isinstance(command, PairAgain) else require_reason(command.reason)
    return entries_of(mend, command.by, reason)


def entries_of(mend: mending_steps.MendPlan, by: str, reason: str) -> NewEntries:
    note = {"number": mend.number, "what": mend.what, "by": by, "reason": reason}
    if mend.what == mending_steps.WITHDRAW:
        return [NewEntry("round-withdrawn", note)]
    if mend.what == mending_steps.UNPUBLISH:
        return [NewEntry("round-unpublished", note)]
    paired = any(not change.same_pair for change in mend.changes)
    return [
        NewEntry(
            "round-mended",
            {
                **note,
                "matches": [
                    {
                        "id": change.id,
                        **match_to_json(change.match),
                        **({"revision": change.revision} if change.was is None and change.revision else {}),
                    }
                    for change in mend.changes
                ],
                "gone": list(mend.gone),
                # Seed and attempt draw this round no longer.
                **({"notes": dict(mend.notes), "method": mending_steps.IMPOSED} if paired else {}),
            },
        )
    ]


def build_mend(
    state: EventState,
    played: RoundState,
    what: str,
    changes: Sequence[mending_steps.MatchChange],
    gone: Sequence[str] = (),
    conceded: Sequence[str] = (),
) -> mending_steps.MendPlan:
    """The step with all its warnings."""
    points = {who: totals.points for who, totals in mending_steps.totals_before(state, played.number).items()}
    notes = notes_after(state, played, changes, gone, mending_steps.earlier_meetings(state, played), points)
    return mending_steps.MendPlan(
        played.number,
        what,
        tuple(changes),
        tuple(gone),
        mending_steps.warnings_of(state, played, changes, conceded),
        notes,
    )


def _swap(state: EventState, command: SwapSeats) -> mending_steps.MendPlan:
    played = mending_steps.mendable_round(state, command.number)
    first, second = _two(command.who)
    one, two = mending_steps.seat_of(state, played, first), mending_steps.seat_of(state, played, second)
    mending_steps.refuse_fixed_pairing(played)
    if one.id == two.id:
        raise Problem("mend_meet_already")
    for match, who in ((one, first), (two, second)):
        mending_steps.refuse_reported(match)
        mending_steps.refuse_with_log(match)
        if match.match.bye == WON_BYE:
            raise Problem("won_bye_stays")
        if match.match.bye not in (None, BYE):
            raise Problem("mend_waits", competitor=who)
        for other in (match.match.a, match.match.b):
            if other is not None and not state.entrants[other].active:
                raise Problem("already_left", competitor=other)
    if one.match.bye == two.match.bye == BYE:
        raise Problem("mend_both_bye")
    return build_mend(
        state,
        played,
        mending_steps.SWAP,
        [
            match_change(one, replace_player(one.match, first, second)),
            match_change(two, replace_player(two.match, second, first)),
        ],
    )


def _two(who: Sequence[str]) -> tuple[str, str]:
    if len(who) != 2 or not all(who):
        raise Problem("mend_two")
    if who[0] == who[1]:
        raise Problem("mend_same_person")
    return who[0], who[1]


def _move(state: EventState, command: MoveToTable) -> mending_steps.MendPlan:
    played = mending_steps.mendable_round(state, command.number)
    match = next((m for m in played.matches if m.id == command.match), None)
    if match is None or match.match.b is None:
        raise Problem("unknown_match", match=command.match)
    if match.match.table == command.table:
        raise Problem("mend_same_table", table=command.table)
    mending_steps.refuse_reported(match)
    there = next((m for m in played.matches if m.match.table == command.table and m.match.b is not None), None)
    changes = [match_change(match, replace(match.match, table=command.table))]
    if there is not None:
        mending_steps.refuse_reported(there)
        if match.match.table is None or match.match.table in command.busy_tables:
            raise Problem("mend_table_taken", table=command.table)
        changes.append(match_change(there, replace(there.match, table=match.match.table)))
    refuse_taken_table(played, command.table, command.busy_tables, [change.id for change in changes])
    return build_mend(state, played, mending_steps.TABLE, changes)


def _pair(state: EventState, command: PairWaiting) -> mending_steps.MendPlan:
    """The two meet. Who left one of them standing has missed the round; an entry that stood for one of them goes."""
    played = mending_steps.mendable_round(state, command.number)
    mending_steps.refuse_fixed_pairing(played)
    first, second = _two(command.who)
    waits = mending_steps.waiting_competitors(state, played)
    entries = [
        entry for who in (first, second) if (entry := mending_steps.waiting_entry(waits, played, who)) is not None
    ]
    given_up = [m.match.table for m in entries if m.match.table is not None]
    if command.table is not None:
        refuse_taken_table(played, command.table, command.busy_tables, [m.id for m in entries])
    table = command.table or free_mend_table(state, played, (first, second), command.busy_tables, given_up)
    ids = new_match_ids(played)
    pair = Match(first, second, table)
    changes = [match_change(entries[0], pair) if entries else mending_steps.MatchChange(next(ids), pair, None)]
    gone = [entry.id for entry in entries[1:]]
    conceded = [who for who in (first, second) if waits[who][0] == mending_steps.LEFT]
    changes += [
        mending_steps.MatchChange(next(ids), missed_round_entry(left), None, entry.revision + 1)
        for entry in entries
        if (left := _who_left(state, entry)) is not None
    ]
    return build_mend(state, played, mending_steps.PAIR, changes, gone, conceded)


def _who_left(state: EventState, match: MatchState) -> str | None:
    if match.match.b is None:
        return None
    return next(who for who in (match.match.a, match.match.b) if not state.entrants[who].active)


def _give_bye(state: EventState, command: GiveBye) -> mending_steps.MendPlan:
    played = mending_steps.mendable_round(state, command.number)
    mending_steps.refuse_fixed_pairing(played)
    who = command.competitor
    waits = mending_steps.waiting_competitors(state, played)
    entry = mending_steps.waiting_entry(waits, played, who)
    if waits[who][0] in (BYE, NO_SHOW, mending_steps.LEFT):
        raise Problem("mend_has_points", competitor=who)
    bye = Match(who, bye=BYE)
    change = (
        match_change(entry, bye)
        if entry is not None
        else mending_steps.MatchChange(next(new_match_ids(played)), bye, None)
    )
    return build_mend(state, played, mending_steps.BYE_GIVEN, [change])


def _again(state: EventState, command: PairAgain) -> mending_steps.MendPlan:
    played = mending_steps.mendable_round(state, command.number)
    mending_steps.refuse_fixed_pairing(played)
    plan = plan_repair(state, played, command.busy_tables)
    return build_mend(state, played, mending_steps.AGAIN, plan.changes, plan.gone, plan.conceded)


def _refuse_begun(state: EventState, played: RoundState) -> None:
    begun = [
        m
        for m in played.matches
        if (m.match.b is not None and mending_steps.has_report(m)) or m.drawn is not None or m.match.bye == NO_SHOW
    ]
    if begun:
        raise Problem(
            "unpublish_has_word",
            tables=", ".join(str(m.match.table or (m.drawn.table if m.drawn else None) or "–") for m in begun[:8]),
        )
    judged = [m for m in played.matches if m.log]
    if judged:
        raise Problem("mend_has_log", table=judged[0].match.table)
    if state.clock.state != IDLE:
        raise Problem("unpublish_clock_ran")


def _unpublish(state: EventState, command: UnpublishRound) -> mending_steps.MendPlan:
    """Refuse once there is a report or the clock has changed since publishing."""
    played = state.live
    if played is None or played.number != command.number:
        raise Problem("mend_no_round", number=command.number)
    _refuse_begun(state, played)
    lots = [
        mending_steps.MendWarning("lot_lost", (m.match.a, m.match.b or ""), m.match.table)
        for m in played.matches
        if m.lots
    ]
    picks = [mending_steps.MendWarning("picks_lost", (m.match.a,)) for m in played.matches if m.match.picks is not None]
    if not command.withdrawn:
        # As a draft it keeps them, with all its other notes.
        return mending_steps.MendPlan(played.number, mending_steps.UNPUBLISH)
    return mending_steps.MendPlan(played.number, mending_steps.WITHDRAW, warnings=(*lots, *picks))


_MENDS: Mapping[type, Callable[[EventState, Any], mending_steps.MendPlan]] = {
    SwapSeats: _swap,
    MoveToTable: _move,
    PairWaiting: _pair,
    GiveBye: _give_bye,
    PairAgain: _again,
    UnpublishRound: _unpublish,
}

DECIDE_MENDING: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = dict.fromkeys(_MENDS, mend_entries)


def _round(played: RoundState, data: Mapping[str, Any], entry: Entry) -> RoundState:
    """The round with these matches changed, each with another revision: who reports what they saw before is told."""
    line = _line(data, entry)
    by_hand = None if data["what"] == mending_steps.AGAIN else {key: line[key] for key in ("what", "by", "reason")}
    raws = {raw["id"]: raw for raw in data["matches"]}
    gone = frozenset(data["gone"])
    matches = [
        _match(match, raws.pop(match.id), by_hand, entry) if match.id in raws else match
        for match in played.matches
        if match.id not in gone
    ]
    for raw in raws.values():
        matches.append(
            MatchState(raw["id"], _seat(raw), revision=raw.get("revision", 0), number=entry.number, by_hand=by_hand)
        )
    draw = played.draw
    if data.get("method"):
        draw = replace(draw, method=data["method"]) if draw else Draw(0, method=data["method"])
    made = replace(
        played, matches=tuple(matches), draw=draw, notes=data.get("notes", played.notes), mends=(*played.mends, line)
    )
    # Other pairs have another mark, while no table knows the old one: a hub that lacks the mend is told by its tables.
    # A published round keeps its own, which all its tables speak of.
    anew = played.status == DRAFT and data.get("method")
    return replace(made, mark=draw_mark(made.number, draw, made.matches)) if anew else made


def _match(was: MatchState, raw: Mapping[str, Any], by_hand: Mapping[str, Any] | None, entry: Entry) -> MatchState:
    now = _seat(raw)
    same = (now.a, now.b, now.bye) == (was.match.a, was.match.b, was.match.bye)
    return replace(
        was,
        match=now,
        reports={},
        revision=was.revision + 1,
        decided=False,
        number=entry.number,
        by_hand=by_hand,
        reported_mono_ms=None,
        lots=was.lots if same else {},
        stood=None,
        strangers={},
        drawn=was.drawn if same else None,
        corrections=was.corrections if same else (),
    )


def _seat(raw: Mapping[str, Any]) -> Match:
    return Match(
        raw["a"],
        raw.get("b"),
        raw.get("table"),
        raw.get("bye"),
        game=raw.get("game"),
        extension_minutes=raw.get("extension_minutes"),
        picks=tuple(raw["picks"]) if raw.get("picks") else None,
    )


def _line(data: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    return {
        "what": data["what"],
        "by": data["by"],
        "reason": data["reason"],
        "number": entry.number,
        "matches": [raw["id"] for raw in data.get("matches", ())],
    }


def _apply_unpublish(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    """The published round is a draft again. Round 1 has not begun then: who is there is counted anew."""
    rounds = tuple(
        replace(
            played,
            status=DRAFT,
            venue_number=None,
            extra_minutes=None,
            taken_back=played.taken_back + 1,
            draw=played.draw or Draw(0),
            mends=(*played.mends, _line(data, entry)),
        )
        if played.number == data["number"]
        else played
        for played in state.rounds
    )
    at_start = None if data["number"] == 1 else state.players_at_start
    return replace(state, rounds=rounds, clock=Clock(), players_at_start=at_start)


APPLY_MENDING: Mapping[str, Step] = {
    "round-mended": lambda state, data, entry: replace(
        state,
        rounds=tuple(
            _round(played, data, entry) if played.number == data["number"] else played for played in state.rounds
        ),
    ),
    "round-unpublished": _apply_unpublish,
}
