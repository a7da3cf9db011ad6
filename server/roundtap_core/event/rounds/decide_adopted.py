"""A round adopted as the tables hold it: a hub that was restored from an older copy takes it over, marks and all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roundtap_core.clock import Instant
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.course import elimination_rounds
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.rounds import commands as c
from roundtap_core.event.rounds.close import close_live
from roundtap_core.event.rounds.decide_imposed import IMPOSED, match_as_imposed, number_tables
from roundtap_core.event.state import EventState, active_ids
from roundtap_core.records import BYES, ELIMINATION, STAGES, SWISS

ADOPTED = "adopted"
"""What such a round's notes say, beside that it was imposed."""


def adopt_round(state: EventState, command: c.AdoptRound, now: Instant) -> list[NewEntry]:
    """The round as a draft with the mark and the match ids that the tables know, so that their reports fit.

    A published round of the same number that nobody has played gives way; one with results does not. In a Swiss round
    everybody who is in the event stands exactly once.
    """
    before = _making_way(state, command)
    if command.stage not in STAGES:
        raise Invalid("not_one_of", where="/stage", value=command.stage, options=", ".join(STAGES))
    if command.stage != ELIMINATION and elimination_rounds(state):
        raise Problem("elimination_begun")
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
            _refuse_stranger(state, who)
            if seats.setdefault(who, match_id) != match_id:
                raise Problem("adopt_twice", competitor=who, first=seats[who], second=match_id)
    missing = sorted(active_ids(state) - set(seats)) if command.stage == SWISS else []
    if missing:
        raise Problem("adopt_missing", n=len(missing), competitor=missing[0])
    matches = [_match(match) for match in sorted(command.matches, key=_place)]
    number_tables(matches, command.busy_tables)
    drawn = NewEntry("round-drawn", {
        "number": command.number, "stage": command.stage, "mark": command.mark,
        "draw": {"seed": 0, "attempt": 1 + (state.draft.draw.attempt if state.draft and state.draft.draw else 0),
                 "method": IMPOSED},
        "matches": matches, "notes": {IMPOSED: True, ADOPTED: True},
        **({"tiebreak_form": command.tiebreak_form} if command.tiebreak_form else {}),
    })
    return [*before, drawn]


def _making_way(state: EventState, command: c.AdoptRound) -> list[NewEntry]:
    """The entries that leave the adopted round as the next one; Problem where it is not, or something is played."""
    live = state.live
    if live is not None and live.number == command.number:
        if any(m.reports or m.decided or (m.match.bye is None and m.match.result is not None) for m in live.matches):
            raise Problem("adopt_in_the_way", number=live.number)
        return [NewEntry("round-withdrawn", {"number": live.number})]
    if command.number != len(state.public_rounds) + 1:
        raise Problem("adopt_out_of_order", number=command.number, next=len(state.public_rounds) + 1)
    return close_live(state)


def _refuse_stranger(state: EventState, who: str) -> None:
    entrant = state.entrants.get(who)
    if entrant is None:
        raise Problem("adopt_unknown", competitor=who)
    if not entrant.active:
        raise Problem("already_left", competitor=who)


def _place(match: Mapping[str, Any]) -> int:
    tail = str(match["id"]).partition(".")[2]
    return int(tail) if tail.isdecimal() else 0


def _match(match: Mapping[str, Any]) -> dict[str, Any]:
    if match.get("b") is None and match.get("bye") not in BYES:
        raise Invalid("not_one_of", where="/bye", value=match.get("bye"), options=", ".join(BYES))
    return {"id": str(match["id"]), **match_as_imposed(match),
            **({"revision": match["revision"]} if match.get("revision") else {})}
