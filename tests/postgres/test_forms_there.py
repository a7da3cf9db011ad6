"""The form of the tables on PostgreSQL: noted, moved in one transaction, and refused where it is newer."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Barrier, Thread

import pytest
from forms_kit import FAILS, LATER, later_forms
from sqlalchemy import Engine, inspect, text

import event_kit
from roundtap_core.errors import Problem
from roundtap_core.event.entries import GENESIS, VENUE, NewEntry, Timestamp, chain_entry
from roundtap_hub.store.models import CURRENT
from roundtap_hub.store.postgres import PostgresJournal, postgres_engine


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    made = postgres_engine(url)
    yield made
    made.dispose()


@pytest.fixture
def begun(url: str) -> str:
    """A database with one entry."""
    with closing(PostgresJournal(url)) as journal:
        journal.append(
            [chain_entry(NewEntry("epoch-begun", {"epoch": "x"}), VENUE, 1, GENESIS, Timestamp("boot", 0, None), "hub")]
        )
    return url


def form(engine: Engine) -> str:
    with engine.connect() as connection:
        return str(connection.scalar(text("SELECT version_num FROM alembic_version")))


def heads(url: str) -> dict[str, object]:
    with closing(PostgresJournal(url, read_only=True)) as journal:
        return dict(journal.heads())


def test_a_new_database_and_one_of_before_forms_say_their_form(begun: str, engine: Engine) -> None:
    assert form(engine) == CURRENT.newest
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE alembic_version, written_by"))
    before = heads(begun)
    PostgresJournal(begun).close()
    assert form(engine) == CURRENT.newest
    assert heads(begun) == before


def test_two_hubs_that_start_at_once_move_it_once(begun: str, engine: Engine, tmp_path: Path) -> None:
    known, ready, failed = later_forms(), Barrier(2), list[Exception]()

    def start() -> None:
        ready.wait()
        try:
            PostgresJournal(begun, migrations=known).close()
        except Exception as error:
            failed.append(error)

    hubs = [Thread(target=start) for _ in range(2)]
    for hub in hubs:
        hub.start()
    for hub in hubs:
        hub.join()
    assert failed == []
    assert form(engine) == "0003"
    with engine.connect() as connection:
        noted = connection.execute(text("SELECT form, version FROM written_by ORDER BY number")).all()
    assert [tuple(row) for row in noted][1:] == [("0003", LATER)]


def test_a_form_that_fails_leaves_all_as_it_was(begun: str, engine: Engine, tmp_path: Path) -> None:
    with event_kit.refused("journal_form_failed"):
        PostgresJournal(begun, migrations=later_forms(FAILS))
    assert form(engine) == CURRENT.newest
    assert "mood" not in [column["name"] for column in inspect(engine).get_columns("person")]


def test_an_older_program_refuses_it(begun: str, engine: Engine, tmp_path: Path) -> None:
    PostgresJournal(begun, migrations=later_forms()).close()
    for read_only in (False, True):
        with pytest.raises(Problem) as refused:
            PostgresJournal(begun, read_only)
        assert (refused.value.key, refused.value.params["version"]) == ("journal_newer", LATER)
    assert form(engine) == "0003"
