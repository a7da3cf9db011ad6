"""Makes a hub's folder of whatever can still be read: the newest whole state, under a new epoch, and what it lacks.

An entry carries its hash, and a person's row fits a digest in an entry: wherever a row is found, it can be proved
right. The sources stay as they are; the new folder appears whole or not at all.
"""

import json
import os
import secrets
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from roundtap_core.clock import RUNNING
from roundtap_core.errors import Problem
from roundtap_core.event.entries import GENESIS, VENUE, Entry, NewEntry, Person, Timestamp
from roundtap_core.event.states import EventState
from roundtap_core.wire import REPORT, digest, verify_signature
from roundtap_hub.store import backups, head_file, journal_identity, models
from roundtap_hub.store.book import PERSON_FORGOTTEN, Seat, rows_to_forget, seats_forgotten
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.command_pipeline import (
    STRAY_REASONS,
    WriteRequest,
    decide_request,
    report_step,
    stray_step,
    validate_report,
)
from roundtap_hub.store.event_cache import DormantEvents
from roundtap_hub.store.folder_copy import COPY_FILE
from roundtap_hub.store.journal import DATABASE, Journal, PersonRecord, events_deleted, people_removed, sqlite_url
from roundtap_hub.store.models import forgotten_person, placeholder
from roundtap_hub.store.read_model import Snapshot, load_snapshot, person_digests, read_event
from roundtap_hub.store.read_model import verify_journal as look_through
from roundtap_hub.store.recovery_sources import Row, Source, read_source, readable_paths, within_total
from roundtap_hub.store.venue import EVENT_BEGUN, STAFF_SET, UNIT_REVOKED, fold_venue, is_valid_key, is_valid_pin
from roundtap_machine.disk import sync_to_disk, write_atomically

AT_ONCE = 1000
MAKING = ".recovering"
WALL_CUT_MS = 500  # wall times are cut to seconds: what they lack on average


@dataclass(slots=True)
class RecoveredStream:
    """One stream of the new journal, and what it lacks.

    `parts`: (file, first entry, last entry). `unread`: entries that
    were saved and that nothing holds any more; `beyond`: readable ones that follow them, and therefore do not count;
    `branch`: those of another hub that went on from an earlier copy. `names`: of everybody, also in the entries beyond.
    `contradicted`: (file, number) of entries of which a head file or a unit's signed report knows another one: somebody
    has rewritten the chain. `clock_ms`: what the running clock showed last. `taken`, `waiting`, `left`: reports of
    outboxes, recorded, kept for a round that is to be adopted, or not usable.
    """

    stream: str
    entries: Sequence[Entry]
    name: str = ""
    state: EventState | None = None
    parts: Sequence[tuple[Path, int, int]] = ()
    unread: Sequence[int] = ()
    beyond: Sequence[Entry] = ()
    branch: Sequence[Entry] = ()
    contradicted: list[tuple[Path, int]] = field(default_factory=list)
    people: int = 0
    names: Mapping[str, str] = field(default_factory=dict)
    people_older: Mapping[str, str] = field(default_factory=dict)
    people_lost: tuple[str, ...] = ()
    clock_ms: int | None = None
    taken: int = 0
    waiting: int = 0
    left: int = 0

    @property
    def lacks(self) -> bool:
        return bool(
            self.unread
            or self.beyond
            or self.branch
            or self.contradicted
            or self.people_older
            or self.people_lost
            or self.left
        )


@dataclass(slots=True)
class Recovery:
    """What was made of the sources. `files`: the folder's other files, and where each comes from; `secrets_lost`: units
    and members of the staff who need a new key or PIN; `notes`: files that nothing was taken from, or that may lack
    something, and why: "foreign", "unreadable", "stranger", "missing", "unbounded", "copied", "cut". `partly`: how many
    entries a copy still holds of all that are known, where some are missing."""

    streams: list[RecoveredStream]
    files: Mapping[str, Path]
    secrets_lost: Sequence[str]
    notes: list[tuple[Path, str]]
    partly: Sequence[tuple[Path, int, int]] = ()

    @property
    def lacks(self) -> bool:
        """Also where something was not read: nobody knows what is in it."""
        unread = any(why == "unbounded" for _, why in self.notes)
        return unread or bool(self.secrets_lost) or any(each.lacks for each in self.streams)


