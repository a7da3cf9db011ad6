"""Canonical JSON, hashes and signatures: what hub and units must agree on to the byte."""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

# The purpose is signed with the payload, so a message of one kind cannot pass as another.
REPORT = "roundtap/report/1"
REQUEST = "roundtap/request/1"
ECHO = "roundtap/echo/1"
FEED = "roundtap/feed/1"
BEACON = "roundtap/beacon/1"
ENROL = "roundtap/enrol/1"
PRACTICE = "roundtap/practice/1"
WALL = "roundtap/wall/1"
PAGE = "roundtap/page/1"

DEPTH_MAX = 100  # levels of nesting: twice what an event file may have, and far below the recursion limit

_ENCODER = msgspec.json.Encoder(order="deterministic")
_STRUCT_ENCODER = msgspec.json.Encoder(order="sorted", enc_hook=str)  # the texts of people are a kind of str

PLAIN = frozenset((str, int, bool, type(None)))
"""The types of nearly all values that have no parts."""


def canonical_json(value: Any) -> bytes:
    """JSON with sorted keys, no spaces, UTF-8 and integers only: the same bytes on every machine. Raises TypeError on a
    float, whose text differs between programs, and on what is no JSON; ValueError beyond DEPTH_MAX levels, as the input
    is untrusted."""
    _refuse_unencodable(value, DEPTH_MAX)
    try:
        return _ENCODER.encode(value)
    except TypeError:
        # It knows neither subclasses of str and int nor keys of other types; the standard library does.
        return _encode(value).encode()


def struct_json(value: msgspec.Struct) -> bytes:
    """The canonical JSON of a struct that this machine has built, so that its parts are of their types."""
    return _STRUCT_ENCODER.encode(value)


_encode = json.JSONEncoder(
    sort_keys=True,
    separators=(",", ":"),
    ensure_ascii=False,
    allow_nan=False,
    # Checked already: nothing within DEPTH_MAX levels refers to itself.
    check_circular=False,
).encode


def _refuse_unencodable(value: Any, levels: int) -> None:
    items: Iterable[Any]
    if isinstance(value, list | tuple):
        items = value
    elif isinstance(value, dict | Mapping):
        items = value.values()
    elif value is None or isinstance(value, str | int):
        return
    else:
        raise TypeError(f"canonical JSON has objects, lists, texts and integers only, not {value!r}")
    if not levels:
        raise ValueError(f"canonical JSON has at most {DEPTH_MAX} levels")
    for item in items:
        if type(item) not in PLAIN:
            _refuse_unencodable(item, levels - 1)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON, in hex."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def sign(key: bytes, purpose: str, payload: Any) -> str:
    """HMAC-SHA256 over purpose and canonical payload, in hex."""
    return _mac(key, purpose, canonical_json(payload))


def envelope_json(key: bytes, purpose: str, payload: bytes) -> bytes:
    """The bytes of `envelope` for a payload that is canonical JSON already, without encoding it again."""
    return b'{"payload":' + payload + b',"mac":"' + _mac(key, purpose, payload).encode() + b'"}'


def echo_json(key: bytes, payload: Mapping[str, Any] | msgspec.Struct) -> bytes:
    """The bytes of the envelope of an answer to a unit."""
    return envelope_json(
        key, ECHO, struct_json(payload) if isinstance(payload, msgspec.Struct) else canonical_json(payload)
    )


def _mac(key: bytes, purpose: str, payload: bytes) -> str:
    return hmac.digest(key, purpose.encode() + b"\n" + payload, "sha256").hex()


def practice_key(key: bytes, unit: str, salt: str) -> bytes:
    """The key with which a unit is `unit` at a practice hub; `key` is its own, of which this reveals nothing."""
    return bytes.fromhex(sign(key, PRACTICE, {"unit": unit, "salt": salt}))


def wall_key(secret: bytes, wall: str) -> bytes:
    """The key by which a hub with this secret and one wall know each other; the hub keeps no list."""
    return bytes.fromhex(sign(secret, WALL, {"wall": wall}))


def verify_signature(key: bytes, purpose: str, payload: Any, mac: object) -> bool:
    """Whether `mac` is this payload's signature, in constant time; False for anything but a string."""
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
    """The payload of a message with a valid signature, else None."""
    if not isinstance(message, Mapping):
        return None
    payload = message.get("payload")
    if not isinstance(payload, dict) or not verify_signature(key, purpose, payload, message.get("mac")):
        return None
    return payload
