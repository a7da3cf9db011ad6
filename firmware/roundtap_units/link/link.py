"""The link to the hub: a signed feed in, reports and statuses out. Two threads that only enqueue for the unit."""

from __future__ import annotations

import http.client
import json
import logging
import random
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from roundtap_core import VERSION
from roundtap_core.wire import ECHO, FEED, REQUEST, envelope, opened
from roundtap_units.link.hub_time import HubTime
from roundtap_units.link.outbox import Kept, Outbox

log = logging.getLogger(__name__)

ANSWER_TIMEOUT_S = 5.0
SILENCE_S = 8.0
"""A feed beats every 2 s; after this long without a word it is taken for dead."""
RETRY_S = (0.2, 3.0)
RETRY_SEND_S = (0.1, 0.4)
STATUS_EVERY_S = 10.0

LINE_BYTES_MAX = 4 * 1024 * 1024
"""Far more than the fates of all reports of an event: whoever pretends to be the hub shall not fill the memory."""

Receiver = Callable[[str, Any], None]


@dataclass(frozen=True, slots=True)
class HubAddress:
    """Where the hub is, who this unit is there, and the key that both hold."""

    host: str
    port: int
    unit: str
    key: bytes


class HubLink:
    """Keeps the unit in touch. `receive(kind, value)` is called from its threads and must only enqueue:

    "view" a table's view, "fate" a `Kept` that was settled, "mismatch" the hub's core version where it is another
    than this unit's (None again where not), "contact" nothing.
    """

    def __init__(self, address: HubAddress, outbox: Outbox, receive: Receiver,
                 mono_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000) -> None:
        self._address = address
        self._outbox = outbox
        self._receive = receive
        self._mono_ms = mono_ms
        self.time = HubTime()
        self._stop = threading.Event()
        self._work = threading.Event()
        self._status: dict[str, Any] | None = None
        self._status_changed = False
        self._session: str | None = None
        self._threads = [
            threading.Thread(target=self._feed_for_ever, name="hub-feed", daemon=True),
            threading.Thread(target=self._send_for_ever, name="hub-sender", daemon=True),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._work.set()

    def send_reports(self) -> None:
        """There is a new report in the outbox."""
        self._work.set()

    def send_status(self, status: Mapping[str, Any]) -> None:
        """What the unit sees and does; the latest is sent, and repeated on every new connection."""
        self._status = dict(status)
        self._status_changed = True
        self._work.set()

    # The feed: everything the hub says.

    def _feed_for_ever(self) -> None:
        while not self._stop.is_set():
            try:
                self._feed_once()
            except (OSError, http.client.HTTPException, ValueError) as error:
                log.info("the feed broke: %s", error)
            except Exception:
                # Whatever the other side said: a unit that listens no more would be lost for the day.
                log.exception("the feed broke")
            self._session = None
            # Sixty units must not knock at the same moment when the hub comes back.
            self._stop.wait(random.uniform(*RETRY_S) if not self._outbox.waiting() else RETRY_S[0])

    def _feed_once(self) -> None:
        address, nonce = self._address, secrets.token_hex(8)
        hello = {
            "unit": address.unit, "nonce": nonce, "core": VERSION,
            "reports": [[str(kept.report["event"]), kept.id] for kept in self._outbox.all()],
        }
        connection = http.client.HTTPConnection(address.host, address.port, timeout=SILENCE_S)
        try:
            connection.request("POST", "/device/feed", json.dumps(envelope(address.key, REQUEST, hello)),
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            if answer.status != 200:
                raise ValueError(f"the hub answered {answer.status}: {answer.read(300)!r}")
            last = 0
            while not self._stop.is_set():
                line = answer.readline(LINE_BYTES_MAX)
                if not line:
                    return
                if not line.startswith(b"data: "):
                    continue
                message = opened(address.key, FEED, json.loads(line[6:]))
                # A forged, foreign or repeated message ends the feed: the next one begins with everything.
                if message is None or message.get("nonce") != nonce or message.get("seq") != last + 1:
                    raise ValueError("a message without a right signature or place")
                last += 1
                self._take(message)
        finally:
            connection.close()

    def _take(self, message: Mapping[str, Any]) -> None:
        self.time.heard_one_way(int(message["now_ms"]), self._mono_ms())
        self._receive("contact", None)
        kind = message["type"]
        if kind == "welcome":
            self._session = str(message["session"])
            self._receive("mismatch", None if message["core"] == VERSION else str(message["core"]))
            self._status_changed = self._status is not None
            self._work.set()
        elif kind == "fates":
            for echo in message["fates"]:
                self._settle(echo)
            self._work.set()
        elif kind == "view":
            self._receive("view", message["view"])

    def _settle(self, echo: Mapping[str, Any]) -> None:
        settled = self._outbox.settle(echo)
        if settled is not None:
            self._receive("fate", settled)

    # The sender: everything the unit says. One connection, kept open; one report after the other, in order.

    def _send_for_ever(self) -> None:
        connection: http.client.HTTPConnection | None = None
        sequence = 0
        next_status_ms = 0
        while not self._stop.is_set():
            self._work.wait(STATUS_EVERY_S)
            self._work.clear()
            try:
                if connection is None:
                    connection = http.client.HTTPConnection(self._address.host, self._address.port,
                                                            timeout=ANSWER_TIMEOUT_S)
                self._post_reports(connection)
                if self._status_due(next_status_ms):
                    sequence += 1
                    self._say_status(connection, sequence)
                    next_status_ms = self._mono_ms() + int(STATUS_EVERY_S * 1000)
            except Exception as error:
                expected = isinstance(error, OSError | http.client.HTTPException | ValueError)
                log.log(logging.INFO if expected else logging.ERROR, "sending failed: %r", error)
                if connection is not None:
                    connection.close()
                connection = None
                self._stop.wait(random.uniform(*RETRY_SEND_S))
                if self._outbox.waiting() or (self._status_changed and self._session is not None):
                    self._work.set()

    def _status_due(self, next_status_ms: int) -> bool:
        if self._session is None or self._status is None:
            return False
        return self._status_changed or self._mono_ms() >= next_status_ms

    def _post_reports(self, connection: http.client.HTTPConnection) -> None:
        """Every report without an answer. One that gets none does not hold up the others behind it."""
        unanswered: ValueError | None = None
        for kept in self._outbox.waiting():
            try:
                self._post_report(connection, kept)
            except ValueError as error:
                unanswered = error
        if unanswered is not None:
            raise unanswered

    def _post_report(self, connection: http.client.HTTPConnection, kept: Kept) -> None:
        """Only the hub's own signed echo of this very report counts; a status code, a portal's page, do not."""
        message = _post(connection, "/device/report", {"report": dict(kept.report), "mac": kept.mac})
        echo = opened(self._address.key, ECHO, message)
        if echo is None or echo.get("report_id") != kept.id:
            raise ValueError(f"no echo of the report: {str(message)[:200]}")
        self._receive("contact", None)
        self._settle(echo)

    def _say_status(self, connection: http.client.HTTPConnection, sequence: int) -> None:
        """What was not heard is still to be said: a call for a judge must not wait for the next regular status."""
        self._status_changed = False
        try:
            self._post_status(connection, sequence)
        except Exception:
            self._status_changed = True
            raise

    def _post_status(self, connection: http.client.HTTPConnection, sequence: int) -> None:
        payload = {**(self._status or {}), "unit": self._address.unit, "session": self._session, "seq": sequence,
                   "waiting": len(self._outbox.waiting())}
        sent_ms = self._mono_ms()
        message = _post(connection, "/device/status", envelope(self._address.key, REQUEST, payload))
        answer = opened(self._address.key, ECHO, message)
        if answer is None or answer.get("seq") != sequence or answer.get("session") != payload["session"]:
            raise ValueError(f"no echo of the status: {str(message)[:200]}")
        self.time.heard_round_trip(int(answer["now_ms"]), sent_ms, self._mono_ms())
        self._receive("contact", None)


def _post(connection: http.client.HTTPConnection, path: str, message: Mapping[str, Any]) -> Any:
    connection.request("POST", path, json.dumps(message), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    body = answer.read(65536)
    if answer.will_close:
        connection.close()
    return json.loads(body)
