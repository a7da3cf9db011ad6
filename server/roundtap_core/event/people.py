"""Who plays: entering and check-in, coming late into round 1, leaving, coming back, lists and marks."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event import abandoned_match, event_flow, states
from roundtap_core.event.entries import Entry, NewEntries, NewEntry
from roundtap_core.event.judging import roles_of
from roundtap_core.pairing.everybody import seats
from roundtap_core.records import BYE, SWISS_STAGES, UNPAIRED_LOSS, WON_BYE, Match, Result
from roundtap_core.rulebooks.base import ORGANIZER
from roundtap_core.typed import MOST_COMPETITORS, Count, Id, IdOrEmpty, LineOrEmpty, Number, Prose, Text, fits_line

MOST_SIGNED_UP = 512  # Sign-up by phone closes at this many entries; the desk enters the rest

TICK_LETTERS = 40


class EnterCompetitor(Struct, frozen=True):
    """`imported`: as an event file has it, with its drops and without unpaired losses made up here. `meets`: the match
    id of a bye, or of another latecomer's unpaired loss, of round 1 while it is played: the two meet, at the lowest
    table that is neither taken nor among `busy_tables`. `reason`: why they come only now."""

    entrant: states.Entrant
    imported: bool = False
    meets: IdOrEmpty | None = None
    busy_tables: frozenset[int] = frozenset()
    signed_up: bool = False  # by the player's own phone: only while the organizer has opened sign-up
    reason: Prose = ""


class RemoveCompetitor(Struct, frozen=True):
    """Remove an entry that never played from standings, files and pages. Its id is never given again."""

    competitor: Text


class SetCheckIn(Struct, frozen=True):
    """Whether only those who have checked in are paired; set before round 1 is published."""

    used: bool


class CheckIn(Struct, frozen=True):
    """A player is present, or is not after all. After round 1 is published: late, `meets` as in EnterCompetitor."""

    competitor: Text
    on: bool = True
    meets: IdOrEmpty | None = None
    busy_tables: frozenset[int] = frozenset()


class SetSignUp(Struct, frozen=True):
    """Whether players sign up by phone before round 1; `confirm`: the desk confirms each before pairing."""

    open: bool
    confirm: bool = False


class ConfirmEntry(Struct, frozen=True):
    """The desk confirms a player who signed up by phone. `meets` and `busy_tables` as in EnterCompetitor."""

    competitor: Text
    meets: IdOrEmpty | None = None
    busy_tables: frozenset[int] = frozenset()


class SetFixedTable(Struct, frozen=True):
    """The table at which a player always sits; None: any."""

    competitor: Text
    fixed_table: Number | None


class ChangePerson(Struct, frozen=True):
    """A name was corrected: the event keeps only its digest. `total`: what the list costs, where known."""

    competitor: Text
    digest: IdOrEmpty
    total: Count | None = None


class DropCompetitor(Struct, frozen=True):
    """`stood`: score, wounds and squads of the match that is left, as they stood; None: not known. `plays_on`: only
    after this round, the open match is played. `together`: the opponent had asked to leave as well, before either left.
    `reason`: why they leave, for the journal. `lets_go`: squads of who stays, as confirmed
    (event_flow.squads_let_go)."""

    competitor: Text
    stood: Result | None = None
    plays_on: bool = False
    together: bool = False
    reason: Prose = ""
    lets_go: Prose = ""


class ReturnCompetitor(Struct, frozen=True):
    competitor: Text


class SubmitList(Struct, frozen=True):
    """A list is handed in, or changed while that is free. `digest` is the person's, with the list; `total` its cost."""

    competitor: Text
    digest: IdOrEmpty
    total: Count | None = None


class CorrectList(Struct, frozen=True):
    """An official corrects a list, on record."""

    competitor: Text
    digest: IdOrEmpty
    total: Count | None
    reason: Prose
    by: Id = ORGANIZER


class RecordCheck(Struct, frozen=True):
    """A check of a competitor was made or declared ("sleeves", "replacement_rulers"), or no longer holds."""

    competitor: Text
    what: Prose
    on: bool = True