class Findings:
    """What the sources of one hub hold together. `entries`: each once, by stream, number and hash; `people`: by digest,
    whichever row it stands in."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = sources
        self.entries: dict[str, dict[int, dict[str, Entry]]] = {}
        self._holders: dict[str, list[Source]] = {}
        self._epochs: dict[str, int] = {}
        for source in sources:
            epochs = _epochs_in(source)
            for entry in source.entries.values():
                self.entries.setdefault(entry.stream, {}).setdefault(entry.number, {})[entry.hash] = entry
                self._holders.setdefault(entry.hash, []).append(source)
                self._epochs[entry.hash] = max(epochs, self._epochs.get(entry.hash, 0))
        self.people: dict[str, tuple[str, Person]] = {}
        for _, _, salt, data in {row for source in sources for row in source.people}:
            with suppress(ValueError, TypeError, AttributeError):
                person = Person.from_json(json.loads(data))
                self.people[person.digest(salt)] = (salt, person)

    def chain(self, stream: str) -> list[Entry]:
        """The stream's chain from its first entry on: where two hubs went on from one copy, that of the later epoch;
        then what a head file names, so that a rewritten chain does not win; never what a failed commit left on a page
        instead of what was saved; else the longer one."""
        numbers = self.entries.get(stream, {})
        saved = set[str]().union(*(source.committed for source in self.sources))
        named = {head.hash for source in self.sources for head in source.heads.values()}
        best: dict[tuple[int, str], tuple[int, int, int, int, Entry]] = {}
        for number in sorted(numbers, reverse=True):
            for entry in numbers[number].values():
                epochs, heads, committed, length = best.get((number + 1, entry.hash), (0, 0, 0, 0))[:4]
                epochs, heads = max(epochs, self._epochs[entry.hash]), heads + (entry.hash in named)
                own = (epochs, heads, committed + (entry.hash in saved), length + 1)
                if own > best.get((number, entry.prev), (0, 0, 0, 0))[:4]:
                    best[number, entry.prev] = (*own, entry)
        entries: list[Entry] = []
        while following := best.get((len(entries) + 1, entries[-1].hash if entries else GENESIS)):
            entries.append(following[4])
        return entries

    def stream(self, stream: str) -> RecoveredStream:
        """The stream's chain, and everything else that is known of it."""
        entries = self.chain(stream)
        held, length, branch = {entry.hash for entry in entries}, len(entries), dict[str, Entry]()
        others = [
            entry
            for _, alike in sorted(self.entries.get(stream, {}).items())
            for entry in alike.values()
            if entry.hash not in held
        ]
        for entry in others:
            if entry.number <= length or entry.prev in branch:
                branch[entry.hash] = entry
        beyond = [entry for entry in others if entry.hash not in branch]
        readable = {entry.number for entry in beyond}
        last = max(
            [
                0,
                *readable,
                *(
                    head.number
                    for source in self.sources
                    for each_stream, head in source.heads.items()
                    if each_stream == stream and head.hash not in branch
                ),
            ]
        )
        created = next((entry.data for entry in entries if entry.kind == "event-created"), {})
        return RecoveredStream(
            stream,
            entries,
            str(created.get("name", "")),
            parts=self._parts(entries),
            unread=[number for number in range(length + 1, last + 1) if number not in readable],
            beyond=beyond,
            branch=list(branch.values()),
            contradicted=[
                (
                    source.path.with_name(head_file.HEAD_FILE) if source.path.name == DATABASE else source.path,
                    head.number,
                )
                for source in self.sources
                for each_stream, head in source.heads.items()
                if each_stream == stream and head.number <= length and head.hash not in held and head.hash not in branch
            ],
        )

    def _parts(self, entries: Sequence[Entry]) -> list[tuple[Path, int, int]]:
        """Where the entries come from: from as few files as possible, one after the other."""
        most = sorted(self.sources, key=lambda source: -len(source.entries))
        chosen: list[Source] = []
        for entry in entries:
            holders = self._holders[entry.hash]
            chosen.append(
                chosen[-1] if chosen and chosen[-1] in holders else next(source for source in most if source in holders)
            )
        runs = [list(run) for _, run in groupby(range(len(entries)), key=lambda n: id(chosen[n]))]
        return [(chosen[run[0]].path, run[0] + 1, run[-1] + 1) for run in runs]

    def last_seen(self, state: EventState) -> tuple[models.CheckpointRow, str | None] | None:
        """What an event's running clock showed when its hub was last heard of, and when it reaches zero by wall time:
        None where its hub did not know the time."""
        clock, anchor = state.clock, state.clock.anchor
        if clock.state != RUNNING or clock.remaining_ms is None:
            return None
        times = [
            entry.at
            for numbers in self.entries.values()
            for alike in numbers.values()
            for entry in alike.values()
            if entry.at.boot_id == anchor.boot_id
        ]
        seen = [(at.mono_ms, clock.remaining_ms - at.mono_ms + anchor.mono_ms) for at in times]
        seen += [
            (mono_ms, remaining_ms)
            for source in self.sources
            for event, remaining_ms, boot_id, mono_ms in source.clocks
            if (event, boot_id) == (state.id, anchor.boot_id)
        ]
        mono_ms, remaining_ms = max(seen)
        last_at = max((at for at in times if at.wall), key=lambda at: at.mono_ms, default=None)
        end = last_at and datetime.fromisoformat(last_at.wall or "") + timedelta(
            milliseconds=WALL_CUT_MS + remaining_ms + mono_ms - last_at.mono_ms
        )
        return (
            models.CheckpointRow(event=state.id, remaining_ms=remaining_ms, boot_id=anchor.boot_id, mono_ms=mono_ms),
            end.isoformat() if end else None,
        )


