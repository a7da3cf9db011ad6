"""What many tests of the units begin with."""

from collections.abc import Callable
from pathlib import Path

import pytest
from unit_kit import Unit, view


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Unit]:
    return lambda **more: Unit(tmp_path, **more)


@pytest.fixture
def unit(make: Callable[..., Unit]) -> Unit:
    """Both have taken their seats, and the round was started."""
    made = make()
    made.hub_says("view", view(clock={"state": "idle", "remaining_ms": 4_500_000}))
    made.tap("a", "b")
    made.hub_says("view", view())
    return made
