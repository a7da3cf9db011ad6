"""Going on with another hub's event: what sticks hold of one, its recovery, and how that takes this hub's place."""

import hashlib
import json
import logging
import os
import resource
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from roundtap_core.errors import Problem
from roundtap_hub.database.database_url import DATABASE
from roundtap_hub.store import backups
from roundtap_hub.store.clocks import Clocks, system_clocks
from roundtap_hub.store.copies import CURRENT, RemovableCopy
from roundtap_hub.store.head_file import HEAD_FILE, HeadRecord, lock_folder, read_head_file
from roundtap_hub.store.journal import START, Head
from roundtap_hub.store.recover import Recovery, find_hubs, put_in_place, recover
from roundtap_hub.store.service import Service
from roundtap_hub.store.storage import Offer
from roundtap_machine.atomic_write import sync_to_disk

log = logging.getLogger(__name__)

MADE = Path(backups.FOLDER, "continue")
"""In the hub's folder: a whole recovered folder, which the next start puts in its place."""
STAYS = (backups.FOLDER, backups.PRACTICE)
LOOK_S = 5.0
WITHIN_S = 300.0  # a process that reads a stick for longer is ended
MEMORY_BYTES = 1 << 30  # of its address space
NICE = 10
NAMES_MAX = 3  # of the newest events, as a person knows a hub by

Answer = Mapping[str, Any]


def recover_in_place(places: Sequence[Path], folder: Path, clocks: Clocks, lineage: str = "") -> tuple[Recovery, Path]:
    """As `recover`, but into a folder in which a hub may stand: that one is set aside. Returns where. Raises
    Problem("folder_in_use") while it runs."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = lock_folder(folder)
    try:
        made = recover_beside(places, folder, clocks, lineage)
        aside = _replace_hub(folder)
        owner = folder.stat()
        for path in folder.rglob("*") if os.geteuid() == 0 else ():
            # Help with sudo must not lock the hub out.
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
    finally:
        os.close(lock)
    return made, aside


def recover_beside(places: Sequence[Path], folder: Path, clocks: Clocks, lineage: str = "") -> Recovery:
    """Recover into `MADE`; the hub in `folder` may go on until its next start."""
    shutil.rmtree(folder / MADE, ignore_errors=True)
    return recover(places, folder / MADE, clocks, lineage)


def finish_continuing(folder: Path) -> None:
    """Before a start: put in this hub's place what was recovered beside it. Raises OSError, Problem("folder_in_use")."""
    if (folder / MADE / DATABASE).is_file():
        lock = lock_folder(folder)
        try:
            log.warning("this hub goes on with what was recovered; what stood here is in %s", _replace_hub(folder))
        finally:
            os.close(lock)


def _replace_hub(folder: Path) -> Path:
    """First everything is set aside, then what was made moves in, its database last: a start after a power cut goes on
    where this one ended."""
    made, kept = folder / MADE, folder / backups.FOLDER / backups.SET_ASIDE
    named = read_head_file(made / HEAD_FILE)
    assert named is not None
    aside = next(kept.glob(f"roundtap-*-{named.epoch}"), None)
    if aside is None:
        part = kept / f".{named.epoch}"
        part.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in list(folder.iterdir()):
            if path.name not in STAYS and path.suffix != ".lock":
                os.replace(path, part / path.name)
        lineage = "unknown"
        with suppress(Problem):
            lineage = (read_head_file(part / HEAD_FILE) or HeadRecord(lineage)).lineage
        for each in (part, folder):
            sync_to_disk(each)
        aside = part.rename(kept / f"roundtap-{lineage}-{named.epoch}")
        sync_to_disk(kept)
    if (aside / "pin").is_file() and not (made / "pin").exists() and not (folder / "pin").exists():
        # Copies alone hold none: whoever is let in here stays let in.
        shutil.copy2(aside / "pin", made)
    put_in_place(made, folder)
    made.rmdir()
    return aside


def ask_process(place: Path, *more: str) -> Answer:
    """What a process of its own finds at `place`, a path that `RemovableCopy.pinned` gave: anybody may have written a
    stick, and a bad one may never answer. Raises OSError, ValueError and subprocess.SubprocessError without an answer.
    """
    asked = subprocess.run(
        [sys.executable, "-I", "-m", "roundtap_hub.store.continuing", str(place), *more],
        capture_output=True,
        check=True,
        stdin=subprocess.DEVNULL,
        timeout=WITHIN_S,
        pass_fds=[int(place.name)] if place.parent == Path("/proc/self/fd") else (),
    )
    answer: Answer = json.loads(asked.stdout)
    return answer


