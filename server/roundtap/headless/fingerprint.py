"""Shows the fingerprint of a hub's certificate authority, to be compared before anybody trusts it."""

from argparse import Namespace

from roundtap.headless import cli_io
from roundtap_core.errors import Problem
from roundtap_core.words import Words
from roundtap_hub.http.tls import AUTHORITY, FOLDER, fingerprint


def run(args: Namespace) -> int:
    """Print the SHA-256 in groups of four; 2 where no authority can be read."""
    path = args.data / FOLDER / AUTHORITY

    def read(_: Words) -> list[str]:
        if not path.is_file():
            raise Problem("no_authority")
        return [fingerprint(path.read_bytes(), path)]

    return cli_io.print_lines_from("fingerprint", read, path)
