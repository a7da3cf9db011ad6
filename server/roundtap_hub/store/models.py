"""Every table of the hub's database, one class each."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from pydantic import StrictStr, ValidationError
from sqlalchemy import BigInteger, Connection, LargeBinary, Table, cast, select
from sqlmodel import Field, SQLModel

from roundtap_core.errors import Problem
from roundtap_core.typed import sanitize_text


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
    compared with the entries' digests (store/person_rows.py)."""

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
    """A unit's key in hex; "" once revoked. Valid only if the venue's stream has its digest (store/rights.py)."""

    __tablename__ = "unit_key"
    unit: StrictStr = Field(primary_key=True)
    key: StrictStr


class StaffRow(SQLModel, table=True):
    """A member of the staff. `hashed`: of the PIN, valid only if the venue's stream has its digest (store/rights.py);
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
