"""The event file's JSON Schema, and a validator for the keywords it uses that names every error with its path.

Its own, since the core takes no packages and the libraries would cost what `pair` is quick by: over reading the JSON
alone, a file of 16 / 2,048 players takes 2 / 30 ms here, 33 / 102 ms with fastjsonschema and 127 / 1,332 ms with
jsonschema (whole process, median of 11), and neither says what would be right, in one language or in four.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from roundtap_core.errors import Invalid, Problem
from roundtap_core.eventfile.schema_fast import Check, Checks

Schema = Mapping[str, Any]

# Far deeper than any list that people hand in; it keeps a hostile file from exhausting the stack.
MAX_DEPTH = 40

ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "$comment", "title", "description"})

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    # 1.0 would be an integer to JSON Schema; here it is not, since hashes are made of integers only.
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


@lru_cache(maxsize=1)
def event_schema() -> dict[str, Any]:
    """The schema of the event file as it ships (JSON Schema 2020-12)."""
    path = os.path.join(os.path.dirname(__file__), "event.schema.json")
    with open(path, encoding="utf-8") as file:
        schema: dict[str, Any] = json.load(file)
    return schema


@lru_cache(maxsize=1)
def _event_checks() -> Checks:
    return Checks(event_schema(), MAX_DEPTH)


@lru_cache(maxsize=32)
def definition_check(name: str) -> Check:
    """The quick yes or no of one definition of the event file's schema: "competitor"."""
    return _event_checks().of({"$ref": f"#/$defs/{name}"})


def schema_problems(value: object, schema: Schema | None = None) -> Iterator[Problem]:
    """Everything in `value` that the schema refuses, in the file's order; each Problem's `where` is its JSON path.

    `schema` (the event file's by default) may use `KEYWORDS` and `ANNOTATIONS`; anything else is a bug: KeyError.
    """
    if schema is None and definition_check("event")(value, 0):
        return
    root = event_schema() if schema is None else schema
    yield from _problems(value, root, root, "", 0)


def pointer(where: str, key: str | int) -> str:
    """The JSON path one step below `where` (RFC 6901: "~" and "/" inside a key are escaped)."""
    step = key.replace("~", "~0").replace("/", "~1") if isinstance(key, str) else key
    return f"{where}/{step}"


def brief(value: object) -> str:
    """`value` as JSON, short enough for one line of an error."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"


def _problems(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    if depth > MAX_DEPTH:
        yield Problem("too_deep", where=where, maximum=MAX_DEPTH)
        return
    # Of a value that is of the wrong type altogether, nothing else is worth saying.
    wrong_type = next(_type(value, schema, root, where, depth), None)
    if wrong_type is not None:
        yield wrong_type
        return
    for keyword in schema:
        if keyword not in ANNOTATIONS:
            yield from KEYWORDS[keyword](value, schema, root, where, depth)


def _nothing(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    """For keywords that another one reads (`then` and `else` by `if`), or that are judged first (`type`)."""
    return iter(())


def _type(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    if "type" in schema:
        wanted = schema["type"]
        names = [wanted] if isinstance(wanted, str) else wanted
        if not any(_TYPES[name](value) for name in names):
            yield Problem("wrong_type", where=where, expected=", ".join(names))


def _ref(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    name = schema["$ref"].removeprefix("#/$defs/")
    yield from _problems(value, root["$defs"][name], root, where, depth)


def _const(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    if value != schema["const"]:
        yield Invalid("not_one_of", where=where, value=brief(value), options=brief(schema["const"]))


def _enum(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    # That false is no 0 is the business of the `type` that stands beside every enum here.
    if value not in schema["enum"]:
        options = ", ".join(brief(option) for option in schema["enum"])
        yield Invalid("not_one_of", where=where, value=brief(value), options=options)


def _range(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    lowest, highest = schema["minimum"], schema["maximum"]
    if _TYPES["integer"](value) and not lowest <= value <= highest:
        yield Invalid("figure_out_of_range", where=where, value=brief(value), minimum=lowest, maximum=highest)


def _pattern(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    if isinstance(value, str) and not re.search(schema["pattern"], value):
        yield Invalid("unfit_text", where=where)


def _letters(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    if isinstance(value, str) and len(value) > schema["maxLength"]:
        yield Invalid("text_too_long", where=where, count=len(value), maximum=schema["maxLength"])


def _items(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _problems(item, schema["items"], root, pointer(where, index), depth + 1)


def _length(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    lowest, highest = schema["minItems"], schema["maxItems"]
    if isinstance(value, list) and not lowest <= len(value) <= highest:
        yield Problem("wrong_length", where=where, count=len(value), minimum=lowest, maximum=highest)


def _required(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    if isinstance(value, dict):
        for key in schema["required"]:
            if key not in value:
                yield Problem("missing_key", where=where, key=key, needed=", ".join(schema["required"]))


def _properties(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    if isinstance(value, dict):
        for key, inner in schema["properties"].items():
            if key in value:
                yield from _problems(value[key], inner, root, pointer(where, key), depth + 1)


def _names(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    if isinstance(value, dict):
        for key in value:
            # The key itself may be what cannot be shown: its place is that of the object.
            for problem in _problems(key, schema["propertyNames"], root, where, depth):
                yield problem
                return


def _keys(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    if isinstance(value, dict) and len(value) > schema["maxProperties"]:
        yield Problem("wrong_length", where=where, count=len(value), minimum=0, maximum=schema["maxProperties"])


def _additional(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    if not isinstance(value, dict):
        return
    known, other = schema.get("properties", {}), schema["additionalProperties"]
    for key in value:
        if key in known:
            continue
        if other is False:
            yield Problem("unknown_key", where=pointer(where, key), key=key, known=", ".join(known))
        else:
            yield from _problems(value[key], other, root, pointer(where, key), depth + 1)


def _if(value: Any, schema: Schema, root: Schema, where: str, depth: int) -> Iterator[Problem]:
    refused = any(_problems(value, schema["if"], root, where, depth))
    yield from _problems(value, schema["else" if refused else "then"], root, where, depth)


KEYWORDS: dict[str, Callable[[Any, Schema, Schema, str, int], Iterator[Problem]]] = {
    "type": _nothing, "$ref": _ref, "const": _const, "enum": _enum,
    # Each pair always stands together here, and makes one error, not two.
    "minimum": _range, "maximum": _nothing, "minItems": _length, "maxItems": _nothing,
    "pattern": _pattern, "maxLength": _letters, "items": _items, "required": _required,
    "maxProperties": _keys, "propertyNames": _names,
    "properties": _properties, "additionalProperties": _additional,
    "if": _if, "then": _nothing, "else": _nothing,
}
