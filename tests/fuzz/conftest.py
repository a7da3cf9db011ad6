"""The hub under fire is started as the kit starts one; and nobody here waits for a disk."""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
for beside in (HERE, HERE.parent / "kit"):
    sys.path.insert(0, str(beside))


@pytest.fixture(autouse=True)
def _no_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the units that are tried, not the disk."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
