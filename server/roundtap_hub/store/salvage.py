"""A hub's folder made anew, under a new epoch: of a backup, looked through and whole; or of whatever can still be read
of a damaged one, the longest whole chain of every stream.

An entry carries its hash, and a person's row fits a digest in an entry: whatever page it is found on, it is known to be
true. Nothing in the damaged folder is changed.

"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event.entries import GENESIS, VENUE, Entry, NewEntry, Timestamp, entry_hash
from roundtap_core.event.person import Person
from roundtap_core.limits import EXACT
from roundtap_core.wire import REPORT, digest, verify
from roundtap_hub.access.rights import STAFF_SET, UNIT_REVOKED
from roundtap_hub.database.database_url import DATABASE, sqlite_url
from roundtap_hub.models import SECRET_TABLES, StaffRow, UnitKeyRow
from roundtap_hub.store.backups import EXCLUDED_FILES, FOLDER, SUFFIX, Backup, read_backup
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.copies import ENTRIES, PEOPLE
from roundtap_hub.store.earlier_files import migrate_files
from roundtap_hub.store.folder_copy import COPY_FILE, read_copy, rows_of_copy
from roundtap_hub.store.head_file import (
    HEAD_FILE,
    HeadFile,
    HeadRecord,
    init_head_file,
    lineage_of,
    new_lineage,
    open_read_only,
    read_head_file,
)
from roundtap_hub.store.journal import Journal, PersonRecord, events_deleted, next_entry, people_removed
from roundtap_hub.store.journal_identity import following_epoch, latest_rights_entries, seal_after
from roundtap_hub.store.service import Service
from roundtap_hub.store.sqlite_pages import rows_in
from roundtap_hub.store.venue import fold_venue, is_valid_key, is_valid_pin
from roundtap_hub.store.verify import digests_in
from roundtap_hub.store.verify import verify as look_through
from roundtap_hub.units.device_api import report_step
from roundtap_hub.units.unit_keys import UnitKeys
from roundtap_machine.atomic_write import sync

AT_ONCE = 1000
ENTRY_COLUMNS, PERSON_COLUMNS, KEY_COLUMNS = 9, 4, 2

@dataclass(slots=True)
class SalvagedRows:
    """Everything that was read, from wherever: entries by stream, number and hash; rows of people by event and
    competitor, of the staff and keys of units by whose they are, as they lie."""

    entries: dict[str, dict[int, dict[str, Entry]]] = field(default_factory=dict)
    people: dict[tuple[str, str], set[tuple[str, str]]] = field(default_factory=dict)
    keys: dict[str, set[str]] = field(default_factory=dict)
    staff: dict[str, set[tuple[str, str]]] = field(default_factory=dict)

    @property
    def of_venue(self) -> list[Entry]:
        """All entries of the venue's stream, those beyond a break too."""
        return [entry for alike in self.entries.get(VENUE, {}).values() for entry in alike.values()]

    def take(self, row: Sequence[Any]) -> None:
        """A row of one of these tables; anything else is passed over."""
        texts = all(isinstance(value, str) for value in row[:3])
        if len(row) == ENTRY_COLUMNS:
            self._take_entry(row)
        elif len(row) == KEY_COLUMNS and texts:
            self.keys.setdefault(row[0], set()).add(row[1])
        elif len(row) == PERSON_COLUMNS and texts and not isinstance(row[3], list | dict):
            # Of the staff, or in an event: digests tell.
            self.staff.setdefault(row[0], set()).add((row[1], row[2]))
            self.people.setdefault((row[0], row[1]), set()).add((row[2], row[3]))

    def _take_entry(self, row: Sequence[Any]) -> None:
        stream, number, kind, version, at, actor, data, prev, said = row
        texts = all(isinstance(value, str) for value in (stream, kind, at, actor, data, prev, said))
        if not texts or not all(isinstance(figure, int) and 0 < figure <= EXACT[1] for figure in (number, version)):
            return
        # A stranger's row may be too deep, or of letters that cannot be written.
        with suppress(Problem, ValueError, RecursionError):
            if entry_hash(stream, number, kind, version, at, actor, data, prev) == said:
                entry = next_entry(number - 1, prev, row)
                if isinstance(entry.data, dict):
                    self.entries.setdefault(stream, {}).setdefault(number, {})[said] = entry

    def chain(self, stream: str) -> list[Entry]:
        """The longest whole chain of a stream from its first entry on."""
        numbers = self.entries.get(stream, {})
        length: dict[str, int] = {}
        next_of: dict[str, Entry] = {}
        for number in sorted(numbers, reverse=True):
            for entry in numbers[number].values():
                own = 1 + length.get(entry.hash, 0)
                if own > length.get(entry.prev, 0):
                    length[entry.prev], next_of[entry.prev] = own, entry
        chain: list[Entry] = []
        while (after := next_of.get(chain[-1].hash if chain else GENESIS)) and after.number == len(chain) + 1:
            chain.append(after)
        return chain


