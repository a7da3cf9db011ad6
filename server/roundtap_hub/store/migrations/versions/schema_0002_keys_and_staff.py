"""The form that has keys of units and the staff."""

from alembic import op
from sqlalchemy import Column, MetaData, String, Table

revision = "0002"
down_revision = "0001"

# As they were then, like those of form 0001.
TABLES = MetaData()
Table("unit_key", TABLES, Column("unit", String, primary_key=True), Column("key", String, nullable=False))
Table(
    "staff",
    TABLES,
    Column("person", String, primary_key=True),
    Column("name", String),
    Column("hashed", String),
    Column("last_login", String),
)


def upgrade() -> None:
    TABLES.create_all(op.get_bind())
