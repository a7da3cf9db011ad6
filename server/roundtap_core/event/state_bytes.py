"""The state of an event as bytes and back: the same bytes wherever the same entries were folded."""

from functools import cache

from msgspec import json
from msgspec.inspect import type_info

from roundtap_core.event.states import EventState
from roundtap_core.wire import digest

# Mappings of other kinds (fates.py) are written as dicts are.
_WRITER = json.Encoder(enc_hook=dict)
_READER = json.Decoder(EventState)


def encode_state(state: EventState) -> bytes:
    """JSON: records by their fields; mappings in their own order, since that counts (draws shuffle competitors in it).
    What entries hold as plain JSON comes in one order, whether they were made here or read (entries.py)."""
    return _WRITER.encode(state)


def decode_state(raw: bytes) -> EventState:
    """What `encode_state` was given. Raises ValueError for anything that is no state of this very `state_form`."""
    state = _READER.decode(raw)
    if encode_state(state) != raw:
        raise ValueError("no state of an event")
    return state


@cache
def state_form() -> str:
    """Names what a state consists of: bytes made by a core with other fields are not for this one."""
    return digest(repr(type_info(EventState)))[:16]
