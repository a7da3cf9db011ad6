"""What `roundtap hub` and `roundtap standby` may be told; help asks here, and no package of an extra is imported."""

from argparse import SUPPRESS
from collections.abc import Mapping
from pathlib import Path

from roundtap_core.command_arguments import Argument, argument
from roundtap_core.words import LANGUAGES
from roundtap_hub.http.connection_limits import PER_ADDRESS
from roundtap_hub.http.hall_addresses import HTTP
from roundtap_hub.http.tls import SECURE_ABOVE

FOLLOW, PROMOTE = "follow", "promote"

_HUB = (
    argument(
        "--data",
        type=Path,
        default=Path("roundtap-data"),
        help="folder of the journal and the PIN; made if it is not there",
    ),
    argument("--host", default="0.0.0.0", help="address to answer at (default: 0.0.0.0, all that it has)"),
    argument("--port", type=int, default=8080, help="port of pages and units (default: 8080)"),
    argument(
        "--secure-port",
        type=int,
        default=None,
        metavar="PORT",
        help=f"port of the organizers' encrypted pages (default: {SECURE_ABOVE} above --port, so "
        "8443); 0: none, and organizers only at this machine itself",
    ),
    argument(
        "--short-port",
        type=int,
        default=0,
        metavar="PORT",
        help=f"answer on this port as well: with {HTTP}, nobody types a port, and phones on the hub's "
        "hotspot are told what they ask of the internet; where the port is taken the hub goes on "
        "without (default: none)",
    ),
    argument(
        "--name",
        metavar="NAME",
        action="append",
        default=[],
        help="another name of this hub (games.example.org), beside its addresses and names in .local: "
        "who asks --short-port by any other name is sent to its address; may be given more than once",
    ),
    argument("--language", default="en", choices=LANGUAGES, help="language of the wall"),
    argument(
        "--database",
        metavar="URL",
        default=None,
        help="journal on PostgreSQL instead of in the folder: postgresql://user@machine/roundtap; "
        "several hubs may share it (server/SCALE.md)",
    ),
    argument(
        "--pages",
        action="store_true",
        help="only show the public pages of the hubs on --database; no console, no units, no PIN",
    ),
    argument(
        "--console-url",
        metavar="URL",
        default=None,
        help="with --pages: where the event is run, for whoever asks here for the console",
    ),
    argument(
        "--per-address",
        type=int,
        default=PER_ADDRESS,
        metavar="N",
        help="connections that one address may hold (default %(default)s); more where a router hides "
        "the whole hall behind one address: 16 a phone",
    ),
    argument(
        "--copy",
        metavar="DIR",
        type=Path,
        action="append",
        default=[],
        help="a folder on another disk (a stick) that holds every commit, synced, before anybody is "
        "told that it is saved; may be given more than once",
    ),
    argument(
        "--stick",
        metavar="DIR",
        type=Path,
        action="append",
        default=[],
        help="a folder where a stick is mounted when somebody plugs one in: then it is as with --copy, "
        "and until then it is nothing; may be given more than once",
    ),
    argument(
        "--sound",
        metavar="DEVICE",
        nargs="?",
        const="default",
        default=None,
        help="let this machine's own audio out be heard at the start of a round, at five minutes and "
        "at time; an ALSA device as aplay -L lists them (default: %(const)s)",
    ),
    argument(
        "--local",
        metavar="DIR",
        type=Path,
        default=None,
        help="where units on this machine find their keys of this start (panel.json, station.json, "
        "table.json); default: the directory local that systemd made, else nowhere",
    ),
    argument(
        "--alone",
        action="store_true",
        help="do not look whether another hub on the network has this journal, and serve even if one took it over",
    ),
    argument("--bench-url", default=None, help=SUPPRESS),
    argument("--generous", type=int, default=1, help=SUPPRESS),
    argument("--crash-at", default=None, help=SUPPRESS),
)

ARGUMENTS: Mapping[str, tuple[Argument, ...]] = {
    "hub": _HUB,
    "standby": (
        argument(
            "action",
            nargs="?",
            default=FOLLOW,
            choices=(FOLLOW, PROMOTE),
            help="follow the hub (the default), or promote: this machine becomes the hub",
        ),
        argument(
            "--config",
            metavar="FILE",
            type=Path,
            default=None,
            help="TOML with hub (http://10.42.0.1:8080), unit (this standby's name there) and key (of that unit)",
        ),
        argument(
            "--start-over",
            action="store_true",
            help="set this folder's data aside (under another name) and start with the hub's journal",
        ),
        argument("--force", action="store_true", help="with promote: even if this standby was never up to date"),
        *_HUB,
    ),
}
