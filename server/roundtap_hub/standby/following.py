"""A standby at its post: it follows the hub's feed, writes down what it hears, and says so; again and again."""

from __future__ import annotations

import http.client
import json
import logging
import queue
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
        self._socket: socket.socket | None = None
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
        found = self._socket
        if found is not None:
            with suppress(OSError):
                found.shutdown(socket.SHUT_RDWR)

    def _say(self, state: str, words: str) -> None:
        if (state, words) != self._said:
            self._said = (state, words)
            self._tell_state(state, words)

    def _follow_once(self) -> None:
        hub, nonce = self._hub, secrets.token_hex(16)
        connection = http.client.HTTPConnection(hub.host, hub.port, timeout=SILENCE_S)
        words = _Words(hub)
        try:
            challenge = self._challenge()
            connection.connect()
            self._socket = connection.sock
            own_host = connection.sock.getsockname()[0]
            hello = {
                "unit": hub.unit, "nonce": nonce, "challenge": challenge, "core": version(), "port": hub.own_port,
                "heads": {stream: list(head) for stream, head in self._folder.heads.items()},
                "epochs": list(self._folder.venue().epochs), "rows": True,
            }
            connection.request("POST", "/standby/feed", json.dumps(envelope(hub.key, REQUEST, hello)),
                               {"Content-Type": "application/json", "roundtap-unit": hub.unit})
            answer = connection.getresponse()
            if answer.status != 200:
                raise ValueError(f"the hub answered {answer.status}: {answer.read(300)!r}")
            salt = json.loads(_line(answer)[6:])["salt"]
            feed = SealedFeed(hub.key, nonce, str(salt))
            welcome = feed.opened(_line(answer))
            words.begin(str(welcome["session"]))
            bracketed = f"[{own_host}]" if ":" in own_host else own_host
            self._folder.note(hub=hub.url, own=f"http://{bracketed}:{hub.own_port}")
            self._say(BEHIND, "")
            while not self._stop.is_set():
                self._take(feed.opened(_line(answer)), words)
        finally:
            self._socket = None
            words.end()
            connection.close()

    def _challenge(self) -> str:
        connection = http.client.HTTPConnection(self._hub.host, self._hub.port, timeout=SILENCE_S)
        try:
            connection.request("GET", "/device/challenge")
            answer = connection.getresponse()
            return str(json.loads(answer.read(1000))["challenge"]) if answer.status == 200 else ""
        finally:
            connection.close()

    def _take(self, message: Mapping[str, Any], words: _Words) -> None:
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
        if kind == "batch":
            words.acknowledge(int(message["number"]))
        elif kind == "level":
            self._folder.note(level=True)
            self._say(FOLLOWING, str(sum(head.number for head in self._folder.heads.values())))
        elif kind == "beat":
            words.acknowledge(words.number)


class _Words:
    """What this standby has on its disk, said over a connection of its own; the newest number says it all."""

    def __init__(self, hub: HubToFollow) -> None:
        self._hub = hub
        self._numbers: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._session = ""
        self._seq = 0
        self.number = 0

    def begin(self, session: str) -> None:
        self._session = session
        self._thread = threading.Thread(target=self._run, name="standby-words", daemon=True)
        self._thread.start()

    def acknowledge(self, number: int) -> None:
        self.number = number
        self._numbers.put(number)

    def end(self) -> None:
        self._numbers.put(None)

    def _run(self) -> None:
        connection: http.client.HTTPConnection | None = None
        number: int | None = 0
        while number is not None:
            number = self._numbers.get()
            while number is not None and not self._numbers.empty():
                number = self._numbers.get()
            if number is None:
                break
            for fresh in (False, True):
                try:
                    connection = connection if connection is not None and not fresh else _open(self._hub)
                    self._say(connection, number)
                    break
                except (OSError, http.client.HTTPException) as lost:
                    # The hub closes what is silent for long; what is not heard is said with the next number.
                    log.info("the hub did not hear: %s", lost)
                    if connection is not None:
                        connection.close()
                    connection = None
        if connection is not None:
            connection.close()

    def _say(self, connection: http.client.HTTPConnection, number: int) -> None:
        self._seq += 1
        said = {"unit": self._hub.unit, "session": self._session, "seq": self._seq, "number": number}
        connection.request("POST", "/standby/ack", json.dumps(envelope(self._hub.key, REQUEST, said)),
                           {"Content-Type": "application/json"})
        connection.getresponse().read()


def _open(hub: HubToFollow) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection(hub.host, hub.port, timeout=SILENCE_S)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


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


