"""Why a value is not a message of its type: every reason with its place, in the readers' language.

msgspec reports only the first, in English, without what would be right.
"""

import json
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any

from msgspec import inspect

from roundtap_core.errors import Invalid, Problem, json_pointer

MOST = 20  # reasons reported at most

JSON_TYPES: dict[type, str] = {
    dict: "object",
    list: "array",
    tuple: "array",
    str: "string",
    int: "integer",
    bool: "boolean",
    type(None): "null",
}
_KINDS: dict[type, str] = {
    inspect.StructType: "object",
    inspect.DataclassType: "object",
    inspect.DictType: "object",
    inspect.ListType: "array",
    inspect.VarTupleType: "array",
    inspect.TupleType: "array",
    inspect.FrozenSetType: "array",
    inspect.StrType: "string",
    inspect.IntType: "integer",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
}


def type_errors(value: object, kind: Any) -> tuple[Problem, ...]:
    """The first `MOST` reasons why `value` is not of this kind, in the order of its fields."""
    return tuple(islice(type_problems(value, kind), MOST))


def type_problems(value: object, kind: Any, where: str = "") -> Iterator[Problem]:
    """Every reason why `value`, located at `where`, is not of this kind."""
    return _problems(value, _type_info(kind), where)


_type_info = cache(inspect.type_info)


def short_json(value: object) -> str:
    """`value` as JSON, short enough for one line of an error."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"


def _problems(value: Any, kind: Any, where: str) -> Iterator[Problem]:
    options: tuple[Any, ...] = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    if any(isinstance(each, inspect.AnyType) for each in options):
        return
    fitting = [each for each in options if _json_type(each) == JSON_TYPES.get(type(value))]
    if not fitting:
        yield Problem("wrong_type", where=where, expected=", ".join(dict.fromkeys(map(_expected, options))))
    elif len(fitting) == 1:
        yield from _inside(value, fitting[0], where)
    else:
        # Only objects with a tag field can be ambiguous.
        name = fitting[0].tag_field
        chosen = [each for each in fitting if each.tag == value.get(name)]
        if chosen:
            yield from _inside(value, chosen[0], where)
        else:
            yield _other(value.get(name), [each.tag for each in fitting], json_pointer(where, name))


def _json_type(kind: Any) -> str:
    if isinstance(kind, inspect.LiteralType):
        return JSON_TYPES[type(kind.values[0])]
    return _KINDS.get(type(kind)) or str(kind.cls.JSON_TYPE)


def _expected(kind: Any) -> str:
    """Its JSON type, or what a kind of object says in its place (`EXPECTED`)."""
    item = getattr(kind, "item_type", None)
    many = "objects" if isinstance(item, inspect.StructType) else _json_type(kind)
    return str(getattr(getattr(kind, "cls", None), "EXPECTED", many))


def _other(value: object, options: Iterable[object], where: str) -> Problem:
    return Invalid("not_one_of", where=where, value=short_json(value), options=", ".join(map(short_json, options)))


def _inside(value: Any, kind: Any, where: str) -> Iterator[Problem]:
    """The problems of a value whose JSON type is right."""
    match kind:
        case inspect.LiteralType() if value not in kind.values:
            yield _other(value, kind.values, where)
        case inspect.IntType() if not _within(value, kind.ge, kind.le):
            yield Invalid("figure_out_of_range", where=where, value=short_json(value), minimum=kind.ge, maximum=kind.le)
        case inspect.StrType() if not _within(len(value), None, kind.max_length):
            yield Invalid("text_too_long", where=where, count=len(value), maximum=kind.max_length)
        case inspect.StrType() if len(value) < (kind.min_length or 0) or not re.search(kind.pattern or "", value):
            yield Invalid("unfit_text", where=where)
        case inspect.CustomType(cls=made) if hasattr(made, "problems"):
            yield from made.problems(value, where)
        case inspect.CustomType(cls=made):
            try:
                made.of(value)  # type: ignore[attr-defined]
            except Problem as problem:
                yield problem.at(where)
        case inspect.ListType() | inspect.VarTupleType() | inspect.FrozenSetType():
            yield from _length(value, kind.min_length, kind.max_length, where)
            for index, item in enumerate(value):
                yield from _problems(item, kind.item_type, json_pointer(where, index))
        case inspect.TupleType():
            yield from _length(value, len(kind.item_types), len(kind.item_types), where)
            for index, (item, item_type) in enumerate(zip(value, kind.item_types, strict=False)):
                yield from _problems(item, item_type, json_pointer(where, index))
        case inspect.DictType():
            yield from _length(value, kind.min_length, kind.max_length, where)
            for key, inner in value.items():
                yield from _problems(key, kind.key_type, where)
                yield from _problems(inner, kind.value_type, json_pointer(where, key))
        case inspect.StructType() | inspect.DataclassType():
            yield from _fields(value, kind, where)


def _within(number: int, lowest: int | None, highest: int | None) -> bool:
    return (lowest is None or number >= lowest) and (highest is None or number <= highest)


def _length(value: Any, lowest: int | None, highest: int | None, where: str) -> Iterator[Problem]:
    if not _within(len(value), lowest, highest):
        right = highest if lowest == highest else f"{lowest or 0}–{'…' if highest is None else highest}"
        yield Problem("wrong_length", where=where, count=len(value), right=right)


def _fields(value: dict[str, Any], kind: Any, where: str) -> Iterator[Problem]:
    needed: Sequence[str] = [field.encode_name for field in kind.fields if field.required]
    foreign: Container[str] = ()
    if hasattr(kind.cls, "shape"):
        needed, foreign = kind.cls.shape(value)
    fields = {field.encode_name: field.type for field in kind.fields if field.encode_name not in foreign}
    for key, inner in fields.items():
        if key in value:
            yield from _problems(value[key], inner, json_pointer(where, key))
        elif key in needed:
            yield Problem("missing_key", where=where, key=key, needed=", ".join(needed))
    if getattr(kind, "forbid_unknown_fields", False):
        for key in value:
            if key not in fields and key != kind.tag_field:
                yield Problem("unknown_key", where=json_pointer(where, key), key=key, known=", ".join(fields))
