"""What this machine is: shows its role, sets it, or takes it from roundtap.txt on the boot partition."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from roundtap.machine import applying, first_boot, on_display, read_only, roles, says
from roundtap.machine.settings_file import ROLES, Said
from roundtap_core.errors import Problem
from roundtap_core.words import core_words

DONE, BAD_INPUT = 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("role", nargs="?", choices=ROLES, metavar="ROLE", help="|".join(ROLES) + ": be this from now on")
    what.add_argument("--apply", action="store_true", help="take what roundtap.txt says, as at each start")
    what.add_argument("--read-only", action="store_true", help="from the next start on, no plug hurts the system")
    what.add_argument("--writable", action="store_true", help="from the next start on, the system can be changed")
    what.add_argument("--first-boot", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--restart", action="store_true", help="restart by itself where that takes a restart")
    parser.add_argument("--root", type=Path, default=Path("/"), help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """2 where the role cannot be written; a slip in roundtap.txt is told and is no failure."""
    machine = applying.machine_at(args.root)
    try:
        if args.role:
            with machine.boot_open():
                applying.set_role(machine, args.role)
        if args.read_only or args.writable:
            return _turn(machine, on=args.read_only, restart=args.restart)
        if args.role or args.apply or args.first_boot:
            return _apply(machine, first=args.first_boot, restart=args.restart)
    except PermissionError as error:
        settings, _ = machine.settings()
        problem = Problem("role_forbidden", path=error.filename or "")
        print(f"roundtap role: {problem.say(core_words(settings.language or 'en'))}", file=sys.stderr)
        return BAD_INPUT
    settings, told = machine.settings()
    print(says.report(settings, told, says.words_for(settings), roles.services(settings.role)[0]), end="")
    return DONE


def _apply(machine: applying.Machine, first: bool, restart: bool) -> int:
    at_start = restart and machine.root == Path("/")
    if first:
        first_boot.quieten(machine)
    done = applying.apply(machine, start=not first)
    settings, _ = machine.settings()
    told = list(done.told)
    changed = done.restart
    if first and settings.read_only is not False:
        found = read_only.prepare(machine)
        told += found or _turned(machine, True)
    elif settings.read_only is not None:
        turned, found = read_only.turn(machine, settings.read_only)
        changed |= turned
        told += found
    if _is_data_missing(machine):
        told.append(Said("data_missing"))
    words = says.words_for(settings)
    text = says.report(settings, told, words, roles.services(settings.role)[0])
    consoles = says.CONSOLES if machine.root == Path("/") else ()
    with machine.boot_open():
        says.tell(machine.boot(), text, mend=bool(told) or not settings.role, consoles=consoles)
    print(text, end="")
    if told and at_start:
        on_display.show(settings, told[0].text(words), machine.root)
    if changed and not first:
        print(words("says.restart"))
        if restart and first_boot.restart_wanted(machine):
            machine.run(["systemctl", "--no-block", "reboot"])
    return DONE


def _turned(machine: applying.Machine, on: bool) -> list[Said]:
    return read_only.turn(machine, on)[1]


def _turn(machine: applying.Machine, on: bool, restart: bool) -> int:
    settings, _ = machine.settings()
    words = says.words_for(settings)
    if on and not read_only.is_read_only(machine.root):
        told = read_only.prepare(machine)
    else:
        told = []
    changed, found = (False, []) if told else read_only.turn(machine, on)
    for one in [*told, *found]:
        print(one.text(words), file=sys.stderr)
    if changed:
        print(words("says.read_only" if on else "says.writable"))
        if restart:
            machine.run(["systemctl", "--no-block", "reboot"])
    return BAD_INPUT if told or found else DONE


def _is_data_missing(machine: applying.Machine) -> bool:
    """Whether `/etc/fstab` has a data partition that is not there: the services that need it do not start."""
    fstab = machine.root / "etc/fstab"
    if not fstab.is_file() or read_only.BEGIN not in fstab.read_text(encoding="utf-8", errors="replace"):
        return False
    return not read_only.is_data_there(machine.root)
