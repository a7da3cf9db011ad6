"""Whether a schema accepts a value, as a quick yes or no: only a spoilt file takes the slow road that names errors.

The same answers as `schema_problems` finding nothing (the tests hold one against the other), from functions put
together once for the schema instead of a look at its keywords for every value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Schema = Mapping[str, Any]
Check = Callable[[Any, int], bool]
"""Whether a value is accepted; the number is its depth in the file."""

_CLASSES: dict[str, type] = {
    "object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None),
}


class Checks:
    """The checks of one schema's definitions, each built when it is first asked for. `deepest`: where nesting ends."""

    def __init__(self, root: Schema, deepest: int) -> None:
        self._root = root
        self._deepest = deepest
        self._named: dict[str, Check] = {}

    def of(self, schema: Schema) -> Check:
        """The check of `schema`, a part of the root. An unknown keyword is a bug: KeyError."""
        if leaf := _leaf({key: value for key, value in schema.items() if key not in _NOTES}):
            return leaf
        tests = [_BUILDERS[keyword](self, schema) for keyword in schema]
        checks = [test for test in tests if test is not None]
        if len(checks) == 1:
            return checks[0]
        if len(checks) == 2:
            one, two = checks
            return lambda value, depth: one(value, depth) and two(value, depth)
        if len(checks) == 3:
            one, two, three = checks
            return lambda value, depth: one(value, depth) and two(value, depth) and three(value, depth)
        return lambda value, depth: all(check(value, depth) for check in checks)

    def _type(self, schema: Schema) -> Check | None:
        wanted = schema["type"]
        names = [wanted] if isinstance(wanted, str) else wanted
        classes = tuple(_CLASSES[name] for name in names)
        if bool in classes or int not in classes:
            return lambda value, depth: isinstance(value, classes)
        return lambda value, depth: isinstance(value, classes) and not isinstance(value, bool)

    def _ref(self, schema: Schema) -> Check | None:
        name = schema["$ref"].removeprefix("#/$defs/")

        def later(value: Any, depth: int) -> bool:
            return self._named[name](value, depth)

        if name not in self._named:
            self._named[name] = later  # A definition may lead to itself.
            self._named[name] = self.of(self._root["$defs"][name])
        return self._named[name]

    def _const(self, schema: Schema) -> Check | None:
        right = schema["const"]
        return lambda value, depth: bool(value == right)

    def _enum(self, schema: Schema) -> Check | None:
        options = tuple(schema["enum"])
        return lambda value, depth: value in options

    def _range(self, schema: Schema) -> Check | None:
        lowest, highest = schema["minimum"], schema["maximum"]
        return lambda value, depth: not isinstance(value, int) or lowest <= value <= highest or isinstance(value, bool)

    def _pattern(self, schema: Schema) -> Check | None:
        search = re.compile(schema["pattern"]).search
        return lambda value, depth: not isinstance(value, str) or search(value) is not None

    def _letters(self, schema: Schema) -> Check | None:
        most = schema["maxLength"]
        return lambda value, depth: not isinstance(value, str) or len(value) <= most

    def _length(self, schema: Schema) -> Check | None:
        lowest, highest = schema["minItems"], schema["maxItems"]
        return lambda value, depth: not isinstance(value, list) or lowest <= len(value) <= highest

    def _items(self, schema: Schema) -> Check | None:
        check, deepest = self.of(schema["items"]), self._deepest

        def all_items(value: Any, depth: int) -> bool:
            if not isinstance(value, list):
                return True
            if depth >= deepest:
                return not value
            depth += 1
            return all(check(item, depth) for item in value)

        return all_items

    def _required(self, schema: Schema) -> Check | None:
        required = schema["required"]
        return lambda value, depth: not isinstance(value, dict) or all(map(value.__contains__, required))

    def _keys(self, schema: Schema) -> Check | None:
        known = {key: self.of(inner) for key, inner in schema.get("properties", {}).items()}
        rest, deepest = schema["additionalProperties"], self._deepest
        other = None if rest is False else self.of(rest)

        def all_keys(value: Any, depth: int) -> bool:
            if not isinstance(value, dict):
                return True
            if depth >= deepest:
                return not value
            depth += 1
            for key, inner in value.items():
                check = known.get(key, other)
                if check is None or not check(inner, depth):
                    return False
            return True

        return all_keys

    def _names(self, schema: Schema) -> Check | None:
        check = self.of(schema["propertyNames"])
        return lambda value, depth: not isinstance(value, dict) or all(check(key, depth) for key in value)

    def _most_keys(self, schema: Schema) -> Check | None:
        most = schema["maxProperties"]
        return lambda value, depth: not isinstance(value, dict) or len(value) <= most

    def _if(self, schema: Schema) -> Check | None:
        condition, then, otherwise = self.of(schema["if"]), self.of(schema["then"]), self.of(schema["else"])
        return lambda value, depth: (then if condition(value, depth) else otherwise)(value, depth)

    def _beside(self, schema: Schema) -> Check | None:
        """Read together with another keyword, or a note for readers."""
        return None

    def _additional(self, schema: Schema) -> Check | None:
        return None if "properties" in schema else self._keys(schema)


def _leaf(schema: Schema) -> Check | None:
    """The two commonest schemas in one step instead of two or three: a text of a pattern and not too long, a whole
    number in a range."""
    kind = schema.get("type")
    if kind == "string" and schema.keys() == {"type", "pattern", "maxLength"}:
        search, most = re.compile(schema["pattern"]).search, schema["maxLength"]
        return lambda value, depth: isinstance(value, str) and len(value) <= most and search(value) is not None
    if kind == "integer" and len(schema) == 3 and "minimum" in schema:
        lowest, highest = schema["minimum"], schema["maximum"]

        def in_range(value: Any, depth: int) -> bool:
            return isinstance(value, int) and lowest <= value <= highest and not isinstance(value, bool)

        return in_range
    return None


_NOTES = ("$schema", "$id", "$defs", "$comment", "title", "description")

_BUILDERS: dict[str, Callable[[Checks, Schema], Check | None]] = {
    "type": Checks._type, "$ref": Checks._ref, "const": Checks._const, "enum": Checks._enum,
    "minimum": Checks._range, "pattern": Checks._pattern, "maxLength": Checks._letters,
    "items": Checks._items, "minItems": Checks._length,
    "maxProperties": Checks._most_keys, "propertyNames": Checks._names,
    "required": Checks._required, "properties": Checks._keys, "additionalProperties": Checks._additional,
    "if": Checks._if,
    **dict.fromkeys(("maximum", "maxItems", "then", "else", *_NOTES), Checks._beside),
}
