"""A round imposed by a person: a rehearsal plays a recorded event, an organizer repairs what a draw cannot know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from roundtap_core.clock import Instant
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.course import elimination_rounds
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.judging.officials import roles_of
from roundtap_core.event.lookups import written
from roundtap_core.event.mending.mend import IMPOSED as BY_HAND
from roundtap_core.event.mending.mend import Changed, Mend, refuse_unless_shown
from roundtap_core.event.mending.waiting import UNPAIRED, waiting
from roundtap_core.event.mending.warned import warnings_of_round
from roundtap_core.event.rounds import commands as c
from roundtap_core.event.rounds.close import close_live
from roundtap_core.event.state import DRAFT, EventState, MatchState, RoundState
from roundtap_core.records import BYES, ELIMINATION, STAGES, SWISS_STAGES, Match

IMPOSED = "imposed"
"""The method that such a round's draw names."""


def impose_round(state: EventState, command: c.ImposeRound, now: Instant) -> list[NewEntry]:
    """The round as given, as a draft to be published. Repeats, byes and groups are the imposer's business; that
    everybody is known, still plays, and sits at one table only is not. Who gives a reason pairs by hand, and has read
    what there is to be warned of."""
    closing = close_live(state)
    matches = _as_they_will_be(state, command)
    more: dict[str, Any] = {}
    if command.reason or command.plan:
        reason = written(command.reason)
        roles_of(state, command.by)
        refuse_unless_shown(_mend(state, command, matches), command.plan)
        said = {"what": BY_HAND, "by": command.by, "reason": reason}
        _sign(state, matches, said)
        more = {"mends": [{**said, "number": state.number + len(closing) + 1,
                           "matches": [f"{_number(state)}.{n}" for n, _ in enumerate(matches, start=1)]}]}
    drawn = NewEntry("round-drawn", {
        "number": _number(state), "stage": command.stage,
        "draw": {"seed": 0, "attempt": 1 + (state.draft.draw.attempt if state.draft and state.draft.draw else 0),
                 "method": IMPOSED},
        "matches": matches, "notes": {IMPOSED: True},
        **({"tiebreak_form": command.tiebreak_form} if command.tiebreak_form else {}), **more,
    })
    return [*closing, drawn]


def imposed_mend(state: EventState, command: c.ImposeRound) -> Mend:
    """What the round would be, for whoever shows it before it is done. Raises the Problems that would refuse it."""
    close_live(state)
    return _mend(state, command, _as_they_will_be(state, command))


def _number(state: EventState) -> int:
    return len(state.public_rounds) + 1


def _as_they_will_be(state: EventState, command: c.ImposeRound) -> list[dict[str, Any]]:
    """The matches with tables, as an entry holds them; Problem where a round cannot be like that."""
    if command.stage not in STAGES:
        raise Invalid("not_one_of", where="/stage", value=command.stage, options=", ".join(STAGES))
    if command.stage != ELIMINATION and elimination_rounds(state):
        raise Problem("elimination_begun")
    seats: dict[str, int] = {}
    for index, match in enumerate(command.matches):
        for competitor in (match.get("a"), match.get("b")):
            if competitor is not None and seats.setdefault(competitor, index) != index:
                raise Problem("twice_in_round", competitor=competitor, first=f"/matches/{seats[competitor]}")
    for competitor in seats:
        entrant = state.entrants.get(competitor)
        if entrant is None:
            raise Problem("unknown_competitor", competitor=competitor)
        if not entrant.active:
            raise Problem("already_left", competitor=competitor)
    matches = [match_as_imposed(match) for match in command.matches]
    number_tables(matches, command.busy_tables)
    return matches


def _mend(state: EventState, command: c.ImposeRound, matches: Sequence[Mapping[str, Any]]) -> Mend:
    """The round as one step, with what somebody has to be warned of before."""
    number = _number(state)
    seats = [Match(m["a"], m.get("b"), m.get("table"), m.get("bye")) for m in matches]
    tables = [seat.table for seat in seats if seat.table is not None]
    for table in tables:
        if tables.count(table) > 1 or table in command.busy_tables:
            raise Problem("mend_table_taken", table=table)
    if command.stage not in SWISS_STAGES:
        raise Problem("mend_fixed_pairing")
    played = RoundState(number, command.stage, DRAFT, tuple(
        MatchState(f"{number}.{n}", seat) for n, seat in enumerate(seats, start=1)))
    missing = [who for who, (why, _) in waiting(state, played).items() if why == UNPAIRED]
    changes = tuple(Changed(m.id, m.match, None) for m in played.matches)
    return Mend(number, BY_HAND, changes, (), warnings_of_round(state, played, missing))


def _sign(state: EventState, matches: Sequence[dict[str, Any]], said: Mapping[str, Any]) -> None:
    """What the draw in hand had as well is nobody's doing; all the rest is by hand."""
    drawn = {(m.match.a, m.match.b, m.match.table, m.match.bye)
             for m in (state.draft.matches if state.draft else ()) if m.by_hand is None}
    for match in matches:
        if (match["a"], match.get("b"), match.get("table"), match.get("bye")) not in drawn:
            match["by_hand"] = dict(said)


def match_as_imposed(match: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that an entry holds of a match; Problem for a single one without the kind of its bye."""
    if match.get("b") is None and match.get("bye") not in BYES:
        raise Invalid("not_one_of", where="/bye", value=match.get("bye"), options=", ".join(BYES))
    return {key: match[key] for key in ("a", "b", "table", "bye", "game", "picks") if match.get(key) is not None}


def number_tables(matches: list[dict[str, Any]], busy: frozenset[int]) -> None:
    """Matches that came without a table take the lowest free ones, in order."""
    taken = {match["table"] for match in matches if "table" in match} | busy
    free = (number for number in count(1) if number not in taken)
    for match in matches:
        if "b" in match and "table" not in match:
            match["table"] = next(free)
