"""Whether the newest backup can be restored, tried: into a folder of its own that is thrown away again."""

from __future__ import annotations

import json
import logging
import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.journal.backups import FOLDER, backups_in
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.private_files import write_private

log = logging.getLogger(__name__)

RECORD = "trial-restore.json"
PLACE = "trial.tmp"
"""Below the folder of backups: no backup takes it in."""
ROOM = 3
"""So many times a backup's size must be free: what is made of it, and room for the event meanwhile."""
COPIES_FOLDER = "roundtap-backups"


@dataclass(frozen=True, slots=True)
class Tried:
    """The last try. `backup`: its file's name; `at`: wall time, "" where nobody knew; `events`: how many it held;
    `reason`: why it failed, a person's sentence in English, "" where it did not."""

    backup: str
    at: str
    events: int = 0
    reason: str = ""


class TrialRestore:
    """One hub's. `begin` returns at once; the try has a thread of its own. Any thread may ask.

    `folder` None: the journal is a database's, whose own backups are nobody's to try here. `copies`: folders on sticks,
    where the same backups lie.
    """

    def __init__(self, folder: Path | None, clocks: Clocks, copies: Sequence[Path] = ()) -> None:
        self._folder = folder
        self._clocks = clocks
        self._copies = copies
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._last = _read(folder / RECORD) if folder is not None else None
        if folder is not None:
            # A plug that was pulled meanwhile leaves a whole hub there, with people in it.
            shutil.rmtree(folder / FOLDER / PLACE, ignore_errors=True)
        self.listeners: list[Callable[[], None]] = []

    @property
    def possible(self) -> bool:
        return self._folder is not None

    @property
    def running(self) -> bool:
        thread = self._thread
        return thread is not None and thread.is_alive()

    @property
    def last(self) -> Tried | None:
        return self._last

    def newest(self) -> Path | None:
        """The backup that a try would take: a stick's where one is in, since that is the one that is left when the card
        is gone."""
        if self._folder is None:
            return None
        for place in (*(copy / COPIES_FOLDER for copy in self._copies), self._folder / FOLDER):
            found = backups_in(place)
            if found:
                return found[0]
        return None

    def begin(self) -> None:
        """Start a try, unless one is under way. Raises Problem("trial_no_backup") or Problem("trial_no_room")."""
        backup = self.newest()
        if backup is None or self._folder is None:
            raise Problem("trial_no_backup")
        needed = ROOM * backup.stat().st_size
        if shutil.disk_usage(self._folder).free < needed:
            raise Problem("trial_no_room", mb=needed >> 20)
        with self._lock:
            if not self.running:
                self._thread = threading.Thread(target=self.try_it, args=(backup,), name="trial-restore", daemon=True)
                self._thread.start()

    def wait(self, timeout_s: float) -> None:
        """For tests: until the try is over."""
        if self._thread is not None:
            self._thread.join(timeout_s)

    def try_it(self, backup: Path) -> None:
        """Restore the backup, look its whole journal through, and keep what came of it."""
        assert self._folder is not None
        place = self._folder / FOLDER / PLACE
        at = self._clocks.wall() or ""
        try:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True, mode=0o700)
            # Here, not above: it brings sqlmodel and pydantic along, which no hub's start should pay for.
            from roundtap_hub.journal.restoring import restore

            found = restore(backup, place / "hub", self._clocks.at())
            tried = Tried(backup.name, at, sum(stream != VENUE for stream in found.heads))
        except Problem as problem:
            tried = Tried(backup.name, at, reason=problem.say())
        except Exception as error:
            log.exception("the backup cannot be tried")
            tried = Tried(backup.name, at, reason=str(error) or type(error).__name__)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        self._last = tried
        try:
            write_private(self._folder / RECORD, json.dumps(asdict(tried)) + "\n")
        except OSError as error:
            log.warning("what came of the trial restore cannot be kept: %s", error)
        for listener in self.listeners:
            listener()


def _read(path: Path) -> Tried | None:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return Tried(str(said["backup"])[:200], str(said["at"])[:40], int(said["events"]), str(said["reason"])[:300])
    except (OSError, ValueError, KeyError, TypeError):
        return None
