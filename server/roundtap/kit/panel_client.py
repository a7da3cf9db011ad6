"""The other end of a virtual table's panel: a finger for its buttons, an eye for its screen."""

from __future__ import annotations

import json
import socket
import threading
import time
from pathlib import Path

HOLD_S, PAUSE_S = 0.7, 0.06
ANSWER_S = 2.0
"""A screen that says nothing new for so long has nothing new to say."""
WAIT_S = 30.0


class PanelClient:
    """One table's front. Waits for the socket at `path`; raises TimeoutError where it does not come."""

    def __init__(self, path: Path) -> None:
        self._text = ""
        self._changed = threading.Condition()
        self._socket = self._connected(path)
        threading.Thread(target=self._read, daemon=True).start()

    def press(self, key: str, hold: bool = False) -> None:
        """A finger on a button: down, up, and away once the screen has answered."""
        before = self._text
        self._send((key, True), *([] if hold else [(key, False)]))
        if hold:
            time.sleep(HOLD_S)
            self._send((key, False))
        with self._changed:
            self._changed.wait_for(lambda: self._text != before, ANSWER_S)
        time.sleep(PAUSE_S)

    def wait_for(self, words: tuple[str, ...]) -> str:
        """The screen's text as soon as it says one of `words`; TimeoutError with what it said instead."""
        with self._changed:
            if not self._changed.wait_for(lambda: any(word in self._text for word in words), WAIT_S):
                raise TimeoutError(f"waited for {' or '.join(words)}; the screen says {self._text!r}")
            return self._text

    def close(self) -> None:
        self._socket.close()

    def _send(self, *moves: tuple[str, bool]) -> None:
        """In one go: the unit keeps them apart, and a tap is no long press when this process has to wait."""
        self._socket.sendall(b"".join(json.dumps({"pin": key, "down": down}).encode() + b"\n" for key, down in moves))

    def _connected(self, path: Path) -> socket.socket:
        give_up = time.monotonic() + WAIT_S
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(str(path))
                return connection
            except OSError:
                connection.close()
                if time.monotonic() > give_up:
                    raise TimeoutError(f"no panel at {path}") from None
                time.sleep(0.05)

    def _read(self) -> None:
        with self._socket.makefile("rb") as lines:
            try:
                for line in lines:
                    with self._changed:
                        self._text = json.loads(line).get("text", self._text)
                        self._changed.notify_all()
            except OSError:
                return
