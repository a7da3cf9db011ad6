"""A slip that came back: which match it is of, by its code or its QR code, or why it is of none any more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roundtap_core.event.apply import apply
from roundtap_core.event.state import PUBLISHED, EventState, RoundState
from roundtap_hub.journal.service import Service
from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.printing.slip_marks import MARK_PART, Named, code_in, read_token, slip_codes, slip_mark, token_in


@dataclass(frozen=True, slots=True)
class FoundSlip:
    """The match that a slip is of. `signed`: its QR code was read, and this hub made it."""

    event_id: str
    match_id: str
    signed: bool = False


@dataclass(frozen=True, slots=True)
class OldSlip:
    """A slip of a round that was drawn or changed anew since: who met whom on it, at which table. `drawn`: that round
    is published now."""

    event_id: str
    round: int
    table: int | None
    a: str
    b: str | None
    drawn: bool


def find_slip(service: Service, secret: bytes, typed: str, event_id: str = "") -> FoundSlip | OldSlip | None:
    """What `typed` names: a code ("K7F-3") in this event or else in another one in play, or what a QR code holds. None:
    nothing that this hall knows."""
    snapshot = service.snapshot
    token = token_in(typed)
    if token:
        named = read_token(secret, (each for each in snapshot.ids if each not in snapshot.venue.deleted), token)
        return _by_token(service, snapshot, named, event_id) if named else None
    asked = code_in(typed)
    if asked is None:
        return None
    code, number = asked
    others = [each for each in snapshot.events if each != event_id and each not in snapshot.venue.deleted]
    for place in [event_id, *others] if event_id else others:
        state = snapshot.event(place)
        played = public_round(state, number) if state is not None else None
        if state is not None and played is not None:
            match = next((each for each, known in slip_codes(state, played).items() if known == code), None)
            if match is not None:
                return FoundSlip(place, match)
    return _former(service, event_id, number, code=code) if event_id else None


def public_round(state: EventState, number: int) -> RoundState | None:
    """The round of that number, if everybody may see it."""
    return next((played for played in state.public_rounds if played.number == number), None)


def _by_token(service: Service, snapshot: Snapshot, named: Named, desk: str) -> FoundSlip | OldSlip | None:
    """`desk`: the event at whose desk it was typed, "" where anybody may have asked. Who made a token up has nobody
    look through all that was ever said."""
    state = snapshot.event(named.event_id)
    played = public_round(state, named.round) if state is not None else None
    for match in played.matches if state is not None and played is not None else ():
        if state is not None and played is not None and slip_mark(state, played, match)[:MARK_PART] == named.mark:
            return FoundSlip(named.event_id, match.id, named.signed)
    return _former(service, named.event_id, named.round, mark=named.mark) if named.signed or desk else None


def _former(service: Service, event_id: str, number: int, code: str = "", mark: str = "") -> OldSlip | None:
    """The match of a draw that does not stand any more. All that was said in the event is gone through once more: that
    happens when somebody holds a slip that is not valid, and then it has to be told from a slip of the imagination."""
    found = None
    for state, played in _published(service, event_id, number):
        codes = slip_codes(state, played) if code else {}
        for match in played.matches:
            if (codes.get(match.id) == code) if code else slip_mark(state, played, match)[:MARK_PART] == mark:
                found = match
    if found is None:
        return None
    now = service.snapshot.event(event_id)
    return OldSlip(event_id, number, found.match.table, found.match.a, found.match.b,
                   now is not None and public_round(now, number) is not None)


def _published(service: Service, event_id: str, number: int) -> Iterator[tuple[EventState, RoundState]]:
    """The round as everybody could see it, each time that it was another one."""
    state, seen = EventState(event_id), None
    for entry in service.entries(event_id):
        state = apply(state, entry)
        played = next((each for each in state.rounds if each.number == number and each.status == PUBLISHED), None)
        if played is not None and (who := _who(played)) != seen:
            seen = who
            yield state, played


def _who(played: RoundState) -> object:
    return played.draw, [(each.id, each.match.a, each.match.b) for each in played.matches]
