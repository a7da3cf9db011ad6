"""The form of every journal from before forms were counted: its tables, and none where they are there already."""

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, LargeBinary, MetaData, String, Table

revision = "0001"
down_revision = None

# As they were then: models.py has those of today's form.
TABLES = MetaData()
Table(
    "entry",
    TABLES,
    Column("stream", String, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("at", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("data", String, nullable=False),
    Column("prev", String, nullable=False),
    Column("hash", String, nullable=False),
)
Table(
    "person",
    TABLES,
    Column("event", String, primary_key=True),
    Column("competitor", String, primary_key=True),
    Column("salt", String, nullable=False),
    Column("data", String, nullable=False),
)
Table(
    "checkpoint",
    TABLES,
    Column("event", String, primary_key=True),
    Column("remaining_ms", BigInteger, nullable=False),
    Column("boot_id", String, nullable=False),
    Column("mono_ms", BigInteger, nullable=False),
)
Table(
    "seal",
    TABLES,
    Column("event", String, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("head", String, nullable=False),
    Column("made_by", String, nullable=False),
    Column("summary", String, nullable=False),
    Column("state", LargeBinary, nullable=False),
)
Table(
    "print_state",
    TABLES,
    Column("job", String, primary_key=True),
    Column("state", String, nullable=False),
    Column("detail", String, nullable=False),
    Column("unit", String, nullable=False),
)
Table(
    "print_order",
    TABLES,
    Column("number", Integer, primary_key=True),
    Column("job", String, nullable=False),
    Column("event", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("round", Integer, nullable=False),
    Column("match", String),
)
Table("print_setting", TABLES, Column("unit", String, primary_key=True), Column("said", String, nullable=False))
Table("print_text", TABLES, Column("job", String, primary_key=True), Column("text", String, nullable=False))


def upgrade() -> None:
    TABLES.create_all(op.get_bind())