class SetTravelGroup(Struct, frozen=True):
    """Players who came together share a word; None: came alone."""

    competitor: Text
    group: LineOrEmpty | None


def is_pairable(state: states.EventState, entrant: states.Entrant) -> bool:
    """Whether an entrant like this is paired when the next round is drawn."""
    return entrant.sign_up != states.TO_CONFIRM and (entrant.checked_in or not state.check_in)


def arrival_effects(
    state: states.EventState, entrant: states.Entrant, meets: str | None, busy: frozenset[int]
) -> tuple[list[int], NewEntries]:
    """The rounds a latecomer has missed, or the match in place of a bye. Raises Problem where it is too late."""
    event_flow.refuse_after_cut(state)
    if len(state.public_rounds) > 1:
        raise Problem("too_late_to_enter")
    if meets is None:
        if state.rulebook.everybody and state.public_rounds:
            # Raises the Problem where the circle has no seat left.
            seats(states.tournament_of(state), [*states.active_ids(state), entrant.id])
        return [played.number for played in state.public_rounds], []
    return [], [_late_match(state, entrant, meets, busy)]


def latecomer_opponents(state: states.EventState) -> tuple[states.MatchState, ...]:
    """Whom a latecomer could meet at once: the bye of round 1 while it is played, and other latecomers."""
    live = state.live
    if live is None or live.number != 1 or event_flow.second_stage_begun(state):
        return ()
    return tuple(
        m
        for m in live.matches
        if m.match.b is None and m.match.bye in (BYE, UNPAIRED_LOSS) and state.entrants[m.match.a].active
    )


def _late_match(state: states.EventState, entrant: states.Entrant, match_id: str, busy: frozenset[int]) -> NewEntry:
    """Section 1 of the shared rules: during round 1 a latecomer meets the bye player or another latecomer."""
    live = state.live
    if live is None or live.number != 1 or live.status != states.PUBLISHED:
        raise Problem("late_match_only_in_round_1")
    waiting = next((m for m in live.matches if m.id == match_id), None)
    if waiting is not None and waiting.match.bye == WON_BYE:
        raise Problem("won_bye_stays")
    if waiting is None or waiting not in latecomer_opponents(state):
        raise Problem("nobody_to_meet")
    own = (entrant.fixed_table, state.entrants[waiting.match.a].fixed_table)
    table = event_flow.free_table(state, {m.match.table for m in live.matches} | busy, own)
    return NewEntry("late-match", {"match": match_id, "competitor": entrant.id, "table": table})


def _set_check_in(state: states.EventState, command: SetCheckIn, now: Instant) -> NewEntries:
    """Check-in is switched before the first pairing: later it would change who plays round 2."""
    if command.used == state.check_in:
        return []
    if state.public_rounds:
        raise Problem("check_in_before_round_1")
    return [*event_flow.without_draft(state), NewEntry("check-in-set", {"used": command.used})]


def _check_in(state: states.EventState, command: CheckIn, now: Instant) -> NewEntries:
    entrant = event_flow.require_entrant(state, command.competitor)
    if not state.check_in:
        raise Problem("check_in_not_used")
    if not entrant.active:
        raise Problem("already_left", competitor=entrant.id)
    if command.on == entrant.checked_in:
        return []
    plays = entrant.id in states.seated_ids(state)
    if not command.on and plays:
        raise Problem("already_paired", competitor=entrant.id)
    after = replace(entrant, checked_in=command.on)
    missed, meeting = _late_arrival(state, after, command.meets, command.busy_tables)
    changes_draw = entrant.sign_up != states.TO_CONFIRM and not plays
    return [
        *(event_flow.without_draft(state) if changes_draw else ()),
        NewEntry("checked-in", {"competitor": entrant.id, "on": command.on, "missed": missed}),
        *meeting,
    ]


def _late_arrival(
    state: states.EventState, after: states.Entrant, meets: str | None, busy: frozenset[int]
) -> tuple[list[int], NewEntries]:
    """As `arrival_effects`, for an awaited player; nothing is missed by who is still not paired, or plays already."""
    if not is_pairable(state, after) or after.id not in states.not_yet_present(state):
        return [], []
    return arrival_effects(state, after, meets, busy)


