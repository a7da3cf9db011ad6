"""`roundtap standby`: a second machine that holds the hub's journal and becomes the hub when told to."""

import argparse
import grp
import http.client
import json
import logging
import os
import secrets
import select
import socket
import threading
import time
import tomllib
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from roundtap_core.errors import Problem
from roundtap_core.wire import REQUEST, envelope
from roundtap_hub.access.unit_keys import local_folder
from roundtap_hub.app import main as hub_main
from roundtap_hub.app.hub_arguments import PROMOTE
from roundtap_hub.app.standby.peers import PROMOTE_FILE, StandbyFolder, is_promoted, promote_folder, read_notes
from roundtap_hub.http.hall_addresses import http_url
from roundtap_hub.store.clocks import system_clocks
from roundtap_hub.store.journal import JournalConflict
from roundtap_hub.store.secure_files import write_private
from roundtap_hub.store.standby_copy import unseal
from roundtap_machine.deadline_http import send_request
from roundtap_machine.notify import Heartbeat, StopSignal, SystemdNotifier, refuse

log = logging.getLogger(__name__)

LOOK_S = 0.2  # how often a standby checks whether it was promoted
PROMOTED_WITHIN_S = 30.0

SILENCE_S = 6.0  # the hub answers within 2 s
RETRY_S = 1.0
ANSWER_BYTES_MAX = 96 * 1024 * 1024

PROMOTED_TEXT = "roundtap standby: promoted; this machine is now the hub"
FOLLOWING, BEHIND, AWAY, REFUSED = "following", "behind", "away", "refused"
STATE_TEXTS = {
    FOLLOWING: "has everything the hub has saved ({words} entries); gets every new entry before SAVED",
    BEHIND: "connected, but not up to date yet {words}",
    AWAY: "no contact with the hub; retrying {words}",
}
REFUSALS = {"ahead": "standby_ahead", "foreign": "standby_foreign"}

SOCKET = "standby.sock"
GROUP = "roundtap-panel"  # the group that may connect: the panel (besides root)
LETTERS_MAX = 16
TURN = b"turn"


