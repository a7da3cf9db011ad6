"""Identifies slips that come back by their typed code or the token in their QR code, and finds their matches."""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from roundtap_core.event.commands import apply
from roundtap_core.event.states import PUBLISHED, EventState, MatchState, RoundState
from roundtap_core.wire import digest
from roundtap_hub.store.service import Service

LETTERS = "ACDEFGHJKLMNPRTUVWXY3479"  # of short codes: none that are easily confused
CODE_LETTERS = 3
ROUND_MAX = 1023
PURPOSE = b"roundtap/slip/1\n"
EVENT_PART, ROUND_PART, MARK_PART, SIGNATURE_PART = 6, 2, 8, 16
TOKEN_LETTERS = EVENT_PART + ROUND_PART + MARK_PART + SIGNATURE_PART
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
"""Of tokens, base32 "with extended hex alphabet": without Y and Z, which a barcode reader acting as a keyboard swaps
on a German layout; one case, so that the QR code needs fewer modules."""
_TOKEN = re.compile(rf"(?<![0-9A-Za-z])([0-9A-Va-v]{{{TOKEN_LETTERS}}})\W*$")
_CODE = re.compile(rf"([0-9A-Za-z]{{{CODE_LETTERS}}})[^0-9A-Za-z]*([0-9]{{1,4}})")


@dataclass(frozen=True, slots=True)
class SlipToken:
    """A token's event, round, and mark of one match of one draw (the first letters of `slip_mark`). `signed`: by this
    hub's secret; else anyone who has read a slip may have made it."""

    event_id: str
    round: int
    mark: str
    signed: bool


def slip_mark(state: EventState, played: RoundState, match: MatchState) -> str:
    """Identifies one match of one draw by its players; another table does not change it."""
    draw = [played.draw.seed, played.draw.attempt] if played.draw else None
    seat = match.match
    return _letters(digest([state.id, played.number, draw, match.id, seat.a, seat.b, seat.game]))


def _letters(hexadecimal: str) -> str:
    return base64.b32hexencode(bytes.fromhex(hexadecimal)).decode().rstrip("=")


def slip_codes(state: EventState, played: RoundState) -> dict[str, str]:
    """Each match's code by its id ("K7F-3"), unique within the round."""
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
    """A typed code ("k7f 3") as printed on slips ("K7F-3"), and its round; None where it is no code."""
    code = _CODE.fullmatch(typed.strip())
    return (f"{code[1].upper()}-{int(code[2])}", int(code[2])) if code else None


