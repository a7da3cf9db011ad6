"""The form that has keys of units and the staff, and the tables that were made beside the forms before."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Integer, MetaData, String, Table

revision = "0002"
down_revision = "0001"

# As they were then, like those of form 0001.
TABLES = MetaData()
Table("lineage", TABLES, Column("id", String, primary_key=True))
Table("written_by", TABLES,
      Column("number", Integer, primary_key=True, autoincrement=False), Column("form", String, nullable=False),
      Column("version", String, nullable=False))
Table("unit_key", TABLES, Column("unit", String, primary_key=True), Column("key", String, nullable=False))
Table("staff", TABLES,
      Column("person", String, primary_key=True), Column("name", String, nullable=False),
      Column("hashed", String, nullable=False))
Table("staff_login", TABLES, Column("person", String, primary_key=True), Column("wall", String, nullable=False))


def upgrade() -> None:
    TABLES.create_all(op.get_bind())
