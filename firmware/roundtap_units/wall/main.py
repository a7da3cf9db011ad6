"""`roundtap wall`: shows the hub's wall on this machine's own screen, permanently."""

import argparse
import logging
import os
import threading
from pathlib import Path

from roundtap_core.command_arguments import argument
from roundtap_core.words import LANGUAGES
from roundtap_machine.addresses import own_address
from roundtap_machine.notify import StopSignal, SystemdNotifier, refuse
from roundtap_units.link.hub_address import parse_endpoint
from roundtap_units.wall.browser import WallBrowser
from roundtap_units.wall.proxy import HubWatch, OwnHub, WallMemory, WallProxy, waiting_page

MEMORY = "wall.json"

ARGUMENTS = (
    argument(
        "--hub",
        metavar="URL",
        default=os.environ.get("ROUNDTAP_WALL", ""),
        help="the hub whose wall is shown: http://192.168.1.20 (default: $ROUNDTAP_WALL, or else the "
        "hub that is found: on this machine, on the network, at the hotspot's gateway)",
    ),
    argument(
        "--folder",
        type=Path,
        default=Path(os.environ.get("STATE_DIRECTORY") or "."),
        help="where this wall keeps who it is (default: $STATE_DIRECTORY, or here)",
    ),
    argument(
        "--language",
        choices=LANGUAGES,
        default="",
        help="of the page that is shown while there is no hub (default: all of them)",
    ),
    argument(
        "--window",
        action="store_true",
        help="in a window of the desktop that is running: no compositor of its own, no kiosk",
    ),
)


def run(args: argparse.Namespace) -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        configured = [parse_endpoint(args.hub if "://" in args.hub else f"http://{args.hub}")] if args.hub else []
    except ValueError:
        return refuse("wall", f"--hub {args.hub}: must be an address like http://192.168.1.20")
    stop = StopSignal()
    memory = WallMemory(args.folder / MEMORY, args.hub)
    own = OwnHub(memory, configured)
    watch = HubWatch(configured, own.ask)
    watch.start()
    proxy = WallProxy(watch, memory, lambda: waiting_page(args.language, own_address(), args.hub, own.trouble))
    threading.Thread(target=proxy.serve_forever, args=(60.0,), name="wall-proxy", daemon=True).start()
    try:
        WallBrowser(proxy, SystemdNotifier(), stop).run(args.window, os.environ)
    finally:
        watch.stop()
        proxy.server_close()
    return 0
