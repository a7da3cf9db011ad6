"""What can still be read of a damaged journal, into a new folder: the longest whole chain of every stream.

An entry carries its hash, and a person's row fits a digest in an entry: whatever page it is found on, it is known to be
true. Nothing in the damaged folder is changed.

SQLite itself stops at the first page that is wrong; `rows_in` reads on, page by page, by the file format of
https://www.sqlite.org/fileformat2.html: a database of 4096-byte pages without reserved bytes, in UTF-8, as ours are.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event.entries import GENESIS, VENUE, Entry, NewEntry, hash_of_texts
from roundtap_core.event.person import Person
from roundtap_core.limits import EXACT
from roundtap_core.wire import REPORT, digest, verify
from roundtap_hub.devices.reports import report_step
from roundtap_hub.devices.unit_keys import UnitKeys
from roundtap_hub.earlier_files import take_over_files
from roundtap_hub.journal.backups import FOLDER, SUFFIX
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.journal.copies import ENTRIES, PEOPLE
from roundtap_hub.journal.database_url import DATABASE, sqlite_url
from roundtap_hub.journal.folder_copy import rows_of_copy
from roundtap_hub.journal.head_file import (
    HEAD_FILE,
    HeadFile,
    Named,
    begin_head,
    lineage_of,
    looking_at,
    new_lineage,
    read_head_file,
)
from roundtap_hub.journal.journal import Journal, PersonRecord, next_entry, people_gone
from roundtap_hub.journal.lineage import following_epoch, last_words, sealed_after
from roundtap_hub.journal.rights import REVOKED, SET
from roundtap_hub.journal.service import Service
from roundtap_hub.journal.venue import DELETED, fold_venue, is_key, is_pin
from roundtap_hub.journal.verify import digests_in
from roundtap_hub.models import StaffRow, UnitKeyRow

AT_ONCE = 1000
ENTRY_COLUMNS, PERSON_COLUMNS, KEY_COLUMNS = 9, 4, 2

LEAF = 0x0D
FILE_HEADER, LOG_HEADER, FRAME_HEADER = 100, 32, 24
SIZE = 4096
COLUMNS_MAX, PAYLOAD_MAX = 16, 1 << 24
LENGTHS = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)

Row = tuple[object, ...]
Pages = dict[int, bytes]


@dataclass(slots=True)
class Found:
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
            if hash_of_texts(stream, number, kind, version, at, actor, data, prev) == said:
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
class Rescued:
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


def salvage(data: Path, to: Path, outboxes: Sequence[Path], others: Sequence[Path], clocks: Clocks,
            token: Callable[[], str]) -> list[Rescued]:
    """Everything that can be read of the hub's folder `data`, its backups, and `others` (backups, copies, databases),
    in the new folder `to`, which begins a new epoch; then the reports that units still keep.

    Raises Problem("folder_not_empty"), Problem("nothing_to_salvage"), and OSError where the new folder cannot be
    written. `token`: makes the new epoch's name.
    """
    if to.exists() and any(to.iterdir()):
        raise Problem("folder_not_empty", folder=str(to))
    found = read_all([data / DATABASE, *sorted((data / FOLDER).glob(f"*{SUFFIX}")), *others])
    chains = {stream: chain for stream in found.entries if (chain := found.chain(stream))}
    if not chains:
        raise Problem("nothing_to_salvage", folder=str(data))
    named = _named(data)
    to.mkdir(parents=True, exist_ok=True, mode=0o700)
    _copy_files(data, to)
    deleted = {entry.data["event"] for entry in chains.get(VENUE, []) if entry.kind == DELETED}
    rescued = {stream: _told(stream, chains.get(stream, []), found, named)
               for stream in {*chains, *(named.heads if named else {}), *found.entries}}
    with closing(HeadFile(to / HEAD_FILE)) as head, closing(Journal(sqlite_url(to))) as journal:
        epoch = following_epoch(to, fold_venue(chains.get(VENUE, ())), lambda n_bytes: token()[: 2 * n_bytes])
        _write(journal, chains, found, clocks, epoch)
        for stream, chain in chains.items():
            if stream != VENUE and stream not in deleted:
                people = list(_people(found, stream, chain, rescued[stream]))
                journal.append([], people)
        put_secrets(journal, found)
        if named is not None:
            head.named = Named(named.lineage, "", named.commits, {})
        service = Service(journal, clocks, head=head)
        begin_head(head, journal, service.snapshot.venue.epoch)
        service.start()
        try:
            take_over_files(to, service)
            _take_reports(service, outboxes, rescued)
        finally:
            service.stop()
    return [rescued[stream] for stream in sorted(rescued, key=lambda stream: (stream != VENUE, len(stream), stream))]


def read_all(paths: Iterable[Path], of_venue: bool = False) -> Found:
    """Every row that can be read in these files: by SQLite, page by page, and from copies. `of_venue`: of files that
    hold, the venue's stream and what lies beside it alone."""
    found = Found()
    for path in paths:
        for row in _rows(path, of_venue):
            found.take(row)
    return found


