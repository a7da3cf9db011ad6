"""The state of an event as bytes and back: the same bytes wherever the same entries were folded."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import fields

from roundtap_core.event.state import EventState
from roundtap_core.wire import digest

SHORT = 24
"""Texts up to so many letters are kept once however often they stand there: ids, fates, reasons."""

Way = Callable[[Any], Any]


class Codec(NamedTuple):
    """How values of one type become JSON, and come back. None: they are JSON as they are."""

    to_json: Way | None
    from_json: Way | None


def encode(state: EventState) -> bytes:
    """Canonical JSON: records as lists of their fields, mappings of records as pairs in their own order, since that
    order counts (draws shuffle competitors in it). What entries hold as plain JSON has its keys sorted."""
    return json.dumps(_way_out(EventState)(state), sort_keys=True, separators=(",", ":"), ensure_ascii=False,
                      allow_nan=False).encode()


def decode(raw: bytes) -> EventState:
    """What `encode` was given. Raises ValueError for anything that is no state of this very `form`."""
    try:
        state = _way_back(EventState)(json.loads(raw))
    except (TypeError, AttributeError, KeyError) as error:
        raise ValueError("no state of an event") from error
    if not isinstance(state, EventState):
        raise ValueError("no state of an event")
    return state


@cache
def form() -> str:
    """Names what a state consists of: bytes made by a core with other fields are not for this one."""
    known: dict[str, list[list[str]]] = {}
    _describe(EventState, known)
    return digest(known)[:16]


def _describe(kind: Any, known: dict[str, list[list[str]]]) -> None:
    if isinstance(kind, type) and issubclass(kind, Struct):
        if kind.__name__ not in known:
            hints = get_type_hints(kind)
            known[kind.__name__] = [[f.name, str(hints[f.name])] for f in fields(kind)]
            for hint in hints.values():
                _describe(hint, known)
    else:
        for part in get_args(kind):
            _describe(part, known)


def _way_out(kind: Any) -> Way:
    return _codec(kind).to_json or _same


def _way_back(kind: Any) -> Way:
    return _codec(kind).from_json or _same


def _same(value: Any) -> Any:
    return value


@cache
def _codec(kind: Any) -> Codec:
    if isinstance(kind, type) and issubclass(kind, Struct):
        return _record(kind)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is UnionType or (origin is not None and NoneType in parts):
        return _optional(parts)
    if origin is tuple:
        return _tuple(parts[0])
    if origin in (dict, Mapping):
        return _mapping(parts[1])
    return Codec(None, _once if kind is str else None)


def _record(kind: type) -> Codec:
    hints = get_type_hints(kind)
    names = [f.name for f in fields(kind)]
    out = [(name, _codec(hints[name]).to_json) for name in names]
    back = [_codec(hints[name]).from_json for name in names]

    def to_json(record: Any) -> list[Any]:
        return [getattr(record, name) if way is None else way(getattr(record, name)) for name, way in out]

    def from_json(values: list[Any]) -> Any:
        return kind(*[value if way is None else way(value) for value, way in zip(values, back, strict=True)])

    return Codec(to_json, from_json)


def _optional(parts: tuple[Any, ...]) -> Codec:
    """One type or None; types that are JSON as they are may stand beside each other."""
    ways = [_codec(part) for part in parts if part is not NoneType]
    out, back = ways[0]
    if len(ways) > 1 or (out is None and back is None):
        if any(way.to_json for way in ways):
            raise TypeError(f"one of {parts}: which one, the bytes could not tell")
        return Codec(None, None)
    return Codec(out and (lambda value: None if value is None else out(value)),
                 back and (lambda value: None if value is None else back(value)))


def _tuple(part: Any) -> Codec:
    out, back = _codec(part)
    return Codec(list if out is None else lambda values: [out(value) for value in values],
                 tuple if back is None else lambda values: tuple(back(value) for value in values))


def _mapping(part: Any) -> Codec:
    out, back = _codec(part)
    if out is None or back is None:
        return Codec(dict, None)
    return Codec(lambda mapping: [[key, out(value)] for key, value in mapping.items()],
                 lambda pairs: {_once(key): back(value) for key, value in pairs})


def _once(text: str) -> str:
    return sys.intern(text) if len(text) <= SHORT else text
