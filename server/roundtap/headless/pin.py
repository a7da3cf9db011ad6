"""Makes a new PIN for a hub's organizers, shown here once; a running hub knows it at once, and all sessions end."""

from argparse import Namespace

from roundtap.headless import cli_io
from roundtap_core.errors import Problem
from roundtap_core.words import Words
from roundtap_hub.store.login_pins import new_phrase, new_pin, salt_in, write_pin


def run(args: Namespace) -> int:
    """Print the new PIN; 2 where there is no hub's folder, or it is not writable."""
    path = args.data / "pin"

    def make(_: Words) -> list[str]:
        # A folder without a PIN is not a hub's: no PIN would ever be used there.
        if not path.is_file():
            raise Problem("no_pin_folder")
        made = new_phrase() if args.phrase else new_pin()
        write_pin(path, made, salt_in(path))
        return [made]

    return cli_io.print_lines_from("pin", make, path)
