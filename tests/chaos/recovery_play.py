"""An evening of which everything is recorded, what can happen to its sticks and cards, and a ledger of what is left."""

import json
import random
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from patience import GUARD_S
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, Entry, Person
from roundtap_core.event.states import Entrant, EventState
from roundtap_core.records import Result, SidePair, result_to_json
from roundtap_core.wire import REPORT, canonical_json, digest, sign
from roundtap_hub.access.unit_keys import TABLE, UnitKeys
from roundtap_hub.app.main import open_folder
from roundtap_hub.store.backups import COPIES_FOLDER, FOLDER, make_backup
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.command_pipeline import report_step
from roundtap_hub.store.copies import CURRENT, Copies
from roundtap_hub.store.folder_copy import COPY_FILE, FolderCopy
from roundtap_hub.store.head_file import HEAD_FILE, read_head_file
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Service, Step
from roundtap_hub.store.venue import unit_placed_entry

DATABASE, LOG = "roundtap.db", "roundtap.db-wal"
PAGE = 4096
EVENT, PLAYERS, TABLES = "e1", 8, 4
KEYS = {f"table-{n}": bytes(range(n, n + 32)) for n in range(1, TABLES + 1)}


@dataclass
class HandTime:
    """A boot's monotonic clock, and the wall clock beside it."""

    boot_id: str
    ms: int
    began: datetime

    @property
    def clocks(self) -> Clocks:
        return Clocks(self.boot_id, lambda: self.ms, lambda: self.now.isoformat(timespec="seconds"))

    @property
    def now(self) -> datetime:
        return self.began + timedelta(milliseconds=self.ms)


@dataclass
class Evening:
    """Everything as it was at the end; `moments`: the hub's folder and the stick as they lay there on the way."""

    where: Path
    moments: list[Path] = field(default_factory=list)
    entries: Mapping[str, Sequence[Entry]] = field(default_factory=dict)
    people: list[PersonRecord] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)
    ends: datetime = datetime.min
    """When the round in play ends, as every table counts it."""
    state: EventState | None = None


def played(where: Path, chance: random.Random) -> Evening:
    """Two rounds of eight, with all that people do meanwhile; a backup now and then, a stick always."""
    evening = Evening(where)
    hub, stick = where / "hub", where / "stick"
    hub.mkdir(parents=True)
    stick.mkdir()
    (hub / "pin").write_text("a hash")
    (hub / "secret").write_text("ab" * 32)
    time = HandTime("boot-1", 5_000_000, datetime(2026, 11, 21, 8, tzinfo=UTC))
    with closing(open_folder(hub, lambda _: None, clocks=time.clocks)) as opened:
        service = opened.service
        lineage = read_head_file(hub / HEAD_FILE)
        changed = threading.Event()
        copies = Copies(
            service.copies.journal,
            lineage.lineage,
            [FolderCopy(stick, hub, same_disk=True)],
            lambda: service.snapshot.venue.epoch,
            changed.set,
        )
        service.set_copies(copies)
        copies.start()
        while [each.state for each in copies.states] != [CURRENT]:
            assert changed.wait(GUARD_S), copies.states
            changed.clear()
        for step in _steps(evening, service, chance):
            time.ms += chance.randrange(500, 40_000)
            if isinstance(step, tuple):
                service.execute([step[0]], "organizer", step[1])
            else:
                service.execute([step], step.actor or "organizer")
            service.execute([], "test")
            if chance.random() < 0.5:
                service.checkpoint()
            if chance.random() < 0.3:
                named = read_head_file(hub / HEAD_FILE)
                assert named is not None
                made = make_backup(hub, hub / FOLDER, named, time.now.isoformat())
                (stick / COPIES_FOLDER).mkdir(exist_ok=True)
                shutil.copy(made, stick / COPIES_FOLDER)
            if chance.random() < 0.35:
                evening.moments.append(_photographed(where, len(evening.moments)))
        evening.moments.append(_photographed(where, len(evening.moments)))
        evening.entries = {stream: list(service.entries(stream)) for stream in (VENUE, EVENT)}
        evening.state = service.snapshot.events[EVENT]
        left_ms = evening.state.clock.remaining_at(time.clocks.now())
        assert left_ms is not None
        evening.ends = time.now + timedelta(milliseconds=left_ms)
    return evening


def _photographed(where: Path, number: int) -> Path:
    kept = where / f"moment-{number}"
    for name in ("hub", "stick"):
        shutil.copytree(where / name, kept / name, ignore=shutil.ignore_patterns("*.lock", "*-shm"))
    return kept


