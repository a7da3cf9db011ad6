"""Looks through a journal or a backup: `list` says what is in it, `verify` if all holds."""

from argparse import Namespace
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from roundtap.headless import cli_io
from roundtap.headless.recover import recovery_lines
from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE
from roundtap_core.words import Words
from roundtap_hub.store.backups import newest_backup_in, read_backup
from roundtap_hub.store.continuing import make_anew
from roundtap_hub.store.folder_copy import read_copy
from roundtap_hub.store.head_file import HEAD_FILE, check_database, read_head_file
from roundtap_hub.store.journal import DATABASE, START, Journal, at_place, database_url, without_password
from roundtap_hub.store.read_model import StreamCheck, verify_journal
from roundtap_hub.store.recover import Recovery
from roundtap_hub.store.recovery_sources import read_source
from roundtap_hub.store.secure_files import is_of_disk

BROKEN, DISK_REFUSES = 1, 3


def run(args: Namespace) -> int:
    """Print one line per stream; exit 1 where something is broken or lost, 2 where there is no journal, 3 where the
    disk is full, read-only or failing and the journal itself may be whole."""
    words = cli_io.cli_words()
    path = args.data / DATABASE if args.backup is None else newest_backup_in(args.backup)
    pages: Problem | None = None
    kind = "backup" if args.backup is not None else "database" if args.database is not None else ""
    try:
        backup = read_backup(path) if args.backup is not None else None
        with ExitStack() as opened:
            looked_at = path
            if args.what == "verify" and not kind:
                made = Path(opened.enter_context(TemporaryDirectory()))
                if make_anew(path, made):
                    # What a start makes of bad pages is looked at: what stands on them says nothing.
                    pages, looked_at = Problem("journal_mendable", file=str(path)), made / DATABASE
            journal = opened.enter_context(closing(_open(args, looked_at)))
            look_at = list_streams if args.what == "list" else verify_journal
            streams = list(look_at(journal, args.event))
            for looked in streams:
                looked.wrong = [at_place(each, args.data, kind) for each in looked.wrong]
            beside = _check_companions(args, journal, pages) if args.what == "verify" else []
    except Problem as problem:
        if isinstance(left := problem.params.get("left"), Recovery):
            told = map(cli_io.escape_controls, recovery_lines(left, words))
            if args.format == "json":
                # A program that asked for JSON reads nothing else from stdout.
                cli_io.print_error("\n".join(told))
            else:
                cli_io.write_lines(told)
        place = path if args.database is None else without_password(args.database)
        refused = cli_io.print_refusal(
            cli_io.escape_controls(f"roundtap journal: {place}: {at_place(problem, args.data, kind).say(words)}")
        )
        return _exit_code([problem]) if problem.key == "journal_damaged" or is_of_disk(problem) else refused
    if args.format == "json":
        cli_io.write_stdout(
            cli_io.json_text(
                {
                    "backup": {"file": str(path), "made_at": backup.made_at} if backup is not None else None,
                    "streams": [to_json(looked, words) for looked in streams],
                    "beside": [{"file": name, "wrong": wrong.say(words) if wrong else None} for name, wrong in beside],
                }
            )
        )
    else:
        lines = [words("journal.backup", file=path, made_at=backup.made_at or "–")] if backup is not None else []
        lines += [line for looked in streams for line in stream_lines(looked, words, args.what)]
        for name, wrong in beside:
            lines += [
                f"{name} · {words('journal.broken' if wrong else 'journal.holds')}",
                *([f"  {wrong.say(words)}"] if wrong else ()),
            ]
        cli_io.write_lines(map(cli_io.escape_controls, lines))
    return _exit_code(
        [*(each for looked in streams for each in looked.wrong), *(wrong for _, wrong in beside if wrong)]
    )


def _exit_code(wrong: Iterable[Problem]) -> int:
    return max((DISK_REFUSES if is_of_disk(problem) else BROKEN for problem in wrong), default=cli_io.DONE)


def _open(args: Namespace, path: Path) -> Journal:
    if args.database is not None:
        database_url(args.database)
        # Late: a journal in a folder needs no driver.
        from roundtap_hub.store.postgres import PostgresJournal

        return PostgresJournal(args.database, read_only=True)
    if not path.is_file():
        _check_head(args)
        raise Problem("no_journal", where=str(path))
    return Journal(f"sqlite:///{path}", read_only=True)


