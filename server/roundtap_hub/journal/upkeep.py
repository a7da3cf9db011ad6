"""What a hub's folder needs while it runs: a look at the disk every few seconds, a backup every minute and round."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from roundtap_core.errors import Problem
from roundtap_core.event.entries import Entry
from roundtap_hub.journal.backups import COPIES_FOLDER, FOLDER, copy_backup, make_backup, only_newest
from roundtap_hub.journal.head_file import HeadFile
from roundtap_hub.journal.service import Service
from roundtap_hub.journal.venue import DELETED

log = logging.getLogger(__name__)

LOOK_S = 5.0
BACKUP_EVERY_S = 60.0
REST = 20
"""A backup that takes long is made less often: so many times as long as it took are left between two."""
AT_ONCE = ("round-published", "round-closed", "event-finished")
"""After these a backup is made at once."""


class Upkeep:
    """A thread of its own. `copies`: asks for the folders on other disks that get the backups, too; `wall`: says when a
    backup was made."""

    def __init__(self, service: Service, folder: Path, head: HeadFile, copies: Callable[[], Sequence[Path]],
                 wall: Callable[[], str | None]) -> None:
        self._service = service
        self._folder = folder
        self._head = head
        self._copies = copies
        self._wall = wall
        self._ended = False
        self._wake = threading.Event()
        self._urgent = True
        self._forget = False
        self._saved_commits = -1
        self._made_s = -BACKUP_EVERY_S
        self._took_s = 0.0
        self._thread = threading.Thread(target=self._run, name="upkeep", daemon=True)
        service.listen(self._committed)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """A last backup, of what is in the journal now, if there is anything new."""
        self._ended = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=15)

    def back_up(self) -> None:
        """Make a backup now, wherever one is kept, and tell the service how that went."""
        named, from_s = self._head.named, time.monotonic()
        if named is None:
            return
        forget, self._forget, self._urgent = self._forget, False, False
        made: Path | None = None
        problem: Problem | None = None
        for to in (self._folder / FOLDER, *(each / COPIES_FOLDER for each in self._copies())):
            try:
                made_here = (copy_backup(made, to, named) if made is not None
                             else make_backup(self._folder, to, named, self._wall() or ""))
                if forget:
                    only_newest(to, made_here)
                made = made or made_here
            except (OSError, sqlite3.Error) as error:
                problem = problem or Problem("backup_failed", folder=str(to), reason=str(error))
            except Problem as damaged:
                problem = problem or damaged
        if problem is None:
            self._saved_commits = named.commits
        elif forget:
            self._forget = True
        self._made_s = time.monotonic()
        self._took_s = self._made_s - from_s
        self._service.storage.backup_made(problem)

    def _committed(self, _: object, entries: Sequence[Entry]) -> None:
        if any(entry.kind == DELETED for entry in entries):
            self._forget = self._urgent = True
        if any(entry.kind in AT_ONCE for entry in entries):
            self._urgent = True
        if self._urgent:
            self._wake.set()

    def _due(self) -> bool:
        named = self._head.named
        if named is None or named.commits == self._saved_commits:
            return self._forget
        rested_s = time.monotonic() - self._made_s
        return self._urgent or self._ended or rested_s >= max(BACKUP_EVERY_S, REST * self._took_s)

    def _run(self) -> None:
        while True:
            self._wake.wait(LOOK_S)
            self._wake.clear()
            ended = self._ended
            try:
                if not ended:
                    self._service.look_at_disk(self._folder)
                if self._due():
                    self.back_up()
            except Exception:
                log.exception("the folder's upkeep failed")
            if ended:
                return
