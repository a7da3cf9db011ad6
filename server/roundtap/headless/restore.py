"""Makes a hub's folder of a backup, on this machine or another: what it contains, and up to when."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from roundtap.headless import event_input
from roundtap_core.event.entries import VENUE
from roundtap_core.event.state import EventState
from roundtap_core.words import Words
from roundtap_hub.database.database_url import DATABASE
from roundtap_hub.store.backups import Backup
from roundtap_hub.store.clocks import system_clocks
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.read_model import read_event
from roundtap_hub.store.salvage import restore


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("backup", type=Path, metavar="BACKUP", help="a file that a hub wrote as a backup")
    parser.add_argument("--data", type=Path, default=Path("roundtap-data"),
                        help="the folder to make; it may not hold a journal yet")


def run(args: Namespace) -> int:
    """Print what was restored, one line per event; exit 2 where the file or the folder is unsuitable."""
    return event_input.print_found("restore", lambda words: lines(
        args.data, restore(args.backup, args.data, system_clocks().at()), words))


def lines(folder: Path, found: Backup, words: Words) -> list[str]:
    """Each event with its last round and entry; then the folder's other files, and what to do now."""
    text = [words("restore.done", where=str(folder), made_at=found.made_at or "–")]
    journal = Journal(f"sqlite:///{folder / DATABASE}", read_only=True)
    try:
        for stream, head in sorted(found.heads.items()):
            if stream == VENUE:
                continue
            state = read_event(journal, EventState(stream))
            rounds = state.public_rounds
            parts = [f"“{state.name}”", stream, words("restore.round", number=rounds[-1].number) if rounds
                     else words("restore.no_round"), words("restore.entry", number=head.number, hash=head.hash[:16])]
            text.append("  " + " · ".join(parts))
    finally:
        journal.close()
    return [*text, words("restore.files", names=", ".join(found.files) or "–"), words("restore.now", where=str(folder))]
