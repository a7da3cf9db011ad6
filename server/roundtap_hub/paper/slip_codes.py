"""What a slip is known again by when it comes back: its short code, for a keyboard, and the token in its QR code;
and which match it is of by them, or why it is of none any more."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from roundtap_core.event.apply import apply
from roundtap_core.event.state import PUBLISHED, EventState, MatchState, RoundState
from roundtap_core.wire import digest
from roundtap_hub.store.service import Service

LETTERS = "ACDEFGHJKLMNPRTUVWXY3479"
"""Of short codes: those that nobody confuses."""
CODE_LETTERS = 3
ROUND_MAX = 1023
PURPOSE = b"roundtap/slip/1\n"
EVENT_PART, ROUND_PART, MARK_PART, SIGNATURE_PART = 6, 2, 8, 16
TOKEN_LETTERS = EVENT_PART + ROUND_PART + MARK_PART + SIGNATURE_PART
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
"""Of tokens, base32 "with extended hex alphabet": neither Y nor Z, which a barcode reader that acts as a keyboard
swaps where the computer's keyboard is a German one; of one case, so that the QR code needs fewer modules."""
_TOKEN = re.compile(rf"(?<![0-9A-Za-z])([0-9A-Va-v]{{{TOKEN_LETTERS}}})\W*$")
_CODE = re.compile(rf"([0-9A-Za-z]{{{CODE_LETTERS}}})[^0-9A-Za-z]*([0-9]{{1,4}})")


@dataclass(frozen=True, slots=True)
class SlipToken:
    """What a token says: an event of this hub, a round, and the mark of one match of one draw (`slip_mark`, its
    first letters). `signed`: by this hub's secret; else anybody may have written it who has read a slip."""

    event_id: str
    round: int
    mark: str
    signed: bool


def slip_mark(state: EventState, played: RoundState, match: MatchState) -> str:
    """Names one match of one draw by who meets whom in it: drawn anew, or with somebody else in it, it is another one.
    A table that is moved changes nothing: the same two play."""
    draw = [played.draw.seed, played.draw.attempt] if played.draw else None
    seat = match.match
    return _letters(digest([state.id, played.number, draw, match.id, seat.a, seat.b, seat.game]))


def _letters(hexadecimal: str) -> str:
    return base64.b32hexencode(bytes.fromhex(hexadecimal)).decode().rstrip("=")


def slip_codes(state: EventState, played: RoundState) -> dict[str, str]:
    """Each match's code by its id, "K7F-3": no two the same in a round."""
    codes: dict[str, str] = {}
    taken: set[str] = set()
    for match in played.matches:
        number = int(slip_mark(state, played, match), 32)
        while (code := _code(number)) in taken:
            number += 1
        taken.add(code)
        codes[match.id] = f"{code}-{played.number}"
    return codes


