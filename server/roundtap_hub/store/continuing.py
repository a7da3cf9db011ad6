"""What `recover` makes in place of what a hub has. Another hub's event, to go on with: made beside this hub's folder,
it takes its place at the next start. A journal with bad pages: made anew of all that is left on it, unless that would
lose something. Which table is which: server/CODE.md, "Bad pages".
"""

import logging
import os
import shutil
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from sqlalchemy import create_engine, inspect
from sqlalchemy.exc import SQLAlchemyError

from roundtap_core.errors import Problem
from roundtap_core.messages import ContinueOffer
from roundtap_core.typed import DisplayText
from roundtap_hub.store import backups, models
from roundtap_hub.store.clocks import system_clocks
from roundtap_hub.store.copies import BUSY, StorageLine
from roundtap_hub.store.folder_copy import CopyContent
from roundtap_hub.store.head_file import (
    HEAD_FILE,
    HeadRecord,
    check_database,
    lock_folder,
    open_read_only,
    read_head_file,
)
from roundtap_hub.store.journal import DATABASE, JournalConflict
from roundtap_hub.store.recover import Recovery, put_in_place, recover
from roundtap_hub.store.secure_files import disk_problem, is_of_disk, unreadable_problem, write_private
from roundtap_hub.store.service import Service
from roundtap_machine.disk import sync_to_disk

log = logging.getLogger(__name__)

MAKING = Path(backups.FOLDER, "continue.unchecked")  # in the hub's folder: what is recovered, before it was looked at
MADE = Path(backups.FOLDER, "continue")  # a whole recovered folder that takes this one's place at the next start
STAYS = (backups.FOLDER, backups.PRACTICE, "promoted", "standby.json")  # the last two make a standby's folder a hub's
FAILED, BUG = "not_continued", "continue_bug"
_pressing = threading.Lock()
MENDED = ".mending"  # in the hub's folder: what a journal with bad pages is made anew in
NO_DATABASE = "file is not a database"  # its first page is spoiled: nothing can be written into it either
DAMAGED_FOLDER = "damaged"  # in the backups' folder: files with bad pages, as they were


def recover_in_place(places: Sequence[Path], folder: Path, lineage: str = "") -> tuple[Recovery, Path | None]:
    """As `recover`, but the folder may be a hub's that does not run: it is set aside, and this returns where. Raises
    Problem("folder_in_use")."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        # A try that was cut short is ended first.
        finish_continuing(folder)
        with os.fdopen(lock_folder(folder)):
            made = _recover_beside(places, folder, lineage)
            _give_to_owner(folder)
            _hand_over(folder)
            return made, _exchange(folder)
    finally:
        _give_to_owner(folder)


def _recover_beside(places: Sequence[Path], folder: Path, lineage: str) -> Recovery:
    shutil.rmtree(folder / MAKING, ignore_errors=True)
    return recover(places, folder / MAKING, system_clocks(), lineage)


def _give_to_owner(folder: Path) -> None:
    """Help with sudo must not lock the hub out, also where the power goes in the middle of it."""
    owner = folder.stat()
    for path in folder.rglob("*") if os.geteuid() == 0 else ():
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def _hand_over(folder: Path) -> None:
    """What was recovered is what was asked for: it takes this folder's place, now or at the next start."""
    # The lock is that of the folder which it moves into.
    for lock in (folder / MAKING).glob("*.lock"):
        lock.unlink()
    shutil.rmtree(folder / MADE, ignore_errors=True)
    os.replace(folder / MAKING, folder / MADE)


def finish_continuing(folder: Path) -> Path | None:
    """Put what was recovered, if anything, in this hub's place. First what stood there is set aside, then the other
    moves in, its database last: after a power cut the next start goes on. Returns where that is now, None where nothing
    stood. Raises OSError and Problem("folder_in_use")."""
    if not (folder / MADE / DATABASE).is_file():
        return None
    with os.fdopen(lock_folder(folder)):
        return _exchange(folder)


