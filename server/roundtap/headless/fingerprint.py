"""Shows the fingerprint of a hub's certificate authority, to be compared before anybody trusts it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from roundtap.headless import event_input
from roundtap_core.errors import Problem
from roundtap_core.words import catalogue
from roundtap_hub.tls import AUTHORITY, FOLDER, fingerprint


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=Path("roundtap-data"), help="the hub's folder")


def run(args: Namespace) -> int:
    """SHA-256 in groups of four on stdout; 2 where there is no authority that can be read."""
    core = event_input.reader_words()
    words = catalogue("roundtap", core.language).also(core)
    path = args.data / FOLDER / AUTHORITY
    try:
        if not path.is_file():
            raise Problem("no_authority")
        shown = fingerprint(path.read_bytes(), path)
    except Problem as problem:
        event_input.complain(f"roundtap fingerprint: {path}: {problem.say(words)}")
        return event_input.BAD_INPUT
    except OSError as error:
        event_input.complain(f"roundtap fingerprint: {path}: {error.strerror}")
        return event_input.BAD_INPUT
    event_input.write(f"{shown}\n")
    return event_input.DONE