@dataclass(slots=True)
class SalvageResult:
    """What became of one stream: `entries` are in the new journal; `lost`: (first, last) of those that are not, where
    anybody knows of them; `people_lost`: who is missing; `taken`, `left`: reports of units' outboxes."""

    stream: str
    name: str = ""
    entries: int = 0
    lost: tuple[int, int] | None = None
    people: int = 0
    people_lost: tuple[str, ...] = ()
    taken: int = 0
    left: int = 0


def restore(path: Path, folder: Path, at: Timestamp, chance: Callable[[int], str] = secrets.token_hex) -> Backup:
    """Make `folder` of a backup, which is returned, whole or not at all, and begin a new epoch in it.

    Problem("backup_none") or Problem("backup_damaged") where the file is none or does not hold,
    Problem("restore_folder_used") where there is a journal already, and what `verify` finds in the backup's journal.
    """
    if any((folder / name).exists() for name in EXCLUDED_FILES):
        raise Problem("restore_folder_used", where=str(folder))
    backup = read_backup(path)
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = folder.with_name(f".{folder.name}.restoring")
    shutil.rmtree(making, ignore_errors=True)
    try:
        backup.unpack(making)
        with closing(HeadFile(making / HEAD_FILE)) as head, closing(Journal(sqlite_url(making))) as journal:
            for looked in look_through(journal):
                # A key or PIN that is none costs itself alone.
                for wrong in looked.wrong:
                    if wrong.params.get("table") not in SECRET_TABLES:
                        raise wrong
            found = _read_nearby(backup, folder, making)
            epoch = _begin_epoch(making, journal, backup.made_at, found, at, "restore", chance)
            journal.scrub()
            init_head_file(head, journal, epoch)
        _put_in_place(making, folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return backup


def _read_nearby(backup: Backup, folder: Path, making: Path) -> SalvagedRows:
    """What the backup's own journal says, in the folder `making`, and a journal, other backups and copies of the same
    hub that lie where the backup does, or in the folder that is made."""
    near = backup.path.absolute().parent
    paths = (*(place / DATABASE for place in (near, *near.parents[:3])),
             *near.parent.glob(f"{Path(COPY_FILE).stem}*"), making / DATABASE, *near.glob(f"*{SUFFIX}"),
             *(folder / FOLDER).glob(f"*{SUFFIX}"))
    # Where anybody may write, a file of somebody else's would give keys away.
    ours = {os.getuid(), backup.path.stat().st_uid}
    return _read_all([path for path in paths if _lineage_at(path) == backup.lineage and path.stat().st_uid in ours],
                    of_venue=True)


def _lineage_at(path: Path) -> str:
    """"" for what is none of these, or does not hold."""
    with suppress(OSError, sqlite3.Error, Problem):
        if path.name == DATABASE:
            return lineage_of(path)
        found = read_backup(path) if path.suffix == SUFFIX else read_copy(path)
        return found.lineage if found is not None else ""
    return ""


def salvage(data: Path, to: Path, outboxes: Sequence[Path], others: Sequence[Path], clocks: Clocks,
            chance: Callable[[int], str] = secrets.token_hex) -> list[SalvageResult]:
    """Everything that can be read of the hub's folder `data`, its backups, and `others` (backups, copies, databases),
    in the new folder `to`, which begins a new epoch; then the reports that units still keep.

    Raises Problem("folder_not_empty"), Problem("nothing_to_salvage"), and OSError where the new folder cannot be
    written.
    """
    if to.exists() and any(to.iterdir()):
        raise Problem("folder_not_empty", folder=str(to))
    found = _read_all([data / DATABASE, *sorted((data / FOLDER).glob(f"*{SUFFIX}")), *others])
    chains = {stream: chain for stream in found.entries if (chain := found.chain(stream))}
    if not chains:
        raise Problem("nothing_to_salvage", folder=str(data))
    named = _named(data)
    to.mkdir(parents=True, exist_ok=True, mode=0o700)
    _copy_files(data, to)
    deleted = events_deleted(chains.get(VENUE, ()))
    rescued = {stream: _stream_result(stream, chains.get(stream, []), found, named)
               for stream in {*chains, *(named.heads if named else {}), *found.entries}}
    with closing(HeadFile(to / HEAD_FILE)) as head, closing(Journal(sqlite_url(to))) as journal:
        for chain in chains.values():
            for first in range(0, len(chain), AT_ONCE):
                journal.append(chain[first : first + AT_ONCE])
        # Nobody knows what is lost: as after a restore of what there is just now.
        at = clocks.at()
        _begin_epoch(to, journal, at.wall, found, at, "salvage", chance)
        for stream, chain in chains.items():
            if stream != VENUE and stream not in deleted:
                journal.append([], list(_people(found, stream, chain, rescued[stream])))
        if named is not None:
            head.named = HeadRecord(named.lineage, "", named.commits, {})
        service = Service(journal, clocks, head=head)
        init_head_file(head, journal, service.snapshot.venue.epoch)
        service.start()
        try:
            migrate_files(to, service)
            _import_reports(service, outboxes, rescued)
        finally:
            service.stop()
    return [rescued[stream] for stream in sorted(rescued, key=lambda stream: (stream != VENUE, len(stream), stream))]


def _read_all(paths: Iterable[Path], of_venue: bool = False) -> SalvagedRows:
    """Every row that can be read in these files: by SQLite, page by page, and from copies. `of_venue`: of files that
    hold, the venue's stream and what lies beside it alone."""
    found = SalvagedRows()
    for path in paths:
        for row in _rows(path, of_venue):
            found.take(row)
    return found


def _rows(path: Path, of_venue: bool) -> Iterator[Sequence[Any]]:
    with suppress(OSError, sqlite3.Error), closing(open_read_only(path)) as connection:
        tables = (f"entry WHERE stream = '{VENUE}'",) if of_venue else ("entry", "person")
        for table in (*tables, "unit_key", "staff"):
            with suppress(sqlite3.Error):
                yield from connection.execute(f"SELECT * FROM {table}")
    with suppress(OSError):
        yield from rows_in(path) if not of_venue else ()
    with suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        for rows in rows_of_copy(path):
            yield from (row for row in rows[ENTRIES] if row[0] == VENUE or not of_venue)
            yield from rows[PEOPLE] if not of_venue else ()


def _named(data: Path) -> HeadRecord | None:
    with suppress(Problem):
        named = read_head_file(data / HEAD_FILE)
        if named is not None:
            return named
    with suppress(sqlite3.Error):
        return HeadRecord(lineage_of(data / DATABASE) or new_lineage())
    return None


def _stream_result(stream: str, chain: Sequence[Entry], found: SalvagedRows, named: HeadRecord | None) -> SalvageResult:
    last = max([*found.entries.get(stream, {}), named.heads[stream].number if named and stream in named.heads else 0])
    created = next((entry.data for entry in chain if entry.kind == "event-created"), {})
    lost = (len(chain) + 1, last) if last > len(chain) else None
    return SalvageResult(stream, str(created.get("name", "")), len(chain), lost)


def _copy_files(data: Path, to: Path) -> None:
    """PIN, secret and whatever else is there: organizers go on as they are."""
    for path in sorted(data.rglob("*")):
        name = path.relative_to(data)
        if path.is_file() and name.parts[0] != FOLDER and not path.name.startswith("roundtap."):
            (to / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(OSError):
                shutil.copy2(path, to / name)


def _begin_epoch(folder: Path, journal: Journal, made_at: str | None, found: SalvagedRows, at: Timestamp, actor: str,
                chance: Callable[[int], str]) -> str:
    """The new epoch of a journal that lacks what was said after `made_at`: the units are asked before anything is
    drawn. `found`: what is known beyond it. Keys and staff come to lie beside the entries."""
    chain = list(journal.entries(VENUE))
    epoch = following_epoch(folder, fold_venue(chain), chance)
    heads = {stream: list(head) for stream, head in journal.heads().items()}
    told = {"epoch": epoch, "restored": {"from": heads, "made_at": made_at, "at": at.wall}}
    said = [*latest_rights_entries(chain, found.of_venue), NewEntry("epoch-begun", told)]
    journal.append(seal_after(chain, said, at, actor))
    _put_secrets(journal, found)
    return epoch


def _people(found: SalvagedRows, stream: str, chain: Iterable[Entry], rescued: SalvageResult) -> Iterator[PersonRecord]:
    """Each person as the last entry has them whose digest fits a row; an older row is better than none."""
    told: dict[str, dict[str, None]] = {}
    for entry in chain:
        for _, gone in people_removed([entry]):
            told.pop(gone, None)
        for who, hashed in digests_in(entry):
            # The newest last, however often it was said.
            told.setdefault(who, {}).pop(hashed, None)
            told[who][hashed] = None
    lost = []
    for who, digests in told.items():
        fits = {}
        for salt, data in found.people.get((stream, who), ()):
            with suppress(ValueError, TypeError, AttributeError):
                person = Person.from_json(json.loads(data))
                fits[person.digest(salt)] = PersonRecord(stream, who, salt, person)
        newest = next((fits[each] for each in reversed(digests) if each in fits), None)
        if newest is not None:
            rescued.people += 1
            yield newest
        elif any(digests):
            lost.append(who)
    rescued.people_lost = tuple(lost)


def _import_reports(service: Service, outboxes: Iterable[Path], rescued: dict[str, SalvageResult]) -> None:
    """Reports that the journal lacks, as their units would send them; signed by a key of this hub, or left alone."""
    keys = UnitKeys(service)
    for report, mac in (kept for outbox in outboxes for kept in _reports(outbox)):
        event, unit = str(report.get("event")), str(report.get("unit"))
        told = rescued.setdefault(event, SalvageResult(event))
        state = service.snapshot.event(event)
        if state is not None and str(report.get("report_id")) in state.fates:
            continue
        try:
            if state is None or state.find_match(report["match"]) is None \
                    or unit not in keys or not verify(keys[unit], REPORT, report, mac):
                raise KeyError(unit)
            service.ask([report_step(report, digest(report), earlier=True)], f"unit:{unit}")
            told.taken += 1
        except (KeyError, TypeError, ValueError, Problem):
            told.left += 1


def _reports(outbox: Path) -> Iterator[tuple[dict[str, Any], str]]:
    for raw in outbox.read_bytes().splitlines():
        with suppress(ValueError, KeyError, TypeError):
            line = json.loads(raw)
            if isinstance(line["report"], dict) and isinstance(line["mac"], str):
                yield line["report"], line["mac"]


def _put_secrets(journal: Journal, found: SalvagedRows) -> None:
    """Of every unit and all of the staff the row that counts (venue.py), among those that were found; where none does
    the name alone, and of who is forgotten nothing."""
    chain = list(journal.entries(VENUE))
    venue = fold_venue(chain)
    # Whose row is empty without a word of it was taken out by an entry that is lost.
    out = {entry.data["unit"] for entry in chain if entry.kind == UNIT_REVOKED}
    out |= {entry.data["person"] for entry in chain if entry.kind == STAFF_SET and entry.data.get("pin") == ""}
    for unit in venue.units.keys() & found.keys.keys():
        keys = found.keys[unit]
        right = [key for key in keys if is_valid_key(venue, unit, key) and (unit in out or "" not in keys)]
        # Of a key that nobody has, whatever lies there opens nothing: an empty row would say that it was revoked.
        if right or not venue.units[unit].digest or "" in keys:
            journal.put([UnitKeyRow(unit=unit, key=right[0] if right else "")])
    for person in venue.staff.keys() & found.staff.keys():
        rows = found.staff[person]
        lost = person not in out and any(not hashed for _, hashed in rows)
        pins = [(name, hashed) for name, hashed in rows if is_valid_pin(venue, person, hashed) and not lost]
        names = [name for name, _ in (*pins, *sorted(rows)) if name and venue.staff[person].role]
        is_out = lost or not venue.staff[person].pin
        journal.put([StaffRow(person=person, name=names[0] if names else "",
                              hashed=pins[0][1] if pins else "" if is_out else None)])


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
