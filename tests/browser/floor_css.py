"""Style sheets as a browser of the floor takes them: what it does not know is dropped.

`css_of_the_floor.json`: properties and selectors that it knows, and values that came later: of browser-compat-data."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tinycss2
from floor_kit import HERE, SERVER

KNOWN = json.loads((HERE / "css_of_the_floor.json").read_text(encoding="utf-8"))
PROPERTIES, SELECTORS = frozenset(KNOWN["properties"]), frozenset(KNOWN["selectors"])
NEWER_VALUES: dict[str, list[str]] = KNOWN["newer_values"]
NEWER_FUNCTIONS = frozenset({"min", "max", "clamp", "color-mix", "light-dark", "attr", "round", "hypot", "anchor"})
NEWER_UNITS = frozenset(
    [f"{size}{of}" for size in ("dv", "sv", "lv", "cq") for of in ("h", "w", "i", "b", "min", "max")] + ["lh", "rlh"]
)
RULES_WITHIN = frozenset({"media", "supports"})
MEDIA = ("prefers-", "scripting", "min-", "max-", "orientation", "print", "screen", "hover", "pointer")


class Dropped(NamedTuple):
    """`what`: the property, selector or at-rule; `rest`: whether something known goes with it, or holds its place."""

    what: str
    where: str
    alone: bool


def sheets() -> list[Path]:
    return sorted(SERVER.rglob("static/*.css"))


class Floor:
    """One sheet as it is taken; `dropped`: what was not."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.dropped: list[Dropped] = []
        self.text = self._rules(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True))

    def _drop(self, what: str, at: Any, alone: bool) -> str:
        self.dropped.append(Dropped(what, f"{self.name}:{at.source_line}", alone))
        return ""

    def _rules(self, rules: list[Any]) -> str:
        return "\n".join(self._rule(rule) for rule in rules)

    def _rule(self, rule: Any) -> str:
        if rule.type == "qualified-rule":
            newer = [found for found in map(newer_selector, alternatives(rule.prelude)) if found]
            if newer:
                return self._drop(newer[0], rule, len(newer) == len(alternatives(rule.prelude)))
            return f"{tinycss2.serialize(rule.prelude)}{{{self._declarations(rule.content)}}}"
        if rule.type != "at-rule" or rule.content is None:
            return str(rule.serialize())
        head = tinycss2.serialize(rule.prelude).strip()
        if rule.lower_at_keyword == "supports":
            # Asked in this house: for typed attr(), and for what flex with gaps came with.
            if head != "not (inset: 0)":
                return self._drop(f"@supports {head}", rule, True)
            return self._rules(within(rule))
        if rule.lower_at_keyword == "media":
            return f"@media {head} {{{self._rules(within(rule))}}}"
        if rule.lower_at_keyword in {"keyframes", "page", "font-face"}:
            return str(rule.serialize())
        return self._drop(f"@{rule.lower_at_keyword}", rule, True)

    def _declarations(self, content: list[Any]) -> str:
        kept: list[str] = []
        known: set[str] = set()
        for one in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
            name = getattr(one, "lower_name", "a rule within a rule")
            newer = newer_in(one, name)
            if newer:
                self._drop(f"{name}: {newer}" if newer != name else name, one, name not in known)
            else:
                kept.append(one.serialize())
                known.add(name)
        return "; ".join(kept)


def within(rule: Any) -> list[Any]:
    return list(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True))


def newer_in(one: Any, name: str) -> str:
    """What of a declaration is newer: itself, or a word of its value; "" for nothing."""
    if one.type != "declaration":
        return name
    if name.startswith("--"):
        return ""
    if name not in PROPERTIES:
        return name
    for token in tokens(one.value):
        if token.type == "ident" and token.lower_value in NEWER_VALUES.get(name, ()):
            return str(token.lower_value)
        # attr() is old in content, and new anywhere else.
        if token.type == "function" and token.lower_name in NEWER_FUNCTIONS - {"attr" if name == "content" else ""}:
            return f"{token.lower_name}()"
        if token.type == "dimension" and token.lower_unit in NEWER_UNITS:
            return str(token.lower_unit)
    return ""


def tokens(of: list[Any]) -> Iterator[Any]:
    for token in of:
        yield token
        yield from tokens(getattr(token, "arguments", None) or getattr(token, "content", None) or [])


def alternatives(prelude: list[Any]) -> list[list[Any]]:
    """A list of selectors as its selectors: for one unknown a browser drops all."""
    found: list[list[Any]] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            found.append([])
        else:
            found[-1].append(token)
    return found


def newer_selector(selector: list[Any]) -> str:
    """What a selector has that is newer; "" for nothing."""
    for before, token in zip([None, *selector], selector, strict=False):
        if before is None or before.type != "literal" or before.value != ":" or token.type == "literal":
            continue
        name = token.lower_name if token.type == "function" else getattr(token, "lower_value", "")
        if name not in SELECTORS:
            return f":{name}"
        if token.type == "function" and name == "not":
            inner = newer_selector(token.arguments)
            if inner or len(alternatives(token.arguments)) > 1:
                return inner or ":not() of several"
    return ""
