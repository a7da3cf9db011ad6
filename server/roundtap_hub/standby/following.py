"""A standby at its post: it follows the hub's feed, writes down what it hears, and says so; again and again."""

from __future__ import annotations

import http.client
import itertools
import json
import logging
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from roundtap_core.errors import Problem
from roundtap_core.version import version
from roundtap_core.wire import REQUEST, envelope
from roundtap_hub.journal.journal import JournalConflict
from roundtap_hub.standby.sealed_feed import NotSealed, SealedFeed
from roundtap_hub.standby.standby_folder import StandbyFolder

log = logging.getLogger(__name__)

SILENCE_S = 6.0
"""The hub beats every 2 s."""
RETRY_S = 1.0
LINE_BYTES_MAX = 96 * 1024 * 1024

FOLLOWING, BEHIND, AWAY, REFUSED = "following", "behind", "away", "refused"


@dataclass(frozen=True, slots=True)
class HubToFollow:
    """Where the hub is, who this standby is there, the key that both hold, and the port that this one will serve."""

    host: str
    port: int
    unit: str
    key: bytes
    own_port: int

    @property
    def url(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


class RefusedByHub(Exception):
    """The hub will not be followed from here: in its own words."""


class Following:
    """Follows until stopped, in the thread that calls `run`. `tell(state, words)` hears whenever the state changes."""

    def __init__(self, hub: HubToFollow, folder: StandbyFolder, tell: Callable[[str, str], None]) -> None:
        self._hub = hub
        self._folder = folder
        self._tell_state = tell
        self._stop = threading.Event()
        self._connections: tuple[http.client.HTTPConnection, ...] = ()
        self._said: tuple[str, str] = ("", "")

    def run(self) -> None:
        """Until `stop`. Raises Problem where the hub refuses for good."""
        while not self._stop.is_set():
            try:
                self._follow_once()
                self._say(AWAY, "")
            except RefusedByHub as refused:
                why = str(refused)
                self._say(REFUSED, why)
                where = str(self._folder.path)
                if why == "ahead":
                    raise Problem("standby_ahead", where=where, hub=self._hub.url) from refused
                if why == "foreign":
                    raise Problem("standby_foreign", where=where, hub=self._hub.url) from refused
                raise Problem("standby_refused", where=where, hub=self._hub.url, why=why) from refused
            except NotSealed:
                self._say(AWAY, "key")
            except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as lost:
                self._say(AWAY, str(lost))
            except (Problem, JournalConflict) as lost:
                # A gap, or the disk: the next connection begins with what is really here.
                log.error("what the hub said cannot be written down: %s", lost)
                self._say(BEHIND, str(lost))
                with suppress(Problem):
                    self._folder.heads = self._folder.journal.heads()
            self._stop.wait(RETRY_S)

    def stop(self) -> None:
        """End soon, from any thread."""
        self._stop.set()
        for connection in self._connections:
            # Whoever follows may close it meanwhile.
            open_now = connection.sock
            if open_now is not None:
                with suppress(OSError):
                    open_now.shutdown(socket.SHUT_RDWR)

    def _say(self, state: str, words: str) -> None:
        if (state, words) != self._said:
            self._said = (state, words)
            self._tell_state(state, words)

    def _follow_once(self) -> None:
        hub, nonce = self._hub, secrets.token_hex(16)
        hears, says = self._connections = (_connection(hub), _connection(hub))
        try:
            challenge = _challenge(says)
            hears.connect()
            own_host = hears.sock.getsockname()[0]
            hello = {
                "unit": hub.unit, "nonce": nonce, "challenge": challenge, "core": version(), "port": hub.own_port,
                "heads": {stream: list(head) for stream, head in self._folder.heads.items()},
                "epochs": list(self._folder.venue().epochs), "rows": True,
            }
            _post(hears, "/standby/feed", hub, hello)
            answer = hears.getresponse()
            if answer.status != 200:
                raise ValueError(f"the hub answered {answer.status}: {answer.read(300)!r}")
            salt = json.loads(_line(answer)[6:])["salt"]
            feed = SealedFeed(hub.key, nonce, str(salt))
            session, number = str(feed.opened(_line(answer))["session"]), 0
            bracketed = f"[{own_host}]" if ":" in own_host else own_host
            self._folder.note(hub=hub.url, own=f"http://{bracketed}:{hub.own_port}")
            self._say(BEHIND, "")
            for seq in itertools.count(1):
                message = feed.opened(_line(answer))
                self._take(message)
                number = int(message.get("number", number))
                if message["type"] in ("batch", "beat"):
                    self._acknowledge(says, {"unit": hub.unit, "session": session, "seq": seq, "number": number})
                if self._stop.is_set():
                    return
        finally:
            hears.close()
            says.close()

    def _take(self, message: Mapping[str, Any]) -> None:
        kind = message["type"]
        if kind == "batch":
            self._folder.take(message["entries"], message["people"])
        elif kind == "checkpoints":
            self._folder.take_checkpoints(message["checkpoints"])
        elif kind == "rows":
            self._folder.take_rows(message["rows"])
        elif kind == "files":
            self._folder.take_files(message["files"])
        elif kind == "refused":
            raise RefusedByHub(str(message["why"]))
        elif kind == "level":
            self._folder.note(level=True)
            self._say(FOLLOWING, str(sum(head.number for head in self._folder.heads.values())))

    def _acknowledge(self, connection: http.client.HTTPConnection, said: Mapping[str, Any]) -> None:
        """What is on this disk by now. Raises TimeoutError where the hub says nothing any more."""
        while not self._stop.is_set():
            fresh = connection.sock is None
            try:
                _post(connection, "/standby/ack", self._hub, said)
                connection.getresponse().read()
                return
            except TimeoutError:
                raise
            except (OSError, http.client.HTTPException) as lost:
                connection.close()
                # The hub closes what is silent for long; what is not heard then is said with the next number.
                if fresh:
                    log.info("the hub did not hear: %s", lost)
                    return


def _connection(hub: HubToFollow) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(hub.host, hub.port, timeout=SILENCE_S)


def _challenge(connection: http.client.HTTPConnection) -> str:
    connection.request("GET", "/device/challenge")
    answer = connection.getresponse()
    body = answer.read(1000)
    return str(json.loads(body)["challenge"]) if answer.status == 200 else ""


def _post(connection: http.client.HTTPConnection, path: str, hub: HubToFollow, said: Mapping[str, Any]) -> None:
    connection.request("POST", path, json.dumps(envelope(hub.key, REQUEST, said)),
                       {"Content-Type": "application/json", "roundtap-unit": hub.unit})


def _line(answer: http.client.HTTPResponse) -> bytes:
    """The next line that says something. Raises ValueError where the feed has ended."""
    while True:
        line = answer.readline(LINE_BYTES_MAX)
        if not line:
            raise ValueError("the feed has ended")
        if line.startswith(b"data: "):
            return line.strip()


def hub_to_follow(url: str, unit: str, key: str, own_port: int) -> HubToFollow:
    """Raises Problem("standby_config") where one of them is missing or makes no sense."""
    parts = urlsplit(url)
    try:
        port, found = parts.port or 8080, bytes.fromhex(key)
    except ValueError as error:
        raise Problem("standby_config", reason=str(error)) from error
    if parts.scheme != "http" or not parts.hostname or not unit or len(found) < 32:
        raise Problem("standby_config", reason=f"hub {url!r}, unit {unit!r}")
    return HubToFollow(parts.hostname, port, unit, found, own_port)


