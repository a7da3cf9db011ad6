"""How entries about competitors change the state: entering, leaving, coming back, late matches, lists, marks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from roundtap_core.event.entries import Entry
from roundtap_core.event.state import DROPPED_OUT, LATE_ENTRY, SIGNED_UP, Entrant, EventState, MatchState, RoundState
from roundtap_core.records import UNPAIRED_LOSS, Match


def with_entrant(state: EventState, competitor: str, **changes: Any) -> EventState:
    """The state with these fields of one entrant changed."""
    entrant = replace(state.entrants[competitor], **changes)
    return replace(state, entrants={**state.entrants, entrant.id: entrant})


def with_missed(state: EventState, competitor: str, missed: Iterable[int]) -> EventState:
    """An unpaired loss for each round missed."""
    numbers = set(missed)
    if not numbers:
        return state
    rounds = tuple(
        _with_bye(r, Match(competitor, bye=UNPAIRED_LOSS)) if r.number in numbers else r for r in state.rounds
    )
    return replace(state, rounds=rounds)


def _with_bye(round_state: RoundState, bye: Match) -> RoundState:
    # One that was taken out again leaves a gap: never two of one id.
    last = max((int(m.id.partition(".")[2]) for m in round_state.matches), default=0)
    return replace(round_state, matches=(*round_state.matches, MatchState(f"{round_state.number}.{last + 1}", bye)))


def without_missed(state: EventState, competitor: str, number: int) -> EventState:
    """The round without the unpaired loss of somebody who was there after all."""
    rounds = tuple(
        replace(r, matches=tuple(m for m in r.matches if (m.match.a, m.match.bye) != (competitor, UNPAIRED_LOSS)))
        if r.number == number else r for r in state.rounds
    )
    return replace(state, rounds=rounds)


def _entered(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    entrant = Entrant(
        data["competitor"], data["digest"], data["won_bye"], data["came_with"], data["fixed_table"],
        data.get("dropped_after"), data.get("disqualified_after"), tuple(data.get("warnings", ())), data.get("total"),
        officials_role=data.get("role"), checked_in=data.get("checked_in", False), sign_up=data.get("sign_up"),
        reasons=_reasons(state, data, LATE_ENTRY), **_kept(data.get("record", {})),
    )
    entered = replace(state, entrants={**state.entrants, entrant.id: entrant})
    return with_missed(entered, entrant.id, data["missed"])


def _reasons(state: EventState, data: Mapping[str, Any], what: str) -> tuple[Mapping[str, Any], ...]:
    """The reason that an entry gives, if any, as the entrant keeps it."""
    return ({"round": len(state.public_rounds), "what": what, "reason": data["reason"]},) if data.get("reason") else ()


def _kept(record: Mapping[str, Any]) -> dict[str, Any]:
    """What an imported competitor brings along, by the entrant's fields."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}


def _late_match(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    """Who sat alone keeps side a and meets the one who came late."""
    found = state.find_match(data["match"])
    if found is None:
        return state
    match = found[1]
    meeting = Match(match.match.a, data["competitor"], data["table"], game=match.match.game)
    return state.with_match(replace(match, match=meeting, revision=match.revision + 1))


def _changed(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    total = {"list_total": data["total"]} if "total" in data else {}
    return with_entrant(state, data["competitor"], digest=data["digest"], **total)


def _dropped(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    who = data["competitor"]
    return with_entrant(state, who, dropped_after=data["after"], how_left=data.get("how", ""),
                        reasons=(*state.entrants[who].reasons, *_reasons(state, data, DROPPED_OUT)))


def _returned(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    back = with_entrant(state, data["competitor"], dropped_after=None, how_left="")
    return with_missed(back, data["competitor"], data["missed"])


def _list_submitted(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return with_entrant(state, data["competitor"], digest=data["digest"], list_total=data["total"])


def _list_corrected(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    known = state.entrants[data["competitor"]].list_corrections
    noted = {"round": data["round"], "reason": data["reason"], "by": data["by"]}
    return with_entrant(state, data["competitor"], digest=data["digest"], list_total=data["total"],
                        list_corrections=(*known, noted))


def _ticked(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    others = tuple(what for what in state.entrants[data["competitor"]].ticks if what != data["what"])
    return with_entrant(state, data["competitor"], ticks=(*others, data["what"]) if data["on"] else others)


def _came_with(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return with_entrant(state, data["competitor"], came_with=data["group"])


def _removed(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    """As if it had not been; an official who was to play as this one plays no more."""
    who = data["competitor"]
    officials = {key: replace(official, plays=None) if official.plays == who else official
                 for key, official in state.officials.items()}
    return replace(state, entrants={key: entrant for key, entrant in state.entrants.items() if key != who},
                   officials=officials, removed=(*state.removed, who))


def _check_in_set(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, check_in=data["used"])


def _checked_in(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return with_missed(with_entrant(state, data["competitor"], checked_in=data["on"]), data["competitor"],
                       data["missed"])


def _sign_up_set(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, sign_up=data["sign_up"])


def _confirmed(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return with_missed(with_entrant(state, data["competitor"], sign_up=SIGNED_UP), data["competitor"], data["missed"])


def _fixed_table_set(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return with_entrant(state, data["competitor"], fixed_table=data["table"])


APPLY_PEOPLE: Mapping[str, Callable[[EventState, Mapping[str, Any], Entry], EventState]] = {
    "competitor-entered": _entered,
    "late-match": _late_match,
    "competitor-changed": _changed,
    "competitor-dropped": _dropped,
    "competitor-returned": _returned,
    "list-submitted": _list_submitted,
    "list-corrected": _list_corrected,
    "ticked": _ticked,
    "came-with-set": _came_with,
    "competitor-removed": _removed,
    "check-in-set": _check_in_set,
    "checked-in": _checked_in,
    "sign-up-set": _sign_up_set,
    "entry-confirmed": _confirmed,
    "fixed-table-set": _fixed_table_set,
}
