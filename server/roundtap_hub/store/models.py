"""Every table of the hub's database, one class each; and which form a journal's tables have, and that they have the one
that this program knows before anybody reads them. People, as they are read and compared with the entries' digests.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import msgspec
from pydantic import StrictStr, ValidationError
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Engine,
    LargeBinary,
    Table,
    cast,
    delete,
    insert,
    inspect,
    select,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Field, SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event.entries import Person
from roundtap_core.event.states import EventState
from roundtap_core.names import DAMAGED, FORGOTTEN
from roundtap_core.typed import fits_line, sanitize_text
from roundtap_core.version import version

_KNOWN = frozenset(Person.__struct_fields__)


class EntryRow(SQLModel, table=True):
    """A sealed entry. The primary key makes appending a compare-and-set: no number can be written twice."""

    __tablename__ = "entry"
    stream: str = Field(primary_key=True)
    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    kind: str
    version: int
    at: str
    actor: str
    data: str
    prev: str
    hash: str


class PersonRow(SQLModel, table=True):
    """A competitor's name and list as JSON, beside the entries so that a person can be forgotten. What is read is
    compared with the entries' digests."""

    __tablename__ = "person"
    event: str = Field(primary_key=True)
    competitor: str = Field(primary_key=True)
    salt: str
    data: str


class LineageRow(SQLModel, table=True):
    """The identity of the journal in this SQLite database (store/head_file.py)."""

    __tablename__ = "lineage"
    id: str = Field(primary_key=True)


class CheckpointRow(SQLModel, table=True):
    """What a running clock showed, saved every few seconds for the start after a power cut."""

    __tablename__ = "checkpoint"
    event: str = Field(primary_key=True)
    # A month's milliseconds need more than the 32 bits of PostgreSQL's integer.
    remaining_ms: int = Field(sa_type=BigInteger)
    boot_id: str
    mono_ms: int = Field(sa_type=BigInteger)


class EventSnapshotRow(SQLModel, table=True):
    """An event at rest as of its entry `number` with the hash `head`; rebuilt from the entries on a mismatch."""

    __tablename__ = "seal"
    event: str = Field(primary_key=True)
    number: int
    head: str
    made_by: str
    summary: str
    state: bytes


class PrintStateRow(SQLModel, table=True):
    __tablename__ = "print_state"
    job: str = Field(primary_key=True)
    state: str
    detail: str
    unit: str


class PrintOrderRow(SQLModel, table=True):
    __tablename__ = "print_order"
    number: int | None = Field(default=None, primary_key=True)
    job: str
    event: str
    kind: str
    round: int
    match: str | None = None


class PrintTextRow(SQLModel, table=True):
    """The text typed for an order. A table of its own: older hubs' orders lack it."""

    __tablename__ = "print_text"
    job: str = Field(primary_key=True)
    text: str


class PrintSettingRow(SQLModel, table=True):
    """A station's printer settings as confirmed on the console: JSON of a printer order."""

    __tablename__ = "print_setting"
    unit: str = Field(primary_key=True)
    said: str


class UnitKeyRow(SQLModel, table=True):
    """A unit's key in hex; "" once revoked. Valid only if the venue's stream has its digest (store/venue.py)."""

    __tablename__ = "unit_key"
    unit: StrictStr = Field(primary_key=True)
    key: StrictStr


class StaffRow(SQLModel, table=True):
    """A member of the staff. `hashed`: of the PIN, valid only if the venue's stream has its digest (store/venue.py);
    "" once revoked: the name is kept for the journal. `last_login`: wall time. Columns that are None stay unchanged: a
    login just as the PIN is replaced does not overwrite it."""

    __tablename__ = "staff"
    person: StrictStr = Field(primary_key=True)
    name: StrictStr | None = None
    hashed: StrictStr | None = None
    last_login: StrictStr | None = None


class SchemaVersionRow(SQLModel, table=True):
    """The schema version: one row, in the table in which Alembic noted it. Older programs look there, too."""

    __tablename__ = "alembic_version"
    version_num: str = Field(primary_key=True, max_length=32)


class WrittenByRow(SQLModel, table=True):
    """Program versions that opened the journal, in order, and its form then, so that an old one can name a newer."""

    __tablename__ = "written_by"
    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    form: str
    version: str


TABLES = SQLModel.metadata.tables
ENTRY, PERSON, LINEAGE, CHECKPOINT, EVENT_SNAPSHOT = (
    TABLES[name] for name in ("entry", "person", "lineage", "checkpoint", "seal")
)
PRINT_STATE, PRINT_ORDER, PRINT_TEXT, PRINT_SETTING = (
    TABLES[name] for name in ("print_state", "print_order", "print_text", "print_setting")
)
SCHEMA_VERSION, WRITTEN_BY = TABLES["alembic_version"], TABLES["written_by"]

SECRETS: Sequence[type[SQLModel]] = (UnitKeyRow, StaffRow)
"""Sent to a standby encrypted. On a stick, backups (the whole database) have them; the copy does not."""

PRINTING: Sequence[type[SQLModel]] = (PrintStateRow, PrintOrderRow, PrintTextRow, PrintSettingRow)

SIDE_TABLES: Sequence[type[SQLModel]] = (CheckpointRow, EventSnapshotRow, WrittenByRow, *PRINTING)
"""Beside the journal: the entries are whole without them."""


def create_all(connection: Connection) -> None:
    SQLModel.metadata.create_all(connection)