def _exchange(folder: Path) -> Path | None:
    made, set_aside = folder / MADE, folder / backups.FOLDER / backups.SET_ASIDE
    if (named := read_head_file(made / HEAD_FILE)) is None:
        return None
    aside, moving = set_aside / named.epoch, set_aside / ".moving"
    if not aside.exists():
        moving.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in [*folder.iterdir()]:
            if path.name not in STAYS and path.suffix != ".lock":
                os.replace(path, moving / path.name)
        os.replace(moving, aside)
    if (aside / "pin").is_file() and not any((each / "pin").exists() for each in (made, folder)):
        # Copies alone hold none: whoever is let in here stays let in.
        write_private(made / "pin", (aside / "pin").read_bytes())
    put_in_place(made, folder)
    made.rmdir()
    if not any(aside.iterdir()):
        os.removedirs(aside)
        return None
    log.warning("this hub goes on with what was recovered; what stood here is in %s", aside)
    return aside


def offers(service: Service) -> list[ContinueOffer]:
    """The events of other hubs on sticks and in folders of copies; none while one is being continued."""
    storage = service.storage
    return [
        ContinueOffer(
            copy.chain,
            DisplayText.of(place),
            DisplayText.of(", ".join(copy.names.values())),
            sum(head.number for head in copy.heads.values()),
            copy.until,
            copy.damaged,
            DisplayText.of(running_events(service)),
        )
        for place, copy in _copies_of_others(service)
        if storage.continuing is None or storage.continuing.key != BUSY
    ]


def running_events(service: Service) -> str:
    """The names of this hub's own events that are not over: they would be set aside."""
    return ", ".join(state.name for state in service.snapshot.events.values() if not state.finished)


def _copies_of_others(service: Service) -> list[tuple[str, CopyContent]]:
    states = service.copies.removable() if service.copies is not None else ()
    copies = [(each.name, each.problem.params.get("found")) for each in states if each.problem is not None]
    return [(place, each) for place, each in copies if isinstance(each, CopyContent) and each.names]


def press(service: Service, folder: Path, mark: str, sure: bool) -> None:
    """Continue the offer of this mark in the hub of this folder: a new process goes on with it, or
    `StorageState.continuing` says why not. A second press changes nothing. `sure`: this hub's own running events may be
    set aside. Raises Problem("continue_gone"), Problem("continue_keeps_aside")."""
    with _pressing:
        if (line := service.storage.continuing) is not None and line.key == BUSY:
            return
        copies = _copies_of_others(service)
        copy = next((each for _, each in copies if each.chain == mark), None)
        if copy is None:
            raise Problem("continue_gone")
        if not sure and (own := running_events(service)):
            raise Problem("continue_keeps_aside", names=own)
        service.storage.tell_continuing(StorageLine(BUSY, name=DisplayText.of(", ".join(copy.names.values()))))
    places = [Path(place) for place, each in copies if each.lineage == copy.lineage]
    threading.Thread(
        target=recover_beside, args=(service, folder, places, copy), name="continuing", daemon=True
    ).start()


def recover_beside(service: Service, folder: Path, places: Sequence[Path], copy: CopyContent) -> None:
    """Recover what was offered, and end for the next process; where there is less of it now, say so and go on."""
    try:
        made = _recover_beside(places, folder, copy.lineage)
        lengths = {each.stream: len(each.entries) for each in made.streams}
        if any(lengths.get(stream, 0) < head.number for stream, head in copy.heads.items()):
            raise Problem("continue_gone")
        _hand_over(folder)
    except Exception as error:
        problem = error if isinstance(error, Problem) else None
        if isinstance(error, OSError):
            problem = disk_problem(error, folder)
        if problem is None:
            log.exception("what %s holds was not continued", places)
        shutil.rmtree(folder / MAKING, ignore_errors=True)
        service.storage.tell_continuing(StorageLine(FAILED if problem else BUG, problem=problem))
    else:
        service.reopen(logging.INFO)


def mend_journal(folder: Path, named: HeadRecord | None) -> bool:
    """Where SQLite's own check fails, keep the database aside and make it anew without what is bad; False: nothing was
    wrong. Raises Problem("journal_damaged") where that would lose something, and as `unreadable_problem`; then nothing
    is changed."""
    database, made = folder / DATABASE, folder / MENDED
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
