"""Prizes: which list can be, and whom the lot finds; and what the entries change."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.clock import Instant
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import Entry, NewEntries, NewEntry
from roundtap_core.event.event_flow import Step, event_step
from roundtap_core.event.states import ACTIVE, AMONG, CHECKED_IN, DoorPrize, EventState, Prize, active_ids
from roundtap_core.randomness import lot_number
from roundtap_core.typed import MOST_COMPETITORS, Count, Exact, IdOrEmpty, Prose

PRIZES_MAX = 100


class SetPrizes(Struct, frozen=True):
    """The whole list, in place of the one before."""

    prizes: tuple[Prize, ...]


class DrawDoorPrize(Struct, frozen=True):
    """Draw `count` winners of a door prize by `seed`. `again`: who has won one may win another. `seen`: how many draws
    were known to who pressed the button, so that a second press does not draw again."""

    what: Prose
    count: Count
    seed: Exact
    among: IdOrEmpty = ACTIVE
    again: bool = False
    seen: Exact | None = None


def set_prizes(state: EventState, command: SetPrizes, now: Instant) -> NewEntries:
    """Raises Problem where a prize is unfit (no text, no places or category), or there are too many."""
    if len(command.prizes) > PRIZES_MAX:
        raise Problem("wrong_length", where="/prizes", count=len(command.prizes), right=f"0–{PRIZES_MAX}")
    for prize in command.prizes:
        _refuse_unfit(state, prize)
    if command.prizes == state.prizes:
        return []
    return [NewEntry("prizes-set", {"prizes": [_to_json(prize) for prize in command.prizes]})]


def _refuse_unfit(state: EventState, prize: Prize) -> None:
    by_place = prize.first is not None and prize.last is not None and 1 <= prize.first <= prize.last <= MOST_COMPETITORS
    if not prize.what.strip() or by_place == bool(prize.category):
        raise Invalid("prize_for_whom", where="/prizes", what=prize.what)
    if prize.competitor is not None and (prize.category is None or prize.competitor not in state.entrants):
        raise Problem("unknown_competitor", competitor=prize.competitor)


def _to_json(prize: Prize) -> dict[str, Any]:
    if prize.category is None:
        return {"what": prize.what, "first": prize.first, "last": prize.last}
    chosen = {} if prize.competitor is None else {"competitor": prize.competitor}
    return {"what": prize.what, "category": prize.category, **chosen}


def draw_door_prize(state: EventState, command: DrawDoorPrize, now: Instant) -> NewEntries:
    """The draw with all that it takes to repeat it: the list it was drawn from, and the seed."""
    if not command.what.strip():
        raise Invalid("door_prize_what", where="/what")
    if command.among not in AMONG:
        raise Invalid("not_one_of", where="/among", value=command.among, options=", ".join(AMONG))
    if command.seen not in (None, len(state.door_prizes)):
        raise Problem("door_prize_drawn_meanwhile")
    pool = door_prize_pool(state, command.among, command.again)
    if not 1 <= command.count <= len(pool):
        raise Invalid("door_prize_too_few", where="/count", count=command.count, pool=len(pool))
    # The smallest tickets of this seed (see randomness.lot): every reader can work it out again.
    winners = sorted(pool, key=lambda who: lot_number(command.seed, who))[: command.count]
    return [
        NewEntry(
            "door-prize-drawn",
            {
                "what": command.what.strip(),
                "among": command.among,
                "again": command.again,
                "seed": command.seed,
                "pool": list(pool),
                "winners": list(winners),
            },
        )
    ]


def door_prize_pool(state: EventState, among: str, again: bool) -> tuple[str, ...]:
    """Who takes part in a draw, by id; the disqualified never, nor who has not come yet."""
    won = set() if again else {who for draw in state.door_prizes for who in draw.winners}
    played = {
        who
        for round_state in state.public_rounds
        for match in round_state.matches
        if match.match.b is not None
        for who in (match.match.a, match.match.b)
        if who is not None
    }
    in_play = active_ids(state)
    return tuple(
        sorted(
            entrant.id
            for entrant in state.entrants.values()
            if entrant.disqualified_after is None
            and entrant.id not in won
            and (
                entrant.id in in_play
                if among == ACTIVE
                else entrant.checked_in
                if among == CHECKED_IN
                else entrant.id in played
            )
        )
    )


DECIDE_PRIZES: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = {
    SetPrizes: set_prizes,
    DrawDoorPrize: draw_door_prize,
}


def _apply_door_prize(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    made = DoorPrize(
        entry.number,
        data["what"],
        data["among"],
        data["again"],
        data["seed"],
        tuple(data["pool"]),
        tuple(data["winners"]),
    )
    return replace(state, door_prizes=(*state.door_prizes, made))


APPLY_PRIZES: Mapping[str, Step] = {
    "prizes-set": event_step(lambda data: {"prizes": tuple(Prize(**prize) for prize in data["prizes"])}),
    "door-prize-drawn": _apply_door_prize,
}
