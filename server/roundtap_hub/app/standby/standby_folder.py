"""A standby's folder: its copy of the hub's journal, and how it becomes the hub's."""

import base64
import itertools
import json
import logging
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path, PurePosixPath
from typing import Any

from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, NewEntry, Timestamp, chain_entry
from roundtap_hub.access.key_file import KEYS_FILE
from roundtap_hub.store.backups import STARTED_OVER, SUFFIX, back_up_before_upgrade, forget_aside
from roundtap_hub.store.copies import entries_after, person_records
from roundtap_hub.store.journal import DATABASE, Head, Journal, sqlite_url
from roundtap_hub.store.journal_identity import lineage_key, next_epoch
from roundtap_hub.store.models import SECRETS, CheckpointRow
from roundtap_hub.store.read_model import read_venue
from roundtap_hub.store.secure_files import lock_file, read_json, write_private
from roundtap_hub.store.venue import ERASING_KINDS, Venue

log = logging.getLogger(__name__)

BESIDE: tuple[type[SQLModel], ...] = (*SECRETS, CheckpointRow)  # tables that a standby gets besides the entries
NOTES, PROMOTE_FILE, PROMOTED, LOCK = "standby.json", "promote", "promoted", "standby.lock"


class StandbyFolder:
    """For one thread. Raises Problem if the folder cannot be created, or is in use."""

    journal: Journal

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self._opened = ExitStack()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._opened.callback(os.close, lock_file(folder / LOCK))
        except OSError as error:
            raise Problem("standby_folder", where=str(folder), reason=error.strerror or str(error)) from error
        self.heads: dict[str, Head] = {}
        self.notes = read_notes(folder)

    def open(self) -> None:
        """Open the journal; its chains are verified when the hub's rows arrive, and when it starts."""
        back_up_before_upgrade(self.path, None, "")
        self.journal = Journal(sqlite_url(self.path))
        self._opened.callback(self.journal.close)
        self.heads = self.journal.heads()

    def close(self) -> None:
        self._opened.close()

    def venue(self) -> Venue:
        return read_venue(self.journal, Venue())

    def append_rows(self, rows: Sequence[Any], people: Sequence[Any]) -> None:
        """Store the hub's entries and people, synced. Raises Problem("journal_broken") for entries that do not follow,
        and JournalConflict if the disk refuses."""
        heads = dict(self.heads)
        entries, records = entries_after(heads, rows), person_records(people)
        if erasing := [(row[2], row[6]) for row in rows if row[2] in ERASING_KINDS]:
            # First: what is appended is not told again, should this one be killed in between.
            venue = itertools.chain(self.journal.entries(VENUE), (each for each in entries if each.stream == VENUE))
            begun = {**dict.fromkeys(heads, ""), VENUE: next(venue).hash}
            for aside in (*self.path.rglob(f"*/{DATABASE}"), *self.path.rglob(f"*{SUFFIX}")):
                try:
                    forget_aside(aside, erasing, begun)
                except sqlite3.Error as error:
                    log.error("who was forgotten may still stand in %s: %s", aside, error)
        if entries or records:
            self.journal.append(entries, records)
        self.heads = heads
        if erasing:
            self.journal.scrub()

    def take_beside(self, told: Mapping[str, Any]) -> None:
        """Store what has changed besides the entries: the hub's PIN, secret and certificates, all its keys, staff, and
        clocks. Raises ValueError or TypeError for malformed rows, bad base 64, or a path outside the folder; and
        JournalConflict."""
        self.journal.put(
            [table.model_validate(row) for table in BESIDE for row in told.get(str(table.__tablename__), ())]
        )
        # The hub's rows alone count: a file that lies here since earlier may have keys that it never took.
        (self.path / KEYS_FILE).unlink(missing_ok=True)
        for name, text in told.get("files", {}).items():
            parts = PurePosixPath(name).parts
            if not parts or ".." in parts or parts[0] == "/":
                raise ValueError(name)
            content = base64.b64decode(text, validate=True)
            path = self.path.joinpath(*parts)
            if not path.exists() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                write_private(path, content)

    def save_notes(self, **changed: Any) -> None:
        """Note for after a restart: "level" (whether it was complete once), "hub", "own" (addresses)."""
        if any(self.notes.get(name) != value for name, value in changed.items()):
            self.notes = {**self.notes, **changed}
            write_private(self.path / NOTES, json.dumps(self.notes, indent=1))

    def set_aside(self) -> None:
        """Start over: the current content is moved aside, never deleted."""
        names = (self.path / f"{STARTED_OVER}{number}" for number in itertools.count(1))
        aside = next(path for path in names if not path.exists())
        aside.mkdir(mode=0o700)
        left = (NOTES, PROMOTE_FILE, PROMOTED)
        for path in [*self.path.glob("roundtap.db*"), *self.path.glob("head*"), *(self.path / name for name in left)]:
            if path.exists():
                os.replace(path, aside / path.name)
        self.notes = {}


def read_notes(folder: Path) -> dict[str, Any]:
    """A standby's notes; empty if there are none."""
    notes = read_json(folder / NOTES)
    return notes if isinstance(notes, dict) else {}


def is_promoted(folder: Path) -> bool:
    return (folder / PROMOTED).exists()


def promote_folder(folder: Path, at: Timestamp, token_hex: Callable[[int], str]) -> None:
    """Promote the folder, once: its journal gets a new epoch, and the folder is marked as a hub's. The epoch's entry
    lists what this folder held, so that an older hub can find what only that one accepted. There must be no other
    writer. Raises Problem if the journal cannot be read or has no epoch yet."""
    if not is_promoted(folder):
        with closing(Journal(sqlite_url(folder))) as journal:
            venue = read_venue(journal, Venue())
            if not venue.epochs:
                raise Problem("standby_empty", where=str(folder))
            # Without the secret no older hub would accept the epoch: then nothing is promoted.
            key = lineage_key(bytes.fromhex((folder / "secret").read_text(encoding="ascii").strip()))
            epoch = next_epoch(venue.epochs, key, token_hex)
            heads = {stream: list(head) for stream, head in journal.heads().items()}
            begun = NewEntry("epoch-begun", {"epoch": epoch, "heads": heads})
            journal.append([chain_entry(begun, VENUE, venue.number + 1, venue.head, at, "hub")])
        write_private(folder / PROMOTED, json.dumps({"epoch": epoch}))
    (folder / PROMOTE_FILE).unlink(missing_ok=True)
