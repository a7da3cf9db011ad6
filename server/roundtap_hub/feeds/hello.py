"""A unit's hello: looked at for its size first, then for its key, and only then for what it says."""

from __future__ import annotations

import json

from roundtap_core.messages import Hello
from roundtap_hub.devices.unit_door import HELLO, Refusal, address_of
from roundtap_hub.http_answers import BodyLate, BodyTooLarge, Receive, Scope, announced_bytes, header, read_body
from roundtap_hub.hub import Units

BYTES_MAX = 64 * 1024
WITHIN_S = 10.0
NAMES_UNIT = b"roundtap-unit"
"""The header that says whose hello it is, before anything of it is read."""


async def read_hello(units: Units, scope: Scope, receive: Receive) -> tuple[bytes, Hello]:
    """The key that a hello is signed with, and what it says: fresh and well formed. Raises Refusal."""
    if announced_bytes(scope) > BYTES_MAX:
        raise Refusal(413, f"a hello has at most {BYTES_MAX} bytes")
    unit = header(scope, NAMES_UNIT).decode("latin-1")
    address = address_of(scope)
    units.door.key_for(HELLO, unit, address)
    try:
        body = await read_body(scope, receive, BYTES_MAX, WITHIN_S)
    except BodyTooLarge:
        raise Refusal(413, f"a hello has at most {BYTES_MAX} bytes") from None
    except BodyLate:
        raise Refusal(408, "the body did not come") from None
    return open_hello(units, unit, body, address)


def open_hello(units: Units, unit: str, body: bytes, address: str = "") -> tuple[bytes, Hello]:
    """The key and this unit's hello. Raises Refusal."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        message = None
    key, hello = units.door.request_of(HELLO, message if isinstance(message, dict) else {}, address, Hello)
    if hello.unit != unit:
        raise Refusal(403, "another unit than the header names")
    if not units.challenges.take(hello.challenge):
        raise Refusal(403, "ask for a challenge first")
    units.door.charge(HELLO, unit)
    return key, hello
