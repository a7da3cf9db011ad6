"""A unit's hello: looked at for its size first, then for its key, and only then for what it says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from roundtap_hub.devices.unit_door import HELLO, Refusal, address_of
from roundtap_hub.http_answers import BodyLate, BodyTooLarge, Receive, Scope, announced_bytes, header, read_body
from roundtap_hub.hub import Hub

BYTES_MAX = 64 * 1024
WITHIN_S = 10.0
TEXT_LENGTH_MAX = 64
NAMES_UNIT = b"roundtap-unit"
"""The header that says whose hello it is, before anything of it is read."""


async def read_hello(hub: Hub, scope: Scope, receive: Receive) -> tuple[bytes, dict[str, Any]]:
    """The key that a hello is signed with, and its payload: fresh and well formed. Raises Refusal."""
    if announced_bytes(scope) > BYTES_MAX:
        raise Refusal(413, f"a hello has at most {BYTES_MAX} bytes")
    unit = header(scope, NAMES_UNIT).decode("latin-1")
    address = address_of(scope)
    hub.unit_door.key_for(HELLO, unit, address)
    try:
        body = await read_body(scope, receive, BYTES_MAX, WITHIN_S)
    except BodyTooLarge:
        raise Refusal(413, f"a hello has at most {BYTES_MAX} bytes") from None
    except BodyLate:
        raise Refusal(408, "the body did not come") from None
    return open_hello(hub, unit, body, address)


def open_hello(hub: Hub, unit: str, body: bytes, address: str = "") -> tuple[bytes, dict[str, Any]]:
    """The key and the payload of this unit's hello. Raises Refusal."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        message = None
    said, key, payload = hub.unit_door.request_of(HELLO, message if isinstance(message, dict) else {}, address)
    if said != unit:
        raise Refusal(403, "another unit than the header names")
    if not _well_formed(payload):
        raise Refusal(400, "malformed hello")
    if not hub.challenges.take(payload.get("challenge")):
        raise Refusal(403, "ask for a challenge first")
    hub.unit_door.charge(HELLO, unit)
    return key, payload


def _well_formed(payload: Mapping[str, Any]) -> bool:
    """Whether every field that is there is of its kind; what older units do not say may be missing."""
    damaged = payload.get("damaged", 0)
    return (
        _text(payload.get("nonce")) and _text(payload.get("core")) and _pairs(payload.get("reports"))
        and (_text(payload.get("instance", ""))) and (payload.get("epoch") is None or _text(payload["epoch"]))
        and _heads(payload.get("heads", {})) and isinstance(payload.get("holds"), dict | None)
        and isinstance(damaged, int) and not isinstance(damaged, bool) and 0 <= damaged < 2**31
    )


def _text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= TEXT_LENGTH_MAX


def _pairs(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in value
    )


def _heads(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(head, list) and len(head) == 2 and type(head[0]) is int and isinstance(head[1], str)
        for head in value.values()
    )
