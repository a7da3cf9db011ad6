"""A monkey enters results at the console: what is recorded was said, and is what the rulebook makes of it."""

from pathlib import Path
from random import Random

import pytest
from monkey_console import TABLES, run


@pytest.mark.parametrize("rulebook", sorted(TABLES))
def test_nothing_is_recorded_that_nobody_said(rulebook: str, tmp_path: Path, chance: Random):
    """At one of the rulebook's tables, before time or at time."""
    count = run(tmp_path, rulebook, 40, chance, places=1)
    assert count["recorded"]


@pytest.mark.long
@pytest.mark.parametrize("rulebook", sorted(TABLES))
def test_nothing_is_recorded_that_nobody_said_in_many_walks(rulebook: str, tmp_path: Path, chance: Random):
    count = run(tmp_path, rulebook, 1_000, chance)
    assert count["recorded"] > 250
    assert count["refused"] + count["refused at the end"]
