"""Going on with another hub's event: recovered beside this hub's folder, it takes its place at the next start."""

import logging
import os
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

from roundtap_core.errors import Problem
from roundtap_hub.database.database_url import DATABASE
from roundtap_hub.store import backups
from roundtap_hub.store.clocks import Clocks, system_clocks
from roundtap_hub.store.folder_copy import CopyContent
from roundtap_hub.store.head_file import HEAD_FILE, lock_folder, read_head_file
from roundtap_hub.store.recover import Recovery, put_in_place, recover
from roundtap_hub.store.service import Service
from roundtap_hub.store.storage import StorageLine
from roundtap_machine.atomic_write import sync_to_disk

log = logging.getLogger(__name__)

MADE = Path(backups.FOLDER, "continue")  # in the hub's folder: a whole recovered one
BUSY, FAILED = "continuing", "not_continued"


def recover_in_place(
    places: Sequence[Path], folder: Path, clocks: Clocks, lineage: str = ""
) -> tuple[Recovery, Path | None]:
    """As `recover`, but the folder may be a hub's that does not run: it is set aside, and this returns where. Raises
    Problem("folder_in_use")."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with os.fdopen(lock_folder(folder)):
        made = _recover_beside(places, folder, clocks, lineage)
    aside, owner = finish_continuing(folder), folder.stat()
    for path in folder.rglob("*") if os.geteuid() == 0 else ():
        # Help with sudo must not lock the hub out.
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
    return made, aside


def _recover_beside(places: Sequence[Path], folder: Path, clocks: Clocks, lineage: str) -> Recovery:
    shutil.rmtree(folder / MADE, ignore_errors=True)
    return recover(places, folder / MADE, clocks, lineage)


def finish_continuing(folder: Path) -> Path | None:
    """Put what was recovered, if anything, in this hub's place. First what stood there is set aside, then the other
    moves in, its database last: after a power cut the next start goes on. Returns where that is now. Raises OSError and
    Problem("folder_in_use")."""
    made, kept = folder / MADE, folder / backups.FOLDER / backups.SET_ASIDE
    if not (made / DATABASE).is_file() or (named := read_head_file(made / HEAD_FILE)) is None:
        return None
    with os.fdopen(lock_folder(folder)):
        aside, moving = kept / named.epoch, kept / ".moving"
        if not aside.exists():
            moving.mkdir(parents=True, exist_ok=True, mode=0o700)
            for path in [*folder.iterdir()]:
                if path.name not in (backups.FOLDER, backups.PRACTICE) and path.suffix != ".lock":
                    os.replace(path, moving / path.name)
            for each in (moving, folder):
                sync_to_disk(each)
            os.replace(moving, aside)
            sync_to_disk(kept)
        if (aside / "pin").is_file() and not any((each / "pin").exists() for each in (made, folder)):
            # Copies alone hold none: whoever is let in here stays let in.
            shutil.copy2(aside / "pin", made)
        put_in_place(made, folder)
        made.rmdir()
    log.warning("this hub goes on with what was recovered; what stood here is in %s", aside)
    return aside


class Continuing:
    """What a press on the console or the panel does. Thread-safe."""

    def __init__(self, folder: Path, service: Service) -> None:
        self._folder, self._service = folder, service
        self._pressing = threading.Lock()

    def offers(self) -> dict[str, CopyContent]:
        """The copies of other hubs' events on sticks and in folders, by place; none while one is being continued."""
        copies, line = self._service.copies, self._service.storage.continuing
        if copies is None or (line is not None and line.key == BUSY):
            return {}
        found = {each.name: each.problem.params.get("found") for each in copies.removable() if each.problem is not None}
        return {place: each for place, each in found.items() if isinstance(each, CopyContent) and each.names}

    def running_events(self) -> str:
        """The names of this hub's own events that are not over: they would be set aside."""
        return ", ".join(state.name for state in self._service.snapshot.events.values() if not state.finished)

    def press(self, mark: str, sure: bool) -> None:
        """Continue the copy with this mark: a new process goes on with it, or `StorageState.continuing` says why not. A
        second press changes nothing. `sure`: this hub's own running events may be set aside. Raises
        Problem("continue_gone"), Problem("continue_keeps_aside")."""
        with self._pressing:
            offers, line = self.offers(), self._service.storage.continuing
            found = next((each for each in offers.values() if each.chain == mark), None)
            if line is not None and line.key == BUSY:
                return
            if found is None:
                raise Problem("continue_gone")
            if not sure and (own := self.running_events()):
                raise Problem("continue_keeps_aside", names=own)
            self._show(StorageLine(BUSY, name=", ".join(found.names.values())))
        places = [Path(place) for place, each in offers.items() if each.lineage == found.lineage]
        threading.Thread(target=self._continue, args=(places, found), name="continuing", daemon=True).start()

    def _show(self, line: StorageLine) -> None:
        self._service.storage.continuing = line
        self._service.storage.changed()

    def _continue(self, places: Sequence[Path], found: CopyContent) -> None:
        problem = Problem("continue_gone")
        try:
            made = _recover_beside(places, self._folder, system_clocks(), found.lineage)
            lengths = {each.stream: len(each.entries) for each in made.streams}
            if all(lengths.get(stream, 0) >= head.number for stream, head in found.heads.items()):
                self._service.reopen()
                return
        except Problem as refused:
            problem = refused
        except Exception:
            log.exception("what %s holds was not continued", places)
        shutil.rmtree(self._folder / MADE, ignore_errors=True)
        self._show(StorageLine(FAILED, problem=problem))