def run(args: argparse.Namespace) -> int:
    """Follow until promoted, then serve as the hub; or promote."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    if args.database is not None or args.pages:
        return refuse("standby", "a standby needs a hub's own folder; a database needs no standby (server/SCALE.md).")
    try:
        return _promote(args) if args.action == PROMOTE else _follow(args)
    except Problem as problem:
        return refuse("standby", problem)


def _follow(args: argparse.Namespace) -> int:
    folder = StandbyFolder(args.data)
    try:
        if args.start_over:
            folder.set_aside()
        if not is_promoted(args.data):
            panel_folder = local_folder(args.local, os.environ.get("RUNTIME_DIRECTORY"))
            if not Standby(read_hub(args.config, args.port), folder, panel_folder).run():
                return 0
            promote_folder(args.data, system_clocks().at(), secrets.token_hex)
            print(PROMOTED_TEXT, flush=True)
            SystemdNotifier().say("")
        return hub_main.run(args)
    finally:
        folder.close()


class StandbyConfig(msgspec.Struct, forbid_unknown_fields=True):
    """The file of --config: the hub's address, this standby's name and key there."""

    hub: str
    unit: str
    key: str


def read_hub(file: Path | None, serve_port: int = 0) -> "HubToFollow":
    """Raises Problem("standby_config")."""
    try:
        text = file.read_text(encoding="utf-8-sig") if file is not None else ""
        config = msgspec.convert(tomllib.loads(text), StandbyConfig)
        parts, key = urlsplit(config.hub), bytes.fromhex(config.key)
        if parts.scheme != "http" or not parts.hostname or not config.unit or len(key) < 32:
            raise ValueError(f"hub {config.hub!r}, unit {config.unit!r}, a key of {len(config.key)} digits")
        return HubToFollow(parts.hostname, parts.port or 8080, config.unit, key, serve_port)
    except (OSError, ValueError) as error:
        raise Problem("standby_config", reason=f"{file or '--config'}: {error}") from error


def _promote(args: argparse.Namespace) -> int:
    folder = args.data
    if is_promoted(folder):
        print(f"roundtap standby: {folder} is already a hub's folder", flush=True)
        return 0
    if not read_notes(folder).get("level") and not args.force:
        raise Problem("standby_not_level", where=str(folder))
    try:
        idle: StandbyFolder | None = StandbyFolder(folder)
    except Problem:
        # Its own process holds the folder; it promotes itself and serves at once.
        idle = None
    if idle is not None:
        with closing(idle):
            promote_folder(folder, system_clocks().at(), secrets.token_hex)
        print("roundtap standby: promoted; no standby runs here: `roundtap standby` now starts the hub", flush=True)
        return 0
    write_private(folder / PROMOTE_FILE, "")
    give_up_s = time.monotonic() + PROMOTED_WITHIN_S
    while time.monotonic() < give_up_s:
        if is_promoted(folder):
            print(PROMOTED_TEXT, flush=True)
            return 0
        time.sleep(LOOK_S)
    raise Problem("standby_deaf", where=str(folder))


@dataclass(frozen=True, slots=True)
class HubToFollow:
    """The hub's address, this standby's name and key there, and the port that this standby will serve."""

    host: str
    port: int
    unit: str
    key: bytes
    own_port: int

    @property
    def url(self) -> str:
        return http_url(self.host, self.port)


class RefusedByHub(Problem):
    """The hub refuses this standby for good."""


class Standby:
    """Asks the hub again and again, and stores what it answers, in its own thread, until it is stopped or promoted: by
    the file of "roundtap standby promote", or by this machine's front panel. `panel_folder`: the folder of the panel's
    socket; None: no panel."""

    def __init__(self, hub: HubToFollow, folder: StandbyFolder, panel_folder: Path | None = None) -> None:
        self._hub = hub
        self._folder = folder
        self._panel_folder = panel_folder
        self._stop = threading.Event()
        self._connection: http.client.HTTPConnection | None = None
        self._status: tuple[str, str | None] = (AWAY, None)
        self._problem: Exception | None = None

    def state(self) -> dict[str, Any]:
        """The state for the panel: {"state", "hub", "level"}."""
        return {"state": self._status[0], "hub": self._hub.url, "level": bool(self._folder.notes.get("level"))}

    def run(self) -> bool:
        """True: promoted, following has ended. False: told to stop. Raises Problem."""
        beat = Heartbeat(SystemdNotifier())
        self._folder.open()
        stopped = StopSignal()
        thread = threading.Thread(target=self._follow_or_fail, name="standby-follow", daemon=True)
        thread.start()
        key, turned = self._folder.path / PROMOTE_FILE, False
        with closing(PanelDoor(self._panel_folder)) as door:
            while thread.is_alive() and not (stopped.is_set() or turned):
                beat.beat(time.monotonic_ns() // 1_000_000)
                turned = door.is_key_turned(self.state()) or key.exists()
        # A refused standby can still be promoted: it holds what it held.
        self.stop()
        thread.join(timeout=10)
        # The folder stays locked.
        self._folder.journal.close()
        if self._problem is not None and not turned:
            raise self._problem
        return turned

    def stop(self) -> None:
        """End soon, from any thread."""
        self._stop.set()
        connected = self._connection.sock if self._connection is not None else None
        # Who waits for an answer is woken, and may close it meanwhile.
        with suppress(OSError):
            if connected is not None:
                connected.shutdown(socket.SHUT_RDWR)

    def _follow_or_fail(self) -> None:
        try:
            self.follow()
        except Exception as error:
            # A fault of this program: it ends the process, which says why.
            self._problem = error

    def follow(self) -> None:
        """Follow, with retries, until `stop`, or until the hub refuses for good."""
        while not self._stop.is_set():
            try:
                self._follow_once()
                self._set_status(AWAY, "")
            except RefusedByHub as refused:
                self._problem = refused
                return
            except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as lost:
                self._set_status(AWAY, str(lost))
            except (Problem, JournalConflict) as lost:
                # A gap, or the disk: the next connection begins with what is stored here.
                log.error("what the hub said cannot be written down: %s", lost)
                self._set_status(BEHIND, str(lost))
                with suppress(Problem):
                    self._folder.heads = self._folder.journal.heads()
            self._stop.wait(RETRY_S)

    def _set_status(self, state: str, detail: str) -> None:
        if (state, detail) != self._status:
            self._status = (state, detail)
            if state in STATE_TEXTS:
                shown = f"({detail})" if detail and state != FOLLOWING else detail
                text = STATE_TEXTS[state].format(words=shown).rstrip()
                print(f"roundtap standby: {text}", flush=True)
                SystemdNotifier().say("" if state == FOLLOWING else text)

    def _follow_once(self) -> None:
        hub = self._hub
        connection = self._connection = http.client.HTTPConnection(hub.host, hub.port, timeout=SILENCE_S)
        with closing(connection):
            connection.connect()
            own_host = connection.sock.getsockname()[0]
            challenge = send_request(connection, "/device/challenge")[1]["challenge"]
            hello: Mapping[str, Any] | None = {
                "port": hub.own_port,
                "heads": {stream: list(head) for stream, head in self._folder.heads.items()},
                "epochs": list(self._folder.venue().epochs),
            }
            while not self._stop.is_set():
                answer = _ask(connection, hub, {"challenge": challenge, "hello": hello})
                if why := answer.get("refused"):
                    self._set_status(REFUSED, why)
                    raise RefusedByHub(
                        REFUSALS.get(why, "standby_refused"), where=str(self._folder.path), hub=hub.url, why=why
                    )
                if hello is not None:
                    self._folder.save_notes(hub=hub.url, own=http_url(own_host, hub.own_port))
                    self._set_status(BEHIND, "")
                for message in answer["messages"]:
                    self._take(message)
                challenge, hello = answer["challenge"], None

    def _take(self, message: Mapping[str, Any]) -> None:
        kind = message["type"]
        if kind == "batch":
            self._folder.append_rows(message["entries"], message["people"])
        elif kind == "beside":
            self._folder.take_beside(message)
        elif kind == "level":
            self._folder.save_notes(level=True)
            self._set_status(FOLLOWING, str(sum(head.number for head in self._folder.heads.values())))


def _ask(connection: http.client.HTTPConnection, hub: HubToFollow, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The hub's answer. Raises as http.client, ValueError for a refusal, and DecryptionFailed."""
    nonce = secrets.token_hex(16)
    message = envelope(hub.key, REQUEST, {"unit": hub.unit, "nonce": nonce, **fields})
    own = {"roundtap-unit": hub.unit}
    status, answer = send_request(connection, "/standby/feed", message, ANSWER_BYTES_MAX, own)
    if status != http.client.OK:
        raise ValueError(f"the hub answered {status}: {answer}")
    return unseal(hub.key, nonce, answer)


