"""`roundtap standby`: a second machine that holds the hub's journal, and becomes the hub when somebody says so."""

from __future__ import annotations

import argparse
import logging
import os
import secrets
import sys
import threading
import time
import tomllib
from pathlib import Path
from typing import Any

from roundtap_core.errors import Problem
from roundtap_hub import main as hub_main
from roundtap_hub.journal.clocks import system_clocks
from roundtap_hub.local_units import local_folder
from roundtap_hub.private_files import write_private
from roundtap_hub.standby.following import AWAY, BEHIND, FOLLOWING, Following, HubToFollow, hub_to_follow
from roundtap_hub.standby.standby_folder import KEY_TURNED, StandbyFolder, is_promoted, promote_folder, read_notes
from roundtap_hub.standby.standby_socket import StandbySocket
from roundtap_systemd.notify import Heartbeat, Notify, StopSignal

FOLLOW, PROMOTE = "follow", "promote"
CONFIG_KEYS = ("hub", "unit", "key")
LOOK_S = 0.2
"""How often a standby looks whether somebody turned the key."""
PROMOTED_WITHIN_S = 30.0

SAYS = {
    FOLLOWING: "holds everything the hub has saved ({words} entries), and every commit from now on before SAVED",
    BEHIND: "connected; it does not hold everything yet {words}",
    AWAY: "without contact to the hub; tries again {words}",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", default=FOLLOW, choices=(FOLLOW, PROMOTE),
                        help="follow the hub (the default), or turn the key: this machine is the hub from now on")
    parser.add_argument("--hub", metavar="URL", default="", help="the hub that is followed: http://10.42.0.1:8080")
    parser.add_argument("--unit", metavar="NAME", default="", help="this standby's name among the hub's units")
    parser.add_argument("--key", metavar="HEX", default="", help="its key there, of the role standby; or in --config")
    parser.add_argument("--config", metavar="FILE", type=Path, default=None, help="TOML with hub, unit and key")
    parser.add_argument("--start-over", action="store_true",
                        help="set aside what this folder holds (it gets another name) and begin with the hub's journal")
    parser.add_argument("--force", action="store_true", help="with promote: even if it never held everything")
    hub_main.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Follow until the key is turned, then serve as the hub; or turn the key."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    if args.database is not None or args.pages:
        print("roundtap standby: a standby holds a hub's own folder; hubs on a database need none "
              "(server/SCALE.md).", file=sys.stderr)
        return 2
    try:
        return _promote(args) if args.action == PROMOTE else _follow(args)
    except Problem as problem:
        print(f"roundtap standby: {problem}", file=sys.stderr)
        return 2


def _follow(args: argparse.Namespace) -> int:
    folder = StandbyFolder(args.data)
    try:
        if args.start_over:
            folder.set_aside()
        if not is_promoted(args.data):
            here = local_folder(args.local, os.environ.get("RUNTIME_DIRECTORY"))
            if not Standby(folder, _hub_of(args), here).run():
                return 0
            promote_folder(args.data, system_clocks().at(), secrets.token_hex)
            print("roundtap standby: the key is turned; this machine is the hub now", flush=True)
        return hub_main.run(args)
    finally:
        folder.close()


class Standby:
    """Follows in a thread of its own, until it is stopped or promoted: by the file that `promote` writes, or by
    whoever else calls `turn_key` (the front panel; a key switch on a line of the Pi). `here`: where the panel of this
    machine finds it; None: nowhere."""

    def __init__(self, folder: StandbyFolder, hub: HubToFollow, here: Path | None = None) -> None:
        self._folder = folder
        self._hub = hub
        self._state = AWAY
        self._panel = StandbySocket(here, self.state, self.turn_key) if here is not None else None
        self._turned = threading.Event()
        self._over = threading.Event()
        self._problem: BaseException | None = None
        self._following = Following(hub, folder, self._tell)

    def turn_key(self) -> None:
        """This machine is to be the hub. From any thread."""
        self._turned.set()

    def state(self) -> dict[str, Any]:
        """How it is, for the panel: {"state", "hub", "level"}."""
        return {"state": self._state, "hub": self._hub.url, "level": bool(read_notes(self._folder.path).get("level"))}

    def run(self) -> bool:
        """True: the key was turned, and nothing is followed any more. False: told to end. Raises Problem."""
        beat = Heartbeat(Notify())
        self._folder.open()
        stopped = StopSignal()
        thread = threading.Thread(target=self._follow, name="standby-follow", daemon=True)
        thread.start()
        key = self._folder.path / KEY_TURNED
        if self._panel is not None:
            self._panel.start()
        while not (stopped.is_set() or self._over.is_set() or self._turned.is_set()):
            beat.alive(time.monotonic_ns() // 1_000_000)
            if key.exists():
                self._turned.set()
            stopped.wait(LOOK_S)
        # A refused standby still becomes the hub if somebody wants it: it holds what it held.
        self._following.stop()
        if self._panel is not None:
            self._panel.close()
        thread.join(timeout=10)
        self._folder.close_journal()
        if self._turned.is_set():
            return True
        if self._problem is not None:
            raise self._problem
        return False

    def _follow(self) -> None:
        try:
            self._following.run()
        except BaseException as error:
            self._problem = error
            self._over.set()

    def _tell(self, state: str, words: str) -> None:
        self._state = state
        if state in SAYS:
            print("roundtap standby: " + SAYS[state].format(words=f"({words})" if words and state != FOLLOWING
                                                            else words).rstrip(), flush=True)


def _hub_of(args: argparse.Namespace) -> HubToFollow:
    """From the command line, and from the file where that says nothing."""
    said: dict[str, Any] = {}
    if args.config is not None:
        try:
            said = tomllib.loads(args.config.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Problem("standby_config", reason=f"{args.config}: {error}") from error
        strange = sorted(set(said) - set(CONFIG_KEYS))
        if strange:
            raise Problem("standby_config", reason=f"{args.config}: {', '.join(strange)}")
    hub, unit, key = (getattr(args, name) or str(said.get(name, "")) for name in CONFIG_KEYS)
    return hub_to_follow(hub, unit, key, args.port)


def _promote(args: argparse.Namespace) -> int:
    """Turn the key of the folder's standby, whether its process runs or not."""
    folder = args.data
    if is_promoted(folder):
        print(f"roundtap standby: {folder} is a hub's already", flush=True)
        return 0
    if not read_notes(folder).get("level") and not args.force:
        raise Problem("standby_not_level", where=str(folder))
    try:
        idle: StandbyFolder | None = StandbyFolder(folder)
    except Problem:
        # Somebody holds the folder: its own process does it, and serves at once.
        idle = None
    if idle is not None:
        try:
            promote_folder(folder, system_clocks().at(), secrets.token_hex)
        finally:
            idle.close()
        print("roundtap standby: the key is turned; no standby runs here: `roundtap standby` serves as the hub now",
              flush=True)
        return 0
    write_private(folder / KEY_TURNED, "")
    give_up_s = time.monotonic() + PROMOTED_WITHIN_S
    while time.monotonic() < give_up_s:
        if is_promoted(folder):
            print("roundtap standby: the key is turned; this machine is the hub now", flush=True)
            return 0
        time.sleep(LOOK_S)
    raise Problem("standby_deaf", where=str(folder))
