"""A journal with bad pages: indexes and side tables go anew into a new file; what cannot be made anew is refused.

Which table is which: server/CODE.md, "Bad pages".
"""

import logging
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from itertools import count
from pathlib import Path

from sqlalchemy import Connection, create_engine, inspect
from sqlalchemy.exc import SQLAlchemyError

from roundtap_core.errors import Problem
from roundtap_hub import models
from roundtap_hub.database.database_url import DATABASE
from roundtap_hub.store import backups
from roundtap_hub.store.disk_problems import disk_problem, unreadable_problem
from roundtap_hub.store.head_file import HeadRecord, check_database, open_read_only
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.read_model import read_venue
from roundtap_hub.store.venue import Venue, is_valid_key, is_valid_pin
from roundtap_hub.store.verify import verify_journal
from roundtap_machine.atomic_write import sync_to_disk

log = logging.getLogger(__name__)

MADE = ".roundtap.db.new"
DAMAGED_FOLDER = "damaged"  # in the backups' folder: files with bad pages, as they were
WITHOUT = [str(kind.__tablename__) for kind in models.SIDE_TABLES]
"""Tables that may begin empty: the entries, or the next start, make them anew; the paper's queue is told."""
NEVER_LOST = (models.LINEAGE.name, models.SCHEMA_VERSION.name)
"""Nothing tells what one row of these was."""


def mend_journal(folder: Path, named: HeadRecord | None) -> list[str]:
    """Where SQLite's own check fails, keep the database aside and make it anew without what is bad. Returns the names
    of tables that are empty now, with "" for indexes; empty: nothing was wrong. Raises Problem("journal_damaged") where
    that would lose something, and as `unreadable_problem`; then nothing is changed."""
    database, made = folder / DATABASE, folder / MADE
    made.unlink(missing_ok=True)
    try:
        if not (bad := make_anew(database, named, made)):
            return []
        aside = _keep_aside(database, named.lineage if named else "unknown")
        with closing(sqlite3.connect(made)) as source, closing(sqlite3.connect(database)) as target:
            # One transaction: a power cut leaves the old pages or the new ones.
            source.backup(target)
            target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise unreadable_problem(error, database) from error
    except OSError as error:
        raise disk_problem(error, folder) or error from error
    finally:
        made.unlink(missing_ok=True)
    log.warning("%s had bad pages (%s): it is made anew, the old one is %s", database, ", ".join(bad), aside)
    return bad


def make_anew(database: Path, named: HeadRecord | None, to: Path) -> list[str]:
    """As `mend_journal`, but the new file is `to`, and the database stays as it is."""
    if not database.is_file() or not database.stat().st_size:
        return []
    engine = create_engine("sqlite://", creator=lambda: open_read_only(database))
    try:
        with engine.connect() as connection:
            complaint = _fault(connection)
            tables = inspect(connection).get_table_names()
            broken = {table: reason for table in tables if (reason := _fault(connection, table, bool(complaint)))}
            complaint = complaint or next(iter(broken.values()), "")
        if not complaint:
            return []
        lost = [table for table in NEVER_LOST if table in broken]
        if not lost:
            _copy_tables(database, to, tables, broken)
            lost = list(_lost(to, named, broken))
    except (SQLAlchemyError, sqlite3.Error, UnicodeError, TypeError) as error:
        raise unreadable_problem(error, database) from error
    finally:
        engine.dispose()
    if lost:
        reason = f"{complaint} ({', '.join(lost)})"
        raise Problem("journal_damaged", file=str(database), reason=reason, folder=str(database.parent))
    return [table for table in WITHOUT if table in broken] or [""]


def _fault(connection: Connection, table: str = "", look: bool = True) -> str:
    """The first thing that SQLite finds wrong with the whole file, or with a table and its indexes; "" if nothing is.
    `look`: False where it has found nothing in the file; but it takes text that is none, and words for numbers."""
    kind = next((kind for kind in models.SIDE_TABLES if kind.__tablename__ == table), None)
    try:
        checked = str(connection.exec_driver_sql(f"PRAGMA integrity_check({table or 1})").scalar()) if look else "ok"
        rows = models.validated_rows(connection, kind) if kind and checked == "ok" else ()
        return (
            next((str(row) for row in rows if isinstance(row, Problem)), "")
            if checked == "ok"
            else checked.splitlines()[-1]
        )
    except SQLAlchemyError as error:
        return str(getattr(error, "orig", error))


def _copy_tables(database: Path, to: Path, tables: Iterable[str], broken: Iterable[str]) -> None:
    with closing(sqlite3.connect(to)) as made:
        made.execute("ATTACH ? AS old", (f"{database.absolute().as_uri()}?mode=ro",))
        for (sql,) in made.execute("SELECT sql FROM old.sqlite_master WHERE sql > '' ORDER BY type DESC").fetchall():
            made.execute(sql)
        for table in tables:
            if table not in WITHOUT or table not in broken:
                # Row by row, which takes a condition: an index may be what is bad.
                made.execute(f'INSERT INTO main."{table}" SELECT * FROM old."{table}" NOT INDEXED WHERE true')
        made.commit()


def _lost(made: Path, named: HeadRecord | None, broken: Iterable[str]) -> Iterable[str]:
    """What the new file lacks of entries, people and secrets."""
    with closing(Journal(f"sqlite:///{made}", read_only=True)) as journal:
        try:
            check_database(made, named)
            yield from (str(wrong) for looked in verify_journal(journal) for wrong in looked.wrong)
            venue = read_venue(journal, Venue())
        except Problem as problem:
            yield str(problem)
            return
        rows = [row for row in journal.secret_rows() if not isinstance(row, Problem)]
    keys = {row.unit: row.key for row in rows if isinstance(row, models.UnitKeyRow)}
    pins = {row.person: row.hashed for row in rows if isinstance(row, models.StaffRow)}
    if models.UnitKeyRow.__tablename__ in broken:
        yield from (
            unit
            for unit, known in venue.units.items()
            if known.digest and keys.get(unit) != "" and not is_valid_key(venue, unit, keys.get(unit, ""))
        )
    if models.StaffRow.__tablename__ in broken:
        yield from (
            who
            for who, member in venue.staff.items()
            if member.pin and pins.get(who) != "" and not is_valid_pin(venue, who, pins.get(who))
        )


def _keep_aside(database: Path, lineage: str) -> Path:
    """Copy the file and its log. It is named as a backup, so that what must be forgotten goes from it as well."""
    folder = database.parent / backups.FOLDER / DAMAGED_FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    names = (folder / f"roundtap-{lineage}-{number}{backups.SUFFIX}" for number in count(1))
    aside = next(path for path in names if not path.exists())
    for path, to in ((database, aside), (Path(f"{database}-wal"), Path(f"{aside}-wal"))):
        if path.is_file():
            shutil.copy(path, to)
            sync_to_disk(to)
    sync_to_disk(folder)
    return aside
