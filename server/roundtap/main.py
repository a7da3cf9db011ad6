"""The command line: `roundtap COMMAND …`. Only the chosen command's module is imported, so each starts at once."""

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from roundtap_core import command_arguments

DONE, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 0, 2, 130, 141
OWN_PACKAGES = ("roundtap", "roundtap_core", "roundtap_hub", "roundtap_units", "roundtap_devices", "roundtap_machine")

END_WITH_STDIN = "--end-with-stdin"  # for a child process: end when its parent dies, however it dies

END_WITHIN_S = 20  # a process that has not ended by then is killed by the kernel

# What the commands that need an extra may be told, by the package that their module is in.
ARGUMENTS = {
    "roundtap": "roundtap.kit_arguments",
    "roundtap_hub": "roundtap_hub.app.hub_arguments",
    "roundtap_units": "roundtap_units.unit_arguments",
}


class Command(NamedTuple):
    """A command: its module has a function run(args), which returns the exit code, and ARGUMENTS, what it may be told;
    `extras`: the package's optional dependencies that it needs. Then its module cannot be imported without them, and
    what it may be told stands under its name in the module that ARGUMENTS names here: help needs no extra."""

    module: str
    help: str
    extras: tuple[str, ...] = ()


COMMANDS: dict[str, Command] = {
    "pair": Command("roundtap.headless.pair", "draw the next round of an event file"),
    "standings": Command("roundtap.headless.standings", "the standings of an event file"),
    "league": Command("roundtap.headless.league", "several event files added up, person by person"),
    "bracket": Command("roundtap.headless.bracket", "the elimination tree of an event file"),
    "site": Command("roundtap.headless.site", "event files as plain pages, for a club's web page"),
    "check": Command("roundtap.headless.check", "every rule that an event file breaks"),
    "rulebook": Command("roundtap.headless.rulebook", "the rulebooks, or one rulebook's figures and house decisions"),
    "journal": Command("roundtap.headless.journal", "what is in a hub's journal, and whether it holds", ("hub",)),
    "pin": Command("roundtap.headless.pin", "a new PIN for a hub's organizers, shown once", ("hub",)),
    "fingerprint": Command("roundtap.headless.fingerprint", "whom organizers' browsers should trust", ("hub",)),
    "doctor": Command("roundtap.doctor.doctor", "how this machine is, what to do, and a bundle for who helps"),
    "backup": Command("roundtap.headless.backup", "back a hub's folder up, for instance before an upgrade", ("hub",)),
    "recover": Command(
        "roundtap.headless.recover", "make a hub's folder of sticks, backups and damaged journals", ("hub",)
    ),
    "hub": Command("roundtap_hub.app.main", "serve an event to the hall", ("hub",)),
    "standby": Command(
        "roundtap_hub.app.standby.main", "hold a hub's journal on a second machine, and take its place", ("hub",)
    ),
    "table": Command("roundtap_units.table.main", "run a table unit", ("unit",)),
    "panel": Command("roundtap_units.panel.main", "run the front panel of the hub's machine", ("unit", "station")),
    "board": Command(
        "roundtap_units.wiring.main", "a board's wires, what to buy for it, and all of it tried", ("unit",)
    ),
    "station": Command("roundtap_units.station.main", "run a print station", ("station",)),
    "role": Command("roundtap.provisioning.role", "what this machine is: hub, table, printer, wall, standby"),
    "card": Command("roundtap.provisioning.card", "a card whose first start installs Roundtap without internet"),
    "printer": Command(
        "roundtap_units.printer_setup.main", "which ports a printer is on; find its speed and model", ("station",)
    ),
    "wall": Command("roundtap_units.wall.main", "the hub's wall on this machine's own screen"),
    "hotspot": Command("roundtap.provisioning.hotspot", "make the hall's Wi-Fi on this machine, for eight devices"),
    "demo": Command("roundtap.demo.demo", "a hub and virtual tables on this machine", ("hub", "unit", "station")),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; `arguments` default to the process's own. Returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        # What is imported stays, all but a third of a megabyte: to look through it for garbage takes a tenth of a
        # hub's start.
        gc.disable()
    if END_WITH_STDIN in words:
        words.remove(END_WITH_STDIN)
        end_with_stdin()
    try:
        code = _run(words)
        # Here, because at the interpreter's exit a closed pipe could no longer be handled.
        sys.stdout.flush()
        if arguments is None:
            # Everything is closed. A daemon thread that runs on while the interpreter is taken down may end in libc's
            # word about libgcc_s, and the last collection of garbage takes a loaded Pi longer than systemd waits. What
            # a command has read is not taken apart object by object, either.
            sys.stderr.flush()
            os._exit(code)
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # What is still buffered after the reader has gone ("| head") is discarded without an error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


def end_with_stdin() -> None:
    import signal
    import threading

    def wait() -> None:
        # Unbuffered: a thread that holds the buffer's lock would disturb the interpreter's exit.
        while os.read(0, 4096):
            pass
        # The kernel's alarm comes even if Python is stuck or missed its SIGTERM.
        signal.alarm(END_WITHIN_S)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="end-with-stdin", daemon=True).start()


