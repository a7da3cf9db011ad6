"""HTTP requests to machines that may be anybody's: each answer is limited in bytes, and in time as a whole.

Not for each byte: nobody is stalled drop by drop.
"""

import http.client
import io
import json
import socket
import time
from collections.abc import Mapping
from contextlib import closing
from typing import Any

CONNECT_WITHIN_S, ANSWER_WITHIN_S = 2.0, 4.0
ANSWER_BYTES_MAX, BYTES_MAX = 65_536, 4096
NO_HEADERS: Mapping[str, str] = {}


class DeadlineSocket:
    """The part of a socket that `http.client` needs to read an answer. TimeoutError past the deadline set by
    `extend_deadline`."""

    def __init__(self, connection: socket.socket, within_s: float) -> None:
        self._connection = connection
        self.extend_deadline(within_s)

    def extend_deadline(self, within_s: float) -> None:
        """Restart the deadline, for everything still to come."""
        self._until_s = time.monotonic() + within_s

    def left_s(self) -> float:
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("the answer came too slowly")
        return left_s

    def sendall(self, data: bytes) -> None:
        self._connection.settimeout(self.left_s())
        self._connection.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_DeadlineReader(self, self._connection))

    def close(self) -> None:
        self._connection.close()


class DeadlineConnection(http.client.HTTPConnection):
    """A connection whose steps together take at most `within_s`, until `extend_deadline`."""

    def __init__(self, host: str, port: int, within_s: float) -> None:
        super().__init__(host, port, timeout=within_s)
        self._within_s = within_s
        self._deadline: DeadlineSocket | None = None

    def connect(self) -> None:
        super().connect()
        self._deadline = DeadlineSocket(self.sock, self._within_s)
        self.sock = self._deadline

    def extend_deadline(self, within_s: float) -> None:
        if self._deadline is not None:
            self._deadline.extend_deadline(within_s)


class _DeadlineReader(io.RawIOBase):
    def __init__(self, patience: DeadlineSocket, connection: socket.socket) -> None:
        self._patience, self._connection = patience, connection
        # It keeps the socket open until it is closed itself, as http.client expects.
        self._raw = connection.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int | None:
        self._connection.settimeout(self._patience.left_s())
        return self._raw.readinto(into)

    def close(self) -> None:
        self._raw.close()
        super().close()


def send_request(
    connection: http.client.HTTPConnection,
    path: str,
    message: Mapping[str, Any] | None = None,
    bytes_max: int = ANSWER_BYTES_MAX,
    headers: Mapping[str, str] = NO_HEADERS,
) -> tuple[int, Any]:
    """One request, and (status, JSON) of its answer; the JSON is None where an error status comes with a page.
    `message` is posted; without one it is a GET. OSError, HTTPException or ValueError where no answer came."""
    if message is None:
        connection.request("GET", path, headers=headers)
    else:
        connection.request("POST", path, json.dumps(message), {"Content-Type": "application/json", **headers})
    answer = connection.getresponse()
    raw = answer.read(bytes_max + 1)
    if len(raw) > bytes_max:
        raise ValueError(f"more than {bytes_max} bytes were answered")
    return answer.status, parse_answer(raw, answer.status)


def parse_answer(raw: bytes, status: int) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        if status != http.client.OK:
            # Its status says enough: this is an error page.
            return None
        raise ValueError(f"an answer that is no JSON: {raw[:200]!r}") from error


def request_json(
    place: tuple[str, int],
    path: str,
    message: Mapping[str, Any] | None = None,
    within_s: float = ANSWER_WITHIN_S,
    connect_within_s: float = CONNECT_WITHIN_S,
    bytes_max: int = BYTES_MAX,
) -> tuple[int, dict[str, Any]]:
    """One request to an unproven machine, and its answer, limited in bytes and time: (status, JSON object). `message`
    is posted; without one it is a GET. OSError, HTTPException or ValueError where no such answer came within
    `within_s` of connecting."""
    with closing(DeadlineConnection(*place, connect_within_s)) as connection:
        connection.connect()
        connection.extend_deadline(within_s)
        status, content = send_request(connection, path, message, bytes_max)
    if not isinstance(content, dict):
        raise ValueError(f"no object was answered: {str(content)[:80]}")
    return status, content
