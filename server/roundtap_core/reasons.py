"""Why what was said is no message of its type: every reason with its place, in the words that people read.

Its own: msgspec stops at the first, in English, and without what would be right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from msgspec import inspect

from roundtap_core.errors import Problem

MOST = 20
"""Whoever says a thousand things wrongly is not told of all of them."""

JSON_TYPES: dict[type, str] = {
    dict: "object", list: "array", tuple: "array", str: "string", int: "integer", bool: "boolean",
    type(None): "null", float: "number",
}
_KINDS: dict[type, str] = {
    inspect.StructType: "object", inspect.DataclassType: "object", inspect.DictType: "object",
    inspect.ListType: "array", inspect.VarTupleType: "array", inspect.TupleType: "array",
    inspect.FrozenSetType: "array", inspect.StrType: "string",
    inspect.IntType: "integer", inspect.BoolType: "boolean", inspect.NoneType: "null",
}


def reasons(value: object, kind: Any) -> tuple[Problem, ...]:
    """Why `value` is none of this kind, in the order of its fields, `MOST` at the most."""
    return tuple(islice(_problems(value, inspect.type_info(kind), ""), MOST))


def pointer(where: str, key: str | int) -> str:
    """The JSON path one step below `where` (RFC 6901: "~" and "/" inside a key are escaped)."""
    step = key.replace("~", "~0").replace("/", "~1") if isinstance(key, str) else key
    return f"{where}/{step}"


def brief(value: object) -> str:
    """`value` as JSON, short enough for one line of an error."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"


def _problems(value: Any, kind: Any, where: str) -> Iterator[Problem]:
    options: tuple[Any, ...] = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    if any(isinstance(each, inspect.AnyType) for each in options):
        return
    own = JSON_TYPES.get(type(value), "number")
    fitting = [each for each in options if _json_type(each) == own]
    if not fitting:
        expected = dict.fromkeys(map(_json_type, options))
        yield Problem("wrong_type", where=where, expected=", ".join(expected))
        return
    chosen = fitting[0]
    if len(fitting) > 1:
        # Only objects that say in one of their fields which they are.
        chosen = next((each for each in fitting if each.tag == value.get(each.tag_field)), None)
        if chosen is None:
            yield _other(value.get(fitting[0].tag_field), [each.tag for each in fitting],
                         pointer(where, fitting[0].tag_field))
            return
    yield from _CHECKS.get(type(chosen), _nothing)(value, chosen, where)


def _json_type(kind: Any) -> str:
    if isinstance(kind, inspect.LiteralType):
        return JSON_TYPES[type(kind.values[0])]
    return _KINDS.get(type(kind)) or str(kind.cls.JSON_TYPE)


def _nothing(value: Any, kind: Any, where: str) -> Iterator[Problem]:
    return iter(())


def _other(value: object, options: list[Any], where: str) -> Problem:
    return Problem("not_one_of", where=where, value=brief(value), options=", ".join(map(brief, options)))


def _literal(value: Any, kind: inspect.LiteralType, where: str) -> Iterator[Problem]:
    if value not in kind.values:
        yield _other(value, list(kind.values), where)


def _custom(value: object, kind: Any, where: str) -> Iterator[Problem]:
    try:
        kind.cls.of(value)
    except Problem as problem:
        yield problem.at(where)


def _integer(value: int, kind: inspect.IntType, where: str) -> Iterator[Problem]:
    if (kind.ge is not None and value < kind.ge) or (kind.le is not None and value > kind.le):
        yield Problem("figure_out_of_range", where=where, value=brief(value), minimum=kind.ge, maximum=kind.le)


def _text(value: str, kind: inspect.StrType, where: str) -> Iterator[Problem]:
    if kind.max_length is not None and len(value) > kind.max_length:
        yield Problem("text_too_long", where=where, count=len(value), maximum=kind.max_length)
    elif len(value) < (kind.min_length or 0) or not re.search(kind.pattern or "", value):
        yield Problem("unfit_text", where=where)


def _length(value: Any, lowest: int | None, highest: int | None, where: str) -> Iterator[Problem]:
    if not (lowest or 0) <= len(value) <= (len(value) if highest is None else highest):
        yield Problem("wrong_length", where=where, count=len(value), minimum=lowest or 0, maximum=highest)


def _items(value: list[Any], kind: Any, where: str) -> Iterator[Problem]:
    yield from _length(value, kind.min_length, kind.max_length, where)
    for index, item in enumerate(value):
        yield from _problems(item, kind.item_type, pointer(where, index))


def _places(value: list[Any], kind: inspect.TupleType, where: str) -> Iterator[Problem]:
    yield from _length(value, len(kind.item_types), len(kind.item_types), where)
    for index, (item, item_type) in enumerate(zip(value, kind.item_types, strict=False)):
        yield from _problems(item, item_type, pointer(where, index))


def _keys(value: dict[str, Any], kind: inspect.DictType, where: str) -> Iterator[Problem]:
    yield from _length(value, kind.min_length, kind.max_length, where)
    for key, inner in value.items():
        yield from _problems(key, kind.key_type, where)
        yield from _problems(inner, kind.value_type, pointer(where, key))


def _fields(value: dict[str, Any], kind: Any, where: str) -> Iterator[Problem]:
    needed = ", ".join(field.encode_name for field in kind.fields if field.required)
    for field in kind.fields:
        if field.encode_name in value:
            yield from _problems(value[field.encode_name], field.type, pointer(where, field.encode_name))
        elif field.required:
            yield Problem("missing_key", where=where, key=field.encode_name, needed=needed)
    if getattr(kind, "forbid_unknown_fields", False):
        known = [field.encode_name for field in kind.fields]
        for key in value.keys() - {*known, kind.tag_field}:
            yield Problem("unknown_key", where=pointer(where, key), key=key, known=", ".join(known))


_CHECKS: dict[type, Callable[[Any, Any, str], Iterator[Problem]]] = {
    inspect.LiteralType: _literal, inspect.CustomType: _custom, inspect.IntType: _integer, inspect.StrType: _text,
    inspect.ListType: _items, inspect.VarTupleType: _items, inspect.FrozenSetType: _items, inspect.TupleType: _places,
    inspect.DictType: _keys, inspect.StructType: _fields, inspect.DataclassType: _fields,
}
