"""A round that no draw made: imposed by a person, or adopted as the tables of a restored hub hold it."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from roundtap_core.clock import Instant
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import mending_steps
from roundtap_core.event.cut import closing_entry
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.event_flow import elimination_rounds, require_entrant, require_reason
from roundtap_core.event.judging import roles_of
from roundtap_core.event.states import DRAFT, EventState, MatchState, RoundState, active_ids
from roundtap_core.records import BYES, ELIMINATION, STAGES, SWISS, SWISS_STAGES, Draw, Match
from roundtap_core.rulebooks.base import ORGANIZER
from roundtap_core.typed import Exact, Id, IdOrEmpty, Prose

ADOPTED = "adopted"  # what such a round's notes say, beside that it was imposed


class ImposeRound(Struct, frozen=True):
    """The next round as the organizer wants it, regardless of the draw: knowingly forced, and recorded as that.
    `matches` are the event file's, without results; `stage` and `tiebreak_form` as there. A match without a table takes
    the lowest free one beside `busy_tables`. A person who pairs manually gives a `reason`, and `plan`, the mark of what
    was shown to them before (mending_steps.py): its warnings have been read."""

    matches: tuple[Mapping[str, Any], ...]
    stage: Id = SWISS
    tiebreak_form: Id | None = None
    busy_tables: frozenset[int] = frozenset()
    reason: Prose = ""
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""


class AdoptRound(Struct, frozen=True):
    """Round `number` as the tables hold it, after a hub was restored from a copy that lacks it. `mark` is the draw's
    (RoundState.mark). `matches` are the event file's, without results, each with its "id" and, where an official had a
    hand in it, its "revision"."""

    number: Exact
    mark: Id
    matches: tuple[Mapping[str, Any], ...]
    stage: Id = SWISS
    tiebreak_form: Id | None = None
    busy_tables: frozenset[int] = frozenset()


def impose_round(state: EventState, command: ImposeRound, now: Instant) -> list[NewEntry]:
    """The round as given, as a draft to be published. Repeats, byes and groups are the imposer's business; that
    everybody is known, still plays, and sits at one table only is not. Who gives a reason pairs manually, and has read
    what there is to be warned of."""
    closing = closing_entry(state)
    matches = _resolve_matches(state, command)
    more: dict[str, Any] = {}
    if command.reason or command.plan:
        reason = require_reason(command.reason)
        roles_of(state, command.by)
        mending_steps.refuse_stale_plan(_mend(state, command, matches), command.plan)
        note = {"what": mending_steps.IMPOSED, "by": command.by, "reason": reason}
        _mark_by_hand(state, matches, note)
        more = {
            "mends": [
                {
                    **note,
                    "number": state.number + len(closing) + 1,
                    "matches": [f"{_number(state)}.{n}" for n, _ in enumerate(matches, start=1)],
                }
            ]
        }
    return [
        *closing,
        draft_entry(
            _number(state),
            command.stage,
            _imposed_draw(state),
            matches,
            {mending_steps.IMPOSED: True},
            command.tiebreak_form,
            **more,
        ),
    ]


def preview_imposed(state: EventState, command: ImposeRound) -> mending_steps.MendPlan:
    """What the round would be, for showing it before it is made. Raises the Problems that would refuse it."""
    closing_entry(state)
    return _mend(state, command, _resolve_matches(state, command))


def draft_entry(
    number: int,
    stage: str,
    draw: Draw,
    matches: Iterable[Mapping[str, Any]],
    notes: Mapping[str, Any],
    tiebreak_form: str | None,
    **more: Any,
) -> NewEntry:
    """The entry of a draft, from any source."""
    return NewEntry(
        "round-drawn",
        {
            "number": number,
            "stage": stage,
            "draw": asdict(draw),
            "matches": list(matches),
            "notes": dict(notes),
            **({"tiebreak_form": tiebreak_form} if tiebreak_form else {}),
            **more,
        },
    )


def _imposed_draw(state: EventState) -> Draw:
    """That the round was imposed, as the attempt after the one that it takes the place of."""
    return Draw(0, 1 + (state.draft.attempt if state.draft else 0), mending_steps.IMPOSED)


def _refuse_stage(state: EventState, stage: str) -> None:
    if stage not in STAGES:
        raise Invalid("not_one_of", where="/stage", value=stage, options=", ".join(STAGES))
    if stage != ELIMINATION and elimination_rounds(state):
        raise Problem("elimination_begun")


def _number(state: EventState) -> int:
    return len(state.public_rounds) + 1


def _resolve_matches(state: EventState, command: ImposeRound) -> list[dict[str, Any]]:
    _refuse_stage(state, command.stage)
    seats: dict[str, int] = {}
    for index, match in enumerate(command.matches):
        for competitor in (match.get("a"), match.get("b")):
            if competitor is not None and seats.setdefault(competitor, index) != index:
                raise Problem("twice_in_round", competitor=competitor, first=f"/matches/{seats[competitor]}")
    for competitor in seats:
        if not require_entrant(state, competitor).active:
            raise Problem("already_left", competitor=competitor)
    matches = [match_as_imposed(match) for match in command.matches]
    assign_free_tables(matches, command.busy_tables)
    return matches


def _mend(state: EventState, command: ImposeRound, matches: Sequence[Mapping[str, Any]]) -> mending_steps.MendPlan:
    number = _number(state)
    seats = [Match(m["a"], m.get("b"), m.get("table"), m.get("bye")) for m in matches]
    tables = [seat.table for seat in seats if seat.table is not None]
    for table in tables:
        if tables.count(table) > 1 or table in command.busy_tables:
            raise Problem("mend_table_taken", table=table)
    if command.stage not in SWISS_STAGES:
        raise Problem("mend_fixed_pairing")
    played = RoundState(
        number, command.stage, DRAFT, tuple(MatchState(f"{number}.{n}", seat) for n, seat in enumerate(seats, start=1))
    )
    missing = [
        who
        for who, (why, _) in mending_steps.waiting_competitors(state, played).items()
        if why == mending_steps.UNPAIRED
    ]
    changes = tuple(mending_steps.MatchChange(m.id, m.match, None) for m in played.matches)
    return mending_steps.MendPlan(
        number, mending_steps.IMPOSED, changes, (), mending_steps.warnings_of_round(state, played, missing)
    )


def _mark_by_hand(state: EventState, matches: Sequence[dict[str, Any]], note: Mapping[str, Any]) -> None:
    """Pairs that the current draft had as well count as drawn; all others as made manually."""
    drawn = {
        (m.match.a, m.match.b, m.match.table, m.match.bye)
        for m in (state.draft.matches if state.draft else ())
        if m.by_hand is None
    }
    for match in matches:
        if (match["a"], match.get("b"), match.get("table"), match.get("bye")) not in drawn:
            match["by_hand"] = dict(note)


def match_as_imposed(match: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that an entry holds of a match; Problem for a single one without the kind of its bye."""
    if match.get("b") is None and match.get("bye") not in BYES:
        raise Invalid("not_one_of", where="/bye", value=match.get("bye"), options=", ".join(BYES))
    return {key: match[key] for key in ("a", "b", "table", "bye", "game", "picks") if match.get(key) is not None}


