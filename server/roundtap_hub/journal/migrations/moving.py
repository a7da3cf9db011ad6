"""A journal brought from an earlier form to today's, by Alembic: imported only where there is something to do."""

from __future__ import annotations

from typing import Any

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from roundtap_core.errors import Problem
from roundtap_hub.journal.migrations.known_forms import Forms, Noted


def move(connection: Connection, forms: Forms, noted: Noted) -> None:
    """Within the connection's transaction, which whoever began it ends. Raises Problem("journal_form_failed")."""
    scripts = ScriptDirectory(str(forms.folder.parent), version_locations=[str(forms.folder)])

    def steps(heads: Any, _: MigrationContext) -> Any:
        # Alembic's own command is this, with a configuration in files around it.
        return scripts._upgrade_revs(forms.newest, heads)

    context = MigrationContext.configure(connection, opts={"fn": steps, "transactional_ddl": True})
    try:
        with Operations.context(context):
            context.run_migrations()
    except Exception as error:
        connection.rollback()
        reason = " ".join(str(getattr(error, "orig", None) or error).split()) or type(error).__name__
        raise Problem("journal_form_failed", form=noted.form, newest=forms.newest, reason=reason) from error
