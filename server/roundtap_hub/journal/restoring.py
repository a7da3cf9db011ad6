"""A hub's folder made of a backup: looked through, written whole, and begun as a new epoch."""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, At, NewEntry
from roundtap_hub.journal.backups import FOLDER, LEFT_OUT, SUFFIX, Backup, read_backup
from roundtap_hub.journal.database_url import DATABASE, sqlite_url
from roundtap_hub.journal.folder_copy import COPY_FILE, read_copy
from roundtap_hub.journal.head_file import HEAD_FILE, HeadFile, begin_head, lineage_of
from roundtap_hub.journal.journal import Journal
from roundtap_hub.journal.lineage import following_epoch, last_words, sealed_after
from roundtap_hub.journal.salvage import Found, put_secrets, read_all
from roundtap_hub.journal.venue import fold_venue
from roundtap_hub.journal.verify import verify
from roundtap_hub.models import SECRET_TABLES
from roundtap_systemd.atomic_write import sync


def restore(path: Path, folder: Path, at: At, chance: Callable[[int], str] = secrets.token_hex) -> Backup:
    """Make `folder` of a backup, which is returned, whole or not at all, and begin a new epoch in it.

    Problem("backup_none") or Problem("backup_damaged") where the file is none or does not hold,
    Problem("restore_folder_used") where there is a journal already, and what `verify` finds in the backup's journal.
    """
    if any((folder / name).exists() for name in LEFT_OUT):
        raise Problem("restore_folder_used", where=str(folder))
    backup = read_backup(path)
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = folder.with_name(f".{folder.name}.restoring")
    shutil.rmtree(making, ignore_errors=True)
    try:
        backup.unpack(making)
        _begin_anew(making, backup, _found_near(backup, folder, making), at, chance)
        _put_in_place(making, folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return backup


def _found_near(backup: Backup, folder: Path, making: Path) -> Found:
    """What the backup's own journal says, in the folder `making`, and a journal, other backups and copies of the same
    hub that lie where the backup does, or in the folder that is made."""
    near = backup.path.absolute().parent
    paths = (*(place / DATABASE for place in (near, *near.parents[:3])),
             *near.parent.glob(f"{Path(COPY_FILE).stem}*"), making / DATABASE, *near.glob(f"*{SUFFIX}"),
             *(folder / FOLDER).glob(f"*{SUFFIX}"))
    # Where anybody may write, a file of somebody else's would give keys away.
    ours = {os.getuid(), backup.path.stat().st_uid}
    return read_all([path for path in paths if _lineage_at(path) == backup.lineage and path.stat().st_uid in ours],
                    of_venue=True)


def _lineage_at(path: Path) -> str:
    """"" for what is none of these, or does not hold."""
    with suppress(OSError, sqlite3.Error, Problem):
        if path.name == DATABASE:
            return lineage_of(path)
        found = read_backup(path) if path.suffix == SUFFIX else read_copy(path)
        return found.lineage if found is not None else ""
    return ""


def _begin_anew(folder: Path, backup: Backup, found: Found, at: At, chance: Callable[[int], str]) -> None:
    """Look through all of it, then begin the epoch. `found`: what is known beyond the backup."""
    with closing(Journal(sqlite_url(folder))) as journal:
        for looked in verify(journal):
            # A key or PIN that is none costs itself alone.
            for wrong in looked.wrong:
                if wrong.params.get("table") not in SECRET_TABLES:
                    raise wrong
        chain = list(journal.entries(VENUE))
        epoch = following_epoch(folder, fold_venue(chain), chance)
        told = {"epoch": epoch, "restored": {
            "from": {stream: list(head) for stream, head in backup.heads.items()}, "made_at": backup.made_at,
            "at": at.wall}}
        said = [*last_words(chain, found.of_venue), NewEntry("epoch-begun", told)]
        journal.append(sealed_after(chain, said, at, "restore"))
        put_secrets(journal, found)
        journal.scrub()
        with closing(HeadFile(folder / HEAD_FILE)) as head:
            begin_head(head, journal, epoch)


def _put_in_place(making: Path, folder: Path) -> None:
    """In one step where there is no folder; into one without a journal file by file, the database last: until then no
    hub takes it for a journal."""
    if not folder.exists():
        os.replace(making, folder)
    else:
        for path in sorted(making.iterdir(), key=lambda path: (path.name.startswith(DATABASE), path.name)):
            os.replace(path, folder / path.name)
        sync(folder)
    sync(folder.parent)