def recover(
    places: Sequence[Path],
    to: Path,
    clocks: Clocks,
    lineage: str = "",
    chance: Callable[[int], str] = secrets.token_hex,
    begins_epoch: bool = True,
) -> Recovery:
    """Make the new folder `to` of everything in these folders, sticks and files. Of a file that is named itself the
    chain is taken from it alone, but what was revoked since is looked up beside it. `lineage`: which hub, where there
    are several. `begins_epoch`: False where the hub goes on as it was. Raises Problem("folder_not_empty"),
    Problem("recover_several"), Problem("nothing_to_recover"), Problem("journal_newer"),
    what `read_model.verify_journal` finds, and OSError if the new folder cannot be written."""
    to, unused = to.absolute(), list[tuple[Path, str]]()
    making = to / MAKING if os.path.ismount(to) else to.with_name(f".{to.name}{MAKING}")
    shutil.rmtree(making, ignore_errors=True)
    if to.exists() and any(to.iterdir()):
        raise Problem("folder_not_empty", folder=str(to))
    found_paths = list(dict.fromkeys(path for place in places for path in readable_paths(place, unused)))
    paths = within_total(found_paths, places, unused)
    proved: dict[Row, Entry] = {}
    sources = [read_source(path, proved) for path in paths]
    ours, notes = _of_one_hub(sources, lineage, places)
    beside = dict.fromkeys(path for place in places if place.is_file() for path in readable_paths(_root_of(place), []))
    marks = set[str]().union(*(source.marks for source in ours))
    near = [source for path in beside if path not in paths and (source := read_source(path, proved)).marks & marks]
    _refuse_newer(ours)
    findings = Findings(ours)
    streams = {
        stream: findings.stream(stream)
        for stream in dict.fromkeys((*findings.entries, *(stream for source in ours for stream in source.heads)))
    }
    copies = [each for each in ours if each.path.name.startswith(Path(COPY_FILE).stem)]
    found_hashes = {entry.hash for each in streams.values() for entry in (*each.entries, *each.beyond)}
    all_entries = len(found_hashes) + sum(len(each.unread) for each in streams.values())
    partly = [
        (each.path, held, all_entries)
        for each in copies
        if (held := len(found_hashes & each.entries.keys())) < all_entries
    ]
    making.mkdir(parents=True, mode=0o700)
    (making / DATABASE).touch(0o600)
    try:
        files = _write_files(making, ours)
        with (
            closing(head_file.HeadFile(making / head_file.HEAD_FILE)) as head,
            closing(Journal(sqlite_url(making))) as journal,
        ):
            all_sources = [*ours, *near]
            ends = _write_journal(journal, findings, streams)
            if begins_epoch:
                _begin_epoch(making, journal, all_sources, streams, ends, clocks.at(), chance)
            venue = fold_venue(journal.entries(VENUE))
            no_more = venue.deleted | {event for event, _ in venue.book.forgotten}
            jobs = next((source.print_jobs for source in ours if source.print_jobs), ())
            journal.put(job for job in jobs if getattr(job, "job", "").partition("/")[0] not in no_more)
            secrets_lost = _put_secrets(journal, all_sources)
            _import_reports(
                journal, clocks, [(source.path, *told) for source in sources for told in source.reports], streams
            )
            for looked in look_through(journal):
                # Missing people are named, and an invalid key or PIN costs only itself.
                for wrong in looked.wrong:
                    if wrong.key != "people_wrong":
                        raise wrong
            journal.scrub()
            own = next((source.lineage for source in ours if source.lineage), head_file.new_lineage())
            head.record = head_file.HeadRecord(own)
            head_file.init_head_file(head, journal, venue.epoch)
        put_in_place(making, to)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    notes += unused + [(each.path, "copied") for each in ours if each.copied]
    notes += [(each.path, "cut") for each in copies if each.cut]
    notes += [(each.path, "unbounded") for each in sources if each.is_full]
    return Recovery(
        sorted(streams.values(), key=lambda each: (each.stream != VENUE, len(each.stream), each.stream)),
        files,
        secrets_lost,
        notes,
        partly,
    )


