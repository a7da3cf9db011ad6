"""One question to a machine that nobody has proved anything of, and its answer: bounded in bytes and in time."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

Place = tuple[str, int]
"""Host and port."""

PART_WITHIN_S = 2.0
"""For each part of the answer, and for the connection."""
BYTES_MAX = 4096


def ask_json(place: Place, path: str, message: Mapping[str, Any] | None = None, within_s: float = 4.0,
             part_within_s: float = PART_WITHIN_S) -> tuple[int, dict[str, Any]]:
    """(status, the JSON object that was answered). `message` is posted; without one the path is got. OSError,
    HTTPException or ValueError where nothing of that kind came within `within_s`."""
    connection = http.client.HTTPConnection(*place, timeout=part_within_s)
    enough: threading.Timer | None = None
    try:
        connection.connect()
        # The connection's own deadline is for each part of the answer: one that comes letter by letter ends with this.
        enough = threading.Timer(within_s, _show_out, [connection.sock])
        enough.daemon = True
        enough.start()
        if message is None:
            connection.request("GET", path)
        else:
            connection.request("POST", path, json.dumps(message), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        body = answer.read(BYTES_MAX + 1)
        try:
            said = json.loads(body) if len(body) <= BYTES_MAX else None
        except RecursionError as error:
            raise ValueError("something deep was answered") from error
        if not isinstance(said, dict):
            raise ValueError(f"no object was answered: {body[:80]!r}")
        return answer.status, said
    finally:
        if enough is not None:
            enough.cancel()
        connection.close()


def _show_out(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