def _set_sign_up(state: states.EventState, command: SetSignUp, now: Instant) -> NewEntries:
    sign_up = (states.TO_CONFIRM if command.confirm else states.SIGNED_UP) if command.open else None
    if sign_up == state.sign_up:
        return []
    if sign_up is not None and state.public_rounds:
        raise Problem("sign_up_before_round_1")
    return [NewEntry("sign-up-set", {"sign_up": sign_up})]


def refuse_sign_up(state: states.EventState) -> None:
    """Raise Problem where entering by phone is closed: it was not opened, round 1 is drawn or played, or it is full."""
    if state.sign_up is None or state.finished:
        raise Problem("sign_up_closed")
    if state.rounds:
        raise Problem("sign_up_over")
    if len(state.entrants) >= MOST_SIGNED_UP:
        raise Problem("too_many_competitors", maximum=MOST_SIGNED_UP)


def _confirm(state: states.EventState, command: ConfirmEntry, now: Instant) -> NewEntries:
    entrant = event_flow.require_entrant(state, command.competitor)
    if entrant.sign_up != states.TO_CONFIRM:
        return []
    if not entrant.active:
        raise Problem("already_left", competitor=entrant.id)
    after = replace(entrant, sign_up=states.SIGNED_UP)
    missed, meeting = _late_arrival(state, after, command.meets, command.busy_tables)
    return [
        *(event_flow.without_draft(state) if is_pairable(state, after) else ()),
        NewEntry("entry-confirmed", {"competitor": entrant.id, "missed": missed}),
        *meeting,
    ]


def _remove(state: states.EventState, command: RemoveCompetitor, now: Instant) -> NewEntries:
    """Remove only an entrant who never stood in a public round and has no official's note."""
    entrant = event_flow.require_entrant(state, command.competitor)
    if entrant.id in states.seated_ids(state):
        raise Problem("has_played", competitor=entrant.id)
    if entrant.warnings or entrant.disqualified_after is not None or entrant.list_corrections:
        raise Problem("has_record", competitor=entrant.id)
    return [*event_flow.without_draft(state), NewEntry("competitor-removed", {"competitor": entrant.id})]


def _set_fixed_table(state: states.EventState, command: SetFixedTable, now: Instant) -> NewEntries:
    entrant = event_flow.require_entrant(state, command.competitor)
    if command.fixed_table == entrant.fixed_table:
        return []
    return [
        *event_flow.without_draft(state),
        NewEntry("fixed-table-set", {"competitor": entrant.id, "table": command.fixed_table}),
    ]


def _enter(state: states.EventState, command: EnterCompetitor, now: Instant) -> NewEntries:
    entrant = command.entrant
    if entrant.id in state.entrants or entrant.id in state.officials or entrant.id in state.removed:
        raise Problem("competitor_exists", competitor=entrant.id)
    if len(state.entrants) >= MOST_COMPETITORS:
        raise Problem("too_many_competitors", maximum=MOST_COMPETITORS)
    missed: list[int] = []
    meeting: NewEntries = []
    if command.signed_up:
        refuse_sign_up(state)
        entrant = replace(entrant, sign_up=state.sign_up, checked_in=False)
    if not command.imported:
        if entrant.won_bye and state.public_rounds:
            raise Problem("won_bye_too_late")
        missed, meeting = arrival_effects(state, entrant, command.meets, command.busy_tables)
    entered = NewEntry(
        "competitor-entered",
        {
            "competitor": entrant.id,
            "digest": entrant.digest,
            "won_bye": entrant.won_bye,
            "came_with": entrant.came_with,
            "fixed_table": entrant.fixed_table,
            "missed": missed,
            "dropped_after": entrant.dropped_after,
            "disqualified_after": entrant.disqualified_after,
            "warnings": [dict(w) for w in entrant.warnings],
            **({"total": entrant.list_total} if entrant.list_total is not None else {}),
            **({"role": entrant.officials_role} if entrant.officials_role is not None else {}),
            **({"checked_in": True} if entrant.checked_in else {}),
            **({"sign_up": entrant.sign_up} if command.signed_up else {}),
            **({"record": _record(entrant)} if command.imported and _record(entrant) else {}),
            **({"reason": command.reason} if command.reason else {}),
        },
    )
    paired = command.imported or is_pairable(state, entrant)
    return [*(event_flow.without_draft(state) if paired else ()), entered, *meeting]