def slip_token(secret: bytes, state: EventState, played: RoundState, match: MatchState) -> str:
    """The part of a slip's QR code after "/s/": capital letters and digits."""
    number = min(played.number, ROUND_MAX)
    content = (
        event_part(state.id) + DIGITS[number // 32] + DIGITS[number % 32] + slip_mark(state, played, match)[:MARK_PART]
    )
    return content + _signature(secret, state.id, content)


def event_part(event_id: str) -> str:
    """An event's id in a few letters."""
    return _letters(hashlib.sha256(PURPOSE + event_id.encode()).hexdigest())[:EVENT_PART]


def _signature(secret: bytes, event_id: str, content: str) -> str:
    signed = hmac.digest(secret, PURPOSE + f"{event_id}\n{content}".encode(), "sha256")
    return base64.b32hexencode(signed).decode()[:SIGNATURE_PART]


def token_in(text: str) -> str:
    """The token at the end of a scanned or typed text, which may be garbled before it; "" without one."""
    token = _TOKEN.search(text.strip())
    return token[1].upper() if token else ""


def read_token(secret: bytes, event_ids: Iterable[str], token: str) -> SlipToken | None:
    """A token (from `token_in`) of one of these events, parsed; None where it is of none of them."""
    content, signature = token[:-SIGNATURE_PART], token[-SIGNATURE_PART:]
    for event_id in event_ids:
        if content[:EVENT_PART] == event_part(event_id):
            number = int(content[EVENT_PART : EVENT_PART + ROUND_PART], 32)
            return SlipToken(
                event_id,
                number,
                content[-MARK_PART:],
                hmac.compare_digest(signature, _signature(secret, event_id, content)),
            )
    return None


@dataclass(frozen=True, slots=True)
class FoundSlip:
    """A slip's match. `signed`: by its QR code, which this hub made."""

    event_id: str
    match_id: str
    signed: bool = False


@dataclass(frozen=True, slots=True)
class OutdatedSlip:
    """A slip of a draw that no longer stands: its players and table. `drawn`: that round is published again."""

    event_id: str
    round: int
    table: int | None
    a: str
    b: str | None
    drawn: bool


def find_slip(service: Service, secret: bytes, typed: str, event_id: str = "") -> FoundSlip | OutdatedSlip | None:
    """The slip of a typed code ("K7F-3"), in this event or else another one in play, or of a QR code; None where this
    hub knows none."""
    snapshot = service.snapshot
    token, code = token_in(typed), code_in(typed)
    if token:
        named = read_token(secret, (each for each in snapshot.ids if each not in snapshot.venue.deleted), token)
        if named is None:
            return None
        # A made-up token must not cause the slow search through old draws, except where typed at an event's desk.
        search_old = named.signed or event_id
        return _find_in_rounds(
            service,
            [named.event_id],
            named.round,
            mark=named.mark,
            signed=named.signed,
            former=named.event_id if search_old else "",
        )
    if code is None:
        return None
    others = [each for each in snapshot.events if each != event_id and each not in snapshot.venue.deleted]
    return _find_in_rounds(service, [event_id, *others] if event_id else others, code[1], code=code[0], former=event_id)


def _find_in_rounds(
    service: Service,
    places: Iterable[str],
    number: int,
    code: str = "",
    mark: str = "",
    signed: bool = False,
    former: str = "",
) -> FoundSlip | OutdatedSlip | None:
    """The match of a code, or else of a mark, in the round `number` of one of these events; else in an earlier draw of
    the event `former`, unless that is ""."""
    for place in places:
        state = service.snapshot.event(place)
        played = public_round(state, number) if state is not None else None
        match = _match_of(state, played, code, mark) if state is not None and played is not None else None
        if match is not None:
            return FoundSlip(place, match.id, signed)
    return _former(service, former, number, code, mark) if former else None


def _match_of(state: EventState, played: RoundState, code: str, mark: str) -> MatchState | None:
    codes = slip_codes(state, played) if code else {}
    return next(
        (
            match
            for match in played.matches
            if (codes[match.id] == code if code else slip_mark(state, played, match)[:MARK_PART] == mark)
        ),
        None,
    )


def public_round(state: EventState, number: int) -> RoundState | None:
    """The public round of that number."""
    return next((played for played in state.public_rounds if played.number == number), None)


def _former(service: Service, event_id: str, number: int, code: str, mark: str) -> OutdatedSlip | None:
    """The match of an earlier draw. Replays all the event's entries, which is slow but rare: it tells an outdated slip
    from a made-up one."""
    match: MatchState | None = None
    for state, played in _published_versions(service, event_id, number):
        match = _match_of(state, played, code, mark) or match
    if match is None:
        return None
    now = service.snapshot.event(event_id)
    return OutdatedSlip(
        event_id,
        number,
        match.match.table,
        match.match.a,
        match.match.b,
        now is not None and public_round(now, number) is not None,
    )


def _published_versions(service: Service, event_id: str, number: int) -> Iterator[tuple[EventState, RoundState]]:
    state, seen = EventState(event_id), object()
    for entry in service.entries(event_id):
        state = apply(state, entry)
        played = next((each for each in state.rounds if each.number == number and each.status == PUBLISHED), None)
        who = (played.draw, [(each.id, each.match.a, each.match.b) for each in played.matches]) if played else None
        if played is not None and who != seen:
            seen = who
            yield state, played
