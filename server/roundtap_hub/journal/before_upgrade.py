"""The backup made before a journal is brought to another form: an older program goes on from that one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.exc import SQLAlchemyError

from roundtap_core.errors import Problem
from roundtap_hub.journal.backups import FOLDER, make_backup
from roundtap_hub.journal.database_url import DATABASE
from roundtap_hub.journal.head_file import HEAD_FILE, Named, looking_at, new_lineage, read_head_file
from roundtap_hub.journal.migrations import forms
from roundtap_hub.journal.migrations.known_forms import TODAY, Forms, Noted

KEPT = "before-upgrade"
"""In the folder of the backups, with a folder for each form in it ("0001"): what is there is replaced neither by the
minutes' own nor by one of a later form, which an older program could not read."""


def back_up(folder: Path, made_at: str, named: Named | None = None) -> Path:
    """A backup of the folder, put where the minutes' own do not replace it; the hub may run. Raises
    Problem("backup_failed"), Problem("journal_unreadable"), and "no_journal" where there is none."""
    if not (folder / DATABASE).is_file():
        raise Problem("no_journal", where=str(folder / DATABASE))
    named = named or read_head_file(folder / HEAD_FILE) or Named(new_lineage())
    to = folder / FOLDER / KEPT / _noted(folder).form
    try:
        to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return make_backup(folder, to, named, made_at)
    except (OSError, sqlite3.Error) as error:
        raise Problem("backup_failed", folder=str(to), reason=str(error)) from error


def back_up_if_behind(folder: Path, named: Named | None, made_at: str, known: Forms = TODAY) -> Path | None:
    """Before a start brings the journal to another form; None where it has today's, or is none yet. Raises as
    `back_up`, and Problem("journal_newer")."""
    if not (folder / DATABASE).is_file() or not (folder / DATABASE).stat().st_size:
        return None
    return back_up(folder, made_at, named) if forms.is_behind(_noted(folder), known) else None


def _noted(folder: Path) -> Noted:
    engine = create_engine("sqlite://", creator=lambda: looking_at(folder / DATABASE))
    try:
        with engine.connect() as connection:
            return forms.noted_in(connection)
    except SQLAlchemyError as error:
        raise Problem("journal_unreadable", reason=str(getattr(error, "orig", None) or error)) from error
    finally:
        engine.dispose()