def _record(entrant: states.Entrant) -> dict[str, Any]:
    """What an imported entrant brings along that no entry of the event will record."""
    usual = states.Entrant(entrant.id, entrant.digest)
    keys = ("list_corrections", "ticks", "proposed", "declined_at", "disqualification")
    values = {key: getattr(entrant, key) for key in keys if getattr(entrant, key) != getattr(usual, key)}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def _change(state: states.EventState, command: ChangePerson, now: Instant) -> NewEntries:
    event_flow.require_entrant(state, command.competitor)
    return [
        NewEntry(
            "competitor-changed",
            {
                "competitor": command.competitor,
                "digest": command.digest,
                **({"total": command.total} if command.total is not None else {}),
            },
        )
    ]


def _drop(state: states.EventState, command: DropCompetitor, now: Instant) -> NewEntries:
    entrant = event_flow.require_entrant(state, command.competitor)
    plays = abandoned_match.open_match(state, entrant.id) is not None
    # Who was to leave only after this round may have to go now.
    if not entrant.active and not (plays and entrant.plays_live_match and not command.plays_on):
        raise Problem("already_left", competitor=entrant.id)
    freed, how = abandoned_match.rounds_taken_back(state, entrant.id), states.TOGETHER if command.together else ""
    if command.plays_on and plays:
        freed, how = [], states.PLAYS_ON
    leaving = (
        freed
        if freed or how == states.PLAYS_ON
        else [
            *abandoned_match.leave_open_match(state, entrant.id, command.stood, command.lets_go),
            *abandoned_match.ruling_both_left(state, entrant.id),
        ]
    )
    return [
        *event_flow.without_draft(state),
        *leaving,
        NewEntry(
            "competitor-dropped",
            {
                "competitor": entrant.id,
                "after": event_flow.last_round_number(state) - len(freed),
                **({"how": how} if how else {}),
                **({"reason": command.reason} if command.reason else {}),
            },
        ),
    ]


def _return(state: states.EventState, command: ReturnCompetitor, now: Instant) -> NewEntries:
    """ "Paarungen": back on request, in the same stage, with an unpaired loss for each round missed."""
    entrant = event_flow.require_entrant(state, command.competitor)
    if entrant.disqualified_after is not None:
        raise Problem("disqualified_stays_out", competitor=entrant.id)
    if entrant.dropped_after is None:
        raise Problem("never_left", competitor=entrant.id)
    refuse_return(state, entrant)
    played = {r.number for r in state.public_rounds for m in r.matches if entrant.id in (m.match.a, m.match.b)}
    missed = [r.number for r in state.public_rounds if r.number not in played and r.stage in SWISS_STAGES]
    return [
        *event_flow.without_draft(state),
        *abandoned_match.undo_leaving(state, entrant.id),
        NewEntry("competitor-returned", {"competitor": entrant.id, "missed": missed}),
    ]


def refuse_return(state: states.EventState, entrant: states.Entrant) -> None:
    """In elimination there is no round to miss: back comes who left since the last one was published, or whose place in
    the cut nobody has taken yet. A second stage in Swiss rounds takes back whoever began it. Raises
    Problem("stage_is_over", "places_taken")."""
    begun = event_flow.second_swiss_rounds(state)[:1] or event_flow.elimination_rounds(state)[-1:]
    if begun:
        began = any(entrant.id in (m.match.a, m.match.b) for m in begun[0].matches)
        if not began or (not event_flow.second_swiss_rounds(state) and entrant.dropped_after != begun[0].number):
            raise Problem("stage_is_over")
    elif state.cut is not None:
        if entrant.id not in state.cut.seeds:
            raise Problem("stage_is_over")
        there = len(state.cut.seeds_now({*states.active_ids(state), entrant.id}))
        if there > state.cut.size:
            raise Problem("places_taken", n=there, size=state.cut.size)


