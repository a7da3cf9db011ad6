"""What `roundtap hub` and `roundtap standby` may be told; help asks here, and no package of an extra is imported."""

from argparse import SUPPRESS, ArgumentParser
from pathlib import Path

from roundtap_core.words import LANGUAGES
from roundtap_hub.access.tls import SECURE_ABOVE
from roundtap_hub.hall.hall_addresses import HTTP
from roundtap_hub.serving.connection_limits import PER_ADDRESS

FOLLOW, PROMOTE = "follow", "promote"


def hub(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        default=Path("roundtap-data"),
        help="folder of the journal and the PIN; made if it is not there",
    )
    parser.add_argument("--host", default="0.0.0.0", help="address to answer at (default: 0.0.0.0, all that it has)")
    parser.add_argument("--port", type=int, default=8080, help="port of pages and units (default: 8080)")
    parser.add_argument(
        "--secure-port",
        type=int,
        default=None,
        metavar="PORT",
        help=f"port of the organizers' encrypted pages (default: {SECURE_ABOVE} above --port, so "
        "8443); 0: none, and organizers only at this machine itself",
    )
    parser.add_argument(
        "--short-port",
        type=int,
        default=0,
        metavar="PORT",
        help=f"answer on this port as well: with {HTTP}, nobody types a port, and phones on the hub's "
        "hotspot are told what they ask of the internet; where the port is taken the hub goes on "
        "without (default: none)",
    )
    parser.add_argument(
        "--name",
        metavar="NAME",
        action="append",
        default=[],
        help="another name of this hub (games.example.org), beside its addresses and names in .local: "
        "who asks --short-port by any other name is sent to its address; may be given more than once",
    )
    parser.add_argument("--language", default="en", choices=LANGUAGES, help="language of the wall")
    parser.add_argument(
        "--database",
        metavar="URL",
        default=None,
        help="journal on PostgreSQL instead of in the folder: postgresql://user@machine/roundtap; "
        "several hubs may share it (server/SCALE.md)",
    )
    parser.add_argument(
        "--pages",
        action="store_true",
        help="only show the public pages of the hubs on --database; no console, no units, no PIN",
    )
    parser.add_argument(
        "--console-url",
        metavar="URL",
        default=None,
        help="with --pages: where the event is run, for whoever asks here for the console",
    )
    parser.add_argument(
        "--per-address",
        type=int,
        default=PER_ADDRESS,
        metavar="N",
        help="connections that one address may hold (default %(default)s); more where a router hides "
        "the whole hall behind one address: 16 a phone",
    )
    parser.add_argument(
        "--copy",
        metavar="DIR",
        type=Path,
        action="append",
        default=[],
        help="a folder on another disk (a stick) that holds every commit, synced, before anybody is "
        "told that it is saved; may be given more than once",
    )
    parser.add_argument(
        "--stick",
        metavar="DIR",
        type=Path,
        action="append",
        default=[],
        help="a folder where a stick is mounted when somebody plugs one in: then it is as with --copy, "
        "and until then it is nothing; may be given more than once",
    )
    parser.add_argument(
        "--sound",
        metavar="DEVICE",
        nargs="?",
        const="default",
        default=None,
        help="let this machine's own audio out be heard at the start of a round, at five minutes and "
        "at time; an ALSA device as aplay -L lists them (default: %(const)s)",
    )
    parser.add_argument(
        "--local",
        metavar="DIR",
        type=Path,
        default=None,
        help="where units on this machine find their keys of this start (panel.json, station.json, "
        "table.json); default: the directory local that systemd made, else nowhere",
    )
    parser.add_argument(
        "--alone",
        action="store_true",
        help="do not look whether another hub on the network has this journal, and serve even if one took it over",
    )
    parser.add_argument("--bench-url", default=None, help=SUPPRESS)
    parser.add_argument("--generous", type=int, default=1, help=SUPPRESS)
    parser.add_argument("--crash-at", default=None, help=SUPPRESS)


def standby(parser: ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        default=FOLLOW,
        choices=(FOLLOW, PROMOTE),
        help="follow the hub (the default), or promote: this machine becomes the hub",
    )
    parser.add_argument("--hub", metavar="URL", default="", help="the hub to follow: http://10.42.0.1:8080")
    parser.add_argument("--unit", metavar="NAME", default="", help="this standby's name among the hub's units")
    parser.add_argument("--key", metavar="HEX", default="", help="its key there, with the role standby; or in --config")
    parser.add_argument("--config", metavar="FILE", type=Path, default=None, help="TOML with hub, unit and key")
    parser.add_argument(
        "--start-over",
        action="store_true",
        help="set this folder's data aside (under another name) and start with the hub's journal",
    )
    parser.add_argument("--force", action="store_true", help="with promote: even if this standby was never up to date")
    hub(parser)
