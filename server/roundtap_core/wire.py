"""Canonical JSON, hashes and signatures: what hub and units must agree on to the byte."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from typing import Any

# The purpose is signed with the payload, so a message of one kind can never pass as one of another.
REPORT = "roundtap/report/1"
REQUEST = "roundtap/request/1"
ECHO = "roundtap/echo/1"
FEED = "roundtap/feed/1"
BEACON = "roundtap/beacon/1"
ENROL = "roundtap/enrol/1"

DEPTH_MAX = 100
"""Levels of nesting: twice what any event file may have, and far from what exhausts the stack."""


def canonical(value: Any) -> bytes:
    """JSON with sorted keys, no spaces, UTF-8 and integers only: the same bytes on every machine.

    Raises TypeError on a float, whose text differs between programs, and ValueError on more than DEPTH_MAX levels:
    what is verified here was written by strangers.
    """
    _refuse_unencodable(value, DEPTH_MAX)
    return _encode(value).encode()


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False,
                           # What is no deeper than DEPTH_MAX leads nowhere back to itself.
                           check_circular=False).encode

_PLAIN = frozenset((str, int, bool, type(None)))
"""What nearly every value is: every entry is walked through when it is sealed."""


def _refuse_unencodable(value: Any, levels: int) -> None:
    items: Iterable[Any]
    if isinstance(value, dict):
        items = value.values()
    elif isinstance(value, list | tuple):
        items = value
    elif isinstance(value, Mapping):
        items = value.values()
    elif isinstance(value, float):
        raise TypeError(f"canonical JSON has integers only, not {value!r}")
    else:
        return
    if not levels:
        raise ValueError(f"canonical JSON has at most {DEPTH_MAX} levels")
    for item in items:
        if type(item) not in _PLAIN:
            _refuse_unencodable(item, levels - 1)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON, in hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def sign(key: bytes, purpose: str, payload: Any) -> str:
    """HMAC-SHA256 over purpose and canonical payload, in hex."""
    return _mac(key, purpose, canonical(payload))


def envelope_json(key: bytes, purpose: str, payload: bytes) -> bytes:
    """The JSON of a signed message, as `envelope` makes it, around a payload that is canonical JSON already: it is
    signed as it stands and not written down a second time."""
    return b'{"payload":' + payload + b',"mac":"' + _mac(key, purpose, payload).encode() + b'"}'


def _mac(key: bytes, purpose: str, payload: bytes) -> str:
    return hmac.digest(key, purpose.encode() + b"\n" + payload, "sha256").hex()


def verify(key: bytes, purpose: str, payload: Any, mac: object) -> bool:
    """Whether `mac` is this payload's signature; in constant time, and False for anything that is no string."""
    if not isinstance(mac, str) or not mac.isascii():
        return False
    try:
        expected = sign(key, purpose, payload)
    except (TypeError, ValueError):
        return False
    return hmac.compare_digest(expected, mac)


def envelope(key: bytes, purpose: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """A signed message: {"payload", "mac"}."""
    return {"payload": dict(payload), "mac": sign(key, purpose, payload)}


def open_envelope(key: bytes, purpose: str, message: object) -> dict[str, Any] | None:
    """The payload of a message whose signature holds, else None."""
    if not isinstance(message, Mapping):
        return None
    payload = message.get("payload")
    if not isinstance(payload, dict) or not verify(key, purpose, payload, message.get("mac")):
        return None
    return payload
