"""For the tests on PostgreSQL: one cluster a process, a database of its own for each test, or a reason to skip."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
for beside in (HERE, HERE.parent / "hub", HERE.parent / "kit"):
    sys.path.insert(0, str(beside))

from postgres_kit import NOWHERE, Cluster, binaries, cluster  # noqa: E402


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """The running cluster of this test process."""
    if binaries() is None:
        pytest.skip(NOWHERE)
    if shutil.which("setpriv") is None:
        pytest.skip("no setpriv (util-linux): PostgreSQL must not be root, and nobody would end it")
    with cluster() as running:
        yield running


@pytest.fixture
def url(postgres: Cluster) -> str:
    """A fresh database."""
    return postgres.url()
