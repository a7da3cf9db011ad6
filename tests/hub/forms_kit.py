"""Forms that there are not yet, made up for tests: a column for a mood, and a form that fails half way."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from roundtap_hub.store.migrations.schema_versions import CURRENT, Migrations

LATER = "0.9.dev900+gfeedbeef0"
"""The version that knows the made-up forms."""

MOOD = '''"""A made-up form."""
import sqlalchemy as sa
from alembic import op

revision, down_revision = "0003", "0002"


def upgrade():
    op.add_column("person", sa.Column("mood", sa.String, nullable=False, server_default="calm"))
    op.create_table("weather", sa.Column("day", sa.String, primary_key=True))
'''

FAILS = MOOD.replace(
    '    op.create_table("weather"', '    op.execute("INSERT INTO nowhere VALUES (1)")\n    op.create_table("weather"'
)


def later_forms(folder: Path, script: str = MOOD) -> Migrations:
    """The forms of a later program: today's, and 0003."""
    versions = folder / "migrations" / "versions"
    versions.mkdir(parents=True)
    for form in CURRENT.folder.glob("schema_*.py"):
        shutil.copy(form, versions)
    (versions / "schema_0003_with_a_mood.py").write_text(script)
    return Migrations(versions, "0003", lambda: LATER)


@contextmanager
def later_program(folder: Path) -> Iterator[None]:
    """Meanwhile this program is the later one: whatever opens a journal knows its forms."""
    later, today = later_forms(folder), Migrations(CURRENT.folder, CURRENT.newest, CURRENT.running, CURRENT.readable)

    def know(forms: Migrations) -> None:
        for name in ("folder", "newest", "running", "readable"):
            object.__setattr__(CURRENT, name, getattr(forms, name))

    know(later)
    try:
        yield
    finally:
        know(today)
