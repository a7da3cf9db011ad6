"""Makes a hub's folder of whatever is left: where each part comes from, and what is lost."""

from argparse import Namespace
from collections.abc import Iterable, Iterator
from itertools import groupby

from roundtap.headless import cli_io
from roundtap_core.clock import format_clock
from roundtap_core.errors import Problem
from roundtap_core.event.entries import Entry
from roundtap_core.words import Words
from roundtap_hub.store.clocks import system_clocks
from roundtap_hub.store.continuing import recover_in_place
from roundtap_hub.store.journal import HUB_FOLDER
from roundtap_hub.store.recover import RecoveredStream, Recovery, recover
from roundtap_machine.services import run_program

SERVICE, STANDBY = "roundtap-hub.service", "roundtap-standby.service"
SOMETHING_LOST = 1
FIGURE_LETTERS = 40  # longer values of an entry, such as digests, say nothing to a person


def run(args: Namespace) -> int:
    """Print where each part comes from; exit 1 where something is lost, 2 where nothing could be made."""
    words, places = cli_io.cli_words(), [*args.places, *args.outbox]
    key, aside = "recover.now", None
    starts, of_service = False, args.data.resolve() == HUB_FOLDER.resolve()
    try:
        if not any(place.exists() for place in places):
            # Before anything is stopped.
            raise Problem("recover_missing", place=", ".join(map(str, places)))
        if args.restart:
            if of_service:
                if _runs(STANDBY):
                    raise Problem("recover_standby")
                starts = _runs(SERVICE)
                run_program(["systemctl", "stop", SERVICE])
            made, aside = recover_in_place(places, args.data, args.lineage)
            starts = of_service
        else:
            made = recover(places, args.data, system_clocks(), args.lineage)
    except Problem as problem:
        return cli_io.print_refusal(f"roundtap recover: {problem.say(words)}")
    except OSError as error:
        return cli_io.print_refusal(f"roundtap recover: {cli_io.error_of_system(error, args.data)}")
    finally:
        # Also where nothing was made: a hub that ran goes on as it was.
        if starts and run_program(["systemctl", "start", SERVICE]).code == 0:
            key = "recover.started"
    cli_io.write_lines(
        map(
            cli_io.escape_controls,
            (
                *recovery_lines(made, words),
                words("recover.lost_some" if made.lacks else "recover.nothing_lost"),
                words(key, where=args.data),
                *([words("recover.set_aside", aside=aside)] if aside else []),
            ),
        )
    )
    return SOMETHING_LOST if made.lacks else cli_io.DONE


def _runs(service: str) -> bool:
    """Whether systemd has it running, or starts it again and again."""
    return run_program(["systemctl", "is-active", service]).text in ("active", "activating", "reloading")


def recovery_lines(made: Recovery, words: Words) -> Iterator[str]:
    """Each stream, with a line below it on every part and on everything that it lacks; then the other files."""
    for each in made.streams:
        yield from _stream_lines(each, words)
    if made.secrets_lost:
        yield words("recover.secrets_lost", who=", ".join(made.secrets_lost))
    for path, names in groupby(sorted(made.files, key=lambda name: (str(made.files[name]), name)), made.files.get):
        yield words("recover.files", names=", ".join(names), file=path)
    yield from (words("recover.partly", file=path, held=held, all=total) for path, held, total in made.partly)
    yield from (words(f"recover.{why}", file=path) for path, why in made.notes)


def _stream_lines(each: RecoveredStream, words: Words) -> Iterator[str]:
    parts = [
        each.stream,
        *([f"“{each.name}”"] if each.name else []),
        words("journal.entries", n=len(each.entries)),
        words("journal.people", n=each.people),
    ]
    if each.state is not None and each.state.public_rounds:
        parts.append(words("recover.round", number=len(each.state.public_rounds)))
    yield " · ".join(parts)
    for path, first, last in each.parts:
        yield "  " + words("recover.part", numbers=_spans(range(first, last + 1)), file=path)
    if each.clock_ms is not None:
        yield "  " + words("recover.clock", left=format_clock(each.clock_ms))
    for key, numbers in (
        ("unread", each.unread),
        ("branch", [entry.number for entry in each.branch]),
        ("beyond", [entry.number for entry in each.beyond]),
    ):
        if numbers:
            yield "  " + words(f"recover.{key}", n=len(numbers), numbers=_spans(numbers))
    for path, told in groupby(sorted(each.contradicted), key=lambda told: told[0]):
        yield "  " + words("recover.contradicted", file=path, numbers=_spans(number for _, number in told))
    for entry in each.beyond:
        yield f"    {_said(entry, each, words)}"
    for key, who in (("people_older", each.people_older), ("people_lost", each.people_lost)):
        if who:
            yield "  " + words(f"recover.{key}", n=len(who), who=", ".join(who))
    for key, n in (("taken", each.taken), ("waiting", each.waiting), ("left", each.left)):
        if n:
            yield "  " + words(f"recover.{key}", n=n)


def _said(entry: Entry, each: RecoveredStream, words: Words) -> str:
    """An entry in one line, with names for ids, so that somebody can enter it again."""
    key = f"recover.kind.{entry.kind}"
    parts = [f"#{entry.number} {words(key) if key in words else entry.kind}", entry.actor]
    round_and_match = each.state.find_match(str(entry.data.get("match"))) if each.state is not None else None
    if round_and_match is not None:
        table = round_and_match[1].match.table
        parts += [words("recover.table", number=table)] if table is not None else []
        parts.append(
            " – ".join(
                each.names.get(who, who) for who in (round_and_match[1].match.a, round_and_match[1].match.b) if who
            )
        )
    for name, value in entry.data.items():
        if isinstance(value, dict) and isinstance(value.get("score"), dict):
            parts.append(":".join(str(value["score"].get(side)) for side in ("a", "b")))
        elif isinstance(value, str | int) and value is not False and len(str(value)) <= FIGURE_LETTERS:
            parts.append(f"{name} {each.names.get(str(value), value)}")
    return " · ".join(parts)


def _spans(numbers: Iterable[int]) -> str:
    """ "1–3, 7": numbers in order, those that follow each other as one span."""
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0])
    ]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