class Continuing:
    """Keeps `StorageState.offers`: the events on sticks and in folders of copies that this hub lacks, and continues one
    when it is pressed. Looks every few seconds in a thread of its own; `ask`: as `ask_process`."""

    def __init__(self, folder: Path, service: Service, ask: Callable[..., Answer] = ask_process) -> None:
        self._folder, self._service, self._ask = folder, service, ask
        self._storage = service.storage
        self._read: dict[str, tuple[object, Sequence[Offer]]] = {}
        self._pressed: Offer | None = None
        self._pressing = threading.Lock()
        self._wake = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._run, name="continuing", daemon=True).start()

    def press(self, mark: str, sure: bool) -> None:
        """Continue the offer of this mark: this process then ends for a new one, or the page says why not. A second
        press changes nothing. `sure`: a running event of this hub's own may be set aside. Raises
        Problem("continue_gone"), Problem("continue_keeps_aside")."""
        with self._pressing:
            if self._pressed is not None:
                return
            offer = next((each for each in self._storage.offers if each.mark == mark), None)
            if offer is None:
                raise Problem("continue_gone")
            if (own := self.running_events()) and not sure:
                raise Problem("continue_keeps_aside", names=", ".join(own))
            self._pressed, self._storage.continuing, self._storage.not_continued = offer, offer.name, None
        self._storage.changed()
        self._wake.set()

    def running_events(self) -> list[str]:
        """The names of this hub's own events that are not over: they would be set aside."""
        return [f"“{state.name}”" for state in self._service.snapshot.events.values() if not state.finished]

    def _run(self) -> None:
        while not self._service.must_reopen:
            try:
                self.look()
            except Exception:
                log.exception("looking for events to continue failed")
            self._wake.wait(LOOK_S)
            self._wake.clear()

    def look(self) -> None:
        """One look at every stick and folder; then the press, if there was one."""
        copies, before, here = self._service.copies, self._storage.offers, dict[str, RemovableCopy]()
        if copies is None:
            return
        empty = len(heads := copies.journal.heads()) == 1
        refused = {
            each.name
            for each in copies.removable()
            if each.state == CURRENT and empty or (each.problem is not None and each.problem.key == "copy_of_another")
        }
        here = {copy.name: copy for copy in copies.plugged_in() if copy.name in refused}
        self._read = {name: self._look_at(copy, heads) for name, copy in here.items()}
        self._storage.offers = [offer for _, offers in self._read.values() for offer in offers]
        if self._pressed is not None:
            self._continue(self._pressed, here.get(self._pressed.place))
        elif self._storage.offers != before:
            self._storage.changed()

    def _look_at(self, copy: RemovableCopy, heads: Mapping[str, Head]) -> tuple[object, Sequence[Offer]]:
        """What a stick offers, read once as long as it is there."""
        with suppress(OSError, ValueError, Problem, subprocess.SubprocessError), copy.pinned() as place:
            stick = (place.stat().st_dev, place.stat().st_ino)
            if (known := self._read.get(copy.name)) is not None and known[0] == stick:
                return known
            return stick, list(self._offers(copy.name, self._ask(place)["hubs"], heads))
        return None, ()

    def _offers(self, place: str, hubs: Sequence[Answer], heads: Mapping[str, Head]) -> Iterator[Offer]:
        for hub in hubs:
            lacking = {event: told for event, told in hub["events"].items() if told[1] > heads.get(event, START).number}
            if lacking and hub["hub"] != self._service.copies.lineage:
                mark = hashlib.sha256(json.dumps([place, hub]).encode()).hexdigest()[:16]
                name = ", ".join(told[0] for told in list(lacking.values())[:NAMES_MAX])
                yield Offer(mark, place, hub["hub"], name, hub["entries"], hub["lost"], hub["until"])

    def _continue(self, offer: Offer, copy: RemovableCopy | None) -> None:
        problem: Problem | None = Problem("continue_gone")
        try:
            if copy is not None:
                with copy.pinned() as place:
                    made = self._ask(place, str(self._folder), offer.hub)
                    said = {name: str(text).replace(str(place), offer.place) for name, text in made.items()}
                    if "problem" in made:
                        problem = Problem(said.pop("problem"), **said)
                    elif made["entries"] >= offer.entries:
                        problem = None
        except (OSError, ValueError, Problem, subprocess.SubprocessError) as error:
            log.warning("%s was not continued: %s", offer.name, error)
        if problem is None:
            log.warning("%s is continued from %s by a new process", offer.name, offer.place)
            self._service.reopen()
            return
        shutil.rmtree(self._folder / MADE, ignore_errors=True)
        self._read.clear()
        self._pressed, self._storage.continuing, self._storage.not_continued = None, "", problem
        self._storage.changed()


def main() -> None:
    """The process of `ask_process`: the hubs at a place; or, with a hub's folder and one of them, that one recovered
    beside the folder's own."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    os.nice(NICE)
    place, *more = sys.argv[1:]
    try:
        if more:
            made = recover_beside([Path(place)], Path(more[0]), system_clocks(), more[1])
            answer: Answer = {"entries": sum(len(each.entries) for each in made.streams)}
        else:
            answer = {"hubs": [asdict(each) for each in find_hubs([Path(place)])]}
    except Problem as problem:
        answer = {"problem": problem.key, **problem.params}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