class PanelDoor:
    """Where this machine's front panel asks for the standby's state, or turns its key: a datagram a question, so that
    no caller keeps it waiting. The answer goes to who has an address: {"state", "hub", "level", "turned"}. A folder
    that cannot be written is logged: the key is then left to the command line. `folder`: None for a machine without a
    panel."""

    def __init__(self, folder: Path | None) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        # Who asks and reads no answer keeps it waiting no longer than who drips.
        self._socket.setblocking(False)
        self._path = folder / SOCKET if folder is not None else None
        if self._path is None:
            return
        try:
            self._path.unlink(missing_ok=True)
            # Before it has a name, and so before its group is set: whoever reaches it can promote.
            os.fchmod(self._socket.fileno(), 0o600)
            self._socket.bind(os.fspath(self._path))
            with suppress(KeyError, PermissionError):
                os.chown(self._path, -1, grp.getgrnam(GROUP).gr_gid)
                self._path.chmod(0o660)
        except OSError as error:
            log.warning("the panel of this machine cannot be heard: %s", error)

    def is_key_turned(self, state: Mapping[str, Any]) -> bool:
        """Answer one question, should there be one within LOOK_S. Without a level the key turns nothing."""
        if not select.select([self._socket], [], [], LOOK_S)[0]:
            return False
        question, panel = self._socket.recvfrom(LETTERS_MAX)
        turned = question == TURN and bool(state["level"])
        with suppress(OSError):
            if panel:
                self._socket.sendto(json.dumps({**state, "turned": turned}).encode(), panel)
        if turned:
            log.warning("promoted at the front panel")
        return turned

    def close(self) -> None:
        self._socket.close()
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink()
