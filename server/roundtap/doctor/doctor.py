"""How this machine is, hub, table, station or wall: one line a check, what to do, and a bundle for who helps.

It needs no running hub and no root. Exit code 0: nothing has to be done; 1: something has; 2: it was asked wrongly.
"""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from roundtap.doctor.own_checks import ETC, configured, hub_checks, own_settings, service_checks, settings_file
from roundtap.headless import event_input
from roundtap_core.words import Words, core_words
from roundtap_hub.diagnostics import bundle
from roundtap_systemd.checks import FINE, GROUPS, NOTE, UNKNOWN, WRONG, Check, worst, worst_first
from roundtap_systemd.health import Machine, health
from roundtap_systemd.services import asked, log_lines, services
from roundtap_systemd.wifi import hotspot_checks

DATA = Path("/var/lib/roundtap")
MARKS = {WRONG: "✗", NOTE: "–", UNKNOWN: "?", FINE: "✓"}
TO_DO = 1


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=None, metavar="DIR",
                        help=f"the folder that has to be writable; {DATA}, where it is there")
    parser.add_argument("--hub", default=None, metavar="URL",
                        help="where the hub is; what this machine's configuration says, where it is not given")
    parser.add_argument("--config", type=Path, default=ETC, metavar="DIR", help=f"where the configuration is; {ETC}")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text, or JSON for programs")
    parser.add_argument("--bundle", type=Path, default=None, metavar="FILE",
                        help="write versions, checks and log for who helps, without names, PIN, keys and passwords")


def run(args: Namespace) -> int:
    """The checks on stdout; with --bundle also a file."""
    words = core_words(event_input.reader_words().language)
    known = services(asked)
    # The package brings the services of every role to every machine.
    roles = [each.name for each in known if each.wanted or each.active == "active"]
    found = checks(args.data, args.config, args.hub, roles, service_checks(known))
    if args.bundle is not None:
        try:
            _write(args.bundle, bundle(found, known, log_lines(asked), {}, own_settings(args.config)))
        except OSError as error:
            event_input.complain(f"roundtap doctor: {args.bundle}: {error.strerror or error}")
            return event_input.BAD_INPUT
    if args.format == "json":
        event_input.write(event_input.json_text({"checks": [each.as_json() for each in found], "worst": worst(found)}))
    else:
        event_input.write("".join(f"{line}\n" for line in lines(found, words)))
        if args.bundle is not None:
            event_input.write(words("doctor.bundle", file=args.bundle) + "\n")
    return TO_DO if worst(found) == WRONG else event_input.DONE


def checks(data: Path | None, etc: Path, hub: str | None, roles: Sequence[str], told: Sequence[Check]) -> list[Check]:
    """Every check of this machine. `roles`: the services it has; `told`: what is known of those."""
    folder = data if data is not None else DATA if DATA.is_dir() else None
    board = bool({"table", "panel"} & set(roles)) or (etc / "table.toml").exists()
    return [*health(Machine(folder, board), time.time()), *told, *settings_file(), *configured(etc),
            *hotspot_checks(), *hub_checks(hub, etc, "hub" in roles or "standby" in roles)]


def lines(found: Sequence[Check], words: Words) -> list[str]:
    """Part by part, in each the worst first; what to do stands below."""
    said = []
    for group in GROUPS:
        ours = worst_first(check for check in found if check.group == group)
        if ours:
            said.append(words(f"check.group.{group}"))
        for check in ours:
            said.append(f"  {MARKS[check.state]} {check.title(words)}: {check.saw(words)}")
            if check.to_do(words):
                said.append(f"      → {check.to_do(words)}")
    n = sum(check.state == WRONG for check in found)
    return [*said, "", words("doctor.wrong", n=n) if n else words("doctor.fine")]


def _write(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


