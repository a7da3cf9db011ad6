"""Looks through a hub's journal, be the hub running or not: `list` says what is in it, `verify` if all holds."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from roundtap.headless import event_input
from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE
from roundtap_core.words import Words, catalogue
from roundtap_hub.journal.journal import Journal
from roundtap_hub.journal.verify import Looked, verify

BROKEN = 1
DATABASE = "roundtap.db"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", choices=("list", "verify"), help="list: every stream and its last entry; verify: read "
                        "all of it, hash by hash, and compare seals and people with the entries")
    parser.add_argument("--data", type=Path, default=Path("roundtap-data"), help="the hub's folder")
    parser.add_argument("--event", default=None, help="only this event's stream")
    parser.add_argument("--format", choices=("json", "text"), default="text")


def run(args: Namespace) -> int:
    """A line a stream on stdout; exit 1 where something does not hold, 2 where there is no journal to look at."""
    core = event_input.reader_words()
    words = catalogue("roundtap", core.language).also(core)
    path = args.data / DATABASE
    try:
        if not path.is_file():
            raise Problem("no_journal", where=str(path))
        journal = Journal(f"sqlite:///{path}", read_only=True)
        try:
            found = list((listed if args.what == "list" else verify)(journal, args.event))
        finally:
            journal.close()
    except Problem as problem:
        event_input.complain(f"roundtap journal: {path}: {problem.say(words)}")
        return event_input.BAD_INPUT
    if args.format == "json":
        event_input.write(event_input.json_text({"streams": [to_json(looked, words) for looked in found]}))
    else:
        event_input.write("".join(f"{line}\n" for looked in found for line in lines(looked, words, args.what)))
    return BROKEN if any(looked.wrong for looked in found) else event_input.DONE


def listed(journal: Journal, only: str | None = None) -> Iterable[Looked]:
    """Every stream by its last entry; nothing is checked."""
    heads, sealed = journal.heads(), journal.seals.known()
    if only is not None and only not in heads:
        raise Problem("unknown_event", event=only)
    for stream in sorted(heads, key=lambda stream: (stream != VENUE, len(stream), stream)):
        if only in (None, stream):
            name = journal.rough_summary(stream, heads[stream]).name if stream != VENUE else ""
            seal = "sealed" if sealed.get(stream) == heads[stream] else "stale" if stream in sealed else "none"
            yield Looked(stream, heads[stream], name, heads[stream].number, len(journal.person_rows(stream)), seal)


def lines(looked: Looked, words: Words, what: str) -> list[str]:
    """One line of what the stream is, and one below it for each thing that does not hold."""
    said = [looked.stream, *([f"“{looked.name}”"] if looked.name else []), words("journal.entries", n=looked.entries),
            looked.head.hash[:16]]
    if looked.stream != VENUE:
        said += [words("journal.people", n=looked.people), words(f"journal.seal.{looked.seal}")]
    said += [words(f"journal.{state}") for state in ("archived", "deleted") if getattr(looked, state)]
    if looked.diverged:
        said.append(words("journal.diverged", rounds=", ".join(map(str, looked.diverged))))
    if what == "verify":
        said.append(words("journal.broken" if looked.wrong else "journal.holds"))
    return [" · ".join(said), *(f"  {problem.say(words)}" for problem in looked.wrong)]


def to_json(looked: Looked, words: Words) -> dict[str, Any]:
    """For programs: `wrong` is empty where all holds."""
    return {
        "stream": looked.stream, "name": looked.name, "entries": looked.entries, "head": looked.head.hash,
        "people": looked.people, "seal": looked.seal, "archived": looked.archived, "deleted": looked.deleted,
        "diverged": list(looked.diverged),
        "wrong": [{"rule": problem.key, "text": problem.say(words)} for problem in looked.wrong],
    }