def _refuse_newer(sources: Iterable[Source]) -> None:
    """Raise Problem("journal_newer") for a journal that a later version has written: its entries may mean more."""
    for source in sources:
        try:
            models.needs_migration(backups.schema_of(source.path))
        except Problem as problem:
            if problem.key == "journal_newer":
                raise


def _epochs_in(source: Source) -> int:
    return sum(entry.kind == "epoch-begun" for entry in source.entries.values())


def _root_of(file: Path) -> Path:
    """The stick or the hub's folder that a backup lies in."""
    inner = (backups.FOLDER, backups.COPIES_FOLDER, backups.BEFORE_UPGRADE)
    return next(
        (folder.parent for folder in reversed(file.absolute().parents) if folder.name in inner), file.absolute().parent
    )


def _of_one_hub(
    sources: Sequence[Source], wanted: str, places: Sequence[Path]
) -> tuple[list[Source], list[tuple[Path, str]]]:
    """The sources that belong together, the newest first, and what is not used. Raises Problem if there is nothing, or
    more than one hub."""
    hubs: list[tuple[set[str], list[Source]]] = []
    for source in sources:
        marks, members = source.marks, [source]
        for hub in [hub for hub in hubs if hub[0] & marks]:
            hubs.remove(hub)
            marks, members = marks | hub[0], [*hub[1], *members]
        hubs.append((marks, members))
    whole = [
        members
        for _, members in hubs
        if any(entry.number == 1 for source in members for entry in source.entries.values())
    ]
    if not whole:
        raise Problem("nothing_to_recover", places=", ".join(map(str, places)))
    # A new card's empty hub lies beside every other one.
    in_play = [members for members in whole if _names(members)] or whole
    chosen = [members for members in whole if _identity(members) == wanted] if wanted else in_play
    if len(chosen) != 1:
        raise Problem("recover_several", hubs="; ".join(map(_description, whole)))
    if len(in_play) == 1:
        # Pages of a damaged file may share nothing with the rest and still be of this hub.
        chosen[0] += [
            source
            for _, members in hubs
            if members is not chosen[0]
            for source in members
            if source.entries and not source.lineage
        ]
    ours = sorted(
        chosen[0], key=lambda source: (_epochs_in(source), _extent(source), source.path.name == DATABASE), reverse=True
    )
    return ours, [
        (source.path, "foreign" if source.marks else "unreadable")
        for source in sources
        if source not in ours and not source.reports
    ]