def _steps(
    evening: Evening, service: Service, chance: random.Random
) -> Iterator[Step | tuple[Step, list[PersonRecord]]]:
    keys = UnitKeys(service)
    for unit, key in KEYS.items():
        keys.enrol(unit, TABLE, key)
    yield Step(EVENT, c.CreateEvent("Winter Open", "xwing-standard", None, {}, "#0072B2", 7))
    for n in range(1, PLAYERS + 1):
        record = PersonRecord(EVENT, f"p{n}", f"salt {n}", Person(f"Player {chance.randrange(10**6)} Żak"))
        evening.people.append(record)
        yield Step(EVENT, c.EnterCompetitor(Entrant(record.competitor, record.person.digest(record.salt)))), [record]
    for unit in KEYS:
        yield Step(VENUE, unit_placed_entry(unit, int(unit[-1])))
    for number in (1, 2):
        yield Step(EVENT, c.DrawRound(11))
        yield Step(EVENT, c.PublishRound(number, 1))
        yield Step(EVENT, c.SetClock("start"))
        if number == 2:
            yield Step(EVENT, c.SetClock("adjust", 180_000))
            yield Step(EVENT, c.SetClock("pause"))
            yield Step(EVENT, c.SetClock("start"))
        for table in range(1, TABLES + 1):
            for side in ("a", "b"):
                if number == 1 or table < TABLES:
                    yield _report(evening, service.snapshot.events[EVENT], number, table, side)
            yield Step(EVENT, c.SetEventDetails({"venue": f"room {number}{table}"}))


def _report(evening: Evening, state: EventState, number: int, table: int, side: str) -> Step:
    live = state.live
    match = next(match for match in live.matches if match.match.table == table)
    report = {
        "report_id": f"table-{table}-{number}{side}",
        "unit": f"table-{table}",
        "event": EVENT,
        "match": match.id,
        "side": side,
        "revision": match.revision,
        "serial": 1,
        "agrees_to": None,
        "result": result_to_json(Result(score=SidePair(100, 10 * table))),
        "draw": live.mark,
        "round": number,
        "a": match.match.a,
        "b": match.match.b,
    }
    evening.reports.append(report)
    return report_step(report, digest(report))


# --- what happens to it -----------------------------------------------------------------------------------------------


