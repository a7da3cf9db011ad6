"""Which form a journal's tables have, and that they have the one that this program knows before anybody reads them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, delete, insert, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from roundtap_core.errors import Problem
from roundtap_core.version import version
from roundtap_hub.store.models import SCHEMA_VERSION, WRITTEN_BY, create_all

FIRST = "0001"  # what a journal has that does not say its form


@dataclass(frozen=True, slots=True)
class Migrations:
    """`steps`: every form, the oldest first, with the statements that make it of the one before, for SQLite and
    PostgreSQL alike; `running`: the version that knows them."""

    steps: Mapping[str, Sequence[str]]
    running: Callable[[], str] = version
    readable: frozenset[str] = frozenset()  # earlier forms that lack tables only: who just looks may read them

    @property
    def newest(self) -> str:
        return list(self.steps)[-1]


# The tables are written as they were then: models.py has those of today's form.
STEPS: Mapping[str, Sequence[str]] = {
    FIRST: (),
    "0002": (
        "CREATE TABLE IF NOT EXISTS unit_key (unit VARCHAR NOT NULL PRIMARY KEY, key VARCHAR NOT NULL)",
        "CREATE TABLE IF NOT EXISTS staff "
        "(person VARCHAR NOT NULL PRIMARY KEY, name VARCHAR, hashed VARCHAR, last_login VARCHAR)",
    ),
}
CURRENT = Migrations(STEPS, readable=frozenset({FIRST}))


@dataclass(frozen=True, slots=True)
class DatabaseSchema:
    """What a database says of itself. `form`: "" where it holds nothing yet; `stamped`: whether it says its form, or
    only may be known by its tables; `written_by`: (form, version), oldest first."""

    form: str
    stamped: bool = False
    written_by: tuple[tuple[str, str], ...] = ()

    def since(self, form: str) -> str:
        """The first version that opened it in this form; "?" where nobody noted it."""
        return next((version for noted, version in self.written_by if noted == form), "?")


def read_schema(connection: Connection) -> DatabaseSchema:
    """Read only."""
    there = set(inspect(connection).get_table_names())
    form = connection.scalar(select(SCHEMA_VERSION.c.version_num)) if SCHEMA_VERSION.name in there else None
    rows = (
        connection.execute(select(WRITTEN_BY.c.form, WRITTEN_BY.c.version).order_by(WRITTEN_BY.c.number))
        if WRITTEN_BY.name in there
        else ()
    )
    return DatabaseSchema(
        form or (FIRST if "entry" in there else ""), form is not None, tuple((row.form, row.version) for row in rows)
    )


def needs_migration(noted: DatabaseSchema, forms: Migrations = CURRENT) -> bool:
    """Whether opening it changes what is there already: a backup is due before. Raises Problem("journal_newer")."""
    _refuse_newer(noted, forms)
    return noted.form not in ("", forms.newest)


def check_schema(connection: Connection, forms: Migrations = CURRENT) -> None:
    """For somebody who only looks. Raises Problem("journal_newer") and Problem("journal_older")."""
    noted = read_schema(connection)
    _refuse_newer(noted, forms)
    if noted.form not in ("", forms.newest, *forms.readable):
        raise Problem("journal_older", form=noted.form, newest=forms.newest)


def migrate(engine: Engine, forms: Migrations = CURRENT, lock: Callable[[Connection], None] | None = None) -> None:
    """Give the database this program's form: made anew where it is empty, brought there from any earlier one, in one
    transaction that leaves it as it was if anything fails. `lock`: lets nobody else do so at the same time, where the
    database does not see to that itself. Raises SQLAlchemyError, Problem("journal_newer") and
    Problem("journal_form_failed")."""
    with engine.connect() as connection:
        noted = read_schema(connection)
        _refuse_newer(noted, forms)
        up_to_date = noted.form == forms.newest
        if up_to_date and noted.stamped and noted.written_by[-1:] == ((forms.newest, forms.running()),):
            return
    # What only notes may fail: a full disk, and one that may not be written to, are still to be looked at.
    with suppress(SQLAlchemyError) if up_to_date else nullcontext(), engine.connect() as connection:
        _change(connection, forms, lock)


def _change(connection: Connection, forms: Migrations, lock: Callable[[Connection], None] | None) -> None:
    begin_transaction(connection)
    if lock is not None:
        lock(connection)
    # Another one may have been here meanwhile.
    noted = read_schema(connection)
    _refuse_newer(noted, forms)
    if noted.form:
        _run_steps(connection, forms, noted)
    # Of an earlier program some may be missing: only hubs made the print book's, at their start.
    create_all(connection)
    connection.execute(delete(SCHEMA_VERSION))
    connection.execute(insert(SCHEMA_VERSION), {"version_num": forms.newest})
    note_version(connection, forms.newest, forms.running())
    connection.commit()


def begin_transaction(connection: Connection) -> None:
    """SQLite's driver begins by itself before a change of rows, but not before one of tables."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def note_version(connection: Connection, form: str, running: str) -> None:
    """This version has the journal open in this form."""
    last = connection.execute(select(WRITTEN_BY).order_by(WRITTEN_BY.c.number.desc()).limit(1)).first()
    if last is None or (last.form, last.version) != (form, running):
        connection.execute(
            insert(WRITTEN_BY), {"number": 1 if last is None else last.number + 1, "form": form, "version": running}
        )


def _refuse_newer(noted: DatabaseSchema, forms: Migrations) -> None:
    # Forms are counted in four digits: what sorts later came later.
    if noted.form > forms.newest:
        raise Problem(
            "journal_newer", form=noted.form, version=noted.since(noted.form), newest=forms.newest, own=forms.running()
        )


def _run_steps(connection: Connection, forms: Migrations, noted: DatabaseSchema) -> None:
    """Within the connection's transaction, which whoever began it ends. Raises Problem("journal_form_failed")."""
    names = list(forms.steps)
    try:
        for form in names[names.index(noted.form) + 1 :]:
            for statement in forms.steps[form]:
                connection.exec_driver_sql(statement)
    except (ValueError, SQLAlchemyError) as error:
        connection.rollback()
        reason = " ".join(str(getattr(error, "orig", None) or error).split())
        raise Problem("journal_form_failed", form=noted.form, newest=forms.newest, reason=reason) from error
