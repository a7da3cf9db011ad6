"""`roundtap rehearse`: play a recorded event on the kit, each result typed at its table, and compare the standings."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from roundtap_core.errors import Problem

BAR_CELLS = 24


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("event", type=Path, nargs="?", metavar="EVENT.json", help="an event file with recorded rounds")
    parser.add_argument("--made-up", metavar="RULEBOOK", help="instead of a file: an event made up under this rulebook")
    parser.add_argument("--players", type=int, default=13, help="how many, when it is made up (8 to 64)")
    parser.add_argument("--seed", type=int, default=1, help="another number makes up another event")
    parser.add_argument("--expect", type=Path, metavar="PUBLISHED.json",
                        help="standings to compare with; without it, the record's own")
    parser.add_argument("--fast", action="store_true", help="in one process on a virtual clock")
    parser.add_argument("--trouble", action="store_true",
                        help="with --fast: disputes, judges and corrections on the way to the same end")
    parser.add_argument("--hub", metavar="URL", help="a running hub with real units: it tells, you press")
    parser.add_argument("--pin", help="the organizer's PIN of that hub")
    parser.add_argument("--authority", type=Path, metavar="CA.crt",
                        help="that hub's certificate authority, for https:// (http://HUB:8080/ca.crt)")
    parser.add_argument("--port", type=int, default=8090, help="the hub's port, when not --fast")


def run(args: argparse.Namespace) -> int:
    """0: every result was typed and the standings agree. 2: the file cannot be played. 3: they differ."""
    from roundtap.rehearsal.compare import changes, differences, outcome, read_published
    from roundtap.rehearsal.script import read_script, script_of

    if (args.event is None) == (args.made_up is None):
        print("roundtap rehearse: give either an event file or --made-up RULEBOOK", file=sys.stderr)
        return 2
    if not 8 <= args.players <= 64:
        print(f"roundtap rehearse: --players {args.players}: must be 8 to 64", file=sys.stderr)
        return 2
    if args.trouble and not args.fast:
        print("roundtap rehearse: --trouble goes with --fast", file=sys.stderr)
        return 2
    try:
        if args.made_up is not None:
            from roundtap.rehearsal.made_up import made_up

            script = script_of(made_up(args.made_up, args.players, args.seed))
        else:
            script = read_script(args.event)
        expected = read_published(args.expect) if args.expect else None
    except Problem as problem:
        print(f"{args.event or args.made_up}: {problem}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    bar = Bar(len(script.rounds))
    if args.fast:
        from roundtap.rehearsal.fast import rehearse_fast

        played = rehearse_fast(script, bar.show, args.trouble)
    else:
        from roundtap.kit.leash import clean_up_when_told_to_end
        from roundtap.rehearsal.live import NotSaved, rehearse_live, rehearse_on_units

        clean_up_when_told_to_end()
        try:
            played = (rehearse_on_units(script, bar.show, args.hub, args.pin or "", args.authority) if args.hub
                    else rehearse_live(script, bar.show, args.port))
        except (Problem, NotSaved, TimeoutError) as trouble:
            print(f"\nroundtap rehearse: {trouble}", file=sys.stderr)
            return 3
    bar.end()
    if expected is None:
        found = changes(outcome(played), outcome(script.tournament))
    else:
        found = differences(outcome(played)["standings"], expected)
    typed = sum(not typing.ruling for round_ in script.rounds for typing in round_.typing)
    print(f"{script.tournament.name}: {len(script.tournament.competitors)} players, {len(script.rounds)} rounds, "
          f"{typed} results typed from both sides")
    for line in found:
        print(f"  differs: {line}")
    print("  the standings differ" if found else "  the standings are as expected")
    return 3 if found else 0


class Bar:
    """A progress bar on stderr; on no terminal it says nothing."""

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds
        self._on = sys.stderr.isatty()

    def show(self, number: int, done: int, of: int) -> None:
        if self._on:
            filled = BAR_CELLS * done // max(1, of)
            print(f"\rround {number} of {self._rounds} [{'█' * filled}{'·' * (BAR_CELLS - filled)}] {done}/{of} ",
                  end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._on:
            print("\r" + " " * (BAR_CELLS + 40) + "\r", end="", file=sys.stderr, flush=True)