def _run(words: list[str]) -> int:
    if not words or words[0] not in COMMANDS:
        top = _top_parser()
        top.parse_args(words)
        top.print_help(sys.stderr)
        return BAD_INPUT
    name, command = words[0], COMMANDS[words[0]]
    try:
        parser = argparse.ArgumentParser(
            prog=f"roundtap {name}",
            description=_docstring(command.module) if {"-h", "--help"} & {*words} else None,
            allow_abbrev=False,
            formatter_class=_Help,
        )
        add_arguments(name, parser)
        # argparse gives further words up at the first option, unless it is asked to read on.
        intermixed = name in ("rulebook", "league")
        args = (parser.parse_intermixed_args if intermixed else parser.parse_args)(words[1:])
        run = import_module(command.module).run
        gc.freeze()
        gc.enable()
        return int(run(args))
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0]
        if not command.extras or missing in OWN_PACKAGES:
            raise
        # Only a journal on a database needs this one.
        print(_missing_extra(name, ("postgres",) if missing == "psycopg" else command.extras), file=sys.stderr)
        return BAD_INPUT


def add_arguments(name: str, parser: argparse.ArgumentParser) -> None:
    """What that command may be told."""
    module, _, extras = COMMANDS[name]
    package = ARGUMENTS[module.partition(".")[0]]
    told = import_module(package).ARGUMENTS[name] if extras else import_module(module).ARGUMENTS
    command_arguments.add_arguments(parser, told)
    parser.set_defaults(refuse=parser.error)


def _docstring(module: str) -> str | None:
    """Of that module, which is not imported: that might need an extra."""
    import ast
    from importlib.resources import files

    package, _, name = module.rpartition(".")
    return ast.get_docstring(ast.parse((files(package) / f"{name}.py").read_bytes()))


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal. argparse would ask shutil, which costs 4 ms of every start, help wanted or not."""

    def __init__(self, prog: str) -> None:
        try:
            columns = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(1).columns
        except (OSError, ValueError):
            columns = 0
        super().__init__(prog, width=(columns if columns > 0 else 80) - 2)


class _VersionAction(argparse.Action):
    """Looks the version up only on request: a checkout has to ask git."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from roundtap_core.version import version

        print(f"roundtap {version()}")
        parser.exit()


class _TopHelp(_Help, argparse.RawDescriptionHelpFormatter):
    """Keeps the list of commands as it is formatted."""


def _top_parser() -> argparse.ArgumentParser:
    longest = max(map(len, COMMANDS))
    listed = "\n".join(f"  {name:<{longest}}  {command.help}" for name, command in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="roundtap",
        usage="roundtap [--version] COMMAND …",
        allow_abbrev=False,
        formatter_class=_TopHelp,
        epilog=f"commands:\n{listed}\n\n`roundtap COMMAND --help` tells more.",
    )
    parser.add_argument("--version", action=_VersionAction, nargs=0, help="show the version, and end")
    parser.add_argument("command", nargs="?", choices=COMMANDS, metavar="COMMAND", help=argparse.SUPPRESS)
    return parser


def _missing_extra(name: str, extras: tuple[str, ...]) -> str:
    quoted = " and ".join(f"'{extra}'" for extra in extras)
    plural = "s" if len(extras) > 1 else ""
    return f"roundtap {name} needs the extra{plural} {quoted}: pip install roundtap[{','.join(extras)}]"


if __name__ == "__main__":
    sys.exit(main())