def _identity(members: Iterable[Source]) -> str:
    """By what a person chooses one of several hubs."""
    return next(
        chain(
            (source.lineage for source in members if source.lineage),
            (entry.hash[:16] for source in members for entry in source.entries.values() if entry.number == 1),
        )
    )


def _names(members: Iterable[Source]) -> list[str]:
    return sorted(
        {
            f"“{entry.data.get('name')}”"
            for source in members
            for entry in source.entries.values()
            if entry.kind == "event-created"
        }
    )


def _description(members: Sequence[Source]) -> str:
    """ "3acf2437161d22cb: “Winter Open” · 66 · 2026-11-22 17:05": what a person chooses by."""
    entries = {(entry.stream, entry.number): entry for source in members for entry in source.entries.values()}
    until = max((entry.at.wall for entry in entries.values() if entry.at.wall), default="–")
    return (
        f"{_identity(members)}: {', '.join(_names(members)) or '–'} · {len(entries)} · {until[:16].replace('T', ' ')}"
    )


def _extent(source: Source) -> int:
    """How many entries a source holds or held."""
    last = {stream: head.number for stream, head in source.heads.items()}
    for entry in source.entries.values():
        last[entry.stream] = max(entry.number, last.get(entry.stream, 0))
    return sum(last.values())


