"""A view is looked at before anybody shows it: shape, size and ranges. Whoever holds the key may be hostile."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from roundtap_core.errors import Problem
from roundtap_units.form_check import wrong_in_form
from roundtap_units.plain import Plain, TooMuch
from roundtap_units.table.view import TableView, view_from_json

VALUES_MAX = 4000
"""Values in a view, all together: the largest rulebook's form has 335."""
NUMBER_MAX = 10**9
TIME_MAX_MS = 10**13
"""Three hundred years of the hub's clock."""
FIGURE_MAX = 99_999
"""What is dialled, and what an event's options count."""
FIGURES = ("form", "options", "situation")


class ViewRefused(ValueError):
    """This is no view that a table could show; it says where."""


def checked_view(raw: object) -> TableView:
    """The view, if a table can show it. ViewRefused where it is malformed, too large or out of all ranges."""
    if not isinstance(raw, Mapping):
        raise ViewRefused("a view is an object")
    plain = Plain(VALUES_MAX)
    try:
        data = {name: plain.looked_at(value, name, _limit(name)) for name, value in raw.items()}
        view = view_from_json(data)
    except TooMuch as error:
        raise ViewRefused(str(error)) from error
    except (KeyError, TypeError, ValueError, AttributeError, Problem) as error:
        raise ViewRefused(f"malformed: {error!r}") from error
    _conforms(data.get("finished") or [], list[str], "finished")
    _conforms(view, TableView, "view")
    _ranges(view)
    return view


def _limit(name: str) -> int:
    if name == "clock":
        return TIME_MAX_MS
    return FIGURE_MAX if name in FIGURES else NUMBER_MAX


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
    if origin is list:
        return isinstance(value, list) and all(_fits(each, inner[0], where) for each in value)
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
        wrong = wrong_in_form(view.form)
        if wrong:
            raise ViewRefused(f"form: {wrong}")
    if view.match is not None and set(view.match.names) != {"a", "b"}:
        raise ViewRefused("match: whose?")
