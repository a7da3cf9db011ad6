"""The event file's JSON Schema, made from its types; `python tests/tools/event_schema.py` writes it.

Descriptions are the schema's own: they are kept where they stand, and a new key comes without one.
"""

import json
import re
from pathlib import Path
from typing import Any

from msgspec import inspect

from roundtap_core import typed
from roundtap_core.eventfile import file_schema
from roundtap_core.eventfile.file_schema import MOST_ENTRIES, Entry, Event, FormerResult, FreeObject, Result
from roundtap_core.records import Side
from roundtap_core.rulebooks.own_rules import Rules
from roundtap_core.typed import EXACT, MOST_COMPETITORS, PROSE, PROSE_LETTERS

DOCUMENT = Path(file_schema.__file__).with_name("event.schema.json")

NAMES = [
    (inspect.type_info(kind), name)
    for name, kind in (
        ("line", typed.Line),
        ("id", typed.Id),
        ("prose", typed.Prose),
        ("key", file_schema.Key),
        ("ids", file_schema.Ids),
        ("integer", typed.Exact),
        ("figure", typed.Figure),
        ("count", typed.Count),
        ("number", typed.Number),
        ("minutes", typed.Minutes),
        ("round_number", file_schema.RoundNumber),
        ("last_round", typed.LastRound),
        ("people", file_schema.People),
        ("squads", file_schema.Squads),
        ("side", Side),
    )
]
"""Texts, numbers and lists that have a name of their own."""

FREE = {
    "type": ["object", "array", "string", "integer", "boolean", "null"],
    "minimum": EXACT[0],
    "maximum": EXACT[1],
    "minItems": 0,
    "maxItems": MOST_COMPETITORS,
    "maxLength": PROSE_LETTERS,
    "pattern": PROSE,
    "items": {"$ref": "#/$defs/free"},
    "maxProperties": MOST_COMPETITORS,
    "propertyNames": {"$ref": "#/$defs/key"},
    "additionalProperties": {"$ref": "#/$defs/free"},
}
"""What a rulebook puts where it likes: what `limits.beyond` lets through."""


class Definitions:
    """The schema's parts by name, as they are met."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        """How a value of this type is written in another part: by reference where it has a name."""
        name = next((name for known, name in NAMES if known == kind), "")
        if isinstance(kind, inspect.StructType):
            if kind.cls is FormerResult:
                kind = inspect.type_info(Result)
            name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.cls.__name__).lower()
        if not name:
            return self.plain(kind)
        if name not in self.found:
            self.found[name] = {}
            self.found[name] = self.plain(kind)
        return {"$ref": f"#/$defs/{name}"}

    def plain(self, kind: Any) -> dict[str, Any]:
        match kind:
            case inspect.UnionType(types=(inspect.IntType() as number, inspect.NoneType())):
                return {**self.plain(number), "type": ["integer", "null"]}
            case inspect.UnionType(types=(inspect.LiteralType() as word, inspect.IntType() as number)):
                return {"if": {"type": "string"}, "then": {"const": word.values[0]}, "else": self.of(number)}
            case inspect.UnionType(types=(given, inspect.NoneType())):
                return {"anyOf": [self.of(given), {"type": "null"}]}
            case inspect.LiteralType(values=values):
                said = {"type": "string" if isinstance(values[0], str) else "integer"}
                return said | ({"const": values[0]} if len(values) == 1 else {"enum": list(values)})
            case inspect.IntType(ge=lowest, le=highest):
                return {"type": "integer", "minimum": lowest, "maximum": highest}
            case inspect.StrType(max_length=most, pattern=pattern):
                limits = {"maxLength": most, "pattern": pattern}
                return {"type": "string", **{key: value for key, value in limits.items() if value is not None}}
            case inspect.BoolType():
                return {"type": "boolean"}
            case (
                inspect.ListType(item_type=item, min_length=least, max_length=most)
                | inspect.VarTupleType(item_type=item, min_length=least, max_length=most)
            ):
                most_items = {} if most is None else {"maxItems": most}
                return {"type": "array", "minItems": least or 0, **most_items, "items": self.of(item)}
            case inspect.TupleType(item_types=items):
                return {
                    "type": "array",
                    "minItems": len(items),
                    "maxItems": len(items),
                    "prefixItems": [self.of(item) for item in items],
                    "items": False,
                }
            case inspect.DictType(key_type=key, value_type=inner, max_length=most):
                return {
                    "type": "object",
                    **({} if most is None else {"maxProperties": most}),
                    "propertyNames": self.of(key),
                    "additionalProperties": self.of(inner),
                }
            case inspect.StructType(cls=cls) if cls is Entry:
                return {
                    "if": {"required": ["bye"]},
                    "then": self.shaped(kind, *Entry.shape({"bye"})),
                    "else": self.shaped(kind, *Entry.shape(())),
                }
            case inspect.StructType():
                return self.shaped(kind, [field.encode_name for field in kind.fields if field.required])
            case inspect.CustomType(cls=file_schema.OwnRules):
                return self.of(inspect.type_info(Rules))
            case inspect.CustomType(cls=cls) if issubclass(cls, FreeObject):
                self.found["free"] = FREE
                known = self.properties(inspect.type_info(cls.KNOWN))
                return {
                    "type": "object",
                    **({"properties": known} if known else {}),
                    "maxProperties": MOST_ENTRIES,
                    "propertyNames": {"$ref": "#/$defs/key"},
                    "additionalProperties": {"$ref": "#/$defs/free"},
                }
        raise AssertionError(kind)

    def shaped(self, kind: Any, needed: Any, foreign: Any = ()) -> dict[str, Any]:
        return {
            "type": "object",
            **({"required": list(needed)} if needed else {}),
            "additionalProperties": False,
            "properties": self.properties(kind, foreign),
        }

    def properties(self, kind: Any, foreign: Any = ()) -> dict[str, Any]:
        return {field.encode_name: self.of(field.type) for field in kind.fields if field.encode_name not in foreign}


def schema(before: dict[str, Any]) -> dict[str, Any]:
    """The whole schema, with the descriptions that stand in the one `before`."""
    made = Definitions()
    head = {key: before[key] for key in ("$schema", "$id", "title", "description")}
    return described({**head, **made.of(inspect.type_info(Event)), "$defs": made.found}, before)


def described(part: Any, before: Any) -> Any:
    """A part of the schema with the notes that the same part had."""
    if not isinstance(part, dict) or not isinstance(before, dict):
        return part
    notes = {
        key: before[key] for key in ("description", "$comment") if key not in part and isinstance(before.get(key), str)
    }
    return {**notes, **{key: described(inner, before.get(key)) for key, inner in part.items()}}


def written(part: Any, indent: str = "", most: int = 110) -> str:
    """JSON with what is short on one line."""
    short = json.dumps(part)
    if len(indent) + len(short) <= most or not isinstance(part, dict):
        return short
    inner = indent + "  "
    lines = [f"{inner}{json.dumps(key)}: {written(value, inner)}" for key, value in part.items()]
    return "{\n" + ",\n".join(lines) + "\n" + indent + "}"


if __name__ == "__main__":
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(written(schema(json.loads(text))) + "\n", encoding="utf-8")