def _write_files(making: Path, sources: Sequence[Source]) -> dict[str, Path]:
    """PIN, secret, certificates and other files as they were last, so that everybody logs in as before."""
    written: dict[str, Path] = {}
    # An empty file is what a power cut leaves: any other one is better.
    for name, (mode, content), path in sorted(
        ((name, held, source.path) for source in sources for name, held in source.files.items()),
        key=lambda each: not each[1][1],
    ):
        if name not in written and not name.startswith("roundtap."):
            (making / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(making / name, content, mode or 0o600)
            written[name] = path
    return dict(sorted(written.items()))


def _write_journal(journal: Journal, findings: Findings, streams: Mapping[str, RecoveredStream]) -> dict[str, str]:
    """All streams, people and clocks. Returns when running clocks end, by event and wall time."""
    venue = streams.get(VENUE, RecoveredStream(VENUE, ())).entries
    deleted, forgotten = events_deleted(venue), set(seats_forgotten(venue))
    for each in streams.values():
        for first in range(0, len(each.entries), AT_ONCE):
            journal.append(each.entries[first : first + AT_ONCE])
    ends: dict[str, str] = {}
    for each in streams.values():
        if each.stream != VENUE and each.entries:
            each.state = state = read_event(journal, EventState(each.stream))
            if each.stream not in deleted:
                journal.append([], _people(findings, each, state, forgotten))
            if (seen := findings.last_seen(state)) is not None:
                journal.put([seen[0]])
                each.clock_ms = seen[0].remaining_ms
                ends |= {state.id: seen[1]} if seen[1] else {}
    return ends


def _begin_epoch(
    making: Path,
    journal: Journal,
    sources: Sequence[Source],
    streams: Mapping[str, RecoveredStream],
    ends: Mapping[str, str],
    at: Timestamp,
    chance: Callable[[int], str],
) -> None:
    """The units are asked before the next draw. `sources`: with what lies beside the sources."""
    venue = streams.get(VENUE, RecoveredStream(VENUE, ())).entries
    made_at = max((entry.at.wall for each in streams.values() for entry in each.entries if entry.at.wall), default=None)
    fields = {
        "epoch": journal_identity.following_epoch(making, fold_venue(venue), chance),
        "restored": {
            "from": {stream: list(head) for stream, head in journal.heads().items()},
            "made_at": made_at,
            "at": at.wall,
            "clocks": ends,
        },
    }
    for each in streams.values():
        # The entries mean the older row from now on: a start compares them. Units know none of these entries.
        changed = [
            NewEntry("competitor-changed", {"competitor": who, "digest": hashed})
            for who, hashed in each.people_older.items()
        ]
        journal.append(journal_identity.seal_after(each.entries, changed, at, "recover", each.stream))
    # Entries beyond a gap count here too: what was revoked stays revoked.
    of_venue = [entry for source in sources for entry in source.entries.values() if entry.stream == VENUE]
    new = [*journal_identity.latest_rights_entries(venue, of_venue), NewEntry("epoch-begun", fields)]
    seats = set(seats_forgotten([*venue, *new]))
    begun = {entry.data["event"] for entry in venue if entry.kind == EVENT_BEGUN}
    if more := rows_to_forget((row for source in sources for row in source.people), seats, begun) - seats:
        new.append(NewEntry(PERSON_FORGOTTEN, {"person": "", "seats": sorted(map(list, more))}))
    journal.append(journal_identity.seal_after(venue, new, at, "recover"))


def _people(
    findings: Findings, recovered: RecoveredStream, state: EventState, forgotten: Collection[Seat]
) -> list[PersonRecord]:
    """Each person as of the last entry whose digest fits a row; an older row of a competitor is better than none. Of
    somebody whose row is lost or who is `forgotten`, a placeholder."""
    digests_of: dict[str, dict[str, None]] = {}
    for entry in recovered.entries:
        for _, removed in people_removed([entry]):
            digests_of.pop(removed, None)
        for who, hashed in person_digests(entry):
            # Repeated digests move to the end.
            digests_of.setdefault(who, {}).pop(hashed, None)
            digests_of[who][hashed] = None
    fits = findings.people
    recovered.names = {
        who: fits[hashed][1].name
        for entry in (*recovered.entries, *recovered.beyond)
        for who, hashed in person_digests(entry)
        if hashed in fits and (recovered.stream, who) not in forgotten
    }
    records, older, lost = list[PersonRecord](), dict[str, str](), list[str]()
    for who, digests in digests_of.items():
        last = next(reversed(digests))
        newest = next((each for each in reversed(digests) if each in fits), None)
        if (recovered.stream, who) in forgotten:
            records.append(PersonRecord(recovered.stream, who, "", forgotten_person(who)))
        elif newest == last or (newest is not None and who in state.entrants):
            records.append(PersonRecord(recovered.stream, who, *fits[newest]))
            older |= {who: newest} if newest != last else {}
        elif any(digests):
            lost.append(who)
            records.append(PersonRecord(recovered.stream, who, "", placeholder(who)))
    recovered.people = len(records) - len(lost)
    recovered.people_older, recovered.people_lost = older, tuple(lost)
    return records


def _import_reports(
    journal: Journal,
    clocks: Clocks,
    reports: Iterable[tuple[Path, dict[str, object], str]],
    streams: dict[str, RecoveredStream],
) -> None:
    """Record reports of outboxes that the journal lacks, if they are signed by a key of this hub. Name those that it
    holds otherwise."""
    snapshot = load_snapshot(journal, DormantEvents(journal).open)
    keys = {unit: bytes.fromhex(key) for unit, key in snapshot.keys.items() if is_valid_key(snapshot.venue, unit, key)}
    seen: set[str] = set()
    for path, report, mac in reports:
        event, unit = str(report.get("event")), str(report.get("unit"))
        state = snapshot.event(event)
        fate = state.fates.get(str(report.get("report_id"))) if state is not None else None
        result = streams.setdefault(event, RecoveredStream(event, ())) if fate is None else streams[event]
        for entry in result.entries[fate.number - 1 : fate.number] if fate is not None else ():
            same = (entry.data["body"], entry.data["result"]) == (digest(report), report.get("result"))
            if not same and verify_signature(keys.get(unit, b""), REPORT, report, mac):
                result.contradicted.append((path, entry.number))
        if fate is not None or digest(report) in seen:
            continue
        seen.add(digest(report))
        try:
            if not verify_signature(keys[unit], REPORT, report, mac):
                raise KeyError(unit)
            snapshot, entries, has_place = _decide_report(snapshot, validate_report(report), clocks.at())
        except (KeyError, ValueError, Problem):
            result.left += 1
        else:
            journal.append(entries)
            result.state = snapshot.event(event)
            result.taken, result.waiting = result.taken + has_place, result.waiting + (not has_place)


def _decide_report(snapshot: Snapshot, report: Mapping[str, Any], at: Timestamp) -> tuple[Snapshot, list[Entry], bool]:
    """A report as from its unit: in its event, or in the venue, where it waits for its round to be adopted."""
    body, actor = digest(dict(report)), f"unit:{report['unit']}"
    try:
        step = report_step(report, body, earlier=True)
        return *decide_request(snapshot, WriteRequest([step], actor, (), Future()), at), True
    except Problem as problem:
        if problem.key not in STRAY_REASONS:
            raise
    return *decide_request(snapshot, WriteRequest([stray_step(report, body)], actor, (), Future()), at), False


def _put_secrets(journal: Journal, sources: Sequence[Source]) -> list[str]:
    """Store the valid row of each unit and staff member; without one only the name, and for revoked ones nothing.
    Returns the units and people who need a new key or PIN."""
    entries = list(journal.entries(VENUE))
    venue = fold_venue(entries)
    keys_of: dict[str, set[str]] = {}
    for unit, key in (row for source in sources for row in source.keys):
        keys_of.setdefault(unit, set()).add(key)
    staff_of: dict[str, set[tuple[str, str]]] = {}
    for person, name, hashed in (row for source in sources for row in source.staff):
        staff_of.setdefault(person, set()).add((name, hashed))
    # An empty row without a matching entry: the entry that revoked it is lost.
    out = {entry.data["unit"] for entry in entries if entry.kind == UNIT_REVOKED}
    out |= {entry.data["person"] for entry in entries if entry.kind == STAFF_SET and entry.data.get("pin") == ""}
    without: list[str] = []
    for unit, record in venue.units.items():
        keys = keys_of.get(unit, set())
        right = [key for key in keys if is_valid_key(venue, unit, key) and (unit in out or "" not in keys)]
        # For an unknown key, any row opens nothing; an empty one would claim a revocation.
        if right or "" in keys or (keys and not record.digest):
            journal.put([models.UnitKeyRow(unit=unit, key=right[0] if right else "")])
        without += [unit] if record.digest and not right else []
    for person, member in venue.staff.items():
        rows = staff_of.get(person, set())
        lost = person not in out and any(not hashed for _, hashed in rows)
        pins = [(name, hashed) for name, hashed in rows if is_valid_pin(venue, person, hashed) and not lost]
        names = [name for name, _ in (*pins, *sorted(rows)) if name and member.role]
        if rows:
            journal.put(
                [
                    models.StaffRow(
                        person=person,
                        name=names[0] if names else "",
                        hashed=pins[0][1] if pins else "" if lost or not member.pin else None,
                    )
                ]
            )
        without += [(names or [person])[0]] if member.pin and not pins else []
    return without


def put_in_place(making: Path, folder: Path) -> None:
    """Move the folder in one step; onto a mount point file by file, the database last, so that no hub takes the folder
    for a journal before."""
    for path in making.rglob("*"):
        sync_to_disk(path)
    if not making.is_relative_to(folder):
        os.replace(making, folder)
    else:
        for path in sorted(making.iterdir(), key=lambda path: (path.name.startswith(DATABASE), path.name)):
            os.replace(path, folder / path.name)
        sync_to_disk(folder)
    sync_to_disk(folder.parent)
