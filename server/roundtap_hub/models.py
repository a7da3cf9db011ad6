"""Every table of the hub, one class each: what lies in the database, column by column."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from pydantic import StrictStr, ValidationError, field_validator
from sqlalchemy import BigInteger, Connection, LargeBinary, Table, cast, select
from sqlmodel import Field, SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event.person import Person
from roundtap_core.limits import sanitize


class EntryRow(SQLModel, table=True):
    """A sealed entry. The primary key makes appending a compare-and-set: nobody can write the same number twice."""

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
    """A competitor's name and list as JSON, beside the entries so that a person can be forgotten.

    The hub takes its rows as they lie, as one that is damaged costs one name only (store/person_rows.py);
    `model_validate` says what is wrong with one: SQLite keeps whatever it is given, of whatever type.
    """

    __tablename__ = "person"
    event: StrictStr = Field(primary_key=True)
    competitor: StrictStr = Field(primary_key=True)
    salt: StrictStr
    data: StrictStr

    @field_validator("data")
    @classmethod
    def _a_person(cls, data: str) -> str:
        try:
            Person.from_json(json.loads(data))
        except (AttributeError, KeyError, RecursionError, TypeError) as error:
            raise ValueError("not a person") from error
        return data


class LineageRow(SQLModel, table=True):
    """Which journal this SQLite database is (store/head_file.py)."""

    __tablename__ = "lineage"
    id: str = Field(primary_key=True)


class CheckpointRow(SQLModel, table=True):
    """What a running clock showed, every few seconds: for the start after a power cut."""

    __tablename__ = "checkpoint"
    event: str = Field(primary_key=True)
    # Milliseconds of a month of uptime need more than 32 bits, which is what PostgreSQL calls an integer.
    remaining_ms: int = Field(sa_type=BigInteger)
    boot_id: str
    mono_ms: int = Field(sa_type=BigInteger)


class EventSnapshotRow(SQLModel, table=True):
    """What an event at rest amounted to at its entry `number` with the hash `head`: made from its entries, and made
    anew from them wherever it does not fit."""

    __tablename__ = "seal"
    event: str = Field(primary_key=True)
    number: int
    head: str
    made_by: str
    summary: str
    state: bytes


class PrintStateRow(SQLModel, table=True):
    """The last that was said of a job."""

    __tablename__ = "print_state"
    job: str = Field(primary_key=True)
    state: str
    detail: str
    unit: str


class PrintOrderRow(SQLModel, table=True):
    """Something a person wanted printed."""

    __tablename__ = "print_order"
    number: int | None = Field(default=None, primary_key=True)
    job: str
    event: str
    kind: str
    round: int
    match: str | None = None


class PrintTextRow(SQLModel, table=True):
    """What was typed for an order. A table of its own: books of older hubs have their orders without it."""

    __tablename__ = "print_text"
    job: str = Field(primary_key=True)
    text: str


class PrintSettingRow(SQLModel, table=True):
    """How a station's printer is to be used, as somebody confirmed it on the console: JSON of a printer order."""

    __tablename__ = "print_setting"
    unit: str = Field(primary_key=True)
    said: str


class UnitKeyRow(SQLModel, table=True):
    """A unit's key, in hex; "" once it is revoked. It counts where the venue's stream has its digest
    (access/rights.py)."""

    __tablename__ = "unit_key"
    unit: StrictStr = Field(primary_key=True)
    key: StrictStr


class StaffRow(SQLModel, table=True):
    """Somebody of the staff. `hashed`: of the PIN; it counts where the venue's stream has its digest
    (access/rights.py), and is "" for who was revoked, whose name is kept for the journal. `last_login`: wall time.

    What is None stays as it is: who logs in just as their PIN is replaced writes nothing over it.
    """

    __tablename__ = "staff"
    person: StrictStr = Field(primary_key=True)
    name: StrictStr | None = None
    hashed: StrictStr | None = None
    last_login: StrictStr | None = None


class SchemaVersionRow(SQLModel, table=True):
    """The form of all these tables, as Alembic notes it: one row."""

    __tablename__ = "alembic_version"
    version_num: str = Field(primary_key=True, max_length=32)


class WrittenByRow(SQLModel, table=True):
    """Which versions of the program opened the journal in which form, in that order: so that a program that is too old
    for it can name one that is not."""

    __tablename__ = "written_by"
    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    form: str
    version: str


TABLES = SQLModel.metadata.tables
ENTRY, PERSON, LINEAGE, CHECKPOINT, EVENT_SNAPSHOT = (TABLES[name] for name in (
    "entry", "person", "lineage", "checkpoint", "seal"))
PRINT_STATE, PRINT_ORDER, PRINT_TEXT, PRINT_SETTING = (TABLES[name] for name in (
    "print_state", "print_order", "print_text", "print_setting"))
SCHEMA_VERSION, WRITTEN_BY = TABLES["alembic_version"], TABLES["written_by"]

SECRETS: Sequence[type[SQLModel]] = (UnitKeyRow, StaffRow)
"""Beside the entries: a standby is told them, encrypted. Of what lies on a stick the backups have them, which are the
whole database; the copy there has entries and people only."""

SECRET_TABLES = frozenset(str(each.__tablename__) for each in SECRETS)


def create_all(connection: Connection) -> None:
    """The tables that are not there yet."""
    SQLModel.metadata.create_all(connection)


def validated_rows(connection: Connection, kind: type[SQLModel]) -> Iterator[SQLModel | Problem]:
    """Every row of a table; Problem("row_malformed") for one that is none: SQLite keeps whatever it is given."""
    table = TABLES[str(kind.__tablename__)]
    # As bytes it hands all of it out; text that is none would end the reading.
    columns = [cast(column, LargeBinary) if connection.dialect.name == "sqlite" else column for column in table.c]
    for row in connection.execute(select(*columns)):
        said = {name: _text(value) for name, value in zip(table.c.keys(), row, strict=True)}
        try:
            yield kind.model_validate(said)
        except ValidationError as error:
            yield Problem("row_malformed", table=table.name, row=sanitize(str(_text(row[0]))),
                          column=".".join(map(str, error.errors()[0]["loc"])))


def _text(value: object) -> object:
    """Bytes as the text that they are; what is none stays bytes, and is refused as such."""
    with suppress(UnicodeDecodeError):
        return value.decode() if isinstance(value, bytes) else value
    return value


def upsert(connection: Connection, *rows: SQLModel) -> None:
    """Each row, in the place of the one that has its key; what is None stays as it was there."""
    for row in rows:
        upsert_all(connection, TABLES[str(row.__tablename__)], [row.model_dump(exclude_none=True)])


def upsert_all(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """As `upsert`, for rows of one table that name the same columns: thousands come with an import."""
    if rows:
        insert = import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert(table)
        connection.execute(insert.on_conflict_do_update(
            index_elements=list(table.primary_key), set_={name: insert.excluded[name] for name in rows[0]}), rows)
