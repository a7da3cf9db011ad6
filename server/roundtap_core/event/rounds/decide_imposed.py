"""A round imposed by a person: a rehearsal plays a recorded event, an organizer repairs what a draw cannot know."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event.course import elimination_rounds
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.rounds import commands as c
from roundtap_core.event.rounds.close import close_live
from roundtap_core.event.state import EventState
from roundtap_core.records import BYES, ELIMINATION, STAGES

IMPOSED = "imposed"
"""The method that such a round's draw names."""


def impose_round(state: EventState, command: c.ImposeRound, now: Instant) -> list[NewEntry]:
    """The round as given, as a draft to be published. Repeats, byes and groups are the imposer's business; that
    everybody is known, still plays, and sits at one table only is not."""
    closing = close_live(state)
    if command.stage not in STAGES:
        raise Problem("not_one_of", where="/stage", value=command.stage, options=", ".join(STAGES))
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
    drawn = NewEntry("round-drawn", {
        "number": len(state.public_rounds) + 1, "stage": command.stage,
        "draw": {"seed": 0, "attempt": 1 + (state.draft.draw.attempt if state.draft and state.draft.draw else 0),
                 "method": IMPOSED},
        "matches": matches, "notes": {IMPOSED: True},
        **({"tiebreak_form": command.tiebreak_form} if command.tiebreak_form else {}),
    })
    return [*closing, drawn]


def match_as_imposed(match: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that an entry holds of a match; Problem for a single one without the kind of its bye."""
    if match.get("b") is None and match.get("bye") not in BYES:
        raise Problem("not_one_of", where="/bye", value=match.get("bye"), options=", ".join(BYES))
    return {key: match[key] for key in ("a", "b", "table", "bye", "game", "picks") if match.get(key) is not None}


def number_tables(matches: list[dict[str, Any]], busy: frozenset[int]) -> None:
    """Matches that came without a table take the lowest free ones, in order."""
    taken = {match["table"] for match in matches if "table" in match} | busy
    free = (number for number in count(1) if number not in taken)
    for match in matches:
        if "b" in match and "table" not in match:
            match["table"] = next(free)
