"""A virtual panel's Unix socket: sends each client the latest picture and takes orders, as JSON lines."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

LONGEST_LINE = 4096


class PanelSocket:
    """Serves a Unix socket at `path` until `close`, in its own threads.

    picture: sent to every client on connecting and after each `changed`; a slow client misses pictures, never answers.
    take: executes an order, and returns an error text, if any; one order at a time, and none while `taking` is held.
    """

    def __init__(self, path: Path, picture: Callable[[], dict[str, Any]],
                 take: Callable[[dict[str, Any]], str | None]) -> None:
        self.taking = threading.Lock()
        self._path, self._picture, self._take = path, picture, take
        self._news = threading.Condition()
        self._version = 0
        self._clients: set[socket.socket] = set()
        path.unlink(missing_ok=True)
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(os.fspath(path))
        self._server.listen()
        threading.Thread(target=self._accept, name=f"panel {path.name}", daemon=True).start()

    def changed(self) -> None:
        with self._news:
            self._version += 1
            self._news.notify_all()

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        for each in (self._server, *self._clients):
            # Closing alone would wake no waiting thread.
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with self._server, contextlib.suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                self._clients.add(connection)
                answers: deque[str] = deque()
                for work in (self._read, self._write):
                    threading.Thread(target=work, args=(connection, answers), daemon=True).start()

    def _read(self, connection: socket.socket, answers: deque[str]) -> None:
        with connection, connection.makefile("rb") as lines, contextlib.suppress(OSError):
            while (line := lines.readline(LONGEST_LINE)).endswith(b"\n"):
                if error := self._execute(line):
                    with self._news:
                        answers.append(error)
                        self._news.notify_all()
        with self._news:
            self._clients.discard(connection)
            self._news.notify_all()

    def _execute(self, line: bytes) -> str | None:
        try:
            order = json.loads(line)
        except ValueError:
            order = None
        if not isinstance(order, dict):
            return "a line is one JSON object"
        with self.taking:
            return self._take(order)

    def _write(self, connection: socket.socket, answers: deque[str]) -> None:
        shown = -1
        with contextlib.suppress(OSError):
            while connection in self._clients:
                with self._news:
                    while not answers and shown == self._version and connection in self._clients:
                        self._news.wait()
                    error = answers.popleft() if answers else None
                    shown = shown if error else self._version
                message = {"error": error} if error else self._picture()
                connection.sendall(json.dumps(message).encode() + b"\n")
