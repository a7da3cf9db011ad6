"""A new folder for a hub, under a new epoch: from a verified backup, or from what can still be read of a damaged one.

An entry carries its hash, and a person's row fits a digest in an entry: on whatever page a row is found, it can be
proved right. Nothing in the damaged folder is changed. SQLite stops at the first bad page; `rows_in` reads on, page by
page, by https://www.sqlite.org/fileformat2.html: 4096-byte pages without reserved bytes, in UTF-8, as ours are.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sqlite3
import struct
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
from roundtap_hub.store import head_file
from roundtap_hub.store.backups import EXCLUDED_FILES, FOLDER, SUFFIX, Backup, read_backup
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.copies import ENTRIES, PEOPLE
from roundtap_hub.store.earlier_files import migrate_files
from roundtap_hub.store.folder_copy import COPY_FILE, read_copy, rows_of_copy
from roundtap_hub.store.journal import Journal, PersonRecord, events_deleted, next_entry, people_removed
from roundtap_hub.store.journal_identity import following_epoch, latest_rights_entries, seal_after
from roundtap_hub.store.person_rows import placeholder
from roundtap_hub.store.service import Service
from roundtap_hub.store.venue import fold_venue, is_valid_key, is_valid_pin
from roundtap_hub.store.verify import digests_in
from roundtap_hub.store.verify import verify as look_through
from roundtap_hub.units.device_api import report_step
from roundtap_hub.units.unit_keys import UnitKeys
from roundtap_machine.atomic_write import sync

AT_ONCE = 1000
ENTRY_COLUMNS, PERSON_COLUMNS, KEY_COLUMNS = 9, 4, 2

LEAF = 0x0D
FILE_HEADER, LOG_HEADER, FRAME_HEADER = 100, 32, 24
PAGE_BYTES = 4096
COLUMNS_MAX, PAYLOAD_MAX = 16, 1 << 24
LENGTHS = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)

Row = tuple[object, ...]
Pages = dict[int, bytes]


@dataclass(slots=True)
class SalvagedRows:
    """All rows that were read: entries by stream, number and hash; people by event and competitor; rows of staff and
    unit keys by owner."""

    entries: dict[str, dict[int, dict[str, Entry]]] = field(default_factory=dict)
    people: dict[tuple[str, str], set[tuple[str, str]]] = field(default_factory=dict)
    keys: dict[str, set[str]] = field(default_factory=dict)
    staff: dict[str, set[tuple[str, str]]] = field(default_factory=dict)

    @property
    def of_venue(self) -> list[Entry]:
        """All entries of the venue's stream, those beyond a gap too."""
        return [entry for alike in self.entries.get(VENUE, {}).values() for entry in alike.values()]

    def add_row(self, row: Sequence[Any]) -> None:
        """Take a row of one of these tables; any other row is ignored."""
        texts = all(isinstance(value, str) for value in row[:3])
        if len(row) == ENTRY_COLUMNS:
            self._take_entry(row)
        elif len(row) == KEY_COLUMNS and texts:
            self.keys.setdefault(row[0], set()).add(row[1])
        elif len(row) == PERSON_COLUMNS and texts and not isinstance(row[3], list | dict):
            # Of the staff or of an event's people: the digests tell later.
            self.staff.setdefault(row[0], set()).add((row[1], row[2]))
            self.people.setdefault((row[0], row[1]), set()).add((row[2], row[3]))

    def _take_entry(self, row: Sequence[Any]) -> None:
        stream, number, kind, version, at, actor, data, prev, hashed = row
        texts = all(isinstance(value, str) for value in (stream, kind, at, actor, data, prev, hashed))
        if not texts or not all(isinstance(figure, int) and 0 < figure <= EXACT[1] for figure in (number, version)):
            return
        # An untrusted row may be nested too deeply, or hold invalid text.
        with suppress(Problem, ValueError, RecursionError):
            if entry_hash(stream, number, kind, version, at, actor, data, prev) == hashed:
                entry = next_entry(number - 1, prev, row)
                if isinstance(entry.data, dict):
                    self.entries.setdefault(stream, {}).setdefault(number, {})[hashed] = entry

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
    """The result for one stream: `entries` in the new journal; `lost`: known lost ones (first, last); `people_lost`:
    missing people; `taken`, `left`: reports of units' outboxes."""

    stream: str
    name: str = ""
    entries: int = 0
    lost: tuple[int, int] | None = None
    people: int = 0
    people_lost: tuple[str, ...] = ()
    taken: int = 0
    left: int = 0


