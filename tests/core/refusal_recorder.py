"""A pytest plugin: the keys of the Problems that came up in each test, written to the file that REFUSALS names.

`pytest -p refusal_recorder …` with this folder in PYTHONPATH. Nothing is replaced but the counting: the product makes
every Problem itself.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from roundtap_core.errors import Problem

CAME_UP: dict[str, set[str]] = {}
_now: set[str] = set()
_made = Problem.__init__


def _noted(self: Problem, key: str, /, where: str = "", **params: object) -> None:
    _now.add(key)
    _made(self, key, where, **params)


Problem.__init__ = _noted  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    _now.clear()
    yield
    CAME_UP[item.nodeid] = set(_now)


def pytest_sessionfinish() -> None:
    Path(os.environ["REFUSALS"]).write_text(json.dumps({test: sorted(keys) for test, keys in CAME_UP.items()}))