class Wreck:
    """A random choice of what is left of an evening, each part damaged or not."""

    def __init__(self, evening: Evening, folder: Path, chance: random.Random) -> None:
        self.folder, self._chance = folder, chance
        self.told: list[str] = []
        """What was done to it, for whoever reads of a failure."""
        self.outboxes: list[dict[str, Any]] = []
        self.places: list[Path] = []
        kinds = ["stick", "hub", "backups", "outboxes"]
        for kind in chance.sample(kinds, chance.randrange(1, len(kinds) + 1)):
            getattr(self, f"_{kind}")(evening, chance.choice(evening.moments))

    def _stick(self, _: Evening, moment: Path) -> None:
        self._take(moment / "stick", "stick")
        copy = self.folder / "stick" / COPY_FILE
        if self._chance.random() < 0.4:
            self._spoil_bytes(copy)
        if self._chance.random() < 0.4:
            self._cut(copy)
        for backup in sorted((self.folder / "stick").rglob("*.backup")):
            self._spoil_backup(backup)

    def _hub(self, _: Evening, moment: Path) -> None:
        self._take(moment / "hub", "hub")
        database, log = self.folder / "hub" / DATABASE, self.folder / "hub" / LOG
        for backup in sorted((self.folder / "hub").rglob("*.backup")):
            if self._chance.random() < 0.7:
                backup.unlink()
            else:
                self._spoil_backup(backup)
        for damage in self._chance.sample((self._alter_row, self._zero_pages, self._cut), self._chance.randrange(3)):
            if damage is self._alter_row or not log.exists() or self._chance.random() < 0.5:
                damage(database)
        if log.exists() and self._chance.random() < 0.3:
            self._chance.choice((self._cut, Path.unlink))(log)
            self.told.append("its log is cut or gone")
        if self._chance.random() < 0.3:
            (self.folder / "hub" / HEAD_FILE).unlink()

    def _backups(self, _: Evening, moment: Path) -> None:
        """A few of them in a folder of their own."""
        found = sorted((moment / "stick").rglob("*.backup"))
        (self.folder / "kept").mkdir()
        self.places.append(self.folder / "kept")
        for backup in self._chance.sample(found, min(len(found), 2)):
            self._spoil_backup(Path(shutil.copy(backup, self.folder / "kept")))

    def _outboxes(self, evening: Evening, _: Path) -> None:
        (self.folder / "units").mkdir()
        self.places.append(self.folder / "units")
        for unit, key in KEYS.items():
            reports = [report for report in evening.reports if report["unit"] == unit]
            lines = [canonical_json({"report": report, "mac": sign(key, REPORT, report)}) for report in reports]
            (self.folder / "units" / unit).mkdir()
            (self.folder / "units" / unit / "outbox.jsonl").write_bytes(b"\n".join([*lines, b'{"report": {"to']))
            self.outboxes += reports

    def _take(self, source: Path, name: str) -> None:
        shutil.copytree(source, self.folder / name)
        self.places.append(self.folder / name)
        self.told.append(f"{name} of {source.parent.name}")

    def _spoil_backup(self, backup: Path) -> None:
        if self._chance.random() < 0.5:
            self._chance.choice((self._alter_row, self._zero_pages, self._cut))(backup)

    def _alter_row(self, database: Path) -> None:
        column, value = self._chance.choice(
            (("data", "{}"), ("actor", "nobody"), ("hash", "0" * 64), ("at", '{"boot_id":"x","mono_ms":1,"wall":null}'))
        )
        try:
            with closing(sqlite3.connect(database)) as connection:
                rows = connection.execute("SELECT stream, number FROM entry").fetchall()
                row = self._chance.choice(rows)
                connection.execute(f"UPDATE entry SET {column} = ? WHERE stream = ? AND number = ?", (value, *row))
                connection.commit()
            self.told.append(f"{database.name}: {column} of {row}")
        except (sqlite3.Error, IndexError):
            self.told.append(f"{database.name}: no row can be altered any more")

    def _zero_pages(self, database: Path) -> None:
        pages = database.stat().st_size // PAGE
        spoilt = self._chance.sample(range(pages), min(pages, self._chance.randrange(1, 4)))
        with open(database, "r+b") as file:
            for page in spoilt:
                file.seek(page * PAGE)
                file.write(self._chance.choice((bytes(PAGE), self._chance.randbytes(PAGE))))
        self.told.append(f"{database.name}: pages {spoilt}")

    def _cut(self, path: Path) -> None:
        length = path.stat().st_size
        with open(path, "r+b") as file:
            file.truncate(self._chance.randrange(length // 2, length))
        self.told.append(f"{path.name} is cut")

    def _spoil_bytes(self, path: Path) -> None:
        with open(path, "r+b") as file:
            file.seek(self._chance.randrange(path.stat().st_size))
            file.write(b"\xff" * 5)
        self.told.append(f"{path.name}: five bytes")


# --- what is left -----------------------------------------------------------------------------------------------------


class Ledger:
    """Which entries and people of an evening lie anywhere in the places, looked up byte by byte: no page, checksum or
    chain is understood here."""

    def __init__(self, evening: Evening, places: Sequence[Path]) -> None:
        self._pages = [
            page for place in places for path in sorted(place.rglob("*")) if path.is_file() for page in _pieces(path)
        ]
        self.entries = {
            stream: {entry.number for entry in entries if self._holds(_needle(entry))}
            for stream, entries in evening.entries.items()
        }
        self.people = {
            record.competitor
            for record in evening.people
            if self._holds([json.dumps(record.person.to_json(), ensure_ascii=False).encode()])
        }

    def whole(self, stream: str) -> int:
        """How many entries from the first one on are anywhere."""
        count = 0
        while count + 1 in self.entries.get(stream, ()):
            count += 1
        return count

    def _holds(self, needles: list[bytes]) -> bool:
        return any(needle in page for page in self._pages for needle in needles)


def _pieces(path: Path) -> list[bytes]:
    """The pages of a database, the frames of its log, and the lines of a copy."""
    data = path.read_bytes()
    if path.name == LOG:
        return [data[at + 24 : at + 24 + PAGE] for at in range(32, len(data), 24 + PAGE)]
    if path.name == DATABASE or path.suffix == ".backup":
        return [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    return data.split(b"\n") if path.name == COPY_FILE else []


def _needle(entry: Entry) -> list[bytes]:
    """The entry's columns one after the other, as SQLite and as a copy's line have them."""
    at, data = canonical_json(entry.at.to_json()).decode(), canonical_json(dict(entry.data)).decode()
    row = f"{entry.kind}{at}{entry.actor}{data}{entry.prev}{entry.hash}"
    line = json.dumps(
        [entry.stream, entry.number, entry.kind, entry.version, at, entry.actor, data, entry.prev, entry.hash],
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return [row.encode(), line.encode()]
