"""A monkey enters results at the console: what is recorded was said, and is what the rulebook makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from monkey_console import TABLES, run


@pytest.mark.parametrize("rulebook", sorted(TABLES))
def test_nothing_is_recorded_that_nobody_said(rulebook: str, tmp_path: Path):
    count, _ = run(tmp_path, rulebook, 160, seed=7)
    assert count["recorded"] > 40
    assert count["form refused"]
