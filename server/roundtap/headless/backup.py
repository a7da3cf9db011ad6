"""Backs a hub's folder up, running or not, where the hub's own backups do not replace it: before an upgrade."""

from argparse import Namespace

from roundtap.headless import cli_io
from roundtap_hub.store.backups import back_up
from roundtap_hub.store.clocks import system_clocks


def run(args: Namespace) -> int:
    """Print the backup's file name, for `roundtap recover`; 2 where none could be made."""
    return cli_io.print_lines_from(
        "backup", lambda _: [str(back_up(args.data, system_clocks().at().wall or ""))], args.data
    )