def _submit_list(state: states.EventState, command: SubmitList, now: Instant) -> NewEntries:
    """Lists are the same all day: free until round 1 is published, an official's business afterwards."""
    entrant = event_flow.require_entrant(state, command.competitor)
    if state.public_rounds:
        raise Problem("list_is_fixed")
    return [NewEntry("list-submitted", {"competitor": entrant.id, "digest": command.digest, "total": command.total})]


def _correct_list(state: states.EventState, command: CorrectList, now: Instant) -> NewEntries:
    entrant = event_flow.require_entrant(state, command.competitor)
    roles_of(state, command.by)
    return [
        NewEntry(
            "list-corrected",
            {
                "competitor": entrant.id,
                "digest": command.digest,
                "total": command.total,
                "round": event_flow.last_round_number(state),
                "reason": event_flow.require_reason(command.reason),
                "by": command.by,
            },
        )
    ]


def _tick(state: states.EventState, command: RecordCheck, now: Instant) -> NewEntries:
    entrant = event_flow.require_entrant(state, command.competitor)
    what = command.what.strip()
    if not what or len(what) > TICK_LETTERS or not fits_line(what):
        raise Problem("tick_what", maximum=TICK_LETTERS)
    if command.on == (what in entrant.ticks):
        return []
    return [NewEntry("ticked", {"competitor": entrant.id, "what": what, "on": command.on})]


def _set_came_with(state: states.EventState, command: SetTravelGroup, now: Instant) -> NewEntries:
    entrant = event_flow.require_entrant(state, command.competitor)
    group = (command.group or "").strip() or None
    if group == entrant.came_with:
        return []
    return [*event_flow.without_draft(state), NewEntry("came-with-set", {"competitor": entrant.id, "group": group})]


DECIDE_PEOPLE: Mapping[type, Callable[[states.EventState, Any, Instant], NewEntries]] = {
    EnterCompetitor: _enter,
    ChangePerson: _change,
    DropCompetitor: _drop,
    ReturnCompetitor: _return,
    SubmitList: _submit_list,
    CorrectList: _correct_list,
    RecordCheck: _tick,
    SetTravelGroup: _set_came_with,
    SetCheckIn: _set_check_in,
    CheckIn: _check_in,
    SetSignUp: _set_sign_up,
    ConfirmEntry: _confirm,
    RemoveCompetitor: _remove,
    SetFixedTable: _set_fixed_table,
}


def with_unpaired_losses(state: states.EventState, competitor: str, missed: Iterable[int]) -> states.EventState:
    """An unpaired loss for each round missed."""
    numbers = set(missed)
    if not numbers:
        return state
    rounds = tuple(
        _with_bye(r, Match(competitor, bye=UNPAIRED_LOSS)) if r.number in numbers else r for r in state.rounds
    )
    return replace(state, rounds=rounds)


def _with_bye(round_state: states.RoundState, bye: Match) -> states.RoundState:
    # One that was taken out again leaves a gap: never two of one id.
    last = max((int(m.id.partition(".")[2]) for m in round_state.matches), default=0)
    return replace(
        round_state, matches=(*round_state.matches, states.MatchState(f"{round_state.number}.{last + 1}", bye))
    )


def without_unpaired_loss(state: states.EventState, competitor: str, number: int) -> states.EventState:
    """The round without the unpaired loss of a player who was there after all."""
    rounds = tuple(
        replace(r, matches=tuple(m for m in r.matches if (m.match.a, m.match.bye) != (competitor, UNPAIRED_LOSS)))
        if r.number == number
        else r
        for r in state.rounds
    )
    return replace(state, rounds=rounds)


def _apply_entered(state: states.EventState, data: Mapping[str, Any], entry: Entry) -> states.EventState:
    entrant = states.Entrant(
        data["competitor"],
        data["digest"],
        data["won_bye"],
        data["came_with"],
        data["fixed_table"],
        data.get("dropped_after"),
        data.get("disqualified_after"),
        tuple(data.get("warnings", ())),
        data.get("total"),
        officials_role=data.get("role"),
        checked_in=data.get("checked_in", False),
        sign_up=data.get("sign_up"),
        reasons=_reasons(state, data, states.LATE_ENTRY),
        **_imported_fields(data.get("record", {})),
    )
    entered = replace(state, entrants={**state.entrants, entrant.id: entrant})
    return with_unpaired_losses(entered, entrant.id, data["missed"])