def assign_free_tables(matches: list[dict[str, Any]], busy: frozenset[int]) -> None:
    """Matches that came without a table take the lowest free ones, in order."""
    taken = {match["table"] for match in matches if "table" in match} | busy
    free = (number for number in count(1) if number not in taken)
    for match in matches:
        if "b" in match and "table" not in match:
            match["table"] = next(free)


def adopt_round(state: EventState, command: AdoptRound, now: Instant) -> list[NewEntry]:
    """The round as a draft with the mark and the match ids that the tables know, so that their reports fit. A published
    round of the same number that has not been played gives way; one with results does not. In a Swiss round everybody
    who is in the event stands exactly once."""
    before = _displaced_drafts(state, command)
    _refuse_stage(state, command.stage)
    seats: dict[str, str] = {}
    ids: set[str] = set()
    for match in command.matches:
        match_id = str(match["id"])
        if match_id in ids or not match_id.startswith(f"{command.number}."):
            raise Problem("adopt_contradiction", match=match_id)
        ids.add(match_id)
        for who in (match["a"], match.get("b")):
            if who is None:
                continue
            _refuse_not_playing(state, who)
            if seats.setdefault(who, match_id) != match_id:
                raise Problem("adopt_twice", competitor=who, first=seats[who], second=match_id)
    missing = sorted(active_ids(state) - set(seats)) if command.stage == SWISS else []
    if missing:
        raise Problem("adopt_missing", n=len(missing), competitor=missing[0])
    matches = [
        {
            "id": str(match["id"]),
            **match_as_imposed(match),
            **({"revision": match["revision"]} if match.get("revision") else {}),
        }
        for match in sorted(command.matches, key=_place)
    ]
    assign_free_tables(matches, command.busy_tables)
    notes = {mending_steps.IMPOSED: True, ADOPTED: True}
    return [
        *before,
        draft_entry(
            command.number,
            command.stage,
            _imposed_draw(state),
            matches,
            notes,
            command.tiebreak_form,
            mark=command.mark,
        ),
    ]


def _displaced_drafts(state: EventState, command: AdoptRound) -> list[NewEntry]:
    """The entries that leave the adopted round as the next one; Problem where it is not, or something is played."""
    live = state.live
    if live is not None and live.number == command.number:
        if any(m.reports or m.decided or (m.match.bye is None and m.match.result is not None) for m in live.matches):
            raise Problem("adopt_in_the_way", number=live.number)
        return [NewEntry("round-withdrawn", {"number": live.number})]
    if command.number != len(state.public_rounds) + 1:
        raise Problem("adopt_out_of_order", number=command.number, next=len(state.public_rounds) + 1)
    return closing_entry(state)


def _refuse_not_playing(state: EventState, who: str) -> None:
    entrant = state.entrants.get(who)
    if entrant is None:
        raise Problem("adopt_unknown", competitor=who)
    if not entrant.active:
        raise Problem("already_left", competitor=who)


def _place(match: Mapping[str, Any]) -> int:
    tail = str(match["id"]).partition(".")[2]
    return int(tail) if tail.isdecimal() else 0
