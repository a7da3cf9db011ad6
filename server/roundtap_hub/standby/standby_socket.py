"""The standby's word to the front panel of its machine: how it is, and its key, turned by somebody who stands there."""

from __future__ import annotations

import contextlib
import grp
import json
import logging
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

NAME = "standby.sock"
GROUP = "roundtap-panel"
"""Who may connect: root, and the panel."""
LINE_BYTES_MAX = 1024
HEARD_WITHIN_S = 2.0
STATE, TURN = "state", "turn"
NOT_LEVEL = "never level"

Answer = dict[str, Any]


class StandbySocket:
    """Serves one caller after the other, in a thread of its own. state: {"state", "hub", "level"} of now; turn: the key
    is turned; it is not where `level` is false.

    A folder that cannot be written is said: the key is turned at the command line then.
    """

    def __init__(self, folder: Path, state: Callable[[], Answer], turn: Callable[[], None]) -> None:
        self._path, self._state, self._turn = folder / NAME, state, turn
        self._listener: socket.socket | None = None
        self._thread = threading.Thread(target=self._serve, name="standby-panel", daemon=True)

    def start(self) -> None:
        listener = socket.socket(socket.AF_UNIX)
        try:
            with contextlib.suppress(FileNotFoundError):
                self._path.unlink()
            # Nobody's before it is the panel's: whoever connects may turn the key.
            before = os.umask(0o177)
            try:
                listener.bind(os.fspath(self._path))
            finally:
                os.umask(before)
            with contextlib.suppress(KeyError, PermissionError):
                os.chown(self._path, -1, grp.getgrnam(GROUP).gr_gid)
                self._path.chmod(0o660)
            listener.listen(4)
        except OSError as error:
            listener.close()
            log.warning("the panel of this machine cannot be heard: %s", error)
            return
        self._listener = listener
        self._thread.start()

    def close(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            with contextlib.suppress(OSError):
                self._path.unlink()

    def answer(self, line: bytes) -> Answer:
        """To one line of a caller's."""
        try:
            asked = json.loads(line)
            what = asked["ask"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return {"refused": "malformed"}
        now = self._state()
        if what == STATE:
            return now
        if what != TURN:
            return {"refused": "unknown"}
        if not now["level"]:
            return {"refused": NOT_LEVEL}
        log.warning("the key was turned at the front panel")
        self._turn()
        return {"turned": True}

    def _serve(self) -> None:
        while (listener := self._listener) is not None:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.settimeout(HEARD_WITHIN_S)
                    with connection.makefile("rb") as said:
                        line = said.readline(LINE_BYTES_MAX)
                    connection.sendall(json.dumps(self.answer(line)).encode() + b"\n")
                except OSError as error:
                    log.info("a caller was not answered: %s", error)