def _check_head(args: Namespace) -> None:
    check_database(args.data / DATABASE, read_head_file(args.data / HEAD_FILE), [each.parent for each in args.copy])


def _check_companions(args: Namespace, journal: Journal, pages: Problem | None) -> list[tuple[str, Problem | None]]:
    """The database's pages, if bad, or the head file (which early hubs lacked); then copies. By name, each with its
    problem."""
    checks = {str(path): partial(_check_copy, path, journal) for path in args.copy}
    if (
        pages is None
        and args.backup is None
        and args.database is None
        and ((args.data / HEAD_FILE).is_file() or journal.lineage)
    ):
        checks = {HEAD_FILE: partial(_check_head, args), **checks}
    return [
        *([(DATABASE, pages)] if pages else []),
        *((name, _problem_in(check, args.data)) for name, check in checks.items()),
    ]


def _problem_in(look: Callable[[], None], folder: Path) -> Problem | None:
    try:
        look()
    except Problem as problem:
        return at_place(problem, folder)
    return None


def _check_copy(path: Path, journal: Journal) -> None:
    copy = read_copy(path)
    if copy is None:
        raise Problem("copy_unreadable", file=str(path))
    if copy.lineage != journal.lineage:
        raise Problem("copy_of_another", copy=str(path.parent), file=path.name)
    if copy.damaged:
        held, total = len(read_source(path, {}).entries), sum(head.number for head in journal.heads().values())
        raise Problem("copy_damaged", file=str(path), held=held, all=total)
    if (unknown := journal.first_unknown_stream(copy.heads)) is not None:
        raise Problem("copy_knows_more", stream=unknown, number=copy.heads[unknown].number)
    behind = sum(head.number - copy.heads.get(stream, START).number for stream, head in journal.heads().items())
    if behind:
        raise Problem("copy_behind", file=str(path), n=behind)


def list_streams(journal: Journal, only: str | None = None) -> Iterable[StreamCheck]:
    heads, sealed = journal.heads(), journal.event_snapshots.known()
    if only is not None and only not in heads:
        raise Problem("unknown_event", event=only)
    for stream in sorted(heads, key=lambda stream: (stream != VENUE, len(stream), stream)):
        if only in (None, stream):
            name = journal.rough_summary(stream, heads[stream]).name if stream != VENUE else ""
            seal = "sealed" if sealed.get(stream) == heads[stream] else "stale" if stream in sealed else "none"
            yield StreamCheck(stream, heads[stream], name, heads[stream].number, len(journal.person_rows(stream)), seal)


def stream_lines(looked: StreamCheck, words: Words, what: str) -> list[str]:
    """One line on the stream, and one below it for each problem."""
    parts = [
        looked.stream,
        *([f"“{looked.name}”"] if looked.name else []),
        words("journal.entries", n=looked.entries),
        looked.head.hash[:16],
    ]
    if looked.stream != VENUE:
        parts += [words("journal.people", n=looked.people), words(f"journal.seal.{looked.seal}")]
    parts += [words(f"journal.{state}") for state in ("archived", "deleted") if getattr(looked, state)]
    if looked.diverged:
        parts.append(words("journal.diverged", rounds=", ".join(map(str, looked.diverged))))
    if what == "verify":
        parts.append(words("journal.broken" if looked.wrong else "journal.holds"))
    return [" · ".join(parts), *(f"  {problem.say(words)}" for problem in looked.wrong)]


def to_json(looked: StreamCheck, words: Words) -> dict[str, Any]:
    """A stream's check for programs; `wrong` is empty where all is well."""
    return {
        "stream": looked.stream,
        "name": looked.name,
        "entries": looked.entries,
        "head": looked.head.hash,
        "people": looked.people,
        "seal": looked.seal,
        "archived": looked.archived,
        "deleted": looked.deleted,
        "diverged": list(looked.diverged),
        "wrong": [{"rule": problem.key, "text": problem.say(words)} for problem in looked.wrong],
    }
