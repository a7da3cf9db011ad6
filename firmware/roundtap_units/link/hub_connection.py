"""HTTP requests to the hub, on one persistent connection or on short ones, signed or not."""

import http.client
import json
import secrets
import select
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from roundtap_core.messages import Challenge
from roundtap_core.typed import parse_message
from roundtap_core.wire import ECHO, REQUEST, envelope, open_envelope
from roundtap_machine.deadline_http import ANSWER_BYTES_MAX, DeadlineSocket, parse_answer, send_request

CONNECT_TIMEOUT_S = 5.0
REST_TIMEOUT_S = 5.0  # for the rest of an answer once it has begun
UNANSWERED_MS = 5000
"""What the hub's machine has not acknowledged for this long is lost: the kernel closes the connection."""
POLL_MS = 200


class StaleConnection(ConnectionError):
    """The hub had closed the idle connection: nothing is wrong; retry at once on a fresh one."""


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """The answer's JSON; when the request left and the answer began, by this unit's clock. `warm`: on a connection that
    had brought an answer before, so that only the way and the hub's work lie between both."""

    message: Any
    sent_ms: int
    received_ms: int
    warm: bool
    status: int = 200


class PersistentConnection:
    """For one thread. A request is sent once; repeating it is the caller's decision. A failure closes the connection,
    so that a late answer is never taken for another one's."""

    def __init__(self, host: str, port: int, mono_ms: Callable[[], int]) -> None:
        self._host, self._port, self._mono_ms = host, port, mono_ms
        self._socket: socket.socket | None = None
        self._answered = False

    def move(self, host: str, port: int) -> None:
        """Send the following requests to another hub."""
        if (host, port) != (self._host, self._port):
            self.close()
            self._host, self._port = host, port

    def open(self) -> None:
        """Connect ahead of the next request. OSError where the hub cannot be reached."""
        if self._socket is not None and _readable(self._socket, 0):
            # Without a request there is no answer: this is the end of the connection.
            self.close()
        if self._socket is None:
            fresh = socket.create_connection((self._host, self._port), timeout=CONNECT_TIMEOUT_S)
            fresh.settimeout(REST_TIMEOUT_S)
            fresh.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if hasattr(socket, "TCP_USER_TIMEOUT"):
                fresh.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNANSWERED_MS)
            self._socket, self._answered = fresh, False

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def post(self, path: str, message: Mapping[str, Any], waits: Callable[[float], bool]) -> TimedAnswer:
        """Send the request, and wait as long as `waits(seconds so far)` allows. OSError, HTTPException or ValueError
        where no JSON answer came; StaleConnection where only the connection was at fault."""
        self.open()
        assert self._socket is not None
        warm, body = self._answered, json.dumps(message).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        answer: http.client.HTTPResponse | None = None
        whole = False
        try:
            sent_ms = self._mono_ms()
            # In one piece: two would be two packets, and wake the hub twice.
            self._socket.sendall(head.encode("ascii") + body)
            _wait(self._socket, waits)
            received_ms = self._mono_ms()
            answer = http.client.HTTPResponse(
                DeadlineSocket(self._socket, REST_TIMEOUT_S),  # type: ignore[arg-type]
                method="POST",
            )
            answer.begin()
            raw = answer.read(ANSWER_BYTES_MAX)
            whole = answer.isclosed() and not answer.will_close
        except (ConnectionResetError, BrokenPipeError) as error:
            if warm:
                raise StaleConnection("the idle connection had been closed") from error
            raise
        finally:
            if not whole:
                if answer is not None:
                    # It reads through the socket, which is open as long as it is.
                    answer.close()
                self.close()
        self._answered = True
        if self._socket is not None:
            self._socket.settimeout(REST_TIMEOUT_S)
        return TimedAnswer(parse_answer(raw, answer.status), sent_ms, received_ms, warm, answer.status)


def _wait(connection: socket.socket, waits: Callable[[float], bool]) -> None:
    began = time.monotonic()
    while not _readable(connection, POLL_MS):
        waited_s = time.monotonic() - began
        if not waits(waited_s):
            raise TimeoutError(f"no answer within {waited_s:.1f} s")


def _readable(connection: socket.socket, wait_ms: int) -> bool:
    # Not select(): a benchmark with many units in one process exceeds its descriptor limit.
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(wait_ms))


class HubNotReady(ValueError):
    """The hub waits: its disk is "full", "read-only" or "failing", or its journal "damaged". Unsigned."""


class KeyRefused(ValueError):
    """The answer's status means a key unknown to the hub. It is unsigned, and may come from any machine."""


def fetch_challenge(connection: http.client.HTTPConnection) -> str:
    """The hub's challenge before a hello, so that no stored packet passes for a new one; the connection stays usable.
    It is unsigned: a forged one opens nothing. HubNotReady where the hub cannot open its journal."""
    status, message = send_request(connection, "/device/challenge")
    if status == http.client.SERVICE_UNAVAILABLE and isinstance(message, dict) and "storage" in message:
        raise HubNotReady(str(message["storage"])[:20])
    return parse_message(Challenge, message).challenge


def send_signed(
    connection: http.client.HTTPConnection,
    path: str,
    unit: str,
    key: bytes,
    challenge: str | None,
    payload: Mapping[str, Any],
    bytes_max: int = ANSWER_BYTES_MAX,
) -> dict[str, Any]:
    """The hub's answer to this unit's `payload`, both signed. `challenge`: the hub's for this request; None: fetch one
    first. Raises as `send_request`, and KeyRefused."""
    nonce = secrets.token_hex(8)
    request = {"unit": unit, "nonce": nonce, "challenge": challenge or fetch_challenge(connection), **payload}
    status, message = send_request(connection, path, envelope(key, REQUEST, request), bytes_max)
    if status == http.client.FORBIDDEN:
        raise KeyRefused(f"the hub refused: {str(message)[:200]}")
    answer = open_envelope(key, ECHO, message)
    if answer is None or answer.get("nonce") != nonce:
        raise ValueError(f"no right answer: {str(message)[:200]}")
    return answer
