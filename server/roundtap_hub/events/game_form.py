"""The rules of a store's own game as a form: fields named by their place in the file, and the file as text."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec.structs import fields

from roundtap_core.errors import Problem
from roundtap_core.numbers import typed_number
from roundtap_core.rulebooks.own_rules import FORMAT, GAMES, POINTS, SCORE, SECOND, WINNER_ONLY, Rules
from roundtap_core.rulebooks.scoring import Bonus, TiebreakRule
from roundtap_core.words import LANGUAGES, Words

PRESETS = Path(__file__).parent / "presets"
"""Files to start from, each called by its place in the list and its key: "01-best_of_three.toml"."""

_PARTS: Mapping[str, tuple[str, ...]] = {
    "": ("name", "note"),
    "/match": ("report", "best_of", "drawn_games", "draws"),
    "/match/figure/#": ("maximum", "default", "decides"),
    "/match/figure/#/label": LANGUAGES,
    "/time": ("swiss", "elimination", "final", "third_place", "undecided", "knockout"),
    "/time/extra": ("#",),
    "/time/knockout_asks": LANGUAGES,
    "/points": ("win", "draw", "loss", "unit"),
    "/points/table/#": ("of",),
    "/points/table/#/steps/#": ("#",),
    "/points/bonus/#": tuple(field.name for field in fields(Bonus)),
    "/bye": ("points", "order"),
    "/bye/score": ("#",),
    "/bye/figures/score": ("#",),
    "/bye/figures/second": ("#",),
    "/bye/won_figures/score": ("#",),
    "/bye/won_figures/second": ("#",),
    "/concession/winner_at_least": (SCORE, SECOND),
    "/both_lose": ("points",),
    "/tiebreakers/#": tuple(field.name for field in fields(TiebreakRule)),
    "/tiebreakers/#/label": LANGUAGES,
    "/sides": ("balance",),
    "/sides/names/#": LANGUAGES,
    "/pairing": ("rounds",),
    "/list": ("asked",),
    "/list/fields/#": ("key", "kind", "maximum"),
    "/list/fields/#/label": LANGUAGES,
    "/structure/lines/#": ("#",),
}
"""All that a file can say, by the part that it stands in; "#": a row's number from 0."""

_PLACES = frozenset(f"{part}/{key}" for part, keys in _PARTS.items() for key in keys)

_UNASKED: Mapping[str, tuple[str, ...]] = {
    WINNER_ONLY: ("/match/best_of", "/match/drawn", "/match/figure", "/bye/score", "/bye/figures", "/bye/won", "/conc"),
    GAMES: ("/match/figure", "/bye/figures", "/bye/won", "/conc"),
    POINTS: ("/match/best_of", "/match/drawn", "/bye/score"),
}
"""What is not looked at under each way to report, by the beginnings of the places: the form keeps it out of sight."""

_AS_TYPED = frozenset({"name", "note", "key", *LANGUAGES})
_YES_OR_NO = frozenset({"drawn_games", "decides", "balance"})


class TypedRules(dict[str, Any]):
    """A file's content as the form makes it, sound or not."""


def typed_rules(form: Iterable[tuple[str, str]]) -> TypedRules:
    """What a sent form says, as a file's content; an empty field says nothing, and rows close up. The number that is
    counted is the first one, a line of players has no end and no cut, where nothing else is said."""
    sent = dict(form)
    unasked, data = _UNASKED.get(sent.get("/match/report", ""), ()), dict[str, Any](format=FORMAT)
    for place, text in sent.items():
        if _pattern(place) in _PLACES and not place.startswith(unasked) and text.strip():
            *path, key = place.split("/")[1:]
            part: dict[str, Any] = data
            for step in path:
                part = part.setdefault(step, {})
            part[key] = _value(key, text.strip())
    for line in data.get("structure", {}).get("lines", {}).values():
        line.update({"1": 0, "3": 0} | line)
    rules = TypedRules(_rows(data))
    for row in chain(rules.get("tiebreakers", ()), *map(rules.get("points", {}).get, ("table", "bonus"), ((), ()))):
        if row.get("by") in Rules.NEEDS_FIGURE or {"steps", *Bonus.ASKS} & row.keys():
            row.setdefault("of", SCORE)
    match = rules.get("match", {})
    if match.get("report") == POINTS:
        match.setdefault("figure", [{}])
    for figure, key in zip(match.get("figure", ()), (SCORE, SECOND), strict=False):
        figure["key"] = key
    return rules