def _reasons(state: states.EventState, data: Mapping[str, Any], what: str) -> tuple[Mapping[str, Any], ...]:
    return ({"round": len(state.public_rounds), "what": what, "reason": data["reason"]},) if data.get("reason") else ()


def _imported_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}


@event_flow.match_step
def _apply_late_match(
    state: states.EventState,
    played: states.RoundState,
    match: states.MatchState,
    data: Mapping[str, Any],
    entry: Entry,
) -> states.EventState:
    """The player who sat alone keeps side a and meets the latecomer."""
    meeting = Match(match.match.a, data["competitor"], data["table"], game=match.match.game)
    return state.with_match(replace(match, match=meeting, revision=match.revision + 1))


def _apply_dropped(state: states.EventState, data: Mapping[str, Any], entry: Entry) -> states.EventState:
    who = data["competitor"]
    return state.with_entrant(
        who,
        dropped_after=data["after"],
        how_left=data.get("how", ""),
        reasons=(*state.entrants[who].reasons, *_reasons(state, data, states.DROPPED_OUT)),
    )


def _apply_list_corrected(state: states.EventState, data: Mapping[str, Any], entry: Entry) -> states.EventState:
    corrections = state.entrants[data["competitor"]].list_corrections
    noted = {"round": data["round"], "reason": data["reason"], "by": data["by"]}
    return state.with_entrant(
        data["competitor"], digest=data["digest"], list_total=data["total"], list_corrections=(*corrections, noted)
    )


def _apply_ticked(state: states.EventState, data: Mapping[str, Any], entry: Entry) -> states.EventState:
    others = tuple(what for what in state.entrants[data["competitor"]].ticks if what != data["what"])
    return state.with_entrant(data["competitor"], ticks=(*others, data["what"]) if data["on"] else others)


def _apply_removed(state: states.EventState, data: Mapping[str, Any], entry: Entry) -> states.EventState:
    """As if it had not been; an official who was to play as this one plays no more."""
    who = data["competitor"]
    officials = {
        key: replace(official, plays=None) if official.plays == who else official
        for key, official in state.officials.items()
    }
    return replace(
        state,
        entrants={key: entrant for key, entrant in state.entrants.items() if key != who},
        officials=officials,
        removed=(*state.removed, who),
    )


def _presence_step(fields: event_flow.Fields) -> event_flow.Step:
    """A step that sets fields of the entrant whom its entry names, and who was not in the rounds that were missed."""
    there = event_flow.entrant_step(fields)
    return lambda state, data, entry: with_unpaired_losses(
        there(state, data, entry), data["competitor"], data["missed"]
    )


APPLY_PEOPLE: Mapping[str, event_flow.Step] = {
    "competitor-entered": _apply_entered,
    "late-match": _apply_late_match,
    "competitor-changed": event_flow.entrant_step(
        lambda data: {"digest": data["digest"], **({"list_total": data["total"]} if "total" in data else {})}
    ),
    "competitor-dropped": _apply_dropped,
    "competitor-returned": _presence_step(lambda _: {"dropped_after": None, "how_left": ""}),
    "list-submitted": event_flow.entrant_step(lambda data: {"digest": data["digest"], "list_total": data["total"]}),
    "list-corrected": _apply_list_corrected,
    "ticked": _apply_ticked,
    "came-with-set": event_flow.entrant_step(lambda data: {"came_with": data["group"]}),
    "competitor-removed": _apply_removed,
    "check-in-set": event_flow.event_step(lambda data: {"check_in": data["used"]}),
    "checked-in": _presence_step(lambda data: {"checked_in": data["on"]}),
    "sign-up-set": event_flow.event_step(lambda data: {"sign_up": data["sign_up"]}),
    "entry-confirmed": _presence_step(lambda _: {"sign_up": states.SIGNED_UP}),
    "fixed-table-set": event_flow.entrant_step(lambda data: {"fixed_table": data["table"]}),
}
