"""A view is looked at before anybody shows it: shape, size and ranges. Whoever holds the key may be hostile."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from roundtap_core.errors import Problem
from roundtap_core.forms.form import Choice, Exchange, Figure, Form, Picks, Step, Turns
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_units.table.view import TableView, view_from_json

VALUES_MAX = 4000
"""Values in a view, all together: the largest rulebook's form has 335."""
DEPTH_MAX = 12
TEXT_MAX = 200
NUMBER_MAX = 10**9
TIME_MAX_MS = 10**13
"""Three hundred years of the hub's clock."""
FIGURE_MAX = 99_999
"""What is dialled, and what an event's options count."""
FIGURES = ("form", "options", "situation")
NAMES = ("name", "taken_by")
"""Texts for people: what no screen can draw is left out of them. In all others it is a reason to refuse."""


class ViewRefused(ValueError):
    """This is no view that a table could show; it says where."""


def checked_view(raw: object) -> TableView:
    """The view, if a table can show it. ViewRefused where it is malformed, too large or out of all ranges."""
    if not isinstance(raw, Mapping):
        raise ViewRefused("a view is an object")
    plain = _Plain()
    data = {str(name): plain.looked_at(value, str(name), _limit(str(name)), 1) for name, value in raw.items()}
    try:
        view = view_from_json(data)
    except (KeyError, TypeError, ValueError, AttributeError, Problem) as error:
        raise ViewRefused(f"malformed: {error!r}") from error
    _conforms(view, TableView, "view")
    _ranges(view)
    return view


def _limit(name: str) -> int:
    if name == "clock":
        return TIME_MAX_MS
    return FIGURE_MAX if name in FIGURES else NUMBER_MAX


class _Plain:
    """Walks through JSON that a stranger may have written, and counts."""

    def __init__(self) -> None:
        self._values = 0

    def looked_at(self, value: Any, name: str, number_max: int, depth: int) -> Any:
        self._values += 1
        if self._values > VALUES_MAX or depth > DEPTH_MAX:
            raise ViewRefused(f"{name}: more than a table could ever show")
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            if abs(value) > number_max:
                raise ViewRefused(f"{name}: {value} is out of all ranges")
            return value
        if isinstance(value, str):
            return _text(value, name)
        if isinstance(value, Mapping):
            return {_text(str(key), name): self.looked_at(each, str(key), number_max, depth + 1)
                    for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.looked_at(each, name, number_max, depth + 1) for each in value]
        raise ViewRefused(f"{name}: {type(value).__name__}")


def _text(text: str, name: str) -> str:
    if name in NAMES:
        # Printable is what has a place on a screen: no line feed, nothing that turns the direction of what follows.
        text = "".join(letter if letter.isprintable() else " " for letter in text[: 2 * TEXT_MAX])
        return " ".join(text.split())[:TEXT_MAX]
    if len(text) > TEXT_MAX or not text.isprintable():
        raise ViewRefused(f"{name[:40]}: a text of {len(text)} letters")
    return text


# --- the records are what their annotations say ------------------------------------------------------------------


@lru_cache(maxsize=64)
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _conforms(value: Any, hint: Any, where: str) -> None:
    if not _fits(value, hint, where):
        raise ViewRefused(f"{where}: {value!r:.60} is not {hint}")


def _fits(value: Any, hint: Any, where: str) -> bool:
    """Whether a value is what an annotation says. ViewRefused names the place inside of it that is not."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any or hint is object:
        return True
    if origin in (Union, types.UnionType):
        return any(_holds(value, each, where) for each in inner)
    if origin is Literal:
        return value in inner and isinstance(value, str)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(inner) == 2 and inner[1] is Ellipsis:
            return all(_fits(each, inner[0], where) for each in value)
        return len(value) == len(inner) and all(_fits(*pair, where) for pair in zip(value, inner, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _fits(key, inner[0], where) and _fits(each, inner[1], f"{where}.{key}") for key, each in value.items())
    if origin is not None:
        return isinstance(value, origin)
    if isinstance(hint, type) and is_dataclass(hint):
        if not isinstance(value, hint):
            return False
        for field in fields(hint):
            _conforms(getattr(value, field.name), _hints(hint)[field.name], f"{where}.{field.name}")
        return True
    if hint is int:
        return type(value) is int
    return isinstance(value, hint if isinstance(hint, type) else type(None))


def _holds(value: Any, hint: Any, where: str) -> bool:
    try:
        return _fits(value, hint, where)
    except ViewRefused:
        if isinstance(hint, type) and is_dataclass(hint) and isinstance(value, hint):
            raise
        return False


# --- ranges ------------------------------------------------------------------------------------------------------


def _ranges(view: TableView) -> None:
    if view.table is not None and not 0 < view.table <= FIGURE_MAX:
        raise ViewRefused(f"table: {view.table}")
    if view.form is not None:
        _form(view.form)
    if view.match is not None and set(view.match.names) != {"a", "b"}:
        raise ViewRefused("match: whose?")


def _form(form: Form) -> None:
    if form.rulebook not in RULEBOOKS:
        raise ViewRefused(f"form: no such rulebook: {form.rulebook}")
    if not 0 < len(form.ways) <= 16 or not 0 < form.games <= 9 or len(form.worth) > 8:
        raise ViewRefused("form: ways, games or worth")
    if form.look_s is not None and not 0 < form.look_s <= 3600:
        raise ViewRefused("form: look_s")
    for way in form.ways:
        if len(way.steps) > 64:
            raise ViewRefused(f"form: {way.id}: steps")
        for step in way.steps:
            if not _asks_something(step):
                raise ViewRefused(f"form: {way.id}: {step!r:.80}")


def _asks_something(step: Step) -> bool:
    if isinstance(step, Figure):
        return (0 < len(step.wheels) <= 5 and step.wheels[-1] > 0
                and list(step.wheels) == sorted(set(step.wheels), reverse=True)
                and 0 <= step.minimum <= step.default <= step.maximum and min(step.per_side or (0,)) >= 0)
    if isinstance(step, Choice):
        offered = step.per_side or (step.options,)
        return all(0 < len(options) <= 64 for options in offered)
    if isinstance(step, Turns):
        return 0 < step.turns <= 99
    if isinstance(step, Picks):
        return 0 < step.take <= step.of <= 26
    return not isinstance(step, Exchange) or step.price > 0