def validated_rows(connection: Connection, kind: type[SQLModel]) -> Iterator[SQLModel | Problem]:
    """Every row of a table; Problem("row_malformed") in place of an invalid one: SQLite stores values of any type."""
    table = TABLES[str(kind.__tablename__)]
    # Read as bytes: text that is not UTF-8 would end the reading.
    columns = [cast(column, LargeBinary) if connection.dialect.name == "sqlite" else column for column in table.c]
    for row in connection.execute(select(*columns)):
        values = {name: _text(value) for name, value in zip(table.c.keys(), row, strict=True)}
        try:
            yield kind.model_validate(values)
        except ValidationError as error:
            yield Problem(
                "row_malformed",
                table=table.name,
                row=sanitize_text(str(_text(row[0]))),
                column=".".join(map(str, error.errors()[0]["loc"])),
            )


def _text(value: object) -> object:
    """Bytes decoded as UTF-8; what is not UTF-8 stays bytes, and fails validation as such."""
    with suppress(UnicodeDecodeError):
        return value.decode() if isinstance(value, bytes) else value
    return value


def upsert(connection: Connection, *rows: SQLModel) -> None:
    """Insert or replace each row by its key; columns that are None stay as they were."""
    for row in rows:
        upsert_all(connection, TABLES[str(row.__tablename__)], [row.model_dump(exclude_none=True)])


def upsert_all(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """As `upsert`, for many rows of one table with the same columns, as an import brings."""
    if rows:
        insert = import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert(table)
        connection.execute(
            insert.on_conflict_do_update(
                index_elements=list(table.primary_key), set_={name: insert.excluded[name] for name in rows[0]}
            ),
            rows,
        )


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


class StoredPerson(NamedTuple):
    """A row's person, a placeholder if the row is damaged; `digest`: of what is stored, "" if damaged."""

    person: Person
    digest: str


def read_people(connection: Connection, which: ColumnElement[bool] | None) -> dict[str, dict[str, StoredPerson]]:
    """Persons by event and competitor: those of `which` this is true, or all."""
    # SQLite stores any value. Read as bytes, every value comes through; invalid text would end the reading.
    as_stored = connection.dialect.name == "sqlite"
    columns = (
        cast(column, LargeBinary) if as_stored else column
        for column in (PERSON.c.competitor, PERSON.c.salt, PERSON.c.data)
    )
    query = select(PERSON.c.event, *columns)
    if which is not None:
        query = query.where(which)
    people: dict[str, dict[str, StoredPerson]] = {}
    for event_id, raw_id, salt, raw in connection.execute(query):
        who = _read_text(raw_id)
        people.setdefault(event_id, {})[who] = stored_person(who, _read_text(salt), raw)
    return people


def stored_person(competitor: str, salt: str, raw: Any) -> StoredPerson:
    """The person in a row's JSON."""
    try:
        person = _checked(json.loads(raw))
        return StoredPerson(_sanitized(competitor, person), person.digest(salt))
    except (ValueError, TypeError, RecursionError):
        return StoredPerson(placeholder(competitor), "")


def wrong_people(state: EventState, stored: Mapping[str, StoredPerson]) -> list[str]:
    """Ids of the event's people whose rows are missing, damaged, or not those that the entries mean."""
    meant = {
        **{official.id: official.digest for official in state.officials.values()},
        **{entrant.id: entrant.digest for entrant in state.entrants.values()},
    }
    return [
        who
        for who, digest in meant.items()
        if digest and not (who in stored and matches_entries(who, stored[who], {digest}))
    ]


def matches_entries(competitor: str, stored: StoredPerson, digests: Collection[str]) -> bool:
    """Whether a row is one of those that entries mean, or stands for one that was lost for good or forgotten."""
    return bool(stored.digest) and (
        stored.digest in digests
        or is_damaged(competitor, stored.person)
        or stored.person == forgotten_person(competitor)
    )


def placeholder(competitor: str) -> Person:
    """Stands for a person whose row cannot be read, and is stored for one whose row is lost for good."""
    name = DAMAGED.format(competitor)
    return Person(name, public_name=name)


def forgotten_person(competitor: str) -> Person:
    """Stored instead of a person who was forgotten: "Player 3 (forgotten)" for p3."""
    name = FORGOTTEN.format(competitor.removeprefix("p"))
    return Person(name, public_name=name)


def is_damaged(competitor: str, person: Person | None) -> bool:
    """Whether this is the placeholder of a damaged row."""
    return person is not None and person.name == placeholder(competitor).name


def _checked(data: Any) -> Person:
    """Parse a person. Raises TypeError or ValueError."""
    if not isinstance(data, dict) or not data.keys() <= _KNOWN:
        raise TypeError("no person")
    return msgspec.convert(data, Person)


def _sanitized(competitor: str, person: Person) -> Person:
    """The person fit to be shown: names from before today's limits are cleaned."""
    values = msgspec.structs.asdict(person)
    for name, value in values.items():
        if name == "note" and isinstance(value, str):
            values[name] = sanitize_text(value)
        elif isinstance(value, str) and not fits_line(value):
            values[name] = _line(competitor, value)
        elif isinstance(value, tuple) and not all(map(fits_line, value)):
            values[name] = tuple(_line(competitor, line) for line in value)
    return Person(**values)


def _line(competitor: str, text: str) -> str:
    line = " ".join(sanitize_text(text).split())
    return line if fits_line(line) else competitor


def _read_text(raw: object) -> str:
    text = raw.decode(errors="replace") if isinstance(raw, bytes) else str(raw)
    return sanitize_text(text)


def refuse_damaged(competitor: str, person: Person) -> None:
    """Raise Problem("person_damaged") if a placeholder would be saved as a name."""
    if is_damaged(competitor, person):
        raise Problem("person_damaged", competitor=competitor)