def _rows(path: Path, of_venue: bool) -> Iterator[Sequence[Any]]:
    with suppress(OSError, sqlite3.Error), closing(looking_at(path)) as connection:
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


def _named(data: Path) -> Named | None:
    with suppress(Problem):
        named = read_head_file(data / HEAD_FILE)
        if named is not None:
            return named
    with suppress(sqlite3.Error):
        return Named(lineage_of(data / DATABASE) or new_lineage())
    return None


def _told(stream: str, chain: Sequence[Entry], found: Found, named: Named | None) -> Rescued:
    last = max([*found.entries.get(stream, {}), named.heads[stream].number if named and stream in named.heads else 0])
    created = next((entry.data for entry in chain if entry.kind == "event-created"), {})
    lost = (len(chain) + 1, last) if last > len(chain) else None
    return Rescued(stream, str(created.get("name", "")), len(chain), lost)


def _copy_files(data: Path, to: Path) -> None:
    """PIN, secret and whatever else is there: organizers go on as they are."""
    for path in sorted(data.rglob("*")):
        name = path.relative_to(data)
        if path.is_file() and name.parts[0] != FOLDER and not path.name.startswith("roundtap."):
            (to / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(OSError):
                shutil.copy2(path, to / name)


def _write(journal: Journal, chains: Mapping[str, Sequence[Entry]], found: Found, clocks: Clocks, epoch: str) -> None:
    for chain in chains.values():
        for first in range(0, len(chain), AT_ONCE):
            journal.append(chain[first : first + AT_ONCE])
    venue, at = chains.get(VENUE, []), clocks.at()
    # Nobody knows what is lost: the units are asked before anything is drawn, as after a restore.
    heads = {stream: [chain[-1].number, chain[-1].hash] for stream, chain in chains.items() if chain}
    told = {"epoch": epoch, "restored": {"from": heads, "made_at": at.wall, "at": at.wall}}
    said = [*last_words(venue, found.of_venue), NewEntry("epoch-begun", told)]
    journal.append(sealed_after(venue, said, at, "salvage"))


def _people(found: Found, stream: str, chain: Iterable[Entry], rescued: Rescued) -> Iterator[PersonRecord]:
    """Each person as the last entry has them whose digest fits a row; an older row is better than none."""
    told: dict[str, dict[str, None]] = {}
    for entry in chain:
        for _, gone in people_gone([entry]):
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


def _take_reports(service: Service, outboxes: Iterable[Path], rescued: dict[str, Rescued]) -> None:
    """Reports that the journal lacks, as their units would send them; signed by a key of this hub, or left alone."""
    keys = UnitKeys(service)
    for report, mac in (kept for outbox in outboxes for kept in _reports(outbox)):
        event, unit = str(report.get("event")), str(report.get("unit"))
        told = rescued.setdefault(event, Rescued(event))
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


def put_secrets(journal: Journal, found: Found) -> None:
    """Of every unit and all of the staff the row that counts (venue.py), among those that were found; where none does
    the name alone, and of who is forgotten nothing."""
    chain = list(journal.entries(VENUE))
    venue = fold_venue(chain)
    # Whose row is empty without a word of it was taken out by an entry that is lost.
    out = {entry.data["unit"] for entry in chain if entry.kind == REVOKED}
    out |= {entry.data["person"] for entry in chain if entry.kind == SET and entry.data.get("pin") == ""}
    for unit in venue.units.keys() & found.keys.keys():
        keys = found.keys[unit]
        right = [key for key in keys if is_key(venue, unit, key) and (unit in out or "" not in keys)]
        # Of a key that nobody has, whatever lies there opens nothing: an empty row would say that it was revoked.
        if right or not venue.units[unit].digest or "" in keys:
            journal.put([UnitKeyRow(unit=unit, key=right[0] if right else "")])
    for person in venue.staff.keys() & found.staff.keys():
        rows = found.staff[person]
        lost = person not in out and any(not hashed for _, hashed in rows)
        pins = [(name, hashed) for name, hashed in rows if is_pin(venue, person, hashed) and not lost]
        names = [name for name, _ in (*pins, *sorted(rows)) if name and venue.staff[person].role]
        is_out = lost or not venue.staff[person].pin
        journal.put([StaffRow(person=person, name=names[0] if names else "",
                              hashed=pins[0][1] if pins else "" if is_out else None)])


def rows_in(database: Path) -> Iterator[Row]:
    """Every record of a table's leaf in the file and in its log, in no order, some of them more than once. Raises
    OSError where the file cannot be read at all."""
    data = database.read_bytes() if database.is_file() else b""
    log_path = database.with_name(database.name + "-wal")
    log = log_path.read_bytes() if log_path.is_file() else b""
    main: Pages = {n + 1: data[at : at + SIZE] for n, at in enumerate(range(0, len(data), SIZE))}
    frames = list(_frames(log))
    newest = {**main, **dict(frames)}
    for number, page in (*frames, *main.items()):
        yield from _leaf(number, page, (newest, main))


def _frames(log: bytes) -> Iterator[tuple[int, bytes]]:
    """Pages of the log by their number; its checksums are not asked: whoever reads knows better what holds."""
    for at in range(LOG_HEADER, len(log) - FRAME_HEADER, FRAME_HEADER + SIZE):
        number = struct.unpack(">I", log[at : at + 4])[0]
        page = log[at + FRAME_HEADER : at + FRAME_HEADER + SIZE]
        if number and len(page) == SIZE:
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
                # A pointer to nowhere, a row cut off, or one whose rest is in a page that is another's by now.
                continue


def _payload(page: bytes, at: int, pages: Pages) -> bytes:
    length, at = _varint(page, at)
    _, at = _varint(page, at)
    if not 0 < length <= PAYLOAD_MAX:
        raise ValueError("no row")
    usable = len(page)
    here = length
    if length > usable - 35:
        least = (usable - 12) * 32 // 255 - 23
        here = least + (length - least) % (usable - 4)
        here = here if here <= usable - 35 else least
    found = [page[at : at + here]]
    left = length - here
    follows = struct.unpack(">I", page[at + here : at + here + 4])[0] if left else 0
    while left > 0:
        more = pages.get(follows, b"")
        if not more:
            raise ValueError("the rest is missing")
        follows = struct.unpack(">I", more[:4])[0]
        found.append(more[4 : 4 + left])
        left -= len(more) - 4
    return b"".join(found)


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
    """The number that begins there, and where it ends: seven bits a byte; a length of more than eight bytes is none."""
    value = 0
    for n in range(at, at + 8):
        value = value << 7 | data[n] & 0x7F
        if data[n] < 0x80:
            return value, n + 1
    raise ValueError("no number of ours")