def _code(number: int) -> str:
    base = len(LETTERS)
    return "".join(LETTERS[number // base**place % base] for place in range(CODE_LETTERS))


def code_in(typed: str) -> tuple[str, int] | None:
    """What was typed as a code ("k7f 3") as it stands on slips, "K7F-3", and its round; None where it is none."""
    found = _CODE.fullmatch(typed.strip())
    return (f"{found[1].upper()}-{int(found[2])}", int(found[2])) if found else None


def slip_token(secret: bytes, state: EventState, played: RoundState, match: MatchState) -> str:
    """What stands in a slip's QR code behind "/s/": capital letters and digits."""
    number = min(played.number, ROUND_MAX)
    said = (event_part(state.id) + DIGITS[number // 32] + DIGITS[number % 32]
            + slip_mark(state, played, match)[:MARK_PART])
    return said + _signature(secret, state.id, said)


def event_part(event_id: str) -> str:
    """An event's id in a few letters."""
    return _letters(hashlib.sha256(PURPOSE + event_id.encode()).hexdigest())[:EVENT_PART]


def _signature(secret: bytes, event_id: str, said: str) -> str:
    signed = hmac.digest(secret, PURPOSE + f"{event_id}\n{said}".encode(), "sha256")
    return base64.b32hexencode(signed).decode()[:SIGNATURE_PART]


def token_in(text: str) -> str:
    """The token at the end of what was scanned or typed, whatever a keyboard made of the signs before it; "" where
    there is none."""
    found = _TOKEN.search(text.strip())
    return found[1].upper() if found else ""


def read_token(secret: bytes, event_ids: Iterable[str], token: str) -> SlipToken | None:
    """What a token (`token_in`) says of these events; None where it speaks of none of them."""
    said, signature = token[:-SIGNATURE_PART], token[-SIGNATURE_PART:]
    for event_id in event_ids:
        if said[:EVENT_PART] == event_part(event_id):
            number = int(said[EVENT_PART:EVENT_PART + ROUND_PART], 32)
            return SlipToken(event_id, number, said[-MARK_PART:],
                         hmac.compare_digest(signature, _signature(secret, event_id, said)))
    return None


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
    token, asked = token_in(typed), code_in(typed)
    if token:
        named = read_token(secret, (each for each in snapshot.ids if each not in snapshot.venue.deleted), token)
        if named is None:
            return None
        # Who made a token up has nobody look through all that was ever said; at an event's desk it was typed.
        known = named.signed or event_id
        return _find_in_rounds(service, [named.event_id], named.round, mark=named.mark, signed=named.signed,
                      former=named.event_id if known else "")
    if asked is None:
        return None
    others = [each for each in snapshot.events if each != event_id and each not in snapshot.venue.deleted]
    return _find_in_rounds(service, [event_id, *others] if event_id else others, asked[1], code=asked[0],
                           former=event_id)


def _find_in_rounds(service: Service, places: Iterable[str], number: int, code: str = "", mark: str = "",
                    signed: bool = False,
           former: str = "") -> FoundSlip | OldSlip | None:
    """The match of a code, or else of a mark, in the round of that number of one of these events; else in a draw of
    `former`, if that is an event, which does not stand any more."""
    for place in places:
        state = service.snapshot.event(place)
        played = public_round(state, number) if state is not None else None
        match = _match_of(state, played, code, mark) if state is not None and played is not None else None
        if match is not None:
            return FoundSlip(place, match.id, signed)
    return _former(service, former, number, code, mark) if former else None


def _match_of(state: EventState, played: RoundState, code: str, mark: str) -> MatchState | None:
    codes = slip_codes(state, played) if code else {}
    return next((match for match in played.matches
                 if (codes[match.id] == code if code else slip_mark(state, played, match)[:MARK_PART] == mark)), None)


def public_round(state: EventState, number: int) -> RoundState | None:
    """The round of that number, if everybody may see it."""
    return next((played for played in state.public_rounds if played.number == number), None)


def _former(service: Service, event_id: str, number: int, code: str, mark: str) -> OldSlip | None:
    """The match of a draw that does not stand any more. All that was said in the event is gone through once more: that
    happens when somebody holds a slip that is not valid, and then it has to be told from a slip of the imagination."""
    found: MatchState | None = None
    for state, played in _published_versions(service, event_id, number):
        found = _match_of(state, played, code, mark) or found
    if found is None:
        return None
    now = service.snapshot.event(event_id)
    return OldSlip(event_id, number, found.match.table, found.match.a, found.match.b,
                   now is not None and public_round(now, number) is not None)


def _published_versions(service: Service, event_id: str, number: int) -> Iterator[tuple[EventState, RoundState]]:
    """The round as everybody could see it, each time that it was another one."""
    state, seen = EventState(event_id), object()
    for entry in service.entries(event_id):
        state = apply(state, entry)
        played = next((each for each in state.rounds if each.number == number and each.status == PUBLISHED), None)
        who = (played.draw, [(each.id, each.match.a, each.match.b) for each in played.matches]) if played else None
        if played is not None and who != seen:
            seen = who
            yield state, played
