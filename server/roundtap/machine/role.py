"""What this machine is: shows its role, sets it, or takes it from roundtap.txt on the boot partition."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from roundtap.machine import applying, roles, says
from roundtap.machine.settings_file import ROLES
from roundtap_core.errors import Problem
from roundtap_core.words import core_words

DONE, BAD_INPUT = 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("role", nargs="?", choices=ROLES, metavar="ROLE",
                        help="|".join(ROLES) + ": be this from now on")
    parser.add_argument("--apply", action="store_true", help="take what roundtap.txt says, as at each start")
    parser.add_argument("--root", type=Path, default=Path("/"), help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """2 where the role cannot be written; a slip in roundtap.txt is told and is no failure."""
    machine = applying.Machine(args.root)
    try:
        if args.role:
            applying.set_role(machine, args.role)
        if args.role or args.apply:
            return _apply(machine)
    except PermissionError as error:
        settings, _ = machine.settings()
        problem = Problem("role_forbidden", path=error.filename or "")
        print(f"roundtap role: {problem.say(core_words(settings.language or 'en'))}", file=sys.stderr)
        return BAD_INPUT
    settings, told = machine.settings()
    print(says.report(settings, told, says.words_for(settings), roles.services(settings.role)[0]), end="")
    return DONE


def _apply(machine: applying.Machine) -> int:
    done = applying.apply(machine)
    settings, _ = machine.settings()
    words = says.words_for(settings)
    text = says.report(settings, done.told, words, roles.services(settings.role)[0])
    says.tell(machine.boot(), text, mend=bool(done.told), consoles=says.CONSOLES if machine.root == Path("/") else ())
    print(text, end="")
    if done.restart:
        print(words("says.restart"))
    return DONE
