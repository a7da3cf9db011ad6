"""What the commands of this package that need an extra may be told; help asks here, and no package of an extra is
imported."""

from argparse import SUPPRESS
from collections.abc import Mapping
from pathlib import Path

from roundtap.demo import PLAYERS, RULEBOOK, TABLES
from roundtap_core.command_arguments import Argument, argument
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES

DATA = argument("--data", type=Path, default=Path("roundtap-data"), help="the hub's folder")

ARGUMENTS: Mapping[str, tuple[Argument, ...]] = {
    "journal": (
        argument(
            "what",
            choices=("list", "verify"),
            help="list: every stream and its last entry; "
            "verify: read all of it, hash by hash, and compare head file, copies, seals and people with "
            "the entries",
        ),
        DATA,
        argument(
            "--backup",
            type=Path,
            default=None,
            metavar="PLACE",
            help="a backup instead of the folder; of a stick or a folder the newest",
            either="place",
        ),
        argument(
            "--database",
            default=None,
            metavar="URL",
            help="a journal on PostgreSQL instead of the folder",
            either="place",
        ),
        argument(
            "--copy",
            type=Path,
            nargs="+",
            action="extend",
            default=[],
            metavar="FILE",
            help="copies (roundtap-copy.journal) that verify looks at too",
        ),
        argument("--event", default=None, help="only this event's stream"),
        argument("--format", choices=("json", "text"), default="text"),
    ),
    "pin": (
        DATA,
        argument("--phrase", action="store_true", help="four made-up words instead of eight digits"),
    ),
    "fingerprint": (DATA,),
    "backup": (DATA,),
    "recover": (
        argument(
            "--from",
            dest="places",
            type=Path,
            nargs="+",
            action="extend",
            required=True,
            metavar="PLACE",
            help="sticks, folders of hubs (damaged or not) and single files: journals, "
            "backups, copies; all of them are read, and none is changed. Of a file named itself, its own "
            "state is made, not a newer one beside it",
        ),
        argument("--data", type=Path, required=True, metavar="NEW", help="the folder to make; new or empty"),
        argument(
            "--restart",
            action="store_true",
            help="set aside what is in --data (in backups/set-aside there); where that is the service's folder, "
            "stop the hub before and start it afterwards",
        ),
        argument(
            "--outbox",
            type=Path,
            nargs="+",
            action="extend",
            default=[],
            metavar="FILE",
            help="outbox files of table units, whose reports are taken too",
        ),
        argument("--lineage", default="", metavar="HUB", help="which hub, where the places hold several"),
    ),
    "demo": (
        argument("--port", type=int, default=8080, help="the hub's port; the bench takes the next one"),
        argument("--tables", type=int, default=TABLES, help="how many virtual tables (default: %(default)s)"),
        argument(
            "--unenrolled",
            type=int,
            default=0,
            metavar="N",
            help="so many more tables as they come out of the box: each shows the digits by which it is "
            "enrolled on the console (Units)",
        ),
        argument("--players", type=int, default=PLAYERS, help="how many players are entered (default: %(default)s)"),
        argument(
            "--rulebook",
            default=RULEBOOK,
            choices=tuple(RULEBOOKS),
            metavar="ID",
            help="which game is played (default: %(default)s): " + ", ".join(RULEBOOKS),
        ),
        argument("--rules", metavar="FILE", help="a store's own game: its rules as a TOML file"),
        argument(
            "--host",
            default="127.0.0.1",
            help="address that the hub listens on; 0.0.0.0 lets phones in the same network in. The "
            "bench stays on this machine",
        ),
        argument("--language", default="en", choices=LANGUAGES, help="language of the tables"),
        argument(
            "--facing",
            default="edge",
            choices=("edge", "opposite"),
            help="edge: one way up, easy to read here; opposite: each half faces its player",
        ),
        # What a hub starts its practice hub with.
        argument("--practice", type=Path, default=None, help=SUPPRESS),
        argument("--secure-port", type=int, default=0, help=SUPPRESS),
    ),
}