def _pattern(place: str) -> str:
    """ "/tiebreakers/#/label/de" for "/tiebreakers/2/label/de"."""
    return re.sub(r"/[0-9]{1,2}(?=/|$)", "/#", place)


def _value(key: str, text: str) -> Any:
    """As a file would have it; what is no number where one belongs stays text, and is found to be wrong."""
    if key in _YES_OR_NO and text in ("yes", "no"):
        return text == "yes"
    if key not in _AS_TYPED:
        with suppress(Problem):
            return typed_number(text)
    return text


def _rows(part: Any) -> Any:
    """With lists in place of objects whose keys are numbers."""
    if not isinstance(part, dict):
        return part
    inner = {key: _rows(value) for key, value in part.items()}
    return [inner[key] for key in sorted(inner, key=int)] if all(map(str.isdecimal, inner)) else inner


def shown_value(rules: Mapping[str, Any], place: str) -> str:
    """What the field of this place shows; "" where the rules say nothing."""
    found = _found(rules, place)
    if isinstance(found, bool):
        return "yes" if found else "no"
    return "" if found is None else str(found)


def shown_rows(rules: Mapping[str, Any], place: str, most: int) -> range:
    """The rows of the form: those that the rules have, and an empty one as long as more may be."""
    return range(min(most, len(_found(rules, place) or ()) + 1))


def _found(rules: Mapping[str, Any], place: str) -> Any:
    found: Any = rules
    for step in place.split("/")[1:]:
        parts = {str(n): each for n, each in enumerate(found)} if isinstance(found, list | tuple) else found
        found = parts.get(step) if isinstance(parts, Mapping) else None
    return found


def problems_by_field(problems: Iterable[Problem], words: Words) -> dict[str, str]:
    """What is wrong, by the field that it is shown at, else by its row or its question."""
    found: dict[str, list[str]] = {}
    for problem in problems:
        where = f"{problem.where}/{problem.params['key']}" if problem.key == "missing_key" else problem.where
        while where.count("/") > 1 and _pattern(where) not in {*_PLACES, *_PARTS}:
            where = where.rpartition("/")[0]
        found.setdefault(where, []).append(problem.say(words))
    return {where: " ".join(texts) for where, texts in found.items()}


@cache
def presets() -> Mapping[str, TypedRules]:
    """What a game may start from, by key, without its name."""
    read = {path.stem.partition("-")[2]: tomllib.loads(path.read_text("utf-8")) for path in sorted(PRESETS.iterdir())}
    return {
        key: TypedRules((part, value) for part, value in data.items() if part != "name") for key, data in read.items()
    }


def toml_text(rules: Mapping[str, Any]) -> str:
    """The rules as the file that says them."""
    plain = [f"{key} = {_inline(value)}" for key, value in rules.items() if isinstance(value, str)]
    parts = [_table(key, part) for key, part in rules.items() if not isinstance(part, str)]
    return "\n".join([*plain, *(line for part in parts for line in part), ""])


def _table(name: str, part: Any) -> Iterator[str]:
    if not isinstance(part, Mapping):
        for row in part:
            # What it is stands first, then its parameters.
            told = sorted(row.items(), key=lambda each: each[0] not in ("by", "key"))
            yield from (f"\n[[{name}]]", *(f"{key} = {_inline(value)}" for key, value in told))
        return
    rows = {
        key: value
        for key, value in part.items()
        if isinstance(value, list | tuple) and all(isinstance(row, Mapping) for row in value)
    }
    if part.keys() - rows.keys():
        yield f"\n[{name}]"
    yield from (f"{key} = {_inline(value)}" for key, value in part.items() if key not in rows)
    for key, value in rows.items():
        yield from _table(f"{name}.{key}", value)


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_inline(each)}' for key, each in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inline, value))}]"
    return json.dumps(value, ensure_ascii=False)
