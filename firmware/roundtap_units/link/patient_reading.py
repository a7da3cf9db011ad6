"""Reading from a socket within a time for the whole, not for each byte: nobody holds a unit up by drops."""

from __future__ import annotations

import http.client
import io
import socket
import time
from typing import Any


class PatientSocket:
    """What `http.client` needs of a socket to read an answer. TimeoutError where it takes longer than `allow` said."""

    def __init__(self, connection: socket.socket, within_s: float) -> None:
        self._connection = connection
        self._until_s = 0.0
        self.allow(within_s)

    def allow(self, within_s: float) -> None:
        """From now on so long, for everything that is still to come."""
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
        return io.BufferedReader(_PatientReader(self, self._connection))

    def close(self) -> None:
        self._connection.close()


class PatientConnection(http.client.HTTPConnection):
    """A connection whose every step together takes `within_s` at the most, until `allow` gives it more."""

    def __init__(self, host: str, port: int, within_s: float) -> None:
        super().__init__(host, port, timeout=within_s)
        self._within_s = within_s
        self._patience: PatientSocket | None = None

    def connect(self) -> None:
        super().connect()
        self._patience = PatientSocket(self.sock, self._within_s)
        self.sock = self._patience

    def allow(self, within_s: float) -> None:
        if self._patience is not None:
            self._patience.allow(within_s)


class _PatientReader(io.RawIOBase):
    def __init__(self, patience: PatientSocket, connection: socket.socket) -> None:
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