def restore(path: Path, folder: Path, at: Timestamp, chance: Callable[[int], str] = secrets.token_hex) -> Backup:
    """Restore a backup into `folder` atomically, with a new epoch; return the backup. Raises Problem("backup_none"),
    Problem("backup_damaged"), Problem("restore_folder_used") if there is a journal already, and what `verify` finds in
    the backup's journal."""
    if any((folder / name).exists() for name in EXCLUDED_FILES):
        raise Problem("restore_folder_used", folder=str(folder))
    backup = read_backup(path)
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = folder.with_name(f".{folder.name}.restoring")
    shutil.rmtree(making, ignore_errors=True)
    try:
        backup.unpack(making)
        with (closing(head_file.HeadFile(making / head_file.HEAD_FILE)) as head,
              closing(Journal(sqlite_url(making))) as journal):
            for looked in look_through(journal):
                # An invalid key or PIN costs only itself.
                for wrong in looked.wrong:
                    if wrong.params.get("table") not in SECRET_TABLES:
                        raise wrong
            found = _read_nearby(backup, folder, making)
            epoch = _begin_epoch(making, journal, backup.made_at, found, at, "restore", chance)
            journal.scrub()
            head_file.init_head_file(head, journal, epoch)
        _put_in_place(making, folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return backup


def _read_nearby(backup: Backup, folder: Path, making: Path) -> SalvagedRows:
    """Rows of the venue's stream from all sources of the same hub: the restored journal in the folder `making`, and a
    journal, backups and copies near the backup or in the new folder."""
    near = backup.path.absolute().parent
    paths = (*(place / DATABASE for place in (near, *near.parents[:3])),
             *near.parent.glob(f"{Path(COPY_FILE).stem}*"), making / DATABASE, *near.glob(f"*{SUFFIX}"),
             *(folder / FOLDER).glob(f"*{SUFFIX}"))
    # In a folder open to all, a foreign file could inject keys.
    ours = {os.getuid(), backup.path.stat().st_uid}
    return _read_all([path for path in paths if _lineage_at(path) == backup.lineage and path.stat().st_uid in ours],
                    of_venue=True)


def _lineage_at(path: Path) -> str:
    """The lineage of a database, backup or copy; "" for any other or damaged file."""
    with suppress(OSError, sqlite3.Error, Problem):
        if path.name == DATABASE:
            return head_file.lineage_of(path)
        found = read_backup(path) if path.suffix == SUFFIX else read_copy(path)
        return found.lineage if found is not None else ""
    return ""


def salvage(data: Path, to: Path, outboxes: Sequence[Path], others: Sequence[Path], clocks: Clocks,
            chance: Callable[[int], str] = secrets.token_hex) -> list[SalvageResult]:
    """Rebuild the hub's folder `data`, its backups and `others` (backups, copies, databases) in the new folder `to`,
    with a new epoch; then import the reports that units still keep. Raises Problem("folder_not_empty"),
    Problem("nothing_to_salvage"), and OSError if the new folder cannot be written."""
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
    with closing(head_file.HeadFile(to / head_file.HEAD_FILE)) as head, closing(Journal(sqlite_url(to))) as journal:
        for chain in chains.values():
            for first in range(0, len(chain), AT_ONCE):
                journal.append(chain[first : first + AT_ONCE])
        # What is lost is unknown: treated as a restore of a copy made now.
        at = clocks.at()
        _begin_epoch(to, journal, at.wall, found, at, "salvage", chance)
        for stream, chain in chains.items():
            if stream != VENUE and stream not in deleted:
                journal.append([], list(_people(found, stream, chain, rescued[stream])))
        if named is not None:
            head.record = head_file.HeadRecord(named.lineage, "", named.commits, {})
        service = Service(journal, clocks, head=head)
        head_file.init_head_file(head, journal, service.snapshot.venue.epoch)
        service.start()
        try:
            migrate_files(to, service)
            _import_reports(service, outboxes, rescued)
        finally:
            service.stop()
    return [rescued[stream] for stream in sorted(rescued, key=lambda stream: (stream != VENUE, len(stream), stream))]


def _read_all(paths: Iterable[Path], of_venue: bool = False) -> SalvagedRows:
    """Every readable row in these files: by SQLite, page by page, and from copies. `of_venue`: only the venue's stream
    and the keys and staff, of intact files."""
    found = SalvagedRows()
    for path in paths:
        for row in _rows(path, of_venue):
            found.add_row(row)
    return found


def _rows(path: Path, of_venue: bool) -> Iterator[Sequence[Any]]:
    with suppress(OSError, sqlite3.Error), closing(head_file.open_read_only(path)) as connection:
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


def _named(data: Path) -> head_file.HeadRecord | None:
    with suppress(Problem):
        named = head_file.read_head_file(data / head_file.HEAD_FILE)
        if named is not None:
            return named
    with suppress(sqlite3.Error):
        return head_file.HeadRecord(head_file.lineage_of(data / DATABASE) or head_file.new_lineage())
    return None


def _stream_result(stream: str, chain: Sequence[Entry], found: SalvagedRows,
                   named: head_file.HeadRecord | None) -> SalvageResult:
    last = max([*found.entries.get(stream, {}), named.heads[stream].number if named and stream in named.heads else 0])
    created = next((entry.data for entry in chain if entry.kind == "event-created"), {})
    lost = (len(chain) + 1, last) if last > len(chain) else None
    return SalvageResult(stream, str(created.get("name", "")), len(chain), lost)


def _copy_files(data: Path, to: Path) -> None:
    """Copy PIN, secret and other files, so that organizers log in as before."""
    for path in sorted(data.rglob("*")):
        name = path.relative_to(data)
        if path.is_file() and name.parts[0] != FOLDER and not path.name.startswith("roundtap."):
            (to / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(OSError):
                shutil.copy2(path, to / name)


def _begin_epoch(folder: Path, journal: Journal, made_at: str | None, found: SalvagedRows, at: Timestamp, actor: str,
                chance: Callable[[int], str]) -> str:
    """Begin the new epoch of a journal that lacks what came after `made_at`: the units are asked before the next draw.
    `found`: entries known beyond the journal. Keys and staff are stored with it."""
    chain = list(journal.entries(VENUE))
    epoch = following_epoch(folder, fold_venue(chain), chance)
    heads = {stream: list(head) for stream, head in journal.heads().items()}
    fields = {"epoch": epoch, "restored": {"from": heads, "made_at": made_at, "at": at.wall}}
    entries = [*latest_rights_entries(chain, found.of_venue), NewEntry("epoch-begun", fields)]
    journal.append(seal_after(chain, entries, at, actor))
    _put_secrets(journal, found)
    return epoch


def _people(found: SalvagedRows, stream: str, chain: Iterable[Entry], rescued: SalvageResult) -> Iterator[PersonRecord]:
    """Each person as of the last entry whose digest fits a row; an older row is better than none."""
    digests_of: dict[str, dict[str, None]] = {}
    for entry in chain:
        for _, removed in people_removed([entry]):
            digests_of.pop(removed, None)
        for who, hashed in digests_in(entry):
            # Repeated digests move to the end.
            digests_of.setdefault(who, {}).pop(hashed, None)
            digests_of[who][hashed] = None
    lost = []
    for who, digests in digests_of.items():
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
            yield PersonRecord(stream, who, "", placeholder(who))
    rescued.people_lost = tuple(lost)


def _import_reports(service: Service, outboxes: Iterable[Path], rescued: dict[str, SalvageResult]) -> None:
    """Import reports that the journal lacks, if they are signed by a key of this hub."""
    keys = UnitKeys(service)
    for report, mac in (kept for outbox in outboxes for kept in _reports(outbox)):
        event, unit = str(report.get("event")), str(report.get("unit"))
        result = rescued.setdefault(event, SalvageResult(event))
        state = service.snapshot.event(event)
        if state is not None and str(report.get("report_id")) in state.fates:
            continue
        try:
            if state is None or state.find_match(report["match"]) is None \
                    or unit not in keys or not verify(keys[unit], REPORT, report, mac):
                raise KeyError(unit)
            service.execute([report_step(report, digest(report), earlier=True)], f"unit:{unit}")
            result.taken += 1
        except (KeyError, TypeError, ValueError, Problem):
            result.left += 1


def _reports(outbox: Path) -> Iterator[tuple[dict[str, Any], str]]:
    for raw in outbox.read_bytes().splitlines():
        with suppress(ValueError, KeyError, TypeError):
            line = json.loads(raw)
            if isinstance(line["report"], dict) and isinstance(line["mac"], str):
                yield line["report"], line["mac"]


def _put_secrets(journal: Journal, found: SalvagedRows) -> None:
    """Store the valid row of each unit and staff member; without one only the name, and for revoked ones nothing."""
    chain = list(journal.entries(VENUE))
    venue = fold_venue(chain)
    # An empty row without a matching entry: the entry that revoked it is lost.
    out = {entry.data["unit"] for entry in chain if entry.kind == UNIT_REVOKED}
    out |= {entry.data["person"] for entry in chain if entry.kind == STAFF_SET and entry.data.get("pin") == ""}
    for unit in venue.units.keys() & found.keys.keys():
        keys = found.keys[unit]
        right = [key for key in keys if is_valid_key(venue, unit, key) and (unit in out or "" not in keys)]
        # For an unknown key, any row opens nothing; an empty one would claim a revocation.
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
    """Move the folder in one step if there is none; otherwise file by file, the database last, so that no hub takes the
    folder for a journal before."""
    if not folder.exists():
        os.replace(making, folder)
    else:
        for path in sorted(making.iterdir(), key=lambda path: (path.name.startswith(DATABASE), path.name)):
            os.replace(path, folder / path.name)
        sync(folder)
    sync(folder.parent)


def rows_in(database: Path) -> Iterator[Row]:
    """Every record of a table's leaf pages in the file and its log, in no order, with repeats. Raises OSError if the
    file cannot be read."""
    data = database.read_bytes() if database.is_file() else b""
    log_path = database.with_name(database.name + "-wal")
    log = log_path.read_bytes() if log_path.is_file() else b""
    main: Pages = {n + 1: data[at : at + PAGE_BYTES] for n, at in enumerate(range(0, len(data), PAGE_BYTES))}
    frames = list(_frames(log))
    newest = {**main, **dict(frames)}
    for number, page in (*frames, *main.items()):
        yield from _leaf(number, page, (newest, main))


def _frames(log: bytes) -> Iterator[tuple[int, bytes]]:
    """Pages of the log by number; its checksums are ignored, as the caller verifies hashes."""
    for at in range(LOG_HEADER, len(log) - FRAME_HEADER, FRAME_HEADER + PAGE_BYTES):
        number = struct.unpack(">I", log[at : at + 4])[0]
        page = log[at + FRAME_HEADER : at + FRAME_HEADER + PAGE_BYTES]
        if number and len(page) == PAGE_BYTES:
            yield number, page


def _leaf(number: int, page: bytes, where: tuple[Pages, ...]) -> Iterator[Row]:
    start = FILE_HEADER if number == 1 else 0
    if len(page) < start + 8 or page[start] != LEAF:
        return
    for n in range(struct.unpack(">H", page[start + 3 : start + 5])[0]):
        pointer = start + 8 + 2 * n
        if pointer + 2 > len(page):
            return
        at = struct.unpack(">H", page[pointer : pointer + 2])[0]
        for pages in where:
            try:
                yield _record(_payload(page, at, pages))
                break
            except (IndexError, ValueError, struct.error):
                # A bad pointer, a truncated row, or one whose overflow page was reused.
                continue


def _payload(page: bytes, at: int, pages: Pages) -> bytes:
    length, at = _varint(page, at)
    _, at = _varint(page, at)
    if not 0 < length <= PAYLOAD_MAX:
        raise ValueError("no row")
    usable = len(page)
    local_bytes = length
    if length > usable - 35:
        least = (usable - 12) * 32 // 255 - 23
        local_bytes = least + (length - least) % (usable - 4)
        local_bytes = local_bytes if local_bytes <= usable - 35 else least
    parts = [page[at : at + local_bytes]]
    left = length - local_bytes
    overflow = struct.unpack(">I", page[at + local_bytes : at + local_bytes + 4])[0] if left else 0
    while left > 0:
        overflow_page = pages.get(overflow, b"")
        if not overflow_page:
            raise ValueError("the rest is missing")
        overflow = struct.unpack(">I", overflow_page[:4])[0]
        parts.append(overflow_page[4 : 4 + left])
        left -= len(overflow_page) - 4
    return b"".join(parts)


def _record(payload: bytes) -> Row:
    end, at = _varint(payload, 0)
    kinds = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    if not kinds or len(kinds) > COLUMNS_MAX:
        raise ValueError("no row of ours")
    values: list[object] = []
    for kind in kinds:
        length = LENGTHS[kind] if kind < len(LENGTHS) else (kind - 12) // 2 if kind >= 12 else -1
        if length < 0 or at + length > len(payload):
            raise ValueError("no column")
        raw, at = payload[at : at + length], at + length
        values.append(_value(kind, raw))
    return tuple(values)


def _value(kind: int, raw: bytes) -> object:
    if kind >= 12:
        return raw if kind % 2 == 0 else raw.decode()
    if kind in (8, 9):
        return kind - 8
    return int.from_bytes(raw, "big", signed=True) if kind else None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The varint at this place, and where it ends; one of more than eight bytes is invalid here."""
    value = 0
    for n in range(at, at + 8):
        value = value << 7 | data[n] & 0x7F
        if data[n] < 0x80:
            return value, n + 1
    raise ValueError("no number of ours")
