"""A hub's folder made of a backup: looked through, written whole, and begun as a new epoch."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, At, NewEntry, seal
from roundtap_hub.journal.backups import LEFT_OUT, Backup, read_backup
from roundtap_hub.journal.database_url import DATABASE
from roundtap_hub.journal.head_file import HEAD_FILE, HeadFile, begin_head
from roundtap_hub.journal.journal import Head, Journal
from roundtap_hub.journal.lineage import following_epoch
from roundtap_hub.journal.loading import read_venue
from roundtap_hub.journal.venue import Venue
from roundtap_hub.journal.verify import verify
from roundtap_systemd.atomic_write import sync


@dataclass(frozen=True, slots=True)
class Restored:
    """What a backup held: the last entry of each stream, and the names of the folder's other files."""

    heads: Mapping[str, Head]
    files: tuple[str, ...]
    made_at: str
    epoch: str


def restore(path: Path, folder: Path, at: At, chance: Callable[[int], str] = secrets.token_hex) -> Restored:
    """Make `folder` of a backup, whole or not at all, and begin a new epoch in it.

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
        epoch = _begin_anew(making, backup, at, chance)
        _put_in_place(making, folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return Restored(backup.heads, backup.files, backup.made_at, epoch)


def _begin_anew(folder: Path, backup: Backup, at: At, chance: Callable[[int], str]) -> str:
    """Look through all of it, then begin the epoch, which is returned."""
    journal = Journal(f"sqlite:///{folder / DATABASE}")
    try:
        for looked in verify(journal):
            if looked.wrong:
                raise looked.wrong[0]
        venue = read_venue(journal, Venue())
        epoch = following_epoch(folder, venue, chance)
        told = {"epoch": epoch, "restored": {
            "from": {stream: list(head) for stream, head in backup.heads.items()}, "made_at": backup.made_at,
            "at": at.wall}}
        journal.append([seal(NewEntry("epoch-begun", told), VENUE, venue.number + 1, venue.head, at, "restore")])
        journal.scrub()
        head = HeadFile(folder / HEAD_FILE)
        try:
            begin_head(head, journal, epoch)
        finally:
            head.close()
    finally:
        journal.close()
    return epoch


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
