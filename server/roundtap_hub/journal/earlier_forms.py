"""A folder's journal on its way from form to form: backed up before it moves, taken back for an older program."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import SQLAlchemyError

from roundtap_core.errors import Problem
from roundtap_hub.journal.backups import FOLDER, make_backup
from roundtap_hub.journal.database_url import DATABASE, sqlite_url
from roundtap_hub.journal.head_file import HEAD_FILE, HeadFile, Named, new_lineage, read_head_file
from roundtap_hub.journal.migrations import forms
from roundtap_hub.journal.migrations.known_forms import FIRST, TODAY, Forms

KEPT = "before-upgrade"
"""In the folder of the backups: those that are not replaced by the newer ones of every minute."""


def back_up(folder: Path, made_at: str, named: Named | None = None) -> Path:
    """A backup of the folder, put where the minutes' own do not replace it; the hub may run. Raises
    Problem("backup_failed"), and "no_journal" where there is none."""
    if not (folder / DATABASE).is_file():
        raise Problem("no_journal", where=str(folder / DATABASE))
    named = named or read_head_file(folder / HEAD_FILE) or Named(new_lineage())
    to = folder / FOLDER / KEPT
    try:
        (folder / FOLDER).mkdir(exist_ok=True, mode=0o700)
        return make_backup(folder, to, named, made_at)
    except (OSError, sqlite3.Error) as error:
        raise Problem("backup_failed", folder=str(to), reason=str(error)) from error


def back_up_if_behind(folder: Path, named: Named | None, made_at: str, known: Forms = TODAY) -> Path | None:
    """Before a hub's start brings its journal to another form; None where it has today's, or is none yet."""
    if not (folder / DATABASE).is_file() or not (folder / DATABASE).stat().st_size:
        return None
    engine = create_engine(sqlite_url(folder))
    try:
        with engine.connect() as connection:
            behind = forms.is_behind(connection, known)
    except SQLAlchemyError as error:
        raise _unreadable(error) from error
    finally:
        engine.dispose()
    return back_up(folder, made_at, named) if behind else None


def take_back(folder: Path, form: str, made_at: str, known: Forms = TODAY) -> Path | None:
    """The folder's journal to an earlier form, after a backup, which is returned; None where it has that form.

    Nothing that was acknowledged is lost, but what the earlier form has no place for. Raises Problem("folder_in_use")
    while a hub runs, Problem("form_unknown"), and as `prepare`.
    """
    engine = create_engine(sqlite_url(folder))
    try:
        if not is_behind(engine, form, known):
            return None
        head = HeadFile(folder / HEAD_FILE)
        try:
            made = back_up(folder, made_at, head.named)
            move_back(engine, form, known)
        finally:
            head.close()
        return made
    except SQLAlchemyError as error:
        raise _unreadable(error) from error
    finally:
        engine.dispose()


def is_behind(engine: Engine, form: str, known: Forms) -> bool:
    """Whether that form is an earlier one than the database's. Raises Problem("form_unknown") for a later one."""
    with engine.connect() as connection:
        noted = forms.noted_in(connection)
    if not FIRST <= form <= noted.form:
        raise Problem("form_unknown", form=form, newest=noted.form or known.newest)
    return form != noted.form


def move_back(engine: Engine, form: str, known: Forms = TODAY) -> None:
    """In one transaction, in any database. Raises SQLAlchemyError and Problem("journal_form_failed")."""
    from roundtap_hub.journal.migrations.moving import move

    with engine.connect() as connection:
        forms.begin(connection)
        move(connection, known, forms.noted_in(connection), form)
        connection.commit()


def _unreadable(error: SQLAlchemyError) -> Problem:
    return Problem("journal_unreadable", reason=str(getattr(error, "orig", None) or error))
