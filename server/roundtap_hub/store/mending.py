"""A journal with bad pages is made anew of all that is left on it, as `recover` does; what that would lose is refused.

Which table is which: server/CODE.md, "Bad pages".
"""

import logging
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import create_engine, inspect
from sqlalchemy.exc import SQLAlchemyError

from roundtap_core.errors import Problem
from roundtap_hub.store import backups, models
from roundtap_hub.store.clocks import system_clocks
from roundtap_hub.store.head_file import HEAD_FILE, HeadRecord, check_database, open_read_only, read_head_file
from roundtap_hub.store.journal import DATABASE, JournalConflict
from roundtap_hub.store.recover import Recovery, recover
from roundtap_hub.store.secure_files import disk_problem, is_of_disk, unreadable_problem
from roundtap_machine.disk import sync_to_disk

log = logging.getLogger(__name__)

MADE = ".mending"
NO_DATABASE = "file is not a database"  # its first page is spoiled: nothing can be written into it either
DAMAGED_FOLDER = "damaged"  # in the backups' folder: files with bad pages, as they were


def mend_journal(folder: Path, named: HeadRecord | None) -> bool:
    """Where SQLite's own check fails, keep the database aside and make it anew without what is bad; False: nothing was
    wrong. Raises Problem("journal_damaged") where that would lose something, and as `unreadable_problem`; then nothing
    is changed."""
    database, made = folder / DATABASE, folder / MADE
    shutil.rmtree(made, ignore_errors=True)
    try:
        if not make_anew(database, made):
            return False
        aside = _keep_aside(database, named.lineage if named else "unknown")
        with closing(sqlite3.connect(made / DATABASE)) as source, closing(sqlite3.connect(database)) as target:
            # One transaction: a power cut leaves the old pages or the new ones.
            source.backup(target)
            target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise unreadable_problem(error, database) from error
    except OSError as error:
        raise disk_problem(error, folder) or error from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    log.warning("%s had bad pages: it is made anew, the old one is %s", database, aside)
    return True


def make_anew(database: Path, to: Path) -> bool:
    """As `mend_journal`, but the new file is in the new folder `to`, and the database stays as it is. `left` of the
    problem: the Recovery that would lose something, if there is one."""
    if not database.is_file() or not database.stat().st_size or not (complaint := _fault(database)):
        return False
    try:
        made: Recovery | None = recover([database], to, system_clocks(), begins_epoch=False)
        if made is not None and not made.lacks:
            check_database(to / DATABASE, read_head_file(database.with_name(HEAD_FILE)))
    except JournalConflict as refused:
        if refused.errno is None:
            raise
        raise OSError(refused.errno, str(refused)) from refused
    except Problem as problem:
        # Its text may name the new file, which is gone when somebody reads it.
        if is_of_disk(problem):
            raise
        made = None
    if made is None or made.lacks or complaint == NO_DATABASE:
        raise Problem("journal_damaged", file=str(database), reason=complaint, folder=str(database.parent), left=made)
    return True


def _fault(database: Path) -> str:
    """The first thing that is wrong, "" if nothing is. SQLite itself takes text that is none, and words for numbers."""
    engine = create_engine("sqlite://", creator=lambda: open_read_only(database))
    try:
        with engine.connect() as connection:
            checked = str(connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar())
            if checked != "ok":
                return checked.splitlines()[-1]
            there = inspect(connection).get_table_names()
            kinds = (kind for kind in models.SIDE_TABLES if kind.__tablename__ in there)
            rows = (row for kind in kinds for row in models.validated_rows(connection, kind))
            return next((str(row) for row in rows if isinstance(row, Problem)), "")
    except (SQLAlchemyError, UnicodeError, TypeError) as error:
        problem = unreadable_problem(error, database)
        if problem.key != "journal_damaged":
            raise problem from error
        return str(problem.params["reason"])
    finally:
        engine.dispose()


def _keep_aside(database: Path, lineage: str) -> Path:
    """Copy the file and its log. It is named as a backup, so that what must be forgotten goes from it as well."""
    folder = database.parent / backups.FOLDER / DAMAGED_FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    # By its time, so that one that cannot be replaced is not kept once more at each start.
    aside = folder / f"roundtap-{lineage}-{database.stat().st_mtime_ns}{backups.SUFFIX}"
    for path, to in ((database, aside), (Path(f"{database}-wal"), Path(f"{aside}-wal"))):
        if path.is_file():
            shutil.copy(path, to)
            sync_to_disk(to)
    sync_to_disk(folder)
    return aside
