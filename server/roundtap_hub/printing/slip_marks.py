"""What a slip is known again by when it comes back: its short code, for a keyboard, and the token in its QR code."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass

from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_core.wire import digest

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
class Named:
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


def read_token(secret: bytes, event_ids: Iterable[str], token: str) -> Named | None:
    """What a token (`token_in`) says of these events; None where it speaks of none of them."""
    said, signature = token[:-SIGNATURE_PART], token[-SIGNATURE_PART:]
    for event_id in event_ids:
        if said[:EVENT_PART] == event_part(event_id):
            number = int(said[EVENT_PART:EVENT_PART + ROUND_PART], 32)
            return Named(event_id, number, said[-MARK_PART:],
                         hmac.compare_digest(signature, _signature(secret, event_id, said)))
    return None
