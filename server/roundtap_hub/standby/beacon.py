"""Each hub says on the network that it is there, and asks whoever says the same of its journal: in one thread."""

from __future__ import annotations

import fcntl
import http.client
import json
import logging
import queue
import secrets
import select
import socket
import struct
import threading
import time
from contextlib import suppress
from urllib.parse import urlsplit

from roundtap_hub.standby.kin import Kin

log = logging.getLogger(__name__)

GROUP, PORT = "239.255.82.84", 48284
"""An address of this site's own, which no router passes on."""
SAY_EVERY_S = 2.0
ASK_EVERY_S = 5.0
"""So seldom the same address is asked, whoever claims what of it; so often the relatives that are known are."""
ASK_WITHIN_S, ANSWER_WITHIN_S = 2.0, 4.0
DATAGRAM_BYTES_MAX = 1400
AT_ONCE = 20
"""Datagrams that are looked at before the thread rests for a moment: a flood of them costs little."""
REST_S = 0.2
ASKED_MAX = 64
ANSWER_BYTES_MAX = 1024 * 1024
SIOCGIFADDR = 0x8915


class Beacon:
    """Runs beside the hub until it stops; without any network it goes on trying."""

    def __init__(self, kin: Kin, group: str = GROUP, port: int = PORT) -> None:
        self._kin = kin
        self._group = group
        self._port = port
        self._stop = threading.Event()
        self._wanted: queue.Queue[str] = queue.Queue(ASKED_MAX)
        self._asked: dict[str, float] = {}
        self._joined: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="beacon", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def ask_soon(self, host: str, port: int) -> None:
        """Somebody at this address says that they are of this lineage. From any thread."""
        with suppress(queue.Full):
            self._wanted.put_nowait(_url(host, port))

    def _run(self) -> None:
        heard: socket.socket | None = None
        say_s = ask_s = 0.0
        while not self._stop.is_set():
            try:
                now_s = time.monotonic()
                if heard is None:
                    heard = self._listening()
                if now_s >= say_s:
                    say_s = now_s + SAY_EVERY_S
                    self._say(heard)
                if now_s >= ask_s:
                    ask_s = now_s + ASK_EVERY_S
                    for url in self._kin.relatives():
                        self._ask(url)
                self._ask_one_wanted()
                self._hear(heard)
            except OSError as error:
                log.info("the beacon is not heard: %s", error)
                if heard is not None:
                    heard.close()
                heard = None
                self._joined.clear()
                self._stop.wait(SAY_EVERY_S)
            except Exception:
                log.exception("the beacon failed")
                self._stop.wait(SAY_EVERY_S)
        if heard is not None:
            heard.close()

    def _listening(self) -> socket.socket:
        found = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        found.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
        found.bind(("", self._port))
        found.setblocking(False)
        return found

    def _say(self, said: socket.socket) -> None:
        """On every interface there is now: a cable may have come, and an access point gone."""
        message = json.dumps(self._kin.beacon(), separators=(",", ":")).encode()
        for address in interface_addresses():
            with suppress(OSError):
                here = socket.inet_aton(address)
                if address not in self._joined:
                    said.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(self._group) + here)
                    self._joined.add(address)
            with suppress(OSError):
                said.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
                said.sendto(message, (self._group, self._port))
        with suppress(OSError):
            said.sendto(message, ("255.255.255.255", self._port))

    def _hear(self, heard: socket.socket) -> None:
        """For a moment: until the next thing is to be said."""
        readable, _, _ = select.select([heard], [], [], REST_S)
        for _ in range(AT_ONCE if readable else 0):
            try:
                datagram, (host, _) = heard.recvfrom(DATAGRAM_BYTES_MAX + 1)
            except BlockingIOError:
                return
            if len(datagram) > DATAGRAM_BYTES_MAX:
                continue
            try:
                port = self._kin.heard_beacon(json.loads(datagram))
            except (ValueError, RecursionError):
                continue
            if port is not None:
                self.ask_soon(host, port)
        if readable:
            self._stop.wait(REST_S)

    def _ask_one_wanted(self) -> None:
        """One at a time: who names many addresses at which nobody answers keeps the beacon from nothing else."""
        with suppress(queue.Empty):
            self._ask(self._wanted.get_nowait())

    def _ask(self, url: str) -> None:
        """A recorded beacon has nobody behind it that could answer a question which was never asked before."""
        now_s = time.monotonic()
        if now_s - self._asked.get(url, -ASK_EVERY_S) < ASK_EVERY_S:
            return
        if len(self._asked) >= ASKED_MAX:
            self._asked.clear()
        self._asked[url] = now_s
        nonce, parts = secrets.token_hex(16), urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=ASK_WITHIN_S)
        # The connection's own deadline is for each part of the answer: one that comes letter by letter ends with this.
        enough: threading.Timer | None = None
        try:
            connection.connect()
            enough = threading.Timer(ANSWER_WITHIN_S, _show_out, [connection.sock])
            enough.start()
            connection.request("POST", "/standby/who", json.dumps(self._kin.question(nonce)),
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            if answer.status == 200:
                self._kin.heard_answer(json.loads(answer.read(ANSWER_BYTES_MAX)), nonce, url)
        except (OSError, http.client.HTTPException, ValueError, RecursionError) as silent:
            log.debug("nobody at %s: %s", url, silent)
        finally:
            if enough is not None:
                enough.cancel()
            connection.close()


def interface_addresses() -> list[str]:
    """The IPv4 address of each interface, the machine's own loop included; none where the system does not say."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            with suppress(OSError):
                said = fcntl.ioctl(asking.fileno(), SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
                found.append(socket.inet_ntoa(said[20:24]))
    return found


def _show_out(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
