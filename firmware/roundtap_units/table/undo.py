"""Taking back what a step has changed: a unit that stumbles over something stands where it stood before."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

_Kept = list[tuple[Any, list[tuple[str, Any]]]]


def remembered(*objects: Any) -> Callable[[], None]:
    """Calling the result gives these objects the attributes that they have now. What those consist of is shared, but
    for lists, sets and mappings."""
    kept: _Kept = [(one, [(name, _apart(getattr(one, name))) for name in _names(one)]) for one in objects]

    def undo() -> None:
        for one, values in kept:
            for name, value in values:
                setattr(one, name, value)

    return undo


def _apart(value: Any) -> Any:
    return copy.copy(value) if isinstance(value, list | set | dict) else value


def _names(one: Any) -> Iterable[str]:
    return list(vars(one)) if hasattr(one, "__dict__") else type(one).__slots__
