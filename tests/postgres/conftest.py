"""For the tests on PostgreSQL: one cluster a process, an empty database for each test, or a reason to skip."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
for beside in (HERE, HERE.parent / "hub", HERE.parent / "kit"):
    sys.path.insert(0, str(beside))

from postgres_kit import NOWHERE, Cluster, binaries, cluster  # noqa: E402

from roundtap_hub.store import shared_service  # noqa: E402

SOON_S = 0.05


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """The running cluster of this test process."""
    if binaries() is None:
        pytest.skip(NOWHERE)
    if shutil.which("setpriv") is None:
        pytest.skip("no setpriv (util-linux): PostgreSQL must not be root, and nobody would end it")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("PG")]:
            # How whoever runs the tests reaches another database.
            patch.delenv(name)
        with cluster() as running:
            yield running


@pytest.fixture
def url(postgres: Cluster) -> str:
    """An empty database."""
    return postgres.emptied()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who stops, or lost the database, looks again at once: nothing here is about how long that is."""
    monkeypatch.setattr(shared_service, "LOOK_UP_S", SOON_S)
    monkeypatch.setattr(shared_service, "RECONNECT_S", SOON_S)
    monkeypatch.setattr(shared_service, "DOUBT_S", SOON_S)
    monkeypatch.setattr(shared_service, "FOLLOW_EVERY_S", SOON_S)
